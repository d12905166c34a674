//! Saves a flow into the project: the tool `runner_save_flow`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{AgentTool, Workspace, flow_files};
use runner_base::files;
use runner_tools::{Effect, Failure, Outcome, Progress, blocking};

pub(super) struct SaveFlow;

/// Arguments of `runner_save_flow`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Where, such as `login.yaml`.
    path: String,
    /// The YAML.
    text: String,
    /// Replace a file that is there.
    #[serde(default)]
    overwrite: bool,
}

impl AgentTool for SaveFlow {
    const NAME: &'static str = "runner_save_flow";
    const SUMMARY: &'static str = "Saves a flow into the project. A flow with errors is not saved.";
    const EFFECT: Effect = Effect::Destroys;
    const SHARES_DEVICE: bool = false;

    type Args = Args;

    /// Saves a text as a flow, and creates missing folders. One with errors is not saved and is a failure of usage;
    /// warnings are told. An existing file is replaced only with `overwrite`, else that is a failure of usage too.
    async fn call(
        workspace: &Workspace,
        args: Args,
        _progress: &Progress,
    ) -> Result<Outcome, Failure> {
        let full = flow_files::to_write(workspace, &args.path)?;
        let display = flow_files::display_path(workspace, &full);
        let (_, diagnostics) = flow_files::read_text_blocking(
            &workspace.config,
            display.clone().into(),
            args.text.clone(),
        )
        .await?;
        let errors = flow_files::errors(&diagnostics);
        if errors > 0 {
            return Err(Failure::usage(format!(
                "not saved: {display} has {}\n{}",
                flow_files::count(errors, "error"),
                flow_files::rendered(&diagnostics)
            )));
        }
        let existed = full.exists();
        if existed && !args.overwrite {
            return Err(Failure::usage(format!(
                "{display} is there already; choose another path, or say `overwrite: true`"
            )));
        }
        let text = args.text;
        blocking(move || files::write_durable(&full, text.as_bytes()))
            .await?
            .map_err(|error| {
                Failure::infrastructure(format!("{display} could not be written: {error}"))
            })?;
        let word = if existed { "replaced" } else { "saved" };
        let mut message = format!("{word} {display}");
        if !diagnostics.is_empty() {
            message.push('\n');
            message.push_str(&flow_files::rendered(&diagnostics));
        }
        let value = json!({ "path": display, "replaced": existed });
        Ok(Outcome::value(message, value))
    }
}
