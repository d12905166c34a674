//! HTTP client for one server. Each request runs in a thread of its own, within limits of time and size.
//! Credentials go to that server only.

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::oneshot;
use ureq::http::{Method, Response, header};

use crate::WebDriverSpec;
use crate::error::WebDriverError;
use crate::wire::{self, Answer, RequestContext};
use runner_text::secret::Scrubber;

/// Limit for redirects that are followed. Chosen: a grid behind a proxy redirects once or twice; more is a
/// loop.
const MAX_REDIRECTS: usize = 3;
/// Time limit for a TCP and TLS connection. Chosen: a distant cloud connects in a second or two.
const CONNECT_LIMIT: Duration = Duration::from_secs(15);
/// Content type of requests. Selenium Grid accepts no other.
const CONTENT_TYPE: &str = "application/json; charset=utf-8";
/// Default limit for an answer, in bytes. Chosen: usual answers are kilobytes; screenshots and sources set
/// their own.
const DEFAULT_MAX_ANSWER_BYTES: u64 = 16 << 20;

#[derive(Debug, Clone)]
pub(crate) struct Request {
    method: Method,
    path: String,
    body: Option<String>,
    limit: Duration,
    max_bytes: u64,
    /// Name for errors and logs: method and path, unless [`Self::called`] gave another without ids.
    what: String,
}

impl Request {
    pub(crate) fn get(path: impl Into<String>, limit: Duration) -> Self {
        Self::new(Method::GET, path.into(), None, limit)
    }

    pub(crate) fn post(path: impl Into<String>, body: &Value, limit: Duration) -> Self {
        Self::new(Method::POST, path.into(), Some(body.to_string()), limit)
    }

    pub(crate) fn delete(path: impl Into<String>, limit: Duration) -> Self {
        Self::new(Method::DELETE, path.into(), None, limit)
    }

    /// Creates a request that is named by method and path, with the default limit of its answer.
    fn new(method: Method, path: String, body: Option<String>, limit: Duration) -> Self {
        let what = format!("{method} {path}");
        Self {
            method,
            path,
            body,
            limit,
            max_bytes: DEFAULT_MAX_ANSWER_BYTES,
            what,
        }
    }

    /// Sets the limit for the answer's body, in bytes.
    #[must_use]
    pub(crate) fn at_most(self, max_bytes: u64) -> Self {
        Self { max_bytes, ..self }
    }

    /// Sets the name for errors and logs.
    #[must_use]
    pub(crate) fn called(self, what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            ..self
        }
    }
}

/// Client of one server. Clones share its connections.
#[derive(Clone)]
pub(crate) struct Client(Arc<Inner>);

struct Inner {
    agent: ureq::Agent,
    url: String,
    display: String,
    authorization: Option<String>,
    secrets: Scrubber,
}

impl Client {
    /// Creates a client of the server, without a connection yet. It uses the environment's proxies, but none for a
    /// server on this computer. The secrets of `spec` are masked in errors.
    pub(crate) fn new(spec: &WebDriverSpec) -> Self {
        let mut config = ureq::Agent::config_builder();
        // The library uses the environment's proxies by default; none is used for this computer.
        if is_here(&spec.url) {
            config = config.proxy(None);
        }
        let agent: ureq::Agent = config
            .timeout_connect(Some(CONNECT_LIMIT))
            .timeout_resolve(Some(CONNECT_LIMIT))
            // Redirects are followed by this module, which knows who may get the credentials.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .user_agent(concat!("runner/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        let secrets = Scrubber::default();
        for secret in &spec.secrets {
            secrets.add(secret);
        }
        let credentials = spec.credentials.as_ref();
        let authorization = credentials.map(|it| format!("Basic {}", it.encoded()));
        Self(Arc::new(Inner {
            agent,
            url: spec.url.clone(),
            display: spec.display.clone(),
            authorization,
            secrets,
        }))
    }

