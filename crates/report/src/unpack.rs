//! Unpacks a run from a ZIP archive of a CI server. Archives are not trusted: names and sizes are checked,
//! and bytes are counted while unpacking.

use std::io::Read;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use zip::ZipArchive;

use runner_base::archive::{ArchiveError, header, open};
use runner_text::input_file::{MAX_SENT, open_regular};
use std::fs::File;

const MIB: u64 = 1024 * 1024;
/// Entries of an archive. Chosen: a large run leaves some ten thousand files; more entries are an attack or a
/// wrong file.
const MAX_ENTRIES: usize = 200_000;
/// Bytes of a file that is not an event stream. Chosen: videos and pages of one file stay below it.
const MAX_FILE_BYTES: u64 = 64 * MIB;
const MAX_STREAM_BYTES: u64 = 256 * MIB;
/// Bytes unpacked from one archive. Chosen: large runs have some hundred MiB; more would fill the disk.
const MAX_TOTAL_BYTES: u64 = 1024 * MIB;
/// Files named in messages about what was left out; the rest is counted. Chosen: about a screen of a
/// terminal.
const MAX_REPORTED_FILES: usize = 20;

/// Extensions of files that a run writes and the studio shows.
const ACCEPTED: [&str; 9] = [
    "ndjson", "gz", "jpg", "jpeg", "png", "log", "txt", "html", "js",
];

/// Reason why an archive was not unpacked.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// The archive cannot be read, is malicious or is none of a run.
    #[error("nothing was taken from {path}: {source}")]
    Archive {
        path: Utf8PathBuf,
        source: ArchiveError,
    },
    /// The files unpack to more bytes than 1 GiB.
    #[error("nothing was taken from {0}: its files unpack to more than {MAX_TOTAL_BYTES} bytes")]
    TooLarge(Utf8PathBuf),
    /// The archive cannot be opened, or a file cannot be written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

/// Unpacks the files of a run into the folder `into`, which is created if it is missing, with their paths. Nothing is
/// written outside of it. Files with extensions that no run writes are skipped in silence. Returns a message for each
/// file that was left out; after `MAX_REPORTED_FILES` a last one counts the rest.
///
/// # Errors
/// Returns an error if the archive is over `MAX_SENT`, is no archive, has more than `MAX_ENTRIES` files or unpacks to
/// `MAX_TOTAL_BYTES`, or if a file cannot be written or exists already. Files that were unpacked before the error
/// stay.
pub fn unpack(archive: &Utf8Path, into: &Utf8Path) -> Result<Vec<String>, UnpackError> {
    let opened = open(
        open_regular(archive, MAX_SENT).map_err(std::io::Error::from)?,
        MAX_ENTRIES,
    );
    let mut zip = opened.map_err(|source| UnpackError::Archive {
        path: archive.to_owned(),
        source,
    })?;
    let mut left_out = SkippedFiles::default();
    let mut left = MAX_TOTAL_BYTES;
    for index in 0..zip.len() {
        if let Err((name, why)) = entry(&mut zip, index, into, &mut left)? {
            left_out.add(&name, &why);
        }
        if left == 0 {
            return Err(UnpackError::TooLarge(archive.to_owned()));
        }
    }
    Ok(left_out.into_messages())
}

