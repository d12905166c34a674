//! Opens the files that a project or a person names. No other module opens such files.
//!
//! A project's file must be a regular file, and [`read_in_root`] also refuses a link that leads out of the
//! root. It is opened without blocking and checked once it is open: a FIFO cannot hang the program, and
//! swapping the file between check and use does not help an attacker.
//!
//! A person may also name a pipe, such as `<(…)` of a shell. [`read_named`] reads it on its own thread, so
//! that a pipe that never ends does not keep the program from ending.

#![cfg_attr(
    not(test),
    expect(
        clippy::disallowed_methods,
        reason = "every other module opens such files through this one, which checks them"
    )
)]

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Maximum bytes of a text file of a project: a flow, a script, settings. Chosen: far above any file written
/// by hand; the YAML tree of a larger one would take much memory.
pub const MAX_TEXT: u64 = 1024 * 1024;
/// Maximum bytes of a picture of a project. Chosen: above a full-page PNG of any display.
pub const MAX_PICTURE: u64 = 64 * 1024 * 1024;
/// Maximum bytes of an event stream. Chosen: readers of archives hold it in
/// memory.
pub const MAX_STREAM: u64 = 256 * 1024 * 1024;
/// Maximum bytes of a file that is sent to a device or installed. Chosen: above the largest APKs and videos;
/// it is streamed, not held in memory.
pub const MAX_SENT: u64 = 4 * 1024 * 1024 * 1024;
/// Maximum bytes that are read from a pipe. Chosen: they are held in memory.
const MAX_PIPED: u64 = 32 * 1024 * 1024;
/// Time that a FIFO may be without a writer. Chosen: a shell starts the writer at once; a wrong name should
/// not hang longer.
const MAX_WITHOUT_WRITER: Duration = Duration::from_secs(5);
/// Time that a pipe may take to its end. Chosen: a person may have to type a password first.
const MAX_PIPE_TIME: Duration = Duration::from_mins(1);

#[derive(Debug, thiserror::Error)]
#[error("{} {problem}", path.display())]
pub struct InputError {
    /// Path as the caller gave it, not resolved.
    pub path: PathBuf,
    #[source]
    pub problem: InputProblem,
}

