//! The reports on a thread of their own, so that slow disks and terminals never hold up a run.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::{ReportError, Reports, Subscriber};
use runner_event::Event;

/// Without events for so long, reports do what they put off.
const IDLE: Duration = Duration::from_millis(250);

/// Reports at work. [`Self::finish`] waits until they have written all; dropped without it, the last events may be lost.
#[derive(Debug)]
pub struct ReportThread {
    sender: Sender<Event>,
    thread: JoinHandle<Vec<ReportError>>,
}

impl Reports {
    /// Starts the thread.
    pub fn spawn(self) -> Result<ReportThread, ReportError> {
        // Without a bound: a run never waits for its reports.
        let (sender, receiver) = channel();
        let thread = std::thread::Builder::new()
            .name("reports".into())
            .spawn(move || work(self, &receiver))?;
        Ok(ReportThread { sender, thread })
    }
}

fn work(mut reports: Reports, events: &Receiver<Event>) -> Vec<ReportError> {
    let mut errors = Vec::new();
    loop {
        let reported = match events.recv_timeout(IDLE) {
            Ok(event) => reports.on(&event),
            Err(RecvTimeoutError::Timeout) => reports.idle(),
            Err(RecvTimeoutError::Disconnected) => return errors,
        };
        errors.extend(reported.err());
    }
}

impl ReportThread {
    /// Hands over the next event; never waits.
    pub fn send(&self, event: Event) {
        // It fails only when the thread panicked, which `finish` reports.
        let _ = self.sender.send(event);
    }

    /// Another way in: what is sent here is written too. All of them must be gone for [`Self::finish`] to return.
    pub fn sender(&self) -> Sender<Event> {
        self.sender.clone()
    }

    /// Waits for the last event to be written: what went wrong, each report's first error.
    pub fn finish(self) -> Vec<ReportError> {
        drop(self.sender);
        match self.thread.join() {
            Ok(errors) => errors,
            // A run whose reports broke down must not look like one that went well.
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JsonStream;
    use crate::testing::{Shared, one_flow};

    #[test]
    fn all_events_are_written_before_finish_returns() {
        let shared = Shared::default();
        let reports = Reports::new().with(JsonStream::new(Box::new(shared.clone())));
        let thread = reports.spawn().unwrap();
        let events = one_flow();
        for event in &events {
            thread.send(event.clone());
        }
        assert!(thread.finish().is_empty());
        assert_eq!(shared.text().lines().count(), events.len());
    }

    #[test]
    fn errors_come_back() {
        struct Full;
        impl Subscriber for Full {
            fn on(&mut self, _: &Event) -> Result<(), ReportError> {
                let error = std::io::Error::from(std::io::ErrorKind::StorageFull);
                Err(ReportError::Output(error))
            }
        }
        let thread = Reports::new().with(Full).spawn().unwrap();
        for event in one_flow() {
            thread.send(event);
        }
        assert_eq!(thread.finish().len(), 1);
    }
}
