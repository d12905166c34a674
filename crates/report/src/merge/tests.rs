use super::*;
use crate::Results;
use crate::testing::{every_ending, one_flow};
use runner_event::{FlowId, FlowStatus, QuarantineNote, RunFailure, RunFailureKind, Totals};

/// Run of flows with their results. A flow with `None` never began.
struct RunFixture<'a> {
    id: &'a str,
    started: &'a str,
    device: &'a str,
    sdk: u32,
    flows: &'a [(&'a str, FlowStatus)],
    killed: bool,
}

const SHARD: RunFixture = RunFixture {
    id: "one",
    started: "2026-01-02T03:00:00+00:00",
    device: "virtual",
    sdk: 34,
    flows: &[],
    killed: false,
};

fn run(reported: &RunFixture) -> Vec<Event> {
    let mut kinds: Vec<EventKind> = one_flow()
        .into_iter()
        .map(|event| event.kind)
        .filter(|kind| matches!(kind, EventKind::Start { .. } | EventKind::Device { .. }))
        .collect();
    let id = |flow: &str| FlowId {
        flow: flow.into(),
        case: None,
        repeat: None,
        device: reported.device.into(),
        attempt: 1,
    };
    for kind in &mut kinds {
        match kind {
            EventKind::Start {
                run_id, started, ..
            } => {
                *run_id = reported.id.into();
                *started = reported.started.into();
            }
            EventKind::Device { label, info } => {
                *label = reported.device.into();
                info.serial = reported.device.into();
                info.sdk = runner_device::Reading::Said(reported.sdk);
            }
            _ => {}
        }
    }
    let flows = reported.flows.iter().map(|(flow, _)| id(flow)).collect();
    kinds.insert(
        1,
        EventKind::Plan {
            devices: Vec::new(),
            flows,
            names: std::collections::BTreeMap::new(),
            properties: std::collections::BTreeMap::new(),
        },
    );
    for (flow, status) in reported.flows {
        if *status != FlowStatus::Interrupted {
            kinds.push(EventKind::FlowStarted {
                id: id(flow),
                name: (*flow).into(),
                tags: Vec::new(),
                app: None,
                properties: std::collections::BTreeMap::new(),
                steps: 0,
            });
        } else if reported.killed {
            continue;
        }
        kinds.push(EventKind::FlowFinished {
            id: id(flow),
            status: *status,
            last: true,
            started: reported.started.into(),
            duration_ms: 1000,
            cost: runner_device::Cost::default(),
            failure: None,
            failed_at: None,
            artifacts: Vec::new(),
            app_version: None,
            quarantine: None,
            met: None,
        });
    }
    let mut events: Vec<Event> = (0..)
        .zip(kinds)
        .map(|(seq, kind)| Event {
            seq,
            t_ms: seq * 100,
            kind,
        })
        .collect();
    if !reported.killed {
        let mut out = MergedStream::default();
        out.events = events;
        out.finish(1000, false, Vec::new());
        events = out.events;
    }
    events
}

fn end(events: &[Event]) -> Option<(Totals, u8)> {
    match events.last()?.kind {
        EventKind::Finish {
            totals, exit_code, ..
        } => Some((totals, exit_code)),
        _ => None,
    }
}

fn results(events: &[Event]) -> Results {
    let mut results = Results::default();
    for event in events {
        results.add(event);
    }
    results
}

#[test]
fn one_run_stays_as_it_is_and_counts_once() {
    for events in [one_flow(), every_ending()] {
        assert_eq!(merge(vec![events.clone()]), events);
        assert_eq!(merge(vec![events[..3].to_vec(), events.clone()]), events);
    }
}

#[test]
fn shards_become_one_run() {
    let merged = merge(vec![
        run(&RunFixture {
            id: "two",
            started: "2026-01-02T03:00:00.400+00:00",
            flows: &[("b.yaml", FlowStatus::Failed)],
            ..SHARD
        }),
        run(&RunFixture {
            flows: &[("a.yaml", FlowStatus::Passed)],
            ..SHARD
        }),
    ]);
    for (seq, event) in (0..).zip(&merged) {
        assert_eq!(event.seq, seq);
    }
    let (totals, code) = end(&merged).unwrap();
    assert_eq!((totals.passed, totals.failed, code), (1, 1, 1));
    let results = results(&merged);
    assert_eq!(results.run.as_ref().unwrap().run_id, "one+two");
    let flows: Vec<_> = results
        .flows
        .keys()
        .map(|key| key.id.flow.as_str())
        .collect();
    assert_eq!(flows, ["a.yaml", "b.yaml"], "in the order the runs began");
    assert_eq!(results.devices.len(), 1, "the same device has one label");
    assert_eq!(results.elapsed_ms, 1400, "they ran beside each other");
}

