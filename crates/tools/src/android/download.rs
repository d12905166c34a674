//! Tool that downloads a file into a storage location (A35). The host fetches it; the device gets the whole
//! file or nothing.

#[cfg(feature = "download")]
mod fetch;

use std::time::Duration;

use http::Uri;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::arguments::invalid;
use super::errors::action_failed;
use super::storage::StorageTarget;
use crate::arguments::Arguments;
use crate::{Call, Effect, Failure, Outcome, StepSyntax, Tool, Words};
use runner_device::files;
use runner_engine::Session;

/// Arguments of `download_from_url`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DownloadArgs {
    /// Storage location ID from `android_list_storage_locations`
    #[schemars(length(min = 1))]
    pub location_id: String,
    /// Destination path within the storage location
    #[schemars(length(min = 1))]
    pub path: String,
    /// URL to download from (HTTP or HTTPS)
    #[schemars(length(min = 1))]
    pub url: String,
}

#[derive(Debug)]
pub struct DownloadFromUrl;

impl Tool for DownloadFromUrl {
    const NAME: &'static str = "download_from_url";
    const SUMMARY: &'static str = "Downloads a file from a URL and saves it to a storage location.";
    const HELP: &'static str =
        "The location needs allow_write in runner.yaml, for http:// allow_http too.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const EFFECT: Effect = Effect::Destroys;
    type Args = DownloadArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        args.filled("location_id")?;
        args.filled("path")?;
        parse(args.filled("url")?).map(drop)
    }

    /// Downloads the whole file to this computer, then creates or replaces it on the device, with missing folders. A
    /// location that does not allow writing, or not `http`, fails before anything is fetched. A failure leaves the old
    /// file as it was. The value has the number of bytes.
    async fn call(session: &Session, args: DownloadArgs, _: &Call) -> Result<Outcome, Failure> {
        let place = StorageTarget::writable(session, &args.location_id)?;
        let fetch = Fetch {
            uri: parse(&args.url)?,
            display: without_credentials(&args.url),
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
        let text = Words::format("File downloaded successfully: {}", &[&args.path]);
        Ok(Outcome::value(text, json!({ "bytes": bytes.len() })))
    }
}

/// Parses an absolute URL with scheme `http` or `https` and a host that is not empty. The failure, one of usage, quotes
/// the URL without its credentials.
fn parse(url: &str) -> Result<Uri, Failure> {
    let wrong = || {
        invalid(Words::format(
            "Invalid URL: {}",
            &[&without_credentials(url)],
        ))
    };
    let uri: Uri = url.parse().map_err(|_| wrong())?;
    let known = matches!(uri.scheme_str(), Some("http" | "https"));
    let host = uri.host().is_some_and(|host| !host.is_empty());
    if known && host { Ok(uri) } else { Err(wrong()) }
}

/// Replaces user and password in a URL by `***` for messages. A text without `://` loses everything before its last
/// `@`. A password that holds a `/` is found by the `@` behind it, unless the part before the `/` could be a port. A
/// URL without credentials stays as it is.
pub(crate) fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        // In a text that is no URL, the end of credentials cannot be recognized.
        return url
            .rsplit_once('@')
            .map_or_else(|| url.to_owned(), |(_, host)| format!("***@{host}"));
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    if let Some((_, host)) = authority.rsplit_once('@') {
        return format!("{scheme}://***@{host}{path}");
    }
    // In `https://ada:p/w@host`, the apparent port is the beginning of a password.
    let is_port = |text: &str| text.parse::<u16>().is_ok();
    match (authority.rsplit_once(':'), path.rsplit_once('@')) {
        (Some((_, port)), Some((_, host))) if !is_port(port) => format!("{scheme}://***@{host}"),
        _ => url.to_owned(),
    }
}

/// A download with its limits.
#[cfg_attr(
    not(feature = "download"),
    expect(dead_code, reason = "only the feature `download` reads them")
)]
struct Fetch {
    uri: Uri,
    display: String,
    location: String,
    allow_http: bool,
    allow_unverified: bool,
    timeout: Duration,
    limit: u64,
    max_mb: u32,
}

impl Fetch {
    /// Refuses `http` URLs unless the location allows them, with the code `ACTION_FAILED` and the setting as advice.
    fn check_scheme(&self) -> Result<(), Failure> {
        if self.allow_http || self.uri.scheme_str() == Some("https") {
            return Ok(());
        }
        Err(
            action_failed("HTTP downloads are not allowed; use an https:// URL")
                .with_details([self.setting("allow_http: true", "allows them")]),
        )
    }

    /// Formats advice about a setting in `runner.yaml` for this location.
    fn setting(&self, setting: &str, what: &str) -> String {
        let location = &self.location;
        format!(
            "`storage: {{ {location}: {{ …, {setting} }} }}` in runner.yaml {what} for this location"
        )
    }
}

#[cfg(not(feature = "download"))]
impl Fetch {
    /// Fails: this build cannot download.
    #[expect(
        clippy::unused_async,
        reason = "it has the signature of the one with the feature"
    )]
    async fn in_background(self) -> Result<Vec<u8>, Failure> {
        Err(action_failed(Words::format(
            "Download failed: this program was built without the feature `download` (URL: {})",
            &[&self.display],
        ))
        .with_details(["build it with `cargo build --release`, which has it"]))
    }
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
        for (url, display) in [
            ("ada:pw@example.com/x", "***@example.com/x"),
            ("https:/ada:pw@example.com", "***@example.com"),
            ("example.com", "example.com"),
            ("https://ada:p/w@example.com/x", "https://***@example.com/x"),
            ("https://ada:p?w@example.com", "https://***@example.com"),
            ("https://example.com:80/a@b", "https://example.com:80/a@b"),
        ] {
            assert_eq!(without_credentials(url), display);
        }
        let failure = parse("ftp://ada:secret@example.com/").unwrap_err();
        assert!(!failure.message.contains("secret"), "{failure:?}");
    }
}
