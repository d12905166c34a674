//! Selects which planned cases run, how often, and in which order.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;
use regex::Regex;
use runner_text::shell::quote_to_copy;

use super::{Plan, PlanError, PlannedCase};
use runner_history::{CaseKey, LastFailed};

/// Selection of the cases that failed in their last run (`--last-failed`).
#[derive(Debug, Clone)]
pub struct LastFailedFilter {
    /// Failures that the history knows.
    pub failures: LastFailed,
    /// Folder of the history, for messages.
    pub history: Utf8PathBuf,
    /// Run everything if the history knows nothing of the selected flows.
    pub or_all: bool,
    /// Folder that the paths of flows are relative to.
    pub root: Utf8PathBuf,
}

impl LastFailedFilter {
    /// Returns true if `planned` has the flow without this case, or if it does not have the flow and its file does
    /// not exist. A flow that exists but is not planned is not gone, whatever its cases. Nor is one that failed without
    /// a case and has cases now: all of them count as failed.
    fn is_gone(&self, key: &CaseKey, planned: &[(Utf8PathBuf, Option<String>)]) -> bool {
        let mut cases = planned
            .iter()
            .filter(|(path, _)| path.as_str() == key.flow)
            .peekable();
        if cases.peek().is_some() {
            return key.case.is_some() && cases.all(|(_, case)| *case != key.case);
        }
        !self.root.join(&key.flow).exists()
    }
}

/// Selection from the command line.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Keep only what failed in its last run.
    pub last_failed: Option<LastFailedFilter>,
    /// Keep only cases whose `path › name › case` matches.
    pub grep: Option<Regex>,
    /// Drop cases whose `path › name › case` matches.
    pub grep_invert: Option<Regex>,
    /// Number of times each case runs.
    pub repeat_each: Option<u32>,
    /// Seed of a random order.
    pub shuffle: Option<u64>,
}

impl Plan {
    /// Applies the selection to the plan, in this order: patterns, last failures, repetitions, shuffling. Flows that
    /// cannot be read have no name and no case, so patterns match their paths; they are neither repeated nor
    /// shuffled. Sequences are shuffled as a whole, with the given seed. Options without effect are noted in
    /// `without_effect`. An error of `runner.yaml` is of all flows, and stays whatever is chosen.
    ///
    /// # Errors
    /// The plan is empty or patterns leave nothing of it, or the history cannot say what failed. If nothing failed,
    /// that is no error: the plan is empty. After an error the plan may be reduced already.
    pub fn choose(&mut self, choice: &Choice) -> Result<(), PlanError> {
        // Nothing runs without the project's own steps, and nothing else tells why.
        if self
            .unreadable
            .iter()
            .any(|(path, _)| path == "runner.yaml")
        {
            return Ok(());
        }
        let found = self.cases.len() + self.unreadable.len();
        let tags = self.flows().flat_map(|flow| flow.tags.iter().cloned());
        let tags: BTreeSet<String> = tags.collect();
        self.cases.retain(|case| choice.takes(&describe(case)));
        self.unreadable
            .retain(|(path, _)| choice.takes(path.as_str()));
        if self.is_empty() {
            let pattern = choice.grep.as_ref().map(Regex::as_str);
            let meant = pattern.map_or_else(String::new, |pattern| pattern_advice(pattern, &tags));
            return Err(PlanError::NoMatch { found, meant });
        }
        if let Some(pattern) = &choice.grep_invert
            && self.cases.len() + self.unreadable.len() == found
            && choice.grep.is_none()
        {
            let message = format!("--grep-invert `{pattern}` leaves out nothing");
            self.without_effect.push(message);
        }
        if let Some(wanted) = &choice.last_failed {
            self.keep_last_failed(wanted)?;
        }
        if let Some(times) = choice.repeat_each {
            self.repeat(times);
        }
        if let Some(seed) = choice.shuffle {
            let cases = std::mem::take(&mut self.cases);
            let mut units = self.units(cases, |case| &case.flow.source.path);
            fastrand::Rng::with_seed(seed).shuffle(&mut units);
            self.cases = units.into_iter().flatten().collect();
        }
        Ok(())
    }

