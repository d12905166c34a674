//! Writes the JUnit report: a suite for each folder and device, or for each folder if flows run on any
//! device; a test case for each flow.
//!
//! The file is rewritten when flows end, each time as a whole and atomically, so that a killed run leaves a
//! valid file that shows the unfinished flows. [`MIN_PAUSE`] and [`MAX_TIME_SHARE`] bound the time that this
//! takes.

mod case;
mod strict_form;

use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use chrono::{DateTime, FixedOffset};
use indexmap::IndexMap;
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

use super::records::FlowRecord;
use super::results::Results;
use super::rewrite_schedule::RewriteSchedule;
use super::text::clean;
use super::{ReportError, Subscriber};
use runner_base::output_file::OutputFile;
use runner_device::DeviceInfo;
use runner_event::{Event, EventKind, FlowId, FlowStatus, ResultKey, RunFailure, RunFailureKind};

/// Time between two rewrites. Chosen: a watching person notices no delay; much less would write many times a
/// second in a run with many devices.
const MIN_PAUSE: Duration = Duration::from_millis(250);

/// Rewriting takes at most one part in this number of the run's time. Chosen: 5 % is hardly noticed, also
/// with thousands of flows.
const MAX_TIME_SHARE: u32 = 20;

/// Name of the suite of failures that are of no flow.
const RUN: &str = "run";

/// Form of the report.
#[derive(Debug, Clone, Default)]
pub struct JunitOptions {
    /// Writes only what Jenkins' `junit-10.xsd` allows.
    pub strict: bool,
    /// Folder that attachments are relative to, as GitLab needs it. `None` writes absolute paths, as Jenkins
    /// needs them.
    pub attachments_from: Option<Utf8PathBuf>,
    /// Name of all suites, instead of the flows' folders.
    pub suite_name: Option<String>,
}

/// Subscriber that rewrites the file during the run.
#[derive(Debug)]
pub struct Junit {
    output: OutputFile,
    options: JunitOptions,
    results: Results,
    /// Test cases of flows that ended, so that each is built once.
    finished: Cases,
    schedule: RewriteSchedule,
}

/// Test cases by result.
type Cases = IndexMap<ResultKey, TestCase>;

impl Junit {
    /// Creates the report. Nothing is written here: the file is first written at the plan, then again as flows end,
    /// not more often than once in `MIN_PAUSE`, and at the end. A pipe gets the report only at the end.
    pub fn new(output: OutputFile, options: JunitOptions) -> Self {
        Self {
            output,
            options,
            results: Results::default(),
            finished: Cases::new(),
            schedule: RewriteSchedule::new(MIN_PAUSE, MAX_TIME_SHARE),
        }
    }

    /// Builds and keeps the test case of a flow that ended, so that a rewrite of the file need not build it again.
    /// Does nothing for a flow that is unknown or has no end. An interrupted one is left open, as the reason may come
    /// later.
    fn store_case(&mut self, id: &FlowId) {
        let key = self.results.key(id);
        let Some(record) = self.results.flows.get(&key) else {
            return;
        };
        let ended = record.outcome().map(|(_, end)| end.status);
        if ended.is_none_or(|status| status == FlowStatus::Interrupted) {
            return;
        }
        let writer = Writer {
            results: &self.results,
            options: &self.options,
            finished: &self.finished,
        };
        let case = writer.case(&key, record);
        self.finished.insert(key, case);
    }

    /// Replaces the file by the report of the results so far, in which flows without an end are errors. Tells the
    /// schedule how long that took.
    fn write(&mut self) -> Result<(), ReportError> {
        let began = Instant::now();
        let xml = Writer {
            results: &self.results,
            options: &self.options,
            finished: &self.finished,
        }
        .xml()?;
        self.output
            .write(xml.as_bytes())
            .map_err(|source| ReportError::File {
                path: self.output.path().to_owned(),
                source,
            })?;
        self.schedule.written(began);
        Ok(())
    }
}

