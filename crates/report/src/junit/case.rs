//! Builds the `testcase` of a flow: its result, earlier attempts, and output of its steps.

use std::time::Duration;

use camino::Utf8Path;
use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestRerun};

use super::{Writer, text, timestamp};
use crate::failure::failure_block;
use crate::places::Places;
use crate::problem::cause_id;
use crate::records::{Attempt, End, FlowRecord, InvalidFlow, Phase, StepRecord};
use crate::text::{Paint, clean, count, duration};
use runner_device::remote::RemoteSession;
use runner_event::{
    ArtifactKind, FlowStatus, QuarantineNote, ResultKey, SourceLocation, StepStatus,
};
use runner_snapshot::KeyNames;
use runner_tools::FailureKind;

/// Properties of Maestro's headers that set class name and id of the test case.
const CLASS_NAME: &str = "junitClassname";
const ID: &str = "junitId";

impl Writer<'_> {
    /// Creates the case of a flow. The class is the property `junitClassname`, else made of the file; the name is the
    /// flow's, else its file's, with its case. Time and result are those of the last attempt. The strict form has no
    /// properties and no place. A quarantined flow is skipped and has its failure in the output; one without an end,
    /// or with a retry that never came, is an error and has the steps of its last attempt there.
    pub(super) fn case(&self, key: &ResultKey, record: &FlowRecord) -> TestCase {
        let flow = &key.id.flow;
        let name = record.name.as_deref().or(flow.file_stem());
        let outcome = record.outcome();
        let status = match outcome {
            Some((attempt, end)) => self.status(record, attempt, end),
            None => self.unfinished_status(record),
        };
        let mut case = TestCase::new(
            text(&key.id.display_name(name.unwrap_or(flow.as_str()))),
            status,
        );
        let own = |name: &str| record.properties.get(name);
        let class = own(CLASS_NAME).map_or_else(|| class_name(flow), String::clone);
        case.set_classname(text(&class));
        let took = outcome.map_or(0, |(_, end)| end.duration_ms);
        case.set_time(Duration::from_millis(took));
        if !self.options.strict {
            if let Some(id) = own(ID) {
                case.extra.insert("id".into(), text(id).into());
            }
            for (name, value) in &record.properties {
                if ![CLASS_NAME, ID].contains(&name.as_str()) {
                    case.add_property(Property::new(text(name), text(value)));
                }
            }
            add_place(
                &mut case,
                flow,
                outcome.and_then(|(_, end)| end.failed_at.as_ref()),
            );
            if let Some((attempt, end)) = outcome {
                if !attempt.device.is_empty() {
                    case.add_property(Property::new("device", text(&attempt.device)));
                }
                if let Some(app) = &record.app {
                    case.add_property(Property::new("app", text(app)));
                }
                if let Some(version) = record.app_version() {
                    case.add_property(Property::new("app.version", text(&version)));
                }
                if let Some(session) = &attempt.session {
                    session_properties(&mut case, session);
                }
                if let Some(quarantine) = &end.quarantine {
                    quarantine_properties(&mut case, quarantine);
                }
                describe(&mut case, record, attempt, end);
            }
        }
        // For a flow without an end, the steps of its last attempt.
        let displayed = outcome
            .map(|(attempt, _)| attempt)
            .or(record.attempts.last());
        let mut output = displayed
            .map(|attempt| self.output(attempt))
            .unwrap_or_default();
        if let Some((attempt, end)) = outcome
            && end.status == FlowStatus::Quarantined
        {
            // A skipped case has no element for a failure.
            output = self.description(attempt, end) + &output;
        }
        if !output.is_empty() {
            case.set_system_out(output);
        }
        case
    }

    /// Returns the case's status: passed and flaky flows succeed, skipped and quarantined ones are skipped,
    /// interrupted ones are errors. Other attempts that failed or had an error are added as reruns, which makes a
    /// passed case flaky in JUnit.
    fn status(&self, record: &FlowRecord, attempt: &Attempt, end: &End) -> TestCaseStatus {
        let mut status = match end.status {
            // Failed attempts are added below, which makes the case flaky in JUnit.
            FlowStatus::Passed | FlowStatus::Flaky => TestCaseStatus::success(),
            FlowStatus::Skipped => {
                let mut status = TestCaseStatus::skipped();
                if let Some(failure) = &end.failure {
                    status.set_message(one_line(failure.message.masked_text()));
                }
                status
            }
            FlowStatus::Interrupted => self.unfinished_status(record),
            FlowStatus::Quarantined => {
                let mut status = TestCaseStatus::skipped();
                let reported = FailureName::new(attempt, end);
                status.set_message(format!("in quarantine: {}", reported.message));
                status
            }
            FlowStatus::Failed | FlowStatus::Error => {
                let report = FailureName::new(attempt, end);
                let mut status = TestCaseStatus::non_success(report.kind);
                status.set_type(report.ty);
                status.set_message(report.message);
                status.set_description(self.description(attempt, end));
                status
            }
        };
        let earlier = record
            .attempts
            .iter()
            .filter(|earlier| earlier.number != attempt.number)
            .filter_map(|earlier| Some((earlier, earlier.end.as_ref()?)))
            // In merged runs, an earlier attempt may have passed or been skipped.
            .filter(|(_, end)| end.has_failed());
        status.add_reruns(earlier.map(|(attempt, end)| self.rerun(attempt, end)));
        status
    }

    /// Builds the entry of a failed attempt that was followed by another, with its failure and its output. The strict
    /// form leaves out time and start.
    fn rerun(&self, attempt: &Attempt, end: &End) -> TestRerun {
        let reported = FailureName::new(attempt, end);
        let mut rerun = TestRerun::new(reported.kind);
        rerun.set_type(reported.ty);
        rerun.set_message(reported.message);
        if !self.options.strict {
            rerun.set_time(Duration::from_millis(end.duration_ms));
            rerun.timestamp = timestamp(&end.started);
        }
        rerun.set_stack_trace(self.description(attempt, end));
        rerun.set_system_out(self.output(attempt));
        rerun
    }

    /// Builds the test case of an unreadable flow: an error of the type `unreadable` with the first line of the
    /// message, after its place if known, and the whole message as description. Its name is the file's, without
    /// folder and extension, its time 0.
    pub(super) fn unreadable(&self, unreadable: &InvalidFlow) -> TestCase {
        let flow = &unreadable.flow;
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_type("unreadable");
        let first = one_line(&unreadable.message);
        status.set_message(match &unreadable.at {
            Some(at) => format!("{}:{}: {first}", text(at.file.as_str()), at.line),
            None => first,
        });
        status.set_description(text(&unreadable.message));
        let name = flow.file_stem().unwrap_or(flow.as_str());
        let mut case = TestCase::new(text(name), status);
        case.set_classname(text(&class_name(flow)));
        case.set_time(Duration::ZERO);
        if !self.options.strict {
            add_place(&mut case, flow, unreadable.at.as_ref());
        }
        case
    }

    /// Returns the status of a flow without an end, also of a killed run: an error of the type `interrupted`, with
    /// the reason why the flow did not run or did not end. Such a status has no description.
    fn unfinished_status(&self, record: &FlowRecord) -> TestCaseStatus {
        let message = record.unfinished_reason(self.results.stopped);
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_type("interrupted");
        status.set_message(message);
        status
    }

    /// Returns the failure as [`failure_block`] formats it, without colour, between line ends. Paths are relative to
    /// the run's root.
    fn description(&self, attempt: &Attempt, end: &End) -> String {
        let places = Places::new(self.results, None);
        let block = failure_block(
            attempt,
            end,
            (&places, &KeyNames::with_class()),
            Paint { color: false },
        );
        format!("\n{}\n", block.join("\n"))
    }

    /// Builds the output: steps, messages, and the lines by which CI servers find attachments. Differences come first
    /// among these, then annotated pictures, screenshots and other files; proposals, traces and videos are not among
    /// them. Their paths are absolute, or relative to `attachments_from` if they are below it; the files may be gone.
    /// Empty if there is none of it.
    fn output(&self, attempt: &Attempt) -> String {
        let mut lines: Vec<String> = attempt.steps.iter().map(step_line).collect();
        for (level, message) in &attempt.log {
            lines.push(format!("{}: {}", level.as_str(), clean(message)));
        }
        let mut artifacts = attempt.visible_files();
        // Some servers show only the first attachment: the picture of a difference says most.
        artifacts.sort_by_key(|artifact| match artifact.kind {
            ArtifactKind::Difference => 0,
            ArtifactKind::Annotated => 1,
            ArtifactKind::Screenshot => 2,
            _ => 3,
        });
        for artifact in artifacts {
            let path = self.results.artifact_place(artifact);
            let path = match &self.options.attachments_from {
                Some(base) => path.strip_prefix(base).unwrap_or(&path),
                None => &path,
            };
            lines.push(format!("[[ATTACHMENT|{}]]", text(path.as_str())));
        }
        if lines.is_empty() {
            return String::new();
        }
        format!("\n{}\n", lines.join("\n"))
    }
}

