//! Checks a file of A2UI messages: the messages, their components, and the names that components refer to.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::value::{self, Values};
use super::{Report, advice, find};
use crate::apps::a2ui::catalogue::{self, COMPONENTS, ValueKind};
use crate::apps::a2ui::read_messages;
use runner_text::diagnostic::{Code, Diagnostic, Source};
use runner_text::suggest::nearest;
use runner_text::yaml::{self, Key, Node, NodeKind};

/// Kinds of messages with their keys.
const MESSAGES: [(&str, &[&str]); 4] = [
    (
        "createSurface",
        &["surfaceId", "catalogId", "theme", "sendDataModel"],
    ),
    ("updateComponents", &["surfaceId", "components"]),
    ("updateDataModel", &["surfaceId", "path", "value"]),
    ("deleteSurface", &["surfaceId"]),
];

/// Checks the file of a report, and adds its problems there. `actions` are those of the app. Returns the ids of the
/// file's components, or `None` if some messages could not be read; then references between components are not checked.
/// If no error was found, the file is read as the device reads it, and its error is reported.
pub(super) fn check(report: &mut Report, actions: &BTreeSet<String>) -> Option<BTreeSet<String>> {
    let Messages { trees, is_all } = messages(report);
    let mut file = File {
        ids: BTreeMap::new(),
        values: Values::for_surface(actions),
        first: None,
    };
    for message in &trees {
        file.message(message, report);
    }
    if is_all {
        file.finish(report);
    }
    if !super::has_errors(&report.found)
        && let Err(problem) = read_messages(report.source.path.as_str(), &report.source.text)
    {
        // Errors that these checks do not know are reported by the reader.
        let at = offset(&report.source.text, problem.line, problem.column);
        report.fail(&(at..at), Code::Message, problem.message, None);
    }
    is_all.then(|| file.ids.into_keys().collect())
}

#[derive(Default)]
struct Messages {
    trees: Vec<Node>,
    /// False if some messages could not be read or were too large to be checked.
    is_all: bool,
}

/// Parses the file's messages as trees, in the format of its extension, and reports syntax errors. `is_all`
/// is false if some could not be read.
fn messages(report: &mut Report) -> Messages {
    let source = Arc::clone(&report.source);
    let extension = source.path.extension().unwrap_or_default();
    if extension == "jsonl" {
        return lines(&source, report);
    }
    let is_yaml = matches!(extension, "yaml" | "yml");
    if !is_yaml && let Err(problem) = read_json(&source.text) {
        let at = offset(&source.text, problem.0, problem.1);
        report.fail(&(at..at), Code::Json, problem.2, None);
        return Messages::default();
    }
    let mut found = Vec::new();
    let tree = yaml::read(&source, &mut found);
    let Some(tree) = tree else {
        for problem in found {
            if is_large(&problem) {
                warn_of_size(report, &problem.span);
            } else if is_yaml {
                // JSON that YAML does not read is still JSON.
                report.found.push(problem);
            }
        }
        return Messages::default();
    };
    report.found.append(&mut found);
    let trees = match tree.kind {
        NodeKind::Sequence(items) => items,
        NodeKind::Map(entries) => match entries.into_iter().find(|(key, _)| key.text == "messages")
        {
            Some((
                _,
                Node {
                    kind: NodeKind::Sequence(items),
                    ..
                },
            )) => items,
            Some((_, other)) => vec![other],
            // One message; the entries were moved, so it is read again.
            None => yaml::read(&source, &mut Vec::new()).into_iter().collect(),
        },
        NodeKind::Scalar(_) => {
            let message = "expected an A2UI message or a list of them";
            report.fail(&tree.span, Code::Message, message, None);
            return Messages::default();
        }
    };
    Messages {
        trees,
        is_all: true,
    }
}

fn is_large(problem: &Diagnostic) -> bool {
    problem.code == Code::TooLarge
}

fn warn_of_size(report: &mut Report, span: &Range<usize>) {
    report.warn(span, Code::TooLarge, "this file is too large to be checked");
}

/// Parses JSON lines, a message each, with spans in the whole file. Blank lines are ignored. A malformed line
/// is reported and the next ones are still read, but then `is_all` is false.
fn lines(source: &Arc<Source>, report: &mut Report) -> Messages {
    let mut messages = Messages {
        trees: Vec::new(),
        is_all: true,
    };
    let mut start = 0;
    for line in source.text.split_inclusive('\n') {
        let begin = start;
        start += line.len();
        if line.trim().is_empty() {
            continue;
        }
        if let Err((_, column, message)) = read_json(line) {
            let at = begin + offset(line, 1, column);
            report.fail(&(at..at), Code::Json, message, None);
            messages.is_all = false;
            continue;
        }
        let part = Arc::new(Source {
            path: source.path.clone(),
            text: line.to_owned(),
        });
        let mut found = Vec::new();
        if let Some(mut tree) = yaml::read(&part, &mut found) {
            shift(&mut tree, begin);
            messages.trees.push(tree);
        } else {
            messages.is_all = false;
            if found.iter().any(is_large) {
                warn_of_size(report, &(begin..begin));
            }
        }
    }
    messages
}

