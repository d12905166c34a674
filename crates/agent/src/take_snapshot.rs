//! Compares the present screen with a golden: the tool `runner_take_snapshot`. It runs a flow of one step
//! `snapshot`.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};

use super::list_flows::flow_app;
use super::run_flow::Update;
use super::runs::{self, RunOutcome, RunRequest};
use super::{AgentTool, Workspace, flow_files};
use runner_base::files::normal_parts;
use runner_event::{ArtifactKind, SnapshotVerdict};
use runner_flow::{
    Argument, Dialect, Flow, Modifiers, SnapshotStep, Spanned, Step, StepAction, is_flow,
};
use runner_report::Attempt;
use runner_run::{Plan, PlannedCase, golden_folder};
use runner_snapshot::{StepOptions, Tolerance, Windows};
use runner_text::diagnostic::Source;
use runner_text::shell::operands_to_copy;
use runner_tools::arguments::{Arguments, Wording};
use runner_tools::{Effect, Failure, Outcome, Progress, Words, blocking};

pub(super) struct TakeSnapshot;

/// Arguments of `runner_take_snapshot`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The golden's name.
    name: String,
    /// Its flow, such as `flows/login.yaml`, or a label.
    #[serde(default = "no_flow")]
    flow: String,
    /// Package to compare; by default the flow's.
    app: Option<String>,
    /// Not compared: a text, `{ id: clock }`, or `{ rect: [left, top, right, bottom] }`.
    #[serde(default)]
    #[schemars(schema_with = "selectors")]
    mask: Vec<Value>,
    /// Only this element.
    // Without a default the schema would ask for it: it cannot see that the type is optional.
    #[serde(default)]
    #[schemars(schema_with = "selector")]
    of: Option<Value>,
    /// Changed pixels that pass: `{ cluster: 100, specks: 20 }`.
    #[schemars(schema_with = "pixels")]
    #[serde(default)]
    tolerance: Option<Tolerance>,
    /// Whose windows.
    windows: Option<Windows>,
    /// Status and navigation bars too.
    bars: Option<bool>,
    /// `none`: nothing waits for review.
    update: Option<Update>,
}

/// Returns a short schema of a selector. The full one is recursive and would fill an agent's context;
/// `runner://docs/selectors` explains it.
fn selector(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "anyOf": [{ "type": "string" }, { "type": "object" }]
    })
}

fn selectors(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": selector(generator) })
}

fn pixels(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object" })
}

fn no_flow() -> String {
    "agent".to_owned()
}

impl AgentTool for TakeSnapshot {
    const NAME: &'static str = "runner_take_snapshot";
    const SUMMARY: &'static str =
        "Compares the screen, once it stands still, with its golden: same, new, or what differs.";
    const HELP: &'static str = "What is new or differs waits for review. Mask clocks and the like.";
    const EFFECT: Effect = Effect::Sets;
    // A run locks the device.
    const SHARES_DEVICE: bool = false;

    type Args = Args;

    /// Takes a snapshot as a run of one step, and compares it. While something is recorded, and unless the call names a
    /// flow, it becomes a step of the recording and leaves nothing pending. A difference is no failure.
    async fn call(
        workspace: &Workspace,
        args: Args,
        progress: &Progress,
    ) -> Result<Outcome, Failure> {
        // The golden belongs to the recorded flow, which makes it when it first runs; one under another name would stay for
        // ever.
        let recorded = (workspace.recorder.is_recording() && args.flow == no_flow())
            .then(|| recorded_step(&args));
        let update = match recorded {
            Some(_) => Update::None,
            None => args.update.unwrap_or(Update::Pending),
        };
        let mut config = workspace.config.clone();
        config.update.value = update.mode();
        config.retries.value = 0;
        let request = RunRequest {
            plan: Plan {
                cases: PlannedCase::all_of(&Arc::new(flow(workspace, args)?)),
                ..Plan::default()
            },
            config,
            context: workspace.context.clone(),
            is_report: false,
        };
        let ran = runs::run_flows(workspace, request, progress).await?;
        let mut outcome = blocking(move || answer(&ran)).await??;
        if let Some(step) = recorded {
            workspace.recorder.note_snapshot(step);
            let note = "it is a step of the recording: the flow's first run makes its golden";
            outcome.text = Words::joined([outcome.words(), note.into()], "\n").into();
        }
        Ok(outcome)
    }
}

/// Returns the step `snapshot` with these arguments, in its shortest form.
fn recorded_step(args: &Args) -> Value {
    match options(args) {
        Value::Object(options) if options.len() == 1 => json!(args.name),
        options => options,
    }
}

/// Builds a flow of this one step. Its goldens are filed under the given flow, or under any name below the
/// root; its artifacts are apart from that flow's. The app is the call's, else that of the flow file.
///
/// # Errors
/// The path leads out of the root, a new golden would be named by a secret, or an option is wrong.
fn flow(workspace: &Workspace, args: Args) -> Result<Flow, Failure> {
    let is_file = is_flow(Utf8Path::new(&args.flow));
    let path = if is_file {
        flow_files::to_read(workspace, &args.flow)?
    } else {
        flow_files::below_root(workspace, &args.flow)?
    };
    let displayed = Utf8PathBuf::from(flow_files::display_path(workspace, &path));
    let key = normal_parts(&if is_file {
        displayed.with_extension("")
    } else {
        displayed
    });
    let app = args
        .app
        .clone()
        .or_else(|| is_file.then(|| flow_app(workspace, &path)).flatten());
    let name = args.name.clone();
    let config = &workspace.config;
    let goldens = config.root.join(&config.snapshots.value);
    let goldens = goldens.join(golden_folder(&config.flows.value, &key));
    workspace.refuse_secret_name(&goldens.join(format!("{name}.tsv")))?;
    let options = options(&args);
    // Checked here, so that a wrong option is an error of the call and no run starts.
    Arguments::new("runner_take_snapshot", Wording::Own, options.clone())?.read::<StepOptions>()?;
    Ok(one_step(&key, &name, app, options))
}

