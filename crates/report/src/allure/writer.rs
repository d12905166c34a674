//! Writes results for Allure into a folder.

use camino::Utf8Path;
use chrono::DateTime;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::attachment::attachments;
use super::model::{Container, Details, ExecutableItem, Parameter, Status, TestResult};
use super::{labels, steps};
use crate::failure::failure_block;
use crate::places::Places;
use crate::records::InvalidFlow;
use crate::text::{Paint, clean};
use crate::{Attempt, End, FlowRecord, ReportError, Results};
use runner_base::own_folder::OwnFolder;
use runner_event::{FlowStatus, ResultKey, RunFailure};
use runner_snapshot::KeyNames;
use runner_tools::FailureKind;

pub(super) struct Writer<'a> {
    results: &'a Results,
    folder: &'a mut OwnFolder,
    /// Start of the run in milliseconds since 1970.
    began: u64,
}

impl<'a> Writer<'a> {
    /// Creates a writer and writes nothing. Times are counted from the run's start, or from 1970 if there is none or
    /// it cannot be parsed.
    pub fn new(results: &'a Results, folder: &'a mut OwnFolder) -> Self {
        let run = results.run.as_ref();
        let began = run.and_then(|run| DateTime::parse_from_rfc3339(&run.started).ok());
        let began = began.and_then(|began| u64::try_from(began.timestamp_millis()).ok());
        Self {
            results,
            folder,
            began: began.unwrap_or_default(),
        }
    }

    /// Writes a result for each attempt of a flow. Adds one more, broken and without an end, if the last attempt has
    /// a retry to follow that never came, or if there was no attempt. An attempt without an end or interrupted is
    /// broken.
    pub fn flow(&mut self, key: &ResultKey, record: &FlowRecord) -> Result<(), ReportError> {
        for attempt in &record.attempts {
            let item = match &attempt.end {
                Some(end) if end.status != FlowStatus::Interrupted => ExecutableItem {
                    status: status(end),
                    status_details: self.details(attempt, end),
                    ..self.item(record, attempt)
                },
                _ => self.not_finished(record, attempt),
            };
            self.result(key, record, attempt, item)?;
        }
        let last = record.attempts.last();
        if last.is_some_and(|last| last.end.as_ref().is_none_or(|end| end.last)) {
            return Ok(());
        }
        // The attempt that the run did not reach.
        let next = Attempt {
            number: last.map_or(1, |last| last.number + 1),
            device: last.map(|last| last.device.clone()).unwrap_or_default(),
            ..Attempt::default()
        };
        let item = self.not_finished(record, &next);
        self.result(key, record, &next, item)
    }

    /// Writes the result of an attempt with its files and videos, and a container if the attempt has setup or teardown
    /// steps. `item` gives name, status and times; the case is added to the name, its steps and attachments are
    /// replaced. Attempts of the same flow, case and planned device share a `historyId`, so Allure shows them as
    /// retries; the device that ran is a parameter that does not count. The same attempt of the same run replaces its
    /// earlier result.
    fn result(
        &mut self,
        key: &ResultKey,
        record: &FlowRecord,
        attempt: &Attempt,
        mut item: ExecutableItem,
    ) -> Result<(), ReportError> {
        let flow = key.id.flow.as_str();
        let case = key.id.distinction().unwrap_or_default();
        item.name = clean(&key.id.display_name(&item.name)).into_owned();
        let number = attempt.number.to_string();
        let identity = [flow, &case, &key.device];
        let uuid = uuid(&[self.run_id(), flow, &case, &key.device, &number]);
        let phases = steps::phases(self.results, self.folder, attempt, self.began)?;
        item.steps = phases.steps;
        let end = attempt.end.as_ref();
        let artifacts = end.map_or(&[][..], |end| &end.artifacts);
        item.attachments = attachments(self.results, self.folder, artifacts)?;
        for piece in &attempt.video {
            let video = std::slice::from_ref(&piece.file);
            let video = attachments(self.results, self.folder, video)?;
            item.attachments.extend(video);
        }
        let (start, stop) = (item.start, item.stop);
        let device = Parameter {
            name: "device",
            value: clean(&attempt.device).into_owned(),
            excluded: true,
        };
        let result = TestResult {
            history_id: id("history", &identity),
            test_case_id: id("test", &identity),
            full_name: clean(&key.id.display_name(flow)).into_owned(),
            title_path: labels::title_path(&key.id.flow),
            labels: labels::flow_labels(self.results, key, record, attempt),
            parameters: Vec::from_iter((!attempt.device.is_empty()).then_some(device)),
            links: Vec::new(),
            item,
            uuid: uuid.clone(),
        };
        self.write("result", &uuid, &result)?;
        if phases.befores.is_empty() && phases.afters.is_empty() {
            return Ok(());
        }
        let container = Container {
            uuid: id("container", &[&uuid]),
            children: vec![uuid],
            befores: phases.befores,
            afters: phases.afters,
            start,
            stop,
        };
        self.write("container", &container.uuid, &container)
    }

