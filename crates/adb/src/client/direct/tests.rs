//! Connects to scripted devices that ask for a key, with and without faults.

use std::path::Path;
use std::sync::Mutex;

use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::*;
use crate::auth::{HostKeys, PrivateKey, PublicKey, TOKEN_LEN, accept_hosts, kind};
use crate::client::Refusal;
use crate::client::packets::{ReadPackets as _, WritePackets as _};
use crate::wire::packet::{Command, Packet};

/// Limit for the owner. Chosen: any device of these tests answers sooner, so only a hang reaches it.
const OWNER: Duration = Duration::from_secs(20);

/// Host with its own home folder; collects the notices to the person.
struct Fixture {
    home: TempDir,
    shared: Vec<std::path::PathBuf>,
    limit: Duration,
    messages: Arc<Mutex<Vec<String>>>,
}

impl Fixture {
    fn new() -> Self {
        Self {
            home: tempfile::tempdir().unwrap(),
            shared: Vec::new(),
            limit: OWNER,
            messages: Arc::default(),
        }
    }

    fn keys(&self) -> HostKeys {
        HostKeys {
            shared: self.shared.clone(),
            own: Some(self.home.path().join("adbkey")),
            name: "ada@desk".to_owned(),
        }
    }

    /// Returns the host's public key; makes a key if there is none.
    fn public(&self) -> PublicKey {
        self.keys().load().own.unwrap().public().clone()
    }

    fn host(&self) -> Host {
        let reported = Arc::clone(&self.messages);
        Host::new(self.keys())
            .waiting(self.limit)
            .with_notifier(Arc::new(move |notice| {
                reported.lock().unwrap().push(notice.to_string());
            }))
    }

    /// Connects the host to a scripted device and returns the result.
    async fn meet<Device>(
        &self,
        device: impl FnOnce(TcpStream) -> Device + Send + 'static,
    ) -> Result<Features, ClientError>
    where
        Device: Future<Output = Option<()>> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let serving = tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let hello = socket.read_packet().await.unwrap();
            assert_eq!(hello.command, Command::Connect);
            device(socket).await
        });
        let link = DirectLink::tcp(&address, "phone", self.host());
        let met = link.features().await;
        serving.abort();
        met
    }

    /// Connects as `meet`, expects an error, and checks that neither the error nor a notice holds a part of a
    /// key.
    async fn refused<Device>(
        &self,
        device: impl FnOnce(TcpStream) -> Device + Send + 'static,
    ) -> ClientError
    where
        Device: Future<Output = Option<()>> + Send + 'static,
    {
        let error = self.meet(device).await.unwrap_err();
        let message = format!("{error} {error:?} {:?} {:?}", self.messages, self.host());
        let files = [
            self.home.path().join("adbkey"),
            self.home.path().join("adbkey.pub"),
        ];
        for text in files.iter().flat_map(std::fs::read_to_string) {
            for word in text.split_whitespace().filter(|word| word.len() > 30) {
                assert!(!message.contains(word), "{message}");
            }
        }
        error
    }
}

fn hello() -> Packet {
    Packet::new(Command::Connect, 0x0100_0001, 4096, "device::features=cmd")
}

fn token() -> Packet {
    Packet::new(Command::Auth, kind::TOKEN, 0, [5; TOKEN_LEN])
}

/// Sends tokens until the host sends its public key.
async fn until_public_key(socket: &mut TcpStream) -> Option<PublicKey> {
    loop {
        socket.write_packet(&token()).await.ok()?;
        let answer = socket.read_packet().await.ok()?;
        if answer.arg0 == kind::PUBLIC_KEY {
            assert_eq!(answer.payload.last(), Some(&0));
            return PublicKey::parse(std::str::from_utf8(&answer.payload).ok()?).ok();
        }
    }
}

