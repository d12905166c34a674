//! Reads and checks all steps of a call before the first of them acts.

use serde_json::{Map, Value, json};

use super::MAX_STEPS;
use crate::{DeviceCall, Workspace, flow_files};
use runner_flow::{Argument, Assert, Control, Scope, Spanned, Step, StepAction, resolve, title};
use runner_text::diagnostic::{Diagnostic, Severity};
use runner_text::flow_text::with_expressions;
use runner_tools::Failure;

/// Complaints that an answer lists. Chosen: an agent mends its call in one go with ten; each costs it a line.
const MAX_COMPLAINTS: usize = 10;

/// Text before the steps, on a line of its own: so the number of a step is its line less 1.
const HEAD: &str = "{\"steps\": [\n";

/// Step that was read and is ready to be called.
#[derive(Debug)]
pub(super) struct PlannedStep {
    /// Name and element of the step, without the text that it types.
    pub title: String,
    pub call: DeviceCall,
    /// Text that the step declares secret.
    pub secret: Option<String>,
}

/// Reads 1 to 50 steps as a flow, and translates each into a call. Nothing is done on the device.
///
/// # Errors
/// A step is wrong or is possible in flows only. All wrong steps are named by their numbers, up to a limit.
pub(super) async fn read(
    workspace: &Workspace,
    steps: &[Value],
) -> Result<Vec<PlannedStep>, Failure> {
    if steps.is_empty() || steps.len() > MAX_STEPS {
        let count = steps.len();
        return Err(Failure::usage(format!(
            "a call has 1 to {MAX_STEPS} steps, not {count}; do them in several calls, or write a flow and run it with runner_run_flow"
        )));
    }
    let lines: Vec<String> = steps.iter().map(Value::to_string).collect();
    let text = format!("{HEAD}{}\n]}}\n", lines.join(",\n"));
    let path = flow_files::assumed_path(workspace, None)?;
    let (flow, diagnostics) = flow_files::read_text_blocking(&workspace.config, path, text).await?;
    let Some(flow) = flow else {
        return Err(refused(diagnostics.iter().filter_map(complaint)));
    };
    let planned: Vec<Result<PlannedStep, Failure>> = flow.steps.iter().map(planned).collect();
    if planned.iter().any(Result::is_err) {
        let wrong = planned.iter().enumerate();
        return Err(refused(wrong.filter_map(|(index, step)| {
            let why = step.as_ref().err()?;
            Some(format!("step {}: {}", index + 1, why.message))
        })));
    }
    Ok(planned.into_iter().flatten().collect())
}

fn refused(complaints: impl Iterator<Item = String>) -> Failure {
    Failure::usage("nothing was done; mend these steps")
        .with_details(complaints.take(MAX_COMPLAINTS))
}

/// Describes an error by the number of its step, counted from 1. It does not quote the line, which may hold a
/// secret that is typed. `None` for a warning.
fn complaint(diagnostic: &Diagnostic) -> Option<String> {
    if diagnostic.severity != Severity::Error {
        return None;
    }
    let (line, _) = diagnostic.line_column();
    let help = diagnostic.help.as_ref();
    let help = help.map_or(String::new(), |help| format!("; {help}"));
    Some(format!(
        "step {}: {}{help}",
        line.saturating_sub(1),
        diagnostic.message
    ))
}

fn planned(step: &Step) -> Result<PlannedStep, Failure> {
    let is_plain = {
        let modifiers = &step.modifiers;
        modifiers.when.is_none()
            && !modifiers.optional
            && !modifiers.soft
            && modifiers.keep_as.is_none()
            && modifiers.retry == 0
            && modifiers.message.is_none()
    };
    if !is_plain {
        return Err(Failure::usage(
            "beside a step only `timeout` and `label` are taken here; runner_run_flow with `text` takes all",
        ));
    }
    let (name, args) = call(&step.action)?;
    let secret = step.modifiers.secret.then(|| args.get("text")).flatten();
    let secret = secret.and_then(Value::as_str).map(str::to_owned);
    let title = match &step.modifiers.label {
        Some(label) => title::cut(label.clone()),
        None => step_title(name, &args),
    };
    let call = DeviceCall::from_step(name, args)?;
    Ok(PlannedStep {
        title,
        call: DeviceCall {
            limit: step.modifiers.timeout.map(|limit| limit.0),
            ..call
        },
        secret,
    })
}

/// Returns the name of the tool that a step calls, and its arguments. `assert` with a condition, control
/// steps and Maestro's commands are refused, as they are for flows only; so is `snapshot`, for which there is
/// a tool.
fn call(action: &StepAction) -> Result<(&'static str, Map<String, Value>), Failure> {
    match action {
        StepAction::Call { entry, arguments } => Ok((entry.name, object(value(arguments)?))),
        StepAction::Assert(assert) => match &**assert {
            Assert::Element(on) => Ok(("assert", object(json!({ "on": value(on)? })))),
            Assert::Count { selector, count } => {
                let args = json!({ "on": value(selector)?, "count": value(count)? });
                Ok(("assert", object(args)))
            }
            Assert::That(_) => Err(only_in_flows("assert: { that: … }")),
        },
        StepAction::Snapshot(_) => Err(Failure::usage(
            "`snapshot` is no step here; call runner_take_snapshot",
        )),
        StepAction::Control(control) => Err(only_in_flows(match **control {
            Control::Run { .. } => "run",
            Control::Repeat { .. } => "repeat",
            Control::Retry { .. } => "retry",
            Control::If { .. } => "if",
            Control::Group { .. } => "group",
            Control::Set { .. } => "set",
            Control::Pause { .. } => "pause",
        })),
        StepAction::Maestro(_) => Err(only_in_flows("a command of Maestro's")),
    }
}

fn only_in_flows(what: &str) -> Failure {
    Failure::usage(format!(
        "`{what}` is for flows; runner_run_flow with `text` does it"
    ))
}

/// Resolves an argument without any variables. Expressions are refused: the environment is not for an agent
/// to read.
fn value(argument: &Spanned<Argument>) -> Result<Value, Failure> {
    resolve(argument, &Scope::default()).map_err(|_| only_in_flows("${…}"))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Formats a step's name and its element, such as `click: Sign in`. The element is the first argument of
/// `on`, `into` and `element_id`. Other arguments are left out, and a long title is cut.
fn step_title(name: &str, args: &Map<String, Value>) -> String {
    let element = ["on", "into", "element_id"]
        .into_iter()
        .find_map(|key| args.get(key));
    title::cut(match element {
        Some(Value::String(words)) => format!("{name}: {words}"),
        Some(Value::Null) | None => name.to_owned(),
        Some(element) => format!("{name}: {}", with_expressions(element)),
    })
}
