//! The catalogue's tools as steps.

use super::project;

fn flow(steps: &str) -> String {
    format!("app: com.example.kit\nsteps:\n  - launch\n{steps}")
}

#[test]
fn c01_to_c08_are_steps_of_flows() {
    let project = project();
    project.write(
        "flows/all.yaml",
        &flow(
            r#"  - semantic.click: save
  - assert visible: Saved
  - semantic.send_a2ui: { message: { updateDataModel: { data: { /counter: 42 } } } }
  - assert visible: "42"
  - semantic.type_text: { element_id: name, text: Ada }
  - semantic.focus: name
  - semantic.toggle: dark_mode
    as: dark
  - assert: { that: "${dark.new_value}" }
  - semantic.select: { element_id: colour, value: Teal }
  - assert visible: Teal
  - semantic.list_actionable
  - semantic.click: long
  - semantic.scroll: { element_id: messages, direction: down, amount: 5000 }
  - assert visible: Row 40
"#,
        ),
    );
    project.run(&["test", "flows/all.yaml"]).expect(0);
}

#[test]
fn c01_a_step_fails_with_the_tools_words() {
    let project = project();
    for (name, step, words) in [
        (
            "missing",
            "semantic.click: nobody",
            "Element not found: nobody",
        ),
        (
            "unable",
            "semantic.toggle: greeting",
            "Element 'greeting' does not support 'toggle'",
        ),
        (
            "a2ui",
            "semantic.send_a2ui: { message: { dance: {} } }",
            "A2UI message failed: unknown message `dance`",
        ),
    ] {
        let file = format!("flows/{name}.yaml");
        project.write(&file, &flow(&format!("  - {step}\n")));
        project.run(&["test", &file]).expect(1).says(words);
    }
}

#[test]
fn c04_lint_finds_wrong_arguments() {
    let project = project();
    for (name, step, words) in [
        (
            "direction",
            "semantic.scroll: { element_id: a, direction: sideways }",
            "sideways",
        ),
        ("missing", "semantic.type_text: { text: a }", "element_id"),
        ("unknown", "semantic.click: { element: a }", "element_id"),
        (
            "message",
            "semantic.send_a2ui: { message: hello }",
            "message",
        ),
    ] {
        let file = format!("flows/{name}.yaml");
        project.write(&file, &flow(&format!("  - {step}\n")));
        project.run(&["lint", &file]).expect(2).says(words);
    }
}

#[test]
fn c01_to_c08_as_keeps_their_results() {
    let project = project();
    project.write(
        "flows/kept.yaml",
        &flow(
            r#"  - semantic.list_actionable:
    as: all
  - assert: { that: "${all.elements[1].id == 'name'}" }
  - semantic.type_text: { element_id: "${all.elements[1].id}", text: Ada }
    as: typed
  - assert: { that: "${typed.success and typed.message == 'Typed text into name'}" }
  - semantic.focus: pin
    as: focused
  - assert: { that: "${focused.element_id == 'pin'}" }
  - semantic.toggle: dark_mode
    as: dark
  - assert: { that: "${dark.new_value}" }
  - semantic.select: { element_id: size, value: Large }
    as: selected
  - assert: { that: "${selected.message == \"Selected 'Large' in size\"}" }
  - semantic.send_a2ui: { message: { updateDataModel: { data: { /counter: 42 } } } }
    as: sent
  - assert: { that: "${sent.success}" }
  - semantic.click: long
    as: clicked
  - assert: { that: "${clicked.message == 'Clicked long'}" }
  - semantic.scroll: { element_id: messages, direction: down }
    as: scrolled
  - assert: { that: "${scrolled.message == 'Scrolled down by 100'}" }
"#,
        ),
    );
    project.run(&["test", "flows/kept.yaml"]).expect(0);
}
