//! Command for a process, and the files of the app that it runs.

use std::time::Duration;

use camino::Utf8PathBuf;

/// Default time for a process to send its hello. Chosen: several times a start on a busy computer.
pub const START_LIMIT: Duration = Duration::from_mins(1);

/// Command for a process.
#[derive(Debug, Clone)]
pub struct HostSpec {
    /// `bin/java` of the JDK.
    pub java: Utf8PathBuf,
    /// Jars of the host and the parts, in order. The same for every app.
    pub class_path: Vec<Utf8PathBuf>,
    /// Folder of the parts, where Robolectric finds Android.
    pub parts: Utf8PathBuf,
    /// Folder of the run, in which the process creates its own.
    pub folder: Utf8PathBuf,
    /// Folder of the app's data; by default in the process's own folder.
    pub data_dir: Option<Utf8PathBuf>,
    /// The app. Without one, the process uses a screen of its own before its hello, so that the JVM sees the
    /// classes that most apps need.
    pub app: Option<AppFiles>,
    /// True if the app's time passes in real time.
    pub real_time: bool,
    /// Limit for the heap in MiB.
    pub heap_mib: u32,
    /// Further options of the JVM.
    pub options: Vec<String>,
    /// Variables that the system's libraries need, such as `SystemRoot` on Windows.
    pub variables: Vec<(String, String)>,
    /// Time limit for the hello.
    pub limit: Duration,
}

/// Files of the app that a process runs.
#[derive(Debug, Clone)]
pub struct AppFiles {
    pub package: String,
    pub apk: Utf8PathBuf,
    /// Its manifest as text; see `manifest_text.rs`.
    pub manifest: Utf8PathBuf,
    /// Jars of its classes, in order.
    pub classes: Vec<Utf8PathBuf>,
}
