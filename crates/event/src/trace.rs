//! Types of the trace and the video in the event stream.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Artifact;

/// What was kept of an attempt, so that it can be walked through. Times are milliseconds since the attempt began, and
/// steps are counted from 0 in the order in which they began.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trace {
    /// The screens, in the order in which they were seen: each differs from the one before.
    pub frames: Vec<TraceFrame>,
    /// What was done, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acts: Vec<TraceAct>,
    /// For each step, by its number, the place in `frames` of the screen that it saw last.
    #[serde(rename = "seen", default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<Option<usize>>,
    /// Log lines of the app. Before each stand the milliseconds at which it came, and a tab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<Artifact>,
}

/// A screen of a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TraceFrame {
    /// When it was seen.
    pub at_ms: u64,
    /// The step that saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// Width and height of the display, in pixels.
    pub size: [u32; 2],
    /// The whole look: a dump of all nodes, packed with gzip, its secrets masked.
    pub screen: Artifact,
    /// The screenshot, made small, where one was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<Artifact>,
}

/// Something that a step did to the device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TraceAct {
    /// When it was begun.
    pub at_ms: u64,
    /// The step that did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// The place in `frames` of the screen that it met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<usize>,
    /// Where fingers were: the path of each, `[x, y]` in pixels of the display. Empty for keys and commands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<Vec<[i32; 2]>>,
}

/// A part of the video of an attempt. Between two parts a moment is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VideoPiece {
    /// When it begins, in milliseconds since the attempt began.
    pub at_ms: u64,
    /// The file (MP4).
    pub file: Artifact,
}
