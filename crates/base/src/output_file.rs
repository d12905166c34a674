//! Files that a person names as an output, such as `--junit report.xml`. An existing file is replaced only if
//! it begins as this program's own outputs of that form do.

mod form;

use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::NamedTempFile;

use crate::files::{create, open_stream, real_path, temporary_in, write_atomic};
use crate::own_folder::FolderKind;
use form::{describe_foreign, head, is_flow};

pub use form::{Form, LOG_HEAD, RECORDING_HEAD, REPORT_HEAD};

/// Limit for a pipe's reader to open it. Chosen: a shell starts both ends of a pipe at once; without a limit
/// a missing reader would hang the program.
const MAX_READER_WAIT: Duration = Duration::from_secs(5);

#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The path names a file of another kind, which is not replaced.
    #[error("{path} is {found}, not {}: give {option} another path, or delete it first", wanted.noun())]
    WrongForm {
        /// Path as the person wrote it.
        path: Utf8PathBuf,
        /// Description of the file that is there, with its article.
        found: &'static str,
        /// Form that was to be written.
        wanted: Form,
        /// Command-line option or key of `runner.yaml` that names the path.
        option: String,
    },
    /// The path names a flow, which is nobody's to delete: the option took a path that was meant for the flows.
    #[error("{path} is a flow, not {}: give {option} another path before it", wanted.noun())]
    Flow {
        /// Path as the person wrote it.
        path: Utf8PathBuf,
        /// Form that was to be written.
        wanted: Form,
        /// Command-line option or key of `runner.yaml` that names the path.
        option: String,
    },
    /// The path is empty.
    #[error("{option} names no file; leave it out, or give it a path")]
    Unnamed { option: String },
    /// The path ends in `/`, so it names a folder.
    #[error("{path} names a folder, and {option} is a file; give it one such as {path}{}", wanted.example())]
    NamesFolder {
        /// Path as the person wrote it, with its `/`.
        path: String,
        option: String,
        wanted: Form,
    },
    /// A path with the extension of a format that is not written.
    #[error("{path} would hold {}, and not what `.{}` says: give {option} a name such as {instead}", wanted.noun(), path.extension().unwrap_or_default())]
    Extension {
        /// Path as the person wrote it.
        path: Utf8PathBuf,
        option: String,
        wanted: Form,
        /// The same path with an extension of the form.
        instead: Utf8PathBuf,
    },
    /// A path with the extension of a file where a folder is written.
    #[error("{path} would be a folder: give {option} a name without `.{}`{instead}", path.extension().unwrap_or_default())]
    NamesFile {
        path: Utf8PathBuf,
        option: String,
        /// End of the message: what was probably meant; may be empty.
        instead: String,
    },
    /// A folder of the project's own files, among which a run would write.
    #[error("{path} holds the {held}: give {option} a folder of its own, such as out/artifacts")]
    Holds {
        path: Utf8PathBuf,
        /// Plural noun for these files, such as `flows`.
        held: &'static str,
        option: String,
    },
    /// A place in the folder of the history, where any other file is warned of.
    #[error(
        "{path} lies in the folder of the history, which holds runs alone: give {option} another path"
    )]
    InHistory { path: Utf8PathBuf, option: String },
    #[error("{path} cannot be written: {source}; give {option} another path")]
    Unwritable {
        path: Utf8PathBuf,
        option: String,
        source: std::io::Error,
    },
    #[error(
        "{path} is a pipe that nothing reads; start its reader first, or give {option} another path"
    )]
    NoReader { path: Utf8PathBuf, option: String },
    /// Two outputs are the same file and would replace each other.
    #[error("{first} and {second} both write {path}; give each a path of its own")]
    Twice {
        path: Utf8PathBuf,
        /// Option or key that names the path first.
        first: String,
        /// Option or key that names it again.
        second: String,
    },
    /// The existing file cannot be read, so its form is unknown.
    #[error("{path} is not replaced, as it cannot be read: {source}; give {option} another path")]
    Unreadable {
        path: Utf8PathBuf,
        option: String,
        source: std::io::Error,
    },
}

/// Path of an output, checked before anything runs.
#[derive(Debug, Clone)]
pub struct OutputFile {
    path: Utf8PathBuf,
    /// Path as the person wrote it, for messages.
    shown: Utf8PathBuf,
    /// Command-line option or key of `runner.yaml` that names the path.
    option: String,
    /// A pipe or a device, opened at the start, so that a missing reader is found before the run and not
    /// after it.
    stream: Option<Arc<File>>,
}

