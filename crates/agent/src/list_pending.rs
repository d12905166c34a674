//! Lists the snapshots that wait for review: the tool `runner_list_pending`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::runs::blocking;
use super::{AgentTool, Workspace};
use runner_snapshot::PendingEntry;
use runner_tools::{Effect, Failure, Outcome, Progress};

pub(super) struct ListPending;

/// Arguments of `runner_list_pending`: none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {}

impl AgentTool for ListPending {
    const NAME: &'static str = "runner_list_pending";
    const SUMMARY: &'static str =
        "Lists the snapshots that wait for review: those that are new or differ from their golden.";
    const HELP: &'static str = "Of those with the same cause, look at one with runner_diff_snapshot. A person accepts with `runner accept KEY`.";
    const EFFECT: Effect = Effect::Reads;
    const SHARES_DEVICE: bool = false;

    type Args = Args;

    /// Lists what waits for review, after repairing a store whose last change was cut off. Nothing to review is an
    /// empty list and no failure.
    async fn call(
        workspace: &Workspace,
        _args: Args,
        _progress: &Progress,
    ) -> Result<Outcome, Failure> {
        let config = workspace.config.clone();
        let entries = blocking(move || config.recovered_store()?.pending()).await?;
        let text = if entries.is_empty() {
            "nothing to review".to_owned()
        } else {
            let lines: Vec<String> = entries.iter().map(line).collect();
            lines.join("\n")
        };
        let value: Vec<Value> = entries.iter().map(described).collect();
        Ok(Outcome::value(text, json!({ "pending": value })))
    }
}

/// Returns the key, with the cause if it is known.
fn line(entry: &PendingEntry) -> String {
    match &entry.cause {
        Some(cause) => format!("{}  {}: {}", entry.key, cause.kind.as_str(), cause.title),
        None => entry.key.to_string(),
    }
}

/// Returns a pending golden as JSON. Entries whose cause has the same `id` changed for the same reason.
pub(super) fn described(entry: &PendingEntry) -> Value {
    let files: Vec<Value> = entry
        .files
        .iter()
        .map(|file| json!({ "pending": file.pending, "golden": file.golden }))
        .collect();
    json!({ "key": entry.key.to_string(), "cause": entry.cause, "files": files })
}
