//! Tells a server that lends its device which flow runs, and reports the server's session.

use tokio_util::sync::CancellationToken;

use super::attempt::{Attempt, AttemptEnd};
use super::context::AttemptContext;
use super::step_result::FailedStep;
use runner_device::remote::{FlowResult, RemoteSession};
use runner_event::{EventKind, FlowStatus, SourceLocation};
use runner_flow::Flow;
use runner_text::secret::Excerpt;
use runner_tools::{Failure, FailureKind};

/// Chosen: clouds refuse longer names and reasons.
const MAX_SERVER_TEXT_CHARS: usize = 250;

impl Attempt<'_> {
    /// Requests the device for a flow from the server that lends it. That may wait, so no limit of the flow
    /// counts yet. An interruption ends it as interrupted; a refusal as an error at the flow's first line,
    /// and a server that cannot be reached makes the device gone. Reports the session that it got.
    pub(super) async fn lend(
        &mut self,
        flow: &Flow,
        cancel: &CancellationToken,
    ) -> Result<(), AttemptEnd> {
        let device = self.context.session.device();
        let name = self.context.for_others(&flow.name);
        let asking = device.begin_flow(&name, self.context.reporter.id().attempt);
        match cancel.run_until_cancelled(asking).await {
            None => return Err(AttemptEnd::with_status(FlowStatus::Interrupted)),
            Some(Ok(())) => {}
            Some(Err(error)) => {
                if error.is_unreachable() {
                    self.gone = Some(error.to_string());
                }
                let failed = FailedStep {
                    failure: Failure::new(FailureKind::Infrastructure, error.to_string()),
                    at: SourceLocation::from_offset(&flow.source, 0),
                };
                return Err(AttemptEnd::failed(FlowStatus::Error, failed, Vec::new()));
            }
        }
        self.cloud_session = device.session();
        if let Some(session) = &self.cloud_session {
            self.context.emit_session(session);
        }
        Ok(())
    }

    /// Tells the server the attempt's result, with the first line of its failure, masked. An interrupted
    /// attempt has none, so nothing is told. Reports the session if it changed meanwhile.
    pub(super) async fn give_back(&mut self, ended: &AttemptEnd) {
        let device = self.context.session.device();
        if let Some(session) = device
            .session()
            .filter(|now| self.cloud_session.as_ref() != Some(now))
        {
            self.context.emit_session(&session);
        }
        if ended.status == FlowStatus::Interrupted {
            return;
        }
        let reason = ended.failure.as_ref();
        let reason = reason.and_then(|failure| failure.message.lines().next());
        let result = FlowResult {
            passed: ended.status == FlowStatus::Passed,
            reason: reason.map(|reason| self.context.for_others(reason)),
        };
        device.end_flow(&result).await;
    }
}

impl AttemptContext<'_> {
    fn emit_session(&self, session: &RemoteSession) {
        let session = session.clone();
        self.reporter.emit(|id| EventKind::Session { id, session });
    }

    /// Prepares a text for a server of somebody else: secrets masked, and cut to [`MAX_SERVER_TEXT_CHARS`].
    fn for_others(&self, text: &str) -> String {
        let excerpt = Excerpt::new(text, MAX_SERVER_TEXT_CHARS).to_string();
        self.reporter
            .scrubber()
            .scrub_outside(&excerpt)
            .into_owned()
    }
}
