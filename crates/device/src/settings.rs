//! Settings of the device that tests change: each is read before it is changed, so that it can be put
//! back however the change ends.

mod confirm;
mod place;

use std::fmt::Write as _;

use super::command::{QUICK, failed, is_missing, shorten};
use super::{Device, DeviceError, Feature, Script, quote};

/// The three scales that stop or slow animations, in the order of [`Setting::Animations`].
const ANIMATIONS: [&str; 3] = [
    "window_animation_scale",
    "transition_animation_scale",
    "animator_duration_scale",
];
// What errors say that a device cannot do.
const NIGHT: &str = "switch its dark theme";
const FONT_SCALE: &str = "change its font size";
const LOCALE: &str = "change its language";
const APP_LOCALE: &str = "change the app's language";
const AIRPLANE: &str = "switch airplane mode";
const LOCATION: &str = "switch location";
const ROTATION: &str = "turn its display";
const ANIMATION: &str = "switch animations";
/// First release whose apps have locales of their own.
const APP_LOCALES_SDK: u32 = 33;

/// A setting with a value. [`current`] gives the one to put back, [`set`] makes a change.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Setting {
    /// Night mode: `yes`, `no`, `auto`; see [`Setting::dark`].
    Night(String),
    /// Font scale in percent.
    FontScale(u32),
    /// Language, as a tag such as `de-DE`: of the system, or of one app where only that can be set.
    Locale {
        /// The tag; empty means the system's own.
        tag: String,
        /// App whose language it is where the device does not let the system's be set.
        app: Option<String>,
    },
    /// Airplane mode.
    Airplane(bool),
    /// Location.
    Location(bool),
    /// Where the device is; `None` is where it really is, as far as that can be had back.
    Place(Option<Place>),
    /// Rotation of the display.
    Rotation(Rotation),
    /// Scales of window, transition and animator animations; see [`Setting::no_animations`].
    Animations([String; 3]),
}

/// A place on the earth, in millionths of a degree: about ten centimetres.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Place {
    lat: i32,
    lon: i32,
}

impl Place {
    /// From degrees; `None` where there is no such place.
    pub fn new(lat: f64, lon: f64) -> Option<Self> {
        let is_place = (-90.0..=90.0).contains(&lat) && (-180.0..=180.0).contains(&lon);
        let millionths = |degrees: f64| (degrees * 1e6).round() as i32;
        is_place.then(|| Self {
            lat: millionths(lat),
            lon: millionths(lon),
        })
    }

    /// Latitude in degrees, north is positive.
    pub fn lat(self) -> f64 {
        f64::from(self.lat) / 1e6
    }

    /// Longitude in degrees, east is positive.
    pub fn lon(self) -> f64 {
        f64::from(self.lon) / 1e6
    }
}

/// Who decides which way the display is turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Rotation {
    /// The device's sensor.
    Sensor,
    /// Fixed, in quarter turns 0–3.
    Fixed(u8),
}

impl Setting {
    /// Dark or light.
    pub fn dark(dark: bool) -> Self {
        Self::Night(if dark { "yes" } else { "no" }.to_owned())
    }

    /// All animations off.
    pub fn no_animations() -> Self {
        Self::Animations(["0".to_owned(), "0".to_owned(), "0".to_owned()])
    }
}

/// The value of the kind that `wanted` is of, as [`set`] takes it to put it back. An error where the device does not let
/// it be changed, as far as that can be known beforehand.
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
            let message = ask(device, "cmd connectivity airplane-mode", AIRPLANE).await?;
            Ok(Setting::Airplane(message.trim() == "enabled"))
        }
        Setting::Location(_) => {
            let text = ask(device, "settings get secure location_mode", LOCATION).await?;
            let off = matches!(text.trim(), "0" | "null" | "");
            Ok(Setting::Location(!off))
        }
        Setting::Place(_) => place::current(device).map(Setting::Place),
        Setting::Rotation(_) => {
            let script =
                "settings get system accelerometer_rotation && settings get system user_rotation";
            let output = ask(device, script, ROTATION).await?;
            Ok(Setting::Rotation(read_rotation(&output)))
        }
        Setting::Animations(_) => animations(device).await,
    }
}

/// Changes one setting.
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
        // Both ways: older releases lack the command.
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
        // The sensor first: while it is on, the system passes over `user_rotation`.
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
            (together(commands), ANIMATION)
        }
    };
    let script = confirm::with_query(device, setting, script)?;
    let output = ask(device, &script, what).await?;
    confirm::check(setting, &output, what)
}

async fn night(device: &dyn Device) -> Result<Setting, DeviceError> {
    let message = ask(device, "cmd uimode night", NIGHT).await?;
    let mode = message
        .lines()
        .find_map(|line| line.trim().strip_prefix("Night mode:"))
        .map(str::trim);
    let Some(mode) = mode else {
        return Err(unsupported(
            NIGHT,
            "`cmd uimode night` does not tell the mode",
        ));
    };
    // `custom_schedule` and its kin come with times that the command does not print; `auto` is nearest.
    let known = ["yes", "no", "auto"].contains(&mode);
    Ok(Setting::Night(if known { mode } else { "auto" }.to_owned()))
}

async fn font_scale(device: &dyn Device) -> Result<Setting, DeviceError> {
    let message = ask(device, "settings get system font_scale", FONT_SCALE).await?;
    let scale = message.trim().parse::<f64>().unwrap_or(1.0);
    Ok(Setting::FontScale((scale * 100.0).round() as u32))
}

