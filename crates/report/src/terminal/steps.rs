//! Formats steps, and tracks open ones: a step with inner steps is printed before the first of them.

use crate::records::{Phase, StepRecord};
use crate::text::{Paint, clean, count, duration};
use runner_device::Cost;
use runner_event::StepStatus;
use runner_flow::StepPath;
use runner_text::harmless;

/// Steps that began and have not ended, outermost first.
#[derive(Debug, Default)]
pub(super) struct OpenSteps(Vec<OpenStep>);

#[derive(Debug)]
struct OpenStep {
    step: StepPath,
    title: String,
    /// True if its line was printed because of an inner step.
    is_printed: bool,
}

impl OpenSteps {
    /// Adds a step, and returns the lines of the enclosing steps that were not printed yet, outermost first; they now
    /// count as printed. Empty if there are none. Steps that do not enclose the new one are removed, as they have
    /// ended. The new step itself is not printed.
    pub fn begin(&mut self, step: &StepPath, title: &str, paint: Paint) -> Vec<String> {
        // A step that does not enclose this one has ended, even if the stream does not say so.
        self.0
            .retain(|open| open.step.leads_to(step) && open.step != *step);
        let mut lines = Vec::new();
        for open in self.0.iter_mut().filter(|open| !open.is_printed) {
            open.is_printed = true;
            let indent = "  ".repeat(open.step.depth());
            lines.push(format!(
                "        {indent}{}",
                paint.dim(harmless::line(&open.title))
            ));
        }
        self.0.push(OpenStep {
            step: step.clone(),
            title: title.to_owned(),
            is_printed: false,
        });
        lines
    }

    /// Removes a step, the last of this path, and those within it, and returns true if it was printed before its
    /// inner steps. Returns false, and changes nothing, for a step that is not open.
    pub fn end(&mut self, step: &StepPath) -> bool {
        let at = self.0.iter().rposition(|open| open.step == *step);
        let is_printed = at.is_some_and(|at| self.0[at].is_printed);
        if let Some(at) = at {
            self.0.truncate(at);
        }
        is_printed
    }
}

pub(super) fn passed(step: &StepRecord) -> bool {
    step.status == Some(StepStatus::Passed)
}

/// Returns true if an optional step failed.
pub(super) fn warned(step: &StepRecord) -> bool {
    step.status == Some(StepStatus::Warned)
}

/// Formats a step, such as `  ok    click: Sign in  120ms`, with ` · 2 round trips · 1 dump` if `costs` is true.
/// Skipped steps have no duration, and one without an end reads `stop`. The reason of a warning follows on further
/// lines; that of a failure does not, as it is printed with the flow.
pub(super) fn line(step: &StepRecord, paint: Paint, costs: bool) -> Vec<String> {
    let word = match step.status {
        Some(StepStatus::Passed) => paint.green("ok  "),
        Some(StepStatus::Failed) => paint.red("FAIL"),
        Some(StepStatus::Warned) => paint.yellow("warn"),
        Some(StepStatus::Skipped) => paint.yellow("skip"),
        None => paint.dim("stop"),
    };
    let phase = match step.phase() {
        Phase::Setup => "setup: ",
        Phase::Steps => "",
        Phase::OnFailure => "on_failure: ",
        Phase::Teardown => "teardown: ",
    };
    let indent = "  ".repeat(step.depth());
    let mut took = String::new();
    if step.status != Some(StepStatus::Skipped) {
        took = duration(step.duration_ms);
        if costs {
            took.push_str(&cost(step.cost));
        }
    }
    let title = harmless::line(&step.title);
    let mut line = format!("  {word}  {indent}{phase}{title}");
    if !took.is_empty() {
        line.push_str("  ");
        line.push_str(&paint.dim(took));
    }
    let mut lines = vec![line];
    if step.status == Some(StepStatus::Warned)
        && let Some(failure) = &step.failure
    {
        let message = clean(failure.message.masked_text()).into_owned();
        lines.extend(
            message
                .lines()
                .map(|part| format!("        {indent}{part}")),
        );
    }
    lines
}

/// Formats costs, such as ` · 2 round trips · 1 dump`, with ` · the last look again` if a step used an
/// earlier screen again, or ` · 3 looks again` if several times.
pub(super) fn cost(cost: Cost) -> String {
    let mut text = format!(
        " · {} · {}",
        count(cost.round_trips, "round trip"),
        count(cost.dumps, "dump")
    );
    match cost.reused {
        0 => {}
        1 => text.push_str(" · the last look again"),
        many => text.push_str(&format!(" · {many} looks again")),
    }
    text
}
