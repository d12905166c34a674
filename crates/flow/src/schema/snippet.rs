//! Snippets that editors insert: text with placeholders in the syntax of language servers.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::vocabulary::forms;
use crate::yaml::{self, NodeKind};
use runner_text::diagnostic::Source;
use runner_text::flow_text::literal;

/// Snippet with a placeholder for any text. As the whole value it is useless.
const ANY_TEXT: &str = "${1:text}";
/// Maximum nesting of references and values. Chosen: deeper than the schema, and ends a circular reference.
const MAX_DEPTH: usize = 16;

/// Converts the first step of an example to a snippet without its dash, with each scalar value as a placeholder,
/// numbered from 1. Keys and the rest stay as they are written. Returns `None` if the step is a single word, or if
/// the example is no list or no YAML.
pub(super) fn from_example(example: &str) -> Option<String> {
    let source = Arc::new(Source {
        path: "example".into(),
        text: example.to_owned(),
    });
    let list = yaml::read(&source, &mut Vec::new())?;
    let NodeKind::Sequence(steps) = &list.kind else {
        return None;
    };
    let step = steps.first()?;
    let values: Vec<_> = step
        .nodes()
        .filter(|node| node.scalar().is_some())
        .collect();
    if matches!(step.kind, NodeKind::Scalar(_)) {
        return None;
    }
    let mut text = String::new();
    let mut written = step.span.start;
    for (number, value) in values.iter().enumerate() {
        text.push_str(&escaped(&example[written..value.span.start]));
        text.push_str(&stop(number + 1, &example[value.span.clone()]));
        written = value.span.end;
    }
    text.push_str(&escaped(&example[written..step.span.end]));
    Some(text)
}

/// Returns the placeholder `number` with its initial text, escaped for snippets: `${1:text}`. Quotes of the text stay
/// around it.
fn stop(number: usize, text: &str) -> String {
    let quote = text
        .chars()
        .next()
        .filter(|char| ['"', '\''].contains(char));
    let inner = quote.and_then(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    match (quote, inner) {
        (Some(quote), Some(inner)) => format!(
            "{quote}${{{number}:{}}}{quote}",
            escaped(inner).replace('}', r"\}")
        ),
        _ => format!("${{{number}:{}}}", escaped(text).replace('}', r"\}")),
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', r"\\").replace('$', r"\$")
}

/// Adds a snippet to each key of a schema that needs more than a text, also in its definitions. Removes what would
/// make the language server insert something itself: defaults, and `required`, which moves into `allOf`. Changes
/// nothing that the schema accepts.
pub(super) fn add_snippets(schema: &mut Value) {
    let definitions = schema["definitions"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    visit(schema, &definitions);
    let own = schema["definitions"].as_object_mut().into_iter().flatten();
    for (name, definition) in own {
        if name.starts_with("modifier.") || name.starts_with("selector.") {
            add_snippet(definition, &definitions);
        }
    }
}

/// Adds snippets to the keys of this map and of all maps below, and removes their defaults. Required keys are hidden
/// from the language server in `allOf`. References are not followed.
fn visit(schema: &mut Value, definitions: &Map<String, Value>) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(|item| visit(item, definitions)),
        Value::Object(map) => {
            let properties = map.get_mut("properties").and_then(Value::as_object_mut);
            let properties =
                properties.filter(|properties| properties.values().all(Value::is_object));
            for (_, property) in properties.into_iter().flatten() {
                add_snippet(property, definitions);
            }
            if let Some(required) = map.get("properties").and(map.get("required")).cloned() {
                map.remove("required");
                map.insert("allOf".into(), json!([{ "required": required }]));
            }
            map.remove("default");
            map.values_mut().for_each(|inner| visit(inner, definitions));
        }
        _ => {}
    }
}

/// Adds a snippet to a key, and wraps its schema in `anyOf` where the server would insert something else. Keys with a
/// definition `modifier.…` or `selector.…`, with a snippet or without a suggestion stay as they are. One that needs
/// no snippet gets none, but may be wrapped.
fn add_snippet(property: &mut Value, definitions: &Map<String, Value>) {
    let is_named = property["$ref"]
        .as_str()
        .is_some_and(|path| path.contains("/modifier.") || path.contains("/selector."));
    if is_named || property["doNotSuggest"] == true || property.get("defaultSnippets").is_some() {
        return;
    }
    let mut writer = Writer {
        definitions,
        stops: 0,
    };
    let text = writer.property(property);
    let is_wrapped = property.get("anyOf").is_some();
    // For a schema without a type or with its own keys, the server would omit the colon or insert something else.
    let is_typed = property
        .get("type")
        .or_else(|| property.get("$ref"))
        .is_some();
    if !is_wrapped && (text.is_some() || !is_typed) {
        let mut inner = property.take();
        let description = inner
            .as_object_mut()
            .and_then(|map| map.remove("description"));
        *property = json!({ "anyOf": [inner] });
        if let Some(description) = description {
            property["description"] = description;
        }
    }
    if let Some(text) = text {
        let about = property["description"].as_str().unwrap_or("a value");
        property["defaultSnippets"] = json!([{ "label": about, "body": text }]);
    }
}

struct Writer<'a> {
    definitions: &'a Map<String, Value>,
    /// Number of placeholders written so far.
    stops: usize,
}

