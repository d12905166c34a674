//! Reports of a run that its arguments and settings ask for.

use std::collections::BTreeSet;

use super::arguments::TestArguments;
use crate::cli::error::CliError;
use crate::cli::flow_choice;
use crate::cli::report::{github, junit_options};
use crate::cli::report_files::{self, NamedOutput, NamedOutputs, Outputs};
use crate::config::{Config, Origin};
use crate::context::Context;
use crate::history::{History, Trends};
use crate::report::{
    Allure, Html, JsonStream, Junit, Repetition, Reports, Terminal, TerminalStyle,
};
use crate::run;
use camino::Utf8PathBuf;
use runner_base::files::real_path;
use runner_base::output_file::{OutputError, shown_from};

/// Returns what a setting that is not the default was given by: the option, the variable, or the key of `runner.yaml`.
fn given_by(origin: &Origin, option: &'static str, key: &str) -> Option<String> {
    (*origin != Origin::Default).then(|| origin.name_of(option, key))
}

/// Returns what the folder of artifacts was given by; `None` for the default.
fn artifacts_option(config: &Config) -> Option<String> {
    given_by(&config.artifacts.origin, "--artifacts", "reports.artifacts")
}

/// Returns how a person repeats what failed in a run with `arguments`. Paths, devices and values that the command line
/// alone names are needed again: the flows may be none of the project's, or run otherwise without them.
fn repetition(arguments: &TestArguments, is_attended: bool) -> Repetition {
    if arguments.watch && is_attended {
        Repetition::Keys
    } else if arguments.flows.paths.is_empty()
        && arguments.device.devices.is_empty()
        && arguments.env.is_empty()
        && arguments.env_file.is_none()
    {
        Repetition::LastFailed
    } else {
        Repetition::SameArguments
    }
}

/// Refuses a named folder of artifacts that holds flows or goldens, links followed, or that lies among the goldens.
fn check_artifacts(
    config: &Config,
    plan: &run::Plan,
    context: &Context,
) -> Result<(), OutputError> {
    let artifacts = &config.artifacts;
    let Some(option) = artifacts_option(config) else {
        return Ok(());
    };
    let folder = real_path(&artifacts.value);
    let root = real_path(&config.root);
    let is_folder = |path: &Utf8PathBuf| real_path(path) == folder;
    let flows = plan.flows().map(|flow| &flow.source.path);
    let flows = flows.chain(plan.unreadable.iter().map(|(path, _)| path));
    // Many flows lie in one folder, and each real path asks the system.
    let among: BTreeSet<Utf8PathBuf> = flows
        .filter_map(|path| Some(config.root.join(path).parent()?.to_owned()))
        .collect();
    let goldens = real_path(&config.root.join(&config.snapshots.value));
    let holds_flow = || among.iter().any(|it| real_path(it).starts_with(&folder));
    let held = if folder == root || config.flow_paths().iter().any(is_folder) || holds_flow() {
        "flows"
    } else if goldens.starts_with(&folder) || goldens != root && folder.starts_with(&goldens) {
        "goldens"
    } else {
        return Ok(());
    };
    Err(OutputError::Holds {
        path: shown_from(&context.working_folder, &artifacts.value),
        held,
        option,
    })
}

/// Refuses outputs in the folder of the history, links followed: later runs warn of each.
fn check_beside_history<'a>(
    outputs: impl IntoIterator<Item = NamedOutput<'a>>,
    config: &Config,
    context: &Context,
) -> Result<(), OutputError> {
    let history = real_path(&config.history_folder());
    for (path, option) in outputs {
        let Some(path) = path else { continue };
        let path = context.working_folder.join(path);
        if real_path(&path).starts_with(&history) {
            return Err(OutputError::InHistory {
                path: shown_from(&context.working_folder, &path),
                option: option.to_owned(),
            });
        }
    }
    Ok(())
}

