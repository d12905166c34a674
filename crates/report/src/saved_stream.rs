//! Finds and reads saved event streams, and completes the stream of a killed run.

use std::collections::HashSet;
use std::io::BufReader;

use camino::{Utf8Path, Utf8PathBuf};

use super::json::read_whole;
use super::stream_error::StreamError;
use super::{ReportError, Summary};
use runner_device::Cost;
use runner_event::{Event, EventKind, FlowId, FlowStatus, ResultKeys};
use runner_history::is_run_file;
use runner_text::input_file::{MAX_STREAM, open_named};
use runner_tools::{Failure, FailureKind};

/// Levels of folders in which streams are searched. Chosen: artifacts of CI systems are nested a few levels
/// deep; without a limit, a wrong folder would be searched as a whole.
const MAX_DEPTH: usize = 6;

/// Event stream that was read from a file.
#[derive(Debug, Clone)]
pub struct SavedStream {
    pub path: Utf8PathBuf,
    /// Events; the first is `start`.
    pub events: Vec<Event>,
    /// True if a kill cut off the last line.
    pub is_cut_off: bool,
}

impl SavedStream {
    /// Reads a stream as a whole, from a file or a pipe. A last line that is cut off, as by a kill, is left out and
    /// noted in `is_cut_off`. Unknown events are left out.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or is larger than `MAX_STREAM`, its schema is newer, another line
    /// is no event, the first event is not `start`, or a flow ends twice.
    pub fn read(path: &Utf8Path) -> Result<Self, ReportError> {
        let failed = |source| ReportError::Stream {
            path: path.to_owned(),
            source,
        };
        let file = BufReader::new(open_named(path, MAX_STREAM)?);
        let (events, is_cut_off) = read_whole(file).map_err(failed)?;
        if let Some(FlowId { flow, device, .. }) = find_double_end(&events).cloned() {
            return Err(failed(StreamError::EndsTwice { flow, device }));
        }
        match events.first().map(|event| &event.kind) {
            Some(EventKind::Start { .. }) => Ok(Self {
                path: path.to_owned(),
                events,
                is_cut_off,
            }),
            _ => Err(failed(StreamError::NoStart)),
        }
    }

    /// Returns the id of the run; `None` if the first event is no start, as of a stream without events.
    fn run_id(&self) -> Option<&str> {
        match &self.events.first()?.kind {
            EventKind::Start { run_id, .. } => Some(run_id),
            _ => None,
        }
    }

    /// Returns true if the run came to its end.
    pub fn is_finished(&self) -> bool {
        is_finished(&self.events)
    }

    /// Returns folders that may hold the run's artifacts, in the order in which to look: the folder that the run
    /// named, then `artifacts` and `.runner/artifacts` beside the stream, then the stream's folder itself. None is
    /// checked for existence. Only computes paths.
    pub fn folders(&self) -> Vec<Utf8PathBuf> {
        let beside = match self.path.parent() {
            Some(folder) if !folder.as_str().is_empty() => folder.to_owned(),
            _ => ".".into(),
        };
        let mut folders = Vec::new();
        if let Some(EventKind::Start { artifacts, .. }) =
            self.events.first().map(|event| &event.kind)
        {
            folders.push(artifacts.clone());
        }
        folders.push(beside.join("artifacts"));
        folders.push(beside.join(".runner/artifacts"));
        folders.push(beside);
        folders
    }
}

/// Returns the attempt that is the second of its flow and device to claim to be the last, as in streams written over
/// one another. Returns the first such in the order of the events; `None` if there is none.
fn find_double_end(events: &[Event]) -> Option<&FlowId> {
    let mut keys = ResultKeys::default();
    let mut ended = HashSet::new();
    events.iter().find_map(|event| match &event.kind {
        EventKind::Plan { flows, .. } => {
            keys.plan(flows);
            None
        }
        EventKind::FlowFinished { id, last: true, .. } => {
            (!ended.insert(keys.result_key(id))).then_some(id)
        }
        _ => None,
    })
}

/// Lists the streams of `path`: the file itself, whatever its name and even if it does not exist, or all `.ndjson`
/// files below the folder, sorted by name within each folder. Looks at most `MAX_DEPTH` levels deep. Links in the
/// folder, names that are not UTF-8, and files named as those of a history are left out. The files are not opened.
///
/// # Errors
/// Returns an error if the folder or one below it cannot be read, or if it holds no stream.
pub fn find_streams(path: &Utf8Path) -> Result<Vec<Utf8PathBuf>, ReportError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(path)
        .max_depth(MAX_DEPTH)
        .sort_by_file_name()
    {
        let entry = entry.map_err(|error| ReportError::Stream {
            path: path.to_owned(),
            source: StreamError::Io(error.into()),
        })?;
        let is_file = entry.file_type().is_file();
        if let Ok(file) = Utf8PathBuf::from_path_buf(entry.into_path())
            && is_file
            && file.extension() == Some("ndjson")
            // CI systems keep the history with the artifacts.
            && !file.file_name().is_some_and(is_run_file)
        {
            found.push(file);
        }
    }
    if found.is_empty() {
        return Err(ReportError::Stream {
            path: path.to_owned(),
            source: StreamError::NoneBelow,
        });
    }
    Ok(found)
}

