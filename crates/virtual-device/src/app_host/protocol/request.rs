//! Requests to an app host, with the settings, intents and pointer events in them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

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
    /// Draws windows; the answer has them in [`HostReply::pictures`](super::HostReply::pictures).
    Draw {
        windows: Vec<i32>,
    },
    /// Answers of a permission dialog.
    Permissions {
        /// Number from [`HostEvent::Permissions`](super::HostEvent::Permissions).
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
