use proptest::prelude::*;

use super::*;
use runner_screen::Rect;

/// Parses a row from `Class#id|text|flags`, such as `Button#pay|Pay|clk,ena`. Any part may be missing.
fn row(short: &str) -> Row {
    let mut parts = short.split('|');
    let head = parts.next().unwrap();
    let (class, id) = head.split_once('#').unwrap_or((head, ""));
    Row {
        class: class.into(),
        res_id: if id.is_empty() {
            String::new()
        } else {
            format!("com.example:id/{id}")
        },
        text: parts.next().unwrap_or_default().into(),
        flags: parts.next().unwrap_or("ena").into(),
        ..Row::default()
    }
}

fn rows(short: &[&str]) -> Vec<Row> {
    short.iter().map(|short| row(short)).collect()
}

fn diff(golden: &[&str], actual: &[&str]) -> Vec<String> {
    lines(&shared_changes(&rows(golden), &rows(actual)))
}

#[test]
fn changes_in_words() {
    let form: &[&str] = &[
        "TextView#title|Shop",
        "Button#pay|Pay|clk,ena",
        "Switch#wifi||chkb",
    ];
    let cases: &[(&[&str], &[&str], &[&str])] = &[
        (form, form, &[]),
        (
            form,
            &[
                "TextView#title|Shop",
                "Button#pay|Pay now|clk,ena",
                "Switch#wifi||chkb",
            ],
            &["Button#pay: text \"Pay\" → \"Pay now\""],
        ),
        (
            form,
            &[
                "TextView#title|Shop",
                "Button#pay|Pay|clk",
                "Switch#wifi||chkb,chk",
            ],
            &["Button#pay: no longer enabled", "Switch#wifi: now checked"],
        ),
        (
            form,
            &["TextView#title|Shop", "Switch#wifi||chkb"],
            &["Button#pay: removed"],
        ),
        (
            form,
            &[
                "TextView#title|Shop",
                "TextView|New",
                "Button#pay|Pay|clk,ena",
                "Switch#wifi||chkb",
            ],
            &["TextView \"New\": added"],
        ),
        (
            form,
            &[
                "TextView#title|Shop",
                "ImageButton#pay|Pay|clk,ena",
                "Switch#wifi||chkb",
            ],
            &["ImageButton#pay: class \"Button\" → \"ImageButton\""],
        ),
        (
            &["TextView|A"],
            &["TextView|B"],
            &["TextView \"B\": text \"A\" → \"B\""],
        ),
        (&[], &["TextView|B"], &["TextView \"B\": added"]),
        (
            &["A|1", "B|2", "C|3", "D|4"],
            &["B|2", "C|3", "D|4", "A|1"],
            &["A \"1\": was row 1, is row 4"],
        ),
    ];
    for (golden, actual, expected) in cases {
        assert_eq!(&diff(golden, actual), expected, "{golden:?} {actual:?}");
    }
}

#[test]
fn flags_in_another_order_are_told() {
    assert_eq!(
        diff(&["Button#pay|Pay|ena,clk"], &["Button#pay|Pay|clk,ena"]),
        ["Button#pay: the same flags in another order"]
    );
}

#[test]
fn an_item_inserted_in_a_list_of_equals_is_one_change() {
    let list = ["Row#item|a", "Row#item|b", "Row#item|c", "Row#item|d"];
    let longer = [
        "Row#item|a",
        "Row#item|x",
        "Row#item|b",
        "Row#item|c",
        "Row#item|d",
    ];
    assert_eq!(diff(&list, &longer), ["Row#item: added"]);
    assert_eq!(diff(&longer, &list), ["Row#item: removed"]);
    let twins = ["Row#item|a"; 5];
    assert_eq!(
        diff(&twins[..3], &twins),
        ["Row#item: added", "Row#item: added"]
    );
}

#[test]
fn the_most_weighty_change_comes_first() {
    let changes = diff(
        &["A#a|1", "B#b|2", "C#c|3|ena"],
        &["A#a|one", "C#c|3|clk", "D#d|4"],
    );
    assert_eq!(
        changes,
        [
            "B#b: removed",
            "D#d: added",
            "A#a: text \"1\" → \"one\"",
            "C#c: now clickable, no longer enabled"
        ]
    );
}

fn at(short: &str, bounds: [i32; 4]) -> Row {
    let [l, t, r, b] = bounds;
    Row {
        bounds: Some(Rect::new(l, t, r, b)),
        on: Some(true),
        ..row(short)
    }
}

