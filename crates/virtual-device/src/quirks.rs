//! Peculiarities of some phones, by name, so that flows can be tried with each.

use std::collections::BTreeSet;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::WindowDump;
use super::likely_names::{self, Meaning};

/// A peculiarity of some phones. Unlike a fault it is permanent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quirk {
    /// Time is the host's, commands take as long as on phones, and features that phones lack are off.
    RealTime,
    /// Packages of all users cannot be listed: user 150 is closed to the shell.
    SamsungUser150,
    /// The shell may not touch, install, clear or grant until a second switch is set.
    MiuiGuard,
    /// Commands print lines of their own before their answers.
    MiuiNoise,
    /// The shell has one stream and no exit code.
    NoShellV2,
    /// A dump of all windows comes too early: it is missing, then partial, then complete, again and again.
    LateWindows,
    /// The first dump of another app has its root only.
    LateTree,
    /// The touchscreen's events cannot be written.
    ClosedTouchscreen,
    /// The keyboard that takes broadcasts reports success and types nothing.
    DeafKeyboard,
    /// The keyboard puts marks between syllables of typed text.
    ComposingKeyboard,
    /// The log cannot be read.
    NoLog,
    /// `am start -W` never returns, though the app starts.
    HungStart,
    /// Another display's activity is listed first.
    OtherDisplayFirst,
    /// The app in front has a character that no dump can hold.
    BrokenText,
    /// The navigation bar is a panel with a taskbar.
    Taskbar,
    /// Typed text shows only in the second dump.
    LateText,
    /// Typed text shows 200 ms later, as in Compose.
    SlowText,
    /// The display stays upright.
    FixedOrientation,
    /// Commands for settings, permissions and packages report success and change nothing.
    DeafSettings,
    /// The second half of a typed text, or of several keys of `input keyevent`, is lost.
    HalfInput,
    /// Touches, keys and texts do nothing.
    DeafInput,
    /// The caret of a field blinks.
    BlinkingCaret,
    /// Another app's bubble lies over the app, in a window as large as the display.
    Overlay,
    /// Another app's window lies over the display and takes no touches.
    Veil,
    /// The keyboard's window is as high as the display, and takes touches on its keys only.
    TallKeyboard,
}

/// All quirks with their names and their descriptions.
const TABLE: [(Quirk, &str, &str); 25] = [
    (
        Quirk::RealTime,
        "real-time",
        "time is real, commands cost what they cost on phones, and nothing is offered that phones lack",
    ),
    (
        Quirk::SamsungUser150,
        "samsung-user-150",
        "packages of all users are not listed, for the Secure Folder is a user of its own",
    ),
    (
        Quirk::MiuiGuard,
        "miui-guard",
        "the shell may not touch, install, clear or grant until a second switch is set",
    ),
    (
        Quirk::MiuiNoise,
        "miui-noise",
        "commands print lines of their own before their answers",
    ),
    (
        Quirk::NoShellV2,
        "no-shell-v2",
        "the shell has one stream and no exit code",
    ),
    (
        Quirk::LateWindows,
        "late-windows",
        "a dump of all windows is missing, then partial, then whole, again and again",
    ),
    (
        Quirk::LateTree,
        "late-tree",
        "the first dump of another app has its root only",
    ),
    (
        Quirk::ClosedTouchscreen,
        "closed-touchscreen",
        "the touchscreen's events cannot be written, as on most phones since Android 10",
    ),
    (
        Quirk::DeafKeyboard,
        "deaf-keyboard",
        "the keyboard that takes broadcasts hears none",
    ),
    (
        Quirk::ComposingKeyboard,
        "composing-keyboard",
        "the keyboard puts marks between syllables of what is typed",
    ),
    (Quirk::NoLog, "no-log", "the log cannot be read"),
    (
        Quirk::HungStart,
        "hung-start",
        "`am start -W` never returns, though the app comes",
    ),
    (
        Quirk::OtherDisplayFirst,
        "other-display-first",
        "another display's activity is listed first",
    ),
    (
        Quirk::BrokenText,
        "broken-text",
        "the app in front has a character that no dump can hold",
    ),
    (
        Quirk::Taskbar,
        "taskbar",
        "the navigation bar is a panel with a taskbar",
    ),
    (
        Quirk::LateText,
        "late-text",
        "a text that was typed shows at the second dump only",
    ),
    (
        Quirk::SlowText,
        "slow-text",
        "a text that was typed shows 200 ms later",
    ),
    (
        Quirk::FixedOrientation,
        "fixed-orientation",
        "the display stays upright, as with apps that fix their orientation",
    ),
    (
        Quirk::DeafSettings,
        "deaf-settings",
        "settings, permissions and the package manager say that they did what they did not",
    ),
    (
        Quirk::HalfInput,
        "half-input",
        "of a text that is typed, and of several keys, only the first half arrives",
    ),
    (
        Quirk::DeafInput,
        "deaf-input",
        "touches, keys and texts do nothing",
    ),
    (
        Quirk::BlinkingCaret,
        "blinking-caret",
        "the caret of the field with the focus is drawn for half a second, then not for half a second",
    ),
    (
        Quirk::Overlay,
        "overlay",
        "another app's bubble lies over the lower right corner, in a window as large as the display",
    ),
    (
        Quirk::Veil,
        "veil",
        "another app's window tints the whole display and takes no touches",
    ),
    (
        Quirk::TallKeyboard,
        "tall-keyboard",
        "the keyboard's window is as high as the display and takes touches on its keys only",
    ),
];

