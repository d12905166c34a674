//! What an agent works with: the project, the device, and what was done so far.

use std::sync::Arc;

use super::record::Recorder;
use super::runs::LastRun;
use crate::config::Config;
use crate::context::Context;
use crate::run::Connection;
use crate::secret::Scrubber;

/// The project and its device, for one server. All its clients share it.
#[derive(Debug)]
pub struct Desk {
    /// The project.
    pub config: Config,
    /// The process's environment.
    pub context: Context,
    /// The way to the device.
    pub connection: Arc<Connection>,
    /// What was done so far.
    pub recorder: Recorder,
    /// The last run of flows.
    pub runs: Arc<LastRun>,
    /// Hides what the project calls secret, in everything that is said here.
    pub scrubber: Scrubber,
    /// Snapshots may be accepted.
    pub allow_accept: bool,
}

impl Desk {
    /// A desk in the project, on the device it names.
    pub fn new(config: Config, context: Context, allow_accept: bool) -> Self {
        let connection = Arc::new(Connection::new(&config));
        let scrubber = secrets_of(&config);
        Self {
            config,
            context,
            connection,
            recorder: Recorder::default(),
            runs: Arc::default(),
            scrubber,
            allow_accept,
        }
    }
}

fn secrets_of(config: &Config) -> Scrubber {
    let scrubber = Scrubber::default();
    for name in &config.secrets {
        for values in [&config.file_env, &config.command_env] {
            if let Some(value) = values.get(name) {
                scrubber.add(value);
            }
        }
    }
    scrubber
}
