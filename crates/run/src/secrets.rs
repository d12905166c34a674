//! Finds secrets that are written out in a flow or in `runner.yaml`, to mask them before the first event.
//!
//! The value of an expression is masked when its step runs.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::settings::Settings;
use runner_flow::maestro::{EnvEntries, MaestroCommand};
use runner_flow::{Argument, Control, Flow, Row, Spanned, Step, StepAction, secret_texts};
use runner_text::diagnostic::Source;
use runner_text::secret::Scrubber;

/// Masks the values that the project, the command line and the process environment give to the project's
/// secret names. All values of a name are masked, also those that another overrides. Secrets of single flows
/// are left to the caller.
pub(super) fn hide_project_values(settings: &Settings, scrubber: &Scrubber) {
    for name in &settings.config.secrets {
        for values in [&settings.config.file_env, &settings.config.command_env] {
            if let Some(value) = values.get(name) {
                scrubber.add(value);
            }
        }
        if let Some(value) = settings.os.get(name) {
            scrubber.add(value);
        }
    }
}

/// Secret that is written out in a file.
#[derive(Debug)]
pub(super) struct WrittenSecret<'a> {
    /// Value, with YAML's escapes resolved.
    pub value: Cow<'a, str>,
    pub source: &'a Arc<Source>,
    /// Byte range in the file, quotes included.
    pub span: &'a Range<usize>,
}

/// Returns the secrets that are written out in a flow and its sub-flows, with their places. `of_project` are
/// names that are secret everywhere; a flow's own are added. A value with an expression is not written out.
pub(super) fn written<'a>(flow: &'a Flow, of_project: &'a [String]) -> Vec<WrittenSecret<'a>> {
    let mut search = Search {
        names: of_project.iter().map(String::as_str).collect(),
        found: Vec::new(),
    };
    search.flow(flow);
    search.found
}

struct Search<'a> {
    /// Names that are secret in the current scope.
    names: Vec<&'a str>,
    found: Vec<WrittenSecret<'a>>,
}

impl<'a> Search<'a> {
    /// Adds the secrets of a flow: of its `env`, its rows and all its steps. Its own secret names count inside it
    /// only.
    fn flow(&mut self, flow: &'a Flow) {
        let outside = self.names.len();
        self.names.extend(flow.secrets.iter().map(String::as_str));
        for name in self.names.clone() {
            self.value(flow.env.get(name), &flow.source);
        }
        if let Some(header) = flow.maestro() {
            self.entries(&header.env);
        }
        self.rows(flow);
        for steps in flow.step_lists() {
            self.steps(steps);
        }
        self.names.truncate(outside);
    }

    /// Adds the secrets of the rows of data, once for each row.
    fn rows(&mut self, flow: &'a Flow) {
        let mut last: Option<&Arc<Row>> = None;
        for row in flow.cases.iter().filter_map(|case| case.row.as_ref()) {
            // The combinations of a row follow one another.
            if last.is_some_and(|last| Arc::ptr_eq(last, row)) {
                continue;
            }
            last = Some(row);
            for name in self.names.clone() {
                self.value(row.value(name), &row.source);
            }
        }
    }

    fn steps(&mut self, steps: &'a [Step]) {
        for step in steps {
            self.step(step);
        }
    }

    /// Adds the text that a secret step types, and the secrets in control steps and commands. Other steps have
    /// none.
    fn step(&mut self, step: &'a Step) {
        match &step.action {
            StepAction::Call { arguments, .. } if step.modifiers.secret => {
                if let Some((value, span)) = text_of(arguments) {
                    let source = &step.source;
                    self.found.push(WrittenSecret {
                        value: value.into(),
                        source,
                        span,
                    });
                }
            }
            StepAction::Control(control) => self.control(step, control),
            StepAction::Maestro(command) => self.maestro(command),
            _ => {}
        }
    }

