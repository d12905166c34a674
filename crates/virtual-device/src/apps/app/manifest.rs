//! The types of `app.yaml`.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;

use super::step::Step;

/// What an app is.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// Such as `com.example.notes`.
    pub package: String,
    /// The name below its icon.
    pub label: String,
    /// As settings and logs show it.
    #[serde(default = "first_version")]
    pub version: String,
    /// The number that rises with each version.
    #[serde(default = "first_version_code")]
    pub version_code: u64,
    /// An icon of the basic catalogue, for the launcher.
    #[serde(default)]
    pub icon: Option<String>,
    /// The app's own colour, `#RRGGBB`.
    #[serde(default)]
    pub colour: Option<String>,
    /// Run-time permissions the app may ask for.
    #[serde(default)]
    pub permissions: Vec<String>,
    /// Pointers into the data that stay when the app is stopped.
    #[serde(default)]
    pub keep: Vec<String>,
    /// The screens by name, such as `.Main`.
    #[schemars(with = "BTreeMap<String, Activity>")]
    pub activities: IndexMap<String, Activity>,
    /// Pointer into the data: the action that runs when a person changes the value there.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, String>")]
    pub watch: IndexMap<String, String>,
    /// What each named action does.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Vec<Step>>")]
    pub actions: IndexMap<String, Vec<Step>>,
}

fn first_version() -> String {
    "1.0".into()
}

fn first_version_code() -> u64 {
    1
}

/// A screen of an app.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Activity {
    /// File of A2UI messages, in the app's folder.
    pub surface: String,
    /// The launcher starts it.
    #[serde(default)]
    pub launchable: bool,
    /// Text of a bar at the top; no bar without.
    #[serde(default)]
    pub title: Option<String>,
    /// Links that open it; `{name}` takes a part of the path.
    #[serde(default)]
    pub links: Vec<String>,
    /// Action that runs when it is opened; what came with the start is its context.
    #[serde(default)]
    pub on_start: Option<String>,
}

/// Returns the JSON Schema of `app.yaml`, for editors. It is draft 7, which the YAML language server reads.
pub fn schema() -> serde_json::Value {
    let mut schema = SchemaSettings::draft07()
        .into_generator()
        .into_root_schema_for::<Manifest>();
    schema.insert("title".into(), "An app of runner's virtual device".into());
    schema.to_value()
}

impl Manifest {
    /// Returns the activity that the launcher starts, the first that is `launchable`, or `None`.
    pub fn launchable(&self) -> Option<&str> {
        self.activities
            .iter()
            .find(|(_, activity)| activity.launchable)
            .map(|(name, _)| name.as_str())
    }
}
