//! An app's process: a JVM with a host in it, its connection and its folder. Dropping it ends all three.

mod command;
mod error;
mod hello;
mod last_words;
mod spec;

use std::process::Stdio;
use std::time::Duration;

use camino::Utf8Path;
use runner_text::temporary_folder::TemporaryFolder;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, ChildStdin, Command};

pub use command::SEPARATOR;
pub(crate) use command::class_path;
pub use error::HostError;
pub use hello::Hello;
pub use last_words::LastWords;
pub use spec::{AppFiles, HostSpec, START_LIMIT};

use crate::client::HostClient;

/// Time to wait for the end of a killed process, so that its folder can be removed. Chosen: the system needs
/// milliseconds.
const END_LIMIT: Duration = Duration::from_secs(1);
/// Pause between two checks whether it has ended. Chosen: short against the limit.
const POLL: Duration = Duration::from_millis(5);

/// A JVM with a host in it.
#[derive(Debug)]
pub struct HostProcess {
    client: HostClient,
    hello: Hello,
    words: LastWords,
    jvm: Jvm,
    /// Declared last, so that it is removed after the JVM, which writes there, has ended.
    folder: TemporaryFolder,
}

impl HostProcess {
    /// Starts a process in a folder of its own, and waits for its hello, at most for the spec's limit. If the call is
    /// dropped, the process ends.
    ///
    /// # Errors
    ///
    /// Returns a [`HostError`]; once the JVM runs, with the end of its output.
    pub async fn start(spec: &HostSpec) -> Result<Self, HostError> {
        let folder = TemporaryFolder::below(&spec.folder).map_err(HostError::Folder)?;
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .map_err(HostError::Port)?;
        let port = listener.local_addr().map_err(HostError::Port)?.port();
        let token = hello::random_token()?;
        let words = LastWords::default();
        let mut jvm = Jvm::start(spec, folder.path(), &words)?;
        let boot = boot_message(spec, folder.path(), port, &token);
        let (stream, hello) =
            match tokio::time::timeout(spec.limit, jvm.greet(&boot, &listener, &token)).await {
                Ok(Some(greeted)) => greeted?,
                Ok(None) => return Err(jvm.ended(&words).await),
                Err(_) => {
                    return Err(HostError::NotReady {
                        limit: spec.limit,
                        last_words: words.text(),
                    });
                }
            };
        let (reader, writer) = stream.into_split();
        Ok(Self {
            client: HostClient::new(reader, writer, words.clone()),
            hello,
            words,
            jvm,
            folder,
        })
    }

    pub fn client(&self) -> &HostClient {
        &self.client
    }

    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Returns the process's own folder, which is removed with it.
    pub fn folder(&self) -> &Utf8Path {
        self.folder.path()
    }

    /// Returns the last 64 KiB of its output.
    pub fn last_words(&self) -> String {
        self.words.text()
    }

    /// Returns the JVM's process id; `None` once its end was noticed.
    pub fn pid(&self) -> Option<u32> {
        self.jvm.child.id()
    }

    /// Waits until the JVM has ended by itself, with any exit code. The JVM must have been asked to quit before;
    /// nothing is killed here.
    ///
    /// # Errors
    ///
    /// If it does not within `limit`.
    pub async fn end(&mut self, limit: Duration) -> Result<(), HostError> {
        match tokio::time::timeout(limit, self.jvm.child.wait()).await {
            Ok(_) => Ok(()),
            Err(_) => Err(HostError::TimedOut {
                op: "quit".to_owned(),
                limit,
            }),
        }
    }

    pub fn has_ended(&mut self) -> bool {
        self.jvm.has_ended()
    }
}

/// The JVM. Dropping it kills its process group, and blocks until it has ended, at most for 1 s.
#[derive(Debug)]
struct Jvm {
    child: Child,
    /// Process group: the id of its first process. Kept after that has ended.
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
    /// Open as long as this program lives. The host ends when it closes.
    stdin: Option<ChildStdin>,
}

