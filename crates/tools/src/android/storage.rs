//! Tools for storage locations, the folders of the device that the file tools may use (A29, A30). No path
//! leaves its location.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments::invalid;
use super::errors::{self, ErrorCode, action_failed};
use crate::arguments::Arguments;
use crate::everyday::NoArgs;
use crate::{Call, Effect, Failure, Outcome, StepSyntax, Tool, Words};
use runner_device::files::{self, FileError, FileStat, Location};
use runner_engine::{Session, StorageLocation};

/// Limit for entries or lines of one answer. Chosen: more would fill an agent's context.
const MAX_PAGE_ENTRIES: usize = 200;
const MEGABYTE: u64 = 1024 * 1024;

/// A location with its settings.
pub(super) struct StorageTarget<'a> {
    pub(super) settings: &'a StorageLocation,
    pub(super) location: Location,
}

impl<'a> StorageTarget<'a> {
    /// Returns the configured location with this id. Does not ask the device. An unknown id, and a location whose path
    /// cannot be used, are failures with the code `ACTION_FAILED`.
    pub(super) fn find(session: &'a Session, id: &str) -> Result<Self, Failure> {
        let settings = session
            .locations()
            .iter()
            .find(|location| location.id == id)
            .ok_or_else(|| {
                action_failed(Words::format(
                    "Storage location '{}' not found. Please add it in the app settings.",
                    &[&id],
                ))
            })?;
        let location = Location::new(&settings.path).map_err(|error| {
            action_failed(Words::format("Storage location '{}': {}", &[&id, &error]))
        })?;
        Ok(Self { settings, location })
    }

    /// Returns the location as [`Self::find`] does, if it allows writing; otherwise the failure is that of [`denied`].
    pub(super) fn writable(session: &'a Session, id: &str) -> Result<Self, Failure> {
        let place = Self::find(session, id)?;
        if place.settings.allow_write {
            Ok(place)
        } else {
            Err(denied("Write not allowed", id))
        }
    }

    /// Returns the limit for a file that is read or written here, in bytes.
    pub(super) fn limit(&self) -> u64 {
        u64::from(self.settings.max_mb) * MEGABYTE
    }

    /// Refuses content that is larger than the location's limit, `max_mb`. The failure has the code
    /// `ACTION_FAILED`.
    pub(super) fn check_size(&self, bytes: usize) -> Result<(), Failure> {
        if bytes as u64 > self.limit() {
            return Err(action_failed(Words::format(
                "Content size exceeds the configured file size limit of {} MB.",
                &[&self.settings.max_mb],
            )));
        }
        Ok(())
    }

    /// Converts an error of a file to the reference's message. A path outside the location is a wrong
    /// parameter, and keeps our own message. All other errors have the code `ACTION_FAILED`.
    pub(super) fn error(&self, path: &str, error: FileError) -> Failure {
        let settings = self.settings;
        let id = &settings.id;
        match error {
            FileError::NotFound { .. } => action_failed(Words::format(
                "File not found: {} in location '{}'",
                &[&path, &id],
            )),
            FileError::IsFolder { .. } => {
                action_failed(Words::format("Path is not a file: {}", &[&path]))
            }
            FileError::NotFolder { .. } => {
                action_failed(Words::format("Path is not a directory: {}", &[&path]))
            }
            FileError::TooLarge { size, .. } => action_failed(Words::format(
                "File size ({} bytes) exceeds the configured limit of {} MB.",
                &[&size, &settings.max_mb],
            )),
            FileError::NoAppend { .. } => action_failed(
                "This storage provider does not support append mode. Use write_file to write the entire file content instead.",
            ),
            FileError::Device(error) => {
                let message = error.to_string();
                errors::with_message(error, message, ErrorCode::ACTION_FAILED)
            }
            error @ FileError::Outside { .. } => invalid(error.to_string()),
        }
    }
}

/// Builds the failure of something that the location does not allow: one of usage with the code `PERMISSION_DENIED`.
pub(super) fn denied(message: &'static str, id: &str) -> Failure {
    Failure {
        code: Some(ErrorCode::PERMISSION_DENIED),
        ..Failure::usage(message)
    }
    .with_details([format!(
        "the storage location '{id}' does not allow it; locations are read-only unless the configuration says otherwise"
    )])
}

pub(super) fn page(args: &Arguments, first: i64) -> Result<(), Failure> {
    args.at_least("offset", first)?;
    args.between("limit", 1, MAX_PAGE_ENTRIES as i64)
}

pub(super) fn full_page() -> usize {
    MAX_PAGE_ENTRIES
}

