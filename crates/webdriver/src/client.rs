//! HTTP to the server: one request in a thread of its own, with limits, and nothing for anybody else.

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

/// Most redirects that are followed.
const MOST_REDIRECTS: usize = 3;
/// How long a connection may take to stand.
const CONNECT_LIMIT: Duration = Duration::from_secs(15);
/// What every server takes; Selenium Grid takes nothing else.
const CONTENT_TYPE: &str = "application/json; charset=utf-8";
/// Longest answer where nothing else is said.
const USUAL_ANSWER: u64 = 16 << 20;

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    method: Method,
    path: String,
    body: Option<String>,
    limit: Duration,
    most: u64,
    /// What it is called in errors and logs: the path without ids.
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

    fn new(method: Method, path: String, body: Option<String>, limit: Duration) -> Self {
        let what = format!("{method} {path}");
        Self {
            method,
            path,
            body,
            limit,
            most: USUAL_ANSWER,
            what,
        }
    }

    /// Takes an answer of so many bytes.
    #[must_use]
    pub(crate) fn at_most(self, most: u64) -> Self {
        Self { most, ..self }
    }

    /// Is called so.
    #[must_use]
    pub(crate) fn called(self, what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            ..self
        }
    }
}

/// The way to one server.
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
    pub(crate) fn new(spec: &WebDriverSpec) -> Self {
        let mut config = ureq::Agent::config_builder();
        // Those of the environment are used by themselves; none of them leads to this computer.
        if is_here(&spec.url) {
            config = config.proxy(None);
        }
        let agent: ureq::Agent = config
            .timeout_connect(Some(CONNECT_LIMIT))
            .timeout_resolve(Some(CONNECT_LIMIT))
            // Followed here, where it is known to whom the credentials go.
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

    /// The server's address, for people.
    pub(crate) fn server(&self) -> &str {
        &self.0.display
    }

    /// Whether it is on this computer.
    pub(crate) fn is_here(&self) -> bool {
        is_here(&self.0.url)
    }

    /// The value that the server answers.
    pub(crate) async fn ask<T: DeserializeOwned + Send + 'static>(
        &self,
        request: Request,
    ) -> Result<T, WebDriverError> {
        let client = self.clone();
        let silent = WebDriverError::Silent {
            what: request.what.clone(),
            limit: request.limit,
        };
        let (notify, reported) = oneshot::channel();
        // Not of the runtime's pool: a program that ends waits for that.
        std::thread::spawn(move || {
            let _ = notify.send(client.ask_here(&request));
        });
        reported.await.unwrap_or(Err(silent))
    }

    /// The same, on this thread.
    pub(crate) fn ask_here<T: DeserializeOwned>(
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

    fn answer(&self, request: &Request) -> Result<Answer, WebDriverError> {
        let mut url = format!("{}{}", self.0.url, request.path);
        let mut method = request.method.clone();
        for _ in 0..=MOST_REDIRECTS {
            let mut response = self.send(&url, &method, request)?;
            let status = response.status().as_u16();
            if !(300..400).contains(&status) {
                let body = response
                    .body_mut()
                    .with_config()
                    .limit(request.most)
                    .read_to_vec()
                    .map_err(|error| self.failed(request, error))?;
                return Ok(Answer { status, body });
            }
            url = self.redirected(&url, &response)?;
            // The answer to what was done lies there.
            if status == 303 {
                method = Method::GET;
            }
        }
        Err(WebDriverError::Redirect {
            server: self.0.display.clone(),
            to: "itself, again and again".to_owned(),
        })
    }

    fn send(
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

    /// Where an answer points to: only at the same host, and never from https to http.
    fn redirected(
        &self,
        from: &str,
        response: &Response<ureq::Body>,
    ) -> Result<String, WebDriverError> {
        let to = response.headers().get(header::LOCATION);
        let to = to.and_then(|to| to.to_str().ok()).unwrap_or_default();
        followed(from, to).map_err(|OtherHost(host)| WebDriverError::Redirect {
            server: self.0.display.clone(),
            to: self.0.secrets.scrub(&host).into_owned(),
        })
    }

    /// What the library says holds no more of the URL than its host.
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

/// Whether an address is of this computer.
pub(crate) fn is_here(url: &str) -> bool {
    let uri: Option<ureq::http::Uri> = url.parse().ok();
    let host = uri.as_ref().and_then(|uri| uri.host()).unwrap_or_default();
    host == "localhost" || host == "[::1]" || host.starts_with("127.")
}

/// rustls reports its errors as errors of the connection.
fn is_tls(error: &std::io::Error) -> bool {
    let words = error.to_string();
    ["certificate", "TLS", "HandshakeFailure", "corrupt message"]
        .iter()
        .any(|sign| words.contains(sign))
}

/// The host that an answer points to, which is not the one that was asked.
#[derive(Debug, PartialEq, Eq)]
struct OtherHost(String);

/// The address that `to` means, seen from `from`.
fn followed(from: &str, to: &str) -> Result<String, OtherHost> {
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
        host.eq_ignore_ascii_case(other)
    } else {
        // Servers send their clients from http to https, where the port is another.
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
    fn only_the_same_host_gets_what_was_sent() {
        let ok = |from: &str, to: &str, at: &str| assert_eq!(followed(from, to), Ok(at.to_owned()));
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
        for (from, to, host) in [
            ("http://a:1/x", "http://b:1/x", "http://b:1"),
            ("http://a:1/x", "http://a:2/x", "http://a:2"),
            ("https://a/x", "http://a/x", "http://a"),
            ("https://a/x", "//b/x", "https://b"),
            ("https://a/x", "https://user:key@b/x", "https://b"),
            ("https://a/x", "https://a@b/x", "https://b"),
            ("https://a/x", "", "nowhere"),
            ("https://a/x", "https://a.b/x", "https://a.b"),
        ] {
            assert_eq!(
                followed(from, to),
                Err(OtherHost(host.to_owned())),
                "{from} {to}"
            );
        }
    }
}