/// Unpacks one file below `into` and takes its size off `left`, at most all of it. Skips folders and files that no
/// run writes, without a reason. The inner error is name and reason of a file that may not be unpacked: its name
/// leads out of the folder, it is too large for its type or for `left`, or it is damaged. Nothing of it stays on
/// disk. The outer error ends the work: a file cannot be written or exists already.
fn entry(
    zip: &mut ZipArchive<File>,
    index: usize,
    into: &Utf8Path,
    left: &mut u64,
) -> Result<Result<(), (String, String)>, UnpackError> {
    let header = match header(zip, index) {
        Ok(header) if header.is_folder => return Ok(Ok(())),
        Ok(header) => header,
        Err(error) => return Ok(Err((format!("file {index}"), error.to_string()))),
    };
    let name = header.name;
    let path = Utf8Path::new(&name);
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    if !ACCEPTED.contains(&ending.as_str()) {
        return Ok(Ok(()));
    }
    if let Some(error) = header.error {
        return Ok(Err((name, error.to_string())));
    }
    let is_below = |part: Utf8Component<'_>| matches!(part, Utf8Component::Normal(_));
    if name.contains(['\\', ':', '\0']) || !path.components().all(is_below) {
        return Ok(Err((name, "its name leads out of its folder".to_owned())));
    }
    let limit = if ending == "ndjson" {
        MAX_STREAM_BYTES
    } else {
        MAX_FILE_BYTES
    };
    let Ok(content) = zip.by_index(index) else {
        return Ok(Err((name, "it cannot be unpacked".to_owned())));
    };
    let target = into.join(path);
    if let Some(folder) = target.parent() {
        fs_err::create_dir_all(folder)?;
    }
    let mut file = fs_err::File::create_new(&target)?;
    // One byte more shows that the file is too large.
    let max_bytes = limit.min(*left) + 1;
    let copied = std::io::copy(&mut content.take(max_bytes), &mut file);
    drop(file);
    let refused = match copied {
        Ok(size) if size < max_bytes => {
            *left -= size;
            return Ok(Ok(()));
        }
        Ok(size) => {
            *left = left.saturating_sub(size);
            "it unpacks to more bytes than any file of a run has"
        }
        Err(_) => "it cannot be unpacked: the archive is damaged",
    };
    fs_err::remove_file(&target)?;
    Ok(Err((name, refused.to_owned())))
}

#[derive(Default)]
struct SkippedFiles {
    messages: Vec<String>,
    more: usize,
}

impl SkippedFiles {
    /// Adds a message about a file left out; after `MAX_REPORTED_FILES` messages it only counts.
    fn add(&mut self, name: &str, why: &str) {
        if self.messages.len() < MAX_REPORTED_FILES {
            self.messages.push(format!("left out {name:?}: {why}"));
        } else {
            self.more += 1;
        }
    }

    /// Returns the messages, and a last one that counts the rest, if any.
    fn into_messages(mut self) -> Vec<String> {
        if self.more > 0 {
            self.messages
                .push(format!("left out {} more files", self.more));
        }
        self.messages
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn packed(folder: &Utf8Path, files: &[(&str, &[u8])]) -> Utf8PathBuf {
        let path = folder.join("a.zip");
        let mut zip = ZipWriter::new(fs_err::File::create(&path).unwrap());
        for (name, bytes) in files {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap();
        path
    }

    #[test]
    fn nothing_leaves_the_folder() {
        let guard = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(guard.path()).unwrap();
        let archive = packed(
            root,
            &[
                ("run/events.ndjson", b"{}"),
                ("../out.ndjson", b"{}"),
                ("/tmp/out.ndjson", b"{}"),
                ("c:\\out.ndjson", b"{}"),
                ("run/program.exe", b"x"),
            ],
        );
        let messages = unpack(&archive, &root.join("in")).unwrap();
        assert_eq!(messages.len(), 3, "{messages:?}");
        let files = walkdir::WalkDir::new(root).into_iter().flatten();
        let files = files.filter(|entry| entry.file_type().is_file());
        assert_eq!(files.count(), 2, "the archive, and the stream in it");
        assert!(root.join("in/run/events.ndjson").is_file());
    }

    #[test]
    fn a_file_that_grows_without_end_is_left_out() {
        let guard = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(guard.path()).unwrap();
        let zeros = vec![0; MAX_FILE_BYTES as usize + 10];
        let archive = packed(root, &[("a.jpg", &zeros), ("b.jpg", b"small")]);
        let messages = unpack(&archive, &root.join("in")).unwrap();
        assert!(messages[0].contains("a.jpg"), "{messages:?}");
        assert!(!root.join("in/a.jpg").exists() && root.join("in/b.jpg").exists());
    }

    #[test]
    fn what_is_no_archive_is_told() {
        let guard = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(guard.path()).unwrap();
        let path = root.join("a.zip");
        fs_err::write(&path, "no archive").unwrap();
        let error = unpack(&path, &root.join("in")).unwrap_err();
        assert!(error.to_string().contains("ZIP archive"), "{error}");
    }
}
