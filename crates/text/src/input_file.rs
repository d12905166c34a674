//! Opens the files that a project or a person names. Nothing else in the program opens them.
//!
//! A project's file is a regular file: [`read_in_root`] also refuses a link that leads out of the root. It is opened
//! without waiting and looked at once it is open, so that a FIFO holds up nobody and no exchange of names is of use.
//! What a person names may be a pipe as well, such as `<(…)` of a shell: [`read_named`] waits for it on a thread that
//! holds up no end of the program.

#![cfg_attr(
    not(test),
    expect(
        clippy::disallowed_methods,
        reason = "this is the module that opens what a project or a person names"
    )
)]

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Bytes of the largest text of a project: a flow, a script, settings.
pub const MAX_TEXT: u64 = 1024 * 1024;
/// Bytes of the largest picture of a project.
pub const MAX_PICTURE: u64 = 64 * 1024 * 1024;
/// Bytes of the longest event stream.
pub const MAX_STREAM: u64 = 256 * 1024 * 1024;
/// Bytes of the largest file that is sent to a device or installed.
pub const MAX_SENT: u64 = 4 * 1024 * 1024 * 1024;
/// Bytes that are read of a pipe at most: they are held in memory.
const MAX_PIPED: u64 = 32 * 1024 * 1024;
/// How long a FIFO may have nobody who writes to it.
const MAX_WITHOUT_WRITER: Duration = Duration::from_secs(5);
/// How long a pipe may take to its end. A person may have to type a password first.
const MAX_PIPE_TIME: Duration = Duration::from_mins(1);

/// A file that cannot be read, with its place.
#[derive(Debug, thiserror::Error)]
#[error("{} {problem}", path.display())]
pub struct InputError {
    /// As it was named.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub problem: InputProblem,
}

/// Why a file is not read, as words that follow its name.
#[derive(Debug, thiserror::Error)]
pub enum InputProblem {
    /// Nothing has the name.
    #[error("is not there")]
    Missing,
    /// A link to nothing.
    #[error("is a link that leads nowhere; put a file in its place")]
    LeadsNowhere,
    /// Something else than a file.
    #[error("is {0}, not a file")]
    NotAFile(&'static str),
    /// A link out of the project.
    #[error("leads out of the project's root; put a file below it in its place")]
    Outside,
    /// More bytes than any file of its kind has.
    #[error("is larger than {}, more than such a file may have", size(*.0))]
    TooLarge(u64),
    /// Its bytes are no text.
    #[error("is not UTF-8 text (byte {0}); save it as UTF-8")]
    NotText(usize),
    /// A FIFO whose other end nobody has.
    #[error("is a FIFO that nothing writes to")]
    NoWriter,
    /// A pipe that goes on.
    #[error("did not come to its end in {} s", MAX_PIPE_TIME.as_secs())]
    Endless,
    /// The system's.
    #[error("cannot be read: {0}")]
    Io(io::Error),
}

impl InputProblem {
    /// The nearest kind of the system's errors.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Missing | Self::LeadsNowhere => ErrorKind::NotFound,
            Self::NotAFile("a folder") => ErrorKind::IsADirectory,
            Self::TooLarge(_) => ErrorKind::FileTooLarge,
            Self::NotText(_) => ErrorKind::InvalidData,
            Self::NoWriter | Self::Endless => ErrorKind::TimedOut,
            Self::NotAFile(_) | Self::Outside => ErrorKind::InvalidInput,
            Self::Io(error) => error.kind(),
        }
    }
}

impl From<io::Error> for InputProblem {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Self::Missing,
            _ => Self::Io(error),
        }
    }
}

impl From<InputError> for io::Error {
    fn from(error: InputError) -> Self {
        Self::new(error.problem.kind(), error)
    }
}

/// `1 MB`, `64 kB`.
fn size(bytes: u64) -> String {
    const MB: u64 = 1024 * 1024;
    match bytes {
        bytes if bytes >= MB && bytes.is_multiple_of(MB) => format!("{} MB", bytes / MB),
        bytes if bytes >= 1024 && bytes.is_multiple_of(1024) => format!("{} kB", bytes / 1024),
        bytes => format!("{bytes} bytes"),
    }
}

