//! A small queue and its cases, for this module's tests.

use std::sync::Arc;

use image::{Rgba, RgbaImage};

use super::graphics::{Colours, Display, Images};
use super::outcome::{Outcome, apply};
use super::state::State;
use crate::{Case, FlowPlace, Group, Item, Queue};
use runner_screen::Rect;
use runner_snapshot::picture::Frame;
use runner_snapshot::{
    Cause, ChangeKind, ChangedArea, GoldenKey, PendingDiff, PendingEntry, Row, row_lines,
};

pub const TEXTS: [&str; 3] = ["about/page~phone", "general/page~phone", "look/page~phone"];
pub const NEW: &str = "inbox/search~phone";
pub const OBSOLETE: &str = "inbox/gone~phone";

pub fn key(text: &str) -> GoldenKey {
    text.parse().unwrap()
}

/// Creates an item without an error, at line 5 of its flow; an obsolete one has no place. Panics if `text` is no key.
fn item(text: &str, kind: ChangeKind) -> Item {
    let file = format!("flows/{}.yaml", key(text).flow());
    Item {
        key: key(text),
        kind,
        place: (kind != ChangeKind::Obsolete).then(|| FlowPlace {
            file: file.into(),
            line: 5,
            column: 5,
        }),
        error: None,
        version: String::new(),
    }
}

/// Creates a group with an item for each key, all of one kind.
fn group(kind: ChangeKind, title: &str, keys: &[&str]) -> Group {
    Group {
        cause: Cause::new(kind, &[title.to_owned()]),
        items: keys.iter().map(|key| item(key, kind)).collect(),
    }
}

/// Returns a queue of three items with one cause, a new one and an obsolete one.
pub fn queue() -> Queue {
    Queue {
        groups: vec![
            group(
                ChangeKind::Text,
                "TextView#title: text \"Settings\" → \"Preferences\"",
                &TEXTS,
            ),
            group(ChangeKind::New, "new in inbox", &[NEW]),
            group(
                ChangeKind::Obsolete,
                "no flow names it any more",
                &[OBSOLETE],
            ),
        ],
        version: 1,
    }
}

/// Creates a row with bounds, all else empty.
fn row(class: &str, id: &str, text: &str, bounds: [i32; 4]) -> Row {
    let [left, top, right, bottom] = bounds;
    Row {
        class: class.to_owned(),
        res_id: id.to_owned(),
        text: text.to_owned(),
        bounds: Some(Rect::new(left, top, right, bottom)),
        ..Row::default()
    }
}

/// Returns the five rows of a screen, which differ only in the text of its title.
fn rows(title: &str) -> Vec<Row> {
    vec![
        row("FrameLayout", "root", "", [0, 0, 100, 200]),
        row("TextView", "title", title, [10, 10, 90, 30]),
        row("TextView", "body", "A text that stays", [10, 50, 90, 70]),
        row("Button", "more", "More", [10, 80, 50, 100]),
        row("Button", "pay", "Pay", [10, 150, 90, 180]),
    ]
}

/// Returns a grey picture of 100 × 200 pixels whose title has this colour.
fn picture(title: [u8; 3]) -> Arc<Frame> {
    let [red, green, blue] = title;
    let picture = RgbaImage::from_fn(100, 200, |x, y| {
        let is_title = (10..90).contains(&x) && (10..30).contains(&y);
        if is_title {
            Rgba([red, green, blue, 255])
        } else {
            Rgba([240, 240, 240, 255])
        }
    });
    Arc::new(picture.into())
}

/// Returns the case of one of the queue's items: a new one has no golden, an obsolete one only that, any other both
/// sides, a difference and two changes. Panics for another key.
pub fn case(key: &GoldenKey) -> Arc<Case> {
    let queue = queue();
    let item = queue.items().find(|item| item.key == *key).unwrap().clone();
    let mut diff = PendingDiff::empty(PendingEntry::nothing(key));
    let (golden, actual) = (rows("Settings"), rows("Preferences"));
    match item.kind {
        ChangeKind::New => {
            diff.lines = row_lines(&[], &actual);
            diff.proposed = Some(picture([0, 0, 200]));
        }
        ChangeKind::Obsolete => {
            diff.lines = row_lines(&golden, &[]);
            diff.golden = Some(picture([200, 0, 0]));
        }
        _ => {
            diff.lines = row_lines(&golden, &actual);
            diff.golden = Some(picture([200, 0, 0]));
            diff.proposed = Some(picture([0, 0, 200]));
            diff.difference = Some((*picture([255, 0, 0])).clone());
            diff.pixels = Some("1600 of 20000 px change, in 2 places".to_owned());
            let place = |name: &str, pixels, [left, top, right, bottom]: [i32; 4]| ChangedArea {
                name: Some(name.to_owned()),
                pixels,
                bounds: Rect::new(left, top, right, bottom),
            };
            diff.places = vec![
                place("TextView#title", 1500, [12, 12, 80, 28]),
                place("Button#pay", 100, [40, 160, 50, 170]),
            ];
        }
    }
    Arc::new(Case { item, diff })
}

/// Returns a terminal with these abilities, whose cells have 8 × 16 pixels.
pub fn display(images: Images, colours: Colours) -> Display {
    Display {
        images,
        cell: (8, 16),
        colours,
    }
}

/// Returns a review of the queue with half blocks and true colour, in which the first case is shown.
pub fn state(size: (u16, u16)) -> State {
    let mut state = State::new(size, display(Images::Blocks, Colours::True));
    apply(&mut state, Outcome::Queue(Ok(queue())));
    show(&mut state);
    state
}

/// Delivers the case of the selected item. Does nothing if nothing is selected.
pub fn show(state: &mut State) {
    if let Some(key) = state.selected.clone() {
        apply(state, Outcome::Case(key.clone(), Ok(case(&key))));
    }
}
