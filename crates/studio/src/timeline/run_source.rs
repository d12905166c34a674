//! Reads the flows of a run from its events or from the folder of an HTML report.

use std::borrow::Cow;

use super::super::StudioError;
use super::super::saved_run::ReportFolder;
use super::number::LookNumber;
use super::recorded_look::RecordedLook;
use runner_event::{Artifact, TraceFrame};
use runner_report::html::view::{Detail, Summary};
use runner_report::{Results, html};

#[derive(Default)]
pub(crate) enum RunSource {
    /// No run yet.
    #[default]
    Nothing,
    Results(Box<Results>),
    Report(Box<ReportFolder>),
}

impl RunSource {
    /// Returns the run's summary. The summary is empty if there is no run yet, and computed with each call for a run of
    /// this studio.
    pub(crate) fn summary(&self) -> Cow<'_, Summary> {
        match self {
            Self::Nothing => Cow::default(),
            Self::Results(results) => Cow::Owned(html::summary(results)),
            Self::Report(report) => Cow::Borrowed(report.summary()),
        }
    }

    /// Returns the data of the flow with this index, without rows of screens, and for a saved report also without the
    /// attempts' files. Returns [`StudioError::NoRun`] if there is no such flow or no run, and an error if a saved
    /// report's file is damaged.
    pub(crate) fn detail(&mut self, flow: usize) -> Result<Detail, StudioError> {
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
                for attempt in &mut detail.attempts {
                    // Pictures are those of the trace here.
                    attempt.files.clear();
                    if let Some(trace) = &mut attempt.trace {
                        trace.rows.clear();
                        for frame in &mut trace.frames {
                            frame.rows = None;
                        }
                    }
                }
                Ok(detail)
            }
        }
    }

    /// Returns a screen of a trace, read from its files. Returns [`StudioError::NoFrame`] if there is no such
    /// screen. Elements that cannot be read are an error within it, a picture that cannot is left out.
    pub(super) fn look(&mut self, number: &LookNumber) -> Result<RecordedLook, StudioError> {
        match self {
            Self::Nothing => Err(StudioError::NoFrame),
            Self::Results(results) => look_of(results, number).ok_or(StudioError::NoFrame),
            Self::Report(report) => report.look(number),
        }
    }
}

/// Returns the screen at this number; `None` if the run has no such flow, attempt, trace or screen. Elements that
/// cannot be read are an error within it, a picture that cannot is left out.
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
