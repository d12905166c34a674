//! What an agent works with: the project, the device, and what was done so far.

use std::sync::Arc;
use std::time::Duration;

use super::record::Recorder;
use super::runs::LastRun;
use runner_base::context::Context;
use runner_config::Config;
use runner_run::Connection;
use runner_text::secret::{Scrubber, sounds_secret};

/// Longest wait for the device at the end: a teardown and putting settings back have their own limits below it.
const IDLE_LIMIT: Duration = Duration::from_secs(45);

/// A shorter value stands in too many texts by chance.
const SHORTEST_SECRET: usize = 6;

/// Whether a variable of the environment holds a secret, as its name says: a flow may read it, but nothing shows it.
fn is_secret(name: &str, value: &str) -> bool {
    value.len() >= SHORTEST_SECRET && sounds_secret(name)
}

/// The project and its device, for one server. All its clients share it.
#[derive(Debug)]
pub struct Workspace {
    /// The project.
    pub config: Config,
    /// The process's environment.
    pub context: Context,
    /// The last run of flows.
    pub runs: Arc<LastRun>,
    /// The way to the device.
    pub connection: Arc<Connection>,
    /// What was done so far.
    pub recorder: Recorder,
    /// Scrubs everything that clients receive.
    pub scrubber: Scrubber,
    /// Snapshots may be accepted.
    pub allow_accept: bool,
}

impl Workspace {
    /// A workspace in the project, on the device it names.
    pub fn new(config: Config, context: Context, allow_accept: bool) -> Self {
        let connection = Connection::new(&config, "runner mcp");
        Self::on(connection, config, context, allow_accept)
    }

    /// As [`Workspace::new`], on devices that another program than `runner mcp` reaches.
    pub fn on(
        connection: Connection,
        config: Config,
        context: Context,
        allow_accept: bool,
    ) -> Self {
        let connection = Arc::new(connection);
        let scrubber = config.known_secrets();
        for (name, value) in context.variables() {
            if is_secret(name, value) || config.secrets.contains(name) {
                scrubber.add(value);
            }
        }
        Self {
            config,
            context,
            runs: Arc::default(),
            connection,
            recorder: Recorder::default(),
            scrubber,
            allow_accept,
        }
    }

    /// Waits until nobody uses the device: a run whose call was dropped ends in order. For the end of a server, when no
    /// call is taken any more.
    pub async fn wait_for_idle(&self) {
        // What takes longer hangs: it is ended with the process.
        let _ = tokio::time::timeout(IDLE_LIMIT, self.connection.alone()).await;
    }
}
