//! Process that uses a screen of widgets, so that the JVM writes the archive of its classes.

use std::time::Duration;

use camino::Utf8Path;
use runner_text::temporary_folder::TemporaryFolder;
use serde_json::Map;

use super::Archive;
use crate::host::Host;
use crate::process::{HostError, HostProcess};

/// Time limit for the training process, which uses the classes. 15 s were measured on two busy cores.
const TRAINING_LIMIT: Duration = Duration::from_mins(3);
/// Time limit for writing them. 4 s were measured.
const WRITE_LIMIT: Duration = Duration::from_mins(1);

impl Archive {
    /// Creates the archive: a process uses a screen with the framework's widgets and ends. Blocks for about 15
    /// seconds, at most five minutes, and must not be called in an async task. An existing archive is replaced.
    /// Archives of earlier hosts in the folder are removed.
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
