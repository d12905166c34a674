//! Client of an adb server: requests with a length of four hex digits, answered by `OKAY` or `FAIL`.
//!
//! It also starts the server if that is allowed, and translates the server's refusals.

use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use runner_text::secret::from_outside;

use super::ClientError;
use super::features::Features;
use super::listing::{ConnectedDevice, advice_for, parse_device};

/// Longest request that the protocol's four hex digits can announce.
const MAX_REQUEST_BYTES: usize = 0xffff;
/// Limit for a running server to answer. Chosen: it answers from memory; a longer limit only delays the error
/// for a foreign program on the port.
const ANSWER_LIMIT: Duration = Duration::from_secs(3);
/// Limit for `adb start-server`. Chosen: a start scans USB and may take several seconds on a loaded computer.
const START_LIMIT: Duration = Duration::from_secs(15);

/// Address of an adb server, and the program that may start it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdbServer {
    /// Host name or IP address.
    pub host: String,
    /// Port; adb's usual one is 5037.
    pub port: u16,
    /// Path of the `adb` program, which may be started if no server listens there and the host is loopback.
    pub program: Option<std::path::PathBuf>,
}

impl AdbServer {
    /// Formats host and port for errors, an IPv6 address in brackets.
    pub fn address(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// Lists the server's devices in its order, those that are not ready too; starts the server if that is
    /// allowed. Sets no limit of time. Lines that cannot be parsed are left out.
    pub async fn devices(&self) -> Result<Vec<ConnectedDevice>, ClientError> {
        let list = query(self, "host:devices-l", "").await?;
        Ok(list.lines().filter_map(parse_device).collect())
    }

    /// Returns the version of the server, such as 41; starts the server if that is allowed. Sets no limit of time.
    /// Fails with [`ClientError::Protocol`] if the version is not a number.
    pub async fn version(&self) -> Result<u32, ClientError> {
        let version = query(self, "host:version", "").await?;
        u32::from_str_radix(version.trim(), 16).map_err(|_| {
            ClientError::Protocol(format!("the server's version {version:?} is not a number"))
        })
    }

    /// Returns true if an adb server answers within three seconds; never starts it. Any error is false.
    pub async fn answers(&self) -> bool {
        let without_start = Self {
            program: None,
            ..self.clone()
        };
        matches!(
            tokio::time::timeout(ANSWER_LIMIT, without_start.version()).await,
            Ok(Ok(_))
        )
    }

    /// Returns true if the server is on this computer, where it holds the USB devices: by the host's name
    /// `localhost`, in any letter case, or a loopback address. Other names are not resolved.
    pub fn is_loopback(&self) -> bool {
        self.host.eq_ignore_ascii_case("localhost")
            || self
                .host
                .parse::<std::net::IpAddr>()
                .is_ok_and(|address| address.is_loopback())
    }
}

/// Opens `service` of the device `serial` on a connection of its own, and starts the server if that is allowed.
/// Sets no limit of time for the answers.
///
/// # Errors
/// Returns an error if the server cannot be reached, or refuses the device or the service.
pub(super) async fn open(
    server: &AdbServer,
    serial: &str,
    service: &str,
) -> Result<TcpStream, ClientError> {
    let mut socket = reach(server).await?;
    request(
        server,
        &mut socket,
        &format!("host:transport:{serial}"),
        serial,
    )
    .await?;
    request(server, &mut socket, service, serial).await?;
    Ok(socket)
}

/// Returns the features that both the server and the device have, as the server says now; starts the server if that is
/// allowed. Sets no limit of time.
pub(super) async fn features(server: &AdbServer, serial: &str) -> Result<Features, ClientError> {
    let list = query(server, &format!("host-serial:{serial}:features"), serial).await?;
    Ok(Features::parse(&list))
}

/// Sends a request to the server itself and reads its answer, one text. Starts the server if that is allowed.
/// `serial` names the device in errors.
async fn query(server: &AdbServer, what: &str, serial: &str) -> Result<String, ClientError> {
    let mut socket = reach(server).await?;
    request(server, &mut socket, what, serial).await?;
    read_text(&mut socket)
        .await
        .map_err(|cause| server_gone(server, &cause))
}

/// Sends one request and reads its `OKAY` or its refusal.
///
/// # Errors
/// Returns [`ClientError::Protocol`] for a request that is too long or another answer, the error that the
/// refusal means, and that of a server that is gone.
async fn request(
    server: &AdbServer,
    socket: &mut TcpStream,
    what: &str,
    serial: &str,
) -> Result<(), ClientError> {
    if what.len() > MAX_REQUEST_BYTES {
        return Err(ClientError::Protocol(format!(
            "a request of {} bytes is longer than the {MAX_REQUEST_BYTES} that an adb server takes",
            what.len()
        )));
    }
    let framed = format!("{:04x}{what}", what.len());
    socket
        .write_all(framed.as_bytes())
        .await
        .map_err(|cause| server_gone(server, &cause))?;
    let mut status = [0; 4];
    socket
        .read_exact(&mut status)
        .await
        .map_err(|cause| server_gone(server, &cause))?;
    match &status {
        b"OKAY" => Ok(()),
        b"FAIL" => {
            let reason = read_text(socket)
                .await
                .map_err(|cause| server_gone(server, &cause))?;
            Err(refusal(serial, what, &reason))
        }
        other => Err(ClientError::Protocol(format!(
            "{} answered {:?} where an adb server says OKAY or FAIL; is something else listening there?",
            server.address(),
            from_outside(other)
        ))),
    }
}

/// Reads a text after its length in four hexadecimal digits. Bytes that are not UTF-8 are replaced. Fails if
/// the length is not a number.
async fn read_text(socket: &mut TcpStream) -> io::Result<String> {
    let mut digits = [0; 4];
    socket.read_exact(&mut digits).await?;
    let length = std::str::from_utf8(&digits)
        .ok()
        .and_then(|digits| usize::from_str_radix(digits, 16).ok())
        .ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, "a length that is not a number")
        })?;
    // Four hex digits announce at most 64 KiB, so no peer can demand more memory.
    let mut text = vec![0; length];
    socket.read_exact(&mut text).await?;
    Ok(from_outside(&text).into_owned())
}

