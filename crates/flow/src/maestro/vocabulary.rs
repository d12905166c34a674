//! Table of all Maestro commands and options, for the parser, its suggestions and the docs.

use super::super::report::nearest;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandState {
    Runs,
    /// Accepted, but without effect on Android, as with Maestro.
    NoEffect,
    /// Error where it is used, unless the flow runs that only on another platform. Holds the reason.
    Unsupported(&'static str),
}

/// Row of the table.
#[derive(Debug)]
pub struct CommandEntry {
    pub name: &'static str,
    /// True if the command may have no value: `- back`.
    pub value_optional: bool,
    /// Option that a plain value stands for.
    pub short: Option<&'static str>,
    /// Options, except `label` and `optional`.
    pub options: &'static [&'static str],
    pub state: CommandState,
}

/// Options of all commands.
pub const COMMON: [&str; 2] = ["label", "optional"];

/// Commands whose map may have any keys with Maestro.
pub const LENIENT: [&str; 3] = ["assertTrue", "evalScript", "inputText"];

/// Keys of a selector.
pub const SELECTOR: &[&str] = &[
    "text",
    "id",
    "index",
    "enabled",
    "checked",
    "focused",
    "selected",
    "width",
    "height",
    "tolerance",
    "below",
    "above",
    "leftOf",
    "rightOf",
    "containsChild",
    "containsDescendants",
    "childOf",
    "traits",
];

/// Keys of a tap. Maestro accepts them in every selector.
pub const TAP: &[&str] = &[
    "point",
    "retryTapIfNoChange",
    "waitUntilVisible",
    "repeat",
    "delay",
    "waitToSettleTimeoutMs",
];

/// Keys of a selector that Maestro accepts but never uses, or that need a browser.
pub const SELECTOR_OTHERS: &[&str] = &["start", "end", "css"];

const AI: CommandState = CommandState::Unsupported("asks a service of Maestro's");

macro_rules! commands {
    ($($name:literal $bare:ident $short:expr, $state:expr, [$($option:literal),*];)+) => {
        /// All commands in alphabetical order.
        pub const COMMANDS: &[CommandEntry] = &[$(CommandEntry {
            name: $name,
            value_optional: commands!(@ $bare),
            short: $short,
            options: &[$($option),*],
            state: $state,
        },)+];
    };
    (@ bare) => { true };
    (@ full) => { false };
}

use CommandState::{NoEffect, Runs};

commands! {
    "action" full Some("action"), Runs, ["action"];
    "addMedia" full Some("files"), Runs, ["files"];
    "assertDarkMode" bare None, Runs, [];
    "assertLightMode" bare None, Runs, [];
    "assertNoDefectsWithAI" bare None, AI, [];
    "assertNotVisible" full Some("text"), Runs, [];
    "assertScreenshot" full Some("path"), Runs, ["path", "thresholdPercentage", "cropOn"];
    "assertTrue" full Some("condition"), Runs, ["condition"];
    "assertVisible" full Some("text"), Runs, [];
    "assertWithAI" full Some("assertion"), AI, ["assertion"];
    "back" bare None, Runs, [];
    "clearKeychain" bare None, NoEffect, [];
    "clearState" bare Some("appId"), Runs, ["appId"];
    "copyTextFrom" full Some("text"), Runs, [];
    "doubleTapOn" full Some("text"), Runs, [];
    "eraseText" bare Some("charactersToErase"), Runs, ["charactersToErase"];
    "evalScript" full Some("script"), Runs, ["script"];
    "extendedWaitUntil" full None, Runs, ["visible", "notVisible", "timeout"];
    "extractTextWithAI" full Some("query"), AI, ["query", "outputVariable"];
    "hideKeyboard" bare None, Runs, [];
    "inputRandomCityName" bare None, Runs, [];
    "inputRandomColorName" bare None, Runs, [];
    "inputRandomCountryName" bare None, Runs, [];
    "inputRandomEmail" bare None, Runs, [];
    "inputRandomNumber" bare None, Runs, ["length"];
    "inputRandomPersonName" bare None, Runs, [];
    "inputRandomText" bare None, Runs, ["length"];
    "inputText" full Some("text"), Runs, ["text"];
    "killApp" bare Some("appId"), Runs, ["appId"];
    "launchApp" bare Some("appId"), Runs,
        ["appId", "clearState", "clearKeychain", "stopApp", "permissions", "arguments"];
    "longPressOn" full Some("text"), Runs, [];
    "openLink" full Some("link"), Runs, ["link", "browser", "autoVerify"];
    "pasteText" bare None, Runs, [];
    "pressKey" full Some("key"), Runs, ["key"];
    "repeat" full None, Runs, ["times", "while", "commands"];
    "retry" full None, Runs, ["maxRetries", "file", "commands", "env"];
    "runFlow" full Some("file"), Runs, ["file", "when", "env", "commands"];
    "runScript" full Some("file"), Runs, ["file", "env", "when"];
    "scroll" bare None, Runs, [];
    "scrollUntilVisible" full None, Runs,
        ["element", "direction", "timeout", "speed", "visibilityPercentage", "centerElement",
         "waitToSettleTimeoutMs",
         // Not a command of Maestro, but people look for it.
         "in"];
    "setAirplaneMode" full Some("value"), Runs, ["value"];
    "setClipboard" full Some("text"), Runs, ["text"];
    "setDarkMode" full Some("value"), Runs, ["value"];
    "setLocation" full None, Runs, ["latitude", "longitude"];
    "setOrientation" full Some("orientation"), Runs, ["orientation"];
    "setPermissions" full None, Runs, ["appId", "permissions"];
    "startRecording" full Some("path"), Runs, ["path"];
    "stopApp" bare Some("appId"), Runs, ["appId"];
    "stopRecording" bare None, Runs, [];
    "swipe" full None, Runs,
        ["direction", "from", "start", "end", "duration", "waitToSettleTimeoutMs"];
    "takeScreenshot" full Some("path"), Runs, ["path", "cropOn"];
    "tapOn" full Some("text"), Runs, [];
    "toggleAirplaneMode" bare None, Runs, [];
    "toggleDarkMode" bare None, Runs, [];
    "travel" full None, Runs, ["points", "speed"];
    "waitForAnimationToEnd" bare None, Runs, ["timeout"];
}