/// Reason why a file cannot be read. The message continues a sentence that begins with the file's name.
#[derive(Debug, thiserror::Error)]
pub enum InputProblem {
    #[error("is not there")]
    Missing,
    /// Dangling symbolic link.
    #[error("is a link that leads nowhere; put a file in its place")]
    LeadsNowhere,
    /// Something else than a regular file. Holds its kind with an article, such as "a folder".
    #[error("is {0}, not a file")]
    NotAFile(&'static str),
    /// File outside of the project's root, by its path or by a link.
    #[error("leads out of the project's root; put a file below it in its place")]
    Outside,
    /// More bytes than the caller, or the limit of pipes, allows. Holds the limit.
    #[error("is larger than {}, more than such a file may have", size(*.0))]
    TooLarge(u64),
    /// Invalid UTF-8. Holds the offset of the first bad byte.
    #[error("is not UTF-8 text (byte {0}); save it as UTF-8")]
    NotText(usize),
    /// FIFO that no process opened for writing within 5 s.
    #[error("is a FIFO that nothing writes to")]
    NoWriter,
    /// Pipe that was not closed within a minute.
    #[error("did not come to its end in {} s", MAX_PIPE_TIME.as_secs())]
    Endless,
    #[error("cannot be read: {0}")]
    Io(io::Error),
}

impl InputProblem {
    /// Returns the nearest [`ErrorKind`]: `NotFound` for a missing file and a link that leads nowhere, `IsADirectory`
    /// for a folder, `FileTooLarge`, `InvalidData` for what is no text, and `TimedOut` for a pipe that was waited for
    /// in vain. Other kinds of files and those outside of the root are `InvalidInput`; an error of the system keeps its
    /// kind.
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
    /// Converts an error of the system. A path with a file in place of a folder (`ENOTDIR`) is [`Self::Missing`] too.
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

/// Formats a limit in units of 1024: `1 MB`, `64 kB`. A number that is no multiple of these is in bytes.
fn size(bytes: u64) -> String {
    const MB: u64 = 1024 * 1024;
    match bytes {
        bytes if bytes >= MB && bytes.is_multiple_of(MB) => format!("{} MB", bytes / MB),
        bytes if bytes >= 1024 && bytes.is_multiple_of(1024) => format!("{} kB", bytes / 1024),
        bytes => format!("{bytes} bytes"),
    }
}

/// Reads a regular file that lies below `root` after all links are resolved. `path` is not joined to `root`: a
/// relative one counts from the working directory.
///
/// # Errors
/// [`InputProblem::Outside`] if it lies elsewhere, [`InputProblem::NotAFile`] for a folder, pipe or device,
/// [`InputProblem::TooLarge`] above `max` bytes, and others.
pub fn read_in_root(
    root: impl AsRef<Path>,
    path: impl AsRef<Path>,
    max: u64,
) -> Result<Vec<u8>, InputError> {
    let path = path.as_ref();
    let read = || -> Result<Vec<u8>, InputProblem> {
        let file = open_in(root.as_ref(), path, max)?;
        file_to_end(file, max)
    };
    read().map_err(|problem| problem_of(path, problem))
}

/// Opens a regular file of at most `max` bytes that lies below `root` after all links are resolved. `path` is not
/// joined to `root`: a relative one counts from the working directory. A file that grows after it is opened is not
/// cut.
///
/// # Errors
/// [`InputProblem::Outside`] if it lies elsewhere, [`InputProblem::NotAFile`] for a folder, pipe or device,
/// [`InputProblem::TooLarge`], and others.
pub fn open_in_root(
    root: impl AsRef<Path>,
    path: impl AsRef<Path>,
    max: u64,
) -> Result<File, InputError> {
    let path = path.as_ref();
    open_in(root.as_ref(), path, max).map_err(|problem| problem_of(path, problem))
}

/// Reads a regular file, inside or outside of the root. Links are followed.
///
/// # Errors
/// [`InputProblem::NotAFile`] for a folder, pipe or device, [`InputProblem::TooLarge`] above `max` bytes,
/// [`InputProblem::Missing`], and others.
pub fn read_regular(path: impl AsRef<Path>, max: u64) -> Result<Vec<u8>, InputError> {
    let path = path.as_ref();
    let read = || file_to_end(open(path, false, max)?, max);
    read().map_err(|problem| problem_of(path, problem))
}

/// Reads a regular file of UTF-8 text, inside or outside of the root.
///
/// # Errors
/// [`InputProblem::NotText`], and those of [`read_regular`].
pub fn read_text(path: impl AsRef<Path>, max: u64) -> Result<String, InputError> {
    text(path.as_ref(), read_regular(&path, max)?)
}

/// Opens a regular file, inside or outside of the root. For files that are too large for memory or that need
/// seeking. `max` is checked once, at opening.
///
/// # Errors
/// As [`read_regular`].
pub fn open_regular(path: impl AsRef<Path>, max: u64) -> Result<File, InputError> {
    let path = path.as_ref();
    open(path, false, max).map_err(|problem| problem_of(path, problem))
}

/// Opens a file that a person named, inside or outside of the root: a regular file, a pipe or a terminal. All may
/// have at most `max` bytes, pipes and terminals also at most 32 MB; these are read to their end into memory before
/// this returns.
///
/// # Errors
/// [`InputProblem::NoWriter`] for a pipe without a writer for 5 s, [`InputProblem::Endless`] for one without an end
/// after a minute, [`InputProblem::TooLarge`], and those of [`read_regular`].
pub fn open_named(path: impl AsRef<Path>, max: u64) -> Result<Box<dyn Read>, InputError> {
    let path = path.as_ref();
    match named(path, max) {
        Ok(NamedInput::File(file)) => Ok(Box::new(file)),
        Ok(NamedInput::Piped(bytes)) => Ok(Box::new(io::Cursor::new(bytes))),
        Err(problem) => Err(problem_of(path, problem)),
    }
}

/// Reads a file, a pipe or a terminal that a person named, inside or outside of the root, to its end. The limits
/// are those of [`open_named`].
///
/// # Errors
/// Those of [`open_named`].
pub fn read_named(path: impl AsRef<Path>, max: u64) -> Result<Vec<u8>, InputError> {
    let path = path.as_ref();
    let read = || match named(path, max)? {
        NamedInput::File(file) => file_to_end(file, max),
        NamedInput::Piped(bytes) => Ok(bytes),
    };
    read().map_err(|problem| problem_of(path, problem))
}

/// Reads UTF-8 text from a file, pipe or terminal that a person named. The limits are those of [`open_named`].
///
/// # Errors
/// [`InputProblem::NotText`], and those of [`open_named`].
pub fn read_named_text(path: impl AsRef<Path>, max: u64) -> Result<String, InputError> {
    text(path.as_ref(), read_named(&path, max)?)
}

/// Reads standard input to its end, at most `max` bytes and never more than 32 MB.
///
/// # Errors
/// [`InputProblem::Endless`] after a minute, [`InputProblem::TooLarge`] above the limit.
pub fn read_stdin(max: u64) -> Result<Vec<u8>, InputError> {
    piped(max.min(MAX_PIPED), || Ok(io::stdin()))
        .map_err(|problem| problem_of(Path::new("standard input"), problem))
}

/// Open file, or the bytes of a pipe, that a person named.
enum NamedInput {
    File(File),
    Piped(Vec<u8>),
}

/// Opens a regular file, or reads a FIFO or character device to its end, at most `max` and `MAX_PIPED` bytes.
/// Anything else is `NotAFile`.
fn named(path: &Path, max: u64) -> Result<NamedInput, InputProblem> {
    match kind(&about(path)?) {
        None => Ok(NamedInput::File(open(path, false, max)?)),
        Some(FIFO | CHARACTER_DEVICE) => {
            let path = path.to_owned();
            piped(max.min(MAX_PIPED), move || open_stream(&path)).map(NamedInput::Piped)
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

/// Returns the bytes as text; the error says at which byte they stop being UTF-8.
fn text(path: &Path, bytes: Vec<u8>) -> Result<String, InputError> {
    String::from_utf8(bytes).map_err(|wrong| {
        problem_of(
            path,
            InputProblem::NotText(wrong.utf8_error().valid_up_to()),
        )
    })
}

/// Returns the metadata of what the path leads to, through links. A link without a target is `LeadsNowhere`.
fn about(path: &Path) -> Result<Metadata, InputProblem> {
    std::fs::metadata(path).map_err(|error| match InputProblem::from(error) {
        InputProblem::Missing if path.is_symlink() => InputProblem::LeadsNowhere,
        problem => problem,
    })
}

/// Opens a file inside of `root`, as [`open`] does; one that lies elsewhere, also by a link, is `Outside`. A
/// relative `path` counts from the working directory.
fn open_in(root: &Path, path: &Path, max: u64) -> Result<File, InputProblem> {
    // Before links are resolved, so that a dangling link is reported as one.
    about(path)?;
    let real = path.canonicalize()?;
    if !real.starts_with(root.canonicalize()?) {
        return Err(InputProblem::Outside);
    }
    // `real` has no links. A link that was put there meanwhile is not followed.
    open(&real, true, max)
}

/// Opens a regular file of at most `max` bytes. Checks its kind before and after opening: opening a device can
/// already have an effect. With `is_real`, links in the path are resolved already, and a link at its end is an
/// error.
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

/// Reads a file to its end; an error if that is more than `max` bytes.
fn file_to_end(file: File, max: u64) -> Result<Vec<u8>, InputProblem> {
    let size = file.metadata()?.len().min(max);
    to_end(file, max, usize::try_from(size).unwrap_or_default())
}

/// Reads to the end; an error if that is more than `max` bytes. `expected` is a guess of the number of bytes, for which
/// room is made; a wrong one only costs time.
fn to_end(source: impl Read, max: u64, expected: usize) -> Result<Vec<u8>, InputProblem> {
    let mut bytes = Vec::with_capacity(expected + 1);
    // One byte more than allowed: a file may grow meanwhile, and a pipe has no length.
    source.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max {
        return Err(InputProblem::TooLarge(max));
    }
    Ok(bytes)
}

/// Opens and reads a pipe of at most `max` bytes on a thread of its own. `NoWriter` if it is not opened within
/// `MAX_WITHOUT_WRITER`; `Endless` if it is not read to its end within `MAX_PIPE_TIME`, opening included. The
/// thread is abandoned then, and ends with the program.
fn piped<R: Read>(
    max: u64,
    open: impl FnOnce() -> Result<R, InputProblem> + Send + 'static,
) -> Result<Vec<u8>, InputProblem> {
    let (is_open, opened) = mpsc::channel();
    let (is_read, read) = mpsc::channel();
    let begun = Instant::now();
    std::thread::Builder::new().spawn(move || {
        // Fails if the receiver gave up waiting.
        match open() {
            Ok(source) => {
                let _ = is_open.send(Ok(()));
                let _ = is_read.send(to_end(source, max, 0));
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

    /// Returns the kind of a file with an article, such as "a folder"; `None` for a regular file.
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

    /// Opens a file without waiting for the other end of a pipe. With `is_real`, a link at the path's end is an
    /// error.
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

    /// Returns the kind of a file with an article, such as "a folder"; `None` for a regular file.
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

/// Opens a file without `O_NONBLOCK`, so that it may wait for a writer.
fn open_stream(path: &Path) -> Result<File, InputProblem> {
    Ok(File::open(path)?)
}

#[cfg(test)]
mod tests;
