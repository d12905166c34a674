//! Advice for choices and switches: a choice as a key, and names in place of a map of names to `true` and `false`.

use serde_json::{Map, Value};

use super::check::types;
use super::scalar;
use super::vocabulary::Vocabulary;
use super::yaml::{Key, Node};

/// Returns advice for an unknown key that is a choice of another key and has `true` or no value, such as `down: true`
/// for `direction: down`; `None` for other values, and where no property takes it.
pub(crate) fn choice_as_key(
    vocabulary: &Vocabulary,
    key: &Key,
    value: &Node,
    properties: &Map<String, Value>,
) -> Option<String> {
    let given = value.scalar()?;
    let is_answer = value.is_missing() || given.boolean() == Some(true);
    let takes = |schema: &Value| {
        let forms = vocabulary.alternatives(schema);
        let mut choices = forms.iter().filter_map(|form| scalar::choices(form));
        choices.any(|choices| choices.contains(&key.text.as_str()))
    };
    let (name, _) = properties.iter().find(|(_, schema)| takes(schema))?;
    is_answer.then(|| format!("write `{name}: {}`", key.text))
}

/// Returns true for the schema of a map of arbitrary names to booleans.
pub(crate) fn is_switches(form: &Value) -> bool {
    let each = form.get("additionalProperties");
    each.and_then(types)
        .is_some_and(|types| types == ["boolean"])
}

/// Returns advice for one name where a map of names to booleans is among the forms: `{ CAMERA: true }` for `CAMERA`, and
/// `{ NAME: false }` for a word that denies. Returns `None` for texts that are no name, and where no form is such a map.
pub(crate) fn switch(node: &Node, forms: &[&Value]) -> Option<String> {
    const DENIALS: [&str; 7] = [
        "deny", "denied", "none", "reject", "revoke", "unset", "never",
    ];
    let text = node.scalar()?.text.as_str();
    let is_denied = DENIALS.contains(&text.to_lowercase().as_str());
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._".contains(c);
    let is_name = !text.is_empty() && text.chars().all(is_part);
    (is_name && forms.iter().any(|form| is_switches(form))).then(|| {
        if is_denied {
            "write a map with each name: `{ NAME: false }`".to_owned()
        } else {
            format!("write a map: `{{ {text}: true }}`")
        }
    })
}

/// Returns advice for writing names as a map of booleans, all `true`. Items that are no names of ASCII
/// letters, digits, `.` and `_` are left out.
pub(crate) fn switches(items: &[Node]) -> String {
    let is_name = |text: &&str| {
        text.chars()
            .all(|c| c.is_ascii_alphanumeric() || "._".contains(c))
    };
    let names = items.iter().filter_map(Node::scalar);
    let names = names.map(|scalar| scalar.text.as_str()).filter(is_name);
    let entries: Vec<String> = names.map(|name| format!("{name}: true")).collect();
    format!("write `{{ {} }}`", entries.join(", "))
}
