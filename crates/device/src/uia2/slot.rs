//! The place of the server: whether it runs, starts, or is done without until the next flow.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as AsyncMutex, MutexGuard, Notify, OwnedMutexGuard};
use tokio::time::Instant;

use super::START_LIMIT;
use super::error::Uia2Error;
use super::owner::Owner;
use super::server::{Server, force_stop};
use crate::Device;

/// After so many failures it is not tried again: each costs a flow its time.
const MOST_FALLS: u32 = 3;
/// How often within the time it is looked whether nobody needs the server any more.
const IDLE_CHECKS: u32 = 4;

/// Where the server is.
pub(super) struct Slot {
    /// Held while one request is made, and while the server starts: whoever needs it waits.
    state: Arc<AsyncMutex<State>>,
    shared: Arc<Shared>,
}

/// The server, where it runs.
type State = Option<Arc<Server>>;

/// What is known without waiting.
struct Shared {
    /// This flow goes on without.
    fallen: AtomicBool,
    /// It starts now.
    starting: AtomicBool,
    /// Whoever waits for the start waits no longer.
    hurry: Notify,
    falls: AtomicU32,
    /// Looks in a row without an answer in their short time.
    silences: AtomicU32,
    notes: Mutex<Vec<String>>,
    used: Mutex<Instant>,
}

/// The server, for one caller.
pub(super) struct ServerGuard<'a> {
    slot: &'a Slot,
    state: MutexGuard<'a, State>,
    server: Arc<Server>,
}

impl Slot {
    /// Without a server.
    pub(super) fn empty() -> Self {
        Self::with(None)
    }

    /// With one that runs.
    pub(super) fn of(server: Server) -> Self {
        Self::with(Some(Arc::new(server)))
    }

    fn with(state: State) -> Self {
        Self {
            state: Arc::new(AsyncMutex::new(state)),
            shared: Arc::new(Shared {
                fallen: AtomicBool::new(false),
                starting: AtomicBool::new(false),
                hurry: Notify::new(),
                falls: AtomicU32::new(0),
                silences: AtomicU32::new(0),
                notes: Mutex::default(),
                used: Mutex::new(Instant::now()),
            }),
        }
    }

    /// The server, started where it does not run, and waited for. `None`: this flow goes on without.
    pub(super) async fn server(
        &self,
        device: &Arc<dyn Device>,
        budget: Duration,
    ) -> Option<ServerGuard<'_>> {
        if self.shared.is_fallen() {
            return None;
        }
        // Twice: where it was let go this very moment, the first try starts nothing.
        for _ in 0..2 {
            // In a task of its own: a caller that goes away in the middle does not end the start.
            self.start_in_background(device);
            let locked = tokio::time::timeout(budget, self.state.lock()).await;
            let state = match locked {
                Ok(state) => state,
                Err(_) => {
                    self.shared.hurry.notify_waiters();
                    self.state.lock().await
                }
            };
            if state.is_some() || self.shared.is_fallen() {
                return self.guard(state);
            }
        }
        None
    }

    /// The server, where it runs. A start is not waited for.
    pub(super) async fn running(&self) -> Option<ServerGuard<'_>> {
        if !self.may_run() {
            return None;
        }
        self.guard(self.state.lock().await)
    }

    fn guard<'a>(&'a self, state: MutexGuard<'a, State>) -> Option<ServerGuard<'a>> {
        self.shared.touch();
        let server = Arc::clone(state.as_ref()?);
        Some(ServerGuard {
            slot: self,
            state,
            server,
        })
    }

    /// Whether it runs, or may within this flow.
    pub(super) fn may_run(&self) -> bool {
        !self.shared.is_fallen() && !self.shared.starting.load(Ordering::Relaxed)
    }

    /// A new flow begins: whether the server may be tried again after it had failed.
    pub(super) fn try_again(&self) -> bool {
        self.shared.falls.load(Ordering::Relaxed) < MOST_FALLS
            && self.shared.fallen.swap(false, Ordering::Relaxed)
    }

    /// Notes for people, each returned once.
    pub(super) fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.shared.notes))
    }

    /// Starts the server beside what the caller does next, unless it runs; who needs it waits for it.
    pub(super) fn start_in_background(&self, device: &Arc<dyn Device>) {
        // Where somebody has it, it runs or starts.
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

    /// Ends the server whenever nobody needed it for `after`: meanwhile it keeps others, and TalkBack, from the slot.
    pub(super) async fn let_go(self: Arc<Self>, device: Arc<dyn Device>, after: Duration) {
        loop {
            tokio::time::sleep(after / IDLE_CHECKS).await;
            let Ok(mut state) = self.state.try_lock() else {
                continue;
            };
            if lock(&self.shared.used).elapsed() >= after {
                end(state.take(), device.as_ref()).await;
                // After a pause it may be tried anew, as in the next flow of a run.
                self.try_again();
            }
        }
    }
}

