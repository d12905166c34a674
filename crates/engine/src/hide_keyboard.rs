//! Hides the keyboard with the back key, which leaves the screen where no keyboard is shown.

use std::time::Duration;

use super::field_keys::press;
use super::missing_element::Matches;
use super::{EngineError, Session};
use runner_device::INPUT_LIMIT;
use runner_device::keyboard::{self, AppWindow, KeyboardReading, KeyboardState};

/// Time for a keyboard that an app has requested to appear. Chosen: several frames; with a hardware keyboard
/// none ever comes, so this time is lost.
const KEYBOARD_TIME: Duration = Duration::from_millis(500);
/// Pause between two queries for the keyboard. Chosen: a query takes a phone about as long.
const KEYBOARD_POLL: Duration = Duration::from_millis(50);

impl Session {
    /// Hides the keyboard with the back key if one is shown, or appears within 0.5 s after a field asked for it, and
    /// returns true once it is hidden. Returns false, with no key sent, if there was none. An earlier input takes
    /// effect before, and if no look has shown what came of it, the screen comes to rest: it may take the keyboard
    /// along. [`EngineError::StillThere`] if it is still shown after `limit`; the key is pressed only once.
    /// [`EngineError::LeftScreen`] if another window is in front then.
    pub async fn hide_keyboard(&self, limit: Duration) -> Result<bool, EngineError> {
        let turn = self.lock_input().await;
        // Waiting forgets the last look.
        let has_unseen_input = self.has_unseen_input();
        self.wait_for_click().await?;
        let mut before = self.keyboard_requested().await?;
        if has_unseen_input && before.state == KeyboardState::Shown {
            // A screen that cannot be read may have a keyboard all the same.
            if let Err(error) = self.settle(None, None).await
                && error.is_unreachable()
            {
                return Err(error);
            }
            before = self.keyboard_requested().await?;
        }
        if before.state != KeyboardState::Shown {
            return Ok(false);
        }
        turn.send(&[press("BACK")]).await?;
        let after = self.keyboard_after(limit, KeyboardState::Shown).await?;
        if after.state == KeyboardState::Shown {
            return Err(EngineError::StillThere {
                selector: "the keyboard".to_owned(),
                waited: limit,
                candidates: Matches::default(),
            });
        }
        match (before.window, after.window) {
            (Some(before), Some(after)) if before != after => Err(EngineError::LeftScreen {
                before: before.title,
                after: after.title,
            }),
            _ => Ok(true),
        }
    }

    /// Reads the keyboard once it is shown, or was not for 0.5 s after a field asked for it.
    async fn keyboard_requested(&self) -> Result<KeyboardReading, EngineError> {
        self.keyboard_after(KEYBOARD_TIME, KeyboardState::Requested)
            .await
    }

    /// Reads the keyboard every 50 ms until its state differs from `passing` or the limit has run out, and
    /// returns the last reading. Asks at least once.
    async fn keyboard_after(
        &self,
        limit: Duration,
        passing: KeyboardState,
    ) -> Result<KeyboardReading, EngineError> {
        let began = self.clock().now();
        loop {
            let reading = self.keyboard().await?;
            if reading.state != passing || self.clock().since(began) >= limit {
                return Ok(reading);
            }
            self.pause(KEYBOARD_POLL).await?;
        }
    }

    /// Asks the device whether the keyboard is shown, hidden, or requested and not there yet, and for the window below.
    /// Behind a server it takes a look instead, which tells only the first two, and the activity.
    async fn keyboard(&self) -> Result<KeyboardReading, EngineError> {
        // A server's `isKeyboardShown` is `mInputShown` alone, which may be true with nothing on the screen: a look has
        // the windows.
        if self.device().system().is_some() {
            let screen = self.look().await?;
            let state = if screen.keyboard_shown() {
                KeyboardState::Shown
            } else {
                KeyboardState::Hidden
            };
            let window = screen.foreground().map(|(package, activity)| AppWindow {
                token: String::new(),
                title: format!("{package}/{activity}"),
            });
            return Ok(KeyboardReading { state, window });
        }
        let limit = self.bound(INPUT_LIMIT);
        Ok(self.reading(keyboard::read(self.device(), limit)).await?)
    }
}
