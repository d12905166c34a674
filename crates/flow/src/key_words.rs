//! Translates names of keys in other tools into Android's: `CTRL-A`, `arrow_down`, `Return`.

use serde_json::json;

use super::vocabulary::ToolSchema;

/// Table of keys: Android's name, and words for it, in lower case without signs.
const KEYS: [(&str, &str); 24] = [
    (
        "CTRL_LEFT",
        "ctrl control ctl leftcontrol controlleft cmd command",
    ),
    ("ALT_LEFT", "alt option opt leftalt"),
    ("SHIFT_LEFT", "shift leftshift shiftleft"),
    ("META_LEFT", "meta win windows super"),
    ("DPAD_UP", "up arrowup uparrow dpadup keyup"),
    ("DPAD_DOWN", "down arrowdown downarrow dpaddown keydown"),
    ("DPAD_LEFT", "left arrowleft leftarrow dpadleft"),
    ("DPAD_RIGHT", "right arrowright rightarrow dpadright"),
    ("DPAD_CENTER", "center centre dpadcenter"),
    (
        "ENTER",
        "return imeaction numpadenter newline carriagereturn",
    ),
    ("ESCAPE", "esc"),
    ("DEL", "backspace bksp backspacekey"),
    ("FORWARD_DEL", "forwarddelete deletekey"),
    ("SPACE", "spacebar blank"),
    ("TAB", "tabulator"),
    ("PAGE_UP", "pgup pageup"),
    ("PAGE_DOWN", "pgdn pgdown pagedown"),
    ("MOVE_HOME", "homekey begin linestart"),
    ("MOVE_END", "end endkey"),
    (
        "APP_SWITCH",
        "recents recentapps recent overview appswitch switchapp",
    ),
    ("VOLUME_UP", "volup volumeup"),
    ("VOLUME_DOWN", "voldown volumedown"),
    ("VOLUME_MUTE", "mute volumemute"),
    ("BACK", "backbutton androidback"),
];

/// Returns Android's name of a key that another tool calls otherwise: case and signs do not count. All other words
/// are returned trimmed and in capital letters, so they need not be keys.
fn android(word: &str) -> String {
    let letters = word.chars().filter(|c| c.is_alphanumeric());
    let plain: String = letters.flat_map(char::to_lowercase).collect();
    let mut keys = KEYS.iter();
    let known = keys.find(|(_, words)| words.split(' ').any(|it| it == plain));
    known.map_or_else(
        || word.trim().to_uppercase(),
        |(name, _)| (*name).to_owned(),
    )
}

/// Returns the key, or the keys joined by `+`, that a text such as `CTRL-A` or `{Return}` means. `tool` is that of
/// the step `press`, and takes what is returned. Returns `None` if no form of the text is a key, or only the text
/// itself. Knows other names of keys, but no near spellings.
pub(crate) fn meant(tool: &ToolSchema, text: &str) -> Option<String> {
    let is_key = |keys: &str| {
        let arguments = tool.entry.arguments(json!({ "key": keys }));
        arguments.is_ok_and(|arguments| tool.entry.check(&arguments).is_ok())
    };
    let whole = text.trim_matches(['{', '}', '<', '>', '[', ']', ' ']);
    let bare = whole
        .strip_prefix("Keys.")
        .or_else(|| whole.strip_prefix("Key."))
        .or_else(|| whole.strip_suffix(" key"))
        .unwrap_or(whole)
        .trim_end_matches('+');
    let joined = |sign: char| {
        let keys = bare.split(sign).map(android);
        keys.collect::<Vec<_>>().join("+")
    };
    let forms = [android(bare), joined('+'), joined('-'), joined(' ')];
    forms.into_iter().find(|keys| keys != text && is_key(keys))
}
