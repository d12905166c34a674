//! Where a test stops the world: at the n-th thing done to files. Release builds have none of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// What happens once so many steps were done.
#[derive(Debug, Clone, Default)]
pub(super) struct Fault(Option<Arc<PlannedFault>>);

#[derive(Debug)]
struct PlannedFault {
    remaining: AtomicUsize,
    then: FaultEffect,
}

/// What happens then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultEffect {
    /// Every further step fails, as nothing happens after a process was killed.
    #[cfg(test)]
    Stop,
    /// One step fails, as on a full disk; what follows works.
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

    /// Whether it happened.
    #[cfg(test)]
    pub(super) fn has_happened(&self) -> bool {
        let left = self
            .0
            .as_ref()
            .map(|planned| planned.remaining.load(SeqCst));
        // Counting down stops at 0; only `Then::Fail` sets it so high.
        left.is_some_and(|left| left > usize::MAX / 2)
    }

    /// Counts one step.
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
