//! The log: what the program did, in order, and how long each part took. It is for whoever looks for the
//! cause of a fault.
//!
//! The log is off until [`begin`]. All secrets that the process knows are masked in every line. `docs/reference/log.md`
//! lists what is logged.

use std::fs::File;
use std::io::Write;

use camino::Utf8PathBuf;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::time::uptime;
use tracing_subscriber::layer::SubscriberExt as _;

use crate::output_file::{LOG_HEAD, OutputFile};
use runner_text::secret::{self, Scrubber};

#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error("the log {path} cannot be written: {cause}; name another file with --log")]
    File {
        /// Path as the person wrote it.
        path: Utf8PathBuf,
        cause: std::io::Error,
    },
    #[error(
        "RUNNER_LOG is {filter:?}, which does not read ({cause}); write levels such as `debug` or `adb=trace,info`"
    )]
    Filter { filter: String, cause: String },
    #[error("a log was begun before")]
    AlreadyBegun,
}

/// Starts the process's log in a file, which it truncates. Secrets of the global scrubber are masked in it.
/// `filter` holds levels by target, as in `adb=trace,info`; without one all targets log at `debug`. The target
/// `rmcp` logs warnings and errors only, whatever the filter says.
///
/// # Errors
/// Returns a [`LogError`] if the filter cannot be parsed, the file cannot be written, or the process already has a
/// log. In the last case the file is truncated all the same.
pub fn begin(output: &OutputFile, filter: Option<&str>) -> Result<(), LogError> {
    let filter = match filter {
        None => Targets::new().with_default(LevelFilter::DEBUG),
        Some(filter) => filter
            .parse::<Targets>()
            .map_err(|cause| LogError::Filter {
                filter: filter.to_owned(),
                cause: cause.to_string(),
            })?,
    };
    // Below warnings the MCP library logs whole requests, whose texts are not known as secrets yet.
    let filter = filter.with_target("rmcp", LevelFilter::WARN);
    let begin = || {
        let mut file = output.create()?;
        file.write_all(LOG_HEAD.as_bytes())?;
        Ok(file)
    };
    let file = begin().map_err(|cause| LogError::File {
        path: output.path().to_owned(),
        cause,
    })?;
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_timer(uptime())
        .with_writer(ScrubbedFile {
            file,
            scrubber: Scrubber::global(),
        });
    let subscriber = tracing_subscriber::registry().with(lines).with(filter);
    tracing::subscriber::set_global_default(subscriber).map_err(|_| LogError::AlreadyBegun)?;
    tracing::info!(
        target: "runner",
        version = env!("CARGO_PKG_VERSION"),
        system = std::env::consts::OS,
        processor = std::env::consts::ARCH,
        at = %chrono::Utc::now().to_rfc3339(),
        "log begins"
    );
    Ok(())
}

/// File whose lines are written with the secrets masked.
struct ScrubbedFile {
    file: File,
    scrubber: &'static Scrubber,
}

impl<'a> MakeWriter<'a> for ScrubbedFile {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

/// Restores the marks of excerpts in a line. `?value` escapes them, and the scrubber needs them to mask a
/// secret before it cuts the excerpt.
fn unescape_marks(mut line: String) -> String {
    for mark in secret::MARKS {
        let escaped = mark.escape_unicode().to_string();
        if line.contains(&escaped) {
            line = line.replace(&escaped, mark.encode_utf8(&mut [0; 4]));
        }
    }
    line
}

/// The subscriber writes each line in one call, so no secret is split between two calls.
impl Write for &ScrubbedFile {
    /// Writes the line with its secrets masked. Bytes that are no UTF-8 become U+FFFD. Returns the length of
    /// `line`, not of what was written.
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        let text = unescape_marks(String::from_utf8_lossy(line).into_owned());
        let clean = self.scrubber.scrub_outside(&text);
        (&self.file).write_all(clean.as_bytes())?;
        // The bytes taken, not those left after masking, as the caller would send the difference again.
        Ok(line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        (&self.file).flush()
    }
}
