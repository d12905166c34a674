//! The running device: a listener on a loopback port, and the handle that ends it.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;

use super::state::{DeviceState, ReportedFront};
use super::{FaultSpec, VirtualDeviceError, VirtualDeviceOptions, WrongCommand, adbd};

/// A virtual device that serves adb. Dropping it ends it: connections, commands, temporary files.
#[derive(Debug)]
pub struct VirtualDevice {
    address: SocketAddr,
    state: Arc<DeviceState>,
}

impl VirtualDevice {
    /// Starts a device inside this process, on the current tokio runtime.
    ///
    /// # Errors
    /// [`VirtualDeviceError`] where the port, the storage or an app cannot be had.
    pub async fn start(options: VirtualDeviceOptions) -> Result<Self, VirtualDeviceError> {
        let wanted = SocketAddr::new(options.address, options.port);
        let listen_error = |cause| VirtualDeviceError::Listen {
            address: wanted.to_string(),
            cause,
        };
        let listener = TcpListener::bind(wanted).await.map_err(listen_error)?;
        let address = listener.local_addr().map_err(listen_error)?;
        // Loading apps and fonts reads files.
        let state = tokio::task::spawn_blocking(move || DeviceState::new(&options)).await??;
        let state = Arc::new(state);
        tokio::spawn(accept(listener, Arc::clone(&state)));
        Ok(Self { address, state })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The TCP port it listens on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// What `ro.serialno` says.
    pub fn serial(&self) -> &str {
        &self.state.serial
    }

    /// How often a command was run so far, by its first word (`uiautomator`, `screencap`), or a request was answered by
    /// the `UiAutomator2` server (`uia2 GET /source`).
    pub fn served(&self, command: &str) -> u64 {
        self.state.served().get(command).copied().unwrap_or(0)
    }

    /// How often each command of the device was run.
    pub fn all_served(&self) -> BTreeMap<String, u64> {
        self.state.served()
    }

    /// How often each command of the device was run, by all its words.
    pub fn commands(&self) -> BTreeMap<String, u64> {
        self.state.answers.all()
    }

    /// A command answers wrongly from now on.
    pub fn spoil(&self, command: WrongCommand) {
        self.state.answers.spoil(command);
    }

    /// All commands answer rightly from now on.
    pub fn heal(&self) {
        self.state.answers.heal();
    }

    /// How many commands hosts have sent: each is one round trip, and may run several commands of the device.
    pub fn host_commands(&self) -> u64 {
        self.state.faults.commands()
    }

    /// Shows a fault from now on.
    pub fn inject(&self, fault: FaultSpec) {
        self.state.inject(fault);
    }

    /// Ends all faults.
    pub fn clear_faults(&self) {
        self.state.faults.clear();
    }

    /// `uiautomator dump` writes this from now on, whatever the phone shows: a screen that no app draws.
    pub fn show_dump(&self, xml: &str) {
        self.state.show_dump(xml);
    }

    /// `dumpsys` reports this in front from now on, whatever the phone shows.
    pub fn report_front(&self, front: ReportedFront) {
        self.state.report_front(front);
    }

    /// Waits until the device ends: another handle's drop, or never.
    pub async fn ended(&self) {
        self.state.stop.cancelled().await;
    }

    /// Ends the device.
    pub fn shut_down(&self) {
        self.state.stop.cancel();
    }
}

impl Drop for VirtualDevice {
    fn drop(&mut self) {
        self.shut_down();
    }
}

/// How long to wait after a failed accept: the next one may fail as well.
const ACCEPT_PAUSE: std::time::Duration = std::time::Duration::from_millis(20);

async fn accept(listener: TcpListener, state: Arc<DeviceState>) {
    let stop = state.stop.clone();
    let serving = async {
        loop {
            // A failed accept is one lost client (or no file handles for a moment), not the end of the device.
            let Ok((socket, _)) = listener.accept().await else {
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            };
            tokio::spawn(adbd::serve(socket, Arc::clone(&state)));
        }
    };
    stop.run_until_cancelled(serving).await;
}
