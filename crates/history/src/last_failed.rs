//! What failed when it last ran.

use std::collections::HashMap;

use super::read::{History, RunState};
use super::{CaseKey, Outcome};

/// Flows and cases that did not pass the last time they were to run.
///
/// Each by the newest run that planned it: what a later run of other flows did says nothing about it, and neither does a run
/// that skipped it. A flow that failed on a device has failed until it passes there, or in a run whose flows are for any
/// device. Of a run that was killed, what never ended counts as failed. A flaky flow has failed in a run that flaky flows
/// fail.
#[derive(Debug, Clone, Default)]
pub struct LastFailed {
    /// Whether the last run on each device left it failed.
    failed: HashMap<CaseKey, OnDevices>,
    /// The first and the last run of each, by its number.
    runs: HashMap<CaseKey, (usize, usize)>,
}

/// Whether a flow failed, by the label of the device; none where it never began on one.
type OnDevices = HashMap<Option<String>, bool>;

fn is_failed(on: &OnDevices) -> bool {
    on.values().any(|failed| *failed)
}

impl LastFailed {
    /// From what was read.
    pub fn of(history: &History) -> Self {
        let mut failed: HashMap<CaseKey, OnDevices> = HashMap::new();
        let mut runs: HashMap<CaseKey, (usize, usize)> = HashMap::new();
        let over = history.runs.iter();
        let over = over.filter(|run| run.state != RunState::Running);
        for (number, run) in over.enumerate() {
            // Several times on a device: one failure is enough.
            let mut of_run: HashMap<CaseKey, OnDevices> = HashMap::new();
            for flow in &run.flows {
                let is_failed = match flow.outcome {
                    Outcome::Skipped => {
                        failed.entry(flow.id.key()).or_default();
                        continue;
                    }
                    Outcome::Flaky => run.fails_on_flaky,
                    outcome => !outcome.is_passed(),
                };
                let on = of_run.entry(flow.id.key()).or_default();
                *on.entry(flow.id.device.clone()).or_default() |= is_failed;
            }
            for id in run.never_ended() {
                let on = of_run.entry(id.key()).or_default();
                on.insert(id.device.clone(), true);
            }
            for (key, on) in of_run {
                runs.entry(key.clone()).or_insert((number, number)).1 = number;
                let known = failed.entry(key).or_default();
                // What was for any device, or reached none, is over once it ran on one.
                if run.is_spread {
                    known.clear();
                }
                known.remove(&None);
                known.extend(on);
            }
        }
        Self { failed, runs }
    }

    /// Whether a flow or case did not pass when it last ran. One that is new has not failed.
    pub fn has(&self, flow: &str, case: Option<&str>) -> bool {
        let key = CaseKey {
            flow: flow.to_owned(),
            case: case.map(ToOwned::to_owned),
        };
        self.failed.get(&key).is_some_and(is_failed)
    }

    /// Whether it ever was to run.
    pub fn knows(&self, flow: &str, case: Option<&str>) -> bool {
        self.failed.contains_key(&CaseKey {
            flow: flow.to_owned(),
            case: case.map(ToOwned::to_owned),
        })
    }

    /// Whether a flow or case ran for the first time after this one ran last: it may be the same under another name.
    pub fn has_successor(&self, key: &CaseKey) -> bool {
        let last = self.runs.get(key).map(|(_, last)| *last);
        let mut firsts = self.runs.values().map(|(first, _)| *first);
        firsts.any(|first| last.is_some_and(|last| first > last))
    }

    /// What has failed.
    pub fn keys(&self) -> impl Iterator<Item = &CaseKey> {
        let failed = self.failed.iter().filter(|(_, on)| is_failed(on));
        failed.map(|(key, _)| key)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.failed.values().filter(|on| is_failed(on)).count()
    }
}
