//! Tests that numbers stay with their elements and never go to others.

use super::*;
use runner_screen::DisplayContext;

fn screen(nodes: &str) -> Screen {
    in_activity(".Main", nodes)
}

fn in_activity(activity: &str, nodes: &str) -> Screen {
    let surroundings = DisplayContext {
        foreground: Some(("com.example".to_owned(), activity.to_owned())),
        ..DisplayContext::default()
    };
    let dump = format!(
        "<hierarchy><node class='a.FrameLayout' package='com.example' bounds='[0,0][1080,2400]'>{nodes}</node></hierarchy>"
    );
    Screen::parse(dump.as_bytes(), &surroundings).unwrap()
}

fn node(class: &str, attributes: &str, [top, bottom]: [i32; 2], children: &str) -> String {
    format!(
        "<node class='a.{class}' {attributes} bounds='[0,{top}][1000,{bottom}]'>{children}</node>"
    )
}

fn text(text: &str, top: i32) -> String {
    node("TextView", &format!("text='{text}'"), [top, top + 40], "")
}

/// A list of rows with a title and a button each, the first at the top.
fn list(titles: &[&str]) -> String {
    let rows: String = (0..)
        .zip(titles)
        .map(|(place, title)| {
            let top = place * 100;
            let button = node(
                "Button",
                "text='Delete' clickable='true'",
                [top + 40, top + 90],
                "",
            );
            node("Row", "", [top, top + 100], &(text(title, top) + &button))
        })
        .collect();
    node("List", "scrollable='true'", [0, 2000], &rows)
}

/// Shows all elements, and returns each with its number.
fn show(ids: &ShortIds, screen: &Screen) -> Vec<(String, u32)> {
    let displayed = Elements::new(screen).visible();
    let nodes: Vec<_> = displayed.iter().map(|node| node.index()).collect();
    let names = displayed.iter().map(|node| node.text().to_owned());
    names.zip(ids.show(screen, &nodes)).collect()
}

fn number_of(displayed: &[(String, u32)], text: &str) -> u32 {
    displayed.iter().find(|(name, _)| name == text).unwrap().1
}

#[test]
fn ids_read_only_as_written() {
    assert_eq!(number("@e12"), Some(12));
    for other in [
        "e12", "12", "@e", "@e012", "@e-1", "@e+1", "@e12 ", "node_12",
    ] {
        assert_eq!(number(other), None, "{other}");
    }
}

#[test]
fn an_element_keeps_its_number_where_it_is_and_where_it_went() {
    let ids = ShortIds::default();
    let before = show(&ids, &screen(&(text("A", 0) + &text("B", 100))));
    assert_eq!(before, [("A".to_owned(), 1), ("B".to_owned(), 2)]);
    let moved = show(
        &ids,
        &screen(&(text("New", 0) + &text("A", 100) + &text("B", 200))),
    );
    let expected = [
        ("New".to_owned(), 3),
        ("A".to_owned(), 1),
        ("B".to_owned(), 2),
    ];
    assert_eq!(moved, expected);
}

#[test]
fn a_text_that_changes_in_its_place_is_the_same_element() {
    let ids = ShortIds::default();
    let count = |number: &str, top| {
        node(
            "TextView",
            &format!("text='{number}' resource-id='p:id/count'"),
            [top, top + 9],
            "",
        )
    };
    show(&ids, &screen(&count("3", 50)));
    assert_eq!(show(&ids, &screen(&count("4", 50)))[0].1, 1, "in its place");
    assert_eq!(
        show(&ids, &screen(&count("5", 90)))[0].1,
        1,
        "elsewhere, the only one with its resource id"
    );
}

#[test]
fn what_scrolls_into_a_place_gets_a_number_of_its_own() {
    let ids = ShortIds::default();
    let first = show(&ids, &screen(&list(&["A", "B", "C"])));
    // By one row: every button is where an equal one was.
    let second = show(&ids, &screen(&list(&["B", "C", "D"])));
    let numbers: Vec<u32> = first.iter().map(|(_, number)| *number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7]);
    let numbers: Vec<u32> = second.iter().map(|(_, number)| *number).collect();
    assert_eq!(
        numbers,
        [1, 4, 5, 6, 7, 8, 9],
        "list, B, its button, C, its button, D, its button"
    );
    // Back: the old ones are found again.
    assert_eq!(show(&ids, &screen(&list(&["A", "B", "C"]))), first);
    // By a whole page.
    let page = show(&ids, &screen(&list(&["X", "Y", "Z"])));
    assert!(page[1..].iter().all(|(_, number)| *number > 9), "{page:?}");
}

#[test]
fn a_row_that_changes_in_a_list_at_rest_is_the_same() {
    let ids = ShortIds::default();
    let before = show(&ids, &screen(&list(&["A 1", "B 1", "C 1"])));
    let after = show(&ids, &screen(&list(&["A 1", "B 2", "C 1"])));
    assert_eq!(number_of(&before, "B 1"), number_of(&after, "B 2"));
    let numbers = |displayed: &[(String, u32)]| {
        displayed
            .iter()
            .map(|(_, number)| *number)
            .collect::<Vec<_>>()
    };
    assert_eq!(numbers(&before), numbers(&after), "its button too");
}

