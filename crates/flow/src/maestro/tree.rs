//! Maestro commands as parsed. Texts may contain `${}`. Defaults are those of Maestro at commit 487407f.

mod gesture;
mod launch;
mod selector;
mod text;

use std::sync::Arc;

use camino::Utf8PathBuf;

use super::super::ast::{Flow, Step};
use super::key::PressedKey;
pub use gesture::{Coordinate, Point, ScrollUntilVisible, Swipe, SwipeGesture, Tap};
pub use launch::{LaunchApp, LaunchArgument};
use runner_base::files::hash;
use runner_text::diagnostic::Source;
pub use selector::{Condition, Platform, RawSelector, Trait};
pub use text::{EnvEntries, RawText};

/// Header of a Maestro flow, without what all flows have. Its hooks are the flow's `setup` and `teardown`.
#[derive(Debug, Clone)]
pub struct Header {
    /// `appId`; it may hold `${}`.
    pub app_id: RawText,
    pub env: EnvEntries,
    /// `properties`, for JUnit.
    pub properties: Vec<(String, String)>,
}

/// Command. `label` and `optional` are modifiers of the step.
#[derive(Debug, Clone)]
pub enum MaestroCommand {
    /// One tap on an element, or on a point of the screen.
    TapOn(Tap),
    /// `doubleTapOn`: two taps, 100 ms between them or `delay`.
    DoubleTapOn(Tap),
    /// `longPressOn`: 3 s.
    LongPressOn(Tap),
    /// Waits until an element matches.
    AssertVisible(RawSelector),
    /// Waits until no element matches.
    AssertNotVisible(RawSelector),
    /// Fails unless the text counts as true once its scripts are evaluated.
    AssertTrue(RawText),
    /// Compares the screen, or one element, with a picture of the project.
    AssertScreenshot {
        /// Path of the picture as written, relative to the flow's folder. Without an extension it is `.png`.
        path: RawText,
        /// Minimum share of equal pixels in percent, as text; 95 by default.
        threshold: Option<RawText>,
        /// Element whose picture is compared alone.
        crop_on: Option<RawSelector>,
    },
    /// `extendedWaitUntil`. At least one selector is set.
    ExtendedWaitUntil {
        visible: Option<RawSelector>,
        /// Element whose disappearance to wait for.
        not_visible: Option<RawSelector>,
        /// Milliseconds.
        timeout: Option<RawText>,
    },
    /// Waits until the screen rests. A screen that does not rest is no failure.
    WaitForAnimationToEnd {
        /// Milliseconds; 15,000 by default.
        timeout: Option<RawText>,
    },
    /// Presses Android's key.
    Back,
    /// Hides the keyboard, if one is shown.
    HideKeyboard,
    /// One swipe up over the display.
    Scroll,
    /// Swipes until an element is visible, for 20 s by default.
    ScrollUntilVisible(ScrollUntilVisible),
    /// One swipe, of 400 ms by default.
    Swipe(Swipe),
    /// Types into the field that has the focus.
    InputText(RawText),
    /// `inputRandomText` and its like.
    InputRandom {
        kind: RandomKind,
        /// Number of characters of a text, or of digits of a number.
        length: u32,
    },
    /// `eraseText` with the number of characters; 50 by default.
    EraseText(Option<u32>),
    /// Presses a key that Maestro knows by name.
    PressKey(PressedKey),
    /// Keeps an element's text for `pasteText`.
    CopyTextFrom(RawSelector),
    /// Keeps this text for `pasteText`; the device's clipboard stays.
    SetClipboard(RawText),
    /// Types the text that was kept last; nothing without one.
    PasteText,
    /// Launches an app, which is stopped first by default.
    LaunchApp(LaunchApp),
    /// `stopApp`; the flow's app by default.
    StopApp(Option<RawText>),
    /// `killApp`; the flow's app by default.
    KillApp(Option<RawText>),
    /// `clearState`; the flow's app by default.
    ClearState(Option<RawText>),
    /// `clearKeychain`. Android has no keychain, so it does nothing.
    ClearKeychain,
    /// Sets permissions of an app without a launch.
    SetPermissions {
        /// The flow's app by default.
        app_id: Option<RawText>,
        /// Permissions with their values; any value but `allow` and an expression takes the permission away.
        permissions: Vec<(RawText, RawText)>,
    },
    /// Opens a link as if a person had tapped it.
    OpenLink {
        link: RawText,
        /// True to open the link in a browser, whichever app would handle it.
        browser: bool,
        /// True to answer Android's question which app should open the link.
        auto_verify: bool,
    },
    /// `addMedia` with absolute paths, which existed when the flow was read.
    AddMedia(Vec<Utf8PathBuf>),
    /// `setLocation` with degrees as text.
    SetLocation {
        /// Degrees north.
        latitude: RawText,
        /// Degrees east.
        longitude: RawText,
    },
    /// Moves the device's location from point to point.
    Travel {
        /// Latitudes and longitudes in degrees.
        points: Vec<(f64, f64)>,
        /// Metres per second.
        speed: Option<f64>,
    },
    /// `setOrientation` with a name, which was checked if it is literal.
    SetOrientation(RawText),
    /// True switches the mode on.
    SetAirplaneMode(bool),
    /// Switches the mode on or off, whichever it is not.
    ToggleAirplaneMode,
    /// True sets the dark theme, false the light one.
    SetDarkMode(bool),
    /// Sets the theme that the device has not.
    ToggleDarkMode,
    /// Fails in the light theme, without a wait.
    AssertDarkMode,
    /// Fails in the dark theme, without a wait.
    AssertLightMode,
    /// Takes a picture, or compares it as a snapshot if `runner.yaml` says so.
    TakeScreenshot {
        /// Name, perhaps with folders.
        path: RawText,
        /// Element whose picture is taken alone.
        crop_on: Option<RawSelector>,
    },
    /// Begins a video with this name.
    StartRecording(RawText),
    /// Ends the video and keeps it; passes without one.
    StopRecording,
    /// Runs commands, or the flow of a file, with names of their own.
    RunFlow {
        body: Body,
        /// Condition; without it the body always runs.
        when: Option<Condition>,
        /// Variables for the body.
        env: EnvEntries,
    },
    /// `repeat`: at most `times` rounds, and only while `condition` holds.
    Repeat {
        /// Whole number as text.
        times: Option<RawText>,
        /// Condition, tested before each round.
        condition: Option<Condition>,
        steps: Vec<Step>,
    },
    /// Runs commands, or the flow of a file, again from the first command after a failure.
    Retry {
        /// Number of further tries as text; 1 by default, at most 3.
        max_retries: Option<RawText>,
        body: Body,
        /// Variables for the body.
        env: EnvEntries,
    },
    /// Evaluates JavaScript for its effects; its value is dropped.
    EvalScript(RawText),
    /// Runs a file of JavaScript.
    RunScript {
        /// Script, loaded with the flow.
        script: Arc<Source>,
        /// Variables for the script.
        env: EnvEntries,
        /// Condition; without it the script always runs.
        when: Option<Condition>,
    },
    /// Command that cannot run on Android, in a part that the flow runs only elsewhere. Reaching it is an
    /// error.
    Unsupported { name: String },
}

