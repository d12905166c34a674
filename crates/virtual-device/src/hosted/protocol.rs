//! Requests to a host and what it answers. The names of their JSON are those of `crates/app-host/PROTOCOL.md`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::tree;
use runner_picture::Frame;
use runner_screen::Rect;

/// What the device asks of a host.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum HostRequest {
    /// Creates the app's `Application`.
    Begin {
        /// The device's settings.
        config: HostConfig,
        /// Run-time permissions that are granted.
        permissions: Vec<String>,
        /// Uptime in milliseconds.
        now: u64,
    },
    /// Starts an activity.
    Start {
        /// Which.
        intent: HostIntent,
    },
    /// The task is no longer in front.
    Background,
    /// The task is in front again.
    Foreground,
    /// The device's settings have changed.
    Configure {
        /// All of them.
        config: HostConfig,
    },
    /// Fingers.
    Pointer {
        /// The window of the touch-down.
        #[serde(skip_serializing_if = "Option::is_none")]
        window: Option<i32>,
        /// Windows that are told of a touch outside.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        outside: Vec<i32>,
        /// What the fingers do.
        events: Vec<PointerEvent>,
    },
    /// A key.
    Key {
        /// Android's number of it.
        code: u32,
        /// Android's bits of the keys that are held.
        #[serde(skip_serializing_if = "is_zero")]
        meta: u32,
        /// How long it is held, in milliseconds.
        #[serde(skip_serializing_if = "is_zero")]
        hold: u32,
    },
    /// Text into what has the focus.
    Text {
        /// The text.
        text: String,
        /// By which way.
        mode: TextMode,
    },
    /// An accessibility action.
    Action {
        /// Window.
        window: i32,
        /// Node.
        node: i64,
        /// The action, with its argument.
        #[serde(flatten)]
        action: NodeAction,
    },
    /// Lets time pass.
    Advance {
        /// Milliseconds.
        ms: u64,
    },
    /// Lets time pass until nothing is due.
    Settle {
        /// Milliseconds at most.
        limit: u64,
    },
    /// Reads the windows.
    Look,
    /// Draws windows.
    Draw {
        /// Ids.
        windows: Vec<i32>,
    },
    /// The answers of a permission dialog.
    Permissions {
        /// The number of the question.
        request: i64,
        /// What was answered for each.
        granted: BTreeMap<String, bool>,
    },
    /// `pm grant` and `pm revoke`.
    Permission {
        /// The permission.
        name: String,
        /// Whether it is granted.
        granted: bool,
    },
    /// The person has closed the keyboard by its own key.
    ImeHidden,
    /// The clipboard has changed.
    Clipboard {
        /// Its text.
        text: String,
    },
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands out references"
)]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl HostRequest {
    /// How long the host may take, in real time. Android gives an app five seconds for an input; the process's first acts
    /// load classes, and drawing is the host's work.
    pub fn limit(&self) -> Duration {
        match self {
            Self::Begin { .. } => Duration::from_mins(1),
            Self::Start { .. } | Self::Configure { .. } | Self::Foreground => {
                Duration::from_secs(20)
            }
            // A host waits in real time for what the app does in other threads, up to the request's own limit.
            Self::Settle { limit } => Duration::from_millis(*limit) + Duration::from_secs(2),
            Self::Advance { .. } | Self::Look | Self::Draw { .. } => Duration::from_secs(15),
            _ => Duration::from_secs(5),
        }
    }
}

/// What an activity is started with.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HostIntent {
    /// Such as `android.intent.action.VIEW`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// A link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// `package/.Activity`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// Categories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// Extras by key.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extras: BTreeMap<String, HostExtra>,
    /// `FLAG_ACTIVITY_…`.
    #[serde(skip_serializing_if = "is_zero")]
    pub flags: u32,
}

/// An extra of an intent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostExtra {
    /// Java's name of its type, such as `string`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its value.
    pub value: serde_json::Value,
}

