//! Converts trace and video of an attempt for the page: rows instead of dumps, frames instead of a video that
//! no browser plays.

use std::io::Read as _;

use flate2::read::GzDecoder;
use indexmap::IndexSet;

use super::files::ArtifactStore;
use super::film;
use super::view::{FrameView, TraceView, VideoView};
use crate::{Attempt, ReportError};
use runner_event::{Trace, TraceFrame};
use runner_screen::{Display, DisplayContext, Profile, Row, Screen};

/// Bytes of an unpacked dump. Chosen: far more than any screen; it keeps a damaged file from filling the
/// memory.
const MAX_DUMP_BYTES: u64 = 64 << 20;
/// Newest lines of a log in the page. Chosen: more would make the page slow.
const MAX_LOG_LINES: usize = 2000;
/// Columns of a row in the page.
pub const COLUMNS: [&str; 8] = [
    "class", "text", "desc", "res_id", "hint", "bounds", "flags", "window",
];

/// Converts the trace of `attempt` and copies its pictures into the report. Rows that occur on several screens are
/// stored once. A log that is missing or cannot be read is left empty, and a frame that cannot says why. Returns
/// `None` without a trace. Only a report that cannot be written is an error.
pub(super) fn trace(
    attempt: &Attempt,
    store: &mut ArtifactStore<'_>,
) -> Result<Option<TraceView>, ReportError> {
    let Some(Trace {
        frames,
        acts,
        observed: last_frames,
        log,
    }) = &attempt.trace
    else {
        return Ok(None);
    };
    let mut rows = IndexSet::new();
    let mut views = Vec::with_capacity(frames.len());
    for frame in frames {
        views.push(FrameView::new(frame, &mut rows, store)?);
    }
    let log = log.as_ref().and_then(|log| store.bytes(log).ok());
    Ok(Some(TraceView {
        columns: COLUMNS.map(str::to_owned).into(),
        rows: rows.into_iter().collect(),
        frames: views,
        acts: acts.clone(),
        observed: last_frames.clone(),
        log: log.map(|log| lines(&log)).unwrap_or_default(),
    }))
}

/// Converts the video of `attempt` to one view per piece, none without a video, and copies the pieces
/// into the report. A film of JPEGs also gets its duration and its frames, which the page shows without
/// a player; a report of one file has only these. A piece that is missing or no such film has neither.
/// A page that loads files in place copies nothing and has no frames. Only a report that cannot be
/// written is an error.
pub(super) fn video(
    attempt: &Attempt,
    store: &mut ArtifactStore<'_>,
) -> Result<Vec<VideoView>, ReportError> {
    let mut views = Vec::with_capacity(attempt.video.len());
    for piece in &attempt.video {
        let bytes = store.copies_files().then(|| store.read(&piece.file));
        let bytes = bytes.and_then(Result::ok);
        let film = bytes.as_ref().and_then(|(_, bytes)| film::read(bytes));
        let mut view = VideoView {
            at: piece.at_ms,
            file: store.keep_video(&piece.file, film.is_some())?,
            frames: Vec::new(),
            ms: None,
        };
        if let (Some((path, bytes)), Some(film)) = (bytes, film) {
            view.ms = Some(film.ms);
            for (at, range) in film.frames {
                view.frames
                    .push((at, store.add_frame(&path, &bytes, range)?));
            }
        }
        views.push(view);
    }
    Ok(views)
}

impl FrameView {
    /// Creates the view of a frame. Adds rows not there yet to `rows`, and refers to them by index. A page that loads
    /// files in place gets only the path of the picture, and no rows. A screen or picture that is missing or cannot
    /// be read leaves its reason in `missing`, and is no error.
    fn new(
        frame: &TraceFrame,
        rows: &mut IndexSet<Vec<String>>,
        store: &mut ArtifactStore<'_>,
    ) -> Result<Self, ReportError> {
        let mut view = Self {
            at: frame.at_ms,
            step: frame.step,
            size: frame.size,
            rows: None,
            picture: None,
            missing: None,
            seq: None,
        };
        if !store.copies_files() {
            view.picture = frame.picture.as_ref().map(|file| file.path.to_string());
            return Ok(view);
        }
        let screen = store
            .bytes(&frame.screen)
            .and_then(|packed| read_screen(&packed, frame.size).ok_or("the screen does not read"));
        match screen {
            Ok(screen) => {
                let of_screen = screen.rows(Profile::Golden);
                let place = |row| rows.insert_full(cells(&screen, &row)).0;
                view.rows = Some(of_screen.into_iter().map(place).collect());
            }
            Err(why) => view.missing = Some(why.to_owned()),
        }
        if let Some(picture) = &frame.picture {
            let stored = store.keep(picture)?;
            view.missing = view.missing.or(stored.missing);
            view.picture = stored.href;
        }
        Ok(view)
    }
}

/// Parses a gzipped screen dump of a trace. `width` and `height` are those of the display, in pixels; density and
/// rotation are at their defaults. Returns `None` if it is damaged, cannot be parsed or unpacks to more than
/// `MAX_DUMP_BYTES`.
pub fn read_screen(packed: &[u8], [width, height]: [u32; 2]) -> Option<Screen> {
    let mut dump = Vec::new();
    let mut unpacked = GzDecoder::new(packed).take(MAX_DUMP_BYTES);
    unpacked.read_to_end(&mut dump).ok()?;
    let surroundings = DisplayContext {
        display: Some(Display {
            width,
            height,
            ..Display::default()
        }),
        ..DisplayContext::default()
    };
    Screen::parse(&dump, &surroundings).ok()
}

/// Returns the rows of a screen, as goldens have them, each with its cells in the order of [`COLUMNS`].
pub fn rows_of(screen: &Screen) -> Vec<Vec<String>> {
    let rows = screen.rows(Profile::Golden);
    rows.iter().map(|row| cells(screen, row)).collect()
}

/// Returns the cells of a row without its number, so that equal rows of two screens are equal. Their order is
/// that of `COLUMNS`: class, text, description, id, hint, bounds, flags and the title of the window. What a
/// row lacks is an empty cell.
fn cells(screen: &Screen, row: &Row<'_>) -> Vec<String> {
    let window = screen.windows().get(row.window);
    let bounds = row.bounds.map(|bounds| bounds.to_string());
    let mut cells: Vec<String> = [&row.class, &row.text, &row.desc, &row.res_id]
        .map(ToString::to_string)
        .into();
    cells.push(
        row.hint
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default(),
    );
    cells.push(bounds.unwrap_or_default());
    cells.push(row.flags.join(" "));
    cells.push(window.map_or_else(String::new, |window| window.title.clone()));
    cells
}

/// Parses lines such as `1234⇥line`, a time and the text. Lines without a tab or with no number before it are left
/// out. Keeps the newest [`MAX_LOG_LINES`], in their order.
fn lines(log: &[u8]) -> Vec<(u64, String)> {
    let text = String::from_utf8_lossy(log);
    let lines = text.lines().filter_map(|line| {
        let (at, line) = line.split_once('\t')?;
        Some((at.parse().ok()?, line.to_owned()))
    });
    let mut lines: Vec<_> = lines.collect();
    lines.drain(..lines.len().saturating_sub(MAX_LOG_LINES));
    lines
}
