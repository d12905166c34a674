//! Compares an attempt that passed with one that failed: finds the first step with different results, and the
//! elements that only one of the screens had.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use super::element::{MAX_SHOWN_CHARS, quoted_words};
use super::format::FilePosition;
use super::recording::{RecordedStep, Recording};
use runner_event::StepStatus;
use runner_screen::Node;
use runner_text::secret::Excerpt;
use runner_text::units::RoundedDuration;

/// Chosen: elements of each screen that are named.
const MAX_NAMED: usize = 5;
/// Chosen: shorter durations of a step are not shown.
const MIN_SHOWN_MS: u64 = 500;

/// First step in which two attempts differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstDifference {
    /// The step as written.
    pub title: String,
    /// Place of the step in its file.
    pub at: FilePosition,
    /// End of the step in the attempt that passed.
    pub passed: StepEnd,
    /// End of the step in the attempt that failed.
    pub failed: StepEnd,
    /// Elements that only the screen of the attempt that passed had.
    pub only_passed: Vec<String>,
    /// Elements that only the screen of the attempt that failed had.
    pub only_failed: Vec<String>,
}

/// End of a step in one of two attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepEnd {
    /// The attempt did not come to the step.
    NotReached,
    /// The attempt ended while the step ran, as by the flow's timeout.
    CutOff,
    /// Status and duration in milliseconds.
    Ended(StepStatus, u64),
}

/// Returns the first place at which two attempts at the same flow differ in path, title or status of a step; a step
/// that only one attempt has differs too, and steps that hold other steps do not count. If the steps there are
/// different ones, the failed attempt's is returned, as not reached by the other. Names up to five elements for each
/// attempt that only it showed at the end of its step. `None` if every step had the same result.
pub fn first_difference(passed: &Recording, failed: &Recording) -> Option<FirstDifference> {
    let ran = |recording: &Recording| {
        let steps = recording.steps.iter();
        steps
            .filter(|step| !step.has_steps)
            .cloned()
            .collect::<Vec<_>>()
    };
    let (of_passed, of_failed) = (ran(passed), ran(failed));
    let is_same = |one: &RecordedStep, other: &RecordedStep| {
        (&one.path, &one.title, one.status) == (&other.path, &other.title, other.status)
    };
    let pairs = of_passed.iter().zip(&of_failed);
    let same = pairs.take_while(|(one, other)| is_same(one, other)).count();
    let (one, other) = (of_passed.get(same), of_failed.get(same));
    let step = other.or(one)?;
    let is_of_step = |it: &&RecordedStep| it.path == step.path && it.title == step.title;
    let end = |it: Option<&RecordedStep>| match it.filter(is_of_step).map(|it| (it, it.status)) {
        None => StepEnd::NotReached,
        Some((_, None)) => StepEnd::CutOff,
        Some((it, Some(status))) => StepEnd::Ended(status, it.until_ms.saturating_sub(it.ms)),
    };
    let (words_passed, words_failed) = (words(passed, one), words(failed, other));
    let only = |these: &BTreeSet<String>, others: &BTreeSet<String>| {
        these.difference(others).take(MAX_NAMED).cloned().collect()
    };
    Some(FirstDifference {
        title: step.title.clone(),
        at: step.at.clone(),
        passed: end(one),
        failed: end(other),
        only_passed: only(&words_passed, &words_failed),
        only_failed: only(&words_failed, &words_passed),
    })
}

/// Names the elements of the last look before the end of a step, as [`name`] does, sorted. Without a step, takes the
/// last look of the recording. Elements of the system's bars and off the screen are left out. Empty if there is no
/// look or it cannot be parsed.
fn words(recording: &Recording, step: Option<&RecordedStep>) -> BTreeSet<String> {
    let looks = step.map_or(recording.looks.len(), |step| step.looks);
    let look = recording.looks.get(looks.saturating_sub(1));
    let Some(screen) = look.and_then(|look| look.screen().ok()) else {
        return BTreeSet::new();
    };
    let is_shown =
        |node: &Node<'_>| node.is_on_screen() && node.package() != "com.android.systemui";
    screen.nodes().filter(is_shown).filter_map(name).collect()
}

