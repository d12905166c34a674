//! Counters of a session's calls.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of a session's calls; printed with `-v`, and written into events.
#[derive(Debug, Default)]
pub struct Counters {
    round_trips: AtomicU64,
    dumps: AtomicU64,
    reused: AtomicU64,
    asides: AtomicU64,
}

/// A reading of [`Counters`].
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
pub struct Cost {
    /// Commands sent to the device; questions that are sent at the same time are one.
    pub round_trips: u64,
    /// Screen dumps among them.
    pub dumps: u64,
    /// Looks that were used again instead of a dump.
    #[serde(default, skip_serializing_if = "is_none")]
    pub reused: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

impl Counters {
    /// Counts a command.
    pub fn round_trip(&self) {
        self.round_trips.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a dump; the command itself is counted by [`Self::round_trip`].
    pub fn dump(&self) {
        self.dumps.fetch_add(1, Ordering::Relaxed);
    }

    /// Marks one of the counted commands as one that changes nothing on the screen: a screenshot, a log, a
    /// question beside a look.
    pub fn mark_read_only(&self) {
        self.asides.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of commands that may have changed the screen: all but dumps and those marked as
    /// read-only.
    pub fn changing(&self) -> u64 {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let looks = read(&self.dumps) + read(&self.asides);
        read(&self.round_trips).saturating_sub(looks)
    }

    /// Counts a look that was used again instead of a dump.
    pub fn reuse(&self) {
        self.reused.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the present counts.
    pub fn read(&self) -> Cost {
        Cost {
            round_trips: self.round_trips.load(Ordering::Relaxed),
            dumps: self.dumps.load(Ordering::Relaxed),
            reused: self.reused.load(Ordering::Relaxed),
        }
    }
}

impl std::ops::Sub for Cost {
    type Output = Self;

    /// Returns the cost since `earlier`; never less than 0.
    fn sub(self, earlier: Self) -> Self {
        Self {
            round_trips: self.round_trips.saturating_sub(earlier.round_trips),
            dumps: self.dumps.saturating_sub(earlier.dumps),
            reused: self.reused.saturating_sub(earlier.reused),
        }
    }
}