    /// Writes a broken result for a flow file that cannot be read, named by the file's stem. Its message is the first
    /// line, its trace the whole message.
    pub fn unreadable(&mut self, flow: &InvalidFlow) -> Result<(), ReportError> {
        let message = clean(&flow.message).into_owned();
        let details = Details {
            message: message.lines().next().map(str::to_owned),
            trace: Some(message),
            ..Details::default()
        };
        let path = flow.flow.as_str();
        let name = flow.flow.file_stem().unwrap_or(path);
        self.write_without_flow(path, name, Status::Broken, details, Some(&flow.flow))
    }

    /// Writes a failed result for a failure of the run that belongs to no flow, named by its kind. `number` tells it
    /// from others of this kind in the run, from 1; one of the same number replaces it.
    pub fn run_failure(&mut self, failure: &RunFailure, number: usize) -> Result<(), ReportError> {
        let message = clean(&failure.message).into_owned();
        let details = Details {
            message: Some(message.clone()),
            trace: Some(message),
            ..Details::default()
        };
        let kind = failure.kind.as_str();
        let full_name = match number {
            1 => format!("run: {kind}"),
            _ => format!("run: {kind} {number}"),
        };
        self.write_without_flow(&full_name, kind, Status::Failed, details, None)
    }

    /// Writes a result that is not of a flow's execution, such as an unreadable flow or a failure of the run. It
    /// starts and stops at the run's start, and has no steps and no attachments. `full_name` is its identity in the
    /// run: a second one replaces the first. `flow` only gives the folder and the suite.
    fn write_without_flow(
        &mut self,
        full_name: &str,
        name: &str,
        status: Status,
        details: Details,
        flow: Option<&Utf8Path>,
    ) -> Result<(), ReportError> {
        let uuid = uuid(&[self.run_id(), full_name]);
        let result = TestResult {
            history_id: id("history", &[full_name]),
            test_case_id: id("test", &[full_name]),
            full_name: clean(full_name).into_owned(),
            title_path: flow.map(labels::title_path).unwrap_or_default(),
            labels: labels::common_labels(self.results, flow),
            parameters: Vec::new(),
            links: Vec::new(),
            item: ExecutableItem {
                name: clean(name).into_owned(),
                status,
                status_details: details,
                stage: "finished",
                start: self.began,
                stop: self.began,
                steps: Vec::new(),
                attachments: Vec::new(),
            },
            uuid: uuid.clone(),
        };
        self.write("result", &uuid, &result)
    }