/// Reads a regular file that lies below `root`, links resolved.
///
/// # Errors
/// [`InputError`].
pub fn read_in_root(
    root: impl AsRef<Path>,
    path: impl AsRef<Path>,
    max: u64,
) -> Result<Vec<u8>, InputError> {
    let path = path.as_ref();
    let read = || -> Result<Vec<u8>, InputProblem> {
        let file = open_in(root.as_ref(), path, max)?;
        to_end(file, max)
    };
    read().map_err(|problem| problem_of(path, problem))
}

/// Opens a regular file that lies below `root`, links resolved.
///
/// # Errors
/// [`InputError`].
pub fn open_in_root(
    root: impl AsRef<Path>,
    path: impl AsRef<Path>,
    max: u64,
) -> Result<File, InputError> {
    let path = path.as_ref();
    open_in(root.as_ref(), path, max).map_err(|problem| problem_of(path, problem))
}

/// Reads a regular file, wherever it lies.
///
/// # Errors
/// [`InputError`].
pub fn read_regular(path: impl AsRef<Path>, max: u64) -> Result<Vec<u8>, InputError> {
    let path = path.as_ref();
    let read = || to_end(open(path, false, max)?, max);
    read().map_err(|problem| problem_of(path, problem))
}

/// Reads a regular file of UTF-8 text, wherever it lies.
///
/// # Errors
/// [`InputError`].
pub fn read_text(path: impl AsRef<Path>, max: u64) -> Result<String, InputError> {
    text(path.as_ref(), read_regular(&path, max)?)
}

/// Opens a regular file, wherever it lies, for what is too large to be held in memory or read in order.
///
/// # Errors
/// [`InputError`].
pub fn open_regular(path: impl AsRef<Path>, max: u64) -> Result<File, InputError> {
    let path = path.as_ref();
    open(path, false, max).map_err(|problem| problem_of(path, problem))
}

/// Opens what a person names: a regular file, or a pipe, which is read to its end.
///
/// # Errors
/// [`InputError`].
pub fn open_named(path: impl AsRef<Path>, max: u64) -> Result<Box<dyn Read>, InputError> {
    let path = path.as_ref();
    match named(path, max) {
        Ok(Named::File(file)) => Ok(Box::new(file)),
        Ok(Named::Piped(bytes)) => Ok(Box::new(io::Cursor::new(bytes))),
        Err(problem) => Err(problem_of(path, problem)),
    }
}

/// As [`open_named`], its bytes.
///
/// # Errors
/// [`InputError`].
pub fn read_named(path: impl AsRef<Path>, max: u64) -> Result<Vec<u8>, InputError> {
    let path = path.as_ref();
    let read = || match named(path, max)? {
        Named::File(file) => to_end(file, max),
        Named::Piped(bytes) => Ok(bytes),
    };
    read().map_err(|problem| problem_of(path, problem))
}

/// As [`read_named`], of UTF-8 text.
///
/// # Errors
/// [`InputError`].
pub fn read_named_text(path: impl AsRef<Path>, max: u64) -> Result<String, InputError> {
    text(path.as_ref(), read_named(&path, max)?)
}

/// Reads standard input to its end.
///
/// # Errors
/// [`InputError`].
pub fn read_stdin(max: u64) -> Result<Vec<u8>, InputError> {
    piped(max.min(MAX_PIPED), || Ok(io::stdin()))
        .map_err(|problem| problem_of(Path::new("standard input"), problem))
}

/// What a person named.
enum Named {
    File(File),
    Piped(Vec<u8>),
}

fn named(path: &Path, max: u64) -> Result<Named, InputProblem> {
    match kind(&about(path)?) {
        None => Ok(Named::File(open(path, false, max)?)),
        Some(FIFO | CHARACTER_DEVICE) => {
            let path = path.to_owned();
            piped(max.min(MAX_PIPED), move || open_stream(&path)).map(Named::Piped)
        }
        Some(kind) => Err(InputProblem::NotAFile(kind)),
    }
}

