//! Settings of a device behind a server, as a project gives them.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use crate::cloud::Cloud;

/// Default time to wait for a session. Chosen: a cloud may boot a device for it.
pub const SESSION_TIMEOUT: Duration = Duration::from_mins(2);

/// Lifetime of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionScope {
    /// One session for all flows of a run.
    #[default]
    Run,
    /// A new session for each flow, kept for its retries.
    Flow,
}

/// User and key of an account on a server.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    pub user: String,
    /// The key, or a password.
    pub key: String,
}

impl Credentials {
    /// Encodes both for HTTP basic authentication. The result is as secret as they are.
    pub fn encoded(&self) -> String {
        STANDARD.encode(format!("{}:{}", self.user, self.key))
    }
}

/// Hides both values.
impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").finish_non_exhaustive()
    }
}

/// Settings of a device behind a server. Fields hold secrets as they are; only `display` is safe to show.
#[derive(Clone, PartialEq, Default)]
pub struct WebDriverSpec {
    /// Address without user and key, and without a slash at its end: `https://hub.example/wd/hub`.
    pub url: String,
    /// Address for messages.
    pub display: String,
    pub credentials: Option<Credentials>,
    /// Requested capabilities by full name, such as `appium:app`.
    pub capabilities: Map<String, Value>,
    pub scope: SessionScope,
    /// Maximum wait for a session.
    pub session_timeout: Duration,
    /// Values that no output may show.
    pub secrets: Vec<String>,
    /// Provider of the server.
    pub cloud: Cloud,
    /// Reason why the settings cannot be used, such as a variable that is not set.
    pub unusable: Option<String>,
}

impl Eq for WebDriverSpec {}

/// Shows the address and nothing secret.
impl std::fmt::Debug for WebDriverSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebDriverSpec")
            .field("url", &self.display)
            .finish_non_exhaustive()
    }
}
