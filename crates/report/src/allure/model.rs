//! Types of the JSON files of Allure 2 results, as Allure's own adapters write them.

use serde::Serialize;

/// Content of `UUID-result.json`: one attempt of a test.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TestResult {
    pub uuid: String,
    /// Equal for all attempts of a flow, case and planned device, in all runs.
    pub history_id: String,
    pub test_case_id: String,
    pub full_name: String,
    pub title_path: Vec<String>,
    pub labels: Vec<Label>,
    pub parameters: Vec<Parameter>,
    pub links: Vec<Label>,
    #[serde(flatten)]
    pub item: ExecutableItem,
}

/// Content of `UUID-container.json`: setup and teardown of a test.
#[derive(Debug, Serialize)]
pub(super) struct Container {
    pub uuid: String,
    pub children: Vec<String>,
    pub befores: Vec<ExecutableItem>,
    pub afters: Vec<ExecutableItem>,
    pub start: u64,
    pub stop: u64,
}

/// Common part of tests, steps and fixtures.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExecutableItem {
    pub name: String,
    pub status: Status,
    pub status_details: Details,
    pub stage: &'static str,
    /// Milliseconds since 1970, as is `stop`.
    pub start: u64,
    pub stop: u64,
    pub steps: Vec<ExecutableItem>,
    pub attachments: Vec<Attachment>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Passed,
    /// An assertion about the app failed.
    Failed,
    /// The test could not be run or did not end. A step is broken if it is optional and failed.
    Broken,
    Skipped,
    Unknown,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct Details {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub flaky: bool,
    /// The failure is known and does not count, as in quarantine.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub known: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub muted: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct Label {
    pub name: &'static str,
    pub value: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Parameter {
    pub name: &'static str,
    pub value: String,
    /// True if the parameter is no part of the test's identity.
    pub excluded: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct Attachment {
    pub name: String,
    pub source: String,
    #[serde(rename = "type")]
    pub media_type: &'static str,
}

impl Label {
    pub fn new(name: &'static str, value: impl Into<String>) -> Self {
        let value = value.into();
        Self { name, value }
    }
}
