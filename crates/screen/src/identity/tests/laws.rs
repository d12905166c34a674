//! Properties that hold for every screen.

use super::measure::{Half, is_target, screens};
use super::tree::{Tree, place_of};
use crate::identity::{Identity, find_again};
use crate::{DisplayContext, Node, NodeIndex, Screen};

fn screen(nodes: &str) -> Screen {
    let dump = format!("<hierarchy rotation=\"0\">{nodes}</hierarchy>");
    Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap()
}

fn node(class: &str, id: &str, text: &str, inner: &str) -> String {
    format!(
        "<node class=\"android.widget.{class}\" resource-id=\"a:id/{id}\" text=\"{text}\" package=\"a\" \
         bounds=\"[0,0][9,9]\">{inner}</node>"
    )
}

fn found(old: &Screen, place: u32, new: &Screen) -> Option<(NodeIndex, Vec<String>)> {
    match find_again(old.node(NodeIndex(place)), new) {
        Identity::Found(found) => {
            let reasons = found.reasons.iter().map(ToString::to_string);
            Some((found.node, reasons.collect()))
        }
        Identity::Unclear | Identity::Gone => None,
    }
}

#[test]
fn an_element_of_the_same_screen_is_itself_or_unclear() {
    for (name, screen) in screens(Half::Tuning).iter().step_by(5) {
        let (mut itself, mut all) = (0, 0);
        for node in screen.nodes().filter(|node| is_target(*node)) {
            all += 1;
            if let Identity::Found(found) = find_again(node, screen) {
                assert_eq!(found.node, node.index(), "{name}");
                assert!(!found.reasons.is_empty(), "{name}: {node:?}");
                itself += 1;
            }
        }
        assert!(itself * 2 >= all, "{name}: {itself} of {all}");
    }
}

#[test]
fn bounds_never_count() {
    for (name, screen) in screens(Half::Tuning).iter().step_by(9) {
        let mut tree = Tree::from_screen(screen);
        let mut shift = 0;
        tree.each(|item| {
            shift += 7;
            item.bounds.left = shift;
            item.bounds.right = shift + 5;
        });
        let (moved, _) = tree.screen();
        for node in screen.nodes().take(40) {
            assert_eq!(find_again(node, &moved), find_again(node, screen), "{name}");
        }
    }
}

#[test]
fn what_was_typed_or_masked_tells_nothing() {
    let texts = ["hunter2 and more", "***", "[masked]", "another text"];
    for (class, more) in [
        ("EditText", ""),
        ("EditText", "password=\"true\""),
        ("TextView", ""),
    ] {
        for (one, other) in texts.iter().zip(&texts[1..]) {
            // No TextView with a text that is not masked.
            if class == "TextView" && !one.starts_with(['*', '[']) {
                continue;
            }
            let field = |id: &str, text: &str| {
                let field = node(class, id, text, "");
                screen(&node(
                    "LinearLayout",
                    "root",
                    "",
                    &field.replace("package", &format!("{more} package")),
                ))
            };
            let same = found(&field("old_name", one), 1, &field("new", one));
            assert_eq!(same, None, "{class} {more} {one}");
            let renamed = found(&field("name", one), 1, &field("name", other));
            let (at, reasons) = renamed.expect("it has the same id");
            assert_eq!(at, NodeIndex(1));
            assert!(!reasons.join(" ").contains("hunter2"), "{reasons:?}");
        }
    }
}

#[test]
fn a_renamed_button_is_told_with_reasons_for_a_person() {
    let with = |id: &str, label: &str| {
        let inner = node("TextView", "title", "Welcome", "")
            + &node("Button", id, label, "")
            + &node("Button", "help", "Need help?", "");
        screen(&node("LinearLayout", "form", "", &inner))
    };
    let old = with("sign_in", "Sign in");
    let (at, reasons) = found(&old, 2, &with("login_button", "Sign in")).unwrap();
    assert_eq!(at, NodeIndex(2));
    assert_eq!(
        reasons,
        [
            "it says \"Sign in\", as before",
            "it is in \"form\", as before",
            "it comes after \"Welcome\", as before",
            "it comes before \"Need help?\", as before",
        ]
    );
    let (_, reasons) = found(&old, 2, &with("sign_in", "Log in")).unwrap();
    assert_eq!(reasons[0], "it has the id `sign_in`, as before");
    // Nothing of it is left but its place.
    assert_eq!(found(&old, 2, &with("share", "Share")), None);
    // The opposite is another thing.
    assert_eq!(found(&old, 2, &with("x", "Sign out")), None);
}

