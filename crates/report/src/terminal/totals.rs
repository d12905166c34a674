//! The end of a run: how many flows ended how, and which of them a person should know of.

use indexmap::IndexMap;

use super::Terminal;
use crate::ReportError;
use crate::text::{count, duration, status_word};
use runner_event::{FlowId, FlowStatus, StopReason};
use runner_text::harmless;

impl Terminal {
    pub(super) fn finish(&mut self, duration_ms: u64) -> Result<(), ReportError> {
        self.progress.clear();
        let mut lines = Vec::new();
        if self.summary.total() > 1 {
            lines.push(self.paint.dim("-".repeat(self.style.width.clamp(20, 80))));
        }
        lines.push(self.totals_line(duration_ms));
        // A single flow was printed when it ended, unless it never began.
        if self.summary.total() > 1 || self.has_unstarted() {
            lines.extend(self.named_flows());
            lines.extend(self.shared_causes());
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

    fn has_unstarted(&self) -> bool {
        let ids = self.summary.not_passed().iter().map(|(id, _)| id);
        ids.into_iter().any(|id| self.is_unstarted(id))
    }

    fn is_unstarted(&self, id: &FlowId) -> bool {
        let found = self.results.find(id);
        found.is_some_and(|(_, attempt)| !attempt.began)
    }

    /// Why flows were not even begun, each reason once with their number, and the flows below.
    fn unstarted_flows(&self) -> Vec<String> {
        let mut reasons: IndexMap<String, Vec<String>> = IndexMap::new();
        for (id, _) in self.summary.not_passed() {
            if !self.is_unstarted(id) {
                continue;
            }
            let name = self
                .results
                .find(id)
                .and_then(|(flow, _)| flow.name.as_deref());
            let name = name.map(|name| format!("  {}", self.paint.bold(harmless::line(name))));
            let flow = format!("{}{}", self.flow_label(id), name.unwrap_or_default());
            reasons.entry(self.why(id)).or_default().push(flow);
        }
        let word = self.paint.status(FlowStatus::Error, "ERROR");
        let mut lines = Vec::new();
        for (why, flows) in reasons {
            lines.push(match flows.as_slice() {
                [flow] => format!("  {word} {flow}  {why}"),
                flows => format!(
                    "  {word} {} could not be run: {why}",
                    count(flows.len() as u64, "flow")
                ),
            });
            if flows.len() > 1 {
                lines.extend(flows.iter().map(|flow| format!("        {flow}")));
            }
        }
        lines
    }

    /// The first line of what ended a flow.
    fn why(&self, id: &FlowId) -> String {
        let failure = self
            .results
            .find(id)
            .and_then(|(_, attempt)| attempt.end.as_ref()?.failure.as_ref());
        let message = failure.map_or("", |failure| {
            failure.message.lines().next().unwrap_or_default()
        });
        harmless::line(message).into_owned()
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
        for id in self.summary.quarantined() {
            let word = self.paint.status(FlowStatus::Quarantined, "QUAR ");
            let label = self.flow_label(id);
            lines.push(format!("  {word} {label}  {}", self.why(id)));
        }
        for (id, status) in self.summary.not_passed() {
            if self.is_unstarted(id) {
                continue;
            }
            let word = self
                .paint
                .status(*status, format!("{:<5}", status_word(*status)));
            lines.push(format!(
                "  {word} {}  {}",
                self.flow_label(id),
                self.why(id)
            ));
        }
        lines.extend(self.unstarted_flows());
        for flow in self.summary.unreadable() {
            let word = self.paint.status(FlowStatus::Error, "ERROR");
            lines.push(format!("  {word} {}  does not read", places.source(flow)));
        }
        lines
    }
}
