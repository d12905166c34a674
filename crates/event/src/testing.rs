//! Proptest strategies for events.

use camino::Utf8PathBuf;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::json;

use crate::{
    Artifact, ArtifactKind, Event, EventKind, FlowId, FlowStatus, LogLevel, QuarantineNote,
    RunFailure, RunFailureKind, SCHEMA, ScreenNames, SnapshotResult, SnapshotVerdict,
    SourceLocation, StepStatus, StopReason, Totals, Trace, TraceFrame, VideoPiece,
};
use runner_device::app_version::AppVersion;
use runner_device::remote::RemoteSession;
use runner_device::{Cost, DeviceInfo, DriverKind, Reading, VirtualMark};
use runner_flow::{CaseName, StepPath};
use runner_screen::{Display, Rect};
use runner_snapshot::{Areas, ChangedArea, MovedContent};
use runner_tools::{Failure, FailureKind};

/// Returns a strategy for any event; its free texts come from `text`.
pub fn any_event(text: impl Strategy<Value = String> + 'static) -> impl Strategy<Value = Event> {
    let text = text.boxed();
    any_event_with(text.clone(), text)
}

/// Returns a strategy for any event. Free texts come from `text`; paths, labels and keys, which the program
/// names itself, from `own`.
pub fn any_event_with(
    text: impl Strategy<Value = String> + 'static,
    own: impl Strategy<Value = String> + 'static,
) -> impl Strategy<Value = Event> {
    let parts = Parts::new(text.boxed(), own.boxed());
    let kind = prop_oneof![parts.run_events(), parts.step_events(), parts.flow_events()];
    (any::<u64>(), any::<u64>(), kind).prop_map(|(seq, t_ms, kind)| Event { seq, t_ms, kind })
}

/// Strategies for the values that events are built from.
struct Parts {
    text: BoxedStrategy<String>,
    own: BoxedStrategy<String>,
    path: BoxedStrategy<Utf8PathBuf>,
    id: BoxedStrategy<FlowId>,
    at: BoxedStrategy<SourceLocation>,
    cost: BoxedStrategy<Cost>,
    artifacts: BoxedStrategy<Vec<Artifact>>,
    failure: BoxedStrategy<Option<Failure>>,
}

impl Parts {
    fn new(text: BoxedStrategy<String>, own: BoxedStrategy<String>) -> Self {
        let path = own.clone().prop_map(Utf8PathBuf::from).boxed();
        let named = text.clone().prop_map(Utf8PathBuf::from).boxed();
        let case = option::of("[a-z]{1,8}".prop_map(CaseName::from));
        let repeat = option::of(any::<u32>());
        let id = (path.clone(), case, repeat, own.clone(), any::<u32>()).prop_map(
            |(flow, case, repeat, device, attempt)| FlowId {
                flow,
                case,
                repeat,
                device,
                attempt,
            },
        );
        let at = (path.clone(), any::<u16>(), any::<u16>(), text.clone()).prop_map(
            |(file, line, column, text)| SourceLocation {
                file,
                line: line.into(),
                column: column.into(),
                text,
            },
        );
        let cost = (any::<u64>(), any::<u64>()).prop_map(|(round_trips, dumps)| Cost {
            round_trips,
            dumps,
            reused: 0,
        });
        let artifact = (named, any::<u64>()).prop_map(|(path, hash)| Artifact {
            kind: ArtifactKind::Difference,
            path,
            hash: format!("{hash:016x}"),
        });
        let texts = option::of(text.clone());
        let failure = (
            text.clone(),
            texts.clone(),
            texts,
            vec(text.clone(), 0..3),
            text.clone(),
        )
            .prop_map(
                |(message, expected, actual, details, message_of_app)| Failure {
                    kind: FailureKind::Timeout,
                    message: message.into(),
                    expected,
                    actual,
                    waited: Some(runner_tools::WaitTime {
                        ms: 2000,
                        is_virtual: true,
                    }),
                    details: details.into_iter().map(Into::into).collect(),
                    crash: Some(Box::new(runner_tools::Crash {
                        process: message_of_app.clone(),
                        pid: Some(1),
                        reason: message_of_app.clone(),
                        stack: vec![message_of_app.clone()],
                    })),
                    patch: Some(Box::new(runner_tools::SelectorPatch {
                        file: "flows/a.yaml".to_owned(),
                        line: 3,
                        column: 9,
                        property: "id".to_owned(),
                        from: message_of_app.clone(),
                        to: "login_button".to_owned(),
                        element: message_of_app.clone(),
                        reasons: vec![message_of_app],
                    })),
                    advice: Vec::new(),
                    fixes: Vec::new(),
                    typo: None,
                    is_of_device: false,
                    is_of_script: false,
                    is_of_missing: false,
                    in_front: None,
                    code: Some(runner_tools::ErrorCode::INVALID_PARAMS),
                },
            );
        Self {
            id: id.boxed(),
            at: at.boxed(),
            cost: cost.boxed(),
            artifacts: vec(artifact, 0..3).boxed(),
            failure: option::of(failure).boxed(),
            text,
            own,
            path,
        }
    }

