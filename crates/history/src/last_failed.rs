//! Finds the flows that failed when they last ran, for `--last-failed`.

use std::collections::HashMap;

use super::past_run::RunState;
use super::read::History;
use super::{CaseKey, Outcome};

/// Flows and cases that did not pass the last time they ran.
///
/// Each counts by the newest run that planned it: neither runs of other flows nor runs that skipped it change
/// anything. A flow that failed on a device counts as failed until it passes there, or in a run whose flows
/// are for any device. In a killed run, executions that never ended count as failed. A flaky flow counts as
/// failed if flaky flows fail that run.
#[derive(Debug, Clone, Default)]
pub struct LastFailed {
    /// Result of the last run on each device.
    failed: HashMap<CaseKey, DeviceFailures>,
    /// Numbers of the first and the last run of each flow or case.
    runs: HashMap<CaseKey, (usize, usize)>,
}

/// True for each device, by label, on which the flow failed last. The key is `None` for executions that
/// reached no device.
type DeviceFailures = HashMap<Option<String>, bool>;

fn is_failed(on: &DeviceFailures) -> bool {
    on.values().any(|failed| *failed)
}

impl LastFailed {
    /// Computes the failures from all runs of a history but those that still go on. For each device the newest run
    /// that has a result counts, and of several results of a run one failure is enough; a run whose flows were for any
    /// device counts for all devices. A skipped flow keeps its earlier result, an interrupted one failed, and so did a
    /// planned flow of a killed run without a result. A flaky one failed only if the run says so. Results of a flow
    /// without a case, as of one that did not read, are outdated by later ones of its cases.
    pub fn from_history(history: &History) -> Self {
        let mut failed: HashMap<CaseKey, DeviceFailures> = HashMap::new();
        let mut runs: HashMap<CaseKey, (usize, usize)> = HashMap::new();
        let over = history.runs.iter();
        let over = over.filter(|run| run.state != RunState::Running);
        for (number, run) in over.enumerate() {
            // A flow may run several times on a device: one failure is enough.
            let mut of_run: HashMap<CaseKey, DeviceFailures> = HashMap::new();
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
            for key in of_run.keys().filter(|key| key.case.is_some()) {
                let whole = CaseKey {
                    flow: key.flow.clone(),
                    case: None,
                };
                if let Some(known) = failed.get_mut(&whole) {
                    known.clear();
                }
            }
            for (key, on) in of_run {
                runs.entry(key.clone()).or_insert((number, number)).1 = number;
                let known = failed.entry(key).or_default();
                // A result without a device is outdated once the flow ran on one.
                if run.is_spread {
                    known.clear();
                }
                known.remove(&None);
                known.extend(on);
            }
        }
        Self { failed, runs }
    }

    /// Returns true if the flow or case did not pass on some device when it last ran. A new one has not failed, and
    /// neither has one that was only skipped. If the flow failed without a case, as one that did not read, and none of
    /// its cases ran since, all its cases count as failed.
    pub fn has(&self, flow: &str, case: Option<&str>) -> bool {
        let has = |case: Option<&str>| {
            let key = CaseKey {
                flow: flow.to_owned(),
                case: case.map(ToOwned::to_owned),
            };
            self.failed.get(&key).is_some_and(is_failed)
        };
        has(case) || case.is_some() && has(None)
    }

    /// Returns true if any run that is over has a result of the flow or case, also a skipped one, or planned it and was
    /// killed before.
    pub fn knows(&self, flow: &str, case: Option<&str>) -> bool {
        self.failed.contains_key(&CaseKey {
            flow: flow.to_owned(),
            case: case.map(ToOwned::to_owned),
        })
    }

    /// Returns true if another flow or case ran for the first time after this one ran for the last time. Then
    /// this one may have been renamed. One that never ran has no successor.
    pub fn has_successor(&self, key: &CaseKey) -> bool {
        let last = self.runs.get(key).map(|(_, last)| *last);
        let mut firsts = self.runs.values().map(|(first, _)| *first);
        firsts.any(|first| last.is_some_and(|last| first > last))
    }

    /// Lists the flows and cases that failed on some device when they last ran, in no order.
    pub fn keys(&self) -> impl Iterator<Item = &CaseKey> {
        let failed = self.failed.iter().filter(|(_, on)| is_failed(on));
        failed.map(|(key, _)| key)
    }

    pub fn count(&self) -> usize {
        self.failed.values().filter(|on| is_failed(on)).count()
    }
}
