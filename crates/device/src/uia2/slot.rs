//! Slot of the server: it is empty, starting, running, or disabled until the next flow.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as AsyncMutex, MutexGuard, Notify, OwnedMutexGuard};
use tokio::time::Instant;

use super::error::Uia2Error;
use super::owner::Owner;
use super::server::{Server, force_stop};
use crate::Device;

/// Limit of a look's wait for a server that is starting. Chosen: it usually starts within a few seconds; the
/// rest of a look's limit is for a dump.
pub(super) const START_LIMIT: Duration = Duration::from_secs(10);
/// Failures after which the server is not tried again. Chosen: each costs a flow its time; one or two may be
/// accidents.
const MAX_FAILURES: u32 = 3;
/// Checks for idleness within the time after which an idle server ends. Chosen: it ends a quarter of that
/// time late at most.
const IDLE_CHECKS: u32 = 4;

/// Slot of the server on one device, shared by all its callers.
pub(super) struct Slot {
    /// Locked during one request, and while the server starts, so that others wait.
    state: Arc<AsyncMutex<RunningServer>>,
    shared: Arc<SharedState>,
}

/// Running server, if there is one.
type RunningServer = Option<Arc<Server>>;

/// State that can be read without waiting.
struct SharedState {
    /// Set if the server failed in this flow, which continues without it.
    disabled: AtomicBool,
    starting: AtomicBool,
    /// Notified when a caller stops waiting for the start.
    give_up: Notify,
    failures: AtomicU32,
    /// Looks in a row without an answer in their short limit.
    silent_looks: AtomicU32,
    notes: Mutex<Vec<String>>,
    used: Mutex<Instant>,
}

/// Exclusive use of the running server by one caller.
pub(super) struct ServerGuard<'a> {
    slot: &'a Slot,
    state: MutexGuard<'a, RunningServer>,
    server: Arc<Server>,
}

impl Slot {
    /// Creates an empty slot.
    pub(super) fn empty() -> Self {
        Self::with(None)
    }

    /// Creates a slot with a running server.
    pub(super) fn with_server(server: Server) -> Self {
        Self::with(Some(Arc::new(server)))
    }

    /// Creates a slot with this state, in which nothing has failed yet.
    fn with(state: RunningServer) -> Self {
        Self {
            state: Arc::new(AsyncMutex::new(state)),
            shared: Arc::new(SharedState {
                disabled: AtomicBool::new(false),
                starting: AtomicBool::new(false),
                give_up: Notify::new(),
                failures: AtomicU32::new(0),
                silent_looks: AtomicU32::new(0),
                notes: Mutex::default(),
                used: Mutex::new(Instant::now()),
            }),
        }
    }

    /// Returns the server; starts it if need be, and waits for it and for other callers' use of it. After `budget`
    /// it asks a start to give up, and then waits without a limit until the slot is free. The guard keeps others
    /// from the server until it is dropped.
    ///
    /// Returns `None` if the server has failed in this flow or fails now; the flow then continues without it.
    pub(super) async fn server(
        &self,
        device: &Arc<dyn Device>,
        budget: Duration,
    ) -> Option<ServerGuard<'_>> {
        if self.shared.is_disabled() {
            return None;
        }
        // Twice: if the server is being ended at this moment, the first try starts nothing.
        for _ in 0..2 {
            // In a task of its own, so that a dropped caller does not end the start.
            self.start_in_background(device);
            let locked = tokio::time::timeout(budget, self.state.lock()).await;
            let state = match locked {
                Ok(state) => state,
                Err(_) => {
                    self.shared.give_up.notify_waiters();
                    self.state.lock().await
                }
            };
            if state.is_some() || self.shared.is_disabled() {
                return self.guard(state);
            }
        }
        None
    }

    /// Returns the server if it runs, and waits, without a limit, while others use it; `None` if it does not run, is
    /// starting, or failed in this flow.
    pub(super) async fn running(&self) -> Option<ServerGuard<'_>> {
        if !self.may_run() {
            return None;
        }
        self.guard(self.state.lock().await)
    }

    /// Returns the server, or `None` if none runs. The slot counts as used from now on in either case.
    fn guard<'a>(&'a self, state: MutexGuard<'a, RunningServer>) -> Option<ServerGuard<'a>> {
        self.shared.touch();
        let server = Arc::clone(state.as_ref()?);
        Some(ServerGuard {
            slot: self,
            state,
            server,
        })
    }

    /// Returns true if the server neither failed in this flow nor is starting.
    pub(super) fn may_run(&self) -> bool {
        !self.shared.is_disabled() && !self.shared.starting.load(Ordering::Relaxed)
    }

    /// Re-enables a server that failed in the flow before. Returns true if it had failed and may be tried
    /// again. After [`MAX_FAILURES`] it stays disabled.
    pub(super) fn try_again(&self) -> bool {
        self.shared.failures.load(Ordering::Relaxed) < MAX_FAILURES
            && self.shared.disabled.swap(false, Ordering::Relaxed)
    }

    /// Takes the notes for people on failures of the server, one a failure.
    pub(super) fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.shared.notes))
    }

    /// Starts the server in the background and returns at once. Does nothing if the server runs, is starting, or
    /// is in use. Whether it failed in this flow is the caller's to ask. Callers that need it wait for the lock,
    /// which the start holds.
    pub(super) fn start_in_background(&self, device: &Arc<dyn Device>) {
        // A locked slot is in use or starting.
        let Ok(state) = Arc::clone(&self.state).try_lock_owned() else {
            return;
        };
        if state.is_some() {
            return;
        }
        let (shared, device) = (Arc::clone(&self.shared), Arc::clone(device));
        shared.starting.store(true, Ordering::Relaxed);
        tokio::spawn(start(state, shared, device));
    }

    /// Ends the server each time that it was idle for `after`: as long as it runs, other clients and TalkBack
    /// cannot have the slot. Then a server that failed may be tried again. Checks four times in `after`, and
    /// passes over a server in use. Never returns.
    pub(super) async fn end_when_idle(self: Arc<Self>, device: Arc<dyn Device>, after: Duration) {
        loop {
            tokio::time::sleep(after / IDLE_CHECKS).await;
            let Ok(mut state) = self.state.try_lock() else {
                continue;
            };
            if lock(&self.shared.used).elapsed() >= after {
                end(state.take(), device.as_ref()).await;
                // A disabled server may be tried again after a pause, as in the next flow of a run.
                self.try_again();
            }
        }
    }
}

