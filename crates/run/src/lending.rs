//! Tells a server that lends its device which flow runs, and reports the server's session.

use tokio_util::sync::CancellationToken;

use super::attempt::AttemptEnd;
use super::context::AttemptContext;
use super::step_result::FailedStep;
use runner_device::remote::{FlowResult, RemoteSession};
use runner_event::{EventKind, FlowStatus, SourceLocation};
use runner_text::secret::Excerpt;
use runner_tools::{Failure, FailureKind};

/// Chosen: clouds refuse longer names and reasons.
const MAX_SERVER_TEXT_CHARS: usize = 250;

impl AttemptContext<'_> {
    /// Requests the device for the flow from the server that lends it; any other device is told of the flow. That may
    /// wait, so no limit of the flow counts yet. An interruption ends the attempt as interrupted, a refusal as an error
    /// at the flow's first line; a server that cannot be reached makes the device gone. Reports and returns the
    /// server's session, for [`Self::give_back`]; `None` for a device that no server lends.
    pub(super) async fn lend(
        &self,
        cancel: &CancellationToken,
    ) -> Result<Option<RemoteSession>, AttemptEnd> {
        let device = self.session.device();
        let name = self.for_others(&self.flow.name);
        let asking = device.begin_flow(&name, self.reporter.id().attempt);
        match cancel.run_until_cancelled(asking).await {
            None => return Err(AttemptEnd::with_status(FlowStatus::Interrupted)),
            Some(Ok(())) => {}
            Some(Err(error)) => {
                let failed = FailedStep {
                    failure: Failure::new(FailureKind::Infrastructure, error.to_string()),
                    at: SourceLocation::from_offset(&self.flow.source, 0),
                };
                return Err(AttemptEnd {
                    gone: error.is_unreachable(),
                    ..AttemptEnd::failed(FlowStatus::Error, failed, Vec::new())
                });
            }
        }
        let lent = device.session();
        if let Some(session) = &lent {
            self.emit_session(session);
        }
        Ok(lent)
    }

    /// Tells the server the attempt's result, with the first line of its failure, masked. An interrupted attempt has
    /// none, so nothing is told. Reports the session first if it is no longer the one that was lent. Never fails.
    pub(super) async fn give_back(&self, lent: Option<&RemoteSession>, ended: &AttemptEnd) {
        let device = self.session.device();
        if let Some(session) = device.session().filter(|now| lent != Some(now)) {
            self.emit_session(&session);
        }
        if ended.status == FlowStatus::Interrupted {
            return;
        }
        let reason = ended.failure.as_ref();
        let reason = reason.map(|failure| failure.message.first_line());
        let result = FlowResult {
            passed: ended.status == FlowStatus::Passed,
            reason: reason.map(|reason| self.for_others(&reason.to_string())),
        };
        device.end_flow(&result).await;
    }

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
