//! Checks that the streams to merge are all shards of one plan.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use runner_base::exit_code::ExitCode;
use runner_event::{Event, EventKind, LogLevel, RunFailure, RunFailureKind, Shard};

/// Parts of a plan that are looked for. Source: `--shard` takes at most as many; a damaged stream may name any number.
const MAX_PARTS: u32 = 1000;

/// Reason why the shards do not make a complete run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShardProblem {
    /// No stream of a shard was given.
    Missing {
        /// Number of the shard, from 1.
        index: u32,
        /// Number of shards.
        total: u32,
    },
    /// Several runs executed the same shard.
    Repeated {
        /// Number of the shard, from 1.
        index: u32,
        /// Number of shards.
        total: u32,
        /// Number of runs.
        runs: usize,
    },
    /// The shards belong to different plans.
    Different {
        /// Shards of each plan, such as `1/4, 2/4`.
        plans: Vec<String>,
    },
}

impl fmt::Display for ShardProblem {
    /// Formats the problem as one line, with numbers from 1; other plans also say what to do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { index, total } => write!(
                f,
                "part {index} of {total} is missing: none of the streams is of it, so what it ran is not told here"
            ),
            Self::Repeated { index, total, runs } => {
                write!(
                    f,
                    "part {index} of {total} is there {runs} times, from different runs"
                )
            }
            Self::Different { plans } => write!(
                f,
                "the parts were planned differently, so flows may be left out or run twice: {}; run all parts with the same flows, tags, options and history",
                plans.join(" against ")
            ),
        }
    }
}

/// Checks the shards among the streams: that all are parts of the same plan, that none is missing and that none ran
/// twice. The same run given twice counts once. Streams of runs that are no shard are ignored. Different plans come
/// first, then missing and repeated shards by their number. Returns nothing if all is well or no stream is a shard.
pub fn shard_problems(streams: &[Vec<Event>]) -> Vec<ShardProblem> {
    let mut runs: BTreeMap<&str, &Shard> = BTreeMap::new();
    for event in streams.iter().filter_map(|stream| stream.first()) {
        if let EventKind::Start {
            run_id,
            shard: Some(shard),
            ..
        } = &event.kind
        {
            // The same run given twice counts once.
            runs.insert(run_id, shard);
        }
    }
    let mut problems = Vec::new();
    let mut plans: BTreeMap<(u32, &str), BTreeSet<u32>> = BTreeMap::new();
    let mut parts: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for shard in runs.values() {
        let plan = plans.entry((shard.total, &shard.plan)).or_default();
        plan.insert(shard.index);
        *parts.entry((shard.total, shard.index)).or_default() += 1;
    }
    if plans.len() > 1 {
        // Hashes have no order that means anything.
        let mut plans: Vec<_> = plans
            .iter()
            .map(|((total, _), parts)| (total, parts))
            .collect();
        plans.sort();
        let plans = plans.into_iter().map(|(total, indices)| {
            let parts: Vec<String> = indices.iter().map(|it| format!("{it}/{total}")).collect();
            parts.join(", ")
        });
        problems.push(ShardProblem::Different {
            plans: plans.collect(),
        });
    }
    let totals: BTreeSet<u32> = plans.keys().map(|(total, _)| *total).collect();
    for total in totals {
        for index in 1..=total.min(MAX_PARTS) {
            match parts.get(&(total, index)) {
                None => problems.push(ShardProblem::Missing { index, total }),
                Some(1) => {}
                Some(runs) => problems.push(ShardProblem::Repeated {
                    index,
                    total,
                    runs: *runs,
                }),
            }
        }
    }
    problems
}

impl ShardProblem {
    pub fn as_failure(&self) -> RunFailure {
        RunFailure::new(RunFailureKind::Parts, self.to_string())
    }
}

