//! What every flow of a run shares.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexMap;

use super::Debugger;
use runner_base::context::Context;
use runner_config::{Config, RecordMode, ScreenshotUse};
use runner_engine::{DialogRule, StorageLocation};
use runner_snapshot::{Redactions, Store, UpdateMode, Variants};
use runner_text::diagnostic::Source;

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
    /// Who looks at traces while they are made, and where their files go instead of among the artifacts.
    pub trace_watch: Option<super::TraceWatch>,
}

/// Settings of a run, resolved.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The project's root, absolute.
    pub root: Utf8PathBuf,
    /// Folder of artifacts, absolute.
    pub artifacts: Utf8PathBuf,
    /// Env below the flow's header: `runner.yaml`.
    pub env_below: IndexMap<String, String>,
    /// Env above the flow's header: `--env-file`, then `--env`.
    pub env_above: IndexMap<String, String>,
    /// The process environment, for `${os.NAME}`.
    pub os: Arc<BTreeMap<String, String>>,
    /// Names of secret env values.
    pub secrets: Vec<String>,
    /// Default limit of a flow.
    pub flow_timeout: Duration,
    /// Default limit of a step's looking.
    pub step_timeout: Duration,
    /// Default limit of teardown.
    pub teardown_timeout: Duration,
    /// A flow that takes longer is named.
    pub slow_after: Option<Duration>,
    /// Whether a flow runs on any device.
    pub spread: bool,
    /// Default retries of a flow.
    pub retries: u32,
    /// When attempts are traced.
    pub trace: RecordMode,
    /// When videos are made.
    pub video: RecordMode,
    /// Folders of the device that the file tools may use.
    pub locations: Vec<StorageLocation>,
    /// What to do with dialogs that would hide the app.
    pub dialogs: Arc<[DialogRule]>,
    /// `runner.yaml`, where there is one.
    pub project_source: Option<Arc<Source>>,
    /// `shell:` is allowed.
    pub allow_shell: bool,
    /// Hosts that `http:` may reach.
    pub http_hosts: Arc<[String]>,
    /// What `takeScreenshot` of Maestro's flows makes.
    pub maestro_screenshots: ScreenshotUse,
    /// The goldens.
    pub store: Store,
    /// Which goldens are written.
    pub update: UpdateMode,
    /// Defaults of `snapshot:` steps, as JSON in the shape of its options.
    pub snapshot_defaults: serde_json::Value,
    /// What holds for all snapshots.
    pub snapshot_options: runner_snapshot::Options,
    /// Redactions of the project.
    pub redactions: Redactions,
    /// Which devices have variants of goldens.
    pub variants: Variants,
    /// Folders of flows, relative to the root.
    flow_folders: Vec<Utf8PathBuf>,
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
    pub fn new(config: &Config, context: &Context, options: Options, run_id: String) -> Self {
        Self {
            root: config.root.clone(),
            artifacts: config.artifacts.value.clone(),
            env_below: config.file_env.clone(),
            env_above: config.command_env.clone(),
            os: Arc::new(context.variables().clone()),
            secrets: config.secrets.clone(),
            flow_timeout: config.timeout.value,
            step_timeout: config.step_timeout.value,
            teardown_timeout: config.teardown_timeout.value,
            slow_after: config.slow_after.value,
            spread: config.spread.value,
            retries: config.retries.value,
            trace: config.trace.value,
            video: config.video.value,
            locations: config.storage.value.clone(),
            dialogs: Arc::clone(&config.dialogs),
            project_source: config.project_source.clone(),
            allow_shell: config.allow_shell.value,
            http_hosts: Arc::clone(&config.http_hosts),
            maestro_screenshots: config.maestro_screenshots,
            store: config.store().for_one_run(),
            update: config.update.value,
            snapshot_defaults: config.snapshot_defaults.clone(),
            snapshot_options: runner_snapshot::Options {
                strict_pixels: options.strict_pixels,
                ..runner_snapshot::Options::default()
            },
            redactions: config.redactions.clone(),
            variants: config.variants.clone(),
            flow_folders: config.flows.value.clone(),
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
        golden_folder(&self.flow_folders, key)
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
