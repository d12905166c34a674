//! Example runs as events, with all results that a flow can have.

use serde_json::json;

use crate::Summary;
use runner_device::app_version::AppVersion;
use runner_device::remote::RemoteSession;
use runner_device::{Cost, DeviceInfo, DriverKind, Reading, VirtualMark};
use runner_event::{
    Artifact, ArtifactKind, Event, EventKind, FlowId, FlowStatus, LogLevel, SCHEMA, SnapshotResult,
    SnapshotVerdict, SourceLocation, StepStatus, StopReason,
};
use runner_flow::StepPath;
use runner_screen::{Display, Rect};
use runner_snapshot::{Areas, ChangedArea, MovedContent};
use runner_tools::{Failure, FailureKind, WaitTime};

/// Builder of a run's events.
#[derive(Default)]
pub struct RunScript {
    pub events: Vec<Event>,
    t_ms: u64,
    failed_at: Option<SourceLocation>,
}

pub fn id(flow: &str, device: &str, attempt: u32) -> FlowId {
    FlowId {
        flow: format!("flows/{flow}").into(),
        case: None,
        repeat: None,
        device: device.into(),
        attempt,
    }
}

pub(crate) fn artifact(kind: ArtifactKind, path: &str) -> Artifact {
    Artifact {
        kind,
        path: path.into(),
        hash: "00112233445566ff".into(),
    }
}

impl RunScript {
    pub fn begin(plan: Vec<FlowId>) -> Self {
        let mut fixture = Self::default();
        fixture.push(EventKind::Start {
            schema: SCHEMA,
            run_id: "run-1".into(),
            version: "0.1.0".into(),
            started: "2026-01-02T03:04:05+00:00".into(),
            root: "/work/app".into(),
            artifacts: "/work/app/.runner/artifacts".into(),
            host: None,
            shard: None,
            shuffle: None,
            changed_since: None,
        });
        let mut devices: Vec<String> = plan.iter().map(|id| id.device.clone()).collect();
        devices.dedup();
        fixture.push(EventKind::Plan {
            devices: Vec::new(),
            flows: plan,
            names: std::collections::BTreeMap::new(),
            properties: std::collections::BTreeMap::new(),
        });
        for label in devices {
            fixture.push(EventKind::Device {
                info: Box::new(info(&label)),
                label,
            });
        }
        fixture
    }

    pub fn push(&mut self, kind: EventKind) {
        self.events.push(Event {
            seq: self.events.len() as u64,
            t_ms: self.t_ms,
            kind,
        });
    }