impl Subscriber for Junit {
    /// Keeps the event, and writes the report at the end of the run, or earlier if the schedule says so. A file that
    /// cannot be written is an error.
    fn on(&mut self, event: &Event) -> Result<(), ReportError> {
        self.results.add(event);
        self.schedule.on(event);
        if let EventKind::FlowFinished { id, last: true, .. } = &event.kind {
            self.store_case(id);
        }
        if matches!(event.kind, EventKind::Finish { .. }) {
            return self.write();
        }
        self.idle()
    }

    /// Writes the report if it is due, else does nothing. A pipe gets nothing before the end of the run.
    fn idle(&mut self) -> Result<(), ReportError> {
        // A pipe cannot be rewritten: it gets the report once, at the end.
        if self.schedule.is_due() && !self.output.is_stream() {
            self.write()
        } else {
            Ok(())
        }
    }
}

/// Builds the report of `results` as XML. Flows that have no end or were interrupted are errors. Without any result,
/// it is a report without suites.
///
/// # Errors
/// Returns an error if the XML cannot be written.
pub fn junit_xml(results: &Results, options: &JunitOptions) -> Result<String, ReportError> {
    Writer {
        results,
        options,
        finished: &Cases::new(),
    }
    .xml()
}

struct Writer<'a> {
    results: &'a Results,
    options: &'a JunitOptions,
    finished: &'a Cases,
}

impl Writer<'_> {
    /// Returns the report as XML. In the strict form its root keeps only the allowed attributes. Fails if it cannot
    /// be written as XML.
    fn xml(&self) -> Result<String, ReportError> {
        let xml = self
            .report()
            .to_string()
            .map_err(|error| ReportError::Xml(error.to_string()))?;
        if self.options.strict {
            strict_form::reduce_root(&xml)
        } else {
            Ok(xml)
        }
    }

    /// Builds the report of all suites. Its time is that of the run, not the sum of its suites. The strict form has
    /// no timestamp, nor has a run without a start or with an invalid time.
    fn report(&self) -> Report {
        let mut report = Report::new("runner");
        // Not the sum of the suites, as devices work at the same time.
        report.set_time(Duration::from_millis(self.results.elapsed_ms));
        if let Some(run) = self.results.run.as_ref().filter(|_| !self.options.strict) {
            report.timestamp = timestamp(&run.started);
        }
        report.add_test_suites(self.suites());
        report
    }

    /// Builds the suites by folder and device, in the order of the plan; flows planned for any device share a suite
    /// without a device. Unreadable flows come first and have no device. A suite's time is the sum of all its
    /// attempts, its timestamp the earliest start. Failures of the run itself are the last suite.
    fn suites(&self) -> Vec<TestSuite> {
        let mut suites = IndexMap::new();
        for unreadable in &self.results.unreadable {
            let suite = self.suite(&mut suites, &unreadable.flow, None);
            suite.add_test_case(self.unreadable(unreadable));
        }
        for (key, record) in &self.results.flows {
            let suite = {
                let device = Some(key.device.as_str()).filter(|device| !device.is_empty());
                self.suite(&mut suites, &key.id.flow, device)
            };
            let mut took = suite.time.unwrap_or_default();
            for end in record
                .attempts
                .iter()
                .filter_map(|attempt| attempt.end.as_ref())
            {
                took += Duration::from_millis(end.duration_ms);
                if let Some(started) = timestamp(&end.started)
                    && suite.timestamp.is_none_or(|earliest| started < earliest)
                {
                    suite.set_timestamp(started);
                }
            }
            suite.set_time(took);
            app_property(suite, record);
            let finished = self.finished.get(key).cloned();
            suite.add_test_case(finished.unwrap_or_else(|| self.case(key, record)));
        }
        let of_run = self.run_suite(&suites);
        // Behind the others, not among them: a folder of flows may be called `run` too.
        suites.into_values().chain(of_run).collect()
    }

    /// Builds the suite of failures that are of no flow, one failed test case each. If the exit code is not 0 but
    /// there is neither such a failure nor a failed or broken case in `suites`, it has a case for that. Returns
    /// `None` if all is well.
    fn run_suite(&self, suites: &IndexMap<(String, String), TestSuite>) -> Option<TestSuite> {
        let mut failures = self.results.because.clone();
        let code = self.results.finish.map_or(0, |finish| finish.exit_code);
        let is_green = suites
            .values()
            .all(|suite| suite.errors + suite.failures == 0);
        if failures.is_empty() && code != 0 && is_green {
            let message = format!("the run ended with exit code {code}");
            failures.push(RunFailure::new(RunFailureKind::Unknown, message));
        }
        if failures.is_empty() {
            return None;
        }
        let mut suite = TestSuite::new(RUN);
        suite.set_time(Duration::ZERO);
        for failure in failures {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type(failure.kind.as_str());
            status.set_message(text(&failure.message));
            status.set_description(text(&failure.message));
            let mut case = TestCase::new(failure.kind.as_str(), status);
            case.set_classname(RUN);
            case.set_time(Duration::ZERO);
            suite.add_test_case(case);
        }
        Some(suite)
    }

    /// Returns the suite of the flow's folder and device, added with its properties if it is missing. With a suite
    /// name that the user chose, all flows of a device share a suite, which has this name and no device in it. A flow
    /// without a folder is in `.`.
    fn suite<'s>(
        &self,
        suites: &'s mut IndexMap<(String, String), TestSuite>,
        flow: &Utf8Path,
        device: Option<&str>,
    ) -> &'s mut TestSuite {
        let folder = flow
            .parent()
            .map(Utf8Path::as_str)
            .filter(|folder| !folder.is_empty())
            .unwrap_or(".");
        let own = self.options.suite_name.as_deref();
        let folder = own.unwrap_or(folder);
        let key = (folder.to_owned(), device.unwrap_or_default().to_owned());
        suites.entry(key).or_insert_with(|| {
            let name = match device.filter(|_| own.is_none()) {
                Some(device) => format!("{folder} [{device}]"),
                None => folder.to_owned(),
            };
            let mut suite = TestSuite::new(text(&name));
            suite.set_time(Duration::ZERO);
            if let Some(run) = &self.results.run {
                property(&mut suite, "runner.version", &run.version);
                property(&mut suite, "runner.run_id", &run.run_id);
            }
            if let Some(device) = device {
                suite.extra.insert("hostname".into(), text(device).into());
                property(&mut suite, "device.label", device);
                if let Some(info) = self.results.devices.get(device) {
                    device_properties(&mut suite, info);
                }
            }
            suite
        })
    }
}

