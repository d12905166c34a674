//! A server of the program's pages, spoken to over plain HTTP.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Project;
use super::browser::Running;

/// What the server prints beside its address, in the project.
pub const NOTES: &str = "server.log";

/// How long anything may take.
pub const LIMIT: Duration = Duration::from_mins(1);

/// The messages of a page, as they come.
pub struct MessageStream(BufReader<TcpStream>);

impl MessageStream {
    /// Reads until one piece holds these words; gives it.
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

/// The server in a project; ended when dropped.
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

    /// What opens it.
    pub fn token(&self) -> &str {
        self.address.split_once("token=").expect("a token").1
    }

    /// Where it listens.
    pub fn host(&self) -> &str {
        let rest = self.address.strip_prefix("http://").expect("http");
        rest.split('/').next().expect("a host")
    }

    /// Sends bytes as they are; the status and the whole answer.
    pub fn raw(&self, request: &[u8]) -> (u16, String) {
        Self::answer(self.sent(request))
    }

    /// The connection that these bytes were sent on.
    pub fn sent(&self, request: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(self.host()).expect("the server listens");
        stream.set_read_timeout(Some(LIMIT)).expect("a limit");
        // A server that answers before it read all may close meanwhile.
        let _ = stream.write_all(request);
        stream
    }

    /// The status and the whole of what comes; 0 and nothing where the connection was closed.
    pub fn answer(mut stream: TcpStream) -> (u16, String) {
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.get(9..12).and_then(|code| code.parse().ok());
        (status.unwrap_or(0), answer)
    }

    /// A request of its own page.
    pub fn own(&self, line: &str, body: &str) -> (u16, String) {
        self.raw(&self.own_request(line, body))
    }

    /// The messages of its own page from now on.
    pub fn messages(&self) -> MessageStream {
        MessageStream(BufReader::new(
            self.sent(&self.own_request("GET /events", "")),
        ))
    }

    /// The bytes of a request of its own page.
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

    /// The bytes of a request.
    pub fn request(line: &str, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
        let mut request = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        request.into_bytes()
    }
}
