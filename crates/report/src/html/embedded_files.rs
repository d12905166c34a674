//! Embeds files into a report of one file, as far as they fit.
//!
//! While flows are written, only the paths are collected. The contents are read one by one, once the
//! remaining room is known.

use std::io::{Read as _, Seek as _, SeekFrom, Write};
use std::ops::Range;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexMap;

use super::counting_writer::CountingWriter;
use super::view::Omissions;
use crate::file_form::form_in_page;
use runner_base::files::hash;
use runner_event::ArtifactKind;
use runner_picture::Picture;
use runner_screen::annotate::{shrink_to, to_jpeg};
use runner_text::input_file::{MAX_STREAM, open_regular};

/// Pixels of the longer side of a shrunk picture. Chosen: texts on a phone's screen can still be read.
const MAX_SHRUNK_PIXELS: u32 = 1200;

/// Bytes of the element around a file's content, at most. Chosen: tags, attributes and an id of 21
/// characters, rounded up.
const MAX_ELEMENT_BYTES: usize = 120;

/// File that the data of flows refers to.
struct EmbeddedFile {
    path: Utf8PathBuf,
    range: Range<usize>,
    rank: Rank,
}

/// Order in which files are embedded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Picture that shows why a flow did not pass.
    Picture,
    /// Other file of such a flow: frames of traces and videos, logs.
    Other,
    Passed,
}

/// Files to embed, by the id of their element.
#[derive(Default)]
pub(super) struct EmbeddedFiles {
    files: IndexMap<String, EmbeddedFile>,
    /// True if the flow whose files are added now passed.
    is_passed: bool,
}

impl Omissions {
    /// Returns true if the report is complete and nothing was shrunk.
    pub(super) fn is_nothing(&self) -> bool {
        self.passed + self.smaller + self.others + self.flows == 0
    }
}

impl EmbeddedFiles {
    /// Creates an empty list for the files of a flow that passed or not.
    pub fn for_flow(is_passed: bool) -> Self {
        Self {
            files: IndexMap::new(),
            is_passed,
        }
    }

    /// Adds the files of a flow. One that was added before keeps its path and range, and the more important rank.
    pub fn include(&mut self, flow: Self) {
        for (name, file) in flow.files {
            let rank = file.rank;
            let named = self.files.entry(name).or_insert(file);
            named.rank = named.rank.min(rank);
        }
    }

    /// Notes a file, of which only the bytes in `range` are embedded, and returns the link to it within the page, `#`
    /// and `name`. `name` must begin with the hash of these bytes. Nothing is read or written yet, and `write` may
    /// leave the file out. A name that was added before keeps its path and range, but the most important of its uses
    /// decides if it is left out: a picture of a flow that did not pass comes first, then its other files, then those
    /// of passed flows.
    pub fn add(
        &mut self,
        name: &str,
        path: Utf8PathBuf,
        kind: ArtifactKind,
        range: Range<usize>,
    ) -> String {
        let is_picture = matches!(
            kind,
            ArtifactKind::Screenshot
                | ArtifactKind::Annotated
                | ArtifactKind::Difference
                | ArtifactKind::Golden
        );
        let rank = match (self.is_passed, is_picture) {
            (true, _) => Rank::Passed,
            (false, true) => Rank::Picture,
            (false, false) => Rank::Other,
        };
        let named = self.files.entry(name.to_owned());
        let named = named.or_insert(EmbeddedFile { path, range, rank });
        named.rank = named.rank.min(rank);
        format!("#{name}")
    }

    /// Writes as many files as fit, so that `out` has at most `limit` bytes with all that was written before. Files of
    /// passed flows are written only if all files together fit, else none of them. Pictures come first; if they alone
    /// do not fit, each is shrunk to a JPEG where that makes it smaller. A file that does not fit, or that is gone or
    /// changed meanwhile, is left out, and smaller ones after it are still tried. Returns the numbers of what was left
    /// out or shrunk; only `out` gives errors.
    pub fn write<W: Write>(
        mut self,
        out: &mut CountingWriter<W>,
        limit: u64,
    ) -> std::io::Result<Omissions> {
        let mut left_out = Omissions::default();
        let room = limit.saturating_sub(out.written());
        if self.length(Rank::Passed) > room {
            let all = self.files.len();
            self.files.retain(|_, file| file.rank != Rank::Passed);
            left_out.passed = all - self.files.len();
        }
        let must_shrink = self.length(Rank::Picture) > room;
        self.files.sort_by_key(|_, file| file.rank);
        for (name, file) in &self.files {
            let fits = |length| out.written() + element_bytes(length) <= limit;
            let may_shrink = must_shrink && file.rank == Rank::Picture;
            let bytes = (may_shrink || fits(file.range.len())).then(|| file.bytes(name));
            // The file was removed or changed since its flow was written: the page says that it is missing.
            let Some(bytes) = bytes.flatten() else {
                left_out.others += 1;
                continue;
            };
            let smaller = may_shrink.then(|| shrink(&bytes)).flatten();
            let is_smaller = smaller.is_some();
            let extension = Utf8Path::new(name).extension();
            let (_, kind) = form_in_page(if is_smaller { Some("jpg") } else { extension });
            let bytes = smaller.unwrap_or(bytes);
            if !fits(bytes.len()) {
                left_out.others += 1;
                continue;
            }
            left_out.smaller += usize::from(is_smaller);
            write!(
                out,
                "<script type=\"text/plain\" id=\"{name}\" data-type=\"{kind}\">"
            )?;
            out.write_all(BASE64_STANDARD.encode(bytes).as_bytes())?;
            out.write_all(b"</script>\n")?;
        }
        Ok(left_out)
    }

    /// Returns the most bytes that files of this rank and of all more important ones take in the page, before
    /// any is shrunk.
    fn length(&self, rank: Rank) -> u64 {
        let files = self.files.values().filter(|file| file.rank <= rank);
        files.map(|file| element_bytes(file.range.len())).sum()
    }
}

impl EmbeddedFile {
    /// Reads the part of the file. `None` if it cannot be read whole, is larger than `MAX_STREAM`, or has changed, so
    /// that its hash does not begin `name`.
    fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        let mut file = open_regular(&self.path, MAX_STREAM).ok()?;
        file.seek(SeekFrom::Start(self.range.start as u64)).ok()?;
        let mut bytes = vec![0; self.range.len()];
        file.read_exact(&mut bytes).ok()?;
        name.starts_with(&hash(&bytes)).then_some(bytes)
    }
}

/// Returns the bytes of an element with a content of `bytes` bytes.
pub(super) fn element_bytes(bytes: usize) -> u64 {
    (bytes.div_ceil(3) * 4 + MAX_ELEMENT_BYTES) as u64
}

/// Converts a PNG to a JPEG with sides of at most [`MAX_SHRUNK_PIXELS`]. Returns `None` for other files, or
/// if the result has not fewer bytes.
fn shrink(bytes: &[u8]) -> Option<Vec<u8>> {
    let pixels = Picture::from_png(bytes).pixels().ok()?;
    let jpeg = to_jpeg(&shrink_to(&pixels, MAX_SHRUNK_PIXELS)).ok()?;
    (jpeg.len() < bytes.len()).then_some(jpeg)
}
