//! Two generated apps of thirty screens each: menus, forms, tabs, dialogs, late content, repeated labels.

use serde_json::{Map, Value, json};

use crate::common::Project;

/// Screens of each app.
pub const SCREENS: usize = 30;

/// A generated app.
#[derive(Debug, Clone, Copy)]
pub struct App {
    pub package: &'static str,
    pub label: &'static str,
    /// Offset by which its screens differ from the other app's.
    shift: usize,
}

pub const LEDGER: App = App {
    package: "com.example.ledger",
    label: "Ledger",
    shift: 0,
};
pub const ATLAS: App = App {
    package: "com.example.atlas",
    label: "Atlas",
    shift: 3,
};

/// Components of a screen, its data, and the actions that it needs.
#[derive(Default)]
struct Surface {
    components: Vec<Value>,
    top: Vec<String>,
    data: Map<String, Value>,
    actions: Map<String, Value>,
    on_start: Option<String>,
}

impl Surface {
    fn add(&mut self, id: &str, component: Value) {
        let mut component = component;
        component["id"] = json!(id);
        self.components.push(component);
    }

    fn put(&mut self, id: &str, component: Value) {
        self.add(id, component);
        self.top.push(id.to_owned());
    }

    fn text(&mut self, id: &str, text: &Value) {
        self.put(id, json!({ "component": "Text", "text": text }));
    }

    /// Adds a button that is in no list of the screen yet.
    fn button(&mut self, id: &str, label: &str, event: &str) {
        let text = format!("{id}_text");
        self.add(&text, json!({ "component": "Text", "text": label }));
        let action = json!({ "event": { "name": event } });
        self.add(
            id,
            json!({ "component": "Button", "child": text, "action": action }),
        );
    }

    fn put_button(&mut self, id: &str, label: &str, event: &str) {
        self.button(id, label, event);
        self.top.push(id.to_owned());
    }
}

fn activity(number: usize) -> String {
    format!(".Screen{number}")
}

/// Writes the app's folder below `apps`.
pub fn write(project: &Project, app: App) {
    let folder = format!("apps/{}", app.label.to_lowercase());
    let mut activities = Map::new();
    let mut actions = Map::new();
    for number in 0..SCREENS {
        let go = json!([{ "navigate": activity(number) }]);
        actions.insert(format!("go_{number}"), go);
        let surface = surface(app, number);
        actions.extend(surface.actions);
        let mut activity_of = json!({ "surface": format!("{number}.yaml") });
        if number == 0 {
            activity_of["launchable"] = json!(true);
        } else {
            activity_of["title"] = json!(title(app, number));
        }
        if let Some(action) = surface.on_start {
            activity_of["on_start"] = json!(action);
        }
        activities.insert(activity(number), activity_of);
        let id = format!("screen_{number}");
        let mut components = surface.components;
        components.push(json!({ "id": "root", "component": "Column", "children": surface.top }));
        let messages = json!([
            { "version": "v0.9", "createSurface": {
                "surfaceId": id, "catalogId": "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json",
            } },
            { "version": "v0.9", "updateComponents": { "surfaceId": id, "components": components } },
            { "version": "v0.9", "updateDataModel": {
                "surfaceId": id, "value": { format!("s{number}"): surface.data },
            } },
        ]);
        project.write(&format!("{folder}/{number}.yaml"), &messages.to_string());
    }
    let manifest = json!({
        "package": app.package, "label": app.label, "version": "1.0", "icon": "edit",
        "activities": activities, "actions": actions,
    });
    project.write(&format!("{folder}/app.yaml"), &manifest.to_string());
}

fn title(app: App, number: usize) -> String {
    const SUBJECTS: [&str; 10] = [
        "Rivers", "Invoices", "Bridges", "Visits", "Orders", "Islands", "Members", "Routes",
        "Letters", "Harbours",
    ];
    const KINDS: [&str; 3] = ["Overview", "Details", "Archive"];
    let subject = SUBJECTS[(number + app.shift) % SUBJECTS.len()];
    format!("{subject} {}", KINDS[number / 10 % KINDS.len()])
}

