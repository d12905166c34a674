//! Translates names of keys in other tools into Android's: `CTRL-A`, `arrow_down`, `Return`.

use serde_json::json;

use super::vocabulary::ToolSchema;

/// Table of keys: Android's name, and words for it, in lower case without signs.
const KEYS: [(&str, &str); 24] = [
    (
        "CTRL_LEFT",
        "ctrl control ctl leftcontrol controlleft cmd command strg steuerung",
    ),
    ("ALT_LEFT", "alt option opt leftalt"),
    (
        "SHIFT_LEFT",
        "shift leftshift shiftleft umschalt umschalttaste maj majuscule mayús mayus mayúsculas maiusc",
    ),
    ("META_LEFT", "meta win windows super"),
    (
        "DPAD_UP",
        "up arrowup uparrow dpadup keyup pfeilhoch pfeiloben flèchehaut flechehaut flechaarriba",
    ),
    (
        "DPAD_DOWN",
        "down arrowdown downarrow dpaddown keydown pfeilrunter pfeilunten flèchebas flechebas flechaabajo",
    ),
    (
        "DPAD_LEFT",
        "left arrowleft leftarrow dpadleft pfeillinks flèchegauche flechegauche flechaizquierda",
    ),
    (
        "DPAD_RIGHT",
        "right arrowright rightarrow dpadright pfeilrechts flèchedroite flechedroite flechaderecha",
    ),
    ("DPAD_CENTER", "center centre dpadcenter"),
    (
        "ENTER",
        "return imeaction numpadenter newline carriagereturn eingabe eingabetaste entrée entree intro invio",
    ),
    ("ESCAPE", "esc échap echap"),
    (
        "DEL",
        "backspace bksp backspacekey rücktaste ruecktaste retourarrière retourarriere retroceso",
    ),
    (
        "FORWARD_DEL",
        "forwarddelete deletekey entf entfernen suppr supprimer supr suprimir canc",
    ),
    (
        "SPACE",
        "spacebar blank leertaste espace espacio spazio espaço",
    ),
    ("TAB", "tabulator tabulatortaste tabulation"),
    (
        "PAGE_UP",
        "pgup pageup bildauf bildhoch pageprécédente repág",
    ),
    (
        "PAGE_DOWN",
        "pgdn pgdown pagedown bildab bildrunter pagesuivante avpág",
    ),
    ("MOVE_HOME", "homekey begin linestart pos1"),
    ("MOVE_END", "end endkey ende"),
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
