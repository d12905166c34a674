//! Keeps the last run, for `runner://report/last`.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::{Value, json};

use super::RunOutcome;
use super::report::RunReport;
use runner_config::Config;
use runner_report::read_stream;
use runner_text::input_file::{MAX_STREAM, open_regular};
use runner_tools::Failure;

/// Report of the last run.
#[derive(Serialize)]
struct LastReport<'a> {
    /// `this server`, or the path of the events.
    source: &'a str,
    /// Start of the run, RFC 3339.
    started: Option<&'a str>,
    #[serde(flatten)]
    report: RunReport<'a>,
}

/// Last run of flows of this server.
#[derive(Debug, Default)]
pub struct LastRun {
    ran: Mutex<Option<Arc<RunOutcome>>>,
}

impl LastRun {
    pub(super) fn keep(&self, ran: Arc<RunOutcome>) {
        *self.ran.lock().unwrap_or_else(PoisonError::into_inner) = Some(ran);
    }

    /// Returns the last run of this server, if there was one.
    fn get(&self) -> Option<Arc<RunOutcome>> {
        self.ran
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Returns the last run of this server, else the one in the events file that the settings name, else
    /// `Null`, also if that file does not exist or is standard output, `-`. The report names its source.
    ///
    /// # Errors
    /// The events file is too large or holds other lines than events.
    pub(crate) fn report(&self, config: &Config) -> Result<Value, Failure> {
        if let Some(ran) = self.get() {
            return Ok(with_source("this server", &ran));
        }
        let Some(path) = config
            .json
            .value
            .as_ref()
            .filter(|path| path.as_path() != "-" && path.is_file())
        else {
            return Ok(Value::Null);
        };
        let unreadable = |why: String| Failure::usage(format!("{path}: {why}"));
        let file = open_regular(path, MAX_STREAM)
            .map_err(|error| unreadable(error.problem.to_string()))?;
        let events = read_stream(std::io::BufReader::new(file))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| unreadable(error.to_string()))?;
        let ran = RunOutcome::from_events(events.into_iter());
        Ok(with_source(path.as_str(), &ran))
    }
}

/// Returns the report with its source; without a start if the run did not begin.
fn with_source(source: &str, ran: &RunOutcome) -> Value {
    json!(LastReport {
        source,
        started: ran.results.run.as_ref().map(|run| run.started.as_str()),
        report: ran.report(),
    })
}
