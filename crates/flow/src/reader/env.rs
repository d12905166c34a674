//! Reads `env`.

use indexmap::IndexMap;

use super::file::{Reader, find};
use crate::ast::{Argument, Spanned};
use crate::header_advice::missing_value;
use crate::interpolate::plain_name;
use crate::reader::has_error;
use crate::yaml::{Key, Node, NodeKind};
use runner_text::diagnostic::Code;

impl Reader<'_> {
    /// Reads `env` of the header as [`Self::env_values`] does, and makes its names known to all that is read next;
    /// they count as texts if no error in `env` was reported. Returns no values if the key is missing.
    pub(super) fn env(&mut self, entries: &[(Key, Node)]) -> IndexMap<String, Spanned<Argument>> {
        let Some((_, node)) = find(entries, "env") else {
            return IndexMap::new();
        };
        let before = self.diagnostics.len();
        let values = self.env_values(node);
        let reads = !has_error(&self.diagnostics[before..]);
        for name in values.keys() {
            for names in [&mut self.env, &mut self.names] {
                // Errors in values are already reported.
                if reads {
                    names.add_text(name);
                } else {
                    names.add(name);
                }
            }
        }
        values
    }

    /// Reads `env` of a header or of `run`, in order. Each value may use the names before it, and functions such as
    /// `uuid()`. Invalid names and values are reported, and are in the result all the same; another kind than a map
    /// is reported and gives none. The names are not known to what is read next: the caller adds them.
    pub(crate) fn env_values(&mut self, node: &Node) -> IndexMap<String, Spanned<Argument>> {
        let NodeKind::Map(entries) = &node.kind else {
            let help = names_of(node).or_else(|| Some("write `env: { NAME: value }`".to_owned()));
            let message = format!(
                "a map of names and values is expected here, not {}",
                node.what()
            );
            self.fail(node, Code::WrongType, message, help);
            return IndexMap::new();
        };
        let mut names = self.names.clone();
        names.allows_volatile = true;
        let mut values = IndexMap::new();
        for (key, value) in entries {
            self.check_name(key);
            // `checked` reads `self.names`, so each value sees the names before it.
            let outer = std::mem::replace(&mut self.names, names);
            let before = self.diagnostics.len();
            let argument = self.checked(value, &serde_json::json!({ "type": "string" }));
            if let (NodeKind::Map(inside), Some(wrong)) =
                (&value.kind, self.diagnostics[before..].last_mut())
            {
                wrong.help = flat_names(&key.text, inside).or_else(|| wrong.help.take());
            }
            names = std::mem::replace(&mut self.names, outer);
            if let (NodeKind::Sequence(_), Some(wrong)) =
                (&value.kind, self.diagnostics[before..].last_mut())
            {
                let name = &key.text;
                wrong.help = Some(format!(
                    "a name has one text; for a case with each value write `each: [ {{ {name}: … }}, {{ {name}: … }} ]` in the header"
                ));
            }
            if let Some(help) = missing_value(key, value, entries, &names) {
                if let Some(wrong) = self.diagnostics[before..].last_mut() {
                    wrong.help = Some(help);
                } else if is_own_name(key, value) {
                    let message = "this is plain text here, not the variable of a shell";
                    self.fail(value, Code::Doubtful, message, Some(help));
                }
            }
            names.add_text(&key.text);
            values.insert(key.text.clone(), argument);
        }
        values
    }
}

/// Returns true for the value of a name that is the name itself as shells write it: `PW: $PW`, `PW: $(PW)`, `PW: %PW%`.
fn is_own_name(key: &Key, value: &Node) -> bool {
    let text = value.scalar().map_or("", |text| text.text.as_str());
    let name = &key.text;
    let forms = [
        format!("${name}"),
        format!("$({name})"),
        format!("%{name}%"),
    ];
    forms.iter().any(|form| form == text)
}

/// Returns advice for a map in place of a value of `env`: a name such as `OUTER_KEY` for each value in it, at most 3.
/// It quotes no value, because that may be a secret. Returns `None` if a value is missing, as in `{word}`, which is a
/// text without its quotes, and if no name is valid.
fn flat_names(outer: &str, inside: &[(Key, Node)]) -> Option<String> {
    if inside.iter().any(|(_, value)| value.is_missing()) {
        return None;
    }
    let name = |(key, _): &(Key, Node)| plain_name(&format!("{outer}_{}", key.text));
    let names = inside.iter().filter_map(name).take(3);
    let names: Vec<String> = names.map(|name| format!("`{name}: …`")).collect();
    let names = (!names.is_empty()).then(|| names.join(", "))?;
    Some(format!(
        "a name has one text: write {names}; a text that begins with `{{` or has `: ` in it must be quoted"
    ))
}

/// Returns advice for names and values of `env` in the form of a shell or of a list: `USER=ada`, `USER:ada`, `- USER:
/// ada`. Of a text only the first name counts. It quotes no value, because that may be a secret. Returns `None` for
/// maps, and if one item of a list has another form.
fn names_of(node: &Node) -> Option<String> {
    let of_text = |text: &str| {
        let (name, _) = text.split_once(['=', ':'])?;
        let name = name.trim();
        plain_name(name).filter(|_| !name.contains(char::is_whitespace))
    };
    let names: Option<Vec<String>> = match &node.kind {
        NodeKind::Scalar(scalar) => scalar.text.split_whitespace().next().and_then(|first| {
            let is_joined = first.contains(['=', ':']);
            let text = if is_joined {
                first
            } else {
                scalar.text.as_str()
            };
            Some(vec![of_text(text)?])
        }),
        NodeKind::Sequence(items) => items
            .iter()
            .map(|item| match (&item.kind, item.entries()) {
                (NodeKind::Scalar(scalar), _) => of_text(&scalar.text),
                (_, [(key, _)]) => Some(key.text.clone()),
                _ => None,
            })
            .collect(),
        NodeKind::Map(_) => None,
    };
    let names = names.filter(|names| !names.is_empty())?;
    let names: Vec<String> = names.iter().map(|name| format!("{name}: …")).collect();
    Some(format!("write `env: {{ {} }}`", names.join(", ")))
}
