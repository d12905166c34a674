//! Laws for actions: touched points, scrolled containers, the focus.

use std::time::Duration;

use super::raw::{self, Edges, RawNode};
use super::{Sample, check, places, samples, selector};
use crate::act::touch_point;
use crate::container_scroll::container;
use crate::field::focused_field;
use crate::{Readiness, ScrollOptions, click_target};
use runner_device::{Direction, Gesture, Input};
use runner_screen::{DisplayContext, Point, Rect, Screen, Selector};
use serde_json::json;

const LIMIT: Duration = Duration::from_secs(5);

/// Returns true if a touch at this point reaches the element: it lies in the element, in the window and in
/// the nearest clickable ancestor, if there is one. Overlapping elements are not considered.
fn is_on(sample: &Sample, place: usize, point: Point) -> bool {
    let window = sample.raw[0].edges;
    let taker = raw::outward(&sample.raw, place).find(|node| node.is("clickable"));
    raw::holds(sample.raw[place].edges, point)
        && raw::holds(window, point)
        && taker.is_none_or(|taker| raw::holds(taker.edges, point))
}

/// Returns a selector by text and index. `None` if the text contains a star, which would make it a pattern.
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

/// Moves all bounds of a dump by an offset in pixels, to where their window lies.
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

/// Builds a dump of a device's windows, the focused one first. The focused one is moved by its offset and has
/// the higher layer. Without another dump it is the only one.
fn windows(focused: (&str, (i32, i32)), other: Option<&str>) -> String {
    let hierarchy = |dump: &str| dump[dump.find("<hierarchy").expect("a begin")..].to_owned();
    let window = |id: u8, title: &str, hierarchy: &str| {
        let [l, t, r, b] = raw::read(hierarchy)[0].edges;
        let is_focused = id == 2;
        format!(
            "<window id=\"{id}\" title=\"{title}\" type=\"APPLICATION\" layer=\"{id}\" \
             focused=\"{is_focused}\" bounds=\"[{l},{t}][{r},{b}]\">{hierarchy}</window>"
        )
    };
    let front = window(2, "Front", &moved(&hierarchy(focused.0), focused.1));
    let behind = other.map(|dump| window(1, "Behind", &hierarchy(dump)));
    let behind = behind.unwrap_or_default();
    format!("<displays><display id=\"0\">{front}{behind}</display></displays>")
}

fn sample(name: &str) -> &'static Sample {
    let mut all = samples().iter();
    all.find(|sample| sample.name == name).expect("a screen")
}

/// Offset of a dialog on the display.
const MIDDLE: (i32, i32) = (0, 900);

/// Returns samples whose window is smaller than the display.
fn small() -> impl Iterator<Item = &'static Sample> {
    let is_small = |sample: &&Sample| sample.raw[0].edges != [0, 0, 1078, 2338];
    samples().iter().filter(is_small)
}

#[test]
fn a_dialog_is_touched_within_its_window() {
    let mut touched = 0;
    for dialog in small() {
        let behind = &sample("view.List1").dump;
        let both = windows((&dialog.dump, MIDDLE), Some(behind));
        let sample = Sample::read(dialog.name.clone(), both);
        let window = sample.raw[0].edges;
        for node in sample.screen.nodes().take(dialog.raw.len()) {
            assert_eq!(node.window().title, "Front", "{}", sample.name);
            let point = touch_point(node, click_target(node)).expect("a place");
            assert!(raw::holds(window, point), "{}: {node:?}", sample.name);
            touched += 1;
        }
    }
    assert!(touched >= 20, "{touched} elements");
}

fn options(direction: Direction) -> ScrollOptions<'static> {
    ScrollOptions {
        within: None,
        direction,
        max: 2,
        visible: 0.0,
        center: false,
    }
}

