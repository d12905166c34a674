//! Limits of an app's actions for one event: a tap, a key, or time that passes.
//!
//! Actions run each other, open screens whose start runs actions, and set timers that set themselves again.
//! Each of these can be endless by mistake.

use std::cell::Cell;

use serde_json::Value;

/// Steps for one event. Each [`BYTES_PER_STEP`] bytes that a step moves count as a further one. Chosen: real
/// actions have a few dozen.
const MAX_STEPS: u32 = 10_000;
/// Steps while time passes. Chosen: a timer may set itself again each second, for hours.
const MAX_STEPS_IN_TIME: u32 = 100_000;
/// Deepest nesting of lists of steps. Chosen: people write a few levels, and recursion must end.
const MAX_NESTED_LISTS: u32 = 48;
/// Bytes of data that count as a step. Chosen: copying them takes about as long as a step.
const BYTES_PER_STEP: usize = 512;
/// Largest data of an app, in bytes. Chosen: several apps fit into memory, and a test's data are far smaller.
pub(super) const MAX_DATA_BYTES: usize = 4 * 1024 * 1024;
/// Deepest nesting of a value that a step stores. Chosen: dropping a much deeper one could overflow the
/// stack.
const MAX_VALUE_DEPTH: usize = 64;
/// Bytes that a value counts beside its text. Chosen: about the size of a JSON number in memory.
const VALUE_OVERHEAD_BYTES: usize = 16;

/// Steps that are left for the current event.
#[derive(Debug)]
pub(super) struct Budget {
    steps: Cell<u32>,
    nested: Cell<u32>,
}

impl Default for Budget {
    /// Returns the whole budget of one event.
    fn default() -> Self {
        Self {
            steps: Cell::new(MAX_STEPS),
            nested: Cell::new(0),
        }
    }
}

impl Budget {
    /// Refills the steps for the next event, however many are left.
    pub(super) fn refill(&self) {
        self.steps.set(MAX_STEPS);
    }

    /// Refills with the larger budget for time that passes.
    pub(super) fn refill_for_time(&self) {
        self.steps.set(MAX_STEPS_IN_TIME);
    }

    /// Enters a list of steps, which takes none of them. Returns false, and enters nothing, if [`MAX_NESTED_LISTS`]
    /// lists are nested already.
    pub(super) fn enter(&self) -> bool {
        let fits = self.nested.get() < MAX_NESTED_LISTS;
        if fits {
            self.nested.set(self.nested.get() + 1);
        }
        fits
    }

    /// Leaves a list of steps, after [`Self::enter`] has returned true.
    pub(super) fn leave(&self) {
        self.nested.set(self.nested.get().saturating_sub(1));
    }

    /// Takes a step. Returns false, and takes nothing, if none is left.
    pub(super) fn step(&self) -> bool {
        self.take(1)
    }

    /// Charges for data that a step moves. It does not fail: if too little is left, all is taken, and the next step
    /// fails.
    pub(super) fn charge(&self, bytes: usize) {
        self.take(u32::try_from(bytes / BYTES_PER_STEP).unwrap_or(u32::MAX));
    }

    fn take(&self, count: u32) -> bool {
        let left = self.steps.get();
        self.steps.set(left.saturating_sub(count));
        left > 0
    }
}

/// Estimates the bytes of a value. Returns `None` if it is nested too deeply to be stored.
pub(super) fn size(value: &Value) -> Option<usize> {
    within(value, MAX_VALUE_DEPTH)
}

/// Estimates the bytes of an app's data, however deeply it is nested.
pub(super) fn size_of_all(model: &Value) -> usize {
    within(model, usize::MAX).unwrap_or(usize::MAX)
}

/// Returns the estimated bytes of a value and all in it. A value that is not nested has depth 1. Returns `None` if
/// it is nested deeper than `depth`.
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
    Some(VALUE_OVERHEAD_BYTES + inner)
}
