//! Estimates how long flows take, to order them and to divide them among shards.

use std::collections::HashMap;
use std::time::Duration;

use camino::Utf8Path;

use super::past_run::Details;
use super::read::History;
use super::{CaseKey, HistoryWarning};

/// Number of newest runs that are read. Chosen: a flow changes over time, so older runs say little; fewer
/// would miss flows that rarely run.
const MAX_RUNS: usize = 30;
/// Newest passed results per flow of which the median is taken. Chosen: odd and small, so that single slow
/// runs do not count and a change shows soon.
const MAX_SAMPLES: usize = 9;

/// Expected duration of each flow or case: the median of the last times it passed, on any device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Durations {
    by_key: HashMap<CaseKey, Duration>,
}

impl Durations {
    /// Reads the newest runs of a folder of runs, or of one file that holds several. Returns no durations if
    /// the path does not exist.
    ///
    /// It never fails: problems are in the warnings.
    pub fn read(path: &Utf8Path) -> (Self, Vec<HistoryWarning>) {
        let history = History::read_with(path, Details::None, MAX_RUNS);
        (Self::from_history(&history), history.warnings)
    }

    /// Computes the durations from a history that was already read: for each flow or case the median of its newest
    /// passed results, at most nine. Flaky results count, with the time of the attempt that passed.
    pub fn from_history(history: &History) -> Self {
        let mut times: HashMap<CaseKey, Vec<u64>> = HashMap::new();
        let newest_runs = history.runs.iter().rev();
        let newest = newest_runs.flat_map(|run| run.flows.iter().rev());
        for flow in newest.filter(|flow| flow.outcome.is_passed()) {
            let times = times.entry(flow.id.key()).or_default();
            if times.len() < MAX_SAMPLES {
                times.push(flow.ms);
            }
        }
        let by_key = times
            .into_iter()
            .filter_map(|(key, mut times)| Some((key, median(&mut times)?)))
            .map(|(key, ms)| (key, Duration::from_millis(ms)));
        Self {
            by_key: by_key.collect(),
        }
    }

    /// Builds durations from given ones, without cases.
    pub fn known(flows: impl IntoIterator<Item = (String, Duration)>) -> Self {
        let key = |(flow, took)| (CaseKey { flow, case: None }, took);
        Self {
            by_key: flows.into_iter().map(key).collect(),
        }
    }

    /// Returns the duration of a flow or case, or `None` if it never passed in the history. A flow with cases
    /// has no duration of its own.
    pub fn get(&self, flow: &str, case: Option<&str>) -> Option<Duration> {
        let key = CaseKey {
            flow: flow.to_owned(),
            case: case.map(ToOwned::to_owned),
        };
        self.by_key.get(&key).copied()
    }

    /// Returns the median of all flows and cases, for a flow that has no duration of its own. Returns `None`
    /// without durations.
    pub fn typical(&self) -> Option<Duration> {
        let mut all: Vec<Duration> = self.by_key.values().copied().collect();
        median(&mut all)
    }
}

/// Returns the median, of an even number of values the lower middle one; `None` without values. Sorts
/// `values`.
pub(super) fn median<T: Ord + Copy>(values: &mut [T]) -> Option<T> {
    values.sort_unstable();
    values.get(values.len().checked_sub(1)? / 2).copied()
}