/// Checks all files and folders that reports are written to, before anything is written.
fn claim_outputs(
    config: &Config,
    plan: &run::Plan,
    context: &Context,
) -> Result<Outputs, OutputError> {
    let option = artifacts_option(config);
    let history_option = given_by(&config.history.origin, "--history", "reports.history");
    for (folder, option) in [
        (&config.artifacts, &option),
        (&config.history, &history_option),
    ] {
        if let Some(option) = option {
            report_files::must_be_folder(&folder.value, &context.working_folder, option)?;
        }
    }
    check_artifacts(config, plan, context)?;
    let junit = config.junit.origin.name_of("--junit", "reports.junit");
    let json = config.json.origin.name_of("--json", "reports.json");
    let html = config.html.origin.name_of("--html", "reports.html");
    let allure = config.allure.origin.name_of("--allure", "reports.allure");
    let named = NamedOutputs {
        junit: (config.junit.value.as_ref(), &junit),
        json: (config.json.value.as_ref(), &json),
        archive: (None, ""),
        html: (config.html.value.as_ref(), &html),
        allure: (config.allure.value.as_ref(), &allure),
    };
    let artifacts = option.as_ref().map(|_| &config.artifacts.value);
    let artifacts = (artifacts, option.as_deref().unwrap_or_default());
    let outputs = [named.junit, named.json, named.html, named.allure, artifacts];
    check_beside_history(outputs, config, context)?;
    Outputs::claim(&named, context)
}

/// Sets up all reports that were asked for, the terminal and the stream of the last run. All paths are
/// checked first. The order counts: a later report may tell that an earlier one could not be written. Returns
/// an error if a report's file is in a folder of artifacts that the run empties.
pub(in crate::cli) fn reports(
    arguments: &TestArguments,
    config: &Config,
    plan: &run::Plan,
    context: &Context,
) -> Result<Reports, CliError> {
    // Before a report is begun: none is made where another would replace what is not its own.
    let outputs = claim_outputs(config, plan, context)?;
    for file in outputs.files() {
        if run::is_emptied(&config.artifacts.value, plan, file.path()) {
            return Err(CliError::Usage(format!(
                "a run empties the folder of {}; give {} a path outside of the artifacts",
                file.path(),
                file.option()
            )));
        }
    }
    let json = config.json.value.as_deref();
    let junit = config.junit.value.as_ref();
    let (term, attended) = report_files::terminal(&[config.json.value.as_ref(), junit], context);
    let style = TerminalStyle {
        color: context.color(attended),
        // Redrawn lines would fill the log of a CI system.
        live: attended && !context.is_ci(),
        width: context.width,
        repetition: repetition(arguments, attended),
    };
    let base = Some(context.working_folder.clone());
    let mut reports =
        Reports::new().with(Terminal::on_term(&term, style, arguments.verbosity(), base));
    if let Some(folder) = &config.html.value {
        let history = History::read(&config.history.value);
        flow_choice::print_warnings(&history.warnings);
        let trends = Trends::from_history(&history, None);
        let html = match &outputs.html {
            Some(output) => Html::in_one_file(output.clone()),
            None => Html::create(folder.clone())?,
        };
        reports = reports.with(html.with_trends(trends));
    }
    if let Some(folder) = &config.allure.value {
        reports = reports.with(Allure::create(folder.clone())?);
    }
    if let Some(option) = artifacts_option(config) {
        // After a report that may lie in the same folder, and wants an empty one the first time.
        run::claim_artifacts(&config.artifacts.value, plan, &option)?;
    }
    if json.is_some_and(|path| path == "-") {
        reports = reports.with(JsonStream::new(Box::new(std::io::stdout())));
    }
    if let Some(output) = &outputs.json {
        reports = reports.with(JsonStream::create(output)?);
    }
    if let Some(last) = JsonStream::create_last_run(&config.root) {
        reports = reports.with(last);
    }
    if let Some(github) = github(context, config.html.value.as_ref()) {
        // After the terminal, and to the same place: GitHub reads both streams.
        reports = reports.with(github.annotating(Box::new(term)));
    }
    // The last: that another report cannot be written fails the run, and this one says so.
    if let Some(output) = outputs.junit {
        let mut options = junit_options(context, arguments.files.junit_strict);
        options.suite_name = arguments.spellings.suite_name();
        reports = reports.with(Junit::new(output, options));
    }
    Ok(reports)
}
