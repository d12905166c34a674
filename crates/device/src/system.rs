//! System around the apps: panels, recents, home, waking and unlocking.

use super::command::{QUICK, failed, succeed};
use super::message::{is_complaint, is_missing};
use super::questions::ask_texts;
use super::reading::{self, Reading};
use super::windows::{self, Answers};
use super::{Device, DeviceError, INPUT_LIMIT, Input, Key, Panel, Script, adb};
use runner_screen::Display;
use std::time::Duration;

/// Instruction to the person for a screen that is off or locked.
pub(crate) const UNLOCK_ADVICE: &str = "unlock it by hand; for tests, set its screen lock to none and switch on \"Stay awake\" in the developer options";
/// Instruction to the person for a device that is starting.
pub(crate) const START_ADVICE: &str = "wait until it shows its home screen, when `adb shell getprop sys.boot_completed` prints 1, and run again";
/// Attempts to dismiss a lock screen, and the pause after each. Chosen: the screen needs a moment to switch
/// on first; more only delay the error of a lock with a PIN.
const UNLOCK_TRIES: u32 = 3;
const UNLOCK_PAUSE: Duration = Duration::from_millis(500);

/// Returns the display in its present rotation and density, without a dump. If the device reports only `wm size`, the
/// rotation is 0, as it is not known, and the density that of the session's begin. `None` if it reports no size; if
/// the size was not known at the session's begin either, it is asked up to three times.
///
/// # Errors
/// Fails if the device does not answer.
pub async fn display(device: &dyn Device) -> Result<Option<Display>, DeviceError> {
    if let Some(system) = device.system() {
        return system.display().await;
    }
    let mut attempt = 1;
    loop {
        let questions = ["dumpsys window displays 2>&1", "wm size 2>&1"];
        let [displays, size] = ask_texts(device, "wm size", questions, QUICK).await?;
        let answers = Answers {
            displays: &displays,
            ..Answers::default()
        };
        let info = device.info().display.value().copied().unwrap_or_default();
        let now = windows::display(&answers).filter(|display| !display.bounds().is_empty());
        if let Some(display) = now {
            let density = if display.density > 0 {
                display.density
            } else {
                info.density
            };
            return Ok(Some(Display { density, ..display }));
        }
        match adb::size(&size) {
            Reading::Said((width, height)) => {
                return Ok(Some(Display {
                    width,
                    height,
                    ..info
                }));
            }
            // The size from the session's begin is as good as another try, and callers fall back to it.
            _ if attempt == reading::TRIES || info.width > 0 => return Ok(None),
            _ => attempt += 1,
        }
        tokio::time::sleep(reading::PAUSE).await;
    }
}

pub async fn open_notifications(device: &dyn Device) -> Result<(), DeviceError> {
    status_bar(device, Panel::Notifications).await
}

pub async fn open_quick_settings(device: &dyn Device) -> Result<(), DeviceError> {
    status_bar(device, Panel::QuickSettings).await
}

/// Closes the notification shade and quick settings.
pub async fn close_panels(device: &dyn Device) -> Result<(), DeviceError> {
    status_bar(device, Panel::None).await
}

/// Opens or closes the panels of the status bar. Does not wait until they are open. A device's own server does it
/// instead. A shell without the command is [`DeviceError::Unsupported`].
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
    if message.has_line(is_missing) {
        return Err(DeviceError::Unsupported {
            what: "open its panels".to_owned(),
            missing: "its shell has no `cmd statusbar`".to_owned(),
        });
    }
    if message.has_line(is_complaint) || output.exit_code.is_some_and(|code| code != 0) {
        return Err(failed(&script, &output));
    }
    Ok(())
}

/// Presses the key for the recent apps, without a wait until they are shown.
pub async fn open_recents(device: &dyn Device) -> Result<(), DeviceError> {
    press(device, "APP_SWITCH").await
}

/// Presses HOME, without a wait for the home screen.
pub async fn go_home(device: &dyn Device) -> Result<(), DeviceError> {
    press(device, "HOME").await
}

/// Presses BACK.
pub async fn go_back(device: &dyn Device) -> Result<(), DeviceError> {
    press(device, "BACK").await
}

/// Switches the screen on; does nothing if it is on.
pub async fn wake(device: &dyn Device) -> Result<(), DeviceError> {
    press(device, "WAKEUP").await
}

/// Dismisses a lock screen without a PIN, pattern or password; others stay, which is no error.
pub async fn dismiss_keyguard(device: &dyn Device) -> Result<(), DeviceError> {
    let script = Script::command(["wm", "dismiss-keyguard"]);
    succeed(device, &script, QUICK).await.map(drop)
}

/// State of the screen for a person in front of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenState {
    /// The screen is on and unlocked, or the device does not report its state.
    Ready,
    Starting,
    /// The screen is off, dozing, or shows a screen saver.
    Off,
    /// The lock screen is shown, and no app covers it.
    Locked,
}

