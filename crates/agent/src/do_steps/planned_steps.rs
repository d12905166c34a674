//! Reads and checks all steps of a call before the first of them acts.

use serde_json::{Map, Value, json};

use crate::{DeviceCall, Workspace, flow_files};
use runner_flow::{
    Argument, Assert, CONTROL, MODIFIERS, Scope, Spanned, Step, StepAction, resolve, title,
};
use runner_text::diagnostic::{Diagnostic, Severity};
use runner_text::flow_text::with_expressions;
use runner_tools::Failure;

/// Steps of one call. Chosen: a long form fits; more belongs into a flow, where a failure is reported step by
/// step.
pub(super) const MAX_STEPS: usize = 50;

/// Complaints that an answer lists. Chosen: an agent mends its call in one go with ten; each costs it a line.
const MAX_COMPLAINTS: usize = 10;

/// Text before the steps, on a line of its own: so the number of a step is its line less 1.
const HEAD: &str = "{\"steps\": [\n";

/// Step in place of one that is refused anyway, so that the others are checked.
const PLACEHOLDER: &str = "\"back\"";

/// Number of a step, from 1, and what is wrong with it.
type Complaint = (usize, String);

/// Step that was read and is ready to be called.
#[derive(Debug)]
pub(super) struct PlannedStep {
    /// Name and element of the step, without the text that it types.
    pub title: String,
    pub call: DeviceCall,
    /// Text that the step declares secret.
    pub secret: Option<String>,
}

/// Reads 1 to 50 steps as a flow, and translates each into a call. Either all are returned, or none. Nothing is done on
/// the device.
///
/// # Errors
/// There are no steps or too many, or a step is wrong or possible in flows only. The wrong steps are named by their
/// numbers, ten at most.
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
    // These are told before the steps are read, whose complaints would be advice for a flow.
    let of_flows: Vec<Option<Failure>> = steps.iter().map(only_for_flows).collect();
    let lines: Vec<String> = steps
        .iter()
        .zip(&of_flows)
        .map(|(step, why)| match why {
            Some(_) => PLACEHOLDER.to_owned(),
            None => step.to_string(),
        })
        .collect();
    let text = format!("{HEAD}{}\n]}}\n", lines.join(",\n"));
    let path = flow_files::assumed_path(workspace, None)?;
    let (flow, diagnostics) = flow_files::read_text_blocking(&workspace.config, path, text).await?;
    let mut wrong: Vec<Complaint> = of_flows
        .iter()
        .zip(1..)
        .filter_map(|(why, number)| Some((number, why.as_ref()?.message.to_string())))
        .collect();
    let Some(flow) = flow else {
        wrong.extend(diagnostics.iter().filter_map(complaint));
        return Err(refused(wrong));
    };
    let planned: Vec<Result<PlannedStep, Failure>> = flow.steps.iter().map(planned).collect();
    wrong.extend(planned.iter().zip(1..).filter_map(|(step, number)| {
        let why = step.as_ref().err()?;
        Some((number, why.message.to_string()))
    }));
    if wrong.is_empty() {
        Ok(planned.into_iter().flatten().collect())
    } else {
        Err(refused(wrong))
    }
}

/// Builds the failure that lists what is wrong with steps, by their numbers. It lists the first ten.
fn refused(mut complaints: Vec<Complaint>) -> Failure {
    complaints.sort_by_key(|(number, _)| *number);
    let lines = complaints
        .into_iter()
        .map(|(number, why)| format!("step {number}: {why}"));
    Failure::usage("nothing was done; mend these steps").with_details(lines.take(MAX_COMPLAINTS))
}

/// Returns the reason if a step is possible in flows only, whatever it holds: it holds or runs steps, is a `snapshot`,
/// has a modifier other than `timeout` and `label`, or an expression. A modifier that is false or 0 counts as left out.
/// `None` says nothing about other mistakes.
fn only_for_flows(step: &Value) -> Option<Failure> {
    let none = Map::new();
    let map = step.as_object().unwrap_or(&none);
    let names = || map.keys().map(String::as_str).chain(step.as_str());
    let is_modifier = |name: &str| MODIFIERS.contains(&name);
    // `retry` is a modifier beside another step, and a step alone.
    let is_step =
        |name: &str| !is_modifier(name) || names().all(|it| it == name || is_modifier(it));
    let control = names().find(|name| CONTROL.iter().any(|(it, _)| it == name) && is_step(name));
    match control {
        Some("snapshot") => {
            return Some(Failure::usage(
                "`snapshot` is no step here; call runner_take_snapshot",
            ));
        }
        Some("assert") if map.get("assert").is_some_and(|it| it.get("that").is_some()) => {
            return Some(only_in_flows("assert: { that: … }"));
        }
        Some("assert") | None => {}
        Some(name) => return Some(only_in_flows(name)),
    }
    let is_modified = map.iter().any(|(name, value)| {
        let is_plain = ["label", "timeout"].contains(&name.as_str());
        is_modifier(name) && !is_plain && *value != false && *value != 0
    });
    if is_modified {
        return Some(Failure::usage(
            "beside a step only `timeout` and `label` are taken here; runner_run_flow with `text` takes all",
        ));
    }
    has_expression(step).then(expression)
}

/// Returns true if a text at any depth has a `${` that is not written `$${`.
fn has_expression(value: &Value) -> bool {
    match value {
        Value::String(text) => text.replace("$${", "").contains("${"),
        Value::Array(items) => items.iter().any(has_expression),
        Value::Object(map) => map.values().any(has_expression),
        _ => false,
    }
}

/// Describes an error by the number of its step, counted from 1. It does not quote the line, which may hold a
/// secret that is typed. `None` for a warning.
fn complaint(diagnostic: &Diagnostic) -> Option<Complaint> {
    if diagnostic.severity != Severity::Error {
        return None;
    }
    let (line, _) = diagnostic.line_column();
    let help = diagnostic.help.as_ref();
    let help = help.map_or(String::new(), |help| format!("; {help}"));
    let why = format!("{}{help}", diagnostic.message);
    Some((line.saturating_sub(1), why))
}

/// Converts a parsed step to the call of its tool, with its own limit and title. A secret step's text is kept
/// apart, to be masked.
fn planned(step: &Step) -> Result<PlannedStep, Failure> {
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

/// Returns the name of the tool that a step calls, and its arguments. Refuses what [`only_for_flows`] refuses,
/// expressions and Maestro's commands.
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
        StepAction::Snapshot(_) | StepAction::Control(_) => Err(only_in_flows("a control step")),
        StepAction::Maestro(_) => Err(only_in_flows("a command of Maestro's")),
    }
}

/// Builds the failure of usage for what only flows can do. It names the tool that runs them.
fn only_in_flows(what: &str) -> Failure {
    Failure::usage(format!(
        "`{what}` is for flows; runner_run_flow with `text` does it"
    ))
}

fn expression() -> Failure {
    Failure::usage(
        "`${…}` is for flows; runner_run_flow with `text` does it; write `$${` for a plain `${`",
    )
}

/// Resolves an argument without any variables. Expressions are refused: the environment is not for an agent
/// to read.
fn value(argument: &Spanned<Argument>) -> Result<Value, Failure> {
    resolve(argument, &Scope::default()).map_err(|_| expression())
}

/// Returns a map as it is; any other value becomes an empty one.
fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Formats a step's name and its element, such as `click: Sign in`. The element is the first argument of `on`, `into`
/// and `element_id`. Other arguments are left out, and a title above 120 characters is marked to be cut.
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
