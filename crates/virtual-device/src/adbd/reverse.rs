//! The service `reverse:`: addresses on the device that are forwarded to the host, through the connection
//! that asked for them.
//!
//! They are addresses in [`crate::ports`], as those of apps are, and no sockets of this machine. So a port
//! that a server on the host uses is still free on the device, as on a phone.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::link::Link;
use crate::ports::{Accept, Address, Listener, Ports};

/// Chosen: tests forward a few ports; without a limit a host could use up the memory.
const MAX_REVERSES: usize = 256;
/// Longest name of an address, in bytes. Chosen: names of local sockets have at most 108.
const MAX_NAME_BYTES: usize = 1024;
/// Ports that `tcp:0` chooses from: Linux's default `ip_local_port_range`.
const FREE_PORTS: std::ops::RangeInclusive<u16> = 32768..=60999;

/// adbd's own port on TCP (`DEFAULT_ADB_LOCAL_TRANSPORT_PORT`).
const ADBD_PORT: u16 = 5555;

/// Addresses of a device that are forwarded to hosts.
#[derive(Default)]
pub(crate) struct Reverses {
    by_local: Mutex<BTreeMap<String, Reverse>>,
    connections: AtomicU32,
}

/// One forwarded address. Dropping it refuses further connections; open ones go on.
struct Reverse {
    route: Arc<Mutex<Route>>,
    _listener: Listener,
}

/// Host connection and target of a forwarded address.
struct Route {
    link: Link,
    /// Target on the host, such as `tcp:8081`.
    target: String,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reason why a request is refused, in adbd's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum ReverseError {
    #[error("not a reverse forwarding command")]
    Unknown,
    #[error("bad forward: {0}")]
    Forward(String),
    #[error("bad killforward: {0}")]
    Kill(String),
    #[error("cannot rebind existing socket")]
    Rebind,
    #[error("listener '{0}' not found")]
    NotFound(String),
    #[error("cannot bind listener: {0}")]
    Bind(String),
}

