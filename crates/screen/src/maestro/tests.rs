//! Tests with the cases of `cases.yaml`, and others that cannot be written there.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{Expression, ExpressionError, MaestroSelector, Match, Relation, Size, Trait};
use crate::selector::Purpose;
use crate::{Display, DisplayContext, NodeIndex, Rect, Screen};

#[derive(Deserialize)]
struct Cases {
    screens: BTreeMap<String, String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    on: String,
    select: Value,
    finds: String,
    #[serde(default)]
    all: Vec<String>,
}

/// Builds a screen with one element for each line. The element's name becomes its package, which no selector
/// looks at.
fn screen(lines: &str) -> Screen {
    let mut xml = String::from("<hierarchy rotation=\"0\">");
    let mut open = 0;
    for line in lines.lines() {
        let depth = (line.len() - line.trim_start().len()) / 2;
        while open > depth {
            xml.push_str("</node>");
            open -= 1;
        }
        xml.push_str(&element(line.trim()));
        open = depth + 1;
    }
    xml.push_str(&"</node>".repeat(open));
    xml.push_str("</hierarchy>");
    let display = Display {
        width: 540,
        height: 960,
        density: 160,
        rotation: 0,
    };
    let surroundings = DisplayContext {
        display: Some(display),
        ..DisplayContext::default()
    };
    Screen::parse(xml.as_bytes(), &surroundings).unwrap_or_else(|error| panic!("{error}: {xml}"))
}