    pub fn flow(&mut self, id: &FlowId, name: &str, tags: &[&str]) {
        self.failed_at = None;
        self.push(EventKind::FlowStarted {
            id: id.clone(),
            name: name.into(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            app: Some("demo.app".into()),
            properties: std::collections::BTreeMap::new(),
            steps: 3,
        });
    }

    fn at(id: &FlowId, path: &serde_json::Value, title: &str) -> SourceLocation {
        let line = 4 + path
            .as_array()
            .unwrap()
            .iter()
            .filter_map(serde_json::Value::as_u64)
            .sum::<u64>();
        SourceLocation {
            file: id.flow.clone(),
            line: usize::try_from(line).unwrap(),
            column: 5,
            text: format!("  - {title}"),
        }
    }

    pub fn start_step(&mut self, id: &FlowId, path: &serde_json::Value, title: &str) {
        self.push(EventKind::StepStarted {
            id: id.clone(),
            step: serde_json::from_value(path.clone()).unwrap(),
            title: title.into(),
            at: Self::at(id, path, title),
        });
    }

    pub fn end_step(
        &mut self,
        id: &FlowId,
        path: &serde_json::Value,
        title: &str,
        status: StepStatus,
        failure: Option<Failure>,
    ) {
        self.t_ms += 120;
        let at = Self::at(id, path, title);
        if status == StepStatus::Failed && self.failed_at.is_none() {
            self.failed_at = Some(at.clone());
        }
        self.push(EventKind::StepFinished {
            id: id.clone(),
            step: serde_json::from_value(path.clone()).unwrap(),
            title: title.into(),
            at,
            status,
            duration_ms: 120,
            cost: Cost {
                round_trips: 2,
                dumps: 1,
                reused: 0,
            },
            failure,
            artifacts: Vec::new(),
            bounds: None,
            soft: false,
        });
    }

    pub fn step(&mut self, id: &FlowId, path: &serde_json::Value, title: &str) {
        self.start_step(id, path, title);
        self.end_step(id, path, title, StepStatus::Passed, None);
    }

    pub fn bad_step(
        &mut self,
        id: &FlowId,
        path: &serde_json::Value,
        title: &str,
        failure: &Failure,
    ) {
        self.start_step(id, path, title);
        self.end_step(id, path, title, StepStatus::Failed, Some(failure.clone()));
    }

    pub fn end(
        &mut self,
        id: &FlowId,
        status: FlowStatus,
        last: bool,
        failure: Option<Failure>,
        artifacts: Vec<Artifact>,
    ) {
        self.t_ms += 880;
        let failed_at = self.failed_at.take();
        self.push(EventKind::FlowFinished {
            id: id.clone(),
            status,
            last,
            started: "2026-01-02T03:04:06.250+00:00".into(),
            duration_ms: 1240,
            cost: Cost {
                round_trips: 9,
                dumps: 4,
                reused: 0,
            },
            failure,
            failed_at,
            artifacts,
            app_version: Some(AppVersion {
                name: Some("1.4.2".into()),
                code: Some(31),
            }),
            quarantine: None,
            met: None,
        });
    }

    /// Sets the place of the current flow's failure; the default is its step's.
    #[cfg(test)]
    pub fn fail_at(&mut self, at: SourceLocation) {
        self.failed_at = Some(at);
    }

    pub fn finish(mut self) -> Vec<Event> {
        let mut summary = Summary::new();
        for event in &self.events {
            summary.add(event);
        }
        let (totals, exit_code) = (summary.totals(), summary.exit_code(false) as u8);
        let duration_ms = self.t_ms;
        self.push(EventKind::Finish {
            totals,
            duration_ms,
            exit_code,
            because: Vec::new(),
        });
        self.events
    }
}

fn info(label: &str) -> DeviceInfo {
    DeviceInfo {
        serial: label.into(),
        model: Reading::Said("Pixel <7>".into()),
        manufacturer: "Google".into(),
        release: Reading::Said("14".into()),
        sdk: Reading::Said(34),
        display: Reading::Said(Display {
            width: 1080,
            height: 2400,
            density: 420,
            rotation: 0,
        }),
        locale: Reading::Said("en-US".into()),
        dark: Reading::Said(false),
        font_scale_percent: Reading::Said(100),
        emulator: false,
        virtual_device: VirtualMark::new(label.starts_with("virtual")),
        features: runner_device::Features::default(),
        driver: Some(DriverKind::Stock),
    }
}

/// Failure of a step that does not find its element.
pub fn not_found() -> Failure {
    Failure {
        kind: FailureKind::Assertion,
        message: "no element has the text \"Sign in\"".into(),
        expected: Some("an element with text \"Sign in\"".into()),
        actual: Some("14 elements, none with it".into()),
        waited: Some(WaitTime {
            ms: 2000,
            is_virtual: true,
        }),
        details: vec![
            "nearest misses:\n  Sign In   letter case differs   -> click: Sign In".into(),
            "the screen says: \u{1b}[31mboo\u{7}\u{0}".into(),
        ],
        advice: Vec::new(),
        fixes: Vec::new(),
        typo: None,
        is_of_device: false,
        is_of_script: false,
        is_of_missing: false,
        patch: None,
        in_front: None,
        crash: None,
        code: None,
    }
}

/// Run of one flow with nested steps, which fails.
pub fn one_flow() -> Vec<Event> {
    let login = id("login.yaml", "virtual", 1);
    let mut fixture = RunScript::begin(vec![login.clone()]);
    fixture.flow(&login, "Sign in with a valid account", &["smoke"]);
    fixture.step(&login, &json!(["setup", 0]), "launch");
    fixture.start_step(&login, &json!([0]), "if: { visible: Allow }");
    fixture.step(&login, &json!([0, "then", 0]), "click: Allow");
    fixture.end_step(
        &login,
        &json!([0]),
        "if: { visible: Allow }",
        StepStatus::Passed,
        None,
    );
    fixture.start_step(&login, &json!([1]), "click: Later");
    fixture.end_step(
        &login,
        &json!([1]),
        "click: Later",
        StepStatus::Warned,
        Some(Failure::assertion("no element has the text \"Later\"")),
    );
    fixture.push(EventKind::Log {
        id: Some(login.clone()),
        level: LogLevel::Warning,
        message: "the mask { id: clock } finds nothing".into(),
    });
    fixture.start_step(&login, &json!([2]), "click: Rate us");
    fixture.end_step(
        &login,
        &json!([2]),
        "click: Rate us",
        StepStatus::Skipped,
        None,
    );
    fixture.start_step(&login, &json!([3]), "repeat: { times: 2 }");
    fixture.bad_step(
        &login,
        &json!([3, "group", 0]),
        "click: Sign in",
        &not_found(),
    );
    fixture.end_step(
        &login,
        &json!([3]),
        "repeat: { times: 2 }",
        StepStatus::Failed,
        Some(not_found()),
    );
    fixture.step(&login, &json!(["teardown", 0]), "stop");
    let artifacts = vec![
        artifact(
            ArtifactKind::Screenshot,
            "flows/login.yaml/virtual/1/screen.png",
        ),
        artifact(ArtifactKind::Tsv, "flows/login.yaml/virtual/1/screen.tsv"),
        artifact(ArtifactKind::Log, "flows/login.yaml/virtual/1/log.txt"),
    ];
    fixture.end(
        &login,
        FlowStatus::Failed,
        true,
        Some(not_found()),
        artifacts,
    );
    fixture.finish()
}

/// Run on a remote device, whose session is replaced by another.
pub fn cloud_device() -> Vec<Event> {
    let (first, second) = (id("a.yaml", "cloud-1", 1), id("b.yaml", "cloud-1", 1));
    let session = |name: &str, dashboard: Option<&str>| RemoteSession {
        id: name.into(),
        dashboard: dashboard.map(str::to_owned),
        video: None,
    };
    let page = "https://cloud.example/s/1";
    let mut fixture = RunScript::begin(vec![first.clone(), second.clone()]);
    for (id, reported) in [
        (&first, vec![session("s-1", Some(page))]),
        (
            &second,
            vec![session("s-1", Some(page)), session("s-2", None)],
        ),
    ] {
        fixture.flow(id, "Sign in", &[]);
        for session in reported {
            fixture.push(EventKind::Session {
                id: id.clone(),
                session,
            });
        }
        fixture.step(id, &json!([0]), "launch");
        fixture.end(id, FlowStatus::Passed, true, None, Vec::new());
    }
    fixture.finish()
}

/// Run of many flows on two devices, with all results.
pub fn every_ending() -> Vec<Event> {
    let names = [
        "pass.yaml",
        "flaky.yaml",
        "shop/pay.yaml",
        "setup.yaml",
        "lost.yaml",
        "skip.yaml",
        "never.yaml",
    ];
    let mut plan: Vec<FlowId> = names.iter().map(|name| id(name, "virtual", 1)).collect();
    plan.push(id("pass.yaml", "R5CT", 1));
    let mut fixture = RunScript::begin(plan);
    fixture.push(EventKind::Unreadable {
        flow: "flows/bad.yaml".into(),
        message: "error: unknown step `clik`\n --> flows/bad.yaml:3:5\n  |\n3 |   - clik: a\n  |     ^^^^ did you mean `click`?".into(),
        at: Some(SourceLocation {
            file: "flows/bad.yaml".into(),
            line: 3,
            column: 5,
            text: "  - clik: a".into(),
        }),
    });
    for device in ["virtual", "R5CT"] {
        let pass = id("pass.yaml", device, 1);
        fixture.flow(&pass, "Passes <&\"'> ]]>", &["smoke", "ui"]);
        fixture.step(&pass, &json!([0]), "click: OK");
        fixture.end(&pass, FlowStatus::Passed, true, None, Vec::new());
    }
    flaky(&mut fixture);
    snapshot(&mut fixture);
    errors(&mut fixture);
    let skip = id("skip.yaml", "virtual", 1);
    fixture.flow(&skip, "Skipped", &[]);
    let because = Failure::new(FailureKind::Usage, "needs scoped storage");
    fixture.end(&skip, FlowStatus::Skipped, true, Some(because), Vec::new());
    fixture.push(EventKind::Stopping {
        because: StopReason::FailFast,
    });
    let never = id("never.yaml", "virtual", 1);
    fixture.end(&never, FlowStatus::Interrupted, true, None, Vec::new());
    fixture.finish()
}

fn flaky(fixture: &mut RunScript) {
    let (first, second) = (
        id("flaky.yaml", "virtual", 1),
        id("flaky.yaml", "virtual", 2),
    );
    fixture.flow(&first, "Passes at the second try", &[]);
    fixture.bad_step(&first, &json!([0]), "click: Sign in", &not_found());
    fixture.end(
        &first,
        FlowStatus::Failed,
        false,
        Some(not_found()),
        Vec::new(),
    );
    fixture.flow(&second, "Passes at the second try", &[]);
    fixture.step(&second, &json!([0]), "click: Sign in");
    fixture.end(&second, FlowStatus::Flaky, true, None, Vec::new());
}

fn snapshot(fixture: &mut RunScript) {
    let pay = id("shop/pay.yaml", "virtual", 1);
    let failure = Failure::new(FailureKind::Snapshot, "the snapshot `total` differs");
    fixture.flow(&pay, "Pays", &[]);
    fixture.start_step(&pay, &json!([0]), "snapshot: total");
    fixture.push(EventKind::Snapshot {
        id: pay.clone(),
        step: StepPath::default().number(0),
        result: SnapshotResult {
            key: "flows/shop/pay/total~virtual1-34-1080x2400-420-en-light".into(),
            verdict: SnapshotVerdict::Differs,
            changes: vec![
                "`Button#pay`: 412 px".into(),
                "text of `TextView#sum`: 3 -> 4".into(),
            ],
            cause: None,
            areas: Some(areas()),
            pending: vec!["snapshots/flows/shop/pay/total.new.tsv".into()],
        },
    });
    fixture.end_step(
        &pay,
        &json!([0]),
        "snapshot: total",
        StepStatus::Failed,
        Some(failure.clone()),
    );
    let artifacts = vec![
        artifact(
            ArtifactKind::Screenshot,
            "flows/shop/pay.yaml/virtual/1/total.png",
        ),
        artifact(
            ArtifactKind::Difference,
            "flows/shop/pay.yaml/virtual/1/total.diff.png",
        ),
    ];
    fixture.end(&pay, FlowStatus::Failed, true, Some(failure), artifacts);
}

fn areas() -> Areas {
    Areas {
        golden: Some([1080, 2400]),
        actual: Some([1080, 2400]),
        places: vec![ChangedArea {
            name: Some("Button#pay".into()),
            pixels: 412,
            bounds: Rect::new(60, 1300, 240, 1360),
        }],
        moved: vec![MovedContent {
            below: 1400,
            by: (0, 8),
            rows: 3,
            areas: vec![Rect::new(0, 1408, 1080, 2400)],
        }],
        masks: vec![Rect::new(0, 0, 1080, 63)],
    }
}

fn errors(fixture: &mut RunScript) {
    let setup = id("setup.yaml", "virtual", 1);
    let failure = Failure::assertion("the app com.example is not installed");
    fixture.flow(&setup, "Setup fails", &[]);
    fixture.bad_step(&setup, &json!(["setup", 0]), "launch", &failure);
    fixture.end(&setup, FlowStatus::Error, true, Some(failure), Vec::new());
    let lost = id("lost.yaml", "virtual", 1);
    let failure = Failure::new(
        FailureKind::Infrastructure,
        "the device virtual is gone; see `runner doctor`",
    );
    fixture.flow(&lost, "Loses its device", &[]);
    fixture.bad_step(&lost, &json!([0]), "back", &failure);
    fixture.end(&lost, FlowStatus::Error, true, Some(failure), Vec::new());
}
