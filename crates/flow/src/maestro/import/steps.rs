//! Converts a flow and its commands, or fails as a whole.

mod command;
mod control;
mod gesture;

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value, json};

use super::super::super::ast::{Flow, Step, StepAction};
use super::super::tree::{Header, MaestroCommand};
use super::comments::{self, Comment};
use super::texts::{Names, UnsupportedError};
use super::write::indented;
use runner_text::diagnostic::line_column;
use runner_text::flow_text;

/// Maestro's wait for an element: `lookupTimeoutMs` of `Orchestra.kt`.
const LOOK: &str = "17s";
/// Maestro's wait for an optional element, and in conditions: `optionalLookupTimeoutMs` of `Orchestra.kt`.
const OPTIONAL: &str = "7s";

/// Converted flow.
pub(super) struct ParsedFlow {
    /// Path below the new folder of flows.
    pub(super) path: Utf8PathBuf,
    pub(super) text: String,
    /// Variables that a caller may set, with their defaults.
    pub(super) requested: BTreeMap<String, String>,
    app: String,
    has_hooks: bool,
}

/// Reason why a flow cannot be converted.
#[derive(Debug, Clone)]
pub(super) struct Reason {
    pub(super) line: usize,
    pub(super) why: String,
}

/// Context of a conversion: the other files of the import.
pub(super) struct ImportContext<'a> {
    /// Flows converted so far, by their paths below the root.
    pub(super) parsed: &'a BTreeMap<Utf8PathBuf, ParsedFlow>,
    /// True if another flow runs this one.
    pub(super) is_run: bool,
    /// True if `takeScreenshot` compares with goldens in this project.
    pub(super) keeps_goldens: bool,
}

/// Converts one flow, whose new path will be `path`; paths in it become relative to that. A path with a part that
/// begins with `_` makes it a sub-flow, without `step_timeout`. Flows that it runs must be converted before, in
/// `context`. Does not check that the text can be read.
///
/// # Errors
/// Line and reason of the first thing that cannot be expressed: hooks and properties first, then the header, then the
/// steps.
pub(super) fn convert_flow(
    flow: &Flow,
    header: &Header,
    path: Utf8PathBuf,
    context: &ImportContext<'_>,
) -> Result<ParsedFlow, Reason> {
    let mut writer = Writer {
        flow,
        context,
        folder: path.parent().unwrap_or(Utf8Path::new("")).to_owned(),
        is_sub_flow: path.components().any(|part| part.as_str().starts_with('_')),
        names: Names::default(),
        comments: comments::find_comments(&flow.source).into_iter().peekable(),
    };
    let (text, app) = writer.text(header)?;
    Ok(ParsedFlow {
        path,
        text,
        requested: writer.names.requested,
        app,
        has_hooks: !flow.setup.is_empty(),
    })
}

struct Writer<'a> {
    flow: &'a Flow,
    context: &'a ImportContext<'a>,
    /// New folder of the flow.
    folder: Utf8PathBuf,
    /// True if the flow is not a test of its own.
    is_sub_flow: bool,
    names: Names,
    comments: std::iter::Peekable<std::vec::IntoIter<Comment>>,
}

type Lines = Result<Vec<String>, Reason>;