    /// Keeps what failed in its last run, and in a sequence also all cases after it, which did not run then; the
    /// order stays. A flow that cannot be read counts as failed if any case of it failed. Flows that never ran are left
    /// out with a note, unless a flow that failed is gone: they may be it under another name, and are kept with a note.
    /// Fails if none failed and no flow is in the history, or a flow that failed may have been renamed: an empty plan
    /// would pass. With `or_all` the whole plan is kept in these cases, with a note. If all passed, the plan is empty.
    fn keep_last_failed(&mut self, wanted: &LastFailedFilter) -> Result<(), PlanError> {
        let failures = &wanted.failures;
        let of_case = |case: &PlannedCase| {
            let name = case.case.as_ref().map(|case| case.name.to_string());
            (case.flow.source.path.clone(), name)
        };
        let cases = self.cases.iter().map(of_case);
        let all: Vec<_> = cases
            .chain(self.unreadable.iter().map(|(path, _)| (path.clone(), None)))
            .collect();
        let count = |test: &dyn Fn(&str, Option<&str>) -> bool| {
            all.iter()
                .filter(|(path, case)| test(path.as_str(), case.as_deref()))
                .count()
        };
        let found = all.len();
        let unread: BTreeSet<String> = self
            .unreadable
            .iter()
            .map(|(path, _)| path.to_string())
            .collect();
        // Which cases it has is not known until it reads.
        let has = |flow: &str, case: Option<&str>| {
            failures.has(flow, case)
                || unread.contains(flow) && failures.keys().any(|key| key.flow == flow)
        };
        let knows = |flow: &str, case: Option<&str>| failures.knows(flow, case) || has(flow, case);
        let unknown = found - count(&knows);
        let failed = count(&has);
        // A flow that failed and is gone may be one of those that never ran, under another name.
        let gone = failures
            .keys()
            .filter(|key| !unread.contains(&key.flow) && wanted.is_gone(key, &all));
        let gone = gone.filter(|key| !failures.has_successor(key));
        let is_renamed = unknown > 0 && gone.count() > 0;
        if failed == 0 && (unknown == found || is_renamed) {
            if wanted.or_all {
                let message = "--last-failed=or-all: the history says nothing of them, so all run";
                self.without_effect.push(message.to_owned());
                return Ok(());
            }
            return Err(PlanError::NoHistory {
                history: wanted.history.clone(),
                unknown,
                found,
            });
        }
        if unknown > 0 {
            self.without_effect.push(if is_renamed {
                format!(
                    "--last-failed runs {unknown} of {found} flows that never ran too: a flow that failed is gone, and may be one of them under another name"
                )
            } else {
                format!("--last-failed leaves out {unknown} of {found} flows that never ran")
            });
        }
        let takes =
            |flow: &str, case: Option<&str>| has(flow, case) || is_renamed && !knows(flow, case);
        let is_wanted = |case: &PlannedCase| {
            let (flow, case) = of_case(case);
            takes(flow.as_str(), case.as_deref())
        };
        // Flows after a failure in a sequence did not run.
        let cases = std::mem::take(&mut self.cases);
        let units = self.units(cases, |case| &case.flow.source.path);
        self.cases = units
            .into_iter()
            .flat_map(|unit| unit.into_iter().skip_while(|case| !is_wanted(case)))
            .collect();
        self.unreadable
            .retain(|(path, _)| takes(path.as_str(), None));
        Ok(())
    }

    /// Returns true if there is nothing to run and no flow that cannot be read.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty() && self.unreadable.is_empty()
    }

    /// Repeats each case `times` times, with turns from 1, also if it is only once. The turns of a case follow each
    /// other. 0 leaves no case. Flows that cannot be read stay as they are.
    fn repeat(&mut self, times: u32) {
        let turns = |case: &PlannedCase| {
            let case = case.clone();
            (1..=times).map(move |turn| PlannedCase {
                repeat: Some(turn),
                ..case.clone()
            })
        };
        self.cases = self.cases.iter().flat_map(turns).collect();
    }
}

/// Returns `path › name › case`, the text that patterns match; without a case, `path › name`.
fn describe(case: &PlannedCase) -> String {
    let mut text = format!("{} › {}", case.flow.source.path, case.flow.name);
    if let Some(case) = &case.case {
        text.push_str(" › ");
        text.push_str(case.name.as_str());
    }
    text
}

