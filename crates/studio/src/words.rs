//! The words of the flow language, for completion: from the same schema that editors get.

use serde_json::{Map, Value, json};

use runner_screen::Selector;

/// Steps with their keys, keys of the header, keys of selectors; each with what it says of itself.
pub(super) fn all() -> Value {
    let schema = runner_flow::schema();
    let definitions = &schema["definitions"];
    let header = described(&schema["properties"]);
    let mut steps: Vec<Value> = Vec::new();
    let mut modifiers = Map::new();
    for step in definitions["step"]["oneOf"]
        .as_array()
        .into_iter()
        .flatten()
    {
        if let Some(words) = step["enum"].as_array() {
            steps.extend(
                words
                    .iter()
                    .map(|word| json!({ "name": word, "bare": true })),
            );
            continue;
        }
        let required = step["required"][0].as_str();
        let Some((name, properties)) = required.zip(step["properties"].as_object()) else {
            continue;
        };
        for (key, value) in properties {
            if key != name {
                modifiers.insert(key.clone(), about(value, definitions));
            }
        }
        let value = &properties[name];
        steps.push(json!({
            "name": name,
            "about": about(value, definitions),
            "keys": keys(value, definitions),
        }));
    }
    let modifiers: Vec<Value> = modifiers
        .into_iter()
        .map(|(name, about)| json!({ "name": name, "about": about }))
        .collect();
    json!({ "steps": steps, "header": header, "modifiers": modifiers, "selector": Selector::KEYS })
}

fn described(properties: &Value) -> Vec<Value> {
    let all = properties.as_object().into_iter().flatten();
    all.map(|(name, value)| json!({ "name": name, "about": value["description"] }))
        .collect()
}

fn about(value: &Value, definitions: &Value) -> Value {
    let named = value["$ref"]
        .as_str()
        .and_then(|name| name.rsplit('/').next());
    match (&value["description"], named) {
        (Value::String(text), _) => json!(text),
        (_, Some(name)) => definitions[name]["description"].clone(),
        _ => Value::Null,
    }
}

/// The keys of a step's map, in whichever of its forms has one.
fn keys(value: &Value, definitions: &Value) -> Vec<Value> {
    if let Some(properties) = value["properties"].as_object() {
        let all = properties.iter();
        return all
            .map(|(name, value)| json!({ "name": name, "about": about(value, definitions) }))
            .collect();
    }
    let forms = ["anyOf", "oneOf"]
        .into_iter()
        .filter_map(|key| value[key].as_array());
    let all = forms.flatten().map(|form| keys(form, definitions));
    all.max_by_key(Vec::len).unwrap_or_default()
}
