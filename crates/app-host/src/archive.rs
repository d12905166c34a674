//! The JVM's class data archive: Android's framework as a process that has used it would have it in memory.
//!
//! A start loads, checks and instruments 6,000 classes. With them mapped from an archive it takes a third
//! less: 6.0 to 7.4 s instead of 9.0 to 10.1 s from the JVM's start to a Compose app's first frame (four each
//! in turns, two cores, 2026-11-27). JDK 13 and newer write one when a process ends
//! (`-XX:ArchiveClassesAtExit`), including classes of other class loaders; the AOT cache of JDK 25 leaves
//! those out, and they are most. The JVM ignores archives made by another JVM or from other jars.

mod training;

use camino::{Utf8Path, Utf8PathBuf};

use crate::parts::Parts;

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
}