impl HostExtra {
    /// An extra as a flag of `am` has it; `None` where the text is no such value.
    pub fn read(flag: &str, text: &str) -> Option<Self> {
        let list = || text.split(',').map(str::trim);
        let (kind, value) = match flag {
            "--ez" => {
                let is_true = ["true", "t", "1"].contains(&text.to_ascii_lowercase().as_str());
                ("boolean", is_true.into())
            }
            "--ei" => ("int", text.parse::<i32>().ok()?.into()),
            "--el" => ("long", text.parse::<i64>().ok()?.into()),
            "--ef" => ("float", text.parse::<f32>().ok()?.into()),
            "--eu" => ("uri", text.into()),
            "--ecn" => ("component", text.into()),
            "--esa" => ("string_array", list().collect::<Vec<_>>().into()),
            "--eia" => {
                let numbers: Result<Vec<i32>, _> = list().map(str::parse).collect();
                ("int_array", numbers.ok()?.into())
            }
            _ => ("string", text.into()),
        };
        Some(Self { kind, value })
    }

    /// A text.
    pub fn text(value: &str) -> Self {
        Self {
            kind: "string",
            value: value.into(),
        }
    }
}

/// The device's settings as an app sees them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostConfig {
    /// Pixels of the turned display.
    pub width: u32,
    /// Pixels of the turned display.
    pub height: u32,
    /// Dots an inch.
    pub density: u32,
    /// Quarter turns.
    pub rotation: u8,
    /// The dark theme.
    pub dark: bool,
    /// How much larger letters are.
    pub font_scale: f32,
    /// Such as `en-US`.
    pub locale: String,
    /// Without a network.
    pub airplane: bool,
    /// The date at uptime 0, in milliseconds since 1970.
    pub wall_clock: i64,
    /// What the system's bars and the keyboard cover.
    pub insets: Insets,
}

/// Heights in pixels that the system's windows cover.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Insets {
    /// The status bar.
    pub status: u32,
    /// The navigation bar.
    pub navigation: u32,
    /// The keyboard; 0 while it is hidden.
    pub ime: u32,
}

/// What fingers do at a time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointerEvent {
    /// Milliseconds since the request begins.
    pub t: u64,
    /// What.
    pub action: PointerAction,
    /// Which of the fingers comes or goes, by its place in `pointers`.
    #[serde(skip_serializing_if = "is_first")]
    pub index: usize,
    /// All that are down.
    pub pointers: Vec<Pointer>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands out references"
)]
fn is_first(index: &usize) -> bool {
    *index == 0
}

/// A finger's act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PointerAction {
    /// The first comes down.
    Down,
    /// One or more move.
    Move,
    /// The last leaves.
    Up,
    /// Another comes down.
    PointerDown,
    /// One of several leaves.
    PointerUp,
    /// The system takes the gesture away.
    Cancel,
}

/// A finger's place.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Pointer {
    /// Its number.
    pub id: u32,
    /// Pixels of the display.
    pub x: f32,
    /// Pixels of the display.
    pub y: f32,
}

/// The way of a text into a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TextMode {
    /// By keys.
    Keys,
    /// As a keyboard commits it.
    Commit,
}

/// What accessibility has a node do.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum NodeAction {
    /// The text becomes this.
    SetText {
        /// The text.
        text: String,
    },
    /// The number becomes this.
    SetProgress {
        /// The number.
        number: f32,
    },
}

/// A host's answer.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct HostReply {
    /// What was asked for.
    #[serde(default, rename = "ok")]
    pub answer: HostAnswer,
    /// Why it was not done.
    #[serde(default, rename = "error")]
    pub refusal: Option<HostRefusal>,
    /// How the app is now.
    #[serde(default)]
    pub state: HostState,
    /// What has happened since the last answer, in its order.
    #[serde(default)]
    pub events: Vec<HostEvent>,
    /// Pixels of the windows that were drawn.
    #[serde(skip)]
    pub pictures: Vec<HostFrame>,
}

/// Why a host has not done what it was asked.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct HostRefusal {
    /// What kind of reason it is.
    pub kind: RefusalKind,
    /// The reason.
    pub message: String,
    /// Java's calls, where there are some.
    pub trace: String,
}

