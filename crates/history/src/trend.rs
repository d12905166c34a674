//! Computes pass rates, durations and their trends, of flows and of their steps.

use std::collections::HashMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::durations::median;
use super::folder::RUN_ID_SEPARATOR;
use super::format::{CaseKey, FlowResult, Outcome, StepOutcome};
use super::past_run::PastRun;
use super::read::History;

/// Newest passed results that are compared with as many before them. Chosen: with much fewer, noise looks
/// like a trend; with much more, a slowdown shows late.
const MAX_COMPARED: usize = 10;

/// Rates and durations of a flow or case over all runs of a history.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Trend {
    /// Number of results, without skipped and interrupted ones.
    pub results: usize,
    /// Number that passed at the first attempt.
    pub passed: usize,
    /// Number that passed after a failed attempt.
    pub flaky: usize,
    /// Number that failed or could not be run.
    pub failed: usize,
    /// Share that passed, at once or later: 0 to 1.
    pub pass_rate: f64,
    /// Share that passed only after a failure: 0 to 1.
    pub flake_rate: f64,
    /// Median duration of the passed results, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<u64>,
    /// Relative growth of the median duration, newest passed results against those before: 0.1 is a tenth
    /// slower, negative is faster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slower: Option<f64>,
    /// Start of the current failures, if the newest run failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bad_since: Option<FailureStreak>,
    /// Single results, oldest first.
    #[serde(skip)]
    pub points: Vec<Point>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// Index of the run in the history.
    pub run: usize,
    pub outcome: Outcome,
    /// Duration in milliseconds.
    pub ms: u64,
}

/// Start of a sequence of failed runs that lasts until now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureStreak {
    /// Id of the first failed run.
    pub run: String,
    /// Time when that run began, RFC 3339.
    pub started: String,
    /// Id of the run before it, which passed. `None` if the history has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_good: Option<String>,
    /// Number of failed runs, including the first.
    pub runs: usize,
}

/// Rates and durations of one of a flow's own steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepTrend {
    /// Label of the step, or its text in the flow.
    pub step: String,
    /// Number of times it passed or failed.
    pub results: usize,
    /// Number of times it failed.
    pub failed: usize,
    /// Median duration when it passed, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<u64>,
    /// Relative growth of the median duration: 0.1 is a tenth slower.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slower: Option<f64>,
    /// Start of the current failures, if the step failed in the newest run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bad_since: Option<FailureStreak>,
}

/// Trends of all flows and cases of a history.
#[derive(Debug, Clone, Default)]
pub struct Trends {
    by_key: HashMap<CaseKey, Trend>,
}

impl Trends {
    /// Computes the trends of all flows and cases, without the run that has the id `without`, or the runs that a merged
    /// run of this id was made of; `None` leaves none out. Skipped and interrupted results do not count, and a flow with
    /// no others has no trend.
    pub fn from_history(history: &History, without: Option<&str>) -> Self {
        let left_out: Vec<&str> =
            without.map_or_else(Vec::new, |ids| ids.split(RUN_ID_SEPARATOR).collect());
        let mut points: HashMap<CaseKey, Vec<Point>> = HashMap::new();
        for (run, past) in history.runs.iter().enumerate() {
            if left_out.contains(&past.id.as_str()) {
                continue;
            }
            for flow in past.flows.iter().filter(|flow| flow.outcome.is_verdict()) {
                points.entry(flow.id.key()).or_default().push(Point {
                    run,
                    outcome: flow.outcome,
                    ms: flow.ms,
                });
            }
        }
        let by_key = points
            .into_iter()
            .map(|(key, points)| (key, Trend::new(points, &history.runs)));
        Self {
            by_key: by_key.collect(),
        }
    }

    /// Returns the trend of a flow or case, or `None` if it has no result that counts.
    pub fn get(&self, flow: &str, case: Option<&str>) -> Option<&Trend> {
        self.by_key.get(&CaseKey {
            flow: flow.to_owned(),
            case: case.map(ToOwned::to_owned),
        })
    }

    /// Lists all trends by pass rate, lowest first; then by flake rate, highest first; then by flow and case.
    pub fn worst_first(&self) -> Vec<(&CaseKey, &Trend)> {
        let mut all: Vec<_> = self.by_key.iter().collect();
        all.sort_by(|(one_key, one), (other_key, other)| {
            let (one_rate, other_rate) = (one.pass_rate, other.pass_rate);
            let by_rate = one_rate.total_cmp(&other_rate);
            by_rate
                .then(other.flake_rate.total_cmp(&one.flake_rate))
                .then(one_key.cmp(other_key))
        });
        all
    }
}

impl Trend {
    /// Creates the trend of the points. Without points all rates are 0. Times are those of passed and flaky
    /// results only.
    fn new(points: Vec<Point>, runs: &[PastRun]) -> Self {
        let count =
            |of: &dyn Fn(Outcome) -> bool| points.iter().filter(|point| of(point.outcome)).count();
        let passed = count(&|outcome| outcome == Outcome::Passed);
        let flaky = count(&|outcome| outcome == Outcome::Flaky);
        let results = points.len();
        let times = points.iter().filter(|point| point.outcome.is_passed());
        let times: Vec<u64> = times.map(|point| point.ms).collect();
        let good = points
            .iter()
            .map(|point| (point.run, point.outcome.is_passed()));
        Self {
            results,
            passed,
            flaky,
            failed: results - passed - flaky,
            pass_rate: share(passed + flaky, results),
            flake_rate: share(flaky, results),
            median_ms: median(&mut times.clone()),
            slower: slower(&times),
            bad_since: bad_since(good, runs),
            points,
        }
    }
}

