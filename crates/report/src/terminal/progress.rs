//! The line that moves: how far the run is and what runs now. Hidden where there is no terminal.

use std::time::Duration;

use indexmap::IndexMap;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

use crate::text::clean;
use runner_event::{FlowId, FlowStatus};

/// So many flows that run at once have a line of their own.
const LINES: usize = 8;

/// Columns of the bar and its numbers, about.
const BESIDE_THE_BAR: usize = 36;

/// How often the line moves by itself.
const TICK: Duration = Duration::from_millis(120);

pub(super) struct Progress {
    bar: ProgressBar,
    many: bool,
    running: IndexMap<FlowId, String>,
    failed: usize,
    /// Columns of the terminal.
    width: usize,
}

impl Progress {
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

    /// `flows` flows will run.
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
        // A template that does not read would be a slip of ours; the library's own serves as well.
        let style = ProgressStyle::with_template(template)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> ")
            .tick_chars(r"-\|/ ");
        self.bar.set_style(style);
        self.bar.set_length(flows as u64);
        self.bar.enable_steady_tick(TICK);
    }

    pub fn begin(&mut self, id: &FlowId) {
        self.running.insert(id.clone(), String::new());
        self.show();
    }

    pub fn step(&mut self, id: &FlowId, title: &str) {
        if let Some(now) = self.running.get_mut(id) {
            title.clone_into(now);
            self.show();
        }
    }

    pub fn end(&mut self, id: &FlowId, last: bool, status: FlowStatus) {
        // It keeps the order, so that the lines of the others do not change places.
        self.running.shift_remove(id);
        if last {
            self.failed += usize::from(matches!(status, FlowStatus::Failed | FlowStatus::Error));
            self.bar.inc(1);
        }
        self.show();
    }

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

    /// `2 failed · login: click: Sign in`; where several run, a line each beneath.
    fn message(&self) -> String {
        let failed = (self.failed > 0).then(|| format!("{} failed", self.failed));
        if let [(id, title)] = self.running.iter().collect::<Vec<_>>().as_slice() {
            let parts: Vec<String> = failed.into_iter().chain([what(id, title)]).collect();
            return cut(
                &parts.join(" · "),
                self.width.saturating_sub(BESIDE_THE_BAR),
            );
        }
        let mut lines = vec![failed.unwrap_or_default()];
        for (id, title) in self.running.iter().take(LINES) {
            let line = format!("  {}  {}", clean(&id.device), what(id, title));
            lines.push(cut(&line.replace('\n', " "), self.width));
        }
        if self.running.len() > LINES {
            lines.push(format!("  and {} more", self.running.len() - LINES));
        }
        lines.join("\n")
    }

    /// Runs `print` while the line is out of the way.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    pub fn clear(&self) {
        self.bar.disable_steady_tick();
        self.bar.finish_and_clear();
    }
}

/// `login: click: Sign in`.
fn what(id: &FlowId, title: &str) -> String {
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

/// One line of at most so many columns: a line that wraps would be left behind.
fn cut(line: &str, width: usize) -> String {
    console::truncate_str(line, width.saturating_sub(1), "…").into_owned()
}
