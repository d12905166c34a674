//! How much an app's actions may do for one thing that happens: a tap, a key, some time that passes.
//!
//! Actions run each other, open screens whose start runs actions, and set timers that set themselves again. Each of
//! these may be meant once and be endless by a slip.

use std::cell::Cell;

use serde_json::Value;

/// Steps, and pieces of [`PIECE`] bytes of data that they move.
const STEPS: u32 = 10_000;
/// The same for time that passes: a timer may set itself again each second, for hours.
const STEPS_IN_TIME: u32 = 100_000;
/// Lists of steps inside each other.
const NESTED: u32 = 48;
/// Bytes of data that count as a step.
const PIECE: usize = 512;
/// Most bytes of an app's data.
pub(super) const LARGEST_DATA: usize = 4 * 1024 * 1024;
/// Deepest nesting of what a step puts into the data.
const DEEPEST_VALUE: usize = 64;
/// What a value takes beside its text.
const VALUE: usize = 16;

/// What is left.
#[derive(Debug)]
pub(super) struct Budget {
    steps: Cell<u32>,
    nested: Cell<u32>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            steps: Cell::new(STEPS),
            nested: Cell::new(0),
        }
    }
}

impl Budget {
    /// For the next thing that happens.
    pub(super) fn refill(&self) {
        self.steps.set(STEPS);
    }

    /// For some time that passes.
    pub(super) fn refill_for_time(&self) {
        self.steps.set(STEPS_IN_TIME);
    }

    /// Begins a list of steps inside others; `false` where there are too many.
    pub(super) fn enter(&self) -> bool {
        let fits = self.nested.get() < NESTED;
        if fits {
            self.nested.set(self.nested.get() + 1);
        }
        fits
    }

    /// Ends a list of steps.
    pub(super) fn leave(&self) {
        self.nested.set(self.nested.get().saturating_sub(1));
    }

    /// Takes a step; `false` where none is left.
    pub(super) fn step(&self) -> bool {
        self.take(1)
    }

    /// Pays for data that a step moves.
    pub(super) fn moves(&self, bytes: usize) {
        // The next step finds that nothing is left.
        self.take(u32::try_from(bytes / PIECE).unwrap_or(u32::MAX));
    }

    fn take(&self, count: u32) -> bool {
        let left = self.steps.get();
        self.steps.set(left.saturating_sub(count));
        left > 0
    }
}

/// Roughly the bytes of a value. `None` where it is nested too deeply to be put anywhere.
pub(super) fn size(value: &Value) -> Option<usize> {
    within(value, DEEPEST_VALUE)
}

/// Roughly the bytes of all data.
pub(super) fn size_of_all(model: &Value) -> usize {
    within(model, usize::MAX).unwrap_or(usize::MAX)
}

fn within(value: &Value, depth: usize) -> Option<usize> {
    let depth = depth.checked_sub(1)?;
    let inner = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => {
            let mut sum = 0;
            for item in items {
                sum += within(item, depth)?;
            }
            sum
        }
        Value::Object(fields) => {
            let mut sum = 0;
            for (name, value) in fields {
                sum += name.len() + within(value, depth)?;
            }
            sum
        }
        _ => 0,
    };
    Some(VALUE + inner)
}
