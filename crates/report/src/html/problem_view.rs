//! Builds the problems of the overview, grouped as in the terminal and on GitHub.

use super::view::ProblemView;
use crate::problem::{self, Case, Problem};
use crate::results::Results;
use crate::text::count;

/// Lines of a problem in the overview. Chosen: the flow's own page has all; more would hide the other
/// problems.
const MAX_DETAILS: usize = 12;

/// Returns all problems of a run for the page: failures before flaky flows, both by the number of flows, most first.
/// Empty without problems.
pub(crate) fn views(results: &Results) -> Vec<ProblemView> {
    problem::problems(results)
        .into_iter()
        .map(|problem| view(problem, results))
        .collect()
}

/// Creates the view of a problem. More than `MAX_DETAILS` details are cut and counted in one more line. Place, wait
/// and the index of an unreadable flow come from the first case. Flows are indexes into `results`; those not in it
/// are left out. A problem without a review has no cause and no keys.
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
