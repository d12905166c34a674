//! Failures with an author's words (`because`, `soft`), steps after a failure, and retries of flows.

use crate::common::Project;

const MESSAGE: &str = "env: { WHO: ada }
steps:
  - launch
  - assert visible: Inbox
    timeout: 100ms
    message: \"${WHO} is not signed in\"
";

#[test]
fn a_message_comes_first_everywhere_and_the_cause_stands_below() {
    let project = Project::with_demo_app();
    project.flow("own", MESSAGE);
    let files = ["--junit", "junit.xml", "--json", "events.ndjson"];
    let ran = project.run(&[&["test"], &files[..]].concat()).expect(1);
    let first = ran
        .stdout
        .find("error: ada is not signed in")
        .expect("its words");
    let cause = ran
        .stdout
        .find("cause: no element matches Inbox")
        .expect("its cause");
    assert!(first < cause, "{}", ran.stdout);
    let junit = project.read("junit.xml");
    assert!(
        junit.contains("flows/own.yaml:5: ada is not signed in"),
        "{junit}"
    );
    assert!(junit.contains("no element matches Inbox"), "{junit}");
    assert!(
        project
            .read("events.ndjson")
            .contains("\"message\":\"ada is not signed in\"")
    );
}

#[test]
fn a_message_of_a_group_stands_above_that_of_a_step() {
    let project = Project::with_demo_app();
    project.flow(
        "own",
        "steps:\n  - launch\n  - group:\n      - { click: Nowhere, timeout: 100ms, message: No such button }\n    message: Sign-in is broken\n",
    );
    let ran = project.run(&["test"]).expect(1);
    let places = [
        "Sign-in is broken",
        "cause: No such button",
        "cause: no element matches Nowhere",
    ]
    .map(|words| ran.stdout.find(words).expect(words));
    assert!(places.is_sorted(), "{}", ran.stdout);
}

#[test]
fn a_message_that_cannot_be_told_hides_no_failure() {
    let project = Project::with_demo_app();
    project.flow(
        "own",
        "env: { N: \"0\" }\nsteps:\n  - { click: Nowhere, timeout: 100ms, message: \"${1 / (N | int)}\" }\n",
    );
    project
        .run(&["test"])
        .expect(1)
        .says("error: no element matches Nowhere")
        .says("its `message` cannot be told");
    project.flow("own", "steps:\n  - back:\n    message: \"${NOBODY}\"\n");
    project.run(&["lint"]).expect(2).says("NOBODY");
}

#[test]
fn a_crash_keeps_its_own_words() {
    let project = Project::with_demo_app();
    project.replace(
        "apps/demo/app.yaml",
        "- toast: Ask the administrator for a new password",
        "- crash: \"java.lang.IllegalStateException: no administrator\"",
    );
    project.flow(
        "own",
        "steps:\n  - launch\n  - click: Forgot password?\n    message: Nobody was asked\n",
    );
    project
        .run(&["test"])
        .expect(1)
        .says("no administrator")
        .never_says("Nobody was asked");
}

const AFTER: &str = "steps:
  - launch
  - { click: Nowhere, timeout: 100ms }
on_failure:
  - { press: HOME, label: go home }
  - { click: Nothing here, timeout: 100ms }
  - { press: BACK, label: go back }
teardown:
  - { stop, label: the end }
";

#[test]
fn steps_after_a_failure_run_before_teardown_and_change_nothing_of_it() {
    let project = Project::with_demo_app();
    project.flow("after", &AFTER.replace("{ stop, label: the end }", "stop"));
    project.write(
        "runner.yaml",
        &format!(
            "{}on_failure:\n  - set: {{ SEEN: yes }}\n",
            project.read("runner.yaml")
        ),
    );
    let ran = project
        .run(&["test", "-v", "--json", "events.ndjson"])
        .expect(1);
    let ran = ran
        .says("error: no element matches Nowhere")
        .says("on_failure failed (flows/after.yaml:7)")
        .says("no element matches Nothing here");
    let order = [
        "on_failure: go home",
        "on_failure: go back",
        "on_failure: set",
        "teardown: stop",
    ]
    .map(|words| ran.stdout.find(words).expect(words));
    assert!(order.is_sorted(), "{}", ran.stdout);
    assert!(project.read("events.ndjson").contains("[\"on_failure\",0]"));
    // Read back, the same step failed.
    project
        .run(&["report", "events.ndjson"])
        .expect(1)
        .says("error: no element matches Nowhere")
        .says("flows/after.yaml:4:");
    let ran = project.run(&["test", "--retries", "1"]).expect(1);
    assert_eq!(
        ran.stdout.matches("on_failure failed").count(),
        2,
        "{}",
        ran.stdout
    );
}

#[test]
fn nothing_comes_after_a_flow_that_passes_or_is_skipped() {
    let project = Project::with_demo_app();
    project.flow(
        "passes",
        "steps: [ launch ]\non_failure: [ { click: Nowhere } ]\n",
    );
    project.flow(
        "skipped",
        "skip: { if: \"${true}\", because: not today }\nsteps: [ launch ]\non_failure: [ { click: Nowhere } ]\n",
    );
    project
        .run(&["test", "-v"])
        .expect(0)
        .never_says("on_failure");
}

