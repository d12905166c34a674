//! Answers of an app host: results and refusals, the app's state, its events and its windows.

use std::sync::Arc;

use serde::Deserialize;

use super::super::tree::{self, HostNode};
use runner_picture::Frame;
use runner_screen::Rect;

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
