//! Step `http`: a request from this computer to a test server, for test data.

mod hosts;
#[cfg(any(feature = "download", feature = "maestro"))]
mod redirect;
#[cfg(any(feature = "download", feature = "maestro"))]
mod send;
mod url;

use std::collections::BTreeMap;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

pub use hosts::{allowing_setting, unlisted_host};

use crate::android::without_credentials;
use crate::arguments::Arguments;
use crate::{Call, Effect, Failure, FailureKind, Outcome, StepSyntax, StepValue, Tool, Words};
use hosts::is_listed;
use runner_engine::Session;
use runner_text::secret::Excerpt;
use url::read_uri;

/// Limit for a request's headers. Chosen: servers refuse about a hundred.
const MAX_HEADERS: usize = 50;
/// Limit for an unexpected answer shown in a failure, in characters. Chosen: enough for an API's error
/// message.
const MAX_DISPLAYED_CHARS: usize = 300;

/// Message for a request with two bodies.
const TWO_BODIES: &str = "`http` takes `json` or `body`, not both";

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum HttpMethod {
    /// Reads.
    Get,
    /// Reads the status and the headers only.
    Head,
    /// Makes.
    Post,
    /// Replaces.
    Put,
    /// Changes.
    Patch,
    /// Removes.
    Delete,
}

impl HttpMethod {
    fn takes_body(self) -> bool {
        matches!(self, Self::Post | Self::Put | Self::Patch)
    }

    fn method(self) -> Method {
        match self {
            Self::Get => Method::GET,
            Self::Head => Method::HEAD,
            Self::Post => Method::POST,
            Self::Put => Method::PUT,
            Self::Patch => Method::PATCH,
            Self::Delete => Method::DELETE,
        }
    }
}

/// Arguments of `http`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpArgs {
    /// URL, on a host that `http: { hosts: […] }` in runner.yaml names.
    #[schemars(length(min = 1))]
    pub url: String,
    /// Method: GET, or POST where there is a body.
    #[serde(default)]
    pub method: Option<HttpMethod>,
    /// Headers of the request.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Body, sent as JSON.
    #[serde(default)]
    #[schemars(extend("type" = ["object", "array", "string", "number", "boolean"]))]
    pub json: Option<Value>,
    /// Body, sent as it is.
    #[serde(default)]
    pub body: Option<String>,
    /// Status that is expected; any from 200 to 299 by default.
    #[serde(default)]
    #[schemars(range(min = 100, max = 599))]
    pub status: Option<u16>,
}

#[derive(Debug)]
pub struct Http;

impl Tool for Http {
    const NAME: &'static str = "http";
    const EXAMPLE: &'static str =
        "- http: { url: \"https://api.example.com/users\", json: { name: ada } }\n  as: user";
    const KEEPS: StepValue = StepValue::new(&[
        ("status", "its status, a number"),
        ("json", "its JSON; nothing where it is none"),
        ("text", "its text"),
    ]);
    const SUMMARY: &'static str =
        "Sends a request from this computer to a host that `runner.yaml` names.";
    const WRITING: StepSyntax = StepSyntax::Scalar("url");
    const EFFECT: Effect = Effect::Acts;
    type Args = HttpArgs;

    /// Checks what can be told before the run: a whole URL of `http` or `https`, and at most one body. Hosts are
    /// checked at the call.
    fn check(args: &Arguments) -> Result<(), Failure> {
        // A value that is not text is reported by deserialization.
        let Some(url) = args.get("url").and_then(Value::as_str) else {
            return Ok(());
        };
        if let Some(path) = url.strip_prefix('/') {
            return Err(Failure::usage(Words::format(
                "`{}` is no whole link; write such as `https://example.com/{}`",
                &[&url, &path],
            )));
        }
        super::external_names::check_link(args, "url")?;
        if args.get("json").is_some() && args.get("body").is_some() {
            return Err(Failure::usage(TWO_BODIES));
        }
        read_uri(url).map(|_| ())
    }

    /// Sends the request and returns status, text and JSON, which is null if the text is none. A status other than the
    /// expected one, by default 200 to 299, is a failed assertion with the beginning of the answer. The last look is
    /// forgotten even if the request fails, as the app may show what changed. A program built without the features
    /// `download` and `maestro` fails as unsupported.
    async fn call(session: &Session, args: HttpArgs, call: &Call) -> Result<Outcome, Failure> {
        let expected = args.status;
        let request = HttpRequest::new(args, call)?;
        let displayed = request.display.clone();
        // The server's changes may reach the screen, even if the request fails or is cut off.
        session.forget_look();
        let answer = session.clock().host_work(request.answered()).await?;
        // Another call may have taken a look meanwhile.
        session.forget_look();
        let fits = expected.map_or((200..300).contains(&answer.status), |expected| {
            expected == answer.status
        });
        if fits {
            let text = Words::format("{} of {}", &[&answer.status, &displayed]);
            let value =
                json!({ "status": answer.status, "json": answer.json(), "text": answer.text });
            return Ok(Outcome::value(text, value));
        }
        let wanted = expected.map_or_else(|| "200 to 299".to_owned(), |status| status.to_string());
        let parsed = Excerpt::new(answer.text.trim(), MAX_DISPLAYED_CHARS).in_quotes();
        Err(Failure::assertion(Words::format(
            "{} answered with another status",
            &[&displayed],
        ))
        .comparing(wanted, answer.status.to_string())
        .with_details([format!("it said {parsed}")]))
    }
}

/// Request whose host is allowed and whose headers are checked.
#[cfg_attr(
    not(any(feature = "download", feature = "maestro")),
    expect(
        dead_code,
        reason = "only the features `download` and `maestro` send requests"
    )
)]
pub struct HttpRequest {
    method: Method,
    uri: Uri,
    /// Method and URL for messages.
    display: String,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
    hosts: std::sync::Arc<[String]>,
    timeout: Duration,
    /// False if a redirect itself is the expected answer.
    follows_redirects: bool,
}

