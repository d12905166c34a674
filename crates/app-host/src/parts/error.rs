//! Why the parts cannot be had, and what to do then.

use camino::Utf8PathBuf;

use super::{PartsState, megabytes};

/// Why the parts cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum PartsError {
    /// They are needed and not there.
    #[error(
        "the parts that run an APK in {folder}: {state}; get them with `runner virtual install`"
    )]
    NotInstalled {
        /// Where they would be.
        folder: Utf8PathBuf,
        /// What is there.
        state: PartsState,
    },
    /// Nothing that could get them.
    #[error(
        "neither `mvn` (Maven) nor `gradle` is on PATH; install Maven, or name a folder that holds the files: `runner virtual install --from DIR`"
    )]
    NoBuildTool,
    /// The build tool could not be started.
    #[error("{program} could not be started: {source}")]
    NotStarted {
        /// Maven or Gradle.
        program: Utf8PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The build tool failed.
    #[error(
        "{tool} did not get {missing}; what is there is kept, so try again. It says:\n{words}{}",
        hint(words)
    )]
    Failed {
        /// Maven or Gradle.
        tool: &'static str,
        /// The first file that is missing, and how many more.
        missing: String,
        /// What it wrote last.
        words: String,
    },
    /// The build tool is at work for too long.
    #[error(
        "{tool} got nothing for {minutes} minutes and was stopped; what is there is kept, so try again"
    )]
    Stuck {
        /// Maven or Gradle.
        tool: &'static str,
        /// How long it was waited for.
        minutes: u64,
    },
    /// What came is something else.
    #[error(
        "{file} has another checksum than the one that is pinned: {found} instead of {expected}; it was not taken. Ask who keeps your mirror, or remove it from Maven's own repository and try again"
    )]
    Checksum {
        /// The file.
        file: String,
        /// Of the part.
        expected: &'static str,
        /// Of what came.
        found: String,
    },
    /// A folder does not hold them.
    #[error(
        "{folder} does not hold {missing}; copy the folder `jars` of another computer's parts there"
    )]
    NotInFolder {
        /// The folder that was named.
        folder: Utf8PathBuf,
        /// The first file that is missing, and how many more.
        missing: String,
    },
    /// There is no room.
    #[error(
        "{folder} has room for {} and {} are needed; make room, or name another folder by RUNNER_ANDROID_PARTS",
        megabytes(*free),
        megabytes(*needed)
    )]
    Space {
        /// Where they would be.
        folder: Utf8PathBuf,
        /// Bytes that are free.
        free: u64,
        /// Bytes that are needed.
        needed: u64,
    },
    /// A file cannot be read or written.
    #[error(
        "{path}: {source}; check that its folder may be written, or name another one by RUNNER_ANDROID_PARTS"
    )]
    File {
        /// Which.
        path: Utf8PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

/// What people meet whose Maven knows no other repository than the one that it brings.
fn hint(words: &str) -> &'static str {
    if words.contains("androidx.test") {
        "\n`androidx.test` is in Google's Maven repository: your Maven's settings must know it, or a mirror of it; docs/your-apk.md says more"
    } else {
        ""
    }
}
