//! Keys that move the caret of a text field and delete its text.

use super::EngineError;
use super::field::Field;
use super::field_lines::Lines;
use runner_device::{Input, Key};

/// Number of deletions for a field of unknown length. Chosen: longer than passwords, and still a second of
/// key presses.
const BLIND_DELETIONS: usize = 128;
/// Limit for text that is deleted key by key. Chosen: longer texts would take minutes.
const MAX_DELETIONS: usize = 10_000;
/// Position in the field for inserted text.
#[derive(Debug, Clone, Copy)]
pub(super) struct CaretPosition {
    /// Characters (code points) before the caret.
    pub(super) caret: usize,
    /// Number of characters to delete before the caret.
    pub(super) delete: usize,
}

impl Field {
    /// Returns true unless the field is known to be empty. The content of password fields is not read.
    fn may_hold_text(&self) -> bool {
        !self.content.is_empty() || (self.secret && self.masked != Some(0))
    }

    /// Returns the keys that move the caret to the end of the text; none for a field that is known to be empty.
    /// [`EngineError::NoCaret`] if the device cannot reach the end of several lines.
    pub(super) fn to_end(&self) -> Result<Vec<Input>, EngineError> {
        if !self.may_hold_text() {
            return Ok(Vec::new());
        }
        self.to_edge("MOVE_END")
    }

    /// Returns the keys that move the caret to an end of the text: `key` alone in a field of one line. In
    /// several lines CTRL with it follows; the plain key comes first, for fields that ignore CTRL.
    /// [`EngineError::NoCaret`] if the device cannot press CTRL there.
    fn to_edge(&self, key: &'static str) -> Result<Vec<Input>, EngineError> {
        let mut inputs = vec![press(key)];
        match self.lines {
            Lines::One => {}
            Lines::Several => inputs.push(Input::Combination(vec![
                Key::named("CTRL_LEFT"),
                Key::named(key),
            ])),
            Lines::SeveralWithoutCtrl => {
                return Err(EngineError::NoCaret {
                    element: self.name.clone(),
                });
            }
        }
        Ok(inputs)
    }

    /// Returns the keys that empty the field, wherever the caret is: `MOVE_END`, also for an empty field, and
    /// one DEL for each character that it was found with, for a password field for each of its dots; 128 if it
    /// shows none. If the caret cannot be moved to the end, as many again delete forwards. At most 10 000
    /// deletions in each direction. Does not focus the field.
    pub(super) fn clearing(&self) -> Vec<Input> {
        let length = if self.secret {
            self.masked.unwrap_or(BLIND_DELETIONS)
        } else {
            self.content.chars().count()
        };
        match self.to_edge("MOVE_END") {
            Ok(mut inputs) => {
                inputs.extend(presses("DEL", length.min(MAX_DELETIONS)));
                inputs
            }
            Err(_) => deletions(length),
        }
    }

    /// Returns the inputs that focus the field and delete its last `count` characters, or all of them for `None`; at
    /// most 10 000 deletions. The errors are those of [`Self::focusing`] and, with a `count`, [`Self::to_end`].
    pub(super) fn erasing(&self, count: Option<usize>) -> Result<Vec<Input>, EngineError> {
        let mut inputs = self.focusing()?;
        match count {
            Some(count) => {
                inputs.extend(self.to_end()?);
                inputs.extend(presses("DEL", count.min(MAX_DELETIONS)));
            }
            None => inputs.extend(self.clearing()),
        }
        Ok(inputs)
    }

    /// Returns deletions in both directions that empty the field after some part of `text` arrived in it.
    /// Their number covers the longest of the present content, the previous one and `text`; for passwords
    /// that show no dots it assumes 128.
    pub(super) fn clearing_after(&self, text: &str) -> Vec<Input> {
        let hidden = if self.secret {
            self.masked.unwrap_or(BLIND_DELETIONS)
        } else {
            0
        };
        let length = self
            .content
            .chars()
            .count()
            .max(self.before.chars().count());
        deletions((length + hidden).max(text.chars().count()))
    }

    /// Returns the keys that move the caret behind `place.caret` characters from the beginning, and then delete
    /// `place.delete` characters before it. The field must have the focus. [`EngineError::NoCaret`] if the device
    /// cannot reach the beginning of several lines.
    pub(super) fn caret_to(&self, place: CaretPosition) -> Result<Vec<Input>, EngineError> {
        let mut inputs = self.to_edge("MOVE_HOME")?;
        inputs.extend(presses("DPAD_RIGHT", place.caret));
        inputs.extend(presses("DEL", place.delete));
        Ok(inputs)
    }
}

/// Returns deletions in both directions, which empty a field of `length` characters wherever its caret is:
/// one `MOVE_END`, then `length` times DEL and `length` times `FORWARD_DEL`. At most 10 000 each.
fn deletions(length: usize) -> Vec<Input> {
    let length = length.min(MAX_DELETIONS);
    let mut inputs = vec![press("MOVE_END")];
    inputs.extend(presses("DEL", length));
    inputs.extend(presses("FORWARD_DEL", length));
    inputs
}

/// Builds a short press of the key of this name. Nothing is sent.
pub(super) fn press(name: &'static str) -> Input {
    Input::Key {
        key: Key::named(name),
        long: false,
    }
}

pub(super) fn presses(name: &'static str, count: usize) -> impl Iterator<Item = Input> {
    std::iter::repeat_n(press(name), count)
}
