//! The tools as steps of a flow.

use super::*;

const FLOW: &str = "steps:
  - scenario.startTestingScenario: com.example.notes
  - scenario.inputText: { fieldSelector: username, text: ada }
  - scenario.inputText: { fieldSelector: password, text: lovelace }
  - scenario.tap: { text: id/sign_in, selectorType: resource-id }
  - scenario.verifyElementVisible: Welcome, Ada
  - scenario.findUiElementsByText: Groceries
    as: notes
  - assert: { that: \"${notes[0].value == 'Groceries'}\" }
  - scenario.getScreenSize:
    as: size
  - assert: { that: \"${size.width == 1080}\" }
  - scenario.takeScreenshot: The list
    as: shot
  - assert: { that: \"${shot.path != ''}\" }
  - scenario.startScreenRecording
  - scenario.scrollVertically: 800
  - scenario.swipeDown
  - scenario.stopScreenRecording
  - scenario.tap: Groceries
  - scenario.wait: 300
  - scenario.verifyElementNotVisible: Welcome, Ada
  - scenario.goBack
  - scenario.initializeTestScenarioReport: Read a note
  - scenario.updateTestScenarioReport: It was read
  - scenario.generateTestScenarioReport
";

#[test]
fn a_flow_of_scenario_steps_passes() {
    let project = Project::with_demo_app();
    project.flow("whole", FLOW);
    project
        .run(&["test", "flows/whole.yaml"])
        .expect(0)
        .says("1 passed");
    let files = project.files(".runner/artifacts");
    for name in ["1-the-list.png", "video-1.mp4"] {
        assert!(files.iter().any(|file| file.ends_with(name)), "{files:?}");
    }
}

#[test]
fn a_scenario_begins_anew_with_every_flow() {
    let project = Project::with_demo_app();
    let start = "steps:\n  - scenario.startTestingScenario: com.example.notes\n";
    project.flow("one", start).flow("two", start);
    project.run(&["test", "flows"]).expect(0).says("2 passed");
}

/// Steps, and the error of each.
const NO: [(&str, &str); 8] = [
    ("scenario.tap: Balance", "NOT_FOUND: no element matches"),
    ("scenario.tap: { text: sign, position: 70 }", "AMBIGUOUS: "),
    (
        "scenario.verifyElementVisible: Balance",
        "NOT_VISIBLE: 'Balance' not on screen",
    ),
    (
        "scenario.verifyElementNotVisible: Welcome",
        "NOT_VISIBLE: 'Welcome' is still visible",
    ),
    (
        "scenario.startTestingScenario: com.example.notes",
        "DO NOT call it again",
    ),
    (
        "scenario.launchAppByPackage: com.example.nothing",
        "launch failed: ",
    ),
    (
        "scenario.stopScreenRecording",
        "No screen recording in progress.",
    ),
    (
        "scenario.generateTestScenarioReport",
        "Failed to parse scenario JSON",
    ),
];

#[test]
fn statuses_that_say_no_fail_the_step() {
    let project = Project::with_demo_app();
    for (index, (step, _)) in NO.iter().enumerate() {
        let start = "steps:\n  - scenario.startTestingScenario: com.example.notes\n";
        project.flow(&format!("no-{index}"), &format!("{start}  - {step}\n"));
    }
    let mut ran = project.run(&["test", "flows"]).expect(1).says("8 failed");
    for (_, says) in NO {
        ran = ran.says(says);
    }
}

/// Steps whose arguments cannot be, and the error of each.
const WRONG: [(&str, &str); 5] = [
    ("scenario.tap: { position: 1 }", "`text` is missing"),
    ("scenario.tap: \"\"", "flows/wrong-1.yaml:3:"),
    (
        "scenario.launchAppByPackage: not a package",
        "packageName must be a package",
    ),
    (
        "scenario.scrollVertically: far",
        "a whole number is expected",
    ),
    ("scenario.verifyElementVisible: { txt: a }", "txt"),
];

#[test]
fn lint_finds_arguments_that_cannot_be() {
    let project = Project::with_demo_app();
    for (index, (step, _)) in WRONG.iter().enumerate() {
        project.flow(&format!("wrong-{index}"), &format!("steps:\n  - {step}\n"));
    }
    let mut ran = project.run(&["lint"]).expect(2).says("5 errors in 5 flows");
    for (_, says) in WRONG {
        ran = ran.says(says);
    }
}

const KEPT: &str = r#"steps:
  - scenario.startTestingScenario: com.example.notes
    as: started
  - assert: { that: "${started == 'OK: launched com.example.notes (foreground confirmed)'}" }
  - scenario.getScreenDump:
    as: dump
  - assert: { that: "${'<hierarchy' in dump}" }
  - scenario.findUiElementsByText: { text: username, selectorType: resource-id }
    as: found
  - scenario.tapByCoordinates: { x: "${found[0].cx}", y: "${found[0].cy}" }
    as: touched
  - assert: { that: "${touched.x == found[0].cx}" }
  - scenario.inputText: { fieldSelector: username, text: ada }
    as: typed
  - assert: { that: "${typed == \"OK: typed 'ada' into 'username', then hideKeyboard\"}" }
  - scenario.verifyElementVisible: Welcome to Notes
    as: visible
  - assert: { that: "${visible == \"VISIBLE: 1 match(es) for 'Welcome to Notes'\"}" }
  - scenario.verifyElementNotVisible: Balance
    as: gone
  - assert: { that: "${gone == \"OK: 'Balance' is not visible (as expected)\"}" }
  - scenario.hideKeyboard:
    as: hidden
  - assert: { that: "${hidden == 'OK: keyboard hidden'}" }
  - scenario.swipeUp:
    as: swiped
  - assert: { that: "${swiped == 'OK: swiped up on 1080x2400'}" }
  - scenario.scrollVertically: -300
    as: scrolled
  - assert: { that: "${scrolled == 'OK: scrolled vertically distance=-300'}" }
  - scenario.wait: 1
    as: waited
  - assert: { that: "${waited == 'OK: waited 50ms'}" }
  - scenario.initializeTestScenarioReport: Sign in
  - scenario.updateTestScenarioReport: Typed the name
    as: added
  - assert: { that: "${added == 'OK: Test step added: Typed the name'}" }
  - scenario.generateTestScenarioReport:
    as: report
  - assert: { that: "${'1. Typed the name' in report}" }
  - scenario.goBack:
    as: back
  - assert: { that: "${back == 'OK: pressed back'}" }
"#;

#[test]
fn as_keeps_what_a_scenario_tool_answers() {
    let project = Project::with_demo_app();
    project.flow("kept", KEPT);
    project.run(&["test", "flows/kept.yaml"]).expect(0);
}