    /// Returns the server's address for messages, without credentials.
    pub(crate) fn server(&self) -> &str {
        &self.0.display
    }

    /// Returns true if the server runs on this computer.
    pub(crate) fn is_here(&self) -> bool {
        is_here(&self.0.url)
    }

    /// Sends a request from a thread of its own and returns the `value` of the answer. If the call is
    /// dropped, the request goes on. Up to three redirects are followed, each within the request's limit anew.
    ///
    /// # Errors
    ///
    /// Returns [`WebDriverError::Silent`] if no answer comes in time, the server's error for a status other
    /// than 2xx or an error in the body, and others if it cannot be reached or answers otherwise.
    pub(crate) async fn send<T: DeserializeOwned + Send + 'static>(
        &self,
        request: Request,
    ) -> Result<T, WebDriverError> {
        let client = self.clone();
        let silent = WebDriverError::Silent {
            what: request.what.clone(),
            limit: request.limit,
        };
        let (notify, reported) = oneshot::channel();
        // A thread of the runtime's pool would delay the program's end.
        std::thread::spawn(move || {
            let _ = notify.send(client.send_blocking(&request));
        });
        reported.await.unwrap_or(Err(silent))
    }

    /// Same as [`Self::send`], but blocks this thread.
    pub(crate) fn send_blocking<T: DeserializeOwned>(
        &self,
        request: &Request,
    ) -> Result<T, WebDriverError> {
        let began = std::time::Instant::now();
        let answer = self.answer(request);
        let ms = began.elapsed().as_millis() as u64;
        let status = answer.as_ref().map_or(0, |answer| answer.status);
        let bytes = answer.as_ref().map_or(0, |answer| answer.body.len());
        tracing::debug!(target: "webdriver", what = ?request.what, status, bytes, ms, "asked");
        let requested = RequestContext {
            server: &self.0.display,
            what: &request.what,
            secrets: &self.0.secrets,
        };
        let value = wire::value(&answer?, &requested);
        if let Err(error) = &value {
            tracing::debug!(target: "webdriver", what = ?request.what, error = ?error.to_string(), "refused");
        }
        value
    }

    /// Sends the request and follows redirects, each with the same time limit anew; status 303 turns it into a GET.
    /// The answer may have any status but 3xx. Fails for a body over `max_bytes`, for more redirects than
    /// `MAX_REDIRECTS`, and for one that [`Self::redirect_target`] refuses.
    fn answer(&self, request: &Request) -> Result<Answer, WebDriverError> {
        let mut url = format!("{}{}", self.0.url, request.path);
        let mut method = request.method.clone();
        for _ in 0..=MAX_REDIRECTS {
            let mut response = self.send_once(&url, &method, request)?;
            let status = response.status().as_u16();
            if !(300..400).contains(&status) {
                let body = response
                    .body_mut()
                    .with_config()
                    .limit(request.max_bytes)
                    .read_to_vec()
                    .map_err(|error| self.failed(request, error))?;
                return Ok(Answer { status, body });
            }
            url = self.redirect_target(&url, &response)?;
            // The redirect leads to the answer of the completed request.
            if status == 303 {
                method = Method::GET;
            }
        }
        Err(WebDriverError::Redirect {
            server: self.0.display.clone(),
            to: "itself, again and again".to_owned(),
        })
    }

    /// Sends one request, with the credentials; a GET has no body. Any status is an answer, also a redirect.
    fn send_once(
        &self,
        url: &str,
        method: &Method,
        request: &Request,
    ) -> Result<Response<ureq::Body>, WebDriverError> {
        let mut builder = ureq::http::Request::builder()
            .method(method.clone())
            .uri(url)
            .header(header::CONTENT_TYPE, CONTENT_TYPE)
            .header(header::ACCEPT, "application/json");
        if let Some(authorization) = &self.0.authorization {
            builder = builder.header(header::AUTHORIZATION, authorization);
        }
        let limit = Some(request.limit);
        let sent = match &request.body {
            Some(body) if *method != Method::GET => builder
                .body(body.as_str())
                .map_err(ureq::Error::from)
                .and_then(|built| {
                    let agent = &self.0.agent;
                    agent.run(agent.configure_request(built).timeout_global(limit).build())
                }),
            _ => builder
                .body(())
                .map_err(ureq::Error::from)
                .and_then(|built| {
                    let agent = &self.0.agent;
                    agent.run(agent.configure_request(built).timeout_global(limit).build())
                }),
        };
        sent.map_err(|error| self.failed(request, error))
    }

    /// Returns the target of a redirect. It must be on the same host and port, except that http may lead to
    /// https on another port.
    ///
    /// # Errors
    ///
    /// Returns [`WebDriverError::Redirect`] for all others, and without a target.
    fn redirect_target(
        &self,
        from: &str,
        response: &Response<ureq::Body>,
    ) -> Result<String, WebDriverError> {
        let to = response.headers().get(header::LOCATION);
        let to = to.and_then(|to| to.to_str().ok()).unwrap_or_default();
        resolve_redirect(from, to).map_err(|OtherHost(host)| WebDriverError::Redirect {
            server: self.0.display.clone(),
            to: self.0.secrets.scrub(&host).into_owned(),
        })
    }

    /// Converts an error of the HTTP library. A limit that runs out is `Unreachable` before the connection, and
    /// `Silent` after it. A body over its limit is `TooLong`, a certificate or handshake that fails `Tls`. All other
    /// errors are `Unreachable` in the library's words, with secrets masked.
    fn failed(&self, request: &Request, error: ureq::Error) -> WebDriverError {
        let server = self.0.display.clone();
        let unreachable = |cause: &str| WebDriverError::Unreachable {
            server: server.clone(),
            cause: cause.to_owned(),
        };
        match error {
            ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => {
                unreachable("no connection came about in time")
            }
            ureq::Error::Timeout(_) => WebDriverError::Silent {
                what: request.what.clone(),
                limit: request.limit,
            },
            ureq::Error::BodyExceedsLimit(limit) => WebDriverError::TooLong {
                what: request.what.clone(),
                limit,
            },
            ureq::Error::HostNotFound => unreachable("there is no such host"),
            ureq::Error::Tls(_) | ureq::Error::Rustls(_) => WebDriverError::Tls {
                server,
                cause: error.to_string(),
            },
            ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                unreachable("nobody answers at this address")
            }
            ureq::Error::Io(error) if is_tls(&error) => WebDriverError::Tls {
                server,
                cause: error.to_string(),
            },
            error => {
                let words = error.to_string();
                unreachable(&self.0.secrets.scrub(words.trim_start_matches("io: ")))
            }
        }
    }
}