/// Moves the spans of a tree and of all its nodes forward by `by` bytes.
fn shift(node: &mut Node, by: usize) {
    let moved = |span: &Range<usize>| span.start + by..span.end + by;
    node.span = moved(&node.span);
    match &mut node.kind {
        NodeKind::Scalar(_) => {}
        NodeKind::Sequence(items) => items.iter_mut().for_each(|item| shift(item, by)),
        NodeKind::Map(entries) => {
            for (key, value) in entries {
                key.span = moved(&key.span);
                shift(value, by);
            }
        }
    }
}

/// Parses JSON of any content. The error has line and column, both from 1, and a message.
fn read_json(text: &str) -> Result<(), (u64, u64, String)> {
    match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        Ok(_) => Ok(()),
        Err(problem) => {
            let message = problem.to_string();
            // It ends with the place, which the diagnostic shows anyway.
            let message = message.split(" at line ").next().unwrap_or_default();
            Err((
                problem.line() as u64,
                problem.column() as u64,
                format!("this is not JSON: {message}"),
            ))
        }
    }
}

/// Returns the byte offset of a line and a column, both from 1; a column is a character. A column beyond the
/// line runs on in the next ones, up to the end of the text.
fn offset(text: &str, line: u64, column: u64) -> usize {
    let skipped = (line as usize).saturating_sub(1);
    let start: usize = text.split_inclusive('\n').take(skipped).map(str::len).sum();
    let rest = text.get(start..).unwrap_or_default();
    let column = (column as usize).saturating_sub(1);
    let within = rest
        .char_indices()
        .nth(column)
        .map_or(rest.len(), |(at, _)| at);
    start + within
}

/// Ids and values collected from a file's messages.
struct File<'a> {
    /// Components with the spans of their ids.
    ids: BTreeMap<String, Range<usize>>,
    values: Values<'a>,
    /// Span of the first list of components.
    first: Option<Range<usize>>,
}

