//! Formats the lines about an attempt that ended: its result, and the explanation of its failure.

use super::{Terminal, steps};
use crate::failure::failure_block;
use crate::places::{Places, position};
use crate::records::{Attempt, End};
use crate::text::{count, duration, indented, status_word};
use runner_event::{FlowId, FlowStatus, SnapshotVerdict};
use runner_text::harmless;
use runner_tools::Failure;

impl Terminal {
    /// Returns the lines to print when an attempt ended; prints nothing. Empty if `name` is `None`, as of a flow that
    /// never began; in a quiet report for all but failed last attempts. An attempt that is followed by another has
    /// only one line. Written snapshots are named. A verbose report adds the whole failure, and the steps with their
    /// costs if there are several flows: those of a single one were printed before.
    pub(super) fn flow_lines(
        &self,
        id: &FlowId,
        name: Option<&str>,
        attempt: &Attempt,
        end: &End,
    ) -> Vec<String> {
        let bad = end.has_failed();
        let mut lines = Vec::new();
        // Flows that never began are only counted in the summary.
        if (self.quiet() && !(bad && end.last)) || name.is_none() {
            return lines;
        }
        let label = self.flow_label(id);
        let places = self.places();
        if !end.last {
            lines.push(self.retry_line(&label, id, attempt, end, &places));
            return lines;
        }
        lines.push(self.flow_line(id, &label, name, attempt, end));
        if self.verbose() && !self.is_single() {
            let record = |step| steps::line(step, self.paint, true);
            lines.extend(attempt.steps.iter().flat_map(record));
        }
        for snapshot in attempt
            .snapshots
            .iter()
            .filter(|snapshot| snapshot.verdict == SnapshotVerdict::Written)
        {
            lines.push(format!(
                "      wrote snapshot {}",
                harmless::line(&self.results.names.name_of_text(&snapshot.key))
            ));
        }
        if bad && self.verbose() {
            lines.push(String::new());
            let block = failure_block(attempt, end, (&places, &self.results.names), self.paint);
            lines.extend(block.into_iter().map(|line| indented(&line)));
            lines.push(String::new());
        }
        lines
    }

    /// Formats the line of a flow, such as `FAIL  flows/login.yaml  1.2s  Sign in: no element matches Sign in`. The
    /// status is padded to five letters. Adds the attempt of a flaky flow and the number of optional steps that failed.
    /// The reason follows only for flows that failed, in quarantine too, or were skipped; a single flow's failure is
    /// printed below instead. A name equal to the file's is not repeated.
    fn flow_line(
        &self,
        id: &FlowId,
        label: &str,
        name: Option<&str>,
        attempt: &Attempt,
        end: &End,
    ) -> String {
        let word = format!("{:<5}", status_word(end.status));
        let mut took = duration(end.duration_ms);
        if self.shows_costs() {
            took.push_str(&self.paint.dim(steps::cost(end.cost)));
        }
        let mut parts = vec![
            format!("{} {label}", self.paint.status(end.status, word)),
            took,
        ];
        if end.status == FlowStatus::Flaky {
            parts.push(format!("passed at attempt {}", id.attempt));
        }
        let warned = attempt.steps.iter().filter(|step| steps::warned(step));
        let warned = warned.count() as u64;
        if warned > 0 {
            let steps = count(warned, "optional step");
            parts.push(self.paint.yellow(format!("{steps} failed")));
        }
        if let Some(because) = end
            .failure
            .as_ref()
            .filter(|_| end.status == FlowStatus::Skipped)
        {
            parts.push(harmless::line(because.message.masked_text()).into_owned());
        }
        if end.has_failed() && !self.is_single() {
            // A name derived from the path would repeat it.
            let name = name.filter(|name| Some(*name) != id.flow.file_stem());
            let name = name.map(|name| self.paint.bold(harmless::line(name)) + ": ");
            parts.push(name.unwrap_or_default() + &reason(attempt, end));
        }
        parts.join("  ")
    }

    /// Returns the line about an attempt that is tried again, which begins with `AGAIN`: label, duration, number, the
    /// place if it is known, and the first line of the masked message, if there is one.
    fn retry_line(
        &self,
        label: &str,
        id: &FlowId,
        attempt: &Attempt,
        end: &End,
        places: &Places,
    ) -> String {
        let why = end
            .failure
            .as_ref()
            .map_or("", |failure| failure.message.masked_text());
        let why = harmless::line(why.lines().next().unwrap_or_default()).into_owned();
        let at = end
            .failed_at
            .as_ref()
            .or(attempt.failed_step().map(|step| &step.at));
        let at = at.map(|at| format!("{}: ", position(at, places)));
        format!(
            "{} {label}  {}  attempt {} failed: {}{why}",
            self.paint.yellow("AGAIN"),
            duration(end.duration_ms),
            id.attempt,
            at.unwrap_or_default(),
        )
    }
}

/// Returns the reason for a failure in one line: the first line of its masked message, or, if it is about a golden,
/// the number of snapshots if several do not match. Empty without a failure. The details come at the end of the run.
fn reason(attempt: &Attempt, end: &End) -> String {
    let failure = end.failure.as_ref();
    let open = attempt.open_snapshots().count() as u64;
    if failure.is_some_and(Failure::is_about_a_golden) && open > 1 {
        return format!("{} are not as their goldens", count(open, "snapshot"));
    }
    let message = failure.map_or("", |failure| failure.message.masked_text());
    harmless::line(message.lines().next().unwrap_or_default()).into_owned()
}
