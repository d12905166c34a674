//! The system around the apps: bars, recents, home, waking and unlocking.

use super::command::{QUICK, failed, is_missing, succeed};
use super::sections::Sections;
use super::windows::{self, Answers};
use super::{Device, DeviceError, INPUT_LIMIT, Input, Key, Panel, Script, adb};
use runner_screen::Display;
use std::time::Duration;

/// What a person does about a screen that is off or locked.
pub(crate) const UNLOCK_ADVICE: &str = "unlock it by hand; for tests, set its screen lock to none and switch on \"Stay awake\" in the developer options";
/// How often a lock screen is dismissed, and the pause after each.
const UNLOCK_TRIES: u32 = 3;
const UNLOCK_PAUSE: Duration = Duration::from_millis(500);

/// The display as it is turned now, without a dump; `None` where the device reports no size.
///
/// # Errors
/// The device does not answer.
pub async fn display(device: &dyn Device) -> Result<Option<Display>, DeviceError> {
    if let Some(system) = device.system() {
        return system.display().await;
    }
    let [displays, size] = Sections::new()
        .ask_together(&["dumpsys window displays 2>&1", "wm size 2>&1"])
        .answers(device, "wm size", QUICK)
        .await?;
    let answers = Answers {
        displays: &displays,
        ..Answers::default()
    };
    let info = device.info().display;
    Ok(match windows::display(&answers) {
        Some(display) if !display.bounds().is_empty() => Some(Display {
            density: if info.density > 0 {
                info.density
            } else {
                display.density
            },
            ..display
        }),
        _ => adb::size(&size).map(|(width, height)| Display {
            width,
            height,
            ..info
        }),
    })
}

/// Opens the notification shade.
pub async fn open_notifications(device: &dyn Device) -> Result<(), DeviceError> {
    status_bar(device, Panel::Notifications).await
}

/// Opens quick settings.
pub async fn open_quick_settings(device: &dyn Device) -> Result<(), DeviceError> {
    status_bar(device, Panel::QuickSettings).await
}

/// Closes both.
pub async fn close_panels(device: &dyn Device) -> Result<(), DeviceError> {
    status_bar(device, Panel::None).await
}

async fn status_bar(device: &dyn Device, panel: Panel) -> Result<(), DeviceError> {
    if let Some(system) = device.system() {
        return system.panel(panel).await;
    }
    let verb = match panel {
        Panel::Notifications => "expand-notifications",
        Panel::QuickSettings => "expand-settings",
        Panel::None => "collapse",
    };
    let script = Script::command(["cmd", "statusbar", verb]);
    let output = device.shell(&script, QUICK).await?;
    let message = output.message();
    if is_missing(&message) {
        return Err(DeviceError::Unsupported {
            what: "open its panels".to_owned(),
            missing: "its shell has no `cmd statusbar`".to_owned(),
        });
    }
    if message.contains("Exception") || output.exit_code.is_some_and(|code| code != 0) {
        return Err(failed(&script, &output));
    }
    Ok(())
}

/// Shows the recent apps.
pub async fn open_recents(device: &dyn Device) -> Result<(), DeviceError> {
    press(device, "APP_SWITCH").await
}

/// Goes home.
pub async fn go_home(device: &dyn Device) -> Result<(), DeviceError> {
    press(device, "HOME").await
}

/// Goes back.
pub async fn go_back(device: &dyn Device) -> Result<(), DeviceError> {
    press(device, "BACK").await
}

/// Switches the screen on; nothing happens when it is on.
pub async fn wake(device: &dyn Device) -> Result<(), DeviceError> {
    press(device, "WAKEUP").await
}

/// Takes a lock screen away that asks for nothing. One with a PIN stays.
pub async fn dismiss_keyguard(device: &dyn Device) -> Result<(), DeviceError> {
    let script = Script::command(["wm", "dismiss-keyguard"]);
    succeed(device, &script, QUICK).await.map(drop)
}

