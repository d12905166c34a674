//! Names the files of the history's folder, lists them and removes the oldest.

use std::fs::{File, TryLockError};

use camino::{Utf8Path, Utf8PathBuf};
use chrono::{DateTime, FixedOffset, Utc};

use super::warning::{HistoryProblem, HistoryWarning};
use runner_text::input_file::open_regular;

/// Default folder of the history, relative to the root.
pub const HISTORY_FOLDER: &str = ".runner/history";

/// Folder of recordings within the history's folder.
pub const RECORDINGS_FOLDER: &str = "recordings";

/// Text between the ids of the runs that a merged stream was made of, in its id. No run's own id has it.
pub const RUN_ID_SEPARATOR: &str = "+";

/// Newest runs that are kept and read. Chosen: more than the trends and the stability window look at; many
/// more would make each `runner history` slower.
pub const MAX_RUNS: usize = 200;

/// Extension of a run that came to its end.
pub(super) const COMPLETE: &str = "ndjson";
/// Extension of a run that still goes on or was killed.
pub(super) const PARTIAL: &str = "part";

/// Returns the file's name without extension. It begins with the time in UTC, so that sorting by name sorts
/// by time.
pub(super) fn stem(started: DateTime<FixedOffset>, run_id: &str) -> String {
    let time = started.with_timezone(&Utc).format("%Y%m%dT%H%M%S%3fZ");
    let id: String = run_id.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("{time}-{id}")
}

/// Returns true for the name of a run's file in a history, complete or still written: a time, an id of letters and
/// digits, and the extension.
pub fn is_run_file(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    let Some((time, id)) = stem.split_once('-') else {
        return false;
    };
    let is_time = |at: usize, byte: u8| match at {
        8 => byte == b'T',
        18 => byte == b'Z',
        _ => byte.is_ascii_digit(),
    };
    [COMPLETE, PARTIAL].contains(&extension)
        && time.len() == 19
        && time.bytes().enumerate().all(|(at, byte)| is_time(at, byte))
        && !id.is_empty()
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Lists the files of the newest [`MAX_RUNS`] runs, oldest first, with warnings about foreign files. A folder
/// that does not exist is empty.
pub(super) fn list(folder: &Utf8Path) -> (Vec<Utf8PathBuf>, Vec<HistoryWarning>) {
    let (mut files, warnings) = list_all(folder);
    let old = files.len().saturating_sub(MAX_RUNS);
    (files.split_off(old), warnings)
}

/// Lists our files by name, and a warning for any other, except hidden ones and the folder of recordings. Nothing
/// for a missing folder; one warning for a folder that cannot be read.
fn list_all(folder: &Utf8Path) -> (Vec<Utf8PathBuf>, Vec<HistoryWarning>) {
    let warning = |path: Utf8PathBuf, problem| HistoryWarning { path, problem };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Default::default(),
        Err(error) => {
            let reported = warning(folder.to_owned(), HistoryProblem::Unreadable(error));
            return (Vec::new(), vec![reported]);
        }
    };
    let mut files = Vec::new();
    let mut warnings = Vec::new();
    for name in entries.flatten().map(|entry| entry.file_name()) {
        let name = name.to_string_lossy();
        if is_run_file(&name) {
            files.push(folder.join(&*name));
        } else if !name.starts_with('.') && name != RECORDINGS_FOLDER {
            // `.gitignore`, and temporary names of files that are being written.
            warnings.push(warning(folder.join(&*name), HistoryProblem::Foreign));
        }
    }
    files.sort_unstable();
    warnings.sort_by(|one, other| one.path.cmp(&other.path));
    (files, warnings)
}

/// Removes the oldest runs beyond [`MAX_RUNS`], those that were killed too. Foreign files and runs that still
/// go on stay. Errors are ignored.
pub(super) fn prune(folder: &Utf8Path) {
    let (files, _) = list_all(folder);
    let old = files.len().saturating_sub(MAX_RUNS);
    for path in &files[..old] {
        if path.extension() == Some(COMPLETE) || !is_running(path) {
            // Another run may have removed it at the same time.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Returns the number of runs that go on now, of this process and of others, and write their files in `folder`. Runs
/// that were killed do not count. On a file system without locks it is 0.
pub fn count_running(folder: &Utf8Path) -> usize {
    let (files, _) = list_all(folder);
    let partial = files
        .iter()
        .filter(|path| path.extension() == Some(PARTIAL));
    partial.filter(|path| is_running(path)).count()
}

fn is_running(path: &Utf8Path) -> bool {
    open_regular(path, u64::MAX).is_ok_and(|file| is_locked(&file))
}

/// Returns true if a running process has locked the file. The system releases the lock when that process
/// ends, in whatever way. On a file system without locks it is false.
pub(super) fn is_locked(file: &File) -> bool {
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_others() {
        let started = DateTime::parse_from_rfc3339("2026-11-23T06:01:02.345+01:00").unwrap();
        let stem = stem(started, "00ff00ff00ff00ff");
        assert_eq!(stem, "20261123T050102345Z-00ff00ff00ff00ff");
        for (name, ours) in [
            (format!("{stem}.ndjson"), true),
            (format!("{stem}.part"), true),
            (format!("{stem}.txt"), false),
            (stem.clone(), false),
            ("notes-1.ndjson".to_owned(), false),
            ("20261123T050102345Z-.ndjson".to_owned(), false),
            ("20261123T050102345Z-../x.ndjson".to_owned(), false),
            (".part".to_owned(), false),
        ] {
            assert_eq!(is_run_file(&name), ours, "{name}");
        }
    }
}
