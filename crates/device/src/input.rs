//! Inputs: touches, keys and text.

use std::time::Duration;

use super::keys;
use runner_screen::{Display, Point};

/// Default limit for inputs, beyond the time of their gestures. Chosen: `input` starts in about a second on a
/// slow phone; a longer limit only delays the error of a lost device.
pub const INPUT_LIMIT: Duration = Duration::from_secs(20);

/// Keys in one `input keyevent`. Chosen: each start of `input` is slow, so few processes; a longer list would
/// exceed [`INPUT_LIMIT`] on a slow device.
pub(super) const KEYS_PER_COMMAND: usize = 100;
/// Bytes of text in one `input text`. Chosen: shorter pieces start more processes; longer ones delay the
/// error of a lost device.
pub(super) const TEXT_PIECE_BYTES: usize = 400;
/// Time to start a process on a slow device. Chosen: `input` takes 0.2 to over 1 s; it only extends limits.
pub(super) const PROCESS_TIME: Duration = Duration::from_millis(500);
/// Time for a key on a slow device. Chosen: it only extends limits.
const KEY_TIME: Duration = Duration::from_millis(10);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Short touch.
    Tap(Point),
    /// Two short touches in quick succession.
    DoubleTap(Point),
    /// Touch held for a time.
    LongPress(Point, Duration),
    /// Finger that moves between two points and leaves in motion, so that content flings.
    Swipe(Gesture),
    /// Finger that rests before it leaves, so that content moves by exactly the distance.
    Drag(Gesture),
    /// Fingers along paths at the same time. More than one needs a touchscreen that the shell may write to.
    Fingers {
        /// One path for each finger.
        paths: Vec<FingerPath>,
        /// Display to whose pixels the points refer.
        display: Display,
    },
    /// Pause between two inputs.
    Pause(Duration),
    Key {
        key: Key,
        /// Held as for a long press.
        long: bool,
    },
    /// Keys pressed together, in this order.
    Combination(Vec<Key>),
    /// Text that `input text` can type, as each character has a key. [`crate::text`] types all others.
    Text(String),
}

impl Input {
    /// Returns the time that a slow device may need for this input: 500 ms for each process that it starts, plus
    /// the duration of the gesture. A pause needs exactly its own time, a drag one second more, fingers twice the
    /// time of the longest path. A short key needs 15 ms, as 100 share a process; a text 10 ms a byte and 500 ms
    /// for each 400 bytes.
    pub fn needs(&self) -> Duration {
        match self {
            Self::Pause(time) => *time,
            Self::LongPress(_, time) => PROCESS_TIME + *time,
            Self::Swipe(gesture) => PROCESS_TIME + gesture.duration,
            // Sent in steps with a rest at the end, or as a swipe too slow to fling.
            Self::Drag(gesture) => PROCESS_TIME + gesture.duration + Duration::from_secs(1),
            Self::Fingers { paths, .. } => {
                let ends = paths.iter().map(FingerPath::end);
                PROCESS_TIME + ends.max().unwrap_or_default() * 2
            }
            Self::DoubleTap(_) => PROCESS_TIME * 2,
            // One process presses many keys.
            Self::Key { long: false, .. } => KEY_TIME + PROCESS_TIME / KEYS_PER_COMMAND as u32,
            Self::Tap(_) | Self::Key { .. } | Self::Combination(_) => PROCESS_TIME,
            Self::Text(text) => {
                let pieces = text.len().div_ceil(TEXT_PIECE_BYTES);
                PROCESS_TIME * pieces as u32 + KEY_TIME * text.len() as u32
            }
        }
    }
}

/// Straight path of one finger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gesture {
    pub from: Point,
    pub to: Point,
    pub duration: Duration,
}

/// Path of one finger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FingerPath {
    /// Points with the time since the gesture began, in rising order. The finger goes down at the first and
    /// leaves at the last.
    pub points: Vec<(Point, Duration)>,
}

impl FingerPath {
    /// Returns the position at a time, on the straight line between the points around it, rounded to pixels.
    /// `None` before the first point's time, after the last one's, and for a path without points.
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

    /// Time at which the finger leaves. Zero for a path without points.
    pub fn end(&self) -> Duration {
        self.points.last().map_or(Duration::ZERO, |(_, at)| *at)
    }
}

/// Key by its Android name without `KEYCODE_`, such as `ENTER` or `BACK`, or by its number. `4` is number 4,
/// BACK; the key of the digit is `KEYCODE_4`, number 11.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The text does not have the form of a key's name.
    #[error(
        "`{0}` is not a key name; {hint}",
        hint = malformed(.0)
    )]
    Malformed(String),
    #[error("there is no key `{name}`; {}", suggestion(.name))]
    Unknown { name: String },
}

