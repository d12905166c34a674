//! Run that was read from a file.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, FixedOffset};

use super::format::{FlowResult, ResultId, ScreenNames, StepResult};

/// Run of the history. Its whole duration and its exit code are in the file, but not here.
#[derive(Debug)]
pub struct PastRun {
    pub id: String,
    pub started: DateTime<FixedOffset>,
    pub state: RunState,
    /// Results of flows, in the order in which they ended.
    pub flows: Vec<FlowResult>,
    /// Steps by index in [`Self::flows`], if [`Details::StepsOf`] asked for them.
    pub steps: HashMap<usize, Vec<StepResult>>,
    /// Screens' contents by index in [`Self::flows`], if [`Details::Met`] asked for them.
    pub met: HashMap<usize, ScreenNames>,
    /// True if the flows were planned for any of the run's devices.
    pub is_spread: bool,
    /// True if flaky flows failed the run. False for a killed run, which did not write it.
    pub fails_on_flaky: bool,
    /// Executions that were planned. Empty if the run came to its end.
    pub(super) planned: Vec<ResultId>,
}

/// State of a run at the time of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// The run wrote its last line.
    Complete,
    /// Another process still writes the file.
    Running,
    /// The process ended before the run did.
    Killed,
}

/// Lines that are parsed in addition to results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Details<'a> {
    None,
    /// Steps of the flow with this path relative to the root.
    StepsOf(&'a str),
    /// Contents of the screens that each flow met.
    Met,
}

impl PastRun {
    /// Returns the planned executions of a killed run that have no result. A case that is planned for any
    /// device has one if it ended on some device. Empty for other runs.
    pub fn never_ended(&self) -> Vec<&ResultId> {
        if self.state != RunState::Killed {
            return Vec::new();
        }
        let ended: HashSet<&ResultId> = self.flows.iter().map(|flow| &flow.id).collect();
        // A case planned for any device ends on one of them.
        let anywhere: HashSet<_> = ended.iter().map(|id| id.without_device()).collect();
        let has_ended = |planned: &ResultId| match planned.device {
            Some(_) => ended.contains(planned),
            None => anywhere.contains(&planned.without_device()),
        };
        let planned = self.planned.iter();
        planned.filter(|planned| !has_ended(planned)).collect()
    }

    /// Returns the number of its results and of its executions that were planned.
    pub(super) fn size(&self) -> usize {
        self.flows.len() + self.planned.len()
    }
}
