//! Names of Android's keys.

/// Names without `KEYCODE_`, from `android.view.KeyEvent`, except digits, letters and numbered keys.
const NAMES: &str = "\
UNKNOWN SOFT_LEFT SOFT_RIGHT HOME BACK CALL ENDCALL STAR POUND DPAD_UP DPAD_DOWN DPAD_LEFT DPAD_RIGHT DPAD_CENTER \
VOLUME_UP VOLUME_DOWN POWER CAMERA CLEAR COMMA PERIOD ALT_LEFT ALT_RIGHT SHIFT_LEFT SHIFT_RIGHT TAB SPACE SYM EXPLORER \
ENVELOPE ENTER DEL GRAVE MINUS EQUALS LEFT_BRACKET RIGHT_BRACKET BACKSLASH SEMICOLON APOSTROPHE SLASH AT NUM HEADSETHOOK \
FOCUS PLUS MENU NOTIFICATION SEARCH MEDIA_PLAY_PAUSE MEDIA_STOP MEDIA_NEXT MEDIA_PREVIOUS MEDIA_REWIND \
MEDIA_FAST_FORWARD MUTE PAGE_UP PAGE_DOWN PICTSYMBOLS SWITCH_CHARSET BUTTON_A BUTTON_B BUTTON_C BUTTON_X BUTTON_Y \
BUTTON_Z BUTTON_L1 BUTTON_R1 BUTTON_L2 BUTTON_R2 BUTTON_THUMBL BUTTON_THUMBR BUTTON_START BUTTON_SELECT BUTTON_MODE \
ESCAPE FORWARD_DEL CTRL_LEFT CTRL_RIGHT CAPS_LOCK SCROLL_LOCK META_LEFT META_RIGHT FUNCTION SYSRQ BREAK MOVE_HOME \
MOVE_END INSERT FORWARD MEDIA_PLAY MEDIA_PAUSE MEDIA_CLOSE MEDIA_EJECT MEDIA_RECORD NUM_LOCK NUMPAD_DIVIDE \
NUMPAD_MULTIPLY NUMPAD_SUBTRACT NUMPAD_ADD NUMPAD_DOT NUMPAD_COMMA NUMPAD_ENTER NUMPAD_EQUALS NUMPAD_LEFT_PAREN \
NUMPAD_RIGHT_PAREN VOLUME_MUTE INFO CHANNEL_UP CHANNEL_DOWN ZOOM_IN ZOOM_OUT TV WINDOW GUIDE DVR BOOKMARK CAPTIONS \
SETTINGS TV_POWER TV_INPUT STB_POWER STB_INPUT AVR_POWER AVR_INPUT PROG_RED PROG_GREEN PROG_YELLOW PROG_BLUE APP_SWITCH \
LANGUAGE_SWITCH MANNER_MODE 3D_MODE CONTACTS CALENDAR MUSIC CALCULATOR ZENKAKU_HANKAKU EISU MUHENKAN HENKAN \
KATAKANA_HIRAGANA YEN RO KANA ASSIST BRIGHTNESS_DOWN BRIGHTNESS_UP MEDIA_AUDIO_TRACK SLEEP WAKEUP PAIRING \
MEDIA_TOP_MENU LAST_CHANNEL TV_DATA_SERVICE VOICE_ASSIST TV_RADIO_SERVICE TV_TELETEXT TV_NUMBER_ENTRY \
TV_TERRESTRIAL_ANALOG TV_TERRESTRIAL_DIGITAL TV_SATELLITE TV_SATELLITE_BS TV_SATELLITE_CS TV_SATELLITE_SERVICE TV_NETWORK \
TV_ANTENNA_CABLE TV_INPUT_HDMI_1 TV_INPUT_HDMI_2 TV_INPUT_HDMI_3 TV_INPUT_HDMI_4 TV_INPUT_COMPOSITE_1 \
TV_INPUT_COMPOSITE_2 TV_INPUT_COMPONENT_1 TV_INPUT_COMPONENT_2 TV_INPUT_VGA_1 TV_AUDIO_DESCRIPTION \
TV_AUDIO_DESCRIPTION_MIX_UP TV_AUDIO_DESCRIPTION_MIX_DOWN TV_ZOOM_MODE TV_CONTENTS_MENU TV_MEDIA_CONTEXT_MENU \
TV_TIMER_PROGRAMMING HELP NAVIGATE_PREVIOUS NAVIGATE_NEXT NAVIGATE_IN NAVIGATE_OUT STEM_PRIMARY STEM_1 STEM_2 STEM_3 \
DPAD_UP_LEFT DPAD_DOWN_LEFT DPAD_UP_RIGHT DPAD_DOWN_RIGHT MEDIA_SKIP_FORWARD MEDIA_SKIP_BACKWARD MEDIA_STEP_FORWARD \
MEDIA_STEP_BACKWARD SOFT_SLEEP CUT COPY PASTE SYSTEM_NAVIGATION_UP SYSTEM_NAVIGATION_DOWN SYSTEM_NAVIGATION_LEFT \
SYSTEM_NAVIGATION_RIGHT ALL_APPS REFRESH THUMBS_UP THUMBS_DOWN PROFILE_SWITCH KEYBOARD_BACKLIGHT_DOWN \
KEYBOARD_BACKLIGHT_UP KEYBOARD_BACKLIGHT_TOGGLE STYLUS_BUTTON_PRIMARY STYLUS_BUTTON_SECONDARY STYLUS_BUTTON_TERTIARY \
STYLUS_BUTTON_TAIL RECENT_APPS EMOJI_PICKER SCREENSHOT DICTATE NEW CLOSE DO_NOT_DISTURB PRINT LOCK FULLSCREEN";

