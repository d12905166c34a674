//! Virtual time, and steps that wait for theirs.

use std::time::Duration;

use serde_json::{Map, Value};

use super::touch::LateClick;
use crate::apps::app::Step;

/// A task that waits for its time.
pub(super) struct Timer {
    due: Duration,
    pub package: String,
    pub task: Task,
}

/// The work of a timer.
pub(super) enum Task {
    /// Steps of an app's action.
    Steps(Vec<Step>, Map<String, Value>),
    /// A click of a finger that has left.
    Click(Box<LateClick>),
}

/// The time since the phone was made.
#[derive(Default)]
pub(super) struct Clock {
    now: Duration,
    timers: Vec<Timer>,
}

impl Clock {
    pub fn now(&self) -> Duration {
        self.now
    }

    /// Sets a timer.
    pub fn after(&mut self, wait: Duration, package: &str, task: Task) {
        self.timers.push(Timer {
            due: self.now + wait,
            package: package.to_owned(),
            task,
        });
    }

    /// The next timer that is due by a time, and the clock at its time.
    pub fn next(&mut self, until: Duration) -> Option<Timer> {
        let index = self
            .timers
            .iter()
            .enumerate()
            .filter(|(_, timer)| timer.due <= until)
            // Of timers that are due together, the one that was set first.
            .min_by_key(|(index, timer)| (timer.due, *index))
            .map(|(index, _)| index)?;
        let timer = self.timers.remove(index);
        // Never back, nor without moving: a timer that sets itself again at once would not end.
        self.now = self.now.max(timer.due);
        Some(timer)
    }

    /// Takes back clicks that are still to come.
    pub fn forget_clicks(&mut self) {
        self.timers
            .retain(|timer| !matches!(timer.task, Task::Click(_)));
    }

    /// The time until no finger's click is still to come.
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

    /// Stops an app's timers.
    pub fn forget(&mut self, package: &str) {
        self.timers.retain(|timer| timer.package != package);
    }
}
