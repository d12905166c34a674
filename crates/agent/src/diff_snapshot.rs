//! Shows a pending snapshot beside its golden: the tool `runner_diff_snapshot`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::runs::blocking;
use super::{AgentTool, Workspace, list_pending, picture};
use runner_snapshot::PendingDiff;
use runner_tools::{Effect, Failure, Outcome, Progress};

/// Rows of a new snapshot that are listed. Chosen: all of them are new, and the picture shows them better.
const MAX_NEW_ROWS: usize = 20;

pub(super) struct DiffSnapshot;

/// Arguments of `runner_diff_snapshot`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Its key, as `runner_list_pending` or a run gives it: `login/home~CLASS`.
    key: String,
}

impl AgentTool for DiffSnapshot {
    const NAME: &'static str = "runner_diff_snapshot";
    const SUMMARY: &'static str = "Shows what a pending snapshot changes: its rows in words, and golden, new picture and difference side by side.";
    const HELP: &'static str = "Red in the difference is what changed. A person accepts what is meant: `runner accept KEY`.";
    const EFFECT: Effect = Effect::Reads;
    const SHARES_DEVICE: bool = false;

    type Args = Args;

    /// Shows the pending golden of this key, after repairing a store whose last change was cut off. Accepts nothing.
    /// The key may leave out the class if only one is pending; a key that is not pending, or is that of several, is a
    /// failure.
    async fn call(
        workspace: &Workspace,
        args: Args,
        _progress: &Progress,
    ) -> Result<Outcome, Failure> {
        let config = workspace.config.clone();
        blocking(move || {
            let diff = config.recovered_store()?.pending_diff(&args.key)?;
            Ok(answer(&diff))
        })
        .await
    }
}

/// Describes a pending golden in words, with golden, new picture and difference in one picture. Of a new golden at
/// most [`MAX_NEW_ROWS`] rows are told.
fn answer(diff: &PendingDiff) -> Outcome {
    let key = diff.entry.key.to_string();
    let mut lines = vec![if diff.is_new {
        format!("{key} is new; it would hold")
    } else {
        format!("{key} would change")
    }];
    let displayed = if diff.is_new {
        MAX_NEW_ROWS
    } else {
        usize::MAX
    };
    lines.extend(
        diff.rows
            .iter()
            .take(displayed)
            .map(|row| format!("- {row}")),
    );
    if diff.rows.len() > displayed {
        let more = diff.rows.len() - displayed;
        lines.push(format!("- … and {more} more, all added"));
    }
    if diff.rows.is_empty() {
        lines.push("- no row".to_owned());
    }
    if let Some(pixels) = &diff.pixels {
        lines.push(format!("picture: {pixels}"));
    }
    lines.push(format!(
        "cause: {}: {}",
        diff.cause.kind.as_str(),
        diff.cause.changes.join("; ")
    ));
    let sides = [
        diff.golden.as_deref(),
        diff.proposed.as_deref(),
        diff.difference.as_ref(),
    ];
    let panels: Vec<_> = sides.into_iter().flatten().collect();
    let names: Vec<&str> = ["golden", "new", "difference"]
        .into_iter()
        .zip(sides)
        .filter_map(|(name, side)| side.map(|_| name))
        .collect();
    if !names.is_empty() {
        lines.push(format!(
            "the picture shows, from left to right: {}",
            names.join(", ")
        ));
    }
    let mut value = json!({ "new": diff.is_new, "rows": diff.rows, "picture": diff.pixels });
    if let (Some(map), serde_json::Value::Object(entry)) =
        (value.as_object_mut(), list_pending::described(&diff.entry))
    {
        map.extend(entry);
        map.insert("cause".to_owned(), json!(diff.cause));
    }
    let mut outcome = Outcome::value(lines.join("\n"), value);
    outcome.images.extend(picture::side_by_side(&panels));
    outcome
}
