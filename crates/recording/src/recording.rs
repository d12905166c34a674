//! A recording in memory.

use std::sync::Arc;

use serde_json::Value;

use super::format::{EndLine, Head, Place, Surroundings, Touch};
use runner_event::{FlowStatus, StepStatus};
use runner_flow::StepPath;
use runner_screen::{DisplayContext, NodeIndex, Screen, ScreenError};

/// The screens, acts and steps of an attempt, in order.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The attempt.
    pub head: Head,
    /// Its end; none of a run that was killed.
    pub end: Option<EndLine>,
    /// The looks, each with other rows than the one before.
    pub looks: Vec<Look>,
    /// The acts.
    pub acts: Vec<Act>,
    /// The steps, in the order in which they began.
    pub steps: Vec<RecordedStep>,
}

/// A screen, and when it was seen.
#[derive(Debug, Clone)]
pub struct Look {
    /// Time at which it was seen first, in milliseconds since the attempt began.
    pub ms: u64,
    /// Time at which it was seen last.
    pub until_ms: u64,
    /// The dump, shared by looks with the same rows.
    pub dump: Arc<(String, Surroundings)>,
}

impl Look {
    /// Reads the screen.
    ///
    /// # Errors
    /// [`ScreenError`] where the dump is none.
    pub fn screen(&self) -> Result<Screen, ScreenError> {
        Screen::parse(self.dump.0.as_bytes(), &DisplayContext::from(&self.dump.1))
    }
}

/// Something that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Act {
    /// When, in milliseconds since the attempt began.
    pub ms: u64,
    /// The step that did it, by its place in [`Recording::steps`].
    pub step: Option<usize>,
    /// Number of looks before it.
    pub looks: usize,
    /// The inputs; none for what was done by commands.
    pub inputs: Vec<Touch>,
}

/// An element that a selector matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundElement {
    /// The look, by its place in [`Recording::looks`].
    pub look: usize,
    /// The first node.
    pub node: NodeIndex,
    /// Number of nodes that matched.
    pub matches: usize,
}

/// A step as it ran.
#[derive(Debug, Clone)]
pub struct RecordedStep {
    /// Its path in the flow.
    pub path: StepPath,
    /// The step as a person wrote it.
    pub title: String,
    /// Its place in its file.
    pub at: Place,
    /// Time at which it began, in milliseconds since the attempt did.
    pub ms: u64,
    /// Its result; none if the attempt ended first.
    pub status: Option<StepStatus>,
    /// Time at which it ended.
    pub until_ms: u64,
    /// Its result, where it was kept.
    pub value: Value,
    /// The element that its selector matched last.
    pub found: Option<FoundElement>,
    /// It holds steps that ran.
    pub has_steps: bool,
    /// Looks that came before it ended.
    pub looks: usize,
    /// Acts that came before it began, and before it ended.
    pub acts: std::ops::Range<usize>,
}

impl RecordedStep {
    /// Returns true for a step that did something itself.
    pub fn acted(&self) -> bool {
        !self.has_steps && !self.acts.is_empty()
    }

    /// Returns true for a step that ended as its flow wants it.
    pub fn passed(&self) -> bool {
        matches!(self.status, Some(StepStatus::Passed | StepStatus::Warned))
    }
}

impl Recording {
    /// Returns true for an attempt that passed.
    pub fn passed(&self) -> bool {
        let status = self.end.as_ref().map(|end| end.status);
        matches!(status, Some(FlowStatus::Passed | FlowStatus::Flaky))
    }

    /// Returns the name of the recording for people: when it was made, the app's version and the commit.
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
