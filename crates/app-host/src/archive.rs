//! The JVM's class data archive: Android's framework as a process that has used it would have it in memory.
//!
//! A start loads, checks and instruments 6,000 classes. With them mapped from an archive it takes a third
//! less: 6.0 to 7.4 s instead of 9.0 to 10.1 s from the JVM's start to a Compose app's first frame (four each
//! in turns, two cores, 2026-11-27). JDK 13 and newer write one when a process ends
//! (`-XX:ArchiveClassesAtExit`), including classes of other class loaders; the AOT cache of JDK 25 leaves
//! those out, and they are most. The JVM ignores archives made by another JVM or from other jars.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use runner_text::temporary_folder::TemporaryFolder;
use serde_json::Map;

use crate::host::Host;
use crate::parts::Parts;
use crate::process::{HostError, HostProcess};

/// Time limit for the training process, which uses the classes. 15 s were measured on two busy cores.
const TRAINING_LIMIT: Duration = Duration::from_mins(3);
/// Time limit for writing them. 4 s were measured.
const WRITE_LIMIT: Duration = Duration::from_mins(1);

/// Class archive of a host.
#[derive(Debug, Clone)]
pub struct Archive {
    path: Utf8PathBuf,
}

impl Archive {
    /// Returns the archive of the host in `jar`, whose name identifies the JDK and the parts too. It need not
    /// exist.
    pub(crate) fn new(parts: &Parts, jar: &Utf8Path) -> Self {
        let name = jar.file_stem().unwrap_or_default();
        Self {
            path: parts.cache("archives").join(format!("{name}.jsa")),
        }
    }

    pub fn exists(&self) -> bool {
        self.path.is_file()
    }

    /// Returns the options for a JVM that reads the archive; none if it does not exist.
    pub(crate) fn read_options(&self) -> Vec<String> {
        if !self.exists() {
            return Vec::new();
        }
        vec![format!("-XX:SharedArchiveFile={}", self.path)]
    }

    /// Creates the archive: a process uses a screen with the framework's widgets and ends. Blocks for about
    /// 15 seconds. Archives of earlier hosts in the folder are removed.
    ///
    /// # Errors
    ///
    /// If that process fails, or the file cannot be written.
    pub fn make(host: &Host) -> Result<(), HostError> {
        let path = &host.archive.path;
        let folder = path.parent().unwrap_or(path);
        fs_err::create_dir_all(folder).map_err(HostError::Folder)?;
        let work = TemporaryFolder::below(folder).map_err(HostError::Folder)?;
        let written = work.path().join("written.jsa");
        let mut spec = host.spec(work.path());
        spec.limit = TRAINING_LIMIT;
        spec.options
            .push(format!("-XX:ArchiveClassesAtExit={written}"));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(HostError::Folder)?;
        runtime.block_on(async {
            let mut process = HostProcess::start(&spec).await?;
            process
                .client()
                .call("quit", Map::new(), WRITE_LIMIT)
                .await?;
            process.end(WRITE_LIMIT).await
        })?;
        remove_others(folder, path);
        fs_err::rename(&written, path).map_err(HostError::Folder)
    }
}

/// Removes the archives of earlier hosts in `folder`, which take 80 MB each: all files that end in `.jsa` but
/// `path`. Errors are ignored.
fn remove_others(folder: &Utf8Path, path: &Utf8Path) {
    let files = folder.read_dir_utf8().into_iter().flatten().flatten();
    for file in files.filter(|file| file.path().extension() == Some("jsa") && file.path() != path) {
        // An archive mapped by a process stays valid for it, or cannot be removed.
        let _ = fs_err::remove_file(file.path());
    }
}
