//! The JVM's archive of classes: Android's framework as a process that has used it would have it in memory.
//!
//! A start loads, checks and instruments 6,000 classes. With them mapped from an archive it takes a third less: 6.0 to 7.4 s instead of
//! 9.0 to 10.1 s from the JVM's start to a Compose app's first picture (four each in turns, two cores, 2026-11-27). JDK 13 and newer
//! write one when a process ends (`-XX:ArchiveClassesAtExit`), classes of other class loaders included; the AOT cache of JDK 25
//! leaves those out, and they are most. The JVM takes no archive that was made by another JVM or from other jars, and starts
//! without it.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use runner_text::temporary_folder::TemporaryFolder;
use serde_json::Map;

use crate::host::Host;
use crate::parts::Parts;
use crate::process::{HostError, HostProcess};

/// How long the process may take that uses the classes; 15 s were measured on two cores at work.
const TRAINING_LIMIT: Duration = Duration::from_mins(3);
/// How long it may take to write them; 4 s were measured.
const WRITE_LIMIT: Duration = Duration::from_mins(1);

/// The archive that belongs to a host.
#[derive(Debug, Clone)]
pub struct Archive {
    path: Utf8PathBuf,
}

impl Archive {
    /// The archive of the host in `jar`, whose name tells the JDK and the parts too.
    pub(crate) fn new(parts: &Parts, jar: &Utf8Path) -> Self {
        let name = jar.file_stem().unwrap_or_default();
        Self {
            path: parts.cache("archives").join(format!("{name}.jsa")),
        }
    }

    /// Whether it is there.
    pub fn exists(&self) -> bool {
        self.path.is_file()
    }

    /// Options of a JVM that reads it; none where it is not there.
    pub(crate) fn read_options(&self) -> Vec<String> {
        if !self.exists() {
            return Vec::new();
        }
        vec![format!("-XX:SharedArchiveFile={}", self.path)]
    }

    /// Makes it: a process uses a screen of the framework's widgets and ends. It blocks for about 15 seconds.
    ///
    /// # Errors
    /// Where that process fails, or the file cannot be written.
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

/// Removes the archives of earlier hosts: 80 MB each.
fn remove_others(folder: &Utf8Path, path: &Utf8Path) {
    let files = folder.read_dir_utf8().into_iter().flatten().flatten();
    for file in files.filter(|file| file.path().extension() == Some("jsa") && file.path() != path) {
        // One that a process has mapped stays there for it, or cannot be removed.
        let _ = fs_err::remove_file(file.path());
    }
}
