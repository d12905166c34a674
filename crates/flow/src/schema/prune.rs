//! Removes unused definitions, such as the arguments of tools that are not offered.

use std::collections::BTreeSet;

use serde_json::Value;

/// Removes the definitions that nothing outside of them refers to, directly or by others. Without definitions it does
/// nothing. References to definitions that do not exist stay.
pub(super) fn prune(schema: &mut Value) {
    let Some(mut definitions) = schema["definitions"].as_object_mut().map(std::mem::take) else {
        return;
    };
    let mut used = BTreeSet::new();
    let mut waiting = references(schema);
    while let Some(name) = waiting.pop() {
        if let Some(definition) = definitions.get(&name) {
            let more = references(definition);
            waiting.extend(more.into_iter().filter(|more| !used.contains(more)));
        }
        used.insert(name);
    }
    definitions.retain(|name, _| used.contains(name));
    schema["definitions"] = Value::Object(definitions);
}

/// Returns the names of the definitions (`#/definitions/NAME`) that a schema refers to at any depth, with duplicates.
/// References inside of those definitions are not followed. Other references are left out.
fn references(schema: &Value) -> Vec<String> {
    let inner: Vec<&Value> = match schema {
        Value::Array(items) => items.iter().collect(),
        Value::Object(map) => map.values().collect(),
        _ => Vec::new(),
    };
    let own = schema.get("$ref").and_then(Value::as_str);
    let own = own.and_then(|path| path.strip_prefix("#/definitions/"));
    let deeper = inner.into_iter().flat_map(references);
    own.map(str::to_owned).into_iter().chain(deeper).collect()
}
