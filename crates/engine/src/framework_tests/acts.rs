//! Acts: where a touch goes, what is scrolled, what has the focus.

use std::time::Duration;

use super::raw::{self, Edges, RawNode};
use super::{Sample, check, places, samples, selector};
use crate::act::touch_point;
use crate::field::focused_field;
use crate::scroll::container;
use crate::{Readiness, ScrollOptions, click_target};
use runner_device::{Direction, Input};
use runner_screen::{DisplayContext, Point, Rect, Screen, Selector};
use serde_json::json;

const LIMIT: Duration = Duration::from_secs(5);

/// Whether a touch at this point is one on the element.
fn is_on(sample: &Sample, place: usize, point: Point) -> bool {
    let window = sample.raw[0].edges;
    let taker = raw::outward(&sample.raw, place).find(|node| node.is("clickable"));
    raw::holds(sample.raw[place].edges, point)
        && raw::holds(window, point)
        && taker.is_none_or(|taker| raw::holds(taker.edges, point))
}

/// The selector of the element at this place among those with its text.
fn nth(text: &str, index: usize) -> Option<Selector> {
    // In a pattern a star is any text.
    (!text.contains('*')).then(|| selector(json!({ "text": text, "index": index })))
}

#[tokio::test]
async fn each_text_is_found_and_touched_within_itself_and_what_takes_the_touch() {
    let mut touched = 0;
    for sample in samples() {
        // The screen comes later than the step.
        let (fake, session) = sample.device(2);
        for text in sample.texts() {
            for (index, place) in sample.with_text(&text).into_iter().enumerate() {
                let Some(selector) = nth(&text, index) else {
                    continue;
                };
                let element = session
                    .click(&selector, Readiness::Forced, LIMIT)
                    .await
                    .unwrap_or_else(|error| panic!("{}: {error}", sample.name));
                assert_eq!(
                    element.node.0 as usize, place,
                    "{}: {selector}",
                    sample.name
                );
                let inputs = fake.inputs();
                let Some(Input::Tap(point)) = inputs.last() else {
                    panic!("{}: {selector}: {inputs:?}", sample.name);
                };
                assert!(
                    is_on(sample, place, *point),
                    "{}: {selector}: {point:?}",
                    sample.name
                );
                touched += 1;
            }
        }
    }
    assert!(touched >= 1600, "{touched} touches");
}

/// The dump's elements, moved to where their window lies.
fn moved(dump: &str, (right, down): (i32, i32)) -> String {
    let mut parts = dump.split("bounds=\"[");
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (edges, rest) = part.split_once("]\"").expect("an end of bounds");
        let edges: Vec<i32> = edges
            .split(['[', ']', ','])
            .filter_map(|edge| edge.parse().ok())
            .collect();
        let [l, t, r, b] = edges[..] else {
            panic!("four edges: {part}");
        };
        let [l, r] = [l, r].map(|edge| edge + right);
        let [t, b] = [t, b].map(|edge| edge + down);
        written.push_str(&format!("bounds=\"[{l},{t}][{r},{b}]\"{rest}"));
    }
    written
}

/// Each window that is smaller than the display, as a dialog in the middle of it before another screen of the app.
fn dialogs() -> Vec<Sample> {
    let hierarchy = |dump: &str| dump[dump.find("<hierarchy").expect("a begin")..].to_owned();
    let whole = [0, 0, 1078, 2338];
    let behind = samples().iter().find(|sample| sample.name == "view.List1");
    let behind = behind.expect("a list that scrolls");
    let small = samples()
        .iter()
        .filter(|sample| sample.raw[0].edges != whole);
    small
        .map(|sample| {
            let dialog = moved(&hierarchy(&sample.dump), (0, 900));
            let [l, t, r, b] = raw::read(&dialog)[0].edges;
            let dump = format!(
                "<displays><display id=\"0\">\
                 <window id=\"2\" title=\"Dialog\" type=\"APPLICATION\" layer=\"1\" focused=\"true\" bounds=\"[{l},{t}][{r},{b}]\">{dialog}</window>\
                 <window id=\"1\" title=\"List\" type=\"APPLICATION\" layer=\"0\" focused=\"false\" bounds=\"[0,0][1078,2338]\">{}</window>\
                 </display></displays>",
                hierarchy(&behind.dump)
            );
            Sample::read(sample.name.clone(), dump)
        })
        .collect()
}

#[test]
fn a_dialog_is_touched_within_its_window() {
    let dialogs = dialogs();
    assert_eq!(dialogs.len(), 3);
    for sample in dialogs {
        let window = sample.raw[0].edges;
        let count = sample
            .raw
            .iter()
            .skip(1)
            .position(|node| node.parent.is_none());
        let count = count.map_or(sample.raw.len(), |count| count + 1);
        for node in sample.screen.nodes().take(count) {
            assert_eq!(node.window().title, "Dialog", "{}", sample.name);
            let point = touch_point(node, click_target(node)).expect("a place");
            assert!(raw::holds(window, point), "{}: {node:?}", sample.name);
        }
        let (_, area) = container(&sample.screen, None).expect("an area");
        let corner = Point {
            x: area.right - 1,
            y: area.bottom - 1,
        };
        let lies = raw::holds(
            window,
            Point {
                x: area.left,
                y: area.top,
            },
        );
        assert!(
            lies && raw::holds(window, corner),
            "{}: {area:?}",
            sample.name
        );
    }
}

