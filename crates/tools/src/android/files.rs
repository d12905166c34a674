//! Tools for files in a storage location (A31–A34, A36).

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::errors::action_failed;
use super::storage::{StorageTarget, denied, full_page, page};
use crate::arguments::Arguments;
use crate::{Call, Effect, Failure, Outcome, StepSyntax, Tool, Words};
use runner_device::files::{self, FileError};
use runner_engine::Session;

/// Arguments of `read_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadFileArgs {
    /// Storage location ID from `android_list_storage_locations`
    pub location_id: String,
    /// Relative path to the file within the storage location
    pub path: String,
    /// Starting line number (1-based)
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub offset: usize,
    /// Maximum number of lines to return (max 200)
    #[serde(default = "full_page")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: usize,
}

fn one() -> usize {
    1
}

#[derive(Debug)]
pub struct ReadFile;

impl Tool for ReadFile {
    const NAME: &'static str = "read_file";
    const SUMMARY: &'static str =
        "Reads a text file with line-based pagination. Returns content with line numbers.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const EFFECT: Effect = Effect::Reads;
    type Args = ReadFileArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        args.filled("location_id")?;
        args.filled("path")?;
        page(args, 1)
    }

    /// Returns numbered lines from `offset`, at most `limit`, with a last line that says how to go on if more follow.
    /// An `offset` beyond the end gives no lines, and no failure. The value has the whole text and its number of lines.
    async fn call(session: &Session, args: ReadFileArgs, _: &Call) -> Result<Outcome, Failure> {
        let place = StorageTarget::find(session, &args.location_id)?;
        let text = read_text(session, &place, &args.path).await?;
        let total = text.lines().count();
        let mut displayed: Vec<String> = text
            .lines()
            .enumerate()
            .skip(args.offset.saturating_sub(1))
            .take(args.limit)
            .map(|(at, line)| format!("{}| {line}", at + 1))
            .collect();
        let next = args.offset.saturating_add(displayed.len());
        if next <= total {
            displayed.push(format!(
                "--- More lines available. Use offset={next} to continue reading. Total lines: {total} ---"
            ));
        }
        let answer = displayed.join("\n");
        Ok(Outcome::value(
            answer,
            json!({ "text": text, "lines": total }),
        ))
    }
}

/// Reads a text file. Refuses one that is not UTF-8, has a NUL, or is larger than the limit of its place.
async fn read_text(
    session: &Session,
    place: &StorageTarget<'_>,
    path: &str,
) -> Result<String, Failure> {
    let bytes = files::read(session.device(), &place.location, path, place.limit())
        .await
        .map_err(|error| place.error(path, error))?;
    let no_text = || action_failed(Words::format("File is not a text file: {}", &[&path]));
    let text = String::from_utf8(bytes).map_err(|_| no_text())?;
    // NUL is valid UTF-8, but a file with it is no text.
    if text.contains('\0') {
        return Err(no_text());
    }
    Ok(text)
}

/// A file and its content.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContentArgs {
    /// Storage location ID from `android_list_storage_locations`
    pub location_id: String,
    /// Relative path to the file within the storage location
    pub path: String,
    /// Text content
    pub content: String,
}

fn check_content(args: &Arguments) -> Result<(), Failure> {
    args.filled("location_id")?;
    args.filled("path")?;
    args.required_text("content").map(|_| ())
}

#[derive(Debug)]
pub struct WriteFile;

impl Tool for WriteFile {
    const NAME: &'static str = "write_file";
    const SUMMARY: &'static str = "Writes text content to a file. Creates the file if it doesn't exist, creates parent directories automatically, overwrites existing content.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const EFFECT: Effect = Effect::Destroys;
    type Args = ContentArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_content(args)
    }

    /// Creates or replaces the file, with missing folders. A location that does not allow writing, or a content beyond
    /// its limit, fails before anything is sent. A failure leaves the old file as it was.
    async fn call(session: &Session, args: ContentArgs, _: &Call) -> Result<Outcome, Failure> {
        let place = StorageTarget::writable(session, &args.location_id)?;
        place.check_size(args.content.len())?;
        write(session, &place, &args.path, &args.content).await?;
        Ok(Outcome::text(Words::format(
            "File written successfully: {}",
            &[&args.path],
        )))
    }
}

async fn write(
    session: &Session,
    place: &StorageTarget<'_>,
    path: &str,
    content: &str,
) -> Result<(), Failure> {
    files::write(session.device(), &place.location, path, content.as_bytes())
        .await
        .map_err(|error| place.error(path, error))
}