impl<'a> Writer<'a> {
    /// Returns the snippet of a key's value. Returns `None` if any text is valid, if the editor has values to
    /// offer, for a list of steps, and for a value that may be a map or a scalar.
    fn property(&mut self, schema: &'a Value) -> Option<String> {
        let form = self.first_form(schema);
        let examples = form["examples"].as_array().map_or(0, Vec::len);
        let has_offers = form.get("enum").is_some() || examples > 1 && form["format"] != "duration";
        // The server itself writes the dash of a list of steps.
        let is_steps = form["items"]["$ref"] == "#/definitions/step";
        // In a map the server would offer the snippet of a number among the keys.
        let takes_map = form["type"]
            .as_array()
            .is_some_and(|types| types.contains(&json!("object")));
        let text =
            (!has_offers && !is_steps && !takes_map).then(|| self.value(schema, MAX_DEPTH))?;
        (text != ANY_TEXT).then_some(text)
    }

    /// Writes an example of a value with placeholders: the first example or choice, else one by type: a boolean's is
    /// the opposite of its default, a text's is `text`. Of alternatives the first counts. Empty below `depth` levels.
    fn value(&mut self, schema: &'a Value, depth: usize) -> String {
        let form = self.first_form(schema);
        let Some(deeper) = depth.checked_sub(1) else {
            return String::new();
        };
        let known = form["examples"].get(0).or_else(|| form["enum"].get(0));
        if let Some(known) = known.or_else(|| form.get("const")) {
            return self.stop(&literal(known));
        }
        let types = &form["type"];
        match types.as_str().or_else(|| types[0].as_str()) {
            Some("boolean") => {
                let usual = form["default"].as_bool().unwrap_or(false);
                self.stop(&(!usual).to_string())
            }
            Some("integer" | "number") => {
                let least = form["minimum"].as_f64().unwrap_or(1.0);
                let usual = Value::from(least.max(1.0) as i64);
                let number = form.get("default").filter(|default| default.is_number());
                self.stop(&number.unwrap_or(&usual).to_string())
            }
            Some("array") => {
                let item = self.value(&form["items"], deeper);
                let least = form["minItems"].as_u64().unwrap_or(1).max(1);
                let items: Vec<String> = std::iter::once(item)
                    .chain((1..least).map(|_| self.value(&form["items"], deeper)))
                    .collect();
                format!("[ {} ]", items.join(", "))
            }
            Some("object") => self.map(form, deeper),
            _ if form["format"] == "duration" => self.stop("10s"),
            _ => self.stop("text"),
        }
    }

    /// Writes a map in one line with its required keys, or else its first key, and an example with placeholders for
    /// each value. A map without `properties` gets placeholders for one name and its value.
    fn map(&mut self, form: &'a Value, depth: usize) -> String {
        let properties = form["properties"].as_object();
        let required: Vec<&str> = form["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let entries: Vec<String> = match properties {
            None => vec![format!("{}: {}", self.stop("name"), self.stop("value"))],
            Some(properties) => {
                let first = properties.keys().map(String::as_str).take(1);
                let names: Vec<&str> = if required.is_empty() {
                    first.collect()
                } else {
                    required
                };
                names
                    .into_iter()
                    .filter_map(|name| Some((name, properties.get(name)?)))
                    .map(|(name, schema)| format!("{name}: {}", self.value(schema, depth)))
                    .collect()
            }
        };
        format!("{{ {} }}", entries.join(", "))
    }

    /// Returns the next placeholder with this initial text, and counts it.
    fn stop(&mut self, text: &str) -> String {
        self.stops += 1;
        stop(self.stops, text)
    }

    /// Follows references, and the first alternative each time, down to a schema without any, which may be the given
    /// one. Stops after `MAX_DEPTH` steps, and at a reference to nothing.
    fn first_form(&self, schema: &'a Value) -> &'a Value {
        let mut schema = schema;
        for _ in 0..MAX_DEPTH {
            let name = schema["$ref"]
                .as_str()
                .and_then(|path| path.rsplit('/').next());
            let next = name
                .and_then(|name| self.definitions.get(name))
                .or_else(|| forms(schema).next())
                .or_else(|| schema["allOf"].get(0));
            match next {
                Some(next) => schema = next,
                None => break,
            }
        }
        schema
    }
}
