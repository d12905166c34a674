//! What a run keeps of a step whose selector matched nothing: the look on which it last matched, and the look on which it
//! failed. One packed file, so that it is there whole or not at all.
//!
//! It may come from an archive. Nothing in it is believed: a patch is computed from it and from the flow of today.

use std::io::{Read as _, Write as _};

use camino::Utf8PathBuf;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use runner_base::files::hash;
use runner_screen::{Display, DisplayContext, NodeIndex, Screen, ScreenError};
use serde::{Deserialize, Serialize};

/// Number of the format.
const FORMAT: u32 = 1;
/// Ending of the name of a file of evidence.
pub const ENDING: &str = ".mend.gz";
/// Largest file, in bytes.
pub const MAX_PACKED: u64 = 4 * 1024 * 1024;
/// Most bytes that a file unpacks to.
const MAX_UNPACKED: u64 = 32 * 1024 * 1024;
/// Most bytes that all files of an archive or a folder unpack to.
pub const MAX_TOTAL: u64 = 256 * 1024 * 1024;

/// Evidence that a run keeps of a step whose selector matched nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The format's number.
    #[serde(rename = "runner-mend")]
    pub(crate) format: u32,
    /// The flow that ran, below the root.
    pub flow: Utf8PathBuf,
    /// The file of the step: the flow's, or a sub-flow's.
    pub file: Utf8PathBuf,
    /// Line of the selector, from 1.
    pub line: usize,
    /// Column of the selector, from 1.
    pub column: usize,
    /// The selector, as [`runner_flow::WrittenSelector`] writes it.
    pub selector: String,
    /// The run in which it last matched.
    pub green: GreenRun,
    /// The look on which it last matched.
    pub before: Look,
    /// The element that it matched there, by its place among the nodes.
    pub element: u32,
    /// The look on which it matched nothing.
    pub after: Look,
}

/// A run in which a step passed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GreenRun {
    /// Version of the app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app_version: Option<String>,
    /// The commit that was tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// A screen, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// Width and height of the display, in pixels.
    size: (u32, u32),
    /// Quarter turns.
    rotation: u8,
    /// The dump, in the form of [`Screen::to_dump`].
    dump: String,
}

/// Evidence that does not read.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    /// It is cut, or no packed file.
    #[error("it does not unpack: {0}")]
    Packed(#[from] std::io::Error),
    /// It unpacks to too much.
    #[error(
        "it unpacks to more than {MAX_UNPACKED} bytes, or all evidence together to more than {MAX_TOTAL}"
    )]
    TooLarge,
    /// It is not what a run writes.
    #[error("it does not read: {0}")]
    Json(#[from] serde_json::Error),
    /// Another format.
    #[error(
        "it has the format {0}, and this program reads {FORMAT}; use the `runner` that wrote it"
    )]
    Format(u32),
}

impl Look {
    /// A screen, with what `scrub` masks of it.
    pub fn new(screen: &Screen, scrub: impl Fn(&str) -> String) -> Self {
        let display = screen.display();
        Self {
            size: (display.width, display.height),
            rotation: display.rotation,
            dump: scrub(&screen.to_dump()),
        }
    }

    /// Returns the screen.
    ///
    /// # Errors
    /// It is cut, or larger than any screen.
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
    /// Evidence of a step at `place`: its flow, its file, and line and column of the selector.
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

    /// Returns the bytes of its file.
    ///
    /// # Errors
    /// Packing into memory does not fail.
    pub fn pack(&self) -> std::io::Result<Vec<u8>> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&serde_json::to_vec(self)?)?;
        packed.finish()
    }

    /// Reads a file. `budget` is how many bytes may still be unpacked, by all files together.
    ///
    /// # Errors
    /// [`EvidenceError`]. Nothing is read in part.
    pub fn read(packed: &[u8], budget: &mut u64) -> Result<Self, EvidenceError> {
        let limit = MAX_UNPACKED.min(*budget);
        let mut json = Vec::new();
        // What a header says of sizes is not believed.
        let mut limited = GzDecoder::new(packed).take(limit + 1);
        limited.read_to_end(&mut json)?;
        let size = json.len() as u64;
        *budget = budget.saturating_sub(size);
        if size > limit {
            return Err(EvidenceError::TooLarge);
        }
        let evidence: Self = serde_json::from_slice(&json)?;
        match evidence.format {
            FORMAT => Ok(evidence),
            other => Err(EvidenceError::Format(other)),
        }
    }

    /// Returns the name of its file: the same for the same selector in the same flow.
    pub fn file_name(&self) -> String {
        file_name([self.flow.as_str(), self.file.as_str(), &self.selector])
    }
}

/// Returns the name of the file of a selector in a file that a flow ran.
pub(crate) fn file_name(names: [&str; 3]) -> String {
    // No name can be taken for the end of another.
    let each = names.map(|name| hash(name.as_bytes()));
    format!("{}{ENDING}", hash(each.join(" ").as_bytes()))
}