#[test]
fn runs_without_a_start_time_follow_one_another() {
    for first in ["", SHARD.started] {
        let of = |id, started, flow| {
            run(&RunFixture {
                id,
                started,
                flows: &[(flow, FlowStatus::Passed)],
                ..SHARD
            })
        };
        let merged = merge(vec![
            of("one", first, "a.yaml"),
            of("two", "", "b.yaml"),
            of("three", "yesterday", "c.yaml"),
        ]);
        let starts = merged.iter().filter_map(|event| match event.kind {
            EventKind::FlowStarted { .. } => Some(event.t_ms / 1000),
            _ => None,
        });
        assert_eq!(starts.collect::<Vec<_>>(), [0, 1, 2], "{first:?}");
        assert_eq!(results(&merged).elapsed_ms, 3000, "{first:?}");
    }
}

#[test]
fn the_last_run_decides_and_what_failed_before_is_flaky() {
    use FlowStatus::{Error, Failed, Flaky, Interrupted, Passed, Quarantined, Skipped};
    for (first, second, expected, attempts, code) in [
        (Failed, Passed, Flaky, 2, 0),
        (Error, Passed, Flaky, 2, 0),
        (Quarantined, Passed, Flaky, 2, 0),
        (Quarantined, Quarantined, Quarantined, 2, 0),
        (Failed, Failed, Failed, 2, 1),
        (Passed, Failed, Failed, 2, 1),
        (Passed, Passed, Passed, 2, 0),
        (Skipped, Passed, Passed, 2, 0),
        // A flow that did not begin is no attempt.
        (Interrupted, Passed, Passed, 1, 0),
        (Passed, Interrupted, Passed, 1, 0),
        (Interrupted, Interrupted, Interrupted, 0, 130),
    ] {
        let of = |id, started, status| {
            run(&RunFixture {
                id,
                started,
                flows: &[("a.yaml", status)],
                ..SHARD
            })
        };
        let merged = merge(vec![
            of("one", "2026-01-02T03:00:00+00:00", first),
            of("two", "2026-01-03T03:00:00+00:00", second),
        ]);
        let message = format!("{first:?} then {second:?}");
        assert_eq!(end(&merged).unwrap().1, code, "{message}");
        let results = results(&merged);
        let flow = &results.flows[0];
        let (_, end) = flow.outcome().unwrap();
        assert_eq!(end.status, expected, "{message}");
        let is_problem = matches!(expected, Failed | Flaky);
        let problems = crate::problem::problems(&results);
        assert_eq!(problems.len(), usize::from(is_problem), "{message}");
        let numbers: Vec<u32> = flow.attempts.iter().map(|attempt| attempt.number).collect();
        assert_eq!(
            numbers,
            (1..=attempts.max(1)).collect::<Vec<_>>(),
            "{message}"
        );
        assert_eq!(results.elapsed_ms, 2000, "the day between them is left out");
    }
}

#[test]
fn a_flow_in_quarantine_fails_no_run_that_flaky_flows_fail() {
    for (ended, expected, code) in [
        (false, FlowStatus::Quarantined, 0),
        (true, FlowStatus::Flaky, 1),
    ] {
        let of = |id, started, status| {
            let mut events = run(&RunFixture {
                id,
                started,
                flows: &[("a.yaml", status)],
                ..SHARD
            });
            for event in &mut events {
                match &mut event.kind {
                    EventKind::FlowFinished { quarantine, .. } => {
                        *quarantine = Some(QuarantineNote {
                            because: String::new(),
                            until: None,
                            issue: None,
                            ended,
                        });
                    }
                    EventKind::Finish { because, .. } => {
                        because.push(RunFailure::new(RunFailureKind::Flaky, "another is flaky"));
                    }
                    _ => {}
                }
            }
            events
        };
        let merged = merge(vec![
            of("one", "2026-01-02T03:00:00+00:00", FlowStatus::Failed),
            of("two", "2026-01-03T03:00:00+00:00", FlowStatus::Passed),
        ]);
        assert_eq!(end(&merged).unwrap().1, code);
        let results = results(&merged);
        assert_eq!(results.flows[0].outcome().unwrap().1.status, expected);
    }
}

