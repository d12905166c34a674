//! Evidence of a step whose selector matched nothing: the look on which it last matched, and the one on which
//! it failed. It is one compressed file, so that it exists completely or not at all.
//!
//! The file may come from an archive and is not trusted: the patch is computed from the evidence and the
//! current flow.

use std::io::{Read as _, Write as _};

use camino::Utf8PathBuf;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use runner_base::files::hash;
use runner_screen::{Display, DisplayContext, NodeIndex, Screen, ScreenError};
use serde::{Deserialize, Serialize};

/// Version of the format. A reader accepts only this one.
const FORMAT: u32 = 1;
/// Suffix of the names of evidence files.
pub const ENDING: &str = ".mend.gz";
/// Chosen: compressed bytes of a file, far above two screens of a real app.
pub const MAX_PACKED: u64 = 4 * 1024 * 1024;
/// Chosen: bytes of an uncompressed file. A small file may unpack to any size.
const MAX_UNPACKED: u64 = 32 * 1024 * 1024;
/// Chosen: uncompressed bytes of all files of an archive or a folder, which are in memory at the same time.
pub const MAX_TOTAL: u64 = 256 * 1024 * 1024;

/// Evidence of a step whose selector matched nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// Version of the format.
    #[serde(rename = "runner-mend")]
    pub(crate) format: u32,
    /// Flow that ran, relative to the root.
    pub flow: Utf8PathBuf,
    /// File of the step: the flow's, or a sub-flow's.
    pub file: Utf8PathBuf,
    /// Line of the selector, from 1.
    pub line: usize,
    /// Column of the selector, from 1.
    pub column: usize,
    /// Selector, as [`runner_flow::WrittenSelector`] formats it.
    pub selector: String,
    /// Run in which it last matched.
    pub green: GreenRun,
    /// Look on which it last matched.
    pub before: Look,
    /// Index of the node that it matched there.
    pub element: u32,
    /// Look on which it matched nothing.
    pub after: Look,
}

/// The field of evidence that all formats have.
#[derive(Deserialize)]
struct AnyFormat {
    #[serde(rename = "runner-mend")]
    format: u32,
}

/// Run in which the step passed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GreenRun {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app_version: Option<String>,
    /// Commit that was tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// Stored screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// Width and height of the display, in pixels.
    size: (u32, u32),
    /// Rotation in quarter turns.
    rotation: u8,
    /// Dump, in the form of [`Screen::to_dump`].
    dump: String,
}

#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    /// The file is cut off, or not compressed.
    #[error("it does not unpack: {0}")]
    Packed(#[from] std::io::Error),
    /// The file unpacks to too many bytes.
    #[error(
        "it unpacks to more than {MAX_UNPACKED} bytes, or all evidence together to more than {MAX_TOTAL}"
    )]
    TooLarge,
    /// The content is not valid evidence.
    #[error("it does not read: {0}")]
    Json(#[from] serde_json::Error),
    /// The file has another version of the format.
    #[error(
        "it has the format {0}, and this program reads {FORMAT}; use the `runner` that wrote it"
    )]
    Format(u32),
}

impl Look {
    /// Creates a look from size, rotation and dump of a screen. `scrub` gets the whole dump and returns it masked.
    /// Density, front app, keyboard, bars and toasts are not stored.
    pub fn new(screen: &Screen, scrub: impl Fn(&str) -> String) -> Self {
        let display = screen.display();
        Self {
            size: (display.width, display.height),
            rotation: display.rotation,
            dump: scrub(&screen.to_dump()),
        }
    }

    /// Parses the stored dump. The screen has density 0, and no front app, keyboard or bars.
    ///
    /// # Errors
    /// The dump is cut off, or the screen is larger than any display.
    pub fn screen(&self) -> Result<Screen, ScreenError> {
        let display = Display {
            width: self.size.0,
            height: self.size.1,
            density: 0,
            rotation: self.rotation,
        };
        let surroundings = DisplayContext {
            display: Some(display),
            ..DisplayContext::default()
        };
        Screen::parse(self.dump.as_bytes(), &surroundings)
    }
}

impl Evidence {
    /// Creates evidence of a step. `place` is its flow, its file, and line and column of the selector. Stores them
    /// without a check, with the format that this program writes.
    pub fn new(
        place: (Utf8PathBuf, Utf8PathBuf, (usize, usize)),
        selector: String,
        green: GreenRun,
        (before, element): (Look, NodeIndex),
        after: Look,
    ) -> Self {
        let (flow, file, (line, column)) = place;
        Self {
            format: FORMAT,
            flow,
            file,
            line,
            column,
            selector,
            green,
            before,
            element: element.0,
            after,
        }
    }

    /// Returns the bytes of the file.
    ///
    /// # Errors
    /// Compressing into memory does not fail.
    pub fn pack(&self) -> std::io::Result<Vec<u8>> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&serde_json::to_vec(self)?)?;
        packed.finish()
    }

    /// Reads a compressed file. Subtracts its uncompressed bytes from `budget`, which all files share. Bytes of a
    /// file that is too large or no evidence count too, and what was unpacked of one that breaks off.
    ///
    /// # Errors
    /// [`EvidenceError`]: the file does not unpack, unpacks to more than 32 MiB or the rest of `budget`, is no
    /// evidence, or has another format than this program writes.
    pub fn read(packed: &[u8], budget: &mut u64) -> Result<Self, EvidenceError> {
        let limit = MAX_UNPACKED.min(*budget);
        let mut json = Vec::new();
        // The size in the header is not trusted.
        let mut limited = GzDecoder::new(packed).take(limit + 1);
        let unpacked = limited.read_to_end(&mut json);
        let size = json.len() as u64;
        *budget = budget.saturating_sub(size);
        unpacked?;
        if size > limit {
            return Err(EvidenceError::TooLarge);
        }
        // The format is read first, as another one may have other fields.
        let AnyFormat { format } = serde_json::from_slice(&json)?;
        if format != FORMAT {
            return Err(EvidenceError::Format(format));
        }
        Ok(serde_json::from_slice(&json)?)
    }

    /// Returns the file name, which is the same for the same selector in the same flow.
    pub fn file_name(&self) -> String {
        file_name([self.flow.as_str(), self.file.as_str(), &self.selector])
    }
}

/// Returns the file name for a flow, a file that it ran, and a selector.
pub(crate) fn file_name(names: [&str; 3]) -> String {
    // Hashing each name keeps one from being taken for the end of another.
    let each = names.map(|name| hash(name.as_bytes()));
    format!("{}{ENDING}", hash(each.join(" ").as_bytes()))
}