/// Answer of the server, of any status.
pub struct HttpAnswer {
    pub status: u16,
    pub text: String,
    #[cfg_attr(
        not(feature = "maestro"),
        allow(dead_code, reason = "only scripts read them")
    )]
    pub headers: HeaderMap,
}

impl HttpAnswer {
    /// Parses the answer's text as JSON; null if it is none.
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }
}

impl HttpRequest {
    /// Builds the request: POST if there is a body, else GET, unless a method is given. POST, PUT and PATCH get an
    /// empty body if there is none. JSON gets its content type unless a header gives another. A failure of usage if
    /// there are two bodies or one that the method does not take, the URL or a header is wrong, or the host is not
    /// allowed.
    fn new(args: HttpArgs, call: &Call) -> Result<Self, Failure> {
        let uri = read_uri(&args.url)?;
        let has_body = args.json.is_some() || args.body.is_some();
        let usual = if has_body {
            HttpMethod::Post
        } else {
            HttpMethod::Get
        };
        let method = args.method.unwrap_or(usual);
        if has_body && !method.takes_body() {
            return Err(Failure::usage(Words::format(
                "`http`: {} has no body; take POST, PUT or PATCH",
                &[&method.method().to_string()],
            )));
        }
        let mut headers = read_headers(&args.headers)?;
        let body = match (args.json, args.body) {
            (Some(_), Some(_)) => {
                return Err(Failure::usage(TWO_BODIES));
            }
            (Some(json), None) => {
                headers
                    .entry(http::header::CONTENT_TYPE)
                    .or_insert(HeaderValue::from_static("application/json"));
                Some(json.to_string().into_bytes())
            }
            (None, Some(body)) => Some(body.into_bytes()),
            (None, None) => method.takes_body().then(Vec::new),
        };
        let request = Self {
            display: format!("{} {}", method.method(), without_credentials(&args.url)),
            method: method.method(),
            uri,
            headers,
            body,
            hosts: std::sync::Arc::clone(&call.http_hosts),
            timeout: call.timeout,
            follows_redirects: args.status.is_none_or(|status| status / 100 != 3),
        };
        request.check_host(&request.uri)?;
        Ok(request)
    }

    /// Builds a script's request: any method in any case, with or without a body. POST, PUT and PATCH get an
    /// empty body if there is none.
    ///
    /// # Errors
    ///
    /// If the method, the URL or a header is wrong, or the host is not listed.
    #[cfg(feature = "maestro")]
    pub fn from_script(
        method: &str,
        url: &str,
        headers: &BTreeMap<String, String>,
        body: Option<Vec<u8>>,
        hosts: std::sync::Arc<[String]>,
        timeout: Duration,
    ) -> Result<Self, Failure> {
        let method: Method = method.to_ascii_uppercase().parse().map_err(|_| {
            Failure::usage(Words::format("`http`: `{}` is not a method", &[&method]))
        })?;
        let needs_body = matches!(method, Method::POST | Method::PUT | Method::PATCH);
        let request = Self {
            display: format!("{method} {}", without_credentials(url)),
            uri: read_uri(url)?,
            headers: read_headers(headers)?,
            body: body.or_else(|| needs_body.then(Vec::new)),
            method,
            hosts,
            timeout,
            follows_redirects: true,
        };
        request.check_host(&request.uri)?;
        Ok(request)
    }

    /// Refuses hosts that are not listed in `runner.yaml`: a flow from elsewhere must not reach what this
    /// computer reaches. The failure says how to list the host.
    fn check_host(&self, uri: &Uri) -> Result<(), Failure> {
        if is_listed(&self.hosts, uri) {
            return Ok(());
        }
        let host = uri.host().unwrap_or_default();
        let setting = allowing_setting(host);
        Err(Failure::usage(format!(
            "`http`: the host `{host}` is not allowed; `{setting}` in runner.yaml allows it"
        )))
    }

    #[cfg(not(any(feature = "download", feature = "maestro")))]
    #[expect(
        clippy::unused_async,
        reason = "it has the signature of the one with the feature"
    )]
    async fn answered(self) -> Result<HttpAnswer, Failure> {
        Err(Failure::unsupported(
            "this program was built without the feature `download`, which `http` needs",
        ))
    }

    /// Builds the failure of a request without an answer.
    #[cfg_attr(
        not(any(feature = "download", feature = "maestro")),
        expect(
            dead_code,
            reason = "only the features `download` and `maestro` send requests"
        )
    )]
    fn failed(&self, kind: FailureKind, cause: &str) -> Failure {
        Failure::new(kind, format!("{}: {cause}", self.display))
    }
}

/// Parses headers. More than 50, a wrong name and a wrong value are failures of usage; the value is not quoted, as it
/// may be a secret.
fn read_headers(given: &BTreeMap<String, String>) -> Result<HeaderMap, Failure> {
    if given.len() > MAX_HEADERS {
        return Err(Failure::usage(Words::format(
            "`http` takes at most {} headers",
            &[&MAX_HEADERS],
        )));
    }
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        let key: HeaderName = name.parse().map_err(|_| {
            Failure::usage(Words::format(
                "`http`: `{}` is not a name of a header",
                &[&name],
            ))
        })?;
        // The error does not say what is wrong with a value: it may be a secret.
        let value: HeaderValue = value.parse().map_err(|_| {
            Failure::usage(Words::format(
                "`http`: the value of the header `{}` holds what none may",
                &[&name],
            ))
        })?;
        headers.insert(key, value);
    }
    Ok(headers)
}
