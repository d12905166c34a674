//! The on-screen keyboard.

use super::command::QUICK;
use super::sections::Sections;
use super::windows::{self, Answers};
use super::{Device, DeviceError, Reading};

/// The state of the on-screen keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyboardState {
    /// None is shown.
    Hidden,
    /// None is shown yet: an app asked for it, which Android says until the keyboard is hidden.
    Requested,
    /// One is shown.
    Shown,
}

/// Asks for the state of the keyboard, in one round trip.
///
/// # Errors
/// [`DeviceError::NotAnswered`] where the device reports neither windows nor the state of the input method.
pub async fn state(device: &dyn Device) -> Result<KeyboardState, DeviceError> {
    if let Some(system) = device.system() {
        let is_shown = system.keyboard_shown().await?;
        return Ok(if is_shown {
            KeyboardState::Shown
        } else {
            KeyboardState::Hidden
        });
    }
    let [windows, input_method] = Sections::new()
        .ask_together(&[
            "dumpsys window windows 2>&1",
            "dumpsys input_method 2>&1 | grep -e mInputShown -e mShowRequested",
        ])
        .answers(device, "dumpsys window", QUICK)
        .await?;
    if !windows.contains("Window{") && !input_method.contains("mInputShown=") {
        let unread: Reading<KeyboardState> =
            Reading::not_answered("dumpsys window windows", &windows);
        return unread.needed().copied();
    }
    let is_shown = windows::keyboard_shown(&Answers {
        windows: &windows,
        input_method: &input_method,
        ..Answers::default()
    });
    Ok(if is_shown {
        KeyboardState::Shown
    } else if input_method.contains("mShowRequested=true") {
        KeyboardState::Requested
    } else {
        KeyboardState::Hidden
    })
}
