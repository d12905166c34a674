//! Quirks of phones, end to end: the demo flows pass with their goldens, or the run says what the phone did.

use runner::virtual_device::Quirk;

use crate::common::needs::long;
use crate::common::{Project, Ran};

/// Returns the exit code of a run with a quirk, and a text that it must print.
fn expected(quirk: Quirk) -> (i32, &'static str) {
    match quirk {
        // The maker's switch is the device's, not the app's.
        Quirk::MiuiGuard => (3, "USB debugging (Security settings)"),
        // The keyboard's marks are in the field, and a key does not take them away.
        Quirk::ComposingKeyboard => (1, "a'da"),
        // Its flow asserts on the log; and crashes are not seen without it.
        Quirk::NoLog => (3, "the device's log cannot be read"),
        Quirk::BrokenText => (1, "the character U+0"),
        Quirk::DeafSettings => (1, "the app does not run"),
        Quirk::HalfInput | Quirk::DeafInput => (1, "the text did not arrive whole"),
        _ => (0, "passed"),
    }
}

/// Flow with the demo flows' main steps. A long run runs the demo flows themselves.
const FLOW: &str = "steps:
  - launch: { clear: true }
  - assert visible: Welcome to Notes
  - type: { into: { id: username }, text: ada }
  - assert: { id: username, text: ada }
  - assert not visible: Inbox
  - click: { id: password }
  - assert log: { regex: \".*\", any_app: true }
  - stop
";

/// Runs the program with a built-in device that has a quirk.
fn run(project: &Project, quirk: &str, arguments: &[&str]) -> Ran {
    let mut command = project.command(arguments);
    let ran = command.env("RUNNER_QUIRKS", quirk).output();
    Ran::from(ran.expect("the program starts"))
}

#[test]
fn a_phone_with_a_quirk_passes_or_is_named_as_the_cause() {
    let project = Project::with_demo_app();
    if long(false, true) {
        project.copy("flows");
        project.copy("snapshots");
    } else {
        project.flow("short", FLOW);
    }
    for quirk in Quirk::all() {
        let (code, words) = expected(quirk);
        let ran = run(&project, quirk.name(), &["test", "--update", "none"]);
        let shown = format!("{quirk:?}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.code, code, "{shown}");
        assert!(shown.contains(words), "{shown}");
    }
}

#[test]
fn a_crash_that_no_log_tells_is_noted() {
    let project = Project::with_demo_app();
    project.flow("short", "steps: [ launch ]\n");
    run(&project, "no-log", &["test"])
        .expect(0)
        .says("a crash of com.example.notes cannot be seen");
}

#[test]
fn a_pinch_on_a_closed_touchscreen_says_what_would_do_it() {
    let project = Project::with_demo_app();
    project.flow(
        "short",
        "steps: [ launch, { pinch: { center_x: 540, center_y: 1200, scale: 2 } } ]\n",
    );
    run(&project, "closed-touchscreen", &["test"])
        .expect(1)
        .says("its shell may not write to the touchscreen")
        .says("the driver `uia2` can");
}

#[test]
fn text_that_a_deaf_keyboard_does_not_take_is_a_failure() {
    let project = Project::with_demo_app();
    project.flow(
        "short",
        "steps: [ launch, { type: { into: { id: username }, text: Zürich } } ]\n",
    );
    run(&project, "deaf-keyboard", &["test"])
        .expect(1)
        .says("Zürich");
}

#[test]
fn a_wrong_name_lists_the_quirks() {
    let project = Project::empty();
    project
        .run(&["virtual", "--quirk", "samsung"])
        .expect(2)
        .says("samsung-user-150");
    project.write("runner.yaml", "quirks: [samsung]\n");
    project.run(&["config"]).expect(2).says("samsung-user-150");
}

/// The documentation has each quirk and what it is.
#[test]
fn the_documentation_has_each_quirk() {
    let page = include_str!("../docs/guide/virtual-device.md");
    for quirk in Quirk::all() {
        let row = format!("| `{}` | {} |", quirk.name(), quirk.about());
        assert!(page.contains(&row), "{row}");
    }
}
