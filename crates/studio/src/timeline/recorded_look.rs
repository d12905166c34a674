//! Screen of a run that was recorded.

use super::super::StudioError;
use super::rows::screen_of;
use runner_report::html::view::{FrameView, TraceView};
use runner_screen::Screen;

/// Recorded screen of a trace.
pub(crate) struct RecordedLook {
    /// Width and height of the display in pixels.
    pub(crate) size: [u32; 2],
    /// Time in milliseconds since the attempt began.
    pub(crate) at: u64,
    /// Content of the picture's file.
    pub(crate) picture: Option<Vec<u8>>,
    /// Elements, or the reason why they are missing.
    pub(crate) screen: Result<Screen, StudioError>,
    /// True if the screen was rebuilt from rows, so that nesting is unknown.
    pub(crate) is_rows: bool,
}

impl RecordedLook {
    /// Rebuilds a screen of a report from its rows, with the given picture. Rows that cannot be read, or that the
    /// trace lacks, are an error in the result. The picture is not checked.
    pub(crate) fn from_page(
        trace: &TraceView,
        frame: &FrameView,
        picture: Option<Vec<u8>>,
    ) -> Self {
        let row = |place: &usize| trace.rows.get(*place).map(Vec::as_slice);
        let rows: Option<Vec<&[String]>> = frame.rows.iter().flatten().map(row).collect();
        let screen = rows.and_then(|rows| screen_of(&rows, frame.size));
        let gone = || StudioError::Recorded("the rows of this screen do not read".to_owned());
        Self {
            size: frame.size,
            at: frame.at,
            picture,
            screen: screen.ok_or_else(gone),
            is_rows: true,
        }
    }
}