#[test]
fn bounds_in_words() {
    let golden = [at("A#a", [0, 0, 10, 10]), at("B#b", [0, 10, 10, 20])];
    let mut actual = [at("A#a", [0, 8, 10, 18]), at("B#b", [0, 10, 12, 20])];
    assert_eq!(
        lines(&bounds_changes(&golden, &actual)),
        ["B#b: bounds 0,10,10,20 → 0,10,12,20", "A#a: moved by 0,+8"]
    );
    assert_eq!(shared_changes(&golden, &actual), []);
    actual[0].on = Some(false);
    actual[1].mask();
    assert_eq!(
        lines(&bounds_changes(&golden, &actual)),
        ["A#a: no longer on the screen", "A#a: moved by 0,+8"]
    );
}

#[test]
fn many_rows_moved_alike_share_a_line() {
    let side = |y: i32| -> Vec<Row> {
        (0..9)
            .map(|n| at(&format!("R#r{n}"), [0, n + y, 5, n + y + 1]))
            .collect()
    };
    assert_eq!(
        lines(&bounds_changes(&side(0), &side(-4))),
        ["R#r0 and 8 others: moved by 0,-4"]
    );
}

#[test]
fn five_thousand_rows_without_anything_in_common_end() {
    let side = |prefix: &str| -> Vec<Row> {
        (0..5000)
            .map(|n| row(&format!("View|{prefix}{}", n % 3)))
            .collect()
    };
    assert_eq!(shared_changes(&side("a"), &side("b")).len(), 5000);
}

/// Returns rows of which one more becomes unique whenever the row before it is removed.
fn unravelling(text: &str, pairs: usize) -> Vec<Row> {
    (0..pairs)
        .flat_map(|n| [n + 1, n])
        .map(|id| row(&format!("View#r{id}|{text}")))
        .collect()
}

#[test]
fn rows_that_unravel_one_by_one_end() {
    let (golden, actual) = (unravelling("a", 20_000), unravelling("b", 20_000));
    assert_eq!(shared_changes(&golden, &actual).len(), 40_000);
    let few = lines(&shared_changes(&unravelling("a", 9), &unravelling("b", 9)));
    assert!(few.iter().all(|line| line.contains("text")), "{few:?}");
}

#[test]
fn five_thousand_rows_in_another_order_end() {
    let side = |step: usize| -> Vec<Row> {
        (0..5000)
            .map(|n| {
                at(
                    &format!("View|{}", n * step % 5000),
                    [0, n as i32, 9, n as i32 + 1],
                )
            })
            .collect()
    };
    let (golden, actual) = (side(1), side(1999));
    assert!(shared_changes(&golden, &actual).len() > 4000);
    assert!(bounds_changes(&golden, &actual).len() > 4000);
    assert_eq!(
        crate::row_lines(&golden, &actual)
            .iter()
            .filter(|line| line.golden.is_some())
            .count(),
        5000
    );
}

fn few_rows() -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec("[AB](#[xyz])?\\|[12]?\\|(ena)?", 0..12)
        .prop_map(|shorts| shorts.iter().map(|short| row(short)).collect())
}

proptest! {
    #[test]
    fn every_row_is_paired_once_and_in_order(golden in few_rows(), actual in few_rows()) {
        let pairs = align(&golden, &actual);
        let old: Vec<_> = pairs.iter().filter_map(|pair| pair.0).collect();
        let new: Vec<_> = pairs.iter().filter_map(|pair| pair.1).collect();
        prop_assert_eq!(old, (0..golden.len()).collect::<Vec<_>>());
        prop_assert_eq!(new, (0..actual.len()).collect::<Vec<_>>());
    }

    #[test]
    fn no_change_exactly_when_equal(golden in few_rows(), actual in few_rows()) {
        prop_assert_eq!(shared_changes(&golden, &actual).is_empty(), golden == actual);
    }

    #[test]
    fn what_is_said_of_one_way_is_said_of_the_other(golden in few_rows(), actual in few_rows()) {
        let there = shared_changes(&golden, &actual);
        let back = shared_changes(&actual, &golden);
        let number = |changes: &[RowChange], change: &Change| changes.iter().filter(|it| it.change == *change).count();
        prop_assert_eq!(
            number(&there, &Change::Added) + golden.len(),
            number(&there, &Change::Removed) + actual.len()
        );
        prop_assert_eq!(
            number(&back, &Change::Removed) + golden.len(),
            number(&back, &Change::Added) + actual.len()
        );
    }

    #[test]
    fn a_row_taken_out_is_at_most_one_change_more(rows in few_rows(), at: prop::sample::Index) {
        prop_assume!(!rows.is_empty());
        let mut fewer = rows.clone();
        fewer.remove(at.index(rows.len()));
        let changes = shared_changes(&rows, &fewer);
        prop_assert!(!changes.is_empty());
    }
}
