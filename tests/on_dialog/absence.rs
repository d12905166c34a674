//! Law: that something is missing is judged on a screen without a dialog that a rule of the project answers.

use super::{ASKS, DENY, asks_after, firings, project};
use crate::common::Project;

/// Runs a step of a flow while a dialog of a rule hides the app's rows.
fn run_below_dialog(step: &str) -> (Project, i32) {
    let project = Project::empty();
    asks_after(&project, 1);
    let flow = format!(
        "app: com.example.late
steps:
  - launch: {{ clear: true }}
  - click: Ask
  - {step}
"
    );
    project.write("flows/a.yaml", &flow);
    let ran = project.run(&["test", "--json", "run.ndjson"]);
    (project, ran.code)
}

/// Same as [`run_below_dialog`], for a command of Maestro's.
fn run_maestro_below_dialog(command: &str) -> (Project, i32) {
    let project = Project::empty();
    asks_after(&project, 1);
    let flow = format!(
        "appId: com.example.late
---
- launchApp: {{ permissions: {{ all: unset }} }}
- tapOn: Ask
- {command}
"
    );
    project.write("flows/a.yaml", &flow);
    let ran = project.run(&["test", "--json", "run.ndjson"]);
    (project, ran.code)
}

fn assert_answered_in_the_step(project: &Project, step: &str) {
    let reported = firings(project);
    assert_eq!(reported.len(), 1, "{step}: {reported:?}");
    assert_eq!(reported[0]["step"], serde_json::json!([2]), "{step}");
}

#[test]
fn what_only_a_dialog_hides_is_not_missing() {
    for step in [
        "assert not visible: X",
        "wait_for: { text: X, gone: true }",
        "assert: { text: X, count: 0 }",
        "assert: { text: X, count: \"<1\" }",
        "scenario.verifyElementNotVisible: X",
    ] {
        for (text, code) in [("Row 0", 1), ("Nowhere", 0)] {
            let step = step.replace('X', text);
            let (project, ended) = run_below_dialog(&step);
            assert_eq!(ended, code, "{step}");
            assert_answered_in_the_step(&project, &step);
        }
    }
}

#[test]
fn a_condition_is_judged_without_the_dialog() {
    for condition in [
        "{ not_visible: X }",
        "{ not_visible: X, timeout: 1s }",
        "{ visible: X }",
        "{ visible: X, timeout: 1s }",
    ] {
        for (text, is_there) in [("Row 0", true), ("Nowhere", false)] {
            let condition = condition.replace('X', text);
            let holds = is_there != condition.contains("not_visible");
            let step = format!("{{ assert: {{ that: \"${{1 > 2}}\" }}, when: {condition} }}");
            let (project, ended) = run_below_dialog(&step);
            assert_eq!(ended, i32::from(holds), "{step}");
            assert_answered_in_the_step(&project, &step);
        }
    }
}

#[test]
fn commands_of_maestro_judge_without_the_dialog() {
    for (command, there, missing) in [
        ("assertNotVisible: X", 1, 0),
        ("extendedWaitUntil: { notVisible: X, timeout: 500 }", 1, 0),
        (
            "runFlow: { when: { notVisible: X }, commands: [ assertVisible: Elsewhere ] }",
            0,
            1,
        ),
    ] {
        for (text, code) in [("Row 0", there), ("Nowhere", missing)] {
            let command = command.replace('X', text);
            let (project, ended) = run_maestro_below_dialog(&command);
            assert_eq!(ended, code, "{command}");
            let reported = firings(&project);
            assert_eq!(reported.len(), 1, "{command}: {reported:?}");
        }
    }
}

#[test]
fn what_a_step_names_in_the_dialog_is_left_to_the_flow() {
    for step in [
        "assert: { id: permission_deny_button, count: 1 }",
        "{ click: Allow, when: { visible: Allow } }",
        "{ click: Allow, when: { visible: Allow, timeout: 1s } }",
        "{ assert: { that: \"${1 > 2}\" }, when: { not_visible: { id: permission_message } } }",
    ] {
        let (project, ended) = run_below_dialog(step);
        assert_eq!(ended, 0, "{step}");
        assert!(firings(&project).is_empty(), "{step}");
    }
    let (project, ended) = run_below_dialog(
        "click: Allow\n  - assert not visible: { id: permission_message }\n  - assert not visible: Nowhere",
    );
    assert_eq!(ended, 0);
    assert!(firings(&project).is_empty());
}

