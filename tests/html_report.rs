//! The HTML report, opened from disk in a browser.

use std::process::Stdio;
use std::time::Duration;

use crate::common::{Project, browser};
use runner::event::Event;
use runner::report::{Results, html};
use serde_json::{Value, json};

/// A project whose flows end in every way; two snapshots changed for the same reason, and after one of them another is new.
fn every_ending() -> Project {
    let project = Project::with_demo_app();
    let header = "setup: [ { launch: { clear: true } } ]\n";
    project.flow(
        "passes",
        &format!("name: It passes\ntags: [smoke]\n{header}steps: [ screenshot: start ]\n"),
    );
    for name in ["changed", "login/changed-too"] {
        project.flow(name, &format!("{header}steps: [ snapshot: home ]\n"));
    }
    project.run(&["test", "--update=new"]).expect(0);
    project.replace(
        "apps/demo/sign-in.yaml",
        "Sign in to read what you wrote.",
        "Sign in to read your notes.",
    );
    project.flow(
        "changed",
        &format!("{header}steps: [ {{ snapshot: home }}, {{ snapshot: {{ name: more, image: none }} }} ]\n"),
    );
    project.flow(
        "login/fails",
        &format!(
            "name: It fails <b>&amp;</b>\ntags: [login]\n{header}steps:\n  - assert visible: Welcome to Notes\n  - group:\n      - assert: {{ id: sign_in, text: Log in }}\n        timeout: 300ms\n    label: the button\n"
        ),
    );
    project.flow(
        "near",
        &format!("{header}steps: [ {{ click: Usernam, timeout: 300ms }} ]\n"),
    );
    project.flow(
        "flaky",
        "retries: 1\nsteps:\n  - launch\n  - assert: { that: \"${flow.attempt == 2}\" }\n",
    );
    project.flow(
        "loops",
        "steps:\n  - launch\n  - repeat:\n      times: 3\n      steps:\n        - { assert visible: Username, timeout: 300ms }\n        - press_home\n",
    );
    project.flow(
        "skipped",
        "skip: { if: \"${true}\", because: not today }\nsteps: [ launch ]\n",
    );
    project.write("flows/bad.yaml", "steps: [ clik: x ]\n");
    project
}

/// The summary that stands in the index.
fn summary(project: &Project, folder: &str) -> Value {
    let index = project.read(&format!("{folder}/index.html"));
    let (_, data) = index.split_once("id=\"summary\">").expect("a summary");
    let (data, _) = data.split_once("</script>").expect("its end");
    serde_json::from_str(data).expect("JSON")
}

fn statuses(summary: &Value) -> Vec<&str> {
    let flows = summary["flows"].as_array().expect("flows");
    flows
        .iter()
        .filter_map(|flow| flow["status"].as_str())
        .collect()
}

#[test]
fn the_report_of_a_run_opens_from_disk() {
    let project = every_ending();
    project.run(&["test", "--html", "out/report"]).expect(2);
    // It needs nothing but its own folder.
    std::fs::remove_dir_all(project.path(".runner/artifacts")).expect("artifacts");
    std::fs::rename(project.path("out/report"), project.path("out/moved")).expect("a move");
    assert_eq!(summary(&project, "out/moved")["exit_code"], 2);
    let index = browser::file_url(&project.path("out/moved/index.html"));
    browser::run("report.mjs", &[&index]);
}

#[test]
fn a_second_report_replaces_the_first_and_leaves_other_folders_alone() {
    let project = Project::with_demo_app();
    project.flow("one", "steps: [ launch ]\n");
    project.run(&["test", "--html", "report"]).expect(0);
    let first = project.files("report/data");
    project.write("report/mine.txt", "mine");
    project.flow("one", "name: Another\nsteps: [ launch, launch ]\n");
    project.run(&["test", "--html", "report"]).expect(0);
    let second = project.files("report/data");
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_ne!(first, second);
    assert_eq!(project.read("report/mine.txt"), "mine");
    project.write("notes/important.txt", "mine");
    let refused = project.run(&["test", "--html", "notes"]).expect(2);
    assert!(
        !refused.stdout.contains("PASS"),
        "nothing ran: {}",
        refused.stdout
    );
    refused.says("not a report of this program");
    assert_eq!(project.files("notes"), ["important.txt"]);
}

#[test]
fn settings_and_the_environment_ask_for_a_report_too() {
    let project = Project::with_demo_app();
    project.flow("one", "steps: [ launch ]\n");
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nreports: { html: of-file }\n",
    );
    project.run(&["test"]).expect(0);
    assert_eq!(statuses(&summary(&project, "of-file")), ["passed"]);
    let ran = project
        .command(&["test"])
        .env("RUNNER_HTML", "of-variable")
        .output()
        .expect("it starts");
    assert!(ran.status.success());
    assert_eq!(statuses(&summary(&project, "of-variable")), ["passed"]);
}

