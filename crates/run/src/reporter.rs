//! Reports of one attempt: all that it tells goes through its reporter into the run's stream of events.

use super::emit::Emitter;
use runner_event::{EventKind, FlowId};
use runner_text::secret::Scrubber;

/// Sender of the events of one attempt.
#[derive(Debug, Clone)]
pub(super) struct Reporter {
    emitter: Emitter,
    id: FlowId,
}

impl Reporter {
    pub(super) fn new(emitter: &Emitter, id: FlowId) -> Self {
        Self {
            emitter: emitter.clone(),
            id,
        }
    }

    pub(super) fn id(&self) -> &FlowId {
        &self.id
    }

    /// Sends the event that `kind` makes of the attempt's identity.
    pub(super) fn emit(&self, kind: impl FnOnce(FlowId) -> EventKind) {
        self.emitter.emit(kind(self.id.clone()));
    }

    /// Sends a warning for people.
    pub(super) fn warn(&self, message: impl Into<String>) {
        self.emitter.warn(Some(&self.id), message);
    }

    /// Sends a note for people, which changes no result.
    pub(super) fn info(&self, message: impl Into<String>) {
        self.emitter.info(Some(&self.id), message);
    }

    /// Scrubber that masks secrets in the events.
    pub(super) fn scrubber(&self) -> &Scrubber {
        self.emitter.scrubber()
    }

    /// Returns the milliseconds since the run began.
    pub(super) fn elapsed_ms(&self) -> u64 {
        self.emitter.elapsed_ms()
    }
}
