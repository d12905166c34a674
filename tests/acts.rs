//! Acts and their evidence: on a device that does nothing, half of the act, or something else, no act with
//! evidence passes.

use std::collections::{BTreeMap, BTreeSet};

use runner::tools::{Effect, registry};

use crate::common::{Project, Ran};

/// Reads the table "Evidence" of `docs/developers/verdicts.md`: the tool, and whether its act leaves
/// evidence.
fn evidence() -> BTreeMap<String, bool> {
    let document = include_str!("../docs/developers/verdicts.md");
    let (_, section) = document.split_once("\n## Evidence").expect("the section");
    let section = section.lines().take_while(|line| !line.starts_with("## "));
    let rows = section.filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        (cells[0].trim_matches('`').to_owned(), cells[1] == "seen")
    })
    .collect()
}

#[test]
fn every_acting_tool_names_its_evidence() {
    let table: Vec<String> = evidence().into_keys().collect();
    let mut tools: Vec<String> = registry::entries()
        .iter()
        .filter(|entry| entry.effect != Effect::Reads)
        .map(|entry| entry.name.to_owned())
        .collect();
    tools.sort();
    assert_eq!(table, tools);
}

/// Runs a flow on a built-in device with a quirk.
fn run(project: &Project, quirk: &str, flow: &str) -> Ran {
    project.flow("act", flow);
    let mut command = project.command(&["test", "--update", "none"]);
    let ran = command.env("RUNNER_QUIRKS", quirk).output();
    Ran::from(ran.expect("the program starts"))
}

/// Returns the tool's name in a step.
fn tool(step: &str) -> &str {
    step.split(':').next().unwrap_or(step)
}

const DEAF: &str = "deaf-settings";
const FIXED: &str = "fixed-orientation";
const HALF: &str = "half-input";
const LOST: &str = "deaf-input";

/// Acts on devices that do nothing, half of it or something else.
const ACTS: [(&str, &str); 40] = [
    (DEAF, "launch: com.example.notes"),
    (
        DEAF,
        "open_link: { link: 'notes://inbox', app: com.example.notes }",
    ),
    (DEAF, "open_app: com.example.notes"),
    (DEAF, "mobile_agent.launch_app: com.example.notes"),
    (DEAF, "scenario.launchAppByPackage: com.example.notes"),
    (DEAF, "scenario.startTestingScenario: com.example.notes"),
    (DEAF, "install: apps/demo"),
    (DEAF, "uninstall: com.example.notes"),
    (DEAF, "clear: com.example.gone"),
    (DEAF, "grant: POST_NOTIFICATIONS"),
    (DEAF, "grant: com.example.permission.NOPE"),
    (DEAF, "grant: { permission: CAMERA, app: com.example.gone }"),
    (
        DEAF,
        "revoke: { permission: CAMERA, app: com.example.gone }",
    ),
    (DEAF, "rotate: landscape"),
    (DEAF, "set_device: { dark: true }"),
    (DEAF, "set_device: { locale: de-DE }"),
    (DEAF, "set_device: { font_scale: 1.3 }"),
    (DEAF, "set_device: { airplane: true }"),
    (DEAF, "set_device: { location: false }"),
    (FIXED, "rotate: landscape"),
    (FIXED, "rotate: reverse_portrait"),
    (HALF, "type: { into: { id: username }, text: adalove }"),
    (HALF, "type: { into: { id: password }, text: lovelace }"),
    (HALF, "type: { into: { id: username }, text: '5.0000000' }"),
    (HALF, "type: { into: { id: username }, text: '1,000,000' }"),
    (HALF, "type: { into: { id: username }, text: 'abc---' }"),
    (HALF, "type: { into: { id: username }, text: '10 EUR' }"),
    (LOST, "type: { into: { id: username }, text: adalove }"),
    (LOST, "type: { into: { id: password }, text: lovelace }"),
    (
        HALF,
        "type_append_text: { element_id: '${f.node}', text: adalove }",
    ),
    (
        HALF,
        "type_insert_text: { element_id: '${f.node}', text: adalove, offset: 0 }",
    ),
    (
        HALF,
        "mobile_agent.type_text: { control_id: '${f.node}', control_name: Username, text: adalove }",
    ),
    (
        HALF,
        "scenario.inputText: { fieldSelector: username, text: adalove }",
    ),
    (
        HALF,
        "semantic.type_text: { element_id: '${f.node}', text: adalove }",
    ),
    (
        LOST,
        "type_append_text: { element_id: '${f.node}', text: adalove }",
    ),
    (
        LOST,
        "type_insert_text: { element_id: '${f.node}', text: adalove, offset: 0 }",
    ),
    (
        LOST,
        "mobile_agent.type_text: { control_id: '${f.node}', control_name: Username, text: adalove }",
    ),
    (
        LOST,
        "scenario.inputText: { fieldSelector: username, text: adalove }",
    ),
    (
        LOST,
        "semantic.type_text: { element_id: '${f.node}', text: adalove }",
    ),
    (LOST, "scroll_to: { text: Nowhere }"),
];

