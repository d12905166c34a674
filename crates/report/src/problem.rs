//! Collects the problems of a run: failed flows, grouped by cause, then the flaky ones.

use indexmap::{IndexMap, IndexSet};

use crate::failure::{has_title, stack_lines, verdict_words};
use crate::records::{Attempt, End, FlowRecord, StepRecord};
use crate::results::Results;
use runner_event::{FlowStatus, ResultKey, SnapshotResult, SourceLocation};
use runner_snapshot::{Cause, ChangeKind, GoldenKey, KeyNames};
use runner_text::harmless;
use runner_tools::{Failure, FailureKind, WaitTime, Words};

/// Lines of details; beyond them, those of further snapshots are left out. Chosen: about a screen of a
/// terminal.
const MAX_DETAILS: usize = 24;

/// Lines of a crash's stack. Chosen: annotations and summaries have little room; the first calls tell most.
const MAX_STACK_LINES: usize = 10;

/// Flows that failed for the same reason.
#[derive(Debug)]
pub(super) struct Problem {
    /// Always `Failed`, `Error` or `Flaky`.
    pub status: FlowStatus,
    /// Reason, in one line.
    pub title: String,
    /// Further lines about the first flow.
    pub details: Vec<String>,
    /// Flows with this problem; never empty.
    pub cases: Vec<Case>,
    /// Snapshots, if goldens wait for a decision.
    pub review: Option<Review>,
}

/// Goldens that wait for a decision.
#[derive(Debug, Default)]
pub(super) struct Review {
    /// Common cause of the changes, if it is known.
    pub cause: Option<Cause>,
    /// Keys of the snapshots.
    pub keys: IndexSet<String>,
    /// True if the run left pending changes, which `runner review` shows.
    pub is_pending: bool,
}

impl Problem {
    /// Returns true if the problem is that snapshots of one flow have no golden yet. Returns false for a problem
    /// without a review, and for a missing picture of one render class with a golden in others, which has another
    /// cause.
    pub fn is_new(&self) -> bool {
        let Some(review) = &self.review else {
            return false;
        };
        // Called for each flow of a problem: the kind alone decides for most.
        let cause = review.cause.as_ref();
        cause
            .filter(|cause| cause.kind == ChangeKind::New)
            .zip(review.keys.first().and_then(|key| key.parse().ok()))
            .is_some_and(|(cause, key): (_, GoldenKey)| *cause == Cause::first_golden(&key))
    }
}

impl Case {
    /// Returns the place of the failure. If it is unknown, returns line 1, column 1 of the flow's file without its
    /// text: every problem needs a place.
    pub fn place(&self) -> SourceLocation {
        self.at.clone().unwrap_or_else(|| SourceLocation {
            file: self.flow.as_str().into(),
            line: 1,
            column: 1,
            text: String::new(),
        })
    }
}

/// Result of a flow on a device that has a problem.
#[derive(Debug)]
pub(super) struct Case {
    /// Path of the flow.
    pub flow: String,
    /// Name of the case, repetition and the like, if the flow has several results.
    pub case: Option<String>,
    /// Label of the device. `None` for an unreadable flow.
    pub device: Option<String>,
    pub at: Option<SourceLocation>,
    /// Time that the step waited for its condition.
    pub waited: Option<WaitTime>,
    /// Key of the result. `None` for an unreadable flow.
    pub key: Option<ResultKey>,
}

/// Returns all problems: failures first, then flaky flows, each by the number of flows, most first; equal ones in the
/// order of the plan, after unreadable flows. Flows that failed for the same reason are one problem with several
/// cases, and a flow may be in several problems. Unreadable flows are one problem each. Flows that have no end,
/// passed, were skipped, interrupted or quarantined have none.
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
                waited: None,
                key: None,
            }],
            review: None,
        };
        found.insert(format!("unreadable {}", unreadable.flow), problem);
    }
    for (key, record) in &results.flows {
        let Some((attempt, end)) = record.outcome() else {
            continue;
        };
        let reported = match end.status {
            FlowStatus::Failed | FlowStatus::Error => failed_entries(attempt, end, &results.names),
            FlowStatus::Flaky => flaky_entry(record, attempt).into_iter().collect(),
            _ => Vec::new(),
        };
        for entry in reported {
            let case = Case {
                flow: key.id.flow.to_string(),
                case: key.id.distinction(),
                device: record.device().map(str::to_owned),
                at: entry.at,
                waited: entry.waited,
                key: Some(key.clone()),
            };
            match found.entry(entry.id) {
                indexmap::map::Entry::Occupied(known) => known.into_mut().join(entry.problem, case),
                indexmap::map::Entry::Vacant(place) => {
                    place.insert(entry.problem).cases.push(case);
                }
            }
        }
    }
    let mut problems: Vec<Problem> = found.into_values().collect();
    // The sort is stable: problems with as many flows stay in the order of the plan.
    problems.sort_by_key(|problem| {
        let is_flaky = problem.status == FlowStatus::Flaky;
        (is_flaky, std::cmp::Reverse(problem.cases.len()))
    });
    problems
}