fn problem_of(path: &Path, problem: InputProblem) -> InputError {
    InputError {
        path: path.to_owned(),
        problem,
    }
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String, InputError> {
    String::from_utf8(bytes).map_err(|wrong| {
        problem_of(
            path,
            InputProblem::NotText(wrong.utf8_error().valid_up_to()),
        )
    })
}

fn about(path: &Path) -> Result<Metadata, InputProblem> {
    std::fs::metadata(path).map_err(|error| match InputProblem::from(error) {
        InputProblem::Missing if path.is_symlink() => InputProblem::LeadsNowhere,
        problem => problem,
    })
}

fn open_in(root: &Path, path: &Path, max: u64) -> Result<File, InputProblem> {
    // Before links are resolved: of one that leads nowhere, that is what is told.
    about(path)?;
    let real = path.canonicalize()?;
    if !real.starts_with(root.canonicalize()?) {
        return Err(InputProblem::Outside);
    }
    // The real path has no links. One that was put there meanwhile is not followed.
    open(&real, true, max)
}

/// Opens what is a regular file before it is opened and after: opening a device can have an effect.
fn open(path: &Path, is_real: bool, max: u64) -> Result<File, InputProblem> {
    let refuse_other = |about: &Metadata| match kind(about) {
        None => Ok(()),
        Some(kind) => Err(InputProblem::NotAFile(kind)),
    };
    refuse_other(&about(path)?)?;
    let file = open_without_waiting(path, is_real)?;
    let about = file.metadata()?;
    refuse_other(&about)?;
    if about.len() > max {
        return Err(InputProblem::TooLarge(max));
    }
    Ok(file)
}

fn to_end(source: impl Read, max: u64) -> Result<Vec<u8>, InputProblem> {
    let mut bytes = Vec::new();
    // One byte more: what grows meanwhile, and a pipe, have no length to ask for.
    source.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max {
        return Err(InputProblem::TooLarge(max));
    }
    Ok(bytes)
}

/// Opens and reads on a thread of its own, which ends with the program wherever it hangs.
fn piped<R: Read>(
    max: u64,
    open: impl FnOnce() -> Result<R, InputProblem> + Send + 'static,
) -> Result<Vec<u8>, InputProblem> {
    let (is_open, opened) = mpsc::channel();
    let (is_read, read) = mpsc::channel();
    let begun = Instant::now();
    std::thread::Builder::new().spawn(move || {
        // Nobody listens any more where the wait is over.
        match open() {
            Ok(source) => {
                let _ = is_open.send(Ok(()));
                let _ = is_read.send(to_end(source, max));
            }
            Err(problem) => {
                let _ = is_open.send(Err(problem));
            }
        }
    })?;
    let opened = opened.recv_timeout(MAX_WITHOUT_WRITER);
    opened.map_err(|_| InputProblem::NoWriter)??;
    let left = MAX_PIPE_TIME.saturating_sub(begun.elapsed());
    read.recv_timeout(left).map_err(|_| InputProblem::Endless)?
}

const FIFO: &str = "a FIFO";
const CHARACTER_DEVICE: &str = "a character device";

#[cfg(unix)]
mod system {
    use std::fs::{File, Metadata, OpenOptions};
    use std::io;
    use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
    use std::path::Path;

    use rustix::fs::OFlags;

    use super::{CHARACTER_DEVICE, FIFO};

    /// Names what is not a regular file.
    pub(super) fn kind(about: &Metadata) -> Option<&'static str> {
        let kind = about.file_type();
        if kind.is_file() {
            None
        } else if kind.is_dir() {
            Some("a folder")
        } else if kind.is_fifo() {
            Some(FIFO)
        } else if kind.is_socket() {
            Some("a socket")
        } else if kind.is_char_device() {
            Some(CHARACTER_DEVICE)
        } else {
            Some("a block device")
        }
    }

    pub(super) fn open_without_waiting(path: &Path, is_real: bool) -> io::Result<File> {
        let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        if is_real {
            flags |= OFlags::NOFOLLOW;
        }
        let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
        OpenOptions::new().read(true).custom_flags(flags).open(path)
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::{File, Metadata};
    use std::io;
    use std::path::Path;

    /// Names what is not a regular file.
    pub(super) fn kind(about: &Metadata) -> Option<&'static str> {
        match about.file_type() {
            kind if kind.is_file() => None,
            kind if kind.is_dir() => Some("a folder"),
            _ => Some("a device"),
        }
    }

    pub(super) fn open_without_waiting(path: &Path, _: bool) -> io::Result<File> {
        File::open(path)
    }
}

use system::{kind, open_without_waiting};

/// Opens what may wait for its other end.
fn open_stream(path: &Path) -> Result<File, InputProblem> {
    Ok(File::open(path)?)
}

#[cfg(test)]
mod tests;