impl Writer<'_> {
    /// Returns the reason with the line of this place.
    fn at(&self, place: usize, why: UnsupportedError) -> Reason {
        Reason {
            line: line_column(&self.flow.source.text, place).0,
            why: why.0,
        }
    }

    /// Returns the text of the converted flow with all its comments, and its app. `onFlowStart` becomes `setup`.
    /// `onFlowComplete`, `onFlowFailure`, properties of the header and a flow without commands are errors. To be called
    /// once: it uses up the comments.
    fn text(&mut self, header: &Header) -> Result<(String, String), Reason> {
        let flow = self.flow;
        if let Some(step) = flow.teardown.first() {
            let why = "`teardown` goes on where `onFlowComplete` stops".to_owned();
            return Err(self.at(step.span.start, UnsupportedError(why)));
        }
        if let Some(step) = flow.on_failure.first() {
            let why = "`onFlowFailure` stays Maestro's".to_owned();
            return Err(self.at(step.span.start, UnsupportedError(why)));
        }
        if let Some((name, _)) = header.properties.first() {
            let why = format!("flows here have no properties, such as `{name}`");
            return Err(self.at(0, UnsupportedError(why)));
        }
        let first = flow.setup.first().or(flow.steps.first());
        let begin = first.map_or(flow.source.text.len(), |step| step.span.start);
        let mut lines = Vec::new();
        self.comments_before(begin, &mut lines);
        let mut own = Map::new();
        for (name, value) in &header.env {
            let parsed = self.names.header_value(name, value);
            let message = parsed.map_err(|why| self.at(value.span.start, why))?;
            if let Some(output) = message {
                own.insert(name.clone(), output.into());
            }
        }
        let app = self.names.text(&header.app_id);
        let app = app.map_err(|why| self.at(header.app_id.span.start, why))?;
        let setup = if flow.setup.is_empty() {
            Vec::new()
        } else {
            self.steps(&flow.setup)?
        };
        let mut steps = self.steps(&flow.steps)?;
        self.comments_before(usize::MAX, &mut steps);
        lines.extend(self.head(&app, own));
        for (name, part) in [("setup", setup), ("steps", steps)] {
            if !part.is_empty() {
                lines.push(format!("{name}:"));
                lines.extend(part.iter().map(|line| indented(line, 2)));
            }
        }
        lines.push(String::new());
        Ok((lines.join("\n"), app))
    }

    /// Returns the lines of the header: name, app, tags, `env` and `step_timeout`. The name is left out if it is the
    /// file's. `env` has the values of `own` and the defaults of variables that a caller may set; the steps must be
    /// converted before.
    fn head(&self, app: &str, own: Map<String, Value>) -> Vec<String> {
        let mut lines = Vec::new();
        let mut say = |name: &str, value: &Value| {
            lines.push(format!("{name}: {}", flow_text::with_expressions(value)));
        };
        let flow = self.flow;
        if flow.key.file_name() != Some(flow.name.as_str()) {
            say("name", &flow_text::escaped(&flow.name.clone().into()));
        }
        say("app", &app.into());
        if !flow.tags.is_empty() {
            say("tags", &json!(flow.tags));
        }
        let requested = self.names.requested.iter();
        let mut env: Map<String, Value> = requested
            .map(|(name, default)| (name.clone(), flow_text::escaped_text(default).into()))
            .collect();
        env.extend(own);
        if !env.is_empty() {
            say("env", &Value::Object(env));
        }
        // A file that only other flows run has their timeout.
        if !self.is_sub_flow {
            say("step_timeout", &LOOK.into());
        }
        lines
    }

    /// Moves the comments that begin before the offset `at` and are not written yet to `lines`.
    fn comments_before(&mut self, at: usize, lines: &mut Vec<String>) {
        while let Some(comment) = self.comments.next_if(|comment| comment.at < at) {
            lines.push(comment.text);
        }
    }

    /// Converts steps with the comments before and beside them; one beside a step of one line stays there, others
    /// move above it. An empty list and the first step that cannot be converted are errors.
    fn steps(&mut self, steps: &[Step]) -> Lines {
        if steps.is_empty() {
            return Err(self.at(
                0,
                UnsupportedError("a list here has at least one step".to_owned()),
            ));
        }
        let mut lines = Vec::new();
        for step in steps {
            self.comments_before(step.span.start, &mut lines);
            let mut messages = self.step(step)?;
            let text = &self.flow.source.text;
            let end = step.span.end;
            let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at);
            // Comments beside the step, and inside of it if it contains no steps.
            let mut inner = Vec::new();
            while let Some(comment) = self.comments.next_if(|comment| comment.at < line_end) {
                match messages.as_mut_slice() {
                    [only] if comment.is_trailing && !only.contains('#') => {
                        only.push_str(&format!(" {}", comment.text));
                    }
                    _ => inner.push(comment.text),
                }
            }
            lines.extend(inner);
            lines.extend(messages);
        }
        Ok(lines)
    }

    /// Converts a command with its label, which must have no expression, and its `optional`. Returns the lines of one
    /// step; none for a step of our own.
    fn step(&mut self, step: &Step) -> Lines {
        let StepAction::Maestro(command) = &step.action else {
            return Ok(Vec::new());
        };
        let is_optional = step.modifiers.optional;
        let out = match &**command {
            MaestroCommand::RunFlow { .. }
            | MaestroCommand::Repeat { .. }
            | MaestroCommand::Retry { .. } => self.control(command, step)?,
            command => {
                let parsed = self.command(command, is_optional);
                parsed.map_err(|why| self.at(step.span.start, why))?
            }
        };
        let mut out = out;
        if let Some(label) = &step.modifiers.label {
            if label.contains("${") {
                let why = UnsupportedError("a label holds no expression here".to_owned());
                return Err(self.at(step.span.start, why));
            }
            out = out.with_modifier("label", label.clone());
        }
        if is_optional {
            out = out.with_modifier("optional", true);
        }
        Ok(out.lines())
    }
}
