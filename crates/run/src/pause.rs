//! The step `pause`: waits until a person presses Enter.

use std::io::{BufRead as _, stdin};

use super::context::AttemptContext;
use super::step_result::{FailedTry, StepResult};

/// Prompt of a step without a text.
const USUAL: &str = "paused";

impl AttemptContext<'_> {
    /// Shows a message, by default `paused`, and waits for Enter or the end of the input, without a limit of its own;
    /// the flow's limit goes on. If nobody sits at a terminal, it warns and goes on, which is a success. The last look
    /// is forgotten, as the person may have used the device.
    pub(super) async fn pause(&self, message: Option<&str>) -> Result<StepResult, FailedTry> {
        let message = message.unwrap_or(USUAL);
        if !self.settings.attended {
            self.reporter.warn(format!(
                "`pause` was passed over: nobody is at a terminal ({message})"
            ));
            return Ok(StepResult::default());
        }
        self.reporter
            .info(format!("{message}; press Enter to go on"));
        let (pressed, waiting) = tokio::sync::oneshot::channel();
        // A plain thread, for which the runtime does not wait at its end: perhaps nobody presses Enter.
        std::thread::spawn(move || {
            let mut line = Vec::new();
            let read = stdin().lock().read_until(b'\n', &mut line);
            let _ = pressed.send(read.is_ok());
        });
        // Dropped at the flow's limit and at Ctrl-C.
        let _ = waiting.await;
        // The person may have used the device.
        self.session.forget_look();
        Ok(StepResult::default())
    }
}