/// Kind, type and message of a failure.
struct FailureName {
    kind: NonSuccessKind,
    ty: &'static str,
    message: String,
}

impl FailureName {
    /// Names the failure of an attempt. An attempt that ended as an error, and any failure of the infrastructure, is
    /// an error in JUnit; the others are failures, crashes among them unless the attempt ended as an error. The type
    /// is the cause, or `setup` or `teardown` for other errors there. The message begins with the place, if it is
    /// known; it is the first line that is not blank, masked, or `failed` without a failure.
    fn new(attempt: &Attempt, end: &End) -> Self {
        let phase = attempt
            .failed_step()
            .map_or(Phase::Steps, StepRecord::phase);
        let cause = end.failure.as_ref().map(|failure| failure.kind);
        let (kind, ty) = match (end.status, phase, cause) {
            (_, _, Some(FailureKind::Infrastructure)) => (NonSuccessKind::Error, "infrastructure"),
            (FlowStatus::Error, _, Some(kind)) if kind.is_crash() => {
                (NonSuccessKind::Error, failure_type(cause))
            }
            (FlowStatus::Error, Phase::Setup, _) => (NonSuccessKind::Error, "setup"),
            (FlowStatus::Error, Phase::Teardown, _) => (NonSuccessKind::Error, "teardown"),
            (FlowStatus::Error, Phase::Steps | Phase::OnFailure, cause) => {
                (NonSuccessKind::Error, failure_type(cause))
            }
            (_, _, cause) => (NonSuccessKind::Failure, failure_type(cause)),
        };
        let failure = end.failure.as_ref();
        let message = failure.map_or("failed", |failure| failure.message.masked_text());
        let at = end
            .failed_at
            .as_ref()
            .or(attempt.failed_step().map(|step| &step.at));
        let message = match at {
            Some(at) => format!(
                "{}:{}: {}",
                text(at.file.as_str()),
                at.line,
                one_line(message)
            ),
            None => one_line(message),
        };
        Self { kind, ty, message }
    }
}

