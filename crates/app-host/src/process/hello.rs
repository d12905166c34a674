//! The handshake: a process proves by a token that it is the one that was started.

use std::time::Duration;

use serde::Deserialize;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::HostError;
use crate::client::Frame;

/// Limit for a hello, in bytes. Chosen: it is a short JSON object.
const MAX_HELLO_BYTES: u64 = 64 * 1024;
/// Time for a connection to send its hello. Chosen: the host sends it at once.
const HELLO_LIMIT: Duration = Duration::from_secs(5);
/// Limit for simultaneous connections without hello. Chosen: enough for stray clients of the port.
const MAX_STRANGERS: usize = 16;

/// Self-description of a process.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Hello {
    token: String,
    /// Process id.
    pub pid: u32,
    /// Android's API level.
    pub sdk: u32,
    /// Robolectric's version.
    pub robolectric: String,
    /// The JVM's version.
    pub java: String,
}

/// Hides the token.
impl std::fmt::Debug for Hello {
    /// Writes all fields but the token.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hello")
            .field("pid", &self.pid)
            .field("sdk", &self.sdk)
            .field("robolectric", &self.robolectric)
            .field("java", &self.java)
            .finish_non_exhaustive()
    }
}

/// Returns 32 random bytes as 64 hexadecimal digits.
pub(super) fn random_token() -> Result<String, HostError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(HostError::Random)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Waits without limit for the connection whose hello has the token. All others are closed, and none delays the right
/// one, as each has 5 s for its hello. At most 16 are read at once. Fails only if the port accepts no connection.
pub(super) async fn wait(
    listener: &TcpListener,
    token: &str,
) -> Result<(TcpStream, Hello), HostError> {
    let mut strangers = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if strangers.len() < MAX_STRANGERS => {
                let (stream, _) = accepted.map_err(HostError::Port)?;
                strangers.spawn(tokio::time::timeout(HELLO_LIMIT, read_hello(stream)));
            }
            Some(said) = strangers.join_next() => {
                if let Ok(Ok(Some((stream, hello)))) = said
                    && equal_in_constant_time(hello.token.as_bytes(), token.as_bytes())
                {
                    // Small frames go out at once.
                    let _ = stream.set_nodelay(true);
                    return Ok((stream, hello));
                }
            }
        }
    }
}

async fn read_hello(mut stream: TcpStream) -> Option<(TcpStream, Hello)> {
    let frame = Frame::read(&mut stream, MAX_HELLO_BYTES, 0).await.ok()??;
    let hello = serde_json::from_slice(&frame.header).ok()?;
    Some((stream, hello))
}

/// Returns true if both are equal. Compares in constant time, so that timing does not reveal where the two differ.
/// The time depends on the length of `wanted` only.
fn equal_in_constant_time(given: &[u8], wanted: &[u8]) -> bool {
    let mut difference = given.len() ^ wanted.len();
    for (index, byte) in wanted.iter().enumerate() {
        difference |= usize::from(byte ^ given.get(index).unwrap_or(&0));
    }
    std::hint::black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    async fn send(port: u16, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream
    }

    #[tokio::test]
    async fn only_the_token_is_let_in_whoever_comes_before() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let hello = |token: &str| {
            let text = format!(r#"{{"op": "hello", "token": "{token}", "pid": 7, "sdk": 35}}"#);
            Frame::bytes(text.as_bytes(), &[]).unwrap()
        };
        let token = random_token().unwrap();
        let wrong = [
            Vec::new(),
            b"GET / HTTP/1.1\r\n\r\n".to_vec(),
            u32::MAX.to_be_bytes().repeat(2),
            Frame::bytes(b"[1", &[]).unwrap(),
            Frame::bytes(b"{}", &[]).unwrap(),
            hello(""),
            hello(&token[1..]),
            hello(&format!("{token}0")),
        ];
        let mut connected = Vec::new();
        for bytes in &wrong {
            connected.push(send(port, bytes).await);
        }
        connected.push(send(port, &hello(&token)).await);
        let (_, said) = wait(&listener, &token).await.unwrap();
        assert_eq!((said.pid, said.sdk), (7, 35));
        assert!(!format!("{said:?}").contains(&token));
    }
}
