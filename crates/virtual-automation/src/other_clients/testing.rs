//! HTTP client for the servers' tests.

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

pub(crate) struct Client {
    stream: DuplexStream,
    read: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

impl Client {
    pub(crate) fn new(stream: DuplexStream) -> Self {
        Self {
            stream,
            read: Vec::new(),
        }
    }

    /// Sends a request without waiting for the answer.
    pub(crate) async fn send(&mut self, method: &str, path: &str, body: &str) {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        self.write(head.as_bytes()).await;
        self.write(body.as_bytes()).await;
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        // A closed connection is noticed when the answer is read.
        let _ = self.stream.write_all(bytes).await;
    }

    /// Returns the next answer; `None` if the connection ends before it is complete. The body has the length
    /// that `Content-Length` says, 0 without one. An answer that is not HTTP panics.
    pub(crate) async fn receive(&mut self) -> Option<Reply> {
        let end = loop {
            if let Some(at) = self.read.windows(4).position(|part| part == b"\r\n\r\n") {
                break at + 4;
            }
            self.more().await?;
        };
        let head = String::from_utf8(self.read.drain(..end).collect()).unwrap();
        let status = head.split(' ').nth(1)?.parse().unwrap();
        let length = head
            .to_lowercase()
            .lines()
            .find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok())
            .unwrap_or(0);
        while self.read.len() < length {
            self.more().await?;
        }
        let body = self.read.drain(..length).collect();
        Some(Reply { status, head, body })
    }

    async fn more(&mut self) -> Option<()> {
        let mut bytes = vec![0; 256 * 1024];
        let count = self.stream.read(&mut bytes).await.ok()?;
        self.read.extend_from_slice(&bytes[..count]);
        (count > 0).then_some(())
    }

    pub(crate) async fn ask(&mut self, method: &str, path: &str, body: &str) -> Option<Reply> {
        self.send(method, path, body).await;
        self.receive().await
    }
}
