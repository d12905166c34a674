//! Verifies a change of a setting: the script that makes it also reads the setting, so that costs no round
//! trip.

use super::super::Reading;
use super::super::reading::printed_lines;
use super::ask::unsupported;
use super::language::{LocaleOwner, locale_owner, locales_in_brackets};
use super::setting::{Rotation, Setting};
use crate::{Device, DeviceError, quote};

/// Appends the question for the setting to the script that changes it, so that the question is asked only
/// after a success. A place and animations have no question; their script is returned as it is.
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] if the device cannot set the language of an app.
pub(super) fn with_query(
    device: &dyn Device,
    setting: &Setting,
    script: String,
) -> Result<String, DeviceError> {
    let query = match setting {
        Setting::Night(_) => "cmd uimode night".to_owned(),
        Setting::FontScale(_) => "settings get system font_scale".to_owned(),
        Setting::Locale { app, .. } => match locale_owner(device, app.as_deref())? {
            LocaleOwner::System => "settings get system system_locales".to_owned(),
            LocaleOwner::App(app) => {
                format!("cmd locale get-app-locales {} --user current", quote(app))
            }
        },
        Setting::Airplane(_) => "cmd connectivity airplane-mode".to_owned(),
        Setting::Location(_) => "settings get secure location_mode".to_owned(),
        Setting::Rotation(_) => {
            "settings get system accelerometer_rotation && settings get system user_rotation"
                .to_owned()
        }
        Setting::Place(_) | Setting::Animations(_) => return Ok(script),
    };
    Ok(format!("{script} && {query}"))
}

/// Compares the setting that the device reports with the wanted one. The last line of `output` counts, for a
/// rotation the last two; a warning of the linker is none. Of languages only the first tag counts, without regard
/// to case. An empty language, a place and animations are not compared.
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] if they differ.
pub(super) fn check(setting: &Setting, output: &str, what: &str) -> Result<(), DeviceError> {
    let lines: Vec<&str> = printed_lines(output).collect();
    let last = lines.last().copied().unwrap_or_default();
    let is_so = match setting {
        Setting::Night(mode) => last.strip_prefix("Night mode:").map(str::trim) == Some(mode),
        Setting::FontScale(percent) => {
            let percent_of = |scale: f64| (scale * 100.0).round() as u32;
            last.parse().map(percent_of) == Ok(*percent)
        }
        // Without a tag the app has the system's language.
        Setting::Locale { tag, .. } if tag.is_empty() => true,
        Setting::Locale { tag, .. } => {
            let tags = if last.contains('[') {
                locales_in_brackets(&format!("{last}\n"))
            } else {
                Reading::Said(last.to_owned())
            };
            let first = |tags: &str| tags.split(',').next().unwrap_or_default().to_lowercase();
            tags.value().is_some_and(|tags| first(tags) == first(tag))
        }
        Setting::Airplane(on) => last == if *on { "enabled" } else { "disabled" },
        Setting::Location(on) => (last != "0") == *on && last.parse::<u8>().is_ok(),
        Setting::Rotation(Rotation::Sensor) => lines.len() >= 2 && lines[lines.len() - 2] == "1",
        Setting::Rotation(Rotation::Fixed(turns)) => {
            lines.len() >= 2 && lines[lines.len() - 2] == "0" && last.parse() == Ok(turns % 4)
        }
        Setting::Place(_) | Setting::Animations(_) => true,
    };
    if is_so {
        return Ok(());
    }
    let says = if last.is_empty() { "nothing" } else { last };
    Err(unsupported(
        what,
        &format!("it took the command, and says `{says}` afterwards"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_stays_as_it_was_is_an_error() {
        let tag = |tag: &str| Setting::Locale {
            tag: tag.to_owned(),
            app: None,
        };
        for (setting, good, bad) in [
            (
                Setting::dark(true),
                "Night mode: yes\nNight mode: yes\n",
                "Night mode: no",
            ),
            (Setting::FontScale(130), "1.3\n", "1.0\n"),
            (tag("de-DE"), "de-DE,en-US\n", "en-US\n"),
            (
                Setting::Locale {
                    tag: "de-DE".to_owned(),
                    app: Some("a.b".to_owned()),
                },
                "Locales for a.b for user 0 are [de-DE]",
                "Locales for a.b for user 0 are []",
            ),
            (Setting::Airplane(true), "enabled\n", "disabled\n"),
            (Setting::Location(false), "0\n", "3\n"),
            (Setting::Location(true), "3\n", "null\n"),
            (Setting::Rotation(Rotation::Fixed(1)), "0\n1\n", "0\n0\n"),
            (Setting::Rotation(Rotation::Fixed(1)), "0\n1\n", "1\n1\n"),
            (Setting::Rotation(Rotation::Sensor), "1\n1\n", "0\n1\n"),
        ] {
            check(&setting, good, "x").unwrap();
            check(&setting, bad, "x").unwrap_err();
            // Some phones print a warning for each process that is started.
            let warned = |output: &str| {
                let lines = output.lines();
                let warned = lines.map(|line| format!("WARNING: linker: x.so\n{line}\n"));
                warned.collect::<String>()
            };
            check(&setting, &warned(good), "x").unwrap();
            check(&setting, &warned(bad), "x").unwrap_err();
            check(&setting, "", "x").unwrap_err();
        }
        check(&tag(""), "", "x").unwrap();
    }
}
