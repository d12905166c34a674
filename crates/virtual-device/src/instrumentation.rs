//! The automation slot, and its users: `am instrument` of Appium's server, and the server of `uiautomator2`.
//!
//! The accessibility layer has one slot for automation. Its holder is a process of the shell (`am`,
//! `app_process`, `uiautomator`). Appium's server is another process. It continues without the slot when `am`
//! has ended, and then cannot read the screen.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio_util::sync::{CancellationToken, DropGuard};

use crate::automation::{AutomationServer, StartServer};
use crate::ports::{Accept, Address, AddressInUse, Listener};
use crate::state::DeviceState;

/// Port of Appium's server.
const UIA2_PORT: u16 = 6790;
/// Time between a server's last answer and its end. Chosen: the answer must have left the device.
const LAST_ANSWER: Duration = Duration::from_millis(50);

/// The automation slot, and the instrumented process.
#[derive(Default)]
pub(crate) struct Automation {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Number of the last holder of the slot.
    last: u64,
    slot: Option<u64>,
    process: Option<Process>,
}

/// An instrumented process.
struct Process {
    /// Number of the slot's holder that started it.
    holder: u64,
    pid: u32,
    /// Package whose process it is, and package whose code runs in it.
    packages: [String; 2],
    /// Ends the process, and with it its connections.
    kill: CancellationToken,
    listening: Option<Listener>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SlotInUse;

/// The slot, held until it is dropped.
pub(crate) struct Slot {
    device: Arc<DeviceState>,
    holder: u64,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.device.automation.free(self.holder);
    }
}

impl Automation {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if the slot for UI automation is taken.
    pub(crate) fn is_acquired(&self) -> bool {
        self.lock().slot.is_some()
    }

    /// Frees the slot if this holder has it.
    fn free(&self, holder: u64) {
        let mut state = self.lock();
        if state.slot == Some(holder) {
            state.slot = None;
        }
    }

    /// Returns the id of the instrumented process, and its target package. Returns `None` if there is none.
    pub(crate) fn process(&self) -> Option<(u32, String)> {
        let state = self.lock();
        let process = state.process.as_ref()?;
        Some((process.pid, process.packages[0].clone()))
    }

    /// Ends the instrumented process if the package is its target or its own, and frees the slot.
    pub(crate) fn end(&self, package: &str) {
        self.end_where(|process| process.packages.iter().any(|part| part == package));
    }

    /// Ends the server's process if it is the wanted one: frees its slot and cancels its tasks. Does nothing
    /// otherwise.
    fn end_where(&self, wanted: impl Fn(&Process) -> bool) {
        let ended = {
            let mut state = self.lock();
            let ended = state.process.take_if(|process| wanted(process));
            if let Some(process) = &ended
                && state.slot == Some(process.holder)
            {
                state.slot = None;
            }
            ended
        };
        // Outside of the lock: closing a port takes another one.
        if let Some(process) = ended {
            process.kill.cancel();
        }
    }
}

/// Takes the device's only slot for UI automation, until the returned value is dropped. Fails if it is taken.
pub(crate) fn take_slot(device: &Arc<DeviceState>) -> Result<Slot, SlotInUse> {
    let mut state = device.automation.lock();
    if state.slot.is_some() {
        return Err(SlotInUse);
    }
    state.last += 1;
    state.slot = Some(state.last);
    Ok(Slot {
        device: Arc::clone(device),
        holder: state.last,
    })
}

/// Appium's server in its process, as `am instrument` sees it.
pub(crate) struct InstrumentedProcess {
    slot: Slot,
    server: Arc<dyn AutomationServer>,
    kill: CancellationToken,
}

/// Reason why an instrumented process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndReason {
    /// The server has ended: a client has deleted the session, a fault has killed it, or the device ends.
    Passed,
    /// The process was killed while its server ran.
    Stopped,
}

