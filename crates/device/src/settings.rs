//! Settings of the device that tests change. Each is read before it is changed, so that it can be restored
//! however the test ends.

mod ask;
mod confirm;
mod language;
mod place;
mod setting;

use std::fmt::Write as _;

pub use self::setting::{Coordinates, Rotation, Setting};

use self::ask::{ask, unsupported};
use self::language::{LOCALE, LocaleOwner, check_tag, locale_owner, locales_in_brackets};
use super::adb::info;
use super::reading::{self, Reading};
use super::{Device, DeviceError, quote};

/// Names of the three animation scales, in the order of [`Setting::Animations`].
const ANIMATIONS: [&str; 3] = [
    "window_animation_scale",
    "transition_animation_scale",
    "animator_duration_scale",
];
// Actions that complete "this device cannot …" in errors.
const NIGHT: &str = "switch its dark theme";
const FONT_SCALE: &str = "change its font size";
const APP_LOCALE: &str = "change the app's language";
const AIRPLANE: &str = "switch airplane mode";
const LOCATION: &str = "switch location";
const ROTATION: &str = "turn its display";
const ANIMATION: &str = "switch animations";

/// Returns the present value of the same kind of setting as `wanted`, for [`set`] to restore. The value in `wanted`
/// does not count, but a malformed language tag in it is refused.
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] if the device is known not to let it be changed, and
/// [`DeviceError::NotAnswered`] if it does not tell its value.
pub async fn current(device: &dyn Device, wanted: &Setting) -> Result<Setting, DeviceError> {
    if let Some(system) = device.system()
        && let Some(setting) = system.setting(wanted).await?
    {
        return Ok(setting);
    }
    match wanted {
        Setting::Night(_) => night(device).await,
        Setting::FontScale(_) => font_scale(device).await,
        Setting::Locale { tag, app } => {
            check_tag(tag)?;
            let tag = match locale_owner(device, app.as_deref())? {
                LocaleOwner::System => system_locale(device).await?,
                LocaleOwner::App(app) => app_locale(device, app).await?,
            };
            let app = app.clone();
            Ok(Setting::Locale { tag, app })
        }
        Setting::Airplane(_) => {
            let command = "cmd connectivity airplane-mode";
            let read = |text: &str| {
                reading::single(command, text, |line| match line {
                    "enabled" => Some(true),
                    "disabled" => Some(false),
                    _ => None,
                })
            };
            read_setting(device, command, AIRPLANE, read, None)
                .await
                .map(Setting::Airplane)
        }
        Setting::Location(_) => {
            let command = "settings get secure location_mode";
            // 0 is off; 1, 2 and 3 are kinds of location (AOSP `Settings.Secure.LOCATION_MODE`).
            let read = |text: &str| {
                reading::single(command, text, |line| {
                    line.parse::<u8>()
                        .ok()
                        .filter(|mode| *mode <= 3)
                        .map(|mode| mode > 0)
                })
            };
            read_setting(device, command, LOCATION, read, Some(false))
                .await
                .map(Setting::Location)
        }
        Setting::Place(_) => place::current(device).map(Setting::Place),
        Setting::Rotation(_) => {
            let script =
                "settings get system accelerometer_rotation && settings get system user_rotation";
            read_setting(device, script, ROTATION, read_rotation, None)
                .await
                .map(Setting::Rotation)
        }
        Setting::Animations(_) => animations(device).await,
    }
}

