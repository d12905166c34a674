//! Items of a run: a case of a flow with what its attempts came to, and the items of its sequence behind it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use camino::Utf8PathBuf;

use crate::PlannedCase;
use runner_event::{FlowId, FlowStatus, SourceLocation};
use runner_flow::Flow;
use runner_tools::Failure;

/// A case of a flow to run once, on any device or on a certain one.
#[derive(Debug, Clone)]
pub(super) struct WorkItem {
    pub(super) case: PlannedCase,
    /// Index of the device that must run it. None allows any.
    pub(super) bound: Option<usize>,
    /// Number of finished attempts. Clones share it, so that it survives a lost device.
    pub(super) attempts: Arc<AtomicU32>,
    /// Number of failed attempts that did not lose the device.
    pub(super) failures: u32,
    /// Labels of the devices that were lost during it.
    pub(super) lost_on: Vec<String>,
    /// Last attempt, if it failed and another one follows.
    pub(super) failed: Option<Box<FailedAttempt>>,
    /// Items of a sequence that the same device runs after it.
    pub(super) rest: VecDeque<WorkItem>,
}

/// Failed attempt that another one follows.
#[derive(Debug, Clone)]
pub(super) struct FailedAttempt {
    pub(super) status: FlowStatus,
    pub(super) recording: Option<Utf8PathBuf>,
    pub(super) failure: Option<Failure>,
    pub(super) at: Option<SourceLocation>,
}

impl WorkItem {
    /// Creates an item with no attempts yet. `bound` is the index of the only device that may take it.
    pub(super) fn new(case: &PlannedCase, bound: Option<usize>) -> Self {
        Self {
            case: case.clone(),
            bound,
            attempts: Arc::default(),
            failures: 0,
            lost_on: Vec::new(),
            failed: None,
            rest: VecDeque::new(),
        }
    }

    /// Returns a unit of the plan as its first item, with the others as its rest, in order. `None` for an
    /// empty one.
    pub(super) fn unit(items: Vec<Self>) -> Option<Self> {
        let mut items = VecDeque::from(items);
        let first = items.pop_front()?;
        Some(Self {
            rest: items,
            ..first
        })
    }

    /// Takes the next item of the sequence, bound to the device at index `at`, which ran this one. The rest
    /// moves to it. `None` after the last.
    pub(super) fn next(&mut self, at: usize) -> Option<Self> {
        let mut rest = std::mem::take(&mut self.rest);
        let next = rest.pop_front()?;
        Some(Self {
            bound: Some(at),
            rest,
            ..next
        })
    }

    /// Returns this item and those after it, each alone.
    pub(super) fn all(mut self) -> impl Iterator<Item = Self> {
        let rest = std::mem::take(&mut self.rest);
        std::iter::once(self).chain(rest)
    }

    /// Returns the identity of its next attempt.
    pub(super) fn next_id(&self, device: &str) -> FlowId {
        let attempt = self.attempts.load(Ordering::Relaxed) + 1;
        self.case.id().attempt(device, attempt)
    }

    pub(super) fn flow(&self) -> &Arc<Flow> {
        &self.case.flow
    }
}

/// Next state of an item that a device had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemNext {
    Over,
    /// Another device should take it.
    Again,
    /// It runs again when no other work waits.
    Later,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ItemEnd {
    pub(super) next: ItemNext,
    /// Message that says why the device is gone, if it is.
    pub(super) lost: Option<String>,
}
