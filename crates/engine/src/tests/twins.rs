//! Tests of ids of earlier looks, where another element looks the same.

use proptest::prelude::*;

use super::*;
use crate::identity::{Identity, identify};
use runner_screen::{DisplayContext, Rect, Screen};

const VIEW: Rect = Rect {
    left: 0,
    top: 200,
    right: 1080,
    bottom: 1200,
};
const ROW_HEIGHT: i32 = 100;
const ROWS: i32 = 30;
const MAX_SCROLL: i32 = ROWS * ROW_HEIGHT - 1000;

/// Returns the visible part of a row, if any.
fn place(row: i32, scroll: i32) -> Option<Rect> {
    let top = VIEW.top + row * ROW_HEIGHT - scroll;
    Rect {
        top,
        bottom: top + ROW_HEIGHT,
        ..VIEW
    }
    .intersection(&VIEW)
}

/// A list whose first row and row `twin` are equal, scrolled by this many pixels.
fn list_at(scroll: i32, twin: i32) -> String {
    let row = |row: i32| {
        let Rect {
            left,
            top,
            right,
            bottom,
        } = place(row, scroll)?;
        let title = if row == 0 || row == twin {
            "Apple".to_owned()
        } else {
            format!("Row {row}")
        };
        let attributes = format!(r#"text="{title}" resource-id="a:id/item" clickable="true""#);
        Some(node("Button", &attributes, [left, top, right, bottom], ""))
    };
    let rows: String = (0..ROWS).filter_map(row).collect();
    node(
        "ListView",
        r#"scrollable="true""#,
        [0, 200, 1080, 1200],
        &rows,
    )
}

fn parsed(dump: &str) -> Screen {
    let dump = format!(r#"<?xml version="1.0"?><hierarchy rotation="0">{dump}</hierarchy>"#);
    Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap()
}

proptest! {
    /// An id leads to the row that had it, or nowhere. After a short scroll it leads there.
    #[test]
    fn an_id_never_leads_to_a_twin(
        twin in 1..ROWS,
        from in 0..=MAX_SCROLL,
        by in prop_oneof![-1000..=1000_i32, (-10..=10_i32).prop_map(|rows| rows * ROW_HEIGHT)],
    ) {
        let to = (from + by).clamp(0, MAX_SCROLL);
        let (before, after) = (parsed(&list_at(from, twin)), parsed(&list_at(to, twin)));
        for row in 0..ROWS {
            let (was, is) = (place(row, from), place(row, to));
            let old = was.and_then(|at| {
                before.nodes().find(|node| node.bounds() == at && !node.text().is_empty())
            });
            let Some(old) = old else { continue };
            let found = identify(old, &after);
            if let Identity::Found(index) = found {
                prop_assert_eq!(Some(after.node(index).bounds()), is, "row {}", row);
            }
            let is_whole = |at: Option<Rect>| at.is_some_and(|at| at.height() == 100);
            if (to - from).abs() <= 400 && is_whole(was) && is_whole(is) {
                prop_assert!(matches!(found, Identity::Found(_)), "row {}: {:?}", row, found);
            }
        }
    }
}

/// Both kinds of ids name the row, or say that another may be meant.
#[tokio::test]
async fn ids_of_equal_rows_follow_the_scroll() {
    for (from, to, tops) in [
        // Both were seen, and the first is scrolled away.
        (0, 430, [None, Some(270)]),
        (0, 500, [None, Some(200)]),
        // Both stay.
        (0, 0, [Some(200), Some(700)]),
    ] {
        for is_short in [false, true] {
            for (which, top) in tops.into_iter().enumerate() {
                let fake = Fake::showing([&list_at(from, 5), &list_at(to, 5)]);
                let session = session(&fake);
                let before = session.look().await.unwrap();
                let apples = before.nodes().filter(|node| node.text() == "Apple");
                let apple = apples.map(runner_screen::Node::index).nth(which).unwrap();
                let all: Vec<_> = before.nodes().map(runner_screen::Node::index).collect();
                let numbers = session.short_ids().show(&before, &all);
                let id = if is_short {
                    short_ids::written(numbers[all.iter().position(|it| *it == apple).unwrap()])
                } else {
                    before.node(apple).id()
                };
                let found = session.element(&id).await;
                let case = format!("{id}, {which} from {from} to {to}");
                match (found, top) {
                    (Ok((now, index)), Some(top)) => {
                        assert_eq!(now.node(index).bounds().top, top, "{case}");
                    }
                    (Err(EngineError::Gone { has_double, .. }), None) => {
                        assert!(has_double, "{case}");
                    }
                    (found, _) => panic!("{case}: {:?}", found.map(|(_, index)| index)),
                }
            }
        }
    }
}