impl Jvm {
    /// Starts the JVM in `folder` and a process group of its own, with no variables but those of the spec and its
    /// own. Its output is collected in `words`. Fails if a folder cannot be created or the program cannot be
    /// started.
    fn start(spec: &HostSpec, folder: &Utf8Path, words: &LastWords) -> Result<Self, HostError> {
        let not_started = |source| HostError::NotStarted {
            java: spec.java.clone(),
            source,
        };
        command::make_folders(folder).map_err(HostError::Folder)?;
        let mut command = Command::new(&spec.java);
        command
            .args(command::arguments(spec, folder))
            .env_clear()
            .envs(command::variables(spec, folder))
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn().map_err(not_started)?;
        words.listen(child.stdout.take());
        words.listen(child.stderr.take());
        Ok(Self {
            #[cfg(unix)]
            group: child
                .id()
                .and_then(|id| rustix::process::Pid::from_raw(id.cast_signed())),
            stdin: child.stdin.take(),
            child,
        })
    }

    /// Sends the boot message to standard input, and waits without limit for the hello; `None` if the process
    /// ends before.
    async fn greet(
        &mut self,
        boot: &str,
        listener: &TcpListener,
        token: &str,
    ) -> Option<Result<(TcpStream, Hello), HostError>> {
        let Self { child, stdin, .. } = self;
        let greeted = async {
            // A process that has ended does not read; the other branch reports its end.
            if let Some(stdin) = stdin
                && stdin.write_all(boot.as_bytes()).await.is_ok()
                && stdin.flush().await.is_ok()
            {
                hello::wait(listener, token).await
            } else {
                std::future::pending().await
            }
        };
        tokio::select! {
            greeted = greeted => Some(greeted),
            _ = child.wait() => None,
        }
    }

    /// Returns true if the process has ended. If the system cannot tell, it counts as alive.
    fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// Builds the error of a process that has ended, with its exit status and the end of its output, for
    /// which it waits up to 1 s.
    async fn ended(&mut self, words: &LastWords) -> HostError {
        words.wait_for_end(END_LIMIT).await;
        let status = self.child.try_wait().ok().flatten();
        let why = status.map_or_else(|| "it ended".to_owned(), |status| status.to_string());
        HostError::Ended {
            why,
            last_words: words.text(),
        }
    }

    /// Closes standard input and kills the process group, without waiting for its end.
    fn kill(&mut self) {
        // Closed first, so that a host that still listens ends by itself.
        self.stdin = None;
        #[cfg(unix)]
        if let Some(group) = self.group {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.start_kill();
    }
}

impl Drop for Jvm {
    /// Kills the process group and blocks until the JVM has ended, at most for 1 s.
    fn drop(&mut self) {
        self.kill();
        // Its folder is removed next, in which it may still be writing for some milliseconds.
        let end = std::time::Instant::now() + END_LIMIT;
        while !self.has_ended() && std::time::Instant::now() < end {
            std::thread::sleep(POLL);
        }
    }
}

/// Builds the first line of the JVM's standard input, as JSON: port and token of the connection, the data folder, the
/// choice of clock, and the app's files if the spec has an app. Without a data folder in the spec it is one below
/// `folder`.
fn boot_message(spec: &HostSpec, folder: &Utf8Path, port: u16, token: &str) -> String {
    let data_dir = spec.data_dir.clone();
    let mut message = json!({
        "port": port,
        "token": token,
        "data_dir": data_dir.unwrap_or_else(|| folder.join(command::DATA)),
        "real_time": spec.real_time,
    });
    if let Some(app) = &spec.app {
        message["package"] = app.package.as_str().into();
        message["apk"] = app.apk.as_str().into();
        message["manifest"] = app.manifest.as_str().into();
        message["classes"] = app.classes.iter().map(|jar| jar.as_str()).collect();
    }
    format!("{message}\n")
}

#[cfg(test)]
pub(crate) mod tests;
