//! Straight to the adbd of a device, without a server: over TCP, or over USB.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::DuplexStream;
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::ClientError;
use super::greeting::{Greeter, Greeting};
use super::host::Host;
use super::link::{Link, OpenError};
use super::transport::Features;

/// How long a device may take to take a connection.
const DIAL_LIMIT: Duration = Duration::from_secs(10);

/// The way to one device. Connects at the first use, and again after the connection was lost.
pub struct DirectLink {
    place: Place,
    serial: String,
    host: Host,
    link: Mutex<Option<Arc<Link>>>,
}

/// Where a device is.
enum Place {
    /// Host and port.
    Tcp(String),
    /// On USB, by the serial in its descriptor.
    Usb,
}

impl DirectLink {
    /// The adbd at `address` (host and port); `serial` is its name in errors.
    pub fn tcp(address: &str, serial: &str, host: Host) -> Self {
        Self {
            place: Place::Tcp(address.to_owned()),
            serial: serial.to_owned(),
            host,
            link: Mutex::default(),
        }
    }

    /// The device on USB whose descriptor has this serial.
    pub fn usb(serial: &str, host: Host) -> Self {
        Self {
            place: Place::Usb,
            serial: serial.to_owned(),
            host,
            link: Mutex::default(),
        }
    }

    /// The name under which errors speak of the device.
    pub fn serial(&self) -> &str {
        &self.serial
    }

    /// What both ends can do. Connects where it must, which has limits of its own: a device's owner may be asked.
    pub async fn features(&self) -> Result<Features, ClientError> {
        Ok(self.link().await?.features.clone())
    }

    /// Opens a service of the device. The caller bounds the time.
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

    async fn link(&self) -> Result<Arc<Link>, ClientError> {
        // The lock is held while it connects, so that commands which come together share one connection.
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

    // Boxed: an unboxed future is compiled anew in every crate that waits for it, TLS and all.
    fn connect(&self) -> Pin<Box<dyn Future<Output = Result<Link, ClientError>> + Send + '_>> {
        match &self.place {
            Place::Tcp(address) => Box::pin(self.connect_tcp(address)),
            Place::Usb => Box::pin(self.connect_usb()),
        }
    }

    async fn connect_tcp(&self, address: &str) -> Result<Link, ClientError> {
        let mut socket = timeout(DIAL_LIMIT, TcpStream::connect(address))
            .await
            .map_err(|_| self.lost(format_args!("no connection within {DIAL_LIMIT:?}")))?
            .map_err(|cause| self.lost(format_args!("no connection: {cause}")))?;
        // Each command waits for its answer: Nagle's algorithm would hold its packets back.
        socket.set_nodelay(true).map_err(|cause| self.lost(cause))?;
        let greeter = self.greeter();
        match greeter.greet(&mut socket).await? {
            Greeting::Admitted(admission) => {
                let (read, write) = socket.into_split();
                Ok(Link::start(read, write, admission))
            }
            Greeting::StartTls => {
                let (secure, admission) = greeter.secure(socket).await?;
                let (read, write) = tokio::io::split(secure);
                Ok(Link::start(read, write, admission))
            }
        }
    }

    async fn connect_usb(&self) -> Result<Link, ClientError> {
        let mut connection = super::usb::open(&self.serial).await?;
        match self.greeter().greet(&mut connection).await? {
            Greeting::Admitted(admission) => {
                let (read, write) = connection.into_split();
                Ok(Link::start(read, write, admission))
            }
            Greeting::StartTls => Err(ClientError::Protocol(format!(
                "device '{}' wants TLS over USB, which nobody speaks",
                self.serial
            ))),
        }
    }

    fn greeter(&self) -> Greeter<'_> {
        Greeter {
            serial: &self.serial,
            place: self.place(),
            host: &self.host,
        }
    }

    fn place(&self) -> &str {
        match &self.place {
            Place::Tcp(address) => address,
            Place::Usb => "on USB",
        }
    }

    fn lost(&self, cause: impl std::fmt::Display) -> ClientError {
        ClientError::Lost {
            serial: self.serial.clone(),
            cause: format!("{cause} ({})", self.place()),
        }
    }
}

#[cfg(test)]
mod tests;