    /// Adds the secrets in a command's `env`, and those of the flow and the commands that it runs.
    fn maestro(&mut self, command: &'a MaestroCommand) {
        if let MaestroCommand::RunFlow { env, .. }
        | MaestroCommand::Retry { env, .. }
        | MaestroCommand::RunScript { env, .. } = command
        {
            self.entries(env);
        }
        if let Some(flow) = command.flow() {
            self.flow(flow);
        }
        self.steps(command.steps());
    }

    /// Adds the values of secret names, unless they have a script.
    fn entries(&mut self, entries: &'a EnvEntries) {
        for (name, value) in entries {
            if self.names.contains(&name.as_str()) && !value.has_script() {
                self.found.push(WrittenSecret {
                    value: value.text.as_str().into(),
                    source: &value.source,
                    span: &value.span,
                });
            }
        }
    }

    /// Adds the secrets in a control step, its lists and its sub-flow. For a sub-flow's `env` its own secret names
    /// count too.
    fn control(&mut self, step: &'a Step, control: &'a Control) {
        match control {
            Control::Run { flow, env } => {
                // The `env` is in this file, but the sub-flow's header says which names are secret.
                let outside = self.names.len();
                self.names.extend(flow.secrets.iter().map(String::as_str));
                for name in self.names.clone() {
                    self.value(env.get(name), &step.source);
                }
                self.names.truncate(outside);
                self.flow(flow);
            }
            Control::Set { values } => {
                for name in self.names.clone() {
                    self.value(values.get(name), &step.source);
                }
            }
            Control::Repeat { .. }
            | Control::Retry { .. }
            | Control::Group { .. }
            | Control::If { .. }
            | Control::Pause { .. } => {}
        }
        for steps in control.lists() {
            self.steps(steps);
        }
    }

    /// Adds all literal texts of a value, those of nested lists and maps too. Expressions are left out.
    fn value(&mut self, argument: Option<&'a Spanned<Argument>>, source: &'a Arc<Source>) {
        let Some(Spanned { value, span }) = argument else {
            return;
        };
        match value {
            Argument::Literal(value) => {
                self.found
                    .extend(secret_texts(value).into_iter().map(|value| WrittenSecret {
                        value,
                        source,
                        span,
                    }));
            }
            Argument::List(items) => items.iter().for_each(|item| self.value(Some(item), source)),
            Argument::Map(items) => items
                .values()
                .for_each(|item| self.value(Some(item), source)),
            Argument::Expression(_) | Argument::Template(_) => {}
        }
    }
}

/// Returns the literal text that a step types, with its place, or that of all arguments if there is none
/// closer. `None` if there is no `text`, or it has an expression.
fn text_of(arguments: &Spanned<Argument>) -> Option<(&str, &Range<usize>)> {
    match &arguments.value {
        Argument::Literal(Value::Object(map)) => {
            Some((map.get("text")?.as_str()?, &arguments.span))
        }
        Argument::Map(map) => match map.get("text")? {
            Spanned {
                value: Argument::Literal(Value::String(text)),
                span,
            } => Some((text, span)),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_flow::{ReadOptions, read_text};

    #[test]
    fn numbers_and_parts_of_lists_and_maps_are_hidden_too() {
        let text = "secrets: [ PIN, LIST, MAP, ON ]\nenv: { PIN: 482913 }\nsteps:\n  - set: { PIN: 1207.5, \
            LIST: [ one, \"${PIN}\", { a: two } ], MAP: { b: 33333, c: \"${PIN}\" }, ON: true, X: shown }\n";
        let (flow, wrong) = read_text(
            "flows/a.yaml".into(),
            text.to_owned(),
            &ReadOptions::default(),
        );
        let flow = flow.unwrap_or_else(|| panic!("{wrong:?}"));
        let mut found: Vec<_> = written(&flow, &[]).into_iter().map(|it| it.value).collect();
        found.sort();
        assert_eq!(found, ["1207.5", "33333", "482913", "one", "two"]);
    }
}
