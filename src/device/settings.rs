//! Settings of the device that tests change: each change gives the value that was there, so that it can be put back.

use super::command::{QUICK, failed, is_missing, shorten};
use super::{Device, DeviceError, Script, quote};

/// The three scales that stop or slow animations, in the order of [`Setting::Animations`].
const ANIMATIONS: [&str; 3] = [
    "window_animation_scale",
    "transition_animation_scale",
    "animator_duration_scale",
];
/// First release whose apps have locales of their own.
const APP_LOCALES_SDK: u32 = 33;

/// A setting with a value. [`set`] takes the wanted one and gives the previous one.
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
    /// Rotation of the display.
    Rotation(Rotation),
    /// Scales of window, transition and animator animations; see [`Setting::no_animations`].
    Animations([String; 3]),
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

/// Changes one setting and gives its previous value, which this function takes to put it back.
pub async fn set(device: &dyn Device, setting: &Setting) -> Result<Setting, DeviceError> {
    match setting {
        Setting::Night(mode) => night(device, mode).await,
        Setting::FontScale(percent) => font_scale(device, *percent).await,
        Setting::Locale { tag, app } => locale(device, tag, app.as_deref()).await,
        Setting::Airplane(on) => airplane(device, *on).await,
        Setting::Location(on) => location(device, *on).await,
        Setting::Rotation(rotation) => set_rotation(device, *rotation).await,
        Setting::Animations(scales) => animations(device, scales).await,
    }
}

/// Changes several settings; the previous values, last first, put all back in order. When one fails, those already
/// changed are put back.
pub async fn set_all(
    device: &dyn Device,
    settings: &[Setting],
) -> Result<Vec<Setting>, DeviceError> {
    let mut previous = Vec::new();
    for setting in settings {
        match set(device, setting).await {
            Ok(before) => previous.insert(0, before),
            Err(error) => {
                for before in &previous {
                    // The first error is the one to tell; this is an attempt to leave things as they were.
                    let _ = set(device, before).await;
                }
                return Err(error);
            }
        }
    }
    Ok(previous)
}

async fn night(device: &dyn Device, mode: &str) -> Result<Setting, DeviceError> {
    let what = "switch its dark theme";
    let said = ask(device, "cmd uimode night", what).await?;
    let previous = said
        .lines()
        .find_map(|line| line.trim().strip_prefix("Night mode:"))
        .map(|mode| mode.trim().to_owned());
    let Some(previous) = previous else {
        return Err(unsupported(
            what,
            "`cmd uimode night` does not tell the mode",
        ));
    };
    ask(device, &format!("cmd uimode night {}", quote(mode)), what).await?;
    // `custom_schedule` and its kin come with times that the command does not tell; `auto` is nearest.
    let known = ["yes", "no", "auto"].contains(&previous.as_str());
    Ok(Setting::Night(if known {
        previous
    } else {
        "auto".to_owned()
    }))
}

async fn font_scale(device: &dyn Device, percent: u32) -> Result<Setting, DeviceError> {
    let what = "change its font size";
    let scale = f64::from(percent) / 100.0;
    let said = ask(
        device,
        &format!("settings get system font_scale && settings put system font_scale {scale}"),
        what,
    )
    .await?;
    let previous = said.trim().parse::<f64>().unwrap_or(1.0);
    Ok(Setting::FontScale((previous * 100.0).round() as u32))
}

async fn locale(device: &dyn Device, tag: &str, app: Option<&str>) -> Result<Setting, DeviceError> {
    check_tag(tag)?;
    let what = "change its language";
    let info = device.info();
    // Only the virtual device lets its shell set the language of the system.
    if info.virtual_device {
        let said = ask(
            device,
            &format!(
                "settings get system system_locales && settings put system system_locales {}",
                quote(tag)
            ),
            what,
        )
        .await?;
        let said = said.trim();
        let previous = if said == "null" || said.is_empty() {
            info.locale.clone()
        } else {
            said.split(',').next().unwrap_or(said).to_owned()
        };
        return Ok(Setting::Locale {
            tag: previous,
            app: app.map(str::to_owned),
        });
    }
    match app {
        Some(app) if info.sdk >= APP_LOCALES_SDK => app_locale(device, tag, app).await,
        Some(_) | None => Err(unsupported(
            what,
            &format!(
                "the shell may not set the system's language; since SDK {APP_LOCALES_SDK} (this is {}) it may set an app's, so name the app",
                info.sdk
            ),
        )),
    }
}

