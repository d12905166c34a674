//! What somebody said of a device behind a server.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use crate::cloud::Cloud;

/// How long a session is waited for where nothing else is said.
pub const SESSION_TIMEOUT: Duration = Duration::from_mins(2);

/// How long a session lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionScope {
    /// One for all flows of a run.
    #[default]
    Run,
    /// One for each flow, with its retries.
    Flow,
}

/// Whom a server knows.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The user.
    pub user: String,
    /// The key, or password.
    pub key: String,
}

impl Credentials {
    /// Both as basic authentication sends them: as secret as they are.
    pub fn encoded(&self) -> String {
        STANDARD.encode(format!("{}:{}", self.user, self.key))
    }
}

/// Shows nothing of them.
impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").finish_non_exhaustive()
    }
}

/// A device of a server. Whatever is secret is in it as it is; only [`WebDriverSpec::shown`] is for people.
#[derive(Clone, PartialEq, Default)]
pub struct WebDriverSpec {
    /// Where the server is, without user and key, without a slash at its end: `https://hub.example/wd/hub`.
    pub url: String,
    /// The address as people see it.
    pub display: String,
    /// Whom the server knows.
    pub credentials: Option<Credentials>,
    /// What is asked of the device, by whole names such as `appium:app`.
    pub capabilities: Map<String, Value>,
    /// How long a session lasts.
    pub scope: SessionScope,
    /// How long a session is waited for.
    pub session_timeout: Duration,
    /// Values that no output may show.
    pub secrets: Vec<String>,
    /// Whose server it is.
    pub cloud: Cloud,
    /// Why it cannot be used, such as a variable that is not set.
    pub unusable: Option<String>,
}

impl Eq for WebDriverSpec {}

/// Shows where it is, and nothing secret.
impl std::fmt::Debug for WebDriverSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebDriverSpec")
            .field("url", &self.display)
            .finish_non_exhaustive()
    }
}
