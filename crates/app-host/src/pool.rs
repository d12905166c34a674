//! Processes of one app. A spare one can be started ahead, so that a flow need not wait for a JVM.

use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::task::AbortOnDropHandle;

use crate::process::{HostError, HostProcess, HostSpec};

/// Pause between two checks whether a spare process is ready. Chosen: short against a JVM's start.
const POLL: std::time::Duration = std::time::Duration::from_millis(20);

type StartTask = AbortOnDropHandle<Result<HostProcess, HostError>>;

/// Processes of one app. Dropping it ends the spare one; processes that were taken belong to their takers.
#[derive(Debug)]
pub struct HostPool {
    spec: Arc<HostSpec>,
    /// Spare process, starting or ready.
    spare: Mutex<Option<StartTask>>,
}

impl HostPool {
    /// Creates a pool without a process.
    pub fn new(spec: HostSpec) -> Self {
        Self {
            spec: Arc::new(spec),
            spare: Mutex::new(None),
        }
    }

    /// Takes the spare process, waiting until it is ready, or starts one. A spare that failed or ended is
    /// replaced by a new one, whose error counts. Starts no further spare.
    ///
    /// # Errors
    ///
    /// [`HostError`].
    pub async fn take(&self) -> Result<HostProcess, HostError> {
        let spare = self.lock().take();
        let ready = match spare {
            Some(starting) => starting.await.ok().and_then(Result::ok),
            None => None,
        };
        let living = ready.and_then(|mut process| (!process.has_ended()).then_some(process));
        match living {
            Some(process) => Ok(process),
            None => HostProcess::start(&self.spec).await,
        }
    }

    /// Starts a spare process in the background if there is none, and returns at once. One that
    /// fails is replaced when it is taken. Must be called on a runtime.
    pub fn begin_spare(&self) {
        let mut spare = self.lock();
        if spare.is_none() {
            let spec = Arc::clone(&self.spec);
            let start = async move { HostProcess::start(&spec).await };
            *spare = Some(AbortOnDropHandle::new(tokio::spawn(start)));
        }
    }

    /// Waits until the spare process is ready or has failed, without limit. Returns at once if there is none.
    pub async fn ready(&self) {
        while self.lock().is_some() && !self.is_spare_ready() {
            tokio::time::sleep(POLL).await;
        }
    }

    /// Returns true if a spare process can be taken without waiting: it is ready, or has failed.
    pub fn is_spare_ready(&self) -> bool {
        self.lock().as_ref().is_some_and(StartTask::is_finished)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<StartTask>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
