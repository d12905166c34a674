//! Begins and ends recordings, and writes them as flows: the tool `runner_record`.

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{RecordedFlow, RecordingStatus};
use crate::{AgentTool, Workspace, flow_files};
use runner_base::files::write_atomic;
use runner_flow::read_flow;
use runner_text::diagnostic::Severity;
use runner_tools::{Effect, Failure, Outcome, Progress, Words};

/// What to do with the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Begin: what the device's tools do from here on is kept.
    Start,
    /// End, and give the flow.
    Stop,
    /// Say how it stands.
    Status,
    /// End, and forget it.
    Discard,
}

/// Arguments of `runner_record`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordArgs {
    /// What to do.
    pub action: Action,
    /// The flow's name.
    #[serde(default)]
    pub name: Option<String>,
    /// With `stop`: the file.
    #[serde(default)]
    pub path: Option<String>,
    /// Replace a file that is there.
    #[serde(default)]
    pub overwrite: bool,
    /// With `stop`: assert the last screen.
    #[serde(default = "yes")]
    pub assert_end: bool,
}

fn yes() -> bool {
    true
}

#[derive(Debug)]
pub struct Record;

impl AgentTool for Record {
    const NAME: &'static str = "runner_record";
    const SUMMARY: &'static str =
        "Records what all clients do with the device's tools, and makes a flow of it.";
    const HELP: &'static str =
        "`start`, act, `stop` with `path`. Passwords become variables. Run what comes back.";
    const EFFECT: Effect = Effect::Acts;
    type Args = RecordArgs;

    /// Starts, ends, discards or describes the recording. `path` and `overwrite` with another action than `stop` are
    /// failures of usage.
    async fn call(
        workspace: &Workspace,
        args: RecordArgs,
        _: &Progress,
    ) -> Result<Outcome, Failure> {
        for (given, name) in [(args.path.is_some(), "path"), (args.overwrite, "overwrite")] {
            if given && args.action != Action::Stop {
                return Err(Failure::usage(format!("`{name}` is for `action: stop`")));
            }
        }
        match args.action {
            Action::Start => start(workspace, args.name).await,
            Action::Stop => stop(workspace, &args).await,
            Action::Status => Ok(status(workspace)),
            Action::Discard => discard(workspace),
        }
    }
}

/// Begins a recording at the present screen, or without one if it cannot be looked at. Opens the device if need be. One
/// that is running goes on, and is a failure of usage.
async fn start(workspace: &Workspace, name: Option<String>) -> Result<Outcome, Failure> {
    let session = workspace.connection.opened().await?.session;
    // The present screen is where the flow begins. A moving screen has no look, and the recording goes without.
    let observed = session.look().await.ok();
    if workspace.recorder.start(name, observed.as_ref()) {
        let value = json!({ "recording": true, "steps": 0 });
        return Ok(Outcome::value(
            "Recording. Use the device's tools, then call runner_record with `action: stop` and a `path`.",
            value,
        ));
    }
    let steps = workspace
        .recorder
        .status()
        .map_or(0, |standing| standing.acts);
    Err(Failure::usage(format!(
        "a recording is under way ({}); end it with `action: stop` or `action: discard`",
        count(steps)
    )))
}

/// Ends the recording as a flow, written to `path` if it is given, with missing folders created, and tells what is
/// wrong with it; a flow with errors is written too. Until the file is written, every failure leaves the recording
/// running: nothing done yet, a file that is there without `overwrite`, a file that cannot be written.
async fn stop(workspace: &Workspace, args: &RecordArgs) -> Result<Outcome, Failure> {
    let standing = workspace.recorder.status().ok_or_else(none_under_way)?;
    if standing.acts == 0 {
        return Err(Failure::usage(
            "nothing was done since the recording began; act with the device's tools, or end it with `action: discard`",
        ));
    }
    let target = args.path.as_deref().map(|path| target(workspace, path));
    let target = target.transpose()?;
    if let Some(target) = target.as_ref().filter(|target| target.exists())
        && !args.overwrite
    {
        return Err(Failure::usage(format!(
            "{} is there already; name another file, or say `overwrite: true`. The recording goes on",
            flow_files::display_path(workspace, target)
        )));
    }
    let now = if args.assert_end {
        let session = workspace.connection.opened().await?.session;
        session.look().await.ok()
    } else {
        None
    };
    let recorder = &workspace.recorder;
    let titled = target.as_deref().and_then(title);
    let names = [&args.name, &standing.name, &titled];
    let name = names.into_iter().find_map(Option::as_deref);
    let flow = recorder
        .flow(name, args.assert_end, now.as_ref())
        .ok_or_else(none_under_way)?;
    let Some(target) = target else {
        recorder.end();
        let value = result(&flow, None);
        return Ok(Outcome::value(flow.text, value));
    };
    let file = flow_files::display_path(workspace, &target);
    write_atomic(&target, flow.text.as_bytes()).map_err(|error| {
        Failure::infrastructure(format!(
            "{file} cannot be written: {error}. The recording goes on"
        ))
    })?;
    // Ended only now, so that the recording goes on if the file cannot be written.
    recorder.end();
    let mut text = format!("Written to {file}, {}.", count(flow.steps));
    for note in flow.notes.iter().chain(&wrong(workspace, &target)) {
        text.push_str("\n- ");
        text.push_str(note);
    }
    text.push_str("\n\n");
    text.push_str(&flow.text);
    Ok(Outcome::value(text, result(&flow, Some(&file))))
}

