//! Contents of the app's screens that flows met, merged over several runs.

use std::collections::{BTreeSet, HashMap, HashSet};

use camino::Utf8Path;

use super::HistoryWarning;
use super::past_run::Details;
use super::read::History;

/// Number of newest runs that are read. Chosen: with many more, a flow would match code of screens that it no
/// longer reaches; with few, a flow that rarely runs would not be known.
const MAX_RUNS: usize = 30;
/// Names and texts kept per flow, from all runs and devices. Chosen: many times what a flow of ordinary
/// length meets; it bounds the memory for flows with endless lists.
const MAX_CONTENTS_PER_FLOW: usize = 1000;

/// Activities, ids and texts that each flow met, by the flow's path.
#[derive(Debug, Clone, Default)]
pub struct ScreenNamesByFlow {
    by_flow: HashMap<String, BTreeSet<String>>,
}

impl ScreenNamesByFlow {
    /// Reads the newest runs of a folder of runs, or of one file that holds several. Returns nothing if the
    /// path does not exist.
    ///
    /// It never fails: problems are in the warnings.
    pub fn read(path: &Utf8Path) -> (Self, Vec<HistoryWarning>) {
        let history = History::read_with(path, Details::Met, MAX_RUNS);
        (Self::from_history(&history), history.warnings)
    }

    /// Collects the contents from a history that was read with [`Details::Met`], newest results first, up to 1000 for
    /// each flow. A flow that never passed is left out, as it may not have come to most of its screens. Empty if the
    /// history was read otherwise.
    pub fn from_history(history: &History) -> Self {
        let mut by_flow: HashMap<String, BTreeSet<String>> = HashMap::new();
        let mut passed = HashSet::new();
        for run in history.runs.iter().rev() {
            let mut met: Vec<_> = run.met.iter().collect();
            met.sort_by_key(|(at, _)| std::cmp::Reverse(**at));
            for (at, met) in met {
                let result = &run.flows[*at];
                if result.outcome.is_passed() {
                    passed.insert(result.id.flow.as_str());
                }
                let known = by_flow.entry(result.id.flow.clone()).or_default();
                for name in met.all() {
                    // A known one takes no room.
                    if known.len() < MAX_CONTENTS_PER_FLOW {
                        known.insert(name.clone());
                    }
                }
            }
        }
        by_flow.retain(|flow, _| passed.contains(flow.as_str()));
        Self { by_flow }
    }

    /// Returns what a flow met, by its path relative to the root. Returns `None` if it never passed in the
    /// runs that were read.
    pub fn get(&self, flow: &str) -> Option<&BTreeSet<String>> {
        self.by_flow.get(flow)
    }
}
