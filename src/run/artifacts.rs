//! Files that a run leaves, one folder an attempt: `<artifacts>/<flow>/<device>-<attempt>/…`.

use camino::{Utf8Path, Utf8PathBuf};

use super::{Artifact, ArtifactKind, FlowId};
use crate::files::{hash, normal_parts};
use crate::secret::Scrubber;

/// The folder of one attempt; made when the first file is written.
#[derive(Debug, Clone)]
pub struct ArtifactFolder {
    base: Utf8PathBuf,
    folder: Utf8PathBuf,
    scrubber: Scrubber,
}

impl ArtifactFolder {
    /// The folder of `id` below `base`.
    pub fn new(base: &Utf8Path, id: &FlowId, scrubber: Scrubber) -> Self {
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
            path: Utf8PathBuf::from(below.as_str().replace('\\', "/")),
            hash: hash(bytes),
        }
    }
}
