//! The lines of a recording's file. The first is [`Line::Recording`], the last [`Line::End`] unless the run was killed.

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use runner_device::{DeviceInfo, Input};
use runner_event::{FlowId, FlowStatus, StepStatus};
use runner_flow::StepPath;
use runner_screen::{Display, DisplayContext, Front, Rect, Screen};

/// The version of the format. A reader refuses a newer one.
pub const VERSION: u32 = 1;

/// A line of the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// The attempt that was recorded.
    Recording(Box<Head>),
    /// A step begins. Steps inside it begin and end before it ends.
    Step(StepLine),
    /// A look with other rows than the one before.
    Look(LookLine),
    /// The rows of an earlier look are there again: its place among the looks with rows of their own.
    Again {
        /// Milliseconds since the attempt began.
        ms: u64,
        /// From 0.
        look: usize,
    },
    /// The last look stayed the same until this time, in milliseconds since the attempt began.
    Still(u64),
    /// Something was done to the device.
    Act(ActLine),
    /// A selector matched on the last look.
    Found(FoundLine),
    /// The step that began last and has not ended ends.
    Done(StepEndLine),
    /// The attempt ended.
    End(EndLine),
}

/// The attempt that was recorded.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Head {
    /// [`VERSION`].
    pub version: u32,
    /// The run's id.
    pub run: String,
    /// Time at which the attempt began (RFC 3339).
    pub started: String,
    /// The version of the program.
    pub program: String,
    /// The attempt.
    pub id: FlowId,
    /// The device.
    pub device: DeviceInfo,
    /// The flow's app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// The files that the flow was read from.
    pub files: Vec<FileDigest>,
}

/// A file of a flow, and its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDigest {
    /// Below the root.
    pub file: Utf8PathBuf,
    /// Hash of its bytes.
    pub digest: String,
}

/// A line and a column of a file below the root, from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The file.
    pub file: Utf8PathBuf,
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// The beginning of a step.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StepLine {
    /// Milliseconds since the attempt began.
    pub ms: u64,
    /// Its path in the flow.
    pub path: StepPath,
    /// The step as a person wrote it, expressions unresolved.
    pub title: String,
    /// Its place in its file.
    pub at: Place,
}

/// A look.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LookLine {
    /// Milliseconds since the attempt began.
    pub ms: u64,
    /// All nodes, as [`Screen::to_dump`] writes them, secrets masked.
    pub dump: String,
    /// The facts that a dump does not hold.
    #[serde(default)]
    pub around: Surroundings,
}

/// Facts that the device reported beside a dump.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surroundings {
    /// The display after rotation.
    #[serde(default)]
    pub display: Display,
    /// Package and activity in front.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreground: Option<(String, String)>,
    /// Package of the window with the focus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focused: Option<String>,
    /// Package of the resumed activity, where another window has the focus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed: Option<String>,
    /// A keyboard is shown.
    #[serde(default)]
    pub keyboard: bool,
    /// Areas of the system's bars.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bars: Vec<Rect>,
}

impl From<&Screen> for Surroundings {
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

impl From<&Surroundings> for DisplayContext {
    fn from(around: &Surroundings) -> Self {
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

/// Something that a step did.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ActLine {
    /// Milliseconds since the attempt began.
    pub ms: u64,
    /// Looks that came before it, where others are written before this line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looks: Option<usize>,
    /// The inputs; none for what was done by commands, such as the launch of an app.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Touch>,
}

/// An input, by what distinguishes it from others. Points are pixels of the display.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Touch {
    /// A short touch.
    Tap([i32; 2]),
    /// Two short touches.
    DoubleTap([i32; 2]),
    /// A long touch.
    LongPress([i32; 2]),
    /// A finger from a point to another.
    Swipe([i32; 2], [i32; 2]),
    /// Several fingers.
    Fingers,
    /// Keys, one or several at once.
    Keys(Vec<String>),
    /// A text, masked.
    Text(String),
}

impl Touch {
    /// Returns what is recorded of an input; `None` of a pause, which does nothing.
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

/// A selector that matched.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FoundLine {
    /// The first of the nodes, by its place in the dump.
    pub node: u32,
    /// Number of nodes that matched.
    pub matches: usize,
}

/// The end of a step.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StepEndLine {
    /// Milliseconds since the attempt began.
    pub ms: u64,
    /// Its result.
    pub status: StepStatus,
    /// Its result, masked, where it is kept by `as` or short.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub value: Value,
}

/// The end of the attempt.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EndLine {
    /// Its result.
    pub status: FlowStatus,
    /// The version of the app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app_version: Option<String>,
    /// The commit that was checked out, and whether files differed from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}
