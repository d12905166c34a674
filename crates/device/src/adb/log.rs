//! Log lines of the requests to a device.

use std::time::Instant;

use super::super::{DeviceError, Script, ShellOutput};
use runner_text::secret::Excerpt;

/// Longest part of a script or an answer that is logged, in characters. Chosen: enough for a page of output;
/// a dump would bury the log.
const MAX_SHOWN_CHARS: usize = 2000;

/// Request in progress.
pub(super) struct Request<'a> {
    serial: &'a str,
    script: &'a Script,
    begun: Instant,
}

impl<'a> Request<'a> {
    /// Begins a request, whose duration counts from now. It logs nothing.
    pub(super) fn new(serial: &'a str, script: &'a Script) -> Self {
        Self {
            serial,
            script,
            begun: Instant::now(),
        }
    }

    /// Logs the result: a success at level `debug` and a failure at `warn`, with its duration. At level `trace`
    /// also logs the beginning of script and answer. Of a private script only the first word of its label is
    /// logged, and its text and answer are not.
    pub(super) fn log_result(self, answer: &Result<ShellOutput, DeviceError>) {
        let Self {
            serial,
            script,
            begun,
        } = self;
        let ms = begun.elapsed().as_millis() as u64;
        // A label holds words of the script, which may be typed text.
        let label = if script.is_private() {
            script.label().split(' ').next().unwrap_or_default()
        } else {
            script.label()
        };
        match answer {
            Ok(output) => {
                let bytes = output.stdout.len() + output.stderr.len();
                let exit = output.exit_code;
                tracing::debug!(target: "adb", serial, script = ?label, ms, bytes, exit, "answered");
            }
            Err(error) => {
                tracing::warn!(target: "adb", serial, script = ?label, ms, error = ?error.to_string(), "failed");
            }
        }
        if !tracing::enabled!(target: "adb", tracing::Level::TRACE) {
            return;
        }
        if script.is_private() {
            tracing::trace!(target: "adb", serial, "what was sent may hold typed text and is not logged");
        } else {
            let sent = Excerpt::new(script.text(), MAX_SHOWN_CHARS).in_quotes();
            tracing::trace!(target: "adb", serial, %sent);
            if let Ok(output) = answer {
                let text = output.text();
                let parsed = Excerpt::new(&text, MAX_SHOWN_CHARS).in_quotes();
                tracing::trace!(target: "adb", serial, said = %parsed);
            }
        }
    }
}

/// Logs a transfer of a file: a success at level `debug`, a failure at `warn`. `what` names it, such as `push`.
/// The path is logged, the content is not.
pub(super) fn log_transfer<T>(
    serial: &str,
    what: &'static str,
    remote: &str,
    begun: Instant,
    result: &Result<T, DeviceError>,
) {
    let ms = begun.elapsed().as_millis() as u64;
    match result {
        Ok(_) => tracing::debug!(target: "adb", serial, remote = ?remote, ms, "{what} done"),
        Err(error) => {
            tracing::warn!(target: "adb", serial, remote = ?remote, ms, error = ?error.to_string(), "{what} failed");
        }
    }
}
