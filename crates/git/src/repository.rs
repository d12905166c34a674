//! Finds the working tree of a folder and runs git in it, with limits of time and output.

use std::ffi::OsStr;
use std::io::{ErrorKind, Read, Write as _};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};

use super::GitError;

/// Time after which a command is stopped. Chosen: far more than any of our commands needs. In a partial
/// clone, git may ask a server for missing files; with much more, a hanging server would hold up the program.
const TIMEOUT: Duration = Duration::from_mins(1);
/// Bytes of stdout that a command may write. Chosen: more than any file that we read. With much less, a large
/// diff would fail; more would only take memory.
const MAX_OUTPUT_BYTES: u64 = 256 * 1024 * 1024;
/// Bytes of stderr that are kept for the error message. Chosen: more than a person reads.
const MAX_ERROR_BYTES: u64 = 64 * 1024;
/// Pause between two checks of whether a command ended. Chosen: most commands take some milliseconds, so ten
/// times more would be the longest part of them.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Variables by which git finds a repository elsewhere than around its folder. Hooks have them: in one of a linked
/// working tree `GIT_DIR` alone, with which git takes any folder for the top.
const PLACES: [&str; 5] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
];

/// A working tree of git, by the folder at its top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    top: Utf8PathBuf,
    /// True if only the variables in [`PLACES`] lead to it.
    is_named: bool,
}

/// Folder in which git runs. The variables in [`PLACES`] count only if `is_named` is true.
#[derive(Debug, Clone, Copy)]
struct WorkingFolder<'a> {
    folder: &'a Utf8Path,
    is_named: bool,
}

impl Repository {
    /// Finds the working tree that holds `folder`, which must exist. The innermost one is taken; if there is none, that
    /// of the variables `GIT_DIR` and `GIT_WORK_TREE`.
    ///
    /// # Errors
    /// [`GitError::NoRepository`] if there is none or the repository is bare, or if git refuses it; [`GitError::NoGit`]
    /// if git is not installed; [`GitError::Io`] if the folder does not exist.
    pub fn around(folder: &Utf8Path) -> Result<Self, GitError> {
        for is_named in [false, true] {
            let place = WorkingFolder { folder, is_named };
            let found = CommandOutput::run(place, ["rev-parse", "--show-toplevel"])?;
            let top = text(found.stdout)?;
            let top = top.trim_end_matches(['\r', '\n']);
            // A bare repository has no tree, and names none.
            if found.is_success && !top.is_empty() {
                let top = top.into();
                return Ok(Self { top, is_named });
            }
        }
        Err(GitError::NoRepository(folder.to_owned()))
    }

    fn place(&self) -> WorkingFolder<'_> {
        WorkingFolder {
            folder: &self.top,
            is_named: self.is_named,
        }
    }

    /// Returns the folder at the top of the working tree.
    pub fn top(&self) -> &Utf8Path {
        &self.top
    }

    /// Runs git with `arguments` at the top of the working tree, waits for its end and returns its stdout. Git is
    /// killed after a minute.
    ///
    /// Callers put `--end-of-options` or `--` before paths and names of commits, so that none is taken for an option.
    ///
    /// # Errors
    /// [`GitError::Failed`] if the command ends with an error, [`GitError::TimedOut`] after the minute, and
    /// [`GitError::TooLong`] for more than 256 MiB.
    pub fn bytes<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Vec<u8>, GitError> {
        CommandOutput::run(self.place(), arguments)?.into_stdout()
    }

    /// Runs git as [`Self::bytes`] does and returns stdout as text.
    ///
    /// # Errors
    /// Those of [`Self::bytes`], and [`GitError::NotUtf8`].
    pub fn text<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<String, GitError> {
        text(self.bytes(arguments)?)
    }

    /// Runs git at the top, waits for its end, and returns stdout without the line breaks at its end. `None` if the
    /// command ends with any error: for questions where git's error means "there is none".
    ///
    /// # Errors
    /// Returns an error if git cannot be run to its end within a minute, or if its output is too long or no UTF-8.
    pub fn answer<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Option<String>, GitError> {
        let output = CommandOutput::run(self.place(), arguments)?;
        if !output.is_success {
            return Ok(None);
        }
        let answer = text(output.stdout)?;
        Ok(Some(answer.trim_end_matches(['\r', '\n']).to_owned()))
    }

    /// Returns `folder` as a path relative to the top of the working tree. Follows symbolic links, as git
    /// does.
    ///
    /// # Errors
    /// [`GitError::NoRepository`] if the folder is not below the top.
    pub fn path_of(&self, folder: &Utf8Path) -> Result<Utf8PathBuf, GitError> {
        let (top, real) = (self.top.canonicalize_utf8()?, folder.canonicalize_utf8()?);
        let path = real.strip_prefix(&top).map(Utf8Path::to_owned);
        path.map_err(|_| GitError::NoRepository(folder.to_owned()))
    }

    /// Runs git with `input` as its stdin and returns stdout as text.
    ///
    /// # Errors
    /// Those of [`Repository::text`].
    pub(super) fn text_with_input<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
        input: String,
    ) -> Result<String, GitError> {
        text(CommandOutput::run_with_input(self.place(), arguments, Some(input))?.into_stdout()?)
    }

    /// Runs git at the top and returns true if it ends with exit code 0. Its output is dropped.
    ///
    /// # Errors
    /// Returns an error if git cannot be run to its end.
    pub fn succeeds<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<bool, GitError> {
        Ok(CommandOutput::run(self.place(), arguments)?.is_success)
    }
}

