//! Law of hidden elements: what lies under another window is on the screen, and no fault of a dump makes it
//! gone.

use runner::virtual_device::{VirtualDevice, VirtualDeviceOptions};

use super::cells::verdicts;
use crate::common::{Project, needs};

/// Covers of the screen, and for each a text that exists. Android's dumps do not have what lies behind a
/// dialog, so nobody can say whether it is there; the dialog's own text is.
const COVERS: [(&str, &str, &str); 2] = [
    (
        "shade",
        "  - launch: { clear: true }\n  - open_notifications\n",
        "Welcome to Notes",
    ),
    (
        "front",
        "  - launch: { activity: .Inbox, clear: true }\n  - click: Groceries\n  - click: { id: delete }\n",
        "It cannot be brought back.",
    ),
];

/// Steps that must fail, as the text is not gone.
const DENIALS: [(&str, &str); 6] = [
    ("not", "  - assert not visible: TEXT\n"),
    ("count", "  - assert: { text: TEXT, count: 0 }\n"),
    ("gone", "  - wait_for: { text: TEXT, gone: true }\n"),
    (
        "if",
        "  - if: { visible: TEXT }\n    then: [ { assert: { that: '${2 < 1}' } } ]\n",
    ),
    (
        "when",
        "  - assert: { that: '${2 < 1}' }\n    when: { visible: TEXT }\n",
    ),
    ("any", "  - assert: { any_of: [ TEXT, Nope ], count: 0 }\n"),
];

/// Quirks and faults that damage dumps.
const ODD: [(&str, &str); 10] = [
    ("quirk", "late-windows"),
    ("fault", "partial-dump"),
    ("fault", "missing-dump:1"),
    ("none", ""),
    ("quirk", "late-tree"),
    ("quirk", "late-text"),
    ("quirk", "slow-text"),
    ("fault", "partial-dump:1"),
    ("fault", "truncated-dump:2"),
    ("fault", "null-root:2"),
];

/// Runs the flows on a device with a quirk or a fault. Returns their number, and those that passed.
async fn passed((how, what): (&str, &str)) -> (usize, Vec<String>) {
    let project = Project::with_demo_app();
    project.write("runner.yaml", "step_timeout: 1s\n");
    for (cover, begin, text) in COVERS {
        for (name, denial) in DENIALS {
            let denial = denial.replace("TEXT", &format!("'{text}'"));
            let flow = format!(
                "app: com.example.notes\nsteps:\n{begin}{denial}teardown: [ back, back ]\n"
            );
            project.write(&format!("flows/{cover}-{name}.yaml"), &flow);
        }
    }
    let device = VirtualDevice::start(VirtualDeviceOptions {
        apps: vec![concat!(env!("CARGO_MANIFEST_DIR"), "/examples/demo").into()],
        quirks: (how == "quirk")
            .then(|| what.parse().expect("a quirk"))
            .into_iter()
            .collect(),
        ..VirtualDeviceOptions::default()
    });
    let device = device.await.expect("a device");
    if how == "fault" {
        device.inject(what.parse().expect("a fault"));
    }
    let address = device.address().to_string();
    let mut command = project.command(&["test", "flows", "--json", "events.ndjson"]);
    command.args(["--device", &address]);
    let running = tokio::process::Command::from(command)
        .kill_on_drop(true)
        .output();
    running.await.expect("the program starts");
    let events = std::fs::read_to_string(project.path("events.ndjson")).unwrap_or_default();
    let found = verdicts(&events);
    let passed = found.iter().filter(|(_, verdict)| verdict.is_pass());
    (
        found.len(),
        passed
            .map(|(flow, _)| format!("{how} {what}: {flow} passes"))
            .collect(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lies_under_another_window_is_never_denied() {
    // Those of each kind; the long suite tries all.
    let odd = &ODD[..needs::long(4, ODD.len())];
    let found = super::two_at_once(odd.iter().copied(), passed).await;
    let all: usize = found.iter().map(|(count, _)| count).sum();
    let expected = odd.len() * COVERS.len() * DENIALS.len();
    assert_eq!(all, expected, "each flow has a verdict");
    let broken = found.into_iter().flat_map(|(_, broken)| broken).collect();
    super::hold("hidden", &format!("{all} flows"), broken);
}
