//! Tests of screens on which several containers scroll.

use super::*;

/// A list whose ten rows begin with `first`.
fn named_list(name: &str, first: i32, sides: [i32; 2]) -> String {
    let [left, right] = sides;
    let rows: String = (0..10)
        .map(|row| {
            let top = 200 + row * 100;
            node(
                "TextView",
                &format!(r#"text="{name} {}""#, first + row),
                [left, top, right, top + 100],
                "",
            )
        })
        .collect();
    node(
        "ListView",
        &format!(r#"scrollable="true" resource-id="com.example:id/{name}""#),
        [left, 200, right, 1200],
        &rows,
    )
}

/// A device with two lists of twenty rows beside each other, the left one larger. Each drag moves the one that
/// it touches by five.
fn two_lists() -> Arc<Fake> {
    let shown = |first: [i32; 2]| {
        let left = named_list("left", first[0], [0, 600]);
        let right = named_list("right", first[1], [600, 1080]);
        node(
            "FrameLayout",
            "",
            [0, 0, 1080, 2400],
            &format!("{left}{right}"),
        )
    };
    let mut first = [0, 0];
    Fake::showing([&shown(first)]).on_input(move |input| {
        let Input::Drag(gesture) = input else {
            return None;
        };
        let list = &mut first[usize::from(gesture.from.x > 600)];
        let way = if gesture.to.y < gesture.from.y { 5 } else { -5 };
        *list = (*list + way).clamp(0, 10);
        Some(shown(first))
    })
}

#[tokio::test]
async fn the_next_list_is_scrolled_where_the_largest_one_ends() {
    let right = selector("right 17".into());
    let reached = session(&two_lists()).scroll_to(&right, down()).await;
    assert_eq!(reached.unwrap().scrolls, 5);

    let left = selector("left 17".into());
    let reached = session(&two_lists()).scroll_to(&left, down()).await;
    assert_eq!(reached.unwrap().scrolls, 2);
}

#[tokio::test]
async fn lists_that_were_not_searched_are_named() {
    let right = selector("right 17".into());
    let largest = selector(serde_json::json!({ "id": "left" }));
    let never = selector("middle 17".into());
    for (selector, within, max, scrolls, named) in [
        (&right, None, 2, 2, vec!["ListView#right".to_owned()]),
        (&right, None, 4, 4, vec![]),
        (&right, Some(&largest), 10, 3, vec![]),
        (&never, None, 10, 6, vec![]),
    ] {
        let options = ScrollOptions {
            within,
            max,
            ..down()
        };
        let error = session(&two_lists()).scroll_to(selector, options).await;
        let Err(EngineError::NotScrolledTo {
            scrolls: made,
            others,
            ..
        }) = error
        else {
            panic!("{error:?}");
        };
        assert_eq!((made, others), (scrolls, named));
    }
}

/// A list that scrolls across in one that scrolls down, with a card.
fn cards(left: i32, right: i32) -> String {
    let card = node("TextView", r#"text="card""#, [left, 300, right, 400], "");
    let across = node(
        "HorizontalScrollView",
        r#"scrollable="true""#,
        [0, 300, 1080, 400],
        &card,
    );
    node(
        "ScrollView",
        r#"scrollable="true""#,
        [0, 200, 1080, 1200],
        &across,
    )
}

#[tokio::test]
async fn an_element_at_the_edge_of_a_list_that_scrolls_across_is_moved_on() {
    let card = selector("card".into());
    let whole = ScrollOptions {
        visible: 100.0,
        ..down()
    };
    for (first, after) in [
        // Cut at the right edge; at the left edge, where the list begins; whole.
        ((980, 1080), Some((600, 880))),
        ((0, 280), Some((0, 280))),
        ((400, 680), None),
    ] {
        let fake = Fake::showing([&cards(first.0, first.1)]).on_input(move |input| {
            let Input::Drag(gesture) = input else {
                return None;
            };
            assert_eq!(gesture.from.y, gesture.to.y, "it goes across");
            after.map(|(left, right)| cards(left, right))
        });
        let reached = session(&fake).scroll_to(&card, whole).await.unwrap();
        assert_eq!(reached.scrolls, u32::from(after.is_some()));
    }
    // It cannot be moved further.
    let fake = Fake::showing([&cards(980, 1080)]).on_input(|_| Some(cards(1000, 1080)));
    let options = ScrollOptions { max: 1, ..whole };
    let error = session(&fake).scroll_to(&card, options).await.unwrap_err();
    assert!(matches!(error, EngineError::NotShown { .. }), "{error}");
    // Any part is enough.
    let fake = Fake::showing([&cards(980, 1080)]);
    session(&fake).scroll_to(&card, down()).await.unwrap();
    assert!(fake.inputs().is_empty());
}