#[test]
fn a_field_stays_itself_as_it_is_typed_into() {
    let ids = ShortIds::default();
    let form = |name: &str, town: &str, top: i32| {
        let field = |text: &str, top| {
            node(
                "EditText",
                &format!("text='{text}' clickable='true'"),
                [top, top + 40],
                "",
            )
        };
        field(name, top) + &field(town, top + 100)
    };
    let numbers = |displayed: Vec<(String, u32)>| {
        displayed
            .into_iter()
            .map(|(_, number)| number)
            .collect::<Vec<_>>()
    };
    assert_eq!(numbers(show(&ids, &screen(&form("", "", 500)))), [1, 2]);
    assert_eq!(numbers(show(&ids, &screen(&form("Ada", "", 500)))), [1, 2]);
    assert_eq!(
        numbers(show(&ids, &screen(&form("Ada", "Ulm", 100)))),
        [1, 2],
        "the keyboard moved it"
    );
}

#[test]
fn another_activity_has_other_elements() {
    let ids = ShortIds::default();
    let back = node("Button", "content-desc='Back'", [0, 9], "");
    let one = show(&ids, &in_activity(".One", &back));
    let two = show(&ids, &in_activity(".Two", &back));
    assert_eq!((one[0].1, two[0].1), (1, 2));
    assert_eq!(show(&ids, &in_activity(".One", &back))[0].1, 1);
}

#[test]
fn a_number_finds_its_element_or_nothing() {
    let ids = ShortIds::default();
    show(&ids, &screen(&list(&["A", "B", "C"])));
    let scrolled = screen(&list(&["B", "C", "D"]));
    let found = |number| {
        ids.find(number, &scrolled)
            .map(|index| scrolled.node(index).text().to_owned())
    };
    assert_eq!(found(4).as_deref(), Some("B"));
    assert_eq!(found(2), None, "A is gone; another text is where it was");
    assert_eq!(found(99), None);
    assert_eq!(ids.called(2).as_deref(), Some("TextView \"A\""));
    assert_eq!(ids.called(99), None);
    // Finding is not a look: the next new element follows the last that was shown.
    assert_eq!(number_of(&show(&ids, &scrolled), "D"), 8);
}

#[test]
fn rows_alike_in_every_word_are_told_apart_by_place_only() {
    let ids = ShortIds::default();
    let before = show(&ids, &screen(&list(&["A", "A", "A"])));
    assert_eq!(show(&ids, &screen(&list(&["A", "A", "A"]))), before);
    let numbers: HashSet<u32> = before.iter().map(|(_, number)| *number).collect();
    assert_eq!(numbers.len(), 7);
}

/// Pairs of screens with many elements: all equal; equal within rows of their own; each with words of its
/// own.
fn long_screens() -> [[Screen; 2]; 3] {
    const ROWS: i32 = 500;
    let switch = |top: i32| node("Switch", "resource-id='a:id/on'", [top, top + 40], "");
    let rows =
        |row: &dyn Fn(i32) -> String| screen(&(0..ROWS).map(|at| row(at * 50)).collect::<String>());
    let labelled = |word: &str| {
        rows(&|top| {
            let label = text(&format!("{word} {top}"), top);
            node("Row", "", [top, top + 50], &(label + &switch(top)))
        })
    };
    [
        [rows(&switch), rows(&|top| switch(top + 7))],
        [labelled("old"), labelled("new")],
        [
            rows(&|top| text(&top.to_string(), top)),
            rows(&|top| text(&format!("new {top}"), top + 7)),
        ],
    ]
}

#[test]
fn an_element_of_a_long_screen_is_compared_with_few() {
    for [before, after] in long_screens() {
        let ids = ShortIds::default();
        show(&ids, &before);
        show(&ids, &before);
        let table = ids.table();
        let last = table.last_of_kind();
        for screen in [&before, &after] {
            let all = candidates(screen);
            let compared: usize = all
                .iter()
                .map(|new| {
                    let of_kind = last.get(&kind_and_index(new)).map_or(0, Vec::len);
                    table.at_place(new).count() + table.lookalikes(new).count() + of_kind
                })
                .sum();
            assert!(compared <= 3 * all.len(), "{compared} of {}", all.len());
        }
    }
}

#[test]
fn the_words_around_are_read_once() {
    for screen in long_screens().iter().flatten() {
        let mut contexts = traits::WordContexts::new(screen);
        for node in screen.nodes() {
            contexts.context(node);
        }
        let read: usize = contexts
            .read()
            .map(|node| screen.node(node).subtree().len())
            .sum();
        assert!(read <= 2 * screen.len(), "{read} of {}", screen.len());
    }
}
