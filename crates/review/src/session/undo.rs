//! Takes back the last step of a review.

use super::history::{Step, UndoResult};
use super::{Review, lock};
use crate::ReviewError;

impl Review {
    /// Takes back the last step of this review. If that is a decision about goldens, or there is none, takes back the
    /// last such decision in the project, whoever made it. Returns the keys that wait again, or the mask; empty if
    /// there is nothing to take back. A mask or selectors in a flow that was edited since are an error, and the next
    /// call takes back the step before. If goldens cannot be taken back, the step stays the last one.
    pub fn undo(&self) -> Result<UndoResult, ReviewError> {
        let mut stored = lock(&self.retained);
        let step = stored.steps.last().cloned();
        let mut again = UndoResult::default();
        let keys = match step {
            Some(Step::Masked(step)) => {
                // Removed even if the flow was edited since: a second try would fail too.
                stored.steps.pop();
                step.restore(&self.config.root)?;
                again.mask = Some(step.written);
                return Ok(again);
            }
            Some(Step::Mended(keys, files)) => {
                stored.steps.pop();
                crate::patches::write(&self.config.root, &crate::patches::invert(&files))?;
                again.keys.extend(keys);
                return Ok(again);
            }
            Some(Step::RejectedPatches(key, rejections)) => {
                stored.steps.pop();
                self.remember(&rejections, false)?;
                again.keys.push(key);
                return Ok(again);
            }
            Some(Step::KeepOnly(keys)) => keys,
            Some(Step::Decided(_)) | None => {
                if let Some(undone) = self.store.undo()? {
                    again.keys.extend(undone.accepted);
                    again.keys.extend(undone.rejected);
                    again.keys.extend(undone.removed);
                }
                match step {
                    Some(Step::Decided(keys)) => keys,
                    _ => Vec::new(),
                }
            }
        };
        // Removed only now: if the store refuses, the step stays the last one.
        stored.steps.pop();
        for key in keys {
            stored.keys.remove(&key);
            again.keys.push(key);
        }
        Ok(again)
    }
}
