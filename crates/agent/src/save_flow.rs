//! Saves a flow into the project: the tool `runner_save_flow`.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{AgentTool, Workspace, flow_files};
use runner_base::files;
use runner_text::input_file::{MAX_TEXT, read_text};
use runner_text::secret::MASK;
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

    /// Saves a text as a flow, and creates missing folders. One with errors is not saved and is a failure of usage; that
    /// it would share a golden with another flow is an error. Warnings are told. An existing file is replaced only with
    /// `overwrite`, and not where the text has a mask in place of a secret; else that is a failure of usage too.
    async fn call(
        workspace: &Workspace,
        args: Args,
        _progress: &Progress,
    ) -> Result<Outcome, Failure> {
        let full = flow_files::to_write(workspace, &args.path)?;
        let display = flow_files::display_path(workspace, &full);
        let existed = full.exists();
        // Before it is read: a mask without quotes is no YAML.
        if existed && args.overwrite {
            refuse_masks(workspace, &full, &args.text)?;
        }
        let (config, text) = (workspace.config.clone(), args.text.clone());
        let path = Utf8PathBuf::from(display.as_str());
        let read = move || flow_files::read_text_to_save(&config, &path, &text);
        let (_, diagnostics) = blocking(read).await??;
        let errors = flow_files::errors(&diagnostics);
        if errors > 0 {
            return Err(Failure::usage(format!(
                "not saved: {display} has {}\n{}",
                flow_files::count(errors, "error"),
                flow_files::rendered(&diagnostics)
            )));
        }
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

/// Refuses a text that has a mask in a line that is not in the file, if the file holds a secret: whoever read it saw a
/// mask there, which would be written over the value. A file that cannot be read as a text holds none.
fn refuse_masks(workspace: &Workspace, file: &Utf8Path, text: &str) -> Result<(), Failure> {
    let Ok(old) = read_text(file, MAX_TEXT) else {
        return Ok(());
    };
    if workspace.scrubber.scrub_outside(&old) == old {
        return Ok(());
    }
    let kept: HashSet<&str> = old.lines().map(str::trim).collect();
    let mut lines = text.lines().map(str::trim);
    let masked = lines.position(|line| line.contains(MASK) && !kept.contains(line));
    let Some(masked) = masked else {
        return Ok(());
    };
    Err(Failure::usage(format!(
        "not saved: line {} has `{MASK}` in place of a secret of the file, whose value would be lost; write there how the \
         flow gets the value, such as `${{os.NAME}}`, or leave the file to a person",
        masked + 1
    )))
}
