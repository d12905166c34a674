//! Checks HTTP requests: the token, and the values of `Host` and `Origin`.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, COOKIE, HOST, ORIGIN};

/// Names of the loopback interface in `Host` and `Origin`.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Time in which the code of [`Access::with_code`] must be used. Chosen: a browser may start slowly, but
/// nobody should find an old code in a list of processes and use it.
const CODE_LIFETIME: Duration = Duration::from_mins(1);

/// Rules for requests to a server.
#[derive(Clone, Default)]
pub struct Access {
    token: Option<String>,
    /// One-time code. Shared by all clones, so that only the first use succeeds.
    code: Arc<Mutex<Option<Code>>>,
    hosts: Vec<String>,
    /// Set for a server of pages: only pages of its own port may send requests, and the cookie counts as the
    /// token.
    page: Option<Page>,
}

/// One-time replacement for the token.
struct Code {
    code: String,
    until: Instant,
}

/// Port and cookie of a server of pages.
#[derive(Clone)]
struct Page {
    port: u16,
    cookie: String,
}

impl std::fmt::Debug for Access {
    /// Formats the hosts, and true if there is a token. Token, code and port are never written.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access")
            .field("token", &self.token.is_some())
            .field("hosts", &self.hosts)
            .finish_non_exhaustive()
    }
}

/// Reason for a refused request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessError {
    /// `Host` is no name of this server, as in DNS rebinding.
    Host,
    /// `Origin` is a page of another site.
    Origin,
    /// The token is missing or wrong.
    Token,
}

impl Access {
    /// Creates an access that requires the token in `Authorization`, and a name of the loopback interface with any
    /// port in `Host`, and in `Origin` if there is one. There is no code and no cookie. An empty token lets requests
    /// without one pass.
    pub fn with_token(token: impl Into<String>) -> Self {
        Self {
            token: Some(token.into()),
            ..Self::default()
        }
    }

    /// Accepts only hosts and origins with this port: other ports of this machine are other sites. For port 80 the
    /// port may be missing. Requests may send the token as a cookie too, see [`Access::cookie`].
    #[must_use]
    pub fn for_pages_at(mut self, port: u16) -> Self {
        // Cookies are shared by all ports of a host: the name keeps servers apart.
        let cookie = format!("runner_{port}");
        self.page = Some(Page { port, cookie });
        self
    }

    /// Returns the `Set-Cookie` value, with the token, for the cookie that [`Access::check`] accepts. The cookie is
    /// named by the port and lasts as long as the browser runs. `None` if there is no token or no port was set.
    pub fn cookie(&self) -> Option<String> {
        let (page, token) = (self.page.as_ref()?, self.token.as_ref()?);
        let name = &page.cookie;
        // Not `Secure`: the page comes by plain HTTP from this machine.
        Some(format!("{name}={token}; Path=/; HttpOnly; SameSite=Strict"))
    }

    /// Compares with the token in constant time. Returns true if this access needs no token.
    pub fn verify_token(&self, given: &str) -> bool {
        self.token
            .as_ref()
            .is_none_or(|token| is_same(given.as_bytes(), token.as_bytes()))
    }

    /// Adds a code that replaces the token once, within a minute: for places that others can see, such as a
    /// command line.
    #[must_use]
    pub fn with_code(self, code: impl Into<String>) -> Self {
        self.with_code_until(code.into(), Instant::now() + CODE_LIFETIME)
    }

    fn with_code_until(mut self, code: String, until: Instant) -> Self {
        self.code = Arc::new(Mutex::new(Some(Code { code, until })));
        self
    }

    /// Compares with the code that replaces the token once. If it is right and in time, uses it up for all clones and
    /// returns true. A wrong guess does not use it up. Returns false if there is no code, or it was used or is too
    /// old.
    pub fn consume_code(&self, given: &str) -> bool {
        let mut stored = self.code.lock().unwrap_or_else(PoisonError::into_inner);
        let is_valid = stored.as_ref().is_some_and(|stored| {
            is_same(given.as_bytes(), stored.code.as_bytes()) && Instant::now() < stored.until
        });
        // A wrong guess does not use up the code, or anybody could keep the browser out.
        if is_valid {
            *stored = None;
        }
        is_valid
    }

    /// Requires no token, only a loopback name in `Host`. For servers in tests; the program never uses it.
    pub fn open() -> Self {
        Self::default()
    }

