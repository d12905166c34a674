//! Settings that all flows of a run share.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexMap;

use super::Debugger;
use runner_base::context::Context;
use runner_config::{Config, only_flow_folder};
use runner_snapshot::Store;
use runner_text::secret::Scrubber;

/// Options that only the command line has.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an independent option of the command line"
)]
pub struct Options {
    /// Number of failed flows after which the run stops. None never stops it.
    pub max_failures: Option<u32>,
    /// Seed by which the order was shuffled. The order of the plan is kept then.
    pub shuffle: Option<u64>,
    /// True if a flaky flow fails the run.
    pub fail_on_flaky: bool,
    /// True if a snapshot without a picture for the device fails.
    pub strict_pixels: bool,
    /// True if a flow that fits no device of the run is skipped; otherwise it stops the run.
    pub allow_unfit: bool,
    /// Seed of random data. None lets each run choose one.
    pub seed: Option<u32>,
    /// True if the run may read standard input, for `pause`.
    pub may_ask: bool,
    /// Debugger that is asked before steps and after failures.
    pub debugger: Option<Arc<dyn Debugger>>,
    /// Results that each flow begins with, as if earlier steps had stored them.
    pub results: Arc<IndexMap<String, serde_json::Value>>,
    /// Folder of the history, if attempts are recorded.
    pub recordings: Option<Utf8PathBuf>,
    /// Watcher of traces while they are made. It replaces the artifact folder for their files.
    pub trace_watch: Option<super::TraceWatch>,
    /// Secrets of the server that runs it. The run knows them, and the server goes on masking what the run adds.
    pub known: Option<Scrubber>,
}

/// Resolved settings of a run.
#[derive(Debug, Clone)]
pub struct Settings {
    pub config: Arc<Config>,
    /// Process environment, for `${os.NAME}`.
    pub os: Arc<BTreeMap<String, String>>,
    pub store: Store,
    /// Options of all snapshots.
    pub snapshot_options: runner_snapshot::Options,
    pub run_id: String,
    /// Seed of random data.
    pub seed: u32,
    /// True if a person sits at the terminal, for `pause`.
    pub attended: bool,
    pub options: Options,
}

impl Options {
    /// Returns true if the first failure stops the run. A flow stops at its first failure then too.
    pub fn is_fail_fast(&self) -> bool {
        self.max_failures == Some(1)
    }
}

impl Settings {
    /// Resolves the settings of a run. Without a seed in the options it draws one. A person can be asked only
    /// at a terminal, not on a CI system, and if the options allow it.
    pub fn new(config: Config, context: &Context, options: Options, run_id: String) -> Self {
        Self {
            os: Arc::new(context.variables().clone()),
            store: config.store().for_one_run(),
            snapshot_options: runner_snapshot::Options {
                strict_pixels: options.strict_pixels,
                ..runner_snapshot::Options::default()
            },
            config: Arc::new(config),
            run_id,
            seed: options.seed.unwrap_or_else(|| fastrand::u32(..)),
            attended: context.stdin_is_terminal
                && context.stderr_is_terminal
                && !context.is_ci()
                && options.may_ask,
            options,
        }
    }
}

impl Settings {
    /// Returns the folder of a flow's goldens.
    pub fn golden_folder(&self, key: &Utf8Path) -> Utf8PathBuf {
        golden_folder(&self.config.flows.value, key)
    }
}

/// Returns the folder of a flow's goldens, relative to that of all goldens: its path without extension, below
/// the folder of flows if one holds all of `flows` and the flow is in it, else below the root.
pub fn golden_folder(flows: &[Utf8PathBuf], key: &Utf8Path) -> Utf8PathBuf {
    let only = only_flow_folder(flows);
    let below = only.and_then(|only| key.strip_prefix(only).ok());
    below.unwrap_or(key).to_owned()
}

/// Returns the folders that may have the goldens of a flow which is not read, by its file relative to the root: one of
/// Maestro's is filed without the dots at the start of its folders and name, and may keep its extension.
pub(super) fn possible_golden_folders(flows: &[Utf8PathBuf], file: &Utf8Path) -> [Utf8PathBuf; 3] {
    let without_dots = |path: &Utf8Path| -> Utf8PathBuf {
        let parts = path.components().map(|part| part.as_str());
        parts.map(|part| part.trim_start_matches('.')).collect()
    };
    let key = file.with_extension("");
    let keys = [without_dots(&key), without_dots(file), key];
    keys.map(|key| golden_folder(flows, &key))
}
