//! Tests every component of the basic catalogue: its nodes in a dump before and after a person uses it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use super::VirtualPhone;
use crate::{NodeDump, Phone, PhoneOptions, Touch};
use runner_screen::Point;

const PACKAGE: &str = "com.example.parts";

enum Act {
    Nothing,
    Tap(&'static str),
    /// Taps the first text, then the second.
    TapBoth(&'static str, &'static str),
    /// Taps a node at this percentage of its width.
    TapAt(&'static str, i32),
    Type(&'static str, &'static str),
}

/// Name, components in YAML's flow style, data model, and input of each case.
const CASES: [(&str, &str, &str, Act); 18] = [
    (
        "Text",
        "{id: root, component: Column, children: [t, h]}, {id: t, component: Text, text: {path: /v}}, {id: h, component: Text, text: '## Heading'}",
        "{v: 'three < four'}",
        Act::Nothing,
    ),
    (
        "Button",
        "{id: root, component: Button, child: t, action: {functionCall: {call: openUrl, args: {url: 'parts://x'}}}}, {id: t, component: Text, text: Go}",
        "{}",
        Act::Tap("Go"),
    ),
    (
        "Button with a check that fails",
        "{id: root, component: Button, child: t, checks: [{condition: false, message: no}], action: {event: {name: x}}}, {id: t, component: Text, text: Go}",
        "{}",
        Act::Nothing,
    ),
    (
        "TextField",
        "{id: root, component: TextField, label: Name, value: {path: /v}}",
        "{v: ''}",
        Act::Type("root", "ada"),
    ),
    (
        "TextField, obscured",
        "{id: root, component: TextField, label: Password, variant: obscured, value: {path: /v}}",
        "{v: ''}",
        Act::Type("root", "ada"),
    ),
    (
        "CheckBox",
        "{id: root, component: CheckBox, label: Agree, value: {path: /v}}",
        "{v: false}",
        Act::Tap("root"),
    ),
    (
        "ChoicePicker, one of a few",
        "{id: root, component: ChoicePicker, label: Kind, value: {path: /v}, options: [{label: A, value: a}, {label: B, value: b}]}",
        "{v: [a]}",
        Act::Tap("B"),
    ),
    (
        "ChoicePicker, one of many",
        "{id: root, component: ChoicePicker, label: Kind, value: {path: /v}, options: [{label: A, value: a}, {label: B, value: b}, {label: C, value: c}, {label: D, value: d}]}",
        "{v: [a]}",
        Act::TapBoth("root", "C"),
    ),
    (
        "ChoicePicker, several",
        "{id: root, component: ChoicePicker, label: Kind, variant: multipleSelection, value: {path: /v}, options: [{label: A, value: a}, {label: B, value: b}]}",
        "{v: [a]}",
        Act::Tap("B"),
    ),
    (
        "Slider",
        "{id: root, component: Slider, label: Volume, min: 0, max: 10, value: {path: /v}}",
        "{v: 5}",
        Act::TapAt("root", 90),
    ),
    (
        "Image and Icon",
        "{id: root, component: Row, children: [i, c]}, {id: i, component: Image, url: 'x.png', description: A cat}, {id: c, component: Icon, name: search}",
        "{}",
        Act::Nothing,
    ),
    (
        "Row of weights",
        "{id: root, component: Row, children: [a, b]}, {id: a, component: Text, text: one, weight: 1}, {id: b, component: Text, text: two, weight: 2}",
        "{}",
        Act::Nothing,
    ),
    (
        "List of a template",
        "{id: root, component: List, children: {componentId: item, path: /v}}, {id: item, component: Text, text: {path: name}}",
        "{v: [{name: one}, {name: two}]}",
        Act::Nothing,
    ),
    (
        "Card and Divider",
        "{id: root, component: Card, child: c}, {id: c, component: Column, children: [a, d, b]}, {id: a, component: Text, text: above}, {id: d, component: Divider}, {id: b, component: Text, text: below}",
        "{}",
        Act::Nothing,
    ),
    (
        "Tabs",
        "{id: root, component: Tabs, tabs: [{title: One, child: a}, {title: Two, child: b}]}, {id: a, component: Text, text: first}, {id: b, component: Text, text: second}",
        "{}",
        Act::Tap("Two"),
    ),
    (
        "Modal",
        "{id: root, component: Modal, trigger: t, content: c}, {id: t, component: Text, text: Open}, {id: c, component: Text, text: inside}",
        "{}",
        Act::Tap("Open"),
    ),
    (
        "DateTimeInput",
        "{id: root, component: DateTimeInput, label: Due, enableDate: true, value: {path: /v}}",
        "{v: '2026-05-04'}",
        Act::Tap("root"),
    ),
    (
        "A component that is not known",
        "{id: root, component: Video, url: x}",
        "{}",
        Act::Nothing,
    ),
];

/// Returns a phone whose app in front shows components, in YAML, over a data model. The first component is the
/// root.
fn phone(components: &str, model: &str) -> VirtualPhone {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "app.yaml",
        format!(
            "package: {PACKAGE}\nlabel: Parts\nactivities:\n  .Main: {{ surface: main.yaml, launchable: true }}\n"
        ),
    );
    write(
        "main.yaml",
        format!(
            "- version: v0.9\n  createSurface: {{ surfaceId: main, catalogId: \"https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json\" }}\n- version: v0.9\n  updateComponents: {{ surfaceId: main, components: [{components}] }}\n- version: v0.9\n  updateDataModel: {{ surfaceId: main, value: {model} }}\n"
        ),
    );
    let mut phone = VirtualPhone::new(&PhoneOptions {
        apps: vec![camino::Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap()],
        ..PhoneOptions::default()
    })
    .unwrap();
    phone.start(PACKAGE, None, &BTreeMap::new()).unwrap();
    phone
}

/// Returns the nodes of the app's windows.
fn nodes(phone: &VirtualPhone) -> Vec<NodeDump> {
    fn flat(mut node: NodeDump, into: &mut Vec<NodeDump>) {
        let children = std::mem::take(&mut node.children);
        into.push(node);
        for child in children {
            flat(child, into);
        }
    }
    let mut nodes = Vec::new();
    for window in phone.windows() {
        if window.package == PACKAGE
            && let Some(root) = window.root
        {
            flat(root, &mut nodes);
        }
    }
    nodes
}

/// Formats the nodes of the app's windows, a line each: class, id, texts, flags and size.
fn rows(phone: &VirtualPhone) -> String {
    let mut text = String::new();
    for node in nodes(phone) {
        let class = node.class.rsplit('.').next().unwrap_or_default();
        let id = node.resource_id.rsplit('/').next().unwrap_or_default();
        let flags: Vec<&str> = [
            ("clickable", node.clickable),
            ("long-clickable", node.long_clickable),
            ("scrollable", node.scrollable),
            ("checkable", node.checkable),
            ("checked", node.checked),
            ("selected", node.selected),
            ("focused", node.focused),
            ("password", node.password),
            ("disabled", !node.enabled),
        ]
        .into_iter()
        .filter_map(|(name, set)| set.then_some(name))
        .collect();
        let range = node.range.map_or_else(String::new, |at| at.to_string());
        let says = [
            ("text", &node.text),
            ("desc", &node.desc),
            ("hint", &node.hint),
            ("range", &range),
        ]
        .into_iter()
        .filter(|(_, message)| !message.is_empty())
        .fold(String::new(), |mut line, (name, output)| {
            let _ = write!(line, " {name}={output:?}");
            line
        });
        let bounds = node.bounds;
        let _ = writeln!(
            text,
            "  {class}#{id}{says} {} {}x{}",
            flags.join(","),
            bounds.right - bounds.left,
            bounds.bottom - bounds.top
        );
    }
    text
}

/// Taps a node at `part` percent of its width, and lets half a second pass. Panics if none has this text,
/// description or id.
fn tap(phone: &mut VirtualPhone, name: &str, part: i32) {
    let node = nodes(phone)
        .into_iter()
        .find(|node| {
            node.text == name
                || node.desc == name
                || node.resource_id.ends_with(&format!("/{name}"))
        })
        .unwrap_or_else(|| panic!("no {name} in\n{}", rows(phone)));
    let bounds = node.bounds;
    let at = Point {
        x: bounds.left + (bounds.right - bounds.left) * part / 100,
        y: bounds.center().y,
    };
    phone.fingers(&[Touch {
        path: vec![(at, Duration::ZERO), (at, Duration::from_millis(50))],
    }]);
    phone.advance(Duration::from_millis(500));
}

/// Compares the nodes of each case before and after its input with a snapshot. The input must change them, except
/// for links.
#[test]
fn what_dumps_say_of_components_before_and_after_use() {
    let mut text = String::new();
    for (name, components, model, act) in CASES {
        let mut phone = phone(components, model);
        let before = rows(&phone);
        let _ = writeln!(text, "{name}\n{before}");
        match act {
            Act::Nothing => continue,
            Act::Tap(what) => tap(&mut phone, what, 50),
            Act::TapAt(what, part) => tap(&mut phone, what, part),
            Act::TapBoth(first, second) => {
                tap(&mut phone, first, 50);
                tap(&mut phone, second, 50);
            }
            Act::Type(what, typed) => {
                tap(&mut phone, what, 50);
                phone.input_text(typed).unwrap();
            }
        }
        let after = rows(&phone);
        let _ = writeln!(text, "{name}, used\n{after}");
        if !components.contains("openUrl") {
            assert_ne!(before, after, "{name} does nothing");
        }
    }
    insta::assert_snapshot!(text);
}

/// Tests that a toast and the shade change the picture, and that it is as before once they are gone. Stores the
/// pictures for people if `RUNNER_TEST_PICTURES=FOLDER` was set at build time.
#[test]
fn what_comes_over_an_app_goes_again() {
    let demo =
        camino::Utf8PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/demo"));
    let mut phone = VirtualPhone::new(&PhoneOptions {
        apps: vec![demo],
        ..PhoneOptions::default()
    })
    .unwrap();
    phone
        .start("com.example.notes", None, &BTreeMap::new())
        .unwrap();
    let save = |phone: &mut VirtualPhone, name: &str| {
        let picture = phone.draw();
        if let Some(folder) = option_env!("RUNNER_TEST_PICTURES") {
            picture.save(format!("{folder}/{name}.png")).unwrap();
        }
        picture
    };
    let plain = save(&mut phone, "plain");
    let forgot = phone
        .windows()
        .into_iter()
        .filter_map(|window| window.root)
        .find_map(|root| find(&root, "forgot"))
        .unwrap();
    let at = forgot.center();
    phone.fingers(&[Touch {
        path: vec![(at, Duration::ZERO), (at, Duration::from_millis(50))],
    }]);
    assert_ne!(save(&mut phone, "toast"), plain);
    phone.advance(Duration::from_secs(5));
    assert_eq!(phone.draw(), plain);
    phone.status_bar("notifications");
    assert_ne!(save(&mut phone, "shade"), plain);
    phone.status_bar("collapse");
    assert_eq!(phone.draw(), plain);
}

/// Returns the bounds of the first node with an id, at or below `node`, or `None`.
fn find(node: &NodeDump, id: &str) -> Option<runner_screen::Rect> {
    if node.resource_id.ends_with(&format!("/{id}")) {
        return Some(node.bounds);
    }
    node.children.iter().find_map(|child| find(child, id))
}
