//! A task for each device. One that panics is told: what it had left to do is no success.

use std::collections::HashMap;
use std::sync::PoisonError;

use tokio::task::{Id, JoinSet};

use super::Run;
use crate::run::FlowStatus;
use crate::run::devices::Target;
use crate::tools::{Failure, FailureKind};

/// A task for each device, by which its device is known.
#[derive(Default)]
pub(super) struct Workers {
    tasks: JoinSet<()>,
    targets: HashMap<Id, Target>,
}

impl Workers {
    pub(super) fn spawn(
        &mut self,
        target: Target,
        work: impl Future<Output = ()> + Send + 'static,
    ) {
        let id = self.tasks.spawn(work).id();
        self.targets.insert(id, target);
    }
}

impl Run {
    /// Where a worker panics, what it had left to do is not lost silently.
    pub(super) async fn wait_for(&self, mut workers: Workers) {
        while let Some(ended) = workers.tasks.join_next().await {
            let Err(error) = ended else { continue };
            let Some(target) = workers.targets.get(&error.id()) else {
                continue;
            };
            let message = format!("the work on this device stopped: {error}; this is a bug");
            let over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
            let (flows, attempts) = over.get(&target.label).copied().unwrap_or_default();
            // `finish_unstarted` counts too, under this lock.
            drop(over);
            for (index, case) in self.plan.cases.iter().enumerate().skip(flows) {
                // The attempt that was under way was not told to be over; those before it were.
                let attempt = if index == flows { attempts + 1 } else { 1 };
                let failure = Failure::new(FailureKind::Infrastructure, message.clone());
                self.finish_unstarted(case, target, attempt, FlowStatus::Error, failure);
            }
        }
    }

    /// Counts an attempt that is told to be over.
    pub(super) fn count_over(&self, target: &Target, last: bool) {
        let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        let (flows, attempts) = over.entry(target.label.clone()).or_default();
        (*flows, *attempts) = if last {
            (*flows + 1, 0)
        } else {
            (*flows, *attempts + 1)
        };
    }
}
