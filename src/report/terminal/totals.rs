//! The end of a run: how many flows ended how, and which of them a person should know of.

use super::Terminal;
use crate::report::ReportError;
use crate::report::text::{clean, count, duration, status_word};
use crate::run::{FlowStatus, StopReason};

impl Terminal {
    pub(super) fn finish(&mut self, duration_ms: u64) -> Result<(), ReportError> {
        self.progress.clear();
        let mut lines = Vec::new();
        if self.summary.total() > 1 {
            lines.push(self.paint.dim("-".repeat(self.style.width.clamp(20, 80))));
        }
        lines.push(self.totals_line(duration_ms));
        // One flow was told when it ended, unless it never began.
        if self.summary.total() > 1 || self.has_unstarted() {
            lines.extend(self.named_flows());
            lines.extend(self.shared_causes());
        }
        match self.summary.stopped() {
            Some(StopReason::User) => lines.push("  interrupted".into()),
            Some(StopReason::FailFast) => {
                lines.push("  stopped at the first failure (--fail-fast)".into());
            }
            None => {}
        }
        self.print(&lines)
    }

    /// `3 flows in 4.2s: 2 passed, 1 failed`.
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

    fn has_unstarted(&self) -> bool {
        self.summary.not_passed().iter().any(|(id, _)| {
            self.results
                .find(id)
                .is_some_and(|(flow, _)| flow.name.is_none())
        })
    }

    /// Flows a person should know of, one a line.
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
        for (id, status) in self.summary.not_passed() {
            let word = self
                .paint
                .status(*status, format!("{:<5}", status_word(*status)));
            let failure = self
                .results
                .find(id)
                .and_then(|(_, attempt)| attempt.end.as_ref()?.failure.as_ref());
            let message = failure.map_or("", |failure| {
                failure.message.lines().next().unwrap_or_default()
            });
            lines.push(format!(
                "  {word} {}  {}",
                self.flow_label(id),
                clean(message)
            ));
        }
        for flow in self.summary.unreadable() {
            let word = self.paint.status(FlowStatus::Error, "ERROR");
            lines.push(format!("  {word} {}  does not read", places.source(flow)));
        }
        lines
    }
}
