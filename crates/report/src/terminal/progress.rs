//! Draws the progress line: how far the run is, and the current steps. Hidden without a terminal.

use std::time::Duration;

use indexmap::IndexMap;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

use crate::text::clean;
use runner_event::{FlowId, FlowStatus};

/// Running flows that have a line of their own; the rest is counted. Chosen: more lines would push out what
/// was printed.
const MAX_LINES: usize = 8;

/// Columns of the bar and its numbers, roughly. Chosen: 24 columns of the bar, and two counts of up to 5
/// digits.
const BAR_COLUMNS: usize = 36;

/// Interval at which the spinner turns. Chosen: smooth to the eye, with few writes.
const TICK_INTERVAL: Duration = Duration::from_millis(120);

pub(super) struct Progress {
    bar: ProgressBar,
    many: bool,
    running: IndexMap<FlowId, String>,
    failed: usize,
    /// Width of the terminal, in columns.
    width: usize,
}

impl Progress {
    /// Creates the line for `target`, to be drawn from [`Self::plan`] on. A hidden target never draws. `width` is
    /// that of the terminal, in columns.
    pub fn new(target: ProgressDrawTarget, width: usize) -> Self {
        let bar = ProgressBar::with_draw_target(None, target).with_finish(ProgressFinish::AndClear);
        Self {
            bar,
            many: false,
            running: IndexMap::new(),
            failed: 0,
            width,
        }
    }

    pub fn is_hidden(&self) -> bool {
        self.bar.is_hidden()
    }

    /// Starts the display for the given number of flows: a bar for several, a turning spinner for one or none. Draws
    /// nothing on a hidden target.
    pub fn plan(&mut self, flows: usize) {
        self.many = flows > 1;
        if self.is_hidden() {
            return;
        }
        let template = if self.many {
            "{bar:24} {pos}/{len} {msg}"
        } else {
            "  {spinner}  {msg}"
        };
        // A malformed template would be a programming error; the library's default serves as well.
        let style = ProgressStyle::with_template(template)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> ")
            .tick_chars(r"-\|/ ");
        self.bar.set_style(style);
        self.bar.set_length(flows as u64);
        self.bar.enable_steady_tick(TICK_INTERVAL);
    }

    pub fn begin(&mut self, id: &FlowId) {
        self.running.insert(id.clone(), String::new());
        self.show();
    }

    /// Shows the step's title for an attempt that runs; ignores any other.
    pub fn step(&mut self, id: &FlowId, title: &str) {
        if let Some(now) = self.running.get_mut(id) {
            title.clone_into(now);
            self.show();
        }
    }

    /// Removes an attempt from those that run. The last attempt of a flow moves the bar, even if it never ran, and
    /// counts as failed if it failed or had an error.
    pub fn end(&mut self, id: &FlowId, last: bool, status: FlowStatus) {
        // Keeps the order, so that the other lines do not change places.
        self.running.shift_remove(id);
        if last {
            self.failed += usize::from(matches!(status, FlowStatus::Failed | FlowStatus::Error));
            self.bar.inc(1);
        }
        self.show();
    }

    /// Shows what runs: of many flows a summary, of a single one its step in one line. Does nothing if the bar is
    /// hidden.
    fn show(&self) {
        if self.is_hidden() {
            return;
        }
        let message = if self.many {
            self.message()
        } else {
            self.running
                .values()
                .map(|title| clean(title).replace('\n', " "))
                .collect()
        };
        self.bar.set_message(message);
    }

    /// Builds the message, such as `2 failed · login: click: Sign in`. If not exactly one flow is running, each has a
    /// line below with its device, at most `MAX_LINES`; a last line counts the others. Lines are cut to the
    /// terminal's width. Empty if nothing runs and none failed.
    fn message(&self) -> String {
        let failed = (self.failed > 0).then(|| format!("{} failed", self.failed));
        if let [(id, title)] = self.running.iter().collect::<Vec<_>>().as_slice() {
            let parts: Vec<String> = failed.into_iter().chain([flow_step(id, title)]).collect();
            return cut(&parts.join(" · "), self.width.saturating_sub(BAR_COLUMNS));
        }
        let mut lines = vec![failed.unwrap_or_default()];
        for (id, title) in self.running.iter().take(MAX_LINES) {
            let line = format!("  {}  {}", clean(&id.device), flow_step(id, title));
            lines.push(cut(&line.replace('\n', " "), self.width));
        }
        if self.running.len() > MAX_LINES {
            lines.push(format!("  and {} more", self.running.len() - MAX_LINES));
        }
        lines.join("\n")
    }

    /// Hides the line while `print` runs.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    pub fn clear(&self) {
        self.bar.disable_steady_tick();
        self.bar.finish_and_clear();
    }
}

/// Formats flow and step in one line, such as `login: click: Sign in`. The flow is named by its file without
/// folder and extension, and its case. Before the first step, whose `title` is empty, only the flow is named.
fn flow_step(id: &FlowId, title: &str) -> String {
    let name = id.flow.file_stem().unwrap_or(id.flow.as_str());
    let name = id.case_id().display_name(name);
    let name = clean(&name);
    let text = if title.is_empty() {
        name.into_owned()
    } else {
        format!("{name}: {}", clean(title))
    };
    text.replace('\n', " ")
}

/// Cuts a line to the width: a line that wraps would not be erased.
#[expect(
    clippy::disallowed_methods,
    reason = "titles come from events, whose secrets are masked"
)]
fn cut(line: &str, width: usize) -> String {
    console::truncate_str(line, width.saturating_sub(1), "…").into_owned()
}
