//! Tests runs in a workspace: locked, reported step by step, ended in order when their call is dropped.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{AgentEntry, Workspace, entries, fill, prompts, read, resources};
use runner_base::context::Context;
use runner_config::{Config, Overrides};
use runner_device::Script;
use runner_screen::Profile;
use runner_tools::{Body, Caller, Contents, Failure, Outcome, Progress};

/// Workspace in a project of its own, on the virtual device with the demo app.
pub(crate) struct Project {
    pub(crate) workspace: Workspace,
    caller: Caller,
    _folder: tempfile::TempDir,
}

impl Project {
    pub(crate) fn new() -> Self {
        Self::with("")
    }

    fn with(more: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        let demo = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/demo");
        std::fs::create_dir(root.join("demo")).unwrap();
        for file in demo.read_dir_utf8().unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), root.join("demo").join(file.file_name())).unwrap();
        }
        let settings = format!("devices: [virtual]\napps: [demo]\n{more}");
        std::fs::write(root.join("runner.yaml"), settings).unwrap();
        let variables = [("CLOUD_API_KEY", "abc-cloud-7"), ("COLOR", "teal")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let context = Context::fixed(root, BTreeMap::from(variables));
        let config = Config::resolve(&context, &Overrides::default()).unwrap();
        Self {
            workspace: Workspace::new(config, context, false),
            caller: Caller::default(),
            _folder: folder,
        }
    }

    pub(crate) async fn call(&self, name: &str, args: Value) -> Result<Outcome, Failure> {
        tool(name)
            .call(&self.workspace, args, &self.caller, &Progress::default())
            .await
    }

    async fn shell(&self, words: [&str; 4]) -> String {
        let opened = self.workspace.connection.opened().await.unwrap();
        let output = opened
            .device()
            .shell(&Script::command(words), Duration::from_secs(5))
            .await
            .unwrap();
        output.text().trim().to_owned()
    }

    async fn animations(&self) -> String {
        self.shell(["settings", "get", "global", "window_animation_scale"])
            .await
    }
}

fn text_of(contents: &Contents) -> &str {
    match &contents.body {
        Body::Text(text) => text,
        Body::Bytes(_) => panic!("it is no text: {}", contents.media_type),
    }
}

fn tool(name: &str) -> AgentEntry {
    entries()
        .into_iter()
        .find(|entry| entry.name == name)
        .unwrap()
}

/// Flow that runs longer than any test, as it looks again and again.
const ENDLESS: &str = "app: com.example.notes
steps:
  - launch: { clear: true }
  - repeat:
      times: 10000
      steps: [ assert visible: Welcome to Notes ]
teardown:
  - type: { into: { id: username }, text: torn down }
