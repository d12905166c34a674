//! Order of flows: a sequence of Maestro's is one piece of a plan, a flow that failed on a device runs there
//! again, and a failed run fails in each of its reports.

use serde_json::Value;

use crate::common::{Project, Ran};

const PASSES: &str = "steps: [ launch ]\n";
const FAILS: &str = "steps: [ launch, assert: { that: '${1 == 2}' } ]\n";
const FLAKY: &str = "retries: 1\nsteps: [ launch, assert: { that: '${flow.attempt == 2}' } ]\n";

/// Makes a workspace in which `second` fails, and with it the flows behind it. The names are not in the
/// sequence's order.
fn sequence() -> Project {
    let project = Project::with_demo_app();
    let flow = |name: &str, steps: &str| {
        let text = format!("appId: com.example.notes\n---\n{steps}");
        project.write(&format!(".maestro/{name}.yaml"), &text);
    };
    flow("z-first", "- launchApp\n");
    flow("m-second", "- assertTrue: ${1 == 2}\n");
    flow("b-third", "- launchApp\n");
    flow("a-fourth", "- launchApp\n");
    flow("beside", "- launchApp\n");
    project.write(
        ".maestro/config.yaml",
        "executionOrder:\n  continueOnFailure: false\n  flowsOrder: [z-first, m-second, b-third, a-fourth]\n",
    );
    project
}

/// Returns `flow device status` of each result, in the order in which they ended.
fn ended(stream: &str) -> Vec<[String; 3]> {
    let events = stream
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let ends =
        events.filter(|event: &Value| event["event"] == "flow_finished" && event["last"] == true);
    ends.map(|event| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        [
            text(&event["id"]["flow"]),
            text(&event["id"]["device"]),
            text(&event["status"]),
        ]
    })
    .collect()
}

const TWO: [&str; 4] = ["--device", "virtual", "--device", "virtual"];

#[test]
fn a_sequence_stays_whole_however_a_run_is_shared_out() {
    let project = sequence();
    let mut ways: Vec<(Vec<&str>, usize)> = vec![
        (vec!["--spread"], 1),
        (vec!["--shard-split", "2"], 1),
        (vec!["--spread", "--repeat-each", "2"], 1),
        (vec!["--shard-all", "2"], 2),
        (vec![], 2),
    ];
    let seeds: Vec<String> = (1..6).map(|seed| format!("--shuffle={seed}")).collect();
    ways.extend(seeds.iter().map(|seed| (vec!["--spread", seed], 1)));
    ways.extend(seeds.iter().map(|seed| (vec![seed.as_str()], 2)));
    for (way, devices) in ways {
        let mut arguments = vec!["test", ".maestro", "--json", "events.ndjson"];
        arguments.extend(&way);
        arguments.extend(TWO);
        project.run(&arguments).expect(1);
        let ends = ended(&project.read("events.ndjson"));
        let steps = ["z-first", "m-second", "b-third", "a-fourth"];
        let place = |flow: &str| steps.iter().position(|step| flow.contains(step));
        let mut seen: std::collections::BTreeMap<&str, Vec<usize>> = Default::default();
        for [flow, device, status] in &ends {
            let Some(at) = place(flow) else {
                assert_eq!(status, "passed", "{way:?}: {flow}");
                continue;
            };
            let wanted = ["passed", "failed", "skipped", "skipped"][at];
            assert_eq!(status, wanted, "{way:?}: {flow} on {device}");
            seen.entry(device).or_default().push(at);
        }
        assert_eq!(
            seen.len(),
            devices,
            "{way:?}: one device has all of it: {ends:?}"
        );
        assert!(
            seen.values().all(|order| order.is_sorted()),
            "{way:?}: {ends:?}"
        );
    }
}

#[test]
fn a_sequence_is_in_one_part() {
    let project = sequence();
    for total in 2..6 {
        let mut owners = Vec::new();
        for part in 1..=total {
            let shard = format!("{part}/{total}");
            let list = project
                .run(&["test", ".maestro", "--list", "--shard", &shard])
                .expect(0);
            let of_it = ["z-first", "m-second", "b-third", "a-fourth"];
            let number = of_it
                .iter()
                .filter(|name| list.stdout.contains(*name))
                .count();
            assert!(number == 0 || number == 4, "{shard}: {}", list.stdout);
            owners.extend((number == 4).then_some(part));
        }
        assert_eq!(owners.len(), 1, "of {total}");
    }
}

#[test]
fn what_a_failure_in_a_sequence_kept_from_running_runs_with_it_again() {
    let project = sequence();
    project.run(&["test", ".maestro"]).expect(1);
    let ran = project
        .run(&["test", ".maestro", "--last-failed", "--list"])
        .expect(0);
    let listed: Vec<&str> = ran
        .stdout
        .lines()
        .filter_map(|line| line.split("  ").next())
        .collect();
    assert_eq!(
        listed,
        [
            ".maestro/m-second.yaml",
            ".maestro/b-third.yaml",
            ".maestro/a-fourth.yaml"
        ]
    );
}

