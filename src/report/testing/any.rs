//! Any event at all, for properties.

use camino::Utf8PathBuf;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::Value;

use crate::device::{Cost, DeviceInfo};
use crate::flow::StepPath;
use crate::run::{
    Artifact, ArtifactKind, Event, EventKind, FlowId, FlowStatus, Recorded, SCHEMA, SnapshotResult,
    StepStatus, StopReason, Totals,
};
use crate::screen::{Display, Rect};
use crate::tools::{Failure, FailureKind};

/// Any event; its free texts come from `text`.
pub(crate) fn any_event(
    text: impl Strategy<Value = String> + Clone + 'static,
) -> impl Strategy<Value = Event> {
    (any::<u64>(), any::<u64>(), any_kind(text)).prop_map(|(seq, t_ms, kind)| Event {
        seq,
        t_ms,
        kind,
    })
}

fn any_kind(
    text: impl Strategy<Value = String> + Clone + 'static,
) -> impl Strategy<Value = EventKind> {
    let text = text.boxed();
    let path = text.clone().prop_map(Utf8PathBuf::from).boxed();
    let id = (path.clone(), text.clone(), any::<u32>())
        .prop_map(|(flow, device, attempt)| FlowId {
            flow,
            device,
            attempt,
        })
        .boxed();
    let at = (path.clone(), any::<u16>(), any::<u16>(), text.clone())
        .prop_map(|(file, line, column, text)| Recorded {
            file,
            line: line.into(),
            column: column.into(),
            text,
        })
        .boxed();
    let cost =
        (any::<u64>(), any::<u64>()).prop_map(|(round_trips, dumps)| Cost { round_trips, dumps });
    let artifacts = vec(
        (path.clone(), any::<u64>()).prop_map(|(path, hash)| Artifact {
            kind: ArtifactKind::Difference,
            path,
            hash: format!("{hash:016x}"),
        }),
        0..3,
    )
    .boxed();
    let failure = (
        text.clone(),
        option::of(text.clone()),
        option::of(text.clone()),
        vec(text.clone(), 0..3),
    )
        .prop_map(|(message, expected, actual, details)| Failure {
            kind: FailureKind::Timeout,
            message,
            expected,
            actual,
            details,
            code: None,
        })
        .boxed();
    let info =
        (vec(text.clone(), 5), any::<u32>(), any::<bool>()).prop_map(|(texts, sdk, dark)| {
            let mut texts = texts.into_iter();
            let mut next = || texts.next().unwrap_or_default();
            Box::new(DeviceInfo {
                serial: next(),
                model: next(),
                manufacturer: next(),
                release: next(),
                sdk,
                display: Display {
                    width: 1080,
                    height: 2400,
                    density: 420,
                    rotation: 0,
                },
                locale: next(),
                dark,
                font_scale_percent: 100,
                emulator: !dark,
                virtual_device: dark,
            })
        });
    let bounds = option::of(any::<[i32; 4]>().prop_map(|[l, t, r, b]| Rect::new(l, t, r, b)));
    let step = || {
        Just(StepPath(vec![
            Value::from(2),
            Value::from("then"),
            Value::from(0),
        ]))
    };
    prop_oneof![
        (path.clone(), path.clone()).prop_map(|(root, artifacts)| EventKind::Start {
            schema: SCHEMA,
            run_id: "r1".into(),
            version: "0.1.0".into(),
            started: "2026-01-02T03:04:05+00:00".into(),
            root,
            artifacts,
        }),
        vec(id.clone(), 0..4).prop_map(|flows| EventKind::Plan { flows }),
        (text.clone(), info).prop_map(|(label, info)| EventKind::Device { label, info }),
        (path.clone(), text.clone(), option::of(at.clone()))
            .prop_map(|(flow, message, at)| EventKind::Unreadable { flow, message, at }),
        (
            id.clone(),
            text.clone(),
            vec(text.clone(), 0..3),
            any::<u16>()
        )
            .prop_map(|(id, name, tags, steps)| {
                EventKind::FlowStarted {
                    id,
                    name,
                    tags,
                    steps: steps.into(),
                }
            }),
        (id.clone(), step(), text.clone(), at.clone()).prop_map(|(id, step, title, at)| {
            EventKind::StepStarted {
                id,
                step,
                title,
                at,
            }
        }),
        (
            (id.clone(), step(), text.clone(), at.clone()),
            (
                any::<u64>(),
                cost.clone(),
                option::of(failure.clone()),
                artifacts.clone(),
                bounds
            )
        )
            .prop_map(
                |((id, step, title, at), (duration_ms, cost, failure, artifacts, bounds))| {
                    EventKind::StepFinished {
                        id,
                        step,
                        title,
                        at,
                        status: StepStatus::Warned,
                        duration_ms,
                        cost,
                        failure,
                        artifacts,
                        bounds,
                    }
                }
            ),
        (
            id.clone(),
            step(),
            text.clone(),
            vec(text.clone(), 0..3),
            vec(path, 0..3)
        )
            .prop_map(|(id, step, key, changes, pending)| EventKind::Snapshot {
                id,
                step,
                result: SnapshotResult {
                    key,
                    verdict: "differs".into(),
                    changes,
                    pending
                },
            }),
        (option::of(id.clone()), text).prop_map(|(id, message)| EventKind::Log {
            id,
            level: "warning".into(),
            message,
        }),
        (
            id,
            any::<bool>(),
            any::<u64>(),
            cost,
            option::of(failure),
            option::of(at),
            artifacts
        )
            .prop_map(
                |(id, last, duration_ms, cost, failure, failed_at, artifacts)| {
                    EventKind::FlowFinished {
                        id,
                        status: FlowStatus::Flaky,
                        last,
                        started: "2026-01-02T03:04:05+00:00".into(),
                        duration_ms,
                        cost,
                        failure,
                        failed_at,
                        artifacts,
                    }
                }
            ),
        prop_oneof![Just(StopReason::User), Just(StopReason::FailFast)]
            .prop_map(|because| EventKind::Stopping { because }),
        (any::<[u32; 6]>(), any::<u64>(), any::<u8>()).prop_map(|(n, duration_ms, exit_code)| {
            EventKind::Finish {
                totals: Totals {
                    passed: n[0],
                    flaky: n[1],
                    failed: n[2],
                    errors: n[3],
                    skipped: n[4],
                    interrupted: n[5],
                },
                duration_ms,
                exit_code,
            }
        }),
    ]
}
