//! A35: a file from the net into a storage location. The host fetches it, the device gets it whole or not at all.

use std::io::{ErrorKind, Read as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use ureq::http::Uri;
use ureq::tls::TlsConfig;

use super::arguments::{Arguments, MissingStyle, invalid};
use super::errors::{ACTION_FAILED, action_failed};
use super::storage::StorageTarget;
use crate::device::files;
use crate::engine::Session;
use crate::tools::{Call, Effect, Failure, FailureKind, Outcome, Tool, Writing};
use crate::units::HumanDuration;

/// Most redirects that are followed.
const MOST_REDIRECTS: u32 = 5;
/// Bytes that are read before it is asked whether anyone still waits for them.
const PIECE: usize = 64 * 1024;

/// Arguments of `download_from_url`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DownloadArgs {
    /// Its id, from `list_storage_locations`.
    #[schemars(length(min = 1))]
    pub location_id: String,
    /// Destination path within the storage location.
    #[schemars(length(min = 1))]
    pub path: String,
    /// URL to download from: HTTPS, or HTTP where the storage location allows it.
    #[schemars(length(min = 1))]
    pub url: String,
}

/// A35 `download_from_url`.
#[derive(Debug)]
pub struct DownloadFromUrl;

impl Tool for DownloadFromUrl {
    const NAME: &'static str = "download_from_url";
    const SUMMARY: &'static str = "Downloads a file from a URL and saves it to a storage location.";
    const HELP: &'static str = "Folders are made, a file that is there is overwritten. The location needs allow_write, for http:// allow_http, \
        for an unverified certificate allow_unverified_https, in runner.yaml.";
    const WRITING: Writing = Writing::Map;
    const EFFECT: Effect = Effect::Destroys;
    type Args = DownloadArgs;

    fn check(args: &Value) -> Result<(), Failure> {
        let args = Arguments::new(args, MissingStyle::Colon);
        args.non_empty("location_id")?;
        args.non_empty("path")?;
        parse(args.non_empty("url")?).map(drop)
    }

    async fn call(session: &Session, args: DownloadArgs, _: &Call) -> Result<Outcome, Failure> {
        let place = StorageTarget::writable(session, &args.location_id)?;
        let fetch = Fetch {
            uri: parse(&args.url)?,
            shown: without_credentials(&args.url),
            location: place.settings.id.clone(),
            allow_http: place.settings.allow_http,
            allow_unverified: place.settings.allow_unverified_https,
            timeout: place.settings.download_timeout,
            limit: place.limit(),
            max_mb: place.settings.max_mb,
        };
        fetch.check_scheme()?;
        let bytes = fetch.in_background().await?;
        files::write(session.device(), &place.location, &args.path, &bytes)
            .await
            .map_err(|error| place.error(&args.path, error))?;
        let text = format!("File downloaded successfully: {}", args.path);
        Ok(Outcome::value(text, json!({ "bytes": bytes.len() })))
    }
}

/// An HTTP or HTTPS URL with a host.
fn parse(url: &str) -> Result<Uri, Failure> {
    let wrong = || invalid(format!("Invalid URL: {}", without_credentials(url)));
    let uri: Uri = url.parse().map_err(|_| wrong())?;
    let known = matches!(uri.scheme_str(), Some("http" | "https"));
    let host = uri.host().is_some_and(|host| !host.is_empty());
    if known && host { Ok(uri) } else { Err(wrong()) }
}

/// The URL as messages show it: a name and password in it are nobody's business.
fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    match authority.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://***@{host}{path}"),
        None => url.to_owned(),
    }
}

/// One download.
struct Fetch {
    uri: Uri,
    shown: String,
    location: String,
    allow_http: bool,
    allow_unverified: bool,
    timeout: Duration,
    limit: u64,
    max_mb: u32,
}