/// Problem of a single flow, before grouping.
struct Entry {
    /// Equal for flows with the same problem.
    id: String,
    problem: Problem,
    at: Option<SourceLocation>,
    waited: Option<WaitTime>,
}

impl Entry {
    /// Replaces the snapshot's key in title and details by its short name. The id and the review keep the whole key.
    fn shortened(mut self, names: &KeyNames, snapshot: &SnapshotResult) -> Self {
        let keys = [snapshot.key.as_str()];
        let details = &mut self.problem.details;
        for text in details.iter_mut().chain([&mut self.problem.title]) {
            *text = names.shorten(text, &keys);
        }
        self
    }
}

impl Problem {
    /// Adds another flow. Title, status and place stay those of the first. Several snapshots of a flow may have the
    /// same cause: they are one case with several keys. New goldens add the details that are not there yet, until
    /// there are `MAX_DETAILS` or more. All other details are dropped.
    fn join(&mut self, other: Problem, case: Case) {
        let is_new = self.is_new();
        if let (Some(review), Some(more)) = (&mut self.review, other.review) {
            // A retried step takes the same snapshot again.
            review.keys.extend(more.keys);
            review.is_pending |= more.is_pending;
            // New goldens of one flow have the same cause, but may have different details.
            if is_new && self.details.len() < MAX_DETAILS {
                let other = other.details.into_iter();
                let new = other.filter(|line| !self.details.contains(line));
                self.details.extend(new.collect::<Vec<_>>());
            }
        }
        // All entries of one flow come one after another.
        if self.cases.last().is_none_or(|last| last.key != case.key) {
            self.cases.push(case);
        }
    }
}

/// Returns 16 hex digits that are equal for attempts that failed for the same reason, in whatever flow and line. Kind,
/// masked message and expected value count.
///
/// For assertions and timeouts the activity in front counts too, because an id may be on many screens; for crashes the
/// first line of the stack. The actual value does not: a list or a clock shows something else in each run. An end
/// without a failure is identified by its place.
pub(super) fn cause_id(end: &End) -> String {
    let Some(failure) = &end.failure else {
        return runner_base::files::hash(format!("{:?}", end.failed_at).as_bytes());
    };
    let place = match failure.kind {
        FailureKind::Assertion | FailureKind::Timeout => failure.in_front.as_deref(),
        kind if kind.is_crash() => failure
            .crash
            .as_ref()
            .and_then(|crash| crash.stack.first())
            .map(String::as_str),
        _ => None,
    };
    let message = failure.message.masked_text();
    let parts = (failure.kind, message, &failure.expected, place);
    runner_base::files::hash(format!("{parts:?}").as_bytes())
}

fn place(attempt: &Attempt, end: &End) -> Option<SourceLocation> {
    let step = attempt.failed_step().map(|step| &step.at);
    end.failed_at.as_ref().or(step).cloned()
}

/// Returns the whole masked message of the failure, or `failed` if there is none.
fn message(end: &End) -> String {
    let failure = end.failure.as_ref();
    failure.map_or_else(
        || "failed".to_owned(),
        |failure| failure.message.masked_text().to_owned(),
    )
}

/// Returns an entry for the failure that ended the flow, then one for each snapshot of the attempt that did not pass,
/// with short names. If a golden ended the flow, the failure has no entry of its own, as one of the snapshots'
/// entries says so already. Never empty.
fn failed_entries(attempt: &Attempt, end: &End, names: &KeyNames) -> Vec<Entry> {
    let snapshots: Vec<Entry> = attempt
        .open_snapshots_by_step()
        .map(|(step, snapshot)| {
            snapshot_entry(attempt, end, step, snapshot).shortened(names, snapshot)
        })
        .collect();
    let is_about_goldens = end.failure.as_ref().is_some_and(Failure::is_about_a_golden);
    let mut reported = Vec::new();
    // If a golden ended the flow, one of the snapshots' entries says so already.
    if !is_about_goldens || snapshots.is_empty() {
        reported.push(failure_entry(attempt, end));
    }
    reported.extend(snapshots);
    reported
}

