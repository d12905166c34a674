//! Tests of finding by the index of names, which finds what looking at all finds.

use std::collections::HashSet;

use super::*;

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