async fn app_locale(device: &dyn Device, tag: &str, app: &str) -> Result<Setting, DeviceError> {
    let what = "change the app's language";
    let package = quote(app);
    let said = ask(
        device,
        &format!("cmd locale get-app-locales {package} --user current"),
        what,
    )
    .await?;
    ask(
        device,
        &format!(
            "cmd locale set-app-locales {package} --user current --locales {}",
            quote(tag)
        ),
        what,
    )
    .await?;
    Ok(Setting::Locale {
        tag: locales_in_brackets(&said),
        app: Some(app.to_owned()),
    })
}

/// `Locales for com.example for user 0 are [de-DE]`.
fn locales_in_brackets(said: &str) -> String {
    said.rsplit_once('[')
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

async fn airplane(device: &dyn Device, on: bool) -> Result<Setting, DeviceError> {
    let what = "switch airplane mode";
    let said = ask(device, "cmd connectivity airplane-mode", what).await?;
    let verb = if on { "enable" } else { "disable" };
    ask(
        device,
        &format!("cmd connectivity airplane-mode {verb}"),
        what,
    )
    .await?;
    Ok(Setting::Airplane(said.trim() == "enabled"))
}

async fn location(device: &dyn Device, on: bool) -> Result<Setting, DeviceError> {
    let mode = if on { 3 } else { 0 };
    // Both ways: older releases lack the command.
    let said = ask(
        device,
        &format!(
            "settings get secure location_mode && (cmd location set-location-enabled {on} >/dev/null 2>&1; settings put secure location_mode {mode})"
        ),
        "switch location",
    )
    .await?;
    Ok(Setting::Location(!matches!(said.trim(), "0" | "null" | "")))
}

async fn set_rotation(device: &dyn Device, rotation: Rotation) -> Result<Setting, DeviceError> {
    let change = match rotation {
        Rotation::Sensor => "settings put system accelerometer_rotation 1".to_owned(),
        // The sensor first: while it is on, the system passes over `user_rotation`.
        Rotation::Fixed(turns) => format!(
            "settings put system accelerometer_rotation 0 && settings put system user_rotation {}",
            turns % 4
        ),
    };
    let said = ask(
        device,
        &format!(
            "settings get system accelerometer_rotation && settings get system user_rotation && {change}"
        ),
        "turn its display",
    )
    .await?;
    Ok(Setting::Rotation(read_rotation(&said)))
}

fn read_rotation(said: &str) -> Rotation {
    let mut lines = said.lines().map(str::trim);
    let sensor = lines.next() == Some("1");
    let turns = lines.next().and_then(|line| line.parse().ok()).unwrap_or(0);
    if sensor {
        Rotation::Sensor
    } else {
        Rotation::Fixed(turns)
    }
}

async fn animations(device: &dyn Device, scales: &[String; 3]) -> Result<Setting, DeviceError> {
    let commands: Vec<String> = ANIMATIONS
        .iter()
        .zip(scales)
        .map(|(name, scale)| {
            let scale = quote(scale);
            format!("settings get global {name} && settings put global {name} {scale}")
        })
        .collect();
    let said = ask(device, &commands.join(" && "), "switch animations").await?;
    let mut values = said.lines().map(|line| match line.trim() {
        "null" | "" => "1".to_owned(),
        scale => scale.to_owned(),
    });
    Ok(Setting::Animations(std::array::from_fn(|_| {
        values.next().unwrap_or_else(|| "1".to_owned())
    })))
}

/// Runs a script; a device that lacks it is told from one where it failed.
async fn ask(device: &dyn Device, script: &str, what: &str) -> Result<String, DeviceError> {
    let label: String = script.split(" && ").next().unwrap_or(script).to_owned();
    let script = Script::raw(script, label);
    let output = device.shell(&script, QUICK).await?;
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
