//! The files of Allure 2 results, as Allure's own adapters write them.

use serde::Serialize;

/// `UUID-result.json`: one attempt at a test.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TestResult {
    pub uuid: String,
    /// The same for all attempts, in all runs.
    pub history_id: String,
    pub test_case_id: String,
    pub full_name: String,
    pub title_path: Vec<String>,
    pub labels: Vec<Label>,
    pub parameters: Vec<Parameter>,
    pub links: Vec<Label>,
    #[serde(flatten)]
    pub item: Item,
}

/// `UUID-container.json`: what was done before and after a test.
#[derive(Debug, Serialize)]
pub(super) struct Container {
    pub uuid: String,
    pub children: Vec<String>,
    pub befores: Vec<Item>,
    pub afters: Vec<Item>,
    pub start: u64,
    pub stop: u64,
}

/// What tests, steps and fixtures have.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Item {
    pub name: String,
    pub status: Status,
    pub status_details: Details,
    pub stage: &'static str,
    /// Milliseconds since 1970.
    pub start: u64,
    pub stop: u64,
    pub steps: Vec<Item>,
    pub attachments: Vec<Attachment>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Passed,
    /// The app is not as the test wants it.
    Failed,
    /// The test could not be run.
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
    /// Its failure is known, and does not count.
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
    /// It does not tell one test from another.
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
