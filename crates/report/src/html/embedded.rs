//! The files that stand in a report of one file: which there are, and which fit into it.
//!
//! While the flows are written only their places on disk are kept. Their bytes are read one after the other, once the room
//! that is left for them is known.

use std::io::{Read as _, Seek as _, SeekFrom, Write};
use std::ops::Range;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use camino::Utf8PathBuf;
use indexmap::IndexMap;
use serde::Serialize;

use super::one_file::Counted;
use runner_base::files::hash;
use runner_event::ArtifactKind;
use runner_picture::Picture;
use runner_screen::annotate::{shrink_to, to_jpeg};
use runner_text::input_file::{MAX_STREAM, open_regular};

/// Pixels on the longer side of a picture that is made smaller: a screen of a phone is still read.
const MAX_SHRUNK: u32 = 1200;

/// Bytes of an element that holds a file, beside the file.
const ELEMENT: usize = 120;

/// A file that flows name.
struct Named {
    path: Utf8PathBuf,
    range: Range<usize>,
    rank: Rank,
}

/// Which files go in first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A picture that tells why a flow did not pass.
    Picture,
    /// What else there is of such a flow: frames of traces and videos, other files.
    Other,
    Passed,
}

/// Files by the ids of their elements.
#[derive(Default)]
pub(super) struct Embedded {
    files: IndexMap<String, Named>,
    /// The flow whose files come now passed.
    is_passed: bool,
}

/// What is not in the file, or not as it was.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct LeftOut {
    /// Bytes that the file may have.
    pub limit: u64,
    /// Files of flows that passed.
    pub passed: usize,
    /// Pictures that are smaller than they were.
    pub smaller: usize,
    /// Files of flows that did not pass.
    pub others: usize,
    /// Flows of which only the summary is there.
    pub flows: usize,
}

impl LeftOut {
    /// Returns true where all is there as it was.
    pub fn is_nothing(&self) -> bool {
        self.passed + self.smaller + self.others + self.flows == 0
    }
}

impl Embedded {
    /// Takes note whether the flow whose files come next passed.
    pub fn begin_flow(&mut self, is_passed: bool) {
        self.is_passed = is_passed;
    }

    /// Takes note of a file. Gives where it is in the page.
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
        let named = named.or_insert(Named { path, range, rank });
        named.rank = named.rank.min(rank);
        format!("#{name}")
    }

    /// Writes the files for which there is room in `limit` bytes: all of them; else without those of flows that passed; else
    /// pictures before others, smaller ones where they do not fit as they are.
    pub fn write<W: Write>(mut self, out: &mut Counted<W>, limit: u64) -> std::io::Result<LeftOut> {
        let mut left_out = LeftOut::default();
        let room = limit.saturating_sub(out.written());
        if self.length(Rank::Passed) > room {
            let all = self.files.len();
            self.files.retain(|_, file| file.rank != Rank::Passed);
            left_out.passed = all - self.files.len();
        }
        let must_shrink = self.length(Rank::Picture) > room;
        self.files.sort_by_key(|_, file| file.rank);
        for (name, file) in &self.files {
            let fits = |length| out.written() + encoded(length) <= limit;
            let may_shrink = must_shrink && file.rank == Rank::Picture;
            let bytes = (may_shrink || fits(file.range.len())).then(|| file.bytes(name));
            // Removed or changed since its flow was written: the page says that it is not here.
            let Some(bytes) = bytes.flatten() else {
                left_out.others += 1;
                continue;
            };
            let smaller = may_shrink.then(|| shrunk(&bytes)).flatten();
            let kind = smaller.as_ref().map_or(media_type(name), |_| "image/jpeg");
            let is_smaller = smaller.is_some();
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

    /// Bytes that files up to a rank take.
    fn length(&self, rank: Rank) -> u64 {
        let files = self.files.values().filter(|file| file.rank <= rank);
        files.map(|file| encoded(file.range.len())).sum()
    }
}

impl Named {
    fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        let mut file = open_regular(&self.path, MAX_STREAM).ok()?;
        file.seek(SeekFrom::Start(self.range.start as u64)).ok()?;
        let mut bytes = vec![0; self.range.len()];
        file.read_exact(&mut bytes).ok()?;
        name.starts_with(&hash(&bytes)).then_some(bytes)
    }
}

/// Bytes of an element that holds so many.
pub(super) fn encoded(bytes: usize) -> u64 {
    (bytes.div_ceil(3) * 4 + ELEMENT) as u64
}

/// A PNG as a smaller JPEG; `None` of anything else, and where nothing would be won.
fn shrunk(bytes: &[u8]) -> Option<Vec<u8>> {
    let pixels = Picture::from_png(bytes).pixels().ok()?;
    let jpeg = to_jpeg(&shrink_to(&pixels, MAX_SHRUNK)).ok()?;
    (jpeg.len() < bytes.len()).then_some(jpeg)
}

/// What a browser takes a file for. Only what nothing runs in has a type of its own.
fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "bin" => "application/octet-stream",
        _ => "text/plain;charset=utf-8",
    }
}