/// Words of people for quirks.
pub(crate) const MEANINGS: &[Meaning] = &[
    ("real-time", "slow realistic real phone device realtime"),
    (
        "samsung-user-150",
        "samsung knox secure_folder one_ui oneui galaxy",
    ),
    ("miui-guard", "miui xiaomi redmi poco hyperos hyper_os"),
    ("no-shell-v2", "shell old_shell old_android no_shell"),
    ("slow-text", "compose debounce"),
    ("blinking-caret", "caret cursor blinking blinking_cursor"),
    (
        "fixed-orientation",
        "portrait landscape rotation no_rotation",
    ),
    ("overlay", "bubble chat_head chat_heads floating"),
    ("veil", "night_light blue_light_filter dimmer tint"),
    ("taskbar", "tablet foldable"),
    ("no-log", "logcat no_logcat"),
    ("broken-text", "emoji control_character"),
];

impl Quirk {
    /// Returns all quirks in the order of the documentation.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|(quirk, _, _)| *quirk)
    }

    /// Returns the name for `--quirk`.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Returns the names of the quirks that a word probably means; empty if nothing is near.
    pub fn likely(word: &str) -> Vec<&'static str> {
        likely_names::likely(word, MEANINGS, Self::all().map(Self::name))
    }

    /// Returns the description for people.
    pub fn about(self) -> &'static str {
        self.row().2
    }

    fn row(self) -> &'static (Self, &'static str, &'static str) {
        let found = TABLE.iter().find(|(quirk, _, _)| *quirk == self);
        found.unwrap_or(&TABLE[0])
    }
}

/// Error of a text that is no quirk's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no quirk `{name}`{meant}; quirks are {known}", meant = likely_names::question(&Quirk::likely(.name)), known = Quirk::all().map(Quirk::name).collect::<Vec<_>>().join(", "))]
pub struct QuirkError {
    /// The text.
    pub name: String,
}

impl FromStr for Quirk {
    type Err = QuirkError;

    /// Parses the name of a quirk, with or without spaces around it; an error for an unknown one.
    fn from_str(text: &str) -> Result<Self, QuirkError> {
        let name = text.trim();
        Self::all()
            .find(|quirk| quirk.name() == name)
            .ok_or_else(|| QuirkError {
                name: name.to_owned(),
            })
    }
}

