//! How large an expression's values may be, and how long one may take.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use minijinja::Value;
use minijinja::value::ValueKind;
use tokio_util::sync::CancellationToken;

use super::EvalError;

/// Largest value, in bytes of its JSON.
pub(crate) const BYTES: usize = 1 << 20;
/// Most items of a value, those of its parts included.
pub(crate) const ITEMS: usize = 10_000;
/// Deepest nesting of a value; readers of JSON stop at 128.
pub(crate) const NESTING: usize = 100;
/// Longest evaluation of what belongs together, such as all arguments of a step.
const TIME: Duration = Duration::from_secs(1);

/// When evaluation has to stop, whatever it is at.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// When the time is up of what the expression belongs to.
    pub until: Option<Instant>,
    /// Cancelled when the run is to end.
    pub stop: Option<CancellationToken>,
}

impl Limits {
    /// It has to stop so much later.
    pub fn delay(&mut self, by: Duration) {
        self.until = self.until.and_then(|until| until.checked_add(by));
    }
}

/// What one argument, or several that belong together, may still take: time, and of the largest value.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    end: Instant,
    size: Mutex<Size>,
}

impl Budget {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            end: Instant::now() + TIME,
            size: Mutex::default(),
        }
    }

    /// Whether evaluation may go on; asked between nodes and between items.
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

    /// Counts a part of the argument.
    pub(crate) fn add(&self, part: Size) -> Result<(), EvalError> {
        let mut size = self.size.lock().unwrap_or_else(PoisonError::into_inner);
        size.bytes(part.bytes)?;
        size.items(part.items)
    }
}

/// How much a value is, as its JSON.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) bytes: usize,
    pub(crate) items: usize,
}

impl Size {
    /// Counts bytes.
    pub(crate) fn bytes(&mut self, more: usize) -> Result<(), EvalError> {
        self.bytes = self.bytes.saturating_add(more);
        if self.bytes > BYTES {
            return Err(EvalError::new(
                "the expression makes a value of more than 1 MB; at most 1 MB is possible",
            ));
        }
        Ok(())
    }

    /// Counts items.
    pub(crate) fn items(&mut self, more: usize) -> Result<(), EvalError> {
        self.items = self.items.saturating_add(more);
        if self.items > ITEMS {
            return Err(EvalError::new(
                "the expression makes a value of more than 10000 items; at most 10000 are possible",
            ));
        }
        Ok(())
    }

    /// What a value is; stops counting where it is too much.
    pub(crate) fn of(value: &Value) -> Result<Self, EvalError> {
        let mut size = Self::default();
        size.value(value, 0)?;
        Ok(size)
    }

    /// Counts a value and its parts.
    pub(crate) fn value(&mut self, value: &Value, depth: usize) -> Result<(), EvalError> {
        if depth > NESTING {
            return Err(EvalError::new(format!(
                "the expression makes a value nested deeper than {NESTING}"
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
            // `false` is the longest of what is left.
            _ => self.bytes(5),
        }
    }

    /// Counts a text.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), EvalError> {
        // A text too long as it stands need not be read.
        self.bytes(text.len() + 2)?;
        // What JSON writes with more than the byte itself: `\n` with two, other control characters with six.
        let escapes = |byte: u8| match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 1,
            0..32 => 5,
            _ => 0,
        };
        self.bytes(text.bytes().map(escapes).sum())
    }
}
