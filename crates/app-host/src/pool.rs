//! Processes of one app, with a spare one that can be begun ahead: a flow's start need not wait for a JVM.

use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::task::AbortOnDropHandle;

use crate::process::{HostError, HostProcess, HostSpec};

/// Between two looks at whether a spare process is ready.
const POLL: std::time::Duration = std::time::Duration::from_millis(20);

type Starting = AbortOnDropHandle<Result<HostProcess, HostError>>;

/// Processes of one app. Dropping it ends the spare one; those that were taken are their takers'.
#[derive(Debug)]
pub struct HostPool {
    spec: Arc<HostSpec>,
    /// Begun, and perhaps ready.
    spare: Mutex<Option<Starting>>,
}

impl HostPool {
    /// Processes as `spec` says.
    pub fn new(spec: HostSpec) -> Self {
        Self {
            spec: Arc::new(spec),
            spare: Mutex::new(None),
        }
    }

    /// A process: the spare one, else a new one. A spare that failed or ended is replaced by a new one, whose error counts.
    ///
    /// # Errors
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

    /// Begins a spare one, where there is none.
    pub fn begin_spare(&self) {
        let mut spare = self.lock();
        if spare.is_none() {
            let spec = Arc::clone(&self.spec);
            let start = async move { HostProcess::start(&spec).await };
            *spare = Some(AbortOnDropHandle::new(tokio::spawn(start)));
        }
    }

    /// Waits until the spare one is ready, or has failed; what it failed of is said when it is taken.
    pub async fn ready(&self) {
        while self.lock().is_some() && !self.is_spare_ready() {
            tokio::time::sleep(POLL).await;
        }
    }

    /// Whether a spare one has been begun and can be taken without waiting.
    pub fn is_spare_ready(&self) -> bool {
        self.lock().as_ref().is_some_and(Starting::is_finished)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Starting>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
