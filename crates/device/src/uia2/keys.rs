//! Key codes of the keys that tests press often. All others are pressed by `input`, which knows all names.

use crate::Key;

/// First code of a series and the names from it on, each with the next code (`android.view.KeyEvent`).
const RUNS: [(u32, &str); 7] = [
    (
        3,
        "HOME BACK CALL ENDCALL 0 1 2 3 4 5 6 7 8 9 STAR POUND DPAD_UP DPAD_DOWN DPAD_LEFT DPAD_RIGHT DPAD_CENTER VOLUME_UP VOLUME_DOWN POWER CAMERA CLEAR A B C D E F G H I J K L M N O P Q R S T U V W X Y Z COMMA PERIOD ALT_LEFT ALT_RIGHT SHIFT_LEFT SHIFT_RIGHT TAB SPACE SYM EXPLORER ENVELOPE ENTER DEL GRAVE MINUS EQUALS LEFT_BRACKET RIGHT_BRACKET BACKSLASH SEMICOLON APOSTROPHE SLASH AT",
    ),
    (82, "MENU NOTIFICATION SEARCH MEDIA_PLAY_PAUSE"),
    (92, "PAGE_UP PAGE_DOWN"),
    (
        111,
        "ESCAPE FORWARD_DEL CTRL_LEFT CTRL_RIGHT CAPS_LOCK SCROLL_LOCK META_LEFT META_RIGHT",
    ),
    (122, "MOVE_HOME MOVE_END INSERT FORWARD"),
    (187, "APP_SWITCH"),
    (223, "SLEEP WAKEUP"),
];

/// Modifier keys with their bits of Android's meta state (`android.view.KeyEvent`, `META_…_ON`).
const MODIFIERS: [(&str, u32); 8] = [
    ("ALT_LEFT", 0x02 | 0x10),
    ("ALT_RIGHT", 0x02 | 0x20),
    ("SHIFT_LEFT", 0x01 | 0x40),
    ("SHIFT_RIGHT", 0x01 | 0x80),
    ("CTRL_LEFT", 0x1000 | 0x2000),
    ("CTRL_RIGHT", 0x1000 | 0x4000),
    ("META_LEFT", 0x10000 | 0x20000),
    ("META_RIGHT", 0x10000 | 0x40000),
];

/// Returns the code of a key. A name that is a number, also `0` to `9`, is the code itself. `None` for names
/// that are not listed here.
pub fn code(key: &Key) -> Option<u32> {
    // `0` to `9` are key codes, as for `input`, although the keys of the digits have these names too.
    if let Ok(number) = key.name().parse() {
        return Some(number);
    }
    RUNS.iter().find_map(|(first, names)| {
        let at = names.split(' ').position(|name| name == key.name())?;
        Some(first + at as u32)
    })
}

/// Returns the code of the last key, and the meta state (Android's bit set of held modifiers) of all keys
/// before it. `None` without keys, if a key before the last is no modifier, or if the last has no code. One
/// key alone has the meta state 0.
pub fn combination(keys: &[Key]) -> Option<(u32, u32)> {
    let (last, held) = keys.split_last()?;
    let mut meta = 0;
    for key in held {
        meta |= MODIFIERS.iter().find(|(name, _)| *name == key.name())?.1;
    }
    Some((code(last)?, meta))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        name.parse().unwrap()
    }

    #[test]
    fn keys_have_androids_numbers() {
        for (name, number) in [
            ("HOME", 3),
            ("BACK", 4),
            ("CALL", 5),
            ("STAR", 17),
            ("DPAD_DOWN", 20),
            ("A", 29),
            ("Z", 54),
            ("TAB", 61),
            ("ENTER", 66),
            ("DEL", 67),
            ("AT", 77),
            ("MENU", 82),
            ("SEARCH", 84),
            ("PAGE_DOWN", 93),
            ("FORWARD_DEL", 112),
            ("MOVE_HOME", 122),
            ("MOVE_END", 123),
            ("APP_SWITCH", 187),
            ("WAKEUP", 224),
            ("66", 66),
            ("7", 7),
        ] {
            assert_eq!(code(&key(name)), Some(number), "{name}");
        }
        assert_eq!(code(&key("TV_POWER")), None);
    }

    #[test]
    fn modifiers_become_the_state_of_the_key_they_are_held_with() {
        let keys = [key("CTRL_LEFT"), key("SHIFT_LEFT"), key("MOVE_HOME")];
        assert_eq!(combination(&keys), Some((122, 0x3000 | 0x41)));
        assert_eq!(combination(&[key("POWER"), key("VOLUME_DOWN")]), None);
    }
}
