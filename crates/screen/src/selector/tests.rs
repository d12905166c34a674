//! Tests of selectors with tables of cases on one small screen.

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::find::SearchScope;
use super::*;
use crate::{DisplayContext, OffScreenReason};

/// Settings page: a title, two rows of label and switch, a form, and a dialog's window.
const SCREEN: &str = r#"<displays><display id="0"><window id="1" title="Settings" type="TYPE_APPLICATION" focused="true" layer="0"><hierarchy rotation="0">
<node text="" resource-id="" class="android.widget.FrameLayout" package="com.app" content-desc="" bounds="[0,0][100,200]">
 <node text="Settings" resource-id="com.app:id/title" class="android.widget.TextView" bounds="[0,0][100,10]" enabled="true"/>
 <node text="" resource-id="com.app:id/row" class="android.widget.LinearLayout" clickable="true" bounds="[0,10][100,30]">
  <node text="Wi-Fi" resource-id="com.app:id/label" class="android.widget.TextView" bounds="[0,10][50,30]"/>
  <node text="" resource-id="com.app:id/switch" class="android.widget.Switch" checked="true" clickable="true" bounds="[80,10][100,30]"/>
 </node>
 <node text="" resource-id="com.app:id/row" class="android.widget.LinearLayout" clickable="true" bounds="[0,30][100,50]">
  <node text="Bluetooth" resource-id="com.app:id/label" class="android.widget.TextView" bounds="[0,30][50,50]"/>
  <node text="" resource-id="com.app:id/switch" class="android.widget.Switch" clickable="true" bounds="[80,30][100,50]"/>
 </node>
 <node text="Welcome,   Ada&#10;Lovelace " resource-id="" class="android.widget.TextView" bounds="[0,60][100,70]"/>
 <node text="" content-desc="Save" hint="" resource-id="com.app:id/save_button" class="android.widget.ImageButton" bounds="[0,80][20,90]"/>
 <node text="" hint="User name" resource-id="com.app:id/user" class="android.widget.EditText" enabled="true" focused="true" bounds="[30,80][100,90]"/>
 <node text="2 * 3" resource-id="" class="android.widget.TextView" bounds="[0,100][100,110]"/>
 <node text="2 and 3" resource-id="" class="android.widget.TextView" bounds="[0,110][100,120]"/>
</node></hierarchy></window>
<window id="2" title="Dialog" type="TYPE_SYSTEM" focused="false" layer="1"><hierarchy rotation="0">
 <node text="Settings" resource-id="android:id/alertTitle" class="android.widget.TextView" package="android" bounds="[10,10][90,20]"/>
</hierarchy></window></display></displays>"#;

fn screen() -> Screen {
    Screen::parse(SCREEN.as_bytes(), &DisplayContext::default()).unwrap()
}

fn selector(value: &Value) -> Selector {
    Selector::from_value(value).unwrap_or_else(|error| panic!("{value}: {error}"))
}

