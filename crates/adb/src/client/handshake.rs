//! Handshake of a connection to adbd: `CNXN`, and the authentication that the device demands before it admits
//! a host.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use runner_text::secret::from_outside;
use rustls::pki_types::ServerName;
use rustls::{AlertDescription, Error as TlsFailure};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::features::Features;
use super::host::{Host, Notice};
use super::listing::advice_for;
use super::packets::{ReadPackets, WritePackets};
use super::{ClientError, Refusal};
use crate::auth::{self, Keyring, kind};
use crate::wire::packet::{Command, MAX_PAYLOAD, Packet, VERSION_SKIP_CHECKSUM};

/// Banner to adbd with the features that this program understands (AOSP `transport.h`, `kFeature…`).
const BANNER: &str =
    "host::features=shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir,apex,abb,abb_exec,sendrecv_v2";
/// Limit for each answer of adbd in the handshake. Chosen: a loaded emulator answers within seconds; a peer
/// that is no adbd never does.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(10);
/// Version in `STLS` packets (`A_STLS_VERSION` in AOSP's `adb.h`).
const TLS_VERSION: u32 = 0x0100_0000;
/// Limit of packets of an earlier connection before the greeting's answer; over USB a device learns only by
/// the greeting that it ended. Chosen: each of a few open streams may leave two.
const MAX_STALE_PACKETS: usize = 64;

/// Host's side of the handshake with one device.
pub(super) struct Handshake<'a> {
    /// Name of the device in errors.
    pub(super) serial: &'a str,
    /// Address of the device, or that it is on USB, for errors.
    pub(super) address: &'a str,
    pub(super) host: &'a Host,
}

/// Result of the first part of the handshake.
pub(super) enum HandshakeResult {
    Admitted(Admission),
    /// The device demands TLS before it goes on.
    StartTls,
}

/// Device's answer when it admits the host.
pub(super) struct Admission {
    /// Largest payload, in bytes, that both ends take.
    pub(super) max_payload: usize,
    pub(super) features: Features,
}