#[tokio::test]
async fn a_known_key_is_let_in_and_asks_nobody() {
    let host = Fixture::new();
    let known = host.public();
    let met = host.meet(|mut socket| async move {
        socket.write_packet(&token()).await.ok()?;
        let answer = socket.read_packet().await.ok()?;
        assert_eq!(answer.arg0, kind::SIGNATURE);
        assert!(known.verifies(&[5; TOKEN_LEN], &answer.payload));
        socket.write_packet(&hello()).await.ok()
    });
    assert!(met.await.unwrap().has("cmd"));
    assert!(host.messages.lock().unwrap().is_empty());
}

#[tokio::test]
async fn an_unknown_key_is_let_in_once_the_owner_allows_it() {
    let host = Fixture::new();
    let met = host.meet(|mut socket| async move {
        until_public_key(&mut socket).await?;
        socket.write_packet(&hello()).await.ok()
    });
    assert!(met.await.unwrap().has("cmd"));
    let message = host.messages.lock().unwrap().join("\n");
    assert_eq!(
        message,
        "device 'phone' asks whether this computer may debug it: unlock its screen and allow it within 20 s"
    );
    assert!(host.home.path().join("adbkey.pub").exists());
}

#[tokio::test]
async fn an_owner_who_does_not_answer_is_waited_for_no_longer_than_the_limit() {
    let mut host = Fixture::new();
    host.limit = Duration::from_millis(50);
    let bad = host.home.path().join("bad.adb_key");
    std::fs::write(&bad, "noise").unwrap();
    host.shared = vec![bad];
    let error = host.refused(|mut socket| async move {
        until_public_key(&mut socket).await?;
        std::future::pending().await
    });
    let error = error.await;
    let ClientError::Refused { cause, .. } = &error else {
        panic!("{error}");
    };
    assert!(matches!(cause, Refusal::NotAllowed { .. }), "{error}");
    assert_eq!(cause.state(), "unauthorized");
    // A key file that could not be read may be the one that the device knows.
    assert!(
        error.to_string().contains("bad.adb_key is damaged"),
        "{error}"
    );
}

#[tokio::test]
async fn a_device_that_asks_on_refuses() {
    let host = Fixture::new();
    let error = host.refused(|mut socket| async move {
        until_public_key(&mut socket).await?;
        socket.write_packet(&token()).await.ok()?;
        std::future::pending().await
    });
    let error = error.await;
    let cause = Refusal::KeyRefused.to_string();
    assert!(error.to_string().contains(&cause), "{error}");
}

#[tokio::test]
async fn a_connection_that_ends_amid_the_questions_is_lost() {
    let host = Fixture::new();
    let at_once = host.refused(|_| async { None }).await;
    let after_a_token =
        host.refused(|mut socket| async move { socket.write_packet(&token()).await.ok() });
    let after_a_signature = host.refused(|mut socket| async move {
        socket.write_packet(&token()).await.ok()?;
        socket.read_packet().await.ok().map(drop)
    });
    let amid_a_packet = host
        .refused(|mut socket| async move { socket.write_all(&token().encode()[..30]).await.ok() });
    let lost = [
        at_once,
        after_a_token.await,
        after_a_signature.await,
        amid_a_packet.await,
    ];
    for error in &lost {
        assert!(matches!(error, ClientError::Lost { .. }), "{error}");
    }
    let refusal =
        host.refused(|mut socket| async move { until_public_key(&mut socket).await.map(drop) });
    let error = refusal.await;
    assert!(
        error.to_string().contains("while its owner was asked"),
        "{error}"
    );
}