fn text(bytes: Vec<u8>) -> Result<String, GitError> {
    String::from_utf8(bytes)
        .map_err(|error| GitError::NotUtf8(String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Result of a command that ran to its end.
struct CommandOutput {
    /// First argument, for messages.
    command: String,
    is_success: bool,
    stdout: Vec<u8>,
    message: String,
}

impl CommandOutput {
    fn run<A: AsRef<OsStr>>(
        place: WorkingFolder<'_>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Self, GitError> {
        Self::run_with_input(place, arguments, None)
    }

    /// Returns stdout, or [`GitError::Failed`] if the command did not succeed.
    fn into_stdout(self) -> Result<Vec<u8>, GitError> {
        if self.is_success {
            Ok(self.stdout)
        } else {
            Err(GitError::Failed {
                command: self.command,
                message: self.message,
            })
        }
    }

    /// Runs git at the place and waits for its end, at most [`TIMEOUT`]. Git asks nothing, runs no hooks and downloads
    /// nothing; its messages are in English. An exit code other than 0 is no error here, but output over
    /// [`MAX_OUTPUT_BYTES`] is, and [`GitError::NoGit`] if git is not installed.
    fn run_with_input<A: AsRef<OsStr>>(
        WorkingFolder { folder, is_named }: WorkingFolder<'_>,
        arguments: impl IntoIterator<Item = A>,
        input: Option<String>,
    ) -> Result<Self, GitError> {
        let mut arguments = arguments.into_iter().peekable();
        let command = arguments
            .peek()
            .map(|name| name.as_ref().to_string_lossy().into_owned())
            .unwrap_or_default();
        let mut git = Command::new("git");
        git.current_dir(folder)
            // A repository's own settings may name programs to run; none of them is needed here.
            .args([
                "-c",
                "core.fsmonitor=false",
                "-c",
                "core.hooksPath=/dev/null",
            ])
            .args(["-c", "core.quotePath=false", "--no-pager"])
            .args(arguments)
            // Messages in English, no prompts, no locks that other git processes would wait for, no
            // downloads by Git LFS.
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_LFS_SKIP_SMUDGE", "1")
            .stdin(match input {
                Some(_) => Stdio::piped(),
                None => Stdio::null(),
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if !is_named {
            for variable in PLACES {
                git.env_remove(variable);
            }
        }
        let mut child = git.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound if folder.is_dir() => GitError::NoGit,
            _ => GitError::Io(error),
        })?;
        if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
            // On a thread of its own: git may block on writing until we read. If it ends early, its own
            // message says why.
            std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        }
        let stdout = collect(child.stdout.take(), MAX_OUTPUT_BYTES);
        let message = collect(child.stderr.take(), MAX_ERROR_BYTES);
        let is_success = wait(&mut child, &command)?;
        let stdout = join(stdout)?;
        if stdout.len() as u64 > MAX_OUTPUT_BYTES {
            return Err(GitError::TooLong(command));
        }
        let message = String::from_utf8_lossy(&join(message)?).trim().to_owned();
        Ok(Self {
            command,
            is_success,
            stdout,
            message,
        })
    }
}

type OutputReader = JoinHandle<std::io::Result<Vec<u8>>>;

/// Reads a stream to its end on a thread of its own and keeps its first `limit + 1` bytes: the one more shows
/// that the limit was passed. The rest is read and dropped, so that the command does not block. Without a
/// stream there are no bytes.
fn collect(stream: Option<impl Read + Send + 'static>, limit: u64) -> OutputReader {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            stream.by_ref().take(limit + 1).read_to_end(&mut bytes)?;
            std::io::copy(&mut stream, &mut std::io::sink())?;
        }
        Ok(bytes)
    })
}

fn join(collected: OutputReader) -> std::io::Result<Vec<u8>> {
    collected
        .join()
        .unwrap_or_else(|_| Err(std::io::Error::other("the reader of git's output ended")))
}

/// Waits until the command ends and returns true if it succeeded, with exit code 0. Kills it after
/// [`TIMEOUT`]; then it fails with [`GitError::TimedOut`], which names `command`.
fn wait(child: &mut Child, command: &str) -> Result<bool, GitError> {
    let end = Instant::now() + TIMEOUT;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if Instant::now() >= end {
            child.kill()?;
            child.wait()?;
            return Err(GitError::TimedOut(command.to_owned()));
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}