impl Choice {
    /// Returns true if the text matches `grep`, or there is none, and does not match `grep_invert`.
    fn takes(&self, message: &str) -> bool {
        let finds = |pattern: &Regex| pattern.is_match(message);
        self.grep.as_ref().is_none_or(finds) && !self.grep_invert.as_ref().is_some_and(finds)
    }
}

/// Returns the end of a message where a pattern is an option behind `--`, or all that it looks for are tags: the option
/// that takes them. Empty for other patterns.
fn pattern_advice(pattern: &str, tags: &BTreeSet<String>) -> String {
    let bare = pattern.strip_prefix("(?i)").unwrap_or(pattern);
    let bare = bare.replace('\\', "");
    // Words behind `--` are paths, whatever they begin with.
    if bare.len() < pattern.len() && bare.starts_with("--") {
        return format!(
            "; `{bare}` stands behind `--`, where only paths do: leave it out, or write an option before `--`"
        );
    }
    let tag = |part: &str| {
        let word = part.trim_matches(['^', '$', '(', ')', '@', '#', ' ']);
        let begins = ["tags:", "tag:", "@"].iter();
        let word = begins
            .fold(word, |word, begin| word.strip_prefix(begin).unwrap_or(word))
            .trim();
        tags.iter().find(|tag| tag.eq_ignore_ascii_case(word))
    };
    let found: Option<Vec<&String>> = bare.split('|').map(tag).collect();
    match found.as_deref() {
        Some([tag]) => format!("; `{tag}` is a tag: write `--tag {}`", quote_to_copy(tag)),
        Some(several @ [_, ..]) => {
            let names: Vec<&str> = several.iter().map(|tag| tag.as_str()).collect();
            format!(
                "; these are tags: write `--tags {}`",
                quote_to_copy(&names.join(" or "))
            )
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Filter;
    use crate::test_project::project;
    use runner_config::Overrides;

    /// Without the project's own steps nothing runs, and no choice may hide why.
    #[test]
    fn an_error_of_the_project_stays_whatever_is_chosen() {
        let files = [
            ("runner.yaml", "setup: [ { clikc: a } ]\n"),
            ("flows/a.yaml", "steps: [ home ]\n"),
        ];
        let (_folder, config) = project(&files, &Overrides::default());
        let pattern = |text: &str| Some(Regex::new(text).unwrap());
        let choices = [
            Choice {
                grep: pattern("a"),
                ..Choice::default()
            },
            Choice {
                grep_invert: pattern("."),
                ..Choice::default()
            },
            Choice {
                last_failed: Some(LastFailedFilter {
                    failures: LastFailed::default(),
                    history: "history".into(),
                    or_all: false,
                    root: config.root.clone(),
                }),
                ..Choice::default()
            },
            Choice {
                repeat_each: Some(0),
                shuffle: Some(1),
                ..Choice::default()
            },
        ];
        for choice in choices {
            let mut plan = Plan::read(&config, &Filter::default()).unwrap();
            plan.choose(&choice).unwrap();
            let paths = plan.unreadable.iter().map(|(path, _)| path.as_str());
            assert_eq!(paths.collect::<Vec<_>>(), ["runner.yaml"], "{choice:?}");
        }
    }

    #[test]
    fn a_pattern_that_is_a_tag_is_told_from_others() {
        let tags = BTreeSet::from(["smoke".to_owned(), "log-in".to_owned()]);
        for (pattern, option) in [
            ("smoke", "`--tag smoke`"),
            ("(?i)smoke", "`--tag smoke`"),
            ("^@smoke$", "`--tag smoke`"),
            ("tag:smoke", "`--tag smoke`"),
            ("(?i)log\\-in", "`--tag log-in`"),
            ("SMOKE", "`--tag smoke`"),
            ("smoke|log-in", "smoke or log-in"),
        ] {
            let told = pattern_advice(pattern, &tags);
            assert!(told.contains(option), "{pattern}: {told}");
        }
        let told = pattern_advice("(?i)\\-\\-nocapture", &tags);
        assert!(told.contains("`--nocapture` stands behind"), "{told}");
        for pattern in ["", "smok", "smoke|other", "sm.ke", "--x"] {
            assert_eq!(pattern_advice(pattern, &tags), "", "{pattern}");
        }
    }
}
