//! Rules of `runner.yaml` for dialogs that would hide the app.

mod absence;
mod steps;

use crate::common::Project;

const ASKS: &str =
    "steps:\n  - launch: { activity: .Settings, clear: true }\n  - click: Allow notifications\n";

fn project(rules: &str) -> Project {
    let project = Project::with_demo_app();
    let before = project.read("runner.yaml");
    project.write("runner.yaml", &format!("{before}on_dialog:\n{rules}"));
    project
}

/// Rule that denies permissions.
const DENY: &str = "  - when: { id: permission_message }\n    do: { click: { id: permission_deny_button } }\n    app: com.android.permissioncontroller\n";

fn firings(project: &Project) -> Vec<serde_json::Value> {
    let stream = project.read("run.ndjson");
    let lines = stream.lines();
    lines
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|event| event["event"] == "dialog")
        .collect()
}

#[test]
fn a_dialog_that_covers_the_app_is_answered_and_told() {
    let project = project(DENY);
    project.flow(
        "settings",
        &format!("{ASKS}  - click: Sign out\n  - find: Username\n"),
    );
    let ran = project.run(&[
        "test",
        "--json",
        "run.ndjson",
        "--junit",
        "junit.xml",
        "--html",
        "report",
    ]);
    let ran = ran.expect(0).says("hid the app: on_dialog (runner.yaml:4)");
    assert!(
        ran.stdout.contains("permission_deny_button"),
        "{}",
        ran.stdout
    );
    let reported = firings(&project);
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert_eq!(reported[0]["step"], serde_json::json!([2]));
    assert_eq!(reported[0]["at"]["line"], 4);
    assert!(project.well_formed("junit.xml").contains("hid the app"));
}

#[test]
fn a_key_answers_too_and_another_apps_dialog_is_left_alone() {
    let by_key = project("  - when: Allow Notes to *\n    do: { press: BACK }\n");
    let flow = format!("{ASKS}  - find: Notifications are off\n");
    by_key.flow("settings", &flow);
    by_key.run(&["test"]).expect(0).says("press: BACK");
    let other =
        project("  - { when: Allow Notes to *, do: { press: BACK }, app: com.example.other }\n");
    other.flow(
        "settings",
        &flow.replace("are off\n", "are off\n    timeout: 100ms\n"),
    );
    other.run(&["test"]).expect(1).never_says("hid the app");
}

#[test]
fn what_a_flow_finds_in_the_dialog_is_left_to_the_flow() {
    let project = project(DENY);
    project.flow(
        "settings",
        &format!("{ASKS}  - click: Allow\n  - find: Notifications are allowed\n"),
    );
    project.run(&["test", "--json", "run.ndjson"]).expect(0);
    assert!(firings(&project).is_empty());
}

#[test]
fn a_dialog_that_comes_back_for_ever_is_answered_three_times() {
    let project = project(DENY);
    project.replace(
        "apps/demo/app.yaml",
        "        denied:\n          - set: { path: /settings/notifications, value: Notifications are off }\n",
        "        denied:\n          - run: ask_notifications\n",
    );
    project.flow(
        "settings",
        &format!("{ASKS}  - click: Sign out\n    timeout: 20s\n  - launch: {{ clear: true }}\n"),
    );
    project
        .run(&["test", "--json", "run.ndjson"])
        .expect(1)
        .says("the dialog of `on_dialog` (runner.yaml:4) comes back")
        .says("was answered 3 times in this step");
    assert_eq!(firings(&project).len(), 3);
}

#[test]
fn an_answer_that_is_not_there_is_a_warning() {
    let project = project("  - when: Allow Notes to *\n    do: { click: Perhaps }\n");
    project.flow(
        "settings",
        &format!("{ASKS}  - click: Sign out\n    timeout: 200ms\n"),
    );
    project
        .run(&["test"])
        .expect(1)
        .says("could not do `click: Perhaps`: no element matches Perhaps");
}

