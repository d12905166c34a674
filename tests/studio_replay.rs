//! Checks that a person's recording in the studio runs again at once, over plain HTTP.

use serde_json::{Value, json};

use crate::common::Project;
use crate::common::pages::{MessageStream, PageServer};

/// A person at the page.
struct Person {
    server: PageServer,
    messages: MessageStream,
}

impl Person {
    fn at(project: &Project) -> Self {
        let command = project.command(&["studio", "--no-open", "flows/made.yaml"]);
        let server = PageServer::started(command, project, "Studio");
        let messages = server.messages();
        Self { server, messages }
    }

    #[track_caller]
    fn asks(&self, line: &str, body: &Value) -> Value {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let (status, answer) = self.server.own(line, &body);
        assert_eq!(status, 200, "{line} {body}: {answer}");
        let (_, json) = answer.split_once("\r\n\r\n").expect("a body");
        serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"))
    }

    /// Waits until a row has these words. Returns the picture's number, and the middle of the row.
    #[track_caller]
    fn sees(&mut self, words: &str) -> (u64, i64, i64) {
        loop {
            let message = self.messages.wait_for("\"kind\":\"look\"");
            let (_, json) = message.split_once(':').expect("data");
            let message: Value = serde_json::from_str(json).expect("JSON");
            let seq = message["seq"].as_u64().expect("a number");
            let look = self.asks(&format!("GET /look/{seq}"), &Value::Null);
            let rows = look["rows"].as_array().cloned().unwrap_or_default();
            let of = |row: &Value, key: &str| row[key].as_str().unwrap_or_default() == words;
            let row = rows
                .iter()
                .find(|row| ["text", "desc", "hint"].iter().any(|key| of(row, key)));
            if let Some(row) = row {
                let side = |place: usize| row["bounds"][place].as_i64().expect("a side");
                let middle = |a, b| i64::midpoint(side(a), side(b));
                return (seq, middle(0, 2), middle(1, 3));
            }
        }
    }

    /// Sends an act, and returns the flow's steps so far.
    #[track_caller]
    fn acts(&self, what: &Value, seq: u64) -> Value {
        let wish = json!({ "wish": { "what": what, "seq": seq }, "block": 0 });
        self.asks("POST /act", &wish)
    }

    #[track_caller]
    fn taps(&mut self, words: &str) -> Value {
        let (seq, x, y) = self.sees(words);
        self.acts(&json!({ "act": "tap", "x": x, "y": y }), seq)
    }

    #[track_caller]
    fn types(&mut self, text: &str) -> Value {
        let seq = self.sees("Welcome to Notes").0;
        self.acts(&json!({ "act": "type", "text": text }), seq)
    }

    /// Saves the steps as the page does, and replays them. Returns the page's report.
    #[track_caller]
    fn replays(&mut self, recorded: &Value, leave_out: &str) -> String {
        let steps = recorded["steps"].as_array().into_iter().flatten();
        let steps = steps
            .filter_map(Value::as_str)
            .filter(|step| leave_out.is_empty() || !step.contains(leave_out));
        let app = recorded["app"].as_str().expect("an app");
        let text = format!("app: {app}\nsteps:\n{}", steps.collect::<String>());
        let version = self.asks("GET /flow", &Value::Null)["version"].clone();
        let save = json!({ "text": text, "version": version, "name": null });
        self.asks("POST /flow", &save);
        self.asks("POST /run", &json!({ "part": "all", "replay": true }));
        let message = self.messages.wait_for("\"what\":\"replay\"");
        self.messages.wait_for("\"what\":\"end\"");
        message
    }
}

#[test]
fn what_was_recorded_is_replayed_and_what_differs_is_told() {
    let project = Project::with_demo_app();
    let mut person = Person::at(&project);
    let opened = person.taps("Notes");
    assert_eq!(opened["app"], "com.example.notes", "{opened}");
    assert_eq!(
        opened["steps"],
        json!(["- launch: { clear: true }\n"]),
        "the icon is a launch at once"
    );
    person.taps("Username");
    person.types("ada");
    person.taps("Password");
    person.types("lovelace");
    person.taps("Sign in");
    person.taps("Groceries");
    let recorded = person.taps("Copy");
    assert!(!recorded.to_string().contains("lovelace"), "{recorded}");
    let told = person.replays(&recorded, "");
    assert!(told.contains("The replay passed."), "{told}");
    assert!(told.contains("\"differs\":[]"), "{told}");

    // Without the button nobody is signed in.
    let told = person.replays(&recorded, "sign_in");
    assert!(
        told.contains("The replay failed at click: Groceries."),
        "{told}"
    );
    assert!(
        told.contains(
            "com.example.notes/.Inbox was in front, and now com.example.notes/.SignIn is"
        ),
        "{told}"
    );
    assert!(told.contains("is there now, and was not: "), "{told}");
}
