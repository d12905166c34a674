//! Connects a run with its reports: [`Subscriber`] is a report, [`Reports`] passes each event to all of them.

use camino::Utf8PathBuf;

use super::stream_error::StreamError;
use runner_base::exit_code::ExitCode;
use runner_base::own_folder::OwnFolderError;
use runner_event::{Event, EventKind, RunFailure, RunFailureKind, Summary};
use runner_text::input_file::InputError;

/// Errors of reports.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A report's file cannot be written.
    #[error("the report {path} cannot be written: {source}; check that its folder may be written")]
    File {
        path: Utf8PathBuf,
        source: std::io::Error,
    },
    /// A saved event stream cannot be read.
    #[error("{path}: {source}")]
    Stream {
        /// File or folder of the stream.
        path: Utf8PathBuf,
        source: StreamError,
    },
    /// An input file was refused.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The folder of a report cannot be used.
    #[error(transparent)]
    Folder(#[from] OwnFolderError),
    /// Writing to the terminal or a pipe failed.
    #[error("the output cannot be written: {0}")]
    Output(#[from] std::io::Error),
    /// The JUnit report cannot be serialized.
    #[error("the JUnit report cannot be made: {0}")]
    Xml(String),
    /// An event cannot be written as JSON.
    #[error("the event cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl ReportError {
    /// Returns true if the reader of the output ended, as `head` does. That is not reported.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) | Self::File { source: error, .. }
            | Self::Folder(OwnFolderError::File { source: error, .. })
            if error.kind() == std::io::ErrorKind::BrokenPipe)
    }
}

/// A report, which receives every event in order, already scrubbed.
///
/// Calls write files and may block, so a run passes its events to the thread of [`Reports::spawn`].
pub trait Subscriber {
    /// Handles the next event. After an error, [`Reports`] calls neither this nor [`Self::idle`] again.
    fn on(&mut self, event: &Event) -> Result<(), ReportError>;

    /// Handles pauses: called several times a second while there is no event, for reports that put off work.
    fn idle(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}

impl Subscriber for Summary {
    fn on(&mut self, event: &Event) -> Result<(), ReportError> {
        self.add(event);
        Ok(())
    }
}

impl<S: Subscriber + ?Sized> Subscriber for Box<S> {
    fn on(&mut self, event: &Event) -> Result<(), ReportError> {
        (**self).on(event)
    }

    fn idle(&mut self) -> Result<(), ReportError> {
        (**self).idle()
    }
}

/// All reports of a run. A report that fails receives nothing more; the others go on.
#[derive(Default)]
pub struct Reports {
    subscribers: Vec<Box<dyn Subscriber + Send>>,
    /// Failures of reports, for the `finish` event that later reports receive.
    broken: Vec<RunFailure>,
}

impl Reports {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a report, which gets each event after those added before. Failures of earlier ones are told to
    /// later ones.
    #[must_use]
    pub fn with(mut self, subscriber: impl Subscriber + Send + 'static) -> Self {
        self.subscribers.push(Box::new(subscriber));
        self
    }

    /// Adds a boxed report.
    pub fn add(&mut self, subscriber: Box<dyn Subscriber + Send>) {
        self.subscribers.push(subscriber);
    }
}

impl Subscriber for Reports {
    /// Passes the event to all reports in their order and then returns the first error. A report that failed gets no
    /// further events, and the `finish` event tells later reports that it did. A reader that ended, as `head` does,
    /// is not an error, but its report gets no further events either.
    fn on(&mut self, event: &Event) -> Result<(), ReportError> {
        self.each(|subscriber, broken| match with_failures(event, broken) {
            Some(event) => subscriber.on(&event),
            None => subscriber.on(event),
        })
    }

    fn idle(&mut self) -> Result<(), ReportError> {
        self.each(|subscriber, _| subscriber.idle())
    }
}

/// Returns a copy of the `finish` event with the failures of broken reports, and at least the exit code of a failed
/// flow. `None` for another event, or if `broken` is empty: then the event stands as it is.
fn with_failures(event: &Event, broken: &[RunFailure]) -> Option<Event> {
    let mut event = (!broken.is_empty()).then(|| event.clone())?;
    let EventKind::Finish {
        exit_code, because, ..
    } = &mut event.kind
    else {
        return None;
    };
    because.extend(broken.iter().cloned());
    *exit_code = (*exit_code).max(ExitCode::Failed as u8);
    Some(event)
}

impl Reports {
    /// Notifies all subscribers in their order, with the failures so far, and drops for good those that fail. A
    /// closed pipe is no error; each other error is remembered as a failure of the run, and the first is returned
    /// after all were notified.
    fn each(
        &mut self,
        mut notify: impl FnMut(
            &mut Box<dyn Subscriber + Send>,
            &[RunFailure],
        ) -> Result<(), ReportError>,
    ) -> Result<(), ReportError> {
        let mut first = Ok(());
        let broken = &mut self.broken;
        self.subscribers
            .retain_mut(|subscriber| match notify(subscriber, broken) {
                Ok(()) => true,
                Err(error) => {
                    if !error.is_broken_pipe() {
                        broken.push(RunFailure::new(RunFailureKind::Report, error.to_string()));
                        if first.is_ok() {
                            first = Err(error);
                        }
                    }
                    false
                }
            });
        first
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};
    use std::sync::{Arc, Mutex};

    use super::*;
    use runner_event::EventKind;

    struct Recorder(Arc<Mutex<Vec<u64>>>, Option<ErrorKind>);

    impl Subscriber for Recorder {
        fn on(&mut self, event: &Event) -> Result<(), ReportError> {
            self.0.lock().unwrap().push(event.seq);
            self.1
                .map_or(Ok(()), |kind| Err(ReportError::Output(Error::from(kind))))
        }
    }

    fn event(seq: u64) -> Event {
        Event {
            seq,
            t_ms: 0,
            kind: EventKind::Log {
                id: None,
                level: runner_event::LogLevel::Info,
                message: String::new(),
            },
        }
    }

    #[test]
    fn a_failing_report_is_dropped_and_the_others_go_on() {
        let (full, gone, good) = (Arc::default(), Arc::default(), Arc::default());
        let mut reports = Reports::new()
            .with(Recorder(Arc::clone(&full), Some(ErrorKind::StorageFull)))
            .with(Recorder(Arc::clone(&gone), Some(ErrorKind::BrokenPipe)))
            .with(Recorder(Arc::clone(&good), None));
        assert!(reports.on(&event(0)).is_err(), "said once");
        assert!(reports.on(&event(1)).is_ok(), "and not again");
        assert_eq!(*full.lock().unwrap(), [0]);
        assert_eq!(*gone.lock().unwrap(), [0]);
        assert_eq!(*good.lock().unwrap(), [0, 1]);
    }

    #[test]
    fn a_reader_that_went_away_is_no_error() {
        let mut reports =
            Reports::new().with(Recorder(Arc::default(), Some(ErrorKind::BrokenPipe)));
        assert!(reports.on(&event(0)).is_ok());
    }
}
