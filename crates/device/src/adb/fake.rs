//! Fake peers for tests: an adb server and an adbd whose answers to each service a test chooses.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use super::connect::AdbServer;
use super::info::QUESTIONS;
use runner_adb::wire::packet::{Command, HEADER_LEN, Header, Packet};
use runner_adb::wire::shell::{FrameId, encode};

/// Answer of a peer to one service.
#[derive(Debug, Clone)]
pub(super) enum Reply {
    /// Refuses: the server with `FAIL` and this text, adbd by closing the stream.
    Fail(&'static str),
    /// `OKAY` and a text with its length, as the server answers questions about itself.
    Text(String),
    /// `OKAY`, these bytes in writes of this length, and the end.
    Bytes(Vec<u8>, usize),
    /// `OKAY`, these bytes, and then nothing; the test learns when the caller closes the stream.
    Hang(Vec<u8>),
    /// No answer; the connection stays open.
    Silence,
    /// `OKAY`; once this many bytes came, they are reported to the test and these bytes are answered.
    Take(usize, Vec<u8>),
}

/// Event that a peer reports to the test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PeerEvent {
    /// The caller asked for a service.
    Service(String),
    /// The caller closed a stream of [`Reply::Hang`].
    Closed,
    /// Bytes for [`Reply::Take`].
    Data(Vec<u8>),
}

type Answer = Arc<dyn Fn(&str) -> Reply + Send + Sync>;

/// Fake peer of a test. Dropping it refuses new connections; open ones go on.
pub(super) struct Peer {
    pub(super) port: u16,
    observed: mpsc::UnboundedReceiver<PeerEvent>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Peer {
    /// Starts an adb server on a free port. Answers each service by `answer` and reports it as
    /// [`PeerEvent::Service`].
    pub(super) async fn server(answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let answer: Answer = Arc::new(answer);
        Self::listen(move |socket, observed| {
            let answer = Arc::clone(&answer);
            async move { serve_smart_socket(socket, answer, observed).await }
        })
        .await
    }

    /// Starts an adbd on a free port that greets with `hello`; without one it closes each connection after the
    /// caller's greeting. Answers each service by `answer`; [`Reply::Text`] and [`Reply::Take`] are refused as
    /// [`Reply::Fail`] is.
    pub(super) async fn adbd(
        hello: Option<Packet>,
        answer: impl Fn(&str) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let answer: Answer = Arc::new(answer);
        Self::listen(move |socket, observed| {
            let (answer, hello) = (Arc::clone(&answer), hello.clone());
            async move { serve_adbd(socket, hello, answer, observed).await }
        })
        .await
    }

    /// Accepts connections on a free port of 127.0.0.1 and serves each in a task of its own.
    async fn listen<F, Done>(serve: F) -> Self
    where
        F: Fn(TcpStream, mpsc::UnboundedSender<PeerEvent>) -> Done + Send + Sync + 'static,
        Done: Future<Output = Option<()>> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (notify, received) = mpsc::unbounded_channel();
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, notify.clone()));
            }
        });
        Self {
            port,
            observed: received,
            task,
        }
    }

    /// Returns the peer as an adb server that is never started.
    pub(super) fn as_server(&self) -> AdbServer {
        AdbServer {
            host: "127.0.0.1".to_owned(),
            port: self.port,
            program: None,
        }
    }

    /// Waits for the next event that is no request for a service; the requests before it are dropped. Panics
    /// after 10 seconds without any event.
    pub(super) async fn next_event(&mut self) -> PeerEvent {
        loop {
            let received = tokio::time::timeout(Duration::from_secs(10), self.observed.recv());
            match received
                .await
                .expect("the peer saw nothing in time")
                .unwrap()
            {
                PeerEvent::Service(_) => {}
                other => return other,
            }
        }
    }

    /// Returns the services that were asked for since the last call, in order. Other events so far are
    /// dropped.
    pub(super) fn services(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.observed.try_recv().ok())
            .filter_map(|look| match look {
                PeerEvent::Service(service) => Some(service),
                _ => None,
            })
            .collect()
    }
}

/// Encodes the frames of a command that printed `stdout` and `stderr` and exited with `code`.
pub(super) fn frames(stdout: &[u8], stderr: &[u8], code: u8) -> Vec<u8> {
    [
        encode(FrameId::Stdout, stdout),
        encode(FrameId::Stderr, stderr),
        encode(FrameId::Exit, &[code]),
    ]
    .concat()
}