/// Asks the device for the state of its screen. A device that reports none of it counts as ready.
///
/// # Errors
/// Fails if the device does not answer.
pub async fn screen_state(device: &dyn Device) -> Result<ScreenState, DeviceError> {
    let questions = [
        "getprop sys.boot_completed",
        "dumpsys power 2>&1 | grep -E 'mWakefulness=|mScreenOn='",
        "dumpsys window policy 2>&1 | grep -iE 'showing|lockscreen|keyguard|occluded|restricted'",
        "dumpsys activity activities 2>&1 | grep -E 'KeyguardShowing=|Occluded='",
        "dumpsys trust 2>&1 | grep -F '(current)'",
    ];
    let [boot, power, policy, activities, trust] =
        ask_texts(device, "dumpsys power", questions, QUICK).await?;
    let reports = [policy, activities, trust];
    Ok(read_screen_state(&boot, &power, &reports))
}

/// Keys with which the releases report that the lock screen is shown.
///
/// Sources, all of AOSP: `PhoneWindowManager.dump` (`mShowingLockscreen` to Android 6, `isStatusBarKeyguard`
/// in 7 to 9, `mDreamingLockscreen`), `KeyguardServiceDelegate.dump` (`showing` since 7),
/// `KeyguardStateMonitor.dump` (`mIsShowing` since 6), `KeyguardController.dump` (`mKeyguardShowing` since 7,
/// `KeyguardShowing` since 13), `TrustManagerService.dump` (`deviceLocked` since 5). Makers' own:
/// `isKeyguardShowing`, `mShowingKeyguard`, `keyguardShowing`.
const LOCKED_KEYS: [&str; 11] = [
    "showing",
    "mIsShowing",
    "mShowingLockscreen",
    "mDreamingLockscreen",
    "mShowingKeyguard",
    "isStatusBarKeyguard",
    "isStatusBarKeyguard()",
    "mKeyguardShowing",
    "isKeyguardShowing",
    "KeyguardShowing",
    "keyguardShowing",
];
/// Keys with which they report that an app is shown above the lock screen.
const OCCLUDED_KEYS: [&str; 5] = [
    "occluded",
    "mOccluded",
    "Occluded",
    "mKeyguardOccluded",
    "isKeyguardOccluded",
];

/// Parses the state: `boot` is the property, `power` from `dumpsys power`, `reports` of the window policy,
/// the activities and trust. Starting wins over off, off over locked. A lock screen below an app that covers
/// it counts as ready, and so does a device that reports nothing.
fn read_screen_state(boot: &str, power: &str, reports: &[String; 3]) -> ScreenState {
    // An empty line means that the property is not set, no output at all that there was no answer.
    if !boot.is_empty() && matches!(boot.trim(), "" | "0") {
        return ScreenState::Starting;
    }
    let is_off = ["Asleep", "Dozing", "Dreaming"]
        .iter()
        .any(|state| power.contains(&format!("mWakefulness={state}")))
        || power
            .split_whitespace()
            .any(|word| word == "mScreenOn=false");
    if is_off {
        return ScreenState::Off;
    }
    let values = |names: &'static [&'static str]| {
        reports
            .iter()
            .flat_map(|report| report.split([' ', ',', '\n', '\r', '\t']))
            .filter_map(move |word| {
                let (name, value) = word.split_once('=')?;
                names
                    .contains(&name)
                    .then_some(matches!(value, "true" | "1"))
            })
    };
    let shown = values(&LOCKED_KEYS).reduce(|any, is| any || is);
    // The last resort: `deviceLocked` only tells that credentials are needed, so it misses a lock screen without any.
    let is_locked = shown
        .or_else(|| values(&["deviceLocked"]).next())
        .unwrap_or(false);
    if is_locked && !values(&OCCLUDED_KEYS).any(|is| is) {
        ScreenState::Locked
    } else {
        ScreenState::Ready
    }
}

/// Switches the screen on and dismisses a lock screen without a PIN, in three tries half a second apart. Returns
/// true if that was needed. Does nothing behind a server, which unlocks its device itself.
///
/// # Errors
/// Returns [`DeviceError::Unusable`] if the device stays asleep or locked, or is still starting. Fails if it does
/// not answer.
pub async fn make_ready(device: &dyn Device) -> Result<bool, DeviceError> {
    // A server unlocks the device itself before it opens a session.
    if device.system().is_some() {
        return Ok(false);
    }
    match screen_state(device).await? {
        ScreenState::Ready => return Ok(false),
        ScreenState::Starting => return Err(starting(device)),
        ScreenState::Off | ScreenState::Locked => {}
    }
    press(device, "WAKEUP").await?;
    let mut state = ScreenState::Off;
    for _ in 0..UNLOCK_TRIES {
        // The lock screen appears a moment after the screen is on.
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
        ScreenState::Starting => return Err(starting(device)),
        ScreenState::Locked | ScreenState::Ready => "locked",
    };
    Err(DeviceError::Unusable {
        serial: device.info().serial.clone(),
        state: state.to_owned(),
        advice: UNLOCK_ADVICE.to_owned(),
    })
}