    /// Builds the item of an attempt with the flow's name, start and end, but without steps, attachments and details.
    /// The name is empty if the flow has none. An attempt that never began starts where the last earlier one ended.
    /// Without an end, it lasts until its last reported step ended, or not at all. The status is `Unknown`.
    fn item(&self, record: &FlowRecord, attempt: &Attempt) -> ExecutableItem {
        let took = |attempt: &Attempt| {
            let end = attempt.end.as_ref().map(|end| end.duration_ms);
            end.or(attempt.reported_ms()).unwrap_or_default()
        };
        // An attempt that never began is placed after the earlier ones.
        let earlier = record
            .attempts
            .iter()
            .take_while(|other| other.number != attempt.number);
        let start = if attempt.began {
            attempt.t_ms
        } else {
            let ends = earlier.map(|it| it.t_ms.saturating_add(took(it)));
            ends.max().unwrap_or_default()
        };
        let start = self.began.saturating_add(start);
        ExecutableItem {
            name: record.name.clone().unwrap_or_default(),
            status: Status::Unknown,
            status_details: Details::default(),
            stage: "finished",
            start,
            stop: start.saturating_add(took(attempt)),
            steps: Vec::new(),
            attachments: Vec::new(),
        }
    }

    /// Returns the item of an attempt without an end: broken, with the reason why the flow did not finish as message.
    /// No details but that, and no trace.
    fn not_finished(&self, record: &FlowRecord, attempt: &Attempt) -> ExecutableItem {
        let message = Some(record.unfinished_reason(self.results.stopped));
        ExecutableItem {
            status: Status::Broken,
            status_details: Details {
                message,
                ..Details::default()
            },
            ..self.item(record, attempt)
        }
    }

    /// Returns the details of an attempt that ended: masked message, the whole failure as the terminal prints it as
    /// trace, and the expected and actual value. Without a failure, only the marks for flaky and quarantined are set.
    /// A quarantined flow is both known and muted.
    fn details(&self, attempt: &Attempt, end: &End) -> Details {
        let places = Places::new(self.results, None);
        let failure = end.failure.as_ref();
        let words = |text: &str| clean(text).into_owned();
        let trace = failure.map(|_| {
            let block = failure_block(
                attempt,
                end,
                (&places, &KeyNames::with_class()),
                Paint { color: false },
            );
            block.join("\n")
        });
        let is_quarantined = end.status == FlowStatus::Quarantined;
        Details {
            message: failure.map(|failure| words(failure.message.masked_text())),
            trace: trace.map(|trace| words(&trace)),
            expected: failure.and_then(|failure| failure.expected.as_deref().map(words)),
            actual: failure.and_then(|failure| failure.actual.as_deref().map(words)),
            flaky: end.status == FlowStatus::Flaky,
            known: is_quarantined,
            muted: is_quarantined,
        }
    }

    fn run_id(&self) -> &'a str {
        self.results.run.as_ref().map_or("", |run| &run.run_id)
    }

    fn write(&mut self, kind: &str, uuid: &str, file: &impl Serialize) -> Result<(), ReportError> {
        let text = serde_json::to_vec(file)?;
        Ok(self.folder.write(&format!("{uuid}-{kind}.json"), &text)?)
    }
}

/// Maps to Allure's statuses: `Failed` is a failure of the app, `Broken` one of the test or its device. Flaky
/// flows pass. Errors and interrupted flows are broken, and so is a failed or quarantined flow whose failure
/// is of the infrastructure.
fn status(end: &End) -> Status {
    let cause = end.failure.as_ref().map(|failure| failure.kind);
    match end.status {
        FlowStatus::Passed | FlowStatus::Flaky => Status::Passed,
        FlowStatus::Skipped => Status::Skipped,
        FlowStatus::Error | FlowStatus::Interrupted => Status::Broken,
        FlowStatus::Failed | FlowStatus::Quarantined
            if cause == Some(FailureKind::Infrastructure) =>
        {
            Status::Broken
        }
        FlowStatus::Failed | FlowStatus::Quarantined => Status::Failed,
    }
}

/// Returns 32 hex digits that identify `kind` and `parts`, as long as the MD5 of Allure's adapters. They are
/// the first half of a SHA-256. Each part is hashed with its length, so `["ab", "c"]` and `["a", "bc"]`
/// differ.
fn id(kind: &str, parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in [&[kind], parts].concat() {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let digits = hash.finalize();
    digits[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn uuid(parts: &[&str]) -> String {
    let id = id("result", parts);
    let lengths = [0..8, 8..12, 12..16, 16..20, 20..32];
    lengths.map(|range| &id[range]).join("-")
}
