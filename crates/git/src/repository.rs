//! A repository, and its commands.

use std::ffi::OsStr;
use std::io::{ErrorKind, Read, Write as _};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};

use super::GitError;

/// How long one command may take. A clone without its files would ask a server for them.
const LIMIT: Duration = Duration::from_mins(1);
/// Most bytes that are taken of what a command writes.
const MOST_OUTPUT: u64 = 256 * 1024 * 1024;
/// What a command says of its failure, at most.
const MOST_ERROR: u64 = 64 * 1024;
/// How often a command is asked whether it ended.
const POLL: Duration = Duration::from_millis(2);

/// The working tree that a folder is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    top: Utf8PathBuf,
}

impl Repository {
    /// The working tree around `folder`.
    ///
    /// # Errors
    /// [`GitError::NoRepository`] where there is none, [`GitError::NoGit`].
    pub fn around(folder: &Utf8Path) -> Result<Self, GitError> {
        let no_repository = || GitError::NoRepository(folder.to_owned());
        let found = Ended::of(folder, ["rev-parse", "--show-toplevel"])?;
        if !found.passed {
            return Err(no_repository());
        }
        let top = text(found.output)?;
        let top = top.trim_end_matches(['\r', '\n']);
        // A bare repository has no tree, and names none.
        if top.is_empty() {
            return Err(no_repository());
        }
        Ok(Self { top: top.into() })
    }

    /// The folder at the top of the working tree.
    pub fn top(&self) -> &Utf8Path {
        &self.top
    }

    /// What a command writes, started at the top of the working tree.
    ///
    /// Paths and names of commits come after `--end-of-options`, so that none is taken for an option.
    ///
    /// # Errors
    /// [`GitError::Failed`] where it ends with an error.
    pub fn bytes<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Vec<u8>, GitError> {
        Ended::of(&self.top, arguments)?.output()
    }

    /// The same, as text.
    ///
    /// # Errors
    /// And [`GitError::NotUtf8`].
    pub fn text<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<String, GitError> {
        text(self.bytes(arguments)?)
    }

    /// The same, without the end of its last line; `None` where the command ends with an error, as a question does that
    /// has no answer.
    ///
    /// # Errors
    /// Where it could not be run to its end.
    pub fn answer<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Option<String>, GitError> {
        let ended = Ended::of(&self.top, arguments)?;
        if !ended.passed {
            return Ok(None);
        }
        let answer = text(ended.output)?;
        Ok(Some(answer.trim_end_matches(['\r', '\n']).to_owned()))
    }

    /// A folder as a path below the top of the working tree. Links are followed, as git follows them.
    ///
    /// # Errors
    /// [`GitError::NoRepository`] where it is not below it.
    pub fn path_of(&self, folder: &Utf8Path) -> Result<Utf8PathBuf, GitError> {
        let (top, real) = (self.top.canonicalize_utf8()?, folder.canonicalize_utf8()?);
        let path = real.strip_prefix(&top).map(Utf8Path::to_owned);
        path.map_err(|_| GitError::NoRepository(folder.to_owned()))
    }

    /// The same of a command that reads `input`.
    ///
    /// # Errors
    /// As of [`Repository::text`].
    pub(super) fn text_about<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
        input: String,
    ) -> Result<String, GitError> {
        text(Ended::reading(&self.top, arguments, Some(input))?.output()?)
    }

    /// Whether a command ends well.
    ///
    /// # Errors
    /// Where it could not be run to its end.
    pub fn succeeds<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<bool, GitError> {
        Ok(Ended::of(&self.top, arguments)?.passed)
    }
}

fn text(bytes: Vec<u8>) -> Result<String, GitError> {
    String::from_utf8(bytes)
        .map_err(|error| GitError::NotUtf8(String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// A command that ended.
struct Ended {
    /// Its first argument.
    command: String,
    passed: bool,
    output: Vec<u8>,
    message: String,
}

impl Ended {
    fn of<A: AsRef<OsStr>>(
        folder: &Utf8Path,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Self, GitError> {
        Self::reading(folder, arguments, None)
    }

    /// What it wrote, where it ended well.
    fn output(self) -> Result<Vec<u8>, GitError> {
        if self.passed {
            Ok(self.output)
        } else {
            Err(GitError::Failed {
                command: self.command,
                message: self.message,
            })
        }
    }

    fn reading<A: AsRef<OsStr>>(
        folder: &Utf8Path,
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
            // Words that are looked for, no questions, and nobody else's lock.
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
        let mut child = git.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound if folder.is_dir() => GitError::NoGit,
            _ => GitError::Io(error),
        })?;
        if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
            // Beside reading what it writes, lest both wait. One that ends early says why itself.
            std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        }
        let output = collect(child.stdout.take(), MOST_OUTPUT);
        let message = collect(child.stderr.take(), MOST_ERROR);
        let passed = wait(&mut child, &command)?;
        let output = joined(output)?;
        if output.len() as u64 > MOST_OUTPUT {
            return Err(GitError::TooLong(command));
        }
        let message = String::from_utf8_lossy(&joined(message)?).trim().to_owned();
        Ok(Self {
            command,
            passed,
            output,
            message,
        })
    }
}

type Collected = JoinHandle<std::io::Result<Vec<u8>>>;

/// Reads a stream to its end, and keeps its first bytes: `limit`, and one to show that there were more.
fn collect(stream: Option<impl Read + Send + 'static>, limit: u64) -> Collected {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            stream.by_ref().take(limit + 1).read_to_end(&mut bytes)?;
            std::io::copy(&mut stream, &mut std::io::sink())?;
        }
        Ok(bytes)
    })
}

fn joined(collected: Collected) -> std::io::Result<Vec<u8>> {
    collected
        .join()
        .unwrap_or_else(|_| Err(std::io::Error::other("the reader of git's output ended")))
}

/// Whether it ends well; it is stopped at the limit.
fn wait(child: &mut Child, command: &str) -> Result<bool, GitError> {
    let end = Instant::now() + LIMIT;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if Instant::now() >= end {
            child.kill()?;
            child.wait()?;
            return Err(GitError::TimedOut(command.to_owned()));
        }
        std::thread::sleep(POLL);
    }
}