impl Handshake<'_> {
    /// Sends the greeting, and answers the device's requests for a signature with one key after another. If it accepts
    /// none, asks its owner to allow the host's own key, and waits for that as [`Self::ask_owner`] does. Returns at
    /// once if the device demands TLS. A few late packets of an earlier connection are ignored.
    ///
    /// # Errors
    /// Returns an error if the device refuses all keys, breaks the protocol, or does not answer a packet within
    /// [`HANDSHAKE_LIMIT`].
    pub(super) async fn begin<C>(&self, connection: &mut C) -> Result<HandshakeResult, ClientError>
    where
        C: ReadPackets + WritePackets,
    {
        let hello = Packet::new(
            Command::Connect,
            VERSION_SKIP_CHECKSUM,
            MAX_PAYLOAD as u32,
            BANNER,
        );
        self.send(connection, &hello).await?;
        let mut attempts = None;
        let mut stale = 0;
        loop {
            let answer = self.answer(connection).await?;
            match answer.command {
                Command::Connect => return self.admitted(&answer).map(HandshakeResult::Admitted),
                Command::StartTls => return Ok(HandshakeResult::StartTls),
                Command::Auth if answer.arg0 == kind::TOKEN => {
                    let attempts = match &mut attempts {
                        Some(attempts) => attempts,
                        None => attempts.insert(KeyAttempts::new(self.keys().await?)),
                    };
                    match attempts.next() {
                        Some(key) => {
                            let signature = key
                                .sign(&answer.payload)
                                .map_err(|_| self.broken("a token of a wrong length"))?;
                            let signed = Packet::new(Command::Auth, kind::SIGNATURE, 0, signature);
                            self.send(connection, &signed).await?;
                        }
                        None => {
                            let requested = self.ask_owner(connection, &attempts.ring).await?;
                            return self.admitted(&requested).map(HandshakeResult::Admitted);
                        }
                    }
                }
                Command::Write | Command::Okay | Command::Close if stale < MAX_STALE_PACKETS => {
                    stale += 1;
                }
                other => return Err(self.broken(format_args!("{other:?}"))),
            }
        }
    }

    /// Sends the host's public key, notifies the user, and waits until the device's owner allows it, for at
    /// most the host's `owner_limit`. Returns the device's answer.
    ///
    /// # Errors
    /// Returns a refusal if the host has no own key, the owner does not allow it in time, or the device refuses it.
    /// [`ClientError::Lost`] if the connection ends meanwhile.
    async fn ask_owner<C>(&self, connection: &mut C, ring: &Keyring) -> Result<Packet, ClientError>
    where
        C: ReadPackets + WritePackets,
    {
        let own = match &ring.own {
            Ok(own) => own,
            Err(problem) => return Err(self.refused(Refusal::NoKey(problem.clone()))),
        };
        // adbd reads the key up to a NUL.
        let line = own.public().line(&self.host.keys.name) + "\0";
        let packet = Packet::new(Command::Auth, kind::PUBLIC_KEY, 0, line);
        self.send(connection, &packet).await?;
        let limit = self.host.owner_limit;
        self.host.notify(&Notice::AllowOnDevice {
            serial: self.serial.to_owned(),
            limit,
        });
        match timeout(limit, connection.read_packet()).await {
            Err(_) => Err(self.refused(Refusal::NotAllowed {
                limit,
                problems: ring.problems.clone(),
            })),
            Ok(Err(cause)) => Err(self.lost(format_args!(
                "the connection ended while its owner was asked to allow this computer ({cause})"
            ))),
            Ok(Ok(answer)) if answer.command == Command::Connect => Ok(answer),
            Ok(Ok(answer)) if answer.command == Command::Auth => {
                Err(self.refused(Refusal::KeyRefused))
            }
            Ok(Ok(answer)) => Err(self.broken(format_args!("{:?}", answer.command))),
        }
    }

    /// Starts TLS as the device demanded, and waits until the device admits the host.
    ///
    /// # Errors
    /// Returns a refusal if there is no key at all, if TLS fails or takes longer than [`HANDSHAKE_LIMIT`], or if
    /// the device does not know the key: it has to be paired. [`ClientError::Lost`] if the device does not answer
    /// after that.
    pub(super) async fn secure(
        &self,
        mut socket: TcpStream,
    ) -> Result<(TlsStream<TcpStream>, Admission), ClientError> {
        let start = Packet::new(Command::StartTls, TLS_VERSION, 0, Vec::new());
        self.send(&mut socket, &start).await?;
        let ring = self.keys().await?;
        if let (true, Err(problem)) = (ring.keys.is_empty(), &ring.own) {
            return Err(self.refused(Refusal::NoKey(problem.clone())));
        }
        let config = auth::client(&ring.keys)
            .map_err(|error| self.refused(Refusal::Tls(error.to_string())))?;
        // Devices have no host names, so none is sent or compared.
        let nobody = ServerName::try_from("adb")
            .map_err(|error| self.refused(Refusal::Tls(error.to_string())))?;
        let connecting = TlsConnector::from(Arc::new(config)).connect(nobody, socket);
        let mut secure = timeout(HANDSHAKE_LIMIT, connecting)
            .await
            .map_err(|_| {
                self.refused(Refusal::Tls(format!(
                    "no handshake within {HANDSHAKE_LIMIT:?}"
                )))
            })?
            .map_err(|cause| self.refused(to_refusal(&cause)))?;
        // In TLS 1.3 a device refuses the certificate only after the handshake.
        let answer = timeout(HANDSHAKE_LIMIT, secure.read_packet())
            .await
            .map_err(|_| self.silent())?
            .map_err(|cause| self.refused(to_refusal(&cause)))?;
        if answer.command != Command::Connect {
            return Err(self.broken(format_args!("{:?}", answer.command)));
        }
        let admission = self.admitted(&answer)?;
        Ok((secure, admission))
    }

    /// Reads the device's banner: its features, and the largest payload, from 1 to [`MAX_PAYLOAD`] bytes. A device that
    /// calls itself offline is an error.
    fn admitted(&self, answer: &Packet) -> Result<Admission, ClientError> {
        if answer.payload.starts_with(b"offline") {
            return Err(ClientError::Unusable {
                serial: self.serial.to_owned(),
                state: "offline".to_owned(),
                advice: advice_for("offline").to_owned(),
            });
        }
        Ok(Admission {
            // With 0 no byte could be sent; above `MAX_PAYLOAD` this program never goes.
            max_payload: (answer.arg1 as usize).clamp(1, MAX_PAYLOAD),
            features: parse_features(&from_outside(&answer.payload)),
        })
    }

    /// Loads the host's keys on a blocking thread: it reads files and may compute a key. Shared keys that cannot be
    /// read are logged and left out; a failure of the own key stays in the result.
    async fn keys(&self) -> Result<Keyring, ClientError> {
        let keys = self.host.keys.clone();
        let ring = tokio::task::spawn_blocking(move || keys.load())
            .await
            .map_err(|cause| self.lost(cause))?;
        for problem in &ring.problems {
            tracing::warn!(target: "adb", %problem, "a key is passed over");
        }
        Ok(ring)
    }

    /// Sends a packet, within the limit of the greeting. [`ClientError::Lost`] beyond it, or if the connection
    /// ends.
    async fn send(
        &self,
        connection: &mut impl WritePackets,
        packet: &Packet,
    ) -> Result<(), ClientError> {
        timeout(HANDSHAKE_LIMIT, connection.write_packet(packet))
            .await
            .map_err(|_| self.silent())?
            .map_err(|cause| self.lost(cause))
    }

    /// Waits for the next packet, within the limit of the greeting. [`ClientError::Lost`] beyond it, or if the
    /// connection ends.
    async fn answer(&self, connection: &mut impl ReadPackets) -> Result<Packet, ClientError> {
        timeout(HANDSHAKE_LIMIT, connection.read_packet())
            .await
            .map_err(|_| self.silent())?
            .map_err(|cause| self.lost(cause))
    }

    fn silent(&self) -> ClientError {
        self.lost(format_args!(
            "it took the connection and did not greet within {HANDSHAKE_LIMIT:?}; it may be offline"
        ))
    }

    /// Builds the error of a lost device, with its address.
    fn lost(&self, cause: impl std::fmt::Display) -> ClientError {
        ClientError::Lost {
            serial: self.serial.to_owned(),
            cause: format!("{cause} ({})", self.address),
        }
    }

    /// Builds the error of a device that does not admit this host.
    fn refused(&self, cause: Refusal) -> ClientError {
        ClientError::Refused {
            serial: self.serial.to_owned(),
            cause,
        }
    }

    /// Builds the error of an answer that the protocol does not allow.
    fn broken(&self, answer: impl std::fmt::Display) -> ClientError {
        ClientError::Protocol(format!(
            "{} answered the greeting with {answer}",
            self.address
        ))
    }
}