#[test]
fn of_twins_the_row_says_which_and_else_the_order() {
    let row = |title: &str| {
        let inner = node("TextView", "title", title, "") + &node("Button", "delete", "Delete", "");
        node("LinearLayout", "row", "", &inner)
    };
    let list = |rows: &[&str]| {
        let rows: String = rows.iter().map(|title| row(title)).collect();
        screen(&node("RecyclerView", "list", "", &rows))
    };
    let old = list(&["Apples", "Pears", "Plums"]);
    let delete = |row: u32| 3 + row * 3;
    let fewer = list(&["Apples", "Plums"]);
    let node_of = |place: u32, new: &Screen| found(&old, place, new).map(|(at, _)| at.0);
    assert_eq!(node_of(delete(0), &fewer), Some(delete(0)));
    assert_eq!(node_of(delete(1), &fewer), None);
    assert_eq!(node_of(delete(2), &fewer), Some(delete(1)));

    let dots = |count: usize| {
        let dots = node("ImageView", "dot", "", "").repeat(count);
        screen(&node(
            "LinearLayout",
            "pager",
            "",
            &(node("TextView", "title", "Tour", "") + &dots),
        ))
    };
    let three = dots(3);
    let (at, reasons) = found(&three, 3, &dots(3)).unwrap();
    assert_eq!(at, NodeIndex(3));
    assert!(
        reasons.contains(&"it is number 2 of 3 that look alike, as before".to_owned()),
        "{reasons:?}"
    );
    assert_eq!(found(&three, 3, &dots(2)), None);
}

#[test]
fn a_place_among_those_that_look_alike_is_told_only_where_it_stayed() {
    let titles = ["Apples", "Pears", "Plums"];
    let list = |kept: &[&str]| {
        let item = |title: &&str| {
            node("TextView", "title", title, "") + &node("Button", "delete", "Delete", "")
        };
        let items: String = kept.iter().map(item).collect();
        screen(&node("RecyclerView", "list", "", &items))
    };
    let old = list(&titles);
    for mask in 0..8_usize {
        let kept: Vec<&str> = titles
            .into_iter()
            .enumerate()
            .filter(|(at, _)| mask & (1_usize << *at) != 0)
            .map(|(_, title)| title)
            .collect();
        let new = list(&kept);
        for row in 0..3_u32 {
            let Some((_, reasons)) = found(&old, 2 + row * 2, &new) else {
                continue;
            };
            let told = reasons
                .iter()
                .find(|reason| reason.contains("that look alike"));
            let stayed = format!("it is number {} of 3 that look alike, as before", row + 1);
            assert!(
                told.is_none_or(|told| *told == stayed),
                "{kept:?}: {told:?}"
            );
        }
    }
}

#[test]
fn hostile_screens_end_soon() {
    let many = |count: usize, text: &str| {
        let nodes: String = (0..count)
            .map(|at| node("TextView", &format!("{text}_{at}"), &text.repeat(9), ""))
            .collect();
        screen(&node("ListView", "list", "", &nodes))
    };
    let (old, new) = (many(1500, "some words "), many(1500, "other words "));
    let mut answers = old
        .nodes()
        .step_by(700)
        .map(|node: Node<'_>| find_again(node, &new));
    assert!(answers.all(|answer| !matches!(answer, Identity::Found(found) if found.node.0 > 0)));
}

#[test]
fn a_tree_is_the_screen_that_it_was_made_from() {
    for (name, screen) in screens(Half::Tuning).iter().step_by(9) {
        let (again, keys) = Tree::from_screen(screen).screen();
        assert_eq!(again.len(), screen.len(), "{name}");
        for node in screen.nodes() {
            let place = place_of(&keys, node.index().0).expect("it is there");
            assert_eq!(again.node(place).text(), node.text(), "{name}");
        }
    }
}

#[test]
fn an_id_that_lost_a_word_is_as_like_as_one_that_got_it() {
    let with = |id: &str, label: &str| {
        let inner = node("TextView", "title", "Welcome", "")
            + &node("Button", id, label, "")
            + &node("Button", "help", "Need help?", "");
        screen(&node("LinearLayout", "form", "", &inner))
    };
    for (old, new) in [("save", "save_button"), ("save_button", "save")] {
        let new_screen = with(new, "Save change");
        let found = found(&with(old, "Save changes"), 2, &new_screen);
        let at = found.map(|(at, _)| at);
        assert_eq!(at, Some(NodeIndex(2)), "{old} {new}");
    }
}
