//! Saves a flow into the project: the tool `runner_save_flow`.

use camino::Utf8PathBuf;
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

    /// Saves a text as a flow, and creates missing folders. One with errors is not saved and is a failure of usage; that
    /// it would share a golden with another flow is an error. Warnings are told. An existing file is replaced only with
    /// `overwrite`, else that is a failure of usage too.
    async fn call(
        workspace: &Workspace,
        args: Args,
        _progress: &Progress,
    ) -> Result<Outcome, Failure> {
        let full = flow_files::to_write(workspace, &args.path)?;
        let display = flow_files::display_path(workspace, &full);
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::tests::Project;

    /// A flow that is saved or linted under a name reads there as well.
    #[tokio::test]
    async fn a_flow_that_could_not_run_beside_the_others_is_not_saved() {
        let project = Project::new();
        let text = "app: com.example.notes\nsteps: [ launch, { snapshot: one } ]\n";
        let rows = format!("each: [ {{ user: a }} ]\n{text}");
        let args = |path: &str, text: &str| json!({ "path": path, "text": text });
        project
            .call("runner_save_flow", args("a.yaml", text))
            .await
            .unwrap();
        for (path, text, words) in [
            ("a.yml", text, "`a/one` also belongs to flows/a.yaml"),
            ("A.yaml", text, "also belongs to flows/a.yaml"),
            ("a\\b.yaml", text, "`a/b.yaml`"),
        ] {
            let refused = project.call("runner_save_flow", args(path, text)).await;
            let message = refused.unwrap_err().message.to_string();
            assert!(message.contains(words), "{path}: {message}");
        }
        let linted = project
            .call("runner_lint_flow", args("a.yml", text))
            .await
            .unwrap();
        assert_eq!(linted.value["errors"], 1);
        for (path, text) in [("b.yaml", text), ("b/c.yaml", rows.as_str())] {
            let saved = project.call("runner_save_flow", args(path, text)).await;
            assert!(saved.is_ok(), "{path}: {saved:?}");
        }
        let mut again = args("a.yaml", text);
        again["overwrite"] = true.into();
        assert!(project.call("runner_save_flow", again).await.is_ok());
    }
}
