//! Finds secrets that are written out in a flow or in `runner.yaml`, to mask them before the first event.
//!
//! Of a text with expressions the text itself is masked, and what it writes out of its value; the value is masked when
//! its step runs.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::settings::Settings;
use runner_flow::maestro::{EnvEntries, MaestroCommand};
use runner_flow::{
    Argument, Control, Flow, Row, Spanned, Step, StepAction, secret_texts, written_parts,
};
use runner_text::diagnostic::Source;
use runner_text::secret::{Scrubber, is_telling};

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
    /// Value, or one of its parts, with YAML's escapes resolved. Of a text with expressions also the text itself.
    pub value: Cow<'a, str>,
    pub source: &'a Arc<Source>,
    /// Byte range in the file, quotes included.
    pub span: &'a Range<usize>,
}

/// Returns the secrets that are written out in a flow and its sub-flows, with their places. `of_project` are
/// names that are secret everywhere; a flow's own are added. Of a value with expressions there is what
/// [`Search::text`] adds.
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
                self.typed(arguments, &step.source);
            }
            StepAction::Control(control) => self.control(step, control),
            StepAction::Maestro(command) => self.maestro(command),
            _ => {}
        }
    }

    /// Adds the text that a step types, with its place, or that of all arguments if there is none closer. Adds
    /// nothing if there is no `text`.
    fn typed(&mut self, arguments: &'a Spanned<Argument>, source: &'a Arc<Source>) {
        match &arguments.value {
            Argument::Literal(Value::Object(map)) => {
                if let Some(text) = map.get("text").and_then(Value::as_str) {
                    self.found.push(WrittenSecret {
                        value: text.into(),
                        source,
                        span: &arguments.span,
                    });
                }
            }
            Argument::Map(map) => self.value(map.get("text"), source),
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

    /// Adds the values of secret names; of one with scripts what [`Self::text`] adds.
    fn entries(&mut self, entries: &'a EnvEntries) {
        for (name, value) in entries {
            if !self.names.contains(&name.as_str()) {
                continue;
            }
            let text = Cow::from(value.text.as_str());
            if value.has_script() {
                let parts = runner_script::written_parts(&value.text).into_iter();
                let parts = parts.map(str::to_owned).collect();
                self.text(text, parts, &value.source, &value.span);
            } else {
                self.found.push(WrittenSecret {
                    value: text,
                    source: &value.source,
                    span: &value.span,
                });
            }
        }
    }

    /// Adds a text with expressions, and those of its written parts that tell something: a short one and a plain word
    /// stand in other texts too. Without a letter or digit in any part nothing is added: `${os.PIN}` only names a
    /// value.
    fn text(
        &mut self,
        text: Cow<'a, str>,
        parts: Vec<String>,
        source: &'a Arc<Source>,
        span: &'a Range<usize>,
    ) {
        let says = |part: &String| part.contains(char::is_alphanumeric);
        if !parts.iter().any(says) {
            return;
        }
        let telling = parts.into_iter().filter(|part| is_telling(part));
        let values = std::iter::once(text).chain(telling.map(Cow::from));
        self.found.extend(values.map(|value| WrittenSecret {
            value,
            source,
            span,
        }));
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

    /// Adds all literal texts of a value, those of nested lists and maps too; of a text with expressions what
    /// [`Self::text`] adds.
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
            Argument::Expression(inner) => {
                let text = format!("${{{inner}}}");
                let parts = written_parts(&text);
                self.text(text.into(), parts, source, span);
            }
            Argument::Template(text) => {
                self.text(text.into(), written_parts(text), source, span);
            }
        }
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
