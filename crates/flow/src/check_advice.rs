//! Advice of the checks: for values of a wrong type, for keys that are missing, and for keys in a wrong map.

use serde_json::{Map, Value};

use super::check::{Checker, types};
use super::choice_advice::{is_switches, switches};
use super::foreign;
use super::foreign_text::ForeignText;
use super::keys;
use super::map_advice;
use super::scalar;
use super::value_advice;
use super::yaml::{Key, Node, NodeKind};
use runner_text::diagnostic::Code;
use runner_text::flow_text;
use runner_text::yaml::missing_space;

impl Checker<'_> {
    /// Returns advice for an unknown key that belongs into the map of another key, as `lat` into
    /// `location: { lat: … }`; `None` if no property takes a map with this key or with a word for it. Of several such
    /// properties the first is taken; selectors do not count.
    pub(crate) fn inside(&self, word: &str, properties: &Map<String, Value>) -> Option<String> {
        properties.iter().find_map(|(outer, schema)| {
            let inner = self.vocabulary.properties(schema);
            // The keys of a selector say nothing of where one belongs.
            if inner.contains(&"any_of") {
                return None;
            }
            if inner.contains(&word) {
                return Some(format!("write `{outer}: {{ {word}: … }}`"));
            }
            let ours = foreign::key(word, &inner)?;
            let ours = ours.strip_prefix("write `")?.strip_suffix('`')?;
            Some(format!("write `{outer}: {{ {ours} }}`"))
        })
    }

    /// Returns advice for an unknown key where one required key is missing: the missing one was probably meant, or
    /// the unknown one is its value, as in `record: { start: demo }`. Returns `None` unless exactly one is missing,
    /// and for `true`, `false` or no value behind a key that is neither a choice of the missing one nor begins with a
    /// capital letter.
    pub(crate) fn for_missing(
        &self,
        key: &Key,
        value: &Node,
        missing: &[&str],
        properties: &Map<String, Value>,
    ) -> Option<String> {
        let [name] = missing else {
            return None;
        };
        let forms = self.vocabulary.alternatives(properties.get(*name)?);
        let mut choices = forms.iter().filter_map(|form| scalar::choices(form));
        let is_choice = choices.any(|choices| choices.contains(&key.text.as_str()));
        let is_answer =
            value.is_missing() || value.scalar().is_some_and(|it| it.boolean().is_some());
        let is_constant = key.text.starts_with(char::is_uppercase);
        if is_choice || is_answer && is_constant {
            return Some(format!("write `{name}: {}`", key.text));
        }
        (!is_answer).then(|| format!("write `{name}: …`"))
    }

    /// Reports a value of a type that the schema does not take, or a missing one, with advice. The caller has found
    /// that it is wrong; this is always one error.
    pub(crate) fn wrong_type(&mut self, node: &Node, schema: &Value) {
        let wanted = self.expected(schema);
        if node.is_missing() {
            let takes_text = self.takes(schema, "string");
            let written = node.scalar().map_or("", |scalar| scalar.text.as_str());
            let help = if written.is_empty() {
                missing_help(&self.source.text, node.span.start)
                    .or_else(|| self.empty_help(schema, takes_text))
            } else if self.source.text.is_empty() {
                // A final value: an expression had null as its result.
                Some(
                    "the expression is none: `| default('…', true)` gives another value".to_owned(),
                )
            } else if takes_text {
                Some(format!(
                    "`{written}` without quotes is no value in YAML; write \"{written}\" for the text, or leave the key out"
                ))
            } else {
                Some(format!(
                    "`{written}` is no value in YAML; leave the key out"
                ))
            };
            self.fail(
                node,
                Code::MissingValue,
                format!("{wanted} is missing here"),
                help,
            );
            return;
        }
        let found = node.what();
        let help = match &node.kind {
            NodeKind::Scalar(scalar) => {
                let vocabulary = self.vocabulary;
                let alternatives = vocabulary.alternatives(schema);
                let mut forms = alternatives.iter();
                let is_final = self.source.text.is_empty();
                let advice = forms.find_map(|form| scalar::advice(scalar, form, is_final));
                let space = || missing_space(&scalar.text).filter(|_| self.takes(schema, "object"));
                advice.or_else(space)
            }
            NodeKind::Map(entries) if scalar::is_duration(schema) => {
                time_in(entries).or_else(|| value_advice::only_value(entries, &[schema]))
            }
            NodeKind::Map(entries) if self.only_value(entries, schema).is_some() => {
                self.only_value(entries, schema)
            }
            NodeKind::Map(entries)
                if self.takes(schema, "string") && is_word_in_braces(entries) =>
            {
                entries.first().map(|(key, _)| self.named(&key.text))
            }
            NodeKind::Map(_) if self.takes(schema, "string") => Some(
                "a value is a text here; one that begins with `{` or has `: ` in it must be quoted"
                    .to_owned(),
            ),
            NodeKind::Sequence(items) if self.takes_switches(schema) => Some(switches(items)),
            NodeKind::Sequence(items) if self.takes(schema, "string") => {
                Some(self.no_list(items, schema))
            }
            NodeKind::Sequence(items) => self.names_as_map(items, schema),
            NodeKind::Map(entries) if self.takes_maps(schema) => {
                Some(value_advice::in_list(entries, false))
            }
            NodeKind::Map(entries) if self.takes(schema, "array") => map_advice::rectangle(entries)
                .or_else(|| {
                    let names = entries.iter().map(|(key, _)| key.text.as_str());
                    let names: Vec<&str> = names.collect();
                    Some(format!("write a list: `[ {} ]`", names.join(", ")))
                }),
            NodeKind::Map(_) => None,
        };
        let help = help.or_else(|| example(schema));
        let help = help.or_else(|| self.map_example(schema));
        let help = help.or_else(|| {
            let forms = self.vocabulary.alternatives(schema);
            let example = forms.iter().find_map(|form| value_advice::example(form));
            let about = schema.get("description").and_then(Value::as_str);
            match (example, about) {
                (Some(example), Some(about)) => Some(format!("{example}; {about}")),
                (example, about) => example.or_else(|| about.map(str::to_owned)),
            }
        });
        self.fail(
            node,
            Code::WrongType,
            format!("{wanted} is expected here, not {found}"),
            help,
        );
    }

    /// Returns advice for `{NAME}` in place of a text: the value of a name that is known, else both forms.
    fn named(&self, word: &str) -> String {
        let is_known = self.names.is_some_and(|names| names.has_value(word));
        if is_known {
            format!("write \"${{{word}}}\" for the value")
        } else {
            map_advice::in_braces(word)
        }
    }

    /// Returns advice for a map with one entry in place of one value; `None` for other maps.
    fn only_value(&self, entries: &[(Key, Node)], schema: &Value) -> Option<String> {
        let forms = self.vocabulary.alternatives(schema);
        value_advice::only_value(entries, &forms)
    }

    /// Returns true if any form of the schema is a list of maps.
    fn takes_maps(&self, schema: &Value) -> bool {
        let forms = self.vocabulary.alternatives(schema);
        let mut items = forms.iter().filter_map(|form| form.get("items"));
        items.any(|items| !self.vocabulary.properties(items).is_empty())
    }

    /// Returns help for a key without a value. Returns `None` if the schema takes neither a map nor a text and has no
    /// example.
    fn empty_help(&self, schema: &Value, takes_text: bool) -> Option<String> {
        let forms = self.vocabulary.alternatives(schema);
        let is_map = |form: &&Value| types(form).is_some_and(|types| types.contains(&"object"));
        if forms.iter().any(is_map) {
            let help =
                "write it behind the colon, or indent what belongs to it deeper than its key";
            return Some(help.to_owned());
        }
        if takes_text {
            let is_needed = forms.iter().any(|form| form.get("minLength").is_some());
            let help = if is_needed {
                "write it behind the colon, or leave the key out"
            } else {
                "for empty text write ''"
            };
            return Some(help.to_owned());
        }
        let example = forms.iter().find_map(|form| value_advice::example(form))?;
        Some(format!("{example}, or leave the key out"))
    }

    /// Returns advice for a list in place of a text. It quotes keys and the numbers of a place but no other value,
    /// because an item may be a secret.
    fn no_list(&self, items: &[Node], schema: &Value) -> String {
        let is_number = |it: &Node| it.scalar().is_some_and(|it| it.number().is_some());
        let first = items.first().map_or(0, |first| first.span.start);
        let is_block = self.source.text[..first].trim_end().ends_with('-');
        if items.len() > 1
            && (is_block || !self.takes_selector(schema))
            && let Some(help) = map_advice::one_map(items, is_block)
        {
            return help;
        }
        let part = |item: &Node| {
            let text = item.scalar().map_or("", |part| part.text.as_str());
            let is_part = text.trim_end_matches('%').parse::<f64>().is_ok();
            is_part.then(|| text.to_owned())
        };
        if let ([x, y], true) = (items, self.takes_selector(schema))
            && let (Some(x), Some(y)) = (part(x), part(y))
        {
            return format!("for a place write `{{ at: {{ x: {x}, y: {y} }} }}`");
        }
        let help = match items {
            [only] if matches!(only.kind, NodeKind::Map(_)) => {
                "write the keys without `- ` before the first"
            }
            [_] if is_block => "write it behind the colon, without `- `",
            [_] => "write it without brackets; text that begins with `[` must be quoted",
            [a, b, c, d] if [a, b, c, d].iter().all(|it| is_number(it)) => {
                "a rectangle of a mask is written `{ rect: [ … ] }`"
            }
            _ if self.takes_selector(schema) => {
                "write a step for each, or `{ any_of: […] }` where one of them is enough"
            }
            // Before anything runs there are the keys of the header and of other files.
            _ if self.names.is_none() => {
                "write one text, without brackets; text that begins with `[` must be quoted"
            }
            _ => "write a step for each; text that begins with `[` must be quoted",
        };
        help.to_owned()
    }

    /// Returns help for an empty text where one is needed: for a selector to write a text or an id, for all else to
    /// write it or leave the key out, with the first line of the schema's description. Returns `None` for other values,
    /// and for final ones, which stand in no file.
    pub(crate) fn instead_of_nothing(&self, node: &Node, schema: &Value) -> Option<String> {
        let is_written = !self.source.text.is_empty();
        node.scalar()
            .filter(|scalar| is_written && scalar.text.is_empty())?;
        let selector = self.vocabulary.alternatives(&self.vocabulary.selector);
        if selector.iter().any(|form| std::ptr::eq(*form, schema)) {
            let help = "write the text of the element, or `{ id: … }`";
            return Some(help.to_owned());
        }
        let about = schema.get("description").and_then(Value::as_str);
        let about = about.and_then(|about| about.lines().next());
        Some(about.map_or_else(
            || "write it, or leave the key out".to_owned(),
            |about| format!("write it, or leave the key out; {about}"),
        ))
    }

    /// Returns the warning about a text of several lines with a line that is a step: YAML takes a line without its
    /// dash or comma for a part of the text above it. Returns `None` for texts in quotes and other nodes.
    pub(crate) fn step_in_text(&self, node: &Node) -> Option<ForeignText> {
        node.scalar().filter(|scalar| scalar.plain)?;
        let written = self.source.text.get(node.span.clone())?;
        let mut lines = written.lines().skip(1).map(str::trim);
        let step =
            lines.find(|line| keys::step_names(self.vocabulary).any(|name| name == *line))?;
        Some(ForeignText {
            message: format!("the line `{step}` belongs to the text above it"),
            help: "for a step of its own begin it with `- `, or, inside of brackets, put a comma before it; if it is text, quote the whole"
                .to_owned(),
        })
    }

    /// Returns true if any form of the schema is a map of arbitrary names to booleans.
    fn takes_switches(&self, schema: &Value) -> bool {
        let forms = self.vocabulary.alternatives(schema);
        forms.iter().any(|form| is_switches(form))
    }

    /// Returns an example of a map in a sentence, for the schema's first form that is a map; `None` if there is none.
    /// It has all required keys, or else up to 4 optional ones, or else `NAME`. Of more than 4 optional ones it has 3
    /// and `…`.
    fn map_example(&self, schema: &Value) -> Option<String> {
        let forms = self.vocabulary.alternatives(schema);
        let is_map = |form: &&&Value| types(form).is_some_and(|types| types == ["object"]);
        let form = forms.iter().find(is_map)?;
        let required = form.get("required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        let names: Vec<&str> = required.collect();
        let all = self.vocabulary.properties(form);
        let (names, more) = match (names.is_empty(), all.is_empty()) {
            (false, _) => (names, ""),
            (true, false) if all.len() <= 4 => (all, ""),
            (true, false) => (all[..3].to_vec(), ", …"),
            (true, true) => (vec!["NAME"], ""),
        };
        let value = |name: &str| {
            let inner = form.get("properties").and_then(|all| all.get(name));
            match inner.and_then(types).as_deref() {
                Some(["array"]) => "[ … ]",
                Some(["object"]) => "{ … }",
                _ => "…",
            }
        };
        let keys = names.iter().map(|name| format!("{name}: {}", value(name)));
        let keys: Vec<String> = keys.collect();
        Some(format!("write a map: `{{ {}{more} }}`", keys.join(", ")))
    }

    /// Returns advice for writing texts such as `A: b` and `A=b` as a map. Returns `None` if the schema has
    /// no form for a map of arbitrary names, or if any item is not of this kind. It quotes no value, because
    /// that may be a secret.
    fn names_as_map(&self, items: &[Node], schema: &Value) -> Option<String> {
        let forms = self.vocabulary.alternatives(schema);
        let takes_names = |form: &&Value| {
            form.get("additionalProperties")
                .is_some_and(Value::is_object)
                && form.get("properties").is_none()
        };
        if !forms.iter().any(takes_names) {
            return None;
        }
        let name = |item: &Node| {
            let (name, _) = item.scalar()?.text.split_once([':', '='])?;
            let is_name = name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
            is_name.then(|| format!("{name}: …"))
        };
        let names: Option<Vec<String>> = items.iter().map(name).collect();
        let names = names.filter(|names| !names.is_empty())?;
        Some(format!("write a map: `{{ {} }}`", names.join(", ")))
    }
}

