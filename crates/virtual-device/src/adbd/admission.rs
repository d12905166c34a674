//! Admission of adb hosts: the greeting, and the key or TLS certificate that a host must show before its
//! streams are served.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use runner_adb::auth::{PrivateKey, PublicKey, TOKEN_LEN, accept_hosts, kind};
use runner_adb::wire::packet::{
    Command, HEADER_LEN, Header, MAX_PAYLOAD, Packet, VERSION_MIN, VERSION_SKIP_CHECKSUM,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::state::DeviceState;
use crate::{Fault, KeyDemand, Quirk};

/// Features that this adbd announces and serves. `sync:` v2 transfers are served without compression.
const FEATURES: &str =
    "cmd,stat_v2,ls_v2,fixed_push_mkdir,fixed_push_symlink_timestamp,sendrecv_v2";
/// Version of `STLS`, adb's request for TLS.
const TLS_VERSION: u32 = 0x0100_0000;

/// The keys that this device accepts, and its own key for TLS.
#[derive(Debug, Default)]
pub(crate) struct Authenticator {
    demand: Option<KeyDemand>,
    /// Keys that the owner allowed since the device started, in addition to those of `demand`.
    allowed: Mutex<Vec<PublicKey>>,
    /// The device's own key for TLS. Made at the first TLS connection, as that takes long; `None` if it could not be
    /// made.
    own: OnceLock<Option<PrivateKey>>,
}

impl Authenticator {
    /// Returns an authenticator that asks for what `demand` says; with `None` every host is admitted. The device's own
    /// key is made when it is first needed.
    pub(crate) fn new(demand: Option<KeyDemand>) -> Self {
        Self {
            demand,
            ..Self::default()
        }
    }

    fn known(&self) -> Vec<PublicKey> {
        let allowed = self.allowed.lock().unwrap_or_else(PoisonError::into_inner);
        let demanded = self.demand.iter().flat_map(|demand| &demand.known);
        demanded.chain(allowed.iter()).cloned().collect()
    }

    fn allow(&self, key: PublicKey) {
        let mut allowed = self.allowed.lock().unwrap_or_else(PoisonError::into_inner);
        if !allowed.contains(&key) {
            allowed.push(key);
        }
    }
}

/// A host that passed admission, with the two ends of its connection.
pub(super) struct AdmittedHost {
    pub(super) reader: Box<dyn AsyncRead + Send + Unpin>,
    pub(super) writer: Box<dyn AsyncWrite + Send + Unpin>,
    /// Largest payload that the host takes, in bytes.
    pub(super) max_payload: usize,
}

/// Proof that a host must show before it is admitted.
#[derive(Debug, Clone, Copy)]
enum Proof {
    Nothing,
    /// A signature of a known key, which none is unless `known`; or any public key, which the owner allows after
    /// `allow_after`, or never if that is `None`.
    Key {
        known: bool,
        allow_after: Option<Duration>,
    },
    Tls,
}

/// Talks with a host until it is admitted, without a time limit. An offline device never answers `CNXN`. The
/// device asks for a key or for TLS only if its options or a fault say so. Returns `None` if the host leaves,
/// breaks the protocol or has no accepted key.
pub(super) async fn admit(mut socket: TcpStream, state: &Arc<DeviceState>) -> Option<AdmittedHost> {
    let greeting = loop {
        let (header, _) = read_packet(&mut socket).await?;
        if header.command != Command::Connect {
            return None;
        }
        // An offline device accepts the connection and never answers.
        if !state.faults.shows(Fault::Offline) {
            break header;
        }
    };
    let hello = hello(state, greeting);
    // The peer may say 0, and `chunks` panics on that.
    let max_payload = (greeting.arg1 as usize).clamp(1, MAX_PAYLOAD);
    match ask(state) {
        Proof::Nothing => {}
        Proof::Key { known, allow_after } => {
            let known = if known {
                state.authenticator.known()
            } else {
                Vec::new()
            };
            check_key(&mut socket, state, &known, allow_after).await?;
        }
        Proof::Tls => {
            let mut secure = secure(socket, state).await?;
            secure.write_all(&hello).await.ok()?;
            secure.flush().await.ok()?;
            let (reader, writer) = tokio::io::split(secure);
            return Some(AdmittedHost {
                reader: Box::new(reader),
                writer: Box::new(writer),
                max_payload,
            });
        }
    }
    socket.write_all(&hello).await.ok()?;
    let (reader, writer) = socket.into_split();
    Some(AdmittedHost {
        reader: Box::new(reader),
        writer: Box::new(writer),
        max_payload,
    })
}

/// Returns the proof to ask for. [`Fault::Unauthorized`] comes before the options: it asks for a key, accepts none, and
/// no owner allows one.
fn ask(state: &DeviceState) -> Proof {
    if state.faults.shows(Fault::Unauthorized) {
        return Proof::Key {
            known: false,
            allow_after: None,
        };
    }
    match &state.authenticator.demand {
        None => Proof::Nothing,
        Some(demand) if demand.tls => Proof::Tls,
        Some(demand) => Proof::Key {
            known: true,
            allow_after: demand.allow_after,
        },
    }
}

/// Asks for signatures until one fits a known key, each time with a new random token. If the host sends a public key
/// instead, it waits for the owner to allow that key, which stays allowed until the device stops. Returns `None` if the
/// host leaves or sends anything else.
async fn check_key(
    socket: &mut TcpStream,
    state: &DeviceState,
    known: &[PublicKey],
    allow_after: Option<Duration>,
) -> Option<()> {
    loop {
        let token: Vec<u8> = (0..TOKEN_LEN).map(|_| fastrand::u8(..)).collect();
        let question = Packet::new(Command::Auth, kind::TOKEN, 0, token.as_slice());
        socket.write_all(&question.encode()).await.ok()?;
        let (header, payload) = read_packet(socket).await?;
        match (header.command, header.arg0) {
            (Command::Auth, kind::SIGNATURE) => {
                if known.iter().any(|key| key.verifies(&token, &payload)) {
                    return Some(());
                }
            }
            (Command::Auth, kind::PUBLIC_KEY) => {
                let key = PublicKey::parse(&String::from_utf8_lossy(&payload)).ok()?;
                wait_for_owner(socket, allow_after).await?;
                state.authenticator.allow(key);
                return Some(());
            }
            _ => return None,
        }
    }
}

/// Waits until `allow_after` has passed, which stands for the owner's answer. `None` waits forever. Returns
/// `None` if the host leaves first or sends a byte.
async fn wait_for_owner(socket: &mut TcpStream, allow_after: Option<Duration>) -> Option<()> {
    let allowed = async {
        match allow_after {
            Some(time) => tokio::time::sleep(time).await,
            None => std::future::pending().await,
        }
    };
    let mut byte = [0; 1];
    tokio::select! {
        () = allowed => Some(()),
        // The host sends nothing more now, so a read ends only when it leaves.
        _ = socket.read(&mut byte) => None,
    }
}

/// Starts TLS, in which the host must show a certificate with a known key. The device's own key is made at
/// the first call. Returns `None` if the host leaves, refuses TLS or has no known key.
async fn secure(mut socket: TcpStream, state: &Arc<DeviceState>) -> Option<TlsStream<TcpStream>> {
    let question = Packet::new(Command::StartTls, TLS_VERSION, 0, Vec::new());
    socket.write_all(&question.encode()).await.ok()?;
    let (header, _) = read_packet(&mut socket).await?;
    if header.command != Command::StartTls {
        return None;
    }
    let state = Arc::clone(state);
    // Making the device's own key computes for a moment.
    let config = tokio::task::spawn_blocking(move || {
        let keeper = &state.authenticator;
        let own = keeper.own.get_or_init(|| PrivateKey::generate().ok());
        accept_hosts(own.as_ref()?, keeper.known()).ok()
    });
    let acceptor = TlsAcceptor::from(Arc::new(config.await.ok()??));
    acceptor.accept(socket).await.ok()
}

/// Formats the device's `CNXN` packet, with the host's protocol version as far as the device has it. It names the model
/// and the features that the device serves.
fn hello(state: &DeviceState, greeting: Header) -> Vec<u8> {
    let version = greeting.arg0.clamp(VERSION_MIN, VERSION_SKIP_CHECKSUM);
    let identity = format!(
        "device::ro.product.name=virtual;ro.product.model={};ro.product.device=virtual;features={}{FEATURES}",
        state.property("ro.product.model"),
        if state.quirks.has(Quirk::NoShellV2) {
            ""
        } else {
            "shell_v2,"
        },
    );
    Packet::new(Command::Connect, version, MAX_PAYLOAD as u32, identity).encode()
}

/// Reads a packet. Returns `None` if the host leaves, the header is malformed, or the payload is longer than adb
/// allows.
async fn read_packet(socket: &mut TcpStream) -> Option<(Header, Vec<u8>)> {
    let mut head = [0; HEADER_LEN];
    socket.read_exact(&mut head).await.ok()?;
    let header = Header::decode(&head).ok()?;
    let mut payload = vec![0; header.payload_len];
    socket.read_exact(&mut payload).await.ok()?;
    Some((header, payload))
}
