//! The seam below a session: opening a service of one device as a byte stream, whatever lies between.

use std::collections::BTreeSet;

use tokio::io::{AsyncRead, AsyncWrite};

use super::ClientError;
use super::direct::DirectLink;
use super::server::{self, AdbServer};

/// A stream to one service. Dropping it closes it, which ends the command behind it.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// An owned [`Stream`].
pub type BoxStream = Box<dyn Stream>;

/// The way to one device.
pub enum Transport {
    /// Through an adb server: one connection a service.
    Server {
        /// The server.
        server: AdbServer,
        /// The device's serial there.
        serial: String,
    },
    /// Straight to the device's adbd: one connection, many streams.
    Direct(DirectLink),
}

impl Transport {
    /// The name under which errors speak of the device.
    pub fn serial(&self) -> &str {
        match self {
            Self::Server { serial, .. } => serial,
            Self::Direct(link) => link.serial(),
        }
    }

    /// Connects where a connection is kept: greets the device, and asks its owner where it does not know this computer.
    /// Each of these has a limit.
    pub async fn prepare(&self) -> Result<(), ClientError> {
        match self {
            Self::Server { .. } => Ok(()),
            Self::Direct(link) => link.features().await.map(drop),
        }
    }

    /// Opens `service` of the device. The caller bounds the time.
    pub async fn open(&self, service: &str) -> Result<BoxStream, ClientError> {
        match self {
            Self::Server { server, serial } => {
                Ok(Box::new(server::open(server, serial, service).await?))
            }
            Self::Direct(link) => Ok(Box::new(link.open(service).await?)),
        }
    }

    /// What both ends can do. Asked once a session.
    pub async fn features(&self) -> Result<Features, ClientError> {
        match self {
            Self::Server { server, serial } => server::features(server, serial).await,
            Self::Direct(link) => link.features().await,
        }
    }
}

/// The features of a device that this program uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Features(BTreeSet<String>);

impl Features {
    /// From a list with commas.
    pub fn parse(list: &str) -> Self {
        Self(
            list.trim()
                .split(',')
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect(),
        )
    }

    /// Whether `name` is among them.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}
