//! Whole session of an agent: it explores an app, writes a flow, meets a change of the app, mends the flow
//! and decides about differences. The number of calls and the size of their answers have a limit.

use serde_json::{Value, json};

use crate::common::Project;
use crate::common::mcp::{Answer, Client};

/// Limits for the number of calls, and for the characters of their answers.
const MAX_COST: (usize, usize) = (18, 11_000);

struct Agent {
    client: Client,
    calls: usize,
    characters: usize,
}

impl Agent {
    fn call(&mut self, tool: &str, arguments: Value) -> Answer {
        let answer = self.client.call(tool, arguments);
        let characters = answer.text.chars().count();
        self.calls += 1;
        self.characters += characters;
        println!("{} {tool}: {characters} characters", self.calls);
        answer
    }

    #[track_caller]
    fn does(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments);
        assert!(!answer.is_error, "{tool}: {}", answer.text);
        answer.text
    }

    /// Runs the flow, and asserts whether it passes.
    #[track_caller]
    fn runs(&mut self, passes: bool) -> String {
        let answer = self.call("runner_run_flow", json!({ "path": "flows/read.yaml" }));
        assert_eq!(answer.json()["passed"], passes, "{}", answer.text);
        answer.text
    }
}

fn connect(project: &Project) -> Client {
    let mut command = project.command(&["mcp", "--allow-accept"]);
    command.env("NOTES_PASSWORD", "lovelace");
    let mut client = Client::from_command(command);
    client.initialize("2025-06-18");
    client
}

#[test]
fn from_exploring_to_the_review_costs_little() {
    let project = Project::with_demo_app();
    let mut agent = Agent {
        client: connect(&project),
        calls: 0,
        characters: 0,
    };

    // It explores, and what it does is recorded.
    agent.does("runner_record", json!({ "action": "start" }));
    let launch = json!([{ "launch": { "app": "com.example.notes", "clear": true } }]);
    agent.does("runner_do", json!({ "steps": launch }));
    let sign_in = json!([
        { "type": { "into": { "id": "username" }, "text": "ada" } },
        { "type": { "into": { "id": "password" }, "text": "lovelace" } },
        { "click": { "id": "sign_in" } },
        { "wait_for": "Welcome, *" },
    ]);
    agent.does("runner_do", json!({ "steps": sign_in }));
    let open = json!([{ "scroll_to": "Tea blends" }, { "click": "Tea blends" }]);
    let note = agent.does("runner_do", json!({ "steps": open }));
    assert!(note.contains("id=copy"), "{note}");
    agent.does("runner_take_snapshot", json!({ "name": "note" }));
    let copy = json!([{ "click": { "id": "copy" } }]);
    agent.does("runner_do", json!({ "steps": copy }));
    let stop = json!({ "action": "stop", "name": "Read a note", "path": "read.yaml" });
    let flow = agent.does("runner_record", stop);
    assert!(flow.contains("snapshot: note"), "{flow}");
    // The golden waits for a decision.
    agent.runs(false);
    agent.does("runner_list_pending", json!({}));
    agent.does("runner_accept_snapshot", json!({ "keys": ["read/note"] }));
    agent.runs(true);

    // The app changes: a button that the flow clicks, and with it the screen.
    for (from, to) in [("copy,", "duplicate,"), ("text: Copy", "text: Duplicate")] {
        project.replace("apps/demo/note.yaml", from, to);
    }
    agent.client = connect(&project);
    let failed = agent.runs(false);
    assert!(failed.contains("Duplicate"), "{failed}");
    let mended = project
        .read("flows/read.yaml")
        .replace("id: copy", "id: duplicate");
    let save = json!({ "path": "flows/read.yaml", "text": mended, "overwrite": true });
    agent.does("runner_save_flow", save);
    agent.does("runner_diff_snapshot", json!({ "key": "read/note" }));
    agent.does("runner_accept_snapshot", json!({ "keys": ["read/note"] }));
    agent.runs(true);
    project.run(&["pending"]).expect(0);

    let cost = (agent.calls, agent.characters);
    println!("{} calls, {} characters of answers", cost.0, cost.1);
    assert!(cost.0 <= MAX_COST.0 && cost.1 <= MAX_COST.1, "{cost:?}");
}