impl Reverses {
    /// Returns the number of a new connection, from 1 on.
    pub(super) fn next_connection(&self) -> u32 {
        self.connections.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Removes the addresses whose latest target was set by a connection that has ended.
    pub(super) fn end(&self, connection: u32) {
        lock(&self.by_local).retain(|_, reverse| lock(&reverse.route).link.number() != connection);
    }

    /// Returns the bytes that answer `request`, which is the service's name without `reverse:`. A list comes
    /// with its length but without `OKAY`. A change gives `OKAY`, with the port of a new TCP address, or
    /// `FAIL` and the reason.
    pub(super) fn answer(&self, request: &str, link: &Link, ports: &Ports) -> Vec<u8> {
        // On the host a list comes after an OKAY, on a device it comes alone.
        if request == "list-forward" {
            return framed(&self.list()).into_bytes();
        }
        match self.change(request, link, ports) {
            Ok(port) => {
                let port = port.map(|port| framed(&port.to_string()));
                format!("OKAY{}", port.unwrap_or_default()).into_bytes()
            }
            Err(error) => format!("FAIL{}", framed(&error.to_string())).into_bytes(),
        }
    }

    /// Lists the reverses of all connections, sorted by local address, a line each: `host-` and the number of the
    /// connection that set its target, its local address and its target.
    fn list(&self) -> String {
        let by_local = lock(&self.by_local);
        let lines = by_local.iter().map(|(local, reverse)| {
            let route = lock(&reverse.route);
            format!("host-{} {local} {}\n", route.link.number(), route.target)
        });
        lines.collect()
    }

    /// Handles `forward:`, `killforward:` and `killforward-all`, which removes the addresses of all connections. A
    /// known address gets the new target and connection, or an error with `norebind:`. Fails for targets that begin
    /// with `*`, malformed names, and `killforward:` of an unknown address. Returns the port of a newly added TCP
    /// address, and `None` after any other change.
    fn change(
        &self,
        request: &str,
        link: &Link,
        ports: &Ports,
    ) -> Result<Option<u16>, ReverseError> {
        if request == "killforward-all" {
            lock(&self.by_local).clear();
            return Ok(None);
        }
        if let Some(local) = request.strip_prefix("killforward:") {
            if local.is_empty() || local.contains(';') {
                return Err(ReverseError::Kill(local.to_owned()));
            }
            let gone = lock(&self.by_local).remove(local);
            return match gone {
                Some(_) => Ok(None),
                None => Err(ReverseError::NotFound(local.to_owned())),
            };
        }
        let words = request
            .strip_prefix("forward:")
            .ok_or(ReverseError::Unknown)?;
        let (words, keeps) = match words.strip_prefix("norebind:") {
            Some(words) => (words, true),
            None => (words, false),
        };
        let bad = || ReverseError::Forward(words.chars().take(MAX_NAME_BYTES).collect());
        let (local, target) = words.split_once(';').ok_or_else(bad)?;
        let named =
            |name: &str| !name.is_empty() && name.len() <= MAX_NAME_BYTES && !name.contains(';');
        // `*` is adb's own way to its server.
        if !named(local) || !named(target) || target.starts_with('*') {
            return Err(bad());
        }
        let route = Route {
            link: link.clone(),
            target: target.to_owned(),
        };
        self.forward(local, route, keeps, ports)
    }

    /// Adds a reverse, or gives a known address the new route; with `keeps` a known address is an error. Returns the
    /// port of a new TCP address, else `None`. A new TCP address is known as `tcp:PORT` from then on, however it was
    /// written. Fails beyond [`MAX_REVERSES`] and where [`listen`] does.
    fn forward(
        &self,
        local: &str,
        route: Route,
        keeps: bool,
        ports: &Ports,
    ) -> Result<Option<u16>, ReverseError> {
        let mut by_local = lock(&self.by_local);
        if let Some(known) = by_local.get(local) {
            if keeps {
                return Err(ReverseError::Rebind);
            }
            *lock(&known.route) = route;
            return Ok(None);
        }
        if by_local.len() >= MAX_REVERSES {
            return Err(ReverseError::Bind("Too many open files".to_owned()));
        }
        let route = Arc::new(Mutex::new(route));
        let (address, listening) = listen(local, &route, ports)?;
        let (name, port) = match address {
            Address::Tcp(port) => (format!("tcp:{port}"), Some(port)),
            Address::Abstract(_) => (local.to_owned(), None),
        };
        let reverse = Reverse {
            route,
            _listener: listening,
        };
        by_local.insert(name, reverse);
        Ok(port)
    }
}

/// Listens at the address named `local`: `tcp:PORT`, `tcp:localhost:PORT` or `localabstract:NAME`. `tcp:0`
/// takes the first free one of [`FREE_PORTS`]. Each connection goes to the target that `route` has at that
/// time. The error says if the name is malformed or the address in use.
fn listen(
    local: &str,
    route: &Arc<Mutex<Route>>,
    ports: &Ports,
) -> Result<(Address, Listener), ReverseError> {
    let accept: Accept = {
        let route = Arc::clone(route);
        Arc::new(move |socket| {
            let (link, target) = {
                let route = lock(&route);
                (route.link.clone(), route.target.clone())
            };
            tokio::spawn(link.carry_to_host(target, socket));
        })
    };
    let at = |address: Address| {
        let listening = ports.listen(address.clone(), Arc::clone(&accept))?;
        Ok::<_, crate::ports::AddressInUse>((address, listening))
    };
    let unknown = || ReverseError::Bind(format!("unknown socket specification:{local}"));
    let address = match local.split_once(':').ok_or_else(unknown)? {
        ("tcp", place) => Address::Tcp(tcp_port(place).map_err(ReverseError::Bind)?),
        ("localabstract", name) if !name.is_empty() => Address::Abstract(name.to_owned()),
        _ => return Err(unknown()),
    };
    if address == Address::Tcp(0) {
        let free = FREE_PORTS.map(Address::Tcp);
        let taken = free.into_iter().find_map(|address| at(address).ok());
        return taken.ok_or_else(|| ReverseError::Bind("Address already in use".to_owned()));
    }
    at(address).map_err(|error| ReverseError::Bind(error.to_string()))
}

/// Returns the port of `PORT`, `localhost:PORT` or `[::1]:PORT`. Port 0 is allowed only alone, and a name
/// without a port has adbd's own. The error has adbd's words (`parse_tcp_socket_spec`, `socket_spec_listen`,
/// `ParseNetAddress`).
fn tcp_port(place: &str) -> Result<u16, String> {
    if let Ok(port) = place.parse::<i32>() {
        return u16::try_from(port).map_err(|_| format!("bad port number '{port}'"));
    }
    let (host, port) = if let Some(rest) = place.strip_prefix('[') {
        let parts = rest.split_once("]:");
        let (host, port) = parts.ok_or_else(|| format!("bad IPv6 address '{place}'"))?;
        (host, Some(port))
    } else {
        match place.split_once(':') {
            Some((host, port)) if !port.contains(':') => (host, Some(port)),
            _ => (place, None),
        }
    };
    if host.is_empty() {
        return Err(format!("no host in '{place}'"));
    }
    let port = match port {
        None => ADBD_PORT,
        Some(port) => {
            let number = port.parse::<u16>().ok().filter(|port| *port > 0);
            number.ok_or_else(|| format!("bad port number '{port}' in '{place}'"))?
        }
    };
    if ["localhost", "::1"].contains(&host) {
        Ok(port)
    } else {
        Err("listening on specified hostname currently unsupported".to_owned())
    }
}

/// Formats a text behind its length in four hex digits. A longer text is cut at 65,535 bytes.
fn framed(text: &str) -> String {
    // A list too long for four digits is cut, since the length must be right.
    let mut end = text.len().min(0xFFFF);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{end:04x}{}", &text[..end])
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;
    use tokio_util::sync::CancellationToken;

    use super::*;

    /// Returns a connection whose packets nobody reads.
    fn link(reverses: &Reverses) -> Link {
        let (packets, _) = mpsc::channel(1);
        let number = reverses.next_connection();
        Link::new(number, packets, CancellationToken::new(), 4096)
    }

    #[test]
    fn requests_are_answered_as_adbd_answers() {
        let (reverses, ports) = (Reverses::default(), Ports::default());
        let (first, second) = (link(&reverses), link(&reverses));
        let _app = ports.listen(Address::Tcp(6790), Arc::new(drop)).unwrap();
        let long = "x".repeat(2000);
        let refusal = |text: &str| format!("FAIL{:04x}{text}", text.len());
        for (link, request, answer) in [
            (&first, "list-forward", "0000".to_owned()),
            (&first, "forward:tcp:0;tcp:1", "OKAY000532768".to_owned()),
            (&first, "forward:tcp:7000;tcp:1", "OKAY00047000".to_owned()),
            (&first, "forward:tcp:7000;tcp:2", "OKAY".to_owned()),
            (
                &first,
                "forward:norebind:tcp:7000;tcp:3",
                refusal("cannot rebind existing socket"),
            ),
            (
                &first,
                "forward:tcp:6790;tcp:1",
                refusal("cannot bind listener: Address already in use"),
            ),
            (
                &second,
                "forward:localabstract:a b;tcp:4",
                "OKAY".to_owned(),
            ),
            (
                &second,
                "list-forward",
                "004chost-2 localabstract:a b tcp:4\nhost-1 tcp:32768 tcp:1\nhost-1 tcp:7000 tcp:2\n"
                    .to_owned(),
            ),
            (&second, "killforward:tcp:32768", "OKAY".to_owned()),
            (
                &second,
                "killforward:tcp:32768",
                refusal("listener 'tcp:32768' not found"),
            ),
            (&first, "killforward:", refusal("bad killforward: ")),
            (&first, "forward:tcp:1", refusal("bad forward: tcp:1")),
            (&first, "forward:;tcp:1", refusal("bad forward: ;tcp:1")),
            (
                &first,
                "forward:tcp:1;*smartsocket*",
                refusal("bad forward: tcp:1;*smartsocket*"),
            ),
            (
                &first,
                "forward:tcp:70000;tcp:1",
                refusal("cannot bind listener: bad port number '70000'"),
            ),
            (
                &first,
                "forward:udp:1;tcp:1",
                refusal("cannot bind listener: unknown socket specification:udp:1"),
            ),
            (
                &first,
                "x",
                refusal("not a reverse forwarding command"),
            ),
        ] {
            let got = reverses.answer(request, link, &ports);
            assert_eq!(String::from_utf8(got).unwrap(), answer, "{request}");
        }
        let got = reverses.answer(&format!("forward:{long};tcp:1"), &first, &ports);
        assert!(got.starts_with(b"FAIL"));
        reverses.end(1);
        let rest = reverses.answer("list-forward", &second, &ports);
        assert_eq!(rest, b"001fhost-2 localabstract:a b tcp:4\n");
        assert_eq!(reverses.answer("killforward-all", &second, &ports), b"OKAY");
        assert_eq!(reverses.answer("list-forward", &second, &ports), b"0000");
    }

    #[test]
    fn ports_are_named_as_for_adbd() {
        let elsewhere = "listening on specified hostname currently unsupported";
        for (place, port) in [
            ("0", Ok(0)),
            ("7000", Ok(7000)),
            ("localhost:7000", Ok(7000)),
            ("[::1]:7000", Ok(7000)),
            ("localhost", Ok(5555)),
            ("-1", Err("bad port number '-1'")),
            ("localhost:0", Err("bad port number '0' in 'localhost:0'")),
            ("localhost:x", Err("bad port number 'x' in 'localhost:x'")),
            (":7000", Err("no host in ':7000'")),
            ("", Err("no host in ''")),
            ("[::1", Err("bad IPv6 address '[::1'")),
            ("127.0.0.1:7000", Err(elsewhere)),
            ("example.org:7000", Err(elsewhere)),
        ] {
            assert_eq!(tcp_port(place), port.map_err(str::to_owned), "{place}");
        }
    }

    #[test]
    fn a_port_of_localhost_is_listed_by_its_number() {
        let (reverses, ports) = (Reverses::default(), Ports::default());
        let link = link(&reverses);
        for (request, answer) in [
            ("forward:tcp:localhost:7000;tcp:1", "OKAY00047000"),
            ("list-forward", "0016host-1 tcp:7000 tcp:1\n"),
            ("killforward:tcp:7000", "OKAY"),
            ("list-forward", "0000"),
        ] {
            let got = reverses.answer(request, &link, &ports);
            assert_eq!(String::from_utf8(got).unwrap(), answer, "{request}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_request_is_answered(request in "(forward:|killforward:|list-forward)?(norebind:)?[a-z0-9:;*ü -]{0,40}") {
            let (reverses, ports) = (Reverses::default(), Ports::default());
            let link = link(&reverses);
            let answer = reverses.answer(&request, &link, &ports);
            let answer = String::from_utf8(answer).unwrap();
            proptest::prop_assert!(answer == "0000" || answer.starts_with("OKAY") || answer.starts_with("FAIL"));
        }
    }

    #[test]
    fn so_many_are_taken_and_no_more() {
        let (reverses, ports) = (Reverses::default(), Ports::default());
        let link = link(&reverses);
        for port in 1..=MAX_REVERSES {
            let request = format!("forward:tcp:{port};tcp:1");
            assert!(
                reverses
                    .answer(&request, &link, &ports)
                    .starts_with(b"OKAY")
            );
        }
        let refused = reverses.answer("forward:tcp:9999;tcp:1", &link, &ports);
        assert!(refused.starts_with(b"FAIL"));
    }
}