impl OutputFile {
    /// Checks that `named`, relative to `folder`, may be written. `option` names the path in errors. A missing or
    /// empty file, a file that already has this form, standard output or error by a path such as `/dev/stdout`, a
    /// pipe and a character device are accepted. A pipe or device is opened here and kept open; waits for a pipe's
    /// reader, at most five seconds. Otherwise creates the missing folders above the path, and tries to create a
    /// file there; the path itself stays as it is.
    ///
    /// # Errors
    /// Returns an [`OutputError`] if the path is empty or ends in `/`, a file of another form would be lost, a new
    /// file has the extension of another format, a folder is there, a pipe has no reader, or nothing can be
    /// written.
    pub fn new(
        folder: &Utf8Path,
        named: &Utf8Path,
        form: Form,
        option: &str,
    ) -> Result<Self, OutputError> {
        if named.as_str().is_empty() {
            return Err(OutputError::Unnamed {
                option: option.to_owned(),
            });
        }
        let path = folder.join(named);
        let shown = shown_from(folder, &path);
        let other = |found| OutputError::WrongForm {
            path: shown.clone(),
            found,
            wanted: form,
            option: option.to_owned(),
        };
        if named.as_str().ends_with('/') {
            return Err(OutputError::NamesFolder {
                path: format!("{shown}/"),
                option: option.to_owned(),
                wanted: form,
            });
        }
        let unwritable = |source| OutputError::Unwritable {
            path: shown.clone(),
            option: option.to_owned(),
            source,
        };
        let claimed = |stream| Self {
            path: path.clone(),
            shown: shown.clone(),
            option: option.to_owned(),
            stream,
        };
        if let Some(stream) = own_stream(&path) {
            return Ok(claimed(Some(Arc::new(stream.map_err(unwritable)?))));
        }
        let Ok(about) = fs_err::metadata(&path) else {
            if form.is_foreign(named.extension().unwrap_or_default()) {
                return Err(OutputError::Extension {
                    instead: form.renamed(&shown),
                    path: shown.clone(),
                    option: option.to_owned(),
                    wanted: form,
                });
            }
            try_folder(&path).map_err(unwritable)?;
            return Ok(claimed(None));
        };
        if about.is_dir() {
            return Err(other("a folder"));
        }
        if !about.is_file() {
            let opened = open_with_reader(&path).map_err(unwritable)?;
            let stream = opened.ok_or_else(|| OutputError::NoReader {
                path: shown.clone(),
                option: option.to_owned(),
            })?;
            return Ok(claimed(Some(Arc::new(stream))));
        }
        if about.len() > 0 {
            let head = head(&path).map_err(|source| OutputError::Unreadable {
                path: shown.clone(),
                option: option.to_owned(),
                source,
            })?;
            if !form.has_head(&head) {
                return Err(if is_flow(&path, &head) {
                    OutputError::Flow {
                        path: shown,
                        wanted: form,
                        option: option.to_owned(),
                    }
                } else {
                    other(describe_foreign(&path, &head))
                });
            }
        }
        try_folder(&path).map_err(unwritable)?;
        Ok(claimed(None))
    }

    /// Refuses two outputs that are the same file, links followed. `/dev/null` may be named several times.
    ///
    /// # Errors
    /// Returns [`OutputError::Twice`] for the first output that repeats an earlier one, with the options of both.
    pub fn check_distinct<'a>(
        outputs: impl IntoIterator<Item = &'a Self>,
    ) -> Result<(), OutputError> {
        let mut taken: Vec<(Utf8PathBuf, &Self)> = Vec::new();
        for output in outputs {
            let real = real_path(&output.path);
            // All that is written there is lost anyway.
            if real == "/dev/null" {
                continue;
            }
            if let Some((_, first)) = taken.iter().find(|(path, _)| *path == real) {
                return Err(OutputError::Twice {
                    path: output.shown.clone(),
                    first: first.option.clone(),
                    second: output.option.clone(),
                });
            }
            taken.push((real, output));
        }
        Ok(())
    }

    /// Refuses this output if it is `folder` itself, or if a report of `kind` there, named by `option`, writes the
    /// same file, links followed. Other files in that folder are allowed.
    ///
    /// # Errors
    /// Returns [`OutputError::Twice`].
    pub fn check_outside(
        &self,
        folder: &Utf8Path,
        kind: &FolderKind,
        option: &str,
    ) -> Result<(), OutputError> {
        let real = real_path(&self.path);
        let below = real.strip_prefix(real_path(folder));
        let is_held = |below: &Utf8Path| below.as_str().is_empty() || kind.holds(below.as_str());
        if below.is_ok_and(is_held) {
            return Err(OutputError::Twice {
                path: self.shown.clone(),
                first: option.to_owned(),
                second: self.option.clone(),
            });
        }
        Ok(())
    }

    /// Command-line option or key of `runner.yaml` that names the path.
    pub fn option(&self) -> &str {
        &self.option
    }

    /// Path to write to, relative paths joined to the folder.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Creates or truncates the file, to be written piece by piece. For a pipe or a device returns the opened
    /// stream, which is not truncated.
    ///
    /// # Errors
    /// Returns the file system's error.
    pub fn create(&self) -> std::io::Result<File> {
        match &self.stream {
            Some(stream) => stream.try_clone(),
            None => create(&self.path),
        }
    }

    /// Creates a temporary file beside the output, for contents too large for memory: beside the file that a link
    /// points to, and for a pipe or a device in the system's temporary folder. [`Self::finish`] renames it; it is
    /// removed if it is dropped before.
    ///
    /// # Errors
    /// Returns the file system's error.
    pub fn begin(&self) -> std::io::Result<NamedTempFile> {
        // The folder of a device takes no files.
        if self.is_stream() {
            return NamedTempFile::new();
        }
        // A link may lead to another file system, and no rename does.
        match real_path(&self.path).parent() {
            Some(folder) if !folder.as_str().is_empty() => temporary_in(folder),
            _ => temporary_in(Utf8Path::new(".")),
        }
    }

    /// Renames the temporary file to the output's path, and replaces a file there; through a link it replaces
    /// the link's target. For a pipe or a device, copies the content into it.
    ///
    /// # Errors
    /// Returns the file system's error; the temporary file is removed then.
    pub fn finish(&self, mut file: NamedTempFile) -> std::io::Result<()> {
        if let Some(mut stream) = self.stream.as_deref() {
            file.rewind()?;
            std::io::copy(&mut file, &mut stream)?;
            return Ok(());
        }
        // Replaces the file that a link points to, not the link.
        file.persist(real_path(&self.path))
            .map_err(|error| error.error)?;
        Ok(())
    }

    /// Returns true for a pipe or a device, which cannot be written again.
    pub fn is_stream(&self) -> bool {
        self.stream.is_some()
    }

    /// Replaces the content in one step, so that no reader finds half of it. A link stays, and the file that
    /// it points to is replaced. A pipe or a device gets the bytes appended.
    ///
    /// # Errors
    /// Returns the file system's error.
    pub fn write(&self, bytes: &[u8]) -> std::io::Result<()> {
        match self.stream.as_deref() {
            Some(mut stream) => stream.write_all(bytes).and_then(|()| stream.flush()),
            None => write_atomic(&real_path(&self.path), bytes),
        }
    }
}

