//! Decides whether a failure is the device's fault, and whether the device still answers.
//!
//! A fault of the device is an error, not a failure of the app. A device that still answers gets teardown,
//! evidence and another try; one that is gone does not.

use std::time::Duration;

use super::attempt::Attempt;
use super::context::AttemptContext;
use super::evidence::{Evidence, EvidenceLimits};
use super::liveness::silence_of;
use runner_device::app_host;
use runner_engine::CutOff;
use runner_event::Artifact;
use runner_text::units::HumanDuration;
use runner_tools::{Failure, FailureKind, Words};

impl AttemptContext<'_> {
    /// Returns the failure for a limit that ran out, with `what` as message. It is the device's fault only if
    /// a request that it had not answered had the time that rules out the app: 12 s for a look, 3 s for
    /// others. A look that had 3 s or more adds to the timeout that the screen may never stand still.
    pub(super) fn limit_failure(&self, what: String) -> Failure {
        let Some(cut) = self.session.cut_off().filter(CutOff::hangs) else {
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

    /// Chooses the limits for evidence: short ones for a failure of the infrastructure or for a device whose
    /// last look took too long.
    pub(super) fn evidence_limits(&self, failure: &Failure) -> EvidenceLimits {
        if failure.kind == FailureKind::Infrastructure || self.session.is_slow() {
            EvidenceLimits::ONCE
        } else {
            EvidenceLimits::USUAL
        }
    }

    /// Stores the screen's picture as evidence, without rows and log.
    pub(super) async fn picture(&self, name: &str) -> Vec<Artifact> {
        self.gatherer(EvidenceLimits::USUAL).picture(name).await
    }

    fn gatherer(&self, limits: EvidenceLimits) -> Evidence<'_> {
        Evidence {
            session: self.session,
            app: self.flow.app.as_deref(),
            ended: None,
            folder: &self.folder,
            limits,
        }
    }
}

impl Attempt<'_> {
    /// Asks whether the device still answers, and returns true if it does not. A device that was gone before
    /// is not asked again.
    pub(super) async fn is_gone(&mut self) -> bool {
        if self.gone.is_none() {
            self.gone = silence_of(self.context.session, &self.context.reporter.id().device).await;
        }
        self.gone.is_some()
    }

    /// Returns true if a failure forbids further tries: a person ended the flow, the app crashed, a script
    /// threw, or the device is gone.
    pub(super) async fn is_final(&mut self, failure: &Failure) -> bool {
        self.debug_state.gives_up
            || failure.kind.is_crash()
            || failure.is_of_script
            || failure.kind == FailureKind::Infrastructure && self.is_gone().await
    }

    /// Checks whether the device is gone after a failure that this may have caused: one of the infrastructure
    /// or a timeout. Adds a fault of Android's framework on this computer and the device's name to the
    /// failure. A device that is gone makes it a failure of the infrastructure.
    pub(super) async fn blame(&mut self, failure: &mut Failure) {
        // A limit that ran out may be the app's fault or a device that hangs.
        if matches!(
            failure.kind,
            FailureKind::Infrastructure | FailureKind::Timeout
        ) {
            self.is_gone().await;
        }
        self.blame_host(failure).await;
        self.add_device_name(failure);
    }

    /// Changes the failure to one of the infrastructure, with a detail, if Android's framework on this
    /// computer, in which the app ran, had a fault. Other devices are not asked.
    async fn blame_host(&self, failure: &mut Failure) {
        let device = self.context.session.device();
        if !app_host::is_hosted(device.info()) {
            return;
        }
        if let Some(fault) = app_host::fault(device).await {
            failure.kind = FailureKind::Infrastructure;
            failure.details.push(fault.into());
        }
    }

    /// Adds to a device's fault which device it was and that it still answers. If the device is gone, any
    /// failure becomes one of the infrastructure and says so. Other failures are left alone.
    pub(super) fn add_device_name(&self, failure: &mut Failure) {
        if let Some(gone) = &self.gone {
            failure.kind = FailureKind::Infrastructure;
            failure.details.push(gone.clone().into());
        } else if failure.is_of_device {
            failure.details.push(Words::format(
                "on device '{}', which still answers",
                &[&self.context.reporter.id().device],
            ));
        }
    }

    /// Gathers evidence of a failure within the limits and the rest of the flow's time. Empty if the device
    /// is gone.
    pub(super) async fn evidence(
        &self,
        name: &str,
        screen: bool,
        limits: EvidenceLimits,
    ) -> Vec<Artifact> {
        if self.gone.is_some() {
            return Vec::new();
        }
        let left = self
            .progress
            .deadline
            .map(|deadline| deadline.remaining(self.context.session.clock()));
        let limits = limits.within(left);
        let gatherer = Evidence {
            ended: self.crashes.ended(),
            ..self.context.gatherer(limits)
        };
        gatherer.collect(name, screen).await
    }
}