#[test]
fn what_failed_on_a_device_runs_there_again() {
    let project = Project::with_demo_app();
    project.write(
        "runner.yaml",
        "devices: [ { serial: virtual, label: left }, { serial: virtual, label: right } ]\napps: [apps/demo]\n",
    );
    project.flow(
        "one",
        "steps: [ launch, assert: { that: \"${device.label != 'right'}\" } ]\n",
    );
    project.run(&["test", "--device", "right"]).expect(1);
    project.run(&["test", "--device", "left"]).expect(0);
    // What another device says does not count for this one.
    for _ in 0..2 {
        project
            .run(&["test", "--last-failed", "--device", "right"])
            .expect(1);
        project
            .run(&["test", "--last-failed"])
            .expect(1)
            .says("right");
    }
    project.flow("one", PASSES);
    project
        .run(&["test", "--last-failed", "--device", "right"])
        .expect(0)
        .says("1 passed");
    project
        .run(&["test", "--last-failed"])
        .expect(0)
        .says("nothing to run");
    // Where flows are for any device, one that passed on another is mended.
    project.flow("one", FAILS);
    project.run(&["test", "--spread"]).expect(1);
    project.flow("one", PASSES);
    project
        .run(&["test", "--spread", "--last-failed"])
        .expect(0)
        .says("1 passed");
    project
        .run(&["test", "--last-failed"])
        .expect(0)
        .says("nothing to run");
}

/// A cause for which a run may fail: its name, the project's flows, lines of runner.yaml, options, the exit
/// code.
type Cause = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static str,
    &'static [&'static str],
    i32,
);

const CAUSES: [Cause; 11] = [
    ("a failure", &[("a", PASSES), ("b", FAILS)], "", &[], 1),
    (
        "an error in setup",
        &[(
            "a",
            "setup: [ assert visible: Nobody ]\nsteps: [ launch ]\nstep_timeout: 300ms\n",
        )],
        "",
        &[],
        1,
    ),
    (
        "a flow that does not read",
        &[("a", PASSES), ("b", "steps: [ clik: x ]\n")],
        "",
        &[],
        2,
    ),
    (
        "a flaky flow",
        &[("a", PASSES), ("b", FLAKY)],
        "",
        &["--fail-on-flaky"],
        1,
    ),
    (
        "too many in quarantine",
        &[("a", "quarantine: a reason\nsteps: [ launch ]\n")],
        "quarantine_limit: 0\n",
        &[],
        1,
    ),
    (
        "too many in quarantine, which failed",
        &[(
            "a",
            "quarantine: a reason\nsteps: [ launch, assert: { that: '${1 == 2}' } ]\n",
        )],
        "quarantine_limit: 0\n",
        &[],
        1,
    ),
    (
        "no device",
        &[("a", PASSES)],
        "",
        &["--device", "127.0.0.1:9"],
        3,
    ),
    (
        "a device that does not fit",
        &[("a", "needs: { sdk: '>= 99' }\nsteps: [ launch ]\n")],
        "",
        &[],
        2,
    ),
    (
        "the steps before all",
        &[("a", PASSES)],
        "on_device: { setup: [ assert: { that: '${1 == 2}' } ] }\n",
        &[],
        3,
    ),
    (
        "the steps after all",
        &[("a", PASSES)],
        "on_device: { teardown: [ assert: { that: '${1 == 2}' } ] }\n",
        &[],
        1,
    ),
    (
        "a report that cannot be written",
        &[("a", PASSES)],
        "",
        &["--html", "flows"],
        2,
    ),
];

/// Returns the number of failed cases in a JUnit report.
fn red_cases(xml: &str) -> usize {
    xml.matches("<failure").count() + xml.matches("<error").count()
}

/// Asserts that all reports of a failed run show the failure.
fn is_red(project: &Project, what: &str, ran: &Ran, strict: bool) {
    let xml = project.well_formed("out/junit.xml");
    assert!(
        red_cases(&xml) > 0,
        "{what}: JUnit is green:\n{xml}\n{}",
        ran.stdout
    );
    let head = xml
        .split_once("<testsuite ")
        .map_or(xml.as_str(), |(head, _)| head);
    let none = head.contains("failures=\"0\"") && head.contains("errors=\"0\"");
    assert!(strict || !none, "{what}: the head says none failed: {head}");
    let stream = project.read("out/events.ndjson");
    let end: Value = serde_json::from_str(stream.lines().last().unwrap()).unwrap();
    assert_ne!(end["exit_code"], 0, "{what}: {end}");
}

/// Red stays red: over all causes, in JUnit (plain and strict), the stream, and both again as `runner report` makes them.
#[test]
fn a_run_that_fails_is_red_in_each_report() {
    for (what, flows, settings, options, code) in CAUSES {
        for strict in [false, true] {
            let project = Project::with_demo_app();
            project.write(
                "runner.yaml",
                &format!("devices: [virtual]\napps: [apps/demo]\n{settings}"),
            );
            for (name, text) in flows {
                project.flow(name, text);
            }
            let mut arguments = vec![
                "test",
                "--junit",
                "out/junit.xml",
                "--json",
                "out/events.ndjson",
            ];
            arguments.extend(options);
            if strict {
                arguments.push("--junit-strict");
            }
            let ran = project.run(&arguments);
            if !project.path("out/junit.xml").exists() {
                // What is wrong before a run begins leaves no report that could be green.
                assert!(ran.code != 0, "{what}");
                continue;
            }
            let ran = ran.expect(code);
            is_red(&project, what, &ran, strict);
            if what.starts_with("a report") {
                // The stream was written before it was known.
                continue;
            }
            let mut again = vec![
                "report",
                "out/events.ndjson",
                "--junit",
                "out/junit.xml",
                "--json",
                "out/again.ndjson",
            ];
            if strict {
                again.push("--junit-strict");
            }
            let ran = project.run(&again).expect(code);
            is_red(&project, &format!("{what}, reported again"), &ran, strict);
            // Beside a run of other flows that passed.
            let merged = project
                .run(&["report", "out", "--junit", "out/junit.xml"])
                .expect(code);
            is_red(&project, &format!("{what}, merged"), &merged, strict);
        }
    }
}