impl InstrumentedProcess {
    /// Starts the server's process and takes the slot for UI automation. Processes of the `target` package
    /// end first, as on phones. Fails if the slot is taken even so; the target has ended by then. The server
    /// does not listen yet.
    pub(crate) fn start(
        device: &Arc<DeviceState>,
        server: StartServer,
        target: &str,
        package: &str,
    ) -> Result<Self, SlotInUse> {
        device.end_package(target);
        let slot = take_slot(device)?;
        let server = server(Arc::clone(device));
        let kill = device.stop.child_token();
        device.automation.lock().process = Some(Process {
            holder: slot.holder,
            pid: device.next_pid(),
            packages: [target.to_owned(), package.to_owned()],
            kill: kill.clone(),
            listening: None,
        });
        Ok(Self { slot, server, kill })
    }

    /// Makes the server listen on its port until the process ends. If the server ends by itself, the process ends a
    /// moment later, so that the last answer is sent. Fails if the port is in use.
    pub(crate) fn listen(&self) -> Result<(), AddressInUse> {
        let device = &self.slot.device;
        let (server, kill) = (Arc::clone(&self.server), self.kill.clone());
        let accept: Accept = Arc::new(move |stream| {
            let (server, kill) = (Arc::clone(&server), kill.clone());
            tokio::spawn(async move {
                kill.run_until_cancelled(server.serve(stream)).await;
            });
        });
        let listening = device.ports.listen(Address::Tcp(UIA2_PORT), accept)?;
        let holder = self.slot.holder;
        if let Some(process) = &mut device.automation.lock().process
            && process.holder == holder
        {
            process.listening = Some(listening);
        }
        let (device, kill, ended) = (Arc::clone(device), self.kill.clone(), self.server.ended());
        tokio::spawn(async move {
            if kill.run_until_cancelled(ended.cancelled()).await.is_some() {
                tokio::time::sleep(LAST_ANSWER).await;
                device
                    .automation
                    .end_where(|process| process.holder == holder);
            }
        });
        Ok(())
    }

    /// Waits for the end of the process, without a limit. Returns [`EndReason::Passed`] if the server had ended before
    /// it, also by a fault.
    pub(crate) async fn ended(&self) -> EndReason {
        self.kill.cancelled().await;
        if self.server.ended().is_cancelled() {
            EndReason::Passed
        } else {
            EndReason::Stopped
        }
    }

    /// Kills the process. If it has ended, a later process is left alone.
    pub(crate) fn kill(&self) {
        let holder = self.slot.holder;
        let device = &self.slot.device;
        device
            .automation
            .end_where(|process| process.holder == holder);
    }
}

impl Drop for InstrumentedProcess {
    /// Disconnects from accessibility because `am` has ended. The process continues.
    fn drop(&mut self) {
        self.server.disconnect_automation();
    }
}

/// The server of `uiautomator2`, which ends with its process.
pub(crate) struct U2Process {
    ended: CancellationToken,
    _slot: Slot,
    _listener: Listener,
    _connections: DropGuard,
}

/// Reason why the server does not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum U2Error {
    #[error("automation is registered")]
    Slot,
    #[error(transparent)]
    Port(#[from] AddressInUse),
}

impl U2Process {
    /// Takes the slot for UI automation and listens on `port` at once. Fails if either is taken. Dropping the
    /// result frees both and ends its connections.
    pub(crate) fn start(
        device: &Arc<DeviceState>,
        server: StartServer,
        port: u16,
    ) -> Result<Self, U2Error> {
        let slot = take_slot(device).map_err(|SlotInUse| U2Error::Slot)?;
        let server = server(Arc::clone(device));
        let ended = server.ended();
        let alive = device.stop.child_token();
        let connections = alive.clone().drop_guard();
        let accept: Accept = Arc::new(move |stream| {
            let (server, alive) = (Arc::clone(&server), alive.clone());
            tokio::spawn(async move {
                alive.run_until_cancelled(server.serve(stream)).await;
            });
        });
        let listening = device.ports.listen(Address::Tcp(port), accept)?;
        Ok(Self {
            ended,
            _slot: slot,
            _listener: listening,
            _connections: connections,
        })
    }

    /// Waits, without a limit, until a client stops the server or the device ends, and a moment longer, so that the
    /// last answer is sent.
    pub(crate) async fn ended(&self) {
        self.ended.cancelled().await;
        tokio::time::sleep(LAST_ANSWER).await;
    }
}
