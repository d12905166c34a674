//! Tests of what the keys of a selector find.

use super::*;
use crate::OffScreenReason;
use crate::selector::find::SearchScope;

#[test]
fn conditions_select() {
    let cases: Vec<(Value, &[u32])> = vec![
        (json!("Wi-Fi"), &[3]),
        (json!("wi-fi"), &[]),
        (json!("Wi"), &[]),
        (json!("Settings"), &[1, 13]),
        (json!("Save"), &[9]),
        (json!("User name"), &[10]),
        (json!("Welcome, Ada Lovelace"), &[8]),
        (json!("Welcome, *"), &[8]),
        (json!("*Ada*"), &[8]),
        (json!("W*-*"), &[3]),
        (json!("2 * 3"), &[11, 12]),
        (json!({"text": {"regex": r"^2 \* 3$"}}), &[11]),
        (json!({"text": {"contains": "2 * 3"}}), &[11]),
        (json!({"text": {"contains": "tooth"}}), &[6]),
        (json!({"text": {"contains": "Tooth"}}), &[]),
        (json!({"text": {"regex": "^(Wi|Blue)"}}), &[3, 6]),
        (json!({"text": {"ignore_case": "WI-*"}}), &[3]),
        (json!({"text": "Save"}), &[]),
        (json!({"desc": "Save"}), &[9]),
        (json!({"hint": "User*"}), &[10]),
        // While nothing is in a field, its text is its hint, and it is empty too.
        (json!({"text": "User name"}), &[10]),
        (
            json!({"text": {"contains": "name"}, "editable": true}),
            &[10],
        ),
        (json!({"text": "", "editable": true}), &[10]),
        (json!({"id": "title"}), &[1]),
        (json!({"id": "com.app:id/title"}), &[1]),
        (json!({"id": "tit"}), &[]),
        (json!({"id": "label"}), &[3, 6]),
        (json!({"class": "Switch"}), &[4, 7]),
        (json!({"class": "android.widget.Switch"}), &[4, 7]),
        (json!({"class": "switch"}), &[]),
        (json!({"class": "Switch", "checked": true}), &[4]),
        (json!({"class": "Switch", "checked": false}), &[7]),
        (json!({"enabled": true}), &[1, 10]),
        (json!({"focused": true}), &[10]),
        (json!({"editable": true}), &[10]),
        (json!({"clickable": true, "class": "Switch"}), &[4, 7]),
        (json!({"text": "Settings", "window": 2}), &[13]),
        (json!({"text": "Settings", "window": "SYSTEM"}), &[13]),
        (json!({"text": "Settings", "window": "com.app"}), &[1]),
        (json!({"text": "Settings", "window": "Dia*"}), &[13]),
        (json!({"id": "label", "index": 0}), &[3]),
        (json!({"id": "label", "index": -1}), &[6]),
        (json!({"id": "label", "index": 2}), &[]),
        (json!({"id": "label", "index": -3}), &[]),
        (json!({"index": i64::MIN}), &[]),
    ];
    for (value, expected) in cases {
        assert_eq!(found(&value), expected, "{value}");
    }
}

#[test]
fn relations_select_nearest_first() {
    let cases: Vec<(Value, &[u32])> = vec![
        (json!({"class": "Switch", "right_of": "Wi-Fi"}), &[4]),
        (
            json!({"class": "Switch", "right_of": {"id": "label"}}),
            &[4, 7],
        ),
        (
            json!({"class": "TextView", "left_of": {"checked": true}}),
            &[3],
        ),
        (
            json!({"id": "label", "inside": {"id": "row", "index": 1}}),
            &[6],
        ),
        (json!({"id": "row", "has": "Bluetooth"}), &[5]),
        // The innermost first.
        (json!({"has": "Bluetooth"}), &[5, 0]),
        (json!({"class": "Switch", "below": "Wi-Fi"}), &[7]),
        (
            json!({"class": "TextView", "below": "Wi-Fi"}),
            &[6, 8, 11, 12],
        ),
        (
            json!({"class": "TextView", "above": "2 and 3", "window": 1}),
            &[11, 8, 6, 3, 1],
        ),
        (
            json!({"class": "EditText", "right_of": {"desc": "Save"}, "below": "Bluetooth"}),
            &[10],
        ),
        (
            json!({"class": "Switch", "right_of": {"text": "Nothing"}}),
            &[],
        ),
        (
            json!({"class": "Switch", "inside": {"has": {"text": "Wi-Fi"}}, "index": 0}),
            &[4],
        ),
    ];
    for (value, expected) in cases {
        assert_eq!(found(&value), expected, "{value}");
    }
}