    fn step() -> impl Strategy<Value = StepPath> {
        prop_oneof![
            Just(json!([2, "then", 0])),
            Just(json!(["setup", 1])),
            Just(json!([0]))
        ]
        .prop_map(|path| serde_json::from_value(path).unwrap_or_default())
    }

    fn info(&self) -> impl Strategy<Value = Box<DeviceInfo>> + use<> {
        let texts = vec(self.text.clone(), 5);
        (texts, any::<u32>(), any::<bool>()).prop_map(|(texts, sdk, dark)| {
            let mut texts = texts.into_iter();
            let mut next = || texts.next().unwrap_or_default();
            Box::new(DeviceInfo {
                serial: next(),
                model: Reading::Said(next()),
                manufacturer: next(),
                release: Reading::Said(next()),
                sdk: Reading::Said(sdk),
                display: Reading::Said(Display {
                    width: 1080,
                    height: 2400,
                    density: 420,
                    rotation: 0,
                }),
                locale: Reading::Said(next()),
                dark: Reading::Said(dark),
                font_scale_percent: Reading::Said(100),
                emulator: !dark,
                virtual_device: VirtualMark::new(dark),
                features: runner_device::Features::default(),
                driver: dark.then_some(DriverKind::Uia2),
            })
        })
    }

    fn run_events(&self) -> BoxedStrategy<EventKind> {
        let (path, text) = (&self.path, &self.text);
        let start = (path.clone(), path.clone()).prop_map(|(root, artifacts)| EventKind::Start {
            schema: SCHEMA,
            run_id: "r1".into(),
            version: "0.1.0".into(),
            started: "2026-01-02T03:04:05+00:00".into(),
            root,
            artifacts,
            host: None,
            shard: None,
            shuffle: None,
            changed_since: None,
        });
        let unreadable = (path.clone(), text.clone(), option::of(self.at.clone()))
            .prop_map(|(flow, message, at)| EventKind::Unreadable { flow, message, at });
        let failure = (
            prop_oneof![Just(RunFailureKind::Flaky), Just(RunFailureKind::Report)],
            text.clone(),
        )
            .prop_map(|(kind, message)| RunFailure { kind, message });
        let because = vec(failure, 0..3);
        let finish = (any::<[u32; 7]>(), any::<u64>(), any::<u8>(), because).prop_map(
            |(n, duration_ms, exit_code, because)| EventKind::Finish {
                totals: Totals {
                    passed: n[0],
                    flaky: n[1],
                    failed: n[2],
                    errors: n[3],
                    skipped: n[4],
                    interrupted: n[5],
                    quarantined: n[6],
                },
                duration_ms,
                exit_code,
                because,
            },
        );
        let because = prop_oneof![
            Just(StopReason::User),
            Just(StopReason::FailFast),
            Just(StopReason::Unfit)
        ];
        prop_oneof![
            start,
            unreadable,
            finish,
            (path.clone(), text.clone()).prop_map(|(file, text)| EventKind::Source { file, text }),
            (vec(self.id.clone(), 0..4), vec(self.own.clone(), 0..3)).prop_map(
                |(flows, devices)| {
                    EventKind::Plan {
                        flows,
                        devices,
                        names: std::collections::BTreeMap::new(),
                        properties: std::collections::BTreeMap::new(),
                    }
                }
            ),
            (self.own.clone(), text.clone())
                .prop_map(|(label, message)| EventKind::DeviceLost { label, message }),
            (self.own.clone(), self.info())
                .prop_map(|(label, info)| EventKind::Device { label, info }),
            because.prop_map(|because| EventKind::Stopping { because }),
        ]
        .boxed()
    }

