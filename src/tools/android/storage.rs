//! A29–A36: files in storage locations of the device. No path leaves its location.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments::{Arguments, Missing, invalid};
use super::errors::{self, ACTION_FAILED, PERMISSION_DENIED, action_failed};
use crate::device::files::{self, FileError, FileStat, Location};
use crate::engine::{Session, StorageLocation};
use crate::tools::everyday::NoArgs;
use crate::tools::{Call, Failure, Outcome, Tool, Writing};

/// Largest file in MiB.
const LIMIT_MB: u64 = 50;
/// Largest file in bytes.
const LIMIT: u64 = LIMIT_MB * 1024 * 1024;
/// Most entries or lines of one answer.
const PAGE: usize = 200;

/// A location by its id, with its place on the device.
struct Place<'a> {
    settings: &'a StorageLocation,
    location: Location,
}

impl<'a> Place<'a> {
    fn find(session: &'a Session, id: &str) -> Result<Self, Failure> {
        let settings = session
            .locations()
            .iter()
            .find(|location| location.id == id)
            .ok_or_else(|| {
                action_failed(format!(
                    "Storage location '{id}' not found. Please add it in the app settings."
                ))
            })?;
        let location = Location::new(&settings.path)
            .map_err(|error| action_failed(format!("Storage location '{id}': {error}")))?;
        Ok(Self { settings, location })
    }

    fn writable(session: &'a Session, id: &str) -> Result<Self, Failure> {
        let place = Self::find(session, id)?;
        if place.settings.allow_write {
            Ok(place)
        } else {
            Err(denied("Write not allowed", id))
        }
    }

    /// An error of a file, in the reference's words.
    fn error(&self, path: &str, error: FileError) -> Failure {
        let id = &self.settings.id;
        match error {
            FileError::NotFound { .. } => {
                action_failed(format!("File not found: {path} in location '{id}'"))
            }
            FileError::IsFolder { .. } => action_failed(format!("Path is not a file: {path}")),
            FileError::NotFolder { .. } => {
                action_failed(format!("Path is not a directory: {path}"))
            }
            FileError::TooLarge { size, .. } => action_failed(format!(
                "File size ({size} bytes) exceeds the configured limit of {LIMIT_MB} MB."
            )),
            FileError::Device(error) => {
                let message = error.to_string();
                errors::told(error, message, ACTION_FAILED)
            }
            error @ FileError::Outside { .. } => invalid(error.to_string()),
        }
    }
}

fn denied(message: &str, id: &str) -> Failure {
    Failure {
        code: Some(PERMISSION_DENIED),
        ..Failure::usage(message)
    }
    .with_details([format!(
        "the storage location '{id}' does not allow it; locations are read-only unless the configuration says otherwise"
    )])
}

fn page(args: Arguments<'_>, first: i64) -> Result<(), Failure> {
    if let Some(offset) = args.integer("offset")?
        && offset < first
    {
        return Err(invalid(format!(
            "Parameter 'offset' must be >= {first}, got: {offset}"
        )));
    }
    match args.integer("limit")? {
        Some(limit) if !(1..=PAGE as i64).contains(&limit) => Err(invalid(format!(
            "Parameter 'limit' must be between 1 and {PAGE}, got: {limit}"
        ))),
        _ => Ok(()),
    }
}

fn full_page() -> usize {
    PAGE
}

/// A29 `list_storage_locations`.
#[derive(Debug)]
pub struct ListStorageLocations;

