//! Steps of an app's actions, as `app.yaml` writes them.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// One thing an action does. Values are literals, `{path: …}`, `{context: …}` or `{call: …}`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Step {
    /// Sets data.
    Set(SetStep),
    /// Adds to the end of a list.
    Append(SetStep),
    /// Removes what is at a path, or the items of a list whose field equals a value.
    Remove(RemoveStep),
    /// Copies the items of a list that contain a text.
    Filter(FilterStep),
    /// Puts the number of items of a list somewhere.
    Count(CountStep),
    /// Opens an activity above the one in front.
    Navigate(String),
    /// Opens an activity in the place of all others.
    Restart(String),
    /// Closes the activity in front.
    Back,
    /// Opens a component as a dialog.
    Open(String),
    /// Closes the dialog.
    Close,
    /// Shows a text for two seconds.
    Toast(Value),
    /// Logs a line.
    Log(LogStep),
    /// Does more after some time.
    After(AfterStep),
    /// One or the other, by a value: `equals`, `contains`, `empty`, or whether it is true.
    If(IfStep),
    /// Asks for a run-time permission.
    Request(RequestStep),
    /// Puts text on the clipboard.
    Copy(Value),
    /// Does another action.
    Run(String),
    /// Ends the app's process by an exception: `java.lang.IllegalStateException: no account`, or a message alone.
    Crash(String),
    /// Ends the app's process by a signal in native code, with this message.
    NativeCrash(String),
    /// The app answers no input any more, so that the system asks whether to wait for it. The text is the call in which it
    /// stays; empty is a sleep.
    Anr(String),
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetStep {
    pub path: String,
    pub value: Value,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveStep {
    pub path: String,
    #[serde(default)]
    pub field: Option<String>,
    #[serde(default)]
    pub equals: Option<Value>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FilterStep {
    pub from: String,
    pub to: String,
    /// Fields that are searched, ignoring case.
    pub fields: Vec<String>,
    pub contains: Value,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CountStep {
    pub of: String,
    pub to: String,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogStep {
    /// `V`, `D`, `I`, `W` or `E`.
    #[serde(default = "info")]
    pub level: char,
    pub tag: String,
    pub message: Value,
}

fn info() -> char {
    'I'
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AfterStep {
    /// Milliseconds of virtual time.
    pub ms: u64,
    #[serde(rename = "do")]
    pub steps: Vec<Step>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IfStep {
    /// The value that is asked about.
    pub value: Value,
    #[serde(default)]
    pub equals: Option<Value>,
    #[serde(default)]
    pub contains: Option<Value>,
    #[serde(default)]
    pub empty: Option<bool>,
    #[serde(default)]
    pub then: Vec<Step>,
    #[serde(default, rename = "else")]
    pub otherwise: Vec<Step>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RequestStep {
    pub permission: String,
    #[serde(default)]
    pub granted: Vec<Step>,
    #[serde(default)]
    pub denied: Vec<Step>,
}