#[tokio::test]
async fn a_device_that_breaks_the_protocol_is_told_so() {
    let host = Fixture::new();
    host.public();
    for answers in [
        vec![Packet::new(Command::Auth, kind::TOKEN, 0, [5; 19])],
        vec![Packet::new(Command::Auth, kind::SIGNATURE, 0, [5; 256])],
        vec![Packet::new(Command::Open, 1, 0, "shell:")],
        vec![Packet::new(Command::Write, 1, 1, "late"); 100],
    ] {
        let error = host.refused(|mut socket| async move {
            for answer in answers {
                socket.write_packet(&answer).await.ok()?;
            }
            std::future::pending().await
        });
        let error = error.await;
        assert!(matches!(error, ClientError::Protocol(_)), "{error}");
    }
    // Over USB these are the rest of an earlier connection.
    let met = host.meet(|mut socket| async move {
        for _ in 0..3 {
            let late = Packet::new(Command::Write, 1, 1, "late");
            socket.write_packet(&late).await.ok()?;
        }
        socket.write_packet(&hello()).await.ok()
    });
    met.await.unwrap();
}

#[tokio::test]
async fn without_a_key_the_error_names_the_file() {
    let host = Fixture::new();
    std::fs::write(host.home.path().join("adbkey"), "half a ke").unwrap();
    let over_auth =
        host.refused(|mut socket| async move { until_public_key(&mut socket).await.map(drop) });
    let over_tls = host.refused(|mut socket| async move {
        let start = Packet::new(Command::StartTls, 0x0100_0000, 0, Vec::new());
        socket.write_packet(&start).await.ok()?;
        std::future::pending().await
    });
    for error in [over_auth.await, over_tls.await] {
        assert!(error.to_string().contains("adbkey is damaged"), "{error}");
    }
}

/// Starts TLS as a device that knows these keys.
async fn over_tls(mut socket: TcpStream, known: Vec<PublicKey>) -> Option<()> {
    let start = Packet::new(Command::StartTls, 0x0100_0000, 0, Vec::new());
    socket.write_packet(&start).await.ok()?;
    let answer = socket.read_packet().await.ok()?;
    assert_eq!(answer.command, Command::StartTls);
    let own = PrivateKey::generate().unwrap();
    let config = accept_hosts(&own, known).unwrap();
    let mut secure = TlsAcceptor::from(Arc::new(config))
        .accept(socket)
        .await
        .ok()?;
    secure.write_packet(&hello()).await.ok()?;
    // Waits, as the host may still read.
    secure.read_packet().await.ok().map(drop)
}

#[tokio::test]
async fn over_tls_the_paired_key_is_let_in_and_no_other() {
    let mut host = Fixture::new();
    let own = host.public();
    let met = host.meet(|socket| over_tls(socket, vec![own]));
    assert!(met.await.unwrap().has("cmd"));

    let stranger = host.refused(|socket| over_tls(socket, Vec::new())).await;
    assert!(stranger.to_string().contains("is not paired"), "{stranger}");
    assert!(stranger.to_string().contains("adb pair"), "{stranger}");

    // Of several keys the host uses the one that the device lists.
    let lab = Path::new("lab.adb_key");
    let lab = host.home.path().join(lab);
    let other = HostKeys {
        shared: Vec::new(),
        own: Some(lab.clone()),
        name: "lab".to_owned(),
    };
    let known = other.load().own.unwrap().public().clone();
    host.shared = vec![lab];
    let met = host.meet(|socket| over_tls(socket, vec![known]));
    assert!(met.await.unwrap().has("cmd"));
}

#[tokio::test]
async fn broken_tls_is_told_as_such() {
    let host = Fixture::new();
    host.public();
    let start = || Packet::new(Command::StartTls, 0x0100_0000, 0, Vec::new());
    let noise = host.refused(move |mut socket| async move {
        socket.write_packet(&start()).await.ok()?;
        socket.write_all(&[0xff; 100]).await.ok()?;
        std::future::pending().await
    });
    let noise = noise.await;
    assert!(
        noise.to_string().contains("wants TLS, which failed"),
        "{noise}"
    );
    let ended = host.refused(move |mut socket| async move {
        socket.write_packet(&start()).await.ok()?;
        socket.read_packet().await.ok().map(drop)
    });
    let ended = ended.await;
    assert!(
        ended.to_string().contains("wants TLS, which failed"),
        "{ended}"
    );
}
