//! `runner lint`.

use clap::Args;

use super::error::CliError;
use super::output;
use super::selection::FlowSelection;
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::diagnostic::{self, Diagnostic, Severity};
use crate::exit_code::ExitCode;
use crate::run::{Filter, Plan};
use crate::virtual_device;

/// Arguments of `runner lint`.
#[derive(Debug, Args)]
pub struct LintArguments {
    #[command(flatten)]
    flows: FlowSelection,
}

/// Reads flows, and the apps of `runner.yaml`, and prints what is wrong with them.
pub fn run(arguments: &LintArguments, context: &Context) -> Result<ExitCode, CliError> {
    let overrides = Overrides {
        paths: arguments.flows.paths.clone(),
        ..Overrides::default()
    };
    let config = Config::resolve(context, &overrides)?;
    let plan = Plan::read(&config, &Filter::default())?;
    let errors = plan.errors();
    let mut found = errors.clone();
    found.extend(plan.warnings.iter().cloned());
    let apps = if arguments.flows.paths.is_empty() {
        check_apps(&config)
    } else {
        // Who names flows means only these.
        Vec::new()
    };
    found.extend(apps.iter().cloned());
    if !found.is_empty() {
        output::text(&diagnostic::render(
            &found,
            context.color(context.stdout_is_terminal),
            context.width,
        ));
    }
    let bad = plan.unreadable.len();
    let read = bad + plan.flows.len();
    let app_errors = apps
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .count();
    let errors = errors.len();
    let mut told = match errors {
        0 => format!("{}: no errors", count(read, "flow")),
        _ => format!(
            "{}: {} in {}",
            count(read, "flow"),
            count(errors, "error"),
            count(bad, "flow")
        ),
    };
    if app_errors > 0 {
        told.push_str(&format!("; apps: {}", count(app_errors, "error")));
    }
    output::note(&told);
    Ok(if errors + app_errors == 0 {
        ExitCode::Passed
    } else {
        ExitCode::Usage
    })
}

/// What is wrong with the apps of `runner.yaml`.
fn check_apps(config: &Config) -> Vec<Diagnostic> {
    let folders = config.apps.value.iter();
    folders
        .flat_map(|folder| virtual_device::check_app(&config.root.join(folder), folder))
        .collect()
}

fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
