//! `runner lint`: checks flows and apps without running anything.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;

use super::app_check::check_app;
use super::count::count;
use super::error::CliError;
use super::missing_files::missing_files;
use super::selection::FlowSelection;
use super::{lint_maestro, output, recording_lint};
use crate::config::{Config, Overrides, is_package};
use crate::context::Context;
use crate::diagnostic::{self, Code, Diagnostic, Severity, Source};
use crate::exit_code::ExitCode;
use crate::flow::document::problem;
use crate::run::{Filter, MaestroLint, Plan};
use crate::secret::MIN_MASKED_CHARS;
use crate::virtual_device::app_advice;

#[derive(Debug, Args)]
pub struct LintArguments {
    #[command(flatten)]
    flows: FlowSelection,
    /// List what of Maestro's flows below PATH cannot run here, a line each, and count it
    #[arg(long)]
    maestro: bool,

    /// Judge what was edited on recorded screens: files or folders of recordings, else those of the history
    #[arg(long, value_name = "RECORDING", num_args = 0..)]
    against: Option<Vec<Utf8PathBuf>>,

    /// With --against: what no recording says fails too
    #[arg(long, requires = "against")]
    strict: bool,
}

/// Checks the flows, prints the diagnostics to standard output, and the counts to standard error. Apps and goldens
/// of the project are checked only if no flow is named. Exits with 2 for errors in flows or apps, not for warnings,
/// such as goldens that disagree. If there are no errors and `--against` is given, judges the flows on recordings
/// too, and exits as that does. With `--maestro` only does what `lint_maestro::run` says.
pub fn run(arguments: &LintArguments, context: &Context) -> Result<ExitCode, CliError> {
    if arguments.maestro {
        return lint_maestro::run(&arguments.flows.paths, context);
    }
    let overrides = Overrides {
        paths: arguments.flows.paths.clone(),
        ..Overrides::default()
    };
    let config = Config::resolve(context, &overrides)?;
    let plan = Plan::read(&config, &Filter::default())?;
    let errors = plan.errors();
    let mut found = errors.clone();
    found.extend(plan.warnings.iter().cloned());
    let mut maestro = MaestroLint::new(&config);
    let of_scripts: Vec<usize> = plan.flows().map(|flow| maestro.add(flow)).collect();
    found.extend(maestro.finish());
    found.extend(missing_files(&config, &plan));
    let apps = if arguments.flows.paths.is_empty() {
        check_apps(&config)
    } else {
        // If flows are named on the command line, only these are checked.
        Vec::new()
    };
    found.extend(apps.iter().cloned());
    // Errors of flows are masked already. All else quotes lines of flows and of runner.yaml too.
    let mut found = super::config::masked(found, &config);
    if arguments.flows.paths.is_empty() {
        found.extend(disagreements(&config)?);
    }
    if !found.is_empty() {
        output::diagnostics(&diagnostic::render(
            &found,
            context.color(context.stdout_is_terminal),
            context.width,
        ));
    }
    for name in short_secrets(&config, &plan) {
        output::note(&format!(
            "warning: the value of the secret `{name}` has fewer than {MIN_MASKED_CHARS} characters, so that it is masked only where it is a whole value: take a longer one"
        ));
    }
    let bad = plan.unreadable.len();
    let read = bad + plan.flows().count();
    let bad = bad + of_scripts.iter().filter(|errors| **errors > 0).count();
    // A flow that does not read has its warnings among them.
    let is_error = |it: &&Diagnostic| it.severity == Severity::Error;
    let app_errors = apps.iter().filter(is_error).count();
    let errors = errors.iter().filter(is_error).count() + of_scripts.iter().sum::<usize>();
    let mut message = match errors {
        0 => format!("{}: no errors", count(read, "flow")),
        _ => format!(
            "{}: {} in {}",
            count(read, "flow"),
            count(errors, "error"),
            count(bad, "flow")
        ),
    };
    if app_errors > 0 {
        message.push_str(&format!("; apps: {}", count(app_errors, "error")));
    }
    output::note(&message);
    if errors + app_errors > 0 {
        return Ok(ExitCode::Usage);
    }
    match &arguments.against {
        Some(paths) => recording_lint::run(&config, context, &plan, paths, arguments.strict),
        None => Ok(ExitCode::Passed),
    }
}

/// Returns the diagnostics of the apps that `runner.yaml` names: those of a virtual app's files, an error for a
/// folder that is not there, and a warning for a missing APK. Empty if all is well; an APK that is there is not
/// read.
fn check_apps(config: &Config) -> Vec<Diagnostic> {
    let apps = config.apps.value.iter();
    apps.flat_map(|path| {
        if is_package(path) {
            missing_package(config, path).into_iter().collect()
        } else if let Some(wrong) = no_app_folder(config, path) {
            vec![wrong]
        } else {
            check_app(&config.root.join(path), path)
        }
    })
    .collect()
}

