//! `docs/developers/step-costs.md`: requests of each step to a phone, counted on a virtual device that offers
//! nothing that phones lack. `cargo test --test tests step_costs::write_the_document -- --ignored` makes it
//! again.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use camino::Utf8PathBuf;
use runner::virtual_automation::SERVERS;
use runner::virtual_device::{Quirk, VirtualDevice, VirtualDeviceOptions};

use crate::common::needs::long;
use crate::common::{Project, Ran, at_once};
use crate::drivers;

const PAGE: &str = "docs/developers/step-costs.md";

/// Steps after a look at the sign-in screen, each with the smallest possible cost: dumps, pictures, inputs,
/// questions.
const STEPS: [(&str, [u64; 4]); 22] = [
    ("assert visible: Welcome to Notes", [0, 0, 0, 0]),
    ("assert not visible: Inbox", [0, 0, 0, 0]),
    ("find: { id: username }", [0, 0, 0, 0]),
    ("wait_for: Welcome to Notes", [0, 0, 0, 0]),
    // It compares two looks at two moments.
    ("wait_for_idle", [2, 0, 0, 0]),
    ("click: { id: username }", [0, 0, 1, 0]),
    ("click: Forgot password?", [0, 0, 1, 0]),
    ("long_click: { id: username }", [0, 0, 1, 0]),
    ("double_click: { id: username }", [0, 0, 2, 0]),
    // The text is read back.
    (
        "type: { into: { id: username }, text: abcdefgh }",
        [1, 0, 2, 0],
    ),
    ("press: BACK", [0, 0, 1, 0]),
    ("press: HOME", [0, 0, 1, 0]),
    ("swipe_across: up", [0, 0, 1, 0]),
    ("scroll_to: { text: Sign in }", [0, 0, 0, 0]),
    ("hide_keyboard", [0, 0, 0, 1]),
    ("snapshot: home", [1, 1, 0, 0]),
    // The look says where passwords are, which the picture does not show.
    ("screenshot: home", [1, 1, 0, 0]),
    ("launch", [0, 0, 0, 2]),
    ("launch: { clear: true }", [0, 0, 0, 3]),
    ("stop", [0, 0, 0, 1]),
    // What was set is asked first, and put back at the end.
    ("set_device: { dark: true }", [0, 0, 0, 3]),
    ("assert log: { regex: \".*\", any_app: true }", [0, 0, 0, 1]),
];

/// Requests that a step sends to the device.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Cost {
    /// Commands from the host, each one round trip.
    trips: u64,
    dumps: u64,
    pictures: u64,
    inputs: u64,
    /// Commands to the system: `dumpsys`, `am`, `settings` and the like.
    questions: u64,
    /// Other programs that the shell starts.
    others: u64,
}

/// Commands built into the shell, which start no program; Android's (mksh) has its own `cat`.
const BUILT_IN: [&str; 5] = ["cat", "echo", "kill", "printf", "pwd"];
const SYSTEM: [&str; 12] = [
    "am", "appops", "cmd", "dumpsys", "getprop", "ime", "logcat", "monkey", "pm", "settings",
    "svc", "wm",
];

impl Cost {
    fn new(trips: u64, served: &BTreeMap<String, u64>) -> Self {
        let mut cost = Self {
            trips,
            ..Self::default()
        };
        for (command, count) in served {
            let kind = match command.as_str() {
                "uiautomator" => &mut cost.dumps,
                "screencap" => &mut cost.pictures,
                "input" => &mut cost.inputs,
                other if SYSTEM.contains(&other) => &mut cost.questions,
                other if BUILT_IN.contains(&other) => continue,
                _ => &mut cost.others,
            };
            *kind += count;
        }
        cost
    }

    fn minus(self, base: Self) -> Self {
        let less = |a: u64, b: u64| a.saturating_sub(b);
        Self {
            trips: less(self.trips, base.trips),
            dumps: less(self.dumps, base.dumps),
            pictures: less(self.pictures, base.pictures),
            inputs: less(self.inputs, base.inputs),
            questions: less(self.questions, base.questions),
            others: less(self.others, base.others),
        }
    }

    /// Returns the smallest possible cost, see [`STEPS`].
    fn least([dumps, pictures, inputs, questions]: [u64; 4]) -> Self {
        Self {
            dumps,
            pictures,
            inputs,
            questions,
            ..Self::default()
        }
    }

    /// Returns the seconds on a phone on which a dump takes 1 s, a picture 300 ms, an input 150 ms and a
    /// question 40 ms.
    fn seconds(self) -> f64 {
        self.dumps as f64
            + 0.3 * self.pictures as f64
            + 0.15 * self.inputs as f64
            + 0.04 * self.questions as f64
    }
}

/// Makes a project with one flow: the sign-in screen, then the step.
fn project(step: &str) -> Project {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        &format!(
            "steps:\n  - launch: {{ clear: true }}\n  - assert visible: Welcome to Notes\n{step}  - assert: {{ that: \"${{1 == 1}}\" }}\n"
        ),
    );
    project
}

async fn start_device() -> VirtualDevice {
    let apps = Utf8PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/demo"));
    VirtualDevice::start(VirtualDeviceOptions {
        apps: vec![apps],
        quirks: vec![Quirk::RealTime],
        servers: Some(SERVERS),
        ..VirtualDeviceOptions::default()
    })
    .await
    .expect("a virtual device")
}

