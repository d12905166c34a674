//! Common interface of the connections to a device: each opens a service of the device as a byte stream.

use tokio::io::{AsyncRead, AsyncWrite};

use super::ClientError;
use super::direct::DirectLink;
use super::features::Features;
use super::server::{self, AdbServer};

/// Stream to one service. Dropping it closes it, which ends the command behind it.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

pub type BoxStream = Box<dyn Stream>;

/// Connection to one device.
pub enum Transport {
    /// Through an adb server: one connection for each service.
    Server { server: AdbServer, serial: String },
    /// Straight to the device's adbd: one connection with many streams.
    Direct(DirectLink),
}

impl Transport {
    /// Returns the name of the device in errors.
    pub fn serial(&self) -> &str {
        match self {
            Self::Server { serial, .. } => serial,
            Self::Direct(link) => link.serial(),
        }
    }

    /// Connects if the transport keeps a connection: greets the device, and asks its owner if the device does
    /// not know this computer. Each of these has a limit. Does nothing for a device of a server.
    pub async fn prepare(&self) -> Result<(), ClientError> {
        match self {
            Self::Server { .. } => Ok(()),
            Self::Direct(link) => link.features().await.map(drop),
        }
    }

    /// Opens `service` of the device. A server that does not run is started if that is allowed, and a direct link
    /// connects first if need be. Sets no limit of time for the answer.
    pub async fn open(&self, service: &str) -> Result<BoxStream, ClientError> {
        match self {
            Self::Server { server, serial } => {
                Ok(Box::new(server::open(server, serial, service).await?))
            }
            Self::Direct(link) => Ok(Box::new(link.open(service).await?)),
        }
    }

    /// Returns the features that both ends know. Asks the server each time; a direct link has those that the device
    /// listed in its greeting, and connects for them if need be.
    pub async fn features(&self) -> Result<Features, ClientError> {
        match self {
            Self::Server { server, serial } => server::features(server, serial).await,
            Self::Direct(link) => link.features().await,
        }
    }
}
