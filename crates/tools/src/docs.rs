//! Generates `docs/reference/steps.md` and `docs/reference/tools.md` from the registry and the arguments' schemas.

mod tasks;

use std::fmt::Write as _;

use schemars::SchemaGenerator;
use serde_json::{Map, Value};

use super::registry::entries;
use super::step_value::ELEMENT;
use super::{Catalogue, Entry, StepSyntax};

/// Generates the Markdown of `docs/reference/steps.md`: the steps by task, an example and the summary of each everyday
/// step, what `as` keeps of an element, then each step's options. Writes no file.
pub fn docs() -> String {
    let mut text = String::from(
        "# Steps\n\n\
         Made from the registry; do not edit. `runner schema` prints the same for editors.\n\n\
         These are the steps that test cases are written with. The steps that hold other steps (`run`, `if`, `repeat`, …), \
         `set` and the modifiers are in [flows](../guide/flows.md#steps); `snapshot` is in [snapshots](../guide/snapshots.md). \
         The tools of agents are steps too: [Tools](tools.md).\n\n\
         A step on an element takes the selector's keys beside its own options; `on:` is the long form.\n",
    );
    tasks::write(&mut text);
    overview(&mut text);
    stored_elements(&mut text);
    text.push_str(
        "\n## Options of the everyday steps\n\nDurations have a unit: `500ms`, `10s`, `2m`.\n",
    );
    all_of(&mut text, Catalogue::Everyday);
    text
}

/// Generates the Markdown of `docs/reference/tools.md`: the tools of the four dialects, catalogue by catalogue.
/// Everyday steps are on [their own page](docs). Writes no file.
pub fn tool_docs() -> String {
    let mut text = String::from(
        "# Tools\n\n\
         Made from the registry; do not edit. `runner schema` prints the same for editors.\n\n\
         Agents call these tools over [MCP](../guide/mcp.md). Each is also a step of a flow, so that what an agent did can be written \
         down as it was. A test that a person writes needs none of them: use the [everyday steps](steps.md).\n\n\
         `as:` keeps what the tool answers over MCP: its object, or its text.\n",
    );
    for (catalogue, title, about) in [
        (
            Catalogue::Android,
            "Android tools",
            "Raw tools under their own names; their durations are numbers of milliseconds.",
        ),
        (
            Catalogue::MobileAgent,
            "Mobile-agent tools",
            "The tools of the mobile-agent dialect. `success: false` fails the step.",
        ),
        (
            Catalogue::Semantic,
            "Semantic-UI tools",
            "The tools of the semantic dialect.",
        ),
        (
            Catalogue::Scenario,
            "Scenario tools",
            "The tools of the scenario dialect. NOT_FOUND, NOT_VISIBLE, AMBIGUOUS, ERROR and TIMEOUT fail the step.",
        ),
    ] {
        let _ = write!(text, "\n## {title}\n\n{about}\n");
        all_of(&mut text, catalogue);
    }
    text
}

/// Appends the section of each tool of a catalogue, in the registry's order.
fn all_of(text: &mut String, catalogue: Catalogue) {
    for entry in entries() {
        if entry.catalogue == catalogue {
            step(text, entry);
        }
    }
}

/// Writes the section with an example of each everyday step in one YAML block, then a table of their names
/// and summaries.
fn overview(text: &mut String) {
    text.push_str("\n## Everyday steps\n\nAn example of each.\n\n```yaml\nsteps:\n");
    for entry in everyday() {
        for line in entry.example.lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    text.push_str("```\n\n| step | what it does |\n|---|---|\n");
    for entry in everyday() {
        let link = entry.name.replace(' ', "-");
        let _ = writeln!(text, "| [`{}`](#{link}) | {} |", entry.name, entry.summary);
    }
}

/// Writes the table of values that `as` keeps of an element, once for all steps that keep one. It includes
/// the heading to which [`stored_values`] links.
fn stored_elements(text: &mut String) {
    text.push_str(
        "\n## What `as` keeps\n\n\
         `as: NAME` beside a step keeps its result: `${NAME.text}`. Each step below says what that is. An element is kept as:\n\n\
         | name | value |\n|---|---|\n",
    );
    for (name, about) in ELEMENT {
        let _ = writeln!(text, "| `{name}` | {about} |");
    }
}

fn everyday() -> impl Iterator<Item = &'static Entry> {
    entries()
        .iter()
        .filter(|entry| entry.catalogue == Catalogue::Everyday)
}