/// Maestro's names for groups of permissions, with Android's names after `android.permission.`.
pub const PERMISSION_GROUPS: [(&str, &[&str]); 11] = [
    ("bluetooth", &["BLUETOOTH_CONNECT", "BLUETOOTH_SCAN"]),
    ("calendar", &["WRITE_CALENDAR", "READ_CALENDAR"]),
    ("camera", &["CAMERA"]),
    ("contacts", &["READ_CONTACTS", "WRITE_CONTACTS"]),
    (
        "location",
        &["ACCESS_FINE_LOCATION", "ACCESS_COARSE_LOCATION"],
    ),
    (
        "medialibrary",
        &[
            "WRITE_EXTERNAL_STORAGE",
            "READ_EXTERNAL_STORAGE",
            "READ_MEDIA_AUDIO",
            "READ_MEDIA_IMAGES",
            "READ_MEDIA_VIDEO",
        ],
    ),
    ("microphone", &["RECORD_AUDIO"]),
    ("notifications", &["POST_NOTIFICATIONS"]),
    ("phone", &["CALL_PHONE", "ANSWER_PHONE_CALLS"]),
    ("sms", &["READ_SMS", "RECEIVE_SMS", "SEND_SMS"]),
    (
        "storage",
        &["WRITE_EXTERNAL_STORAGE", "READ_EXTERNAL_STORAGE"],
    ),
];

/// Keys of a header.
pub const HEADER: &[&str] = &[
    "appId",
    "name",
    "tags",
    "env",
    "onFlowStart",
    "onFlowComplete",
    "jsEngine",
    // Not keys of Maestro, but people often try them.
    "onFlowFailure",
    "properties",
    "url",
];

impl CommandEntry {
    /// Returns the command with this name, case included; `None` if there is none. `hide keyboard`, an old
    /// spelling that Maestro still reads, is found too.
    pub fn find(name: &str) -> Option<&'static Self> {
        // An old spelling that Maestro still reads.
        let name = if name == "hide keyboard" {
            "hideKeyboard"
        } else {
            name
        };
        COMMANDS.iter().find(|command| command.name == name)
    }

    /// Returns true if the command's value itself is a selector. Commands with a selector in one of their
    /// options, such as `scrollUntilVisible`, do not count.
    pub fn takes_selector(&self) -> bool {
        matches!(
            self.name,
            "tapOn"
                | "doubleTapOn"
                | "longPressOn"
                | "assertVisible"
                | "assertNotVisible"
                | "copyTextFrom"
        )
    }

    /// Returns the command's own options, those of selectors and taps if its value is a selector (also if it does not
    /// tap), and those of all commands, in this order.
    pub fn option_names(&self) -> Vec<&'static str> {
        let mut names = self.options.to_vec();
        if self.takes_selector() {
            names.extend(SELECTOR);
            names.extend(TAP);
        }
        names.extend(COMMON);
        names
    }
}

/// Returns the command that was probably meant: the nearest in spelling, or else the shortest one of which `word`,
/// with at least 3 bytes, is the start or the other way round. Case does not count then. Returns `None` if there is
/// none. Commands that do not run on Android count.
pub fn suggestion(word: &str) -> Option<&'static str> {
    let names = || COMMANDS.iter().map(|command| command.name);
    nearest(word, names()).or_else(|| {
        let lower = word.to_lowercase();
        let is_part = |name: &&str| {
            let name = name.to_lowercase();
            lower.len() >= 3 && (name.starts_with(&lower) || lower.starts_with(&name))
        };
        names().filter(is_part).min_by_key(|name| name.len())
    })
}
