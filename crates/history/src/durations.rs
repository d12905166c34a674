//! How long flows take, for those who order or share them out.

use std::collections::HashMap;
use std::time::Duration;

use camino::Utf8Path;

use super::read::{Details, History};
use super::{CaseKey, HistoryWarning};

/// So many runs are read: what a flow took long ago says little.
const RUNS: usize = 30;
/// So many passed results of a flow count, the newest.
const SAMPLES: usize = 9;

/// How long each flow or case took: the median of the last times it passed, on whichever device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Durations {
    of: HashMap<CaseKey, Duration>,
}

impl Durations {
    /// Reads the newest runs of a folder, or of one file that holds some. Where nothing is, nothing is known.
    ///
    /// It never fails: what cannot be read is in the warnings.
    pub fn read(path: &Utf8Path) -> (Self, Vec<HistoryWarning>) {
        let history = History::read_with(path, Details::None, RUNS);
        (Self::of(&history), history.warnings)
    }

    /// From what was read already.
    pub fn of(history: &History) -> Self {
        let mut times: HashMap<CaseKey, Vec<u64>> = HashMap::new();
        let newest = history.runs.iter().rev().flat_map(|run| &run.flows);
        for flow in newest.filter(|flow| flow.outcome.is_passed()) {
            let times = times.entry(flow.id.key()).or_default();
            if times.len() < SAMPLES {
                times.push(flow.ms);
            }
        }
        let of = times
            .into_iter()
            .filter_map(|(key, mut times)| Some((key, median(&mut times)?)))
            .map(|(key, ms)| (key, Duration::from_millis(ms)));
        Self { of: of.collect() }
    }

    /// Of flows of which the times are known.
    pub fn known(flows: impl IntoIterator<Item = (String, Duration)>) -> Self {
        let key = |(flow, took)| (CaseKey { flow, case: None }, took);
        Self {
            of: flows.into_iter().map(key).collect(),
        }
    }

    /// What a flow or case took, where it ever passed.
    pub fn get(&self, flow: &str, case: Option<&str>) -> Option<Duration> {
        let key = CaseKey {
            flow: flow.to_owned(),
            case: case.map(ToOwned::to_owned),
        };
        self.of.get(&key).copied()
    }

    /// What is taken for a flow of which nothing is known: the median of all others.
    pub fn typical(&self) -> Option<Duration> {
        let mut all: Vec<Duration> = self.of.values().copied().collect();
        median(&mut all)
    }
}

/// The middle one; of an even number the lower of the two in the middle.
pub(super) fn median<T: Ord + Copy>(values: &mut [T]) -> Option<T> {
    values.sort_unstable();
    values.get(values.len().checked_sub(1)? / 2).copied()
}
