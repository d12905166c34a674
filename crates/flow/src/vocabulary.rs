//! All words of flows: each tool with the JSON Schema of its arguments, selectors and snapshot options.
//!
//! Built once from the registry, and read by the checks and the schema for editors.

use std::sync::OnceLock;

use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value};

use runner_screen::Selector;
use runner_snapshot::StepOptions;
use runner_tools::{Entry, registry};

#[derive(Debug)]
pub(crate) struct ToolSchema {
    pub(crate) entry: &'static Entry,
    pub(crate) schema: Value,
}

/// Schemas of all steps, selectors and snapshot options.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    pub(crate) tools: Vec<ToolSchema>,
    pub(crate) selector: Value,
    pub(crate) snapshot: Value,
    pub(crate) definitions: Map<String, Value>,
}

/// Returns the vocabulary of all tools in the registry. It is built at the first call, and then shared.
pub(crate) fn standard() -> &'static Vocabulary {
    static STANDARD: OnceLock<Vocabulary> = OnceLock::new();
    STANDARD.get_or_init(|| {
        Vocabulary::new(registry::entries(), |generator| {
            (
                generator.subschema_for::<Selector>().to_value(),
                generator.subschema_for::<StepOptions>().to_value(),
            )
        })
    })
}

impl Vocabulary {
    /// Builds a vocabulary from a table of tools, and the schemas of a selector and of snapshot options, which
    /// `others` makes in this order. All share their definitions.
    pub(crate) fn new(
        entries: &'static [Entry],
        others: impl FnOnce(&mut SchemaGenerator) -> (Value, Value),
    ) -> Self {
        let mut generator = SchemaGenerator::new(SchemaSettings::draft07());
        let (selector, snapshot) = others(&mut generator);
        let tools = entries
            .iter()
            .map(|entry| ToolSchema {
                entry,
                schema: entry.schema(&mut generator).to_value(),
            })
            .collect();
        Self {
            tools,
            selector,
            snapshot,
            definitions: generator.take_definitions(true),
        }
    }

    /// Returns the tool of a step by its exact name; `None` for other words and for control steps.
    pub(crate) fn tool(&self, name: &str) -> Option<&ToolSchema> {
        self.tools.iter().find(|tool| tool.entry.name == name)
    }

    /// Follows references and `allOf`s with a single item, up to 32 of them, and returns the schema behind them. A
    /// schema without them and an unknown reference are returned as they are. Schemas inside are not resolved.
    pub(crate) fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let mut schema = schema;
        // Limited, because a definition could refer to itself.
        for _ in 0..32 {
            let inner = schema
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|path| path.rsplit('/').next())
                .and_then(|name| self.definitions.get(name))
                .or_else(|| match schema.get("allOf")?.as_array()?.as_slice() {
                    [only] if schema.get("properties").is_none() => Some(only),
                    _ => None,
                });
            match inner {
                Some(inner) => schema = inner,
                None => break,
            }
        }
        schema
    }

    /// Returns the alternatives of a schema, flattened, without the one for expressions. A schema with
    /// properties or without alternatives is the only one. An alternative with several types stays one.
    pub(crate) fn alternatives<'a>(&'a self, schema: &'a Value) -> Vec<&'a Value> {
        let schema = self.resolve(schema);
        if schema.get("properties").is_some() || forms(schema).next().is_none() {
            return vec![schema];
        }
        forms(schema)
            .filter(|form| !is_expression(form))
            .flat_map(|form| self.alternatives(form))
            .collect()
    }

    /// Returns the names of the properties that a map of this schema may have, in all its alternatives and behind
    /// references, each once. Returns none for a schema that is no map, and for a map of any names.
    pub(crate) fn properties<'a>(&'a self, schema: &'a Value) -> Vec<&'a str> {
        let schema = self.resolve(schema);
        let mut names: Vec<&str> = schema
            .get("properties")
            .and_then(Value::as_object)
            .map(|properties| properties.keys().map(String::as_str).collect())
            .unwrap_or_default();
        for form in forms(schema) {
            for name in self.properties(form) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }
}

/// Returns the alternatives of `anyOf`, then those of `oneOf`; none for other schemas. References are not followed.
pub(crate) fn forms(schema: &Value) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf"]
        .into_iter()
        .filter_map(|key| schema.get(key).and_then(Value::as_array))
        .flatten()
}

/// Returns true for an alternative that only tells editors that `${…}` is valid. The checks handle
/// expressions before schemas.
fn is_expression(schema: &Value) -> bool {
    schema
        .get("pattern")
        .and_then(Value::as_str)
        .is_some_and(|pattern| pattern.starts_with(r"^\$\{"))
}
