//! Recording in memory.

use std::sync::Arc;

use serde_json::Value;

use super::format::{EndLine, FilePosition, Head, LookContext, Touch};
use runner_event::{FlowStatus, StepStatus};
use runner_flow::StepPath;
use runner_screen::{DisplayContext, NodeIndex, Screen, ScreenError};

/// Screens, acts and steps of an attempt, in order.
#[derive(Debug, Clone)]
pub struct Recording {
    pub head: Head,
    /// End of the attempt. None if the run was killed.
    pub end: Option<EndLine>,
    /// Looks, each with other rows than the one before.
    pub looks: Vec<Look>,
    pub acts: Vec<Act>,
    /// Steps, in the order in which they began.
    pub steps: Vec<RecordedStep>,
}

/// Screen with the time at which it was seen.
#[derive(Debug, Clone)]
pub struct Look {
    /// Time of the first look, in milliseconds since the attempt began.
    pub ms: u64,
    /// Time of the last look, in milliseconds since the attempt began.
    pub until_ms: u64,
    /// Dump, shared by looks with the same rows.
    pub dump: Arc<(String, LookContext)>,
}

impl Look {
    /// Parses the screen.
    ///
    /// # Errors
    /// [`ScreenError`] if the dump cannot be parsed.
    pub fn screen(&self) -> Result<Screen, ScreenError> {
        Screen::parse(self.dump.0.as_bytes(), &DisplayContext::from(&self.dump.1))
    }
}

/// Inputs that were sent together, or commands of one step, such as a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Act {
    /// Milliseconds since the attempt began.
    pub ms: u64,
    /// Index in [`Recording::steps`] of the step that did it. None if no step was open.
    pub step: Option<usize>,
    /// Number of looks before it.
    pub looks: usize,
    /// Inputs. Empty for an act by commands.
    pub inputs: Vec<Touch>,
}

/// Element that a selector matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundElement {
    /// Index in [`Recording::looks`].
    pub look: usize,
    /// First matching node.
    pub node: NodeIndex,
    /// Number of matching nodes.
    pub matches: usize,
}

/// One run of a step: a step of a loop has several.
#[derive(Debug, Clone)]
pub struct RecordedStep {
    /// Path of the step in the flow.
    pub path: StepPath,
    /// The step as written.
    pub title: String,
    /// Place of the step in its file.
    pub at: FilePosition,
    /// Time at which it began, in milliseconds since the attempt did.
    pub ms: u64,
    /// Status. None if it was cut off: the attempt ended first, or a timeout around it.
    pub status: Option<StepStatus>,
    /// Time at which it ended, in milliseconds since the attempt began; that of its begin if it is not known.
    pub until_ms: u64,
    /// Result, if it was stored.
    pub value: Value,
    /// Element that its selector matched last.
    pub found: Option<FoundElement>,
    /// Steps ran inside it.
    pub has_steps: bool,
    /// Number of looks of the recording before the step ended, or was cut off.
    pub looks: usize,
    /// Range of its acts: from the number of acts before it began to that before it ended.
    pub acts: std::ops::Range<usize>,
}

impl RecordedStep {
    /// Returns true for a step that acted on the device itself, by inputs or by commands, not by steps inside it.
    pub fn acted(&self) -> bool {
        !self.has_steps && !self.acts.is_empty()
    }

    /// Returns true for a step that passed, or failed and was optional.
    pub fn passed(&self) -> bool {
        matches!(self.status, Some(StepStatus::Passed | StepStatus::Warned))
    }
}

impl Recording {
    /// Returns true for an attempt that passed, also after a failed one. One without an end did not.
    pub fn passed(&self) -> bool {
        let status = self.end.as_ref().map(|end| end.status);
        matches!(status, Some(FlowStatus::Passed | FlowStatus::Flaky))
    }

    /// Describes the recording for people: date and minute in the time zone of the recording, the device's label, and
    /// version of the app and commit if it knows them, such as
    /// `recorded 2026-11-29 10:00 on virtual, app 1.2, commit abc`.
    pub fn provenance(&self) -> String {
        let started = self.head.started.get(..16).unwrap_or(&self.head.started);
        let mut words = format!(
            "recorded {} on {}",
            started.replace('T', " "),
            self.head.id.device
        );
        if let Some(version) = self.end.as_ref().and_then(|end| end.app_version.as_ref()) {
            words.push_str(&format!(", app {version}"));
        }
        if let Some(commit) = self.end.as_ref().and_then(|end| end.commit.as_ref()) {
            words.push_str(&format!(", commit {commit}"));
        }
        words
    }
}