/// Returns the indexes of the matches: 0 root, 1 title, 2 row (3 label, 4 switch), 5 row (6, 7), 8 welcome, 9
/// save, 10 user, 11 and 12 texts, 13 the dialog's title.
fn found(value: &Value) -> Vec<u32> {
    let found = selector(value).find(&screen());
    found.into_iter().map(|node| node.0).collect()
}

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
fn what_is_wrong_is_said() {
    let deep = (0..20).fold(json!("x"), |inner, _| json!({ "inside": inner }));
    let cases: Vec<(Value, &str)> = vec![
        (
            json!({}),
            "selector: an empty selector matches everything; name a text or an id",
        ),
        (
            json!(" "),
            "selector: an empty selector matches everything; name a text or an id",
        ),
        (
            json!(7),
            "selector: a selector is a text or a map such as { id: total }, not a number",
        ),
        (
            json!(["a"]),
            "selector: a selector is a text or a map such as { id: total }, not a list",
        ),
        (
            json!({"txt": "a"}),
            "selector: selectors have no key `txt`; did you mean `text`?",
        ),
        (
            json!({"rightOf": "a"}),
            "selector: selectors have no key `rightOf`; did you mean `right_of`?",
        ),
        (json!({"zzz": "a"}), "selector: selectors have no key `zzz`"),
        (
            json!({"text": 7}),
            "selector.text: must be a text or a pattern, not a number; put it in quotes",
        ),
        (
            json!({"id": true}),
            "selector.id: must be a text, not true or false; put it in quotes",
        ),
        (
            json!({"id": ""}),
            "selector.id: an empty selector matches everything; name a text or an id",
        ),
        (
            json!({"enabled": "yes"}),
            "selector.enabled: must be true or false, not a text",
        ),
        (
            json!({"index": 1.5}),
            "selector.index: must be a whole number, not a number",
        ),
        (
            json!({"window": []}),
            "selector.window: must be a window's id, type, package or title, not a list",
        ),
        (
            json!({"inside": {"text": {"has": "a"}}}),
            "selector.inside.text.has: a pattern is a text or one of { contains: … }, { regex: … }, { ignore_case: … }",
        ),
        (
            json!({"text": {}}),
            "selector.text: a pattern is a text or one of { contains: … }, { regex: … }, { ignore_case: … }",
        ),
        (
            json!({"below": {}}),
            "selector.below: an empty selector matches everything; name a text or an id",
        ),
    ];
    for (value, message) in cases {
        let error = Selector::from_value(&value).unwrap_err();
        assert_eq!(error.to_string(), message, "{value}");
        assert!(serde_json::from_value::<Selector>(value).is_err());
    }
    let error = Selector::from_value(&deep).unwrap_err().to_string();
    assert!(error.ends_with("nested more than 16 deep"), "{error}");
    for bad in ["(", r"\p{Greek", "((a{200}){200}){200}"] {
        let error = Selector::from_value(&json!({"text": {"regex": bad}})).unwrap_err();
        assert!(
            matches!(error.fault, SelectorFault::BadRegex { .. }),
            "{error}"
        );
    }
}