/// Creates the folder for files of a run and the missing ones above it, and tries to write a file in it.
/// `option` names it in errors. Files that are in it stay.
///
/// # Errors
/// Returns [`OutputError::Unwritable`].
pub fn claim_folder(path: &Utf8Path, option: &str) -> Result<(), OutputError> {
    try_to_write_in(path).map_err(|source| OutputError::Unwritable {
        path: path.to_owned(),
        option: option.to_owned(),
        source,
    })
}

/// Creates the folder of `path`, links followed, and fails if no file can be created in it.
fn try_folder(path: &Utf8Path) -> std::io::Result<()> {
    let real = real_path(path);
    try_to_write_in(real.parent().unwrap_or(&real))
}

/// Creates the folder, and fails if no file can be created in it.
fn try_to_write_in(folder: &Utf8Path) -> std::io::Result<()> {
    fs_err::create_dir_all(folder)?;
    temporary_in(folder).map(drop)
}

/// Returns a path as a person in `folder` writes it, for messages: relative if it lies below, and `.` for the folder
/// itself.
pub fn shown_from(folder: &Utf8Path, path: &Utf8Path) -> Utf8PathBuf {
    match path.strip_prefix(folder) {
        Ok(below) if below.as_str().is_empty() => ".".into(),
        Ok(below) => below.to_owned(),
        Err(_) => path.to_owned(),
    }
}

/// Returns true for `-` and the usual device paths of standard output. Compares the text only: links are not
/// followed.
pub fn is_stdout(path: &Utf8Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(&path.as_str())
}

/// Returns a duplicate of standard output or standard error if `path` names one of them (`/dev/stdout` and
/// the like); `None` for all other paths. Opening `/dev/stdout` by name would start at the beginning of a
/// file that the shell redirects to, over what others wrote.
#[cfg(unix)]
fn own_stream(path: &Utf8Path) -> Option<std::io::Result<File>> {
    use std::os::fd::AsFd as _;

    let stream = match path.as_str() {
        _ if is_stdout(path) => std::io::stdout().as_fd().try_clone_to_owned(),
        "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2" => {
            std::io::stderr().as_fd().try_clone_to_owned()
        }
        _ => return None,
    };
    Some(stream.map(File::from))
}

#[cfg(not(unix))]
fn own_stream(_: &Utf8Path) -> Option<std::io::Result<File>> {
    None
}

/// Opens a pipe or a device for writing; `None` if it has no reader within [`MAX_READER_WAIT`]. A thread goes
/// on waiting for the reader then.
fn open_with_reader(path: &Utf8Path) -> std::io::Result<Option<File>> {
    let (sender, receiver) = mpsc::channel();
    let path = path.to_owned();
    // A thread, as opening waits for a reader and cannot be cancelled.
    std::thread::Builder::new().spawn(move || {
        let _ = sender.send(open_stream(&path));
    })?;
    receiver.recv_timeout(MAX_READER_WAIT).ok().transpose()
}

#[cfg(test)]
mod tests;