/// Runs a flow with this step, and returns all that it sends.
async fn sent(step: Option<&str>) -> Cost {
    let step = step.map_or_else(String::new, |step| format!("  - {step}\n"));
    let project = project(&step);
    let device = start_device().await;
    let home = tempfile::tempdir().expect("a folder");
    let address = device.address().to_string();
    let mut command = project.command(&["test", "--update", "all", "--driver", "stock"]);
    command
        .args(["--device", &address])
        .env("HOME", home.path());
    let mut command = tokio::process::Command::from(command);
    let mut before = Cost::default();
    // A golden that is there is what a snapshot meets every day.
    for _ in 0..if step.contains("snapshot") { 2 } else { 1 } {
        before = Cost::new(device.host_commands(), &device.all_served());
        let output = command.output().await;
        Ran::from(output.expect("the program starts")).expect(0);
    }
    Cost::new(device.host_commands(), &device.all_served()).minus(before)
}

/// Returns the requests and commands of a step with the driver `uia2`, and the looks among them, from the
/// run's events.
async fn sent_by_uia2(apks: &Path, step: &str) -> (u64, u64) {
    let project = project(&format!("  - {step}\n"));
    let settings = format!(
        "devices: [virtual]\napps: [apps/demo]\nuia2: {}\n",
        apks.display()
    );
    project.write("runner.yaml", &settings);
    let device = start_device().await;
    let home = tempfile::tempdir().expect("a folder");
    let mut command = project.command(&["test", "--update", "all", "--driver", "uia2"]);
    command
        .args([
            "--json",
            "e.ndjson",
            "--device",
            &device.address().to_string(),
        ])
        .env("HOME", home.path());
    let output = tokio::process::Command::from(command).output().await;
    Ran::from(output.expect("the program starts")).expect(0);
    let events = project.read("e.ndjson");
    let mut events = events
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("an event"));
    let finished = events
        .find(|event| event["event"] == "step_finished" && event["step"] == serde_json::json!([2]))
        .expect("the step");
    let cost = |name: &str| finished["cost"][name].as_u64().expect("a number");
    (cost("round_trips"), cost("dumps"))
}

async fn uia2_rows(steps: Vec<&'static str>) -> Vec<String> {
    let Some(apks) = drivers::apks() else {
        return Vec::new();
    };
    let mut costs = at_once(steps, move |step| {
        let apks = apks.clone();
        async move { (step, sent_by_uia2(&apks, step).await) }
    })
    .await;
    costs.sort_by_key(|(step, _)| STEPS.iter().position(|(known, _)| known == step));
    let row = |(step, (trips, looks))| format!("| `{step}` | {trips} | {looks} |");
    costs.into_iter().map(row).collect()
}

async fn costs(steps: Vec<&'static str>) -> Vec<(&'static str, Cost)> {
    let base = sent(None).await;
    let mut costs = at_once(steps, move |step| async move {
        (step, sent(Some(step)).await.minus(base))
    })
    .await;
    costs.sort_by_key(|(step, _)| STEPS.iter().position(|(known, _)| known == step));
    costs
}

fn row(step: &str, cost: Cost) -> String {
    let least = STEPS
        .iter()
        .find(|(known, _)| *known == step)
        .map_or_else(Cost::default, |(_, least)| Cost::least(*least));
    assert!(
        cost.seconds() >= least.seconds(),
        "{step} takes less than its least"
    );
    let Cost {
        trips,
        dumps,
        pictures,
        inputs,
        questions,
        others,
    } = cost;
    format!(
        "| `{step}` | {trips} | {dumps} | {pictures} | {inputs} | {questions} | {others} | {:.2} | {:.2} |",
        cost.seconds(),
        least.seconds()
    )
}

/// A part of the rows here, for each takes its real time; all in a long run.
#[tokio::test(flavor = "multi_thread")]
async fn the_document_says_what_each_step_sends() {
    let page = std::fs::read_to_string(PAGE).expect("the document");
    let steps = STEPS.map(|(step, _)| step);
    let steps: Vec<_> = steps.into_iter().step_by(long(4, 1)).collect();
    let mut rows = uia2_rows(steps.clone()).await;
    rows.extend(
        costs(steps)
            .await
            .into_iter()
            .map(|(step, cost)| row(step, cost)),
    );
    for row in rows {
        assert!(page.contains(&row), "{row}\nin {PAGE}: {HOW}");
    }
}

const HOW: &str = "cargo test --test tests step_costs::write_the_document -- --ignored";

#[tokio::test(flavor = "multi_thread")]
#[ignore = "writes the document"]
async fn write_the_document() {
    let mut page = format!(
        "# What each step sends

What a step sends to a phone with the driver `stock`. A test counts it on a virtual device that offers nothing that phones
lack (`--realistic`), after a look at the same screen. `{HOW}` makes this page again.

- A command is one that the host sends. It may start several programs of the phone. Those that only ask are under way at the
  same time.
- A question is a program that asks Android: `dumpsys`, `am`, `settings`, `pm` and the like.
- The seconds are those of a phone on which a dump takes 1 s, a picture 0.3 s, an input 0.15 s and a question 0.04 s, one
  after another. Questions after a dump are asked at once, so a phone takes less.
- The least is that of dumps, pictures, inputs and questions without which the step could not do what it says.

| step | commands | dumps | pictures | inputs | questions | other programs | seconds | least |
|---|---|---|---|---|---|---|---|---|
"
    );
    for (step, cost) in costs(STEPS.map(|(step, _)| step).to_vec()).await {
        let _ = writeln!(page, "{}", row(step, cost));
    }
    page.push_str(
        "
## With the driver uia2

Requests to the UiAutomator2 server and commands over adb, with the looks among them. Its looks do not wait for rest, so a step
that touches an element takes one.

| step | round trips | looks |
|---|---|---|
",
    );
    for row in uia2_rows(STEPS.map(|(step, _)| step).to_vec()).await {
        let _ = writeln!(page, "{row}");
    }
    std::fs::write(PAGE, page).expect("the document is written");
}
