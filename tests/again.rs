//! Flows that run again: the history of runs, flows that failed last, and repeated runs.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::Project;

const PASSES: &str = "steps: [ launch, { find: Username } ]\n";
const FAILS: &str = "steps: [ launch, { assert visible: Nonsense, timeout: 100ms } ]\n";

fn three() -> Project {
    let project = Project::with_demo_app();
    project.flow("good", &format!("name: Sign in\n{PASSES}"));
    project.flow("bad", &format!("name: Pay\n{FAILS}"));
    project.flow("worse", FAILS);
    project
}

fn history(project: &Project) -> Vec<String> {
    let files = project.files(".runner/history");
    files
        .iter()
        // A file that is being made is renamed at any time.
        .filter(|name| !name.starts_with(".tmp") && !name.starts_with("recordings/"))
        .map(|name| project.read(&format!(".runner/history/{name}")))
        .collect()
}

fn listed(project: &Project, arguments: &[&str]) -> Vec<String> {
    let ran = project
        .run(&[&["test", "--list"][..], arguments].concat())
        .expect(0);
    let path = |line: &str| line.split("  ").next().unwrap().to_owned();
    ran.stdout.lines().map(path).collect()
}

// `--last-failed` alone runs none of them.
#[test]
fn a_named_flow_that_failed_is_to_be_named_again() {
    let project = three();
    project.write("more/bad.yaml", &format!("app: com.example.notes\n{FAILS}"));
    for named in ["more", "more/bad.yaml"] {
        project
            .run(&["test", named])
            .expect(1)
            .says("next: the same command with -v tells more");
    }
    project.run(&["test", "--last-failed"]).expect(2);
    project
        .run(&["test"])
        .expect(1)
        .says("next: runner test --last-failed -v tells more");
}

#[test]
fn what_failed_last_runs_again_until_nothing_did() {
    let project = three();
    // Before any run.
    project
        .run(&["test", "--last-failed"])
        .expect(2)
        .says("--last-failed=or-all");
    project.run(&["test"]).expect(1);
    assert_eq!(
        listed(&project, &["--last-failed"]),
        ["flows/bad.yaml", "flows/worse.yaml"]
    );
    // A run of other flows says nothing about these.
    project.run(&["test", "flows/good.yaml"]).expect(0);
    project.flow("bad", PASSES);
    project
        .run(&["test", "--last-failed"])
        .expect(1)
        .says("2 flows");
    assert_eq!(listed(&project, &["--last-failed"]), ["flows/worse.yaml"]);
    project.flow("worse", PASSES);
    project.run(&["test", "--last-failed"]).expect(0);
    project
        .run(&["test", "--last-failed"])
        .expect(0)
        .says("no flow failed when it last ran");
    assert_eq!(history(&project).len(), 4);
}

