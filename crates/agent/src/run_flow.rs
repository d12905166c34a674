//! Runs a flow on the server's device: the tool `runner_run_flow`.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::look::look_if;
use super::runs::{self, FailureScreen, RunOutcome, RunRequest};
use super::workspace::is_secret;
use super::{AgentTool, Workspace, flow_files};
use runner_config::Config;
use runner_run::{Filter, Plan, PlannedCase};
use runner_snapshot::UpdateMode;
use runner_text::diagnostic::Diagnostic;
use runner_tools::{Effect, Failure, Outcome, Progress, Words, blocking};

pub(super) struct RunFlow;

/// Arguments of `runner_run_flow`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// File, folder or pattern. With `text`: where that stands.
    path: Option<String>,
    /// The YAML, run without being saved.
    text: Option<String>,
    /// Values for `${NAME}`, such as passwords.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// `none`, as for a `text` alone: no snapshot waits for review.
    update: Option<Update>,
}

/// What becomes of snapshots that are new or differ.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Update {
    /// What was seen is kept beside the goldens, for review.
    Pending,
    /// Nothing is kept.
    None,
}

impl Update {
    /// Returns the run's setting for it.
    pub(super) fn mode(self) -> UpdateMode {
        match self {
            Self::Pending => UpdateMode::Pending,
            Self::None => UpdateMode::None,
        }
    }
}

impl AgentTool for RunFlow {
    const NAME: &'static str = "runner_run_flow";
    const SUMMARY: &'static str =
        "Runs a flow on the same device, to the first failure, and gives every step.";
    const HELP: &'static str = "A failure comes with its line, a look and a picture.";
    const EFFECT: Effect = Effect::Destroys;
    // A run locks the device.
    const SHARES_DEVICE: bool = false;

    type Args = Args;

    /// Runs a flow of the project, or an unsaved text, and tells its result. A run that fails is an answer with
    /// `passed: false` and the screen at the failure; only what keeps it from running is a failure, such as a flow with
    /// errors or no device. By default an unsaved text without a path keeps no pending goldens.
    async fn call(
        workspace: &Workspace,
        args: Args,
        progress: &Progress,
    ) -> Result<Outcome, Failure> {
        // Before the flow is read: an error may repeat a value.
        for (name, value) in &args.env {
            if is_secret(name, value) {
                workspace.scrubber.add(value);
            }
        }
        let unnamed = args.path.is_none();
        let mut config = workspace.config.clone();
        let context = workspace.context.with_variables(&args.env);
        // In both places, as a flow may read a value as `${NAME}` and as `${os.NAME}`.
        config.command_env.extend(args.env);
        let update = args.update.unwrap_or(if unnamed {
            Update::None
        } else {
            Update::Pending
        });
        config.update.value = update.mode();
        let plan = match (&args.path, &args.text) {
            (path, Some(text)) => unsaved(workspace, &config, path.as_deref(), text).await?,
            (Some(path), None) => saved(workspace, &mut config, path).await?,
            (None, None) => {
                return Err(Failure::usage(
                    "name a flow with `path`, or give its YAML as `text`; runner_list_flows names the flows",
                ));
            }
        };
        let request = RunRequest {
            plan,
            config,
            context,
            is_report: true,
        };
        let ran = runs::run_flows(workspace, request, progress).await?;
        // On a thread for blocking work: it reads and shrinks the failure's picture.
        let (mut outcome, screen, picture) =
            blocking(move || (answer(&ran), ran.failure_screen(), ran.failure_picture())).await?;
        if let Some(screen) = screen {
            let shown = show_failure(workspace, &screen, &mut outcome.images).await;
            outcome.text = Words::format(
                "{}\n\nthe screen at the failure:\n{}",
                &[&outcome.words(), &shown],
            )
            .into();
        }
        if outcome.images.is_empty() {
            outcome.images.extend(picture);
        }
        Ok(outcome)
    }
}

/// Plans a text as if it stood at `path`. One with errors is a failure of usage that lists them. Warnings do not count.
async fn unsaved(
    workspace: &Workspace,
    config: &Config,
    path: Option<&str>,
    text: &str,
) -> Result<Plan, Failure> {
    let path = flow_files::assumed_path(workspace, path)?;
    let (flow, diagnostics) = flow_files::read_text_blocking(config, path, text.to_owned()).await?;
    let flow = flow.ok_or_else(|| does_not_read(&diagnostics))?;
    Ok(Plan {
        cases: PlannedCase::all_of(&Arc::new(flow)),
        warnings: diagnostics,
        ..Plan::default()
    })
}

/// Plans the flows at `path`, which becomes the only path of `config`. No flow there is a failure, and a flow that does
/// not read fails all.
async fn saved(workspace: &Workspace, config: &mut Config, path: &str) -> Result<Plan, Failure> {
    config.paths = vec![flow_files::to_read(workspace, path)?];
    let read = config.clone();
    // On a thread for blocking work: a large project takes a while.
    let plan = blocking(move || Plan::read(&read, &Filter::default()))
        .await?
        .map_err(|error| flow_files::not_found(&error))?;
    if !plan.unreadable.is_empty() {
        return Err(does_not_read(&plan.errors()));
    }
    Ok(plan)
}

/// Returns the failure for flows that do not parse: the number of errors, then all diagnostics. Nothing was
/// run.
fn does_not_read(diagnostics: &[Diagnostic]) -> Failure {
    let errors = flow_files::count(flow_files::errors(diagnostics), "error");
    Failure::usage(format!(
        "not run: {errors}\n{}",
        flow_files::rendered(diagnostics)
    ))
}

/// Returns the screen at a failure. If the device still shows the same rows, that is a new look, whose ids
/// tools take; else the stored rows. The new look adds its picture to `images` if that has none.
async fn show_failure(
    workspace: &Workspace,
    screen: &FailureScreen,
    images: &mut Vec<(String, Vec<u8>)>,
) -> Words {
    let same = |tsv: &str| screen.is_like(&workspace.scrubber.scrub_outside(tsv));
    match look_if(workspace, same, images.is_empty()).await {
        Some(look) => {
            let text = look.words();
            images.extend(look.images);
            text
        }
        None => Words::from(screen.compact()),
    }
}

/// Tells a run's result, with the first failure's difference as a picture and links to its files. The outcome passes in
/// any case; its value says whether the run did.
fn answer(ran: &RunOutcome) -> Outcome {
    let mut outcome = Outcome::value(ran.to_message(), json!(ran.report()));
    outcome.images.extend(ran.failure_difference());
    outcome.links = ran.failure_links();
    outcome
}
