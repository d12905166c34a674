//! Numbers as tools read them. What a client wrote as text is one where a number is meant: `"500"` is 500, as the
//! references' own tools take it.

use serde_json::{Map, Number, Value};

use super::Failure;
use super::code::invalid;

/// Writes texts as numbers wherever `schema`, which refers to nothing, wants just a number.
///
/// # Errors
/// A text of an argument is not a number.
pub fn from_texts(schema: &Value, args: &mut Value) -> Result<(), Failure> {
    let (Some(properties), Some(map)) = (properties(schema), args.as_object_mut()) else {
        return Ok(());
    };
    for (name, value) in map {
        let Some(schema) = properties.get(name) else {
            continue;
        };
        convert(schema, value);
        if let Value::String(text) = value
            && wants_number(schema)
        {
            return Err(invalid(format!(
                "Parameter '{name}' must be a number, got: '{text}'"
            )));
        }
    }
    Ok(())
}

/// Writes 3.0 as 3, so that a whole number stays one however an expression came to it.
pub fn normalize_integers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            // Up to here a float holds every whole number just as it is.
            let whole = number
                .as_f64()
                .filter(|wide| number.is_f64() && wide.fract() == 0.0 && wide.abs() < 9.0e15);
            if let Some(wide) = whole {
                *value = (wide as i64).into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(normalize_integers),
        Value::Object(map) => map.values_mut().for_each(normalize_integers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// As far as it goes: a tool says itself what is wrong within its lists.
fn convert(schema: &Value, value: &mut Value) {
    match value {
        Value::String(text) if wants_number(schema) => {
            if let Some(number) = number(text) {
                *value = Value::Number(number);
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for item in items {
                    convert(schema, item);
                }
            }
        }
        Value::Object(map) => {
            let Some(properties) = properties(schema) else {
                return;
            };
            for (name, value) in map {
                if let Some(schema) = properties.get(name) {
                    convert(schema, value);
                }
            }
        }
        _ => {}
    }
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}

fn wants_number(schema: &Value) -> bool {
    let is_number = |name: &Value| matches!(name.as_str(), Some("number" | "integer"));
    match schema.get("type") {
        Some(Value::Array(names)) => {
            names.iter().any(is_number)
                && names.iter().all(|name| is_number(name) || name == "null")
        }
        Some(name) => is_number(name),
        None => false,
    }
}

fn number(text: &str) -> Option<Number> {
    let text = text.trim();
    // Whole first: `3` is to stay a whole number.
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    Number::from_f64(text.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_become_numbers_only_where_numbers_are_meant() {
        let schema = json!({ "properties": {
            "x": { "type": "number" },
            "count": { "type": ["integer", "null"] },
            "text": { "type": "string" },
            "either": { "type": ["string", "integer"] },
            "paths": { "type": "array", "items": { "properties": { "time": { "type": "number" } } } },
        }});
        let mut args = json!({
            "x": " 500.5 ", "count": "-7", "text": "500", "either": "500", "paths": [{ "time": "1e3" }, { "time": "soon" }],
            "other": "500",
        });
        from_texts(&schema, &mut args).unwrap();
        assert_eq!(
            args,
            json!({
                "x": 500.5, "count": -7, "text": "500", "either": "500", "paths": [{ "time": 1000.0 }, { "time": "soon" }],
                "other": "500",
            })
        );
        for text in ["abc", "", "NaN", "inf", "5px", "0x10"] {
            let failure = from_texts(&schema, &mut json!({ "x": text })).unwrap_err();
            assert_eq!(
                failure.message,
                format!("Parameter 'x' must be a number, got: '{text}'")
            );
        }
        from_texts(&schema, &mut json!([])).unwrap();
    }
}
