//! `runner lint --against`: what was edited, judged on recorded screens.

use camino::Utf8PathBuf;

use super::error::CliError;
use super::output;
use crate::config::Config;
use crate::context::Context;
use crate::diagnostic::{self, Code, Diagnostic};
use crate::exit_code::ExitCode;
use crate::recording::{Recording, find, find_below, read};
use crate::run::{Finding, FindingKind, Plan, PlannedCase, rehearse};

/// What all flows came to.
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
    let runtime = super::runtime()?;
    let mut totals = Totals::default();
    let mut found = Vec::new();
    for case in &plan.cases {
        let Some(recording) = recording(config, case, paths) else {
            totals.unrecorded += 1;
            continue;
        };
        let provenance = recording.provenance();
        let result = runtime.block_on(rehearse(config, context, case, recording))?;
        totals.unchanged += result.unchanged;
        totals.judged += result.judged;
        found.extend(
            result
                .findings
                .iter()
                .map(|finding| diagnostic(finding, &provenance)),
        );
    }
    totals.errors = found
        .iter()
        .filter(|one| one.severity == diagnostic::Severity::Error)
        .count();
    totals.doubts = found.len() - totals.errors;
    if !found.is_empty() {
        output::diagnostics(&diagnostic::render(
            &found,
            context.color(context.stdout_is_terminal),
            context.width,
        ));
    }
    output::note(&totals.message());
    let fails = totals.errors > 0 || strict && totals.doubts + totals.unrecorded > 0;
    Ok(if fails {
        ExitCode::Failed
    } else {
        ExitCode::Passed
    })
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

fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
