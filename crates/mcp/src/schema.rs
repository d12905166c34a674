//! Simplifies the schema of a tool's arguments for clients: one object without references and without `null`.

use rmcp::model::JsonObject;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};

/// Beginning of the part of a description that is about flows only. It is cut off.
const FLOW_PART: &str = " In a flow, ";

/// Returns the simplified schema of a tool's arguments, with all parts inlined. At the top it always has `type`,
/// `properties` and `required`, and neither title, description nor `additionalProperties`. A schema that is no object
/// becomes one without arguments.
pub(super) fn simplified(schema: &dyn Fn(&mut SchemaGenerator) -> Schema) -> JsonObject {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut generator = settings.into_generator();
    let mut plain = match schema(&mut generator).to_value() {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    plain.remove("title");
    plain.remove("description");
    // All tools refuse unknown arguments, so it would only cost tokens.
    plain.remove("additionalProperties");
    plain.entry("type").or_insert_with(|| Value::from("object"));
    plain
        .entry("properties")
        .or_insert_with(|| Value::Object(Map::new()));
    // Some clients expect the key, as the reference servers always have it.
    plain
        .entry("required")
        .or_insert_with(|| Value::Array(Vec::new()));
    simplify(&mut plain);
    plain
}

/// Simplifies a schema and its parts in place, without changing what a client should send. Removes `null`, formats of
/// numbers, defaults that say nothing, the least length 1, and the part of a description that is about flows.
fn simplify(schema: &mut JsonObject) {
    unwrap_nullable(schema);
    collect_constants(schema);
    // The widths of Rust's integers are of no use to a client.
    if let Some(Value::String(format)) = schema.get("format")
        && (format.starts_with("int") || format.starts_with("uint") || format == "double")
    {
        schema.remove("format");
    }
    if schema.get("default").is_some_and(is_implied) {
        schema.remove("default");
    }
    // A tool itself refuses an empty text, with a reason.
    if schema.get("minLength").is_some_and(|least| least == 1) {
        schema.remove("minLength");
    }
    if let Some(Value::String(description)) = schema.get_mut("description")
        && let Some(end) = description.find(FLOW_PART)
    {
        description.truncate(end);
    }
    for (key, value) in schema.iter_mut() {
        match (key.as_str(), value) {
            ("properties" | "patternProperties", Value::Object(properties)) => {
                properties.values_mut().for_each(simplify_value);
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(parts)) => {
                parts.iter_mut().for_each(simplify_value);
            }
            ("items" | "additionalProperties", value) => simplify_value(value),
            _ => {}
        }
    }
}

/// Returns true if a client that leaves a value out sends the same: the default is `null`, an empty list or
/// an empty object.
fn is_implied(default: &Value) -> bool {
    match default {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

fn simplify_value(value: &mut Value) {
    if let Value::Object(schema) = value {
        simplify(schema);
    }
}

/// Removes `null` from types, choices and alternatives: `["integer", "null"]` becomes `integer`, `anyOf: [X, null]`
/// becomes X. Of keys that both the schema and X have, the schema's stay. Clients leave a value out instead; the tool
/// still accepts a null.
fn unwrap_nullable(schema: &mut JsonObject) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = schema.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
    }
    for key in ["anyOf", "oneOf"] {
        let Some(Value::Array(parts)) = schema.get_mut(key) else {
            continue;
        };
        parts.retain(|part| part.get("type").is_none_or(|name| name != "null"));
        if parts.len() != 1 {
            continue;
        }
        if let Some(Value::Object(only)) = parts.pop() {
            schema.remove(key);
            for (name, value) in only {
                // The property's own description wins over its type's.
                schema.entry(name).or_insert(value);
            }
        }
    }
}

/// Turns a `oneOf` of texts, each a constant or an `enum`, into one `enum`, which more clients support. Descriptions of
/// the single texts are lost. Does nothing without `oneOf`, or if a part is anything else.
fn collect_constants(schema: &mut JsonObject) {
    let Some(Value::Array(parts)) = schema.get("oneOf") else {
        return;
    };
    let constants: Option<Vec<Value>> = parts
        .iter()
        .flat_map(|part| match part.get("enum") {
            Some(Value::Array(several)) => several.iter().map(Some).collect(),
            _ => vec![part.get("const")],
        })
        .map(|constant| constant.filter(|constant| constant.is_string()).cloned())
        .collect();
    if let Some(constants) = constants {
        schema.remove("oneOf");
        schema.insert("type".to_owned(), Value::from("string"));
        schema.insert("enum".to_owned(), Value::Array(constants));
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde_json::json;

    use super::*;

    #[derive(JsonSchema)]
    #[expect(
        dead_code,
        reason = "the test reads the schema that is derived from it"
    )]
    struct Args {
        /// How many.
        #[serde(default)]
        count: Option<u32>,
        /// Where.
        side: Option<Side>,
        /// How.
        way: Way,
        /// Numbers.
        #[schemars(range(min = 1))]
        number: i64,
    }

    #[derive(JsonSchema)]
    #[serde(rename_all = "lowercase")]
    #[expect(
        dead_code,
        reason = "the test reads the schema that is derived from it"
    )]
    enum Side {
        Left,
        Right,
    }

    #[derive(JsonSchema)]
    #[serde(rename_all = "lowercase")]
    #[expect(
        dead_code,
        reason = "the test reads the schema that is derived from it"
    )]
    enum Way {
        Long,
        Short,
    }

    #[test]
    fn nothing_is_null_or_referred_to() {
        let schema = simplified(&|generator| generator.subschema_for::<Args>());
        assert_eq!(
            Value::Object(schema),
            json!({
                "type": "object",
                "properties": {
                    "count": { "description": "How many.", "type": "integer", "minimum": 0 },
                    "side": { "description": "Where.", "type": "string", "enum": ["left", "right"] },
                    "way": { "description": "How.", "type": "string", "enum": ["long", "short"] },
                    "number": { "description": "Numbers.", "type": "integer", "minimum": 1 },
                },
                "required": ["way", "number"],
            })
        );
    }
}