/// Creates the entry of a failed attempt, without a case and a review. The title is the first line of its message, or
/// `failed`. Details name the step only if the quoted line does not contain its title, then what the failure says,
/// then the soft failures.
fn failure_entry(attempt: &Attempt, end: &End) -> Entry {
    let at = place(attempt, end);
    let message = message(end);
    let mut details = Vec::new();
    let title = attempt.failed_step().map(|step| step.title.as_str());
    let quoted = |title: &str| at.as_ref().is_none_or(|at| has_title(at, title));
    details.extend(
        title
            .filter(|title| !quoted(title))
            .map(|title| format!("step: {}", harmless::line(title))),
    );
    details.extend(failure_details(end, &message));
    for step in attempt.soft_failures() {
        let why = step
            .failure
            .as_ref()
            .map(|failure| first_line(failure.message.masked_text()));
        let (file, line) = (&step.at.file, step.at.line);
        let why = why.unwrap_or_default();
        details.push(format!("also failed: {why} ({file}:{line})"));
    }
    Entry {
        id: cause_id(end),
        problem: Problem {
            status: end.status,
            title: first_line(&message),
            details,
            cases: Vec::new(),
            review: None,
        },
        waited: end.failure.as_ref().and_then(|failure| failure.waited),
        at,
    }
}

/// Builds the entry of a snapshot that did not pass, without a case. Snapshots with the same known cause get the same
/// id; without one the key is the id. The title is the cause's, else the first line of the failure of the step, or of
/// the flow if that is about a golden, else the verdict. Details are the rest of that failure and the changes. It has
/// a review only if a person must decide about the snapshot.
fn snapshot_entry(
    attempt: &Attempt,
    end: &End,
    step: Option<&StepRecord>,
    snapshot: &SnapshotResult,
) -> Entry {
    let of_flow = || end.failure.as_ref().filter(|it| it.is_about_a_golden());
    let own = step.and_then(|step| step.failure.as_ref()).or_else(of_flow);
    let mut details: Vec<String> = own
        .iter()
        .map(|own| first_line(own.message.masked_text()))
        .collect();
    details.extend(
        own.iter()
            .flat_map(|own| own.details.iter().map(Words::masked_text))
            .map(str::to_owned),
    );
    add_changes(&mut details, std::iter::once(snapshot));
    let cause = snapshot.cause.clone();
    let verdict = || {
        format!(
            "snapshot {}: {}",
            snapshot.key,
            verdict_words(snapshot.verdict)
        )
    };
    let title = match &cause {
        Some(cause) => cause.title.clone(),
        None if details.is_empty() => verdict(),
        None => details.remove(0),
    };
    let at = step.map(|step| step.at.clone());
    Entry {
        id: match &cause {
            Some(cause) => format!("cause {}", cause.id),
            None => format!("snapshot {}", snapshot.key),
        },
        problem: Problem {
            status: end.status,
            title,
            details,
            cases: Vec::new(),
            review: snapshot.needs_decision().then(|| Review {
                cause,
                keys: IndexSet::from([snapshot.key.clone()]),
                is_pending: !snapshot.pending.is_empty(),
            }),
        },
        at: at.or_else(|| place(attempt, end)),
        waited: None,
    }
}

/// Returns the lines of a failure after the first line of its message: the rest of `message`, expected and actual
/// value, details, and process and at most `MAX_STACK_LINES` lines of a crash's stack. A detail may have several
/// lines. Empty if there is none of it.
fn failure_details(end: &End, message: &str) -> Vec<String> {
    let mut details: Vec<String> = message.lines().skip(1).map(str::to_owned).collect();
    if let Some(failure) = &end.failure {
        let values = [
            ("expected:", &failure.expected),
            ("actual:", &failure.actual),
        ];
        for (name, value) in values {
            details.extend(value.as_ref().map(|value| format!("{name:<9} {value}")));
        }
        let lines = failure.details.iter().map(Words::masked_text);
        details.extend(lines.map(str::to_owned));
        if let Some(crash) = &failure.crash {
            details.extend(stack_lines(crash, MAX_STACK_LINES));
        }
    }
    details
}

/// Appends each change that is not yet among the details.
fn add_changes<'a>(details: &mut Vec<String>, snapshots: impl Iterator<Item = &'a SnapshotResult>) {
    for change in snapshots.flat_map(|snapshot| &snapshot.changes) {
        if !details.contains(change) {
            details.push(change.clone());
        }
    }
}

/// Creates the entry of a flow that passed at last, with message and place of its first attempt that failed, in
/// quarantine too, or had an error; `None` if no attempt did. The only detail names both attempts.
fn flaky_entry(record: &FlowRecord, passed: &Attempt) -> Option<Entry> {
    let (attempt, end) = record
        .attempts
        .iter()
        .filter_map(|attempt| Some((attempt, attempt.end.as_ref()?)))
        .find(|(_, end)| end.has_failed())?;
    let at = place(attempt, end);
    let message = message(end);
    let problem = Problem {
        status: FlowStatus::Flaky,
        title: first_line(&message),
        details: vec![format!(
            "attempt {} failed, attempt {} passed",
            attempt.number, passed.number
        )],
        cases: Vec::new(),
        review: None,
    };
    Some(Entry {
        id: format!("flaky {}", cause_id(end)),
        problem,
        at,
        waited: None,
    })
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
