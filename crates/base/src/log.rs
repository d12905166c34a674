//! The log: what the program did, in order, and how long each part took. It is for whoever looks for the cause of a fault.
//!
//! It is off until [`begin`]; then every line is scrubbed of all secrets that the process knows. `docs/log.md` lists what
//! is logged.

use std::fs::File;
use std::io::Write;

use camino::Utf8PathBuf;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::time::uptime;
use tracing_subscriber::layer::SubscriberExt as _;

use crate::output_file::{LOG_HEAD, OutputFile};
use runner_text::secret::{self, Scrubber};

/// Why there is no log.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The file cannot be written.
    #[error("the log {path} cannot be written: {cause}; name another file with --log")]
    File {
        /// As it was named.
        path: Utf8PathBuf,
        /// The system's words.
        cause: std::io::Error,
    },
    /// The filter does not read.
    #[error(
        "RUNNER_LOG is {filter:?}, which does not read ({cause}); write levels such as `debug` or `adb=trace,info`"
    )]
    Filter {
        /// As it was given.
        filter: String,
        /// What is wrong.
        cause: String,
    },
    /// There is one already.
    #[error("a log was begun before")]
    Twice,
}

/// Begins the log. `filter` holds levels by part of the program; without one it is `debug`.
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
    // Below warnings the protocol's library logs whole requests: what they type is not known to be secret yet.
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
    tracing::subscriber::set_global_default(subscriber).map_err(|_| LogError::Twice)?;
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

/// A file in which each line stands scrubbed.
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

/// What is logged as `?value` is escaped, marks of excerpts too: they say what is still to be cut, and masked before.
fn marked_again(mut line: String) -> String {
    for mark in secret::MARKS {
        let escaped = mark.escape_unicode().to_string();
        if line.contains(&escaped) {
            line = line.replace(&escaped, mark.encode_utf8(&mut [0; 4]));
        }
    }
    line
}

/// A line comes whole, in one call, so no secret is cut in two before it is masked.
impl Write for &ScrubbedFile {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        let text = marked_again(String::from_utf8_lossy(line).into_owned());
        let clean = self.scrubber.scrub_outside(&text);
        (&self.file).write_all(clean.as_bytes())?;
        // What was taken, not what was left after masking: the caller would send the rest once more.
        Ok(line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        (&self.file).flush()
    }
}