/// Steps of `runFlow` and `retry`.
#[derive(Debug, Clone)]
pub enum Body {
    /// `file`: a flow, whose own hooks run too.
    File(Arc<Flow>),
    Commands(Vec<Step>),
}

/// Converts a screenshot's name to a file name of at most 60 characters, without `.png`: `/a/b c.png` becomes
/// `a-b-c`. ASCII letters, digits, `-`, `_` and `.` are kept, also another extension; all else becomes `-`. Slashes
/// and dots at the start are dropped; an empty name becomes `screenshot`. A name that is too long, or has letters beyond
/// ASCII, gets a hash, as nothing else may be left of it: `größe` becomes `gr--e-` and eight digits. Other names that
/// differ in signs only may get the same result.
pub fn file_name(name: &str) -> String {
    /// Maximum characters of the result. Chosen: leaves room for suffixes in a file name.
    const MAX_CHARS: usize = 60;
    /// Characters of the hash and the `-` before it.
    const HASH_CHARS: usize = 9;
    let name = name.strip_suffix(".png").unwrap_or(name);
    let name = name.trim_start_matches(['/', '.']);
    let mut plain: String = name
        .chars()
        .map(|c| {
            let is_plain = c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            if is_plain { c } else { '-' }
        })
        .collect();
    if plain.is_empty() {
        return "screenshot".to_owned();
    }
    if !name.is_ascii() || plain.len() > MAX_CHARS {
        let hash = hash(name.as_bytes());
        // Each character is one byte.
        plain.truncate(MAX_CHARS - HASH_CHARS);
        plain = format!("{plain}-{}", hash.get(..8).unwrap_or(&hash));
    }
    plain
}