#[test]
fn a_dialog_whose_answers_all_fail_was_never_answered() {
    let project = project("  - when: Allow Notes to *\n    do: { click: Perhaps }\n");
    project.flow(
        "settings",
        &format!("{ASKS}  - assert not visible: Nowhere\n"),
    );
    project
        .run(&["test"])
        .expect(1)
        .says("the dialog of `on_dialog` (runner.yaml:4) stays")
        .says("was answered in 0 of 3 tries in this step")
        .never_says("comes back");
}

#[test]
fn v4_a_step_leaves_alone_the_dialog_that_it_denies() {
    for (step, says) in [
        (
            "assert not visible: Allow Notes to *",
            "is still on the screen",
        ),
        (
            "wait_for: { id: permission_deny_button, gone: true }",
            "is still on the screen",
        ),
        (
            "assert: { id: permission_message, count: 0 }",
            "1 element matches",
        ),
        (
            "assert: { id: permission_message, count: \"<1\" }",
            "1 element matches",
        ),
    ] {
        let project = project(DENY);
        project.flow("settings", &format!("{ASKS}  - {step}\n    timeout: 1s\n"));
        project
            .run(&["test", "--json", "run.ndjson"])
            .expect(1)
            .says(says);
        assert!(firings(&project).is_empty(), "{step}");
    }
}

#[test]
fn v4_what_a_rule_took_away_in_the_step_before_is_not_gone() {
    for (step, says) in [
        (
            "assert not visible: { id: permission_message }",
            "the step before answered a dialog with it by the rule",
        ),
        (
            "assert: { text: Allow Notes to *, count: 0 }",
            "the step before answered a dialog with it by the rule",
        ),
        (
            "find: Nowhere",
            "the step before answered a dialog by the rule",
        ),
    ] {
        let project = project(DENY);
        let flow = format!("{ASKS}  - click: Sign out\n  - {step}\n    timeout: 1s\n");
        project.flow("settings", &flow);
        project.run(&["test"]).expect(1).says(says);
    }
    let project = project(DENY);
    let flow = format!("{ASKS}  - click: Sign out\n  - assert not visible: Nowhere\n");
    project.flow("settings", &flow);
    project.run(&["test"]).expect(0);
}

#[test]
fn rules_that_do_not_read_are_told_with_their_place() {
    for (rule, message) in [
        ("{ when: A, do: {} }", "do"),
        ("{ do: { press: BACK } }", "when"),
        (
            "{ when: A, do: { press: NOKEY } }",
            "there is no key `NOKEY`",
        ),
        ("{ when: { txt: A }, do: { press: BACK } }", "txt"),
        ("{ when: A, do: { click: B, press: BACK } }", "do"),
        ("{ when: A, do: { tap: B } }", "tap"),
    ] {
        let project = project(&format!("  - {rule}\n"));
        project.flow("one", "steps: [ launch ]\n");
        project
            .run(&["lint"])
            .expect(2)
            .says("runner.yaml:4:")
            .says(message);
    }
}

#[test]
fn a_dialog_is_answered_while_a_step_scrolls() {
    let project = project(DENY);
    project.flow(
        "settings",
        &format!("{ASKS}  - scroll_to: Sign out\n  - click: Sign out\n  - find: Username\n"),
    );
    project.run(&["test", "--json", "run.ndjson"]).expect(0);
    let reported = firings(&project);
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert_eq!(reported[0]["step"], serde_json::json!([2]));
}

