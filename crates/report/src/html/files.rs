//! Copies the run's files into the report, each under the hash of its content. Only files within the artifact
//! folders are copied.

use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};

use super::embedded_files::EmbeddedFiles;
use super::view::ReportArtifact;
use crate::file_form::form_in_page;
use crate::{ReportError, Results};
use runner_base::files::{hash, normal_parts};
use runner_base::own_folder::OwnFolder;
use runner_event::{Artifact, ArtifactKind};
use runner_text::input_file::read_regular;

/// Bytes of a text that is written into the page too: a page opened from disk cannot read files. Chosen: a
/// dump or a log fits; much more would make the page slow.
const MAX_TEXT_BYTES: usize = 512 * 1024;

/// Bytes up to which a file is read and checked. Larger files, mostly videos, are copied unchecked. Chosen:
/// it bounds the memory.
const MAX_CHECKED_BYTES: u64 = 64 * 1024 * 1024;

const GONE: &str = "it is no longer in the artifacts folder";

impl ReportArtifact {
    /// Creates the entry of an artifact with kind and path only: without a link, size, content or a reason
    /// why it is missing.
    fn named(artifact: &Artifact) -> Self {
        Self {
            kind: artifact.kind,
            path: artifact.path.clone(),
            href: None,
            size: None,
            text: None,
            missing: None,
        }
    }
}

/// Place to which the files of a report are copied.
enum Target<'a> {
    Folder(&'a mut OwnFolder),
    OneFile(&'a mut EmbeddedFiles),
    /// The files stay where they are. Only logs are read.
    InPlace,
}

/// Copies artifacts into a report.
pub(super) struct ArtifactStore<'a> {
    results: &'a Results,
    target: Target<'a>,
}

impl<'a> ArtifactStore<'a> {
    pub fn new(results: &'a Results, folder: &'a mut OwnFolder) -> Self {
        let target = Target::Folder(folder);
        Self { results, target }
    }

    /// Creates the store of a report of one file.
    pub fn for_one_file(results: &'a Results, embedded: &'a mut EmbeddedFiles) -> Self {
        let target = Target::OneFile(embedded);
        Self { results, target }
    }

    /// Creates the store of a page that loads the files from where they are. Nothing is copied; only logs are
    /// read.
    pub fn in_place(results: &'a Results) -> Self {
        let target = Target::InPlace;
        Self { results, target }
    }

    /// Returns true if files are copied into a report.
    pub fn copies_files(&self) -> bool {
        !matches!(self.target, Target::InPlace)
    }

    /// Adds an artifact to the report, by a hard link or else a copy, and returns its entry. A report of one file only
    /// notes it, to be embedded later. If its file is missing or has other bytes, the entry has no link but the reason
    /// in `missing`; a file over 64 MiB is taken unchecked. A page that loads files in place takes nothing and reads
    /// only logs: the entry of any other file then has only its name.
    ///
    /// # Errors
    /// Returns an error if the report cannot be written.
    pub fn keep(&mut self, artifact: &Artifact) -> Result<ReportArtifact, ReportError> {
        let mut stored = ReportArtifact::named(artifact);
        if !self.copies_files() && artifact.kind != ArtifactKind::Log {
            return Ok(stored);
        }
        match self.find(artifact) {
            Ok(found) => self.take(found, &mut stored)?,
            Err(why) => stored.missing = Some(why.to_owned()),
        }
        Ok(stored)
    }