impl Tool for ListStorageLocations {
    const NAME: &'static str = "list_storage_locations";
    const SUMMARY: &'static str = "Lists the storage locations that the file tools may use.";
    const WRITING: Writing = Writing::Map;
    const BARE: bool = true;
    type Args = NoArgs;

    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        let mut list = Vec::new();
        for settings in session.locations() {
            let place = Place::find(session, &settings.id)?;
            let free = files::free_bytes(session.device(), &place.location)
                .await
                .map_err(|error| {
                    let failure = place.error(&settings.path, error);
                    let message = format!("Failed to query storage locations: {}", failure.message);
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
        Ok(Outcome::value(value.to_string(), value))
    }
}

/// Arguments of `list_files`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListFilesArgs {
    /// Storage location id from `list_storage_locations`.
    pub location_id: String,
    /// Relative path within the storage location.
    #[serde(default)]
    pub path: String,
    /// Pagination offset (0-based).
    #[serde(default)]
    pub offset: usize,
    /// Maximum number of entries to return.
    #[serde(default = "full_page")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: usize,
}

/// A30 `list_files`.
#[derive(Debug)]
pub struct ListFiles;

impl Tool for ListFiles {
    const NAME: &'static str = "list_files";
    const SUMMARY: &'static str =
        "Lists files and directories in a storage location, directories first.";
    const WRITING: Writing = Writing::Map;
    type Args = ListFilesArgs;

    fn check(args: &Value) -> Result<(), Failure> {
        let args = Arguments::new(args, Missing::Colon);
        args.non_empty("location_id")?;
        args.text("path")?;
        page(args, 0)
    }

    async fn call(session: &Session, args: ListFilesArgs, _: &Call) -> Result<Outcome, Failure> {
        let place = Place::find(session, &args.location_id)?;
        let id = &place.settings.id;
        let entries = files::list(session.device(), &place.location, &args.path)
            .await
            .map_err(|error| match error {
                FileError::NotFound { .. } => action_failed(format!(
                    "Directory not found: {} in location '{id}'",
                    args.path
                )),
                error => place.error(&args.path, error),
            })?;
        let total = entries.len();
        let shown: Vec<Value> = entries
            .iter()
            .skip(args.offset)
            .take(args.limit)
            .map(|entry| entry_json(id, &args.path, entry))
            .collect();
        let has_more = args.offset.saturating_add(shown.len()) < total;
        let value = json!({ "files": shown, "total_count": total, "has_more": has_more });
        Ok(Outcome::value(value.to_string(), value))
    }
}

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

/// Arguments of `read_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadFileArgs {
    /// Storage location id from `list_storage_locations`.
    pub location_id: String,
    /// Relative path to the file within the storage location.
    pub path: String,
    /// Starting line number (1-based).
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub offset: usize,
    /// Maximum number of lines to return.
    #[serde(default = "full_page")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: usize,
}

fn one() -> usize {
    1
}

/// A31 `read_file`.
#[derive(Debug)]
pub struct ReadFile;

impl Tool for ReadFile {
    const NAME: &'static str = "read_file";
    const SUMMARY: &'static str = "Reads a text file with line-based pagination.";
    const WRITING: Writing = Writing::Map;
    type Args = ReadFileArgs;

    fn check(args: &Value) -> Result<(), Failure> {
        let args = Arguments::new(args, Missing::Colon);
        args.non_empty("location_id")?;
        args.non_empty("path")?;
        page(args, 1)
    }

    async fn call(session: &Session, args: ReadFileArgs, _: &Call) -> Result<Outcome, Failure> {
        let place = Place::find(session, &args.location_id)?;
        let text = read_text(session, &place, &args.path).await?;
        let total = text.lines().count();
        let mut shown: Vec<String> = text
            .lines()
            .enumerate()
            .skip(args.offset.saturating_sub(1))
            .take(args.limit)
            .map(|(at, line)| format!("{}| {line}", at + 1))
            .collect();
        let next = args.offset.saturating_add(shown.len());
        if next <= total {
            shown.push(format!(
                "--- More lines available. Use offset={next} to continue reading. Total lines: {total} ---"
            ));
        }
        let answer = shown.join("\n");
        Ok(Outcome::value(
            answer,
            json!({ "text": text, "lines": total }),
        ))
    }
}

async fn read_text(session: &Session, place: &Place<'_>, path: &str) -> Result<String, Failure> {
    let bytes = files::read(session.device(), &place.location, path, LIMIT)
        .await
        .map_err(|error| place.error(path, error))?;
    let no_text = || action_failed(format!("File is not a text file: {path}"));
    let text = String::from_utf8(bytes).map_err(|_| no_text())?;
    if text.contains('\0') {
        return Err(no_text());
    }
    Ok(text)
}

