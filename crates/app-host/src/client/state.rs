//! What each answer of a host says beside the answer: the app's state, and what happened since the last one.

use serde::Deserialize;
use serde_json::{Map, Value};

/// How the app stands after a request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct State {
    /// Milliseconds of the device's uptime.
    pub now: u64,
    /// Nothing is due but endless animations.
    pub idle: bool,
    /// When the next thing is due, in milliseconds of the device's uptime.
    pub next: Option<u64>,
    /// What keeps time running as real.
    pub busy: Option<Busy>,
    /// The activity in front, as `package/.Class`.
    pub front: Option<String>,
    /// The task, bottom to top.
    pub activities: Vec<ActivityState>,
    /// Whether the task is in front.
    pub foreground: bool,
    /// The keyboard, as the app wants it.
    pub ime: Ime,
    /// The orientation that the activity in front asks for, as `ActivityInfo` numbers them.
    pub orientation: i32,
    /// The system's bars, as the app wants them.
    pub bars: Bars,
}

/// What an app is at work with beside its main thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Busy {
    /// A thread of its own.
    Thread,
    /// The network.
    Network,
    /// What a newer host names.
    #[serde(other)]
    Other,
}

/// An activity of the task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ActivityState {
    /// As `package/.Class`.
    pub component: String,
    /// Its stage, such as `resumed`.
    pub stage: String,
}

/// The keyboard that an app wants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Ime {
    /// Whether it is up.
    pub shown: bool,
    /// `EditorInfo.inputType` of the field.
    pub input_type: i64,
    /// `EditorInfo.imeOptions` of the field.
    pub ime_options: i64,
}

/// The system's bars as an app wants them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are what the protocol says"
)]
pub struct Bars {
    /// No status bar.
    pub status_hidden: bool,
    /// No navigation bar.
    pub navigation_hidden: bool,
    /// Dark icons in the status bar.
    pub light_status: bool,
    /// Dark icons in the navigation bar.
    pub light_navigation: bool,
}

/// Something that happened since the last answer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A line of the log.
    Log(LogLine),
    /// A toast.
    Toast(Toast),
    /// An activity was started that the app does not have.
    Intent(Box<ForeignIntent>),
    /// Permissions are asked for.
    Permissions(PermissionRequest),
    /// The app set the clipboard.
    Clipboard {
        /// Its text.
        #[serde(default)]
        text: String,
    },
    /// A notification was posted.
    Notification(Notification),
    /// Something that the host cannot do; told once each.
    Unsupported {
        /// What.
        #[serde(default)]
        what: String,
    },
    /// The app crashed: nothing runs any more.
    Crash(Box<Crash>),
    /// The app called `System.exit`.
    Exit {
        /// With this code.
        #[serde(default)]
        code: i32,
    },
    /// What a newer host tells.
    #[serde(other)]
    Other,
}

/// A line of an app's log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct LogLine {
    /// The letter of its priority.
    pub priority: String,
    /// Its tag.
    pub tag: String,
    /// What it says.
    pub message: String,
}

/// A toast of an app.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Toast {
    /// What it says.
    pub text: String,
    /// How long it stays.
    pub ms: u64,
}

/// An intent for somebody else.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ForeignIntent {
    /// `android.intent.action.…`
    pub action: String,
    /// Its address.
    pub data: String,
    /// The package that should take it.
    pub package: String,
    /// The component that should take it.
    pub component: String,
    /// The type of its data.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it carries.
    pub extras: Map<String, Value>,
    /// The number under which the app waits for a result.
    pub request: Option<i64>,
}

/// Permissions that an app asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct PermissionRequest {
    /// The number under which the answer is given.
    pub request: i64,
    /// Their names.
    pub names: Vec<String>,
}

/// A notification of an app.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Notification {
    /// Its number.
    pub id: i64,
    /// Its title.
    pub title: String,
    /// Its text.
    pub text: String,
    /// Its channel.
    pub channel: String,
}

/// How an app crashed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Crash {
    /// The exception's class.
    pub exception: String,
    /// What it says.
    pub message: String,
    /// Its stack.
    pub trace: String,
    /// The thread.
    pub thread: String,
}