/// Whose language can be set.
enum LocaleOwner<'a> {
    System,
    App(&'a str),
}

fn locale_owner<'a>(
    device: &dyn Device,
    app: Option<&'a str>,
) -> Result<LocaleOwner<'a>, DeviceError> {
    let info = device.info();
    if info.offers(Feature::SystemLocale) {
        return Ok(LocaleOwner::System);
    }
    match app {
        Some(app) if info.sdk >= APP_LOCALES_SDK => Ok(LocaleOwner::App(app)),
        Some(_) | None => Err(unsupported(
            LOCALE,
            &format!(
                "the shell may not set the system's language; since SDK {APP_LOCALES_SDK} (this is {}) it may set an app's, so name the app",
                info.sdk
            ),
        )),
    }
}

async fn system_locale(device: &dyn Device) -> Result<String, DeviceError> {
    let message = ask(device, "settings get system system_locales", LOCALE).await?;
    let text = message.trim();
    Ok(if text == "null" || text.is_empty() {
        device.info().locale.clone()
    } else {
        text.split(',').next().unwrap_or(text).to_owned()
    })
}

async fn app_locale(device: &dyn Device, app: &str) -> Result<String, DeviceError> {
    let script = format!("cmd locale get-app-locales {} --user current", quote(app));
    let message = ask(device, &script, APP_LOCALE).await?;
    Ok(locales_in_brackets(&message))
}

/// `Locales for com.example for user 0 are [de-DE]`.
fn locales_in_brackets(message: &str) -> String {
    message
        .rsplit_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
        .map_or_else(String::new, |(tags, _)| tags.trim().to_owned())
}

fn check_tag(tag: &str) -> Result<(), DeviceError> {
    // RFC 5646 asks for room for 35 characters.
    let plain = tag.len() <= 35
        && tag
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b',');
    if plain {
        Ok(())
    } else {
        Err(unsupported(
            &format!("speak '{tag}'"),
            "a language is a tag such as de-DE",
        ))
    }
}

fn read_rotation(message: &str) -> Rotation {
    let mut lines = message.lines().map(str::trim);
    let sensor = lines.next() == Some("1");
    let turns = lines.next().and_then(|line| line.parse().ok()).unwrap_or(0);
    if sensor {
        Rotation::Sensor
    } else {
        Rotation::Fixed(turns)
    }
}

/// Runs commands at the same time, for each costs a phone a process; fails where one of them did.
fn together(commands: impl Iterator<Item = String>) -> String {
    let (mut script, mut waits) = (String::new(), String::new());
    for (number, command) in commands.enumerate() {
        let _ = write!(script, "{command} & j{number}=$!; ");
        let _ = write!(waits, "wait $j{number} || r=$?; ");
    }
    format!("{script}r=0; {waits}(exit $r)")
}

/// Asks for the whole list: one process, however many settings are wanted. Old releases have no list.
async fn animations(device: &dyn Device) -> Result<Setting, DeviceError> {
    let names = ANIMATIONS.join(" ");
    let any = ANIMATIONS.join("|");
    let script = format!(
        "settings list global | grep -E '^({any})=' || for n in {names}; do echo \"$n=$(settings get global $n)\"; done"
    );
    let message = ask(device, &script, ANIMATION).await?;
    Ok(Setting::Animations(ANIMATIONS.map(|name| {
        let value = message
            .lines()
            .find_map(|line| line.trim().strip_prefix(name)?.strip_prefix('='));
        match value.unwrap_or_default().trim() {
            "null" | "" => "1".to_owned(),
            scale => scale.to_owned(),
        }
    })))
}

/// Runs a script; distinguishes a device that lacks it from one where it failed.
async fn ask(device: &dyn Device, script: &str, what: &str) -> Result<String, DeviceError> {
    let ends = ["; ", " &", " |"].iter().filter_map(|end| script.find(end));
    let label = &script[..ends.min().unwrap_or(script.len())];
    let script = Script::raw(script, label.to_owned());
    let output = match device.shell(&script, QUICK).await {
        // What was wanted says more than by which command.
        Err(DeviceError::Unsupported { missing, .. }) => return Err(unsupported(what, &missing)),
        output => output?,
    };
    let message = output.message();
    if is_missing(&message) {
        return Err(unsupported(what, &shorten(&message)));
    }
    if message.contains("Permission Denial") || message.contains("SecurityException") {
        return Err(unsupported(what, &shorten(&message)));
    }
    if output.exit_code.is_some_and(|code| code != 0) {
        return Err(failed(&script, &output));
    }
    Ok(output.text().into_owned())
}

fn unsupported(what: &str, missing: &str) -> DeviceError {
    DeviceError::Unsupported {
        what: what.to_owned(),
        missing: missing.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn previous_values_read() {
        assert_eq!(read_rotation("1\n0\n"), Rotation::Sensor);
        assert_eq!(read_rotation("0\n3\n"), Rotation::Fixed(3));
        assert_eq!(read_rotation("null\nnull\n"), Rotation::Fixed(0));
        assert_eq!(
            locales_in_brackets("Locales for a.b for user 0 are [de-DE,en]\n"),
            "de-DE,en"
        );
        assert_eq!(locales_in_brackets("Locales for a.b for user 0 are []"), "");
    }

    #[test]
    fn only_language_tags_pass() {
        check_tag("zh-Hant-TW").unwrap();
        check_tag("").unwrap();
        assert!(check_tag("de; reboot").is_err());
    }
}
