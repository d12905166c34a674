//! C6 and C7: choices, and the list of elements to act on.

use serde_json::json;

use super::{done, project, read_property, refused, refuses_bad_elements, started};

#[test]
fn c06_select_selects_in_every_kind_of_selector() {
    let project = project();
    let mut client = started(&project);
    // By label in any letter case, twice the same, by the option's id; drop-downs beyond what their list shows, and back.
    for (id, value, now) in [
        ("main_tabs", "settings", "Settings"),
        ("main_tabs", "Settings", "Settings"),
        ("size", "Large", "Large"),
        ("size", "Radio-2", "Medium"),
        ("colour", "yellow", "Yellow"),
        ("colour", "Blue", "Blue"),
        ("labels", "Later", "Later"),
        ("labels", "Urgent", "Urgent, Later"),
    ] {
        let arguments = json!({ "element_id": id, "value": value });
        let result = done(&mut client, "select", arguments);
        let message = format!("Selected '{value}' in {id}");
        assert_eq!(
            result,
            json!({ "success": true, "element_id": id, "message": message })
        );
        assert_eq!(read_property(&mut client, id, "value"), now);
    }
    assert_eq!(
        read_property(&mut client, "settings", "label"),
        "Settings page",
        "the tab's page"
    );

    done(&mut client, "click", json!({ "element_id": "due" }));
    for (id, value) in [
        ("month_view", "7"),
        ("next", ""),
        ("month_view", "8"),
        ("button1", ""),
        ("Picker-1", "11"),
        ("Picker-2", "32"),
        ("Picker-2", "28"),
        ("button1", ""),
    ] {
        if value.is_empty() {
            done(&mut client, "click", json!({ "element_id": id }));
        } else {
            let arguments = json!({ "element_id": id, "value": value });
            done(&mut client, "select", arguments);
        }
    }
    assert_eq!(
        read_property(&mut client, "due", "label"),
        "Jun 8, 2026 11:28 AM"
    );
}

#[test]
fn c06_select_refuses_what_is_not_offered() {
    let project = project();
    let mut client = started(&project);
    let value = json!({ "value": "Large" });
    refuses_bad_elements(&mut client, "select", &value, "save");
    for (arguments, text) in [
        (
            json!({ "element_id": "size" }),
            "Missing required parameter: value",
        ),
        (
            json!({ "element_id": "size", "value": 5 }),
            "Parameter 'value' must be a string, got: 5",
        ),
        (
            json!({ "element_id": "size", "value": " " }),
            "Parameter 'value' must be non-empty",
        ),
        (
            json!({ "element_id": "size", "value": "Huge" }),
            "Element 'size' has no option 'Huge'; it has: Small, Medium, Large",
        ),
        (
            json!({ "element_id": "main_tabs", "value": "Help" }),
            "Element 'main_tabs' has no option 'Help'; it has: General, Settings, About",
        ),
    ] {
        refused(&mut client, "select", arguments, text);
    }
    let answer = client.call("select", json!({ "element_id": "colour", "value": "Mist" }));
    let begins = "Element 'colour' has no option 'Mist'; it has: Amber, Blue, ";
    assert!(answer.is_error && answer.text.starts_with(begins));
    assert!(answer.text.ends_with("Yellow, Zinc"), "{}", answer.text);
    // The list was closed again, and nothing was chosen.
    assert_eq!(read_property(&mut client, "colour", "value"), "Amber");
}

#[test]
fn c07_list_actionable_lists_what_can_be_acted_on() {
    let project = project();
    let mut client = started(&project);
    let result = done(&mut client, "list_actionable", json!({}));
    let elements = result["elements"].as_array().expect("a list");
    let of_app: Vec<String> = elements
        .iter()
        .map(|element| {
            let actions = &element["actions"];
            // R12: what it is called, too.
            assert_eq!(element.as_object().map(serde_json::Map::len), Some(4));
            assert!(element["label"].is_string(), "{element}");
            format!("{} {} {actions}", element["id"], element["type"]).replace('"', "")
        })
        .collect();
    assert_eq!(
        of_app,
        [
            "Scroll-1 Scroll [scroll]",
            "name Input [type_text,focus]",
            "pin Input [type_text,focus]",
            "dark_mode Checkbox [toggle]",
            "stubborn Checkbox [toggle]",
            "main_tabs Tabs [select]",
            "Tab-1 Tab [click]",
            "Tab-2 Tab [click]",
            "Tab-3 Tab [click]",
            "size RadioGroup [select]",
            "Radio-1 Radio [click]",
            "Radio-2 Radio [click]",
            "Radio-3 Radio [click]",
            "colour Dropdown [select]",
            "labels Choices [select]",
            "Checkbox-1 Checkbox [toggle]",
            "Checkbox-2 Checkbox [toggle]",
            "due Button [click]",
            "save Button [click]",
            "long Button [click]",
            "back Button [click]",
            "home Button [click]",
            "recent_apps Button [click]",
        ]
    );
    let label = |id: &str| {
        let element = elements.iter().find(|element| element["id"] == id);
        element.map(|element| element["label"].clone())
    };
    assert_eq!(label("save"), Some(json!("Save")));
    assert!(
        label("Radio-1")
            .zip(label("Tab-1"))
            .is_some_and(|(radio, tab)| radio != "" && tab != "")
    );
    // The buttons that a keyboard covers are found all the same, without it.
    done(&mut client, "focus", json!({ "element_id": "name" }));
    done(&mut client, "click", json!({ "element_id": "save" }));
    assert_eq!(read_property(&mut client, "status", "label"), "Saved");
    let answer = client.call("list_actionable", json!({ "all": true }));
    let note = "there is no parameter 'all', so it has no effect";
    assert_eq!(answer.result["content"][1]["text"], note);
}
