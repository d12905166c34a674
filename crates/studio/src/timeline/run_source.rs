//! Reads the flows of a run from its events or from the folder of an HTML report.

use serde_json::Value;

use super::super::StudioError;
use super::super::saved::ReportFolder;
use super::{LookNumber, screen_of};
use runner_event::{Artifact, TraceFrame};
use runner_report::{Results, html};
use runner_screen::Screen;

/// Source of a run's data.
#[derive(Default)]
pub(crate) enum RunSource {
    /// No run yet.
    #[default]
    Nothing,
    Results(Box<Results>),
    Report(ReportFolder),
}

/// Recorded screen of a trace.
pub(crate) struct RecordedLook {
    /// Size of the display.
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

impl RunSource {
    /// Returns the run's summary, as the report's page has it. `null` if there is no run yet.
    pub(crate) fn summary(&self) -> Result<Value, StudioError> {
        match self {
            Self::Nothing => Ok(Value::Null),
            Self::Results(results) => html::summary(results).map_err(StudioError::recorded),
            Self::Report(report) => Ok(report.summary().clone()),
        }
    }

    /// Returns the data of the flow with this index, as the report's page has it, without rows and files of
    /// attempts. An error if there is no such flow.
    pub(crate) fn detail(&mut self, flow: usize) -> Result<Value, StudioError> {
        match self {
            Self::Nothing => Err(StudioError::NoRun),
            Self::Results(results) => {
                let key = results.flows.keys().nth(flow);
                let key = key.ok_or(StudioError::NoRun)?;
                let detail = html::detail(results, key).map_err(StudioError::recorded)?;
                detail.ok_or(StudioError::NoRun)
            }
            Self::Report(report) => {
                let mut detail = report.detail(flow)?.clone();
                let attempts = detail.get_mut("attempts").and_then(Value::as_array_mut);
                for attempt in attempts.into_iter().flatten() {
                    // Pictures are those of the trace here.
                    let attempt = attempt.as_object_mut();
                    let Some(attempt) = attempt else { continue };
                    attempt.remove("files");
                    let trace = attempt.get_mut("trace");
                    let Some(trace) = trace.and_then(Value::as_object_mut) else {
                        continue;
                    };
                    trace.insert("rows".to_owned(), Value::Array(Vec::new()));
                    let frames = trace.get_mut("frames").and_then(Value::as_array_mut);
                    for frame in frames.into_iter().flatten() {
                        if let Some(frame) = frame.as_object_mut() {
                            frame.remove("rows");
                        }
                    }
                }
                Ok(detail)
            }
        }
    }

    /// Returns a screen of a trace. An error if there is no such screen.
    pub(super) fn look(&mut self, number: &LookNumber) -> Result<RecordedLook, StudioError> {
        match self {
            Self::Nothing => Err(StudioError::NoFrame),
            Self::Results(results) => look_of(results, number).ok_or(StudioError::NoFrame),
            Self::Report(report) => report.look(number),
        }
    }
}

fn look_of(results: &Results, number: &LookNumber) -> Option<RecordedLook> {
    let (_, record) = results.flows.get_index(number.flow)?;
    let trace = record.attempts.get(number.attempt)?.trace.as_ref()?;
    let TraceFrame {
        at_ms,
        size,
        screen,
        picture,
        ..
    } = trace.frames.get(number.frame)?;
    let bytes = |artifact: &Artifact| html::artifact_bytes(results, artifact);
    let gone = |why: &str| {
        StudioError::Recorded(format!("the elements of this screen are not there: {why}"))
    };
    let damaged = || gone("the file is damaged, or larger than any screen");
    let whole = match bytes(screen) {
        Ok(packed) => html::read_screen(&packed, *size).ok_or_else(damaged),
        Err(why) => Err(gone(why)),
    };
    Some(RecordedLook {
        size: *size,
        at: *at_ms,
        picture: picture.as_ref().and_then(|picture| bytes(picture).ok()),
        screen: whole,
        is_rows: false,
    })
}

/// Reads a screen of a report's page: `frame` of `trace`, with the given picture. Rows that cannot be read
/// are an error in the result. `None` if the size or the table of rows is missing.
pub(crate) fn look_of_page(
    trace: &Value,
    frame: &Value,
    picture: Option<Vec<u8>>,
) -> Option<RecordedLook> {
    let side = |at: usize| u32::try_from(frame["size"][at].as_u64()?).ok();
    let size = [side(0)?, side(1)?];
    let table = trace["rows"].as_array()?;
    let places = frame["rows"].as_array().map_or(&[][..], Vec::as_slice);
    let cells = |place: &Value| -> Option<Vec<String>> {
        let row = table.get(usize::try_from(place.as_u64()?).ok()?)?;
        let cells = row.as_array()?.iter();
        cells.map(|cell| cell.as_str().map(str::to_owned)).collect()
    };
    let rows: Option<Vec<Vec<String>>> = places.iter().map(cells).collect();
    let screen = rows.and_then(|rows| {
        let rows: Vec<&[String]> = rows.iter().map(Vec::as_slice).collect();
        screen_of(&rows, size)
    });
    Some(RecordedLook {
        size,
        at: frame["at"].as_u64().unwrap_or_default(),
        picture,
        screen: screen
            .ok_or_else(|| StudioError::Recorded("the rows of this screen do not read".to_owned())),
        is_rows: true,
    })
}
