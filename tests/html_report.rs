//! The HTML report, opened from disk in a browser.

use std::process::Stdio;
use std::time::Duration;

use crate::common::{Project, Ran, browser, one_file};
use runner::event::Event;
use runner::report::{Results, html};
use runner_base::output_file::{Form, OutputFile};
use serde_json::{Value, json};

/// Makes a project whose flows end in every way; two snapshots changed for the same reason, and after one of
/// them another is new.
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

/// Returns the summary in the index.
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
fn the_report_of_one_file_is_used_as_that_of_a_folder() {
    let project = every_ending();
    project
        .run(&["test", "--html", "out/report.html"])
        .expect(2)
        .says("report: out/report.html\n");
    // It needs nothing but itself.
    std::fs::remove_dir_all(project.path(".runner")).expect("artifacts");
    std::fs::create_dir(project.path("moved")).expect("a folder");
    std::fs::rename(
        project.path("out/report.html"),
        project.path("moved/it.html"),
    )
    .expect("a move");
    let index = browser::file_url(&project.path("moved/it.html"));
    browser::run("report.mjs", &[&index]);
    browser::run("report_left_out.mjs", &[&index]);
}

#[test]
fn the_last_line_says_where_the_report_is() {
    let project = Project::with_demo_app();
    project.flow("one", "steps: [ launch ]\n");
    let last = |arguments: &[&str]| {
        let ran = project.run(arguments);
        ran.stdout.lines().last().unwrap_or_default().to_owned()
    };
    assert_eq!(
        last(&["test", "--html", "my report"]),
        "report: \"my report/index.html\""
    );
    assert_eq!(last(&["test", "--html", "a.html"]), "report: a.html");
    assert_eq!(last(&["report", "--html", "b.html"]), "report: b.html");
    assert!(project.path("b.html").is_file());
    let quiet = project
        .run(&["test", "--quiet", "--html", "a.html"])
        .expect(0);
    quiet.never_says("report: ");
    let json = project
        .run(&["test", "--json", "-", "--html", "a.html"])
        .expect(0);
    assert!(
        json.stdout.lines().all(|line| line.starts_with('{')),
        "{}",
        json.stdout
    );
    project.flow(
        "one",
        "steps: [ launch, { assert visible: Nobody, timeout: 100ms } ]\n",
    );
    assert_eq!(
        last(&["test", "--quiet", "--html", "a.html"]),
        "report: a.html"
    );
}

#[test]
fn a_file_of_somebody_else_is_no_report_of_one_file() {
    let project = Project::with_demo_app();
    project.flow("one", "steps: [ launch ]\n");
    project.write("mine.html", "<!doctype html>\n<p>mine</p>\n");
    let refused = project.run(&["test", "--html", "mine.html"]).expect(2);
    refused.says("not an HTML report").never_says("PASS");
    assert!(project.read("mine.html").contains("mine"));
    project
        .run(&["test", "--html", "a.html", "--junit", "./a.html"])
        .expect(2)
        .says("would hold a JUnit report");
}

#[test]
fn a_killed_run_leaves_a_report_of_one_file() {
    let project = Project::with_demo_app();
    project.flows_of_a_killed_run();
    let child = project
        .command(&["test", "--html", "report.html"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let running = browser::Running(child);
    let told = || {
        let page = std::fs::read_to_string(project.path("report.html")).unwrap_or_default();
        if page.is_empty() {
            return Vec::new();
        }
        statuses(&one_file::summary(&page))
            .into_iter()
            .map(str::to_owned)
            .collect()
    };
    let end = std::time::Instant::now() + Duration::from_mins(1);
    while told() != ["passed", "unfinished", "not_run"] {
        assert!(std::time::Instant::now() < end, "{:?}", told());
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(running);
    assert_eq!(told().len(), 3);
}

/// Stands for `xdg-open`: writes down what it is given.
#[cfg(target_os = "linux")]
#[test]
fn open_shows_the_report_of_the_last_run_or_says_why_not() {
    use std::os::unix::fs::PermissionsExt as _;

    let project = Project::with_demo_app();
    project.flow(
        "one",
        "steps: [ launch, { assert visible: Nobody, timeout: 100ms } ]\n",
    );
    project.run(&["test"]).expect(1);
    let opener = project.path("bin/xdg-open");
    project.write(
        "bin/xdg-open",
        "#!/bin/sh\nprintf '%s' \"$1\" >opened.tmp\n/bin/mv opened.tmp opened\n",
    );
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).expect("set");
    let open = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = project.command(arguments);
        for name in ["SSH_CONNECTION", "SSH_TTY", "DISPLAY", "WAYLAND_DISPLAY"] {
            command.env_remove(name);
        }
        // No other opener is found.
        command.env("PATH", project.path("bin"));
        command.envs(variables.iter().copied());
        Ran::from(command.output().expect("it starts"))
    };
    let opened = |page: &str| {
        let wanted = project.path(page).display().to_string();
        let end = std::time::Instant::now() + Duration::from_mins(1);
        while std::fs::read_to_string(project.path("opened"))
            .ok()
            .as_ref()
            != Some(&wanted)
        {
            assert!(std::time::Instant::now() < end, "{wanted} was not opened");
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(project.path(page).is_file());
        std::fs::remove_file(project.path("opened")).expect("removed");
    };
    let display = ("DISPLAY", ":7");
    open(&["report", "--open"], &[display]).expect(1);
    opened(".runner/report/index.html");
    open(&["report", "--open", "--html", "a.html"], &[display]).expect(1);
    opened("a.html");
    // One that is there is opened as it is.
    open(&["report", "--open", "a.html"], &[display]).expect(0);
    opened("a.html");
    open(&["report", "--open", ".runner/report"], &[display]).expect(0);
    opened(".runner/report/index.html");
    for (variables, why) in [
        (&[][..], "there is no display"),
        (
            &[display, ("SSH_CONNECTION", "a 1 b 2")],
            "this is an SSH session",
        ),
    ] {
        let path = project.path(".runner/report/index.html");
        open(&["report", "--open"], variables)
            .expect(1)
            .says(why)
            .says(&path.display().to_string());
    }
    std::fs::remove_file(opener).expect("removed");
    open(&["report", "--open"], &[display])
        .expect(1)
        .says("no program that opens one was found");
    assert!(!project.path("opened").exists());
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

/// Returns the events of a run of so many flows with 20 steps on four devices; three of a hundred fail.
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
    let root = project.path("");
    let root = camino::Utf8Path::from_path(&root).expect("UTF-8");
    let output = OutputFile::new(root, "one.html".into(), Form::Report, "--html").expect("new");
    html::write_one_file(&results, &output).expect("a report");
    let length = std::fs::metadata(output.path()).expect("a file").len();
    println!("one.html has {length} bytes");
    assert!(length < 5_000_000, "one.html has {length} bytes");
    for page in ["report/index.html", "one.html"] {
        let page = browser::file_url(&project.path(page));
        if let Some(message) = browser::run("report_large.mjs", &[&page]) {
            println!("{message}");
        }
    }
}