/// Acts with evidence that [`ACTS`] does not try, and the reason.
const NOT_TRIED: [(&str, &str); 34] = [
    ("type_replace_text", "as `type`, tested in its crate"),
    ("type_clear_text", "as `type`, tested in its crate"),
    ("close_app", "as `stop`"),
    (
        "stop",
        "no process runs on a device that starts nothing; tested in `runner-device`",
    ),
    ("scenario.hideKeyboard", "as `hide_keyboard`"),
    ("scroll_to_element", "as `scroll_to`"),
    ("shell", "the command's own exit code"),
    ("push", "faults of storage, in `tests/faults.rs`"),
    ("pull", "faults of storage, in `tests/faults.rs`"),
    (
        "download_from_url",
        "faults of storage, in `tests/faults.rs`",
    ),
    ("write_file", "faults of storage, in `tests/faults.rs`"),
    ("append_file", "faults of storage, in `tests/faults.rs`"),
    ("file_replace", "faults of storage, in `tests/faults.rs`"),
    ("delete_file", "faults of storage, in `tests/faults.rs`"),
    ("http", "an answer of the server"),
    ("semantic.send_a2ui", "an answer of the server"),
    ("screenshot", "faults of pictures, in `tests/pictures.rs`"),
    ("record", "faults of pictures, in `tests/pictures.rs`"),
    (
        "scenario.takeScreenshot",
        "faults of pictures, in `tests/pictures.rs`",
    ),
    (
        "scenario.startScreenRecording",
        "faults of pictures, in `tests/pictures.rs`",
    ),
    (
        "scenario.stopScreenRecording",
        "faults of pictures, in `tests/pictures.rs`",
    ),
    ("find", "it only looks"),
    ("wait_for", "it only looks"),
    ("assert visible", "it only looks"),
    ("assert not visible", "it only looks"),
    ("assert", "it only looks"),
    ("assert log", "it only looks"),
    ("semantic.select", "tested in its crate"),
    ("semantic.toggle", "tested in its crate"),
    (
        "mobile_agent.invalidate_cache",
        "it does nothing on the device",
    ),
    (
        "scenario.initializeTestScenarioReport",
        "it does nothing on the device",
    ),
    (
        "scenario.updateTestScenarioReport",
        "it does nothing on the device",
    ),
    (
        "erase",
        "a field must hold a text first; tested in its crate",
    ),
    ("hide_keyboard", "a keyboard that stays, in `runner-tools`"),
];

#[test]
fn every_act_with_evidence_is_tried_or_says_why_not() {
    let tried: BTreeSet<&str> = ACTS.iter().map(|(_, act)| tool(act)).collect();
    let left: BTreeSet<&str> = NOT_TRIED.iter().map(|(name, _)| *name).collect();
    let table = evidence();
    let seen = table.iter().filter(|(_, seen)| **seen);
    let seen: BTreeSet<&str> = seen.map(|(name, _)| name.as_str()).collect();
    assert_eq!(tried.union(&left).copied().collect::<BTreeSet<_>>(), seen);
    assert!(tried.is_disjoint(&left));
}

#[test]
fn no_act_that_is_seen_is_green_on_a_device_that_does_not_do_it() {
    let table = evidence();
    for (odd, act) in ACTS {
        assert!(table[tool(act)], "{act}");
        let project = Project::with_demo_app();
        let begin = if odd == DEAF {
            ""
        } else {
            "  - launch\n  - find: { id: username }\n    as: f\n"
        };
        let flow = format!("steps:\n{begin}  - {act}\n");
        let ran = run(&project, odd, &flow);
        // A flow that does not read, or a device that is lost, is no verdict of the act.
        assert_eq!(ran.code, 1, "{odd} {act}: {}{}", ran.stdout, ran.stderr);
        assert!(!ran.stdout.contains("panicked"), "{}", ran.stdout);
    }
}