/// Adds the problems to a merged stream: as warnings before its `finish` event, or at the end of a stream without
/// one. The `finish` event also gets them as failures, and at least the exit code of a missing device; without one
/// there is no failure. Events are numbered anew from 0. Changes nothing if there are no problems.
pub fn report_shard_problems(events: &mut Vec<Event>, problems: &[ShardProblem]) {
    if problems.is_empty() {
        return;
    }
    let finish = events
        .iter()
        .position(|event| matches!(event.kind, EventKind::Finish { .. }));
    let at = finish.unwrap_or(events.len());
    let t_ms = events[..at].last().map_or(0, |event| event.t_ms);
    let reported = problems.iter().map(|problem| Event {
        seq: 0,
        t_ms,
        kind: EventKind::Log {
            id: None,
            level: LogLevel::Warning,
            message: problem.to_string(),
        },
    });
    events.splice(at..at, reported.collect::<Vec<_>>());
    for (seq, event) in (0..).zip(events) {
        event.seq = seq;
        if let EventKind::Finish {
            exit_code, because, ..
        } = &mut event.kind
        {
            *exit_code = (*exit_code).max(ExitCode::NoDevice as u8);
            let failures = problems.iter().map(ShardProblem::as_failure);
            because.extend(failures);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::one_flow;

    fn stream(run: &str, part: Option<(u32, u32, &str)>) -> Vec<Event> {
        let mut events = one_flow();
        if let EventKind::Start { run_id, shard, .. } = &mut events[0].kind {
            *run_id = run.to_owned();
            *shard = part.map(|(index, total, plan)| Shard {
                index,
                total,
                plan: plan.to_owned(),
            });
        }
        events
    }

    #[test]
    fn what_is_missing_doubled_or_of_another_plan_is_named() {
        let missing = |index, total| ShardProblem::Missing { index, total };
        for (name, streams, expected) in [
            ("no parts", vec![("a", None), ("b", None)], vec![]),
            (
                "whole, with a later run of what failed",
                vec![
                    ("a", Some((1, 2, "x"))),
                    ("b", Some((2, 2, "x"))),
                    ("c", None),
                ],
                vec![],
            ),
            (
                "missing",
                vec![("a", Some((2, 3, "x")))],
                vec![missing(1, 3), missing(3, 3)],
            ),
            (
                "the same run twice",
                vec![("a", Some((1, 1, "x"))), ("a", Some((1, 1, "x")))],
                vec![],
            ),
            (
                "doubled",
                vec![("a", Some((1, 1, "x"))), ("b", Some((1, 1, "x")))],
                vec![ShardProblem::Repeated {
                    index: 1,
                    total: 1,
                    runs: 2,
                }],
            ),
            (
                "of a plan that no run has",
                vec![("a", Some((1, u32::MAX, "x")))],
                (2..=MAX_PARTS)
                    .map(|index| missing(index, u32::MAX))
                    .collect(),
            ),
            (
                "of another plan",
                vec![("a", Some((1, 2, "x"))), ("b", Some((2, 2, "y")))],
                vec![ShardProblem::Different {
                    plans: vec!["1/2".into(), "2/2".into()],
                }],
            ),
        ] {
            let streams: Vec<Vec<Event>> = streams
                .into_iter()
                .map(|(run, part)| stream(run, part))
                .collect();
            assert_eq!(shard_problems(&streams), expected, "{name}");
        }
    }

    #[test]
    fn the_merged_stream_says_so_too() {
        let mut events = stream("a", None);
        let length = events.len();
        report_shard_problems(&mut events, &[ShardProblem::Missing { index: 2, total: 3 }]);
        assert_eq!(events.len(), length + 1);
        assert!((0..).zip(&events).all(|(seq, event)| event.seq == seq));
        let EventKind::Finish { exit_code, .. } = events[length].kind else {
            panic!("{:?}", events[length]);
        };
        assert_eq!(exit_code, 3);
        assert!(
            matches!(&events[length - 1].kind, EventKind::Log { message, .. } if message.starts_with("part 2 of 3 is missing"))
        );
    }
}
