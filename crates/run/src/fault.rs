//! Decides whether a failure is the device's fault, and whether the device still answers.
//!
//! A fault of the device is an error, not a failure of the app. A device that still answers gets teardown,
//! evidence and another try; one that is gone does not.

use std::time::Duration;

use super::context::AttemptContext;
use super::liveness::silence_of;
use runner_device::{Device, app_host};
use runner_engine::UnfinishedRequest;
use runner_text::units::HumanDuration;
use runner_tools::{Failure, FailureKind, Words};

impl AttemptContext<'_> {
    /// Returns the failure for a limit that ran out, with `what` as message. It is a timeout, and the device's fault
    /// only if a request that it had not answered had the time that rules out the app: 12 s for a look, 3 s for others.
    /// Such a request is added to the message, also a look that had from 3 s to 12 s, with a hint that the screen may
    /// never stand still.
    pub(super) fn limit_failure(&self, what: String) -> Failure {
        let Some(cut) = self.session.cut_off().filter(UnfinishedRequest::hangs) else {
            return Failure::new(FailureKind::Timeout, what);
        };
        let seconds = Duration::from_secs(cut.after.as_secs());
        let why = format!(
            "{what}; the device was asked for {} {} before and has not answered",
            cut.request,
            HumanDuration(seconds),
        );
        if cut.is_fault() {
            Failure::device(why)
        } else {
            let why = format!("{why}; the screen may never stand still (a video, a spinner)");
            Failure::new(FailureKind::Timeout, why)
        }
    }
}

/// State of an attempt's device: it answers until it is found gone.
#[derive(Default)]
pub(super) struct DeviceHealth {
    /// Message that says the device does not answer any more. None while it does.
    gone: Option<String>,
}

impl DeviceHealth {
    /// Returns true if the device was found gone. Does not ask it.
    pub(super) fn is_gone(&self) -> bool {
        self.gone.is_some()
    }

    /// Replaces what is known of the device: the message of [`silence_of`] if it is gone, or `None` if it answers, also
    /// if it was found gone before.
    pub(super) fn note(&mut self, silence: Option<String>) {
        self.gone = silence;
    }

    /// Asks whether the device still answers, and returns true if it does not within 3 s. A device that was gone before
    /// is not asked again.
    pub(super) async fn ask(&mut self, context: &AttemptContext<'_>) -> bool {
        if self.gone.is_none() {
            let label = &context.reporter.id().device;
            self.gone = silence_of(context.session, label).await;
        }
        self.gone.is_some()
    }

    /// Adds to a failure who is to blame for it. After one of the infrastructure or a timeout it asks whether the
    /// device still answers. A fault of Android's framework on this computer, or a device that is gone, makes any
    /// failure one of the infrastructure, with a detail. A device's fault gets the name of the device.
    pub(super) async fn blame(&mut self, context: &AttemptContext<'_>, failure: &mut Failure) {
        // A limit that ran out may be the app's fault or a device that hangs.
        if matches!(
            failure.kind,
            FailureKind::Infrastructure | FailureKind::Timeout
        ) {
            self.ask(context).await;
        }
        blame_host(context.session.device(), failure).await;
        self.add_device_name(context, failure);
    }

    /// Adds to a device's fault which device it was and that it still answers. If the device is gone, any
    /// failure becomes one of the infrastructure and says so. Other failures are left alone.
    pub(super) fn add_device_name(&self, context: &AttemptContext<'_>, failure: &mut Failure) {
        if let Some(gone) = &self.gone {
            failure.kind = FailureKind::Infrastructure;
            failure.details.push(gone.clone().into());
        } else if failure.is_of_device {
            failure.details.push(Words::format(
                "on device '{}', which still answers",
                &[&context.reporter.id().device],
            ));
        }
    }
}

/// Changes the failure to one of the infrastructure, with a detail, if Android's framework on this computer,
/// in which the app ran, had a fault. Other devices are not asked.
async fn blame_host(device: &dyn Device, failure: &mut Failure) {
    if !app_host::is_hosted(device.info()) {
        return;
    }
    if let Some(fault) = app_host::fault(device).await {
        failure.kind = FailureKind::Infrastructure;
        failure.details.push(fault.into());
    }
}
