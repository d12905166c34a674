//! Maestro's commands as they are written: texts may hold `${}`, defaults are those of Maestro at 487407f.

use std::ops::Range;
use std::sync::Arc;

use camino::Utf8PathBuf;

use super::super::ast::{Flow, Step};
use super::key::PressedKey;
use runner_device::Direction;
use runner_text::diagnostic::{self, Source};

/// A text that may hold `${}`, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawText {
    /// As it is written, YAML's quotes and folding resolved.
    pub text: String,
    /// The file.
    pub source: Arc<Source>,
    /// Its bytes in the file.
    pub span: Range<usize>,
}

impl RawText {
    /// Line and column, both from 1.
    pub fn line_column(&self) -> (usize, usize) {
        diagnostic::line_column(&self.source.text, self.span.start)
    }

    /// Whether JavaScript may be in it.
    pub fn has_script(&self) -> bool {
        self.text.contains("${")
    }
}

/// Names and texts, in the order of the file.
pub type EnvEntries = Vec<(String, RawText)>;

/// What Maestro's header says beside what every flow has. Its hooks are the flow's `setup` and `teardown`.
#[derive(Debug, Clone)]
pub struct Header {
    /// `appId`; it may hold `${}`.
    pub app_id: RawText,
    /// `env`.
    pub env: EnvEntries,
    /// `properties`, for JUnit.
    pub properties: Vec<(String, String)>,
}

/// One command. `label` and `optional` are the step's modifiers.
#[derive(Debug, Clone)]
pub enum MaestroCommand {
    /// `tapOn`.
    TapOn(Tap),
    /// `doubleTapOn`: two taps, 100 ms between them or `delay`.
    DoubleTapOn(Tap),
    /// `longPressOn`: 3 s.
    LongPressOn(Tap),
    /// `assertVisible`.
    AssertVisible(RawSelector),
    /// `assertNotVisible`.
    AssertNotVisible(RawSelector),
    /// `assertTrue`.
    AssertTrue(RawText),
    /// `assertScreenshot`.
    AssertScreenshot {
        /// The picture's path as it is written, from the flow's folder; without an extension it is `.png`.
        path: RawText,
        /// Least share of pixels that are alike, in percent: a number as text, 95 without one.
        threshold: Option<RawText>,
        /// The element that is compared alone.
        crop_on: Option<RawSelector>,
    },
    /// `extendedWaitUntil`; at least one of both.
    ExtendedWaitUntil {
        /// Until it is seen.
        visible: Option<RawSelector>,
        /// Until it is gone.
        not_visible: Option<RawSelector>,
        /// In milliseconds.
        timeout: Option<RawText>,
    },
    /// `waitForAnimationToEnd`.
    WaitForAnimationToEnd {
        /// In milliseconds; 15,000 without one.
        timeout: Option<RawText>,
    },
    /// `back`.
    Back,
    /// `hideKeyboard`.
    HideKeyboard,
    /// `scroll`.
    Scroll,
    /// `scrollUntilVisible`.
    ScrollUntilVisible(ScrollUntilVisible),
    /// `swipe`.
    Swipe(Swipe),
    /// `inputText`.
    InputText(RawText),
    /// `inputRandomText` and its like.
    InputRandom {
        /// What is typed.
        kind: RandomKind,
        /// Characters of a text or digits of a number.
        length: u32,
    },
    /// `eraseText`: how many characters; 50 without a number.
    EraseText(Option<u32>),
    /// `pressKey`.
    PressKey(PressedKey),
    /// `copyTextFrom`.
    CopyTextFrom(RawSelector),
    /// `setClipboard`.
    SetClipboard(RawText),
    /// `pasteText`.
    PasteText,
    /// `launchApp`.
    LaunchApp(LaunchApp),
    /// `stopApp`; without an app, the flow's.
    StopApp(Option<RawText>),
    /// `killApp`; without an app, the flow's.
    KillApp(Option<RawText>),
    /// `clearState`; without an app, the flow's.
    ClearState(Option<RawText>),
    /// `clearKeychain`: iOS has one, Android has none, and there it does nothing.
    ClearKeychain,
    /// `setPermissions`.
    SetPermissions {
        /// The app; else the flow's.
        app_id: Option<RawText>,
        /// Permission, and `allow`, `deny` or `unset`.
        permissions: Vec<(RawText, RawText)>,
    },
    /// `openLink`.
    OpenLink {
        /// The address.
        link: RawText,
        /// In a browser, whichever app would take it.
        browser: bool,
        /// Answers Android's question which app is to open it.
        auto_verify: bool,
    },
    /// `addMedia`: files, absolute; they were there when the flow was read.
    AddMedia(Vec<Utf8PathBuf>),
    /// `setLocation`: degrees as text.
    SetLocation {
        /// North.
        latitude: RawText,
        /// East.
        longitude: RawText,
    },
    /// `travel`.
    Travel {
        /// Latitude and longitude, in degrees.
        points: Vec<(f64, f64)>,
        /// Metres in a second.
        speed: Option<f64>,
    },
    /// `setOrientation`: a name; checked where it holds no `${}`.
    SetOrientation(RawText),
    /// `setAirplaneMode`.
    SetAirplaneMode(bool),
    /// `toggleAirplaneMode`.
    ToggleAirplaneMode,
    /// `setDarkMode`.
    SetDarkMode(bool),
    /// `toggleDarkMode`.
    ToggleDarkMode,
    /// `assertDarkMode`.
    AssertDarkMode,
    /// `assertLightMode`.
    AssertLightMode,
    /// `takeScreenshot`.
    TakeScreenshot {
        /// Its name, which may have folders.
        path: RawText,
        /// The element that is taken alone.
        crop_on: Option<RawSelector>,
    },
    /// `startRecording`.
    StartRecording(RawText),
    /// `stopRecording`.
    StopRecording,
    /// `runFlow`.
    RunFlow {
        /// What runs.
        body: Body,
        /// Only where it holds.
        when: Option<Condition>,
        /// Names for it.
        env: EnvEntries,
    },
    /// `repeat`: as often as `times` says, as long as `while` holds.
    Repeat {
        /// A whole number as text.
        times: Option<RawText>,
        /// Tested before each round.
        condition: Option<Condition>,
        /// What is repeated.
        steps: Vec<Step>,
    },
    /// `retry`.
    Retry {
        /// How many further tries: a number as text, 1 without one, at most 3.
        max_retries: Option<RawText>,
        /// What is tried.
        body: Body,
        /// Names for it.
        env: EnvEntries,
    },
    /// `evalScript`.
    EvalScript(RawText),
    /// `runScript`.
    RunScript {
        /// The script, read with the flow.
        script: Arc<Source>,
        /// Names for it.
        env: EnvEntries,
        /// Only where it holds.
        when: Option<Condition>,
    },
    /// A command that cannot run here, where the flow does not run it on Android. To reach it is an error.
    Unsupported {
        /// Its name.
        name: String,
    },
}