#[test]
fn below_a_dialog_that_comes_back_for_ever_nothing_is_missing() {
    for step in [
        "assert not visible: Nowhere",
        "assert: { text: Nowhere, count: 0 }",
        "{ assert: { that: \"${1 < 2}\" }, when: { not_visible: Nowhere } }",
        "{ assert: { that: \"${1 < 2}\" }, when: { visible: Nowhere, timeout: 5s } }",
        "scenario.verifyElementNotVisible: Nowhere",
        "scenario.findUiElementsByText: Nowhere",
        "find_elements: { by: text, value: Nowhere }",
        "get_element_details: { ids: [ node_0 ] }",
        "scenario.tap: Nowhere",
        "semantic.click: nowhere",
        "click_element: node_0",
        "mobile_agent.click_control: { control_id: node_0, control_name: Nowhere }",
        "scroll_to: Nowhere",
    ] {
        let project = project(DENY);
        project.replace(
            "apps/demo/app.yaml",
            "        denied:\n          - set: { path: /settings/notifications, value: Notifications are off }\n",
            "        denied:\n          - run: ask_notifications\n",
        );
        project.flow("settings", &format!("{ASKS}  - {step}\n"));
        project
            .run(&["test", "--json", "run.ndjson"])
            .expect(1)
            .says("nothing can be said to be missing")
            .says("was answered 3 times in this step");
        assert_eq!(firings(&project).len(), 3, "{step}");
    }
}

/// Looks past the dialog, which a rule answers, and then denies what was in it.
const ANSWERED: &str = "assert visible: Row 0\n  - ";

#[test]
fn what_a_rule_took_away_is_not_missing_in_any_try() {
    for step in [
        "assert not visible: DIALOG",
        "{ assert not visible: DIALOG, retry: 2 }",
        "retry: { times: 2, steps: [ { assert not visible: DIALOG } ] }",
        "retry: { times: 2, steps: [ { assert visible: Row 0 }, { assert not visible: DIALOG } ] }",
        "{ group: [ { assert visible: Row 0 }, { assert not visible: DIALOG } ], retry: 2 }",
        "assert: { id: permission_message, count: 0 }",
        "scenario.verifyElementNotVisible: permission_message",
    ] {
        let step = step.replace("DIALOG", "{ id: permission_message }");
        // Steps that look past the dialog themselves answer it in their first try.
        let before = if step.contains("Row 0") { "" } else { ANSWERED };
        let (_, ended) = run_below_dialog(&format!("{before}{step}"));
        assert_eq!(ended, 1, "{step}");
    }
    let denied = "assertNotVisible: { id: '.*permission_message' }";
    for command in [
        format!("assertVisible: Row 0\n- retry: {{ maxRetries: 2, commands: [ {denied} ] }}"),
        format!("retry: {{ maxRetries: 2, commands: [ assertVisible: Row 0, {denied} ] }}"),
    ] {
        let (_, ended) = run_maestro_below_dialog(&command);
        assert_eq!(ended, 1, "{command}");
    }
}

#[test]
fn a_try_that_acts_does_not_remember_dialogs_of_the_try_before() {
    let (_, ended) = run_below_dialog(
        "retry: { times: 1, steps: [ { click: Row 3 }, { assert not visible: { id: permission_message } } ] }",
    );
    assert_eq!(ended, 0);
}

#[test]
fn who_leaves_the_screen_leaves_its_answered_dialogs() {
    for act in [
        "launch: { clear: true }",
        "stop",
        "clear",
        "home",
        "press: HOME",
        "press_key: HOME",
        "press_home",
        "open_app: com.example.late",
    ] {
        let (_, ended) = run_below_dialog(&format!(
            "{ANSWERED}{act}\n  - assert not visible: {{ id: permission_message }}"
        ));
        assert_eq!(ended, 0, "{act}");
    }
    for act in [
        "launchApp: { permissions: { all: unset } }",
        "stopApp",
        "killApp",
        "clearState",
        "pressKey: Home",
    ] {
        let (_, ended) = run_maestro_below_dialog(&format!(
            "assertVisible: Row 0\n- {act}\n- assertNotVisible: {{ id: '.*permission_message' }}"
        ));
        assert_eq!(ended, 0, "{act}");
    }
}

#[test]
fn a_number_that_the_answer_did_not_bring_about_counts() {
    for (count, code) in [("1", 0), ("!=9", 0), ("<9", 0), ("<2", 1), ("<=1", 1)] {
        let step = format!("{ANSWERED}assert: {{ class: Button, count: \"{count}\" }}");
        let (_, ended) = run_below_dialog(&step);
        assert_eq!(ended, code, "{count}");
    }
}

#[test]
fn the_next_step_that_looks_ends_what_a_rule_took_away() {
    for (between, code) in [
        ("assert visible: Row 0", 0),
        ("find: Row 0", 0),
        ("wait_for: Row 0", 0),
        ("assert not visible: Nowhere", 0),
        ("wait_for_idle", 0),
        ("set: { A: 1 }", 1),
        ("assert: { that: \"${1 < 2}\" }", 1),
    ] {
        let (_, ended) = run_below_dialog(&format!(
            "{ANSWERED}{between}\n  - assert not visible: {{ id: permission_message }}"
        ));
        assert_eq!(ended, code, "{between}");
    }
}
