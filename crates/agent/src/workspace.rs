//! Holds what all agent tools share: the project, the device, the recorder and the secrets.

use std::sync::Arc;
use std::time::Duration;

use camino::Utf8Path;

use super::record::{GivenSecret, Recorder};
use super::remains::Remains;
use super::runs::LastRun;
use runner_base::context::Context;
use runner_config::Config;
use runner_engine::Session;
use runner_run::Connection;
use runner_text::secret::{Scrubber, sounds_secret};
use runner_tools::{Failure, paths};

/// Time to wait for the device at the end of a server. Chosen: above the limits that teardown and putting
/// settings back have of their own.
const IDLE_TIMEOUT: Duration = Duration::from_secs(45);

/// Bytes from which a variable's value counts as a secret. Chosen: a shorter value stands in too many texts
/// by chance, and masking it would spoil them.
const MIN_SECRET_BYTES: usize = 6;

/// Returns true if a variable's name sounds like a secret and its value has at least 6 bytes. A flow may read it, but
/// nothing shows it.
pub(crate) fn is_secret(name: &str, value: &str) -> bool {
    value.len() >= MIN_SECRET_BYTES && sounds_secret(name)
}

/// Returns the secrets that flows read by a name, with the expressions that do so: values of the project's secret
/// names, overridden ones too, and variables of the environment that are secret.
fn given_secrets(config: &Config, context: &Context) -> Vec<GivenSecret> {
    let given = |text: &str, expression| GivenSecret {
        text: text.to_owned(),
        expression,
    };
    let mut secrets = Vec::new();
    for name in &config.secrets {
        // An overridden value too: its file still contains it, but a flow should not.
        for value in [&config.command_env, &config.file_env]
            .into_iter()
            .filter_map(|values| values.get(name))
        {
            secrets.push(given(value, format!("${{{name}}}")));
        }
    }
    for (name, value) in context.variables() {
        if is_secret(name, value) || config.secrets.contains(name) {
            secrets.push(given(value, format!("${{os.{name}}}")));
        }
    }
    secrets
}

/// Adds the names of this environment's variables that are secret to `secrets` of a run's settings, so that it masks what
/// a flow computes from one, too. Not for settings that flows are read with: there, each secret must have a value in `env`.
pub fn add_secret_variables(config: &mut Config, context: &Context) {
    let variables = context.variables().iter();
    let secret = variables.filter(|(name, value)| is_secret(name, value));
    config.secrets.extend(secret.map(|(name, _)| name.clone()));
}

/// Project and its device, for one server. All its clients share it.
#[derive(Debug)]
pub struct Workspace {
    pub config: Config,
    /// Environment of the process.
    pub context: Context,
    /// Last run of flows, for `runner://report/last`.
    pub runs: Arc<LastRun>,
    pub connection: Arc<Connection>,
    pub recorder: Recorder,
    /// Masks secrets in all that clients receive.
    pub scrubber: Scrubber,
    /// Parts of the secrets that were typed.
    pub(crate) remains: Remains,
    /// True if agents may accept snapshots.
    pub allow_accept: bool,
}

impl Workspace {
    /// Creates a workspace on the device that the project's settings name.
    pub fn new(config: Config, context: Context, allow_accept: bool) -> Self {
        let connection = Connection::new(&config, "runner mcp");
        Self::on(connection, config, context, allow_accept)
    }

    /// Creates a workspace like [`Workspace::new`], with a connection that another program than `runner mcp` made.
    /// Secrets of the settings and of secret variables are masked from now on. `allow_accept` lets clients accept
    /// goldens. No device is opened.
    pub fn on(
        connection: Connection,
        config: Config,
        context: Context,
        allow_accept: bool,
    ) -> Self {
        let connection = Arc::new(connection);
        let scrubber = config.known_secrets();
        let given = given_secrets(&config, &context);
        for secret in &given {
            scrubber.add(&secret.text);
        }
        let recorder = Recorder::knowing(given, scrubber.clone());
        Self {
            config,
            context,
            runs: Arc::default(),
            connection,
            recorder,
            scrubber,
            remains: Remains::default(),
            allow_accept,
        }
    }

    /// Masks from now on what fields of the last look hold of a typed secret.
    pub(crate) fn hide_remains(&self, session: &Session) {
        if let Some(screen) = session.last_screen() {
            self.remains.hide(&screen, &self.scrubber);
        }
    }

    /// Refuses a file that is not there yet and would be named by a secret, or be in a new folder that is.
    pub(crate) fn refuse_secret_name(&self, path: &Utf8Path) -> Result<(), Failure> {
        let present = path.ancestors().find(|part| part.exists());
        let new = present.and_then(|present| path.strip_prefix(present).ok());
        paths::refuse_secret(new.unwrap_or(path), &self.scrubber)
    }

    /// Waits until nobody uses the device, at most 45 s; returns all the same if somebody still does. For the end of a
    /// server: a run whose call was dropped still does its teardown.
    pub async fn wait_for_idle(&self) {
        // A run that takes longer hangs, and ends with the process.
        let _ = tokio::time::timeout(IDLE_TIMEOUT, self.connection.lock_exclusive()).await;
    }
}
