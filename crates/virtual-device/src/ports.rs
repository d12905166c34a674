//! Listeners on the device's TCP ports and abstract local sockets.
//!
//! None is a socket of the host: a connection is a pipe in memory between adbd's stream and the listener.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::io::DuplexStream;

/// Bytes that a connection holds in each direction before its writer waits. Chosen: a few packets of adb.
const BUFFER: usize = 64 * 1024;

/// Address of a listener.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Address {
    Tcp(u16),
    /// Name in the abstract namespace of local sockets, without the `@`.
    Abstract(String),
}

/// Function that takes over a connection.
pub(crate) type Accept = Arc<dyn Fn(DuplexStream) + Send + Sync>;

/// Contents of `/proc/net/tcp6`: nothing listens on IPv6.
pub(crate) const PROC_TCP6: &str = "  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

type Listeners = BTreeMap<Address, Accept>;

/// All listeners of a device.
#[derive(Default)]
pub(crate) struct Ports {
    listeners: Arc<Mutex<Listeners>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Address already in use")]
pub(crate) struct AddressInUse;

/// A listener. Dropping it refuses further connections; open ones continue.
#[must_use]
pub(crate) struct Listener {
    address: Address,
    listeners: Weak<Mutex<Listeners>>,
}

fn lock(listeners: &Mutex<Listeners>) -> MutexGuard<'_, Listeners> {
    listeners.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ports {
    /// Listens on an address until the returned value is dropped. `accept` is called for each client, and their
    /// connections outlive the listener. Fails if something listens there.
    pub(crate) fn listen(
        &self,
        address: Address,
        accept: Accept,
    ) -> Result<Listener, AddressInUse> {
        let mut listeners = lock(&self.listeners);
        if listeners.contains_key(&address) {
            return Err(AddressInUse);
        }
        listeners.insert(address.clone(), accept);
        Ok(Listener {
            address,
            listeners: Arc::downgrade(&self.listeners),
        })
    }

    /// Connects to an address: calls the listener's `accept` with the other end, without waiting. Returns `None`
    /// if nothing listens there.
    pub(crate) fn connect(&self, address: &Address) -> Option<DuplexStream> {
        let accept = lock(&self.listeners).get(address).cloned()?;
        let (near, far) = tokio::io::duplex(BUFFER);
        accept(far);
        Some(near)
    }

    /// Returns the contents of `/proc/net/tcp`, with the listening ports but no connections.
    pub(crate) fn proc_tcp(&self) -> String {
        let mut text = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n".to_owned();
        let listeners = lock(&self.listeners);
        for (index, address) in listeners.keys().enumerate() {
            if let Address::Tcp(port) = address {
                let _ = writeln!(
                    text,
                    "{index:>4}: 00000000:{port:04X} 00000000:0000 0A 00000000:00000000 00:00000000 00000000 10100        0 {} 1 0000000000000000 100 0 0 10 0",
                    20_000 + index
                );
            }
        }
        text
    }

    /// Returns the contents of `/proc/net/unix`, with two sockets of the system and the listening local ones.
    pub(crate) fn proc_unix(&self) -> String {
        let mut text = "Num       RefCount Protocol Flags    Type St Inode Path\n".to_owned();
        let mut add = |index: usize, path: &str| {
            let _ = writeln!(
                text,
                "0000000000000000: 00000002 00000000 00010000 0001 01 {:>5} {path}",
                10_000 + index
            );
        };
        add(0, "/dev/socket/zygote");
        add(1, "/dev/socket/logd");
        let listeners = lock(&self.listeners);
        for (index, address) in listeners.keys().enumerate() {
            if let Address::Abstract(name) = address {
                add(2 + index, &format!("@{name}"));
            }
        }
        text
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Some(listeners) = self.listeners.upgrade() {
            lock(&listeners).remove(&self.address);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn a_port_is_there_while_its_listener_is() {
        let ports = Ports::default();
        let address = Address::Tcp(6790);
        let echo: Accept = Arc::new(|mut stream| {
            tokio::spawn(async move {
                let mut byte = [0];
                while stream.read_exact(&mut byte).await.is_ok() {
                    let _ = stream.write_all(&byte).await;
                }
            });
        });
        assert!(ports.connect(&address).is_none());
        let listening = ports.listen(address.clone(), Arc::clone(&echo)).unwrap();
        assert!(ports.listen(address.clone(), Arc::clone(&echo)).is_err());
        let local = Address::Abstract("chrome_devtools_remote".to_owned());
        let _local = ports.listen(local, echo).unwrap();
        assert!(ports.proc_tcp().contains(":1A86 "));
        assert!(ports.proc_unix().contains(" @chrome_devtools_remote\n"));
        let mut stream = ports.connect(&address).unwrap();
        drop(listening);
        assert!(ports.connect(&address).is_none());
        stream.write_all(b"x").await.unwrap();
        assert_eq!(stream.read_u8().await.unwrap(), b'x');
    }
}
