//! Names of services in an `OPEN` packet, and their start.

use std::sync::Arc;

use super::link::Link;
use super::stream::{StreamClosedError, StreamReader, StreamWriter};
use super::{files, framebuffer, log, shell, socket};
use crate::ports::Address;
use crate::state::DeviceState;
use runner_adb::wire::shell::CLOCK;

/// A service of this device, with the parameters from its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Service {
    /// One command, or an interactive shell if `command` is empty.
    Shell {
        command: String,
        /// Output comes in frames of `shell,v2`.
        framed: bool,
        /// The command runs on a terminal.
        terminal: bool,
        /// The device's time is reported after the command has ended.
        clock: bool,
    },
    /// `sync:`.
    Files,
    /// Bytes to and from whoever listens at an address of the device.
    Connect(Address),
    /// A request of `reverse:`, without that prefix.
    Reverse(String),
    Framebuffer,
    /// Entries of one buffer of the log.
    Log(String),
    /// Processes that a debugger may attach to. The list is always empty.
    Debuggable {
        /// The stream stays open and reports changes.
        tracks: bool,
    },
    /// A service that only prints a sentence and ends.
    Refused(&'static str),
}

/// Services of a phone that this device refuses, with the sentence that adbd prints.
const REFUSED: [(&str, &str); 7] = [
    ("root:", "adbd cannot run as root in production builds\n"),
    ("unroot:", "adbd not running as root\n"),
    ("remount:", "Not running as root. Try \"adb root\" first.\n"),
    (
        "tcpip:",
        "this virtual device already listens on TCP; its port does not change\n",
    ),
    ("usb:", "this virtual device has no USB\n"),
    (
        "reboot:",
        "this virtual device does not reboot; stop it and start it again\n",
    ),
    ("disable-verity:", "this virtual device has no verity\n"),
];

/// Host names that mean the device itself in `tcp:PORT:HOST`, which older clients send.
const LOOPBACK: [&str; 4] = ["localhost", "127.0.0.1", "::1", "ip6-localhost"];

/// Parses a service's name with its options behind commas; unknown options of a shell are ignored. A shell has a
/// terminal with `pty` or without a command, but not with `raw`; `exec` has none. A service that Android has and this
/// device refuses gives [`Service::Refused`] with its text. Returns `None` for an unknown service or log, a malformed
/// port or port 0, and a host other than the device itself.
pub(super) fn parse(service: &str) -> Option<Service> {
    match service {
        "sync:" => return Some(Service::Files),
        "framebuffer:" => return Some(Service::Framebuffer),
        "jdwp" => return Some(Service::Debuggable { tracks: false }),
        "track-jdwp" => return Some(Service::Debuggable { tracks: true }),
        _ => {}
    }
    if let Some((_, text)) = REFUSED.iter().find(|(name, _)| service.starts_with(name)) {
        return Some(Service::Refused(text));
    }
    let (head, command) = service.split_once(':')?;
    let mut words = head.split(',');
    let name = words.next()?;
    let options: Vec<&str> = words.collect();
    let command = command.to_owned();
    match name {
        "exec" => Some(Service::Shell {
            command,
            framed: false,
            terminal: false,
            clock: false,
        }),
        "shell" => {
            let framed = options.contains(&"v2");
            // As in adbd: without an option, only a shell for a person has a terminal.
            let terminal = if options.contains(&"raw") {
                false
            } else {
                options.contains(&"pty") || command.is_empty()
            };
            Some(Service::Shell {
                command,
                framed,
                terminal,
                clock: framed && options.contains(&CLOCK),
            })
        }
        "tcp" if options.is_empty() => {
            // Today's form names the host first; it must be `localhost` (`socket_spec_connect`).
            let place = command.strip_prefix("localhost:").unwrap_or(&command);
            let (port, host) = place.split_once(':').unwrap_or((place, "localhost"));
            // The device has no network, so no other host can be reached.
            let port = port.parse().ok().filter(|port| *port > 0)?;
            LOOPBACK
                .contains(&host)
                .then_some(Service::Connect(Address::Tcp(port)))
        }
        "reverse" if options.is_empty() => Some(Service::Reverse(command)),
        "log" if log::BUFFERS.contains(&command.as_str()) => Some(Service::Log(command)),
        "localabstract" if options.is_empty() => Some(Service::Connect(Address::Abstract(command))),
        _ => None,
    }
}

