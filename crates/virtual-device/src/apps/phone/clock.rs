//! Virtual time, and the timers of apps.

use std::time::Duration;

use serde_json::{Map, Value};

use super::touch::LateClick;
use crate::apps::app::Step;

pub(super) struct Timer {
    due: Duration,
    pub package: String,
    pub task: Task,
}

pub(super) enum Task {
    /// Steps of an app's action, with the action's context.
    Steps(Vec<Step>, Map<String, Value>),
    /// A click that follows some time after the finger has left, as on a row of a list.
    Click(Box<LateClick>),
}

/// Virtual time since the phone was made, and the timers that wait. It moves only when a caller moves it.
#[derive(Default)]
pub(super) struct Clock {
    now: Duration,
    timers: Vec<Timer>,
}

impl Clock {
    pub fn now(&self) -> Duration {
        self.now
    }

    /// Sets a timer that is due `wait` from now. A timer replaces no other of its package. A timer runs only once the
    /// caller takes it with [`Self::next`].
    pub fn after(&mut self, wait: Duration, package: &str, task: Task) {
        self.timers.push(Timer {
            due: self.now + wait,
            package: package.to_owned(),
            task,
        });
    }

    /// Removes and returns the earliest timer that is due by `until`, and sets the clock to its time. Of
    /// several due together it is the one that was set first. The clock never goes back. Without such a timer
    /// the clock stays.
    pub fn next(&mut self, until: Duration) -> Option<Timer> {
        let index = self
            .timers
            .iter()
            .enumerate()
            .filter(|(_, timer)| timer.due <= until)
            .min_by_key(|(index, timer)| (timer.due, *index))
            .map(|(index, _)| index)?;
        let timer = self.timers.remove(index);
        // Never back, nor without moving: a timer that sets itself again at once would not end.
        self.now = self.now.max(timer.due);
        Some(timer)
    }

    /// Cancels the clicks that wait, of all apps. Timers of actions stay.
    pub fn cancel_clicks(&mut self) {
        self.timers
            .retain(|timer| !matches!(timer.task, Task::Click(_)));
    }

    /// Returns the time until the last waiting click of all apps, or zero if none waits.
    pub fn click_time(&self) -> Duration {
        let clicks = self.timers.iter();
        let clicks = clicks.filter(|timer| matches!(timer.task, Task::Click(_)));
        clicks
            .map(|timer| timer.due.saturating_sub(self.now))
            .max()
            .unwrap_or_default()
    }

    pub fn reach(&mut self, time: Duration) {
        self.now = time;
    }

    /// Cancels an app's timers, its clicks that wait too.
    pub fn cancel_timers(&mut self, package: &str) {
        self.timers.retain(|timer| timer.package != package);
    }
}
