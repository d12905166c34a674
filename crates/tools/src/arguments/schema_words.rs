//! Describes a schema in words, for errors that say what an argument may be.

use serde_json::Value;

use super::wording::displayed;

/// Returns the names of an object's required properties, in the schema's order. None if it does not say.
pub fn required(schema: &Value) -> impl Iterator<Item = &str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
}

/// Describes the values that a schema accepts. If all of them are listed, in it or in its alternatives, it is `one of
/// up, down`. Otherwise it joins the words for its types and for its alternatives, such as `a number from 1 to 5 or
/// text`. Without either it is `as its description says`; `null` alone is `nothing`, and is left out beside other
/// types.
pub(super) fn may_be(schema: &Value) -> String {
    let words = choices(schema);
    if !words.is_empty() {
        return format!("one of {}", words.join(", "));
    }
    let mut kinds: Vec<String> = Vec::new();
    let mut add = |kind: String| {
        if !kind.is_empty() && !kinds.contains(&kind) {
            kinds.push(kind);
        }
    };
    match schema.get("type") {
        Some(Value::String(kind)) => add(kind_words(kind, schema)),
        Some(Value::Array(names)) => {
            let names = names.iter().filter_map(Value::as_str);
            names.for_each(|kind| add(kind_words(kind, schema)));
        }
        _ => {}
    }
    alternatives(schema).for_each(|schema| add(may_be(schema)));
    if kinds.is_empty() {
        return "as its description says".to_owned();
    }
    if kinds.len() > 1 {
        kinds.retain(|kind| kind != NOTHING);
    }
    kinds.join(" or ")
}

/// Word for `null`, which stands for an absent value.
const NOTHING: &str = "nothing";

/// Describes one type of a schema with its range, as what a value may be. `null` and unknown types are `nothing`.
fn kind_words(kind: &str, schema: &Value) -> String {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    let within = || match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(" of at least {least}"),
        (None, Some(most)) => format!(" of at most {most}"),
        (None, None) => String::new(),
    };
    match kind {
        "string" => "text".to_owned(),
        "boolean" => "true or false".to_owned(),
        "integer" => format!("a whole number{}", within()),
        "number" => format!("a number{}", within()),
        "array" => schema.get("items").map_or_else(
            || "a list".to_owned(),
            |items| format!("a list, each {}", may_be(items)),
        ),
        "object" => {
            let names: Vec<&str> = required(schema).collect();
            if names.is_empty() {
                "an object".to_owned()
            } else {
                format!("an object with {}", names.join(", "))
            }
        }
        _ => NOTHING.to_owned(),
    }
}

/// Returns the subschemas of `anyOf`, `oneOf` and `allOf`, in this order. They are not searched further.
pub fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf", "allOf"]
        .into_iter()
        .filter_map(|name| schema.get(name)?.as_array())
        .flatten()
}

/// Returns the words of `enum` and `const`, also those of the schema's alternatives, without `null`. Returns
/// none if an alternative accepts other values than listed words or `null`.
fn choices(schema: &Value) -> Vec<String> {
    let own = schema.get("enum").and_then(Value::as_array);
    let only = schema.get("const");
    let mut words: Vec<String> = own
        .into_iter()
        .flatten()
        .chain(only)
        .filter(|value| !value.is_null())
        .map(displayed)
        .collect();
    let mut others = Vec::new();
    for schema in alternatives(schema) {
        let more = choices(schema);
        if more.is_empty() && schema.get("type") != Some(&Value::from("null")) {
            others.push(schema);
        }
        words.extend(more);
    }
    if others.is_empty() { words } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn null_is_a_word_only_where_nothing_else_is() {
        for (schema, words) in [
            (json!({ "type": "null" }), "nothing"),
            (json!({ "type": ["null"] }), "nothing"),
            (json!({ "anyOf": [{ "type": "null" }] }), "nothing"),
            (json!({ "type": ["string", "null"] }), "text"),
            (json!({ "type": ["null", "boolean"] }), "true or false"),
            (
                json!({ "anyOf": [{ "type": ["null"] }, { "type": "string" }] }),
                "text",
            ),
            (
                json!({ "type": "array", "items": { "type": ["null"] } }),
                "a list, each nothing",
            ),
            (json!({}), "as its description says"),
        ] {
            assert_eq!(may_be(&schema), words, "{schema}");
        }
    }
}