#[test]
fn the_name_that_an_element_is_shown_by_is_an_id_that_finds_it() {
    let screen = parse_nodes(
        r#"<node resource-id="list/row/3" bounds="[0,0][9,9]"/>
        <node resource-id="com.app:id/save" bounds="[0,9][9,19]"/>
        <node resource-id="row" bounds="[0,19][9,29]"/>
        <node bounds="[0,29][9,39]"/>"#,
    );
    for node in screen
        .nodes()
        .filter(|node| !node.resource_name().is_empty())
    {
        for id in [node.resource_name(), node.resource_id()] {
            let selector = Selector::from_id(id);
            assert_eq!(selector.find(&screen), [node.index()], "{id}");
            let by_name = selector.find_first(&screen, SearchScope::OnScreen, usize::MAX);
            assert_eq!(by_name, [node.index()], "{id}");
        }
    }
    assert_eq!(Selector::from_id("row/3").find(&screen), [NodeIndex(0)]);
    assert!(Selector::from_id("ow").find(&screen).is_empty());
}

#[test]
fn assert_locates_by_names_and_expects_the_rest() {
    let cases: Vec<(Value, &str, &[&str])> = vec![
        (
            json!({"id": "a", "text": "3", "enabled": true}),
            "{ id: a }",
            &["text=3", "enabled=true"],
        ),
        (
            json!({"class": "B", "hint": {"contains": "x"}, "index": 1}),
            "{ class: B, index: 1 }",
            &["hint=contains: x"],
        ),
        (
            json!({"text": "a", "below": "b"}),
            "{ below: b }",
            &["text=a"],
        ),
        (json!({"text": "a"}), "{ text: a }", &[]),
        (json!("a"), "a", &[]),
        (
            json!({"text": "a", "checked": false}),
            "{ text: a }",
            &["checked=false"],
        ),
        (json!({"checked": false}), "{ checked: false }", &[]),
    ];
    for (value, locating, expected) in cases {
        let (selector, expectations) = selector(&value).split_expectations();
        assert_eq!(selector.to_string(), locating);
        let displayed: Vec<_> = expectations
            .iter()
            .map(|one| format!("{}={}", one.property, one.expected))
            .collect();
        assert_eq!(displayed, expected, "{value}");
    }
    let screen = screen();
    let asserted = selector(&json!({"id": "title", "text": "Set*", "checked": true}));
    let (locating, expectations) = asserted.split_expectations();
    let node = locating.find(&screen)[0];
    let checked: Vec<_> = expectations
        .iter()
        .map(|one| one.check(&screen, node))
        .collect();
    assert_eq!(
        checked,
        [(true, "Settings".to_owned()), (false, "false".to_owned())]
    );
}

#[test]
fn an_element_is_as_expected_where_a_selector_with_the_same_words_finds_it() {
    let screen = screen();
    for id in ["title", "save_button", "user"] {
        for key in ["text", "desc", "hint"] {
            for words in ["", "Settings", "Save", "User name", "User*"] {
                let value = selector(&json!({"id": id, key: words}));
                let (locating, expectations) = value.split_expectations();
                let node = locating.find(&screen)[0];
                let holds = expectations.iter().all(|one| one.check(&screen, node).0);
                assert_eq!(holds, !value.find(&screen).is_empty(), "{value}");
            }
        }
    }
}

#[test]
fn v2_what_is_off_the_screen_is_not_found_and_anchors_need_only_exist() {
    let screen = odd();
    let ids = |value: &Value| -> Vec<String> {
        let found = selector(value).find(&screen).into_iter();
        found
            .map(|node| screen.node(node).resource_id().replace("a:id/", ""))
            .collect()
    };
    assert_eq!(ids(&json!("Row")), ["in", "last"]);
    assert_eq!(ids(&json!({"text": "Row", "index": -1})), ["last"]);
    assert_eq!(ids(&json!({"id": "panel"})), [""; 0]);
    assert_eq!(
        ids(&json!({"text": "Row", "inside": {"id": "panel"}})),
        ["in"]
    );
    assert_eq!(ids(&json!({"class": "Root", "has": {"id": "out"}})), [""]);
    // The text is there, but not on the screen; the description is.
    assert_eq!(ids(&json!("Gone")), ["told"]);
    assert_eq!(
        ids(&json!({"any_of": [{"id": "out"}, {"id": "in"}]})),
        ["in"]
    );
    let all = selector(&json!("Row")).find_anywhere(&screen);
    assert_eq!(all.len(), 3);
    let unseen = |value: &Value| selector(value).find_off_screen(&screen);
    assert_eq!(
        unseen(&json!({"text": "Row", "index": 0})),
        [(all[1], OffScreenReason::Outside)]
    );
    assert_eq!(unseen(&json!({"text": "Gone"})).len(), 1);
    assert_eq!(
        unseen(&json!({"text": "Gone"}))[0].1,
        OffScreenReason::NoSize
    );
    assert_eq!(unseen(&json!({"id": "last"})), []);
}
