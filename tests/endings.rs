//! Event streams of every way in which a flow, a step, a snapshot and a run end, line by line.
//!
//! The stream is a public format that other programs read. A change of an event's type shows here as a
//! changed stream. `INSTA_UPDATE=always cargo test --test tests endings::` stores intended changes.

#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

use camino::Utf8PathBuf;
use regex::Regex;
use runner::virtual_device::{FaultSpec, VirtualDevice, VirtualDeviceOptions};
use serde_json::Value;

use crate::common::{Project, Ran};

/// Values of the schema that no run here reaches, each with the reason.
const LEFT_OUT: [(&str, &str, &str); 23] = [
    (
        "RunFailureKind",
        "flaky",
        "needs --fail-on-flaky; tests/order.rs has it",
    ),
    (
        "RunFailureKind",
        "quarantine_limit",
        "needs a limit; tests/order.rs has it",
    ),
    (
        "RunFailureKind",
        "interrupted",
        "needs an interrupt after the last flow, which no test can time",
    ),
    (
        "RunFailureKind",
        "report",
        "needs a report that breaks amid a run; it comes after the stream is written",
    ),
    (
        "RunFailureKind",
        "parts",
        "of `runner report`; tests/shards.rs has it",
    ),
    (
        "RunFailureKind",
        "unknown",
        "of later versions; nobody emits it",
    ),
    (
        "FlowStatus",
        "quarantined",
        "fails a flow for nobody; tests/again.rs has it",
    ),
    (
        "event",
        "dialog",
        "needs rules for dialogs; tests/on_dialog.rs has it",
    ),
    (
        "FailureKind",
        "crash",
        "needs an app that crashes; tests/app_crashes.rs has it",
    ),
    (
        "FailureKind",
        "native_crash",
        "needs an app that crashes; tests/app_crashes.rs has it",
    ),
    (
        "FailureKind",
        "anr",
        "needs an app that hangs; tests/app_crashes.rs has it",
    ),
    (
        "event",
        "device_lost",
        "needs a device that dies; tests/spread.rs has it",
    ),
    (
        "FailureKind",
        "unfit",
        "needs a flow that no device fits; tests/spread.rs has it",
    ),
    (
        "StopReason",
        "unfit",
        "needs a flow that no device fits; tests/spread.rs has it",
    ),
    (
        "DriverKind",
        "webdriver",
        "needs a server that lends devices; tests/farms.rs has it",
    ),
    (
        "event",
        "session",
        "needs a server that lends devices; tests/farms.rs has it",
    ),
    (
        "DriverKind",
        "uia2",
        "needs its packages on the device; tests/drivers.rs has it",
    ),
    ("event", "trace", "is asked for; tests/trace.rs has it"),
    ("event", "video", "is asked for; tests/trace.rs has it"),
    (
        "ArtifactKind",
        "screen",
        "is of a trace; tests/trace.rs has it",
    ),
    (
        "ChangeKind",
        "replaced",
        "compares pictures for long; crates/snapshot/src/cause/tests.rs has it",
    ),
    (
        "ChangeKind",
        "obsolete",
        "only the review lists goldens that no flow names",
    ),
    (
        "ChangeKind",
        "size",
        "needs a display of another size under the same name",
    ),
];

const SNAPSHOTS: &str = "steps:
  - launch
  - snapshot: { name: text, image: none }
  - snapshot: { name: masked, mask: [ { id: welcome } ], image: none }
  - launch: { activity: .Settings }
  - snapshot: { name: colours }
  - launch: { activity: .Form }
  - snapshot: { name: form, image: none }
  - launch: { activity: .Inbox }
  - snapshot: { name: same, image: none }
";

/// Changes the app and the flow after their goldens were taken.
fn change(project: &Project) {
    project.replace("apps/demo/sign-in.yaml", "Welcome to Notes", "Good morning");
    project.replace("apps/demo/app.yaml", "#3F6DB5", "#B53F3F");
    project.replace("apps/demo/form.yaml", "body, email, ", "body, ");
    let steps = SNAPSHOTS.replace("mask: [ { id: welcome } ]", "mask: [ { id: hint } ]");
    let steps = steps.replace("{ name: same, image: none }", "same");
    let more = "  - snapshot: { name: new, image: none }
  - snapshot: { name: covered, image: none, mask: [ { rect: [0, 0, 1080, 2000] } ] }\n";
    project.flow("snapshots", &(steps + more));
    // No picture of this class, and no rows either: with them it would be lost.
    for name in project.files("snapshots/snapshots") {
        if name.starts_with("same~") {
            std::fs::remove_file(project.path("snapshots/snapshots").join(name)).unwrap();
        }
    }
}