/// Names an element: by its text, else its description, both in quotes, else by `#` and its id if it is clickable.
/// Adds if it is checked, not checked or disabled. Long words are cut. Returns `None` for an element without any of
/// the three.
fn name(node: Node<'_>) -> Option<String> {
    let id = || {
        let has_one = !node.resource_name().is_empty() && node.flags().clickable;
        has_one.then(|| format!("#{}", node.resource_name()))
    };
    let mut name = quoted_words(node).or_else(id)?;
    let flags = node.flags();
    if flags.checkable {
        name.push_str(if flags.checked {
            " checked"
        } else {
            " not checked"
        });
    }
    if node.is_disabled() {
        name.push_str(" disabled");
    }
    Some(name)
}

impl fmt::Display for FirstDifference {
    /// Formats the difference as one line: place and title, the two results, then the elements that only one had, if
    /// any. A result that took half a second or more has its duration.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FilePosition { file, line, column } = &self.at;
        let title = Excerpt::new(&self.title, MAX_SHOWN_CHARS);
        write!(f, "they part at {file}:{line}:{column}, `{title}`")?;
        let end = |end: &StepEnd| match end {
            StepEnd::Ended(status, ms) => {
                let word = match status {
                    StepStatus::Passed => "passed",
                    StepStatus::Failed => "failed",
                    StepStatus::Warned => "failed, optional",
                    StepStatus::Skipped => "was skipped",
                };
                // Short times differ from run to run.
                if *ms < MIN_SHOWN_MS {
                    word.to_owned()
                } else {
                    format!(
                        "{word} after {}",
                        RoundedDuration(Duration::from_millis(*ms))
                    )
                }
            }
            StepEnd::CutOff => "was cut off".to_owned(),
            StepEnd::NotReached => "was not reached".to_owned(),
        };
        write!(
            f,
            ": {} in one and {} in the other",
            end(&self.passed),
            end(&self.failed)
        )?;
        if !self.only_passed.is_empty() {
            write!(f, "; only where it passed: {}", self.only_passed.join(", "))?;
        }
        if !self.only_failed.is_empty() {
            write!(f, "; only where it failed: {}", self.only_failed.join(", "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::read::tests::{recording, step_of};

    #[test]
    fn the_first_step_that_differs_is_named_with_its_screens() {
        let passed = recording(&[
            step_of("click: Add", "passed", "One"),
            step_of("assert visible: Done", "passed", "Done"),
        ]);
        let failed = recording(&[
            step_of("click: Add", "passed", "One"),
            step_of("assert visible: Done", "failed", "No network"),
        ]);
        let difference = first_difference(&passed, &failed).unwrap();
        assert_eq!(
            difference.to_string(),
            "they part at flows/a.yaml:3:5, `assert visible: Done`: passed in one and failed in the other; only where it passed: \"Done\"; only where it failed: \"No network\""
        );
        assert_eq!(super::first_difference(&passed, &passed), None);
    }

    #[test]
    fn an_attempt_that_ended_before_did_not_reach_the_step() {
        let passed = recording(&[
            step_of("click: Add", "passed", "One"),
            step_of("back", "passed", "Two"),
        ]);
        let killed = recording(&[step_of("click: Add", "passed", "One")]);
        let difference = first_difference(&passed, &killed).unwrap();
        assert_eq!(
            (difference.title.as_str(), difference.failed),
            ("back", StepEnd::NotReached)
        );
    }

    #[test]
    fn a_step_that_was_cut_off_is_told_with_the_screen_it_saw_last() {
        let back = || step_of("back", "passed", "Two");
        let passed = recording(&[
            step_of("click: Add", "passed", "One"),
            step_of("wait_for: Done", "passed", "Done"),
            back(),
        ]);
        let mut cut = step_of("wait_for: Done", "failed", "No network");
        // In place of its end: the flow's timeout came first.
        cut[2] = json!({ "still": 60_000 });
        let add = || step_of("click: Add", "passed", "One");
        for steps in [vec![add(), cut.clone()], vec![add(), cut, back()]] {
            let difference = first_difference(&passed, &recording(&steps)).unwrap();
            assert_eq!(
                difference.to_string(),
                "they part at flows/a.yaml:3:5, `wait_for: Done`: passed in one and was cut off in the other; only where it passed: \"Done\"; only where it failed: \"No network\""
            );
        }
    }
}