/// What `runFlow` and `retry` run.
#[derive(Debug, Clone)]
pub enum Body {
    /// `file`: the flow, read; its own hooks run too.
    File(Arc<Flow>),
    /// `commands`.
    Commands(Vec<Step>),
}

/// A screenshot's name as that of one file: without folders, `a/b c` is `a-b-c`.
pub fn file_name(name: &str) -> String {
    /// Longest name, in characters.
    const LONGEST: usize = 60;
    let name = name.strip_suffix(".png").unwrap_or(name);
    let plain: String = name
        .trim_start_matches(['/', '.'])
        .chars()
        .map(|c| {
            let is_plain = c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            if is_plain { c } else { '-' }
        })
        .collect();
    // Each character is one byte.
    let plain = plain.get(..LONGEST).unwrap_or(&plain);
    if plain.is_empty() {
        "screenshot".to_owned()
    } else {
        plain.to_owned()
    }
}

impl MaestroCommand {
    /// The name of the golden that it takes where `runner.yaml` has screenshots compared: known from reading it alone, and
    /// of the whole screen.
    pub fn golden(&self) -> Option<String> {
        match self {
            Self::TakeScreenshot {
                path,
                crop_on: None,
            } if !path.has_script() => Some(file_name(&path.text)),
            _ => None,
        }
    }

    /// The steps inside it that stand in the same file.
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

    /// The flow of another file that it runs.
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

    /// Whether it only tests what is there.
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

/// An element as it is written. All that is said must hold.
#[derive(Debug, Clone)]
pub struct RawSelector {
    /// The whole selector's place.
    pub source: Arc<Source>,
    /// Its bytes in the file.
    pub span: Range<usize>,
    /// A regular expression for text, hint or description.
    pub text: Option<RawText>,
    /// A regular expression for the resource id.
    pub id: Option<RawText>,
    /// Which of several, by place: a whole number as text, negative from the end.
    pub index: Option<RawText>,
    /// Width in pixels.
    pub width: Option<i32>,
    /// Height in pixels.
    pub height: Option<i32>,
    /// How far width and height may be off.
    pub tolerance: Option<i32>,
    /// `below`.
    pub below: Option<Box<RawSelector>>,
    /// `above`.
    pub above: Option<Box<RawSelector>>,
    /// `leftOf`.
    pub left_of: Option<Box<RawSelector>>,
    /// `rightOf`.
    pub right_of: Option<Box<RawSelector>>,
    /// `containsChild`: a direct child.
    pub contains_child: Option<Box<RawSelector>>,
    /// `containsDescendants`: each of them somewhere below.
    pub contains_descendants: Vec<RawSelector>,
    /// `childOf`: somewhere below it.
    pub child_of: Option<Box<RawSelector>>,
    /// `traits`.
    pub traits: Vec<Trait>,
    /// `enabled`.
    pub enabled: Option<bool>,
    /// `selected`.
    pub selected: Option<bool>,
    /// `checked`.
    pub checked: Option<bool>,
    /// `focused`.
    pub focused: Option<bool>,
    /// `optional` of the selector: it is looked for no longer than 7 s.
    pub optional: bool,
}

/// A trait of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trait {
    /// It has a text.
    Text,
    /// It is as wide as high, to within 3 %.
    Square,
    /// Its text has more than 200 characters.
    LongText,
}