/// Describes in one line the values that `as` keeps of a step: the element, then the named values. If it keeps neither,
/// they are a text that says what was done.
fn stored_values(entry: &Entry) -> String {
    let names = entry.keeps.others.iter();
    let mut parts: Vec<String> = names
        .map(|(name, about)| format!("`{name}` ({about})"))
        .collect();
    if entry.keeps.element {
        parts.insert(0, "[the element](#what-as-keeps)".to_owned());
    }
    if parts.is_empty() {
        "a text that says what was done".to_owned()
    } else {
        parts.join(", ")
    }
}

/// Appends one tool's section: summary, forms and a table of options, which is left out if there are none. Only
/// everyday steps say what `as` keeps.
fn step(text: &mut String, entry: &Entry) {
    let _ = write!(text, "\n### `{}`\n\n{}\n\n", entry.name, entry.summary);
    let _ = writeln!(text, "{}", written(entry));
    if entry.catalogue == Catalogue::Everyday {
        let _ = writeln!(text, "\n`as:` keeps {}.", stored_values(entry));
    }
    let options = options(entry);
    if options.is_empty() {
        return;
    }
    text.push_str("\n| option | value | meaning |\n|---|---|---|\n");
    for option in options {
        let _ = writeln!(
            text,
            "| `{}`{} | {} | {} |",
            option.name,
            if option.required { " (required)" } else { "" },
            option.kind,
            option.meaning
        );
    }
}

/// Describes in one line the forms in which the step may be written: the name alone if that is a step, a short form
/// with one value unless the step is a map, and the form with options. A map without options has no form with options.
fn written(entry: &Entry) -> String {
    let name = entry.name;
    let mut ways = Vec::new();
    if entry.value_optional {
        ways.push(format!("`- {name}`"));
    }
    match entry.writing {
        StepSyntax::Map => {
            if !options(entry).is_empty() {
                ways.push(format!("`- {name}: {{ … }}`"));
            }
        }
        StepSyntax::Scalar(property) | StepSyntax::Sequence(property) => {
            ways.push(format!("`- {name}: {property}`"));
            ways.push(format!("`- {name}: {{ … }}`"));
        }
        StepSyntax::Element => {
            ways.push(format!("`- {name}: text`"));
            ways.push(format!("`- {name}: {{ selector…, options… }}`"));
        }
    }
    format!("Written {}.", ways.join(" or "))
}

struct StepOption {
    name: String,
    required: bool,
    kind: String,
    meaning: String,
}

/// Returns the options of a tool in the order of its schema, with the definitions it refers to resolved. A tool without
/// properties has none.
fn options(entry: &Entry) -> Vec<StepOption> {
    let mut generator = SchemaGenerator::default();
    let schema = entry.schema(&mut generator).to_value();
    let definitions = generator.definitions().clone();
    let schema = resolve(&schema, &definitions);
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, property)| StepOption {
            name: name.clone(),
            required: required.contains(&name.as_str()),
            kind: kind(property, &definitions),
            meaning: meaning(property),
        })
        .collect()
}

/// Follows a schema's `$ref` to its definition, one step. Returns the schema itself if it has no reference,
/// or one that is unknown.
fn resolve<'a>(schema: &'a Value, definitions: &'a Map<String, Value>) -> &'a Value {
    schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| reference.rsplit('/').next())
        .and_then(|name| definitions.get(name))
        .unwrap_or(schema)
}

/// Describes the kind of a value, then its range, then its default. Limits that are no numbers are left out, and so are
/// the defaults `null`, `false`, an empty text and an empty object.
fn kind(property: &Value, definitions: &Map<String, Value>) -> String {
    let mut text = base_kind(property, definitions);
    let bound = |name: &str| property.get(name).filter(|value| value.is_number());
    let (low, high) = (bound("minimum"), bound("maximum"));
    if let (Some(low), Some(high)) = (low, high) {
        let _ = write!(text, ", {low}–{high}");
    } else {
        let each = [
            ("at least", low),
            ("more than", bound("exclusiveMinimum")),
            ("at most", high),
        ];
        for (words, bound) in each {
            if let Some(bound) = bound {
                let _ = write!(text, ", {words} {bound}");
            }
        }
    }
    match property.get("default") {
        None | Some(Value::Null | Value::Bool(false)) => {}
        Some(Value::String(default)) if default.is_empty() => {}
        Some(Value::Object(default)) if default.is_empty() => {}
        Some(Value::String(default)) => {
            let _ = write!(text, "; default `{default}`");
        }
        Some(default) => {
            let _ = write!(text, "; default `{default}`");
        }
    }
    text
}

