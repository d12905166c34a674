//! Settings of scripts.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time of one script if the options do not set one. Chosen: far above usual scripts, and an endless loop
/// still ends.
const DEFAULT_TIME: Duration = Duration::from_mins(1);

/// Settings that stay the same for an attempt.
#[derive(Debug, Clone)]
pub struct ScriptOptions {
    /// Value of `maestro.platform`.
    pub platform: String,
    /// Hosts that `http` may reach, from `http: { hosts: […] }` of `runner.yaml`.
    pub http_hosts: Arc<[String]>,
    /// Seed of `faker`. The same seed makes the same data.
    pub seed: u64,
    /// Maximum time of one script.
    pub time: Duration,
    /// Set to true by a script that sends a request.
    pub sent: Arc<AtomicBool>,
}

impl Default for ScriptOptions {
    /// Returns the settings for Android: no hosts, seed 0, and `DEFAULT_TIME` for a script. `sent` is shared with
    /// nobody.
    fn default() -> Self {
        Self {
            platform: "android".to_owned(),
            http_hosts: Arc::new([]),
            seed: 0,
            time: DEFAULT_TIME,
            sent: Arc::default(),
        }
    }
}
