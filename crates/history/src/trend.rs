//! Rates, durations and their trend, of flows and of their steps.

use std::collections::HashMap;

use indexmap::IndexMap;
use serde::Serialize;

use super::durations::median;
use super::format::{CaseKey, FlowResult, Outcome, StepOutcome};
use super::read::{History, PastRun};

/// So many passed results of now are compared with as many before them.
const COMPARED: usize = 10;

/// How a flow or a case did, over all runs of a history.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Trend {
    /// Results that say something of the flow: not those that were skipped or not run.
    pub results: usize,
    /// Passed at once.
    pub passed: usize,
    /// Passed after a failure.
    pub flaky: usize,
    /// Failed, or could not be run.
    pub failed: usize,
    /// Of all results, those that passed, at once or later; 0 to 1.
    pub pass_rate: f64,
    /// Of all results, those that passed only after a failure; 0 to 1.
    pub flake_rate: f64,
    /// The middle one of its durations where it passed, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<u64>,
    /// How much longer its newest passed results took than those before: 0.1 is a tenth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slower: Option<f64>,
    /// Since when it fails, where its newest run failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bad_since: Option<BadSince>,
    /// What came of it, oldest first.
    #[serde(skip)]
    pub points: Vec<Point>,
}

/// One result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// Which run, by its place in the history.
    pub run: usize,
    /// What came of it.
    pub outcome: Outcome,
    /// Milliseconds.
    pub ms: u64,
}

/// Where a row of failures that lasts until now began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BadSince {
    /// The first bad run.
    pub run: String,
    /// When that began, RFC 3339.
    pub started: String,
    /// The run before, in which it passed; none where the history knows none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_good: Option<String>,
    /// Runs since, with the first.
    pub runs: usize,
}

/// How one of a flow's own steps did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepTrend {
    /// As written, or its label.
    pub step: String,
    /// How often it ended.
    pub results: usize,
    /// How often it failed.
    pub failed: usize,
    /// The middle one of its durations where it passed, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<u64>,
    /// How much longer it takes than before: 0.1 is a tenth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slower: Option<f64>,
    /// Since when it fails, where it failed in the newest run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bad_since: Option<BadSince>,
}

/// The trends of all flows and cases.
#[derive(Debug, Clone, Default)]
pub struct Trends {
    of: HashMap<CaseKey, Trend>,
}

impl Trends {
    /// From what was read, without the run of this id.
    pub fn of(history: &History, without: Option<&str>) -> Self {
        let mut points: HashMap<CaseKey, Vec<Point>> = HashMap::new();
        for (run, past) in history.runs.iter().enumerate() {
            if without == Some(past.id.as_str()) {
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
        let of = points
            .into_iter()
            .map(|(key, points)| (key, Trend::new(points, &history.runs)));
        Self { of: of.collect() }
    }

    /// That of a flow or case; none where it never ran.
    pub fn get(&self, flow: &str, case: Option<&str>) -> Option<&Trend> {
        self.of.get(&CaseKey {
            flow: flow.to_owned(),
            case: case.map(ToOwned::to_owned),
        })
    }

    /// All, the worst first.
    pub fn worst_first(&self) -> Vec<(&CaseKey, &Trend)> {
        let mut all: Vec<_> = self.of.iter().collect();
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

/// What a step came to in a run, by the run's number, with its milliseconds.
type StepPoint = (usize, StepOutcome, u64);

/// The steps of a flow or case, whose lines were read, in the order of its newest run.
pub fn step_trends(history: &History, key: &CaseKey) -> Vec<StepTrend> {
    let mut all: IndexMap<(String, usize), Vec<StepPoint>> = IndexMap::new();
    for (run, past) in history.runs.iter().enumerate().rev() {
        for (at, steps) in sorted(past) {
            if past.flows[at].id.flow != key.flow || past.flows[at].id.case != key.case {
                continue;
            }
            // Of steps with the same title, the first is compared with the first.
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

fn sorted(past: &PastRun) -> Vec<(usize, &Vec<super::StepResult>)> {
    let mut steps: Vec<_> = past.steps.iter().map(|(at, steps)| (*at, steps)).collect();
    steps.sort_by_key(|(at, _)| *at);
    steps.retain(|(at, _)| *at < past.flows.len());
    steps
}

/// The failures of a flow by the step at which they happened, the most frequent first.
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

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// The median of the newest against that of as many before them; none where there are too few.
fn slower(times: &[u64]) -> Option<f64> {
    let number = (times.len() / 2).min(COMPARED);
    if number < 2 {
        return None;
    }
    let (before, now) = times[times.len() - 2 * number..].split_at(number);
    let (before, now) = (median(&mut before.to_vec())?, median(&mut now.to_vec())?);
    (before > 0).then(|| now as f64 / before as f64 - 1.0)
}

/// Runs with their verdicts, oldest first: a run is bad where anything in it failed.
fn bad_since(results: impl Iterator<Item = (usize, bool)>, runs: &[PastRun]) -> Option<BadSince> {
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
    Some(BadSince {
        run: run.id.clone(),
        started: run.started.to_rfc3339(),
        last_good: before.map(|run| run.id.clone()),
        runs: bad,
    })
}