/// Changes a setting and checks that the device shows it afterwards, except for a place and animations. A
/// server is asked first, and believed; what it cannot do, the shell does. A language is the system's where
/// that may be set, else the app's.
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] if the device cannot do it, or shows another value afterwards, and
/// [`DeviceError::Command`] if the command fails.
pub async fn set(device: &dyn Device, setting: &Setting) -> Result<(), DeviceError> {
    if let Some(system) = device.system()
        && system.set(setting).await?
    {
        return Ok(());
    }
    let (script, what) = match setting {
        Setting::Place(place) => return place::set(device, *place).await,
        Setting::Night(mode) => (format!("cmd uimode night {}", quote(mode)), NIGHT),
        Setting::FontScale(percent) => {
            let scale = f64::from(*percent) / 100.0;
            (
                format!("settings put system font_scale {scale}"),
                FONT_SCALE,
            )
        }
        Setting::Locale { tag, app } => {
            check_tag(tag)?;
            let tag = quote(tag);
            match locale_owner(device, app.as_deref())? {
                LocaleOwner::System => {
                    (format!("settings put system system_locales {tag}"), LOCALE)
                }
                LocaleOwner::App(app) => (
                    format!(
                        "cmd locale set-app-locales {} --user current --locales {tag}",
                        quote(app)
                    ),
                    APP_LOCALE,
                ),
            }
        }
        Setting::Airplane(on) => {
            let verb = if *on { "enable" } else { "disable" };
            (format!("cmd connectivity airplane-mode {verb}"), AIRPLANE)
        }
        // Both ways, as older releases lack the command.
        Setting::Location(on) => {
            let mode = if *on { 3 } else { 0 };
            (
                format!(
                    "cmd location set-location-enabled {on} >/dev/null 2>&1; settings put secure location_mode {mode}"
                ),
                LOCATION,
            )
        }
        Setting::Rotation(Rotation::Sensor) => (
            "settings put system accelerometer_rotation 1".to_owned(),
            ROTATION,
        ),
        // The sensor first: while it is on, the system ignores `user_rotation`.
        Setting::Rotation(Rotation::Fixed(turns)) => (
            format!(
                "settings put system accelerometer_rotation 0 && settings put system user_rotation {}",
                turns % 4
            ),
            ROTATION,
        ),
        Setting::Animations(scales) => {
            let commands = ANIMATIONS
                .iter()
                .zip(scales)
                .map(|(name, scale)| format!("settings put global {name} {}", quote(scale)));
            (run_in_parallel(commands), ANIMATION)
        }
    };
    let script = confirm::with_query(device, setting, script)?;
    let output = ask(device, &script, what).await?;
    confirm::check(setting, &output, what)
}

/// Reads the theme: `yes`, `no` or `auto`. Other schedules count as `auto`, the nearest that can be set again.
async fn night(device: &dyn Device) -> Result<Setting, DeviceError> {
    let read = |text: &str| info::night_mode(text);
    let mode = read_setting(device, "cmd uimode night", NIGHT, read, None).await?;
    // `custom_schedule` and its kin have times that the command does not print; `auto` is the nearest value.
    let known = ["yes", "no", "auto"].contains(&mode.as_str());
    Ok(Setting::Night(if known { mode } else { "auto".to_owned() }))
}

/// Reads the font size in percent, 100 if it was never set.
async fn font_scale(device: &dyn Device) -> Result<Setting, DeviceError> {
    let command = "settings get system font_scale";
    read_setting(device, command, FONT_SCALE, info::font_scale, Some(100))
        .await
        .map(Setting::FontScale)
}

/// Reads a setting, and asks up to three times if the device does not answer; a failed command is no answer.
/// `none` is the value if the setting was never made.
///
/// # Errors
/// Returns [`DeviceError::NotAnswered`] if the device never answers, as a guessed value must not be restored.
/// Returns [`DeviceError::Unsupported`] if the device has no such setting and `none` is `None`.
async fn read_setting<T>(
    device: &dyn Device,
    script: &str,
    what: &str,
    read: impl Fn(&str) -> Reading<T>,
    none: Option<T>,
) -> Result<T, DeviceError> {
    let mut attempt = 1;
    let reading = loop {
        let reading = match ask(device, script, what).await {
            Ok(text) => read(&text),
            Err(DeviceError::Command { output, .. }) => {
                Reading::not_answered(script.to_owned(), &output)
            }
            Err(error) => return Err(error),
        };
        if !reading.is_open() || attempt == reading::TRIES {
            break reading;
        }
        attempt += 1;
        tokio::time::sleep(reading::PAUSE).await;
    };
    match (reading, none) {
        (Reading::Said(value), _) | (Reading::SaidNone, Some(value)) => Ok(value),
        (Reading::SaidNone, None) => Err(unsupported(what, "it has no such setting")),
        (Reading::NotAnswered(why), _) => Err(DeviceError::NotAnswered(why.to_string())),
    }
}

async fn system_locale(device: &dyn Device) -> Result<String, DeviceError> {
    let command = "settings get system system_locales";
    let usual = device.info().locale.value().cloned();
    read_setting(device, command, LOCALE, info::system_locale, usual).await
}

async fn app_locale(device: &dyn Device, app: &str) -> Result<String, DeviceError> {
    let script = format!("cmd locale get-app-locales {} --user current", quote(app));
    read_setting(device, &script, APP_LOCALE, locales_in_brackets, None).await
}

/// Parses `accelerometer_rotation` and `user_rotation`, one a line. `null`, a setting that was never made,
/// counts as 0. If the first is 1, the sensor decides; else it is fixed at the second, in quarter turns.
/// Other numbers or lines are no answer.
fn read_rotation(text: &str) -> Reading<Rotation> {
    let number = |line: &str, most: u8| match line {
        "null" => Some(0),
        line => line.parse::<u8>().ok().filter(|number| *number <= most),
    };
    let read = match reading::lines(text).as_deref() {
        Some([sensor, turns]) => number(sensor, 1).zip(number(turns, 3)),
        _ => None,
    };
    match read {
        Some((1, _)) => Reading::Said(Rotation::Sensor),
        Some((_, turns)) => Reading::Said(Rotation::Fixed(turns)),
        None => Reading::not_answered("settings get system user_rotation", text),
    }
}