fn surface(app: App, number: usize) -> Surface {
    let mut surface = Surface::default();
    surface.text("title", &json!(title(app, number)));
    match (number + app.shift) % 6 {
        0 => menu(&mut surface, app, number),
        1 => form(&mut surface, number),
        2 => tabs(&mut surface, number),
        3 => dialog(&mut surface, number),
        4 => late(&mut surface, number),
        _ => repeated(&mut surface, number),
    }
    // Every screen leads on; the first two lead everywhere in the end.
    for step in [1, 7] {
        let to = (number * 2 + step) % SCREENS;
        surface.put_button(
            &format!("next_{step}"),
            &title(app, to),
            &format!("go_{to}"),
        );
    }
    surface
}

/// Makes a long list, each row of which opens the next screen. Its titles are unique, its dates are not.
fn menu(surface: &mut Surface, app: App, number: usize) {
    let rows: Vec<Value> = (0..24)
        .map(|row| json!({ "title": format!("{} {}", title(app, row), ["north", "south"][row % 2]), "date": format!("Mon {}", row % 3) }))
        .collect();
    surface.data.insert("rows".to_owned(), json!(rows));
    let path = format!("/s{number}/rows");
    surface.put(
        "rows",
        json!({ "component": "List", "weight": 1, "children": { "componentId": "row", "path": path } }),
    );
    let event = json!({ "event": { "name": format!("go_{}", (number + 5) % SCREENS) } });
    surface.add(
        "row",
        json!({ "component": "Button", "child": "row_texts", "action": event }),
    );
    surface.add(
        "row_texts",
        json!({ "component": "Row", "children": ["row_title", "row_date"] }),
    );
    surface.add(
        "row_title",
        json!({ "component": "Text", "text": { "path": "title" }, "weight": 1 }),
    );
    surface.add(
        "row_date",
        json!({ "component": "Text", "text": { "path": "date" } }),
    );
}

/// Makes fields, choices, and a button that saves after a while and closes the screen.
fn form(surface: &mut Surface, number: usize) {
    let at = |name: &str| json!({ "path": format!("/s{number}/{name}") });
    surface.data = json!({
        "name": "", "code": "", "about": "", "kind": ["a"], "place": ["p1"], "keep": false, "level": 3, "state": "",
    })
    .as_object()
    .cloned()
    .unwrap_or_default();
    surface.put(
        "name",
        json!({ "component": "TextField", "label": "Name", "value": at("name") }),
    );
    surface.put(
        "code",
        json!({ "component": "TextField", "label": "Code", "variant": "obscured", "value": at("code") }),
    );
    surface.put(
        "about",
        json!({ "component": "TextField", "label": "About", "variant": "longText", "value": at("about") }),
    );
    let options = |names: &[&str]| -> Vec<Value> {
        names
            .iter()
            .map(|name| json!({ "label": format!("Kind {name}"), "value": name }))
            .collect()
    };
    surface.put("kind", json!({ "component": "ChoicePicker", "label": "Kind", "value": at("kind"), "options": options(&["a", "b"]) }));
    surface.put("place", json!({ "component": "ChoicePicker", "label": "Place", "value": at("place"), "options": options(&["p1", "p2", "p3", "p4", "p5"]) }));
    surface.put(
        "keep",
        json!({ "component": "CheckBox", "label": "Keep a copy", "value": at("keep") }),
    );
    surface.put("level", json!({ "component": "Slider", "label": "Level", "min": 0, "max": 10, "value": at("level") }));
    surface.text("state", &at("state"));
    let (save, state) = (format!("save_{number}"), format!("/s{number}/state"));
    surface.put_button("save", "Save", &save);
    surface.actions.insert(
        save,
        json!([
            { "set": { "path": state, "value": "Saving…" } },
            { "after": { "ms": 400, "do": [
                { "set": { "path": state, "value": "" } }, "back", { "toast": "Saved" },
            ] } },
        ]),
    );
}

/// Makes three tabs, two of which have a button of the same name.
fn tabs(surface: &mut Surface, number: usize) {
    let path = format!("/s{number}/done");
    surface.data.insert("done".to_owned(), json!(""));
    let act = format!("do_{number}");
    surface.actions.insert(
        act.clone(),
        json!([{ "set": { "path": path, "value": "It is done" } }]),
    );
    let mut parts = Vec::new();
    for (place, name) in ["First", "Second", "Third"].iter().enumerate() {
        let (column, text, button) = (
            format!("part_{place}"),
            format!("text_{place}"),
            format!("act_{place}"),
        );
        surface.add(
            &text,
            json!({ "component": "Text", "text": format!("The {name} part of it") }),
        );
        surface.button(&button, if place == 2 { "Other" } else { "Apply" }, &act);
        surface.add(
            &column,
            json!({ "component": "Column", "children": [text, button] }),
        );
        parts.push(json!({ "title": name, "child": column }));
    }
    surface.put("tabs", json!({ "component": "Tabs", "tabs": parts }));
    surface.text("done", &json!({ "path": path }));
}

