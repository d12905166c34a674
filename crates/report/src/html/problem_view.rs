//! Builds the problems of the overview, grouped as in the terminal and on GitHub.

use serde::Serialize;

use crate::problem::{self, Case, Problem};
use crate::results::Results;
use crate::text::count;
use runner_event::{FlowStatus, SourceLocation};
use runner_snapshot::Cause;

/// Lines of a problem in the overview. Chosen: the flow's own page has all; more would hide the other
/// problems.
const MAX_DETAILS: usize = 12;

/// Flows that failed for the same reason.
#[derive(Debug, Serialize)]
pub(crate) struct ProblemView {
    status: FlowStatus,
    /// Reason, in one line.
    title: String,
    /// Further lines, such as the nearest matches or the expected value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<String>,
    /// Place of the first flow's failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<SourceLocation>,
    /// Time that the first flow's step waited, such as `2s, virtual`.
    #[serde(skip_serializing_if = "Option::is_none")]
    waited: Option<String>,
    /// Indices of the flows in `flows`. Empty for an unreadable file.
    flows: Vec<usize>,
    /// Index of the unreadable file in `unreadable`.
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<usize>,
    /// Cause of the changed goldens, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<Cause>,
    /// Keys of the snapshots.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keys: Vec<String>,
}

/// Returns all problems of a run for the page: failures first, then by the number of flows.
pub(crate) fn views(results: &Results) -> Vec<ProblemView> {
    problem::problems(results)
        .into_iter()
        .map(|problem| view(problem, results))
        .collect()
}

fn view(problem: Problem, results: &Results) -> ProblemView {
    let mut details = problem.details;
    if details.len() > MAX_DETAILS {
        let more = count((details.len() - MAX_DETAILS) as u64, "more line");
        details.truncate(MAX_DETAILS);
        details.push(format!("and {more}"));
    }
    let first = problem.cases.first();
    let flow = |case: &Case| results.flows.get_index_of(case.key.as_ref()?);
    let unread = |case: &Case| {
        let is_it = |bad: &crate::records::InvalidFlow| bad.flow == case.flow;
        results.unreadable.iter().position(is_it)
    };
    let (cause, keys) = problem
        .review
        .map(|review| (review.cause, review.keys.into_iter().collect()))
        .unwrap_or_default();
    ProblemView {
        status: problem.status,
        title: problem.title,
        details,
        at: first.and_then(|case| case.at.clone()),
        waited: first.and_then(|case| Some(case.waited?.to_string())),
        flows: problem.cases.iter().filter_map(flow).collect(),
        unreadable: first.filter(|case| case.key.is_none()).and_then(unread),
        cause,
        keys,
    }
}