/// Returns the options of the step, without those that are not given.
fn options(args: &Args) -> Value {
    let mut options = serde_json::Map::new();
    options.insert("name".to_owned(), json!(args.name));
    if !args.mask.is_empty() {
        options.insert("mask".to_owned(), json!(args.mask));
    }
    let others = [
        ("of", args.of.clone()),
        ("tolerance", args.tolerance.map(|given| json!(given))),
        ("windows", args.windows.map(|given| json!(given))),
        ("bars", args.bars.map(Value::from)),
    ];
    for (name, value) in others {
        if let Some(value) = value {
            options.insert(name.to_owned(), value);
        }
    }
    Value::Object(options)
}

/// Builds a flow of one step `snapshot`, whose golden lies below `key`. It is never retried.
fn one_step(key: &Utf8Path, name: &str, app: Option<String>, options: Value) -> Flow {
    let title = format!("snapshot: {name}");
    let source = Arc::new(Source {
        path: key.join(name),
        text: title.clone(),
    });
    let span = 0..title.len();
    let snapshot = SnapshotStep {
        name: name.to_owned(),
        each: false,
        options: Spanned {
            value: Argument::Literal(options),
            span: span.clone(),
        },
    };
    let step = Step {
        source: Arc::clone(&source),
        span,
        title: title.clone(),
        action: StepAction::Snapshot(Box::new(snapshot)),
        modifiers: Modifiers::default(),
    };
    Flow {
        source,
        dialect: Dialect::Own,
        key: key.to_owned(),
        name: title,
        app,
        app_value: None,
        tags: Vec::new(),
        env: IndexMap::new(),
        secrets: Vec::new(),
        timeout: None,
        step_timeout: None,
        teardown_timeout: None,
        retries: Some(0),
        quarantine: None,
        needs: None,
        skip: None,
        cases: Vec::new(),
        table: None,
        outputs: Vec::new(),
        setup: Vec::new(),
        steps: vec![step],
        on_failure: Vec::new(),
        teardown: Vec::new(),
    }
}

/// Tells how the snapshot compares with its golden. Fails only if no snapshot was taken: a difference, a screen that
/// does not stand still, and masks that cover too much are answers.
fn answer(ran: &RunOutcome) -> Result<Outcome, Failure> {
    let attempt = ran
        .results
        .flows
        .values()
        .find_map(|flow| flow.attempts.last());
    let Some(attempt) = attempt else {
        return Err(Failure::infrastructure(
            "the snapshot was not taken; this is a bug",
        ));
    };
    let Some(result) = attempt.snapshots.last() else {
        let failure = attempt.end.as_ref().and_then(|end| end.failure.clone());
        return Err(failure.unwrap_or_else(|| Failure::usage("the snapshot was not taken")));
    };
    let key = &result.key;
    let (state, head) = match result.verdict {
        SnapshotVerdict::Passed => ("same", format!("{key} is the same as its golden")),
        SnapshotVerdict::New => ("new", format!("{key} is new")),
        SnapshotVerdict::Unstable => (
            "unstable",
            format!("{key} was not compared: the screen does not stand still; mask what moves"),
        ),
        SnapshotVerdict::MaskTooLarge => (
            "mask_too_large",
            format!("{key} was not compared: its masks cover too much of the screen"),
        ),
        verdict => (verdict.as_str(), format!("{key} differs from its golden")),
    };
    let mut lines = vec![head];
    lines.extend(result.changes.iter().map(|change| format!("- {change}")));
    lines.extend(
        attempt
            .log
            .iter()
            .map(|(level, text)| format!("{}: {text}", level.as_str())),
    );
    if !result.pending.is_empty() {
        lines.push(format!(
            "it waits for review: runner_diff_snapshot shows it, a person accepts it with `runner accept {}`",
            operands_to_copy([key.as_str()])
        ));
    }
    let value = json!({
        "state": state,
        "key": key,
        "changes": result.changes,
        "pending": result.pending,
    });
    let mut outcome = Outcome::value(lines.join("\n"), value);
    if state != "same" {
        outcome.images.extend(picture(ran, attempt));
    }
    Ok(outcome)
}

/// Returns the picture of the difference, else the screenshot with boxes, else the screenshot, with its media type.
/// `None` if there is none.
fn picture(ran: &RunOutcome, attempt: &Attempt) -> Option<(String, Vec<u8>)> {
    let kinds = [
        ArtifactKind::Difference,
        ArtifactKind::Annotated,
        ArtifactKind::Screenshot,
    ];
    kinds
        .into_iter()
        .find_map(|kind| ran.picture_of(attempt, kind))
}
