//! Limits for size and time of expressions.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use minijinja::Value;
use minijinja::value::ValueKind;
use tokio_util::sync::CancellationToken;

use super::EvalError;

/// Maximum size of a value, in bytes of its JSON. Chosen: far above texts of a screen, and small enough for
/// events and reports.
pub(crate) const MAX_BYTES: usize = 1 << 20;
/// Maximum number of items of a value, with those of its parts. Chosen: far above the elements of a screen.
pub(crate) const MAX_ITEMS: usize = 10_000;
/// Maximum nesting of a value. `serde_json` and other readers of JSON stop at 128.
pub(crate) const MAX_NESTING: usize = 100;
/// Maximum time for an evaluation of one argument, or of all arguments of a step. Chosen: usual ones take
/// microseconds.
const MAX_TIME: Duration = Duration::from_secs(1);

/// Deadline and cancellation of evaluations.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Deadline of the step or flow that the expression belongs to.
    pub until: Option<Instant>,
    /// Cancelled when the run ends.
    pub stop: Option<CancellationToken>,
}

impl Limits {
    /// Moves the deadline later. Without a deadline there is still none.
    pub fn delay(&mut self, by: Duration) {
        self.until = self.until.and_then(|until| until.checked_add(by));
    }
}

/// Remaining time and size for one argument, or for several that are evaluated together.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    end: Instant,
    size: Mutex<Size>,
}

impl Budget {
    /// Starts the time, at most [`MAX_TIME`], besides the limits of the run.
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            end: Instant::now() + MAX_TIME,
            size: Mutex::default(),
        }
    }

    /// Fails if the time is over or the run is stopped; only these errors of the run have `stopped` set, not
    /// that of a second for one expression. Called between nodes and between items.
    pub(crate) fn tick(&self) -> Result<(), EvalError> {
        let now = Instant::now();
        let stopped = self
            .limits
            .stop
            .as_ref()
            .is_some_and(CancellationToken::is_cancelled);
        if stopped || self.limits.until.is_some_and(|until| now >= until) {
            return Err(EvalError::stopped(
                "there was no time left for the expression",
            ));
        }
        if now >= self.end {
            return Err(EvalError::new(
                "the expression takes too long; at most a second is possible",
            ));
        }
        Ok(())
    }

    /// Adds the size of a part of the argument. Fails if it is too large.
    pub(crate) fn add(&self, part: Size) -> Result<(), EvalError> {
        let mut size = self.size.lock().unwrap_or_else(PoisonError::into_inner);
        size.bytes(part.bytes)?;
        size.items(part.items)
    }
}

/// Size of a value as JSON.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) bytes: usize,
    pub(crate) items: usize,
}

impl Size {
    /// Adds bytes. Fails if the sum is above [`MAX_BYTES`].
    pub(crate) fn bytes(&mut self, more: usize) -> Result<(), EvalError> {
        self.bytes = self.bytes.saturating_add(more);
        if self.bytes > MAX_BYTES {
            return Err(EvalError::new(
                "the expression makes a value of more than 1 MB; at most 1 MB is possible",
            ));
        }
        Ok(())
    }

    /// Adds items. Fails if the sum is above [`MAX_ITEMS`].
    pub(crate) fn items(&mut self, more: usize) -> Result<(), EvalError> {
        self.items = self.items.saturating_add(more);
        if self.items > MAX_ITEMS {
            return Err(EvalError::new(
                "the expression makes a value of more than 10000 items; at most 10000 are possible",
            ));
        }
        Ok(())
    }

    /// Measures a value. Fails as soon as it is too large.
    pub(crate) fn measure(value: &Value) -> Result<Self, EvalError> {
        let mut size = Self::default();
        size.value(value, 0)?;
        Ok(size)
    }

    /// Adds the bytes of a value as JSON, and the items of its lists and maps with all their parts. `depth`
    /// is the number of lists and maps around it. Fails above the limits, also of depth, before it reads the
    /// rest.
    pub(crate) fn value(&mut self, value: &Value, depth: usize) -> Result<(), EvalError> {
        if depth > MAX_NESTING {
            return Err(EvalError::new(format!(
                "the expression makes a value nested deeper than {MAX_NESTING}"
            )));
        }
        match value.kind() {
            ValueKind::String => self.text(value.as_str().unwrap_or_default()),
            ValueKind::Number => self.bytes(value.to_string().len()),
            ValueKind::Seq | ValueKind::Iterable => {
                self.bytes(2)?;
                for item in value.try_iter().map_err(EvalError::from)?.checked() {
                    self.items(1)?;
                    self.bytes(1)?;
                    self.value(&item.map_err(EvalError::from)?, depth + 1)?;
                }
                Ok(())
            }
            ValueKind::Map => {
                self.bytes(2)?;
                for key in value.try_iter().map_err(EvalError::from)?.checked() {
                    let key = key.map_err(EvalError::from)?;
                    self.items(1)?;
                    self.bytes(2)?;
                    self.value(&key, depth + 1)?;
                    let inner = value.get_item(&key).map_err(EvalError::from)?;
                    self.value(&inner, depth + 1)?;
                }
                Ok(())
            }
            // `false` is the longest of the remaining values.
            _ => self.bytes(5),
        }
    }

    /// Adds the bytes of a text as JSON, with its quotes and escapes. Fails if the sum is above
    /// [`MAX_BYTES`].
    pub(crate) fn text(&mut self, text: &str) -> Result<(), EvalError> {
        // First without escapes, so that a text that is too long is not read.
        self.bytes(text.len() + 2)?;
        // Additional bytes of escapes in JSON: one for `\n`, five for other control characters.
        let escapes = |byte: u8| match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 1,
            0..32 => 5,
            _ => 0,
        };
        self.bytes(text.bytes().map(escapes).sum())
    }
}
