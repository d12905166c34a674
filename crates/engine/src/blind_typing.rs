//! Types without knowing what has the focus.

use super::{EngineError, Session};
use runner_device::{Input, Key, text};

impl Session {
    /// Types text into whatever has the focus, without reading it back and without a check that anything has the focus.
    /// Sends keys if every character has one, where a line feed is ENTER and a tab TAB; else commits the text by the
    /// device's input method, which not every device has. An empty text sends nothing. Takes the input lock.
    pub async fn type_blind(&self, characters: &str) -> Result<(), EngineError> {
        let turn = self.lock_input().await;
        match text::inputs(characters) {
            Some(keys) => turn.send(&keys).await,
            None => self.commit(characters).await,
        }
    }

    /// Moves the caret of whatever has the focus to the end, and deletes `count` characters before it; 0 only moves the
    /// caret. Nothing is read back, and there is no limit for `count`. Takes the input lock.
    pub async fn delete_blind(&self, count: usize) -> Result<(), EngineError> {
        let press = |name| Input::Key {
            key: Key::named(name),
            long: false,
        };
        let mut inputs = vec![press("MOVE_END")];
        inputs.extend(std::iter::repeat_n(press("DEL"), count));
        self.input(&inputs).await
    }
}
