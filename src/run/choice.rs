//! Which of the planned cases are run, how often, and in which order.

use regex::Regex;

use super::{Plan, PlanError, PlannedCase};
use crate::history::LastFailed;

/// What the command line leaves of a plan.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Only what failed when it last ran.
    pub last_failed: Option<LastFailed>,
    /// Only what this finds in `path › name › case`.
    pub grep: Option<Regex>,
    /// Nothing that this finds there.
    pub grep_invert: Option<Regex>,
    /// Each so often.
    pub repeat_each: Option<u32>,
    /// In an order by this seed.
    pub shuffle: Option<u64>,
}

impl Plan {
    /// Leaves what was chosen. Flows that do not read have no name and no case: they are found by their paths.
    ///
    /// # Errors
    /// Where a pattern leaves nothing. That nothing failed when it last ran is no error: the plan is empty.
    pub fn choose(&mut self, choice: &Choice) -> Result<(), PlanError> {
        let found = self.cases.len() + self.unreadable.len();
        self.cases.retain(|case| choice.takes(&told(case)));
        self.unreadable
            .retain(|(path, _)| choice.takes(path.as_str()));
        if self.is_empty() {
            return Err(PlanError::NoMatch { found });
        }
        if let Some(last_failed) = &choice.last_failed {
            self.cases.retain(|case| {
                let name = case.case.as_ref().map(|case| case.name.as_str());
                last_failed.has(case.flow.source.path.as_str(), name)
            });
            self.unreadable
                .retain(|(path, _)| last_failed.has(path.as_str(), None));
        }
        if let Some(times) = choice.repeat_each {
            self.repeat(times);
        }
        if let Some(seed) = choice.shuffle {
            fastrand::Rng::with_seed(seed).shuffle(&mut self.cases);
        }
        Ok(())
    }

    /// Nothing to run, and nothing that does not read.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty() && self.unreadable.is_empty()
    }

    /// The turns of a case stand beside each other.
    fn repeat(&mut self, times: u32) {
        let turns = |case: &PlannedCase| {
            let case = case.clone();
            (1..=times).map(move |turn| PlannedCase {
                repeat: Some(turn),
                ..case.clone()
            })
        };
        self.cases = self.cases.iter().flat_map(turns).collect();
    }
}

/// `path › name › case`.
fn told(case: &PlannedCase) -> String {
    let mut text = format!("{} › {}", case.flow.source.path, case.flow.name);
    if let Some(case) = &case.case {
        text.push_str(" › ");
        text.push_str(case.name.as_str());
    }
    text
}

impl Choice {
    fn takes(&self, told: &str) -> bool {
        let finds = |pattern: &Regex| pattern.is_match(told);
        self.grep.as_ref().is_none_or(finds) && !self.grep_invert.as_ref().is_some_and(finds)
    }
}