impl ServerGuard<'_> {
    pub(super) fn server(&self) -> &Server {
        &self.server
    }

    /// Resets the count of silent looks.
    pub(super) fn note_answer(&self) {
        self.slot.shared.silent_looks.store(0, Ordering::Relaxed);
    }

    /// Counts a short look without an answer, and returns how many there were in a row, this one included.
    pub(super) fn count_silence(&self) -> u32 {
        self.slot
            .shared
            .silent_looks
            .fetch_add(1, Ordering::Relaxed)
            + 1
    }

    /// Disables the server until the flow ends, after [`MAX_FAILURES`] for good, and stops it unless somebody
    /// else still uses it. A note tells people, except for a device that cannot be reached. If the server had
    /// ended by itself, the note names that in place of `error`.
    pub(super) async fn disable(mut self, error: Uia2Error, device: &Arc<dyn Device>) {
        let error = self.server.find_cause(error);
        self.slot.shared.disable(&error);
        drop(self.server);
        end(self.state.take(), device.as_ref()).await;
    }
}

/// Stops the server, unless somebody else still uses it; then nothing is done.
async fn end(server: RunningServer, device: &dyn Device) {
    if let Some(server) = server.and_then(Arc::into_inner) {
        tracing::info!(target: "uia2", "ending the server");
        server.stop(device).await;
    }
}

impl SharedState {
    fn is_disabled(&self) -> bool {
        self.disabled.load(Ordering::Relaxed)
    }

    fn touch(&self) {
        *lock(&self.used) = Instant::now();
    }

    /// Notes that the server failed: it is off for the rest of the flow, or for good after too many failures.
    /// People are told, except for a device that cannot be reached.
    fn disable(&self, error: &Uia2Error) {
        self.disabled.store(true, Ordering::Relaxed);
        let failures = self.failures.fetch_add(1, Ordering::Relaxed) + 1;
        let until = if failures < MAX_FAILURES {
            "this flow goes on with the driver stock"
        } else {
            "the driver stock is used from here on"
        };
        tracing::warn!(target: "uia2", error = ?error.to_string(), failures, "going on without the server");
        // An unreachable device is reported as such.
        if !matches!(error, Uia2Error::Device(error) if error.is_unreachable()) {
            lock(&self.notes).push(format!("driver uia2: {error}; {until}"));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the server while holding the slot's lock, for at most [`START_LIMIT`] or until a caller gives up. A
/// failure disables it and stops a half-started one, but never another client's.
async fn start(
    mut state: OwnedMutexGuard<RunningServer>,
    shared: Arc<SharedState>,
    device: Arc<dyn Device>,
) {
    let begun = Instant::now();
    let owner = Owner::current();
    let started = tokio::select! {
        started = Server::start(&device, &owner, START_LIMIT) => started,
        () = shared.give_up.notified() => Err(Uia2Error::StartTimeout { limit: begun.elapsed() }),
    };
    match started {
        Ok(server) => {
            let ms = begun.elapsed().as_millis() as u64;
            tracing::info!(target: "uia2", ms, "the server runs");
            // A caller that waited for the start needs it now, so the idle time begins here.
            shared.touch();
            *state = Some(Arc::new(server));
        }
        Err(error) => {
            shared.disable(&error);
            // A half-started server would keep Android's own commands from the slot. Another client's must not be ended.
            let is_ours = !matches!(
                error,
                Uia2Error::InUse { .. } | Uia2Error::NotTheServer { .. } | Uia2Error::Device(_)
            );
            if is_ours {
                // A lost device has no server either, so errors are ignored.
                let _ = force_stop(device.as_ref()).await;
            }
        }
    }
    shared.starting.store(false, Ordering::Relaxed);
}
