//! What a person should know of a run: flows that failed, those with the same cause together, then the flaky ones.

use indexmap::IndexMap;

use crate::report::records::{Attempt, End, FlowRecord};
use crate::report::results::Results;
use crate::run::{FlowStatus, Recorded};

/// Flows that went wrong in the same way.
#[derive(Debug)]
pub(super) struct Problem {
    /// `Failed`, `Error` or `Flaky`.
    pub status: FlowStatus,
    /// What it is, in one line.
    pub title: String,
    /// What to know of it, a line each: of the first flow.
    pub details: Vec<String>,
    /// The flows; never empty.
    pub cases: Vec<Case>,
    /// Whether a golden waits for a person's decision.
    pub is_review: bool,
}

/// One flow of a problem.
#[derive(Debug)]
pub(super) struct Case {
    /// Its path.
    pub flow: String,
    /// Its device; none for a flow that does not read.
    pub device: Option<String>,
    /// Where it failed.
    pub at: Option<Recorded>,
}

/// All problems, failures first.
pub(super) fn problems(results: &Results) -> Vec<Problem> {
    let mut found: IndexMap<String, Problem> = IndexMap::new();
    for unreadable in &results.unreadable {
        let mut lines = unreadable.message.lines().map(str::to_owned);
        let title = lines.next().unwrap_or_default();
        let problem = Problem {
            status: FlowStatus::Error,
            title,
            details: lines.collect(),
            cases: vec![Case {
                flow: unreadable.flow.to_string(),
                device: None,
                at: unreadable.at.clone(),
            }],
            is_review: false,
        };
        found.insert(format!("unreadable {}", unreadable.flow), problem);
    }
    for ((flow, device), record) in &results.flows {
        let Some((attempt, end)) = record.outcome() else {
            continue;
        };
        let told = match end.status {
            FlowStatus::Failed | FlowStatus::Error => Some(failed(attempt, end)),
            FlowStatus::Flaky => flaky(record, attempt),
            _ => None,
        };
        let Some((key, mut problem, at)) = told else {
            continue;
        };
        let case = Case {
            flow: flow.to_string(),
            device: Some(device.clone()),
            at,
        };
        match found.get_mut(&key) {
            Some(known) => known.cases.push(case),
            None => {
                problem.cases.push(case);
                found.insert(key, problem);
            }
        }
    }
    let mut problems: Vec<Problem> = found.into_values().collect();
    problems.sort_by_key(|problem| problem.status == FlowStatus::Flaky);
    problems
}

type Told = (String, Problem, Option<Recorded>);

fn place(attempt: &Attempt, end: &End) -> Option<Recorded> {
    let step = attempt.failed_step().map(|step| &step.at);
    end.failed_at.as_ref().or(step).cloned()
}

fn message(end: &End) -> String {
    let failure = end.failure.as_ref();
    failure.map_or_else(|| "failed".to_owned(), |failure| failure.message.clone())
}

fn failed(attempt: &Attempt, end: &End) -> Told {
    let at = place(attempt, end);
    let message = message(end);
    let cause = attempt
        .open_snapshots()
        .find_map(|snapshot| snapshot.cause.as_ref());
    let (key, title) = match cause {
        Some(cause) => (format!("cause {}", cause.id), cause.title.clone()),
        None => {
            let place = at.as_ref().map(|at| (&at.file, at.line));
            (format!("{place:?} {message}"), first_line(&message))
        }
    };
    let mut details: Vec<String> = Vec::new();
    if cause.is_some() {
        details.push(first_line(&message));
    }
    details.extend(message.lines().skip(1).map(str::to_owned));
    if let Some(failure) = &end.failure {
        let values = [("expected", &failure.expected), ("actual", &failure.actual)];
        for (name, value) in values {
            details.extend(value.as_ref().map(|value| format!("{name}: {value}")));
        }
        details.extend(failure.details.iter().cloned());
    }
    for snapshot in attempt.open_snapshots() {
        for change in &snapshot.changes {
            if !details.contains(change) {
                details.push(change.clone());
            }
        }
    }
    let problem = Problem {
        status: end.status,
        title,
        details,
        cases: Vec::new(),
        is_review: attempt
            .open_snapshots()
            .any(|snapshot| snapshot.verdict != "unstable"),
    };
    (key, problem, at)
}

fn flaky(record: &FlowRecord, passed: &Attempt) -> Option<Told> {
    let (attempt, end) = record
        .attempts
        .iter()
        .filter_map(|attempt| Some((attempt, attempt.end.as_ref()?)))
        .find(|(_, end)| matches!(end.status, FlowStatus::Failed | FlowStatus::Error))?;
    let at = place(attempt, end);
    let message = message(end);
    let place = at.as_ref().map(|at| (&at.file, at.line));
    let problem = Problem {
        status: FlowStatus::Flaky,
        title: first_line(&message),
        details: vec![format!(
            "attempt {} failed, attempt {} passed",
            attempt.number, passed.number
        )],
        cases: Vec::new(),
        is_review: false,
    };
    Some((format!("flaky {place:?} {message}"), problem, at))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
