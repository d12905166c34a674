//! `docs/developers/step-costs.md`: what each step sends to a phone, counted on a virtual device that offers nothing that
//! phones lack. `cargo test --test tests step_costs::write_the_document -- --ignored` makes it again.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use camino::Utf8PathBuf;
use runner::virtual_device::{Quirk, VirtualDevice, VirtualDeviceOptions};

use crate::common::needs::long;
use crate::common::{Project, Ran, at_once};

const PAGE: &str = "docs/developers/step-costs.md";

/// Steps, each after the sign-in screen was looked at.
const STEPS: [&str; 22] = [
    "assert visible: Welcome to Notes",
    "assert not visible: Inbox",
    "find: { id: username }",
    "wait_for: Welcome to Notes",
    "wait_for_idle",
    "click: { id: username }",
    "click: Forgot password?",
    "long_click: { id: username }",
    "double_click: { id: username }",
    "type: { into: { id: username }, text: abcdefgh }",
    "press: BACK",
    "press: HOME",
    "swipe_across: up",
    "scroll_to: { text: Sign in }",
    "hide_keyboard",
    "snapshot: home",
    "screenshot: home",
    "launch",
    "launch: { clear: true }",
    "stop",
    "set_device: { dark: true }",
    "assert log: { regex: \".*\", any_app: true }",
];

/// What a step sent.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Cost {
    /// Commands of the host, each one a way there and back.
    trips: u64,
    dumps: u64,
    pictures: u64,
    inputs: u64,
    /// Commands that ask the system: `dumpsys`, `am`, `settings` and the like.
    questions: u64,
    /// Other programs that the shell starts.
    others: u64,
}

/// Words of the shell itself, which start no program; Android's (mksh) has a `cat` of its own.
const BUILT_IN: [&str; 5] = ["cat", "echo", "kill", "printf", "pwd"];
const SYSTEM: [&str; 12] = [
    "am", "appops", "cmd", "dumpsys", "getprop", "ime", "logcat", "monkey", "pm", "settings",
    "svc", "wm",
];

impl Cost {
    fn of(trips: u64, served: &BTreeMap<String, u64>) -> Self {
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

    /// Seconds on a phone on which a dump takes 1 s, a picture 300 ms, an input 150 ms and a question 40 ms.
    fn seconds(self) -> f64 {
        self.dumps as f64
            + 0.3 * self.pictures as f64
            + 0.15 * self.inputs as f64
            + 0.04 * self.questions as f64
    }
}

/// What a flow with this step sends, all in all.
async fn sent(step: Option<&str>) -> Cost {
    let project = Project::with_demo_app();
    let step = step.map_or_else(String::new, |step| format!("  - {step}\n"));
    project.flow(
        "a",
        &format!(
            "steps:\n  - launch: {{ clear: true }}\n  - assert visible: Welcome to Notes\n{step}  - assert: {{ that: \"${{1 == 1}}\" }}\n"
        ),
    );
    let apps = Utf8PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/demo"));
    let device = VirtualDevice::start(VirtualDeviceOptions {
        apps: vec![apps],
        quirks: vec![Quirk::RealTime],
        ..VirtualDeviceOptions::default()
    })
    .await
    .expect("a virtual device");
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
        before = Cost::of(device.host_commands(), &device.all_served());
        let output = command.output().await;
        Ran::from(output.expect("the program starts")).expect(0);
    }
    Cost::of(device.host_commands(), &device.all_served()).minus(before)
}

async fn costs(steps: Vec<&'static str>) -> Vec<(&'static str, Cost)> {
    let base = sent(None).await;
    let mut costs = at_once(steps, move |step| async move {
        (step, sent(Some(step)).await.minus(base))
    })
    .await;
    costs.sort_by_key(|(step, _)| STEPS.iter().position(|known| known == step));
    costs
}

fn row(step: &str, cost: Cost) -> String {
    let Cost {
        trips,
        dumps,
        pictures,
        inputs,
        questions,
        others,
    } = cost;
    format!(
        "| `{step}` | {trips} | {dumps} | {pictures} | {inputs} | {questions} | {others} | {:.2} |",
        cost.seconds()
    )
}

/// A part of the rows here, for each takes its real time; all in a long run.
#[tokio::test(flavor = "multi_thread")]
async fn the_document_says_what_each_step_sends() {
    let page = std::fs::read_to_string(PAGE).expect("the document");
    let steps = STEPS.into_iter().step_by(long(4, 1)).collect();
    for (step, cost) in costs(steps).await {
        let row = row(step, cost);
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

- A round trip is one command of the host. It may start several programs of the phone.
- A question is a program that asks Android: `dumpsys`, `am`, `settings`, `pm` and the like.
- The seconds are those of a phone on which a dump takes 1 s, a picture 0.3 s, an input 0.15 s and a question 0.04 s, one
  after another. Questions behind a dump are asked at once, so a phone takes less.

| step | round trips | dumps | pictures | inputs | questions | other programs | seconds |
|---|---|---|---|---|---|---|---|
"
    );
    for (step, cost) in costs(STEPS.to_vec()).await {
        let _ = writeln!(page, "{}", row(step, cost));
    }
    std::fs::write(PAGE, page).expect("the document is written");
}
