//! Settings and state that all files of one reading share.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::ast::Flow;
use crate::cases::Matrix;
use crate::vocabulary::Vocabulary;
use runner_text::secret::Scrubber;

/// Maximum nesting of sub-flows. Chosen: far above real projects, and reading recurses.
pub(crate) const MAX_CHAIN: usize = 16;

/// Maximum number of `run` steps in one flow with all its sub-flows. Chosen: files that each run the next one
/// twice would grow exponentially.
pub(crate) const MAX_RUNS: usize = 500;

/// Returns the circle that a file at `path` would make of the files that run each other, `chain`, for people:
/// `a.yaml -> b.yaml -> a.yaml`. `None` if it runs none of them.
pub(crate) fn find_circle(chain: &[Utf8PathBuf], path: &Utf8Path) -> Option<String> {
    let at = chain.iter().position(|file| file == path)?;
    let mut circle: Vec<&str> = chain[at..].iter().map(|file| file.as_str()).collect();
    circle.push(path.as_str());
    Some(circle.join(" -> "))
}

/// Settings of the project that affect reading.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Absolute path of the project's root. Sub-flows must lie below it, and keys of flows are relative to
    /// it.
    pub root: Utf8PathBuf,
    /// Names of variables from `runner.yaml`, `--env-file` and `--env`.
    pub env: BTreeSet<String>,
    /// Names whose values are secret in all flows.
    pub secrets: Vec<String>,
    /// Values that diagnostics must not quote.
    pub hidden: Scrubber,
    /// True if flows may use `shell:`.
    pub allow_shell: bool,
    /// Matrix for flows without one of their own.
    pub matrix: Option<Arc<Matrix>>,
}

/// Maestro flows by path and whether they run on Android.
pub(super) type MaestroFlows = HashMap<(Utf8PathBuf, bool), Option<Arc<Flow>>>;

/// State that all files of one reading share.
pub(crate) struct Project<'a> {
    pub(crate) options: &'a ReadOptions,
    pub(crate) vocabulary: &'a Vocabulary,
    runs: std::cell::Cell<usize>,
    /// Maestro sub-flows that were already read, by path and whether they run on Android. `None`: unreadable,
    /// and reported already.
    pub(crate) maestro_flows: RefCell<MaestroFlows>,
}

impl<'a> Project<'a> {
    /// Creates the state for the reading of one flow: no sub-flow is counted or read yet.
    pub(super) fn new(options: &'a ReadOptions, vocabulary: &'a Vocabulary) -> Self {
        Self {
            options,
            vocabulary,
            runs: std::cell::Cell::new(0),
            maestro_flows: RefCell::default(),
        }
    }

    /// Counts a use of a sub-flow. Returns the number of uses so far, with this one. The caller compares it with
    /// [`MAX_RUNS`].
    pub(crate) fn count_run(&self) -> usize {
        let runs = self.runs.get() + 1;
        self.runs.set(runs);
        runs
    }
}