/// Kinds of reasons why a host does not do what it is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// There is no such activity.
    Unresolved,
    /// There is no such window or node any more.
    Stale,
    /// The view does not take the action.
    Refused,
    /// The framework on this computer cannot do it; the message names what.
    Unsupported,
    /// The app has crashed: nothing runs any more.
    Crashed,
    /// A fault of the host, not of the app.
    #[default]
    #[serde(other)]
    Internal,
}

impl RefusalKind {
    /// Whether what the app runs in is to blame, and not the app.
    pub fn is_fault(self) -> bool {
        matches!(self, Self::Unsupported | Self::Internal)
    }
}

/// The parts of an answer that this device reads.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct HostAnswer {
    /// Of `look`, back to front.
    pub windows: Option<Vec<HostWindow>>,
    /// Of `settle`: milliseconds that have passed.
    pub moved: u64,
    /// Of `threads`: the calls of the main thread.
    pub main: String,
    /// What else it says.
    #[serde(flatten)]
    pub other: serde_json::Map<String, serde_json::Value>,
}

/// A drawn window.
#[derive(Debug, Clone, PartialEq)]
pub struct HostFrame {
    /// Its window.
    pub window: i32,
    /// RGBA, premultiplied.
    pub picture: Arc<Frame>,
}

/// How an app is.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct HostState {
    /// Its uptime in milliseconds.
    pub now: u64,
    /// Nothing is due.
    pub idle: bool,
    /// What keeps it from being idle: `thread` or `network`.
    pub busy: Option<String>,
    /// Rises when something that shows may have changed.
    pub dirty: Option<u64>,
    /// The activity in front, `package/.Activity`; none when all are closed.
    pub front: Option<String>,
    /// The keyboard.
    pub ime: HostIme,
    /// The orientation that the activity in front asks for, Android's number.
    pub orientation: Option<i32>,
    /// What the app wants of the system's bars.
    pub bars: Bars,
    /// What went wrong in making this.
    pub fault: Option<String>,
}

/// What an app wants of the keyboard.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct HostIme {
    /// It is to be shown.
    pub shown: bool,
    /// Android's `inputType`.
    pub input_type: u32,
    /// Android's `imeOptions`.
    pub ime_options: u32,
    /// Counts how often it was asked for.
    pub requests: u64,
}

/// What an app wants of the system's bars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the protocol's flags are independent"
)]
#[serde(default)]
pub struct Bars {
    /// The status bar is hidden.
    pub status_hidden: bool,
    /// The navigation bar is hidden.
    pub navigation_hidden: bool,
    /// The status bar is light, so what is on it is dark.
    pub light_status: bool,
    /// The navigation bar is light.
    pub light_navigation: bool,
}

/// What has happened in a host.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum HostEvent {
    /// A line of the log.
    Log {
        /// `V`, `D`, `I`, `W`, `E`, `F`.
        priority: char,
        /// Tag.
        #[serde(default)]
        tag: String,
        /// Message.
        #[serde(default)]
        message: String,
    },
    /// A toast.
    Toast {
        /// Its text.
        #[serde(default)]
        text: String,
    },
    /// An activity was started that is not the app's.
    Intent {
        /// Action.
        #[serde(default)]
        action: Option<String>,
        /// Link.
        #[serde(default)]
        data: Option<String>,
        /// Package.
        #[serde(default)]
        package: Option<String>,
        /// `package/.Activity`.
        #[serde(default)]
        component: Option<String>,
    },
    /// The app asks for permissions.
    Permissions {
        /// The number of the question.
        request: i64,
        /// Which.
        names: Vec<String>,
    },
    /// The app has set the clipboard.
    Clipboard {
        /// Its text.
        #[serde(default)]
        text: String,
    },
    /// Something that this framework cannot do.
    Unsupported {
        /// What.
        #[serde(default)]
        what: String,
    },
    /// An exception that nobody has caught.
    Crash {
        /// Its class.
        #[serde(default)]
        exception: String,
        /// Its message.
        #[serde(default)]
        message: Option<String>,
        /// Its calls, as Java prints them.
        #[serde(default)]
        trace: String,
        /// The thread.
        #[serde(default)]
        thread: Option<String>,
        /// The native library or method that it lacks.
        #[serde(default)]
        native: Option<String>,
    },
    /// The app has ended its process.
    Exit {
        /// The exit code.
        #[serde(default)]
        code: i32,
    },
    /// An event of a newer host.
    #[serde(other)]
    Unknown,
}

