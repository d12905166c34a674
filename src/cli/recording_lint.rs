//! `runner lint --against`: checks edited flows on recorded screens, without a device.

use camino::{Utf8Path, Utf8PathBuf};
use runner_base::named_path::{tidy, within};
use runner_text::shell::quote_to_copy;
use runner_text::temporary_folder::TemporaryFolder;

use super::count::count;
use super::error::CliError;
use super::output;
use crate::config::Config;
use crate::context::Context;
use crate::diagnostic::{self, Code, Diagnostic};
use crate::exit_code::ExitCode;
use crate::report::unpack;
use crate::run::{Plan, judge_edit};

/// Totals of all cases.
#[derive(Default)]
struct Totals {
    unchanged: usize,
    judged: usize,
    /// Number of cases without a recording.
    unrecorded: usize,
    /// Steps of cases without a recording that were looked up on goldens instead.
    on_goldens: usize,
    errors: usize,
    doubts: usize,
}

/// Judges each case of the plan, as [`judge`] does, and prints the diagnostics to standard output and the totals to
/// standard error. `paths` are recordings, folders or ZIP archives, relative to the working folder; without any, the
/// history's recordings are used. An archive that cannot be read, a path that is not there, a flow, and a folder of flows
/// where no recording is found, are errors. The exit code is 1 for errors, and with `strict` also for warnings and cases
/// without a recording.
pub(super) fn run(
    config: &Config,
    context: &Context,
    plan: &Plan,
    paths: &[Utf8PathBuf],
    strict: bool,
) -> Result<ExitCode, CliError> {
    for path in paths {
        must_hold_recordings(path, &context.working_folder)?;
    }
    let folder = TemporaryFolder::new()?;
    let named = |path: &Utf8PathBuf| context.working_folder.join(path);
    let named: Vec<Utf8PathBuf> = paths.iter().map(named).collect();
    let named = unpacked(&named, folder.path())?;
    let judging = judge(config, context, plan, &named);
    let (found, totals) = super::runtime::runtime()?.block_on(judging)?;
    if totals.unrecorded == plan.cases.len() {
        must_be_no_flows(paths, config, context, plan)?;
    }
    print(found, config, context);
    output::note(&totals.message());
    let fails = totals.errors > 0 || strict && totals.doubts + totals.unrecorded > 0;
    Ok(if fails {
        ExitCode::Failed
    } else {
        ExitCode::Passed
    })
}

/// Returns an error for a path in `folder` that is not there, and for a flow, which stands before `--against`. What other
/// files hold is not looked at.
fn must_hold_recordings(path: &Utf8Path, folder: &Utf8Path) -> Result<(), CliError> {
    let file = folder.join(path);
    let is_flow = matches!(path.extension(), Some("yaml" | "yml")) && file.is_file();
    match (is_flow, file.exists()) {
        (true, _) => Err(flows_stand_before(path, "is a flow, and no recording")),
        (false, true) => Ok(()),
        (false, false) => Err(CliError::Usage(format!(
            "--against: {path} is not there; leave it out for those of the history"
        ))),
    }
}

/// Returns an error for a folder in the project with a flow of the plan. The caller makes sure that no path has a
/// recording of one: a folder may hold both.
fn must_be_no_flows(
    paths: &[Utf8PathBuf],
    config: &Config,
    context: &Context,
    plan: &Plan,
) -> Result<(), CliError> {
    let holds_flows = |path: &&Utf8PathBuf| {
        let folder = within(&config.root, tidy(&context.working_folder.join(path)));
        let is_below = |flow: &Utf8Path| config.root.join(flow).starts_with(&folder);
        // The history with its recordings is below the root.
        let holds_root = config.root.starts_with(&folder);
        !holds_root
            && plan
                .flows()
                .any(|flow| is_below(flow.source.path.as_path()))
    };
    match paths.iter().find(holds_flows) {
        Some(path) => Err(flows_stand_before(path, "holds flows, and no recording")),
        None => Ok(()),
    }
}

fn flows_stand_before(path: &Utf8Path, why: &str) -> CliError {
    let flows = quote_to_copy(path.as_str());
    CliError::Usage(format!(
        "--against: {path} {why}: write `runner lint {flows} --against`"
    ))
}

/// Prints the diagnostics of edited flows before `--watch` runs them on a device, by the recordings of the history.
/// Prints no totals, and nothing if all is well. Diagnostics that say that something could not be checked are left out.
pub(super) async fn print_doubts(
    config: &Config,
    context: &Context,
    plan: &Plan,
) -> Result<(), CliError> {
    let (mut found, _) = judge(config, context, plan, &[]).await?;
    // What recordings cannot judge, the run that follows will check.
    found.retain(|one| one.code != Code::NotChecked);
    print(found, config, context);
    Ok(())
}

/// Prints the diagnostics to standard output, with the secrets in the lines that they quote masked; nothing for none.
fn print(found: Vec<Diagnostic>, config: &Config, context: &Context) {
    if !found.is_empty() {
        let found = super::config::masked(found, config);
        let color = context.color(context.stdout_is_terminal);
        output::diagnostics(&diagnostic::render(&found, color, context.width));
    }
}

/// Judges each case of the plan on its first recording at `paths`. If `paths` is empty, takes its newest recording in
/// the history that passed, else the newest. A case without a recording is counted and judged on its goldens. Returns
/// the diagnostics of all cases in their order and their totals; diagnostics that are no errors count as doubts.
/// Warnings about recordings are printed.
async fn judge(
    config: &Config,
    context: &Context,
    plan: &Plan,
    paths: &[Utf8PathBuf],
) -> Result<(Vec<Diagnostic>, Totals), CliError> {
    let mut totals = Totals::default();
    let mut found = Vec::new();
    for case in &plan.cases {
        let result = judge_edit(config, context, case, paths).await?;
        for warning in result.warnings {
            output::note(&format!("warning: {warning}"));
        }
        if result.has_recording {
            totals.judged += result.judged;
        } else {
            totals.unrecorded += 1;
            totals.on_goldens += result.judged;
        }
        totals.unchanged += result.unchanged;
        found.extend(result.diagnostics);
    }
    let is_error = |one: &&Diagnostic| one.severity == diagnostic::Severity::Error;
    totals.errors = found.iter().filter(is_error).count();
    totals.doubts = found.len() - totals.errors;
    Ok((found, totals))
}

/// Unpacks each ZIP archive into a folder of its own below `folder` and returns the paths, in their order, with
/// those folders in place of the archives. What does not end in `.zip` stays. Prints a warning for each file left
/// out. An error for an archive that cannot be read.
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

impl Totals {
    /// Returns the summary in one line. Parts that count nothing are left out, except for steps judged and
    /// unchanged. Doubts are not in it.
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
        if self.on_goldens > 0 {
            let steps = count(self.on_goldens, "step");
            message.push_str(&format!(" ({steps} judged on goldens)"));
        }
        message
    }
}
