//! Tests of screens on which several containers scroll.

use super::*;
use runner_screen::Rect;

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
            unsearched,
            ..
        }) = error
        else {
            panic!("{error:?}");
        };
        assert_eq!((made, unsearched.others), (scrolls, named));
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
    for (first, forward, back) in [
        // Cut at the right edge; at the left edge, where the list begins; whole.
        ((980, 1080), Some((600, 880)), None),
        ((0, 280), Some((0, 10)), Some((0, 280))),
        ((400, 680), None, None),
    ] {
        let fake = Fake::showing([&cards(first.0, first.1)]).on_input(move |input| {
            let Input::Drag(gesture) = input else {
                return None;
            };
            assert_eq!(gesture.from.y, gesture.to.y, "it goes across");
            let is_forward = gesture.to.x < gesture.from.x;
            let after = if is_forward { forward } else { back };
            after.map(|(left, right)| cards(left, right))
        });
        let reached = session(&fake).scroll_to(&card, whole).await.unwrap();
        assert_eq!(reached.scrolls, u32::from(forward.is_some()));
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

/// Area of the list of [`covered_list`].
pub(super) const LIST: Rect = Rect::new(0, 200, 1080, 1200);
/// Largest distance by which the list scrolls.
pub(super) const MAX_OFFSET: i32 = 1000;

/// Place of a row of 20, as far as the list shows it.
pub(super) fn row_place(row: i32, offset: i32) -> Option<Rect> {
    let top = LIST.top + row * 100 - offset;
    Rect::new(0, top, 1080, top + 100).intersection(&LIST)
}

/// A list of 20 rows and a button, which comes later in the tree.
pub(super) fn list_and_button(offset: i32, button: Rect) -> String {
    let edges = |rect: Rect| [rect.left, rect.top, rect.right, rect.bottom];
    let rows: String = (0..20)
        .filter_map(|row| {
            let place = row_place(row, offset)?;
            Some(node(
                "TextView",
                &format!(r#"text="row {row}""#),
                edges(place),
                "",
            ))
        })
        .collect();
    let list = node("ListView", r#"scrollable="true""#, edges(LIST), &rows);
    let button = node(
        "Button",
        r#"text="Cart" clickable="true""#,
        edges(button),
        "",
    );
    node(
        "FrameLayout",
        "",
        [0, 0, 1080, 2400],
        &format!("{list}{button}"),
    )
}

/// A device with a list of 20 rows below a button. A finger that comes down on the button fails the test.
pub(super) fn covered_list(button: Rect) -> Arc<Fake> {
    let mut offset = 0;
    Fake::showing([&list_and_button(0, button)]).on_input(move |input| {
        let Input::Drag(gesture) = input else {
            panic!("{input:?}");
        };
        assert!(!button.contains(gesture.from), "{gesture:?} on {button:?}");
        offset = (offset + gesture.from.y - gesture.to.y).clamp(0, MAX_OFFSET);
        Some(list_and_button(offset, button))
    })
}

/// Percent of a row that lies in the list and not below the button.
fn shown_percent(place: Rect, button: Rect) -> u64 {
    let covered = place.intersection(&button).map_or(0, |part| part.area());
    (place.area() - covered) * 100 / (1080 * 100)
}

#[tokio::test]
async fn a_row_is_reached_exactly_where_a_scroll_shows_enough_of_it() {
    for button in [
        Rect::new(0, 700, 1080, 1200),
        Rect::new(0, 200, 1080, 600),
        Rect::new(0, 600, 1080, 700),
        Rect::new(0, 200, 700, 1200),
        Rect::new(900, 1000, 1060, 1180),
        Rect::new(0, 1300, 1080, 1400),
        LIST,
    ] {
        for (row, visible) in (0..20).flat_map(|row| [(row, 0_u32), (row, 50), (row, 100)]) {
            let options = ScrollOptions {
                visible: f64::from(visible),
                ..down()
            };
            let fake = covered_list(button);
            let name = selector(format!("row {row}").into());
            let reached = session(&fake).scroll_to(&name, options).await;
            let case = format!("row {row}, {visible} %, {button:?}");
            let places = (0..=MAX_OFFSET).filter_map(|offset| row_place(row, offset));
            let is_possible = if visible == 0 {
                button != LIST || row < 10
            } else {
                places.map(|it| shown_percent(it, button)).max() >= Some(u64::from(visible))
            };
            match reached {
                Ok(reached) => {
                    assert!(is_possible, "{case}");
                    let place = reached.screen.node(reached.node).bounds();
                    assert!(shown_percent(place, button) >= u64::from(visible), "{case}");
                }
                Err(EngineError::NotShown { shown, .. }) => {
                    assert!(!is_possible && visible > 0, "{case}: {shown}");
                    assert!(shown.contains("Button \"Cart\""), "{case}: {shown}");
                }
                Err(EngineError::NotScrolledTo { unsearched, .. }) => {
                    assert!(!is_possible, "{case}");
                    assert!(unsearched.taker.unwrap().contains("Cart"), "{case}");
                }
                Err(error) => panic!("{case}: {error}"),
            }
        }
    }
}

#[tokio::test]
async fn an_element_beside_the_list_is_shown_as_far_as_nothing_covers_it() {
    let cart = selector("Cart".into());
    for place in [
        Rect::new(0, 900, 1080, 1000),
        Rect::new(0, 1150, 1080, 1250),
        Rect::new(0, 1300, 1080, 1400),
    ] {
        for (covered, visible, is_shown) in [
            (0, 100.0, true),
            (540, 50.0, true),
            (540, 100.0, false),
            (1080, 1.0, false),
        ] {
            let over = [0, place.top, covered, place.bottom];
            let chip = node("Button", r#"text="Chip" clickable="true""#, over, "");
            let both = format!("{}{chip}", list_and_button(0, place));
            let screen = node("FrameLayout", "", [0, 0, 1080, 2400], &both);
            let fake = Fake::showing([&screen]);
            let options = ScrollOptions { visible, ..down() };
            let reached = session(&fake).scroll_to(&cart, options).await;
            let case = format!("{visible} % of {place:?} beside {over:?}");
            match reached {
                Ok(_) => assert!(is_shown, "{case}"),
                Err(EngineError::NotShown { shown, .. }) => {
                    assert!(!is_shown, "{case}: {shown}");
                    assert!(shown.contains("Button \"Chip\""), "{case}: {shown}");
                }
                Err(error) => panic!("{case}: {error}"),
            }
            assert!(fake.inputs().is_empty(), "{case}");
        }
    }
}

#[tokio::test]
async fn drags_without_effect_are_no_end_of_the_content() {
    let beside = Rect::new(0, 1300, 1080, 1400);
    for offset in [0, 50, MAX_OFFSET] {
        for row in (0..20).filter(|row| row_place(*row, offset).is_some()) {
            let place = row_place(row, offset).unwrap();
            let is_at_edge = place.top == LIST.top || place.bottom == LIST.bottom;
            let options = ScrollOptions {
                visible: 100.0,
                ..down()
            };
            let deaf = Fake::showing([&list_and_button(offset, beside)]);
            let name = selector(format!("row {row}").into());
            let reached = session(&deaf).scroll_to(&name, options).await;
            assert_eq!(reached.is_err(), is_at_edge, "row {row} at {offset}");
        }
    }
}

/// A container that scrolls along one axis, with two cards that follow each other along it.
fn cards_along(name: &str, top: i32, direction: Direction) -> String {
    let is_across = matches!(direction, Direction::Left | Direction::Right);
    let card = |number: i32| {
        let (left, top) = if is_across {
            (number * 400, top)
        } else {
            (0, top + number * 50)
        };
        node(
            "TextView",
            r#"text="card""#,
            [left, top, left + 400, top + 50],
            "",
        )
    };
    node(
        "RecyclerView",
        &format!(r#"scrollable="true" resource-id="com.example:id/{name}""#),
        [0, top, 1080, top + 100],
        &format!("{}{}", card(0), card(1)),
    )
}

#[tokio::test]
async fn containers_that_scroll_along_the_other_axis_are_named() {
    use Direction::{Down, Left, Right, Up};
    let page = |children: &str| {
        let attributes = r#"scrollable="true" resource-id="com.example:id/page""#;
        node("ScrollView", attributes, [0, 200, 1080, 1200], children)
    };
    let (first, second) = (
        cards_along("first", 300, Right),
        cards_along("second", 500, Right),
    );
    let below = cards_along("below", 1300, Right);
    let column = cards_along("column", 1300, Down);
    let both = "RecyclerView#first RecyclerView#second";
    let named = selector(serde_json::json!({ "id": "page" }));
    for (before, after, direction, within, rows) in [
        // In the page, passed on the way, beside the page, in the named page only.
        (page(&first), page(&first), Down, None, "RecyclerView#first"),
        (page(&first), page(&second), Down, None, both),
        (
            page(""),
            format!("{}{below}", page("")),
            Up,
            None,
            "RecyclerView#below",
        ),
        (
            format!("{}{below}", page(&first)),
            page(&first),
            Down,
            Some(&named),
            "RecyclerView#first",
        ),
        // Nothing scrolls down.
        (
            first.clone(),
            first.clone(),
            Down,
            None,
            "RecyclerView#first",
        ),
        (
            column.clone(),
            column.clone(),
            Left,
            None,
            "RecyclerView#column",
        ),
        (page(""), page(""), Down, None, ""),
        (column.clone(), column.clone(), Down, None, ""),
    ] {
        let fake = Fake::showing([&before]).on_input(move |_| Some(after.clone()));
        let options = ScrollOptions {
            within,
            direction,
            ..down()
        };
        let error = session(&fake)
            .scroll_to(&selector("none".into()), options)
            .await;
        let Err(EngineError::NotScrolledTo { unsearched, .. }) = error else {
            panic!("{error:?}");
        };
        assert_eq!(unsearched.across.join(" "), rows, "{before}");
        let is_down = matches!(direction, Down | Up);
        assert_eq!(
            unsearched.across_direction,
            if is_down { Right } else { Down }
        );
    }
}
