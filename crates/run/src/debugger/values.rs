//! Values of the names that expressions can use, for display.

use serde::Serialize;
use serde_json::Value;

use crate::call_stack::CallStack;
use runner_event::shorten_value;
use runner_text::secret::Scrubber;

/// Chosen: a longer table helps nobody.
const MAX_VALUES: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamedValue {
    pub name: String,
    /// Text as it is, or any other value as JSON. Secrets are masked, and long values are cut.
    pub value: String,
}

/// Returns the names that the current step can use, with their values as text: Maestro's names first, then
/// variables, then results, which hide variables of the same name but not Maestro's. At most 200, the first
/// ones. Secrets are masked and long values shortened. The flow's surroundings (`os`, `device`, …) are left
/// out.
pub(crate) fn named_values(stack: &CallStack, scrubber: &Scrubber) -> Vec<NamedValue> {
    let mut named: Vec<(&str, String)> = match stack.maestro() {
        Some(state) => {
            let env = state.env_values();
            env.map(|(name, value)| (name, value.to_owned())).collect()
        }
        None => Vec::new(),
    };
    let scope = stack.scope();
    // A result hides the value of the same name.
    let env = scope
        .env_values()
        .filter(|(name, _)| scope.result(name).is_none());
    named.extend(env.map(|(name, value)| (name, value.to_owned())));
    named.extend(scope.results().map(|(name, value)| (name, text_of(value))));
    let named = named.into_iter().take(MAX_VALUES).map(|(name, value)| {
        let mut value = scrubber.scrub_outside(&value).into_owned();
        shorten_value(&mut value);
        let name = name.to_owned();
        NamedValue { name, value }
    });
    named.collect()
}

/// Returns a text as it is, and any other value as JSON.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