/// Keys whose names end with a number, with the lowest and the highest one (`android.view.KeyEvent`).
const NUMBERED: [(&str, u32, u32); 7] = [
    ("F", 1, 24),
    ("NUMPAD_", 0, 9),
    ("BUTTON_", 1, 16),
    ("VIDEO_APP_", 1, 8),
    ("FEATURED_APP_", 1, 4),
    ("DEMO_APP_", 1, 4),
    ("MACRO_", 1, 4),
];

/// Returns true if Android has a key of this name, in capitals and without `KEYCODE_`. A single ASCII letter or
/// digit, also a small letter, names a key. A number of several digits names none, except `11` and `12`.
pub(super) fn is_known(name: &str) -> bool {
    let single = name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_same = |known: String| known == name;
    let numbered = nearest_numbered(name).is_some_and(is_same);
    single || numbered || matches!(name, "11" | "12") || NAMES.split(' ').any(|known| known == name)
}

/// Returns the key that differs from `name` in the spelling of its number (`F007`, `BUTTON1`), or has the nearest
/// number that there is (`F0`, `F25`); the key itself if the name is right. `None` if `name` does not begin as such
/// keys do, or does not end with a number of 32 bits.
pub(super) fn nearest_numbered(name: &str) -> Option<String> {
    NUMBERED.iter().find_map(|(before, lowest, highest)| {
        let rest = name.strip_prefix(before.trim_end_matches('_'))?;
        let digits = rest.trim_start_matches(['_', '+']);
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let number: u32 = digits.parse().ok().filter(|_| is_number)?;
        Some(format!("{before}{}", number.clamp(*lowest, *highest)))
    })
}

/// Returns the name that was probably meant: the same kind of key with a number that there is, else the known name with
/// the fewest edits; of several the first in the list. `None` if each needs more edits than a third of its own length
/// (at least one).
pub(super) fn nearest(name: &str) -> Option<String> {
    let similar = || {
        NAMES
            .split(' ')
            .map(|known| (strsim::damerau_levenshtein(name, known), known))
            .filter(|(distance, known)| *distance <= (known.len() / 3).max(1))
            .min_by_key(|(distance, _)| *distance)
            .map(|(_, known)| known.to_owned())
    };
    nearest_numbered(name).or_else(similar)
}

/// Returns the number of a key whose name, without `KEYCODE_`, is a number itself: 11 for the digit `4`, 227 and
/// 228 for the keys `11` and `12` of television sets; `None` for others. Alone, `input` and servers take such a
/// name for a number.
pub(super) fn code_of_number(name: &str) -> Option<u32> {
    match name.as_bytes() {
        [digit @ b'0'..=b'9'] => Some(7 + u32::from(digit - b'0')),
        b"11" => Some(227),
        b"12" => Some(228),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_known, nearest};
    use crate::Key;

    #[test]
    fn a_numbered_key_is_known_by_its_one_spelling_and_others_lead_to_it() {
        for name in [
            "F1",
            "F9",
            "F24",
            "NUMPAD_0",
            "NUMPAD_9",
            "BUTTON_1",
            "BUTTON_16",
            "MACRO_4",
            "BUTTON_A",
        ] {
            assert!(is_known(name), "{name}");
        }
        for (name, meant) in [
            ("F0", "F1"),
            ("F00", "F1"),
            ("F007", "F7"),
            ("F+1", "F1"),
            ("F_1", "F1"),
            ("F25", "F24"),
            ("BUTTON_0", "BUTTON_1"),
            ("BUTTON_17", "BUTTON_16"),
            ("BUTTON1", "BUTTON_1"),
            ("NUMPAD_05", "NUMPAD_5"),
            ("NUMPAD_10", "NUMPAD_9"),
            ("MACRO_0", "MACRO_1"),
            ("VIDEO_APP_0", "VIDEO_APP_1"),
        ] {
            assert!(!is_known(name), "{name}");
            assert_eq!(nearest(name).as_deref(), Some(meant), "{name}");
            assert!(is_known(meant), "{meant}");
        }
        let refused = "F0".parse::<Key>().unwrap().check().unwrap_err();
        assert_eq!(
            refused.to_string(),
            "there is no key `F0`; did you mean `F1`?"
        );
        // A sign, a blank or a hyphen is not of a name's form.
        for text in ["F+1", "F 1", "F-1"] {
            let refused = text.parse::<Key>().unwrap_err().to_string();
            assert!(refused.ends_with("did you mean `F1`?"), "{refused}");
        }
    }

    #[test]
    fn a_digit_with_androids_prefix_is_the_digits_key() {
        for (text, name) in [
            ("KEYCODE_0", "7"),
            ("keycode_9", "16"),
            ("KEYCODE_11", "227"),
            ("KEYCODE_12", "228"),
            // A number alone is a code.
            ("4", "4"),
            ("11", "11"),
            ("KEYCODE_A", "A"),
            ("KEYCODE_F1", "F1"),
            ("BACK", "BACK"),
        ] {
            let key: Key = text.parse().unwrap();
            assert_eq!(key.name(), name, "{text}");
            assert_eq!(key.check(), Ok(()), "{text}");
        }
    }
}
