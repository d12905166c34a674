//! Tests that each report shows the same flows, verdicts and failures as the event stream.
//!
//! The stream is read here without the reports' code, and the reports as their own tools read them.

use std::collections::BTreeMap;

use camino::Utf8Path;
use proptest::prelude::*;
use serde_json::Value;

use crate::html::page_reader;
use crate::testing::any_run;
use crate::{Results, html, write_allure};
use runner_base::output_file::{Form, OutputFile};
use runner_event::{Event, EventKind, FlowId, FlowStatus};

/// Facts that a report shows of a flow on a device.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FlowVerdict {
    verdict: String,
    message: Option<String>,
    attempts: usize,
}

/// Verdicts by flow and device.
type Verdicts = BTreeMap<(String, String), FlowVerdict>;

/// Reads the verdicts from the events alone. A planned flow is `not_run` with 0 attempts, a started one `unfinished`,
/// and so is one with a retry to follow. The message is that of the last failure, even if a later attempt passed.
/// Panics if a flow starts or ends that was not planned.
fn verdicts_of(events: &[Event]) -> Verdicts {
    let mut verdicts = Verdicts::new();
    for event in events {
        match &event.kind {
            EventKind::Plan { flows, .. } => {
                for id in flows {
                    let told = FlowVerdict {
                        verdict: "not_run".to_owned(),
                        message: None,
                        attempts: 0,
                    };
                    verdicts.insert((id.flow.to_string(), id.device.clone()), told);
                }
            }
            EventKind::FlowStarted { id, .. } => {
                let key = (id.flow.to_string(), id.device.clone());
                let told = verdicts.get_mut(&key).unwrap();
                told.verdict = "unfinished".to_owned();
                told.attempts = id.attempt as usize;
            }
            EventKind::FlowFinished {
                id,
                last,
                status,
                failure,
                ..
            } => {
                let key = (id.flow.to_string(), id.device.clone());
                let told = verdicts.get_mut(&key).unwrap();
                told.attempts = id.attempt as usize;
                if failure.is_some() {
                    told.message = failure.as_ref().map(|it| it.message.to_string());
                }
                told.verdict = match status {
                    _ if !last => "unfinished".to_owned(),
                    status => text_of(*status).to_owned(),
                };
            }
            _ => {}
        }
    }
    verdicts
}

/// Returns the name of a status as the page writes it, such as `quarantined`.
fn text_of(status: FlowStatus) -> &'static str {
    match status {
        FlowStatus::Passed => "passed",
        FlowStatus::Flaky => "flaky",
        FlowStatus::Failed => "failed",
        FlowStatus::Error => "error",
        FlowStatus::Skipped => "skipped",
        FlowStatus::Interrupted => "interrupted",
        FlowStatus::Quarantined => "quarantined",
    }
}