#[derive(Debug)]
pub struct ListStorageLocations;

impl Tool for ListStorageLocations {
    const NAME: &'static str = "list_storage_locations";
    const SUMMARY: &'static str = "Lists user-added storage locations with their metadata.";
    const HELP: &'static str = "They are read-only unless `storage` in runner.yaml says otherwise.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Reads;
    type Args = NoArgs;

    /// Lists the locations with their free space, which is null where the device does not report it. The first
    /// location with an unusable path, or at which the device fails, fails the call.
    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        let mut list = Vec::new();
        for settings in session.locations() {
            let place = StorageTarget::find(session, &settings.id)?;
            let free = files::free_bytes(session.device(), &place.location)
                .await
                .map_err(|error| {
                    let failure = place.error(&settings.path, error);
                    let message =
                        Words::format("Failed to query storage locations: {}", &[&failure.message]);
                    Failure { message, ..failure }
                })?;
            list.push(json!({
                "id": settings.id,
                "name": settings.name,
                "path": settings.path,
                "description": settings.description,
                "available_bytes": free,
                "allow_read": true,
                "allow_write": settings.allow_write,
                "allow_delete": settings.allow_delete,
            }));
        }
        let value = Value::Array(list);
        Ok(Outcome::json(value))
    }
}

/// Arguments of `list_files`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListFilesArgs {
    /// Storage location ID from `android_list_storage_locations`
    pub location_id: String,
    /// Relative path within the storage location
    #[serde(default)]
    pub path: String,
    /// Pagination offset (0-based)
    #[serde(default)]
    pub offset: usize,
    /// Maximum number of entries to return (max 200)
    #[serde(default = "full_page")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: usize,
}

#[derive(Debug)]
pub struct ListFiles;

impl Tool for ListFiles {
    const NAME: &'static str = "list_files";
    const SUMMARY: &'static str = "Lists files and directories in a storage location.";
    const HELP: &'static str = "`path` of an entry begins with the location's id.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const EFFECT: Effect = Effect::Reads;
    type Args = ListFilesArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        args.filled("location_id")?;
        args.text("path")?;
        page(args, 0)
    }

    /// Lists files from `offset`, at most `limit`, hidden ones too, folders first and then by name, with the number of
    /// all and whether more follow. A folder that does not exist is a failure; an `offset` beyond the end is none.
    async fn call(session: &Session, args: ListFilesArgs, _: &Call) -> Result<Outcome, Failure> {
        let place = StorageTarget::find(session, &args.location_id)?;
        let id = &place.settings.id;
        let entries = files::list(session.device(), &place.location, &args.path)
            .await
            .map_err(|error| match error {
                FileError::NotFound { .. } => action_failed(Words::format(
                    "Directory not found: {} in location '{}'",
                    &[&args.path, &id],
                )),
                error => place.error(&args.path, error),
            })?;
        let total = entries.len();
        let displayed: Vec<Value> = entries
            .iter()
            .skip(args.offset)
            .take(args.limit)
            .map(|entry| entry_json(id, &args.path, entry))
            .collect();
        let has_more = args.offset.saturating_add(displayed.len()) < total;
        let value = json!({ "files": displayed, "total_count": total, "has_more": has_more });
        Ok(Outcome::json(value))
    }
}

/// Converts a file to the reference's JSON: its path begins with the location's id, and its time is in
/// milliseconds. A folder has neither time nor type.
fn entry_json(location: &str, folder: &str, entry: &FileStat) -> Value {
    let folder = folder.trim_matches('/');
    let path = match folder {
        "" | "." => format!("{location}/{}", entry.name),
        folder => format!("{location}/{folder}/{}", entry.name),
    };
    let modified = (!entry.is_folder).then(|| entry.modified.saturating_mul(1000));
    json!({
        "name": entry.name,
        "path": path,
        "is_directory": entry.is_folder,
        "size": entry.size,
        "last_modified": modified,
        "mime_type": if entry.is_folder { None } else { mime_type(&entry.name) },
    })
}

/// Returns the media type for a file name's extension, in any letter case. `None` for unknown ones.
fn mime_type(name: &str) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    Some(match extension.to_ascii_lowercase().as_str() {
        "txt" | "log" => "text/plain",
        "csv" => "text/csv",
        "html" | "htm" => "text/html",
        "xml" => "text/xml",
        "json" => "application/json",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "apk" => "application/vnd.android.package-archive",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "mp3" => "audio/mpeg",
        "mp4" => "video/mp4",
        _ => return None,
    })
}