#[test]
fn a_killed_run_is_made_whole_by_a_later_one_and_not_by_itself() {
    let killed = RunFixture {
        flows: &[
            ("a.yaml", FlowStatus::Passed),
            ("b.yaml", FlowStatus::Interrupted),
        ],
        killed: true,
        ..SHARD
    };
    let later = |flow| {
        let flows = &[(flow, FlowStatus::Passed)];
        run(&RunFixture {
            id: "two",
            started: "2026-01-02T04:00:00+00:00",
            flows,
            ..SHARD
        })
    };
    let whole = merge(vec![run(&killed), later("b.yaml")]);
    assert_eq!(end(&whole).unwrap().0.passed, 2);
    let open = merge(vec![run(&killed), later("a.yaml")]);
    assert_eq!(end(&open), None, "b never ran");
}

#[test]
fn another_device_of_the_same_label_gets_a_number() {
    let of = |id, started, sdk| {
        run(&RunFixture {
            id,
            started,
            device: "emulator-5554",
            sdk,
            flows: &[("a.yaml", FlowStatus::Passed)],
            ..SHARD
        })
    };
    let merged = merge(vec![
        of("one", "2026-01-02T03:00:00+00:00", 30),
        of("two", "2026-01-02T03:00:00+00:00", 34),
        of("three", "2026-01-02T03:00:01+00:00", 30),
    ]);
    let results = results(&merged);
    let devices: Vec<_> = results
        .flows
        .keys()
        .map(|key| key.device.as_str())
        .collect();
    assert_eq!(devices, ["emulator-5554", "emulator-5554 (2)"]);
    assert_eq!(results.flows[0].attempts.len(), 2);
    assert_eq!(results.devices["emulator-5554 (2)"].sdk.value(), Some(&34));
}

#[test]
fn a_device_that_is_back_in_another_language_is_the_same() {
    let of = |id, started, status| {
        run(&RunFixture {
            id,
            started,
            flows: &[("a.yaml", status)],
            ..SHARD
        })
    };
    let mut first = of("one", "2026-01-02T03:00:00+00:00", FlowStatus::Failed);
    let is_device = |event: &Event| matches!(event.kind, EventKind::Device { .. });
    let at = first.iter().position(is_device).unwrap();
    let mut back = first[at].clone();
    if let EventKind::Device { info, .. } = &mut back.kind {
        info.locale = runner_device::Reading::Said("de-DE".into());
    }
    first.insert(at + 1, back);
    let second = of("two", "2026-01-03T03:00:00+00:00", FlowStatus::Passed);
    let results = results(&merge(vec![first, second]));
    let devices = results.flows.keys().map(|key| key.device.as_str());
    assert_eq!(devices.collect::<Vec<_>>(), ["virtual"]);
    assert_eq!(results.flows[0].attempts.len(), 2);
}

#[test]
fn a_flow_that_a_later_run_reads_is_not_unreadable() {
    let mut first = run(&SHARD);
    first.insert(
        2,
        Event {
            seq: 2,
            t_ms: 0,
            kind: EventKind::Unreadable {
                flow: "a.yaml".into(),
                message: "no".into(),
                at: None,
            },
        },
    );
    let second = run(&RunFixture {
        id: "two",
        flows: &[("a.yaml", FlowStatus::Passed)],
        ..SHARD
    });
    let other = run(&RunFixture { id: "two", ..SHARD });
    assert_eq!(end(&merge(vec![first.clone(), second])).unwrap().1, 0);
    assert_eq!(end(&merge(vec![first, other])).unwrap().1, 2);
}

proptest::proptest! {
    #[test]
    fn any_streams_merge_without_a_panic(
        parts in proptest::collection::vec(
            proptest::collection::vec(crate::testing::any_event("[a-c]{1,2}"), 0..12), 1..4)
    ) {
        let streams = parts.into_iter().enumerate().map(|(index, part)| {
            let mut events = one_flow();
            if let EventKind::Start { run_id, .. } = &mut events[0].kind {
                *run_id = index.to_string();
            }
            events.truncate(3);
            events.extend(part);
            events
        });
        let merged = merge(streams.collect());
        results(&merged);
    }
}
