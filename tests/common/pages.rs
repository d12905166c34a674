//! Server of the program's pages, reached over plain HTTP.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Project;
use super::browser::Running;

/// File in the project with what the server prints beside its address.
pub const NOTES: &str = "server.log";

/// Limit for anything a page does.
pub const LIMIT: Duration = Duration::from_mins(1);

/// Stream of a page's messages.
pub struct MessageStream(BufReader<TcpStream>);

impl MessageStream {
    /// Reads until a piece holds these words, and returns it.
    #[track_caller]
    pub fn wait_for(&mut self, words: &str) -> String {
        // The socket's read timeout never expires: the server sends a heartbeat every few seconds.
        let deadline = Instant::now() + LIMIT;
        let mut line = String::new();
        while !line.contains(words) {
            assert!(
                Instant::now() < deadline,
                "nothing said {words} within {LIMIT:?}"
            );
            line.clear();
            let read = self.0.read_line(&mut line).expect("news within the limit");
            assert!(read > 0, "the server hung up before {words}");
        }
        line
    }
}

/// Server in a project; killed on drop.
pub struct PageServer {
    pub running: Running,
    /// `http://127.0.0.1:PORT/?token=TOKEN`
    pub address: String,
}

impl PageServer {
    /// Starts a command that prints `NAME at ADDRESS`.
    pub fn started(mut command: Command, project: &Project, name: &str) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(project.path(NOTES)).expect("a file"))
            .spawn()
            .expect("runner starts");
        let mut line = String::new();
        let output = child.stdout.take().expect("its output");
        let running = Running(child);
        BufReader::new(output).read_line(&mut line).expect("a line");
        let address = line
            .trim()
            .strip_prefix(&format!("{name} at "))
            .expect("an address");
        Self {
            running,
            address: address.to_owned(),
        }
    }

    /// Returns the page's token.
    pub fn token(&self) -> &str {
        self.address.split_once("token=").expect("a token").1
    }

    /// Returns the server's host and port.
    pub fn host(&self) -> &str {
        let rest = self.address.strip_prefix("http://").expect("http");
        rest.split('/').next().expect("a host")
    }

    /// Sends raw bytes. Returns the status and the whole answer.
    pub fn raw(&self, request: &[u8]) -> (u16, String) {
        Self::answer(self.sent(request))
    }

    /// Sends raw bytes, and returns the connection.
    pub fn sent(&self, request: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(self.host()).expect("the server listens");
        stream.set_read_timeout(Some(LIMIT)).expect("a limit");
        // A server that answers before it read all may close meanwhile.
        let _ = stream.write_all(request);
        stream
    }

    /// Reads the status and the whole answer. Returns 0 and an empty text if the connection was closed.
    pub fn answer(mut stream: TcpStream) -> (u16, String) {
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.get(9..12).and_then(|code| code.parse().ok());
        (status.unwrap_or(0), answer)
    }

    /// Sends a request as the server's own page does.
    pub fn own(&self, line: &str, body: &str) -> (u16, String) {
        self.raw(&self.own_request(line, body))
    }

    /// Opens the message stream as the server's own page does.
    pub fn messages(&self) -> MessageStream {
        MessageStream(BufReader::new(
            self.sent(&self.own_request("GET /events", "")),
        ))
    }

    /// Returns the bytes of a request of the server's own page.
    pub fn own_request(&self, line: &str, body: &str) -> Vec<u8> {
        let bearer = format!("Bearer {}", self.token());
        let headers = [
            ("Host", self.host()),
            ("Authorization", &bearer),
            ("Content-Type", "application/json"),
        ];
        Self::request(line, &headers, body)
    }

    /// Sends a request with these headers and this body.
    pub fn ask(&self, line: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        self.raw(&Self::request(line, headers, body))
    }

    /// Returns the bytes of a request.
    pub fn request(line: &str, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
        let mut request = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        request.into_bytes()
    }
}