/// Builds the error of a server whose connection ended.
fn server_gone(server: &AdbServer, cause: &io::Error) -> ClientError {
    ClientError::NoServer {
        address: server.address(),
        cause: format!("the connection ended ({cause})"),
    }
}

/// Translates the reason behind a `FAIL` into an error: an unusable device with advice by its state, a missing one, an
/// ambiguous one, else a refused service. Of the request `what` the error has only the part before the first `:` or
/// `,`, as a script may follow.
fn refusal(serial: &str, what: &str, reason: &str) -> ClientError {
    let serial = serial.to_owned();
    let unusable = |state: &str, advice: &str| ClientError::Unusable {
        serial: serial.clone(),
        state: state.to_owned(),
        advice: advice.to_owned(),
    };
    // The serial is removed first, as a device may be named `offline`.
    let lower = reason
        .replace(&format!("'{serial}'"), "")
        .to_ascii_lowercase();
    if lower.contains("unauthorized") || lower.contains("authorizing") {
        unusable("unauthorized", advice_for("unauthorized"))
    } else if lower.contains("no permissions") || lower.contains("insufficient permissions") {
        unusable("no permissions", advice_for("no permissions"))
    } else if lower.contains("offline") {
        unusable("offline", advice_for("offline"))
    } else if lower.contains("still connecting") || lower.contains("connecting") {
        unusable("connecting", advice_for("connecting"))
    } else if lower.contains("not found") || lower.contains("no devices") {
        ClientError::NotFound { serial }
    } else if lower.contains("more than one device") {
        ClientError::Ambiguous(reason.to_owned())
    } else {
        // The rest of the service is a script, which may hold private text.
        let name = what.split([':', ',']).next().unwrap_or(what);
        ClientError::NoService(format!("the server refused `{name}`: {reason}"))
    }
}

/// Connects to the server. Starts it, and waits for that, if the connection is refused, the host is loopback and
/// the program is known. Sets no limit of time for the connection.
///
/// # Errors
/// Returns [`ClientError::NoServer`] with the cause.
async fn reach(server: &AdbServer) -> Result<TcpStream, ClientError> {
    let no_server = |cause: &dyn std::fmt::Display| ClientError::NoServer {
        address: server.address(),
        cause: cause.to_string(),
    };
    let cause = match dial(server).await {
        Ok(socket) => return Ok(socket),
        Err(cause) => cause,
    };
    // Starting a server helps only against a refused connection, not against a wrong name or a missing route.
    match &server.program {
        Some(program)
            if cause.kind() == io::ErrorKind::ConnectionRefused && server.is_loopback() =>
        {
            start(program, server.port)
                .await
                .map_err(|cause| no_server(&cause))?;
            dial(server).await.map_err(|cause| no_server(&cause))
        }
        _ => Err(no_server(&cause)),
    }
}

async fn dial(server: &AdbServer) -> io::Result<TcpStream> {
    let socket = TcpStream::connect((server.host.as_str(), server.port)).await?;
    socket.set_nodelay(true)?;
    Ok(socket)
}

#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error("`{program} start-server` failed ({status})")]
    Failed { program: String, status: ExitStatus },
    #[error("`{program}` could not be started: {source}")]
    NotStarted { program: String, source: io::Error },
    #[error("`{program} start-server` took longer than {START_LIMIT:?}")]
    Slow { program: String },
}

/// Runs `adb -P PORT start-server` and waits for its end, at most [`START_LIMIT`]. The server that it leaves behind
/// inherits none of this process's streams. A program that takes longer is killed. An exit code other than 0 is an
/// error.
async fn start(program: &Path, port: u16) -> Result<(), StartError> {
    let run = tokio::process::Command::new(program)
        .args(["-P", &port.to_string(), "start-server"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .status();
    let program = program.display().to_string();
    match tokio::time::timeout(START_LIMIT, run).await {
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => Err(StartError::Failed { program, status }),
        Ok(Err(source)) => Err(StartError::NotStarted { program, source }),
        Err(_) => Err(StartError::Slow { program }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_of_this_computer_is_known_by_its_host() {
        for (host, here) in [
            ("localhost", true),
            ("LocalHost", true),
            ("127.0.0.2", true),
            ("::1", true),
            ("localhost.example", false),
            ("192.168.1.2", false),
        ] {
            let server = AdbServer {
                host: host.to_owned(),
                port: 5037,
                program: None,
            };
            assert_eq!(server.is_loopback(), here, "{host}");
        }
    }

    #[test]
    fn a_serial_says_nothing_of_its_state() {
        for serial in ["offline-lab", "connecting", "unauthorized"] {
            let reason = format!("device '{serial}' not found");
            let refused = refusal(serial, "host:transport", &reason);
            assert!(matches!(refused, ClientError::NotFound { .. }), "{refused}");
            let refused = refusal(serial, "host:transport", "device offline");
            let ClientError::Unusable { state, .. } = refused else {
                panic!("{refused}");
            };
            assert_eq!(state, "offline");
        }
    }
}
