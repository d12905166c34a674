//! Keeps the last looks, to report later what changed since one of them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::difference::Difference;
use super::line::ViewOptions;
use super::view::View;
use runner_text::secret::without_secrets;
use runner_tools::Caller;

/// Looks that can be compared with. Chosen: an agent refers to its last few looks; more only hold memory.
const MAX_VIEWS: usize = 32;

/// Last looks at one session's device, of all callers, numbered from 1.
#[derive(Debug, Default)]
pub struct LookHistory {
    views: Mutex<RecentViews>,
}

#[derive(Debug, Default)]
struct RecentViews {
    views: VecDeque<PastLook>,
    count: u32,
}

#[derive(Debug)]
struct PastLook {
    number: u32,
    caller: Caller,
    view: Arc<View>,
}

impl LookHistory {
    /// Adds a caller's view and returns its number, which counts from 1 over all callers. Beyond 32 views the oldest is
    /// dropped, and numbers go on.
    pub fn add(&self, view: Arc<View>, caller: &Caller) -> u32 {
        let mut recent = self.views();
        recent.count += 1;
        let number = recent.count;
        if recent.views.len() == MAX_VIEWS {
            recent.views.pop_front();
        }
        recent.views.push_back(PastLook {
            number,
            caller: caller.clone(),
            view,
        });
        number
    }

    /// Adds a view and returns its changes since look `since`, or since the caller's last one: what another client looked
    /// at, this one has not seen. Returns the whole view if there is no earlier one, if it is not kept any more, or if the
    /// text of the changes is longer than 70 % of the view's.
    pub fn changes(&self, view: &Arc<View>, since: Option<u32>, caller: &Caller) -> String {
        let before = self.find(since, caller);
        let number = self.add(Arc::clone(view), caller);
        let whole =
            |why: &str| view.write(&format!("look {number}, {why}"), ViewOptions::default());
        let Some((old, before)) = before else {
            return match since {
                Some(old) => whole(&format!("whole, as look {old} is not kept")),
                None => whole("whole, as nothing was looked at before"),
            };
        };
        // The title names the earlier look only if it is not the last one.
        let title = if old + 1 == number {
            format!("look {number}")
        } else {
            format!("look {number} since {old}")
        };
        let difference = Difference::between(&before, view).write(&title);
        let new_screen = whole(&format!("whole, as most changed since {old}"));
        let length = |text: &str| without_secrets(text).len();
        // A difference of nearly the same length costs as much, and is harder to read.
        if length(&difference) * 10 > length(&new_screen) * 7 {
            new_screen
        } else {
            difference
        }
    }

    /// Returns the view of this number, of any caller, or the caller's newest for `None`, with its number. `None` if it is
    /// too old or there is none.
    fn find(&self, since: Option<u32>, caller: &Caller) -> Option<(u32, Arc<View>)> {
        let recent = self.views();
        let is_meant = |look: &&PastLook| match since {
            None => look.caller.is(caller),
            Some(since) => look.number == since,
        };
        let look = recent.views.iter().rev().find(is_meant)?;
        Some((look.number, Arc::clone(&look.view)))
    }

    fn views(&self) -> MutexGuard<'_, RecentViews> {
        self.views.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
