//! What a person should know of a run: flows that failed, those with the same cause together, then the flaky ones.

use indexmap::IndexMap;

use crate::failure::stack_lines;
use crate::records::{Attempt, End, FlowRecord, StepRecord};
use crate::results::Results;
use runner_event::{FlowStatus, SnapshotResult, SnapshotVerdict, SourceLocation};
use runner_tools::{Failure, Words};

/// Calls of an app that crashed: an annotation shows few lines.
const STACK: usize = 10;

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
    /// What distinguishes it from other cases of its flow.
    pub case: Option<String>,
    /// Its device; none for a flow that does not read.
    pub device: Option<String>,
    /// Where it failed.
    pub at: Option<SourceLocation>,
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
                case: None,
                device: None,
                at: unreadable.at.clone(),
            }],
            is_review: false,
        };
        found.insert(format!("unreadable {}", unreadable.flow), problem);
    }
    for (key, record) in &results.flows {
        let Some((attempt, end)) = record.outcome() else {
            continue;
        };
        let reported = match end.status {
            FlowStatus::Failed | FlowStatus::Error => failed(attempt, end),
            FlowStatus::Flaky => flaky(record, attempt).into_iter().collect(),
            _ => Vec::new(),
        };
        for (cause, problem, at) in reported {
            let case = Case {
                flow: key.id.flow.to_string(),
                case: key.id.distinction(),
                device: record.device().map(str::to_owned),
                at,
            };
            found.entry(cause).or_insert(problem).cases.push(case);
        }
    }
    let mut problems: Vec<Problem> = found.into_values().collect();
    // A stable sort: within each kind the order of the plan stays.
    problems.sort_by_key(|problem| problem.status == FlowStatus::Flaky);
    problems
}

type ProblemEntry = (String, Problem, Option<SourceLocation>);

fn place(attempt: &Attempt, end: &End) -> Option<SourceLocation> {
    let step = attempt.failed_step().map(|step| &step.at);
    end.failed_at.as_ref().or(step).cloned()
}

fn message(end: &End) -> String {
    let failure = end.failure.as_ref();
    failure.map_or_else(|| "failed".to_owned(), |failure| failure.message.to_text())
}

/// What ended the flow, and each reason why snapshots changed on the way.
fn failed(attempt: &Attempt, end: &End) -> Vec<ProblemEntry> {
    let mut reported: Vec<ProblemEntry> = Vec::new();
    let is_about_goldens = end.failure.as_ref().is_some_and(Failure::is_about_a_golden);
    let causes: Vec<ProblemEntry> = attempt
        .open_snapshots_by_step()
        .filter_map(|(step, snapshot)| of_cause(attempt, end, step, snapshot))
        .collect();
    // Where a golden ended the flow, one of the causes says so already.
    if !is_about_goldens || causes.is_empty() {
        reported.push(what_ended(attempt, end, causes.is_empty()));
    }
    for one in causes {
        // Several snapshots of a flow may share a cause: it is one case of it.
        if reported.iter().all(|(key, ..)| *key != one.0) {
            reported.push(one);
        }
    }
    reported
}

/// `is_all`: nothing else is reported of the flow.
fn what_ended(attempt: &Attempt, end: &End, is_all: bool) -> ProblemEntry {
    let at = place(attempt, end);
    let message = message(end);
    let mut details = details_of(end, &message);
    let open = || attempt.open_snapshots().filter(|_| is_all);
    add_changes(&mut details, open());
    let line = at.as_ref().map(|at| (&at.file, at.line));
    let key = format!("{line:?} {message}");
    let problem = Problem {
        status: end.status,
        title: first_line(&message),
        details,
        cases: Vec::new(),
        is_review: open().any(|snapshot| snapshot.verdict != SnapshotVerdict::Unstable),
    };
    (key, problem, at)
}

/// A snapshot that changed for a reason that is known.
fn of_cause(
    attempt: &Attempt,
    end: &End,
    step: Option<&StepRecord>,
    snapshot: &SnapshotResult,
) -> Option<ProblemEntry> {
    let cause = snapshot.cause.as_ref()?;
    let of_flow = || end.failure.as_ref().filter(|it| it.is_about_a_golden());
    let own = step.and_then(|step| step.failure.as_ref()).or_else(of_flow);
    let mut details: Vec<String> = own.iter().map(|own| first_line(&own.message)).collect();
    details.extend(
        own.iter()
            .flat_map(|own| own.details.iter().map(Words::to_text)),
    );
    add_changes(&mut details, std::iter::once(snapshot));
    let problem = Problem {
        status: end.status,
        title: cause.title.clone(),
        details,
        cases: Vec::new(),
        is_review: true,
    };
    let at = step.map(|step| step.at.clone());
    let at = at.or_else(|| place(attempt, end));
    Some((format!("cause {}", cause.id), problem, at))
}

/// What the failure says beyond the first line of its message.
fn details_of(end: &End, message: &str) -> Vec<String> {
    let mut details: Vec<String> = message.lines().skip(1).map(str::to_owned).collect();
    if let Some(failure) = &end.failure {
        let values = [("expected", &failure.expected), ("actual", &failure.actual)];
        for (name, value) in values {
            details.extend(value.as_ref().map(|value| format!("{name}: {value}")));
        }
        details.extend(failure.details.iter().map(Words::to_text));
        if let Some(crash) = &failure.crash {
            details.extend(stack_lines(crash, STACK));
        }
    }
    details
}

fn add_changes<'a>(details: &mut Vec<String>, snapshots: impl Iterator<Item = &'a SnapshotResult>) {
    for change in snapshots.flat_map(|snapshot| &snapshot.changes) {
        if !details.contains(change) {
            details.push(change.clone());
        }
    }
}

fn flaky(record: &FlowRecord, passed: &Attempt) -> Option<ProblemEntry> {
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
