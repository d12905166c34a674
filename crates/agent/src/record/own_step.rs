//! Writes a call as the tool's own step, with the arguments that it had.

use serde_json::{Value, json};

use super::act::{Act, ToolStep};
use super::call_record::CallRecord;
use runner_engine::short_ids;
use runner_tools::Outcome;

pub(super) fn text_arg<'a>(call: &'a CallRecord<'_>, name: &str) -> Option<&'a str> {
    call.args.get(name)?.as_str()
}

/// Returns the argument `text` if the call itself declares it secret by `secret: true`.
fn declared_secret(args: &Value) -> Option<String> {
    let is_secret = args.get("secret").is_some_and(|secret| *secret == true);
    let text = args.get("text").filter(|_| is_secret)?;
    text.as_str().map(str::to_owned)
}

/// Returns the tool itself as a step, with all arguments. A hidden text, or one with `secret: true`, is noted as a
/// secret; the step `type` then has `secret: true`.
pub(super) fn raw(call: &CallRecord<'_>, outcome: &Outcome) -> ToolStep {
    let hidden = outcome.hidden.clone();
    let hidden = hidden.or_else(|| declared_secret(call.args));
    let mut args = call.args.clone();
    // The secret stays one in the flow.
    if call.entry.name == "type" && hidden.is_some() {
        args["secret"] = json!(true);
    }
    ToolStep {
        name: call.entry.name,
        value_optional: call.entry.value_optional,
        args,
        hidden,
    }
}

/// Returns the tool itself as a step, with all arguments. If an argument is the id of an element or a control on a
/// look, which means nothing in another run, it returns a comment instead.
pub(super) fn own_step(call: &CallRecord<'_>, outcome: &Outcome) -> Act {
    let is_of_look = |id: &str| id.starts_with("node_") || short_ids::number(id).is_some();
    let names_place = |(name, value): (&String, &Value)| {
        name == "control_id" || value.as_str().is_some_and(is_of_look)
    };
    let args = call.args.as_object();
    if args.is_some_and(|args| args.iter().any(names_place)) {
        return Act::Unreported(format!(
            "{}: the element it acted on has no name that lasts",
            call.entry.name
        ));
    }
    Act::Raw(raw(call, outcome))
}
