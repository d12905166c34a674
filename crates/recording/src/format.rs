//! Lines of a recording's file. The first is [`Line::Recording`], the last is [`Line::End`] unless the run
//! was killed.

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use runner_device::{DeviceInfo, Input};
use runner_event::{FlowId, FlowStatus, StepStatus};
use runner_flow::StepPath;
use runner_screen::{Display, DisplayContext, Front, Rect, Screen};

/// Version of the format. A reader refuses a newer one.
pub const VERSION: u32 = 1;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// First line of the file, and only there.
    Recording(Box<Head>),
    /// A step begins. Steps inside it begin and end before it ends.
    Step(StepLine),
    /// A look whose rows differ from those of the look before.
    Look(LookLine),
    /// The rows of an earlier look are back. `look` counts the [`Line::Look`] lines.
    Again {
        /// Milliseconds since the attempt began.
        ms: u64,
        /// Index, from 0.
        look: usize,
    },
    /// Time until which the last look stayed the same, in milliseconds since the attempt began.
    Still(u64),
    /// The step acted on the device.
    Act(ActLine),
    /// A selector matched on the last look.
    Found(FoundLine),
    /// A step ends. Steps inside it that are still open were cut off.
    Done(StepEndLine),
    /// The attempt ended.
    End(EndLine),
}

/// Facts about the attempt, known when it begins.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Head {
    /// [`VERSION`] of the writer.
    pub version: u32,
    pub run: String,
    /// Time at which the attempt began (RFC 3339).
    pub started: String,
    /// Version of the program that wrote the file.
    pub program: String,
    pub id: FlowId,
    pub device: DeviceInfo,
    /// Package of the app that the flow's header names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// Files that the flow was read from.
    pub files: Vec<FileDigest>,
}

/// Hash of a flow's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDigest {
    /// Path relative to the root.
    pub file: Utf8PathBuf,
    /// Hash of its bytes.
    pub digest: String,
}

/// Line and column in a file, from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePosition {
    /// Path relative to the root.
    pub file: Utf8PathBuf,
    pub line: usize,
    /// Column in characters.
    pub column: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StepLine {
    /// Milliseconds since the attempt began.
    pub ms: u64,
    /// Path of the step in the flow.
    pub path: StepPath,
    /// The step as written, with expressions unresolved.
    pub title: String,
    /// Place of the step in its file.
    pub at: FilePosition,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LookLine {
    /// Milliseconds since the attempt began.
    pub ms: u64,
    /// All nodes, as [`Screen::to_dump`] writes them, with secrets masked.
    pub dump: String,
    /// Facts that a dump does not hold.
    #[serde(default)]
    pub around: LookContext,
}

/// Facts that the device reported beside a dump.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookContext {
    /// Display after rotation.
    #[serde(default)]
    pub display: Display,
    /// Package and activity in front.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreground: Option<(String, String)>,
    /// Package of the focused window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focused: Option<String>,
    /// Package of the resumed activity, if another window has the focus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed: Option<String>,
    /// A keyboard is shown.
    #[serde(default)]
    pub keyboard: bool,
    /// Areas of the system bars.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bars: Vec<Rect>,
}

impl From<&Screen> for LookContext {
    /// Copies display, front app, keyboard and bars of a screen, but not its nodes. An unknown front app, and one
    /// that cannot be asked for, both give neither `focused` nor `resumed`.
    fn from(screen: &Screen) -> Self {
        let (focused, resumed) = match screen.front() {
            Front::Focused(package) => (Some(package.clone()), None),
            Front::Resumed(package) => (None, Some(package.clone())),
            Front::Unknown | Front::Unavailable => (None, None),
        };
        let foreground = screen.foreground();
        Self {
            display: screen.display(),
            foreground: foreground.map(|(package, activity)| (package.into(), activity.into())),
            focused,
            resumed,
            keyboard: screen.keyboard_shown(),
            bars: screen.bars().to_vec(),
        }
    }
}

impl From<&LookContext> for DisplayContext {
    /// Restores what was recorded beside a dump. An empty display becomes `None`, and a missing front app an unknown
    /// one. If there are both, `focused` counts before `resumed`. Toasts and all else are at their defaults.
    fn from(around: &LookContext) -> Self {
        let focused = around.focused.clone().map(Front::Focused);
        let resumed = || around.resumed.clone().map(Front::Resumed);
        Self {
            display: (!around.display.bounds().is_empty()).then_some(around.display),
            foreground: around.foreground.clone(),
            front: focused.or_else(resumed).unwrap_or_default(),
            keyboard_shown: around.keyboard,
            bars: around.bars.clone(),
            ..Self::default()
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ActLine {
    /// Milliseconds since the attempt began.
    pub ms: u64,
    /// Number of looks before it, if other looks are written before this line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looks: Option<usize>,
    /// Inputs. Empty for an act by commands, such as the launch of an app.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Touch>,
}

/// Input, reduced to what distinguishes it from others. Points are pixels of the display.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Touch {
    Tap([i32; 2]),
    DoubleTap([i32; 2]),
    LongPress([i32; 2]),
    /// Path of a finger, from its first to its last point.
    Swipe([i32; 2], [i32; 2]),
    /// Gesture of several fingers.
    Fingers,
    /// Keys, one or several at once.
    Keys(Vec<String>),
    /// Typed text, with secrets masked.
    Text(String),
}

impl Touch {
    /// Reduces an input to what is recorded of it. Returns `None` for a pause. Gestures of several fingers lose their
    /// points, presses and swipes their durations, and a drag becomes a swipe. A text is copied as it is, not masked.
    pub fn recorded(input: &Input) -> Option<Self> {
        let point = |point: &runner_screen::Point| [point.x, point.y];
        Some(match input {
            Input::Tap(at) => Self::Tap(point(at)),
            Input::DoubleTap(at) => Self::DoubleTap(point(at)),
            Input::LongPress(at, _) => Self::LongPress(point(at)),
            Input::Swipe(gesture) | Input::Drag(gesture) => {
                Self::Swipe(point(&gesture.from), point(&gesture.to))
            }
            Input::Fingers { .. } => Self::Fingers,
            Input::Key { key, .. } => Self::Keys(vec![key.name().to_owned()]),
            Input::Combination(keys) => {
                Self::Keys(keys.iter().map(|key| key.name().to_owned()).collect())
            }
            Input::Text(text) => Self::Text(text.clone()),
            Input::Pause(_) => return None,
        })
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FoundLine {
    /// Index of the first matching node in the dump.
    pub node: u32,
    /// Number of matching nodes.
    pub matches: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StepEndLine {
    /// Milliseconds since the attempt began.
    pub ms: u64,
    /// Path of the step. None in files of earlier versions, which mean the innermost open one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<StepPath>,
    pub status: StepStatus,
    /// Result with secrets masked, if `as` stores it or it is short.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub value: Value,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EndLine {
    pub status: FlowStatus,
    /// Version of the app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app_version: Option<String>,
    /// Commit that was checked out, with `-dirty` if files differed from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}