    /// Returns the content of an artifact, or the reason why it is missing. A file that was too large to be checked
    /// counts as missing.
    pub fn bytes(&self, artifact: &Artifact) -> Result<Vec<u8>, &'static str> {
        Ok(self.read(artifact)?.1)
    }

    /// Returns the path and the content of an artifact, or the reason why it is missing. A file that was too
    /// large to be checked counts as missing.
    pub fn read(&self, artifact: &Artifact) -> Result<(Utf8PathBuf, Vec<u8>), &'static str> {
        let found = self.find(artifact)?;
        let bytes = found.bytes.ok_or("it is too large to be looked into")?;
        Ok((found.path, bytes))
    }

    /// Copies a video into the report as [`Self::keep`] does. For a report of one file and a video that is shown by
    /// its frames, `is_film`, it copies nothing, and the entry has only the name.
    pub fn keep_video(
        &mut self,
        video: &Artifact,
        is_film: bool,
    ) -> Result<ReportArtifact, ReportError> {
        match self.target {
            Target::OneFile(_) if is_film => Ok(ReportArtifact::named(video)),
            _ => self.keep(video),
        }
    }

    /// Adds a frame of a video to the report and returns the link to it. The frame is the part `range` of `bytes`,
    /// the content of the video at `film`. It must be a JPEG, which is not checked; panics if the range is not within
    /// them. Equal frames share one file. For a page that loads files in place, nothing is written and the link is
    /// only a name.
    pub fn add_frame(
        &mut self,
        film: &Utf8Path,
        bytes: &[u8],
        range: Range<usize>,
    ) -> Result<String, ReportError> {
        let jpeg = &bytes[range.clone()];
        let name = format!("{}.jpg", hash(jpeg));
        match &mut self.target {
            Target::Folder(folder) => {
                let name = format!("files/{name}");
                if !folder.has_written(&name) {
                    folder.write(&name, jpeg)?;
                }
                Ok(name)
            }
            Target::OneFile(embedded) => {
                Ok(embedded.add(&name, film.to_owned(), ArtifactKind::Video, range))
            }
            Target::InPlace => Ok(name),
        }
    }

    /// Puts the file into the target, and sets address, picture size and text of `stored`. Only dumps, rows and logs
    /// of at most `MAX_TEXT_BYTES` have their text; then a one-file report has no address for it. A file that was too
    /// large to check gets neither picture size nor text. A page that loads files in place gets no address.
    fn take(&mut self, found: CopiedFile, stored: &mut ReportArtifact) -> Result<(), ReportError> {
        if let Some(bytes) = &found.bytes {
            stored.size = png_size(bytes);
            let is_text = matches!(
                stored.kind,
                ArtifactKind::Tsv | ArtifactKind::Rows | ArtifactKind::Log
            );
            if is_text && bytes.len() <= MAX_TEXT_BYTES {
                stored.text = Some(String::from_utf8_lossy(bytes).into_owned());
            }
        }
        let (extension, _) = form_in_page(stored.path.extension());
        let name = format!("{}.{extension}", found.hash);
        match &mut self.target {
            Target::Folder(folder) => {
                let name = format!("files/{name}");
                folder.link(&name, &found.path)?;
                stored.href = Some(name);
            }
            // The page offers a text for download itself.
            Target::OneFile(embedded) if stored.text.is_none() => {
                stored.href = Some(embedded.add(&name, found.path, stored.kind, 0..found.length));
            }
            _ => {}
        }
        Ok(())
    }

    /// Finds the artifact's file in the artifact folders of the run: the first, in their order, that has the right
    /// bytes, as later runs and other machines write the same paths. A file that is too large to check counts as
    /// right. An empty path or one with `..` is refused. The error is the reason for the page: if a folder has a more
    /// specific one than that the file is gone, the last such.
    fn find(&self, artifact: &Artifact) -> Result<CopiedFile, &'static str> {
        if normal_parts(&artifact.path) != artifact.path || artifact.path.as_str().is_empty() {
            return Err("its path leads out of the artifacts folder");
        }
        let mut found = Err(GONE);
        for folder in self.results.artifact_folders() {
            match find_in(folder, artifact) {
                Ok(file) => return Ok(file),
                // Another folder may hold it. A more specific reason is kept.
                Err(GONE) => {}
                why => found = why,
            }
        }
        found
    }
}

/// Finds the file of an artifact in a folder, reads it and checks its hash. A file over `MAX_CHECKED_BYTES` is
/// neither read nor checked; its hash is made of the artifact's hash and path. The error says why in words: gone, no
/// regular file, a link out of the folder, or changed since the run. A file that cannot be read counts as gone.
fn find_in(folder: &Utf8Path, artifact: &Artifact) -> Result<CopiedFile, &'static str> {
    let gone = |_| GONE;
    let root = folder.canonicalize_utf8().map_err(gone)?;
    let path = folder.join(&artifact.path);
    let path = path.canonicalize_utf8().map_err(gone)?;
    if !path.starts_with(&root) {
        return Err("it is a link that leads out of the artifacts folder");
    }
    let about = std::fs::metadata(&path).map_err(gone)?;
    if !about.is_file() {
        return Err("it is not a file");
    }
    if about.len() > MAX_CHECKED_BYTES {
        return Ok(CopiedFile {
            path,
            // A name of its own, as the bytes were not checked against the hash.
            hash: hash(format!("{}\n{}", artifact.hash, artifact.path).as_bytes()),
            length: usize::try_from(about.len()).unwrap_or(usize::MAX),
            bytes: None,
        });
    }
    let bytes = read_regular(&path, MAX_CHECKED_BYTES).map_err(|_| GONE)?;
    let hash = hash(&bytes);
    if hash != artifact.hash {
        return Err("it is not the one of this run any more");
    }
    Ok(CopiedFile {
        path,
        hash,
        length: bytes.len(),
        bytes: Some(bytes),
    })
}

struct CopiedFile {
    path: Utf8PathBuf,
    hash: String,
    length: usize,
    bytes: Option<Vec<u8>>,
}

/// Reads width and height in pixels from the header of a PNG; the rest is not checked. `None` for anything else or a
/// header that is cut off.
fn png_size(bytes: &[u8]) -> Option<[u32; 2]> {
    let header = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")?;
    let number = |at: usize| {
        let four = header.get(at..at + 4)?;
        Some(u32::from_be_bytes(four.try_into().ok()?))
    };
    Some([number(0)?, number(4)?])
}
