//! Accepts pending snapshots, if the server may: the tool `runner_accept_snapshot`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::runs::blocking;
use super::{AgentTool, Workspace};
use runner_snapshot::Selection;
use runner_text::shell::operands_to_copy;
use runner_tools::{Effect, Failure, Outcome, Progress};

/// Tool that makes pending snapshots the goldens, if the person who started the server allows it.
pub(super) struct AcceptSnapshot;

/// Arguments of `runner_accept_snapshot`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Their keys; patterns are allowed.
    #[schemars(length(min = 1))]
    keys: Vec<String>,
}

impl AgentTool for AcceptSnapshot {
    const NAME: &'static str = "runner_accept_snapshot";
    const SUMMARY: &'static str = "Makes pending snapshots the goldens. Only where the server was started with --allow-accept.";
    const HELP: &'static str = "Look at each with runner_diff_snapshot first.";
    const EFFECT: Effect = Effect::Destroys;
    const SHARES_DEVICE: bool = false;

    type Args = Args;

    /// Makes the pending goldens with these keys or patterns the goldens, after repairing a store whose last change was
    /// cut off. Reports refused keys beside the accepted ones, and fails if all are refused. No keys, a key that matches
    /// nothing pending, and a server that may not accept, are failures of usage that change nothing.
    async fn call(
        workspace: &Workspace,
        args: Args,
        _progress: &Progress,
    ) -> Result<Outcome, Failure> {
        if args.keys.is_empty() {
            return Err(Failure::usage(
                "`keys` is empty; runner_list_pending names what waits for review",
            ));
        }
        if !workspace.allow_accept {
            return Err(Failure::usage(format!(
                "this server may not accept snapshots: a person runs `runner accept {}`, or starts the server with --allow-accept",
                operands_to_copy(args.keys.iter().map(String::as_str))
            )));
        }
        let config = workspace.config.clone();
        let selection = Selection::Keys(args.keys);
        let done = blocking(move || config.recovered_store()?.accept(&selection)).await?;
        let accepted: Vec<String> = done.accepted.iter().map(ToString::to_string).collect();
        let refused: Vec<(String, String)> = done
            .refused
            .iter()
            .map(|(key, error)| (key.to_string(), error.to_string()))
            .collect();
        let lines = accepted.iter().map(|key| format!("accepted  {key}"));
        let stored = refused
            .iter()
            .map(|(key, error)| format!("{key} was not accepted: {error}"));
        let words = done.in_words();
        let text = lines
            .chain(stored)
            .chain(words)
            .collect::<Vec<_>>()
            .join("\n");
        if accepted.is_empty() && !refused.is_empty() {
            return Err(Failure::usage(text));
        }
        let refused: Vec<_> = refused
            .into_iter()
            .map(|(key, error)| json!({ "key": key, "why": error }))
            .collect();
        let causes: Vec<_> = done
            .by_cause()
            .into_iter()
            .map(|(cause, _)| cause)
            .collect();
        let value = json!({ "accepted": accepted, "causes": causes, "refused": refused });
        Ok(Outcome::value(text, value))
    }
}
