//! What is said when an attempt at a flow ended: its line, and the block of its failure.

use std::collections::{BTreeMap, BTreeSet};

use super::{Terminal, steps};
use crate::failure::{FailureDetail, failure_block};
use crate::records::{Attempt, End};
use crate::text::{Places, count, duration, position, status_word};
use runner_event::{FlowId, FlowStatus, SnapshotVerdict};
use runner_snapshot::GoldenKey;
use runner_text::harmless;

impl Terminal {
    /// What is said when an attempt ended.
    pub(super) fn flow_lines(
        &self,
        id: &FlowId,
        name: Option<&str>,
        attempt: &Attempt,
        end: &End,
    ) -> Vec<String> {
        let bad = matches!(
            end.status,
            FlowStatus::Failed | FlowStatus::Error | FlowStatus::Quarantined
        );
        let mut lines = Vec::new();
        // Flows that never began are counted in the summary.
        if (self.quiet() && !(bad && end.last)) || name.is_none() {
            return lines;
        }
        let label = self.flow_label(id);
        let places = self.places();
        if !end.last {
            lines.push(self.again_line(&label, id, attempt, end, &places));
            return lines;
        }
        lines.push(self.flow_line(id, &label, name.filter(|_| bad), attempt, end));
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
                harmless::line(&snapshot.key)
            ));
        }
        if bad {
            lines.push(String::new());
            let short_keys = self.short_keys(attempt);
            let telling = if self.verbose() {
                FailureDetail::WHOLE
            } else {
                FailureDetail {
                    stack: 12,
                    files: 1,
                    short_keys: &short_keys,
                }
            };
            let block = failure_block(attempt, end, &places, self.paint, telling);
            lines.extend(block.into_iter().map(|line| indented(&line)));
            lines.push(String::new());
        }
        lines
    }

    /// Keys of an attempt's goldens, and each without its class, unless the run has it of several.
    fn short_keys(&self, attempt: &Attempt) -> BTreeMap<String, String> {
        let mut classes: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        let attempts = self.results.flows.values().flat_map(|flow| &flow.attempts);
        for snapshot in attempts.flat_map(|attempt| &attempt.snapshots) {
            if let Some(shared) = without_class(&snapshot.key) {
                classes.entry(shared).or_default().insert(&snapshot.key);
            }
        }
        let keys = attempt.snapshots.iter().map(|snapshot| &snapshot.key);
        let short = keys.filter_map(|key| Some((key.clone(), without_class(key)?)));
        let only =
            |(_, shared): &(String, String)| classes.get(shared).is_none_or(|keys| keys.len() < 2);
        short.filter(only).collect()
    }

    /// `FAIL  flows/login.yaml  1.2s  Sign in`.
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
        if self.verbose() {
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
            parts.push(harmless::line(&because.message).into_owned());
        }
        if let Some(name) = name.filter(|_| !self.is_single()) {
            parts.push(self.paint.bold(harmless::line(name)));
        }
        parts.join("  ")
    }

    fn again_line(
        &self,
        label: &str,
        id: &FlowId,
        attempt: &Attempt,
        end: &End,
        places: &Places,
    ) -> String {
        let why = end.failure.as_ref().map_or("", |failure| &failure.message);
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

/// The key without its class, where it has one: a flow's path may hold the same sign.
fn without_class(key: &str) -> Option<String> {
    let key: GoldenKey = key.parse().ok()?;
    key.class()?;
    Some(key.shared().to_string())
}

/// Four columns in; an empty line stays empty.
pub(super) fn indented(line: &str) -> String {
    if line.is_empty() {
        String::new()
    } else {
        format!("    {line}")
    }
}

#[cfg(test)]
mod tests {
    use super::without_class;

    #[test]
    fn a_key_loses_its_class_and_nothing_else() {
        for (key, short) in [
            ("login/home~lab", Some("login/home")),
            ("old~new/home@dark~lab", Some("old~new/home@dark")),
            ("old~new/home", None),
        ] {
            assert_eq!(without_class(key).as_deref(), short, "{key}");
        }
    }
}
