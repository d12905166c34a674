//! An app's process: a JVM with a host in it, its connection, its folder. Dropping it ends all three.

mod command;
mod error;
mod hello;
mod last_words;

use std::process::Stdio;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use runner_text::temporary_folder::TemporaryFolder;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, ChildStdin, Command};

pub(crate) use command::{SEPARATOR, class_path};
pub use error::HostError;
pub use hello::Hello;
pub use last_words::LastWords;

use crate::client::HostClient;

/// How long a process may take until it says hello.
pub const START_LIMIT: Duration = Duration::from_mins(1);
/// How long its end is waited for, so that its folder can be removed.
const END_LIMIT: Duration = Duration::from_secs(1);
/// Between two looks at whether it has ended.
const POLL: Duration = Duration::from_millis(5);

/// What process to start.
#[derive(Debug, Clone)]
pub struct HostSpec {
    /// The JVM: `bin/java` of the JDK.
    pub java: Utf8PathBuf,
    /// Jars, in order: the host, the parts. They are the same for every app.
    pub class_path: Vec<Utf8PathBuf>,
    /// The folder of parts, where Robolectric finds Android.
    pub parts: Utf8PathBuf,
    /// The folder of the run: the process's own is made in it.
    pub folder: Utf8PathBuf,
    /// Where the app's files are; none: in the process's own folder.
    pub data_dir: Option<Utf8PathBuf>,
    /// The app. Without one the process uses a screen of its own before it says hello, so that the JVM sees the classes that most
    /// apps need.
    pub app: Option<AppFiles>,
    /// Time runs as real.
    pub real_time: bool,
    /// The largest heap, in MiB.
    pub heap_mib: u32,
    /// More options of the JVM.
    pub options: Vec<String>,
    /// Variables that the system's own libraries cannot do without, such as `SystemRoot` of Windows.
    pub variables: Vec<(String, String)>,
    /// How long it may take until it says hello.
    pub limit: Duration,
}

/// The app that a process runs.
#[derive(Debug, Clone)]
pub struct AppFiles {
    /// Its package.
    pub package: String,
    /// The APK.
    pub apk: Utf8PathBuf,
    /// Its manifest as text: see `conf.rs`.
    pub manifest: Utf8PathBuf,
    /// Jars of its classes, in order.
    pub classes: Vec<Utf8PathBuf>,
}

/// A JVM with a host in it.
#[derive(Debug)]
pub struct HostProcess {
    client: HostClient,
    hello: Hello,
    words: LastWords,
    jvm: Jvm,
    /// Dropped after the JVM, which writes there.
    folder: TemporaryFolder,
}

impl HostProcess {
    /// Starts a process, and waits until it says hello. Where the call is dropped, the process ends.
    ///
    /// # Errors
    /// [`HostError`], with what the JVM said last.
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

    /// The connection.
    pub fn client(&self) -> &HostClient {
        &self.client
    }

    /// What it said of itself.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Its own folder, which goes with it.
    pub fn folder(&self) -> &Utf8Path {
        self.folder.path()
    }

    /// What it wrote to its output last.
    pub fn last_words(&self) -> String {
        self.words.text()
    }

    /// The JVM's process; none once it has ended.
    pub fn pid(&self) -> Option<u32> {
        self.jvm.child.id()
    }

    /// Waits until the JVM has ended by itself.
    ///
    /// # Errors
    /// Where it does not within `limit`.
    pub async fn end(&mut self, limit: Duration) -> Result<(), HostError> {
        match tokio::time::timeout(limit, self.jvm.child.wait()).await {
            Ok(_) => Ok(()),
            Err(_) => Err(HostError::TimedOut {
                op: "quit".to_owned(),
                limit,
            }),
        }
    }

    /// Whether the JVM has ended.
    pub fn has_ended(&mut self) -> bool {
        self.jvm.has_ended()
    }
}

/// The JVM. Dropping it kills its group of processes.
#[derive(Debug)]
struct Jvm {
    child: Child,
    /// The group: the number of its first process, which is kept after it has ended.
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
    /// Open as long as this program lives: the host ends when it closes.
    stdin: Option<ChildStdin>,
}

impl Jvm {
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

    /// Tells it what to do, and waits for its hello; none where it ends before.
    async fn greet(
        &mut self,
        boot: &str,
        listener: &TcpListener,
        token: &str,
    ) -> Option<Result<(TcpStream, Hello), HostError>> {
        let Self { child, stdin, .. } = self;
        let greeted = async {
            // One that has ended does not read; that it has is told below.
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

    /// A wait that ends in a status; where the system cannot say, it is taken for living.
    fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// Why it ended, with all that it said.
    async fn ended(&mut self, words: &LastWords) -> HostError {
        words.wait_for_the_end(END_LIMIT).await;
        let status = self.child.try_wait().ok().flatten();
        let why = status.map_or_else(|| "it ended".to_owned(), |status| status.to_string());
        HostError::Ended {
            why,
            last_words: words.text(),
        }
    }

    fn kill(&mut self) {
        // First: a host that still listens ends by itself.
        self.stdin = None;
        #[cfg(unix)]
        if let Some(group) = self.group {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.start_kill();
    }
}

impl Drop for Jvm {
    fn drop(&mut self) {
        self.kill();
        // Its folder is removed next, and it may be writing there. It takes some milliseconds.
        let end = std::time::Instant::now() + END_LIMIT;
        while !self.has_ended() && std::time::Instant::now() < end {
            std::thread::sleep(POLL);
        }
    }
}

/// The first line of the JVM's standard input.
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
