//! Tests of whole and partial looks, and of the law that a search finds either presence or absence.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::maestro::{Expression, MaestroSelector};
use crate::selector::AbsenceError;
use crate::{Display, DisplayContext, Front, Node, PartialScreen, Screen, SearchResult, Selector};

const APP: &str = "com.example";

fn screen(dump: &str, front: Front) -> Screen {
    let context = DisplayContext {
        display: Some(Display {
            width: 100,
            height: 200,
            density: 160,
            rotation: 0,
        }),
        front,
        ..DisplayContext::default()
    };
    Screen::parse(dump.as_bytes(), &context).unwrap()
}

fn focused() -> Front {
    Front::Focused(APP.to_owned())
}

fn resumed() -> Front {
    Front::Resumed(APP.to_owned())
}

fn node(package: &str, text: &str, bounds: &str, children: &str) -> String {
    format!(
        r#"<node package="{package}" class="a.View" text="{text}" bounds="{bounds}">{children}</node>"#
    )
}

/// Returns the XML of a window with a root and a text.
fn window(package: &str, attributes: &str) -> String {
    let text = node(package, "Words", "[0,0][50,50]", "");
    let root = node(package, "", "[0,0][100,200]", &text);
    format!(r#"<window {attributes}><hierarchy rotation="0">{root}</hierarchy></window>"#)
}

fn windows(windows: &[String]) -> String {
    let windows = windows.concat();
    format!(r#"<displays><display id="0">{windows}</display></displays>"#)
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn a_whole_look_has_elements_of_the_app_in_front_on_the_display() {
    const STATUS: &str = r#"id="2" type="TYPE_SYSTEM" title="StatusBar""#;
    const SHADE: &str = r#"id="3" type="TYPE_SYSTEM" title="NotificationShade" focused="true""#;
    const APPLICATION: &str = r#"id="1" type="TYPE_APPLICATION" focused="true""#;
    let system = || window("com.android.systemui", STATUS);
    let app = || windows(&[window(APP, APPLICATION), system()]);
    let system_only = || windows(&[system()]);
    let shade = || windows(&[window("com.android.systemui", SHADE)]);
    let not_responding = || {
        let title = r#"id="4" type="TYPE_SYSTEM" title="Application Not Responding: com.example""#;
        window("android", title)
    };
    let missing = |others: &str| PartialScreen::FrontMissing {
        package: APP.to_owned(),
        others: others.to_owned(),
    };
    let under_dialog = PartialScreen::UnderSystemDialog {
        package: APP.to_owned(),
        dialog: "Application Not Responding: com.example".to_owned(),
    };
    let hierarchy = |nodes: &str| format!(r#"<hierarchy rotation="0">{nodes}</hierarchy>"#);
    let root = |bounds: &str, child: &str| {
        hierarchy(&node(APP, "", bounds, &node(APP, "Words", child, "")))
    };
    for (name, dump, front, expected) in [
        ("app", app(), focused(), Ok(())),
        ("app, resumed", app(), resumed(), Ok(())),
        (
            "nobody said",
            app(),
            Front::Unknown,
            Err(PartialScreen::FrontUnknown),
        ),
        ("nobody can say", app(), Front::Unavailable, Ok(())),
        ("nobody can say, shade", shade(), Front::Unavailable, Ok(())),
        (
            "nobody can say, no app",
            system_only(),
            Front::Unavailable,
            Err(PartialScreen::NoApp {
                others: "com.android.systemui".to_owned(),
            }),
        ),
        (
            "system windows only",
            system_only(),
            focused(),
            Err(missing("com.android.systemui")),
        ),
        (
            "another app",
            windows(&[window("com.launcher", APPLICATION)]),
            focused(),
            Err(missing("com.launcher")),
        ),
        ("shade", shade(), resumed(), Ok(())),
        (
            "shade in the dump alone",
            shade(),
            focused(),
            Err(missing("com.android.systemui")),
        ),
        (
            "does not respond",
            windows(&[not_responding(), system()]),
            resumed(),
            Err(under_dialog),
        ),
        (
            "does not respond, its elements are there",
            windows(&[not_responding(), window(APP, APPLICATION)]),
            resumed(),
            Ok(()),
        ),
        (
            "plain",
            root("[0,0][100,200]", "[0,0][10,10]"),
            focused(),
            Ok(()),
        ),
        (
            "a root alone",
            hierarchy(&node(APP, "", "[0,0][100,200]", "")),
            focused(),
            Err(missing(APP)),
        ),
        (
            "a root with a text",
            hierarchy(&node(APP, "Words", "[0,0][100,200]", "")),
            focused(),
            Ok(()),
        ),
        (
            "nothing has a size",
            root("[0,0][0,0]", "[5,5][5,9]"),
            focused(),
            Err(PartialScreen::NothingOnDisplay),
        ),
        (
            "all lies off the display",
            root("[0,200][100,400]", "[0,300][10,310]"),
            focused(),
            Err(PartialScreen::NothingOnDisplay),
        ),
        (
            "the app lies off the display",
            windows(&[
                format!(
                    r"<window {APPLICATION}>{}</window>",
                    root("[0,200][100,400]", "[0,300][10,310]")
                ),
                system(),
            ]),
            focused(),
            Err(missing("com.example, com.android.systemui")),
        ),
    ] {
        let screen = screen(&dump, front);
        assert_eq!(screen.as_whole().map(drop), expected, "{name}");
    }
}

#[test]
fn a_partial_look_says_whose_fault_it_is() {
    assert_eq!(focused().package(), Some(APP));
    assert_eq!(resumed().package(), Some(APP));
    assert_eq!(Front::Unknown.package(), None);
    assert!(PartialScreen::NothingOnDisplay.is_infrastructure());
    assert!(PartialScreen::FrontUnknown.is_infrastructure());
}

#[test]
fn a_window_is_an_anchor_beside_other_criteria_only() {
    let screen = screen(
        &windows(&[window(APP, r#"id="1" focused="true""#)]),
        focused(),
    );
    let judged = |selector: Value| {
        let selector = Selector::from_value(&selector).unwrap();
        match selector.prove_absence_on(&screen) {
            Ok(_) => None,
            Err(AbsenceError::MissingAnchor(missing)) => Some(missing.to_string()),
            Err(other) => panic!("{other:?}"),
        }
    };
    assert_eq!(judged(json!({ "window": "com.gone" })), None);
    assert_eq!(judged(json!({ "window": "com.gone", "index": 0 })), None);
    let missing = judged(json!({ "text": "Nope", "window": "com.gone", "index": 0 }));
    assert_eq!(missing.as_deref(), Some("`window: com.gone`"));
    let missing = judged(json!({ "any_of": ["Nope", { "text": "Nope", "window": "com.gone" }] }));
    assert_eq!(
        missing.as_deref(),
        Some("`window: com.gone` of the alternative { text: Nope, window: com.gone }")
    );
}

#[test]
fn a_game_is_named_as_one() {
    let dump = windows(&[window("com.android.systemui", r#"id="2" type="3""#)]);
    let mut screen = screen(&dump, focused());
    screen.note_without_elements();
    let why = screen.as_whole().unwrap_err();
    assert!(
        matches!(why, PartialScreen::WithoutElements { .. }),
        "{why}"
    );
    assert!(!why.is_infrastructure());
}

/// Generates a node of an odd tree.
fn tree() -> impl Strategy<Value = String> {
    let place = prop_oneof![
        4 => Just("[0,0][60,90]"),
        2 => Just("[10,20][30,40]"),
        1 => Just("[10,10][10,10]"),
        1 => Just("[0,300][20,310]"),
        1 => Just(""),
    ];
    let leaf = (
        prop_oneof![4 => Just(APP), 1 => Just("com.other")],
        prop_oneof!["A", "B", ""],
        prop_oneof!["p", "q", ""],
        place,
        any::<bool>(),
    );
    let written = |(package, text, id, bounds, visible): (&str, String, String, &str, bool),
                   children: String| {
        let visible = if visible {
            ""
        } else {
            r#" visible-to-user="false""#
        };
        format!(
            r#"<node package="{package}" class="a.View" text="{text}" resource-id="a:id/{id}" bounds="{bounds}"{visible}>{children}</node>"#
        )
    };
    let leaves = leaf
        .clone()
        .prop_map(move |leaf| written(leaf, String::new()));
    leaves.prop_recursive(4, 16, 3, move |inner| {
        (leaf.clone(), prop::collection::vec(inner, 0..3))
            .prop_map(move |(leaf, children)| written(leaf, children.concat()))
    })
}

/// Generates the app that is reported in front.
fn fronts() -> impl Strategy<Value = Front> {
    prop_oneof![
        4 => Just(focused()),
        2 => Just(resumed()),
        1 => Just(Front::Focused("com.gone".to_owned())),
        1 => Just(Front::Unavailable),
        1 => Just(Front::Unknown),
    ]
}

fn window_of(id: usize, tree: &str, kind: u8, focused: bool) -> String {
    format!(
        r#"<window id="{id}" type="{kind}" focused="{focused}"><hierarchy rotation="0">{tree}</hierarchy></window>"#
    )
}

/// Generates windows of one or two apps, one of which has the focus.
fn windows_with_a_focus() -> impl Strategy<Value = (Vec<(String, u8, bool)>, Front)> {
    let windows = prop::collection::vec((tree(), 1..4_u8), 1..4);
    let focused = windows.prop_flat_map(|windows| {
        (0..windows.len()).prop_map(move |focus| {
            let each = windows.iter().enumerate();
            each.map(|(id, (tree, kind))| (tree.clone(), *kind, id == focus))
                .collect()
        })
    });
    (focused, fronts())
}

/// Generates a look: a plain dump or windows, with the app that is reported in front.
fn looks() -> impl Strategy<Value = (String, Front)> {
    let dump = prop_oneof![
        tree().prop_map(|tree| format!(r#"<hierarchy rotation="0">{tree}</hierarchy>"#)),
        prop::collection::vec((tree(), 1..4_u8, any::<bool>()), 1..3).prop_map(|all| {
            let each = all
                .iter()
                .enumerate()
                .map(|(id, (tree, kind, focused))| window_of(id, tree, *kind, *focused));
            windows(&each.collect::<Vec<_>>())
        }),
    ];
    (dump, fronts())
}

/// Generates a selector whose anchors may or may not exist.
fn selectors() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"text": "A"})),
        Just(json!({"text": "Nowhere"})),
        Just(json!({"id": "p"})),
        Just(json!({"id": "q", "text": "B"})),
        Just(json!({"id": "p", "window": "com.other"})),
        Just(json!({"id": "p", "index": 1})),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        let relation = prop_oneof!["inside", "below", "left_of", "has", "above", "right_of"];
        prop_oneof![
            (inner.clone(), relation, inner.clone()).prop_map(|(mut of, relation, anchor)| {
                match of.as_object_mut() {
                    Some(map) if !map.contains_key("any_of") => {
                        map.insert(relation, anchor);
                    }
                    _ => {}
                }
                of
            }),
            prop::collection::vec(inner, 1..3).prop_map(|all| json!({ "any_of": all })),
        ]
    })
}

/// Collects every anchor of a selector as written, except those of `has`.
fn anchors(selector: &Value, found: &mut Vec<Value>) {
    let Some(map) = selector.as_object() else {
        return;
    };
    for (key, value) in map {
        match key.as_str() {
            "any_of" => value
                .as_array()
                .into_iter()
                .flatten()
                .for_each(|one| anchors(one, found)),
            "inside" | "below" | "above" | "left_of" | "right_of" => {
                found.push(value.clone());
                anchors(value, found);
            }
            "has" => anchors(value, found),
            _ => {}
        }
    }
}

/// Returns the selector with every anchor misspelt, outermost first.
fn misspelt(selector: &Value) -> Value {
    let mut selector = selector.clone();
    if let Some(map) = selector.as_object_mut() {
        for (key, value) in map.iter_mut() {
            match key.as_str() {
                "any_of" => {
                    let all = value.as_array_mut().into_iter().flatten();
                    all.for_each(|one| *one = misspelt(one));
                }
                "inside" | "below" | "above" | "left_of" | "right_of" => {
                    *value = json!({"id": "typo"});
                }
                "has" => *value = misspelt(value),
                _ => {}
            }
        }
    }
    selector
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn v4_absence_and_presence_exclude_each_other((dump, front) in looks(), written in selectors()) {
        let screen = screen(&dump, front);
        let selector = Selector::from_value(&written).unwrap();
        let found = !selector.find(&screen).is_empty();
        let absent = selector.prove_absence_on(&screen);
        prop_assert!(!(found && absent.is_ok()));
        prop_assert_eq!(found, matches!(absent, Err(AbsenceError::Present(_))));
        // Only a whole look has a say, and it always has one.
        let whole = screen.as_whole();
        prop_assert!(whole.is_ok() || absent.is_err());
        if whole.is_ok() {
            prop_assert!(!matches!(absent, Err(AbsenceError::Partial(_))));
        }
        match selector.search(&screen) {
            Ok(SearchResult::Found) => prop_assert!(found),
            Ok(SearchResult::Absent(_)) => prop_assert!(!found && whole.is_ok()),
            Err(_) => prop_assert!(!found && whole.is_err()),
        }
        // Every anchor of every alternative is somewhere in the tree where the verdict is that nothing is there.
        let mut all = Vec::new();
        anchors(&written, &mut all);
        if absent.is_ok() {
            for anchor in &all {
                let anchor = Selector::from_value(anchor).unwrap();
                prop_assert!(!anchor.find_anywhere(&screen).is_empty(), "{}", anchor);
            }
        }
        if !all.is_empty() {
            let misspelt = Selector::from_value(&misspelt(&written)).unwrap();
            prop_assert!(misspelt.prove_absence_on(&screen).is_err(), "{}", misspelt);
        }
    }

    #[test]
    fn v4_a_look_without_the_window_that_has_the_focus_is_not_whole(
        (all, front) in windows_with_a_focus(),
        empty in any::<bool>(),
    ) {
        let written = |with_focus: bool| {
            let each = all.iter().enumerate().filter(|(_, (_, _, focused))| with_focus || empty || !focused);
            let each = each.map(|(id, (tree, kind, focused))| {
                let tree = if with_focus || !focused { tree.as_str() } else { "" };
                window_of(id, tree, *kind, *focused)
            });
            windows(&each.collect::<Vec<_>>())
        };
        let context = DisplayContext { front, ..DisplayContext::default() };
        if let Ok(screen) = Screen::parse(written(false).as_bytes(), &context) {
            prop_assert!(screen.as_whole().is_err());
        }
    }

    #[test]
    fn v4_only_elements_on_the_display_make_a_look_whole((dump, front) in looks()) {
        let screen = screen(&dump, front);
        if screen.as_whole().is_ok() {
            prop_assert!(screen.nodes().any(Node::is_on_screen));
            match screen.front() {
                Front::Unknown => prop_assert!(false),
                Front::Unavailable => {}
                Front::Focused(package) | Front::Resumed(package) => {
                    let of_front = |node: crate::Node<'_>| {
                        node.is_on_screen()
                            && (node.package() == package || node.window().package == *package)
                    };
                    prop_assert!(screen.nodes().any(of_front));
                }
            }
        }
    }
}

#[test]
fn v4_anchors_of_maestro_are_found_wherever_they_stand() {
    let text = |words: &str| MaestroSelector::from_text(Expression::new(words).unwrap());
    let dump = format!(
        r#"<hierarchy rotation="0">{}</hierarchy>"#,
        node(
            APP,
            "",
            "[0,0][100,200]",
            &node(APP, "A", "[0,0][50,50]", "")
        )
    );
    let screen = screen(&dump, focused());
    let below = |of: &str, anchor: MaestroSelector| MaestroSelector {
        relations: vec![(crate::maestro::Relation::Below, anchor)],
        ..text(of)
    };
    let holding = |of: &str, one: MaestroSelector| MaestroSelector {
        contains_descendants: Some(vec![one]),
        ..text(of)
    };
    let child = |of: &str, parent: MaestroSelector| MaestroSelector {
        child_of: Some(Box::new(parent)),
        ..text(of)
    };
    for (selector, missing) in [
        (text("Nowhere"), None),
        (below("Nowhere", text("A")), None),
        (below("Nowhere", text("Typo")), Some("below: \"Typo\"")),
        (child("Nowhere", text("Typo")), Some("childOf: \"Typo\"")),
        (holding("Nowhere", text("Typo")), None),
        (
            holding("Nowhere", below("B", text("Typo"))),
            Some("below: \"Typo\""),
        ),
        (
            child("Nowhere", holding("A", below("B", text("Typo")))),
            Some("below: \"Typo\""),
        ),
    ] {
        let found = match selector.prove_absence_on(&screen, true).unwrap() {
            Ok(_) => None,
            Err(AbsenceError::MissingAnchor(missing)) => Some(missing.anchor),
            Err(other) => panic!("{selector}: {other:?}"),
        };
        assert_eq!(found.as_deref(), missing, "{selector}");
    }
}