/// Iterator over the keys to try.
struct KeyAttempts {
    ring: Keyring,
    tried: usize,
}

impl KeyAttempts {
    fn new(ring: Keyring) -> Self {
        Self { ring, tried: 0 }
    }

    fn next(&mut self) -> Option<Arc<auth::PrivateKey>> {
        let key = self.ring.keys.get(self.tried).map(Arc::clone);
        self.tried += 1;
        key
    }
}

/// Tells apart a device that does not know the certificate ([`Refusal::NotPaired`], by the TLS alert) and any
/// other failure of TLS.
fn to_refusal(cause: &io::Error) -> Refusal {
    let failure = cause
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<TlsFailure>());
    match failure {
        Some(TlsFailure::AlertReceived(
            AlertDescription::BadCertificate
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateUnknown
            | AlertDescription::AccessDenied
            | AlertDescription::UnknownCA
            | AlertDescription::CertificateRequired,
        )) => Refusal::NotPaired,
        _ => Refusal::Tls(cause.to_string()),
    }
}

/// Parses the `features=` of a banner such as `device::ro.product.name=x;features=shell_v2,cmd`. Without it
/// there are none.
fn parse_features(banner: &str) -> Features {
    let list = banner
        .trim_end_matches('\0')
        .split([';', ':'])
        .find_map(|part| part.strip_prefix("features="))
        .unwrap_or("");
    Features::parse(list)
}
