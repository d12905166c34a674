//! Errors of finding and fetching the parts, with advice.

use camino::Utf8PathBuf;

use super::state::{PartsState, megabytes};

/// Reason why the parts are not available.
#[derive(Debug, thiserror::Error)]
pub enum PartsError {
    #[error(
        "the parts that run an APK in {folder}: {state}; get them with `runner virtual install`"
    )]
    NotInstalled {
        folder: Utf8PathBuf,
        state: PartsState,
    },
    #[error(
        "neither `mvn` (Maven) nor `gradle` is on PATH; install Maven, or name a folder that holds the files: `runner virtual install --from DIR`"
    )]
    NoBuildTool,
    #[error("{program} could not be started: {source}")]
    NotStarted {
        /// Path of Maven or Gradle.
        program: Utf8PathBuf,
        source: std::io::Error,
    },
    #[error(
        "{tool} did not get {missing}; what is there is kept, so try again. It says:\n{words}{}",
        hint(words)
    )]
    Failed {
        /// Maven or Gradle.
        tool: &'static str,
        /// The first missing file, and the number of others.
        missing: String,
        /// End of its output.
        words: String,
    },
    #[error(
        "{tool} got nothing for {minutes} minutes and was stopped; what is there is kept, so try again"
    )]
    Stuck {
        /// Maven or Gradle.
        tool: &'static str,
        minutes: u64,
    },
    #[error(
        "{file} has another checksum than the one that is pinned: {found} instead of {expected}; it was not taken. Ask who keeps your mirror, or remove it from Maven's own repository and try again"
    )]
    Checksum {
        file: String,
        /// Pinned SHA-256.
        expected: &'static str,
        /// SHA-256 of the fetched file.
        found: String,
    },
    #[error(
        "{folder} does not hold {missing}; copy the folder `jars` of another computer's parts there"
    )]
    NotInFolder {
        folder: Utf8PathBuf,
        /// The first missing file, and the number of others.
        missing: String,
    },
    #[error(
        "{folder} has room for {} and {} are needed; make room, or name another folder by RUNNER_ANDROID_PARTS",
        megabytes(*free),
        megabytes(*needed)
    )]
    Space {
        /// Folder of the parts.
        folder: Utf8PathBuf,
        /// Free bytes.
        free: u64,
        /// Needed bytes.
        needed: u64,
    },
    #[error(
        "{path}: {source}; check that its folder may be written, or name another one by RUNNER_ANDROID_PARTS"
    )]
    File {
        path: Utf8PathBuf,
        source: std::io::Error,
    },
}

/// Returns advice for people whose Maven knows only its default repository, if its output mentions `androidx.test`;
/// else an empty text. The advice begins with a line feed.
fn hint(words: &str) -> &'static str {
    if words.contains("androidx.test") {
        "\n`androidx.test` is in Google's Maven repository: your Maven's settings must know it, or a mirror of it; docs/guide/your-apk.md says more"
    } else {
        ""
    }
}
