//! On-screen keyboard.

use std::time::Duration;

use super::command::QUICK;
use super::questions::ask_texts;
use super::windows::{self, Answers};
use super::{Device, DeviceError, Reading};

pub use super::windows::AppWindow;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyboardState {
    Hidden,
    /// No keyboard is shown, but an app has asked for one. Without a keyboard on the device it stays so.
    Requested,
    Shown,
}

/// Keyboard's state, and the window that would get the back key without a keyboard, at the same moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyboardReading {
    pub state: KeyboardState,
    /// Top window of an app; `None` if the device lists none.
    pub window: Option<AppWindow>,
}

/// Asks a device with a shell for the keyboard's state and the window below, in one round trip of at most `limit`, and
/// never more than 15 seconds. The keyboard is shown if its window is visible, and requested if only the input method
/// reports that it is shown or wanted.
///
/// # Errors
/// Returns [`DeviceError::NotAnswered`] if the device reports neither windows nor the state of the input method.
pub async fn read(device: &dyn Device, limit: Duration) -> Result<KeyboardReading, DeviceError> {
    let questions = [
        "dumpsys window windows 2>&1",
        "dumpsys input_method 2>&1 | grep -e mInputShown -e mShowRequested",
    ];
    let [windows, input_method] =
        ask_texts(device, "dumpsys window", questions, limit.min(QUICK)).await?;
    if !windows.contains("Window{") && !input_method.contains("mInputShown=") {
        let unread: Reading<KeyboardReading> =
            Reading::not_answered("dumpsys window windows", &windows);
        return unread.needed().cloned();
    }
    let answers = Answers {
        windows: &windows,
        input_method: &input_method,
        ..Answers::default()
    };
    let state = if windows::keyboard_shown(&answers) {
        KeyboardState::Shown
    // Android 14 no longer reports `mShowRequested`: its `mInputShown` is true before the window is visible.
    } else if input_method.contains("mShowRequested=true")
        || input_method.contains("mInputShown=true")
    {
        KeyboardState::Requested
    } else {
        KeyboardState::Hidden
    };
    let window = windows::top_app_window(&answers);
    Ok(KeyboardReading { state, window })
}
