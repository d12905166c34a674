//! Planned faults of file operations in tests: at the n-th operation something fails. Release builds have
//! none.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// Fault that happens after a number of operations.
#[derive(Debug, Clone, Default)]
pub(super) struct Fault(Option<Arc<PlannedFault>>);

#[derive(Debug)]
struct PlannedFault {
    remaining: AtomicUsize,
    then: FaultEffect,
}

/// Effect of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultEffect {
    /// Every further operation fails, as if the process had been killed.
    #[cfg(test)]
    Stop,
    /// One operation fails, as on a full disk; later ones work.
    #[cfg(test)]
    Fail,
    /// The process ends at once, without running any destructor.
    #[cfg(debug_assertions)]
    Abort,
}

impl Fault {
    pub(super) fn after(steps: usize, then: FaultEffect) -> Self {
        Self(Some(Arc::new(PlannedFault {
            remaining: steps.into(),
            then,
        })))
    }

    /// Returns true if the fault has happened.
    #[cfg(test)]
    pub(super) fn has_happened(&self) -> bool {
        let left = self
            .0
            .as_ref()
            .map(|planned| planned.remaining.load(SeqCst));
        // Counting down stops at 0; only `FaultEffect::Fail` sets it so high.
        left.is_some_and(|left| left > usize::MAX / 2)
    }

    /// Counts one operation, and fails if it is the planned one.
    pub(super) fn step(&self) -> std::io::Result<()> {
        let Some(planned) = &self.0 else {
            return Ok(());
        };
        let left = planned
            .remaining
            .fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
        if left.is_ok() {
            return Ok(());
        }
        match planned.then {
            #[cfg(test)]
            FaultEffect::Stop => Err(std::io::Error::other("stopped here by the test")),
            #[cfg(test)]
            FaultEffect::Fail => {
                planned.remaining.store(usize::MAX, SeqCst);
                Err(std::io::Error::from(std::io::ErrorKind::StorageFull))
            }
            #[cfg(debug_assertions)]
            FaultEffect::Abort => std::process::abort(),
        }
    }
}
