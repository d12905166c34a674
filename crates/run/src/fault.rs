//! Whose fault a failure is, and whether the device still answers: two facts, each with what follows from it.
//!
//! A fault of the device is an error and no failure of the app. A device that answers all the same is worth teardown,
//! evidence and another try; one that is gone is not.

use std::time::Duration;

use super::attempt::Attempt;
use super::context::AttemptContext;
use super::crash_watch::CrashWatch;
use super::evidence::{Evidence, EvidenceLimits};
use super::liveness::silence_of;
use runner_device::app_host;
use runner_engine::CutOff;
use runner_event::Artifact;
use runner_text::units::HumanDuration;
use runner_tools::{Failure, FailureKind, Words};

impl AttemptContext<'_> {
    /// The failure of a limit that ran out: the device's fault where it kept the step waiting.
    pub(super) fn out_of_time(&self, what: String) -> Failure {
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

    /// How the evidence of a failure is gathered: once and not for long from a device that is at fault, or whose last look
    /// took too long.
    pub(super) fn manner_of(&self, failure: &Failure) -> EvidenceLimits {
        if failure.kind == FailureKind::Infrastructure || self.session.is_slow() {
            EvidenceLimits::ONCE
        } else {
            EvidenceLimits::USUAL
        }
    }

    /// The screen's picture alone.
    pub(super) async fn picture(&self, name: &str) -> Vec<Artifact> {
        self.gatherer(EvidenceLimits::USUAL).picture(name).await
    }

    fn gatherer(&self, manner: EvidenceLimits) -> Evidence<'_> {
        Evidence {
            session: self.session,
            app: self.flow.app.as_deref(),
            ended: None,
            folder: &self.folder,
            manner,
        }
    }
}

impl Attempt<'_> {
    /// Whether the device is gone. Asked after a failure that may be its fault; one that is gone is not asked again.
    pub(super) async fn is_gone(&mut self) -> bool {
        if self.gone.is_none() {
            self.gone = silence_of(self.context.session, &self.context.id.device).await;
        }
        self.gone.is_some()
    }

    /// Whether a failure ends all tries: somebody wants the flow to end, the app crashed, a script threw, or the
    /// device is at fault and gone.
    pub(super) async fn is_final(&mut self, failure: &Failure) -> bool {
        self.debug_state.gives_up
            || failure.kind.is_crash()
            || failure.is_of_script
            || failure.kind == FailureKind::Infrastructure && self.is_gone().await
    }

    /// Notes whether the device is gone, where the failure may come of that, and says which device it is.
    pub(super) async fn blame(&mut self, failure: &mut Failure) {
        // A limit that ran out may be the app's fault or a device that hangs.
        if matches!(
            failure.kind,
            FailureKind::Infrastructure | FailureKind::Timeout
        ) {
            self.is_gone().await;
        }
        self.blame_host(failure).await;
        self.name_the_device(failure);
    }

    /// Where the app ran in Android's framework on this computer, a fault of that is none of the app's.
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

    /// Says of a fault which device it was on, and whether that answers.
    pub(super) fn name_the_device(&self, failure: &mut Failure) {
        if let Some(gone) = &self.gone {
            failure.kind = FailureKind::Infrastructure;
            failure.details.push(gone.clone().into());
        } else if failure.is_of_device {
            failure.details.push(Words::format(
                "on device '{}', which still answers",
                &[&self.context.id.device],
            ));
        }
    }

    /// What can be had of a failure, unless the device is gone.
    pub(super) async fn evidence(
        &self,
        name: &str,
        screen: bool,
        manner: EvidenceLimits,
    ) -> Vec<Artifact> {
        if self.gone.is_some() {
            return Vec::new();
        }
        let left = self
            .progress
            .deadline
            .map(|deadline| deadline.remaining(self.context.session.clock()));
        let manner = manner.within(left);
        let gatherer = Evidence {
            ended: self.crashes.as_ref().and_then(CrashWatch::ended),
            ..self.context.gatherer(manner)
        };
        gatherer.collect(name, screen).await
    }
}
