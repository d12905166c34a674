//! Finds steps that need an app in a flow that names none, without running it.

use super::ast::{Argument, Flow, Step, StepAction};
use super::report::{SourceRange, error};
use runner_text::diagnostic::{Code, Diagnostic};

/// Returns an error for each step of the file that needs an app and names none in its arguments, in the order of
/// [`Flow::step_lists`]. Searches nested steps too, but not sub-flows. Returns none if the header names an app, also
/// if that is an expression. For started flows only: a sub-flow acts on the app of its caller. Maestro's commands do
/// not count.
pub(crate) fn missing_apps(flow: &Flow) -> Vec<Diagnostic> {
    if flow.app.is_some() || flow.app_value.is_some() {
        return Vec::new();
    }
    flow.step_lists()
        .into_iter()
        .flat_map(steps_without)
        .collect()
}

/// Returns an error for each step that needs an app and names none in its arguments, also in nested steps but
/// not in sub-flows. Does not know the header's app.
pub(crate) fn steps_without(steps: &[Step]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    walk(steps, &mut found);
    found
}

/// Adds an error for each step, also in nested ones, that needs an app and names none. Does not know the header's
/// app.
fn walk(steps: &[Step], found: &mut Vec<Diagnostic>) {
    for step in steps {
        if let StepAction::Call { entry, arguments } = &step.action
            && entry.needs_app
            && !names_app(&arguments.value)
        {
            let place = SourceRange::new(&step.source, step.span.clone());
            let message = format!("`{}` has no app to act on", entry.name);
            let mut diagnostic = error(&place, Code::NoApp, message);
            diagnostic.help =
                Some("write `app: com.example.app` in the flow's header or at the step".to_owned());
            found.push(diagnostic);
        }
        for steps in step.action.lists() {
            walk(steps, found);
        }
    }
}

/// Returns true if the arguments name an app, or may do so in the run: by an expression. A literal null is none; the
/// name is not checked.
fn names_app(arguments: &Argument) -> bool {
    match arguments {
        Argument::Map(entries) => entries.contains_key("app"),
        Argument::Literal(value) => value.get("app").is_some_and(|app| !app.is_null()),
        // Its value is not known before the run.
        Argument::Expression(_) | Argument::Template(_) => true,
        Argument::List(_) => false,
    }
}
