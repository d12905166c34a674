//! What flows met on the screens of the app, over several runs.

use std::collections::{BTreeSet, HashMap, HashSet};

use camino::Utf8Path;

use super::HistoryWarning;
use super::read::{Details, History};

/// So many runs are read: what a flow met long ago it may not meet any more.
const RUNS: usize = 30;
/// Names and texts of one flow, from all its runs and devices.
const MOST: usize = 1000;

/// The screens, ids and texts that each flow met.
#[derive(Debug, Clone, Default)]
pub struct MetByFlow {
    of: HashMap<String, BTreeSet<String>>,
}

impl MetByFlow {
    /// Reads the newest runs of a folder, or of one file that holds some. Where nothing is, nothing is known.
    ///
    /// It never fails: what cannot be read is in the warnings.
    pub fn read(path: &Utf8Path) -> (Self, Vec<HistoryWarning>) {
        let history = History::read_with(path, Details::Met, RUNS);
        (Self::of(&history), history.warnings)
    }

    /// From what was read already. A flow that never passed may not have come to most of its screens: it is not known.
    pub fn of(history: &History) -> Self {
        let mut of: HashMap<String, BTreeSet<String>> = HashMap::new();
        let mut passed = HashSet::new();
        for run in history.runs.iter().rev() {
            for (at, met) in &run.met {
                let result = &run.flows[*at];
                if result.outcome.is_passed() {
                    passed.insert(result.id.flow.as_str());
                }
                let known = of.entry(result.id.flow.clone()).or_default();
                let left = MOST.saturating_sub(known.len());
                known.extend(met.all().take(left).cloned());
            }
        }
        of.retain(|flow, _| passed.contains(flow.as_str()));
        Self { of }
    }

    /// What a flow met, by its path below the root; none where no run in which it passed noted it.
    pub fn get(&self, flow: &str) -> Option<&BTreeSet<String>> {
        self.of.get(flow)
    }
}
