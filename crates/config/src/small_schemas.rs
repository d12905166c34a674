//! Schemas of texts, lists of names and maps, of which others are made.

use serde_json::{Value, json};

pub(super) fn text(about: &str) -> Value {
    json!({ "type": "string", "minLength": 1, "description": about })
}

/// Returns the schema of a map with these keys only; none is required.
pub(super) fn map(about: &str, properties: Value) -> Value {
    let mut map = json!({ "type": "object", "description": about });
    map["properties"] = properties;
    map["additionalProperties"] = json!(false);
    map
}

/// Returns a schema for one text or a list of texts, none of them empty. The list may be empty.
pub(super) fn names(about: &str) -> Value {
    json!({
        "description": about,
        "anyOf": [
            { "type": "string", "minLength": 1 },
            { "type": "array", "items": { "type": "string", "minLength": 1 } },
        ],
    })
}
