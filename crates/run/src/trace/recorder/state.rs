//! State of a recorder: the steps, the newest look, the frames and the acts so far.

use std::sync::Arc;

use runner_device::{FingerPath, Input, Picture};
use runner_event::{Artifact, TraceAct, TraceFrame};
use runner_screen::{Rect, Screen};

#[derive(Default)]
pub(super) struct State {
    /// Milliseconds from the beginning of the run to that of the attempt.
    pub(super) began_ms: u64,
    /// Number of steps that have begun.
    pub(super) steps: usize,
    /// Index of the current step.
    pub(super) step: Option<usize>,
    /// Newest look, if it is not stored yet.
    pub(super) observed: Option<Observation>,
    /// Screen that was stored last.
    pub(super) last: Option<Arc<Screen>>,
    /// Password fields of the newest look and the one before: a screenshot may show either.
    pub(super) hidden: [Vec<Rect>; 2],
    /// Screenshot of the newest look.
    pub(super) picture: Option<Picture>,
    /// True if the last frame has no screenshot yet.
    pub(super) is_due: bool,
    /// Step of the last screenshot: each step has at most one, however often it acts.
    pub(super) pictured: Option<usize>,
    /// True if the session acted since the newest look.
    pub(super) has_acted: bool,
    pub(super) acts: Vec<TraceAct>,
    /// Frame that each step saw last, as in [`runner_event::Trace::observed`].
    pub(super) observed_by: Vec<Option<usize>>,
}

impl State {
    /// Notes the frame that a step saw, and replaces the one noted before.
    pub(super) fn note_observed(&mut self, step: usize, frame: Option<usize>) {
        if self.observed_by.len() <= step {
            self.observed_by.resize(step + 1, None);
        }
        self.observed_by[step] = frame;
    }
}

/// State at the beginning of a tool call.
pub(crate) struct CallBegin {
    pub(super) at_ms: u64,
    pub(super) acts: usize,
    /// Frame that the call began on.
    pub(super) frame: Option<usize>,
    /// Count of requests that may have changed the device.
    pub(super) changing: u64,
}

pub(super) struct Observation {
    pub(super) at_ms: u64,
    pub(super) step: Option<usize>,
    pub(super) screen: Arc<Screen>,
}

/// Frame whose files may still be being written.
#[derive(Clone)]
pub(super) struct Frame {
    pub(super) at_ms: u64,
    pub(super) step: Option<usize>,
    pub(super) size: [u32; 2],
    pub(super) screen: Option<Artifact>,
    pub(super) picture: Option<Artifact>,
}

impl Frame {
    /// Converts a frame for the report. `None` if its screen was not written.
    pub(super) fn into_trace(self) -> Option<TraceFrame> {
        Some(TraceFrame {
            at_ms: self.at_ms,
            step: self.step,
            size: self.size,
            screen: self.screen?,
            picture: self.picture,
        })
    }
}

/// Returns the paths of the fingers of an input, in pixels: one point for a tap or long press, start and end
/// for a swipe. `None` for keys, text and pauses.
pub(super) fn touches(input: &Input) -> Option<Vec<Vec<[i32; 2]>>> {
    match input {
        Input::Tap(point) | Input::DoubleTap(point) | Input::LongPress(point, _) => {
            Some(vec![vec![[point.x, point.y]]])
        }
        Input::Swipe(gesture) | Input::Drag(gesture) => Some(vec![vec![
            [gesture.from.x, gesture.from.y],
            [gesture.to.x, gesture.to.y],
        ]]),
        Input::Fingers { paths, .. } => {
            let path = |path: &FingerPath| path.points.iter().map(|(at, _)| [at.x, at.y]).collect();
            Some(paths.iter().map(path).collect())
        }
        Input::Pause(_) | Input::Key { .. } | Input::Combination(_) | Input::Text(_) => None,
    }
}