impl MaestroCommand {
    /// Returns the name of the golden that a `takeScreenshot` compares with if `runner.yaml` turns screenshots into
    /// snapshots, as [`file_name`] writes it. Returns `None` for other commands, if the name has an expression, and
    /// for a screenshot of one element. Does not look at `runner.yaml`.
    pub fn golden(&self) -> Option<String> {
        match self {
            Self::TakeScreenshot {
                path,
                crop_on: None,
            } if !path.has_script() => Some(file_name(&path.text)),
            _ => None,
        }
    }

    /// Returns the path of a `takeScreenshot` of the screen that [`Self::golden`] leaves out because it has an
    /// expression: which goldens a flow names must be known without running it. `None` for all others.
    pub fn unnamed_golden(&self) -> Option<&RawText> {
        match self {
            Self::TakeScreenshot {
                path,
                crop_on: None,
            } => path.has_script().then_some(path),
            _ => None,
        }
    }

    /// Returns the steps directly inside that are in the same file; none if another file has them or the
    /// command has no steps.
    pub fn steps(&self) -> &[Step] {
        match self {
            Self::Repeat { steps, .. }
            | Self::RunFlow {
                body: Body::Commands(steps),
                ..
            }
            | Self::Retry {
                body: Body::Commands(steps),
                ..
            } => steps,
            _ => &[],
        }
    }

    /// Returns the flow of another file that `runFlow` or `retry` runs; `None` if its commands are in the
    /// same file and for other commands.
    pub fn flow(&self) -> Option<&Arc<Flow>> {
        match self {
            Self::RunFlow {
                body: Body::File(flow),
                ..
            }
            | Self::Retry {
                body: Body::File(flow),
                ..
            } => Some(flow),
            _ => None,
        }
    }

    /// Returns true if the command only tests the screen or a value: all assertions, `assertScreenshot` and
    /// `assertTrue` too, and `extendedWaitUntil`.
    pub fn is_assertion(&self) -> bool {
        matches!(
            self,
            Self::AssertVisible(_)
                | Self::AssertNotVisible(_)
                | Self::AssertTrue(_)
                | Self::AssertScreenshot { .. }
                | Self::AssertDarkMode
                | Self::AssertLightMode
                | Self::ExtendedWaitUntil { .. }
        )
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RandomKind {
    Text,
    Number,
    Email,
    PersonName,
    CityName,
    CountryName,
    ColorName,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_have_no_folders() {
        for (name, plain) in [
            ("a/b c", "a-b-c"),
            ("../../etc/passwd", "etc-passwd"),
            ("login", "login"),
            ("", "screenshot"),
        ] {
            assert_eq!(file_name(name), plain, "{name}");
        }
        assert!(!file_name("../../a").contains('/'));
    }

    #[test]
    fn names_of_any_script_have_files_of_their_own() {
        let long = "a".repeat(70);
        let longer = format!("{long}b");
        let names = [
            "größe",
            "grüße",
            "gr--e",
            "ログイン",
            "ログアウ",
            "----",
            long.as_str(),
            longer.as_str(),
            &long[..60],
        ];
        let files: BTreeSet<String> = names.map(file_name).into();
        assert_eq!(files.len(), names.len(), "{files:?}");
        for file in &files {
            assert!(file.is_ascii() && file.len() <= 60, "{file}");
        }
        assert_eq!(file_name("größe.png"), file_name("größe"));
        assert!(file_name("größe").starts_with("gr--e-"));
    }
}