/// An app with a long list, which asks for a permission some milliseconds after the click on `Ask`.
fn asks_after(project: &Project, ms: u32) {
    project.write(
        "late/app.yaml",
        &format!("package: com.example.late
label: Late
permissions: [android.permission.POST_NOTIFICATIONS]
activities: {{ .Main: {{ surface: main.yaml, launchable: true }} }}
actions:
  ask:
    - after:
        ms: {ms}
        do: [ request: {{ permission: android.permission.POST_NOTIFICATIONS, granted: [], denied: [] }} ]
"),
    );
    let rows: Vec<String> = (0..120)
        .map(|row| format!("{{ title: Row {row} }}"))
        .collect();
    project.write(
        "late/main.yaml",
        &format!(
            "- version: v0.9
  createSurface: {{ surfaceId: main, catalogId: \"https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json\" }}
- version: v0.9
  updateComponents:
    surfaceId: main
    components:
      - {{ id: root, component: Column, children: [ask, rows] }}
      - {{ id: ask, component: Button, child: ask_text, action: {{ event: {{ name: ask }} }} }}
      - {{ id: ask_text, component: Text, text: Ask }}
      - {{ id: rows, component: List, weight: 1, children: {{ componentId: row, path: /rows }} }}
      - {{ id: row, component: Text, text: {{ path: title }} }}
- version: v0.9
  updateDataModel: {{ surfaceId: main, value: {{ rows: [{}] }} }}
",
            rows.join(", ")
        ),
    );
    project.write(
        "runner.yaml",
        &format!("devices: [virtual]\napps: [late]\non_dialog:\n{DENY}"),
    );
}

#[test]
fn a_dialog_that_comes_while_a_maestro_flow_scrolls_is_answered() {
    let project = Project::empty();
    asks_after(&project, 2500);
    project.write(
        ".maestro/a.yaml",
        "appId: com.example.late
---
- launchApp: { permissions: { all: unset } }
- tapOn: Ask
- scrollUntilVisible: { element: Row 100 }
- longPressOn: Row 100
",
    );
    project
        .run(&["test", ".maestro", "--json", "run.ndjson"])
        .expect(0)
        .says("hid the app");
    let reported = firings(&project);
    assert_eq!(reported.len(), 1, "{reported:?}");
}

/// Gestures that look for no element. Each would go into the dialog, and leave the list where it is.
#[test]
fn a_gesture_without_an_element_begins_after_the_dialog_was_answered() {
    for (is_maestro, step) in [
        (true, "scroll"),
        (true, "swipe: { direction: UP }"),
        (true, "swipe: { start: '50%,60%', end: '50%,20%' }"),
        (false, "scroll: down"),
        (false, "scroll: { direction: down, amount: small }"),
        (false, "swipe_across: up"),
        (
            false,
            "swipe_across: { from: { x: 50%, y: 60% }, to: { x: 50%, y: 20% } }",
        ),
        (
            false,
            "drag: { from: { x: 50%, y: 60% }, to: { x: 50%, y: 20% }, hold: 0ms }",
        ),
    ] {
        let project = Project::empty();
        asks_after(&project, 1);
        let flow = if is_maestro {
            format!(
                "appId: com.example.late
---
- launchApp: {{ permissions: {{ all: unset }} }}
- tapOn: Ask
- {step}
- assertVisible: Ask
- assertNotVisible: Row 0
"
            )
        } else {
            format!(
                "app: com.example.late
steps:
  - launch: {{ clear: true }}
  - click: Ask
  - {step}
  - find: Ask
  - assert not visible: Row 0
"
            )
        };
        project.write("flows/a.yaml", &flow);
        project.run(&["test", "--json", "run.ndjson"]).expect(0);
        let reported = firings(&project);
        assert_eq!(reported.len(), 1, "{step}: {reported:?}");
        assert_eq!(reported[0]["step"], serde_json::json!([2]), "{step}");
    }
}

#[test]
fn a_swipe_that_is_forced_goes_into_the_dialog() {
    let project = Project::empty();
    asks_after(&project, 1);
    let swipe = "swipe_across: { direction: up, force: true }";
    let flow = format!(
        "app: com.example.late
steps:
  - launch: {{ clear: true }}
  - click: Ask
  - {swipe}
  - find: {{ id: permission_message }}
"
    );
    project.write("flows/a.yaml", &flow);
    project.run(&["test", "--json", "run.ndjson"]).expect(0);
    assert!(firings(&project).is_empty());
}

#[test]
fn a_swipe_below_a_dialog_that_comes_back_for_ever_fails() {
    let project = project(DENY);
    project.replace(
        "apps/demo/app.yaml",
        "        denied:\n          - set: { path: /settings/notifications, value: Notifications are off }\n",
        "        denied:\n          - run: ask_notifications\n",
    );
    project.flow("settings", &format!("{ASKS}  - swipe_across: up\n"));
    project
        .run(&["test", "--json", "run.ndjson"])
        .expect(1)
        .says("would take the input")
        .says("was answered 3 times in this step");
    assert_eq!(firings(&project).len(), 3);
}
