//! Small HTTP for servers of tests: only whole messages with a length.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// Limit for a connection. Only a new session on a loaded machine comes near it.
const LIMIT: Duration = Duration::from_mins(3);

/// A request or an answer.
#[derive(Debug, Clone, Default)]
pub struct Message {
    /// First line: `GET /path HTTP/1.1`, `HTTP/1.1 200 OK`.
    pub first: String,
    /// Headers with their names in small letters.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Message {
    /// Reads a message; `None` if the other end sends no more.
    pub fn read(stream: &mut impl Read) -> Option<Self> {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            if stream.read(&mut byte).ok()? == 0 {
                return None;
            }
            head.push(byte[0]);
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        let mut lines = head.trim_end().split("\r\n");
        let first = lines.next()?.to_owned();
        let headers = lines.filter_map(|line| line.split_once(':'));
        let headers: Vec<_> = headers
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let mut message = Self {
            first,
            headers,
            body: Vec::new(),
        };
        let length = message
            .header("content-length")
            .and_then(|it| it.parse().ok());
        match length {
            Some(length) => {
                message.body = vec![0; length];
                stream.read_exact(&mut message.body).ok()?;
            }
            None if message.first.starts_with("HTTP/") => {
                stream.read_to_end(&mut message.body).ok()?;
            }
            None => {}
        }
        Some(message)
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name)?;
        Some(&found.1)
    }

    /// Returns the method and the path of a request.
    pub fn target(&self) -> (&str, &str) {
        let mut words = self.first.split(' ');
        (words.next().unwrap_or(""), words.next().unwrap_or(""))
    }

    /// Returns the status of an answer.
    pub fn status(&self) -> u16 {
        let word = self.first.split(' ').nth(1);
        word.and_then(|word| word.parse().ok()).unwrap_or(0)
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// Sends a request to a port of this machine. It is HTTP/1.0, so that the answer has a length or an end.
pub fn send(port: u16, method: &str, path: &str, body: &[u8]) -> std::io::Result<Message> {
    send_within(LIMIT, port, method, path, body)
}

fn send_within(
    limit: Duration,
    port: u16,
    method: &str,
    path: &str,
    body: &[u8],
) -> std::io::Result<Message> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(limit))?;
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    Message::read(&mut stream).ok_or_else(|| std::io::ErrorKind::UnexpectedEof.into())
}

/// Returns the JSON at a path.
pub fn get(port: u16, path: &str) -> std::io::Result<Value> {
    send(port, "GET", path, b"").map(|answer| answer.json())
}

/// Deletes a path. It may be gone already.
pub fn delete(port: u16, path: &str) {
    // A Grid whose session is used meanwhile may delete it and leave the connection open.
    let _ = send_within(Duration::from_secs(10), port, "DELETE", path, b"");
}