/// Returns true if the URL's host is this computer: `localhost` in any letter case, or a loopback address. Other names
/// are not resolved. False for a text that is no URL.
pub(crate) fn is_here(url: &str) -> bool {
    let uri: Option<ureq::http::Uri> = url.parse().ok();
    let host = uri.as_ref().and_then(|uri| uri.host()).unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// Recognizes TLS errors by their words: rustls reports them as I/O errors of the connection.
fn is_tls(error: &std::io::Error) -> bool {
    let words = error.to_string();
    ["certificate", "TLS", "HandshakeFailure", "corrupt message"]
        .iter()
        .any(|sign| words.contains(sign))
}

/// Error: a redirect leads to this other host.
#[derive(Debug, PartialEq, Eq)]
struct OtherHost(String);

/// Cuts the port from a host if it is the one that the scheme has without any: servers leave it out of redirects.
fn without_usual_port<'a>(scheme: &str, host: &'a str) -> &'a str {
    let port = match scheme {
        "http" => ":80",
        "https" => ":443",
        _ => return host,
    };
    host.strip_suffix(port).unwrap_or(host)
}

/// Resolves `to`, the target of a redirect, against the URL `from`. Takes absolute URLs, those without a
/// scheme (`//host/…`) and absolute paths.
///
/// # Errors
///
/// Returns the other host (without user and password) if it differs, if https would lead to http, and
/// `nowhere` for a relative path.
fn resolve_redirect(from: &str, to: &str) -> Result<String, OtherHost> {
    let (scheme, rest) = from.split_once("://").unwrap_or(("http", from));
    let host = rest.split('/').next().unwrap_or_default();
    if to.starts_with('/') && !to.starts_with("//") {
        return Ok(format!("{scheme}://{host}{to}"));
    }
    let absolute = if to.starts_with("//") {
        format!("{scheme}:{to}")
    } else {
        to.to_owned()
    };
    let Some((other_scheme, rest)) = absolute.split_once("://") else {
        return Err(OtherHost("nowhere".to_owned()));
    };
    let other = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let name = |host: &str| {
        host.rsplit_once(':')
            .map_or(host, |(name, _)| name)
            .to_owned()
    };
    let is_same = if scheme == other_scheme {
        without_usual_port(scheme, host).eq_ignore_ascii_case(without_usual_port(scheme, other))
    } else {
        // Servers redirect from http to https, where the port differs.
        scheme == "http" && other_scheme == "https" && name(host).eq_ignore_ascii_case(&name(other))
    };
    if is_same {
        Ok(absolute)
    } else {
        let display = other.rsplit_once('@').map_or(other, |(_, host)| host);
        Err(OtherHost(format!("{other_scheme}://{display}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_computer_is_known_by_its_names() {
        for (host, here) in [
            ("localhost", true),
            ("LocalHost", true),
            ("127.0.0.1", true),
            ("[::1]", true),
            ("localhost.example", false),
            ("127.example", false),
            ("10.127.0.1", false),
        ] {
            assert_eq!(
                is_here(&format!("http://{host}:4723/wd/hub")),
                here,
                "{host}"
            );
        }
        assert!(!is_here("") && !is_here("local host"));
    }

    #[test]
    fn only_the_same_host_gets_what_was_sent() {
        let ok = |from: &str, to: &str, at: &str| {
            assert_eq!(resolve_redirect(from, to), Ok(at.to_owned()));
        };
        ok(
            "http://a:1/session",
            "/wd/hub/session",
            "http://a:1/wd/hub/session",
        );
        ok("http://a:1/session", "http://a:1/x", "http://a:1/x");
        ok(
            "http://hub.example/x",
            "https://hub.example/x",
            "https://hub.example/x",
        );
        // The usual port may be named or not.
        for (scheme, port) in [("http", 80), ("https", 443)] {
            let (bare, full) = (format!("{scheme}://a/x"), format!("{scheme}://a:{port}/x"));
            ok(&bare, &full, &full);
            ok(&full, &bare, &bare);
        }
        for (from, to, host) in [
            ("http://a:1/x", "http://b:1/x", "http://b:1"),
            ("http://a:1/x", "http://a:2/x", "http://a:2"),
            ("http://a/x", "http://a:443/x", "http://a:443"),
            ("https://a:443/x", "https://a:80/x", "https://a:80"),
            ("https://a/x", "https://b:443/x", "https://b:443"),
            ("https://a/x", "http://a/x", "http://a"),
            ("https://a/x", "//b/x", "https://b"),
            ("https://a/x", "https://user:key@b/x", "https://b"),
            ("https://a/x", "https://a@b/x", "https://b"),
            ("https://a/x", "", "nowhere"),
            ("https://a/x", "https://a.b/x", "https://a.b"),
        ] {
            assert_eq!(
                resolve_redirect(from, to),
                Err(OtherHost(host.to_owned())),
                "{from} {to}"
            );
        }
    }
}
