//! The basic catalogue as this device supports it: components with their properties, functions with their
//! arguments.
//!
//! App files are checked against these tables, and `docs/reference/a2ui.md` is written from them.

mod components;
mod entry;
mod functions;

pub(crate) use components::{COMMON, COMPONENTS};
pub(crate) use entry::{Component, Function, Property, ValueKind};
pub(crate) use functions::FUNCTIONS;

pub(crate) fn find_component(name: &str) -> Option<&'static Component> {
    COMPONENTS.iter().find(|component| component.name == name)
}

pub(crate) fn find_function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

impl Component {
    /// Returns its own properties, then the common ones.
    pub(crate) fn all_properties(&self) -> impl Iterator<Item = &'static Property> {
        self.properties.iter().chain(COMMON)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    /// Returns the names of the entries in a published catalogue, each with all its properties or arguments
    /// and the required ones.
    fn published(
        catalogue: &Value,
        kind: &str,
    ) -> Vec<(String, BTreeSet<String>, BTreeSet<String>)> {
        let parts = |about: &Value| -> Vec<Value> {
            match about.get("allOf").and_then(Value::as_array) {
                Some(parts) => parts.clone(),
                None => vec![about.clone()],
            }
        };
        let mut all = Vec::new();
        for (name, about) in catalogue.get(kind).and_then(Value::as_object).unwrap() {
            let (mut names, mut required) = (BTreeSet::new(), BTreeSet::new());
            for part in parts(about) {
                let args = part.pointer("/properties/args").unwrap_or(&part);
                for name in args
                    .get("properties")
                    .and_then(Value::as_object)
                    .into_iter()
                    .flat_map(serde_json::Map::keys)
                {
                    names.insert(name.clone());
                }
                let list = args.get("required").and_then(Value::as_array);
                for name in list.into_iter().flatten().filter_map(Value::as_str) {
                    required.insert(name.to_owned());
                }
            }
            names.remove("component");
            required.remove("component");
            all.push((name.clone(), names, required));
        }
        all
    }

    fn named(properties: &[Property], required: bool) -> BTreeSet<String> {
        properties
            .iter()
            .filter(|property| property.required || !required)
            .map(|property| property.name.to_owned())
            .filter(|name| name != "checks")
            .collect()
    }

    // The tables are those of the published catalogue.
    #[test]
    fn the_tables_are_the_published_catalogue() {
        let file = "a2ui/v0_9_1/catalogs/basic/catalog.json";
        let Some(text) = runner_testing::recorded_text(file) else {
            return;
        };
        let catalogue: Value = serde_json::from_str(&text).unwrap();
        for (name, names, mut required) in published(&catalogue, "components") {
            // A button that opens a Modal needs none here.
            required.remove("action");
            let here = find_component(&name).unwrap_or_else(|| panic!("no {name}"));
            assert_eq!(named(here.properties, false), names, "{name}");
            assert_eq!(named(here.properties, true), required, "{name}");
        }
        for (name, names, required) in published(&catalogue, "functions") {
            let here = find_function(&name).unwrap_or_else(|| panic!("no {name}"));
            assert_eq!(named(here.arguments, false), names, "{name}");
            assert_eq!(named(here.arguments, true), required, "{name}");
        }
    }
}
