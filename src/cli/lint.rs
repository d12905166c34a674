//! `runner lint`.

use clap::Args;

use super::error::CliError;
use super::output;
use super::selection::FlowSelection;
use crate::config::{Config, Overrides};
use crate::context::Context;
use crate::diagnostic;
use crate::exit_code::ExitCode;
use crate::run::{Filter, Plan};

/// Arguments of `runner lint`.
#[derive(Debug, Args)]
pub struct LintArguments {
    #[command(flatten)]
    flows: FlowSelection,
}

/// Reads flows and prints what is wrong with them.
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
    if !found.is_empty() {
        output::text(&diagnostic::render(
            &found,
            context.color(context.stdout_is_terminal),
            context.width,
        ));
    }
    let bad = plan.unreadable.len();
    let read = bad + plan.flows.len();
    let errors = errors.len();
    output::note(&match errors {
        0 => format!("{}: no errors", count(read, "flow")),
        _ => format!(
            "{}: {} in {}",
            count(read, "flow"),
            count(errors, "error"),
            count(bad, "flow")
        ),
    });
    Ok(if errors == 0 {
        ExitCode::Passed
    } else {
        ExitCode::Usage
    })
}

fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