/// The quirks of one device, with their state.
#[derive(Debug, Default)]
pub(crate) struct Quirks {
    set: BTreeSet<Quirk>,
    dumps: Mutex<DumpHistory>,
    /// Windows that dumps show instead of the screen.
    held_windows: Mutex<Option<HeldWindows>>,
}

/// The screen before a text was typed.
#[derive(Debug)]
struct HeldWindows {
    windows: Vec<WindowDump>,
    /// Time at which dumps show the text. `None`: only one dump shows the old windows.
    until: Option<Duration>,
}

/// Dumps so far.
#[derive(Debug, Default)]
struct DumpHistory {
    /// Number of dumps of all windows; counted with [`Quirk::LateWindows`] only.
    count: u32,
    /// Package in front at the last dump; kept with [`Quirk::LateTree`] only.
    package: String,
}

/// The part that a dump lacks because it came too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DumpDefect {
    /// No part: it is complete.
    Intact,
    /// The whole list of windows.
    Missing,
    /// The window in front.
    Partial,
    /// All nodes but the root of the window in front.
    RootOnly,
}

impl Quirks {
    /// Returns these quirks, each once, without counted dumps and held windows.
    pub(crate) fn new(quirks: &[Quirk]) -> Self {
        Self {
            set: quirks.iter().copied().collect(),
            dumps: Mutex::default(),
            held_windows: Mutex::default(),
        }
    }

    pub(crate) fn has(&self, quirk: Quirk) -> bool {
        self.set.contains(&quirk)
    }

    /// Makes dumps show these windows until that device time, or with `None` for one dump. If windows are held
    /// already, those stay and only the time changes.
    pub(crate) fn hold_windows(&self, windows: Vec<WindowDump>, until: Option<Duration>) {
        let mut held = self
            .held_windows
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match held.as_mut() {
            Some(held) => held.until = until,
            None => *held = Some(HeldWindows { windows, until }),
        }
    }

    /// Returns the time from which dumps show the screen again. Returns `None` if they show it now, or are
    /// held for one dump.
    pub(crate) fn held_until(&self) -> Option<Duration> {
        let held = self
            .held_windows
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        held.as_ref()?.until
    }

    /// Returns the windows that a dump at this time shows instead of the screen, or `None` if it shows the
    /// screen. Windows held for one dump, or whose time is over, are forgotten.
    pub(crate) fn held_windows(&self, now: Duration) -> Option<Vec<WindowDump>> {
        let mut held = self
            .held_windows
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(HeldWindows {
            windows,
            until: Some(until),
        }) = held.as_ref()
            && now < *until
        {
            return Some(windows.clone());
        }
        held.take()
            .filter(|held| held.until.is_none())
            .map(|held| held.windows)
    }

    /// Returns the part that the next dump lacks, with this package in front. With [`Quirk::LateWindows`], the first
    /// two of every three dumps of all windows are incomplete, so each call counts as a dump. With
    /// [`Quirk::LateTree`], the first dump of all, and the first after a change of the package, have only the root.
    /// Without these quirks a dump is intact.
    pub(crate) fn dump_defect(&self, all_windows: bool, package: &str) -> DumpDefect {
        let mut dumps = self.dumps.lock().unwrap_or_else(PoisonError::into_inner);
        if all_windows && self.has(Quirk::LateWindows) {
            dumps.count += 1;
            return match dumps.count % 3 {
                1 => DumpDefect::Missing,
                2 => DumpDefect::Partial,
                _ => DumpDefect::Intact,
            };
        }
        if self.has(Quirk::LateTree) && dumps.package != package {
            package.clone_into(&mut dumps.package);
            return DumpDefect::RootOnly;
        }
        DumpDefect::Intact
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back_and_every_quirk_has_a_row() {
        for quirk in Quirk::all() {
            assert_eq!(quirk.name().parse(), Ok(quirk));
            assert_eq!(quirk.row().0, quirk);
        }
        let error = "samsung".parse::<Quirk>().unwrap_err().to_string();
        assert!(error.contains("samsung-user-150"), "{error}");
    }
}