const DIRECTIONS: [Direction; 4] = [
    Direction::Up,
    Direction::Down,
    Direction::Left,
    Direction::Right,
];

/// The largest that a finger moves that way; without one the window.
fn scroller(sample: &Sample, to: Direction) -> Edges {
    let all = sample.raw.iter().filter(|node| node.scrolls(to));
    let largest: Option<&RawNode> = all.max_by_key(|node| raw::area(node.edges));
    largest.map_or(sample.raw[0].edges, |node| node.edges)
}

#[tokio::test]
async fn what_is_scrolled_is_the_largest_that_moves_that_way_or_the_window() {
    let mut broken = Vec::new();
    for sample in samples() {
        for direction in DIRECTIONS {
            let (fake, session) = sample.device(0);
            let options = ScrollOptions {
                within: None,
                direction,
                max: 2,
                visible: 0.0,
                center: false,
            };
            let missing = Selector::of_words("what no screen of the app says");
            assert!(session.scroll_to(&missing, options).await.is_err());
            let expected = scroller(sample, direction);
            let middle = Rect {
                left: expected[0],
                top: expected[1],
                right: expected[2],
                bottom: expected[3],
            }
            .center();
            for input in fake.inputs() {
                let Input::Drag(drag) = input else {
                    panic!("{}: {input:?}", sample.name);
                };
                let is_inside = raw::holds(expected, drag.from) && raw::holds(expected, drag.to);
                let is_across = drag.from.x == drag.to.x && drag.from.x == middle.x
                    || drag.from.y == drag.to.y && drag.from.y == middle.y;
                if !is_inside || !is_across {
                    broken.push(format!(
                        "{} {direction:?}: {drag:?}, not in {expected:?}",
                        sample.name
                    ));
                }
            }
        }
    }
    assert!(
        broken.is_empty(),
        "{} broken\n{}",
        broken.len(),
        broken.join("\n")
    );
}

#[test]
fn the_focus_is_where_the_dump_says_and_only_fields_are_typed_into() {
    let mut containers = 0;
    for sample in samples() {
        let all = sample.raw.iter().enumerate();
        let focused: Vec<usize> = all
            .filter(|(_, node)| node.is("focused"))
            .map(|(place, _)| place)
            .collect();
        let found = places(&selector(json!({ "focused": true })), &sample.screen);
        assert_eq!(found, focused, "{}", sample.name);
        let field = focused.iter().find(|place| sample.raw[**place].is_field());
        let typed = focused_field(&sample.screen).map(|node| node.index().0 as usize);
        assert_eq!(typed, field.copied(), "{}", sample.name);
        for text in sample.texts().iter().filter(|text| !text.contains('*')) {
            // A list has the focus, not its row: the row's words name the list by `has`.
            let holds = |place: usize| {
                let texts = sample.with_text(text);
                let mut inside = texts.iter().filter(|inner| **inner != place);
                inside.any(|inner| {
                    let container = &sample.raw[place];
                    raw::outward(&sample.raw, *inner).any(|node| std::ptr::eq(node, container))
                })
            };
            let expected: Vec<usize> = focused.iter().copied().filter(|it| holds(*it)).collect();
            containers += expected.len();
            let selector = selector(json!({ "focused": true, "has": { "text": text } }));
            assert_eq!(
                places(&selector, &sample.screen),
                expected,
                "{}: {selector}",
                sample.name
            );
        }
    }
    assert!(
        containers >= 20,
        "{containers} rows of lists with the focus"
    );
}

#[test]
fn a_spinner_is_touched_where_it_stands() {
    let mut spinners = 0;
    check(|sample, broken| {
        let mut all = sample.raw.iter().enumerate();
        for (place, _) in all.by_ref().filter(|(_, node)| node.class() == "Spinner") {
            let index = runner_screen::NodeIndex(place as u32);
            let spinner = sample.screen.node(index);
            for inner in spinner.descendants() {
                let point = touch_point(inner, click_target(inner));
                if !point.is_some_and(|point| is_on(sample, place, point)) {
                    broken.push(format!("{inner:?} is touched at {point:?}"));
                }
            }
            if spinner.scrolls() {
                broken.push(format!("{spinner:?} scrolls"));
            }
        }
    });
    for sample in samples() {
        spinners += sample
            .raw
            .iter()
            .filter(|node| node.class() == "Spinner")
            .count();
    }
    assert!(spinners >= 10, "{spinners} spinners");
}

/// A device may report a display larger than the only window that it shows.
#[test]
fn a_small_window_is_read_alike_on_any_display() {
    let display = runner_screen::Display {
        width: 1078,
        height: 2338,
        density: 420,
        rotation: 0,
    };
    let context = DisplayContext {
        display: Some(display),
        ..DisplayContext::default()
    };
    check(|sample, broken| {
        let screen = Screen::parse(sample.dump.as_bytes(), &context).expect("a screen");
        for (known, unknown) in screen.nodes().zip(sample.screen.nodes()) {
            let points = [known, unknown].map(|node| touch_point(node, click_target(node)));
            if points[0] != points[1] || known.unseen() != unknown.unseen() {
                broken.push(format!("{known:?}: {points:?}"));
            }
        }
    });
}