fn usual_flows(project: &Project) {
    project.write("flows/bad.yaml", "steps: [ clik: x ]\n");
    project.flow(
        "_open",
        "env: { WHO: nobody }\noutputs: [page]\nsteps:\n  - launch\n  - find: Username\n    as: field\n  - set: { page: \"${WHO}\" }\n",
    );
    project.flow(
        "passes",
        "name: It passes
tags: [smoke]
setup: [ { run: { flow: _open.yaml, env: { WHO: ada } } } ]
steps:
  - label: A step with a label
    find: Username
  - { click: Nowhere, timeout: 50ms, optional: true }
  - { find: Username, when: \"${page == 'grace'}\" }
  - if:
      visible: Username
    then: [ { assert: { that: \"${page == 'ada'}\" } } ]
  - if:
      visible: Nowhere
    then: [ home ]
    else: [ find: Username ]
  - group: [ { find: Username }, { find: Password } ]
  - repeat: { times: 2, steps: [ find: Username ] }
  - retry: { times: 1, steps: [ { assert: { that: \"${flow.attempt == 1}\" } } ] }
  - record: start
  - type: { into: { id: username }, text: ada }
  - record: { action: stop, name: film }
  - screenshot: { name: page }
  - screenshot: { name: boxes, annotated: true }
  - push: { from: data.txt, to: /sdcard/Download/data.txt }
  - pull: { from: /sdcard/Download/data.txt, to: data.txt }
teardown: [ stop ]
",
    );
    project.write("data.txt", "data\n");
    project.flow(
        "assertion",
        "name: It fails <&>\nsteps:\n  - launch\n  - type: { into: { id: username }, text: grace }\n  - type: { into: { id: password }, text: hopper, secret: true }\n  - click: { id: sign_in }\n  - group:\n      - assert: { id: sign_in, text: Sign out }\n        timeout: 100ms\n  - home\non_failure: [ home ]\n",
    );
    project.flow(
        "flaky",
        "retries: 1\nsteps: [ { assert: { that: \"${flow.attempt == 2}\" } } ]\n",
    );
    project.flow(
        "skipped",
        "skip: { if: \"${true}\", because: not today }\nsteps: [ launch ]\n",
    );
    project.flow(
        "setup",
        "setup: [ { click: Never, timeout: 50ms } ]\nsteps: [ launch ]\nteardown: [ stop ]\n",
    );
    project.flow(
        "teardown",
        "steps: [ launch ]\nteardown: [ { click: Never, timeout: 50ms }, { click: Either, timeout: 50ms } ]\n",
    );
    project.flow(
        "usage",
        "steps: [ { press: { key: \"${'NO' + 'KEY'}\" } } ]\n",
    );
    project.flow(
        "unsupported",
        "steps: [ { launch: { extras: { x: [1] } } } ]\n",
    );
    project.flow("snapshots", SNAPSHOTS);
}

/// Streams of all runs, and the values of the schema that occur in them.
struct Streams {
    observed: BTreeMap<&'static str, BTreeSet<String>>,
}

impl Streams {
    fn keep(&mut self, name: &str, project: &Project, stream: &str) {
        for line in stream.lines() {
            self.see(&serde_json::from_str(line).unwrap());
        }
        insta::assert_snapshot!(name, normalize(project, stream));
    }

    fn see(&mut self, event: &Value) {
        let mut note = |what: &'static str, value: &Value| {
            if let Some(value) = value.as_str() {
                self.observed
                    .entry(what)
                    .or_default()
                    .insert(value.to_owned());
            }
        };
        note("event", &event["event"]);
        note("LogLevel", &event["level"]);
        note("StopReason", &event["because"]);
        note("FailureKind", &event["failure"]["kind"]);
        note("DriverKind", &event["info"]["driver"]);
        note("SnapshotVerdict", &event["result"]["verdict"]);
        note("ChangeKind", &event["result"]["cause"]["kind"]);
        for segment in event["step"].as_array().into_iter().flatten() {
            note("StepList", segment);
        }
        for artifact in event["artifacts"].as_array().into_iter().flatten() {
            note("ArtifactKind", &artifact["kind"]);
        }
        match event["event"].as_str() {
            Some("flow_finished") => note("FlowStatus", &event["status"]),
            Some("step_finished") => note("StepStatus", &event["status"]),
            _ => {}
        }
    }

    /// Asserts that each value of the schema occurs, or is left out with a reason.
    fn hold_all_that_the_schema_names(&self) {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/docs/reference/events.schema.json"
        );
        let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let consts = |choices: &Value, of: &dyn Fn(&Value) -> Value| -> BTreeSet<String> {
            let choices = choices.as_array().cloned().unwrap_or_default();
            let names = choices.iter().map(|choice| of(choice)["const"].clone());
            names
                .filter_map(|name| name.as_str().map(str::to_owned))
                .collect()
        };
        let mut named = vec![(
            "event",
            consts(&schema["oneOf"], &|choice| {
                choice["properties"]["event"].clone()
            }),
        )];
        for (name, definition) in schema["$defs"].as_object().unwrap() {
            let values = consts(&definition["oneOf"], &Value::clone);
            if !values.is_empty() {
                named.push((name, values));
            }
        }
        assert!(named.len() > 8, "{named:?}");
        for (what, values) in named {
            let current = self.observed.get(what).cloned().unwrap_or_default();
            let left_out = LEFT_OUT.iter().filter(|(of, ..)| *of == what);
            let left_out: BTreeSet<String> =
                left_out.map(|(_, value, _)| (*value).to_owned()).collect();
            let reported: BTreeSet<String> = current.union(&left_out).cloned().collect();
            assert_eq!(reported, values, "{what}");
            assert!(
                current.is_disjoint(&left_out),
                "{what}: {left_out:?} was seen"
            );
        }
    }
}

/// Returns a stream without times, costs, hashes, ports, ids, folders and the machine.
fn normalize(project: &Project, stream: &str) -> String {
    let mut text = stream.replace(&project.path("").display().to_string(), "[project]/");
    let folder = project.path(".");
    let folder = folder.display().to_string();
    text = text.replace(folder.trim_end_matches("/."), "[project]");
    for (pattern, with) in [
        (r#""(t_ms|duration_ms)":\d+"#, r#""$1":0"#),
        (r#""(started|run_id|hash)":"[^"]*""#, r#""$1":"[$1]""#),
        (
            r#""version":"[^"]*","started""#,
            r#""version":"[version]","started""#,
        ),
        (r#""host":\{.*?\}"#, r#""host":"[host]""#),
        (r#"("round_trips":)\d+(,"dumps":)\d+"#, "${1}0${2}0"),
        (r#","reused":\d+"#, ""),
        // How many screens were looked at depends on time.
        (r#","met":\{.*?\}"#, ""),
        (r"\b127[._]0[._]0[._]1[:_]\d+", "[address]"),
    ] {
        text = Regex::new(pattern)
            .unwrap()
            .replace_all(&text, with)
            .into_owned();
    }
    text
}

fn stream_of(project: &Project, arguments: &[&str], code: i32) -> String {
    let arguments = [&["test", "--json", "run.ndjson"], arguments].concat();
    project.run(&arguments).expect(code);
    project.read("run.ndjson")
}

/// Interrupts a run as soon as a line of its stream holds the text.
fn interrupted(project: &Project, until: &str) -> String {
    let mut child = project
        .command(&["test", "--json", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut stream = String::new();
    while !stream.contains(until) {
        let read = lines.read_line(&mut stream).unwrap();
        assert_ne!(read, 0, "it ended early:\n{stream}");
    }
    let killed = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    lines.read_to_string(&mut stream).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    stream
}

/// Returns the stream of a run on a device with a fault.
async fn with_fault(project: &Project, fault: &str) -> String {
    let apps = Utf8PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/demo"));
    let device = VirtualDevice::start(VirtualDeviceOptions {
        apps: vec![apps],
        ..VirtualDeviceOptions::default()
    })
    .await
    .unwrap();
    device.inject(fault.parse::<FaultSpec>().unwrap());
    let address = device.address().to_string();
    let command = project.command(&["test", "--json", "run.ndjson", "--device", &address]);
    let output = tokio::process::Command::from(command).output().await;
    Ran::from(output.unwrap()).expect(3);
    project.read("run.ndjson")
}

/// Makes flows whose time ends amid many short steps.
fn out_of_time() -> Project {
    let project = Project::with_demo_app();
    let many = "repeat: { times: 10000, steps: [ find: Username ] }\n";
    project.flow(
        "step",
        &format!("steps:\n  - launch\n  - {many}    timeout: 1s\n"),
    );
    project.flow(
        "flow",
        &format!("timeout: 2s\nsteps:\n  - launch\n  - {many}"),
    );
    project
}

/// Returns a stream without the rounds of `repeat`, whose number depends on the machine's speed.
fn without_rounds(stream: &str) -> String {
    let lines = stream.lines().filter(|line| !line.contains("\"repeat\","));
    let seq = Regex::new(r#""seq":\d+"#).unwrap();
    lines
        .map(|line| seq.replace(line, "\"seq\":0").into_owned() + "\n")
        .collect()
}

/// Makes an app whose screen never stands still.
fn clock() -> Project {
    let project = Project::empty();
    project.write("runner.yaml", "devices: [virtual]\napps: [apps/clock]\n");
    project.write(
        "apps/clock/app.yaml",
        "package: com.example.notes\nlabel: Clock\nversion: \"1\"\nactivities:\n  .Main: { surface: main.yaml, launchable: true, on_start: tick }\n\
         actions:\n  tick:\n    - append: { path: /turns, value: x }\n    - count: { of: /turns, to: /now }\n    - after: { ms: 50, do: [ run: tick ] }\n",
    );
    project.write(
        "apps/clock/main.yaml",
        "- version: v0.9\n  createSurface: { surfaceId: main, catalogId: \"https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json\" }\n\
         - version: v0.9\n  updateComponents:\n    surfaceId: main\n    components:\n      - { id: root, component: Column, children: [title, now] }\n\
         \x20     - { id: title, component: Text, text: Clock }\n      - { id: now, component: Text, text: { path: /now } }\n\
         - version: v0.9\n  updateDataModel:\n    surfaceId: main\n    value: { turns: [], now: 0 }\n",
    );
    project.flow(
        "clock",
        "steps:\n  - launch\n  - snapshot: { name: face, image: none }\n    timeout: 1s\n",
    );
    project
}

#[tokio::test(flavor = "multi_thread")]
async fn every_ending_tells_these_events() {
    let mut streams = Streams {
        observed: BTreeMap::new(),
    };
    let project = Project::with_demo_app();
    usual_flows(&project);
    let snapshots = "flows/snapshots.yaml";

    let stream = stream_of(&project, &[snapshots, "--update", "new"], 0);
    streams.keep("written", &project, &stream);

    change(&project);
    let stream = stream_of(&project, &[], 2);
    streams.keep("usual", &project, &stream);

    project.flow(
        "new",
        "steps: [ launch, { snapshot: { name: first, image: none } } ]\n",
    );
    let stream = stream_of(&project, &["flows/new.yaml", "--update", "none"], 1);
    streams.keep("proposed", &project, &stream);

    let some = ["flows/assertion.yaml", "flows/passes.yaml"];
    let stream = stream_of(&project, &[&some[..], &["--fail-fast"]].concat(), 1);
    streams.keep("fail_fast", &project, &stream);

    let clock = clock();
    let stream = stream_of(&clock, &[], 1);
    let turns = Regex::new(r#"\\"\d+\\" → \\"\d+\\""#).unwrap();
    let stream = turns.replace_all(&stream, "[turn] → [turn]");
    streams.keep("unstable", &clock, &stream);

    let slow = out_of_time();
    let stream = stream_of(&slow, &[], 1);
    streams.keep("out_of_time", &slow, &without_rounds(&stream));

    let waiting = Project::with_demo_app();
    waiting.flow(
        "a",
        "steps:\n  - launch\n  - wait_for: Never\n    timeout: 1m\nteardown: [ stop ]\n",
    );
    waiting.flow("b", "steps: [ launch ]\n");
    let stream = interrupted(&waiting, "\"title\":\"wait_for: Never\"");
    streams.keep("interrupted", &waiting, &stream);

    let faulty = Project::with_demo_app();
    faulty.flow(
        "one",
        "retries: 1\nstep_timeout: 2s\nsteps:\n  - launch\n  - type: { into: { id: username }, text: ada }\nteardown: [ stop ]\n",
    );
    let stream = with_fault(&faulty, "refused-input").await;
    streams.keep("refused_input", &faulty, &stream);
    let stream = with_fault(&faulty, "offline").await;
    streams.keep("offline", &faulty, &stream);

    streams.hold_all_that_the_schema_names();
}