/// A service with what its start made.
pub(super) enum StartedService {
    Service(Service),
    Connected(tokio::io::DuplexStream),
}

/// Connects to the address of a `Connect` service; any other service is returned as it is, and starts in [`run`].
/// Returns `None` if nothing listens at the address.
pub(super) fn open(service: Service, state: &DeviceState) -> Option<StartedService> {
    match service {
        Service::Connect(address) => state.ports.connect(&address).map(StartedService::Connected),
        other => Some(StartedService::Service(other)),
    }
}

/// Runs a service until it ends or the peer leaves. Errors of the stream are ignored.
pub(super) async fn run(
    opened: StartedService,
    state: Arc<DeviceState>,
    reader: StreamReader,
    writer: StreamWriter,
    link: Link,
) {
    let service = match opened {
        StartedService::Connected(stream) => {
            let _: Result<(), StreamClosedError> = socket::run(stream, reader, writer).await;
            return;
        }
        StartedService::Service(service) => service,
    };
    // A peer that leaves early is not an error.
    let _: Result<(), StreamClosedError> = match service {
        Service::Shell {
            command,
            framed,
            terminal,
            clock,
        } => {
            let session = shell::ShellService {
                state,
                framed,
                terminal,
                clock,
                drop_connection: link.dropped().clone(),
            };
            session.run(&command, reader, writer).await
        }
        Service::Files => files::run(state, reader, writer).await,
        Service::Framebuffer => framebuffer::run(state, writer).await,
        Service::Log(buffer) => log::run(state, &buffer, writer).await,
        Service::Reverse(request) => {
            let answer = state.reverses.answer(&request, &link, &state.ports);
            writer.write(&answer).await
        }
        Service::Debuggable { tracks } => debuggable(tracks, &writer).await,
        Service::Refused(text) => writer.write(text.as_bytes()).await,
        Service::Connect(_) => Ok(()),
    };
}

/// Sends the empty list of processes. Without `tracks` that is no byte at all; with it, it is the length
/// `0000`, and then the stream stays open forever.
async fn debuggable(tracks: bool, writer: &StreamWriter) -> Result<(), StreamClosedError> {
    if tracks {
        writer.write(b"0000").await?;
        std::future::pending::<()>().await;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_read_as_adb_writes_them() {
        let shell = |command: &str, framed, terminal| {
            Some(Service::Shell {
                command: command.to_owned(),
                framed,
                terminal,
                clock: false,
            })
        };
        for (text, service) in [
            ("shell:ls -l", shell("ls -l", false, false)),
            ("shell,v2,raw:a:b", shell("a:b", true, false)),
            (
                "shell,v2,TERM=xterm-256color,raw:id",
                shell("id", true, false),
            ),
            ("shell,v2,TERM=xterm,pty:", shell("", true, true)),
            ("shell:", shell("", false, true)),
            ("exec:screencap -p", shell("screencap -p", false, false)),
            ("sync:", Some(Service::Files)),
            ("framebuffer:", Some(Service::Framebuffer)),
            ("jdwp", Some(Service::Debuggable { tracks: false })),
            ("track-jdwp", Some(Service::Debuggable { tracks: true })),
            ("jdwp:123", None),
            (
                "reverse:forward:tcp:1;tcp:2",
                Some(Service::Reverse("forward:tcp:1;tcp:2".to_owned())),
            ),
            (
                "shell,v2,clock,raw:id",
                Some(Service::Shell {
                    command: "id".to_owned(),
                    framed: true,
                    terminal: false,
                    clock: true,
                }),
            ),
            ("log:main", Some(Service::Log("main".to_owned()))),
            ("log:nope", None),
            ("tcp:80", Some(Service::Connect(Address::Tcp(80)))),
            ("tcp:80:localhost", Some(Service::Connect(Address::Tcp(80)))),
            ("tcp:localhost:80", Some(Service::Connect(Address::Tcp(80)))),
            ("tcp:80:example.org", None),
            ("tcp:example.org:80", None),
            ("tcp:0", None),
            ("tcp:65536", None),
            ("tcp:x", None),
            (
                "localabstract:a:b",
                Some(Service::Connect(Address::Abstract("a:b".to_owned()))),
            ),
        ] {
            assert_eq!(parse(text), service, "{text}");
        }
    }
}