#[test]
fn after_a_kill_what_ended_is_known_and_the_rest_counts_as_failed() {
    let project = Project::with_demo_app();
    project.flows_of_a_killed_run();
    let mut running = project
        .command(&["test"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let end = Instant::now() + Duration::from_mins(1);
    let has_ended = || {
        let message = history(&project).concat();
        message.contains("\"outcome\":\"passed\"") && message.contains("\"steps\"")
    };
    while !project.path(".runner/history").is_dir() || !has_ended() {
        assert!(Instant::now() < end, "the first flow never ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    running.kill().unwrap();
    running.wait().unwrap();
    assert!(project.files(".runner/history")[0].ends_with(".part"));
    assert_eq!(
        listed(&project, &["--last-failed"]),
        ["flows/b.yaml", "flows/c.yaml"]
    );
    project
        .run(&["history"])
        .expect(0)
        .says("flows/a.yaml   100 %")
        .never_says("warning");
}

#[test]
fn two_runs_at_once_leave_two_whole_files() {
    let project = three();
    let start = || {
        project
            .command(&["test", "--history", "shared"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut both = [start(), start(), start()];
    for run in &mut both {
        assert_eq!(run.wait().unwrap().code(), Some(1));
    }
    let mut files = project.files("shared");
    files.retain(|name| !name.starts_with("recordings/"));
    assert_eq!(files.len(), 3, "{files:?}");
    for file in &files {
        let text = project.read(&format!("shared/{file}"));
        assert!(
            file.ends_with(".ndjson") && text.matches("\"outcome\"").count() == 3,
            "{text}"
        );
    }
    project
        .run(&["history", "--history", "shared", "bad"])
        .expect(0)
        .says("failed 3× at assert visible: Nonsense")
        .never_says("warning");
}

/// A flow that does not read has not passed since, whichever of its cases failed, and whatever ran since.
#[test]
fn a_flow_that_failed_and_no_longer_reads_is_among_the_last_failures() {
    for runs_another in [false, true] {
        let project = Project::with_demo_app();
        project.flow("bad", &format!("matrix: {{ dark: [no, yes] }}\n{FAILS}"));
        project.flow("good", PASSES);
        project.run(&["test"]).expect(1);
        if runs_another {
            project.flow("new", PASSES);
            project.run(&["test", "flows/new.yaml"]).expect(0);
        }
        project.flow("bad", "matrix: { dark: [no, yes] }\nsteps: [ lanch ]\n");
        project
            .run(&["test", "--last-failed"])
            .expect(2)
            .says("there is no step `lanch`");
    }
}

/// No case of it ran since, so each of them may fail.
#[test]
fn a_flow_that_did_not_read_is_among_the_last_failures_with_all_its_cases() {
    let project = Project::with_demo_app();
    let with_cases = |steps: &str| format!("matrix: {{ dark: [no, yes] }}\n{steps}");
    project.flow("good", PASSES);
    for ran_before in [true, false] {
        let name = format!("mended{ran_before}");
        if ran_before {
            project.flow(&name, &with_cases(PASSES));
            project.run(&["test"]).expect(0);
        }
        project.flow(&name, &with_cases("steps: [ lanch ]\n"));
        project.run(&["test"]).expect(2);
        project.flow(&name, &with_cases(PASSES));
        project
            .run(&["test", "--last-failed"])
            .expect(0)
            .says("2 passed");
        project
            .run(&["test", "--last-failed"])
            .expect(0)
            .says("no flow failed");
    }
}

#[test]
fn a_history_that_cannot_be_written_or_read_is_a_warning() {
    let project = three();
    project.write("taken", "a file\n");
    project
        .run(&["test", "flows/good.yaml", "--history", "taken/history"])
        .expect(0)
        .says("warning: history: ")
        .says("this run is not in the history");
    project.run(&["test", "flows/good.yaml"]).expect(0);
    project.write(".runner/history/notes.txt", "mine\n");
    project.write(
        ".runner/history/20260101T000000000Z-1.ndjson",
        "PK\0\0\n{}\n",
    );
    project.write(
        ".runner/history/20260101T000000000Z-2.ndjson",
        "{\"run\":{\"version\":7,\"id\":\"2\"}}\n",
    );
    project
        .run(&["test", "--last-failed"])
        .expect(0)
        .says("notes.txt: not a history file")
        .says("-1.ndjson: not a history file")
        .says("-2.ndjson: it has format 7")
        .says("no flow failed");
    project
        .run(&["history"])
        .expect(0)
        .says("flows/good.yaml   100 %");
    assert_eq!(project.read(".runner/history/notes.txt"), "mine\n");
    // Shards that know different durations would not fit together.
    project
        .run(&["test", "--history", "none.ndjson"])
        .expect(2)
        .says("does not exist");
    // A file whose runs were ignored without a word.
    project.write("notes.txt", "mine\n");
    for command in ["test", "history"] {
        project
            .run(&[command, "--history", "notes.txt"])
            .expect(2)
            .says("notes.txt is no file of the history");
    }
    assert_eq!(project.read("notes.txt"), "mine\n");
}

/// Two hundred runs by a generator of its own, and counts of its own.
#[test]
fn rates_and_the_first_bad_run_are_right() {
    let project = Project::empty();
    project.write("runner.yaml", "");
    let mut counted: BTreeMap<String, [u64; 3]> = BTreeMap::new();
    let mut last_row: BTreeMap<String, Option<String>> = BTreeMap::new();
    let mut seed = 7_u64;
    for run in 0..200 {
        let id = format!("{run:08x}");
        let (day, minute) = (1 + run / 60, run % 60);
        let mut text = format!(
            "{{\"run\":{{\"version\":1,\"id\":\"{id}\",\"started\":\"2026-03-{day:02}T10:{minute:02}:00Z\",\"program\":\"0\"}}}}\n"
        );
        for flow in ["a", "b", "c"] {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let flow = format!("flows/{flow}.yaml");
            let end = if flow.contains('c') && run > 150 {
                9
            } else {
                (seed >> 33) % 10
            };
            let (place, outcome) = match end {
                0..=6 => (0, "passed"),
                7 => (1, "flaky"),
                8 => (2, "failed"),
                _ => (2, "error"),
            };
            counted.entry(flow.clone()).or_default()[place] += 1;
            let row = last_row.entry(flow.clone()).or_default();
            match (place, row.is_some()) {
                (2, false) => *row = Some(id.clone()),
                (2, true) => {}
                _ => *row = None,
            }
            text += &format!(
                "{{\"flow\":{{\"of\":{{\"flow\":\"{flow}\",\"device\":\"virtual\"}},\"outcome\":\"{outcome}\",\"ms\":{run}}}}}\n"
            );
        }
        text += "{\"end\":{\"ms\":1,\"exit_code\":0}}\n";
        project.write(
            &format!(".runner/history/202603{day:02}T10{minute:02}00000Z-{id}.ndjson"),
            &text,
        );
    }
    let ran = project.run(&["history", "--format", "json"]).expect(0);
    let value: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(value["runs"], 200);
    let flows = value["flows"].as_array().unwrap();
    assert_eq!(flows.len(), 3);
    for flow in flows {
        let name = flow["flow"].as_str().unwrap();
        let [passed, flaky, failed] = counted[name];
        assert_eq!(
            [&flow["passed"], &flow["flaky"], &flow["failed"]],
            [passed, flaky, failed],
            "{name}"
        );
        let is = |key: &str, share: f64| (flow[key].as_f64().unwrap() - share).abs() < 1e-9;
        assert!(is("pass_rate", (passed + flaky) as f64 / 200.0), "{flow}");
        assert!(is("flake_rate", flaky as f64 / 200.0), "{flow}");
        assert_eq!(
            flow["bad_since"]["run"].as_str(),
            last_row[name].as_deref(),
            "{name}"
        );
    }
    assert_eq!(last_row["flows/c.yaml"].as_deref(), Some("00000097"));
    assert_eq!(flows[0]["flow"], "flows/c.yaml", "the worst is the first");
}

#[test]
fn patterns_choose_by_path_and_name() {
    let project = three();
    assert_eq!(listed(&project, &["--grep", "› Pay$"]), ["flows/bad.yaml"]);
    assert_eq!(
        listed(
            &project,
            &["--grep", r"flows/(good|bad)", "--grep-invert", "Sign in"]
        ),
        ["flows/bad.yaml"]
    );
    project
        .run(&["test", "--grep", "pay("])
        .expect(2)
        .says("--grep: the pattern does not read")
        .says("pay(\n       ^");
    project
        .run(&["test", "--grep", "nothing"])
        .expect(2)
        .says("none of the 3 flows found matches");
}

/// Neither screen is the right one, so the golden of the first turn is not replaced in silence.
#[test]
fn turns_that_show_different_screens_write_one_golden_and_fail() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "steps:\n  - launch: { activity: .Settings }\n  - snapshot: settings\n  - click: Sync in the background\n",
    );
    project
        .run(&["test", "--repeat-each", "2", "--update", "all"])
        .expect(1)
        .says("1 passed, 1 failed")
        .says("flows/a.yaml [#1] on virtual saw another screen in this run");
    project.run(&["test"]).expect(0);
}

#[test]
fn turns_that_show_different_screens_propose_the_first_and_name_it() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "steps:\n  - launch: { activity: .Settings }\n  - snapshot: settings\n  - click: Sync in the background\n",
    );
    for mode in ["none", "pending"] {
        project
            .run(&["test", "--repeat-each", "2", "--update", mode])
            .expect(1)
            .says("2 failed")
            .says("flows/a.yaml [#1] on virtual saw another screen in this run");
    }
    project.run(&["accept", "--all"]).expect(0);
    project.run(&["test"]).expect(0);
}

#[test]
fn turns_order_and_failures_are_as_asked() {
    let project = three();
    project
        .run(&["test", "flows/good.yaml", "--repeat-each", "3"])
        .expect(0)
        .says("[#3]")
        .says("3 flows");
    let order = |seed: &str| {
        let ran = project.run(&["test", seed, "--json", "-"]).expect(1);
        let events = ran
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let events: Vec<Value> = events.collect();
        let seed = events[0]["shuffle"].as_u64().unwrap();
        assert!(
            ran.stderr.contains(&format!("--shuffle={seed}")),
            "{}",
            ran.stderr
        );
        let planned = events
            .iter()
            .find(|event| event["event"] == "plan")
            .unwrap();
        (seed, planned["flows"].to_string())
    };
    let (seed, drawn) = order("--shuffle");
    assert_eq!(order(&format!("--shuffle={seed}")), (seed, drawn));
    project
        .run(&["test", "--max-failures", "2", "--repeat-each", "2"])
        .expect(1)
        .says("4 not run to the end")
        .says("stopped after 2 failures (--max-failures)");
}

#[test]
fn a_flow_in_quarantine_fails_alone() {
    let project = Project::with_demo_app();
    project.flow("shaky", &format!("quarantine: ticket 7\n{FAILS}"));
    project.flow("good", PASSES);
    project
        .run(&["test", "--junit", "junit.xml", "--fail-fast"])
        .expect(0)
        .says("QUAR")
        .says("no element matches Nonsense")
        .says("1 passed, 1 failed in quarantine");
    let junit = project.well_formed("junit.xml");
    assert!(
        junit.contains("<skipped message=\"in quarantine: flows/shaky.yaml:3: no element"),
        "{junit}"
    );
    assert!(
        junit.contains("failures=\"0\" errors=\"0\"") && junit.contains("ticket 7"),
        "{junit}"
    );
    let output = junit.split("<system-out>").nth(2).unwrap();
    assert!(
        output.contains("error: no element matches Nonsense"),
        "{junit}"
    );
    project
        .run(&["history"])
        .expect(0)
        .says("flows/shaky.yaml     0 %");
    project
        .flow("shaky", "quarantine: [ later ]\nsteps: [ back ]\n")
        .run(&["lint"])
        .expect(2)
        .says("flows/shaky.yaml:2:");
}
