//! What every flow of a run shares.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexMap;

use super::Debugger;
use runner_base::context::Context;
use runner_config::Config;
use runner_snapshot::Store;

/// Options of a run that only the command line has.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub struct Options {
    /// Stop after so many failed flows; never where none.
    pub max_failures: Option<u32>,
    /// The order was shuffled by this seed: it stays as the plan has it.
    pub shuffle: Option<u64>,
    /// A flaky flow fails the run.
    pub fail_on_flaky: bool,
    /// A snapshot without a picture for the device fails.
    pub strict_pixels: bool,
    /// A flow that fits no device of the run is skipped.
    pub allow_unfit: bool,
    /// Of random data; without it each run has its own.
    pub seed: Option<u32>,
    /// Standard input belongs to whoever runs the flows: `pause` may read it.
    pub may_ask: bool,
    /// Who is asked before the steps and after a failure, where somebody is.
    pub debugger: Option<Arc<dyn Debugger>>,
    /// Results that each flow begins with, as if steps before had kept them.
    pub results: Arc<IndexMap<String, serde_json::Value>>,
    /// The history's folder, where attempts are recorded in it.
    pub recordings: Option<Utf8PathBuf>,
    /// Who looks at traces while they are made, and where their files go instead of among the artifacts.
    pub trace_watch: Option<super::TraceWatch>,
}

/// Settings of a run, resolved.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Settings of the program.
    pub config: Arc<Config>,
    /// The process environment, for `${os.NAME}`.
    pub os: Arc<BTreeMap<String, String>>,
    /// The goldens.
    pub store: Store,
    /// What holds for all snapshots.
    pub snapshot_options: runner_snapshot::Options,
    /// Unique id of the run.
    pub run_id: String,
    /// Of random data.
    pub seed: u32,
    /// A person sits at the terminal, for `pause`.
    pub attended: bool,
    /// From the command line.
    pub options: Options,
}

impl Options {
    /// A flow stops at its first failure too.
    pub fn is_fail_fast(&self) -> bool {
        self.max_failures == Some(1)
    }
}

impl Settings {
    /// From the configuration.
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
    /// Where the goldens of a flow lie.
    pub fn golden_folder(&self, key: &Utf8Path) -> Utf8PathBuf {
        golden_folder(&self.config.flows.value, key)
    }
}

/// Where the goldens of a flow lie: its path below the one folder of flows, else below the root, without extension.
pub fn golden_folder(flow_folders: &[Utf8PathBuf], key: &Utf8Path) -> Utf8PathBuf {
    let below = match flow_folders {
        [only] => key.strip_prefix(only).ok(),
        _ => None,
    };
    below.unwrap_or(key).to_owned()
}