/// Index of a run, with the outcome and the milliseconds of a step in it.
type StepPoint = (usize, StepOutcome, u64);

/// Computes the trends of the steps of a flow or case, in the order of its newest result. Steps that only older ones
/// have come behind. Steps with the same title are told apart by their order. Only passed and failed ones count; a step
/// with no others has no results. Needs a history read with [`super::Details::StepsOf`], without which there are none.
pub fn step_trends(history: &History, key: &CaseKey) -> Vec<StepTrend> {
    let mut all: IndexMap<(String, usize), Vec<StepPoint>> = IndexMap::new();
    for (run, past) in history.runs.iter().enumerate().rev() {
        // Newest first, as the runs: all are turned around below.
        for (at, steps) in sorted(past).into_iter().rev() {
            if past.flows[at].id.flow != key.flow || past.flows[at].id.case != key.case {
                continue;
            }
            // Steps with the same title are told apart by their order.
            let mut observed: HashMap<&str, usize> = HashMap::new();
            for step in steps {
                let turn = observed.entry(&step.title).or_default();
                *turn += 1;
                let entry = all.entry((step.title.clone(), *turn)).or_default();
                entry.push((run, step.outcome, step.ms));
            }
        }
    }
    all.into_iter()
        .map(|((step, _), mut points)| {
            points.reverse();
            points.retain(|(_, outcome, _)| {
                matches!(outcome, StepOutcome::Passed | StepOutcome::Failed)
            });
            let is_good = |outcome: StepOutcome| outcome == StepOutcome::Passed;
            let times = points.iter().filter(|(_, outcome, _)| is_good(*outcome));
            let times: Vec<u64> = times.map(|(_, _, ms)| *ms).collect();
            let good = points
                .iter()
                .map(|(run, outcome, _)| (*run, is_good(*outcome)));
            StepTrend {
                step,
                results: points.len(),
                failed: points.len() - times.len(),
                median_ms: median(&mut times.clone()),
                slower: slower(&times),
                bad_since: bad_since(good, &history.runs),
            }
        })
        .collect()
}

/// Returns the steps with the index of their flow, in that order. Leaves out steps without a flow.
fn sorted(past: &PastRun) -> Vec<(usize, &Vec<super::StepResult>)> {
    let mut steps: Vec<_> = past.steps.iter().map(|(at, steps)| (*at, steps)).collect();
    steps.sort_by_key(|(at, _)| *at);
    steps.retain(|(at, _)| *at < past.flows.len());
    steps
}

/// Counts the failures of a flow by the step that failed, most frequent first, those with the same number in the order
/// in which they first occur. Failures without a step are counted as `before its first step`. Results without a failure
/// are ignored.
pub fn failures_by_step<'a>(flows: impl Iterator<Item = &'a FlowResult>) -> Vec<(String, usize)> {
    let mut all: IndexMap<String, usize> = IndexMap::new();
    for failure in flows.filter_map(|flow| flow.failure.as_ref()) {
        let step = failure
            .step
            .clone()
            .unwrap_or_else(|| "before its first step".to_owned());
        *all.entry(step).or_default() += 1;
    }
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    all
}

/// Returns the part from 0 to 1; 0 of an empty whole.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// Compares the median of the newest values with that of as many before them, at most [`MAX_COMPARED`] each:
/// 0.1 is a tenth more. `times` are oldest first. Returns `None` with fewer than 4 values, or if the median
/// before is 0.
fn slower(times: &[u64]) -> Option<f64> {
    let number = (times.len() / 2).min(MAX_COMPARED);
    if number < 2 {
        return None;
    }
    let (before, now) = times[times.len() - 2 * number..].split_at(number);
    let (before, now) = (median(&mut before.to_vec())?, median(&mut now.to_vec())?);
    (before > 0).then(|| now as f64 / before as f64 - 1.0)
}

/// Finds the start of the failures that last until the newest run. `results` are (run index, passed), oldest
/// first; a run with several results failed if one did. Returns `None` if the newest run passed, or without
/// results.
fn bad_since(
    results: impl Iterator<Item = (usize, bool)>,
    runs: &[PastRun],
) -> Option<FailureStreak> {
    let mut verdicts: Vec<(usize, bool)> = Vec::new();
    for (run, is_good) in results {
        match verdicts.last_mut() {
            Some((of, all_good)) if *of == run => *all_good &= is_good,
            _ => verdicts.push((run, is_good)),
        }
    }
    let bad = verdicts
        .iter()
        .rev()
        .take_while(|(_, is_good)| !is_good)
        .count();
    let first = verdicts.len() - bad;
    let (run, _) = verdicts.get(first)?;
    let run = runs.get(*run)?;
    let before = first.checked_sub(1).and_then(|at| runs.get(verdicts[at].0));
    Some(FailureStreak {
        run: run.id.clone(),
        started: run.started.to_rfc3339(),
        last_good: before.map(|run| run.id.clone()),
        runs: bad,
    })
}
