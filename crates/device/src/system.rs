//! The system around the apps: bars, recents, home, waking and unlocking.

use super::command::{QUICK, failed, is_missing, succeed};
use super::sections::Sections;
use super::windows::{self, Answers};
use super::{Device, DeviceError, INPUT_LIMIT, Input, Key, Panel, Script, adb};
use runner_screen::Display;

/// The display as it is turned now, without a dump; `None` where the device tells no size.
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

async fn press(device: &dyn Device, name: &'static str) -> Result<(), DeviceError> {
    let key = Input::Key {
        key: Key::named(name),
        long: false,
    };
    device.input(&[key], INPUT_LIMIT).await
}
