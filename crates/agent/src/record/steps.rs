//! Translates calls of everyday steps, which name their element by a selector and wait for it.

use serde_json::{Map, Value};

use super::act::{Act, Start, Touch};
use super::call_record::CallRecord;
use super::touch::touched;
use runner_screen::{Node, Selector};
use runner_tools::Outcome;

/// Returns the element that the step's selector named, on the screen before the call, else on the one after
/// it. It is the match with the bounds that the result reports, else the only match.
pub(super) fn named<'a>(
    call: &'a CallRecord<'_>,
    outcome: &Outcome,
    on: &Selector,
) -> Option<Node<'a>> {
    let mut screens = [&call.before, &call.after].into_iter().flatten();
    screens.find_map(|screen| {
        let nodes = on.find(screen);
        let mut nodes = nodes.iter().map(|index| screen.node(*index));
        let only = (nodes.len() == 1).then(|| nodes.clone().next()).flatten();
        nodes
            .find(|node| Some(node.bounds()) == outcome.bounds)
            .or(only)
    })
}

/// Translates a touch. `None` if the step has other options than `on` and `force`, names no element, or the
/// element is not found again.
pub(super) fn touch(call: &CallRecord<'_>, outcome: &Outcome, how: Touch) -> Option<Act> {
    let args = call.args.as_object()?;
    let is_set = |value: &Value| !value.is_null() && value != false;
    let is_known = |name: &str| ["on", "force"].contains(&name);
    if args
        .iter()
        .any(|(name, value)| is_set(value) && !is_known(name))
    {
        return None;
    }
    let on = Selector::from_value(args.get("on")?).ok()?;
    let force = args.get("force").is_some_and(is_set);
    touched(named(call, outcome, &on)?, how, force)
}

/// Translates the step `launch`, with its options. `clear` wins over `stop: false`; without both the app is
/// restarted. `None` if it names no app.
pub(super) fn launch(call: &CallRecord<'_>) -> Option<Act> {
    let args = call.args.as_object()?;
    let is = |name: &str| args.get(name).and_then(Value::as_bool);
    let start = if is("clear") == Some(true) {
        Start::Cleared
    } else if is("stop") == Some(false) {
        Start::Resumed
    } else {
        Start::Restarted
    };
    let is_option = |name: &str| !["app", "clear", "stop"].contains(&name);
    let options = args
        .iter()
        .filter(|(name, value)| is_option(name) && !value.is_null())
        .map(|(name, value)| (name.clone(), value.clone()));
    Some(Act::Launch {
        app: args.get("app")?.as_str()?.to_owned(),
        start,
        options: options.collect::<Map<String, Value>>(),
    })
}
