//! Devices that a server lends: their session, and the results of flows that the server is told.

/// The session in which a server lends a device: a device cloud, a Selenium Grid, an Appium server.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct RemoteSession {
    /// By which the server knows it.
    pub id: String,
    /// Where people see it, if the server has such a page: `http` or `https`, without credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dashboard: Option<String>,
    /// Where its video is once it has ended, if that is known: `http` or `https`, without credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video: Option<String>,
}

/// Result of an attempt at a flow for the server. Its secrets are masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowResult {
    pub passed: bool,
    /// Reason in one line, if it did not pass.
    pub reason: Option<String>,
}
