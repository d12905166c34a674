//! Fetches a file by HTTP and TLS, in a thread of its own.

use std::io::{ErrorKind, Read as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ureq::tls::TlsConfig;

use super::Fetch;
use crate::android::errors::{ErrorCode, action_failed};
use crate::{Failure, FailureKind, Words};
use runner_text::units::HumanDuration;

/// Limit for redirects that are followed. Chosen: file hosts use two or three; more is a loop.
const MAX_REDIRECTS: u32 = 5;
/// Bytes read between two checks whether the caller still waits. Chosen: a fraction of a second on slow
/// connections.
const PIECE: usize = 64 * 1024;

/// Tells the fetching thread that nobody waits any more, when dropped.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Fetch {
    /// Downloads on a blocking thread. Dropping the future ends the download.
    pub(super) async fn in_background(self) -> Result<Vec<u8>, Failure> {
        let stopped = Arc::new(AtomicBool::new(false));
        let _stop = StopOnDrop(Arc::clone(&stopped));
        tokio::task::spawn_blocking(move || self.run(&stopped))
            .await
            .unwrap_or_else(|_| Err(action_failed("Download failed: it was ended")))
    }

    /// Downloads the whole body into memory, following at most 5 redirects, within the location's time and size. `http`
    /// is refused on redirects too, unless the location allows it. Ends soon after `stopped` is set. Any status but
    /// success is a failure. Blocks.
    fn run(&self, stopped: &AtomicBool) -> Result<Vec<u8>, Failure> {
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .timeout_global(Some(self.timeout))
            .tls_config(
                TlsConfig::builder()
                    .disable_verification(self.allow_unverified)
                    .build(),
            )
            // For redirects too, which `check_scheme` does not see.
            .https_only(!self.allow_http)
            .max_redirects(MAX_REDIRECTS)
            // An answer with another status is reported in the reference's words.
            .http_status_as_error(false)
            .user_agent(concat!("runner/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        let mut response = agent
            .get(&self.uri)
            .call()
            .map_err(|error| self.failed(&error))?;
        if !response.status().is_success() {
            return Err(action_failed(Words::format(
                "Download failed with HTTP status {} for URL: {}",
                &[&response.status().as_u16(), &self.display],
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
            // The server may have sent no size, or a wrong one.
            self.check_size(bytes.len() as u64)?;
        }
    }

    /// Refuses more bytes than the location allows, with the code `ACTION_FAILED`.
    fn check_size(&self, size: u64) -> Result<(), Failure> {
        if size > self.limit {
            return Err(action_failed(Words::format(
                "File size ({} bytes) exceeds the configured limit of {} MB.",
                &[&size, &self.max_mb],
            )));
        }
        Ok(())
    }

    /// Builds the failure `Download failed: …` for a download without an answer. Only a time-out has the kind
    /// `Timeout`; all else is an assertion, with code `ACTION_FAILED`. For a time-out and an unverified
    /// certificate, a detail names the setting that allows it. The library's message contains no more of the
    /// URL than the host.
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
                format!("more than {MAX_REDIRECTS} redirects"),
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
            code: Some(ErrorCode::ACTION_FAILED),
            ..Failure::new(
                kind,
                format!("Download failed: {cause} (URL: {})", self.display),
            )
        }
        .with_details(advice)
    }
}

const UNVERIFIED: &str =
    "the server's certificate cannot be verified, and unverified HTTPS is not allowed";

/// Recognizes the TLS library's message for a certificate that it does not trust. The library has no error
/// code for it.
fn is_unverified(words: &str) -> bool {
    words.contains("invalid peer certificate")
}