/// Returns the output of a script of sections whose commands print `parts`. The mark between them is taken from
/// `script`; none follows the last.
pub(super) fn sections(script: &str, parts: &[&str]) -> Vec<u8> {
    let mark = script
        .split("echo ")
        .find(|word| word.starts_with("@runner"))
        .and_then(|word| word.split(';').next())
        .unwrap_or("");
    parts.join(&format!("\n{mark}\n")).into_bytes()
}

/// Answers to [`QUESTIONS`].
const ANSWERS: [&str; QUESTIONS.len()] = [
    "[ro.product.model]: [Fake]\n[ro.build.version.sdk]: [34]\n",
    "Physical size: 1080x2400\n",
    "Physical density: 420\n",
    "Night mode: no\n",
    "1.0\n",
    "en-US\n",
    "",
    "",
];

/// Answers the questions at a session's begin: the choice of a device, its features (`features`), and those
/// of [`QUESTIONS`]. `None` if `service` is none of them.
pub(super) fn greet(service: &str, features: &str) -> Option<Reply> {
    if service.starts_with("host:transport:") {
        return Some(Reply::Bytes(Vec::new(), 1));
    }
    if service.ends_with(":features") {
        return Some(Reply::Text(features.to_owned()));
    }
    let asked = |(question, _): &(&str, &str)| {
        [format!(":{question}"), format!(":({question}\n)")]
            .iter()
            .any(|text| service.contains(text))
    };
    let (_, text) = QUESTIONS.into_iter().zip(ANSWERS).find(asked)?;
    Some(if service.starts_with("shell,v2") {
        Reply::Bytes(frames(text.as_bytes(), b"", 0), 7)
    } else {
        Reply::Bytes(with_exit_code(service, text.as_bytes(), 0), 7)
    })
}

/// Appends the line with the exit code that the service's script asks for.
pub(super) fn with_exit_code(service: &str, printed: &[u8], code: u8) -> Vec<u8> {
    let (_, mark) = service.rsplit_once("echo ").unwrap();
    let end = mark.trim_end_matches('\0').replace("$?", &code.to_string());
    [printed, end.as_bytes(), b"\r\n"].concat()
}

/// Serves one connection as an adb server: reports each service and answers it. Closes the connection after one
/// answer, but for two cases: [`Reply::Bytes`] to `host:transport:` writes `OKAY` alone, and another service may
/// follow; [`Reply::Hang`], [`Reply::Silence`] and [`Reply::Take`] keep the connection until the client closes it.
/// The result is always `None`.
async fn serve_smart_socket(
    mut socket: TcpStream,
    answer: Answer,
    notify: mpsc::UnboundedSender<PeerEvent>,
) -> Option<()> {
    loop {
        let mut digits = [0; 4];
        socket.read_exact(&mut digits).await.ok()?;
        let length = usize::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?;
        let mut service = vec![0; length];
        socket.read_exact(&mut service).await.ok()?;
        let service = String::from_utf8(service).ok()?;
        notify.send(PeerEvent::Service(service.clone())).ok()?;
        match answer(&service) {
            Reply::Fail(text) => {
                let text = format!("FAIL{:04x}{text}", text.len());
                socket.write_all(text.as_bytes()).await.ok()?;
                return None;
            }
            Reply::Text(text) => {
                let text = format!("OKAY{:04x}{text}", text.len());
                socket.write_all(text.as_bytes()).await.ok()?;
                return None;
            }
            Reply::Bytes(bytes, size) => {
                socket.write_all(b"OKAY").await.ok()?;
                if service.starts_with("host:transport:") {
                    continue;
                }
                for piece in bytes.chunks(size) {
                    socket.write_all(piece).await.ok()?;
                    socket.flush().await.ok()?;
                }
                return None;
            }
            Reply::Hang(bytes) => {
                socket.write_all(b"OKAY").await.ok()?;
                socket.write_all(&bytes).await.ok()?;
                let mut rest = Vec::new();
                // An error, such as a reset, is an end too.
                let _ = socket.read_to_end(&mut rest).await;
                notify.send(PeerEvent::Closed).ok()?;
                return None;
            }
            Reply::Silence => {
                let mut rest = Vec::new();
                let _ = socket.read_to_end(&mut rest).await;
                return None;
            }
            Reply::Take(length, bytes) => {
                socket.write_all(b"OKAY").await.ok()?;
                let mut data = vec![0; length];
                socket.read_exact(&mut data).await.ok()?;
                notify.send(PeerEvent::Data(data)).ok()?;
                socket.write_all(&bytes).await.ok()?;
                let mut rest = Vec::new();
                let _ = socket.read_to_end(&mut rest).await;
                return None;
            }
        }
    }
}