/// Adds what is known about the device as properties. An unknown display reads `unknown`; an unknown driver adds
/// none.
fn device_properties(suite: &mut TestSuite, info: &DeviceInfo) {
    property(suite, "device.serial", &info.serial);
    property(
        suite,
        "device.model",
        &format!("{} {}", info.manufacturer, info.model),
    );
    property(suite, "device.android", &info.release.to_string());
    property(suite, "device.sdk", &info.sdk.to_string());
    let display = info.display.value().map_or_else(
        || "unknown".to_owned(),
        |display| format!("{}x{}@{}", display.width, display.height, display.density),
    );
    property(suite, "device.display", &display);
    property(suite, "device.locale", &info.locale.to_string());
    if let Some(driver) = info.driver {
        property(suite, "device.driver", driver.name());
    }
}

/// Adds a property such as `app.com.example.notes` with the value `1.4.2 (31)`, once. Another version gives a second
/// property of that name. Adds nothing if the flow's app or its version is unknown.
fn app_property(suite: &mut TestSuite, record: &FlowRecord) {
    if let (Some(app), Some(version)) = (&record.app, record.app_version()) {
        let property = Property::new(text(&format!("app.{app}")), text(&version));
        if !suite.properties.contains(&property) {
            suite.add_property(property);
        }
    }
}

fn property(suite: &mut TestSuite, name: &str, value: &str) {
    suite.add_property(Property::new(name, text(value)));
}

/// Removes characters that XML does not allow.
fn text(text: &str) -> String {
    clean(text).into_owned()
}

/// Parses RFC 3339. Returns `None` for other texts.
fn timestamp(text: &str) -> Option<DateTime<FixedOffset>> {
    DateTime::parse_from_rfc3339(text).ok()
}

#[cfg(test)]
mod tests;