/// A file and its content.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContentArgs {
    /// Storage location id from `list_storage_locations`.
    pub location_id: String,
    /// Relative path to the file within the storage location.
    pub path: String,
    /// Text content; may be empty.
    pub content: String,
}

fn check_content(args: &Value) -> Result<(), Failure> {
    let args = Arguments::new(args, Missing::Colon);
    args.non_empty("location_id")?;
    args.non_empty("path")?;
    args.required_text("content").map(|_| ())
}

fn check_size(bytes: usize) -> Result<(), Failure> {
    if bytes as u64 > LIMIT {
        return Err(action_failed(format!(
            "Content size exceeds the configured file size limit of {LIMIT_MB} MB."
        )));
    }
    Ok(())
}

/// A32 `write_file`.
#[derive(Debug)]
pub struct WriteFile;

impl Tool for WriteFile {
    const NAME: &'static str = "write_file";
    const SUMMARY: &'static str =
        "Writes text content to a file; creates it and its folders, overwrites what was there.";
    const WRITING: Writing = Writing::Map;
    type Args = ContentArgs;

    fn check(args: &Value) -> Result<(), Failure> {
        check_content(args)
    }

    async fn call(session: &Session, args: ContentArgs, _: &Call) -> Result<Outcome, Failure> {
        let place = Place::writable(session, &args.location_id)?;
        check_size(args.content.len())?;
        write(session, &place, &args.path, &args.content).await?;
        Ok(Outcome::text(format!(
            "File written successfully: {}",
            args.path
        )))
    }
}

async fn write(
    session: &Session,
    place: &Place<'_>,
    path: &str,
    content: &str,
) -> Result<(), Failure> {
    files::write(session.device(), &place.location, path, content.as_bytes())
        .await
        .map_err(|error| place.error(path, error))
}

/// A33 `append_file`.
#[derive(Debug)]
pub struct AppendFile;

impl Tool for AppendFile {
    const NAME: &'static str = "append_file";
    const SUMMARY: &'static str = "Appends text content to an existing file.";
    const WRITING: Writing = Writing::Map;
    type Args = ContentArgs;

    fn check(args: &Value) -> Result<(), Failure> {
        check_content(args)
    }

    async fn call(session: &Session, args: ContentArgs, _: &Call) -> Result<Outcome, Failure> {
        let place = Place::writable(session, &args.location_id)?;
        let path = args.path.as_str();
        let stat = files::stat(session.device(), &place.location, path)
            .await
            .map_err(|error| place.error(path, error))?;
        check_size(
            usize::try_from(stat.size)
                .unwrap_or(usize::MAX)
                .saturating_add(args.content.len()),
        )?;
        files::append(
            session.device(),
            &place.location,
            path,
            args.content.as_bytes(),
        )
        .await
        .map_err(|error| place.error(path, error))?;
        Ok(Outcome::text(format!(
            "Content appended successfully to: {path}"
        )))
    }
}

/// Arguments of `file_replace`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileReplaceArgs {
    /// Storage location id from `list_storage_locations`.
    pub location_id: String,
    /// Relative path to the file within the storage location.
    pub path: String,
    /// The literal string to search for.
    #[schemars(length(min = 1))]
    pub old_string: String,
    /// The replacement string.
    pub new_string: String,
    /// If true, replaces all occurrences; if false, replaces only the first.
    #[serde(default)]
    pub replace_all: bool,
}

/// A34 `file_replace`.
#[derive(Debug)]
pub struct FileReplace;

impl Tool for FileReplace {
    const NAME: &'static str = "file_replace";
    const SUMMARY: &'static str = "Performs literal string replacement in a text file.";
    const WRITING: Writing = Writing::Map;
    type Args = FileReplaceArgs;

    fn check(args: &Value) -> Result<(), Failure> {
        let args = Arguments::new(args, Missing::Colon);
        args.non_empty("location_id")?;
        args.non_empty("path")?;
        args.non_empty("old_string")?;
        args.required_text("new_string").map(|_| ())
    }