#[derive(Debug)]
pub struct AppendFile;

impl Tool for AppendFile {
    const NAME: &'static str = "append_file";
    const SUMMARY: &'static str = "Appends text content to an existing file.";
    const WRITING: StepSyntax = StepSyntax::Map;
    type Args = ContentArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_content(args)
    }

    /// Appends to a file that must exist. A file that would exceed the location's limit is left as it is, which is a
    /// failure. If the appending itself fails, a part may stay.
    async fn call(session: &Session, args: ContentArgs, _: &Call) -> Result<Outcome, Failure> {
        let place = StorageTarget::writable(session, &args.location_id)?;
        let path = args.path.as_str();
        let stat = files::stat(session.device(), &place.location, path)
            .await
            .map_err(|error| place.error(path, error))?;
        place.check_size(
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
        Ok(Outcome::text(Words::format(
            "Content appended successfully to: {}",
            &[&path],
        )))
    }
}

/// Arguments of `file_replace`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileReplaceArgs {
    /// Storage location ID from `android_list_storage_locations`
    pub location_id: String,
    /// Relative path to the file within the storage location
    pub path: String,
    /// The literal string to search for
    #[schemars(length(min = 1))]
    pub old_string: String,
    /// The replacement string
    pub new_string: String,
    /// If `true`, replaces all occurrences; if `false`, replaces only the first
    #[serde(default)]
    pub replace_all: bool,
}

#[derive(Debug)]
pub struct FileReplace;

impl Tool for FileReplace {
    const NAME: &'static str = "file_replace";
    const SUMMARY: &'static str = "Performs literal string replacement in a text file.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const EFFECT: Effect = Effect::Destroys;
    type Args = FileReplaceArgs;

    /// Checks that location, path and old text are not empty. The new text may be.
    fn check(args: &Arguments) -> Result<(), Failure> {
        args.filled("location_id")?;
        args.filled("path")?;
        args.filled("old_string")?;
        args.required_text("new_string").map(|_| ())
    }

    /// Replaces the first occurrence, or all, of the old text in the same letter case, and writes the file anew. A text
    /// that does not occur, or a result beyond the location's limit, is a failure, and nothing is written. The value
    /// has the number of replacements.
    async fn call(session: &Session, args: FileReplaceArgs, _: &Call) -> Result<Outcome, Failure> {
        let place = StorageTarget::writable(session, &args.location_id)?;
        let text = read_text(session, &place, &args.path).await?;
        let most = if args.replace_all { usize::MAX } else { 1 };
        let count = text.matches(&args.old_string).count().min(most);
        if count == 0 {
            return Err(action_failed(Words::format(
                "old_string not found in file: {}",
                &[&args.path],
            )));
        }
        let replaced = text.replacen(&args.old_string, &args.new_string, count);
        place.check_size(replaced.len())?;
        write(session, &place, &args.path, &replaced).await?;
        let value = json!({ "replaced": count });
        let text = Words::format("Replaced {} occurrence(s) in: {}", &[&count, &args.path]);
        Ok(Outcome::value(text, value))
    }
}

/// Arguments of `delete_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteFileArgs {
    /// Storage location ID from `android_list_storage_locations`
    pub location_id: String,
    /// Relative path to the file within the storage location
    pub path: String,
}

#[derive(Debug)]
pub struct DeleteFile;

impl Tool for DeleteFile {
    const NAME: &'static str = "delete_file";
    const SUMMARY: &'static str =
        "Deletes a single file from a storage location. Cannot delete directories.";
    const HELP: &'static str = "The location needs allow_delete.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const EFFECT: Effect = Effect::Destroys;
    type Args = DeleteFileArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        args.filled("location_id")?;
        args.filled("path").map(|_| ())
    }

    /// Deletes a file, never a folder; a missing file is a failure. Needs the location's leave to delete, not to write.
    async fn call(session: &Session, args: DeleteFileArgs, _: &Call) -> Result<Outcome, Failure> {
        let place = StorageTarget::find(session, &args.location_id)?;
        let path = args.path.as_str();
        if !place.settings.allow_delete {
            return Err(denied("Delete not allowed", &args.location_id));
        }
        files::delete(session.device(), &place.location, path)
            .await
            .map_err(|error| match error {
                FileError::IsFolder { .. } => action_failed(Words::format(
                    "Cannot delete a directory. Only single files can be deleted. Path: {}",
                    &[&path],
                )),
                error => place.error(path, error),
            })?;
        Ok(Outcome::text(Words::format(
            "File deleted successfully: {}",
            &[&path],
        )))
    }
}
