//! JSON Schema of a selector, for editors and for the arguments of tools.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::{ElementState, ElementWords, Relation, Selector};

impl JsonSchema for Selector {
    fn schema_name() -> Cow<'static, str> {
        "Selector".into()
    }

    /// Returns the schema: a text that is not empty, or a map of at least one known key. States and `index` may
    /// also be expressions.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let anchor = generator.subschema_for::<Self>().to_value();
        let mut properties = Map::new();
        let mut put = |key: &str, schema: Value| properties.insert(key.to_owned(), schema);
        for words in ElementWords::ALL {
            put(words.name(), pattern(words.name()));
        }
        put("id", text("Resource id, whole or the part after `/`."));
        put("class", text("Class, full or after its last dot."));
        for state in ElementState::ALL {
            let about = format!("Whether it is {}.", state.name());
            put(state.name(), or_expression("boolean", &about));
        }
        for relation in Relation::ALL {
            put(relation.name(), anchor.clone());
        }
        put(
            "index",
            or_expression(
                "integer",
                "Which of several, from 0; negative from the end.",
            ),
        );
        put(
            "window",
            json!({ "type": ["integer", "string"], "description": "Window: its id, type, package or title." }),
        );
        put(
            "any_of",
            json!({
                "type": "array",
                "items": anchor,
                "minItems": 1,
                "maxItems": 16,
                "description": "The first of these selectors that selects anything.",
            }),
        );
        json_schema!({
            "description": "An element: a text (looked for in text, then desc, then hint), or conditions that must all hold.",
            "anyOf": [
                { "type": "string", "minLength": 1 },
                {
                    "type": "object",
                    "properties": properties,
                    "additionalProperties": false,
                    "minProperties": 1,
                },
            ],
        })
    }
}

fn text(about: &str) -> Value {
    json!({ "type": "string", "minLength": 1, "description": about })
}

/// Returns the schema of a typed value, or of the `${…}` that yields it.
fn or_expression(kind: &str, about: &str) -> Value {
    json!({
        "description": about,
        "anyOf": [{ "type": kind }, { "type": "string", "pattern": r"^\$\{.*\}$" }],
    })
}

/// Returns the schema of a pattern for words: a text, or one of the three forms.
fn pattern(name: &str) -> Value {
    let form = |key: &str, about: &str| {
        json!({
            "type": "object",
            "properties": { key: text(about) },
            "required": [key],
            "additionalProperties": false,
        })
    };
    json!({
        "description": format!("The whole {name}; `*` stands for anything."),
        "anyOf": [
            { "type": "string" },
            form("contains", "A part of it."),
            form("regex", "A regular expression that matches somewhere in it."),
            form("ignore_case", "All of it, in any letter case."),
        ],
    })
}