    async fn call(session: &Session, args: FileReplaceArgs, _: &Call) -> Result<Outcome, Failure> {
        let place = Place::writable(session, &args.location_id)?;
        let text = read_text(session, &place, &args.path).await?;
        let most = if args.replace_all { usize::MAX } else { 1 };
        let count = text.matches(&args.old_string).count().min(most);
        if count == 0 {
            return Err(action_failed(format!(
                "old_string not found in file: {}",
                args.path
            )));
        }
        let replaced = text.replacen(&args.old_string, &args.new_string, count);
        check_size(replaced.len())?;
        write(session, &place, &args.path, &replaced).await?;
        let value = json!({ "replaced": count });
        let text = format!("Replaced {count} occurrence(s) in: {}", args.path);
        Ok(Outcome::value(text, value))
    }
}

/// Arguments of `download_from_url`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DownloadArgs {
    /// Storage location id from `list_storage_locations`.
    pub location_id: String,
    /// Destination path within the storage location.
    pub path: String,
    /// URL to download from (HTTPS).
    pub url: String,
}

/// A35 `download_from_url`.
#[derive(Debug)]
pub struct DownloadFromUrl;

impl Tool for DownloadFromUrl {
    const NAME: &'static str = "download_from_url";
    const SUMMARY: &'static str = "Downloads a file into a storage location. Not possible yet: this program has no HTTP client; use `push`.";
    const WRITING: Writing = Writing::Map;
    type Args = DownloadArgs;

    fn check(args: &Value) -> Result<(), Failure> {
        let args = Arguments::new(args, Missing::Colon);
        args.non_empty("location_id")?;
        args.non_empty("path")?;
        let url = args.non_empty("url")?;
        let host = url
            .strip_prefix("https://")
            .or_else(|| url.strip_prefix("http://"))
            .and_then(|rest| rest.split(['/', '?', '#']).next());
        match host {
            Some(host) if !host.is_empty() && !url.contains(char::is_whitespace) => Ok(()),
            _ => Err(invalid(format!("Invalid URL: {url}"))),
        }
    }

    async fn call(session: &Session, args: DownloadArgs, _: &Call) -> Result<Outcome, Failure> {
        Place::writable(session, &args.location_id)?;
        if args.url.starts_with("http://") {
            return Err(action_failed(
                "HTTP downloads are not allowed; use an https:// URL",
            ));
        }
        Err(Failure {
            code: Some(ACTION_FAILED),
            ..Failure::unsupported(
                "downloads are not possible yet: this program has no HTTP client; put the file into the project and use `push`",
            )
        })
    }
}

/// Arguments of `delete_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteFileArgs {
    /// Storage location id from `list_storage_locations`.
    pub location_id: String,
    /// Relative path to the file within the storage location.
    pub path: String,
}

/// A36 `delete_file`.
#[derive(Debug)]
pub struct DeleteFile;

impl Tool for DeleteFile {
    const NAME: &'static str = "delete_file";
    const SUMMARY: &'static str = "Deletes a single file from a storage location.";
    const WRITING: Writing = Writing::Map;
    type Args = DeleteFileArgs;

    fn check(args: &Value) -> Result<(), Failure> {
        let args = Arguments::new(args, Missing::Colon);
        args.non_empty("location_id")?;
        args.non_empty("path").map(|_| ())
    }

    async fn call(session: &Session, args: DeleteFileArgs, _: &Call) -> Result<Outcome, Failure> {
        let place = Place::find(session, &args.location_id)?;
        let path = args.path.as_str();
        if !place.settings.allow_delete {
            return Err(denied("Delete not allowed", &args.location_id));
        }
        files::delete(session.device(), &place.location, path)
            .await
            .map_err(|error| match error {
                FileError::IsFolder { .. } => action_failed(format!(
                    "Cannot delete a directory. Only single files can be deleted. Path: {path}"
                )),
                error => place.error(path, error),
            })?;
        Ok(Outcome::text(format!("File deleted successfully: {path}")))
    }
}