fn element(line: &str) -> String {
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    let (bounds, mut rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut tag = format!("<node package=\"{name}\" bounds=\"{bounds}\"");
    let mut states = BTreeMap::from([("enabled", "true"), ("visible-to-user", "true")]);
    while !rest.is_empty() {
        let end = match rest.split_once("=\"") {
            Some((key, value)) if !key.contains(' ') => {
                key.len() + 3 + value.find('"').expect("a quote at the end")
            }
            _ => rest.find(' ').unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(end);
        rest = after.trim_start();
        match word.split_once('=') {
            Some((key, value)) => {
                let attribute = match key {
                    "desc" => "content-desc",
                    "id" => "resource-id",
                    key => key,
                };
                let value = value.trim_matches('"').replace("\\n", "&#10;");
                tag.push_str(&format!(" {attribute}=\"{value}\""));
            }
            None => {
                let (state, value) = match word {
                    "disabled" => ("enabled", "false"),
                    "invisible" => ("visible-to-user", "false"),
                    state => (state, "true"),
                };
                states.insert(state, value);
            }
        }
    }
    for (state, value) in states {
        tag.push_str(&format!(" {state}=\"{value}\""));
    }
    tag + ">"
}

fn selector(value: &Value) -> MaestroSelector {
    let text = |value: &Value| Expression::new(value.as_str().expect("a text")).expect("known");
    if value.is_string() {
        return MaestroSelector::from_text(text(value));
    }
    let mut selector = MaestroSelector::default();
    let mut size = Size::default();
    for (key, value) in value.as_object().expect("a map") {
        let relation = match key.as_str() {
            "below" => Some(Relation::Below),
            "above" => Some(Relation::Above),
            "leftOf" => Some(Relation::LeftOf),
            "rightOf" => Some(Relation::RightOf),
            "containsChild" => Some(Relation::ContainsChild),
            _ => None,
        };
        if let Some(relation) = relation {
            selector.relations.push((relation, self::selector(value)));
            continue;
        }
        match key.as_str() {
            "text" => selector.text = Some(text(value)),
            "id" => selector.id = Some(text(value)),
            "width" => size.width = value.as_i64(),
            "height" => size.height = value.as_i64(),
            "tolerance" => size.tolerance = value.as_i64().expect("a number"),
            "enabled" => selector.enabled = value.as_bool(),
            "checked" => selector.checked = value.as_bool(),
            "focused" => selector.focused = value.as_bool(),
            "selected" => selector.selected = value.as_bool(),
            "index" => selector.index = value.as_i64(),
            "childOf" => selector.child_of = Some(Box::new(self::selector(value))),
            "containsDescendants" => {
                let each = value.as_array().expect("a list").iter();
                selector.contains_descendants = Some(each.map(self::selector).collect());
            }
            "traits" => {
                let each = value.as_array().expect("a list").iter();
                selector.traits = each
                    .map(|one| match one.as_str() {
                        Some("text") => Trait::Text,
                        Some("long-text") => Trait::LongText,
                        Some("square") => Trait::Square,
                        other => panic!("{other:?}"),
                    })
                    .collect();
            }
            other => panic!("{other}"),
        }
    }
    if size != Size::default() {
        selector.size = Some(size);
    }
    selector
}

fn names(screen: &Screen, selector: &MaestroSelector) -> Vec<String> {
    let found = selector.find(screen).expect("few steps").into_iter();
    found
        .map(|found| match found {
            Match::Node(node) => screen.node(node).package().to_owned(),
            Match::Toast(place) => format!("toast {place}"),
        })
        .collect()
}

#[test]
fn every_case_finds_what_maestro_finds() {
    let cases: Cases = serde_yaml::from_str(include_str!("cases.yaml")).expect("the cases read");
    assert!(cases.cases.len() >= 120, "{} cases", cases.cases.len());
    let mut wrong = Vec::new();
    for case in &cases.cases {
        let screen = screen(&cases.screens[&case.on]);
        let selector = selector(&case.select);
        let found = names(&screen, &selector);
        let first = found.first().map_or("-", String::as_str);
        if first != case.finds || !case.all.is_empty() && found != case.all {
            wrong.push(format!(
                "{} {selector}: {found:?}, not {} {:?}",
                case.on, case.finds, case.all
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_selector_reads_as_it_is_written() {
    let written = serde_json::json!({
        "text": "A.*", "id": "b", "width": 3, "tolerance": 1, "enabled": true, "traits": ["text"],
        "below": "C", "containsDescendants": ["D", { "id": "e" }], "childOf": { "text": "F", "index": 1 }, "index": -1
    });
    assert_eq!(
        selector(&written).to_string(),
        r#"{ text: "A.*", id: "b", width: 3, tolerance: 1, enabled: true, traits: text, below: "C", containsDescendants: ["D", { id: "e" }], childOf: { text: "F", index: 1 }, index: -1 }"#
    );
    assert_eq!(selector(&serde_json::json!("A")).to_string(), r#""A""#);
}

#[test]
fn an_expression_without_end_is_an_error() {
    let screen = screen(&format!("a [0,0][100,100] text=\"{}b\"", "a".repeat(40)));
    let slow = Expression::new(r"(?:(a|aa)+)+\1[^b]*c?").expect("known");
    let found = MaestroSelector::from_text(slow).find(&screen);
    assert!(
        matches!(found, Err(ExpressionError::TooManySteps { .. })),
        "{found:?}"
    );
}

#[test]
fn what_is_unknown_here_is_an_error_and_no_literal() {
    let error = Expression::new(r"\p{InGreek}+").expect_err("unknown");
    assert!(error.to_string().contains("InGreek"), "{error}");
    let long = "a".repeat(10_001);
    assert!(Expression::new(&long).is_err());
    assert!(Expression::new("(((a{1000}){1000}){1000})").is_err());
}

#[test]
fn near_misses_say_what_to_write() {
    let cases: Cases = serde_yaml::from_str(include_str!("cases.yaml")).expect("the cases read");
    let near = |on: &str, select: Value| {
        let screen = screen(&cases.screens[on]);
        let misses = selector(&select).near_misses(&screen, 3, Purpose::Action);
        let miss = misses
            .first()
            .unwrap_or_else(|| panic!("no near miss of {select}"));
        let name = screen.node(miss.node).package().to_owned();
        (name, miss.why.clone(), miss.write.clone())
    };
    let off = near("pruned", serde_json::json!({ "id": "gone_1" }));
    assert_eq!(off.0, "gone_1");
    assert_eq!(off.1, "it is not on the screen");
    let spelt = near("one", serde_json::json!("Elment Text"));
    assert_eq!(spelt.2, r#""Element Text""#);
    let state = near(
        "states",
        serde_json::json!({ "text": "Flip", "enabled": true }),
    );
    assert_eq!(
        (state.0.as_str(), state.1.as_str()),
        ("flip", "enabled is false")
    );
    let parent = near(
        "families",
        serde_json::json!({ "text": "child_id", "childOf": { "text": "nobody" } }),
    );
    assert_eq!(parent.1, r#"nothing matches `childOf: "nobody"`"#);
    let index = near("same", serde_json::json!({ "text": "Item", "index": 2 }));
    assert_eq!(index.1, "there are only 2 such elements, index 0 to 1");
    // Nothing is left to count where the rest matches nothing either.
    let nobody = selector(&serde_json::json!({ "text": "Zzz", "index": 0 }));
    let misses = nobody.near_misses(&screen(&cases.screens["same"]), 3, Purpose::Action);
    assert_eq!(misses, []);
}

#[test]
fn an_index_beyond_the_last_is_told_by_the_number_and_by_no_other_element() {
    let screen = screen("a [0,0][9,9] text=\"Greet\"\nb [0,9][9,19] text=\"Greeted\"");
    for (index, expected) in [
        (4, "there is only one such element, index 0"),
        (-2, "there is only one such element, index 0"),
    ] {
        let beyond = selector(&serde_json::json!({ "text": "Greet", "index": index }));
        let misses = beyond.near_misses(&screen, 3, Purpose::Action);
        let whys: Vec<&str> = misses.iter().map(|miss| miss.why.as_str()).collect();
        assert_eq!(whys, [expected], "{index}");
    }
}

#[test]
fn v9_an_assertion_of_maestros_is_never_offered_less() {
    let cases: Cases = serde_yaml::from_str(include_str!("cases.yaml")).expect("the cases read");
    for (on, select, offered) in [
        ("one", serde_json::json!("Elment Text"), 1),
        (
            "states",
            serde_json::json!({ "text": "Flip", "enabled": true }),
            0,
        ),
        (
            "families",
            serde_json::json!({ "text": "child_id", "childOf": { "text": "nobody" } }),
            0,
        ),
        ("same", serde_json::json!({ "text": "Item", "index": 2 }), 0),
        ("same", serde_json::json!({ "text": "Itm", "index": 2 }), 0),
    ] {
        let selector = selector(&select);
        let misses = selector.near_misses(&screen(&cases.screens[on]), 3, Purpose::Assertion);
        assert_eq!(misses.len().min(1), offered, "{select}: {misses:?}");
    }
}

#[test]
fn what_covers_the_display_is_all_visible() {
    let display = Rect::new(0, 0, 540, 960);
    let share = |bounds| super::visible_share(bounds, display);
    assert_eq!(
        share(Rect::new(-10, -10, 600, 1000)).to_bits(),
        1.0_f64.to_bits()
    );
    assert_eq!(
        share(Rect::new(0, 910, 100, 1010)).to_bits(),
        0.5_f64.to_bits()
    );
    assert_eq!(share(Rect::new(5, 5, 5, 5)).to_bits(), 0.0_f64.to_bits());
    assert!(share(Rect::new(0, 100, 100, 100)).is_nan());
}

#[test]
fn a_large_screen_takes_every_kind_of_selector() {
    let mut lines = String::new();
    for row in 0..400 {
        lines.push_str(&format!(
            "r{row} [0,0][540,960] id=row\n  c{row} [0,1][540,900] text=\"Row {row}\"\n"
        ));
    }
    let screen = screen(&lines);
    let each = serde_json::json!({ "id": "row", "containsDescendants": [{ "text": "Row 399", "below": { "id": "row" } }] });
    assert_eq!(names(&screen, &selector(&each)), ["r399"; 0]);
    let last = serde_json::json!({ "id": "row", "containsChild": "Row 399" });
    assert_eq!(names(&screen, &selector(&last)), ["r399"]);
    assert_eq!(screen.node(NodeIndex(0)).package(), "r0");
}

proptest::proptest! {
    #[test]
    fn any_expression_reads_or_is_refused(pattern in r"[\\\[\](){}|?*+^$.&\-a-cQEpdx0-9<>=!:,\n]{0,16}", words in "[a-c0-9\n]{0,8}") {
        if let Ok(expression) = Expression::new(&pattern) {
            let _ = expression.matches_words(&words);
            // Whatever it is, it stands for itself too.
            proptest::prop_assert!(expression.matches_words(&pattern).unwrap_or(true), "{pattern:?}");
        }
    }

    #[test]
    fn quoted_words_match_just_themselves(words in "[a-z\\[\\](){}|?*+^$. -]{0,12}", other in "[a-z. ]{0,12}") {
        let quoted = Expression::new(&format!("\\Q{words}\\E")).expect("known");
        proptest::prop_assert!(quoted.matches(&words).expect("few steps"));
        proptest::prop_assert_eq!(quoted.matches(&other).expect("few steps"), words == other);
    }
}