/// Returns the type of a failure in JUnit; `error` if the cause is unknown.
fn failure_type(cause: Option<FailureKind>) -> &'static str {
    match cause {
        Some(FailureKind::Assertion) => "assertion",
        Some(FailureKind::Timeout) => "timeout",
        Some(FailureKind::Snapshot) => "snapshot",
        Some(FailureKind::Usage) => "usage",
        Some(FailureKind::Unsupported) => "unsupported",
        Some(FailureKind::Unfit) => "unfit",
        Some(FailureKind::Crash) => "crash",
        Some(FailureKind::NativeCrash) => "native_crash",
        Some(FailureKind::Anr) => "anr",
        Some(FailureKind::Infrastructure) => "infrastructure",
        None => "error",
    }
}

/// Returns the class of a flow: its path without extension, dots replaced by `_`, joined by dots. So
/// `flows/a.b/checkout.yaml` becomes `flows.a_b.checkout`. Jenkins and others take the part before the last
/// dot for the package, so a path would become the class `yaml` of the package `flows/checkout`.
fn class_name(flow: &Utf8Path) -> String {
    let parts = flow.with_extension("");
    let parts = parts
        .components()
        .map(|part| part.as_str().replace('.', "_"));
    parts.collect::<Vec<_>>().join(".")
}

