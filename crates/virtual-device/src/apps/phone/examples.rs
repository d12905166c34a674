//! Tests that all versions of A2UI's public examples are shown, with nothing drawn outside its parent.
//!
//! If `RUNNER_TEST_PICTURES=FOLDER` is set at build time, the pictures are stored for people.
//! `RUNNER_TEST_EXAMPLES=FOLDER` takes other examples, as `VERSION/NAME/FILE.json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use camino::Utf8PathBuf;
use serde_json::Value;

use super::scene;
use super::{VirtualPhone, WindowName};
use crate::apps::ui::{Axis, LayoutNode};
use crate::{Phone, PhoneOptions};
use runner_screen::Rect;

const PACKAGE: &str = "com.example.gallery";
/// Pixels by which rounding may move an edge.
const SLACK: i32 = 1;

/// Returns the JSON files of examples, by name, from the recordings or from `RUNNER_TEST_EXAMPLES`. Empty without
/// recordings.
fn examples() -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    let mut folders: Vec<PathBuf> = match option_env!("RUNNER_TEST_EXAMPLES") {
        Some(folder) => vec![folder.into()],
        None => runner_testing::recording("a2ui").into_iter().collect(),
    };
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let is_example =
                option_env!("RUNNER_TEST_EXAMPLES").is_some() || folder.ends_with("examples");
            if path.is_dir() {
                folders.push(path);
            } else if is_example && path.extension().is_some_and(|end| end == "json") {
                found.insert(name_of(&path), path);
            }
        }
    }
    found
}

/// Returns a name for a file: its last three folders and names with `-`, without its ending.
fn name_of(path: &Path) -> String {
    let parts: Vec<String> = path
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .filter(|part| part != "examples" && part != "catalogs")
        .collect();
    parts[parts.len().saturating_sub(3)..].join("-")
}

/// Returns a phone whose app in front shows these messages. Their surface becomes the one in front. Panics if they
/// are refused.
fn phone_with(messages: &mut Value) -> VirtualPhone {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
    std::fs::write(root.join("main.json"), "[]").unwrap();
    let manifest = format!(
        "package: {PACKAGE}\nlabel: Gallery\nactivities:\n  .Main: {{ surface: main.json, launchable: true }}\n"
    );
    std::fs::write(root.join("app.yaml"), manifest).unwrap();
    let mut phone = VirtualPhone::new(&PhoneOptions {
        apps: vec![root],
        ..PhoneOptions::default()
    })
    .unwrap();
    phone.start(PACKAGE, None, &BTreeMap::new()).unwrap();
    phone.take_log();
    in_front(messages);
    phone
        .a2ui(&messages.to_string())
        .unwrap_or_else(|problem| panic!("{messages}: {problem}"));
    phone
}

/// Replaces every `surfaceId` in a message by `default`, the surface in front.
fn in_front(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(in_front),
        Value::Object(fields) => {
            for (name, value) in fields {
                if name == "surfaceId" {
                    *value = "default".into();
                } else {
                    in_front(value);
                }
            }
        }
        _ => {}
    }
}

/// Adds a line for each element below `placed` that is drawn outside its parent or over its neighbour by more than
/// [`SLACK`]. A view may scroll along its axis.
fn misplaced(placed: &LayoutNode, found: &mut Vec<String>) {
    let rect = placed.rect;
    let scroll = placed.element.layout.scroll;
    for child in &placed.children {
        let inner = child.rect;
        let across = inner.left >= rect.left - SLACK && inner.right <= rect.right + SLACK;
        let down = inner.top >= rect.top - SLACK && inner.bottom <= rect.bottom + SLACK;
        let inside = (across || scroll == Some(Axis::Horizontal))
            && (down || scroll == Some(Axis::Vertical));
        if !inside && child.visible().is_some() {
            found.push(format!(
                "{} is outside {}",
                describe(child),
                describe(placed)
            ));
        }
    }
    for (index, one) in placed.children.iter().enumerate() {
        for other in &placed.children[index + 1..] {
            let common = one.rect.intersection(&other.rect);
            if common.is_some_and(|common| {
                common.width() as i32 > SLACK && common.height() as i32 > SLACK
            }) {
                found.push(format!("{} is over {}", describe(one), describe(other)));
            }
        }
    }
    for child in &placed.children {
        misplaced(child, found);
    }
}

/// Returns the misplaced elements of the app's windows, a line each. Empty if all is in its place.
fn all_misplaced(phone: &VirtualPhone) -> Vec<String> {
    let mut found = Vec::new();
    for window in &scene::build(phone).windows {
        if window.name == WindowName::App {
            misplaced(&window.placed, &mut found);
        }
    }
    found
}

/// Formats class, id, text and bounds of an element.
fn describe(placed: &LayoutNode) -> String {
    let Rect {
        left,
        top,
        right,
        bottom,
    } = placed.rect;
    let node = &placed.element.node;
    let id = node.resource_id.rsplit('/').next().unwrap_or_default();
    let class = node.class.rsplit('.').next().unwrap_or_default();
    format!(
        "{class}#{id} {:?} ({left},{top})-({right},{bottom})",
        node.text
    )
}