/// `tapOn` and its like.
#[derive(Debug, Clone)]
pub struct Tap {
    /// The element; none where only a point of the screen is named.
    pub selector: Option<RawSelector>,
    /// `50%,20%` or `100,200`: inside the element, else on the screen.
    pub point: Option<RawText>,
    /// Taps again where the screen stays as it was.
    pub retry_if_no_change: bool,
    /// Waits until the element is where it was before.
    pub wait_until_visible: bool,
    /// How many taps.
    pub repeat: Option<u32>,
    /// Milliseconds between taps.
    pub delay: Option<u64>,
    /// Milliseconds, at most 30,000, for the screen to settle after it.
    pub wait_to_settle: Option<u32>,
}

/// A place on one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coordinate {
    /// Of the screen, 0 to 100.
    Percent(u8),
    /// Pixels.
    Pixels(i32),
}

/// A point of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// From the left.
    pub x: Coordinate,
    /// From the top.
    pub y: Coordinate,
}

/// `swipe`.
#[derive(Debug, Clone)]
pub struct Swipe {
    /// From where to where.
    pub gesture: SwipeGesture,
    /// In milliseconds; 400 if nothing is said.
    pub duration: u64,
    /// Milliseconds for the screen to settle after it.
    pub wait_to_settle: Option<u32>,
}

/// From where to where a finger goes.
#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "a step has one, and is in a box itself"
)]
pub enum SwipeGesture {
    /// Over the screen.
    Direction(Direction),
    /// Beginning on an element.
    Element {
        /// The element.
        from: RawSelector,
        /// Where in it, as `tapOn` has it; else its middle.
        point: Option<RawText>,
        /// To where.
        direction: Direction,
    },
    /// From a point to a point.
    Points {
        /// From here.
        start: Point,
        /// To here.
        end: Point,
    },
}

/// `scrollUntilVisible`.
#[derive(Debug, Clone)]
pub struct ScrollUntilVisible {
    /// The element.
    pub element: RawSelector,
    /// The element that is swiped on; the display without one.
    pub within: Option<RawSelector>,
    /// Where the content lies that is scrolled to.
    pub direction: Direction,
    /// In milliseconds; 20,000 without one.
    pub timeout: Option<RawText>,
    /// 0 to 100, the higher the faster; 40 without one.
    pub speed: Option<RawText>,
    /// How much of it must be on the screen, 0 to 100.
    pub visibility: u8,
    /// Scrolls on until it is in the middle.
    pub center: bool,
    /// Milliseconds for the screen to settle after each swipe.
    pub wait_to_settle: Option<u32>,
}

/// What is random.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RandomKind {
    /// Letters.
    Text,
    /// Digits.
    Number,
    /// An e-mail address.
    Email,
    /// A person's name.
    PersonName,
    /// A city.
    CityName,
    /// A country.
    CountryName,
    /// A colour.
    ColorName,
}

/// `launchApp`.
#[derive(Debug, Clone, Default)]
pub struct LaunchApp {
    /// The app; else the flow's.
    pub app_id: Option<RawText>,
    /// Clears its data first.
    pub clear_state: bool,
    /// iOS only: does nothing on Android.
    pub clear_keychain: bool,
    /// Stops it first; without a word it does.
    pub stop_app: Option<bool>,
    /// Permission, and `allow`, `deny` or `unset`; without a list every one is granted.
    pub permissions: Option<Vec<(RawText, RawText)>>,
    /// Extras of the intent.
    pub arguments: Vec<(RawText, LaunchArgument)>,
}

/// An extra of the intent that starts an app.
#[derive(Debug, Clone, PartialEq)]
pub enum LaunchArgument {
    /// Text.
    Text(RawText),
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Decimal(f64),
}

/// The system that a device runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Android: here it always holds.
    Android,
    /// iOS: here it never holds.
    Ios,
    /// A browser: here it never holds.
    Web,
}

/// A condition: all that is said must hold.
#[derive(Debug, Clone)]
pub struct Condition {
    /// The whole condition's place.
    pub source: Arc<Source>,
    /// Its bytes in the file.
    pub span: Range<usize>,
    /// `platform`.
    pub platform: Option<Platform>,
    /// `visible`: within 7 s.
    pub visible: Option<RawSelector>,
    /// `notVisible`: within 7 s.
    pub not_visible: Option<RawSelector>,
    /// `true`: a text that must come to something true.
    pub script: Option<RawText>,
    /// Name for reports.
    pub label: Option<RawText>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_folders() {
        for (name, plain) in [
            ("a/b c", "a-b-c"),
            ("../../etc/passwd", "etc-passwd"),
            ("login", "login"),
            ("", "screenshot"),
            ("größe.png", "gr--e"),
        ] {
            assert_eq!(file_name(name), plain, "{name}");
        }
        assert!(!file_name("../../a").contains('/'));
    }
}