/// Adds the attribute `file`, always the flow's own, and `line` only if the place is in that file. The schema does
/// not have them, but most readers use them.
fn add_place(case: &mut TestCase, flow: &Utf8Path, at: Option<&SourceLocation>) {
    case.extra.insert("file".into(), text(flow.as_str()).into());
    if let Some(at) = at.filter(|at| at.file == flow) {
        case.extra.insert("line".into(), at.line.to_string().into());
    }
}

/// Adds the session of a remote device as properties: its id, and the addresses of dashboard and video if it
/// has them.
fn session_properties(case: &mut TestCase, session: &RemoteSession) {
    let properties = [
        ("session.id", Some(&session.id)),
        ("session.dashboard", session.dashboard.as_ref()),
        ("session.video", session.video.as_ref()),
    ];
    for (name, value) in properties {
        if let Some(value) = value {
            case.add_property(Property::new(name, text(value)));
        }
    }
}

/// Adds the quarantine as properties: reason, last day, issue, and `quarantine.ended` if the last day was over when
/// the flow ran. Without a reason, `quarantine` is `true`. Other missing facts are left out.
fn quarantine_properties(case: &mut TestCase, quarantine: &QuarantineNote) {
    let because = Some(quarantine.because.as_str()).filter(|it| !it.is_empty());
    let properties = [
        // `true` if there is no reason, so that the property is always there.
        ("quarantine", Some(because.unwrap_or("true"))),
        ("quarantine.until", quarantine.until.as_deref()),
        ("quarantine.issue", quarantine.issue.as_deref()),
        ("quarantine.ended", quarantine.ended.then_some("true")),
    ];
    for (name, value) in properties {
        if let Some(value) = value {
            case.add_property(Property::new(name, text(value)));
        }
    }
}

/// Adds the start, if it is a valid time, and the properties of a case that ended: `cause` only for failures and
/// errors, number of attempts, costs of the last attempt, one `tag` for each tag, and one `snapshot` with key and
/// verdict for each snapshot of the last attempt.
fn describe(case: &mut TestCase, record: &FlowRecord, attempt: &Attempt, end: &End) {
    case.timestamp = timestamp(&end.started);
    let mut add = |name: &str, value: &str| {
        case.add_property(Property::new(name, text(value)));
    };
    if matches!(end.status, FlowStatus::Failed | FlowStatus::Error) {
        add("cause", &cause_id(end));
    }
    add("attempts", &record.attempts.len().to_string());
    add("round_trips", &end.cost.round_trips.to_string());
    add("dumps", &end.cost.dumps.to_string());
    for tag in &record.tags {
        add("tag", tag);
    }
    for snapshot in &attempt.snapshots {
        add(
            "snapshot",
            &format!("{} {}", snapshot.key, snapshot.verdict.as_str()),
        );
    }
}

/// Formats a step, such as `ok    click: Sign in  120ms · 2 round trips · 1 dump · flows/login.yaml:4`. The other
/// words are `FAIL`, `warn`, `skip`, and `...>` for a step without an end. Inner steps are indented, steps outside of
/// `steps` have their phase before the title. The first line of a failure's message follows on a line of its own.
/// There is no line end after it.
fn step_line(step: &StepRecord) -> String {
    let word = match step.status {
        Some(StepStatus::Passed) => "ok  ",
        Some(StepStatus::Failed) => "FAIL",
        Some(StepStatus::Warned) => "warn",
        Some(StepStatus::Skipped) => "skip",
        None => "...>",
    };
    let phase = match step.phase() {
        Phase::Setup => "setup: ",
        Phase::Steps => "",
        Phase::OnFailure => "on_failure: ",
        Phase::Teardown => "teardown: ",
    };
    let mut line = format!(
        "{word}  {}{phase}{}  {} · {} · {} · {}:{}",
        "  ".repeat(step.depth()),
        clean(&step.title),
        duration(step.duration_ms),
        count(step.cost.round_trips, "round trip"),
        count(step.cost.dumps, "dump"),
        clean(step.at.file.as_str()),
        step.at.line,
    );
    if let Some(failure) = &step.failure {
        line.push_str("\n      ");
        line.push_str(&one_line(failure.message.masked_text()));
    }
    line
}

/// Returns the first line that is not blank, with control characters made visible. Empty if all are blank.
fn one_line(message: &str) -> String {
    text(
        message
            .lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or_default(),
    )
}