#[test]
fn a_killed_run_leaves_a_report() {
    let project = Project::with_demo_app();
    project.flows_of_a_killed_run();
    let child = project
        .command(&["test", "--html", "report"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let running = browser::Running(child);
    let reported = || {
        project.path("report/index.html").is_file()
            && statuses(&summary(&project, "report")) == ["passed", "unfinished", "not_run"]
    };
    let end = std::time::Instant::now() + Duration::from_mins(1);
    while !reported() {
        assert!(
            std::time::Instant::now() < end,
            "the report does not tell what began"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(running);
    assert!(reported());
    assert_eq!(summary(&project, "report")["exit_code"], Value::Null);
}

/// Events of a run of so many flows of 20 steps on four devices; three of a hundred fail.
fn large_run(flows: u64, root: &std::path::Path) -> Vec<Value> {
    let mut events = vec![json!({
        "event": "start", "schema": 1, "run_id": "large", "version": "0.1.0",
        "started": "2026-01-02T03:04:05+00:00", "root": root, "artifacts": root.join("artifacts"),
    })];
    let mut at = [0; 4];
    for flow in 0..flows {
        let lane = usize::try_from(flow % 4).expect("small");
        let file = format!("flows/area-{}/flow-{flow:04}.yaml", flow % 37);
        let id = json!({ "flow": file, "device": format!("device-{lane}"), "attempt": 1 });
        let fails = flow % 100 < 3;
        let text: String = (0..20)
            .map(|step| format!("  - click: {{ id: button_{step} }}\n"))
            .collect();
        events.push(json!({ "t_ms": at[lane], "event": "source", "file": file, "text": format!("steps:\n{text}") }));
        events.push(json!({ "t_ms": at[lane], "event": "flow_started", "id": id, "steps": 20,
            "name": format!("Flow number {flow} does what its name says"), "tags": [format!("area-{}", flow % 37)] }));
        let failure =
            json!({ "kind": "assertion", "message": format!("no element matches button {flow}") });
        let mut place = Value::Null;
        for step in 0..20 {
            let failed = fails && step == 19;
            place = json!({ "file": file, "line": step + 2, "column": 5, "text": format!("  - click: {{ id: button_{step} }}") });
            let mut finished = json!({ "t_ms": at[lane], "event": "step_finished", "id": id, "step": [step],
                "title": format!("click: {{ id: button_{step} }}"), "at": place, "duration_ms": 50,
                "status": if failed { "failed" } else { "passed" }, "cost": { "round_trips": 3, "dumps": 1 } });
            if failed {
                finished["failure"] = failure.clone();
            }
            events.push(finished);
            at[lane] += 50;
        }
        let mut finished = json!({ "t_ms": at[lane], "event": "flow_finished", "id": id, "last": true,
            "started": "2026-01-02T03:04:05+00:00", "duration_ms": 1000, "cost": { "round_trips": 60, "dumps": 20 },
            "status": if fails { "failed" } else { "passed" } });
        if fails {
            finished["failure"] = failure;
            finished["failed_at"] = place;
        }
        events.push(finished);
    }
    events.push(json!({ "t_ms": at[0], "event": "finish", "duration_ms": at[0], "exit_code": 1,
        "totals": { "passed": 970, "flaky": 0, "failed": 30, "errors": 0, "skipped": 0, "interrupted": 0 } }));
    for (seq, event) in events.iter_mut().enumerate() {
        event["seq"] = json!(seq);
        if event["t_ms"].is_null() {
            event["t_ms"] = json!(0);
        }
    }
    events
}

#[test]
fn a_thousand_flows_stay_quick_to_open() {
    let project = Project::empty();
    let mut results = Results::default();
    for event in large_run(1000, &project.path("")) {
        let event: Event = serde_json::from_value(event).expect("an event");
        results.add(&event);
    }
    let folder = project.path("report");
    let folder = camino::Utf8Path::from_path(&folder).expect("UTF-8");
    let began = std::time::Instant::now();
    html::write(&results, folder).expect("a report");
    let took = began.elapsed();
    let index = project.read("report/index.html").len();
    println!("written in {took:?}, index.html has {index} bytes");
    assert!(index < 500_000, "index.html has {index} bytes");
    assert_eq!(project.files("report/data").len(), 1000);
    let index = browser::file_url(&project.path("report/index.html"));
    if let Some(message) = browser::run("report_large.mjs", &[&index]) {
        println!("{message}");
    }
}
