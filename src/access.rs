//! Who may speak to the server over HTTP: the token, and the hosts and origins that are believed.

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};

/// Names under which a server on this machine is reached.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Who may speak to the server.
#[derive(Clone, Default)]
pub struct Access {
    token: Option<String>,
    hosts: Vec<String>,
}

/// Says that there is a token, never which.
impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access")
            .field("token", &self.token.is_some())
            .field("hosts", &self.hosts)
            .finish()
    }
}

/// Why a request is turned away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Nobody may reach this server under that name: DNS rebinding.
    Host,
    /// A web page of another site asks.
    Origin,
    /// No token, or the wrong one.
    Token,
}

impl Access {
    /// Whoever has the token, under a name of this machine's loopback interface.
    pub fn with_token(token: impl Into<String>) -> Self {
        Self {
            token: Some(token.into()),
            hosts: Vec::new(),
        }
    }

    /// Everybody on this machine, without a token. For servers that tests start; the program never does this.
    pub fn open() -> Self {
        Self::default()
    }

    /// Also under these names, each with or without a port.
    #[must_use]
    pub fn under(mut self, hosts: impl IntoIterator<Item = String>) -> Self {
        self.hosts.extend(hosts);
        self
    }

    /// Whether a request with these headers may pass.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or(""));
        if !text(HOST).is_some_and(|host| self.knows(host)) {
            return Err(Refusal::Host);
        }
        if let Some(origin) = text(ORIGIN)
            && !origin
                .split_once("://")
                .is_some_and(|(scheme, host)| scheme.starts_with("http") && self.knows(host))
        {
            return Err(Refusal::Origin);
        }
        let Some(token) = &self.token else {
            return Ok(());
        };
        let given = text(AUTHORIZATION)
            .and_then(|value| value.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map_or("", |(_, given)| given.trim());
        if same(given.as_bytes(), token.as_bytes()) {
            Ok(())
        } else {
            Err(Refusal::Token)
        }
    }

    fn knows(&self, authority: &str) -> bool {
        let name = without_port(authority);
        LOOPBACK
            .into_iter()
            .chain(self.hosts.iter().map(String::as_str))
            .any(|known| known.eq_ignore_ascii_case(name) || known.eq_ignore_ascii_case(authority))
    }
}

/// `localhost:8020` → `localhost`, `[::1]:8020` → `[::1]`.
fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => authority,
    }
}

/// Compares in a time that says nothing about where the two differ.
fn same(given: &[u8], wanted: &[u8]) -> bool {
    let mut difference = given.len() ^ wanted.len();
    for (index, byte) in wanted.iter().enumerate() {
        difference |= usize::from(byte ^ given.get(index).unwrap_or(&0));
    }
    std::hint::black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                (
                    axum::http::HeaderName::from_static(name),
                    value.parse().unwrap(),
                )
            })
            .collect()
    }

    fn checked(access: &Access, pairs: &[(&'static str, &str)]) -> Result<(), Refusal> {
        access.check(&headers(pairs))
    }

    #[test]
    fn only_the_whole_token_opens() {
        let access = Access::with_token("s3cret");
        for (given, wanted) in [
            ("Bearer s3cret", Ok(())),
            ("bearer s3cret", Ok(())),
            ("Bearer s3cre", Err(Refusal::Token)),
            ("Bearer s3crets", Err(Refusal::Token)),
            ("Bearer ", Err(Refusal::Token)),
            ("Basic s3cret", Err(Refusal::Token)),
            ("s3cret", Err(Refusal::Token)),
        ] {
            let pairs = [("host", "localhost:8020"), ("authorization", given)];
            assert_eq!(checked(&access, &pairs), wanted, "{given}");
        }
        assert_eq!(
            checked(&access, &[("host", "localhost")]),
            Err(Refusal::Token)
        );
    }

    #[test]
    fn other_hosts_are_refused() {
        let access = Access::open().under(["lab.example".to_owned(), "fe80::1".to_owned()]);
        for host in [
            "localhost",
            "127.0.0.1:80",
            "[::1]:8020",
            "LAB.example:9",
            "lab.example",
        ] {
            assert_eq!(checked(&access, &[("host", host)]), Ok(()), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil:80",
            "",
        ] {
            assert_eq!(
                checked(&access, &[("host", host)]),
                Err(Refusal::Host),
                "{host}"
            );
        }
        assert_eq!(checked(&access, &[]), Err(Refusal::Host));
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        let access = Access::open().under(["lab.example".to_owned()]);
        for (origin, wanted) in [
            ("http://localhost:6274", Ok(())),
            ("https://lab.example", Ok(())),
            ("http://evil.example", Err(Refusal::Origin)),
            ("http://localhost.evil.example", Err(Refusal::Origin)),
            ("file://localhost", Err(Refusal::Origin)),
            ("null", Err(Refusal::Origin)),
        ] {
            let pairs = [("host", "localhost"), ("origin", origin)];
            assert_eq!(checked(&access, &pairs), wanted, "{origin}");
        }
    }
}
