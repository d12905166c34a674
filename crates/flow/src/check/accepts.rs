//! Answers what a schema accepts: kinds of nodes, types and keys.

use serde_json::Value;

use super::Checker;
use crate::scalar;
use crate::yaml::{Node, NodeKind};

impl Checker<'_> {
    /// Returns true if the form accepts the kind of this node; its parts are not looked at. A form that names no type
    /// accepts all kinds.
    pub(super) fn fits(node: &Node, schema: &Value) -> bool {
        match &node.kind {
            NodeKind::Map(_) => Self::takes_exactly(schema, "object"),
            NodeKind::Sequence(_) => Self::takes_exactly(schema, "array"),
            NodeKind::Scalar(scalar) => scalar::fits(scalar, schema),
        }
    }

    fn takes_exactly(schema: &Value, name: &str) -> bool {
        types(schema).is_none_or(|types| types.contains(&name))
    }

    /// Returns true if any form of the schema accepts this type. A form that names no type accepts all.
    pub(crate) fn takes(&self, schema: &Value, name: &str) -> bool {
        let vocabulary = self.vocabulary;
        let alternatives = vocabulary.alternatives(schema);
        alternatives
            .iter()
            .any(|form| Self::takes_exactly(form, name))
    }

    /// Returns true if the maps that the schema accepts have keys of their own only, so that a map that a step keeps,
    /// such as an element, does not fit. True also for a schema that accepts no map.
    pub(super) fn takes_own_keys_only(&self, schema: &Value) -> bool {
        let forms = self.vocabulary.alternatives(schema);
        let mut maps = forms
            .iter()
            .filter(|form| Self::takes_exactly(form, "object"));
        maps.all(|form| form.get("additionalProperties") == Some(&Value::Bool(false)))
    }

    /// Returns in words what a schema accepts, such as `text or a number`, each kind once. It is `a value` if no form
    /// says anything.
    pub(crate) fn expected(&self, schema: &Value) -> String {
        let vocabulary = self.vocabulary;
        let alternatives = vocabulary.alternatives(schema);
        let mut names: Vec<String> = Vec::new();
        for form in alternatives {
            for name in scalar::expected(form) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        match names.as_slice() {
            [] => "a value".to_owned(),
            [only] => only.clone(),
            [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
        }
    }
}

/// Returns the types that a schema names; `None` if it accepts any or describes it by other means, such as
/// `anyOf`. An `enum` or `const` without a type counts as text, `properties` as a map.
pub(crate) fn types(schema: &Value) -> Option<Vec<&str>> {
    match schema.get("type") {
        Some(Value::String(only)) => Some(vec![only]),
        Some(Value::Array(several)) => Some(several.iter().filter_map(Value::as_str).collect()),
        _ if schema.get("enum").is_some() || schema.get("const").is_some() => Some(vec!["string"]),
        _ if schema.get("properties").is_some() => Some(vec!["object"]),
        _ => None,
    }
}