    /// Accepts these host names too, with any port or none; for pages only with their port.
    #[must_use]
    pub fn under(mut self, hosts: impl IntoIterator<Item = String>) -> Self {
        self.hosts.extend(hosts);
        self
    }

    /// Checks the host, the origin and the token of a request, in this order, and returns the first error. A request
    /// without a host is refused, one without an origin is not. The token is the bearer token, or else, for a server
    /// of pages, the cookie: a wrong bearer token is refused even with a right cookie. A one-time code is no token.
    /// Without a token of its own, this access lets every request with a good host and origin pass.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), AccessError> {
        self.check_source(headers)?;
        let bearer = text(headers, AUTHORIZATION)
            .and_then(|value| value.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map(|(_, given)| given.trim());
        let given = bearer.or_else(|| self.sent_cookie(headers));
        if self.verify_token(given.unwrap_or("")) {
            Ok(())
        } else {
            Err(AccessError::Token)
        }
    }

    /// Checks the host and then the origin of a request, not its token. A request without a host is refused, one
    /// without an origin is not. An origin must be `http` or `https`, at one of the hosts that `Host` may name;
    /// `null` is refused.
    pub fn check_source(&self, headers: &HeaderMap) -> Result<(), AccessError> {
        if !text(headers, HOST).is_some_and(|host| self.knows(host)) {
            return Err(AccessError::Host);
        }
        if let Some(origin) = text(headers, ORIGIN)
            && !origin
                .split_once("://")
                // Browsers also send `null`, for files and frames without an origin of their own.
                .is_some_and(|(scheme, host)| scheme.starts_with("http") && self.knows(host))
        {
            return Err(AccessError::Origin);
        }
        Ok(())
    }

    /// Returns the value of the first cookie with the name of this server. `None` if there is none or this is no
    /// server of pages.
    fn sent_cookie<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let page = self.page.as_ref()?;
        text(headers, COOKIE)?
            .split(';')
            .filter_map(|cookie| cookie.trim().split_once('='))
            .find_map(|(name, value)| (name == page.cookie).then_some(value))
    }

    /// Returns true if a host, with or without a port, is a loopback name or one of `hosts`; case does not matter. A
    /// server of pages also requires its own port, which only for port 80 may be missing.
    fn knows(&self, authority: &str) -> bool {
        let name = without_port(authority);
        if let Some(page) = &self.page
            && authority.strip_prefix(name) != Some(&format!(":{}", page.port))
            // Browsers leave out the port that http:// means anyway.
            && (page.port != 80 || authority != name)
        {
            return false;
        }
        LOOPBACK
            .into_iter()
            .chain(self.hosts.iter().map(String::as_str))
            .any(|known| known.eq_ignore_ascii_case(name) || known.eq_ignore_ascii_case(authority))
    }
}

fn text(headers: &HeaderMap, name: axum::http::HeaderName) -> Option<&str> {
    // A header that is not text must not count as missing, least of all `Origin`.
    headers.get(name).map(|value| value.to_str().unwrap_or(""))
}

/// Returns 32 random bytes as 64 hexadecimal digits.
///
/// # Errors
/// Returns the system's error if it has no random bytes.
pub fn random_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Removes the last `:` and the digits after it: `localhost:8020` becomes `localhost`, `[::1]:8020` becomes `[::1]`.
/// Returns text without a port as it is. An IPv6 address without brackets may lose its end.
fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => authority,
    }
}

