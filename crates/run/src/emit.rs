//! Sends events in one order to all subscribers, with a number, a time and secrets masked.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use runner_event::scrub::scrub_event;
use runner_event::shorten;
use runner_event::{Event, EventKind, FlowId, LogLevel, Summary};
use runner_text::secret::{Excerpt, Scrubber};

/// Sender of events. Clones send into the same stream.
#[derive(Debug, Clone)]
pub struct Emitter {
    inner: Arc<EmitterState>,
    scrubber: Scrubber,
}

#[derive(Debug)]
struct EmitterState {
    started: Instant,
    stream: Mutex<Stream>,
}

#[derive(Debug)]
struct Stream {
    next: u64,
    sink: Sender<Event>,
    summary: Summary,
}

impl Emitter {
    /// Starts a stream into `sink`, with the numbering from 0 and the time from now.
    pub fn new(sink: Sender<Event>, scrubber: Scrubber) -> Self {
        let stream = Mutex::new(Stream {
            next: 0,
            sink,
            summary: Summary::default(),
        });
        Self {
            inner: Arc::new(EmitterState {
                started: Instant::now(),
                stream,
            }),
            scrubber,
        }
    }

    /// Returns an emitter for one attempt. It sends into the same stream, and the secrets that the attempt types
    /// are masked in its own events only; in a run of a server, in all later ones.
    #[must_use]
    pub fn for_attempt(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            scrubber: self.scrubber.for_attempt(),
        }
    }

    /// Sends one event with the next number, in the order of the numbers also if several threads send, its secrets
    /// masked and long texts cut after that. It is also logged and added to the summary. The start of a step begins a
    /// new step of the masking. A receiver that is gone is ignored.
    pub fn emit(&self, kind: EventKind) {
        if matches!(kind, EventKind::StepStarted { .. }) {
            self.scrubber.begin_step();
        }
        // Locked from numbering to sending, so that subscribers get events in the order of their numbers.
        let mut stream = self
            .inner
            .stream
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut event = Event {
            seq: stream.next,
            t_ms: self.elapsed_ms(),
            kind,
        };
        // Masked before it is cut: the beginning of a cut secret would stay readable.
        scrub_event(&self.scrubber, &mut event);
        shorten(&mut event.kind);
        log_event(&event);
        stream.next += 1;
        stream.summary.add(&event);
        // The reports may have given up (a full disk); they say so themselves when the run ends.
        let _ = stream.sink.send(event);
    }

    /// Sends a warning for people, about an attempt or, without `id`, about the whole run. It changes no result.
    pub fn warn(&self, id: Option<&FlowId>, message: impl Into<String>) {
        self.emit(EventKind::Log {
            id: id.cloned(),
            level: LogLevel::Warning,
            message: message.into(),
        });
    }

    /// Sends a note for people, about an attempt or, without `id`, about the whole run. It changes no result.
    pub fn info(&self, id: Option<&FlowId>, message: impl Into<String>) {
        self.emit(EventKind::Log {
            id: id.cloned(),
            level: LogLevel::Info,
            message: message.into(),
        });
    }

    /// Returns a copy of the summary of all events sent so far.
    pub fn summary(&self) -> Summary {
        self.inner
            .stream
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .summary
            .clone()
    }

    /// Returns the milliseconds since the run began.
    pub fn elapsed_ms(&self) -> u64 {
        self.inner.started.elapsed().as_millis() as u64
    }

    /// Scrubber that masks secrets in events.
    pub fn scrubber(&self) -> &Scrubber {
        &self.scrubber
    }
}

/// Writes an event into the program's log, where it stands among the requests to devices. Does nothing unless
/// the log's level for `run` is debug. Steps are written in parts; other events as JSON, cut to 500
/// characters.
fn log_event(event: &Event) {
    // Writing an event out takes time: only where somebody reads the log.
    if !tracing::enabled!(target: "run", tracing::Level::DEBUG) {
        return;
    }
    match &event.kind {
        EventKind::StepStarted {
            id, step, title, ..
        } => {
            let step = serde_json::to_string(step).unwrap_or_default();
            tracing::debug!(target: "run", flow = %id.flow, device = %id.device, %step, title = ?title, "step begins");
        }
        EventKind::StepFinished {
            id,
            step,
            status,
            duration_ms,
            cost,
            failure,
            ..
        } => {
            let step = serde_json::to_string(step).unwrap_or_default();
            let failure = failure
                .as_ref()
                .map(|failure| failure.message.masked_text());
            tracing::debug!(target: "run", flow = %id.flow, device = %id.device, %step, ms = duration_ms, ?status, ?cost, failure, "step ends");
        }
        other => {
            let event = serde_json::to_string(other).unwrap_or_default();
            tracing::debug!(target: "run", event = %Excerpt::new(&event, 500));
        }
    }
}
