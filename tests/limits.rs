//! Limits that docs/guide/flows.md states, on devices that hang: every hanging fault before every limit.
//!
//! Measured is the step during which the device hangs, or the whole flow with what is kept of its failure.

use std::time::Duration;

use camino::Utf8PathBuf;
use runner::virtual_device::{FaultSpec, VirtualDevice, VirtualDeviceOptions};
use serde_json::Value;

use crate::common::needs::long;
use crate::common::{Project, Ran, at_once};

/// Milliseconds beyond a limit that still count as in time: a second for the program, and the rest for a busy
/// machine.
const TOLERANCE: u64 = 1000 + 2500;
/// Milliseconds that a look, a screenshot and an input always have, whatever the step's limit.
const MIN_REQUEST_TIME: u64 = 3000;
/// Milliseconds beyond the flow's limit for what is kept of a failure, if the device answers and if it does
/// not.
const EVIDENCE_TIME: u64 = 6000;
const SILENT_EVIDENCE_TIME: u64 = 2000;

/// Limit of a case.
#[derive(Clone, Copy)]
enum Limit {
    /// Limit in milliseconds of each step with this beginning of its title.
    Step(&'static str, u64),
    /// Limit of the flow in milliseconds; what is kept of its failure comes after.
    Flow(u64),
}

/// Name, fault that begins after the flow's first look, the flow's header, its steps after that look, and the
/// limit.
type Case = (String, String, String, Limit);

async fn ended(name: &str, fault: &str, flow: &str) -> (Vec<Value>, Ran) {
    let project = Project::with_demo_app();
    project.flow("a", flow);
    let apps = Utf8PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/demo"));
    let device = VirtualDevice::start(VirtualDeviceOptions {
        apps: vec![apps],
        ..VirtualDeviceOptions::default()
    });
    let device = device.await.expect("a virtual device");
    let fault: FaultSpec = fault.parse().expect(fault);
    let address = device.address().to_string();
    let arguments = [
        "test",
        "flows/a.yaml",
        "--json",
        "events.ndjson",
        "--device",
        &address,
    ];
    let running = tokio::process::Command::from(project.command(&arguments))
        .kill_on_drop(true)
        .output();
    let hitting = async {
        // The launch and the first look are done.
        let is_done = |line: &str| line.contains("\"event\":\"step_finished\"");
        let ended = || std::fs::read_to_string(project.path("events.ndjson")).unwrap_or_default();
        while ended().lines().filter(|line| is_done(line)).count() < 2 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        device.inject(fault);
        std::future::pending::<()>().await;
    };
    let output = tokio::select! {
        output = tokio::time::timeout(Duration::from_mins(2), running) => output,
        () = hitting => unreachable!(),
    };
    let output = output.unwrap_or_else(|_| panic!("{name}: hangs"));
    let events = project.read("events.ndjson");
    let events = events
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    (
        events.collect(),
        Ran::from(output.expect("the program starts")),
    )
}

/// Runs one case, and returns a text if it took too long.
async fn late((name, fault, flow, limit): Case) -> Option<String> {
    let (events, ran) = ended(&name, &fault, &flow).await;
    let message = format!("{}{}", ran.stdout, ran.stderr);
    assert!(!message.contains("panicked"), "{name}: {message}");
    let took = |event: &Value| event["duration_ms"].as_u64().expect("a time");
    let is_gone = message.contains("does not answer any more");
    let (took, most) = match limit {
        Limit::Step(title, limit) => {
            let is_step = |event: &&Value| {
                event["event"] == "step_finished"
                    && event["title"]
                        .as_str()
                        .is_some_and(|found| found.starts_with(title))
            };
            let slowest = events.iter().filter(is_step).map(took).max();
            let slowest = slowest.unwrap_or_else(|| panic!("{name}: no step {title}: {message}"));
            (slowest, limit)
        }
        Limit::Flow(limit) => {
            let flow = events
                .iter()
                .rfind(|event| event["event"] == "flow_finished");
            let stored = if is_gone {
                SILENT_EVIDENCE_TIME
            } else {
                EVIDENCE_TIME
            };
            (took(flow.expect("a flow")), limit + stored)
        }
    };
    (took > most + TOLERANCE).then(|| format!("{name}: {took} ms, at most {most}\n{message}"))
}

/// Runs the cases, and fails with those that took too long.
async fn all(cases: Vec<Case>) {
    // Coprime to the kinds of each fault: a part has every fault and every kind.
    let cases = cases.into_iter().step_by(long(3, 1));
    let late: Vec<String> = at_once(cases, late).await.into_iter().flatten().collect();
    assert!(late.is_empty(), "{}", late.join("\n"));
}

/// Faults with which a command never ends, or not within any limit here.
const HANGS: [&str; 6] = [
    "hung-dump",
    "hung-screenshot",
    "hung-input",
    "hung-command",
    "could-not-get-idle=11s",
    "slow-command=30s",
];

/// Returns a flow whose first look comes before the fault.
fn flow(header: &str, rest: &str) -> String {
    format!("{header}\nsteps:\n  - launch\n  - find: Username\n{rest}")
}

#[tokio::test(flavor = "multi_thread")]
async fn v15_each_limit_is_kept_whatever_hangs() {
    // A click looks, acts and looks again; the screenshot and the snapshot take pictures.
    let steps = "[ click: { id: username }, screenshot: a, snapshot: b, assert visible: Nothing ]";
    let mut cases = Vec::new();
    for fault in HANGS {
        let mut case = |name: &str, header: &str, rest: &str, limit| {
            let flow = flow(header, rest);
            cases.push((format!("{name}, {fault}"), fault.to_owned(), flow, limit));
        };
        let group = format!("  - group: {steps}\n");
        case(
            "flow",
            "timeout: 5s\nstep_timeout: 1m",
            &group,
            Limit::Flow(5000),
        );
        case(
            "block",
            "timeout: 1m\nstep_timeout: 30s",
            &format!("{group}    label: block\n    timeout: 4s\n"),
            Limit::Step("block", 4000),
        );
        case(
            "scroll_to",
            "timeout: 1m\nstep_timeout: 30s",
            "  - scroll_to: { text: Never }\n    timeout: 4s\n",
            Limit::Step("scroll_to", 4000),
        );
        case(
            "condition",
            "timeout: 1m\nstep_timeout: 30s",
            "  - group: [ back ]\n    label: condition\n    when: { visible: Never, timeout: 4s }\n",
            Limit::Step("condition", 4000),
        );
        case(
            "teardown",
            "timeout: 3s\nstep_timeout: 1m\nteardown_timeout: 4s",
            &format!("  - assert: {{ that: \"${{1 == 1}}\" }}\nteardown: [ group: {steps} ]\n"),
            Limit::Flow(3000 + 4000),
        );
    }
    all(cases).await;
}

/// A step ends within a second after its limit, or after the three seconds of what it asks the device for.
#[tokio::test(flavor = "multi_thread")]
async fn v15_each_step_ends_in_time_whatever_hangs() {
    let steps = [
        ("click", "click: { id: username }"),
        ("long_click", "long_click: { id: username }"),
        ("type", "type: { into: { id: username }, text: ada }"),
        ("press", "press: BACK"),
        ("swipe_across", "swipe_across: up"),
        ("assert", "assert visible: Nothing"),
        ("find", "find: Username"),
        ("wait_for_idle", "wait_for_idle"),
        ("screenshot", "screenshot: a"),
        ("snapshot", "snapshot: a"),
        ("launch", "launch"),
        ("stop", "stop"),
        ("clear", "clear"),
        ("set_device", "set_device: { dark: true }"),
    ];
    let mut cases = Vec::new();
    for fault in HANGS {
        for (title, step) in steps {
            let flow = flow("step_timeout: 1s\ntimeout: 1m", &format!("  - {step}\n"));
            // A snapshot has a second look.
            let most = if title == "snapshot" {
                2 * MIN_REQUEST_TIME
            } else {
                MIN_REQUEST_TIME
            };
            let limit = Limit::Step("", most);
            cases.push((format!("{step}, {fault}"), fault.to_owned(), flow, limit));
        }
    }
    all(cases).await;
}
