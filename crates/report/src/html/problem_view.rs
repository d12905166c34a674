//! What went wrong, for the overview: grouped as the terminal and GitHub group it.

use serde::Serialize;

use crate::problem::{self, Case, Problem};
use crate::results::Results;
use crate::text::count;
use runner_event::{FlowStatus, SourceLocation};
use runner_snapshot::Cause;

/// Lines of a problem in the overview; the flow's own page has all.
const DETAILS: usize = 12;

/// Flows that went wrong in the same way.
#[derive(Debug, Serialize)]
pub(crate) struct ProblemView {
    status: FlowStatus,
    /// What it is, in one line.
    title: String,
    /// What to know of it, a line each: the nearest matches, what was expected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<String>,
    /// Of the first flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<SourceLocation>,
    /// `2s, virtual`: how long the first flow's step waited in vain.
    #[serde(skip_serializing_if = "Option::is_none")]
    waited: Option<String>,
    /// The flows, by their places in `flows`; none for a file that does not read.
    flows: Vec<usize>,
    /// The file that does not read, by its place in `unreadable`.
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<usize>,
    /// Why goldens changed, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<Cause>,
    /// The snapshots that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keys: Vec<String>,
}

/// All problems of a run.
pub(crate) fn views(results: &Results) -> Vec<ProblemView> {
    problem::problems(results)
        .into_iter()
        .map(|problem| view(problem, results))
        .collect()
}

fn view(problem: Problem, results: &Results) -> ProblemView {
    let mut details = problem.details;
    if details.len() > DETAILS {
        let more = count((details.len() - DETAILS) as u64, "more line");
        details.truncate(DETAILS);
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
