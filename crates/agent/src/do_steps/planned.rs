//! The steps of a call, all read and checked before the first of them acts.

use serde_json::{Map, Value, json};

use super::MOST;
use crate::{DeviceCall, Workspace, flow_files};
use runner_flow::{Argument, Assert, Control, Scope, Spanned, Step, StepAction, resolve, title};
use runner_text::diagnostic::{Diagnostic, Severity};
use runner_text::flow_text::with_expressions;
use runner_tools::Failure;

/// Complaints of one call that are told.
const TOLD: usize = 10;

/// What stands before the steps, on a line of its own: step 1 is on line 2.
const HEAD: &str = "{\"steps\": [\n";

/// A step that may be done.
#[derive(Debug)]
pub(super) struct PlannedStep {
    /// Its name and its element. What it types is not in it.
    pub title: String,
    /// What it comes down to.
    pub call: DeviceCall,
    /// What it says nobody may read.
    pub secret: Option<String>,
}

/// Reads all steps.
///
/// # Errors
/// What is wrong with them, and what belongs into a flow; nothing was done then.
pub(super) async fn read(
    workspace: &Workspace,
    steps: &[Value],
) -> Result<Vec<PlannedStep>, Failure> {
    if steps.is_empty() || steps.len() > MOST {
        let count = steps.len();
        return Err(Failure::usage(format!(
            "a call has 1 to {MOST} steps, not {count}; do them in several calls, or write a flow and run it with runner_run_flow"
        )));
    }
    let lines: Vec<String> = steps.iter().map(Value::to_string).collect();
    let text = format!("{HEAD}{}\n]}}\n", lines.join(",\n"));
    let path = flow_files::assumed(workspace, None)?;
    let (flow, diagnostics) = flow_files::read_text_blocking(&workspace.config, path, text).await?;
    let Some(flow) = flow else {
        return Err(refused(diagnostics.iter().filter_map(complaint)));
    };
    let planned: Vec<Result<PlannedStep, Failure>> = flow.steps.iter().map(planned).collect();
    if planned.iter().any(Result::is_err) {
        let wrong = planned.iter().enumerate();
        return Err(refused(wrong.filter_map(|(index, step)| {
            let why = step.as_ref().err()?;
            Some(format!("step {}: {}", index + 1, &*why.message))
        })));
    }
    Ok(planned.into_iter().flatten().collect())
}

fn refused(complaints: impl Iterator<Item = String>) -> Failure {
    Failure::usage("nothing was done; mend these steps").with_details(complaints.take(TOLD))
}

/// What is wrong, by the number of the step. The line itself is not quoted: it may hold what is typed.
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
        None => titled(name, &args),
    };
    let call = DeviceCall::of_step(name, args)?;
    Ok(PlannedStep {
        title,
        call: DeviceCall {
            limit: step.modifiers.timeout.map(|limit| limit.0),
            ..call
        },
        secret,
    })
}

/// The tool that a step calls, and its arguments.
fn call(action: &StepAction) -> Result<(&'static str, Map<String, Value>), Failure> {
    match action {
        StepAction::Call { entry, arguments } => Ok((entry.name, object(value(arguments)?))),
        StepAction::Assert(assert) => match &**assert {
            Assert::Element(on) => Ok(("assert", object(json!({ "on": value(on)? })))),
            Assert::Count { selector, count } => {
                let args = json!({ "on": value(selector)?, "count": value(count)? });
                Ok(("assert", object(args)))
            }
            Assert::That(_) => Err(in_a_flow("assert: { that: … }")),
        },
        StepAction::Snapshot(_) => Err(Failure::usage(
            "`snapshot` is no step here; call runner_take_snapshot",
        )),
        StepAction::Control(control) => Err(in_a_flow(match **control {
            Control::Run { .. } => "run",
            Control::Repeat { .. } => "repeat",
            Control::Retry { .. } => "retry",
            Control::If { .. } => "if",
            Control::Group { .. } => "group",
            Control::Set { .. } => "set",
            Control::Pause { .. } => "pause",
        })),
        StepAction::Maestro(_) => Err(in_a_flow("a command of Maestro's")),
    }
}

fn in_a_flow(what: &str) -> Failure {
    Failure::usage(format!(
        "`{what}` is for flows; runner_run_flow with `text` does it"
    ))
}

/// What is written. There are no names here, and what the environment holds is not for an agent.
fn value(argument: &Spanned<Argument>) -> Result<Value, Failure> {
    resolve(argument, &Scope::default()).map_err(|_| in_a_flow("${…}"))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// `click: Sign in`. Of the arguments only what names an element is shown.
fn titled(name: &str, args: &Map<String, Value>) -> String {
    let element = ["on", "into", "element_id"]
        .into_iter()
        .find_map(|key| args.get(key));
    title::cut(match element {
        Some(Value::String(words)) => format!("{name}: {words}"),
        Some(Value::Null) | None => name.to_owned(),
        Some(element) => format!("{name}: {}", with_expressions(element)),
    })
}
