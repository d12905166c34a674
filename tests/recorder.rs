//! Recordings of runs: their cost, and that no run removes another's.

use camino::Utf8PathBuf;
use runner::recording::read;
use serde_json::Value;

use crate::against::{FLOWS, SIGN_IN};
use crate::common::Project;

fn project() -> Project {
    let project = Project::with_demo_app();
    project.flow("_in", SIGN_IN);
    for (name, text) in FLOWS {
        project.flow(name, text);
    }
    project
}

/// Returns each step of a run with what it sent.
fn step_costs(project: &Project, recordings: &str) -> Vec<(String, Value)> {
    let mut command = project.command(&["test", "--json", "events.ndjson", "--quiet"]);
    command.env("RUNNER_RECORDINGS", recordings);
    let status = command.status().expect("it starts");
    assert!(status.success());
    let events = project.read("events.ndjson");
    let events = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    events
        .filter(|event| event["event"] == "step_finished")
        .map(|event| {
            let step = format!("{} {}", event["id"]["flow"], event["path"]);
            (step, event["cost"].clone())
        })
        .collect()
}

#[test]
fn a_recording_sends_nothing_to_the_device() {
    let project = project();
    let without = step_costs(&project, "false");
    assert!(!project.path(".runner/history/recordings").exists());
    let with = step_costs(&project, "true");
    assert_eq!(recordings(&project).len(), FLOWS.len());
    assert!(
        without.iter().all(|(_, cost)| cost.is_object()),
        "{without:?}"
    );
    assert_eq!(with, without);
}

fn recordings(project: &Project) -> Vec<Utf8PathBuf> {
    let folder = Utf8PathBuf::from_path_buf(project.path(".runner/history/recordings"));
    let folder = folder.expect("UTF-8");
    let files = project.files(".runner/history/recordings").into_iter();
    files.map(|name| folder.join(name)).collect()
}

#[test]
fn runs_at_the_same_time_keep_their_recordings_apart() {
    let project = project();
    let mut runs: Vec<_> = (0..3)
        .map(|_| {
            let mut command = project.command(&["test", "--quiet"]);
            command.spawn().expect("it starts")
        })
        .collect();
    for run in &mut runs {
        assert!(run.wait().expect("it ends").success());
    }
    let files = recordings(&project);
    assert_eq!(files.len(), runs.len() * FLOWS.len(), "{files:#?}");
    for file in &files {
        let recording = read(file).unwrap_or_else(|error| panic!("{error}"));
        assert!(recording.passed(), "{file}");
    }
    project
        .run(&["lint", "--against"])
        .expect(0)
        .says("0 steps judged");
}

#[test]
fn a_step_that_matches_another_element_than_last_time_is_noted() {
    let project = Project::with_demo_app();
    project.flow("_in", SIGN_IN);
    let flow = |first: &str| {
        format!(
            "setup:\n  - run: _in.yaml\n{first}steps:\n  - find: {{ id: note_title, index: 2 }}\n  - assert visible: {{ id: greeting }}\n"
        )
    };
    project.flow("list", &flow(""));
    let run = || project.run(&["test", "flows/list.yaml"]).expect(0);
    let is_silent = || !run().stdout.contains("in the last run that passed");
    assert!(is_silent());
    // The same again is no news.
    assert!(is_silent());
    let delete = "  - click: Ideas for the garden\n  - click: { id: delete }\n  - click: { id: confirm_delete }\n  - wait_for: { id: inbox_count }\n";
    project.flow("list", &flow(delete));
    run().says("`find: { id: note_title, index: 2 }` matched TextView ");
    // It is the last run now.
    assert!(is_silent());
}