/// Returns advice with the first example of a schema. Returns `None` if it has none.
fn example(schema: &Value) -> Option<String> {
    let first = schema.get("examples")?.get(0)?;
    Some(format!("write one such as `{}`", flow_text::literal(first)))
}

/// Returns advice for writing a map of one unit and a number, such as `{ seconds: 5 }`, as a duration, `5s`.
/// Only the first letters of the unit count. Returns `None` for any other map.
fn time_in(entries: &[(Key, Node)]) -> Option<String> {
    let [(unit, number)] = entries else {
        return None;
    };
    let number = number.scalar()?.text.parse::<f64>().ok()?;
    let unit = match unit.text.to_lowercase().as_str() {
        unit if unit.starts_with("mil") || unit == "ms" => "ms",
        unit if unit.starts_with('s') => "s",
        unit if unit.starts_with('m') => "m",
        unit if unit.starts_with('h') => "h",
        _ => return None,
    };
    Some(format!("write `{number}{unit}`"))
}

/// Returns the required keys of a schema that a map lacks. They are in the schema's order. A key with an empty value
/// counts as there.
pub(crate) fn missing_keys<'s>(schema: &'s Value, entries: &[(Key, Node)]) -> Vec<&'s str> {
    let required = schema.get("required").and_then(Value::as_array);
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    let is_there = |name: &&str| entries.iter().any(|(key, _)| key.text == *name);
    required.filter(|name| !is_there(name)).collect()
}

