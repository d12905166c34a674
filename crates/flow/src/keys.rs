//! Schemas for the keys of a flow's header and for modifiers, shared by the parser and the schema for
//! editors.

use serde_json::{Value, json};

use super::vocabulary::Vocabulary;

/// Returns the schema of a duration such as `10s` or `1.5 m`, with the units `ms`, `s`, `m` and `h`. Zero is allowed,
/// a number without unit is not.
pub fn duration(description: &str) -> Value {
    json!({
        "type": "string",
        "format": "duration",
        "pattern": r"^\s*\d+(\.\d+)?\s*(ms|s|m|h)\s*$",
        "description": description,
    })
}

/// Returns the schema of a duration above zero: a limit of zero would leave no time for any step.
pub fn limit(description: &str) -> Value {
    let mut limit = duration(description);
    limit["not"] = json!({ "pattern": r"^[\s0.]*[a-z]+\s*$" });
    limit
}

/// Maximum number of further runs of a failed flow, from any source. Chosen: a flow that fails eleven times
/// is broken, not flaky.
pub const MAX_RETRIES: u32 = 10;

fn names(description: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string", "minLength": 1 }, "description": description })
}

/// Returns the schema of the header's plain keys, as a map without other keys. Those of `HEADER_OTHERS` are missing.
pub(crate) fn header() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "name": { "type": "string", "minLength": 1, "description": "Name for people; the file's name without extension by default." },
            "app": { "type": "string", "minLength": 1, "description": "Package that launch, stop and clear mean by default; `${…}` may give it." },
            "tags": names("Tags by which flows are chosen."),
            "secrets": names("Names of env values that no output may show."),
            "timeout": limit("Limit of the whole flow."),
            "step_timeout": duration("How long a step looks for its element."),
            "teardown_timeout": limit("Limit of teardown, beside that of the flow."),
            "retries": { "type": "integer", "minimum": 0, "maximum": MAX_RETRIES, "description": "Further runs after a failure; a pass after a failure is reported as flaky." },
            "outputs": names("Results that a caller of this sub-flow sees."),
        }
    })
}

/// Keys of the header that the parser reads with code of its own.
pub(crate) const HEADER_OTHERS: [&str; 10] = [
    "env",
    "needs",
    "quarantine",
    "skip",
    "each",
    "matrix",
    "setup",
    "steps",
    "on_failure",
    "teardown",
];

/// Keys of the header about attempts. They have no effect in a sub-flow.
pub(crate) const WITHOUT_EFFECT_IN_SUB_FLOWS: [&str; 12] = [
    "tags",
    "timeout",
    "step_timeout",
    "teardown_timeout",
    "retries",
    "needs",
    "quarantine",
    "skip",
    "matrix",
    "setup",
    "on_failure",
    "teardown",
];

/// Returns the schema of the plain modifiers, as a map without other keys. `when` is a condition and has its own.
pub(crate) fn modifiers() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "label": { "type": "string", "minLength": 1, "description": "Name for reports." },
            "timeout": duration("How long the step looks and waits; replaces step_timeout."),
            "optional": { "type": "boolean", "description": "A failure is a warning." },
            "soft": { "type": "boolean", "description": "Of an assertion: the flow goes on after a failure, and fails at its end." },
            "as": { "type": "string", "description": "Keeps the result under this name for expressions." },
            "retry": { "type": "integer", "minimum": 0, "maximum": 100, "description": "Tries the step again this often." },
            "message": { "type": "string", "minLength": 1, "description": "What it means if the step fails; `${…}` is allowed. Reports show it first." },
        }
    })
}

/// Keys that may stand beside any step.
pub const MODIFIERS: [&str; 8] = [
    "label", "timeout", "when", "optional", "soft", "as", "retry", "message",
];

/// Control steps with their descriptions.
pub const CONTROL: [(&str, &str); 9] = [
    ("run", "Runs the steps of another flow file."),
    (
        "repeat",
        "Repeats steps a number of times or as long as a condition holds.",
    ),
    (
        "retry",
        "Tries steps again, from the first, after a failure.",
    ),
    ("if", "Runs `then` where the condition holds, else `else`."),
    ("group", "Steps under one name."),
    ("set", "Gives names to values for the rest of the flow."),
    (
        "pause",
        "Waits until a person at the terminal presses Enter; passed over with a warning where there is none.",
    ),
    (
        "assert",
        "Compares an element with what is expected of it, or an expression with true.",
    ),
    ("snapshot", "Compares the screen with its golden."),
];

/// Returns the keys inside of the map of the control steps `run`, `repeat` and `retry`; first the one that a plain
/// value stands for. All other steps and words have an empty list, also those with keys of their own, such as
/// `assert`.
pub(crate) fn inside_control(step: &str) -> &'static [&'static str] {
    match step {
        "run" => &["flow", "env"],
        "repeat" => &["times", "while", "max", "steps"],
        "retry" => &["times", "steps"],
        _ => &[],
    }
}

/// Returns the names of all steps, each once: first the control steps, then the tools of all catalogues.
pub(crate) fn step_names(vocabulary: &Vocabulary) -> impl Iterator<Item = &str> {
    CONTROL.iter().map(|(name, _)| *name).chain(
        vocabulary
            .tools
            .iter()
            .map(|tool| tool.entry.name)
            .filter(|name| CONTROL.iter().all(|(control, _)| control != name)),
    )
}

/// Returns the advice to write a modifier beside the step.
pub(crate) fn beside_step(modifier: &str) -> String {
    format!(
        "`{modifier}` is a modifier: write `{modifier}: …` on a line of its own, beside the step"
    )
}

/// Returns true if the name is a key of a header or a modifier, case included. Names of steps do not count, except
/// `retry`.
#[cfg(test)]
pub(crate) fn is_key(name: &str) -> bool {
    let header = header()["properties"].get(name).is_some();
    header || HEADER_OTHERS.contains(&name) || MODIFIERS.contains(&name)
}
