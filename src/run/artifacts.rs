//! Files that a run leaves, one folder an attempt: `<artifacts>/<flow>/<device>-<attempt>/…`.

use camino::{Utf8Path, Utf8PathBuf};

use super::{Artifact, ArtifactKind, FlowId};
use crate::files::{hash, normal_parts};
use crate::secret::Scrubber;

/// Folder of a run's proposals, one folder a device: what would become goldens where the run itself may write none.
pub const PROPOSED_GOLDENS: &str = "proposed-goldens";

/// The folder of one attempt; made when the first file is written.
#[derive(Debug, Clone)]
pub struct ArtifactFolder {
    base: Utf8PathBuf,
    folder: Utf8PathBuf,
    proposed: Utf8PathBuf,
    scrubber: Scrubber,
}

impl ArtifactFolder {
    /// The folder of `id` below `base`.
    pub fn new(base: &Utf8Path, id: &FlowId, scrubber: Scrubber) -> Self {
        // A label may hold what a file name may not: a serial such as `10.0.0.7:5555` has a colon.
        let device: String = id
            .device
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || c == '-' {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        // A flow may stand outside the root; what it leaves does not.
        let flow: Utf8PathBuf = normal_parts(&id.flow.with_extension(""));
        let folder = base.join(flow).join(format!("{device}-{}", id.attempt));
        Self {
            base: base.to_owned(),
            folder,
            proposed: base.join(PROPOSED_GOLDENS).join(device),
            scrubber,
        }
    }

    /// The folder, for tools that write files themselves.
    pub fn path(&self) -> &Utf8Path {
        &self.folder
    }

    /// Removes what an earlier run left for the same identity.
    ///
    /// # Errors
    /// The file system's.
    pub fn clean(&self) -> std::io::Result<()> {
        match fs_err::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Writes bytes under `name`.
    ///
    /// # Errors
    /// The file system's.
    pub fn write(&self, kind: ArtifactKind, name: &str, bytes: &[u8]) -> std::io::Result<Artifact> {
        fs_err::create_dir_all(&self.folder)?;
        let path = self.folder.join(name);
        crate::files::write_atomic(&path, bytes)?;
        Ok(self.describe(kind, &path, bytes))
    }

    /// Writes text under `name`, scrubbed.
    ///
    /// # Errors
    /// The file system's.
    pub fn write_text(
        &self,
        kind: ArtifactKind,
        name: &str,
        text: &str,
    ) -> std::io::Result<Artifact> {
        self.write(kind, name, self.scrubber.scrub(text).as_bytes())
    }

    /// Writes what would become a golden, by its path below the folder of goldens.
    ///
    /// # Errors
    /// The file system's.
    pub fn write_proposal(&self, below: &Utf8Path, bytes: &[u8]) -> std::io::Result<Artifact> {
        let path = self.proposed.join(normal_parts(below));
        crate::files::write_atomic(&path, bytes)?;
        Ok(self.describe(ArtifactKind::Proposal, &path, bytes))
    }

    /// Removes what an earlier attempt or run proposed.
    ///
    /// # Errors
    /// The file system's.
    pub fn remove_proposal(&self, below: &Utf8Path) -> std::io::Result<()> {
        match fs_err::remove_file(self.proposed.join(normal_parts(below))) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// An artifact that a tool has written into the folder.
    pub fn adopt(&self, path: &Utf8Path) -> std::io::Result<Artifact> {
        let kind = match path.extension() {
            Some("png" | "jpg") => ArtifactKind::Screenshot,
            Some("tsv") => ArtifactKind::Tsv,
            Some("mp4") => ArtifactKind::Video,
            Some("log") => ArtifactKind::Log,
            _ => ArtifactKind::File,
        };
        let bytes = fs_err::read(path)?;
        Ok(self.describe(kind, path, &bytes))
    }

    fn describe(&self, kind: ArtifactKind, path: &Utf8Path, bytes: &[u8]) -> Artifact {
        let below = path.strip_prefix(&self.base).unwrap_or(path);
        Artifact {
            kind,
            // The same on every system: reports are made again elsewhere from the stream.
            path: Utf8PathBuf::from(below.as_str().replace('\\', "/")),
            hash: hash(bytes),
        }
    }
}