#[test]
fn a_dialog_is_scrolled_within_its_window() {
    let mut dialogs = 0;
    for dialog in small() {
        let alone = windows((&dialog.dump, MIDDLE), None);
        let screen = Screen::parse(alone.as_bytes(), &on_display()).expect("a screen");
        let [left, top, right, bottom] = raw::read(&alone)[0].edges;
        for direction in DIRECTIONS {
            let (_, area) = container(&screen, &options(direction)).expect("an area");
            let window = Rect {
                left,
                top,
                right,
                bottom,
            };
            assert_eq!(area, window, "{} {direction:?}", dialog.name);
        }
        dialogs += 1;
    }
    assert_eq!(dialogs, 3);
}

#[test]
fn the_window_with_the_focus_is_scrolled_before_a_larger_container_of_another() {
    // Both have a gallery, and that of the other is larger.
    let (front, other) = (sample("view.ImageSwitcher1"), sample("view.Gallery1"));
    let both = windows((&front.dump, (0, 0)), Some(&other.dump));
    let screen = Screen::parse(both.as_bytes(), &on_display()).expect("a screen");
    let (index, _) = container(&screen, &options(Direction::Right)).expect("an area");
    let node = screen.node(index.expect("a container"));
    assert_eq!(node.window().title, "Front", "{node:?}");
}

/// Context of a device that reports its display.
fn on_display() -> DisplayContext {
    let display = runner_screen::Display {
        width: 1078,
        height: 2338,
        density: 420,
        rotation: 0,
    };
    DisplayContext {
        display: Some(display),
        ..DisplayContext::default()
    }
}

const DIRECTIONS: [Direction; 4] = [
    Direction::Up,
    Direction::Down,
    Direction::Left,
    Direction::Right,
];

/// Returns the containers that scroll in a direction, the largest first and of equal ones the last, or else the
/// window.
fn scrollers(sample: &Sample, to: Direction) -> Vec<Edges> {
    let mut all: Vec<&RawNode> = sample.raw.iter().filter(|node| node.scrolls(to)).collect();
    all.sort_by_key(|node| raw::area(node.edges));
    if all.is_empty() {
        return vec![sample.raw[0].edges];
    }
    all.iter().rev().map(|node| node.edges).collect()
}

/// Returns true if a drag lies on the middle of an area and does not leave it.
fn is_along_middle(drag: Gesture, area: Edges) -> bool {
    let middle = Rect {
        left: area[0],
        top: area[1],
        right: area[2],
        bottom: area[3],
    }
    .center();
    let is_inside = raw::holds(area, drag.from) && raw::holds(area, drag.to);
    let is_straight = drag.from.x == drag.to.x && drag.from.x == middle.x
        || drag.from.y == drag.to.y && drag.from.y == middle.y;
    is_inside && is_straight
}

#[tokio::test]
async fn what_is_scrolled_is_the_largest_that_moves_that_way_or_the_window() {
    let mut broken = Vec::new();
    for sample in samples() {
        for direction in DIRECTIONS {
            let (fake, session) = sample.device(0);
            let missing = Selector::from_words("what no screen of the app says");
            assert!(
                session
                    .scroll_to(&missing, options(direction))
                    .await
                    .is_err()
            );
            let areas = scrollers(sample, direction);
            // The smaller ones follow once the largest has ended.
            let mut first = 0;
            for input in fake.inputs() {
                let Input::Drag(drag) = input else {
                    panic!("{}: {input:?}", sample.name);
                };
                match areas[first..]
                    .iter()
                    .position(|area| is_along_middle(drag, *area))
                {
                    Some(passed) => first += passed,
                    None => broken.push(format!(
                        "{} {direction:?}: {drag:?}, not in {:?}",
                        sample.name,
                        &areas[first..]
                    )),
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
    check(|sample, broken| {
        let screen = Screen::parse(sample.dump.as_bytes(), &on_display()).expect("a screen");
        for (known, unknown) in screen.nodes().zip(sample.screen.nodes()) {
            let points = [known, unknown].map(|node| touch_point(node, click_target(node)));
            if points[0] != points[1] || known.off_screen_reason() != unknown.off_screen_reason() {
                broken.push(format!("{known:?}: {points:?}"));
            }
        }
    });
}
