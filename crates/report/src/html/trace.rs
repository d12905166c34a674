//! The trace and the video of an attempt as the page knows them: rows in place of dumps, frames in place of a video that
//! no browser plays.

use std::io::Read as _;

use flate2::read::GzDecoder;
use indexmap::IndexSet;
use serde::Serialize;

use super::files::{ArtifactStore, ReportArtifact};
use super::film;
use crate::{Attempt, ReportError};
use runner_event::{Trace, TraceAct, TraceFrame};
use runner_screen::{Display, DisplayContext, Profile, Row, Screen};

/// A packed dump may become so long: no screen is longer.
const LONGEST_DUMP: u64 = 64 << 20;
/// A log that stands in the page has so many lines at most, the newest.
const MOST_LINES: usize = 2000;
/// Columns of a row in the page.
pub const COLUMNS: [&str; 8] = [
    "class", "text", "desc", "res_id", "hint", "bounds", "flags", "window",
];

/// What was recorded of an attempt.
#[derive(Debug, Serialize)]
pub(super) struct TraceView<'a> {
    columns: [&'static str; 8],
    /// Every row that a frame has, once.
    rows: Vec<Vec<String>>,
    frames: Vec<FrameView>,
    acts: &'a [TraceAct],
    /// For each step the place of the frame that it saw last.
    #[serde(rename = "seen", skip_serializing_if = "<[_]>::is_empty")]
    observed: &'a [Option<usize>],
    /// Lines of the app, each with the moment at which it came.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    log: Vec<(u64, String)>,
}

#[derive(Debug, Serialize)]
struct FrameView {
    at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<usize>,
    size: [u32; 2],
    /// Places in [`TraceView::rows`].
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<String>,
    /// Why something of it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<&'static str>,
}

/// A part of a video.
#[derive(Debug, Serialize)]
pub(super) struct VideoView {
    at: u64,
    file: ReportArtifact,
    /// Of a video of the virtual device: each picture with the milliseconds at which it comes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    frames: Vec<(u64, String)>,
    /// Its duration, where its frames give it.
    #[serde(skip_serializing_if = "Option::is_none")]
    ms: Option<u64>,
}

/// What was recorded of `attempt`, its pictures taken into the report; `None` without a trace.
pub(super) fn trace<'a>(
    attempt: &'a Attempt,
    keeper: &mut ArtifactStore<'_>,
) -> Result<Option<TraceView<'a>>, ReportError> {
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
        views.push(FrameView::of(frame, &mut rows, keeper)?);
    }
    let log = log.as_ref().and_then(|log| keeper.bytes(log).ok());
    Ok(Some(TraceView {
        columns: COLUMNS,
        rows: rows.into_iter().collect(),
        frames: views,
        acts,
        observed: last_frames,
        log: log.map(|log| lines(&log)).unwrap_or_default(),
    }))
}

/// The parts of the video of `attempt`, taken into the report.
pub(super) fn video(
    attempt: &Attempt,
    keeper: &mut ArtifactStore<'_>,
) -> Result<Vec<VideoView>, ReportError> {
    let mut views = Vec::with_capacity(attempt.video.len());
    for piece in &attempt.video {
        let bytes = keeper.takes_files().then(|| keeper.read(&piece.file));
        let bytes = bytes.and_then(Result::ok);
        let film = bytes.as_ref().and_then(|(_, bytes)| film::read(bytes));
        let mut view = VideoView {
            at: piece.at_ms,
            file: keeper.keep_video(&piece.file, film.is_some())?,
            frames: Vec::new(),
            ms: None,
        };
        if let (Some((path, bytes)), Some(film)) = (bytes, film) {
            view.ms = Some(film.ms);
            for (at, range) in film.frames {
                view.frames
                    .push((at, keeper.add_frame(&path, &bytes, range)?));
            }
        }
        views.push(view);
    }
    Ok(views)
}

impl FrameView {
    fn of(
        frame: &TraceFrame,
        rows: &mut IndexSet<Vec<String>>,
        keeper: &mut ArtifactStore<'_>,
    ) -> Result<Self, ReportError> {
        if !keeper.takes_files() {
            return Ok(Self {
                at: frame.at_ms,
                step: frame.step,
                size: frame.size,
                rows: None,
                picture: frame.picture.as_ref().map(|file| file.path.to_string()),
                missing: None,
            });
        }
        let screen = keeper.bytes(&frame.screen);
        let mut view = Self {
            at: frame.at_ms,
            step: frame.step,
            size: frame.size,
            rows: None,
            picture: None,
            missing: screen.as_ref().err().copied(),
        };
        if let Ok(packed) = screen {
            match read_screen(&packed, frame.size) {
                Some(screen) => {
                    let of_screen = screen.rows(Profile::Golden);
                    let place = |row| rows.insert_full(cells(&screen, &row)).0;
                    view.rows = Some(of_screen.into_iter().map(place).collect());
                }
                None => view.missing = Some("the screen does not read"),
            }
        }
        if let Some(picture) = &frame.picture {
            let stored = keeper.keep(picture)?;
            view.missing = view.missing.or(stored.missing);
            view.picture = stored.href;
        }
        Ok(view)
    }
}

/// A packed look of a trace; `None` where it does not read.
pub fn read_screen(packed: &[u8], [width, height]: [u32; 2]) -> Option<Screen> {
    let mut dump = Vec::new();
    let mut unpacked = GzDecoder::new(packed).take(LONGEST_DUMP);
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

/// The rows of a look as [`COLUMNS`] has them.
pub fn rows_of(screen: &Screen) -> Vec<Vec<String>> {
    let rows = screen.rows(Profile::Golden);
    rows.iter().map(|row| cells(screen, row)).collect()
}

/// A row without its number, by which equal rows of two screens are known.
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

/// `1234⇥line`; what is something else is left out.
fn lines(log: &[u8]) -> Vec<(u64, String)> {
    let text = String::from_utf8_lossy(log);
    let lines = text.lines().filter_map(|line| {
        let (at, line) = line.split_once('\t')?;
        Some((at.parse().ok()?, line.to_owned()))
    });
    let mut lines: Vec<_> = lines.collect();
    lines.drain(..lines.len().saturating_sub(MOST_LINES));
    lines
}