/// Makes a flow's name from its file's: `flows/sign-in.yaml` is "Sign in". `None` if the path has no file name.
fn title(file: &Utf8Path) -> Option<String> {
    let words = file.file_stem()?.replace(['-', '_'], " ");
    let mut letters = words.chars();
    let first = letters.next()?;
    Some(first.to_uppercase().chain(letters).collect())
}

/// Returns the flow and what is known of it as JSON. `path` is null if no file was written.
fn result(flow: &RecordedFlow, file: Option<&str>) -> Value {
    json!({
        "path": file,
        "steps": flow.steps,
        "variables": flow.variables,
        "notes": flow.notes,
        "flow": flow.text,
    })
}

/// Says if something is being recorded, and where the whole session is written, or why it is not.
fn status(workspace: &Workspace) -> Outcome {
    let (mut text, mut value) = match workspace.recorder.status() {
        Some(RecordingStatus { name, acts }) => (
            format!("Recording, {} so far.", count(acts)),
            json!({ "recording": true, "name": name, "steps": acts }),
        ),
        None => (
            "Nothing is being recorded; begin with `action: start`.".to_owned(),
            json!({ "recording": false }),
        ),
    };
    if let Some((file, problem)) = workspace.recorder.file() {
        text.push_str("\nThe whole session: ");
        text.push_str(problem.as_deref().unwrap_or(file.as_str()));
        value["session_file"] = json!(file);
    }
    Outcome::value(text, value)
}

/// Ends the recording without a flow. None running is a failure of usage.
fn discard(workspace: &Workspace) -> Result<Outcome, Failure> {
    if workspace.recorder.end() {
        let value = json!({ "recording": false });
        return Ok(Outcome::value("The recording was forgotten.", value));
    }
    Err(none_under_way())
}

fn none_under_way() -> Failure {
    Failure::usage("nothing is being recorded; begin with `action: start`")
}

fn count(steps: usize) -> String {
    flow_files::count(steps, "step")
}

/// Resolves the path of the file to write, which is not created; one that is there passes. An error says that the
/// recording goes on.
fn target(workspace: &Workspace, path: &str) -> Result<Utf8PathBuf, Failure> {
    flow_files::to_write(workspace, path).map_err(|failure| {
        let message = Words::format("{}. The recording goes on", &[&failure.message]);
        Failure { message, ..failure }
    })
}

/// Reads the written flow again, and returns its diagnostics as `error: …` and `warning: …`. Empty if it is
/// right.
fn wrong(workspace: &Workspace, file: &Utf8Path) -> Vec<String> {
    let (_, diagnostics) = read_flow(file, &workspace.config.read_options());
    diagnostics
        .into_iter()
        .map(|diagnostic| {
            let kind = match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            format!("{kind}: {}", diagnostic.message)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use runner_base::context::Context;
    use runner_config::{Config, Overrides};

    #[test]
    fn a_recording_replaces_flows_only() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        std::fs::write(root.join("runner.yaml"), "devices: [virtual]\nflows: [.]\n").unwrap();
        let context = Context::fixed(root, BTreeMap::new());
        let config = Config::resolve(&context, &Overrides::default()).unwrap();
        let workspace = Workspace::new(config, context, false);
        for path in ["a.yaml", "a", "below/b.yml"] {
            assert!(target(&workspace, path).is_ok(), "{path}");
        }
        for path in [
            "runner.yaml",
            "runner",
            "Runner.yaml",
            "app.yaml",
            "x/app",
            ".a.yaml",
            "../a",
        ] {
            assert!(target(&workspace, path).is_err(), "{path}");
        }
    }
}
