//! Checks the entries of a map: their keys, their values, and those that are missing.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::Checker;
use crate::ast::{Argument, Spanned};
use crate::check_advice::{is_list, is_poor, missing_keys};
use crate::choice_advice::choice_as_key;
use crate::foreign::{self, modifier, suggestion};
use crate::key_owner;
use crate::keys::MODIFIERS;
use crate::map_advice;
use crate::report::{SourceRange, error, suggest};
use crate::value_advice;
use crate::yaml::{Key, Node, NodeKind};
use runner_text::diagnostic::{Code, Diagnostic};

impl Checker<'_> {
    /// Checks the entries of a map, and adds them to `result` in their order. Unknown keys are reported and
    /// left out, unless the schema accepts other keys. Reports each missing required key that the advice for an unknown
    /// one does not name, and a map with fewer entries than `minProperties`.
    pub(crate) fn map(
        &mut self,
        node: &Node,
        entries: &[(Key, Node)],
        schema: &Value,
        result: &mut IndexMap<String, Spanned<Argument>>,
    ) {
        let empty = Map::new();
        let any = Value::Bool(true);
        let properties = schema
            .get("properties")
            .and_then(Value::as_object)
            .unwrap_or(&empty);
        let missing = missing_keys(schema, entries);
        let mut meant = Vec::new();
        for (key, value) in entries {
            let schema = match (
                properties.get(&key.text),
                schema.get("additionalProperties"),
            ) {
                (Some(schema), _) => schema,
                (None, Some(Value::Bool(false))) => {
                    self.unknown_key(key, value, properties.keys().map(String::as_str));
                    let place = self
                        .inside(&key.text, properties)
                        .or_else(|| self.for_missing(key, value, &missing, properties))
                        .or_else(|| choice_as_key(self.vocabulary, key, value, properties));
                    if let (Some(place), Some(wrong)) = (place, self.diagnostics.last_mut())
                        && is_poor(wrong.help.as_deref())
                    {
                        wrong.help = Some(place);
                    }
                    meant.extend(self.diagnostics.last().and_then(|it| it.help.clone()));
                    continue;
                }
                (None, Some(schema)) => schema,
                (None, None) => &any,
            };
            let before = self.diagnostics.len();
            let argument = self.value(value, schema);
            if let (NodeKind::Sequence(items), "inside") = (&value.kind, key.text.as_str())
                && items.len() > 1
                && let Some(wrong) = self.diagnostics[before..].last_mut()
            {
                let help = "write one in the other: `{ …, inside: { … } }`; or `{ any_of: […] }` where one of them is enough";
                wrong.help = Some(help.to_owned());
            }
            if let (NodeKind::Sequence(items), "has") = (&value.kind, key.text.as_str())
                && items.len() > 1
                && let Some(wrong) = self.diagnostics[before..].last_mut()
            {
                let help = "it takes one element: in `assert` write a step for each, else the one that nothing else has; or `has: { any_of: […] }` where one of them is enough";
                wrong.help = Some(help.to_owned());
            }
            if let Some(help) = map_advice::other_key(&key.text, value, &[])
                && let Some(wrong) = self.diagnostics[before..].last_mut()
            {
                wrong.help = Some(help);
            }
            if let (NodeKind::Map(inside), "any_of") = (&value.kind, key.text.as_str())
                && let Some(wrong) = self.diagnostics[before..].last_mut()
            {
                wrong.help = Some(value_advice::in_list(inside, true));
            }
            if let (NodeKind::Sequence(items), "contains" | "ignore_case" | "regex") =
                (&value.kind, key.text.as_str())
                && items.len() > 1
                && properties.len() == 1
                && let Some(wrong) = self.diagnostics[before..].last_mut()
            {
                let help = "write one text; `{ regex: '….*…' }` looks for several parts in their order, and `{ any_of: […] }` in place of the whole selector for one of them";
                wrong.help = Some(help.to_owned());
            }
            if properties.contains_key("any_of")
                && let Some(help) = map_advice::any_of(&key.text, value, entries)
                && let Some(wrong) = self.diagnostics[before..].last_mut()
            {
                wrong.help = Some(help);
            }
            if self.names.is_none() && self.source.text.is_empty() {
                name_place(&mut self.diagnostics[before..], &key.text);
            }
            result.insert(key.text.clone(), argument);
        }
        for name in missing {
            // One mistake is told once.
            if !meant.iter().any(|help| names_key(help, name)) {
                self.missing_key(node, entries, name, properties.get(name));
            }
        }
        let least = schema.get("minProperties").and_then(Value::as_u64);
        if least.is_some_and(|least| (entries.len() as u64) < least) {
            self.fail(
                node,
                Code::MissingKey,
                "this map says nothing",
                suggest("", properties.keys().map(String::as_str)),
            );
        }
    }

    /// Reports that a map lacks a required key. If the value of an entry has the key, that is told, else what the schema
    /// says of it.
    fn missing_key(
        &mut self,
        node: &Node,
        entries: &[(Key, Node)],
        name: &str,
        schema: Option<&Value>,
    ) {
        let holds = |(_, value): &&(Key, Node)| value.entry(name).is_some();
        let help = match entries.iter().find(holds) {
            Some((outer, _)) => Some(format!(
                "it stands inside of `{}`: write `{}: {{ … }}, {name}: …`",
                outer.text, outer.text
            )),
            None => about(schema, name),
        };
        self.fail(node, Code::MissingKey, format!("`{name}` is missing"), help);
    }

    /// Reports a key that the caller did not find among `names`, always as one error, with a suggestion. For `{word}`
    /// alone, which YAML reads as a map, it advises quotes.
    pub(crate) fn unknown_key<'n>(
        &mut self,
        key: &Key,
        value: &Node,
        names: impl IntoIterator<Item = &'n str>,
    ) {
        let mut diagnostic = error(
            &SourceRange::new(self.source, key.span.clone()),
            Code::UnknownKey,
            format!("`{}` is not known here", key.text),
        );
        let names: Vec<&str> = names.into_iter().collect();
        let timed = foreign::timed(&key.text, value, &names);
        let timed = timed.or_else(|| map_advice::other_key(&key.text, value, &names));
        let timed = timed.filter(|_| self.names.is_some());
        let computed = map_advice::expression_key(key, value, &names);
        diagnostic.help = computed
            .filter(|_| self.names.is_some())
            .or(timed)
            .or_else(|| map_advice::android_version(&key.text, value, &names))
            .or_else(|| self.suggest_key(&key.text, names.iter().copied()));
        if value.is_missing() && value.span.is_empty() && !key.text.is_empty() {
            let before = self.source.text[..key.span.start].trim_end();
            let joined = &self.source.text[..key.span.start];
            if let Some(help) = map_advice::decimal_comma(&key.text, joined) {
                diagnostic.help = Some(help);
            } else if let Some(help) = map_advice::joined(&key.text, &names) {
                diagnostic.help = Some(help);
            } else if before.ends_with('{') {
                diagnostic.help = Some(map_advice::in_braces(&key.text));
            }
        }
        self.diagnostics.push(diagnostic);
    }

    /// Returns help for an unknown key: the most similar of `names`, or else the list of them. In a flow, a word for
    /// a modifier gets help about that one, unless `names` has a similar key. Where only the list is left, a flow
    /// gets the name of a step that has such a key, if there is one.
    pub(super) fn suggest_key<'n>(
        &self,
        word: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Option<String> {
        let help = suggestion(word, names);
        let is_modifier = MODIFIERS.contains(&word);
        let is_none = help.as_ref().is_none_or(|help| {
            help.starts_with("known here") || is_modifier && help.starts_with("did you mean")
        });
        match modifier(word).filter(|_| is_none && self.names.is_some()) {
            Some(modifier) => Some(format!(
                "`{modifier}` is a modifier: write `{modifier}: …` on a line of its own, beside the step"
            )),
            None if self.names.is_some() && is_list(help.as_deref()) => {
                key_owner::owner(self.vocabulary, word).or(help)
            }
            None => help,
        }
    }
}

/// Returns true for advice to write just the key `name`.
fn names_key(help: &str, name: &str) -> bool {
    help == format!("did you mean `{name}`?") || help.starts_with(&format!("write `{name}: "))
}

fn about(schema: Option<&Value>, name: &str) -> Option<String> {
    let text = schema?.get("description")?.as_str()?;
    Some(format!("`{name}`: {}", text.lines().next()?))
}

/// Puts `key` before each message: `` `key`: … ``, or `` `key.path`: … `` if the message begins with a path
/// already. For final values, which have no place in a file to show.
fn name_place(diagnostics: &mut [Diagnostic], key: &str) {
    for diagnostic in diagnostics {
        diagnostic.message = match diagnostic
            .message
            .strip_prefix('`')
            .and_then(|rest| rest.split_once("`: "))
        {
            Some((path, message)) if !path.contains(char::is_whitespace) => {
                format!("`{key}.{path}`: {message}")
            }
            _ => format!("`{key}`: {}", diagnostic.message),
        };
    }
}