fn unreadable_of(events: &[Event]) -> usize {
    let is_unreadable = |event: &&Event| matches!(event.kind, EventKind::Unreadable { .. });
    events.iter().filter(is_unreadable).count()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// Reads the verdicts from the summary of an HTML report, with the number of unreadable flows. `detail` opens
/// the data file of a flow; a flow without one counts 0 attempts. A flow without a device gets an empty
/// label. Panics if the summary has another shape.
fn verdicts_of_page(summary: &Value, detail: impl Fn(&str) -> Value) -> (Verdicts, usize) {
    let flows = summary["flows"].as_array().unwrap();
    let told = flows.iter().map(|flow| {
        let device = flow["device"].as_u64().map(|at| at as usize);
        let device = device.map_or("", |at| text(&summary["devices"][at], "label"));
        let attempts = flow["data"].as_str().map(&detail);
        let attempts = attempts.map_or(0, |detail| detail["attempts"].as_array().unwrap().len());
        let told = FlowVerdict {
            verdict: text(flow, "status").to_owned(),
            message: flow["message"].as_str().map(str::to_owned),
            attempts,
        };
        ((text(flow, "flow").to_owned(), device.to_owned()), told)
    });
    let unreadable = summary["unreadable"].as_array().map_or(0, Vec::len);
    (told.collect(), unreadable)
}

/// Reads the verdicts and the number of unreadable flows from a folder of Allure results. It groups results as Allure
/// does: those with the same `historyId` are attempts of one test, in the order of start and stop, and the last one
/// gives the verdict. The message is that of the last attempt that did not pass and has a trace. Results of the suite
/// `run` are left out, and those without the label `parentSuite` count as unreadable. Panics if a file is no JSON, or
/// if two tests are of one flow and device.
fn verdicts_of_allure(folder: &Utf8Path) -> (Verdicts, usize) {
    let mut tests: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for file in folder.read_dir_utf8().unwrap() {
        let file = file.unwrap();
        if file.file_name().ends_with("-result.json") {
            let result: Value =
                serde_json::from_slice(&std::fs::read(file.path()).unwrap()).unwrap();
            tests
                .entry(text(&result, "historyId").to_owned())
                .or_default()
                .push(result);
        }
    }
    let (mut verdicts, mut unreadable) = (Verdicts::new(), 0);
    for mut attempts in tests.into_values() {
        attempts.sort_by_key(|result| (result["start"].as_u64(), result["stop"].as_u64()));
        let failed = attempts.iter().rfind(|result| {
            let status = text(result, "status");
            status != "passed" && result["statusDetails"]["trace"].is_string()
        });
        let message = failed.map(|result| text(&result["statusDetails"], "message").to_owned());
        let last = attempts.last().unwrap();
        let label = |name: &str| {
            let labels = last["labels"].as_array().unwrap().iter();
            let mut found = labels.filter(|label| label["name"] == name);
            found.next().map(|label| text(label, "value").to_owned())
        };
        let details = &last["statusDetails"];
        let why = text(details, "message");
        let verdict = match text(last, "status") {
            "passed" if details["flaky"] == true => "flaky",
            "broken" if why.starts_with("not run: ") => "not_run",
            "broken" if why.starts_with("not finished: ") => "unfinished",
            "broken" => "error",
            "failed" if details["muted"] == true => "quarantined",
            status => status,
        };
        let key = (
            text(last, "fullName").to_owned(),
            label("thread").unwrap_or_default(),
        );
        match label("suite").as_deref() {
            Some("run") => {}
            _ if label("parentSuite").is_none() => unreadable += 1,
            _ => {
                let told = FlowVerdict {
                    verdict: verdict.to_owned(),
                    message,
                    attempts: attempts.len(),
                };
                assert!(
                    verdicts.insert(key.clone(), told).is_none(),
                    "{key:?} is told twice"
                );
            }
        }
    }
    (verdicts, unreadable)
}

/// Converts verdicts to those of Allure, which has no status for interrupted flows and needs a result for flows that
/// did not run. `interrupted` becomes `unfinished`, and 0 attempts become 1. If the last start or end of a flow in
/// `events` is an end with a retry to follow, this one flow gets one attempt more. Other flows that wait for a retry
/// do not. All else stays.
fn in_words_of_allure(verdicts: &Verdicts, events: &[Event]) -> Verdicts {
    let mut verdicts = verdicts.clone();
    for ((flow, device), told) in &mut verdicts {
        // The flow was to be tried again when the stream was cut off.
        let last = events.iter().rev().find_map(|event| match &event.kind {
            EventKind::FlowStarted { id, .. } => Some((id, false)),
            EventKind::FlowFinished { id, last, .. } => Some((id, !last)),
            _ => None,
        });
        let is_it =
            |(id, waits): (&FlowId, bool)| waits && id.flow == *flow && id.device == *device;
        told.attempts += usize::from(last.is_some_and(is_it));
        if told.verdict == "interrupted" {
            told.verdict = "unfinished".to_owned();
        }
        if told.attempts == 0 {
            told.attempts = 1;
        }
    }
    verdicts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Checks that the page in a folder, the page of one file and the results of Allure show the verdicts, messages
    /// and numbers of attempts of the stream, and its number of unreadable flows.
    #[test]
    fn every_report_tells_what_the_stream_tells(events in any_run()) {
        let guard = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(guard.path()).unwrap();
        let mut results = Results::default();
        for event in &events {
            results.add(event);
        }
        let (truth, unreadable) = (verdicts_of(&events), unreadable_of(&events));

        html::write(&results, &root.join("folder")).unwrap();
        let index = std::fs::read_to_string(root.join("folder/index.html")).unwrap();
        let detail = |href: &str| {
            page_reader::script(&std::fs::read_to_string(root.join("folder").join(href)).unwrap())
        };
        let in_folder = verdicts_of_page(&page_reader::summary(&index), detail);
        prop_assert_eq!(&in_folder, &(truth.clone(), unreadable));

        let output = OutputFile::new(root, "report.html".into(), Form::Report, "--html").unwrap();
        html::write_one_file(&results, &output).unwrap();
        let page = std::fs::read_to_string(output.path()).unwrap();
        let in_one_file = verdicts_of_page(&page_reader::summary(&page), |href| page_reader::embedded(&page, href));
        prop_assert_eq!(&in_one_file, &in_folder);

        write_allure(&results, &root.join("allure")).unwrap();
        let (told, bad) = verdicts_of_allure(&root.join("allure"));
        let mut expected = in_words_of_allure(&truth, &events);
        for (key, told) in &told {
            // A flow that was interrupted before it began was not run.
            if let Some(truth) = expected.get_mut(key)
                && truth.verdict == "unfinished" && told.verdict == "not_run"
            {
                let is_begun = events.iter().any(|event| matches!(&event.kind, EventKind::FlowStarted { id, .. }
                    if (id.flow.as_str(), id.device.as_str()) == (key.0.as_str(), key.1.as_str())));
                prop_assert!(!is_begun, "{key:?} had begun");
                truth.verdict = "not_run".to_owned();
            }
        }
        prop_assert_eq!((told, bad), (expected, unreadable));
    }

    /// A killed run leaves the results of flows that ended. The complete stream gives the same results as the live
    /// run. Checks both.
    #[test]
    fn the_subscriber_of_allure_writes_what_the_saved_stream_gives(events in any_run()) {
        use crate::{Allure, Subscriber as _};

        let guard = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(guard.path()).unwrap();
        let mut live = Allure::create(root.join("live")).unwrap();
        let mut results = Results::default();
        for event in &events {
            live.on(event).unwrap();
            results.add(event);
        }
        let ended = events.iter().filter(|event| matches!(event.kind, EventKind::FlowFinished { last: true, status, .. }
            if status != FlowStatus::Interrupted));
        let (told, _) = verdicts_of_allure(&root.join("live"));
        prop_assert!(told.len() >= ended.count());
        if matches!(events.last().unwrap().kind, EventKind::Finish { .. }) {
            write_allure(&results, &root.join("again")).unwrap();
            prop_assert_eq!(verdicts_of_allure(&root.join("again")), verdicts_of_allure(&root.join("live")));
        }
    }
}