/// Names that other systems and keyboards of other languages have for keys, with Android's name.
const FOREIGN_NAMES: [(&str, &str); 31] = [
    ("ALT", "ALT_LEFT"),
    ("BACKSPACE", "DEL"),
    ("CANC", "FORWARD_DEL"),
    ("CMD", "CTRL_LEFT"),
    ("COMMAND", "CTRL_LEFT"),
    ("CONTROL", "CTRL_LEFT"),
    ("CTRL", "CTRL_LEFT"),
    ("DELETE", "FORWARD_DEL"),
    ("DOWN", "DPAD_DOWN"),
    ("ECHAP", "ESCAPE"),
    ("EINGABE", "ENTER"),
    ("ENDE", "MOVE_END"),
    ("ENTF", "FORWARD_DEL"),
    ("ESC", "ESCAPE"),
    ("INTRO", "ENTER"),
    ("INVIO", "ENTER"),
    ("LEERTASTE", "SPACE"),
    ("LEFT", "DPAD_LEFT"),
    ("META", "META_LEFT"),
    ("OK", "DPAD_CENTER"),
    ("POS1", "MOVE_HOME"),
    ("RECENTS", "APP_SWITCH"),
    ("RETURN", "ENTER"),
    ("RIGHT", "DPAD_RIGHT"),
    ("SHIFT", "SHIFT_LEFT"),
    ("SPACEBAR", "SPACE"),
    ("STRG", "CTRL_LEFT"),
    ("SUPPR", "FORWARD_DEL"),
    ("SUPR", "FORWARD_DEL"),
    ("UMSCHALT", "SHIFT_LEFT"),
    ("UP", "DPAD_UP"),
];

/// Returns the hint for a text that has not the form of a name. If capitals, and underscores in place of
/// spaces and hyphens, make it a known key, or one with another spelling of its number, it suggests that key; else
/// it explains the form.
fn malformed(text: &str) -> String {
    let name = text.trim().to_ascii_uppercase().replace([' ', '-'], "_");
    let known = Some(&name).filter(|name| keys::is_known(name)).cloned();
    if let Some(name) = known.or_else(|| keys::nearest_numbered(&name)) {
        return format!("did you mean `{name}`?");
    }
    "keys are Android's names without KEYCODE_, such as ENTER, BACK, DPAD_DOWN, or a number"
        .to_owned()
}

/// Returns the hint for an unknown key: the same key under Android's name, else the most similar name, else the
/// form of names.
fn suggestion(name: &str) -> String {
    let other = FOREIGN_NAMES.iter().find(|(known, _)| *known == name);
    let other = other.map(|(_, ours)| (*ours).to_owned());
    match other.or_else(|| keys::nearest(name)) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "keys are Android's names, such as ENTER, BACK, DPAD_DOWN, or a number".to_owned(),
    }
}

impl Key {
    /// Creates a key from a name in this program, which must be one of Android's; it is not checked.
    pub fn named(name: &'static str) -> Self {
        Self(name.to_owned())
    }

    /// Checks that Android has the key. Names are compared exactly: capitals, without `KEYCODE_`. Accepts
    /// every number that fits 32 bits, as newer keys have no name here.
    ///
    /// # Errors
    /// Returns [`KeyError::Unknown`].
    pub fn check(&self) -> Result<(), KeyError> {
        let is_number = self.0.parse::<u32>().is_ok();
        if is_number || keys::is_known(&self.0) {
            return Ok(());
        }
        Err(KeyError::Unknown {
            name: self.0.clone(),
        })
    }

    /// Name or number as `input keyevent` takes it.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for Key {
    type Err = KeyError;

    /// Parses a key's name in any letter case, with or without `KEYCODE_`. Only its form is checked, not whether
    /// there is such a key: 1 to 40 letters, digits and underscores; else it is [`KeyError::Malformed`].
    /// `KEYCODE_4` is the key of the digit, and `4` the key of that number.
    fn from_str(text: &str) -> Result<Self, KeyError> {
        let name = text.trim().to_ascii_uppercase();
        let name = match name.strip_prefix("KEYCODE_") {
            Some(short) => keys::code_of_number(short)
                .map_or_else(|| short.to_owned(), |code| code.to_string()),
            None => name,
        };
        // The name goes into scripts unquoted.
        let plain = !name.is_empty()
            && name.len() <= 40
            && name
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
        if plain {
            Ok(Self(name))
        } else {
            Err(KeyError::Malformed(text.to_owned()))
        }
    }
}
