//! `runner accept --decisions`: applies decisions made on another machine about another run's proposals. They
//! are only data: no flow and no hook runs, and no device is asked.

use camino::Utf8Path;

use super::error::CliError;
use super::{accepted, output};
use crate::config::Config;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::review::{ApplyResult, ArchiveReview, Decisions, ReviewError};
use runner_text::input_file::{read_named, read_stdin};

/// Limit for a decisions file. Chosen: a page of thousands of decisions is far smaller; a hostile file must
/// not fill memory.
const MAX_DECISION_BYTES: u64 = 64 * 1024 * 1024;

/// Applies the decisions in `file` (`-`: standard input) about `archive`, a ZIP file or a folder. If one decision is
/// out of date, or about nothing that the archive proposes, nothing is written, the reasons are printed and the exit
/// code is 1. Proposals of the archive that were refused are only notes. Decisions that do not read are an error.
pub fn run(
    file: &Utf8Path,
    archive: &Utf8Path,
    config: &Config,
    context: &Context,
) -> Result<ExitCode, CliError> {
    let text = read(file, context)?;
    let decisions = Decisions::read(&text).map_err(|source| ReviewError::Decisions {
        name: file.to_string(),
        source,
    })?;
    let archived = ArchiveReview::open(config, &context.working_folder.join(archive))?;
    for (name, why) in &archived.imported().refused {
        output::note(&format!("refused {name:?}: {why}"));
    }
    let applied = archived.apply(&decisions)?;
    Ok(print(&applied))
}

/// Reads the decisions from a file, or from stdin for `-`. An error for a missing file, for more than
/// `MAX_DECISION_BYTES`, and for bytes that are no UTF-8. The decisions are not parsed.
fn read(name: &Utf8Path, context: &Context) -> Result<String, CliError> {
    let bytes = if name == "-" {
        read_stdin(MAX_DECISION_BYTES)?
    } else {
        read_named(context.working_folder.join(name), MAX_DECISION_BYTES)?
    };
    String::from_utf8(bytes)
        .map_err(|_| CliError::Usage(format!("{name}: the decisions are not UTF-8 text")))
}

/// Prints what was done: goldens accepted, rejected, or the same already. If any decision was about another
/// version, nothing was written; then prints only the reasons, and returns the exit code 1, else 0.
fn print(applied: &ApplyResult) -> ExitCode {
    if !applied.stale.is_empty() {
        for (key, why) in &applied.stale {
            output::error(&format!("{key}: {why}"));
        }
        output::error("nothing was written; decide again about the last run");
        return ExitCode::Failed;
    }
    output::keys("already the golden", &applied.golden_already);
    output::keys("rejected", &applied.rejected);
    accepted::print(&applied.accepted);
    if applied.accepted.accepted.is_empty() {
        output::note("no golden changed");
    }
    ExitCode::Passed
}
