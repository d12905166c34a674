//! An act says what it saw: on a device that does nothing, half of it, or something else, no act with evidence is green.

use std::collections::BTreeMap;

use runner::tools::{Effect, registry};

use crate::common::{Project, Ran};

/// The rows of the table "Evidence" in `docs/developers/verdicts.md`: the tool, and whether its act is seen.
fn evidence() -> BTreeMap<String, bool> {
    let document = include_str!("../docs/developers/verdicts.md");
    let (_, section) = document.split_once("\n## Evidence").expect("the section");
    let rows = section.lines().filter(|line| line.starts_with("| `"));
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

/// What a flow comes to on a built-in device with a quirk.
fn run(project: &Project, quirk: &str, flow: &str) -> Ran {
    project.flow("act", flow);
    let mut command = project.command(&["test", "--update", "none"]);
    let ran = command.env("RUNNER_QUIRKS", quirk).output();
    Ran::from(ran.expect("the program starts"))
}

/// The name of a step's tool.
fn tool(step: &str) -> &str {
    step.split(':').next().unwrap_or(step)
}

#[test]
fn no_act_that_is_seen_is_green_on_a_device_that_does_not_do_it() {
    let deaf = "deaf-settings";
    let fixed = "fixed-orientation";
    let half = "half-input";
    let lost = "deaf-input";
    let name = "type: { into: { id: username }, text: adalove }";
    let password = "type: { into: { id: password }, text: lovelace }";
    let acts = [
        (deaf, "launch: com.example.notes"),
        (
            deaf,
            "open_link: { link: 'notes://inbox', app: com.example.notes }",
        ),
        (deaf, "install: app"),
        (deaf, "uninstall: com.example.notes"),
        (deaf, "clear: com.example.gone"),
        (deaf, "grant: POST_NOTIFICATIONS"),
        (deaf, "grant: NOPE"),
        (deaf, "grant: { permission: CAMERA, app: com.example.gone }"),
        (
            deaf,
            "revoke: { permission: CAMERA, app: com.example.gone }",
        ),
        (deaf, "rotate: landscape"),
        (deaf, "set_device: { dark: true }"),
        (deaf, "set_device: { locale: de-DE }"),
        (deaf, "set_device: { font_scale: 1.3 }"),
        (deaf, "set_device: { airplane: true }"),
        (deaf, "set_device: { location: false }"),
        (fixed, "rotate: landscape"),
        (fixed, "rotate: reverse_portrait"),
        (half, name),
        (half, password),
        (half, "type: { into: { id: username }, text: '5.0000000' }"),
        (half, "type: { into: { id: username }, text: '1,000,000' }"),
        (half, "type: { into: { id: username }, text: 'abc---' }"),
        (half, "type: { into: { id: username }, text: '10 EUR' }"),
        (lost, name),
        (lost, password),
        (lost, "scroll_to: { text: Nowhere }"),
    ];
    let table = evidence();
    for (odd, act) in acts {
        assert!(table[tool(act)], "{act}");
        let project = Project::with_demo_app();
        let begin = if odd == deaf { "" } else { "  - launch\n" };
        let flow = format!("steps:\n{begin}  - {act}\n");
        let ran = run(&project, odd, &flow);
        // A flow that does not read, or a device that is lost, is no verdict of the act.
        assert_eq!(ran.code, 1, "{odd} {act}: {}{}", ran.stdout, ran.stderr);
        assert!(!ran.stdout.contains("panicked"), "{}", ran.stdout);
    }
}

/// Maestro's commands do the same.
#[test]
fn no_command_of_maestros_is_green_on_a_device_that_does_not_do_it() {
    let (deaf, fixed) = ("deaf-settings", "fixed-orientation");
    for (odd, command) in [
        (deaf, "launchApp"),
        (
            deaf,
            "setPermissions: { permissions: { notifications: allow } }",
        ),
        (deaf, "setPermissions: { permissions: { all: allow } }"),
        (deaf, "launchApp: { permissions: { notifications: allow } }"),
        (deaf, "setOrientation: LANDSCAPE_LEFT"),
        (deaf, "setDarkMode: enabled"),
        (deaf, "setAirplaneMode: enabled"),
        (fixed, "setOrientation: LANDSCAPE_LEFT"),
    ] {
        let project = Project::with_demo_app();
        let begin = if odd == deaf { "" } else { "- launchApp\n" };
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
