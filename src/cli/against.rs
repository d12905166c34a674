//! `runner lint --against`: what was edited, judged on recorded screens.

use camino::{Utf8Path, Utf8PathBuf};
use runner_text::temporary_folder::TemporaryFolder;

use super::error::CliError;
use super::lint::count;
use super::output;
use crate::config::Config;
use crate::context::Context;
use crate::diagnostic::{self, Code, Diagnostic};
use crate::exit_code::ExitCode;
use crate::recording::{Recording, find, find_below, read};
use crate::report::unpack;
use crate::run::{Finding, FindingKind, Plan, PlannedCase, rehearse};

/// Totals of all flows.
#[derive(Default)]
struct Totals {
    unchanged: usize,
    judged: usize,
    unrecorded: usize,
    errors: usize,
    doubts: usize,
}

/// Judges each case of the plan on its newest recording, and prints what is found.
pub(super) fn run(
    config: &Config,
    context: &Context,
    plan: &Plan,
    paths: &[Utf8PathBuf],
    strict: bool,
) -> Result<ExitCode, CliError> {
    let folder = TemporaryFolder::new()?;
    let named = |path: &Utf8PathBuf| context.working_folder.join(path);
    let paths: Vec<Utf8PathBuf> = paths.iter().map(named).collect();
    let paths = unpacked(&paths, folder.path())?;
    let judging = judge(config, context, plan, &paths);
    let (found, totals) = super::runtime()?.block_on(judging)?;
    print(&found, context);
    output::note(&totals.message());
    let fails = totals.errors > 0 || strict && totals.doubts + totals.unrecorded > 0;
    Ok(if fails {
        ExitCode::Failed
    } else {
        ExitCode::Passed
    })
}

/// Prints what the recordings of the history say against edited flows, before they run on a device.
pub(super) async fn print_doubts(
    config: &Config,
    context: &Context,
    plan: &Plan,
) -> Result<(), CliError> {
    let (mut found, _) = judge(config, context, plan, &[]).await?;
    // The run that follows checks it.
    found.retain(|one| one.code != Code::NotChecked);
    print(&found, context);
    Ok(())
}

fn print(found: &[Diagnostic], context: &Context) {
    if !found.is_empty() {
        let color = context.color(context.stdout_is_terminal);
        output::diagnostics(&diagnostic::render(found, color, context.width));
    }
}

/// Judges each case of the plan on its newest recording.
async fn judge(
    config: &Config,
    context: &Context,
    plan: &Plan,
    paths: &[Utf8PathBuf],
) -> Result<(Vec<Diagnostic>, Totals), CliError> {
    let mut totals = Totals::default();
    let mut found = Vec::new();
    for case in &plan.cases {
        let Some(recording) = recording(config, case, paths) else {
            totals.unrecorded += 1;
            continue;
        };
        let provenance = recording.provenance();
        let result = rehearse(config, context, case, recording).await?;
        totals.unchanged += result.unchanged;
        totals.judged += result.judged;
        let findings = result.findings.iter();
        found.extend(findings.map(|finding| diagnostic(finding, &provenance)));
    }
    let is_error = |one: &&Diagnostic| one.severity == diagnostic::Severity::Error;
    totals.errors = found.iter().filter(is_error).count();
    totals.doubts = found.len() - totals.errors;
    Ok((found, totals))
}

/// The paths with the folder that an archive of CI was unpacked into instead of the archive.
fn unpacked(paths: &[Utf8PathBuf], folder: &Utf8Path) -> Result<Vec<Utf8PathBuf>, CliError> {
    let unpack_one = |(place, path): (usize, &Utf8PathBuf)| {
        if path.extension() != Some("zip") {
            return Ok(path.clone());
        }
        let into = folder.join(place.to_string());
        let left_out = unpack(path, &into).map_err(|error| CliError::Usage(error.to_string()))?;
        for message in left_out {
            output::note(&format!("warning: {message}"));
        }
        Ok(into)
    };
    paths.iter().enumerate().map(unpack_one).collect()
}

/// The newest recording of a case: of a run that passed, else of any.
fn recording(config: &Config, case: &PlannedCase, paths: &[Utf8PathBuf]) -> Option<Recording> {
    let id = case.id();
    let files: Vec<Utf8PathBuf> = if paths.is_empty() {
        let history = config.history_folder();
        find(&history, &id, true)
            .chain(find(&history, &id, false))
            .collect()
    } else {
        paths
            .iter()
            .flat_map(|path| find_below(path, &id))
            .collect()
    };
    files.iter().find_map(|file| match read(file) {
        Ok(recording) => {
            let of = recording.head.id.case_id();
            ((of.flow == id.flow) && (of.case == id.case)).then_some(recording)
        }
        Err(error) => {
            output::note(&format!("warning: {error}"));
            None
        }
    })
}

fn diagnostic(finding: &Finding, provenance: &str) -> Diagnostic {
    let code = match finding.kind {
        FindingKind::Breaks => Code::BreaksOnRecording,
        FindingKind::Several => Code::SeveralOnRecording,
        FindingKind::OtherElement => Code::OtherElement,
        FindingKind::NotRecorded => Code::NotRecorded,
        FindingKind::NotChecked => Code::NotChecked,
    };
    let mut help = finding.details.clone();
    help.push(provenance.to_owned());
    Diagnostic {
        code,
        severity: code.severity(),
        source: finding.source.clone(),
        span: finding.span.clone(),
        message: finding.message.clone(),
        labels: Vec::new(),
        help: Some(help.join("\n")),
    }
}

impl Totals {
    fn message(&self) -> String {
        let mut message = format!(
            "on recorded screens: {} judged, {} unchanged",
            count(self.judged, "step"),
            self.unchanged
        );
        if self.errors > 0 {
            message.push_str(&format!(", {}", count(self.errors, "break")));
        }
        if self.unrecorded > 0 {
            message.push_str(&format!(
                "; {} without a recording: run {} once",
                count(self.unrecorded, "flow"),
                if self.unrecorded == 1 { "it" } else { "them" }
            ));
        }
        message
    }
}