impl ServerGuard<'_> {
    /// The server.
    pub(super) fn server(&self) -> &Server {
        &self.server
    }

    /// It has answered.
    pub(super) fn answered(&self) {
        self.slot.shared.silences.store(0, Ordering::Relaxed);
    }

    /// It has not answered in a short time: how often in a row.
    pub(super) fn silent(&self) -> u32 {
        self.slot.shared.silences.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Goes on without the server until the flow ends, and says so.
    pub(super) async fn fall(mut self, error: Uia2Error, device: &Arc<dyn Device>) {
        let error = self.server.blame(error);
        self.slot.shared.fall(&error);
        drop(self.server);
        end(self.state.take(), device.as_ref()).await;
    }
}

async fn end(server: State, device: &dyn Device) {
    if let Some(server) = server.and_then(Arc::into_inner) {
        tracing::info!(target: "uia2", "ending the server");
        server.stop(device).await;
    }
}

impl Shared {
    fn is_fallen(&self) -> bool {
        self.fallen.load(Ordering::Relaxed)
    }

    fn touch(&self) {
        *lock(&self.used) = Instant::now();
    }

    fn fall(&self, error: &Uia2Error) {
        self.fallen.store(true, Ordering::Relaxed);
        let falls = self.falls.fetch_add(1, Ordering::Relaxed) + 1;
        let until = if falls < MOST_FALLS {
            "this flow goes on with the driver stock"
        } else {
            "the driver stock is used from here on"
        };
        tracing::warn!(target: "uia2", error = ?error.to_string(), falls, "going on without the server");
        // An unreachable device is reported as such.
        if !matches!(error, Uia2Error::Device(error) if error.is_unreachable()) {
            lock(&self.notes).push(format!("driver uia2: {error}; {until}"));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn start(mut state: OwnedMutexGuard<State>, shared: Arc<Shared>, device: Arc<dyn Device>) {
    let begun = Instant::now();
    let owner = Owner::this();
    let started = tokio::select! {
        started = Server::start(&device, &owner, START_LIMIT) => started,
        () = shared.hurry.notified() => Err(Uia2Error::Slow { limit: begun.elapsed() }),
    };
    match started {
        Ok(server) => {
            let ms = begun.elapsed().as_millis() as u64;
            tracing::info!(target: "uia2", ms, "the server runs");
            // Who waits for it comes in a moment.
            shared.touch();
            *state = Some(Arc::new(server));
        }
        Err(error) => {
            shared.fall(&error);
            // What was half started would keep Android's own commands from the slot. Another's server is not ours to end.
            let is_ours = !matches!(
                error,
                Uia2Error::InUse { .. } | Uia2Error::Strange { .. } | Uia2Error::Device(_)
            );
            if is_ours {
                // A device that is gone has no server either.
                let _ = force_stop(device.as_ref()).await;
            }
        }
    }
    shared.starting.store(false, Ordering::Relaxed);
}