/// Returns true if the last event is the run's end. An end before other events does not count.
pub fn is_finished(events: &[Event]) -> bool {
    let finish = |event: &Event| matches!(event.kind, EventKind::Finish { .. });
    events.last().is_some_and(finish)
}

/// Returns the events that a killed run could not send: its open flows as interrupted, in the order of the plan, and
/// the end. For a run that ended, returns only the missing ends of flows, to be inserted before the run's end; empty
/// if none is missing. They have the time of the latest event, and numbers that continue `events`. A flow that was to
/// be tried again is open too. Changes nothing.
pub fn closing(events: &[Event]) -> Vec<Event> {
    let is_finished = is_finished(events);
    let mut summary = Summary::new();
    let mut open: Vec<FlowId> = Vec::new();
    let mut keys = ResultKeys::default();
    for event in events {
        summary.add(event);
        match &event.kind {
            EventKind::Plan { flows, .. } => {
                keys.plan(flows);
                open.extend(flows.iter().cloned());
            }
            EventKind::FlowStarted { id, .. } => match place(&open, &keys, id) {
                // Takes the running attempt, which is the one that was cut off.
                Some(at) => open[at] = id.clone(),
                None => open.push(id.clone()),
            },
            EventKind::FlowFinished { id, last: true, .. } => {
                if let Some(at) = place(&open, &keys, id) {
                    open.remove(at);
                }
            }
            _ => {}
        }
    }
    let mut closing = Vec::new();
    let t_ms = events.iter().map(|event| event.t_ms).max().unwrap_or(0);
    let mut add = |summary: &mut Summary, kind| {
        let seq = (events.len() + closing.len()) as u64;
        let event = Event { seq, t_ms, kind };
        summary.add(&event);
        closing.push(event);
    };
    for id in open {
        let because = if is_finished {
            "the events do not say how it ended"
        } else {
            "the run was killed"
        };
        let because = Failure::new(FailureKind::Usage, because);
        let kind = EventKind::FlowFinished {
            id,
            status: FlowStatus::Interrupted,
            last: true,
            started: String::new(),
            duration_ms: 0,
            cost: Cost::default(),
            failure: Some(because),
            failed_at: None,
            artifacts: Vec::new(),
            app_version: None,
            quarantine: None,
            met: None,
        };
        add(&mut summary, kind);
    }
    if !is_finished {
        let end = EventKind::Finish {
            totals: summary.totals(),
            duration_ms: t_ms,
            exit_code: summary.exit_code(false) as u8,
            because: Vec::new(),
        };
        add(&mut summary, end);
    }
    closing
}

/// Returns true if any stream has neither a plan nor an end, and no other stream of the same run has one. Then nobody
/// knows which flows are missing. False without streams.
pub fn lack_a_plan(streams: &[SavedStream]) -> bool {
    let has_plan = |stream: &SavedStream| {
        let plan = |event: &Event| matches!(event.kind, EventKind::Plan { .. });
        stream.is_finished() || stream.events.iter().any(plan)
    };
    let known: Vec<_> = streams
        .iter()
        .filter(|stream| has_plan(stream))
        .map(SavedStream::run_id)
        .collect();
    streams
        .iter()
        .any(|stream| !known.contains(&stream.run_id()))
}

fn place(open: &[FlowId], keys: &ResultKeys, id: &FlowId) -> Option<usize> {
    let key = keys.result_key(id);
    open.iter().position(|open| keys.result_key(open) == key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::every_ending;

    #[test]
    fn files_of_a_history_are_no_streams() {
        let guard = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(guard.path()).unwrap();
        let history = root.join(".runner/history");
        fs_err::create_dir_all(&history).unwrap();
        let file = history.join("20261130T164538615Z-c5828bc940bc7cf0.ndjson");
        fs_err::write(&file, "").unwrap();
        assert!(find_streams(root).is_err());
        let last = root.join(".runner/last-run.ndjson");
        fs_err::write(&last, "").unwrap();
        assert_eq!(find_streams(root).unwrap(), [last]);
        assert_eq!(
            find_streams(&file).unwrap(),
            std::slice::from_ref(&file),
            "it was named"
        );
    }

    #[test]
    fn a_run_killed_anywhere_is_closed_and_one_that_ended_is_not() {
        let events = every_ending();
        assert!(closing(&events).is_empty());
        for end in 1..events.len() - 1 {
            let mut whole = events[..end].to_vec();
            whole.extend(closing(&events[..end]));
            let mut summary = Summary::new();
            let mut planned = 0;
            let mut unreadable = 0;
            for event in &whole {
                summary.add(event);
                match &event.kind {
                    EventKind::Plan { flows, .. } => planned = flows.len(),
                    EventKind::Unreadable { .. } => unreadable += 1,
                    _ => {}
                }
            }
            assert_eq!(summary.total() as usize, planned + unreadable, "{end}");
            assert!(is_finished(&whole) && closing(&whole).is_empty());
        }
    }
}
