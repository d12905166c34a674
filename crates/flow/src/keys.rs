//! The keys of a flow's header and the modifiers of a step, as schemas: read by the parser and by the editors' schema.

use serde_json::{Value, json};

use super::vocabulary::Vocabulary;

/// A duration such as `10s`.
pub fn duration(description: &str) -> Value {
    json!({
        "type": "string",
        "format": "duration",
        "pattern": r"^\s*\d+(\.\d+)?\s*(ms|s|m|h)\s*$",
        "description": description,
    })
}

/// A duration that limits several steps: after none there would be no time for any.
pub fn limit(description: &str) -> Value {
    let mut limit = duration(description);
    limit["not"] = json!({ "pattern": r"^[\s0.]*[a-z]+\s*$" });
    limit
}

/// Most further runs of a failed flow, wherever their number is said.
pub const MAX_RETRIES: u32 = 10;

fn names(description: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string", "minLength": 1 }, "description": description })
}

/// Keys of the header that hold plain values.
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

/// Keys of the header that the parser reads on its own.
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

/// Keys of the header that mean an attempt, which a sub-flow is not.
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

/// Modifiers that hold plain values; `when` is a condition.
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

/// All modifiers.
pub(crate) const MODIFIERS: [&str; 8] = [
    "label", "timeout", "when", "optional", "soft", "as", "retry", "message",
];

/// Steps that the language itself has, with what they do.
pub(crate) const CONTROL: [(&str, &str); 9] = [
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

/// Commands of Maestro, which many know, and what does the same here.
const MAESTRO: [(&str, &str); 31] = [
    ("addMedia", "`push`"),
    ("assertNotVisible", "`assert not visible`"),
    ("assertTrue", "`assert: { that: \"${…}\" }`"),
    ("assertVisible", "`assert visible`"),
    ("clearState", "`clear`"),
    (
        "copyTextFrom",
        "`find`, with `as: NAME` and then `${NAME.text}`",
    ),
    ("doubleTapOn", "`double_click`"),
    ("eraseText", "`erase`"),
    ("extendedWaitUntil", "`wait_for` with `timeout`"),
    ("hideKeyboard", "`hide_keyboard`"),
    ("inputText", "`type`"),
    ("killApp", "`stop`"),
    ("launchApp", "`launch`"),
    ("longPressOn", "`long_click`"),
    ("openLink", "`open_link`"),
    ("pressKey", "`press`"),
    ("runFlow", "`run`"),
    ("scrollUntilVisible", "`scroll_to`"),
    ("setAirplaneMode", "`set_device: { airplane: true }`"),
    ("setDarkMode", "`set_device: { dark: true }`"),
    ("setOrientation", "`rotate`"),
    ("setPermissions", "`grant` and `revoke`"),
    ("startRecording", "`record: start`"),
    ("stopApp", "`stop`"),
    ("stopRecording", "`record: stop`"),
    ("takeScreenshot", "`screenshot`"),
    ("tapOn", "`click`"),
    ("toggleAirplaneMode", "`set_device: { airplane: true }`"),
    ("waitForAnimationToEnd", "`wait_for_idle`"),
    ("assertScreenshot", "`snapshot`"),
    ("evalScript", "`set`"),
];

/// How a step that is not known by this name is written. Words of other tools, and of people.
const ELSEWHERE: [(&str, &str); 16] = [
    ("close", "`stop`"),
    ("delay", WAITS),
    ("enter", "`type: { into: …, text: … }`"),
    ("expect", "`assert visible: …`"),
    ("fill", "`type: { into: …, text: … }`"),
    ("goto", "`open_link: …`"),
    ("input", "`type: { into: …, text: … }`"),
    ("open", "`launch: …`, or `open_link: …`"),
    ("see", "`assert visible: …`"),
    ("send_keys", "`type: { into: …, text: … }`"),
    ("sleep", WAITS),
    ("start", "`launch: …`"),
    ("touch", "`click: …`"),
    ("verify", "`assert visible: …`"),
    ("visit", "`open_link: …`"),
    ("wait", WAITS),
];
const WAITS: &str = "`wait_for: …` for an element, or `wait_for_idle` until the screen rests; steps wait for their element by themselves";

/// Tools that act on a place, and the steps that act on an element.
const ON_ELEMENTS: [(&str, &str); 5] = [
    ("double_tap", "double_click"),
    ("long_press", "long_click"),
    ("press_key", "press"),
    ("swipe", "swipe_across"),
    ("tap", "click"),
];

/// How a step that somebody meant by this word is written.
pub(crate) fn instead_of(word: &str) -> Option<&'static str> {
    let known = ELSEWHERE.iter().find(|(name, _)| *name == word);
    known.map(|(_, ours)| *ours)
}

/// The step that takes a text where this tool takes a map.
pub(crate) fn on_elements(tool: &str) -> Option<&'static str> {
    let known = ON_ELEMENTS.iter().find(|(name, _)| *name == tool);
    known.map(|(_, ours)| *ours)
}

/// What does here what this command of Maestro does.
pub(crate) fn of_maestro(command: &str) -> Option<&'static str> {
    let known = MAESTRO.iter().find(|(name, _)| *name == command);
    known.map(|(_, ours)| *ours)
}

/// Names of all steps, as they are written.
pub(crate) fn step_names(vocabulary: &Vocabulary) -> impl Iterator<Item = &str> {
    CONTROL.iter().map(|(name, _)| *name).chain(
        vocabulary
            .tools
            .iter()
            .map(|tool| tool.entry.name)
            .filter(|name| CONTROL.iter().all(|(control, _)| control != name)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary;

    #[test]
    fn what_others_say_is_no_step_here_and_what_stands_for_it_is() {
        let steps: Vec<&str> = step_names(vocabulary::standard()).collect();
        let words = ELSEWHERE
            .iter()
            .map(|(word, ours)| (*word, ours.trim_start_matches('`')));
        for (word, ours) in words {
            let ours = ours.split([':', '`']).next().unwrap_or_default();
            assert!(!steps.contains(&word), "{word} is a step");
            assert!(steps.contains(&ours), "{word}: {ours}");
        }
        for (tool, step) in ON_ELEMENTS {
            assert!(
                steps.contains(&tool) && steps.contains(&step),
                "{tool}: {step}"
            );
        }
    }

    #[test]
    fn what_maestros_commands_are_called_here_are_steps() {
        let steps: Vec<&str> = step_names(vocabulary::standard()).collect();
        for (command, ours) in MAESTRO {
            let step = ours.split('`').nth(1).unwrap_or_default();
            let step = step.split(':').next().unwrap_or_default();
            assert!(steps.contains(&step), "{command}: {ours}");
            assert!(!steps.contains(&command), "{command} is a step");
        }
    }
}
