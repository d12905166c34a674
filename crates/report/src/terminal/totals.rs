//! Prints the end of a run: number of flows by result, and the flows to look at.

use super::Terminal;
use crate::ReportError;
use crate::problem::problems;
use crate::text::{count, duration};
use runner_event::{FlowId, FlowStatus, StopReason};
use runner_text::harmless;

impl Terminal {
    /// Removes the progress line and prints problems, totals, the flows to name, why the run stopped, and the next
    /// command. A run of one flow has no ruler and no list of flows. Quiet mode prints all of this too.
    pub(super) fn finish(&mut self, duration_ms: u64) -> Result<(), ReportError> {
        self.progress.clear();
        let mut lines = Vec::new();
        if self.summary.total() > 1 {
            lines.push(self.paint.dim("-".repeat(self.style.width.clamp(20, 80))));
        }
        let problems = problems(&self.results);
        lines.extend(self.problem_lines(&problems));
        lines.push(self.totals_line(duration_ms));
        // A single flow was printed when it ended.
        if self.summary.total() > 1 {
            lines.extend(self.named_flows());
        }
        match self.summary.stopped() {
            Some(StopReason::User) => lines.push("  interrupted".into()),
            Some(StopReason::FailFast) => {
                lines.push(match self.summary.not_passed().len() {
                    0 | 1 => "  stopped at the first failure (--fail-fast)".to_owned(),
                    more => format!("  stopped after {more} failures (--max-failures)"),
                });
            }
            Some(StopReason::Unfit) => {
                lines.push("  nothing ran: a flow needs what no device of the run has (--allow-unfit skips it)".into());
            }
            None => {}
        }
        lines.extend(self.next_line(&problems));
        self.print(&lines)
    }

    /// Formats the totals, such as `3 flows in 4.2s: 2 passed, 1 failed`. The order is fixed, passed first. Statuses
    /// without a flow are left out; `nothing ran` if all are. Unreadable flows are errors.
    fn totals_line(&self, duration_ms: u64) -> String {
        let totals = self.summary.totals();
        let parts = [
            (totals.passed, "passed", FlowStatus::Passed),
            (totals.flaky, "flaky", FlowStatus::Flaky),
            (totals.failed, "failed", FlowStatus::Failed),
            (
                totals.errors,
                if totals.errors == 1 {
                    "error"
                } else {
                    "errors"
                },
                FlowStatus::Error,
            ),
            (
                totals.quarantined,
                "failed in quarantine",
                FlowStatus::Quarantined,
            ),
            (totals.skipped, "skipped", FlowStatus::Skipped),
            (
                totals.interrupted,
                "not run to the end",
                FlowStatus::Interrupted,
            ),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(number, ..)| *number > 0)
            .map(|(number, word, status)| self.paint.status(status, format!("{number} {word}")))
            .collect();
        let counted = if parts.is_empty() {
            "nothing ran".to_owned()
        } else {
            parts.join(", ")
        };
        format!(
            "{} in {}: {counted}",
            count(u64::from(self.summary.total()), "flow"),
            duration(duration_ms),
        )
    }

    /// Returns the first line of the masked message with which the attempt failed or was skipped. Empty if the
    /// attempt is unknown, has no end or no failure.
    fn why(&self, id: &FlowId) -> String {
        let failure = self
            .results
            .find(id)
            .and_then(|(_, attempt)| attempt.end.as_ref()?.failure.as_ref());
        let message = failure.map_or("", |failure| {
            failure
                .message
                .masked_text()
                .lines()
                .next()
                .unwrap_or_default()
        });
        harmless::line(message).into_owned()
    }

    /// Lists flaky, quarantined and unreadable flows, one a line, in this order; failed ones are not among them.
    /// Empty if there are none.
    fn named_flows(&self) -> Vec<String> {
        let places = self.places();
        let mut lines = Vec::new();
        for id in self.summary.flaky() {
            let word = self.paint.status(FlowStatus::Flaky, "FLAKY");
            let label = self.flow_label(id);
            lines.push(format!(
                "  {word} {label}  passed at attempt {}",
                id.attempt
            ));
        }
        for id in self.summary.quarantined() {
            let word = self.paint.status(FlowStatus::Quarantined, "QUAR ");
            let label = self.flow_label(id);
            lines.push(format!("  {word} {label}  {}", self.why(id)));
        }
        for flow in self.summary.unreadable() {
            let word = self.paint.status(FlowStatus::Error, "ERROR");
            lines.push(format!("  {word} {}  does not read", places.source(flow)));
        }
        lines
    }
}