/// Makes a question in its own window.
fn dialog(surface: &mut Surface, number: usize) {
    let state = format!("/s{number}/state");
    surface
        .data
        .insert("state".to_owned(), json!("It is there"));
    surface.text("state", &json!({ "path": state }));
    surface.add("ask_text", json!({ "component": "Text", "text": "Remove" }));
    surface.add("ask", json!({ "component": "Button", "child": "ask_text" }));
    surface.put(
        "modal",
        json!({ "component": "Modal", "trigger": "ask", "content": "sure" }),
    );
    surface.add(
        "question",
        json!({ "component": "Text", "text": "Remove it for good?" }),
    );
    let (keep, remove) = (format!("keep_{number}"), format!("remove_{number}"));
    surface.button("keep", "Keep it", &keep);
    surface.button("remove", "Remove", &remove);
    surface.add(
        "sure",
        json!({ "component": "Column", "children": ["question", "keep", "remove"] }),
    );
    surface.actions.insert(keep, json!(["close"]));
    surface.actions.insert(
        remove,
        json!([{ "set": { "path": state, "value": "It is gone" } }, "close"]),
    );
}

/// Fills in the content that appears two seconds after the screen.
fn late(surface: &mut Surface, number: usize) {
    let path = |name: &str| format!("/s{number}/{name}");
    surface.data = json!({ "state": "Loading…", "rows": [] })
        .as_object()
        .cloned()
        .unwrap_or_default();
    surface.text("state", &json!({ "path": path("state") }));
    surface.put(
        "found",
        json!({ "component": "Column", "children": { "componentId": "hit", "path": path("rows") } }),
    );
    surface.add(
        "hit",
        json!({ "component": "Button", "child": "hit_text", "action": { "event": { "name": format!("go_{}", (number + 11) % SCREENS) } } }),
    );
    surface.add(
        "hit_text",
        json!({ "component": "Text", "text": { "path": "title" } }),
    );
    let load = format!("load_{number}");
    let rows: Vec<Value> = ["Ada", "Grace", "Edith"]
        .iter()
        .map(|name| json!({ "title": format!("{name} answered") }))
        .collect();
    surface.actions.insert(
        load.clone(),
        json!([
            { "set": { "path": path("state"), "value": "Loading…" } },
            { "after": { "ms": 2000, "do": [
                { "set": { "path": path("state"), "value": "Three answers" } },
                { "set": { "path": path("rows"), "value": rows } },
            ] } },
        ]),
    );
    surface.on_start = Some(load);
}

/// Makes rows that all have the same two buttons.
fn repeated(surface: &mut Surface, number: usize) {
    let rows: Vec<Value> = [
        "Box of nails",
        "Bag of sand",
        "Roll of tape",
        "Can of paint",
    ]
    .iter()
    .map(|name| json!({ "name": name }))
    .collect();
    surface.data = json!({ "rows": rows, "count": 0, "added": [] })
        .as_object()
        .cloned()
        .unwrap_or_default();
    let at = |name: &str| json!({ "path": format!("/s{number}/{name}") });
    surface.text("count", &at("count"));
    let path = format!("/s{number}/rows");
    surface.put(
        "items",
        json!({ "component": "Column", "children": { "componentId": "item", "path": path } }),
    );
    surface.add(
        "item",
        json!({ "component": "Row", "align": "center", "children": ["item_name", "more", "less"] }),
    );
    surface.add(
        "item_name",
        json!({ "component": "Text", "text": { "path": "name" }, "weight": 1 }),
    );
    let (more, open) = (
        format!("more_{number}"),
        format!("go_{}", (number + 13) % SCREENS),
    );
    surface.button("more", "Add", &more);
    surface.button("less", "Open", &open);
    surface.actions.insert(
        more,
        json!([
            { "append": { "path": format!("/s{number}/added"), "value": "one" } },
            { "count": { "of": format!("/s{number}/added"), "to": format!("/s{number}/count") } },
        ]),
    );
}
