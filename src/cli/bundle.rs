//! `runner doctor --bundle`: packs the findings, settings, log and last run's events into one ZIP file,
//! without secrets, for somebody who looks for a fault from afar.

use std::io::Write as _;

use camino::Utf8Path;
use zip::ZipWriter;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;

use super::error::CliError;
use crate::config::Config;
use crate::context::Context;
use crate::device::doctor::CheckResult;
use crate::report::LAST_RUN;
use crate::secret::Scrubber;
use runner_base::output_file::OutputFile;
use runner_text::input_file::read_regular;

/// Limit for the log, and for the last run's events. Chosen: streams of large suites fit; a stray huge file is left out
/// instead of read into memory.
const MAX_EVENT_BYTES: u64 = 64 * 1024 * 1024;

/// Writes a ZIP archive with version and system, the findings, the settings, the log of the checks and the events of
/// the last run. The project's secrets are masked in all of it, wherever their values come from; a value of `env` that
/// `secrets` does not name is not. A file that cannot be read, such as that of the last run if there was none, is
/// replaced by the reason. An existing archive is replaced as a whole.
pub(super) fn write(
    output: &OutputFile,
    config: &Config,
    context: &Context,
    findings: &[CheckResult],
    log: &Utf8Path,
) -> Result<(), CliError> {
    let settings = config.describe().into_iter();
    let settings = settings.map(|(name, value, origin)| format!("{name}: {value}  # {origin}"));
    let events = config.root.join(LAST_RUN);
    let parts = [
        ("about.txt", about()),
        ("doctor.txt", findings.iter().map(to_message).collect()),
        ("settings.txt", settings.collect::<Vec<_>>().join("\n")),
        ("doctor.log", read_or_error(log)),
        ("last-run.ndjson", read_or_error(&events)),
    ];
    let scrubber = Scrubber::global();
    // It learns the secrets that it lacks.
    drop(super::config::all_secrets(config, context));
    // Packed in memory, so that an existing file is replaced by a whole one or not at all.
    let mut archive = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in parts {
        let wrong = |error: ZipError| CliError::Failed(format!("{name} cannot be packed: {error}"));
        let options = SimpleFileOptions::default();
        archive.start_file(name, options).map_err(wrong)?;
        archive.write_all(scrubber.scrub_outside(&text).as_bytes())?;
    }
    let bytes = archive.finish();
    let bytes = bytes.map_err(|error| CliError::Failed(error.to_string()))?;
    Ok(output.write(bytes.get_ref())?)
}

/// Returns version, system and present time for the bundle.
fn about() -> String {
    format!(
        "runner {} on {} {}\nwritten {}\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH,
        chrono::Utc::now().to_rfc3339(),
    )
}

fn to_message(finding: &CheckResult) -> String {
    let mark = if finding.ok { "ok" } else { "BAD" };
    let advice = finding.advice.as_deref().unwrap_or_default();
    format!("{mark} {}: {} {advice}\n", finding.title, finding.detail)
}

/// Returns the file's text, with wrong bytes replaced, or the error's text if it is missing, no regular file or
/// longer than `MAX_EVENT_BYTES`: the bundle then says why it lacks the file.
fn read_or_error(path: &Utf8Path) -> String {
    match read_regular(path, MAX_EVENT_BYTES) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => format!("{error}\n"),
    }
}