/// Builds the greeting of an adbd with these features.
pub(super) fn hello(features: &str) -> Packet {
    let banner = format!("device::ro.product.model=Fake;features={features}");
    Packet::new(Command::Connect, 0x0100_0001, 4096, banner)
}

/// Reads one packet; `None` if the connection ends or the header is malformed.
async fn read_packet(socket: &mut TcpStream) -> Option<Packet> {
    let mut bytes = [0; HEADER_LEN];
    socket.read_exact(&mut bytes).await.ok()?;
    let header = Header::decode(&bytes).ok()?;
    let mut payload = vec![0; header.payload_len];
    socket.read_exact(&mut payload).await.ok()?;
    Some(Packet::new(
        header.command,
        header.arg0,
        header.arg1,
        payload,
    ))
}

/// Serves one connection as adbd with many streams, until it ends: reports each service and answers it. The first
/// piece of an answer follows at once, each later one the caller's `OKAY`. The result is always `None`.
async fn serve_adbd(
    mut socket: TcpStream,
    hello: Option<Packet>,
    answer: Answer,
    notify: mpsc::UnboundedSender<PeerEvent>,
) -> Option<()> {
    read_packet(&mut socket).await?;
    socket.write_all(&hello?.encode()).await.ok()?;
    // Data still to be written on each stream: the peer's id, the pieces, and whether the stream ends after them.
    let mut streams: std::collections::HashMap<u32, (u32, Vec<Vec<u8>>, bool)> =
        std::collections::HashMap::new();
    let mut next_id = 100;
    loop {
        let packet = read_packet(&mut socket).await?;
        let theirs = packet.arg0;
        let mut out = Vec::new();
        match packet.command {
            Command::Open => {
                let service = String::from_utf8(packet.payload).ok()?;
                let service = service.trim_end_matches('\0').to_owned();
                notify.send(PeerEvent::Service(service.clone())).ok()?;
                let (bytes, size, ends) = match answer(&service) {
                    Reply::Bytes(bytes, size) => (bytes, size, true),
                    Reply::Hang(bytes) => (bytes, 4096, false),
                    Reply::Silence => continue,
                    _ => {
                        out.push(Packet::new(Command::Close, 0, theirs, Vec::new()));
                        (Vec::new(), 1, false)
                    }
                };
                if out.is_empty() {
                    next_id += 1;
                    let mut pieces: Vec<Vec<u8>> = bytes.chunks(size).map(<[u8]>::to_vec).collect();
                    pieces.reverse();
                    out.push(Packet::new(Command::Okay, next_id, theirs, Vec::new()));
                    out.extend(next_piece(next_id, theirs, &mut pieces, ends));
                    streams.insert(next_id, (theirs, pieces, ends));
                }
            }
            Command::Okay => {
                if let Some((theirs, pieces, ends)) = streams.get_mut(&packet.arg1) {
                    out.extend(next_piece(packet.arg1, *theirs, pieces, *ends));
                }
            }
            Command::Close => {
                if let Some((_, _, false)) = streams.remove(&packet.arg1) {
                    notify.send(PeerEvent::Closed).ok()?;
                }
            }
            _ => return None,
        }
        for packet in out {
            socket.write_all(&packet.encode()).await.ok()?;
        }
    }
}

/// Removes the last of `pieces`, which are in reverse, and returns it as a packet. Without one it returns the end
/// of the stream if it `ends`, else `None`.
fn next_piece(ours: u32, theirs: u32, pieces: &mut Vec<Vec<u8>>, ends: bool) -> Option<Packet> {
    match pieces.pop() {
        Some(piece) => Some(Packet::new(Command::Write, ours, theirs, piece)),
        None if ends => Some(Packet::new(Command::Close, ours, theirs, Vec::new())),
        None => None,
    }
}
