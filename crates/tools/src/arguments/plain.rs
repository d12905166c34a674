//! Normalizes the values of arguments.

use serde_json::{Map, Number, Value};

/// Removes nulls, which many clients send for omitted arguments, at the top level only. Converts 3.0 to 3 at
/// any depth.
pub(super) fn object(mut values: Map<String, Value>) -> Map<String, Value> {
    values.retain(|_, value| !value.is_null());
    values.values_mut().for_each(normalize_integers);
    values
}

/// Converts floats without a fraction such as 3.0 to integers at any depth, as expressions may yield either. Floats
/// beyond ±9e15, and all other values, stay as they are.
pub fn normalize_integers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            // Up to this limit a float represents every whole number exactly.
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

/// Converts texts to numbers where `schema`, which must have no references, accepts only numbers: `"500"`
/// becomes 500, as the references' own servers do. Lists and objects are converted within. Texts that are no
/// numbers stay, so that the tool reports them.
pub(super) fn from_texts(schema: &Value, values: &mut Map<String, Value>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    for (name, value) in values {
        if let Some(schema) = properties.get(name) {
            from_text(schema, value);
        }
    }
}

/// Converts texts to numbers where the schema accepts nothing but numbers, at any depth. Texts that are no numbers
/// stay.
fn from_text(schema: &Value, value: &mut Value) {
    match value {
        Value::String(text) if wants_only(schema, &["number", "integer"]) => {
            if let Some(number) = number(text) {
                *value = Value::Number(number);
                normalize_integers(value);
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for item in items {
                    from_text(schema, item);
                }
            }
        }
        Value::Object(values) => from_texts(schema, values),
        _ => {}
    }
}

/// Converts numbers and booleans to texts where `schema` accepts only texts, as the server of the Android
/// tools does. Only the arguments themselves are converted, not what is inside lists and objects.
pub(super) fn to_texts(schema: &Value, values: &mut Map<String, Value>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    for (name, value) in values {
        let is_primitive = matches!(value, Value::Number(_) | Value::Bool(_));
        let wants_text = |schema| wants_only(schema, &["string"]);
        if is_primitive && properties.get(name).is_some_and(wants_text) {
            *value = Value::String(value.to_string());
        }
    }
}

/// Returns true if a schema's `type` lists one of these types or more, and nothing else but `null`. Returns
/// false for a schema without `type`, such as one with `anyOf`.
fn wants_only(schema: &Value, types: &[&str]) -> bool {
    let is_one = |name: &Value| name.as_str().is_some_and(|name| types.contains(&name));
    match schema.get("type") {
        Some(Value::Array(names)) => {
            names.iter().any(is_one) && names.iter().all(|name| is_one(name) || name == "null")
        }
        Some(name) => is_one(name),
        None => false,
    }
}

/// Parses a number with spaces around it. Whole numbers stay whole; infinities are none.
fn number(text: &str) -> Option<Number> {
    let text = text.trim();
    // Integers first, so that `3` stays a whole number.
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
        let args = json!({
            "x": " 500.5 ", "count": "-7", "text": "500", "either": "500", "paths": [{ "time": "1e3" }, { "time": "soon" }],
            "other": "500",
        });
        let mut args = args.as_object().unwrap().clone();
        from_texts(&schema, &mut args);
        assert_eq!(
            Value::Object(args),
            json!({
                "x": 500.5, "count": -7, "text": "500", "either": "500", "paths": [{ "time": 1000 }, { "time": "soon" }],
                "other": "500",
            })
        );
        for text in ["abc", "", "NaN", "inf", "5px", "0x10"] {
            let mut args = Map::from_iter([("x".to_owned(), text.into())]);
            from_texts(&schema, &mut args);
            assert_eq!(args["x"], text);
        }
    }

    #[test]
    fn numbers_become_texts_only_where_texts_are_meant() {
        let schema = json!({ "properties": {
            "text": { "type": ["string", "null"] }, "either": { "type": ["string", "integer"] }, "list": { "type": "array" },
        }});
        let args = json!({ "text": 5, "either": 5, "list": [5], "other": true });
        let mut args = args.as_object().unwrap().clone();
        to_texts(&schema, &mut args);
        let written = json!({ "text": "5", "either": 5, "list": [5], "other": true });
        assert_eq!(Value::Object(args), written);
    }
}
