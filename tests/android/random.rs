//! Random acts, which no written row has, on both twins at once.

use super::rows::{Row, Source};

/// A screen of the judge's app: elements to touch, and observations to make.
struct TwinScreen {
    activity: &'static str,
    /// Places to touch. In a field it is the end of its text, as letters have another width in each twin.
    touched: &'static [&'static str],
    seen: &'static [&'static str],
}

/// Screens without dates and lists: their open rows in `open.txt` would hide other differences.
const SCREENS: [TwinScreen; 5] = [
    TwinScreen {
        activity: ".Fields",
        touched: &["one", "two", "three", "box", "first", "second", "plain"],
        seen: &["one", "two", "three", "box.checked", "log", "focused"],
    },
    TwinScreen {
        activity: ".Text",
        touched: &["name", "notes", "secret", "number", "sign"],
        seen: &["name", "notes", "secret", "number", "focused"],
    },
    TwinScreen {
        activity: ".Filled",
        touched: &["line@0.99,0.5", "word@0.99,0.5", "lines@0.99,0.98", "sign"],
        seen: &["line", "word", "lines", "focused"],
    },
    TwinScreen {
        activity: ".Windows",
        touched: &["open", "choice", "near", "far", "plain", "agree", "refuse"],
        seen: &[
            "near",
            "log",
            "text1",
            "focused",
            "agree.there",
            "\"Black\".there",
        ],
    },
    TwinScreen {
        activity: ".Touch",
        touched: &["ok", "other", "dead", "check", "row", "plain", "far"],
        seen: &["log", "check.checked", "focused"],
    },
];

/// Keys for random acts. BACK is not among them: it ends the app, and the next row would begin elsewhere.
const KEYS: [&str; 19] = [
    "TAB",
    "ENTER",
    "SPACE",
    "DPAD_UP",
    "DPAD_DOWN",
    "DPAD_LEFT",
    "DPAD_RIGHT",
    "DEL",
    "FORWARD_DEL",
    "MOVE_HOME",
    "MOVE_END",
    "PAGE_UP",
    "PAGE_DOWN",
    "ESCAPE",
    "A",
    "5",
    "NUMPAD_7",
    "PASTE",
    "COPY",
];
const CTRL_KEYS: [&str; 9] = [
    "A",
    "C",
    "X",
    "V",
    "Z",
    "Y",
    "DPAD_LEFT",
    "DPAD_RIGHT",
    "MOVE_HOME",
];
const SHIFT_KEYS: [&str; 6] = ["TAB", "DPAD_LEFT", "DPAD_RIGHT", "MOVE_HOME", "A", "ENTER"];
const TEXTS: [&str; 5] = ["ab", "one two", "4 2", "a-1", "x"];

/// Makes a random row.
pub fn row(number: usize, random: &mut fastrand::Rng) -> Row {
    let screen = &SCREENS[random.usize(..SCREENS.len())];
    // The row before may have copied something else on each.
    let mut acts = vec!["copy kept".to_owned()];
    for _ in 0..random.usize(2..6) {
        acts.push(act(screen, random));
        // A window may have opened or closed.
        acts.push("settle".to_owned());
    }
    Row {
        name: format!("at random, number {number}"),
        behaviour: "random".to_owned(),
        screen: screen.activity.to_owned(),
        density: 480,
        acts,
        see: screen.seen.iter().map(|see| (*see).to_owned()).collect(),
        apart: None,
        is_random: true,
        is_open: false,
        source: Source::Framework,
    }
}

fn act(screen: &TwinScreen, random: &mut fastrand::Rng) -> String {
    let mut one = |of: &[&'static str]| of[random.usize(..of.len())];
    match one(&["tap", "tap", "key", "key", "key", "text", "ctrl", "shift"]) {
        "tap" => format!("tap {}", one(screen.touched)),
        "key" => format!("key {}", one(&KEYS)),
        "text" => format!("text {}", one(&TEXTS)),
        "ctrl" => format!("ctrl {}", one(&CTRL_KEYS)),
        held => format!("{held} {}", one(&SHIFT_KEYS)),
    }
}