#[test]
fn writing_reads_back() {
    let cases: Vec<(Value, &str)> = vec![
        (json!("Sign in"), "Sign in"),
        (json!("true"), r#""true""#),
        (json!("7"), r#""7""#),
        (json!("a: b"), r#""a: b""#),
        (json!("say \"hi\"\n"), r#""say \"hi\"\n""#),
        (
            json!({"id": "total", "text": "3", "enabled": true}),
            r#"{ id: total, text: "3", enabled: true }"#,
        ),
        (
            json!({"text": {"contains": "x, y"}}),
            r#"{ text: { contains: "x, y" } }"#,
        ),
        (
            json!({"class": "Switch", "right_of": {"text": "Wi-Fi"}, "index": -1}),
            "{ class: Switch, right_of: { text: Wi-Fi }, index: -1 }",
        ),
        (json!({"text": "a", "window": 3}), "{ text: a, window: 3 }"),
    ];
    for (value, yaml) in cases {
        let selector = selector(&value);
        assert_eq!(selector.to_string(), yaml);
        assert_eq!(serde_yaml::from_str::<Selector>(yaml).unwrap(), selector);
        let json = serde_json::to_string(&selector).unwrap();
        assert_eq!(serde_json::from_str::<Selector>(&json).unwrap(), selector);
    }
}

#[test]
fn words_yaml_has_other_plans_for_stay_words() {
    for words in [
        "nan",
        "NaN",
        "inf",
        "Infinity",
        ".inf",
        "NULL",
        "Null",
        "~",
        "True",
        "Off",
        "y",
        "e5",
        "0x1f",
        "1e3",
        "1_000",
        "12:30",
        "2024-01-01",
        "- a",
        "a -",
        "? a",
        "a #b",
        "a: b",
        "@a",
        "%a",
        "`a`",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "[a]",
        "{a}",
        "'a'",
        "<<",
        "=",
        "---",
        "...",
        "a\u{85}b",
        "\u{feff}a",
        "\u{7f}",
        "${name}",
        "a\\b",
        "日本語",
        "a, b",
    ] {
        let selector = selector(&json!({ "text": words, "inside": words }));
        let yaml = selector.to_string();
        assert_eq!(as_in_a_flow(&yaml), selector, "{yaml}");
    }
}

/// Parses a selector as a flow does, in which `$${` stands for a plain `${`.
fn as_in_a_flow(yaml: &str) -> Selector {
    let read: Value = serde_yaml::from_str(yaml).unwrap_or_else(|e| panic!("{yaml}: {e}"));
    let plain = read.to_string().replace("$${", "${");
    serde_json::from_str(&plain).unwrap_or_else(|e| panic!("{yaml}: {e}"))
}

#[test]
fn where_only_the_letter_case_differs_nothing_else_is_named() {
    let dump = r#"<hierarchy><node class="B" text="SIGN IN" bounds="[0,0][10,10]"/>
        <node class="B" text="Sign up" resource-id="a:id/sign_in" bounds="[0,10][10,20]"/>
        <node class="B" text="Signing in with Google" bounds="[0,20][10,30]"/></hierarchy>"#;
    let screen = Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap();
    for wanted in [
        json!("Sign In"),
        json!("sign  in"),
        json!("Sign I*"),
        json!({"text": "Sign In", "class": "B"}),
        json!({"text": {"contains": "Sign I"}}),
        json!({"text": {"regex": "^Sign In$"}}),
    ] {
        for purpose in [Purpose::Action, Purpose::Assertion] {
            let misses = selector(&wanted).near_misses(&screen, 3, purpose);
            let [miss] = &misses[..] else {
                panic!("{wanted}: {misses:?}");
            };
            assert!(miss.is_meant, "{wanted}");
            assert_eq!(miss.why, "text differs only in case", "{wanted}");
            let edited: Selector = serde_yaml::from_str(&miss.selector.to_string()).unwrap();
            assert_eq!(edited.find(&screen), [NodeIndex(0)], "{wanted}");
        }
    }
    // Where no letter case is meant, what is similar is named as ever.
    let misses = selector(&json!("Sign off")).near_misses(&screen, 3, Purpose::Action);
    assert!(misses.iter().all(|miss| !miss.is_meant));
    assert!(misses.len() > 1, "{misses:?}");
}

#[test]
fn near_misses_say_what_to_write() {
    let cases: Vec<(Value, &str, &str)> = vec![
        (json!("wi-fi"), "text differs only in case", "Wi-Fi"),
        (
            json!("Bluetoth"),
            "text is spelt \"Bluetooth\"",
            "Bluetooth",
        ),
        (
            json!("Welcome"),
            "text is longer",
            "{ text: { contains: Welcome } }",
        ),
        (
            json!("save button"),
            "the words are its id",
            "{ id: save_button }",
        ),
        (json!("SAVE"), "desc differs only in case", "Save"),
        (
            json!("Hotspot or Wi-Fi"),
            "one of these texts is there",
            "{ any_of: [ Hotspot, Wi-Fi ] }",
        ),
        (
            json!({"id": "lable", "index": 0}),
            "id is spelt \"label\"",
            "{ id: label }",
        ),
        (
            json!({"text": "Save"}),
            "the words are its desc, not its text",
            "Save",
        ),
        (
            json!({"id": "title", "enabled": false}),
            "enabled is true",
            "{ id: title, enabled: true }",
        ),
        (
            json!({"text": {"regex": "^blue"}}),
            "text differs only in case",
            r#"{ text: { regex: "(?i)^blue" } }"#,
        ),
        (
            json!({"id": "label", "index": 5}),
            "there are only 2 such elements",
            "{ id: label, index: 0 }",
        ),
        (
            json!({"text": "Wi-Fi", "window": 2}),
            "it is in window 1 (Settings)",
            "{ text: Wi-Fi }",
        ),
        (
            json!({"class": "Switch", "right_of": "WiFi"}),
            "nothing matches `right_of: WiFi`",
            "{ class: Switch, right_of: Wi-Fi }",
        ),
        (
            json!({"class": "TextView", "desc": "Save"}),
            "its class is ImageButton",
            "{ class: ImageButton, desc: Save }",
        ),
    ];
    let screen = screen();
    for (value, why, write) in cases {
        let misses = selector(&value).near_misses(&screen, 3, Purpose::Action);
        let first = misses
            .first()
            .unwrap_or_else(|| panic!("{value}: no near miss"));
        assert_eq!(
            (first.why.as_str(), first.selector.to_string().as_str()),
            (why, write),
            "{value}"
        );
        let edited: Selector = serde_yaml::from_str(&first.selector.to_string()).unwrap();
        assert!(edited.find(&screen).contains(&first.node), "{value}");
    }
    assert_eq!(
        selector(&json!("Nothing like it")).near_misses(&screen, 3, Purpose::Action),
        []
    );
}

#[test]
fn an_id_of_another_package_is_told_with_its_own() {
    let screen = parse_nodes(
        r#"<node resource-id="com.notes:id/sign_in" bounds="[0,0][9,9]"/>
        <node resource-id="total" bounds="[0,9][9,19]"/>"#,
    );
    for (wanted, why, action, assertion) in [
        (
            json!({ "id": "com.shop:id/sign_in" }),
            "its id is of com.notes",
            "{ id: sign_in }",
            Some("{ id: \"com.notes:id/sign_in\" }"),
        ),
        (
            json!({ "id": "com.shop:id/total" }),
            "its id is total",
            "{ id: total }",
            Some("{ id: total }"),
        ),
        (
            json!("com.shop:id/sign_in"),
            "the words are its id",
            "{ id: sign_in }",
            None,
        ),
    ] {
        let selector = selector(&wanted);
        let misses = selector.near_misses(&screen, 3, Purpose::Action);
        assert_eq!(misses[0].why, why, "{wanted}");
        let first = |purpose| written(&selector, &screen, purpose).into_iter().next();
        assert_eq!(first(Purpose::Action).as_deref(), Some(action), "{wanted}");
        assert_eq!(first(Purpose::Assertion).as_deref(), assertion, "{wanted}");
    }
}

#[test]
fn only_what_is_surely_misspelt_counts_as_a_typo() {
    for (wanted, shown, is_typo) in [
        ("Forgot Password?", "Forgot password?", true),
        ("Forgot pasword?", "Forgot password?", true),
        ("E-mail", "Email", true),
        ("Sign up", "Sign in", false),
        ("Log on", "Log in", false),
        ("Notification 12", "Notification 13", false),
        ("Star", "Starred", false),
        ("Starred", "Star", false),
        ("Message", "Messages", false),
        ("Messages", "Message", false),
        ("Forgot password", "Forgot password?", false),
    ] {
        let screen = parse_nodes(&format!(r#"<node text="{shown}" bounds="[0,0][9,9]"/>"#));
        for purpose in [Purpose::Action, Purpose::Assertion] {
            let misses = selector(&json!(wanted)).near_misses(&screen, 3, purpose);
            let found = misses.iter().any(|miss| miss.is_typo);
            assert_eq!(found, is_typo, "{wanted} of {shown}: {misses:?}");
        }
    }
}

#[test]
fn a_word_among_many_is_nothing_alike_and_half_of_the_words_are() {
    let screen = screen();
    let buttons = r#"<hierarchy><node text="Like" bounds="[0,0][10,10]"/><node text="Buy now" bounds="[0,10][10,20]"/>
        <node text="Sign in with Google" bounds="[0,20][10,30]"/></hierarchy>"#;
    let buttons = Screen::parse(buttons.as_bytes(), &DisplayContext::default()).unwrap();
    for (words, write) in [
        ("Nothing like this", None),
        ("Order now", Some("Buy now")),
        ("Like it", Some("Like")),
        ("Google sign in", Some("Sign in with Google")),
        ("Not now, thank you", None),
    ] {
        let misses = selector(&json!(words)).near_misses(&buttons, 1, Purpose::Action);
        let advised = misses.first().map(|miss| miss.selector.to_string());
        assert_eq!(advised.as_deref(), write, "{words}");
    }
    assert!(
        selector(&json!("wi-fi"))
            .near_misses(&screen, 0, Purpose::Action)
            .is_empty()
    );
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
fn a_selector_of_css_names_the_element_with_this_id() {
    let misses = selector(&json!("#save_button")).near_misses(&screen(), 1, Purpose::Action);
    let miss = misses.first().unwrap();
    assert_eq!(miss.why, "the words are its id");
    assert_eq!(miss.selector.to_string(), "{ id: save_button }");
}

#[test]
fn picking_takes_the_most_stable_way() {
    let screen = screen();
    let picked = |index: u32| Selector::picking(&screen, NodeIndex(index)).to_string();
    assert_eq!(picked(1), "{ id: title }");
    assert_eq!(picked(3), "Wi-Fi");
    assert_eq!(picked(9), "{ id: save_button }");
    assert_eq!(picked(2), "{ id: row, has: Wi-Fi }");
    assert_eq!(picked(7), "{ id: switch, right_of: Bluetooth }");
    assert_eq!(picked(11), r#"{ text: { regex: "^2 \\* 3$" } }"#);
    for node in screen.nodes() {
        let selector = Selector::picking(&screen, node.index());
        assert_eq!(selector.find(&screen), [node.index()], "{selector}");
    }
}

// `{ id: product }` of one row of 25.
#[test]
fn ranked_selectors_say_what_speaks_against_them() {
    let screen = screen();
    for node in screen.nodes() {
        let ranked = Selector::ranked(&screen, node.index());
        assert!(!ranked.is_empty(), "{node:?}");
        let mut observed = Vec::new();
        for one in &ranked {
            let found = one.selector.find(&screen);
            assert!(found.contains(&node.index()), "{one:?}");
            assert_eq!(found.len(), one.matches, "{one:?}");
            assert!(!observed.contains(&&one.selector), "{one:?} twice");
            observed.push(&one.selector);
        }
        // What selects only the node comes before what does not.
        assert!(
            ranked.is_sorted_by_key(|one| one.matches != 1),
            "{ranked:?}"
        );
    }
    let best = |index: u32| Selector::ranked(&screen, NodeIndex(index)).remove(0);
    assert_eq!(best(9).selector.to_string(), "{ id: save_button }");
    assert!(best(9).doubts.is_empty());
    let all = Selector::ranked(&screen, NodeIndex(12));
    let by_place = all.iter().find(|one| one.selector.goes_by_order());
    assert!(
        by_place.is_some_and(|one| one.doubts.contains(&Stability::Order)),
        "{all:?}"
    );
    let clock = Screen::parse(
        SCREEN.replace("2 and 3", "12:30").as_bytes(),
        &DisplayContext::default(),
    );
    let clock = Selector::ranked(&clock.unwrap(), NodeIndex(12));
    let by_words = clock
        .iter()
        .find(|one| one.selector.to_string().contains("12:30"));
    assert!(
        by_words.is_some_and(|one| one.doubts == [Stability::ChangingWords]),
        "{clock:?}"
    );
}

#[test]
fn an_item_of_a_list_is_picked_by_its_words() {
    let item = |words: &str| {
        format!(
            r#"<node class="android.view.ViewGroup" resource-id="a:id/product" clickable="true" bounds="[0,0][100,20]">
               <node class="android.widget.TextView" resource-id="a:id/name" text="{words}" bounds="[0,0][50,20]"/></node>"#
        )
    };
    let displayed = |items: &str| {
        let list = format!(
            r#"<hierarchy><node bounds="[0,0][100,200]"><node class="androidx.recyclerview.widget.RecyclerView" resource-id="a:id/products" bounds="[0,0][100,200]">{items}</node></node></hierarchy>"#
        );
        Screen::parse(list.as_bytes(), &DisplayContext::default()).unwrap()
    };
    let one = displayed(&item("Milk"));
    let with_id = |screen: &Screen, id: &str| {
        let node = screen.nodes().find(|node| node.resource_id() == id);
        node.unwrap().index()
    };
    assert_eq!(
        Selector::by_itself(&one, with_id(&one, "a:id/product")),
        None
    );
    let picked = |id| Selector::picking(&one, with_id(&one, id)).to_string();
    assert_eq!(picked("a:id/name"), "Milk");
    assert_eq!(picked("a:id/product"), "{ id: product, has: Milk }");
    assert_eq!(picked("a:id/products"), "{ id: products }");
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
fn the_schema_names_every_key() {
    let schema = schemars::schema_for!(Selector).to_value();
    let object = &schema["anyOf"][1];
    assert_eq!(object["additionalProperties"], false);
    let mut keys: Vec<_> = object["properties"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    let mut expected = Selector::KEYS.map(str::to_owned).to_vec();
    keys.sort();
    expected.sort();
    assert_eq!(keys, expected);
}

proptest! {
    #[test]
    fn any_words_written_read_back_and_match_themselves(words in "\\PC{0,30}[\u{0}-\u{ff}]{0,5}") {
        prop_assume!(!words.trim().is_empty());
        let map = selector(&json!({ "text": words }));
        let yaml = map.to_string();
        prop_assert_eq!(as_in_a_flow(&yaml), map, "{}", yaml);
        let literal = Selector::from_words(&words);
        let yaml = literal.to_string();
        prop_assert_eq!(as_in_a_flow(&yaml), literal, "{}", yaml);
        prop_assert!(Pattern::literal(&words).matches(&words));
        prop_assert!(Pattern::full(&words).matches(&words));
        prop_assert!(Pattern::ignore_case(&words).matches(&words.to_lowercase()));
    }
}

/// Panel below the display. One of its rows lies on the display and one below it, so tree and bounds
/// disagree.
const ODD: &str = r#"<hierarchy rotation="0"><node class="Root" bounds="[0,0][100,200]">
 <node resource-id="a:id/panel" bounds="[0,300][100,400]">
  <node text="Row" resource-id="a:id/in" bounds="[0,10][100,20]"/>
  <node text="Row" resource-id="a:id/out" bounds="[0,310][100,320]"/>
 </node>
 <node text="Row" resource-id="a:id/last" bounds="[0,30][100,40]"/>
 <node text="Gone" content-desc="" bounds="[0,0][0,0]"/>
 <node content-desc="Gone" resource-id="a:id/told" bounds="[0,50][100,60]"/>
</node></hierarchy>"#;

fn odd() -> Screen {
    Screen::parse(ODD.as_bytes(), &DisplayContext::default()).unwrap()
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

#[test]
fn v12_the_anchor_that_matches_nothing_is_named() {
    let screen = odd();
    let missing = |value: &Value| {
        let missing = selector(value).missing_anchor(&screen);
        missing.map(|missing| (missing.anchor, missing.alternative.is_some()))
    };
    let says = |text: &str| Some((text.to_owned(), false));
    let says_of_one = |text: &str| Some((text.to_owned(), true));
    for (value, expected) in [
        (json!("Row"), None),
        (json!("Nowhere"), None),
        (json!({"text": "Nowhere", "inside": {"id": "panel"}}), None),
        (
            json!({"text": "Row", "inside": {"id": "typo"}}),
            says("inside: { id: typo }"),
        ),
        (
            json!({"text": "Row", "below": "Nowhere"}),
            says("below: Nowhere"),
        ),
        (
            json!({"text": "Row", "right_of": {"text": "Row", "index": 7}}),
            says("right_of: { text: Row, index: 7 }"),
        ),
        (
            json!({"text": "Row", "inside": {"id": "panel", "inside": {"id": "typo"}}}),
            says("inside: { id: typo }"),
        ),
        // What it holds is what it is like: a row without `Groceries` is what is asked for.
        (json!({"class": "Root", "has": "Groceries"}), None),
        (
            json!({"text": "Row", "window": "com.gone"}),
            says("window: com.gone"),
        ),
        (json!({"window": "com.gone"}), None),
        (json!({"window": "com.gone", "index": 0}), None),
        // Each alternative counts.
        (
            json!({"any_of": ["Nowhere", {"text": "Row", "inside": {"id": "typo"}}]}),
            says_of_one("inside: { id: typo }"),
        ),
        (
            json!({"any_of": [{"text": "A", "inside": {"id": "typo"}}, {"text": "B", "above": "C"}]}),
            says_of_one("inside: { id: typo }"),
        ),
        (
            json!({"any_of": [{"text": "A"}, {"text": "B", "window": "com.gone"}]}),
            says_of_one("window: com.gone"),
        ),
        (
            json!({"any_of": [{"text": "A"}, {"window": "com.gone"}]}),
            None,
        ),
        (
            json!({"any_of": ["A", {"any_of": ["B", {"text": "C", "below": "Nowhere"}]}]}),
            says_of_one("below: Nowhere"),
        ),
        // One alternative of an anchor is enough, but what each goes by has to be there.
        (
            json!({"text": "A", "inside": {"any_of": [{"id": "old"}, {"id": "panel"}]}}),
            None,
        ),
        (
            json!({"text": "A", "inside": {"any_of": [{"id": "old", "below": "Nowhere"}, {"id": "panel"}]}}),
            says_of_one("below: Nowhere"),
        ),
        (
            json!({"text": "A", "inside": {"any_of": [{"id": "old"}, {"id": "older"}]}}),
            says("inside: { any_of: [ { id: old }, { id: older } ] }"),
        ),
        // What it holds is no anchor, but what that goes by is.
        (
            json!({"class": "Root", "has": {"text": "A", "inside": {"id": "typo"}}}),
            says("inside: { id: typo }"),
        ),
        (
            json!({"class": "Root", "has": {"any_of": ["A", {"text": "B", "inside": {"id": "typo"}}]}}),
            says_of_one("inside: { id: typo }"),
        ),
        (
            json!({"class": "Root", "has": {"text": "A", "window": "com.gone"}}),
            says("window: com.gone"),
        ),
    ] {
        assert_eq!(missing(&value), expected, "{value}");
    }
}

fn parse_nodes(nodes: &str) -> Screen {
    let dump = format!("<hierarchy>{nodes}</hierarchy>");
    Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap()
}

#[test]
fn j8_an_assertion_is_never_turned_round_nor_led_to_another_element() {
    let nodes = r#"<node resource-id="a:id/checkbox_button2" text="Two" enabled="false" bounds="[0,0][9,9]"/>
        <node resource-id="a:id/row3" text="Three" enabled="true" bounds="[0,9][9,19]"/>"#;
    let screen = parse_nodes(nodes);
    for wanted in [
        json!({ "id": "button2" }),
        json!({ "id": "row4" }),
        json!({ "text": "Two", "enabled": true }),
        json!({ "text": "Three", "enabled": false }),
    ] {
        let offered = written(&selector(&wanted), &screen, Purpose::Assertion);
        assert!(offered.is_empty(), "{wanted}: {offered:?}");
    }
    let misspelt = selector(&json!({ "id": "checkbox_buton2" }));
    let offered = written(&misspelt, &screen, Purpose::Assertion);
    assert_eq!(offered, ["{ id: checkbox_button2 }"]);
}

fn written(selector: &Selector, screen: &Screen, purpose: Purpose) -> Vec<String> {
    let misses = selector.near_misses(screen, 3, purpose).into_iter();
    misses.map(|miss| miss.selector.to_string()).collect()
}

#[test]
fn v9_an_assertion_is_never_offered_less_than_it_asks() {
    let screen = parse_nodes(
        r#"<node text="Sign in to Notes" resource-id="a:id/welcome" class="a.TextView" bounds="[0,0][10,10]"/>
        <node text="Hello, Ada" class="a.TextView" bounds="[0,10][10,20]"/>
        <node content-desc="Save" class="a.ImageButton" bounds="[0,20][10,30]"/>
        <node text="Wi-Fi" class="a.TextView" resource-id="a:id/label" bounds="[0,30][5,40]"/>
        <node class="a.Switch" enabled="true" bounds="[5,30][10,40]"/>"#,
    );
    // What is asserted, what an action is offered, what an assertion is offered.
    let cases = [
        (json!("Welcome, *"), Some("{ id: welcome }"), None),
        (
            json!({ "text": "Hello" }),
            Some("{ text: { contains: Hello } }"),
            Some("{ text: \"Hello, Ada\" }"),
        ),
        (
            json!("Hello"),
            Some("{ text: { contains: Hello } }"),
            Some("\"Hello, Ada\""),
        ),
        (
            json!({ "text": { "regex": "^hello" } }),
            Some(r#"{ text: { regex: "(?i)^hello" } }"#),
            Some("{ text: \"Hello, Ada\" }"),
        ),
        (
            json!({ "text": "Save" }),
            Some("Save"),
            Some("{ desc: Save }"),
        ),
        (
            json!({ "text": "Wi-Fi", "inside": { "id": "typo" } }),
            Some("{ text: Wi-Fi }"),
            None,
        ),
        (
            json!({ "text": "Wi-Fi", "window": 7 }),
            Some("{ text: Wi-Fi }"),
            None,
        ),
        (
            json!({ "id": "label", "index": 3 }),
            Some("{ id: label, index: 0 }"),
            None,
        ),
        (
            json!({ "class": "Switch", "right_of": "WiFi" }),
            None,
            Some("{ class: Switch, right_of: Wi-Fi }"),
        ),
        (
            json!({ "text": "wi-fi", "id": "label" }),
            Some("{ id: label, text: Wi-Fi }"),
            Some("{ id: label, text: Wi-Fi }"),
        ),
        (json!("wi-fi"), Some("Wi-Fi"), Some("Wi-Fi")),
    ];
    for (value, action, assertion) in cases {
        let selector = selector(&value);
        let first = |purpose| written(&selector, &screen, purpose).into_iter().next();
        if action.is_some() {
            assert_eq!(first(Purpose::Action).as_deref(), action, "{value}");
        }
        assert_eq!(first(Purpose::Assertion).as_deref(), assertion, "{value}");
    }
}

#[test]
fn v9_a_misspelt_word_is_offered_whole_and_the_direction_is_right() {
    for (wanted, on_screen, why, write) in [
        (
            "Grocerie",
            "Groceries",
            "text is spelt \"Groceries\"",
            "Groceries",
        ),
        ("Starred", "Star", "text is shorter", "Star"),
        ("Star", "Starred", "text is longer", "Starred"),
        (
            "Star",
            "Star it",
            "text is longer",
            "{ text: { contains: Star } }",
        ),
    ] {
        let screen = parse_nodes(&format!(
            r#"<node text="{on_screen}" bounds="[0,0][10,10]"/>"#
        ));
        let misses = selector(&json!(wanted)).near_misses(&screen, 1, Purpose::Action);
        let reported = (misses[0].why.as_str(), misses[0].selector.to_string());
        assert_eq!(reported, (why, write.to_owned()), "{wanted} of {on_screen}");
    }
}

/// Returns a screen whose nodes have many kinds of names: unique and common ones, with spaces, hints, and in
/// two windows.
fn rows_of_all_kinds() -> Screen {
    let row = |at: i32| {
        let (top, bottom) = (at * 20, at * 20 + 20);
        let bounds = format!("bounds='[0,{top}][900,{bottom}]'");
        format!(
            "<node class='a.Row' resource-id='a:id/row' {bounds}>\
             <node class='a.TextView' resource-id='a:id/label' text=' Row  {at} ' {bounds}/>\
             <node class='a.EditText' text='Name' hint='Name' content-desc='field {}' {bounds}/>\
             <node class='a.Switch' resource-id='b:id/on' {bounds}/></node>",
            at % 3
        )
    };
    parse_nodes(&(0..20).map(row).collect::<String>())
}

#[test]
fn what_is_found_by_name_is_what_is_found_by_looking_at_all() {
    for screen in [screen(), rows_of_all_kinds()] {
        for node in screen.nodes() {
            for selector in pick::own_selectors(node, pick::Trust::All) {
                for sight in [find::SearchScope::OnScreen, find::SearchScope::Anywhere] {
                    let mut all = selector.find_all(&screen, sight);
                    all.truncate(2);
                    assert_eq!(selector.find_first(&screen, sight, 2), all, "{selector}");
                }
            }
        }
    }
}

#[test]
fn what_is_found_around_an_anchor_is_what_is_found_by_looking_at_all() {
    let mut by_relation = HashSet::new();
    for screen in [screen(), rows_of_all_kinds()] {
        for node in screen.nodes() {
            for base in pick::own_selectors(node, pick::Trust::All) {
                for selector in pick::related_selectors(&screen, node, &base) {
                    by_relation.insert(selector.relations[0].0.name());
                    let all = selector.find_all(&screen, find::SearchScope::Anywhere);
                    let first = selector.find_first(&screen, find::SearchScope::Anywhere, 2);
                    assert_eq!(first.len(), all.len().min(2), "{selector}");
                    assert!(first.iter().all(|one| all.contains(one)), "{selector}");
                }
            }
        }
    }
    assert!(by_relation.len() > 3, "{by_relation:?}");
}

#[test]
fn a_name_leaves_few_nodes_to_look_at() {
    let screen = rows_of_all_kinds();
    let candidates = |selector: &Selector| screen.names().candidates(selector).map(<[_]>::len);
    for node in screen.nodes().filter(|node| node.text().contains("Row")) {
        let by_text = Selector {
            text: Some(Pattern::literal(node.text())),
            ..Selector::from_id("label")
        };
        assert_eq!(candidates(&by_text), Some(1), "{by_text}");
    }
    assert_eq!(candidates(&Selector::from_id("on")), Some(20));
    assert_eq!(candidates(&Selector::from_id("none")), Some(0));
    assert_eq!(
        candidates(&Selector::containing("text", "Row").unwrap()),
        None
    );
}
