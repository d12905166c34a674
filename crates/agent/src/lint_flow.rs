//! Checks flows without running them: the tool `runner_lint_flow`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{AgentTool, Workspace, flow_files};
use runner_config::Config;
use runner_run::{Filter, MaestroLint, Plan};
use runner_text::diagnostic::{Diagnostic, Severity};
use runner_tools::{Effect, Failure, Outcome, Progress, blocking};

pub(super) struct LintFlow;

/// Arguments of `runner_lint_flow`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// File, folder or pattern. With `text`: where that stands. Without either: all flows.
    path: Option<String>,
    /// The YAML.
    text: Option<String>,
}

/// Number of flows that were read, and the diagnostics of all of them.
struct LintReport {
    flows: usize,
    diagnostics: Vec<Diagnostic>,
}

impl AgentTool for LintFlow {
    const NAME: &'static str = "runner_lint_flow";
    const SUMMARY: &'static str =
        "Checks flows without running them: every error with its line and help.";
    const HELP: &'static str = "Steps: runner://docs/steps.";
    const EFFECT: Effect = Effect::Reads;
    const SHARES_DEVICE: bool = false;

    type Args = Args;

    /// Checks the text as if it stood at `path`, else the saved flows there, else all flows. Findings are the answer,
    /// never a failure. A path or project without flows, and a text that is too long, are failures.
    async fn call(
        workspace: &Workspace,
        args: Args,
        _progress: &Progress,
    ) -> Result<Outcome, Failure> {
        let mut config = workspace.config.clone();
        let Some(text) = args.text else {
            if let Some(path) = &args.path {
                config.paths = vec![flow_files::to_read(workspace, path)?];
            }
            // On a thread for blocking work: a large project takes a while.
            return blocking(move || Ok(outcome(&saved(&config)?))).await?;
        };
        let path = flow_files::assumed_path(workspace, args.path.as_deref())?;
        blocking(move || {
            let read = flow_files::read_text_to_save(&config, &path, &text)?;
            let (flow, mut diagnostics) = read;
            diagnostics.extend(MaestroLint::check(&config, &flow));
            Ok(outcome(&LintReport {
                flows: 1,
                diagnostics,
            }))
        })
        .await?
    }
}

/// Reads the configured flows, and collects all errors and warnings. No flow at all is a failure.
fn saved(config: &Config) -> Result<LintReport, Failure> {
    let plan =
        Plan::read(config, &Filter::default()).map_err(|error| flow_files::not_found(&error))?;
    let mut diagnostics = plan.errors();
    diagnostics.extend(plan.warnings.iter().cloned());
    diagnostics.extend(MaestroLint::check(config, plan.flows().map(AsRef::as_ref)));
    Ok(LintReport {
        flows: plan.flows().count() + plan.unreadable.len(),
        diagnostics,
    })
}

/// Tells the findings and their number in words and as a value. The outcome passes in any case; its `ok` is true
/// without errors, whatever warns.
fn outcome(linted: &LintReport) -> Outcome {
    let errors = flow_files::errors(&linted.diagnostics);
    let warnings = linted.diagnostics.len() - errors;
    let mut total = flow_files::count(linted.flows, "flow");
    total.push_str(": ");
    total.push_str(&match errors {
        0 => "no errors".to_owned(),
        errors => flow_files::count(errors, "error"),
    });
    if warnings > 0 {
        total.push_str(", ");
        total.push_str(&flow_files::count(warnings, "warning"));
    }
    let text = if linted.diagnostics.is_empty() {
        total
    } else {
        format!("{}\n{total}", flow_files::rendered(&linted.diagnostics))
    };
    let found: Vec<Value> = linted.diagnostics.iter().map(described).collect();
    let value = json!({
        "ok": errors == 0,
        "flows": linted.flows,
        "errors": errors,
        "warnings": warnings,
        "diagnostics": found,
    });
    Outcome::value(text, value)
}

/// Returns a diagnostic as JSON. Line and column count from 1. `source` is the line without a line break; it
/// and `help` are `null` if there is none.
fn described(diagnostic: &Diagnostic) -> Value {
    let (line, column) = diagnostic.line_column();
    let source = diagnostic.source.text.lines().nth(line - 1);
    json!({
        "file": diagnostic.source.path,
        "line": line,
        "column": column,
        "severity": match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        "code": diagnostic.code.as_str(),
        "message": diagnostic.message,
        "source": source,
        "help": diagnostic.help,
    })
}
