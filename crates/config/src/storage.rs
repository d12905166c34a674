//! The setting `storage`: folders of the device that the file tools may use.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Value, json};

use super::layers::SourceContext;
use super::small_schemas::{map, text};
use super::spec::Kind;
use runner_device::files::Location;
use runner_engine::StorageLocation;
use runner_flow::duration;
use runner_text::units::HumanDuration;

/// Entry of `storage` in `runner.yaml`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an independent key of the file"
)]
pub struct ProjectStorage {
    /// Absolute path on the device.
    pub path: String,
    /// Name for people; the id by default.
    pub name: Option<String>,
    /// Purpose of the folder.
    pub description: Option<String>,
    /// True if files in it may be written.
    pub allow_write: bool,
    /// True if files in it may be deleted.
    pub allow_delete: bool,
    /// True if downloads into it may use `http://`.
    pub allow_http: bool,
    /// True if downloads into it may come from servers with an unverified certificate.
    pub allow_unverified_https: bool,
    /// Maximum time of a download; that of [`StorageLocation`] by default.
    pub download_timeout: Option<HumanDuration>,
    /// Maximum size of a file, in MiB; that of [`StorageLocation`] by default.
    pub max_mb: Option<u32>,
}

/// Kind of the setting `storage`: folders by id. An entry replaces the built-in folder of the same id.
pub struct Storage;

impl Kind for Storage {
    type RawValue = IndexMap<String, ProjectStorage>;
    type Value = Vec<StorageLocation>;

    fn schema(about: &str) -> Value {
        json!({ "type": "object", "additionalProperties": storage_schema(), "description": about })
    }

    /// Returns the path and a message for each location whose path on the device is not absolute or has `..`.
    fn problems(given: &Self::RawValue) -> Vec<(String, String)> {
        let each = given.iter();
        let wrong = |(id, storage): (&String, &ProjectStorage)| {
            Location::new(&storage.path).err()?;
            // The error of a path in a location would ask for a relative one.
            let message = format!(
                "`{}` is no folder of the device: its path begins with `/`, and has no `..`",
                storage.path
            );
            Some((format!("{id}.path"), message))
        };
        each.filter_map(wrong).collect()
    }

    /// Returns the usual locations, without those that given ones replace by the same id, and behind them the given
    /// ones. What an entry does not say is forbidden, or has the usual limit. `None` for an empty map, which sets
    /// nothing.
    fn value(given: &Self::RawValue, _: &SourceContext) -> Option<Self::Value> {
        if given.is_empty() {
            return None;
        }
        let mut locations = StorageLocation::defaults();
        locations.retain(|location| !given.contains_key(&location.id));
        locations.extend(given.iter().map(|(id, storage)| {
            StorageLocation {
                id: id.clone(),
                name: storage.name.clone().unwrap_or_else(|| id.clone()),
                path: storage.path.clone(),
                description: storage.description.clone().unwrap_or_default(),
                allow_write: storage.allow_write,
                allow_delete: storage.allow_delete,
                allow_http: storage.allow_http,
                allow_unverified_https: storage.allow_unverified_https,
                download_timeout: storage
                    .download_timeout
                    .map_or(StorageLocation::DOWNLOAD_TIMEOUT, |limit| limit.0),
                max_mb: storage.max_mb.unwrap_or(StorageLocation::MAX_MB),
            }
        }));
        Some(locations)
    }

    /// Shows each location as `ID: PATH (RIGHTS)`, separated by `;`.
    fn show(value: &Self::Value) -> Option<String> {
        let storage = value.iter().map(|location| {
            let rights = match (location.allow_write, location.allow_delete) {
                (true, true) => "write, delete",
                (true, false) => "write",
                (false, true) => "delete",
                (false, false) => "read-only",
            };
            format!("{}: {} ({rights})", location.id, location.path)
        });
        Some(storage.collect::<Vec<_>>().join("; "))
    }
}

/// Returns the schema of an entry of `storage`.
fn storage_schema() -> Value {
    let mut storage = map(
        "A folder of the device, read-only unless it says otherwise.",
        json!({
            "path": text("Absolute path on the device."),
            "name": text("Name for people; the id by default."),
            "description": text("What it is for."),
            "allow_write": { "type": "boolean", "description": "Files in it may be written." },
            "allow_delete": { "type": "boolean", "description": "Files in it may be deleted." },
            "allow_http": { "type": "boolean", "description": "Downloads into it may come unencrypted, by `http://`." },
            "allow_unverified_https": { "type": "boolean", "description": "Downloads into it may come from servers whose certificate cannot be verified, such as one that is self-signed." },
            "download_timeout": duration("Longest time for a download into it; 60s by default."),
            "max_mb": { "type": "integer", "minimum": 1, "maximum": 1024, "description": "Largest file that is read, written or downloaded there, in MiB; 50 by default." },
        }),
    );
    storage["required"] = json!(["path"]);
    storage
}
