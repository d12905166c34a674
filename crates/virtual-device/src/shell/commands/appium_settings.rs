//! Appium's helper app `io.appium.settings`, where its APK is installed.
//!
//! It stays in the background and answers broadcasts. Its keyboards decode typed text, since key presses can
//! only send ASCII.

use base64::Engine as _;

use super::Call;
use crate::{KeyPress, Setting};

pub(super) const PACKAGE: &str = "io.appium.settings";
/// Keyboard for any text, encoded as modified UTF-7.
const UNICODE_IME: &str = "io.appium.settings/.UnicodeIME";
/// Keyboard for the editor's action, such as `/done/`.
const ACTION_IME: &str = "io.appium.settings/.AppiumIME";
const SERVICE: &str = "io.appium.settings.ForegroundService";
const LOCATION: &str = "io.appium.settings.LocationService";
/// `Activity.RESULT_OK`.
const OK: &str = "result=-1";

/// Starts its service in the foreground, as its activity does; the activity leaves the screen at once.
pub(super) fn start(call: &Call) {
    let device = &call.device;
    device
        .background
        .start(PACKAGE, SERVICE, true, || device.next_pid());
}

/// Starts its location service, which sets the device's location. A missing or malformed coordinate is 0. Any
/// other service does nothing.
pub(super) fn start_service(call: &Call, class: &str, extra: impl Fn(&str) -> String) {
    if class != LOCATION {
        return;
    }
    let number = |key| extra(key).parse::<f64>().unwrap_or(0.0);
    let place = ["latitude", "longitude", "altitude"].map(number);
    call.device.system().location = Some(place);
}

/// Returns the answer of its receivers to a broadcast, as `am` prints it, and carries it out. There are receivers
/// for the clipboard, the location, the locale, media, notifications and SMS. Returns `None` if the package is not
/// installed, no receiver knows the action, or the location was never set.
pub(super) fn broadcast(
    call: &Call,
    action: &str,
    extra: impl Fn(&str) -> String,
) -> Option<String> {
    let name = action.strip_prefix(PACKAGE)?.strip_prefix('.')?;
    let packages = call.device.phone().packages();
    if packages.iter().all(|package| package.package != PACKAGE) {
        return None;
    }
    let data = match name {
        "clipboard.get" => {
            let text = call.device.phone().clipboard().unwrap_or_default();
            base64::engine::general_purpose::STANDARD.encode(text)
        }
        "location" => {
            let [latitude, longitude, altitude] = call.device.system().location?;
            format!("{latitude} {longitude} {altitude}")
        }
        "locale" => {
            set_locale(call, &[extra("lang"), extra("script"), extra("country")]);
            return Some(OK.to_owned());
        }
        // Every file is found at once, by its path.
        "scan_media" => return Some(OK.to_owned()),
        // There are no notifications and no messages here.
        "notifications" => r#"{"statusBarNotifications":[]}"#.to_owned(),
        "sms.read" => r#"{"items":[],"total":0}"#.to_owned(),
        _ => return None,
    };
    Some(format!("{OK}, data=\"{data}\""))
}

/// Sets the locale from language, script and country, joined by `-`. The property `persist.sys.locale` follows.
/// Without a language or a country it is `en-US`, as the app's `LocaleSettingReceiver` has it.
fn set_locale(call: &Call, [language, script, country]: &[String; 3]) {
    let tag = if language.is_empty() || country.is_empty() {
        "en-US".to_owned()
    } else if script.is_empty() {
        format!("{language}-{country}")
    } else {
        format!("{language}-{script}-{country}")
    };
    call.device.set(Setting::Locale(tag.clone()));
    let mut system = call.device.system();
    let properties = &mut system.properties;
    properties.insert("persist.sys.locale".to_owned(), tag);
}

/// Takes typed text if one of its keyboards is in use. The Unicode keyboard types it decoded. The other one takes
/// only `/ACTION/`, which is ENTER whatever the action. Returns false if none of them is in use or takes the text.
/// What the Unicode keyboard takes is lost without a focused field.
pub(super) fn take_text(call: &Call, text: &str) -> bool {
    let method = call.device.system().input_method().to_owned();
    match method.as_str() {
        UNICODE_IME => {
            let decoded = decode_utf7(text);
            call.device.commit_text(&decoded);
            true
        }
        ACTION_IME if text.len() > 2 && text.starts_with('/') && text.ends_with('/') => {
            call.device.phone().key(&KeyPress::named("ENTER"));
            true
        }
        _ => false,
    }
}

/// Decodes modified UTF-7 (RFC 3501): `&` begins UTF-16 in base 64 with `,` for `/`, `-` ends it, `&-` is
/// `&`. Malformed parts stay as they are, and unpaired surrogates become U+FFFD.
fn decode_utf7(text: &str) -> String {
    let mut decoded = String::new();
    let mut rest = text;
    while let Some((plain, after)) = rest.split_once('&') {
        decoded.push_str(plain);
        let Some((coded, next)) = after.split_once('-') else {
            decoded.push('&');
            rest = after;
            continue;
        };
        rest = next;
        if coded.is_empty() {
            decoded.push('&');
            continue;
        }
        let bytes =
            base64::engine::general_purpose::STANDARD_NO_PAD.decode(coded.replace(',', "/"));
        if let Ok(bytes) = bytes {
            let units: Vec<u16> = bytes
                .chunks_exact(2)
                .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
                .collect();
            decoded.push_str(&String::from_utf16_lossy(&units));
        } else {
            decoded.push('&');
            decoded.push_str(coded);
            decoded.push('-');
        }
    }
    decoded.push_str(rest);
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_any_script_comes_as_utf7() {
        for (coded, text) in [
            ("plain", "plain"),
            ("a &- b", "a & b"),
            ("&Z3FOrA- &2D3eQg-!", "東京 🙂!"),
            ("&2D3eQg-&Z3FOrA-", "🙂東京"),
            ("tom & jerry", "tom & jerry"),
            ("&??-", "&??-"),
            ("&", "&"),
        ] {
            assert_eq!(decode_utf7(coded), text, "{coded}");
        }
    }
}
