//! How a virtual device begins, and why it may not.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;

use super::automation::AutomationServers;
use super::hosted::{AppHosts, HostedApp};
use super::{AppError, FaultSpec, Phone, PhoneOptions, Quirk, SchemaCheck, VirtualPhone};
use runner_adb::auth::PublicKey;
use runner_screen::Display;

/// Makes the phone behind a device's shell.
pub type PhoneFactory =
    Arc<dyn Fn(&PhoneOptions) -> Result<Box<dyn Phone>, AppError> + Send + Sync>;

/// Dots an inch of a device whose apps run in Android's framework.
const HOSTED_DENSITY: u32 = 480;

/// What a host has to show before it is let in, as on a phone.
#[derive(Debug, Clone, Default)]
pub struct KeyDemand {
    /// Keys that are let in.
    pub known: Vec<PublicKey>,
    /// When the owner allows another key, after the question came; `None` is never.
    pub allow_after: Option<Duration>,
    /// The key is shown in a certificate, over TLS, as in wireless debugging. The owner is not asked.
    pub tls: bool,
}

/// How a virtual device begins.
#[derive(Clone)]
pub struct VirtualDeviceOptions {
    /// Address to listen on; loopback unless the person asks for another.
    pub address: IpAddr,
    /// TCP port; 0 takes a free one.
    pub port: u16,
    /// What `ro.serialno` says.
    pub serial: String,
    /// Folders of apps, each with an `app.yaml`.
    pub apps: Vec<Utf8PathBuf>,
    /// Apps whose own code runs.
    pub hosted: Vec<HostedApp>,
    /// Starts the processes of such apps.
    pub hosts: Option<Arc<dyn AppHosts>>,
    /// Pixels and density.
    pub display: Display,
    /// What it does as some phones do. Without [`Quirk::RealTime`] nothing waits and time is virtual.
    pub quirks: Vec<Quirk>,
    /// Faults from the start.
    pub faults: Vec<FaultSpec>,
    /// What a host has to show; `None` lets everybody in.
    pub demand: Option<KeyDemand>,
    /// Folder that holds the device's files; a temporary one, removed at the end, when `None`.
    pub storage: Option<Utf8PathBuf>,
    /// Holds each `app.yaml` against its schema.
    pub schema_check: SchemaCheck,
    /// Makes the phone.
    pub phone: PhoneFactory,
    /// The servers that its shell starts; without them it runs no code of testing tools.
    pub servers: Option<AutomationServers>,
}

impl VirtualDeviceOptions {
    /// A 1080×2400 device at 420 dpi on a free loopback port.
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
    /// The same device with apps whose own code runs. Its display has whole pixels for each dp that Android's resources
    /// round to: 360x800 dp at 480 dpi.
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
    /// A device with the phone that draws A2UI apps.
    fn default() -> Self {
        Self::new(Arc::new(|options| {
            Ok(Box::new(VirtualPhone::new(options)?))
        }))
    }
}

impl std::fmt::Debug for VirtualDeviceOptions {
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

/// Why a virtual device does not start.
#[derive(Debug, thiserror::Error)]
pub enum VirtualDeviceError {
    /// The port cannot be had.
    #[error("cannot listen on {address}: {cause}; choose another port, or 0 for a free one")]
    Listen {
        /// Address and port.
        address: String,
        /// The system's words.
        cause: std::io::Error,
    },
    /// The folder for the device's files cannot be made.
    #[error(
        "cannot make the virtual device's storage at {path}: {cause}; name a folder that can be written"
    )]
    Storage {
        /// The folder.
        path: String,
        /// The system's words.
        cause: std::io::Error,
    },
    /// An app does not load.
    #[error(transparent)]
    App(#[from] AppError),
    /// The thread that loads the apps ended early.
    #[error(transparent)]
    Load(#[from] tokio::task::JoinError),
}