/// Joins commands into a script that runs them at the same time, as each starts a process on the device. The script
/// waits for all, and exits with the code of the last one that failed, else with 0.
fn run_in_parallel(commands: impl Iterator<Item = String>) -> String {
    let (mut script, mut waits) = (String::new(), String::new());
    for (number, command) in commands.enumerate() {
        let _ = write!(script, "{command} & j{number}=$!; ");
        let _ = write!(waits, "wait $j{number} || r=$?; ");
    }
    format!("{script}r=0; {waits}(exit $r)")
}

/// Reads the three scales of animations. Asks for the whole list of settings in one process, and then for
/// each scale that it lacks: one that was never set, or that the list's end cut off. Old releases have no
/// list.
async fn animations(device: &dyn Device) -> Result<Setting, DeviceError> {
    let names = ANIMATIONS.join(" ");
    let any = ANIMATIONS.join("|");
    let script = format!(
        "l=$(settings list global | grep -E '^({any})='); echo \"$l\"; for n in {names}; do case \"$l\" in *$n=*) ;; *) echo \"$n=$(settings get global $n)\" ;; esac; done"
    );
    read_setting(device, &script, ANIMATION, read_animations, None)
        .await
        .map(Setting::Animations)
}

/// Parses `NAME=SCALE` of the three scales, in the order of [`ANIMATIONS`]; `null` counts as 1, the default.
/// A scale that is missing, stands twice, or is no number makes the whole no answer.
fn read_animations(text: &str) -> Reading<[String; 3]> {
    let lines = reading::lines(text).unwrap_or_default();
    let scale = |name: &str| {
        let mut values = lines
            .iter()
            .filter_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        match (values.next(), values.next()) {
            (Some("null"), None) => Some("1".to_owned()),
            (Some(scale), None) => reading::number(scale).map(|_| scale.to_owned()),
            _ => None,
        }
    };
    let [window, transition, animator] = ANIMATIONS.map(scale);
    match (window, transition, animator) {
        (Some(window), Some(transition), Some(animator)) => {
            Reading::Said([window, transition, animator])
        }
        _ => Reading::not_answered("settings get global window_animation_scale", text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn previous_values_read() {
        for (text, rotation) in [
            ("1\n0\n", Rotation::Sensor),
            ("0\n3\n", Rotation::Fixed(3)),
            ("null\nnull\n", Rotation::Fixed(0)),
        ] {
            assert_eq!(read_rotation(text), Reading::Said(rotation), "{text}");
        }
        for (tags, text) in [
            ("de-DE,en", "Locales for a.b for user 0 are [de-DE,en]\n"),
            ("", "Locales for a.b for user 0 are []\n"),
        ] {
            assert_eq!(
                locales_in_brackets(text),
                Reading::Said(tags.to_owned()),
                "{text}"
            );
        }
        let scales = "animator_duration_scale=null\ntransition_animation_scale=0.5\nwindow_animation_scale=0\n";
        let scales = read_animations(scales);
        assert_eq!(scales, Reading::Said(["0", "0.5", "1"].map(str::to_owned)));
    }

    #[test]
    fn v5_a_value_that_was_not_said_is_not_put_back() {
        let errors = [
            "",
            "\n",
            "0",
            "Failure calling service settings: Broken pipe (32)\n",
            "4\n9\n",
        ];
        for text in errors.into_iter().chain(["1\n", "1\n0\n1\n0\n"]) {
            assert!(read_rotation(text).is_open(), "{text:?}");
        }
        for text in errors
            .into_iter()
            .chain(["Locales for a.b for user 0 are [de-D"])
        {
            assert!(locales_in_brackets(text).is_open(), "{text:?}");
        }
        for text in errors
            .into_iter()
            .chain(["window_animation_scale=0\n", "window_animation_scale=0.\n"])
        {
            assert!(read_animations(text).is_open(), "{text:?}");
        }
    }

    #[test]
    fn only_language_tags_pass() {
        check_tag("zh-Hant-TW").unwrap();
        check_tag("").unwrap();
        assert!(check_tag("de; reboot").is_err());
        // A list is as long as the app's owner likes; each tag of it has its limit.
        let list = ["de-DE"; 20].join(",");
        check_tag(&list).unwrap();
        let printed = format!("Locales for a.b for user 0 are [{list}]\n");
        assert_eq!(locales_in_brackets(&printed), Reading::Said(list));
        assert!(check_tag(&format!("de,{}", "x".repeat(36))).is_err());
    }
}
