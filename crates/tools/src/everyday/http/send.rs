//! Sends requests, each in a thread of its own.

use std::io::Read as _;
use std::time::{Duration, Instant};

use http::{Method, Request, Response, Uri};
use ureq::Body;

use super::redirect::{harmless, is_same_server, resolve};
use super::{HttpAnswer, HttpRequest};
use crate::{Advice, Failure, FailureKind};
use runner_text::units::HumanDuration;

/// Limit for redirects that are followed. Chosen: APIs redirect once or twice; more is a loop.
const MAX_REDIRECTS: usize = 5;
/// Limit for an answer, in bytes. Chosen: test data is small, and it is held in memory and in reports.
const MAX_ANSWER_BYTES: u64 = 1 << 20;
/// Limit that is proposed for a server that did not answer. Chosen: slow servers answer within it; one that
/// takes twice as long hangs.
const LONGER: Duration = Duration::from_secs(30);

impl HttpRequest {
    /// Sends the request in the background. It ends with its timeout, even if nobody waits any more.
    pub(super) async fn answered(self) -> Result<HttpAnswer, Failure> {
        tokio::task::spawn_blocking(move || self.send())
            .await
            .unwrap_or_else(|_| Err(Failure::infrastructure("`http` was ended")))
    }

    /// Sends the request and blocks until the whole answer is read. The timeout covers all of it. Up to 5 redirects are
    /// followed, for GET and HEAD only; more are a failure. A body and headers that may hold a key go to the first server
    /// alone, also where a later redirect leads back to it. An answer of any status is no failure.
    pub fn send(&self) -> Result<HttpAnswer, Failure> {
        let end = Instant::now() + self.timeout;
        let mut uri = self.uri.clone();
        let mut is_first_server = true;
        for _ in 0..=MAX_REDIRECTS {
            let response = self.send_to(&uri, is_first_server, end)?;
            let Some(next) = self.redirect(&uri, &response)? else {
                return self.read(response);
            };
            is_first_server &= is_same_server(&uri, &next);
            uri = next;
        }
        let cause = format!("more than {MAX_REDIRECTS} redirects");
        Err(self.failed(FailureKind::Assertion, &cause))
    }

    /// Sends the request to this address, without following redirects, in the time left until `end`. A server that is
    /// not the first one gets no body and only headers that hold no key.
    fn send_to(
        &self,
        uri: &Uri,
        is_first_server: bool,
        end: Instant,
    ) -> Result<Response<Body>, Failure> {
        let left = end.saturating_duration_since(Instant::now());
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .timeout_global(Some(left))
            // Redirects are followed by this module, which checks each host first.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .user_agent(concat!("runner/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        let mut request = Request::builder().method(self.method.clone()).uri(uri);
        if let Some(headers) = request.headers_mut() {
            *headers = if is_first_server {
                self.headers.clone()
            } else {
                harmless(&self.headers)
            };
        }
        let unsent = |error: http::Error| self.failed(FailureKind::Usage, &error.to_string());
        let sent = match self.body.as_ref().filter(|_| is_first_server) {
            Some(body) => agent.run(request.body(body.clone()).map_err(unsent)?),
            None => agent.run(request.body(()).map_err(unsent)?),
        };
        sent.map_err(|error| self.unanswered(&error))
    }

    /// Returns the target of a redirect that is followed. `None` for another method or status, and if a status of
    /// redirects is expected: then the answer itself is the result.
    ///
    /// # Errors
    ///
    /// If the target is missing, is no URL of a server, leaves `https`, or its host is not listed.
    fn redirect(&self, from: &Uri, response: &Response<Body>) -> Result<Option<Uri>, Failure> {
        let reads = matches!(self.method, Method::GET | Method::HEAD);
        let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
        if !reads || !is_redirect || !self.follows_redirects {
            return Ok(None);
        }
        let location = response.headers().get(http::header::LOCATION);
        let Some(to) = location.and_then(|to| resolve(from, to.as_bytes())) else {
            return Err(self.failed(FailureKind::Assertion, "it is redirected to no URL"));
        };
        // A header may hold a key, so it must not leave an encrypted connection.
        if from.scheme_str() == Some("https") && to.scheme_str() != Some("https") {
            let cause = "it is redirected from https:// to another scheme";
            return Err(self.failed(FailureKind::Assertion, cause));
        }
        self.check_host(&to)?;
        Ok(Some(to))
    }

    /// Reads the whole answer as text, with bytes that are no UTF-8 replaced. More than 1 MB is a failure.
    fn read(&self, mut response: Response<Body>) -> Result<HttpAnswer, Failure> {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let mut bytes = Vec::new();
        let mut reader = response.body_mut().as_reader().take(MAX_ANSWER_BYTES + 1);
        reader
            .read_to_end(&mut bytes)
            .map_err(|error| self.unanswered(&ureq::Error::from(error)))?;
        if bytes.len() as u64 > MAX_ANSWER_BYTES {
            let cause = "the answer is larger than 1 MB, the most that `http` takes";
            return Err(self.failed(FailureKind::Assertion, cause));
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(HttpAnswer {
            status,
            text,
            headers,
        })
    }

    /// Builds the failure of a request without an answer. A timeout has the kind `Timeout` and the advice of more time;
    /// all else is a failed assertion, as the server is the flow's.
    fn unanswered(&self, error: &ureq::Error) -> Failure {
        match error {
            ureq::Error::Timeout(_) => {
                let cause = format!("no answer within {}", HumanDuration(self.timeout));
                let failure = self.failed(FailureKind::Timeout, &cause);
                failure.with_advice([Advice::MoreTime(LONGER)])
            }
            ureq::Error::HostNotFound => {
                self.failed(FailureKind::Assertion, "there is no such host")
            }
            error => {
                let words = error.to_string();
                self.failed(FailureKind::Assertion, words.trim_start_matches("io: "))
            }
        }
    }
}
