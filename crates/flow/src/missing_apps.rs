//! Finds steps that need an app in a flow that names none, and sub-flows that name another, without running them.

use super::ast::{Argument, Flow, Step, StepAction};
use super::report::{SourceRange, error};
use runner_text::diagnostic::{Code, Diagnostic, Source};

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

/// Returns a warning for each step that runs a sub-flow of another app than `flow`, at any depth: steps of the sub-flow
/// that name no app act on that of `flow`. A sub-flow without such a step does not count, and apps with expressions are
/// not compared.
pub(crate) fn other_apps(flow: &Flow) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if flow.app_value.is_none() {
        for steps in flow.step_lists() {
            compare_apps(steps, flow.app.as_deref(), &mut found);
        }
    }
    found
}

/// Adds the warnings of [`other_apps`] about these steps, in a flow that was started with the app `started`.
fn compare_apps(steps: &[Step], started: Option<&str>, found: &mut Vec<Diagnostic>) {
    for step in steps {
        if let Some(inner) = step.action.sub_flow() {
            let own = inner.app.as_deref().filter(|_| inner.app_value.is_none());
            if let Some(own) = own.filter(|own| started != Some(*own))
                && !steps_without(&inner.steps).is_empty()
            {
                found.push(other_app(step, &inner.source, own, started));
            }
            compare_apps(&inner.steps, started, found);
        }
        for steps in step.action.lists() {
            compare_apps(steps, started, found);
        }
    }
}

/// Returns the warning about a `run` of a sub-flow whose header names the app `own`.
fn other_app(step: &Step, inner: &Source, own: &str, started: Option<&str>) -> Diagnostic {
    let started = started.map_or_else(
        || "the started flow, which names no app".to_owned(),
        |app| format!("the started flow, `{app}`"),
    );
    let message = format!(
        "`app: {own}` of `{}` has no effect here: its steps act on the app of {started}",
        inner.path
    );
    let place = SourceRange::new(&step.source, step.span.clone());
    let mut diagnostic = error(&place, Code::NoEffect, message);
    diagnostic.help = Some(format!(
        "name the app at each step that means it, such as `launch: {{ app: {own} }}`"
    ));
    diagnostic
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

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use crate::reader::{ReadOptions, read_flow};
    use crate::tests::Project;

    #[test]
    fn an_app_of_a_sub_flow_that_its_steps_do_not_act_on_is_told() {
        const STEPS: &str = "steps: [ launch ]\n";
        for (caller, inner, is_told) in [
            ("app: com.a.b\n", format!("app: com.c.d\n{STEPS}"), true),
            ("", format!("app: com.c.d\n{STEPS}"), true),
            ("app: com.a.b\n", format!("app: com.a.b\n{STEPS}"), false),
            ("app: com.a.b\n", STEPS.to_owned(), false),
            (
                "env: { A: com.c.d }\napp: \"${A}\"\n",
                format!("app: com.c.d\n{STEPS}"),
                false,
            ),
            (
                "app: com.a.b\n",
                "app: com.c.d\nsteps: [ launch: { app: com.c.d }, back ]\n".to_owned(),
                false,
            ),
        ] {
            let project = Project::new();
            project.file("_middle.yaml", "steps: [ run: _inner.yaml ]\n");
            project.file("_inner.yaml", &inner);
            for (run, place) in [("_inner.yaml", "a.yaml"), ("_middle.yaml", "_middle.yaml")] {
                let text = format!("{caller}steps:\n  - group: [ run: {run} ]\n");
                project.file("a.yaml", text);
                let options = ReadOptions {
                    root: project.root(),
                    ..ReadOptions::default()
                };
                let (flow, found) = read_flow(Utf8Path::new("a.yaml"), &options);
                assert!(flow.is_some(), "{found:?}");
                let places: Vec<&str> = found.iter().map(|it| it.source.path.as_str()).collect();
                let wanted = if is_told { vec![place] } else { Vec::new() };
                assert_eq!(places, wanted, "{caller}{inner}{run}: {found:?}");
            }
        }
    }
}
