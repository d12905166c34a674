//! Tests of ids, types and actions, on synthetic screens and on real recordings.

use std::collections::HashSet;

use super::*;
use runner_screen::DisplayContext;

fn screen(nodes: &str) -> Screen {
    let dump = format!("<hierarchy rotation=\"0\">{nodes}</hierarchy>");
    Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap()
}

/// Formats a node with a class, further attributes and contents.
fn node(class: &str, attributes: &str, inside: &str) -> String {
    format!(
        r#"<node class="{class}" enabled="true" {attributes} bounds="[0,0][100,100]">{inside}</node>"#
    )
}

fn rows(screen: &Screen) -> Vec<(String, &'static str, Vec<&'static str>)> {
    Model::new(screen)
        .elements
        .iter()
        .map(|element| {
            let actions = element.actions.iter().map(|action| action.word()).collect();
            (element.id.clone(), element.kind.word(), actions)
        })
        .collect()
}

fn kind(class: &str, attributes: &str, inside: &str) -> (&'static str, Vec<&'static str>) {
    let screen = screen(&node(class, &format!("text=\"x\" {attributes}"), inside));
    let (_, kind, actions) = rows(&screen).remove(0);
    (kind, actions)
}

#[test]
fn c07_ids_are_the_resource_ids_last_part_where_that_is_unique() {
    let button = |id: &str| {
        node(
            "android.widget.Button",
            &format!("resource-id=\"{id}\""),
            "",
        )
    };
    let screen = screen(
        &[
            button("com.example:id/save"),
            button("com.example:id/item"),
            button("com.example:id/item"),
            button("other:id/item"),
            button("login_form"),
            button(""),
            // Somebody's name is like one that is made up.
            button("com.example:id/Button-2"),
            button("com.example:id/"),
        ]
        .concat(),
    );
    let ids: Vec<String> = rows(&screen).into_iter().map(|(id, ..)| id).collect();
    assert_eq!(
        ids,
        [
            "save",
            "Button-1",
            "Button-3",
            "Button-4",
            "login_form",
            "Button-5",
            "Button-2",
            "Button-6"
        ]
    );
    let model = Model::new(&screen);
    assert_eq!(model.screen_id, "Screen-1");
    assert_eq!(model.find("Button-2").unwrap().node, NodeIndex(6));
    assert!(model.find("Button-7").is_none());
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn c07_types_and_actions_come_from_class_and_states() {
    let check = "clickable=\"true\" checkable=\"true\"";
    let radio = node("android.widget.RadioButton", check, "");
    let boxed = node("android.widget.CheckBox", check, "");
    let tab = |selected: bool| {
        let attributes = format!("clickable=\"true\" selected=\"{selected}\"");
        node("android.widget.FrameLayout", &attributes, "")
    };
    let (on, off) = (tab(true), tab(false));
    let android_tab = node(
        "androidx.appcompat.app.ActionBar$Tab",
        "clickable=\"true\"",
        "",
    );
    let android_tabs = node("android.widget.LinearLayout", "", &android_tab.repeat(2));
    let table: [(&str, &str, &str, &str, &[&str]); 29] = [
        (
            "android.widget.Button",
            "clickable=\"true\"",
            "",
            "Button",
            &["click"],
        ),
        ("android.widget.Button", "", "", "Button", &[]),
        (
            "android.widget.ImageButton",
            "clickable=\"true\"",
            "",
            "Button",
            &["click"],
        ),
        (
            "android.widget.EditText",
            "clickable=\"true\"",
            "",
            "Input",
            &["type_text", "focus"],
        ),
        (
            "android.widget.AutoCompleteTextView",
            "scrollable=\"true\"",
            "",
            "Input",
            &["type_text", "focus"],
        ),
        ("android.widget.Switch", check, "", "Switch", &["toggle"]),
        (
            "androidx.appcompat.widget.SwitchCompat",
            check,
            "",
            "Switch",
            &["toggle"],
        ),
        (
            "android.widget.ToggleButton",
            check,
            "",
            "Switch",
            &["toggle"],
        ),
        (
            "android.widget.CheckBox",
            check,
            "",
            "Checkbox",
            &["toggle"],
        ),
        ("android.widget.CheckBox", "", "", "Checkbox", &[]),
        ("android.view.View", check, "", "Checkbox", &["toggle"]),
        ("android.widget.RadioButton", check, "", "Radio", &["click"]),
        (
            "android.widget.RadioGroup",
            "",
            &radio,
            "RadioGroup",
            &["select"],
        ),
        (
            "android.view.View",
            "",
            &radio.repeat(2),
            "RadioGroup",
            &["select"],
        ),
        (
            "android.widget.LinearLayout",
            "",
            &boxed.repeat(2),
            "Choices",
            &["select"],
        ),
        (
            "android.widget.Spinner",
            "clickable=\"true\"",
            "",
            "Dropdown",
            &["select"],
        ),
        ("android.widget.NumberPicker", "", "", "Picker", &["select"]),
        ("android.widget.TabWidget", "", &off, "Tabs", &["select"]),
        (
            "android.widget.HorizontalScrollView",
            "scrollable=\"true\"",
            &android_tabs,
            "Tabs",
            &["select", "scroll"],
        ),
        (
            "android.widget.LinearLayout",
            "",
            &format!("{on}{off}{off}"),
            "Tabs",
            &["select"],
        ),
        (
            "android.widget.LinearLayout",
            "",
            &format!("{on}{on}"),
            "Container",
            &[],
        ),
        ("android.widget.SeekBar", "", "", "Slider", &[]),
        ("android.widget.ImageView", "", "", "Image", &[]),
        (
            "android.widget.ImageView",
            "clickable=\"true\"",
            "",
            "Button",
            &["click"],
        ),
        (
            "androidx.recyclerview.widget.RecyclerView",
            "scrollable=\"true\"",
            "",
            "List",
            &["scroll"],
        ),
        (
            "android.widget.ScrollView",
            "scrollable=\"true\"",
            "",
            "Scroll",
            &["scroll"],
        ),
        ("android.widget.TextView", "", "", "Text", &[]),
        (
            "android.view.ViewGroup",
            "clickable=\"true\"",
            &on,
            "Button",
            &["click"],
        ),
        (
            "com.google.android.material.chip.ChipGroup",
            "",
            &on,
            "Container",
            &[],
        ),
    ];
    for (class, attributes, inside, expected, actions) in table {
        let (kind, able) = kind(class, attributes, inside);
        assert_eq!(
            (kind, able.as_slice()),
            (expected, actions),
            "{class} {attributes}"
        );
    }
    // What is switched off supports nothing.
    let disabled =
        screen(r#"<node class="android.widget.Button" clickable="true" enabled="false"/>"#);
    assert_eq!(rows(&disabled), [("Button-1".to_owned(), "Button", vec![])]);
}

#[test]
fn c07_boxes_that_only_lay_out_are_left_out() {
    let text = node("android.widget.TextView", "text=\"Title\"", "");
    let row = node(
        "android.view.ViewGroup",
        "clickable=\"true\"",
        &node("android.widget.LinearLayout", "", &text),
    );
    let list = node("android.widget.ListView", "resource-id=\"a:id/list\"", &row);
    let screen = screen(&node("android.widget.FrameLayout", "", &list));
    let model = Model::new(&screen);
    let ids: Vec<&str> = model
        .elements
        .iter()
        .map(|element| element.id.as_str())
        .collect();
    assert_eq!(ids, ["list", "Button-1", "Text-1"]);
    assert_eq!(model.roots, [0]);
    assert_eq!(model.elements[0].children, [1]);
    assert_eq!(model.elements[1].children, [2]);
    let button = &model.elements[1];
    assert_eq!(label(model.node(button), button.kind), "Title");
}

#[test]
fn c07_apps_are_counted_before_the_systems_windows() {
    let window = |id: u32, kind: &str, inside: &str| {
        format!(
            r#"<window index="0" id="{id}" type="{kind}" bounds="[0,0][100,100]"><hierarchy>{inside}</hierarchy></window>"#
        )
    };
    let button = |text: &str| node("android.widget.Button", &format!("text=\"{text}\""), "");
    let dump = format!(
        r#"<displays><display id="0">{}{}{}</display></displays>"#,
        window(3, "TYPE_SYSTEM", &button("bar")),
        window(2, "TYPE_INPUT_METHOD", &button("key")),
        window(1, "TYPE_APPLICATION", &button("app")),
    );
    let screen = Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap();
    let model = Model::new(&screen);
    let texts: Vec<&str> = model
        .elements
        .iter()
        .map(|element| model.node(element).text())
        .collect();
    assert_eq!(texts, ["app", "bar", "key"]);
}

#[test]
fn c07_every_recording_has_unique_ids_that_find_their_elements() {
    let Some(root) = runner_testing::recording("screens") else {
        return;
    };
    let mut count = 0;
    for entry in walkdir::WalkDir::new(root).into_iter().flatten() {
        if entry.path().extension().is_none_or(|kind| kind != "xml") {
            continue;
        }
        let bytes = fs_err::read(entry.path()).unwrap();
        let screen = Screen::parse(&bytes, &DisplayContext::default()).unwrap();
        let model = Model::new(&screen);
        let name = entry.path().display();
        let mut observed = HashSet::new();
        assert!(observed.insert(model.screen_id.clone()));
        for element in &model.elements {
            assert!(
                observed.insert(element.id.clone()),
                "{name}: {}",
                element.id
            );
            assert_eq!(model.find(&element.id), Some(element), "{name}");
            assert_eq!(model.at(element.node), Some(element), "{name}");
            let node = model.node(element);
            let _ = (label(node, element.kind), value(node, element.kind));
        }
        let below: usize = model
            .elements
            .iter()
            .map(|element| element.children.len())
            .sum();
        assert_eq!(below + model.roots.len(), model.elements.len(), "{name}");
        let able = model
            .elements
            .iter()
            .any(|element| !element.actions.is_empty());
        assert!(able, "{name}: nothing can be acted on");
        count += 1;
    }
    assert!(count >= 60, "recordings are missing: {count}");
}