#[test]
fn a_limit_ends_what_comes_after_a_failure_and_teardown_runs_all_the_same() {
    let project = Project::with_demo_app();
    let endless = "repeat: { times: 10000, steps: [ find: Username ] }";
    project.flow(
        "slow",
        &format!(
            "teardown_timeout: 2s\nsteps:\n  - launch\n  - {{ click: Nowhere, timeout: 100ms }}\non_failure:\n  - {endless}\nteardown:\n  - press: HOME\n    label: the end\n"
        ),
    );
    project
        .run(&["test", "-v"])
        .expect(1)
        .says("on_failure took longer than its timeout of 2s")
        .says("error: no element matches Nowhere")
        .says("teardown: the end");
}

const TWICE: &str = "steps:
  - launch
  - assert: { that: \"${flow.attempt > 1}\" }
";

/// The flows in the order in which their attempts ended.
fn order(project: &Project) -> Vec<String> {
    let events = project.read("events.ndjson");
    let ended = events.lines().filter_map(|line| {
        let event: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let is_end = event["event"] == "flow_finished";
        is_end.then(|| {
            format!(
                "{} {}",
                event["id"]["flow"].as_str().expect("a flow"),
                event["id"]["attempt"]
            )
        })
    });
    ended.collect()
}

#[test]
fn failed_flows_run_again_at_once_or_after_all_others() {
    let project = Project::with_demo_app();
    project
        .flow("a", TWICE)
        .flow("b", "steps: [ launch ]\n")
        .flow("c", TWICE);
    let options = ["test", "--retries", "1", "--json", "events.ndjson"];
    project.run(&options).expect(0).says("2 flaky");
    let [a, b, c] =
        ["a", "b", "c"].map(|name| move |attempt: u32| format!("flows/{name}.yaml {attempt}"));
    assert_eq!(order(&project), [a(1), a(2), b(1), c(1), c(2)]);
    project
        .run(&[&options[..], &["--retry-last"]].concat())
        .expect(0)
        .says("2 flaky");
    assert_eq!(order(&project), [a(1), b(1), c(1), a(2), c(2)]);
    // Of two devices each runs what failed on it.
    let two = ["--device", "virtual", "--device", "virtual", "--retry-last"];
    project
        .run(&[&options[..], &two].concat())
        .expect(0)
        .says("4 flaky");
    project
        .run(&[&options[..], &["--retry-last", "--spread"], &two[..4]].concat())
        .expect(0)
        .says("2 flaky");
    assert_eq!(order(&project).len(), 5);
}

/// Checks that a flow has failed if the run stops before its retry.
#[test]
fn a_flow_that_waits_to_run_again_when_the_run_stops_has_failed() {
    let project = Project::with_demo_app();
    let fails = "steps: [ { assert: { that: \"${1 == 2}\" } } ]\n";
    project.flow("a", fails).flow("b", fails);
    let options = ["--retries", "1", "--retry-last", "--max-failures", "1"];
    project
        .run(&[&["test"], &options[..]].concat())
        .expect(1)
        .says("2 failed")
        .never_says("not run to the end");
    // What its first attempt came to counts, in quarantine as elsewhere.
    let flow = format!("quarantine: {{ because: known since June }}\n{fails}");
    project.flow("b", &flow);
    let events = ["test", "--json", "events.ndjson"];
    project
        .run(&[&events[..], &options[..]].concat())
        .expect(1)
        .says("1 failed")
        .never_says("2 failed");
    let events = project.read("events.ndjson");
    let of_last = |event: &&str| event.contains("flow_finished") && event.contains("\"last\":true");
    let ended: Vec<&str> = events.lines().filter(of_last).collect();
    assert_eq!(ended.len(), 2, "{events}");
    for part in ["\"status\":\"quarantined\"", "known since June"] {
        assert!(ended[1].contains(part), "{part}: {}", ended[1]);
    }
}

#[test]
fn flows_are_chosen_by_tags_joined_with_words() {
    let project = Project::with_demo_app();
    for (name, tags) in [
        ("one", "smoke"),
        ("two", "smoke, slow"),
        ("three", "slow"),
        ("four", ""),
    ] {
        project.flow(name, &format!("tags: [{tags}]\nsteps: [ launch ]\n"));
    }
    let list = |expression: &str| {
        let ran = project
            .run(&["test", "--list", "--tags", expression])
            .expect(0);
        let names = ran
            .stdout
            .lines()
            .filter_map(|line| line.split(&['/', '.'][..]).nth(1));
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(list("smoke and not slow"), ["one"]);
    assert_eq!(list("smoke or slow"), ["one", "three", "two"]);
    assert_eq!(list("NOT (smoke OR slow)"), ["four"]);
    project
        .run(&["test", "--list", "--tags", "smoke or fast", "--tag", "slow"])
        .expect(0)
        .says("two")
        .says("--tags `fast` means nothing");
    project
        .run(&["test", "--tags", "smoke slow"])
        .expect(2)
        .says("`slow` is not expected");
    project
        .run(&["test", "--tags", "smoke and ("])
        .expect(2)
        .says("ends where");
}
