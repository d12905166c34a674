//! What failed when it last ran.

use std::collections::HashMap;

use super::read::{History, RunState};
use super::{CaseKey, Outcome};

/// Flows and cases that did not pass the last time they were to run.
///
/// Each by the newest run that planned it: what a later run of other flows did says nothing about it. Of a run that was
/// killed, what never ended counts as failed.
#[derive(Debug, Clone, Default)]
pub struct LastFailed {
    /// Whether its last run left it failed.
    failed: HashMap<CaseKey, bool>,
    /// How many the newest run left failed.
    newest: usize,
}

impl LastFailed {
    /// From what was read.
    pub fn of(history: &History) -> Self {
        let mut failed: HashMap<CaseKey, bool> = HashMap::new();
        let mut newest = 0;
        let over = history.runs.iter();
        for run in over.filter(|run| run.state != RunState::Running) {
            // On several devices, or several times: one failure is enough.
            let mut of_run: HashMap<CaseKey, bool> = HashMap::new();
            for flow in &run.flows {
                let is_failed = !flow.outcome.is_passed() && flow.outcome != Outcome::Skipped;
                *of_run.entry(flow.id.key()).or_default() |= is_failed;
            }
            for id in run.never_ended() {
                of_run.insert(id.key(), true);
            }
            newest = of_run.values().filter(|failed| **failed).count();
            failed.extend(of_run);
        }
        Self { failed, newest }
    }

    /// Whether a flow or case did not pass when it last ran. One that is new has not failed.
    pub fn has(&self, flow: &str, case: Option<&str>) -> bool {
        let key = CaseKey {
            flow: flow.to_owned(),
            case: case.map(ToOwned::to_owned),
        };
        self.failed.get(&key).copied().unwrap_or_default()
    }

    /// Whether it ever was to run.
    pub fn knows(&self, flow: &str, case: Option<&str>) -> bool {
        self.failed.contains_key(&CaseKey {
            flow: flow.to_owned(),
            case: case.map(ToOwned::to_owned),
        })
    }

    /// How many failed in the newest run.
    pub fn newest(&self) -> usize {
        self.newest
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.failed.values().filter(|failed| **failed).count()
    }
}