/// Returns true for a word alone in braces, which YAML reads as a key without a value.
fn is_word_in_braces(entries: &[(Key, Node)]) -> bool {
    let [(key, value)] = entries else {
        return false;
    };
    value.is_missing() && value.span.is_empty() && !key.text.is_empty()
}

/// Returns true for help that lists the known keys, or for none.
pub(crate) fn is_list(help: Option<&str>) -> bool {
    help.is_none_or(|help| help.starts_with("known here"))
}

/// Returns true for help that lists the known keys or names other steps, and for none.
pub(crate) fn is_poor(help: Option<&str>) -> bool {
    is_list(help) || help.is_some_and(|help| help.contains(" is an option of "))
}

/// Returns help for a missing value at the offset `at`: a comment or an anchor in its line stands in its
/// place. Returns `None` for all else.
fn missing_help(text: &str, at: usize) -> Option<String> {
    let before = text[..at.min(text.len())].trim_end_matches([' ', '\n', '\r']);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[line_start..]
        .find('\n')
        .map_or(text.len(), |newline| line_start + newline);
    let line = &text[line_start..end];
    if let Some((_, comment)) = line.split_once(" #") {
        return Some(format!(
            "`#` begins a comment; if text is meant, quote it: \"#{}\"",
            comment.trim_end()
        ));
    }
    if line.contains(" &") {
        return Some("`&` begins an anchor; if text is meant, quote it".to_owned());
    }
    None
}
