//! Problems of a run: flows that failed, those with the same cause together, then the flaky ones.

use indexmap::{IndexMap, IndexSet};

use crate::failure::{stack_lines, verdict_words};
use crate::records::{Attempt, End, FlowRecord, StepRecord};
use crate::results::Results;
use runner_event::{FlowStatus, ResultKey, SnapshotResult, SourceLocation};
use runner_snapshot::{Cause, ChangeKind, GoldenKey, KeyNames};
use runner_text::harmless;
use runner_tools::{Failure, FailureKind, WaitTime, Words};

/// Of more than so many lines, those of further snapshots are left out.
const MOST_DETAILS: usize = 24;

/// Calls of an app that crashed: these reports show few lines.
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
    /// The snapshots, where goldens wait for a person's decision.
    pub review: Option<Review>,
}

/// Goldens that wait for a person's decision.
#[derive(Debug, Default)]
pub(super) struct Review {
    /// What changed them, all in the same way; none where that is not known.
    pub cause: Option<Cause>,
    /// Keys of the snapshots.
    pub keys: IndexSet<String>,
    /// The run left pending changes to decide about.
    pub is_pending: bool,
}

impl Problem {
    /// There are no goldens yet, for no class of devices.
    pub fn is_new(&self) -> bool {
        let Some(review) = &self.review else {
            return false;
        };
        // Asked for each flow that has it: most are known by their kind.
        let cause = review.cause.as_ref();
        cause
            .filter(|cause| cause.kind == ChangeKind::New)
            .zip(review.keys.first().and_then(|key| key.parse().ok()))
            .is_some_and(|(cause, key): (_, GoldenKey)| *cause == Cause::first_golden(&key))
    }
}

impl Case {
    /// Returns where it failed: the first line of the flow where that is not known, so that each problem has a place.
    pub fn place(&self) -> SourceLocation {
        self.at.clone().unwrap_or_else(|| SourceLocation {
            file: self.flow.as_str().into(),
            line: 1,
            column: 1,
            text: String::new(),
        })
    }
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
    /// How long the step waited in vain.
    pub waited: Option<WaitTime>,
    /// Its result; none for a flow that does not read.
    pub key: Option<ResultKey>,
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
            FlowStatus::Failed | FlowStatus::Error => failed(attempt, end, &results.names),
            FlowStatus::Flaky => flaky(record, attempt).into_iter().collect(),
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
    // A stable sort: of two that as many flows have, the order of the plan stays.
    problems.sort_by_key(|problem| {
        let is_flaky = problem.status == FlowStatus::Flaky;
        (is_flaky, std::cmp::Reverse(problem.cases.len()))
    });
    problems
}

/// A problem as one flow has it.
struct Entry {
    /// The same for flows that have the same problem.
    id: String,
    problem: Problem,
    at: Option<SourceLocation>,
    waited: Option<WaitTime>,
}

impl Entry {
    /// With the snapshot's name in place of its key.
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
    /// Takes what another flow has of it. Several snapshots of a flow may share a cause: it is one case of it.
    fn join(&mut self, other: Problem, case: Case) {
        let is_new = self.is_new();
        if let (Some(review), Some(more)) = (&mut self.review, other.review) {
            // A step that is tried again takes the same once more.
            review.keys.extend(more.keys);
            review.is_pending |= more.is_pending;
            // New goldens of a flow are one cause, and each may say something else.
            if is_new && self.details.len() < MOST_DETAILS {
                let other = other.details.into_iter();
                let new = other.filter(|line| !self.details.contains(line));
                self.details.extend(new.collect::<Vec<_>>());
            }
        }
        // What one flow has of it comes in a row.
        if self.cases.last().is_none_or(|last| last.key != case.key) {
            self.cases.push(case);
        }
    }
}

/// Returns 16 hex digits, the same for attempts that failed for the same reason, whatever flow and line they are of.
///
/// The message names the element that was meant. What was there instead does not count: a list or a clock says something else
/// in each run. The activity in front counts where the screen was judged, because one id stands on many screens.
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
    let message = failure.message.to_text();
    let parts = (failure.kind, message, &failure.expected, place);
    runner_base::files::hash(format!("{parts:?}").as_bytes())
}

fn place(attempt: &Attempt, end: &End) -> Option<SourceLocation> {
    let step = attempt.failed_step().map(|step| &step.at);
    end.failed_at.as_ref().or(step).cloned()
}

fn message(end: &End) -> String {
    let failure = end.failure.as_ref();
    failure.map_or_else(|| "failed".to_owned(), |failure| failure.message.to_text())
}

/// What ended the flow, and each reason why snapshots did not pass on the way.
fn failed(attempt: &Attempt, end: &End, names: &KeyNames) -> Vec<Entry> {
    let of_snapshots: Vec<Entry> = attempt
        .open_snapshots_by_step()
        .map(|(step, snapshot)| {
            of_snapshot(attempt, end, step, snapshot).shortened(names, snapshot)
        })
        .collect();
    let is_about_goldens = end.failure.as_ref().is_some_and(Failure::is_about_a_golden);
    let mut reported = Vec::new();
    // Where a golden ended the flow, one of these says so already.
    if !is_about_goldens || of_snapshots.is_empty() {
        reported.push(what_ended(attempt, end));
    }
    reported.extend(of_snapshots);
    reported
}

fn what_ended(attempt: &Attempt, end: &End) -> Entry {
    let at = place(attempt, end);
    let message = message(end);
    let mut details = Vec::new();
    let title = attempt.failed_step().map(|step| step.title.as_str());
    // The quoted line mostly says it; not where a step has a label or values were put in.
    let quoted = |title: &str| {
        let at = at.as_ref();
        // A title quotes no text.
        let written = |at: &SourceLocation| at.text.replace('"', "");
        at.is_none_or(|at| written(at).contains(&title.trim_end_matches('…').replace('"', "")))
    };
    details.extend(
        title
            .filter(|title| !quoted(title))
            .map(|title| format!("step: {}", harmless::line(title))),
    );
    details.extend(details_of(end, &message));
    for step in attempt.soft_failures() {
        let why = step
            .failure
            .as_ref()
            .map(|failure| first_line(&failure.message));
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

/// A snapshot that did not pass: with others that changed for the same reason, where that is known.
fn of_snapshot(
    attempt: &Attempt,
    end: &End,
    step: Option<&StepRecord>,
    snapshot: &SnapshotResult,
) -> Entry {
    let of_flow = || end.failure.as_ref().filter(|it| it.is_about_a_golden());
    let own = step.and_then(|step| step.failure.as_ref()).or_else(of_flow);
    let mut details: Vec<String> = own.iter().map(|own| first_line(&own.message)).collect();
    details.extend(
        own.iter()
            .flat_map(|own| own.details.iter().map(Words::to_text)),
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

/// What the failure says beyond the first line of its message.
fn details_of(end: &End, message: &str) -> Vec<String> {
    let mut details: Vec<String> = message.lines().skip(1).map(str::to_owned).collect();
    if let Some(failure) = &end.failure {
        let values = [
            ("expected:", &failure.expected),
            ("actual:", &failure.actual),
        ];
        for (name, value) in values {
            details.extend(value.as_ref().map(|value| format!("{name:<9} {value}")));
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

fn flaky(record: &FlowRecord, passed: &Attempt) -> Option<Entry> {
    let (attempt, end) = record
        .attempts
        .iter()
        .filter_map(|attempt| Some((attempt, attempt.end.as_ref()?)))
        .find(|(_, end)| matches!(end.status, FlowStatus::Failed | FlowStatus::Error))?;
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
