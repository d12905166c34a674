//! Options of a virtual device, and errors at its start.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;

use super::app_host::{AppHosts, HostedApp};
use super::automation::AutomationServers;
use super::{AppError, FaultSpec, Phone, PhoneOptions, Quirk, SchemaCheck, VirtualPhone};
use runner_adb::auth::PublicKey;
use runner_screen::Display;

/// Function that makes the phone behind a device's shell.
pub type PhoneFactory =
    Arc<dyn Fn(&PhoneOptions) -> Result<Box<dyn Phone>, AppError> + Send + Sync>;

/// Dots per inch of a device with app hosts: three pixels per dp, so all sizes are whole pixels.
const HOSTED_DENSITY: u32 = 480;

/// Key that a host must show before it is admitted, as on a phone.
#[derive(Debug, Clone, Default)]
pub struct KeyDemand {
    /// Keys that are accepted.
    pub known: Vec<PublicKey>,
    /// Time after which the owner allows another key. `None` means never.
    pub allow_after: Option<Duration>,
    /// The key must be in a TLS certificate, as in wireless debugging. The owner is not asked.
    pub tls: bool,
}

#[derive(Clone)]
pub struct VirtualDeviceOptions {
    /// Address to listen on: loopback by default.
    pub address: IpAddr,
    /// TCP port. 0 takes a free one.
    pub port: u16,
    /// Value of `ro.serialno`.
    pub serial: String,
    /// Folders of apps, each with an `app.yaml`.
    pub apps: Vec<Utf8PathBuf>,
    /// Apps whose own code runs in app hosts.
    pub hosted: Vec<HostedApp>,
    /// Starter of these hosts.
    pub hosts: Option<Arc<dyn AppHosts>>,
    pub display: Display,
    /// Peculiarities of some phones. Without [`Quirk::RealTime`] time is virtual and nothing waits.
    pub quirks: Vec<Quirk>,
    /// Faults from the start.
    pub faults: Vec<FaultSpec>,
    /// Key that a host must show. `None` admits everybody.
    pub demand: Option<KeyDemand>,
    /// Folder for the device's files. `None` makes a temporary one, which is removed at the end.
    pub storage: Option<Utf8PathBuf>,
    /// Checks each `app.yaml` against its schema.
    pub schema_check: SchemaCheck,
    pub phone: PhoneFactory,
    /// Built-in servers of testing tools. Without them the device starts none.
    pub servers: Option<AutomationServers>,
}

impl VirtualDeviceOptions {
    /// Returns options for 1080×2400 pixels at 420 dpi, on a free loopback port. The serial is `virtual1`; there
    /// are no apps, faults, quirks or automation servers, and storage is temporary.
    pub fn new(phone: PhoneFactory) -> Self {
        let PhoneOptions {
            apps,
            hosted,
            display,
            schema_check,
            quirks,
        } = PhoneOptions::default();
        Self {
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            serial: "virtual1".to_owned(),
            apps,
            hosted,
            hosts: None,
            display,
            schema_check,
            quirks,
            faults: Vec::new(),
            demand: None,
            storage: None,
            phone,
            servers: None,
        }
    }
}

impl VirtualDeviceOptions {
    /// Adds apps whose own code runs in `hosts`. The density becomes 480 dpi, so that 360x800 dp are whole pixels,
    /// as Android's resources round to. An empty list changes nothing; any other takes the place of apps that were
    /// added before.
    #[must_use]
    pub fn with_hosted(mut self, hosted: Vec<HostedApp>, hosts: Arc<dyn AppHosts>) -> Self {
        if !hosted.is_empty() {
            self.display.density = HOSTED_DENSITY;
            self.hosted = hosted;
            self.hosts = Some(hosts);
        }
        self
    }
}

impl Default for VirtualDeviceOptions {
    /// Returns options for the phone that draws A2UI apps.
    fn default() -> Self {
        Self::new(Arc::new(|options| {
            Ok(Box::new(VirtualPhone::new(options)?))
        }))
    }
}

impl std::fmt::Debug for VirtualDeviceOptions {
    /// Leaves out functions, hosts and servers.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VirtualDeviceOptions")
            .field("address", &self.address)
            .field("port", &self.port)
            .field("serial", &self.serial)
            .field("apps", &self.apps)
            .field("hosted", &self.hosted)
            .field("display", &self.display)
            .field("quirks", &self.quirks)
            .field("faults", &self.faults)
            .field("demand", &self.demand)
            .field("storage", &self.storage)
            .finish_non_exhaustive()
    }
}

/// Error of starting a virtual device.
#[derive(Debug, thiserror::Error)]
pub enum VirtualDeviceError {
    /// The address or port cannot be used.
    #[error("cannot listen on {address}: {cause}; choose another port, or 0 for a free one")]
    Listen {
        /// Address and port.
        address: String,
        cause: std::io::Error,
    },
    /// The folder for the device's files cannot be made.
    #[error(
        "cannot make the virtual device's storage at {path}: {cause}; name a folder that can be written"
    )]
    Storage {
        /// Folder of the options, or `a temporary folder`.
        path: String,
        cause: std::io::Error,
    },
    #[error(transparent)]
    App(#[from] AppError),
    /// The thread that loads the apps ended early.
    #[error(transparent)]
    Load(#[from] tokio::task::JoinError),
}