    fn step_events(&self) -> BoxedStrategy<EventKind> {
        let named = || {
            (
                self.id.clone(),
                Self::step(),
                self.text.clone(),
                self.at.clone(),
            )
        };
        let started = named().prop_map(|(id, step, title, at)| EventKind::StepStarted {
            id,
            step,
            title,
            at,
        });
        let bounds = option::of(any::<[i32; 4]>().prop_map(|[l, t, r, b]| Rect::new(l, t, r, b)));
        let rest = (
            any::<u64>(),
            self.cost.clone(),
            self.failure.clone(),
            self.artifacts.clone(),
            bounds,
        );
        let finished = (named(), rest).prop_map(
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
                    soft: false,
                }
            },
        );
        let result = (
            self.own.clone(),
            vec(self.text.clone(), 0..3),
            option::of(self.areas()),
            vec(self.path.clone(), 0..3),
        )
            .prop_map(|(key, changes, areas, pending)| SnapshotResult {
                key,
                verdict: SnapshotVerdict::Differs,
                changes,
                cause: None,
                areas,
                pending,
            });
        let snapshot = (self.id.clone(), Self::step(), result)
            .prop_map(|(id, step, result)| EventKind::Snapshot { id, step, result });
        prop_oneof![started, finished, snapshot].boxed()
    }

    fn areas(&self) -> impl Strategy<Value = Areas> + use<> {
        let rect = || any::<[i32; 4]>().prop_map(|[l, t, r, b]| Rect::new(l, t, r, b));
        let place = (option::of(self.text.clone()), any::<u64>(), rect()).prop_map(
            |(name, pixels, bounds)| ChangedArea {
                name,
                pixels,
                bounds,
            },
        );
        let moved = (any::<i32>(), any::<(i32, i32)>(), any::<u16>(), rect()).prop_map(
            |(below, by, rows, area)| MovedContent {
                below,
                by,
                rows: rows.into(),
                areas: vec![area],
            },
        );
        let size = || option::of(any::<[u32; 2]>());
        (
            size(),
            size(),
            vec(place, 0..3),
            vec(moved, 0..2),
            vec(rect(), 0..2),
        )
            .prop_map(|(golden, actual, places, moved, masks)| Areas {
                golden,
                actual,
                places,
                moved,
                masks,
            })
    }

    fn flow_events(&self) -> BoxedStrategy<EventKind> {
        let started = (
            self.id.clone(),
            self.text.clone(),
            vec(self.own.clone(), 0..3),
            option::of(self.text.clone()),
            btree_map(self.own.clone(), self.text.clone(), 0..3),
            any::<u16>(),
        )
            .prop_map(
                |(id, name, tags, app, properties, steps)| EventKind::FlowStarted {
                    id,
                    name,
                    tags,
                    app,
                    properties,
                    steps: steps.into(),
                },
            );
        let session = (
            self.id.clone(),
            self.text.clone(),
            option::of(self.text.clone()),
            option::of(self.text.clone()),
        )
            .prop_map(|(id, session, dashboard, video)| EventKind::Session {
                id,
                session: RemoteSession {
                    id: session,
                    dashboard,
                    video,
                },
            });
        let log = (option::of(self.id.clone()), self.text.clone()).prop_map(|(id, message)| {
            EventKind::Log {
                id,
                level: LogLevel::Warning,
                message,
            }
        });
        let dialog = (
            self.id.clone(),
            Self::step(),
            self.at.clone(),
            self.text.clone(),
            option::of(self.text.clone()),
        )
            .prop_map(|(id, step, at, text, failure)| EventKind::Dialog {
                id,
                step,
                at,
                when: text.clone(),
                answer: text,
                failure,
            });
        prop_oneof![
            started,
            session,
            log,
            dialog,
            self.recorded(),
            self.finished()
        ]
        .boxed()
    }

    fn finished(&self) -> BoxedStrategy<EventKind> {
        let app_version = (option::of(self.text.clone()), any::<Option<u64>>())
            .prop_map(|(name, code)| AppVersion { name, code });
        let text = || self.text.clone();
        let quarantine =
            (text(), option::of(text()), any::<bool>()).prop_map(|(because, issue, ended)| {
                QuarantineNote {
                    because,
                    until: Some("2026-12-31".into()),
                    issue,
                    ended,
                }
            });
        let met = (vec(text(), 0..3), vec(text(), 0..3), vec(text(), 0..3));
        let met = met.prop_map(|(screens, ids, texts)| {
            Box::new(ScreenNames {
                screens,
                ids,
                texts,
            })
        });
        (
            self.id.clone(),
            any::<bool>(),
            any::<u64>(),
            self.cost.clone(),
            self.failure.clone(),
            option::of(self.at.clone()),
            self.artifacts.clone(),
            option::of(app_version),
            (option::of(quarantine), option::of(met)),
        )
            .prop_map(
                |(
                    id,
                    last,
                    duration_ms,
                    cost,
                    failure,
                    failed_at,
                    artifacts,
                    app_version,
                    (quarantine, met),
                )| {
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
                        app_version,
                        quarantine,
                        met,
                    }
                },
            )
            .boxed()
    }

    fn recorded(&self) -> BoxedStrategy<EventKind> {
        let trace = (self.id.clone(), self.artifacts.clone()).prop_map(|(id, artifacts)| {
            let frame = |artifact: &Artifact| TraceFrame {
                at_ms: 3,
                step: Some(0),
                size: [2, 1],
                screen: artifact.clone(),
                picture: Some(artifact.clone()),
            };
            let trace = Trace {
                frames: artifacts.iter().map(frame).collect(),
                acts: Vec::new(),
                observed: vec![None, Some(0)],
                log: artifacts.first().cloned(),
            };
            EventKind::Trace {
                id,
                trace: Box::new(trace),
            }
        });
        let video = (self.id.clone(), self.artifacts.clone()).prop_map(|(id, artifacts)| {
            let piece = |file| VideoPiece { at_ms: 1, file };
            let pieces = artifacts.into_iter().map(piece).collect();
            EventKind::Video { id, pieces }
        });
        prop_oneof![trace, video].boxed()
    }
}
