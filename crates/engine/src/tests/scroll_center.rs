//! Tests of scrolling an element to the middle of its container.

use super::scroll_containers::{LIST, MAX_OFFSET, covered_list, list_and_button, row_place};
use super::*;
use runner_screen::Rect;

#[tokio::test]
async fn a_row_is_in_the_middle_only_if_a_drag_was_seen_to_move_the_list() {
    let beside = Rect::new(0, 1300, 1080, 1400);
    let options = ScrollOptions {
        center: true,
        ..down()
    };
    for offset in [0, 50, MAX_OFFSET] {
        for row in (0..20).filter(|row| row_place(*row, offset).is_some()) {
            let case = format!("row {row} at {offset}");
            let name = selector(format!("row {row}").into());
            let place = row_place(row, offset).unwrap();
            // Less than a twentieth of the list is left as it is.
            let is_there = (place.center().y - LIST.center().y).abs() < 50;
            let shown = list_and_button(offset, beside);
            let deaf = session(&Fake::showing([&shown]));
            match deaf.scroll_to(&name, options).await {
                Ok(_) => assert!(is_there, "{case}"),
                Err(EngineError::NotMoved { .. }) => assert!(!is_there, "{case}"),
                Err(error) => panic!("{case}: {error}"),
            }
            // What does not scroll, or is not known to, has nothing to prove.
            for unsure in [
                shown.replace("scrollable", "focusable"),
                list_of_one(offset, row),
            ] {
                let fake = session(&Fake::showing([&unsure]));
                fake.scroll_to(&name, options).await.expect(&case);
            }
            let healthy = session(&covered_list(beside));
            healthy.scroll_to(&name, options).await.expect(&case);
        }
    }
}

#[tokio::test]
async fn an_element_that_the_container_does_not_hold_is_reached_without_a_drag() {
    let cart = selector("Cart".into());
    let list = selector(serde_json::json!({ "class": "ListView" }));
    for place in [
        Rect::new(0, 1300, 1080, 1400),
        Rect::new(0, 50, 1080, 150),
        Rect::new(0, 900, 1080, 1000),
    ] {
        for within in [None, Some(&list)] {
            for direction in [Direction::Down, Direction::Up] {
                let options = ScrollOptions {
                    within,
                    direction,
                    visible: 100.0,
                    center: true,
                    ..down()
                };
                let fake = covered_list(place);
                let reached = session(&fake).scroll_to(&cart, options).await.unwrap();
                assert_eq!(reached.scrolls, 0, "{place:?}");
                assert!(fake.inputs().is_empty(), "{place:?}");
            }
        }
    }
}

/// A page that scrolls, such as one of a pager, with one row.
fn list_of_one(offset: i32, row: i32) -> String {
    let edges = |rect: Rect| [rect.left, rect.top, rect.right, rect.bottom];
    let place = row_place(row, offset).expect("a row in the list");
    let row = node(
        "TextView",
        &format!(r#"text="row {row}""#),
        edges(place),
        "",
    );
    node("ViewPager", r#"scrollable="true""#, edges(LIST), &row)
}