/// Returns an error at its line of `runner.yaml` for an app that is no folder: one that is not there, or the file
/// `app.yaml` in place of its folder. `None` for a folder, whatever is in it, and if the path is not written in
/// `runner.yaml` as it is.
fn no_app_folder(config: &Config, path: &Utf8Path) -> Option<Diagnostic> {
    let folder = config.root.join(path);
    if folder.is_dir() {
        return None;
    }
    let (source, place) = place_of_app(config, path)?;
    let message = if matches!(path.file_name(), Some("app.yaml" | "app.yml")) {
        format!("`apps` names the file `{path}`, and an app is the folder around it")
    } else {
        format!("`apps` names `{path}`, and there is no such folder")
    };
    let around = path.parent().map(Utf8Path::as_str).unwrap_or_default();
    let help = if folder.is_file() && !around.is_empty() {
        format!("write `apps: [{around}]`")
    } else {
        app_advice(&folder, path).unwrap_or_else(|| no_app(path))
    };
    Some(Diagnostic {
        help: Some(help),
        ..problem(source, Some(&place), Code::Unreadable, message)
    })
}

/// Returns advice for a path in `apps` that no app is near to: for a list in one text, a pattern, a package, else
/// what an app is. Looks at no file.
fn no_app(path: &Utf8Path) -> String {
    let text = path.as_str();
    if text.contains(',') {
        let paths: Vec<&str> = text.split(',').map(str::trim).collect();
        return format!("write a list: `apps: [{}]`", paths.join(", "));
    }
    if text.contains(['*', '?']) {
        return "write the path of each app: `apps` takes no patterns".to_owned();
    }
    if text.matches('.').count() > 1 {
        return format!(
            "write `app: {path}` in the header of each flow for a package; an app here is an APK, or a folder with an `app.yaml`"
        );
    }
    "an app is an APK, or a folder with an `app.yaml`; the path is relative to runner.yaml"
        .to_owned()
}

/// Returns the place of an app in `runner.yaml`. `None` if the path is not written there as it is.
fn place_of_app<'a>(
    config: &'a Config,
    path: &Utf8Path,
) -> Option<(&'a Arc<Source>, Range<usize>)> {
    let source = config.project_source.as_ref()?;
    let list = source.text.find("apps:")?;
    let start = list + source.text[list..].find(path.as_str())?;
    Some((source, start..start + path.as_str().len()))
}

/// Returns a warning if the APK does not exist, relative to the root; `None` if it does. It stands at its line of
/// `runner.yaml`, or without a line if the path is not written there as it is. It may still be built before the run,
/// so it is no error.
fn missing_package(config: &Config, path: &Utf8Path) -> Option<Diagnostic> {
    let is_there = config.root.join(path).exists();
    let unread = Source::unread(Utf8Path::new("runner.yaml"));
    let (file, place) = match place_of_app(config, path) {
        Some((source, place)) => (source, Some(place)),
        None => (&unread, None),
    };
    let message = format!("`apps` names `{path}`, and there is no such file yet");
    (!is_there).then(|| Diagnostic {
        help: Some(
            "build it before the run, or correct the path: it is relative to runner.yaml"
                .to_owned(),
        ),
        ..problem(file, place.as_ref(), Code::Doubtful, message)
    })
}

/// Returns a diagnostic for each render class whose rows differ from the shared rows in more than bounds and
/// visibility, as a merge may leave them, at the line where they differ. Empty if all agree. An error if the goldens
/// cannot be read.
fn disagreements(config: &Config) -> Result<Vec<Diagnostic>, CliError> {
    let found = config.store().disagreements()?;
    Ok(found
        .into_iter()
        .map(|found| {
            let before: usize = found
                .text
                .split_inclusive('\n')
                .take(found.line.saturating_sub(1))
                .map(str::len)
                .sum();
            let line = found.text[before..].lines().next().unwrap_or_default();
            Diagnostic {
                code: Code::RowsDisagree,
                severity: Code::RowsDisagree.severity(),
                message: found.what,
                span: before..before + line.len(),
                source: Arc::new(Source {
                    path: found.path,
                    text: found.text,
                }),
                labels: Vec::new(),
                help: Some(
                    "run its flow on a device of this class with `--update changed`: a merge may have joined two screens"
                        .to_owned(),
                ),
            }
        })
        .collect())
}

/// Returns the names of secrets of the project and the flows whose values, trimmed, have fewer than
/// [`MIN_MASKED_CHARS`] characters, so short that they occur in other texts by chance. Empty values do not count.
/// Only values from the command line and `runner.yaml` are known.
fn short_secrets(config: &Config, plan: &Plan) -> BTreeSet<String> {
    let of_flows = plan.flows().flat_map(|flow| &flow.secrets);
    let is_short = |value: &String| (1..MIN_MASKED_CHARS).contains(&value.trim().chars().count());
    of_flows
        .chain(&config.secrets)
        .filter(|name| {
            let given = config.command_env.get(*name).or(config.file_env.get(*name));
            given.is_some_and(is_short)
        })
        .cloned()
        .collect()
}
