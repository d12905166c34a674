//! The running device: a listener on a port, and the handle that ends it.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;

use super::state::{DeviceState, ReportedFront};
use super::{FaultSpec, VirtualDeviceError, VirtualDeviceOptions, WrongCommand, adbd};

/// A virtual device that serves adb. Dropping it ends connections and commands and removes temporary files.
#[derive(Debug)]
pub struct VirtualDevice {
    address: SocketAddr,
    state: Arc<DeviceState>,
}

impl VirtualDevice {
    /// Starts a device inside this process, on the current tokio runtime. It listens when this returns. Port
    /// 0 takes a free one.
    ///
    /// # Errors
    /// Returns a [`VirtualDeviceError`] if the port, the storage or an app cannot be used.
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

    /// Returns the address on which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the TCP port on which it listens.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the value of `ro.serialno`.
    pub fn serial(&self) -> &str {
        &self.state.serial
    }

    /// Returns how many times a command was run, by its first word (`uiautomator`, `screencap`), or a request
    /// was answered by the `UiAutomator2` server (`uia2 GET /source`).
    pub fn served(&self, command: &str) -> u64 {
        self.state.served().get(command).copied().unwrap_or(0)
    }

    /// Returns how many times each command was run, by its first word.
    pub fn all_served(&self) -> BTreeMap<String, u64> {
        self.state.served()
    }

    /// Returns how many times each command was run, by all its words.
    pub fn commands(&self) -> BTreeMap<String, u64> {
        self.state.answers.all()
    }

    /// Makes a command answer wrongly from now on, for as many runs as `command` says. Of several for the same words,
    /// the first one counts until it is used up.
    pub fn spoil(&self, command: WrongCommand) {
        self.state.answers.spoil(command);
    }

    /// Makes all commands answer correctly again. Faults stay.
    pub fn heal(&self) {
        self.state.answers.heal();
    }

    /// Returns the number of commands that hosts have sent. Each is one round trip, and may run several
    /// commands of the device.
    pub fn host_commands(&self) -> u64 {
        self.state.faults.commands()
    }

    /// Injects a fault, beside those that are there.
    pub fn inject(&self, fault: FaultSpec) {
        self.state.inject(fault);
    }

    /// Removes all faults. Wrong answers of commands stay.
    pub fn clear_faults(&self) {
        self.state.faults.clear();
    }

    /// Makes `uiautomator dump` write this from now on, instead of the phone's screen.
    pub fn show_dump(&self, xml: &str) {
        self.state.show_dump(xml);
    }

    /// Makes `dumpsys` report this in front from now on, instead of the phone's front window.
    pub fn report_front(&self, front: ReportedFront) {
        self.state.report_front(front);
    }

    /// Waits until [`Self::shut_down`] ends the device.
    pub async fn ended(&self) {
        self.state.stop.cancelled().await;
    }

    /// Ends the device with all its connections. It does not wait for them.
    pub fn shut_down(&self) {
        self.state.stop.cancel();
    }
}

impl Drop for VirtualDevice {
    fn drop(&mut self) {
        self.shut_down();
    }
}

/// Pause after a failed accept. Chosen: the next one may fail as well, and a busy loop would use up a core.
const ACCEPT_PAUSE: std::time::Duration = std::time::Duration::from_millis(20);

/// Serves each client in a task of its own until the device stops. A failed accept is tried again after a pause.
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