/// Whether a person could see and touch an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenState {
    /// On and unlocked, or the device does not say.
    Ready,
    /// Off, dozing, or behind a screen saver.
    Off,
    /// Behind a lock screen.
    Locked,
}

/// Whether a person could see and touch an app.
///
/// # Errors
/// The device does not answer.
pub async fn screen_state(device: &dyn Device) -> Result<ScreenState, DeviceError> {
    let [power, policy] = Sections::new()
        .ask_together(&[
            "dumpsys power 2>&1 | grep mWakefulness=",
            "dumpsys window policy 2>&1 | grep -E ' (showing|occluded)='",
        ])
        .answers(device, "dumpsys power", QUICK)
        .await?;
    Ok(read_screen_state(&power, &policy))
}

/// Sources: AOSP's `PowerManagerInternal.wakefulnessToString`, and `dump` of its `KeyguardServiceDelegate`, which prints
/// `showing=` and `occluded=` on lines of their own since Android 7. An app before the lock screen occludes it.
fn read_screen_state(power: &str, policy: &str) -> ScreenState {
    let is_off = ["Asleep", "Dozing", "Dreaming"]
        .iter()
        .any(|state| power.contains(&format!("mWakefulness={state}")));
    let is = |words: &str| policy.lines().any(|line| line.trim() == words);
    if is_off {
        ScreenState::Off
    } else if is("showing=true") && !is("occluded=true") {
        ScreenState::Locked
    } else {
        ScreenState::Ready
    }
}

/// Switches the screen on and takes away a lock screen that asks for nothing. Returns whether that was needed.
///
/// # Errors
/// The device stays locked, or does not answer.
pub async fn make_ready(device: &dyn Device) -> Result<bool, DeviceError> {
    // A server has its own way of unlocking, before it opens a session.
    if device.system().is_some() || screen_state(device).await? == ScreenState::Ready {
        return Ok(false);
    }
    press(device, "WAKEUP").await?;
    let mut state = ScreenState::Off;
    for _ in 0..UNLOCK_TRIES {
        // The lock screen comes a moment after the light.
        if let Err(error) = dismiss_keyguard(device).await
            && error.is_unreachable()
        {
            return Err(error);
        }
        tokio::time::sleep(UNLOCK_PAUSE).await;
        state = screen_state(device).await?;
        if state == ScreenState::Ready {
            return Ok(true);
        }
    }
    let state = match state {
        ScreenState::Off => "asleep",
        ScreenState::Locked | ScreenState::Ready => "locked",
    };
    Err(DeviceError::Unusable {
        serial: device.info().serial.clone(),
        state: state.to_owned(),
        advice: UNLOCK_ADVICE.to_owned(),
    })
}

async fn press(device: &dyn Device, name: &'static str) -> Result<(), DeviceError> {
    let key = Input::Key {
        key: Key::named(name),
        long: false,
    };
    device.input(&[key], INPUT_LIMIT).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_is_ready_unless_the_device_says_otherwise() {
        let policy = |showing: bool, occluded: bool| {
            format!("      showing={showing}\n      occluded={occluded}\n")
        };
        for (power, policy, state) in [
            (
                "  mWakefulness=Awake",
                policy(false, false),
                ScreenState::Ready,
            ),
            (
                "  mWakefulness=Awake",
                policy(true, true),
                ScreenState::Ready,
            ),
            (
                "  mWakefulness=Awake",
                policy(true, false),
                ScreenState::Locked,
            ),
            (
                "  mWakefulness=Asleep",
                policy(true, false),
                ScreenState::Off,
            ),
            (
                "  mWakefulness=Dozing",
                policy(true, false),
                ScreenState::Off,
            ),
            (
                "  mWakefulness=Dreaming",
                policy(false, false),
                ScreenState::Off,
            ),
            ("", String::new(), ScreenState::Ready),
            (
                "Can't find service: power",
                "mShowingDream=true".to_owned(),
                ScreenState::Ready,
            ),
        ] {
            assert_eq!(read_screen_state(power, &policy), state, "{power} {policy}");
        }
    }
}