/// Tells the thread that fetches when nobody waits for it any more.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Fetch {
    fn check_scheme(&self) -> Result<(), Failure> {
        if self.allow_http || self.uri.scheme_str() == Some("https") {
            return Ok(());
        }
        Err(
            action_failed("HTTP downloads are not allowed; use an https:// URL")
                .with_details([self.setting("allow_http: true", "allows them")]),
        )
    }

    /// Where this location's settings say otherwise.
    fn setting(&self, setting: &str, what: &str) -> String {
        let location = &self.location;
        format!(
            "`storage: {{ {location}: {{ …, {setting} }} }}` in runner.yaml {what} for this location"
        )
    }

    async fn in_background(self) -> Result<Vec<u8>, Failure> {
        let stopped = Arc::new(AtomicBool::new(false));
        let _stop = StopOnDrop(Arc::clone(&stopped));
        tokio::task::spawn_blocking(move || self.run(&stopped))
            .await
            .unwrap_or_else(|_| Err(action_failed("Download failed: it was ended")))
    }

    fn run(&self, stopped: &AtomicBool) -> Result<Vec<u8>, Failure> {
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .timeout_global(Some(self.timeout))
            .tls_config(
                TlsConfig::builder()
                    .disable_verification(self.allow_unverified)
                    .build(),
            )
            .https_only(!self.allow_http)
            .max_redirects(MOST_REDIRECTS)
            .http_status_as_error(false)
            .user_agent(concat!("runner/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        let mut response = agent
            .get(&self.uri)
            .call()
            .map_err(|error| self.failed(&error))?;
        if !response.status().is_success() {
            return Err(action_failed(format!(
                "Download failed with HTTP status {} for URL: {}",
                response.status().as_u16(),
                self.shown
            )));
        }
        if let Some(size) = response.body().content_length() {
            self.check_size(size)?;
        }
        let mut reader = response.body_mut().as_reader();
        let mut bytes = Vec::new();
        let mut piece = vec![0; PIECE];
        loop {
            if stopped.load(Ordering::Relaxed) {
                return Err(action_failed("Download failed: it was ended"));
            }
            let read = reader
                .read(&mut piece)
                .map_err(|error| self.failed(&ureq::Error::from(error)))?;
            if read == 0 {
                return Ok(bytes);
            }
            bytes.extend_from_slice(piece.get(..read).unwrap_or_default());
            self.check_size(bytes.len() as u64)?;
        }
    }

    fn check_size(&self, size: u64) -> Result<(), Failure> {
        if size > self.limit {
            return Err(action_failed(format!(
                "File size ({size} bytes) exceeds the configured limit of {} MB.",
                self.max_mb
            )));
        }
        Ok(())
    }

    /// A download that did not come to an answer. What the library says holds no more of the URL than its host.
    fn failed(&self, error: &ureq::Error) -> Failure {
        let mut advice = None;
        let (kind, cause) = match error {
            ureq::Error::Timeout(_) => {
                advice = Some(self.setting("download_timeout: 5m", "gives downloads more time"));
                let limit = HumanDuration(self.timeout);
                (FailureKind::Timeout, format!("it took longer than {limit}"))
            }
            ureq::Error::TooManyRedirects => (
                FailureKind::Assertion,
                format!("more than {MOST_REDIRECTS} redirects"),
            ),
            ureq::Error::RequireHttpsOnly(_) => (
                FailureKind::Assertion,
                "it is redirected to an http:// URL, which is not allowed".to_owned(),
            ),
            ureq::Error::HostNotFound => {
                (FailureKind::Assertion, "there is no such host".to_owned())
            }
            ureq::Error::Io(error) if error.kind() == ErrorKind::ConnectionRefused => (
                FailureKind::Assertion,
                "nobody answers at this address".to_owned(),
            ),
            error => {
                let words = error.to_string();
                let words = words.trim_start_matches("io: ");
                if is_unverified(words) {
                    advice = Some(self.setting("allow_unverified_https: true", "allows it"));
                    (FailureKind::Assertion, UNVERIFIED.to_owned())
                } else {
                    (FailureKind::Assertion, words.to_owned())
                }
            }
        };
        Failure {
            code: Some(ACTION_FAILED),
            ..Failure::new(
                kind,
                format!("Download failed: {cause} (URL: {})", self.shown),
            )
        }
        .with_details(advice)
    }
}

const UNVERIFIED: &str =
    "the server's certificate cannot be verified, and unverified HTTPS is not allowed";

/// Whether these are the TLS library's words for a certificate that it does not trust; it gives them as a text only.
fn is_unverified(words: &str) -> bool {
    words.contains("invalid peer certificate")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a35_urls_are_http_with_a_host() {
        for url in ["https://example.com/a?b=c", "http://127.0.0.1:8080/x"] {
            assert!(parse(url).is_ok(), "{url}");
        }
        for url in [
            "example.com",
            "ftp://example.com/a",
            "https:///a",
            "https://a b/",
            "file:///etc/passwd",
        ] {
            let failure = parse(url).unwrap_err();
            assert_eq!(failure.message, format!("Invalid URL: {url}"));
        }
    }

    #[test]
    fn a35_no_message_shows_credentials() {
        assert_eq!(
            without_credentials("https://ada:pw@example.com/a@b"),
            "https://***@example.com/a@b"
        );
        assert_eq!(
            without_credentials("https://example.com/a@b"),
            "https://example.com/a@b"
        );
        let failure = parse("ftp://ada:secret@example.com/").unwrap_err();
        assert!(!failure.message.contains("secret"), "{failure:?}");
    }
}
