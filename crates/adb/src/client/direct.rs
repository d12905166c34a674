//! Connection to the adbd of a device without an adb server, over TCP or USB.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::DuplexStream;
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::ClientError;
use super::features::Features;
use super::handshake::{Handshake, HandshakeResult};
use super::host::Host;
use super::link::{Link, OpenError};

/// Limit for a device to accept a TCP connection. Chosen: a phone asleep on Wi-Fi answers within seconds;
/// longer only delays the error for a wrong address.
const DIAL_LIMIT: Duration = Duration::from_secs(10);

/// Connection to one device, made at the first use and again after it was lost.
pub struct DirectLink {
    endpoint: Endpoint,
    serial: String,
    host: Host,
    link: Mutex<Option<Arc<Link>>>,
}

enum Endpoint {
    /// Host and port.
    Tcp(String),
    /// USB device, found by the serial in its descriptor.
    Usb,
}

impl DirectLink {
    /// Creates a link to the adbd at `address` (host and port). `serial` names the device in errors. Connects
    /// only with the first use.
    pub fn tcp(address: &str, serial: &str, host: Host) -> Self {
        Self {
            endpoint: Endpoint::Tcp(address.to_owned()),
            serial: serial.to_owned(),
            host,
            link: Mutex::default(),
        }
    }

    /// Creates a link to the USB device whose descriptor has this serial. Connects only with the first use.
    pub fn usb(serial: &str, host: Host) -> Self {
        Self {
            endpoint: Endpoint::Usb,
            serial: serial.to_owned(),
            host,
            link: Mutex::default(),
        }
    }

    /// Name of the device in errors.
    pub fn serial(&self) -> &str {
        &self.serial
    }

    /// Returns the features that the device listed when it admitted this host. Connects first if there is no
    /// connection. Each part of that has a limit, and the device's owner, if asked, that of the host: a minute by
    /// default.
    pub async fn features(&self) -> Result<Features, ClientError> {
        Ok(self.link().await?.features.clone())
    }

    /// Opens a service of the device as a stream, and connects first if there is no connection. Sets no limit
    /// of time for the service.
    ///
    /// # Errors
    /// Returns [`ClientError::NoService`] if the device refuses the service, of which the error has only the part
    /// before the first `:`, [`ClientError::Lost`] if the connection ends before the answer, and the errors of
    /// connecting.
    pub async fn open(&self, service: &str) -> Result<DuplexStream, ClientError> {
        let link = self.link().await?;
        link.open(service).await.map_err(|refused| match refused {
            OpenError::Lost => self.lost("the connection ended"),
            OpenError::Service => {
                let name = service.split(':').next().unwrap_or(service);
                ClientError::NoService(format!(
                    "device '{}' refused the service `{name}`",
                    self.serial
                ))
            }
        })
    }

    /// Returns the connection, or makes a new one if there is none or it has ended. Calls at the same time share
    /// it. After an error the next call tries again.
    async fn link(&self) -> Result<Arc<Link>, ClientError> {
        // The lock is held during the connection, so that simultaneous commands share one connection.
        let mut current = self.link.lock().await;
        if let Some(link) = current.as_ref().filter(|link| link.is_alive()) {
            return Ok(Arc::clone(link));
        }
        if let Some(dead) = current.take() {
            dead.end();
        }
        let link = Arc::new(self.connect().await?);
        *current = Some(Arc::clone(&link));
        Ok(link)
    }

    /// Connects anew and greets the device, by TCP or USB.
    // Boxed, as an unboxed future is compiled again in every crate that awaits it, with all of TLS.
    fn connect(&self) -> Pin<Box<dyn Future<Output = Result<Link, ClientError>> + Send + '_>> {
        match &self.endpoint {
            Endpoint::Tcp(address) => Box::pin(self.connect_tcp(address)),
            Endpoint::Usb => Box::pin(self.connect_usb()),
        }
    }

    /// Connects and greets the device, over TLS if it asks for that. Only the connection itself is bounded here;
    /// the greeting has limits of its own.
    async fn connect_tcp(&self, address: &str) -> Result<Link, ClientError> {
        let mut socket = timeout(DIAL_LIMIT, TcpStream::connect(address))
            .await
            .map_err(|_| self.lost(format_args!("no connection within {DIAL_LIMIT:?}")))?
            .map_err(|cause| self.lost(format_args!("no connection: {cause}")))?;
        // Each command waits for its answer, and Nagle's algorithm would delay its packets.
        socket.set_nodelay(true).map_err(|cause| self.lost(cause))?;
        let handshake = self.handshake();
        match handshake.begin(&mut socket).await? {
            HandshakeResult::Admitted(admission) => {
                let (read, write) = socket.into_split();
                Ok(Link::start(read, write, admission))
            }
            HandshakeResult::StartTls => {
                let (secure, admission) = handshake.secure(socket).await?;
                let (read, write) = tokio::io::split(secure);
                Ok(Link::start(read, write, admission))
            }
        }
    }

    /// Opens the USB device and greets it. One that asks for TLS is a [`ClientError::Protocol`].
    async fn connect_usb(&self) -> Result<Link, ClientError> {
        let mut connection = super::usb::open(&self.serial).await?;
        match self.handshake().begin(&mut connection).await? {
            HandshakeResult::Admitted(admission) => {
                let (read, write) = connection.into_split();
                Ok(Link::start(read, write, admission))
            }
            HandshakeResult::StartTls => Err(ClientError::Protocol(format!(
                "device '{}' wants TLS over USB, which nobody speaks",
                self.serial
            ))),
        }
    }

    /// Prepares a handshake with this device; sends nothing.
    fn handshake(&self) -> Handshake<'_> {
        Handshake {
            serial: &self.serial,
            address: self.address(),
            host: &self.host,
        }
    }

    /// Returns the address for messages; for USB it says so.
    fn address(&self) -> &str {
        match &self.endpoint {
            Endpoint::Tcp(address) => address,
            Endpoint::Usb => "on USB",
        }
    }

    /// Builds a [`ClientError::Lost`], with the address behind the cause.
    fn lost(&self, cause: impl std::fmt::Display) -> ClientError {
        ClientError::Lost {
            serial: self.serial.clone(),
            cause: format!("{cause} ({})", self.address()),
        }
    }
}

#[cfg(test)]
mod tests;