/// Describes the kind of a value without range and default. Listed words go before all else; parts of `anyOf` are
/// joined by `or`, without `null`. A reference without listed words becomes its name in small letters, and a kind that
/// is not known `value`.
fn base_kind(property: &Value, definitions: &Map<String, Value>) -> String {
    if let Some(reference) = property.get("$ref").and_then(Value::as_str) {
        let name = reference.rsplit('/').next().unwrap_or(reference);
        return match definitions.get(name).and_then(choices) {
            Some(choices) => choices,
            None => name.to_lowercase(),
        };
    }
    if let Some(choices) = choices(property) {
        return choices;
    }
    if let Some(parts) = property.get("anyOf").and_then(Value::as_array) {
        return parts
            .iter()
            .filter(|part| part.get("type").and_then(Value::as_str) != Some("null"))
            .map(|part| base_kind(part, definitions))
            .collect::<Vec<_>>()
            .join(" or ");
    }
    if property.get("format").and_then(Value::as_str) == Some("duration") {
        return "duration".to_owned();
    }
    let named = match property.get("type") {
        Some(Value::String(name)) => name.as_str(),
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .find(|name| *name != "null")
            .unwrap_or("value"),
        _ => "value",
    };
    match named {
        "string" => "text",
        "integer" => "whole number",
        "boolean" => "true or false",
        "array" => "list",
        "object" => "map",
        other => other,
    }
    .to_owned()
}

/// Returns the listed words of a schema, each in backticks. `None` if it lists none. Reads `enum`, else the constants
/// of `oneOf`; entries that are no texts are passed over.
fn choices(schema: &Value) -> Option<String> {
    let constants: Vec<String> = match schema.get("enum").or_else(|| schema.get("oneOf")) {
        Some(Value::Array(values)) => values
            .iter()
            .filter_map(|value| value.as_str().or_else(|| value.get("const")?.as_str()))
            .map(|value| format!("`{value}`"))
            .collect(),
        _ => return None,
    };
    (!constants.is_empty()).then(|| constants.join(", "))
}

/// Returns the schema's description for a cell of a table: on one line, with `|` escaped. Empty if it has none.
fn meaning(property: &Value) -> String {
    property
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .replace('\n', " ")
        .replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference");

    fn documents() -> [(String, String); 2] {
        [
            (format!("{DOCS}/steps.md"), docs()),
            (format!("{DOCS}/tools.md"), tool_docs()),
        ]
    }

    #[test]
    fn the_documents_are_current() {
        for (file, text) in documents() {
            let stored = fs_err::read_to_string(&file).unwrap_or_default();
            assert!(
                stored.replace("\r\n", "\n") == text,
                "{file} is out of date; make it again with \
                 `cargo test -p runner-tools --lib docs::tests::write_the_document -- --ignored`"
            );
        }
    }

    #[test]
    #[ignore = "writes docs/reference/steps.md and docs/reference/tools.md"]
    fn write_the_document() {
        for (file, text) in documents() {
            fs_err::write(file, text).unwrap();
        }
    }

    #[test]
    fn every_tool_stands_in_one_document() {
        let (steps, tools) = (docs(), tool_docs());
        for entry in entries() {
            let title = format!("\n### `{}`\n", entry.name);
            let everyday = entry.catalogue == Catalogue::Everyday;
            assert_eq!(steps.contains(&title), everyday, "{}", entry.name);
            assert_eq!(tools.contains(&title), !everyday, "{}", entry.name);
        }
    }

    #[test]
    fn each_bound_of_a_number_is_written() {
        for (bounds, expected) in [
            (json!({ "minimum": 1, "maximum": 5 }), "number, 1–5"),
            (json!({ "minimum": 1 }), "number, at least 1"),
            (json!({ "maximum": 5 }), "number, at most 5"),
            (
                json!({ "exclusiveMinimum": 0, "maximum": 5 }),
                "number, more than 0, at most 5",
            ),
            (json!({}), "number"),
        ] {
            let mut property = bounds;
            property["type"] = json!("number");
            assert_eq!(kind(&property, &Map::new()), expected, "{property}");
        }
    }

    #[test]
    fn every_option_says_what_it_is() {
        for entry in entries() {
            for option in options(entry) {
                assert!(
                    !option.meaning.is_empty() && option.kind != "value",
                    "{}.{}: {} {:?}",
                    entry.name,
                    option.name,
                    option.kind,
                    option.meaning
                );
            }
        }
    }
}