impl File<'_> {
    /// Checks a message: its version, and its one known kind with its body. Further kinds are reported and checked
    /// too.
    fn message(&mut self, node: &Node, report: &mut Report) {
        let Some(entries) = report.map(node, "a message") else {
            return;
        };
        let head = entries
            .first()
            .map_or(node.span.clone(), |(key, _)| key.span.clone());
        match find(entries, "version") {
            None => {
                let help = Some("write `version: v0.9`".to_owned());
                report.fail(&head, Code::Version, "the message has no `version`", help);
            }
            Some((_, version)) => {
                let text = version.scalar().map_or("", |scalar| scalar.text.as_str());
                if !matches!(text, "v0.9" | "v0.9.1") {
                    let message = format!("A2UI version `{text}` is not supported in app files");
                    let help = Some("write `version: v0.9`".to_owned());
                    report.fail(&version.span, Code::Version, message, help);
                }
            }
        }
        let kinds: Vec<&(Key, Node)> = entries
            .iter()
            .filter(|(key, _)| key.text != "version")
            .collect();
        if kinds.is_empty() {
            let message = "the message says nothing";
            let names = MESSAGES.iter().map(|(name, _)| *name);
            report.unknown(&head, Code::UnknownMessage, message.to_owned(), names, "");
        }
        for (index, (key, body)) in kinds.into_iter().enumerate() {
            let Some((_, keys)) = MESSAGES.iter().find(|(name, _)| *name == key.text) else {
                report.unknown(
                    &key.span,
                    Code::UnknownMessage,
                    format!("unknown message `{}`", key.text),
                    MESSAGES.iter().map(|(name, _)| *name),
                    &key.text,
                );
                continue;
            };
            if index > 0 {
                let message = "a message is one thing; this is a second one";
                report.fail(&key.span, Code::UnknownMessage, message, None);
            }
            self.body(key, body, keys, report);
        }
    }

    /// Checks the body of a message: its surface, its keys, and with components each of them. An unknown key is
    /// reported only if it resembles a known one. Ids are collected; one that stands twice in this message gives a
    /// warning.
    fn body(&mut self, key: &Key, body: &Node, keys: &[&str], report: &mut Report) {
        let Some(fields) = report.map(body, &format!("`{}`", key.text)) else {
            return;
        };
        match find(fields, "surfaceId") {
            Some((_, id)) => drop(report.text(id, "`surfaceId`")),
            None => {
                let message = format!("`{}` has no `surfaceId`", key.text);
                report.fail(&key.span, Code::MissingKey, message, None);
            }
        }
        for (name, _) in fields {
            // Later versions have more keys, so an unknown key is a problem only if it resembles a known one.
            if !keys.contains(&name.text.as_str())
                && let Some(suggestion) = nearest(&name.text, keys.iter().copied())
            {
                let message = format!("`{}` is not known here", name.text);
                let help = Some(format!("did you mean `{suggestion}`?"));
                report.fail(&name.span, Code::UnknownKey, message, help);
            }
        }
        if key.text != "updateComponents" {
            return;
        }
        let Some((name, list)) = find(fields, "components") else {
            let message = "`updateComponents` has no list of `components`";
            report.fail(&key.span, Code::MissingKey, message, None);
            return;
        };
        self.first.get_or_insert_with(|| name.span.clone());
        let mut here = BTreeSet::new();
        for component in report.list(list, "`components`").unwrap_or_default() {
            if let Some((id, span)) = self.component(component, report) {
                if !here.insert(id.clone()) {
                    let message = format!("the component `{id}` stands twice; the last one counts");
                    report.warn(&span, Code::DuplicateId, message);
                }
                self.ids.insert(id, span);
            }
        }
    }

    /// Checks a component and adds its problems to the report. Returns its id with its span, even if the rest is wrong,
    /// or `None` if it has none. A missing property is an error if it holds the contents, else a warning. Properties of
    /// an unknown type are not checked.
    fn component(&mut self, node: &Node, report: &mut Report) -> Option<(String, Range<usize>)> {
        let fields = report.map(node, "a component")?;
        let head = fields
            .first()
            .map_or(node.span.clone(), |(key, _)| key.span.clone());
        let mut id = None;
        match find(fields, "id") {
            Some((_, node)) => {
                if let Some(text) = report.text(node, "`id`") {
                    id = Some((text.to_owned(), node.span.clone()));
                }
            }
            None => report.fail(&head, Code::MissingKey, "this component has no `id`", None),
        }
        let Some((_, kind)) = find(fields, "component") else {
            let message = "this component has no `component` such as \"Text\"";
            report.fail(&head, Code::MissingKey, message, None);
            return id;
        };
        let Some(name) = report.text(kind, "`component`") else {
            return id;
        };
        let Some(component) = catalogue::find_component(name) else {
            let message = format!("there is no component `{name}`");
            let code = Code::UnknownComponentType;
            match advice::component(name) {
                Some(help) => report.fail(&kind.span, code, message, Some(help)),
                None => {
                    let names = COMPONENTS.iter().map(|component| component.name);
                    report.unknown(&kind.span, code, message, names, name);
                }
            }
            return id;
        };
        if !component.drawn {
            let message = format!("`{name}` is not drawn yet: its place says so");
            report.warn(&kind.span, Code::NotDrawn, message);
        }
        for (key, value) in fields {
            if matches!(key.text.as_str(), "id" | "component") {
                continue;
            }
            match component
                .all_properties()
                .find(|property| property.name == key.text)
            {
                Some(property) => value::check(value, property.takes, &mut self.values, report),
                None => {
                    let message = format!("{name} has no property `{}`", key.text);
                    let names = component.all_properties().map(|property| property.name);
                    match advice::property(name, &key.text, value) {
                        Some(help) => {
                            report.fail(&key.span, Code::UnknownProperty, message, Some(help));
                        }
                        None => {
                            let code = Code::UnknownProperty;
                            report.unknown(&key.span, code, message, names, &key.text);
                        }
                    }
                }
            }
        }
        for property in component.properties {
            if property.required && find(fields, property.name).is_none() {
                let message = format!("{name} needs `{}`: {}", property.name, property.about);
                // A component without its contents shows nothing; without its other properties it shows less.
                let is_inside = matches!(
                    property.takes,
                    ValueKind::Component
                        | ValueKind::Children
                        | ValueKind::Tabs
                        | ValueKind::Options
                        | ValueKind::Icon
                );
                if is_inside {
                    report.fail(&kind.span, Code::MissingProperty, message, None);
                } else {
                    report.warn(&kind.span, Code::MissingProperty, message);
                }
            }
        }
        id
    }

    /// Runs the checks that need all components of the file: each referenced id exists, and so does `root` if
    /// there is any component.
    fn finish(&self, report: &mut Report) {
        for (id, span) in &self.values.components {
            if self.ids.contains_key(id) {
                continue;
            }
            let message = format!("there is no component `{id}`");
            let names = || self.ids.keys().map(String::as_str);
            match advice::text_as_id(id).filter(|_| nearest(id, names()).is_none()) {
                Some(help) => report.fail(span, Code::UnknownComponent, message, Some(help)),
                None => report.unknown(span, Code::UnknownComponent, message, names(), id),
            }
        }
        if let Some(first) = &self.first
            && !self.ids.contains_key("root")
        {
            let message = "no component has the id `root`; it is the one that is shown";
            report.fail(first, Code::Root, message, None);
        }
    }
}
