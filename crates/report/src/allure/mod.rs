//! Writes results for Allure: a folder of Allure 2 results, which `allure generate` and Allure's servers
//! read. Each attempt is a result. The attempts of a flow have the same `historyId`, by which Allure
//! recognizes retries and earlier runs.
//!
//! A flow is written when it ends, so that a killed run leaves results too.

mod attachment;
mod labels;
mod model;
mod steps;
#[cfg(test)]
mod tests;
mod writer;

use std::collections::HashSet;

use camino::{Utf8Path, Utf8PathBuf};

use self::writer::Writer;
use crate::{FlowRecord, ReportError, Results, Subscriber};
use runner_base::own_folder::{FolderKind, OwnFolder};
use runner_event::{Event, EventKind, FlowStatus, ResultKey, RunFailure, RunFailureKind};

/// Kind of folder that holds the results.
pub const ALLURE: FolderKind = FolderKind {
    list: "runner-files.txt",
    header: "Results for Allure that `runner` made. The next results in this folder replace them.",
    noun: "results for Allure",
    files: &["environment.properties"],
    parts: &["-result.json", "-container.json", "-attachment."],
    folders: &[],
};

/// Subscriber that writes the results.
#[derive(Debug)]
pub struct Allure {
    folder: OwnFolder,
    results: Results,
    written: HashSet<ResultKey>,
}

impl Allure {
    /// Creates the report. The folder is created if it is missing. Results that `runner` left in it stay until the run
    /// ends, and are removed then.
    ///
    /// # Errors
    /// Returns an error if the folder is neither empty nor one of this report, or cannot be written.
    pub fn create(folder: Utf8PathBuf) -> Result<Self, ReportError> {
        Ok(Self {
            folder: OwnFolder::open(folder, ALLURE)?,
            results: Results::default(),
            written: HashSet::new(),
        })
    }
}

impl Subscriber for Allure {
    /// Keeps the event, and writes a flow after its last attempt. Interrupted flows are written at the end of the
    /// run, as the reason may come later.
    fn on(&mut self, event: &Event) -> Result<(), ReportError> {
        self.results.add(event);
        match &event.kind {
            // The reason for an interruption may come later.
            EventKind::FlowFinished {
                id,
                last: true,
                status,
                ..
            } if *status != FlowStatus::Interrupted => {
                let key = self.results.key(id);
                if let Some(record) = self.results.flows.get(&key) {
                    Writer::new(&self.results, &mut self.folder).flow(&key, record)?;
                    self.written.insert(key);
                }
                Ok(())
            }
            EventKind::Finish { .. } => finish(&self.results, &mut self.folder, &self.written),
            _ => Ok(()),
        }
    }
}

/// Writes the results of a run into `folder`, which is created if it is missing. They replace those that `runner`
/// wrote there before; other files stay.
///
/// # Errors
/// Returns an error if the folder is neither empty nor one of this report, or cannot be written.
pub fn write_allure(results: &Results, folder: &Utf8Path) -> Result<(), ReportError> {
    let mut folder = OwnFolder::open(folder.to_owned(), ALLURE)?;
    finish(results, &mut folder, &HashSet::new())
}

/// Writes the flows that are not in `written`, the unreadable flows, the failures of the run and
/// `environment.properties`. Then removes the files that an earlier run left in the folder.
fn finish(
    results: &Results,
    folder: &mut OwnFolder,
    written: &HashSet<ResultKey>,
) -> Result<(), ReportError> {
    let mut writer = Writer::new(results, folder);
    for (key, record) in &results.flows {
        if !written.contains(key) {
            writer.flow(key, record)?;
        }
    }
    for unreadable in &results.unreadable {
        writer.unreadable(unreadable)?;
    }
    let failures = run_failures(results);
    for (at, failure) in failures.iter().enumerate() {
        // The parts of a run may each have one of a kind.
        let before = failures.iter().take(at);
        let number = 1 + before.filter(|other| other.kind == failure.kind).count();
        writer.run_failure(failure, number)?;
    }
    folder.write(
        "environment.properties",
        labels::environment(results).as_bytes(),
    )?;
    Ok(folder.remove_earlier()?)
}

/// Returns the failures that are of no flow. If the exit code is not 0 but nothing else failed, there is one
/// for that.
fn run_failures(results: &Results) -> Vec<RunFailure> {
    let mut failures = results.because.clone();
    let code = results.finish.map_or(0, |finish| finish.exit_code);
    let counts = |record: &FlowRecord| {
        let status = record.outcome().map(|(_, end)| end.status);
        !matches!(
            status,
            Some(
                FlowStatus::Passed
                    | FlowStatus::Flaky
                    | FlowStatus::Skipped
                    | FlowStatus::Quarantined
            )
        )
    };
    let is_green = results.unreadable.is_empty() && !results.flows.values().any(counts);
    if failures.is_empty() && code != 0 && is_green {
        let message = format!("the run ended with exit code {code}");
        failures.push(RunFailure::new(RunFailureKind::Unknown, message));
    }
    failures
}
