//! A device that a server lends: its session, and the results of flows that the server gets.

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

/// The result of an attempt at a flow, as a server gets it. Its secrets are masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowResult {
    /// No step failed.
    pub passed: bool,
    /// Why it did not pass, in a line.
    pub reason: Option<String>,
}
