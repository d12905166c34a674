//! Language of the system or of an app: whose can be set, and the tags that are printed.

use super::ask::unsupported;
use crate::reading::{self, Reading};
use crate::{Device, DeviceError, Feature};

pub(super) const LOCALE: &str = "change its language";

/// First API level with languages of single apps (Android 13).
const APP_LOCALES_SDK: u32 = 33;

/// Owner of a language setting.
pub(super) enum LocaleOwner<'a> {
    System,
    App(&'a str),
}

/// Chooses whose language is set: the system's where the device allows it, else the app's from
/// [`APP_LOCALES_SDK`] on. For an older release, and if no app is named, it is [`DeviceError::Unsupported`]; for
/// an unknown release [`DeviceError::NotAnswered`].
pub(super) fn locale_owner<'a>(
    device: &dyn Device,
    app: Option<&'a str>,
) -> Result<LocaleOwner<'a>, DeviceError> {
    let info = device.info();
    if info.offers(Feature::SystemLocale) {
        return Ok(LocaleOwner::System);
    }
    let sdk = *info.sdk.needed()?;
    match app {
        Some(app) if sdk >= APP_LOCALES_SDK => Ok(LocaleOwner::App(app)),
        Some(_) | None => Err(unsupported(
            LOCALE,
            &format!(
                "the shell may not set the system's language; since SDK {APP_LOCALES_SDK} (this is {sdk}) it may set an app's, so name the app"
            ),
        )),
    }
}

/// Parses `Locales for com.example for user 0 are [de-DE]` and returns the text between the brackets, which
/// may be several tags. Empty brackets mean the system's language. Anything but one such line is no answer.
///
/// Source: AOSP `LocaleManagerShellCommand.java`, `runGetAppLocales`.
pub(super) fn locales_in_brackets(text: &str) -> Reading<String> {
    const QUESTION: &str = "cmd locale get-app-locales";
    let whole = |line: &str| {
        let (_, tags) = line.strip_prefix("Locales for ")?.split_once(" are [")?;
        let tags = tags.strip_suffix(']')?.trim();
        check_tag(tags).ok().map(|()| tags.to_owned())
    };
    match reading::lines(text).as_deref() {
        Some([line]) => {
            whole(line).map_or_else(|| Reading::not_answered(QUESTION, text), Reading::Said)
        }
        _ => Reading::not_answered(QUESTION, text),
    }
}

/// Refuses texts that are no language tag, nor a list of some with commas, with [`DeviceError::Unsupported`]. A tag has
/// up to 35 ASCII letters, digits and `-`. An empty one passes, for the default.
pub(super) fn check_tag(tags: &str) -> Result<(), DeviceError> {
    // RFC 5646, section 4.4.1, demands room for 35 characters.
    let is_plain = |tag: &str| {
        tag.len() <= 35
            && tag
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    if tags.split(',').all(is_plain) {
        Ok(())
    } else {
        Err(unsupported(
            &format!("speak '{tags}'"),
            "a language is a tag such as de-DE",
        ))
    }
}
