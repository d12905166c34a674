//! Targets of touches when something lies above the element, from a flow to what the app hears.

use crate::common::{Project, Ran};

const MANIFEST: &str = "package: com.example.notes
label: Notes
activities: { .Main: { surface: main.yaml, launchable: true } }
actions: { heard: [ { log: { level: I, tag: heard, message: { context: who } } } ] }
";

/// Screen with a field and two buttons, one of which lies below a higher one; and a button in the lower right
/// corner.
const SURFACE: &str = r#"
- version: v0.9
  createSurface: { surfaceId: main, catalogId: "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json" }
- version: v0.9
  updateComponents:
    surfaceId: main
    components:
      - { id: root, component: Stack, children: [page, corner] }
      - { id: page, component: Column, children: [name, save, pile] }
      - { id: name, component: TextField, label: Name, value: { path: /name } }
      - { id: save, component: Button, child: save_text, action: { event: { name: heard, context: { who: save } } } }
      - { id: save_text, component: Text, text: Save }
      - { id: pile, component: Stack, children: [below, above] }
      - { id: below, component: Button, child: below_text, action: { event: { name: heard, context: { who: below } } } }
      - { id: below_text, component: Text, text: Delete }
      - id: above
        component: Button
        child: above_text
        place: fill
        elevation: 6
        action: { event: { name: heard, context: { who: above } } }
      - { id: above_text, component: Text, text: Undo }
      - id: corner
        component: Button
        child: corner_text
        place: bottomEnd
        action: { event: { name: heard, context: { who: corner } } }
      - { id: corner_text, component: Text, text: Send }
- version: v0.9
  updateDataModel: { surfaceId: main, value: { name: "" } }
"#;

/// Makes a project whose only app has overlapping elements, and one flow.
fn project(steps: &str) -> Project {
    let project = Project::empty();
    project
        .write("apps/pile/app.yaml", MANIFEST)
        .write("apps/pile/main.yaml", SURFACE)
        .write("runner.yaml", "devices: [virtual]\napps: [apps/pile]\n")
        .flow("touch", &format!("steps:\n  - launch\n{steps}"));
    project
}

fn run(steps: &str, quirks: &str) -> Ran {
    let project = project(steps);
    let mut command = project.command(&["test"]);
    if !quirks.is_empty() {
        command.env("RUNNER_QUIRKS", quirks);
    }
    Ran::from(command.output().expect("the program starts"))
}

/// Returns a step that passes once the app has heard the click of a button.
fn heard(who: &str) -> String {
    format!("  - assert log: {{ tag: heard, contains: {who} }}\n")
}

#[test]
fn a_touch_goes_beside_a_bubble_of_another_app() {
    let steps = format!("  - click: {{ id: corner }}\n{}", heard("corner"));
    run(&steps, "overlay").expect(0).says("1 passed");
    // The bubble lies over the middle, or the law above says nothing.
    let steps = format!(
        "  - click: {{ id: corner, force: true }}\n{}",
        heard("corner")
    );
    run(&steps, "overlay").expect(1);
}

#[test]
fn an_element_below_another_is_refused_within_its_limit_and_forced_on_request() {
    let step = "  - click: { id: below }\n    timeout: 1s\n";
    run(step, "")
        .expect(1)
        .says("is covered by Button \"Undo\"");
    let steps = format!(
        "  - click: {{ id: below, force: true }}\n{}",
        heard("above")
    );
    run(&steps, "").expect(0);
}

#[test]
fn windows_that_take_no_touches_there_cover_nothing() {
    let steps = format!(
        "  - type: {{ into: {{ id: name }}, text: ada }}\n  - click: {{ id: save }}\n{}",
        heard("save")
    );
    for quirks in ["veil", "tall-keyboard", "veil,tall-keyboard,overlay"] {
        let ran = run(&steps, quirks).expect(0);
        assert!(!ran.stdout.contains("note"), "{quirks}: {}", ran.stdout);
    }
}

/// Every gesture that begins at an element, with what its finger touches first: all of "Delete" lies below "Undo".
#[test]
fn a_gesture_that_begins_below_another_element_is_refused_and_forced_on_request() {
    for (step, key) in [
        ("click", "id: below"),
        ("double_click", "id: below"),
        ("long_click", "id: below"),
        ("click", "id: below, at: { x: 50%, y: 50% }"),
        ("double_click", "on: { id: below }, at: { x: 10%, y: 50% }"),
        ("long_click", "id: below, at: { x: 90%, y: 50% }"),
        ("swipe_across", "on: { id: below }, direction: left"),
        (
            "swipe_across",
            "on: { id: below }, from: { x: 10%, y: 50% }, to: { x: 90%, y: 50% }",
        ),
        ("drag", "from: { id: below }, to: { id: save }"),
        (
            "drag",
            "from: { on: { id: below }, at: { x: 50%, y: 50% } }, to: { x: 50%, y: 20% }",
        ),
        ("two_fingers", "on: { id: below }, turn: 90"),
    ] {
        let step_with = |more: &str| format!("  - {step}: {{ {key}{more} }}\n    timeout: 1s\n");
        run(&step_with(""), "")
            .expect(1)
            .says("is covered by Button \"Undo\"");
        run(&step_with(", force: true"), "").expect(0);
    }
}

/// Checks that a drag may end below another element: the gesture belongs to what took its beginning.
#[test]
fn a_drag_may_end_below_another_element() {
    run("  - drag: { from: { id: save }, to: { id: below } }\n", "").expect(0);
}

/// A bubble of another app over the middle: what begins there is refused, or goes beside it.
#[test]
fn gestures_of_elements_begin_beside_a_bubble() {
    run(
        "  - drag: { from: { id: corner }, to: { id: save } }\n",
        "overlay",
    )
    .expect(0);
    let step = "  - click: { id: corner, at: { x: 50%, y: 50% } }\n    timeout: 1s\n";
    run(step, "overlay").expect(1).says("is covered by");
    let steps = "appId: com.example.notes\n---\n- launchApp\n- swipe:\n    from: { id: corner }\n    direction: LEFT\n";
    let project = project("");
    project.write("flows/touch.yaml", steps);
    let mut command = project.command(&["test"]);
    command.env("RUNNER_QUIRKS", "overlay");
    let ran = Ran::from(command.output().expect("the program starts"));
    ran.expect(1).says("is covered by");
}

/// Maestro's swipes over the display begin in its middle, which the keyboard covers in landscape.
#[test]
fn a_swipe_over_the_display_is_refused_where_the_keyboard_would_take_it() {
    for (command, code) in [
        ("scroll", 1),
        ("swipe: { direction: UP }", 1),
        // On a line above the keyboard, and from a start above it.
        ("swipe: { direction: LEFT }", 0),
        ("swipe: { direction: DOWN }", 0),
        // Points are touched as they are named.
        ("swipe: { start: '50%,50%', end: '50%,10%' }", 0),
    ] {
        for (hide, code) in [("", code), ("- hideKeyboard\n", 0)] {
            let project = project("");
            let flow = format!(
                "appId: com.example.notes
---
- launchApp
- tapOn: {{ id: name }}
- setOrientation: LANDSCAPE_LEFT
{hide}- {command}
"
            );
            project.write("flows/touch.yaml", &flow);
            let ran = project.run(&["test"]).expect(code);
            if code == 1 {
                ran.says("the screen is covered by the keyboard");
            }
        }
    }
}