/// A place that a step promises was reached only if a gesture was seen to move something, or nothing had to move.
#[test]
fn no_element_is_in_the_middle_of_a_list_that_no_drag_has_moved() {
    let project = Project::with_demo_app();
    for (note, way) in [
        ("Groceries", "down"),
        ("Groceries", "up"),
        ("Books to read", "down"),
    ] {
        let flow = format!(
            "steps:
  - launch: {{ activity: .Inbox }}
  - find: {note}
  - scroll_to: {{ text: {note}, in: {{ id: notes }}, direction: {way}, center: true }}
"
        );
        run(&project, LOST, &flow)
            .expect(1)
            .says("was not moved to the middle");
        run(&project, "late-text", &flow).expect(0);
    }
}

/// Maestro's commands do the same.
#[test]
fn no_command_of_maestros_is_green_on_a_device_that_does_not_do_it() {
    for (odd, command) in [
        (DEAF, "launchApp"),
        (
            DEAF,
            "setPermissions: { permissions: { notifications: allow } }",
        ),
        (DEAF, "setPermissions: { permissions: { all: allow } }"),
        (DEAF, "launchApp: { permissions: { notifications: allow } }"),
        (DEAF, "setOrientation: LANDSCAPE_LEFT"),
        (DEAF, "setDarkMode: enabled"),
        (DEAF, "setAirplaneMode: enabled"),
        (FIXED, "setOrientation: LANDSCAPE_LEFT"),
    ] {
        let project = Project::with_demo_app();
        let begin = if odd == DEAF { "" } else { "- launchApp\n" };
        let flow = format!("appId: com.example.notes\n---\n{begin}- {command}\n");
        let ran = run(&project, odd, &flow);
        assert_eq!(ran.code, 1, "{odd} {command}: {}{}", ran.stdout, ran.stderr);
        let green = run(&project, "late-text", &flow);
        assert_eq!(green.code, 0, "{command}: {}{}", green.stdout, green.stderr);
    }
}

#[test]
fn the_same_acts_are_green_on_a_device_that_does_them() {
    let project = Project::with_demo_app();
    let flow = "steps:
  - launch
  - grant: POST_NOTIFICATIONS
  - revoke: POST_NOTIFICATIONS
  - rotate: landscape
  - rotate: reverse_portrait
  - rotate: portrait
  - set_device: { dark: true, locale: de-DE, font_scale: 1.3, airplane: true, location: false }
  - stop
  - launch: { clear: true }
  - type: { into: { id: username }, text: adalove }
  - type: { into: { id: password }, text: lovelace }
  - erase: { id: username }
  - clear
  - uninstall: com.example.notes
";
    run(&project, "late-text", flow).expect(0);
}

#[test]
fn j1_a_text_of_several_lines_is_cleared_and_continued_wherever_it_was_clicked() {
    let long = "This text is long enough to be broken into several lines of this field by its width, \
                and so that a caret in its first line is far from the end of the whole text";
    let project = Project::with_demo_app();
    let flow = format!(
        "steps:
  - launch: {{ activity: .Form }}
  - type: {{ into: {{ id: body }}, text: '{long}' }}
  - click: {{ id: title }}
  - click: {{ id: body }}
  - type: {{ into: {{ id: body }}, text: ' END' }}
  - assert: {{ id: body, text: '{long} END' }}
  - click: {{ id: title }}
  - click: {{ id: body }}
  - type: {{ into: {{ id: body }}, text: new, clear: true }}
  - assert: {{ id: body, text: new }}
  - type: {{ into: {{ id: body }}, text: '{long}', clear: true }}
  - click: {{ id: title }}
  - erase: {{ id: body }}
  - assert: {{ id: body, text: '' }}
"
    );
    run(&project, "late-text", &flow).expect(0);
}

#[test]
fn j5_what_an_assertion_expects_may_be_a_number_of_an_expression() {
    let project = Project::with_demo_app();
    let flow = "steps:
  - launch
  - type: { into: { id: username }, text: 41, clear: true }
  - find: { id: username }
    as: before
  - type: { into: { id: username }, text: '${before.text | int + 1}', clear: true }
  - assert: { id: username, text: '${before.text | int + 1}' }
  - assert: { on: { id: username, text: '${before.text | int + 1}' } }
  - assert: { on: { id: username, text: '${40 + 2}' }, count: 1 }
  - assert: { any_of: [ { text: '${1 + 1}' }, { text: '${40 + 2}' } ], count: 1 }
";
    run(&project, "taskbar", flow).expect(0);
}
