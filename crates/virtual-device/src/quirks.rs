//! Quirks: what some phones do unlike most, by name, so that flows can be tried against each.

use std::collections::BTreeSet;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::WindowDump;

/// What some phones do unlike most. A fault passes; a quirk is how that phone is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quirk {
    /// Time is the host's, commands take what they take on phones, and nothing is offered that phones lack.
    RealTime,
    /// Packages of all users are not listed: user 150 is closed to the shell.
    SamsungUser150,
    /// The shell may not touch, install, clear or grant until a second switch is set.
    MiuiGuard,
    /// Commands print lines of their own before their answers.
    MiuiNoise,
    /// The shell has one stream and no exit code.
    NoShellV2,
    /// A dump of all windows comes before the windows do: it is missing, then partial, then whole, again and again.
    LateWindows,
    /// The first dump of another app has its root only.
    LateTree,
    /// The touchscreen's events cannot be written.
    ClosedTouchscreen,
    /// The keyboard that takes broadcasts hears none, and says that it did.
    DeafKeyboard,
    /// The keyboard puts marks between syllables of what is typed.
    ComposingKeyboard,
    /// The log cannot be read.
    NoLog,
    /// `am start -W` never returns, though the app comes.
    HungStart,
    /// Another display's activity is listed first.
    OtherDisplayFirst,
    /// The app in front has a character that no dump can hold.
    BrokenText,
    /// The navigation bar is a panel with a taskbar.
    Taskbar,
    /// A text that was typed shows at the second dump only.
    LateText,
    /// Looks show a text that was typed some time later, as Compose does.
    SlowText,
    /// The display stays upright.
    FixedOrientation,
    /// Settings, permissions and the package manager say that they did what they did not.
    DeafSettings,
    /// Of a text that is typed, and of keys that are pressed together, only the first half arrives.
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

/// Every quirk with its name and what a person reads of it.
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

impl Quirk {
    /// All of them, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|(quirk, _, _)| *quirk)
    }

    /// The name that `--quirk` takes.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// What a person reads of it.
    pub fn about(self) -> &'static str {
        self.row().2
    }

    fn row(self) -> &'static (Self, &'static str, &'static str) {
        let found = TABLE.iter().find(|(quirk, _, _)| *quirk == self);
        found.unwrap_or(&TABLE[0])
    }
}

/// A text that names no quirk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no quirk `{name}`; quirks are {known}", known = Quirk::all().map(Quirk::name).collect::<Vec<_>>().join(", "))]
pub struct QuirkError {
    /// What was written.
    pub name: String,
}

impl FromStr for Quirk {
    type Err = QuirkError;

    fn from_str(text: &str) -> Result<Self, QuirkError> {
        let name = text.trim();
        Self::all()
            .find(|quirk| quirk.name() == name)
            .ok_or_else(|| QuirkError {
                name: name.to_owned(),
            })
    }
}

/// The quirks of one device.
#[derive(Debug, Default)]
pub(crate) struct Quirks {
    set: BTreeSet<Quirk>,
    dumps: Mutex<Dumps>,
    /// What looks show instead of the screen.
    held: Mutex<Option<HeldWindows>>,
}

/// The screen before a text was typed.
#[derive(Debug)]
struct HeldWindows {
    windows: Vec<WindowDump>,
    /// The device's time from which looks show the text; `None`: the first look shows these windows.
    until: Option<Duration>,
}

/// What dumps there were.
#[derive(Debug, Default)]
struct Dumps {
    /// Of all windows.
    count: u32,
    /// The package in front at the last one.
    package: String,
}

/// What a dump comes too early for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LateLook {
    /// Nothing: it is whole.
    Whole,
    /// The list of windows.
    Missing,
    /// The window in front.
    Partial,
    /// All but the root of the window in front.
    RootOnly,
}

impl Quirks {
    pub(crate) fn new(quirks: &[Quirk]) -> Self {
        Self {
            set: quirks.iter().copied().collect(),
            dumps: Mutex::default(),
            held: Mutex::default(),
        }
    }

    pub(crate) fn has(&self, quirk: Quirk) -> bool {
        self.set.contains(&quirk)
    }

    /// Has looks show these windows until that time, or one look.
    pub(crate) fn hold_windows(&self, windows: Vec<WindowDump>, until: Option<Duration>) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        match held.as_mut() {
            Some(held) => held.until = until,
            None => *held = Some(HeldWindows { windows, until }),
        }
    }

    /// Returns the time from which looks show the screen.
    pub(crate) fn held_until(&self) -> Option<Duration> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.as_ref()?.until
    }

    /// Returns what a look at this time shows instead of the screen.
    pub(crate) fn held_windows(&self, now: Duration) -> Option<Vec<WindowDump>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// What the next dump is too early for, with this package in front.
    pub(crate) fn late_look(&self, all_windows: bool, package: &str) -> LateLook {
        let mut dumps = self.dumps.lock().unwrap_or_else(PoisonError::into_inner);
        if all_windows && self.has(Quirk::LateWindows) {
            dumps.count += 1;
            return match dumps.count % 3 {
                1 => LateLook::Missing,
                2 => LateLook::Partial,
                _ => LateLook::Whole,
            };
        }
        if self.has(Quirk::LateTree) && dumps.package != package {
            package.clone_into(&mut dumps.package);
            return LateLook::RootOnly;
        }
        LateLook::Whole
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
