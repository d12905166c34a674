//! Tests of the selectors that are chosen for an element.

use super::*;

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
