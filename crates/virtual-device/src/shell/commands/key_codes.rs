//! Android's key codes and their names.

use std::ops::RangeInclusive;

/// Android's key codes that have names here.
const KEYS: &[(u32, &str)] = &[
    (1, "SOFT_LEFT"),
    (3, "HOME"),
    (4, "BACK"),
    (5, "CALL"),
    (6, "ENDCALL"),
    (17, "STAR"),
    (18, "POUND"),
    (19, "DPAD_UP"),
    (20, "DPAD_DOWN"),
    (21, "DPAD_LEFT"),
    (22, "DPAD_RIGHT"),
    (23, "DPAD_CENTER"),
    (24, "VOLUME_UP"),
    (25, "VOLUME_DOWN"),
    (26, "POWER"),
    (27, "CAMERA"),
    (28, "CLEAR"),
    (55, "COMMA"),
    (56, "PERIOD"),
    (57, "ALT_LEFT"),
    (58, "ALT_RIGHT"),
    (59, "SHIFT_LEFT"),
    (60, "SHIFT_RIGHT"),
    (61, "TAB"),
    (62, "SPACE"),
    (63, "SYM"),
    (64, "EXPLORER"),
    (65, "ENVELOPE"),
    (66, "ENTER"),
    (67, "DEL"),
    (68, "GRAVE"),
    (69, "MINUS"),
    (70, "EQUALS"),
    (71, "LEFT_BRACKET"),
    (72, "RIGHT_BRACKET"),
    (73, "BACKSLASH"),
    (74, "SEMICOLON"),
    (75, "APOSTROPHE"),
    (76, "SLASH"),
    (77, "AT"),
    (79, "HEADSETHOOK"),
    (80, "FOCUS"),
    (81, "PLUS"),
    (82, "MENU"),
    (83, "NOTIFICATION"),
    (84, "SEARCH"),
    (85, "MEDIA_PLAY_PAUSE"),
    (86, "MEDIA_STOP"),
    (87, "MEDIA_NEXT"),
    (88, "MEDIA_PREVIOUS"),
    (89, "MEDIA_REWIND"),
    (90, "MEDIA_FAST_FORWARD"),
    (91, "MUTE"),
    (92, "PAGE_UP"),
    (93, "PAGE_DOWN"),
    (111, "ESCAPE"),
    (112, "FORWARD_DEL"),
    (113, "CTRL_LEFT"),
    (114, "CTRL_RIGHT"),
    (115, "CAPS_LOCK"),
    (116, "SCROLL_LOCK"),
    (117, "META_LEFT"),
    (118, "META_RIGHT"),
    (120, "SYSRQ"),
    (121, "BREAK"),
    (122, "MOVE_HOME"),
    (123, "MOVE_END"),
    (124, "INSERT"),
    (125, "FORWARD"),
    (126, "MEDIA_PLAY"),
    (127, "MEDIA_PAUSE"),
    (143, "NUM_LOCK"),
    (154, "NUMPAD_DIVIDE"),
    (155, "NUMPAD_MULTIPLY"),
    (156, "NUMPAD_SUBTRACT"),
    (157, "NUMPAD_ADD"),
    (158, "NUMPAD_DOT"),
    (159, "NUMPAD_COMMA"),
    (160, "NUMPAD_ENTER"),
    (161, "NUMPAD_EQUALS"),
    (164, "VOLUME_MUTE"),
    (168, "ZOOM_IN"),
    (169, "ZOOM_OUT"),
    (176, "SETTINGS"),
    (187, "APP_SWITCH"),
    (204, "LANGUAGE_SWITCH"),
    (207, "CONTACTS"),
    (208, "CALENDAR"),
    (209, "MUSIC"),
    (210, "CALCULATOR"),
    (219, "ASSIST"),
    (220, "BRIGHTNESS_DOWN"),
    (221, "BRIGHTNESS_UP"),
    (223, "SLEEP"),
    (224, "WAKEUP"),
    (231, "VOICE_ASSIST"),
    (264, "STEM_PRIMARY"),
    (276, "SOFT_SLEEP"),
    (277, "CUT"),
    (278, "COPY"),
    (279, "PASTE"),
    (280, "SYSTEM_NAVIGATION_UP"),
    (281, "SYSTEM_NAVIGATION_DOWN"),
];

/// Returns Android's code of a key up to 320, by its name in capitals without `KEYCODE_`, or `None`.
pub fn key_code(name: &str) -> Option<u32> {
    (0..=320).find(|number| key_name(&number.to_string()).as_deref() == Some(name))
}

/// Returns a key's name without `KEYCODE_`, in capitals, from its name or code. A code up to 320 without a
/// name is `KEY_N`. Returns `None` for an unknown name or a higher code.
pub fn key_name(key: &str) -> Option<String> {
    if let Ok(number) = key.parse::<u32>() {
        return match number {
            7..=16 => Some((number - 7).to_string()),
            29..=54 => char::from_u32('A' as u32 + number - 29).map(String::from),
            131..=142 => Some(format!("F{}", number - 130)),
            144..=153 => Some(format!("NUMPAD_{}", number - 144)),
            _ => KEYS
                .iter()
                .find(|(known, _)| *known == number)
                .map(|(_, name)| (*name).to_owned())
                // A number that has no name is a key all the same, that nothing listens to.
                .or_else(|| (number <= 320).then(|| format!("KEY_{number}"))),
        };
    }
    let upper = key.to_ascii_uppercase();
    let name = upper.strip_prefix("KEYCODE_").unwrap_or(&upper);
    let single = name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    // As Android has them: `F0`, `F007` and `NUMPAD_+5` name no key.
    let is_numbered = |before: &str, mut numbers: RangeInclusive<u32>| {
        name.strip_prefix(before)
            .is_some_and(|rest| numbers.any(|number| number.to_string() == rest))
    };
    let function = is_numbered("F", 1..=12);
    let pad = is_numbered("NUMPAD_", 0..=9);
    let known = single || function || pad || KEYS.iter().any(|(_, known)| *known == name);
    known.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_names_and_numbers() {
        for (key, name) in [
            ("66", Some("ENTER")),
            ("KEYCODE_BACK", Some("BACK")),
            ("home", Some("HOME")),
            ("7", Some("0")),
            ("29", Some("A")),
            ("KEYCODE_A", Some("A")),
            ("F12", Some("F12")),
            ("F0", None),
            ("F007", None),
            ("NUMPAD_0", Some("NUMPAD_0")),
            ("NUMPAD_+5", None),
            ("187", Some("APP_SWITCH")),
            ("KEYCODE_NOPE", None),
            ("9999", None),
        ] {
            assert_eq!(key_name(key).as_deref(), name, "{key}");
        }
    }
}
