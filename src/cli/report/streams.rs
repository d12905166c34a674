//! Event streams that `runner report` reads.

use camino::{Utf8Path, Utf8PathBuf};

use crate::cli::error::CliError;
use crate::cli::{output, report_files};
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::report::{LAST_RUN, ReportError, SavedStream, find_streams};
use runner_text::shell::quote_to_copy;

/// Reads the named streams and those in named folders; without any, that of the last run. Returns the errors of the
/// others beside them: a job that was killed early leaves an empty stream, which must not hide the results of the
/// other jobs. Prints a note for each stream that is cut off or has no end. Streams are in the order of the
/// arguments.
///
/// # Errors
/// Returns the first error if no stream can be read, and an error if none was named and there is no last run, or a
/// named folder holds no stream. A word that was meant as an option gets advice.
pub(super) fn read(
    named: &[Utf8PathBuf],
    context: &Context,
) -> Result<(Vec<SavedStream>, Vec<ReportError>), CliError> {
    let mut paths = Vec::new();
    if named.is_empty() {
        let path = Config::resolve(context, &Overrides::default())?
            .root
            .join(LAST_RUN);
        if !path.is_file() {
            return Err(CliError::Usage(format!(
                "there is no last run here ({path}); run `runner test`, or name the event stream of a run"
            )));
        }
        paths.push(path);
    }
    for path in named {
        if let Some(advice) = no_stream(path, &context.working_folder.join(path)) {
            return Err(CliError::Usage(advice));
        }
        paths.extend(find_streams(&context.working_folder.join(path))?);
    }
    let (mut streams, mut unreadable) = (Vec::new(), Vec::new());
    for path in paths {
        let stream = match SavedStream::read(&path) {
            Ok(stream) => stream,
            Err(error) => {
                unreadable.push(error);
                continue;
            }
        };
        let displayed = path.strip_prefix(&context.working_folder).unwrap_or(&path);
        if stream.is_cut_off {
            output::note(&format!(
                "note: {displayed}: the last line is cut off; it is left out"
            ));
        }
        if !stream.is_finished() {
            output::note(&format!(
                "note: {displayed}: the run did not come to its end"
            ));
        }
        streams.push(stream);
    }
    if streams.is_empty() && !unreadable.is_empty() {
        return Err(unreadable.remove(0).into());
    }
    Ok((streams, unreadable))
}

/// Returns a message for a word that was meant as an option and is no file, for an HTML report, and for a YAML file
/// or ZIP archive by its name; `None` for all that may be a stream, and for other files that are missing. `file` is
/// where `named` leads.
fn no_stream(named: &Utf8Path, file: &Utf8Path) -> Option<String> {
    if !file.exists() {
        let option = match named.as_str() {
            "open" | "show" | "view" | "serve" | "browser" | "last" | "latest" => "--open",
            "html" => "--html out/report",
            "junit" | "xml" => "--junit out/junit.xml",
            "allure" => "--allure out/allure",
            "json" => "--json out/events.ndjson",
            _ => return None,
        };
        return Some(format!(
            "{named} is not there; write `runner report {option}` for that option, of the last run"
        ));
    }
    let shown = quote_to_copy(named.as_str());
    if report_files::is_report(file) {
        return Some(format!(
            "{named} is an HTML report: write `runner report --open {shown}`, which opens it"
        ));
    }
    match named.extension() {
        Some("yaml" | "yml") if file.is_file() => Some(format!(
            "{named} is a file of YAML, and no event stream: `runner test {shown}` runs a flow, and `runner report` alone reports the last run"
        )),
        Some("zip") => Some(format!(
            "{named} is an archive, and no event stream: `runner review --from {shown}` reads it"
        )),
        _ => None,
    }
}