/// Returns true if both are equal. Takes a time that depends only on the length of `wanted`, so that it does not tell
/// where the two differ.
fn is_same(given: &[u8], wanted: &[u8]) -> bool {
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

    fn checked(access: &Access, pairs: &[(&'static str, &str)]) -> Result<(), AccessError> {
        access.check(&headers(pairs))
    }

    #[test]
    fn only_the_whole_token_opens() {
        let access = Access::with_token("s3cret");
        for (given, wanted) in [
            ("Bearer s3cret", Ok(())),
            ("bearer s3cret", Ok(())),
            ("Bearer s3cre", Err(AccessError::Token)),
            ("Bearer s3crets", Err(AccessError::Token)),
            ("Bearer ", Err(AccessError::Token)),
            ("Basic s3cret", Err(AccessError::Token)),
            ("s3cret", Err(AccessError::Token)),
        ] {
            let pairs = [("host", "localhost:8020"), ("authorization", given)];
            assert_eq!(checked(&access, &pairs), wanted, "{given}");
        }
        assert_eq!(
            checked(&access, &[("host", "localhost")]),
            Err(AccessError::Token)
        );
    }

    #[test]
    fn a_code_opens_once_and_not_for_long() {
        let access = Access::with_token("s3cret").with_code("c0de");
        let other = access.clone();
        for (given, wanted) in [("", false), ("c0d", false), ("c0de", true), ("c0de", false)] {
            assert_eq!(other.consume_code(given), wanted, "{given}");
        }
        assert!(!access.consume_code("c0de"));
        let late = Access::with_token("s3cret").with_code_until("c0de".to_owned(), Instant::now());
        assert!(!late.consume_code("c0de"));
        assert!(!Access::with_token("s3cret").consume_code(""));
        // It is not a token.
        let pairs = [("host", "localhost"), ("authorization", "Bearer c0de")];
        let access = Access::with_token("s3cret").with_code("c0de");
        assert_eq!(checked(&access, &pairs), Err(AccessError::Token));
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
                Err(AccessError::Host),
                "{host}"
            );
        }
        assert_eq!(checked(&access, &[]), Err(AccessError::Host));
    }

    #[test]
    fn browsers_leave_out_the_port_that_http_means() {
        let access = Access::with_token("s3cret").for_pages_at(80);
        for (host, wanted) in [
            ("localhost", Ok(())),
            ("localhost:80", Ok(())),
            ("localhost:8020", Err(AccessError::Host)),
        ] {
            let pairs = [("host", host), ("cookie", "runner_80=s3cret")];
            assert_eq!(checked(&access, &pairs), wanted, "{host}");
        }
        let pairs = [
            ("host", "localhost"),
            ("origin", "http://localhost"),
            ("cookie", "runner_80=s3cret"),
        ];
        assert_eq!(checked(&access, &pairs), Ok(()));
    }

    #[test]
    fn a_server_for_pages_takes_its_own_cookie_and_its_own_pages() {
        let access = Access::with_token("s3cret").for_pages_at(8020);
        let cookie = access.cookie().unwrap();
        assert!(cookie.starts_with("runner_8020=s3cret;"), "{cookie}");
        for (host, origin, cookie, wanted) in [
            ("127.0.0.1:8020", "", "runner_8020=s3cret", Ok(())),
            (
                "localhost:8020",
                "http://localhost:8020",
                "a=b; runner_8020=s3cret",
                Ok(()),
            ),
            (
                "localhost:8020",
                "http://localhost:3000",
                "runner_8020=s3cret",
                Err(AccessError::Origin),
            ),
            (
                "localhost:8020",
                "http://localhost",
                "runner_8020=s3cret",
                Err(AccessError::Origin),
            ),
            (
                "localhost:80",
                "",
                "runner_8020=s3cret",
                Err(AccessError::Host),
            ),
            (
                "localhost",
                "",
                "runner_8020=s3cret",
                Err(AccessError::Host),
            ),
            (
                "localhost:8020",
                "",
                "runner_8021=s3cret",
                Err(AccessError::Token),
            ),
            (
                "localhost:8020",
                "",
                "runner_8020=s3cre",
                Err(AccessError::Token),
            ),
            ("localhost:8020", "", "", Err(AccessError::Token)),
        ] {
            let mut pairs = vec![("host", host), ("cookie", cookie)];
            if !origin.is_empty() {
                pairs.push(("origin", origin));
            }
            assert_eq!(checked(&access, &pairs), wanted, "{pairs:?}");
        }
        // Elsewhere a cookie opens nothing.
        let access = Access::with_token("s3cret");
        let pairs = [("host", "localhost:8020"), ("cookie", "runner_8020=s3cret")];
        assert_eq!(checked(&access, &pairs), Err(AccessError::Token));
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        let access = Access::open().under(["lab.example".to_owned()]);
        for (origin, wanted) in [
            ("http://localhost:6274", Ok(())),
            ("https://lab.example", Ok(())),
            ("http://evil.example", Err(AccessError::Origin)),
            ("http://localhost.evil.example", Err(AccessError::Origin)),
            ("file://localhost", Err(AccessError::Origin)),
            ("null", Err(AccessError::Origin)),
        ] {
            let pairs = [("host", "localhost"), ("origin", origin)];
            assert_eq!(checked(&access, &pairs), wanted, "{origin}");
        }
    }
}
