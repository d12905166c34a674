//! What fingers and keys do.

use std::time::Duration;

use crate::screen::Point;

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
    /// A key, pressed shortly or long.
    Key {
        /// Which.
        key: Key,
        /// Held long.
        long: bool,
    },
    /// Keys pressed together.
    Combination(Vec<Key>),
    /// Text that `input text` can type: each character has a key. Use [`crate::engine`] for any other text.
    Text(String),
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

/// A key by its Android name without `KEYCODE_`, such as `ENTER` or `BACK`, or by its number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key(String);

/// A text that names no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no key name; keys are Android's names without KEYCODE_, such as ENTER, BACK, DPAD_DOWN, or a number"
)]
pub struct KeyError(String);

impl Key {
    /// A key that this program names itself; the name must be one of Android's.
    pub(crate) fn named(name: &'static str) -> Self {
        Self(name.to_owned())
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
        let plain = !name.is_empty()
            && name.len() <= 40
            && name
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
        if plain {
            Ok(Self(name.to_owned()))
        } else {
            Err(KeyError(text.to_owned()))
        }
    }
}
