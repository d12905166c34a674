//! `runner test --list`: prints the cases that would run, for people and for the matrix of a CI.

use serde::Serialize;

use super::error::CliError;
use super::output;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::run::Plan;
use runner_event::CaseId;

/// Format of `--list`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ListFormat {
    /// One line per case.
    #[default]
    Text,
    /// One JSON array.
    Json,
}

/// A case in the JSON list.
#[derive(Serialize)]
struct ListedCase<'a> {
    #[serde(flatten)]
    id: CaseId,
    name: &'a str,
    tags: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    app: Option<&'a str>,
}

/// Prints the cases of the plan to standard output, in its order, as JSON on one line or one a line. Errors of
/// unreadable flows go to standard error, and the exit code is 2 then, else 0. No cases give `[]` or nothing.
pub(super) fn run(
    plan: &Plan,
    format: ListFormat,
    context: &Context,
) -> Result<ExitCode, CliError> {
    let cases = plan.cases.iter().map(|case| ListedCase {
        id: case.id(),
        name: &case.flow.name,
        tags: &case.flow.tags,
        app: case.flow.app.as_deref(),
    });
    match format {
        ListFormat::Json => {
            let cases: Vec<ListedCase> = cases.collect();
            let json = serde_json::to_string(&cases)
                .map_err(|error| CliError::Failed(error.to_string()))?;
            // On one line, as outputs of a step of GitHub Actions must be.
            output::line(&json);
        }
        ListFormat::Text => {
            for case in cases {
                let tags = match case.tags {
                    [] => String::new(),
                    tags => format!("  [{}]", tags.join(", ")),
                };
                output::line(&format!("{}  {}{tags}", case.id, case.name));
            }
        }
    }
    if plan.unreadable.is_empty() {
        return Ok(ExitCode::Passed);
    }
    output::diagnostics_to_stderr(&crate::diagnostic::render(
        &plan.errors(),
        context.color(context.stderr_is_terminal),
        context.width,
    ));
    Ok(ExitCode::Usage)
}