/// A window of an app.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the protocol's flags are independent"
)]
#[serde(default)]
pub struct HostWindow {
    /// Its number in this host.
    pub id: i32,
    /// What it is.
    pub kind: HostWindowKind,
    /// Title.
    pub title: String,
    /// Its activity.
    pub component: Option<String>,
    /// Its place on the display: left, top, right, bottom.
    pub frame: [i32; 4],
    /// How much what is behind it is dimmed, 0 to 1.
    pub dim: f32,
    /// It takes keys.
    pub focusable: bool,
    /// It takes touches.
    pub touchable: bool,
    /// It takes touches outside of itself too.
    pub touch_modal: bool,
    /// It is told of touches outside.
    pub watch_outside: bool,
    /// It has the focus.
    pub focused: bool,
    /// It may not be in pictures.
    pub secure: bool,
    /// Its root.
    #[serde(rename = "nodes", deserialize_with = "tree::read")]
    pub root: Option<HostNode>,
}

impl HostWindow {
    /// Its place on the display.
    pub fn bounds(&self) -> Rect {
        let [left, top, right, bottom] = self.frame;
        Rect::new(left, top, right, bottom)
    }
}

/// What kind of window it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostWindowKind {
    /// Of an activity.
    Activity,
    /// A dialog.
    Dialog,
    /// A menu, a list of choices, a tooltip.
    Popup,
    /// A toast.
    Toast,
    /// Another one.
    #[default]
    #[serde(other)]
    Other,
}

/// A node that is seen.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "accessibility's attributes are independent booleans"
)]
#[serde(default)]
pub struct HostNode {
    /// Stays while the view is there.
    pub id: i64,
    /// How many nodes it is below the root.
    pub depth: u32,
    /// `text`.
    pub text: String,
    /// `resource-id`.
    pub res: String,
    /// `class`.
    pub class: String,
    /// `content-desc`.
    pub desc: String,
    /// `hint`.
    pub hint: String,
    /// `checkable`.
    pub checkable: bool,
    /// `checked`.
    pub checked: bool,
    /// `clickable`.
    pub clickable: bool,
    /// `enabled`.
    pub enabled: bool,
    /// `focusable`.
    pub focusable: bool,
    /// `focused`.
    pub focused: bool,
    /// `scrollable`.
    pub scrollable: bool,
    /// `long-clickable`.
    pub long_clickable: bool,
    /// `password`.
    pub password: bool,
    /// `selected`.
    pub selected: bool,
    /// Text can be put in.
    pub editable: bool,
    /// `bounds`: left, top, right, bottom.
    pub bounds: [i32; 4],
    /// Its place among all children of its parent.
    pub index: u32,
    /// `drawing-order`.
    pub order: u32,
    /// Of a view with a number.
    pub range: Option<HostRange>,
    /// Children that are seen.
    #[serde(skip)]
    pub children: Vec<HostNode>,
}

impl HostNode {
    /// The first node that is wanted, parents first.
    pub fn find(&self, is_wanted: &impl Fn(&Self) -> bool) -> Option<&Self> {
        if is_wanted(self) {
            return Some(self);
        }
        self.children.iter().find_map(|child| child.find(is_wanted))
    }

    /// Its place on the display.
    pub fn place(&self) -> Rect {
        let [left, top, right, bottom] = self.bounds;
        Rect::new(left, top, right, bottom)
    }
}

/// The numbers of a view with a range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct HostRange {
    /// Least.
    pub min: f64,
    /// Greatest.
    pub max: f64,
    /// Now.
    pub now: f64,
}
