//! Requests to an app host and its answers. Their JSON is described in `crates/app-host/PROTOCOL.md`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::tree::{self, HostNode};
use runner_picture::Frame;
use runner_screen::Rect;

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum HostRequest {
    /// Creates the app's `Application`.
    Begin {
        config: HostConfig,
        /// Run-time permissions that are granted.
        permissions: Vec<String>,
        /// Uptime in milliseconds.
        now: u64,
    },
    Start {
        intent: HostIntent,
    },
    /// The task has left the foreground.
    Background,
    /// The task has come back to the foreground.
    Foreground,
    /// The device's settings have changed.
    Configure {
        /// All settings, not only those that changed.
        config: HostConfig,
    },
    /// Pointer events of one gesture.
    Pointer {
        /// Window of the touch-down.
        #[serde(skip_serializing_if = "Option::is_none")]
        window: Option<i32>,
        /// Windows that are told of a touch outside.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        outside: Vec<i32>,
        events: Vec<PointerEvent>,
    },
    Key {
        /// Android's key code.
        code: u32,
        /// Android's meta state: bits of the modifier keys that are held.
        #[serde(skip_serializing_if = "is_zero")]
        meta: u32,
        /// Milliseconds for which it is held.
        #[serde(skip_serializing_if = "is_zero")]
        hold: u32,
    },
    /// Text for the focused view.
    Text {
        text: String,
        mode: TextMode,
    },
    /// An accessibility action on a node.
    Action {
        window: i32,
        node: i64,
        #[serde(flatten)]
        action: NodeAction,
    },
    /// Lets time pass.
    Advance {
        ms: u64,
    },
    /// Lets time pass until the app is idle.
    Settle {
        /// Most milliseconds.
        limit: u64,
    },
    /// Reads the windows with their nodes.
    Look,
    /// Draws windows; the answer has them in [`HostReply::pictures`].
    Draw {
        windows: Vec<i32>,
    },
    /// Answers of a permission dialog.
    Permissions {
        /// Number from [`HostEvent::Permissions`].
        request: i64,
        /// Permissions by name; true if granted.
        granted: BTreeMap<String, bool>,
    },
    /// A permission was granted or revoked by `pm`.
    Permission {
        name: String,
        granted: bool,
    },
    /// The person has closed the keyboard by its own key.
    ImeHidden,
    /// The clipboard has changed.
    Clipboard {
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
    /// Returns the real time that the host may take: 5 s, as Android gives an app for an input. `Begin` has a minute,
    /// since classes are loaded; `Start`, `Configure` and `Foreground` have 20 s; `Advance`, `Look` and `Draw` have 15
    /// s. `Settle` has 2 s more than its own limit.
    pub fn limit(&self) -> Duration {
        match self {
            Self::Begin { .. } => Duration::from_mins(1),
            Self::Start { .. } | Self::Configure { .. } | Self::Foreground => {
                Duration::from_secs(20)
            }
            // A host waits in real time for the app's other threads, up to the request's own limit.
            Self::Settle { limit } => Duration::from_millis(*limit) + Duration::from_secs(2),
            Self::Advance { .. } | Self::Look | Self::Draw { .. } => Duration::from_secs(15),
            _ => Duration::from_secs(5),
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HostIntent {
    /// Action, such as `android.intent.action.VIEW`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// Component, as `package/.Activity`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// Extras by key.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extras: BTreeMap<String, HostExtra>,
    /// `FLAG_ACTIVITY_…`.
    #[serde(skip_serializing_if = "is_zero")]
    pub flags: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostExtra {
    /// Java's name of its type, such as `string`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub value: serde_json::Value,
}

impl HostExtra {
    /// Parses an extra of `am`, by its flag. Knows `--ez`, `--ei`, `--el`, `--ef`, `--eu`, `--ecn`, `--esa` and
    /// `--eia`; any other flag gives a string, also `--ed` and `--ela` of Android. Lists are separated by commas, and a
    /// boolean is false unless it is `true`, `t` or `1`, in any case. Returns `None` if a number is malformed.
    ///
    /// The name of the extra is not part of `text`.
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

    /// Returns an extra that is a text.
    pub fn text(value: &str) -> Self {
        Self {
            kind: "string",
            value: value.into(),
        }
    }
}

/// The device's settings as apps see them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostConfig {
    /// Pixels of the rotated display.
    pub width: u32,
    /// Pixels of the rotated display.
    pub height: u32,
    /// Dots per inch.
    pub density: u32,
    /// Quarter turns.
    pub rotation: u8,
    pub dark: bool,
    /// Factor of the font size.
    pub font_scale: f32,
    /// Locale, such as `en-US`.
    pub locale: String,
    /// Airplane mode: no network.
    pub airplane: bool,
    /// Wall clock at uptime 0, in milliseconds since 1970.
    pub wall_clock: i64,
    /// Areas that the system's bars and the keyboard cover.
    pub insets: Insets,
}

/// Heights in pixels that system windows cover.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Insets {
    pub status: u32,
    pub navigation: u32,
    /// Keyboard; 0 while it is hidden.
    pub ime: u32,
}

/// A pointer event, as Android's `MotionEvent`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointerEvent {
    /// Milliseconds since the start of the request.
    pub t: u64,
    pub action: PointerAction,
    /// Index in `pointers` of the finger that comes or goes.
    #[serde(skip_serializing_if = "is_first")]
    pub index: usize,
    /// All fingers that are down.
    pub pointers: Vec<Pointer>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands out references"
)]
fn is_first(index: &usize) -> bool {
    *index == 0
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PointerAction {
    /// The first finger comes down.
    Down,
    /// One or more fingers move.
    Move,
    /// The last finger leaves.
    Up,
    /// Another finger comes down.
    PointerDown,
    /// One of several fingers leaves.
    PointerUp,
    /// The system takes the gesture away.
    Cancel,
}

/// One finger of a pointer event.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Pointer {
    /// Number of the finger.
    pub id: u32,
    /// Pixels of the display.
    pub x: f32,
    /// Pixels of the display.
    pub y: f32,
}

/// Way in which text comes into a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TextMode {
    /// Key by key.
    Keys,
    /// At once, as a keyboard commits it.
    Commit,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum NodeAction {
    /// Replaces the text.
    SetText { text: String },
    /// Sets a range's value.
    SetProgress { number: f32 },
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct HostReply {
    /// Result of the request; empty if the request was refused, and for most requests.
    #[serde(default, rename = "ok")]
    pub answer: HostAnswer,
    /// Reason why the request was refused, if it was.
    #[serde(default, rename = "error")]
    pub refusal: Option<HostRefusal>,
    /// State of the app after the request.
    #[serde(default)]
    pub state: HostState,
    /// Events since the last answer, in their order.
    #[serde(default)]
    pub events: Vec<HostEvent>,
    /// Pixels of the windows that were drawn.
    #[serde(skip)]
    pub pictures: Vec<HostFrame>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct HostRefusal {
    pub kind: RefusalKind,
    pub message: String,
    /// Java's stack trace, or empty.
    pub trace: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// There is no such activity.
    Unresolved,
    /// The window or node is gone.
    Stale,
    /// The view does not take the action.
    Refused,
    /// The framework on this computer cannot do it; the message says what is missing.
    Unsupported,
    /// The app has crashed: nothing runs any more.
    Crashed,
    /// A fault of the host, not of the app.
    #[default]
    #[serde(other)]
    Internal,
}

impl RefusalKind {
    /// Returns true if the host or its framework is at fault, and not the app or the caller.
    pub fn is_fault(self) -> bool {
        matches!(self, Self::Unsupported | Self::Internal)
    }
}

/// The parts of an answer that this device reads.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct HostAnswer {
    /// Answer of `look`: windows from back to front.
    pub windows: Option<Vec<HostWindow>>,
    /// Answer of `settle`: milliseconds that have passed. 0 for other requests.
    pub moved: u64,
    /// Answer of `threads`: the stack of the main thread. Empty for other requests.
    pub main: String,
    /// All other fields.
    #[serde(flatten)]
    pub other: serde_json::Map<String, serde_json::Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct HostFrame {
    pub window: i32,
    /// Pixels in RGBA, premultiplied.
    pub picture: Arc<Frame>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct HostState {
    /// Uptime in milliseconds.
    pub now: u64,
    /// No work is due.
    pub idle: bool,
    /// Reason why it is not idle: `thread` or `network`.
    pub busy: Option<String>,
    /// A counter that rises when visible contents may have changed.
    pub dirty: Option<u64>,
    /// The activity in front, as `package/.Activity`; `None` when all are closed.
    pub front: Option<String>,
    /// The app's requests to the keyboard.
    pub ime: HostIme,
    /// Orientation that the activity in front requests: a constant of `ActivityInfo.screenOrientation`.
    pub orientation: Option<i32>,
    /// Look of the system's bars that the app requests.
    pub bars: Bars,
    /// Error while the host collected this state.
    pub fault: Option<String>,
}

/// The app's requests to the keyboard.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct HostIme {
    /// The keyboard should be shown.
    pub shown: bool,
    /// Android's `inputType`.
    pub input_type: u32,
    /// Android's `imeOptions`.
    pub ime_options: u32,
    /// Number of requests to show it so far.
    pub requests: u64,
}

/// Look of the system's bars that the app requests.
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
    /// The status bar is light, so its icons are dark.
    pub light_status: bool,
    /// The navigation bar is light, so its icons are dark.
    pub light_navigation: bool,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum HostEvent {
    /// A line of the log.
    Log {
        /// `V`, `D`, `I`, `W`, `E`, `F`.
        priority: char,
        #[serde(default)]
        tag: String,
        #[serde(default)]
        message: String,
    },
    Toast {
        #[serde(default)]
        text: String,
    },
    /// The app started an activity of another app.
    Intent {
        #[serde(default)]
        action: Option<String>,
        /// Link.
        #[serde(default)]
        data: Option<String>,
        #[serde(default)]
        package: Option<String>,
        /// Component, as `package/.Activity`.
        #[serde(default)]
        component: Option<String>,
    },
    /// The app requests permissions.
    Permissions {
        /// Number that the answer must name.
        request: i64,
        names: Vec<String>,
    },
    /// The app has set the clipboard.
    Clipboard {
        #[serde(default)]
        text: String,
    },
    /// The app needs a feature that this framework lacks.
    Unsupported {
        /// Name of the feature.
        #[serde(default)]
        what: String,
    },
    /// An uncaught exception.
    Crash {
        /// Its class.
        #[serde(default)]
        exception: String,
        /// Its message.
        #[serde(default)]
        message: Option<String>,
        /// Its stack trace, as Java prints it.
        #[serde(default)]
        trace: String,
        /// Name of the thread.
        #[serde(default)]
        thread: Option<String>,
        /// The native library or method that was missing.
        #[serde(default)]
        native: Option<String>,
    },
    /// The app has ended its process.
    Exit {
        #[serde(default)]
        code: i32,
    },
    /// An event of a newer host.
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the protocol's flags are independent"
)]
#[serde(default)]
pub struct HostWindow {
    /// Number in this host.
    pub id: i32,
    pub kind: HostWindowKind,
    pub title: String,
    /// Its activity, as `package/.Activity`.
    pub component: Option<String>,
    /// Bounds on the display: left, top, right, bottom.
    pub frame: [i32; 4],
    /// Opacity of the black over the windows behind, 0 to 1.
    pub dim: f32,
    /// The window takes keys.
    pub focusable: bool,
    /// Takes touches.
    pub touchable: bool,
    /// Takes touches outside of its bounds too, while it is focusable.
    pub touch_modal: bool,
    /// Gets events of touches outside (`FLAG_WATCH_OUTSIDE_TOUCH`).
    pub watch_outside: bool,
    /// The window has the focus.
    pub focused: bool,
    /// Secret: must not be in pictures (`FLAG_SECURE`).
    pub secure: bool,
    /// Root node. `None` if the host sent no nodes.
    #[serde(rename = "nodes", deserialize_with = "tree::read")]
    pub root: Option<HostNode>,
}

impl HostWindow {
    /// Returns its bounds on the display, as of the answer that told them.
    pub fn bounds(&self) -> Rect {
        let [left, top, right, bottom] = self.frame;
        Rect::new(left, top, right, bottom)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostWindowKind {
    Activity,
    Dialog,
    /// A menu, a list of choices, a tooltip.
    Popup,
    Toast,
    #[default]
    #[serde(other)]
    Other,
}
