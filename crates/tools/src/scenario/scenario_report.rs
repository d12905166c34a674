//! Report of a scenario in progress.

use std::fmt::Write as _;

#[derive(Debug, Clone)]
pub(super) struct Report {
    pub(super) goal: String,
    pub(super) began: String,
    pub(super) steps: Vec<String>,
}

impl Report {
    /// Formats the report: its goal, its start, its end `ended`, and the numbered steps.
    pub(super) fn text(&self, ended: &str) -> String {
        let mut text = format!(
            "OK: Test scenario report\nGoal: {}\nStart: {}\nEnd: {ended}\nSteps: {}",
            self.goal,
            self.began,
            self.steps.len()
        );
        for (index, step) in self.steps.iter().enumerate() {
            let _ = write!(text, "\n{}. {step}", index + 1);
        }
        text
    }
}