/// Builds the [`DeviceError::Unusable`] of a device that is still starting.
fn starting(device: &dyn Device) -> DeviceError {
    DeviceError::Unusable {
        serial: device.info().serial.clone(),
        state: "starting".to_owned(),
        advice: START_ADVICE.to_owned(),
    }
}

/// Presses a key once.
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
    use crate::ShellOutput;
    use crate::fake::Fake;

    const AWAKE: &str = "  mWakefulness=Awake\n";

    fn state(boot: &str, power: &str, reports: [&str; 3]) -> ScreenState {
        read_screen_state(boot, power, &reports.map(str::to_owned))
    }

    #[tokio::test]
    async fn a_panel_is_refused_by_an_exception_and_not_by_a_warning() {
        for (line, opens) in [
            ("", true),
            ("WARNING: linker: libException.so: unused DT entry", true),
            ("java.lang.SecurityException: not allowed", false),
        ] {
            let fake = Fake::showing([""]).on_shell(move |_| ShellOutput {
                stderr: line.into(),
                exit_code: Some(0),
                ..ShellOutput::default()
            });
            let opened = open_notifications(fake.as_ref()).await;
            assert_eq!(opened.is_ok(), opens, "{line}: {opened:?}");
        }
    }

    #[test]
    fn a_screen_is_ready_unless_the_device_says_otherwise() {
        let policy = |showing: bool, occluded: bool| {
            format!("      showing={showing}\n      occluded={occluded}\n")
        };
        for (power, policy, expected) in [
            (AWAKE, policy(false, false), ScreenState::Ready),
            (AWAKE, policy(true, true), ScreenState::Ready),
            (AWAKE, policy(true, false), ScreenState::Locked),
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
            ("  mScreenOn=false", policy(false, false), ScreenState::Off),
            ("", String::new(), ScreenState::Ready),
            (
                "Can't find service: power",
                "mShowingDream=true".to_owned(),
                ScreenState::Ready,
            ),
        ] {
            assert_eq!(
                state("1\n", power, [&policy, "", ""]),
                expected,
                "{power} {policy}"
            );
        }
        for (boot, expected) in [
            ("1\n", ScreenState::Ready),
            ("", ScreenState::Ready),
            ("\n", ScreenState::Starting),
            ("0\n", ScreenState::Starting),
        ] {
            assert_eq!(state(boot, AWAKE, ["", "", ""]), expected, "{boot:?}");
        }
    }

    #[test]
    fn u9_every_form_of_a_lock_screen_is_seen() {
        const TRUST: &str = " User \"Owner\" (id=0, flags=0x13) (current): trusted=0, trustManaged=1, deviceLocked=VALUE, strongAuthRequired=0x0";
        for [policy, activities, trust] in [
            [
                "    KeyguardServiceDelegate\n      showing=VALUE\n      showingAndNotOccluded=VALUE",
                "",
                "",
            ],
            [
                "    mShowingLockscreen=VALUE mShowingDream=false mDreamingLockscreen=false",
                "",
                "",
            ],
            [
                "    mShowingDream=false mDreamingLockscreen=VALUE mDreamingSleepToken=null",
                "",
                "",
            ],
            [
                "    isStatusBarKeyguard=VALUE mForceStatusBar=false",
                "",
                "",
            ],
            [
                "      KeyguardStateMonitor\n        mIsShowing=VALUE\n        mInputRestricted=VALUE",
                "",
                "",
            ],
            ["    mKeyguardShowing=VALUE mIsSecure=true", "", ""],
            ["    isKeyguardShowing=VALUE", "", ""],
            ["", "    mKeyguardShowing=VALUE\n    mOccluded=false", ""],
            [
                "",
                "    KeyguardShowing=VALUE AodShowing=false KeyguardGoingAway=false Occluded=false",
                "",
            ],
            ["", "", TRUST],
        ] {
            for (value, expected) in [("true", ScreenState::Locked), ("false", ScreenState::Ready)]
            {
                let number = if value == "true" { "1" } else { "0" };
                let reports = [policy, activities, &trust.replace("VALUE", number)]
                    .map(|it| it.replace("VALUE", value));
                let found = read_screen_state("1\n", AWAKE, &reports);
                assert_eq!(found, expected, "{reports:?}");
            }
        }
        // A work profile may be locked while its owner's screen is not.
        assert_eq!(
            state(
                "1\n",
                AWAKE,
                ["showing=false", "", &TRUST.replace("VALUE", "1")]
            ),
            ScreenState::Ready
        );
    }
}
