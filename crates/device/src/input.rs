//! What fingers and keys do.

use std::time::Duration;

use super::keys;
use runner_screen::{Display, Point};

/// How long inputs may take beside the time their gestures need, where nothing limits them further.
pub const INPUT_LIMIT: Duration = Duration::from_secs(20);

/// Most keys of one `input keyevent`.
pub(super) const KEYS_AT_ONCE: usize = 100;
/// Longest piece of text that one `input text` gets.
pub(super) const TEXT_PIECE: usize = 400;
/// What a process costs a slow device.
pub(super) const PROCESS: Duration = Duration::from_millis(500);
/// What it may need for a key.
const KEY_TIME: Duration = Duration::from_millis(10);

/// One input event of `input`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A short touch.
    Tap(Point),
    /// Two short touches, close in time.
    DoubleTap(Point),
    /// A touch held for a time.
    LongPress(Point, Duration),
    /// A finger from one point to another, flinging.
    Swipe(Gesture),
    /// A finger that rests before it leaves: moves content by just the distance.
    Drag(Gesture),
    /// Fingers along paths, together. More than one needs a touchscreen that the shell may write to.
    Fingers {
        /// A path a finger.
        paths: Vec<FingerPath>,
        /// The display whose pixels the points are.
        display: Display,
    },
    /// Nothing for a time: the pause between two characters.
    Pause(Duration),
    /// A key, pressed shortly or long.
    Key {
        /// Which.
        key: Key,
        /// Held long.
        long: bool,
    },
    /// Keys pressed together.
    Combination(Vec<Key>),
    /// Text that `input text` can type: each character has a key. The engine's way to type takes any other text.
    Text(String),
}

impl Input {
    /// How long a slow device that is well may take for it: the time of the gesture and of its processes.
    pub fn needs(&self) -> Duration {
        match self {
            Self::Pause(time) => *time,
            Self::LongPress(_, time) => PROCESS + *time,
            Self::Swipe(gesture) => PROCESS + gesture.duration,
            // In steps with a rest, else slow enough not to fling.
            Self::Drag(gesture) => PROCESS + gesture.duration + Duration::from_secs(1),
            Self::Fingers { paths, .. } => {
                let ends = paths.iter().map(FingerPath::end);
                PROCESS + ends.max().unwrap_or_default() * 2
            }
            Self::DoubleTap(_) => PROCESS * 2,
            // One process presses many.
            Self::Key { long: false, .. } => KEY_TIME + PROCESS / KEYS_AT_ONCE as u32,
            Self::Tap(_) | Self::Key { .. } | Self::Combination(_) => PROCESS,
            Self::Text(text) => {
                let pieces = text.len().div_ceil(TEXT_PIECE);
                PROCESS * pieces as u32 + KEY_TIME * text.len() as u32
            }
        }
    }
}

/// A straight path of one finger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gesture {
    /// Where it touches.
    pub from: Point,
    /// Where it leaves.
    pub to: Point,
    /// How long it takes.
    pub duration: Duration,
}

/// The path of one finger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FingerPath {
    /// Points with the time since the gesture began, rising: the finger comes down at the first and leaves at the last.
    pub points: Vec<(Point, Duration)>,
}

impl FingerPath {
    /// Where the finger is at a time; `None` before it comes down and after it has left.
    pub fn at(&self, time: Duration) -> Option<Point> {
        let (first, start) = *self.points.first()?;
        if time < start {
            return None;
        }
        let mut before = (first, start);
        for &(point, at) in &self.points {
            if at >= time {
                let (from, began) = before;
                let way = at.saturating_sub(began).as_secs_f64();
                let part = if way > 0.0 {
                    time.saturating_sub(began).as_secs_f64() / way
                } else {
                    1.0
                };
                let between = |a: i32, b: i32| {
                    (f64::from(a) + (f64::from(b) - f64::from(a)) * part).round() as i32
                };
                return Some(Point {
                    x: between(from.x, point.x),
                    y: between(from.y, point.y),
                });
            }
            before = (point, at);
        }
        None
    }

    /// When the finger leaves.
    pub fn end(&self) -> Duration {
        self.points.last().map_or(Duration::ZERO, |(_, at)| *at)
    }
}

/// A key by its Android name without `KEYCODE_`, such as `ENTER` or `BACK`, or by its number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key(String);

/// A text that names no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// No key's name looks like it.
    #[error(
        "`{0}` is not a key name; {hint}",
        hint = malformed(.0)
    )]
    Malformed(String),
    /// No Android has the name.
    #[error("there is no key `{name}`; {}", suggestion(.name))]
    Unknown {
        /// The name.
        name: String,
    },
}

/// What other systems call keys, and Android's name.
const ELSEWHERE: [(&str, &str); 18] = [
    ("ALT", "ALT_LEFT"),
    ("BACKSPACE", "DEL"),
    ("CMD", "META_LEFT"),
    ("COMMAND", "META_LEFT"),
    ("CONTROL", "CTRL_LEFT"),
    ("CTRL", "CTRL_LEFT"),
    ("DELETE", "FORWARD_DEL"),
    ("DOWN", "DPAD_DOWN"),
    ("ESC", "ESCAPE"),
    ("LEFT", "DPAD_LEFT"),
    ("META", "META_LEFT"),
    ("OK", "DPAD_CENTER"),
    ("RECENTS", "APP_SWITCH"),
    ("RETURN", "ENTER"),
    ("RIGHT", "DPAD_RIGHT"),
    ("SHIFT", "SHIFT_LEFT"),
    ("SPACEBAR", "SPACE"),
    ("UP", "DPAD_UP"),
];

/// What to write for a text that is no name: the key, where it is its name with spaces.
fn malformed(text: &str) -> String {
    let name = text.trim().to_ascii_uppercase().replace([' ', '-'], "_");
    if keys::is_known(&name) {
        return format!("did you mean `{name}`?");
    }
    "keys are Android's names without KEYCODE_, such as ENTER, BACK, DPAD_DOWN, or a number"
        .to_owned()
}

fn suggestion(name: &str) -> String {
    let other = ELSEWHERE.iter().find(|(known, _)| *known == name);
    match other.map(|(_, ours)| *ours).or_else(|| keys::nearest(name)) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "keys are Android's names, such as ENTER, BACK, DPAD_DOWN, or a number".to_owned(),
    }
}

impl Key {
    /// A key that this program names itself; the name must be one of Android's.
    pub fn named(name: &'static str) -> Self {
        Self(name.to_owned())
    }

    /// Refuses a name that no Android has. A number is taken as it is: newer keys have no name here.
    ///
    /// # Errors
    /// [`KeyError::Unknown`].
    pub fn check(&self) -> Result<(), KeyError> {
        let is_number = self.0.parse::<u32>().is_ok();
        if is_number || keys::is_known(&self.0) {
            return Ok(());
        }
        Err(KeyError::Unknown {
            name: self.0.clone(),
        })
    }

    /// The name as `input keyevent` takes it.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let name = text.trim().to_ascii_uppercase();
        let name = name.strip_prefix("KEYCODE_").unwrap_or(&name);
        // The name goes into scripts unquoted.
        let plain = !name.is_empty()
            && name.len() <= 40
            && name
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
        if plain {
            Ok(Self(name.to_owned()))
        } else {
            Err(KeyError::Malformed(text.to_owned()))
        }
    }
}
