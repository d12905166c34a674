//! The on-screen keyboard: whether it is shown, and hiding it.

use super::command::QUICK;
use super::sections::Sections;
use super::windows::{self, Answers};
use super::{Device, DeviceError, INPUT_LIMIT, Input, Key, Reading};

/// Returns whether a keyboard is shown.
///
/// # Errors
/// [`DeviceError::NotAnswered`] where the device reports neither windows nor the state of the input method.
pub async fn is_displayed(device: &dyn Device) -> Result<bool, DeviceError> {
    if let Some(system) = device.system() {
        return system.keyboard_shown().await;
    }
    let [windows, input_method] = Sections::new()
        .ask_together(&[
            "dumpsys window windows 2>&1",
            "dumpsys input_method 2>&1 | grep mInputShown",
        ])
        .answers(device, "dumpsys window", QUICK)
        .await?;
    if !windows.contains("Window{") && !input_method.contains("mInputShown=") {
        let unread: Reading<bool> = Reading::not_answered("dumpsys window windows", &windows);
        return unread.needed().copied();
    }
    Ok(windows::keyboard_shown(&Answers {
        windows: &windows,
        input_method: &input_method,
        ..Answers::default()
    }))
}

/// Hides the keyboard where one is shown; says whether one was. BACK goes to the keyboard first, so it is pressed only
/// then: it would leave the screen otherwise.
pub async fn hide(device: &dyn Device) -> Result<bool, DeviceError> {
    if !is_displayed(device).await? {
        return Ok(false);
    }
    let back = Input::Key {
        key: Key::named("BACK"),
        long: false,
    };
    device.input(&[back], INPUT_LIMIT).await?;
    Ok(true)
}
