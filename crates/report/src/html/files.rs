//! The run's files in the report: each under the hash of its contents, none from outside the artifacts folder.

use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;

use super::embedded::Embedded;
use crate::{ReportError, Results};
use runner_base::files::{hash, normal_parts};
use runner_base::own_folder::OwnFolder;
use runner_event::{Artifact, ArtifactKind};
use runner_text::input_file::read_regular;

/// Texts up to this length stand in the page; a page on disk cannot read files.
const TEXT_LIMIT: usize = 512 * 1024;

/// Larger files are not looked into: videos are taken as they are.
const CHECKED_LIMIT: u64 = 64 * 1024 * 1024;

const GONE: &str = "it is no longer in the artifacts folder";

/// Extensions that a browser shows without running anything in them.
const SHOWN: [&str; 12] = [
    "png", "jpg", "jpeg", "gif", "webp", "mp4", "webm", "txt", "tsv", "log", "json", "csv",
];

/// An artifact as the page knows it.
#[derive(Debug, Serialize)]
pub(super) struct ReportArtifact {
    pub kind: ArtifactKind,
    /// Below the artifacts folder.
    pub path: Utf8PathBuf,
    /// In the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub href: Option<String>,
    /// Width and height of a picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<[u32; 2]>,
    /// Contents of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Why it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<&'static str>,
}

impl ReportArtifact {
    /// Names an artifact of which the page has nothing but its name.
    pub fn named(artifact: &Artifact) -> Self {
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

/// Where the files of a report go.
enum Target<'a> {
    Folder(&'a mut OwnFolder),
    OneFile(&'a mut Embedded),
    /// They stay where they are: only logs are read then.
    InPlace,
}

/// Takes artifacts into the report.
pub(super) struct ArtifactStore<'a> {
    results: &'a Results,
    target: Target<'a>,
}

impl<'a> ArtifactStore<'a> {
    pub fn new(results: &'a Results, folder: &'a mut OwnFolder) -> Self {
        let target = Target::Folder(folder);
        Self { results, target }
    }

    /// For a report of one file.
    pub fn embedding(results: &'a Results, embedded: &'a mut Embedded) -> Self {
        let target = Target::OneFile(embedded);
        Self { results, target }
    }

    /// For a page that asks for the files where they are.
    pub fn in_place(results: &'a Results) -> Self {
        let target = Target::InPlace;
        Self { results, target }
    }

    /// Whether files are taken into a report.
    pub fn takes_files(&self) -> bool {
        !matches!(self.target, Target::InPlace)
    }

    /// Takes an artifact. One that is not there, or not as the run left it, is said so.
    pub fn keep(&mut self, artifact: &Artifact) -> Result<ReportArtifact, ReportError> {
        let mut stored = ReportArtifact::named(artifact);
        if !self.takes_files() && artifact.kind != ArtifactKind::Log {
            return Ok(stored);
        }
        match self.find(artifact) {
            Ok(found) => self.take(found, &mut stored)?,
            Err(why) => stored.missing = Some(why),
        }
        Ok(stored)
    }

    /// The bytes of an artifact that the page holds in another form; else why they are not there.
    pub fn bytes(&self, artifact: &Artifact) -> Result<Vec<u8>, &'static str> {
        Ok(self.read(artifact)?.1)
    }

    /// Where an artifact is, and its bytes.
    pub fn read(&self, artifact: &Artifact) -> Result<(Utf8PathBuf, Vec<u8>), &'static str> {
        let found = self.find(artifact)?;
        let bytes = found.bytes.ok_or("it is too large to be looked into")?;
        Ok((found.path, bytes))
    }

    /// Takes a video into the report; of a film that is shown by its frames only its name, where each byte counts.
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

    /// Takes a frame of a film into the report. Gives where it is.
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

    fn take(&mut self, found: CopiedFile, stored: &mut ReportArtifact) -> Result<(), ReportError> {
        if let Some(bytes) = &found.bytes {
            stored.size = png_size(bytes);
            let is_text = matches!(
                stored.kind,
                ArtifactKind::Tsv | ArtifactKind::Rows | ArtifactKind::Log
            );
            if is_text && bytes.len() <= TEXT_LIMIT {
                stored.text = Some(String::from_utf8_lossy(bytes).into_owned());
            }
        }
        let name = format!("{}.{}", found.hash, extension(&stored.path));
        match &mut self.target {
            Target::Folder(folder) => {
                let name = format!("files/{name}");
                folder.link(&name, &found.path)?;
                stored.href = Some(name);
            }
            // The page makes a file of a text.
            Target::OneFile(embedded) if stored.text.is_none() => {
                stored.href = Some(embedded.add(&name, found.path, stored.kind, 0..found.length));
            }
            _ => {}
        }
        Ok(())
    }

    /// The artifact's file. A later run may have written another there, and the streams of several machines name the
    /// same paths: only its bytes identify it.
    fn find(&self, artifact: &Artifact) -> Result<CopiedFile, &'static str> {
        if normal_parts(&artifact.path) != artifact.path || artifact.path.as_str().is_empty() {
            return Err("its path leads out of the artifacts folder");
        }
        let mut found = Err(GONE);
        for folder in self.results.artifact_folders() {
            match find_in(folder, artifact) {
                Ok(file) => return Ok(file),
                // Another folder may hold it. A reason that says more is kept.
                Err(GONE) => {}
                why => found = why,
            }
        }
        found
    }
}

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
    if about.len() > CHECKED_LIMIT {
        return Ok(CopiedFile {
            path,
            // A name of its own: nobody has read whether its bytes are those of the hash.
            hash: hash(format!("{}\n{}", artifact.hash, artifact.path).as_bytes()),
            length: usize::try_from(about.len()).unwrap_or(usize::MAX),
            bytes: None,
        });
    }
    let bytes = read_regular(&path, CHECKED_LIMIT).map_err(|_| GONE)?;
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

fn extension(path: &Utf8Path) -> &'static str {
    let given = path.extension().unwrap_or_default().to_ascii_lowercase();
    SHOWN
        .into_iter()
        .find(|known| *known == given)
        .unwrap_or("bin")
}

/// Width and height of a PNG, from its header.
fn png_size(bytes: &[u8]) -> Option<[u32; 2]> {
    let header = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")?;
    let number = |at: usize| {
        let four = header.get(at..at + 4)?;
        Some(u32::from_be_bytes(four.try_into().ok()?))
    };
    Some([number(0)?, number(4)?])
}