/// Draws every example: rows shrink what can shrink, and weights hold. None may log an unknown error or have a
/// misplaced element.
#[test]
fn every_example_is_drawn_in_its_place() {
    let examples = examples();
    let mut wrong = Vec::new();
    for (name, path) in &examples {
        let text = std::fs::read_to_string(path).unwrap();
        let mut phone = phone_with(&mut serde_json::from_str(&text).unwrap());
        if let Some(folder) = option_env!("RUNNER_TEST_PICTURES") {
            let picture = phone.draw();
            let (width, height) = (picture.width() * 2 / 5, picture.height() * 2 / 5);
            let small = image::imageops::thumbnail(&**picture, width, height);
            small.save(format!("{folder}/{name}.png")).unwrap();
        }
        for (level, _, message, _) in phone.take_log() {
            let known = message.contains("not supported yet") || message.contains("no icon");
            if level == 'E' && !known {
                wrong.push(format!("{name}: {message}"));
            }
        }
        let found = all_misplaced(&phone);
        wrong.extend(found.into_iter().map(|what| format!("{name}: {what}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        examples.is_empty() || examples.len() > 40,
        "{}",
        examples.len()
    );
}

/// Returns a phone that shows these components.
fn components(list: Value) -> VirtualPhone {
    phone_with(&mut serde_json::json!([
        { "version": "v0.9", "createSurface": { "surfaceId": "x", "catalogId": "x" } },
        { "version": "v0.9", "updateComponents": { "surfaceId": "x", "components": list } },
    ]))
}

/// Returns the bounds of the last element with an id. Panics without one.
fn bounds(phone: &VirtualPhone, id: &str) -> Rect {
    let mut found = None;
    for window in &scene::build(phone).windows {
        window.placed.walk(&mut |placed| {
            if placed.element.node.resource_id.ends_with(&format!("/{id}")) {
                found = Some(placed.rect);
            }
        });
    }
    found.unwrap_or_else(|| panic!("no {id}"))
}

/// A picture without weight leaves room for what follows.
#[test]
fn a_picture_in_a_row_gives_way() {
    let long = "Weightless by Marconi Union, and then some words more";
    let phone = components(serde_json::json!([
        { "id": "root", "component": "Row", "align": "center", "children": ["number", "art", "info", "time"] },
        { "id": "number", "component": "Text", "text": "1" },
        { "id": "art", "component": "Image", "url": "a.png" },
        { "id": "info", "component": "Column", "children": ["title"] },
        { "id": "title", "component": "Text", "text": long },
        { "id": "time", "component": "Text", "text": "8:09" },
    ]));
    assert_eq!(all_misplaced(&phone), Vec::<String>::new());
    let (art, title, time) = (
        bounds(&phone, "art"),
        bounds(&phone, "title"),
        bounds(&phone, "time"),
    );
    assert!(
        art.width() >= 100 && title.width() > art.width(),
        "{art:?} {title:?}"
    );
    assert!(time.right <= 1080, "{time:?}");
    assert_eq!(time.height(), bounds(&phone, "number").height());
}

/// Weights hold, whatever is inside.
#[test]
fn weights_are_shares_of_a_row() {
    let phone = components(serde_json::json!([
        { "id": "root", "component": "Row", "children": ["left", "right"] },
        { "id": "left", "component": "Column", "weight": 1, "children": ["field", "word"] },
        { "id": "field", "component": "TextField", "label": "A label that is long" },
        { "id": "word", "component": "Text", "text": "Donaudampfschifffahrtsgesellschaftskapitän" },
        { "id": "right", "component": "Column", "weight": 1, "align": "center", "children": ["card"] },
        { "id": "card", "component": "Card", "child": "inside" },
        { "id": "inside", "component": "Row", "children": ["a", "b"] },
        { "id": "a", "component": "Text", "text": "Celebrating everybody", "variant": "h1" },
        { "id": "b", "component": "Text", "text": "Incomprehensibilities", "variant": "h1" },
    ]));
    assert_eq!(all_misplaced(&phone), Vec::<String>::new());
    let (left, right) = (bounds(&phone, "left"), bounds(&phone, "right"));
    assert!(
        left.width().abs_diff(right.width()) <= 1,
        "{left:?} {right:?}"
    );
}

#[test]
fn an_unknown_icon_is_a_frame_and_is_told() {
    let mut phone = components(serde_json::json!([
        { "id": "root", "component": "Icon", "name": "timer" },
    ]));
    let log = phone.take_log();
    assert!(
        log.iter().any(|(level, tag, message, _)| *level == 'E'
            && tag == "A2UI"
            && message == "there is no icon `timer` (component `root`)"),
        "{log:?}"
    );
    let unknown = phone.draw();
    let mut warning = components(serde_json::json!([
        { "id": "root", "component": "Icon", "name": "warning" },
    ]));
    assert_ne!(unknown, warning.draw());
}