";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_nobody_waits_for_ends_in_order() {
    let project = Project::new();
    let animations = project.animations().await;
    assert_ne!(animations, "0", "a run turns them off");
    let begun = Arc::new(Notify::new());
    let progress = {
        let begun = Arc::clone(&begun);
        Progress::new(move |_, _, _| begun.notify_one())
    };
    let entry = tool("runner_run_flow");
    let run = entry.call(
        &project.workspace,
        json!({ "text": ENDLESS }),
        &project.caller,
        &progress,
    );
    tokio::select! {
        ended = run => panic!("it ended by itself: {ended:?}"),
        () = begun.notified() => {}
    }
    // The device is free only after the teardown.
    project.workspace.wait_for_idle().await;
    let opened = project.workspace.connection.opened().await.unwrap();
    let screen = opened.session.look().await.unwrap();
    let torn_down = screen.nodes().any(|node| node.text() == "torn down");
    assert!(torn_down, "{}", screen.tsv(Profile::Golden));
    assert_eq!(project.animations().await, animations);
    let report = project
        .workspace
        .runs
        .report(&project.workspace.config)
        .unwrap();
    assert_eq!(report["flows"][0]["status"], "interrupted", "{report}");
    assert_eq!(report["passed"], false);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_waits_until_a_run_has_ended_and_a_run_until_a_call_has() {
    let project = Project::new();
    let has_run = || {
        project
            .workspace
            .runs
            .report(&project.workspace.config)
            .unwrap()
            != Value::Null
    };
    let flow = json!({ "text": "app: com.example.notes\nsteps: [ launch ]\n" });
    let call = project.workspace.connection.lock_shared().await;
    let run = async {
        let outcome = project.call("runner_run_flow", flow).await.unwrap();
        assert_eq!(outcome.value["passed"], true, "{}", outcome.words());
    };
    // The gate is fair: once a run waits for it, nobody else gets in.
    let run_waits = || async {
        while !project.workspace.connection.is_awaited() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let later = async {
        run_waits().await;
        let _beside = project.workspace.connection.lock_shared().await;
        assert!(has_run(), "it waited for the run, which asked before");
    };
    let first = async {
        run_waits().await;
        assert!(!has_run(), "the run waits for the call");
        drop(call);
    };
    tokio::join!(run, later, first);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn progress_is_told_for_each_of_the_flow_s_own_steps() {
    let project = Project::new();
    let reported = Arc::new(Mutex::new(Vec::new()));
    let progress = {
        let report = Arc::clone(&reported);
        Progress::new(move |done, total, message| {
            report
                .lock()
                .unwrap()
                .push((done, total, message.to_owned()));
        })
    };
    let text = "app: com.example.notes
steps:
  - launch
  - group: [ assert visible: Welcome to Notes ]
  - click: Nowhere
";
    let entry = tool("runner_run_flow");
    entry
        .call(
            &project.workspace,
            json!({ "text": text }),
            &project.caller,
            &progress,
        )
        .await
        .unwrap();
    let expected = [
        (1.0, Some(3.0), "launch: passed"),
        (
            2.0,
            Some(3.0),
            "group: [{ assert visible: Welcome to Notes }]: passed",
        ),
        (3.0, Some(3.0), "click: Nowhere: failed"),
    ];
    let expected = expected.map(|(done, total, message)| (done, total, message.to_owned()));
    assert_eq!(*reported.lock().unwrap(), expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_own_file_that_cannot_be_written_does_not_lose_the_device() {
    let project = Project::new();
    let before = project.workspace.connection.opened().await.unwrap().session;
    std::fs::write(project.workspace.config.root.join(".runner"), "in the way").unwrap();
    let text = "app: com.example.notes\nsteps: [ launch, screenshot: here ]\n";
    let outcome = project
        .call("runner_run_flow", json!({ "text": text }))
        .await
        .unwrap();
    assert_eq!(outcome.value["passed"], false, "{}", outcome.words());
    let after = project.workspace.connection.opened().await.unwrap().session;
    assert!(Arc::ptr_eq(&before, &after));
}

#[tokio::test]
async fn the_last_report_may_be_of_an_events_file() {
    let project = Project::with("reports: { json: events.ndjson }\n");
    let none = read(&project.workspace, "runner://report/last")
        .await
        .unwrap()
        .unwrap();
    assert!(text_of(&none).contains("nothing was run yet"), "{none:?}");
    let events = [
        json!({ "seq": 0, "t_ms": 0, "event": "start", "schema": 1, "run_id": "r", "version": "1",
            "started": "2026-01-02T03:04:05Z", "root": "/p", "artifacts": "/p/a" }),
        json!({ "seq": 1, "t_ms": 5, "event": "flow_finished", "last": true, "status": "passed",
            "id": { "flow": "flows/a.yaml", "device": "virtual", "attempt": 1 },
            "started": "2026-01-02T03:04:05Z", "duration_ms": 5,
            "cost": { "round_trips": 2, "dumps": 1 } }),
    ];
    let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
    let path = project.workspace.config.root.join("events.ndjson");
    std::fs::write(&path, lines).unwrap();
    let report = read(&project.workspace, "runner://report/last")
        .await
        .unwrap()
        .unwrap();
    let report: Value = serde_json::from_str(text_of(&report)).unwrap();
    assert_eq!(report["source"], path.as_str());
    assert_eq!(report["passed"], true);
    assert_eq!(report["flows"][0]["path"], "flows/a.yaml");
}

#[tokio::test]
async fn what_is_listed_can_be_read() {
    let project = Project::new();
    for resource in resources(&project.workspace) {
        if resource.template {
            continue;
        }
        let contents = read(&project.workspace, &resource.uri)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(contents.media_type, resource.media_type, "{}", resource.uri);
        assert!(text_of(&contents).len() > 20, "{}", resource.uri);
    }
    for nothing in [
        "runner://docs/nothing",
        "runner://x",
        "ui://tree",
        "runner://docs",
    ] {
        assert_eq!(
            read(&project.workspace, nothing).await.unwrap(),
            None,
            "{nothing}"
        );
    }
}

#[tokio::test]
async fn each_flow_can_be_read_by_the_uri_that_the_index_names() {
    let project = Project::new();
    let root = &project.workspace.config.root;
    std::fs::create_dir(root.join("flows")).unwrap();
    for name in ["plain.yaml", "a b%41#ü.yaml"] {
        let text = format!("name: {name:?}\nsteps:\n  - home\n");
        std::fs::write(root.join("flows").join(name), text).unwrap();
    }
    let index = read(&project.workspace, "runner://flows").await.unwrap();
    let index: Value = serde_json::from_str(text_of(&index.unwrap())).unwrap();
    let flows = index["flows"].as_array().unwrap();
    assert_eq!(flows.len(), 2, "{index}");
    for flow in flows {
        let uri = flow["uri"].as_str().unwrap();
        let contents = read(&project.workspace, uri).await.unwrap().unwrap();
        let name = format!("name: {}\n", flow["name"]);
        assert!(text_of(&contents).starts_with(&name), "{uri}");
    }
    assert_eq!(flows[1]["uri"], "runner://flows/flows/plain.yaml");
}

#[test]
fn prompts_name_only_tools_and_resources_that_there_are() {
    let project = Project::new();
    let tools: Vec<&str> = entries().iter().map(|entry| entry.name).collect();
    let uris: Vec<String> = resources(&project.workspace)
        .into_iter()
        .map(|resource| resource.uri)
        .collect();
    // Those of the other agent tools.
    let others = ["runner_look", "runner_record"];
    let words = |text: &str| -> Vec<String> {
        let part = |c: char| !(c.is_alphanumeric() || "_:/-".contains(c));
        text.split(part)
            .map(|word| word.trim_end_matches(':').to_owned())
            .collect()
    };
    let mut texts: Vec<String> = entries()
        .iter()
        .map(|entry| entry.help.to_owned())
        .collect();
    let all = |_: &str| true;
    for prompt in prompts(&all) {
        let arguments = prompt
            .arguments
            .iter()
            .map(|argument| (argument.name.to_owned(), "given".to_owned()))
            .collect();
        texts.push(fill(prompt.name, &arguments, &all).unwrap().unwrap());
    }
    for word in texts.iter().flat_map(|text| words(text)) {
        if let Some(rest) = word.strip_prefix("runner://") {
            let known = rest.starts_with("flows/") || uris.contains(&word);
            assert!(known, "{word}");
        } else if word.starts_with("runner_") {
            let known = tools.contains(&word.as_str()) || others.contains(&word.as_str());
            assert!(known, "{word}");
        }
    }
}

#[test]
fn a_prompt_takes_its_arguments_as_they_are() {
    let arguments = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        let owned = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        owned.collect()
    };
    let all = |_: &str| true;
    let text = fill(
        "write_flow",
        &arguments(&[("goal", "a {app} is {goal}")]),
        &all,
    )
    .unwrap()
    .unwrap();
    assert!(text.contains("this goal: a {app} is {goal}\n"), "{text}");
    assert!(
        text.contains("App: the app of the project's flows"),
        "{text}"
    );
    assert!(text.contains("`launch: { clear: true }`"), "{text}");
    let missing = fill("fix_flow", &arguments(&[("path", " ")]), &all).unwrap_err();
    assert_eq!(
        missing.message,
        "prompt `fix_flow` needs the argument `path`: The flow, such as flows/login.yaml."
    );
    assert_eq!(fill("nothing", &BTreeMap::new(), &all).unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flow_tells_no_secret_of_the_environment() {
    let project = Project::new();
    let text = "steps:\n  - assert visible: '${os.COLOR} ${os.CLOUD_API_KEY}'\n";
    let reported = project
        .call("runner_run_flow", json!({ "text": text }))
        .await
        .unwrap();
    // The server hides what the workspace knows as secret in all that it sends.
    let whole = format!("{}{}", reported.words(), reported.value);
    let whole = project.workspace.scrubber.scrub(&whole);
    assert!(whole.contains("teal"), "{whole}");
    assert!(!whole.contains("abc-cloud-7"), "{whole}");
}
