//! Checks a value of the tree against a JSON Schema. Returns an argument, and reports errors with their
//! places.
//!
//! Knows the part of JSON Schema that the tools' arguments use. It never guesses a type: `007` stays a text
//! where a text is expected.

use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::ast::{Argument, Spanned};
use super::check_advice::{is_list, is_poor, missing_keys};
use super::choice_advice::{choice_as_key, switch};
use super::expression;
use super::foreign::{self, modifier, suggestion};
use super::foreign_class;
use super::foreign_pattern::{literal_of, pattern_of};
use super::foreign_text::{self, ForeignText};
use super::foreign_words;
use super::key_owner;
use super::keys::MODIFIERS;
use super::map_advice;
use super::names::{Names, Text};
use super::report::{SourceRange, error, suggest};
use super::scalar;
use super::value_advice;
use super::vocabulary::{Vocabulary, forms};
use super::yaml::{Node, NodeKind, Scalar};
use runner_screen::Selector;
use runner_text::diagnostic::{Code, Diagnostic, Source};

/// Checker for the values of one source.
pub(crate) struct Checker<'a> {
    pub(crate) source: &'a Arc<Source>,
    pub(crate) vocabulary: &'a Vocabulary,
    /// Names for expressions. `None`: values are final, and `${` is ordinary text.
    pub(crate) names: Option<&'a Names>,
    pub(crate) diagnostics: Vec<Diagnostic>,
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

/// Keys of a selector whose value is another selector.
const RELATIONS: [&str; 6] = ["inside", "has", "above", "below", "left_of", "right_of"];

/// Warning for a `*` in the id of any selector.
pub const STAR_IN_ID: &str = "an `id` is not a pattern: its `*` stands for itself";
/// Advice for [`STAR_IN_ID`].
pub const STAR_HELP: &str = "write the whole id, or the part after its `/`";

impl Checker<'_> {
    /// Reports a problem at a node. Its code decides whether it is an error or a warning.
    pub(crate) fn fail(
        &mut self,
        node: &Node,
        code: Code,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        let mut diagnostic = error(
            &SourceRange::new(self.source, node.span.clone()),
            code,
            message,
        );
        diagnostic.help = help;
        self.diagnostics.push(diagnostic);
    }

    /// Checks `node` against `schema`, reports errors in `diagnostics`, and converts it to an argument, also
    /// after errors. A text with `${…}` becomes an expression or template if names are known; else it is an
    /// ordinary text. A literal selector gets its further checks if the schema found no error.
    pub(crate) fn value(&mut self, node: &Node, schema: &Value) -> Spanned<Argument> {
        let schema = self.vocabulary.resolve(schema);
        let before = self.diagnostics.len();
        let value = match self.expression(node, schema) {
            Some(argument) => argument,
            None => self.check_plain(node, schema),
        };
        // Without names the file is read before the run, so an expression is the mistake. Final values have no file.
        let mentions = node.scalar().is_some_and(|it| it.text.contains("${"));
        if mentions && self.names.is_none() && !self.source.text.is_empty() {
            for wrong in &mut self.diagnostics[before..] {
                let help = "no expression is possible here: this is read before anything runs";
                wrong.help = Some(help.to_owned());
            }
        }
        if self.names.is_some() && self.diagnostics.len() == before && self.takes_selector(schema) {
            self.selector(node, &value);
        }
        Spanned {
            value,
            span: node.span.clone(),
        }
    }

    /// Returns true if the schema, or one of its forms, is that of selectors. Another schema that is only equal does
    /// not count.
    pub(crate) fn takes_selector(&self, schema: &Value) -> bool {
        let vocabulary = self.vocabulary;
        let selector = vocabulary.resolve(&vocabulary.selector);
        // Compares by identity, because another schema may be equal.
        std::ptr::eq(schema, selector)
            || forms(schema).any(|form| std::ptr::eq(vocabulary.resolve(form), selector))
    }

    /// Checks a literal selector for problems that the schema cannot find: invalid regular expressions, no key at
    /// all. Reports only the first of these; if there is none, it warns of each `*` in an id and of doubtful
    /// locators. Ignores arguments with expressions and maps with a key that no selector has, such as a mask's
    /// rectangle.
    fn selector(&mut self, node: &Node, argument: &Argument) {
        let Some(value) = literal(argument) else {
            return;
        };
        // A mask may be a rectangle instead.
        let keys = value.as_object().into_iter().flat_map(Map::keys);
        if keys
            .into_iter()
            .any(|key| !Selector::KEYS.contains(&key.as_str()))
        {
            return;
        }
        let Err(wrong) = Selector::from_value(&value) else {
            self.stars_in_ids(node);
            self.doubt_locators(node);
            return;
        };
        let message = wrong.fault.to_string();
        // The error of a regular expression quotes it in several lines, but the place shows it already.
        let message = message.lines().last().unwrap_or_default();
        let message = message.trim_start_matches("error: ");
        let place = node.below(wrong.at.iter().skip(1).map(String::as_str));
        let help = map_advice::regex_fault(message);
        self.fail(place, Code::Selector, message, help);
    }

    /// Warns of a `*` in an id at any depth, also in anchors: an id is not a pattern, so nothing would match.
    /// Warns also of an id in the form of another tool.
    fn stars_in_ids(&mut self, node: &Node) {
        match &node.kind {
            NodeKind::Map(entries) => {
                for (key, inner) in entries {
                    match inner.scalar() {
                        Some(scalar) if key.text == "id" && scalar.text.contains('*') => {
                            let help = Some(STAR_HELP.to_owned());
                            self.fail(inner, Code::StarInId, STAR_IN_ID, help);
                        }
                        Some(scalar) if key.text == "id" => {
                            self.warn(inner, foreign_text::id(&scalar.text));
                        }
                        _ => self.stars_in_ids(inner),
                    }
                }
            }
            NodeKind::Sequence(items) => items.iter().for_each(|item| self.stars_in_ids(item)),
            NodeKind::Scalar(_) => {}
        }
    }

    /// Warns of locators of other tools, of patterns and of answers such as `yes` in the texts of a selector. Warns
    /// also of a class that Android has otherwise, of slashes around a `regex`, and of `ignore_case` with a boolean. Of
    /// selectors inside only the plain texts of relations are looked at, for an id of CSS.
    fn doubt_locators(&mut self, node: &Node) {
        match &node.kind {
            NodeKind::Scalar(scalar) => {
                let answer = scalar.boolean();
                let answer = answer.map(|_| foreign_words::answer(&scalar.text));
                self.warn(node, answer.or_else(|| foreign_text::locator(&scalar.text)));
            }
            NodeKind::Map(entries) => {
                let others = entries.iter().filter(|(key, _)| key.text != "index");
                let is_alone = others.count() == 1;
                for (key, inner) in entries {
                    let is_words = ["text", "desc", "hint"].contains(&key.text.as_str());
                    if let Some((_, written)) = inner.entry("regex").filter(|_| is_words)
                        && let Some(scalar) = written.scalar()
                    {
                        self.warn(written, literal_of(&scalar.text));
                    }
                    if let Some((_, written)) = inner.entry("ignore_case").filter(|_| is_words)
                        && let Some(scalar) = written.scalar()
                        && scalar.boolean().is_some()
                    {
                        self.warn(
                            written,
                            Some(foreign_words::without_case(&key.text, &scalar.text)),
                        );
                    }
                    match inner.scalar() {
                        Some(scalar) if is_words => {
                            self.warn(inner, pattern_of(&key.text, &scalar.text, is_alone));
                        }
                        Some(scalar) if RELATIONS.contains(&key.text.as_str()) => {
                            self.warn(inner, foreign_text::css_id(&scalar.text));
                        }
                        Some(scalar) if key.text == "class" => {
                            self.warn(inner, foreign_class::class(&scalar.text));
                        }
                        _ => {}
                    }
                }
            }
            NodeKind::Sequence(_) => {}
        }
    }

    /// Reports a text of another tool's syntax as a warning; does nothing for `None`.
    fn warn(&mut self, node: &Node, found: Option<ForeignText>) {
        if let Some(found) = found {
            self.fail(node, Code::Doubtful, found.message, Some(found.help));
        }
    }

    /// Converts a text with `${…}` to an argument; returns `None` for any other node, and if no names are known. A text
    /// with only escaped expressions (`$${`) is checked as the text that it means. Errors are text around an expression
    /// where the schema accepts no text, and an expression that is known to give a list or a map where it accepts
    /// neither. The kind of other expressions is checked in the run.
    fn expression(&mut self, node: &Node, schema: &Value) -> Option<Argument> {
        let names = self.names?;
        let scalar = node.scalar()?;
        if !expression::mentions_expression(&scalar.text) {
            return None;
        }
        let text = Text {
            source: self.source,
            span: node.span.clone(),
            text: &scalar.text,
        };
        let before = self.diagnostics.len();
        let argument = text.argument(names, &mut self.diagnostics);
        match &argument {
            Argument::Literal(Value::String(unescaped)) => {
                let node = Node {
                    span: node.span.clone(),
                    kind: NodeKind::Scalar(Scalar {
                        text: unescaped.clone(),
                        plain: false,
                    }),
                };
                return Some(self.check_plain(&node, schema));
            }
            Argument::Expression(inner)
                if self.diagnostics.len() == before && !self.takes(schema, "array") =>
            {
                let kind = names.kind_of(inner);
                let fits = self.takes(schema, "object")
                    && (names.without_field(inner).is_none() || !self.takes_own_keys_only(schema));
                let kind = kind.filter(|_| !fits);
                if let Some(kind @ (expression::Kind::List | expression::Kind::Map)) = kind {
                    // A map with other keys would fit.
                    let wanted = if self.takes(schema, "object") {
                        "text".to_owned()
                    } else {
                        self.expected(schema)
                    };
                    let message = format!("{wanted} is expected here, not {kind}");
                    let help = names.without_field(inner).map(|help| {
                        if self.takes_selector(schema) {
                            format!("{help}; or write what names the element, as the step that kept it does")
                        } else {
                            help
                        }
                    });
                    self.fail(node, Code::WrongType, message, help);
                }
            }
            Argument::Template(_)
                if !self.takes(schema, "string") && self.diagnostics.len() == before =>
            {
                let wanted = self.expected(schema);
                self.fail(
                    node,
                    Code::WrongType,
                    format!("{wanted} is expected here, but text around an expression makes text"),
                    Some("let the value be one `${…}` alone; it keeps its type".to_owned()),
                );
            }
            _ => {}
        }
        Some(argument)
    }

    /// Checks a node without an expression against the forms that its kind fits. Errors are reported, and what
    /// cannot be read becomes null.
    fn check_plain(&mut self, node: &Node, schema: &Value) -> Argument {
        let vocabulary = self.vocabulary;
        let alternatives = vocabulary.alternatives(schema);
        if node.is_missing() {
            return self.null(node, schema);
        }
        let fitting: Vec<&Value> = alternatives
            .iter()
            .copied()
            .filter(|form| Self::fits(node, form))
            .collect();
        match fitting.as_slice() {
            [] => {
                self.wrong_type(node, schema);
                Argument::Literal(Value::Null)
            }
            [only] => {
                let before = self.diagnostics.len();
                let argument = self.form(node, only);
                if let Some(wrong) = self.diagnostics[before..].last_mut()
                    && wrong.code == Code::UnknownValue
                    && is_list(wrong.help.as_deref())
                    && let Some(help) = switch(node, &alternatives)
                {
                    wrong.help = Some(help);
                }
                argument
            }
            several => match self.no_such_choice(node, several) {
                Some(argument) => argument,
                None => self.best(node, several),
            },
        }
    }

    /// Checks a null and returns it, also after an error. A written `null` is only valid where the schema
    /// accepts any value and no text, as in the body of a request; an empty value never is. A final null is
    /// valid also where the schema names the type. An optional key must be left out instead.
    fn null(&mut self, node: &Node, schema: &Value) -> Argument {
        let alternatives = self.vocabulary.alternatives(schema);
        let names = |name: &str| {
            let mut forms = alternatives.iter();
            forms.any(|form| types(form).is_some_and(|types| types.contains(&name)))
        };
        let is_written = node.scalar().is_some_and(|scalar| !scalar.text.is_empty());
        let takes_any = alternatives.iter().any(|form| types(form).is_none());
        // A final value is not in a file, so it is called null there.
        let is_final = self.names.is_none() && self.source.text.is_empty();
        if names("string") || !(is_written && takes_any || is_final && names("null")) {
            self.wrong_type(node, schema);
        }
        Argument::Literal(Value::Null)
    }

    /// Reports a word that is none of the choices of all forms together, and returns null. Returns `None` without an
    /// error if it is one, if the node is no scalar, or if a form is no list of choices.
    fn no_such_choice(&mut self, node: &Node, forms: &[&Value]) -> Option<Argument> {
        let text = &node.scalar()?.text;
        let mut choices: Vec<&str> = Vec::new();
        for form in forms {
            choices.extend(scalar::choices(form)?);
        }
        if choices.contains(&text.as_str()) {
            return None;
        }
        let message = format!("`{text}` is none of the values that are possible here");
        let help = value_advice::choice(text, &choices);
        self.fail(node, Code::UnknownValue, message, help);
        Some(Argument::Literal(Value::Null))
    }

    /// Checks a node against several forms, and takes the first without errors. If all have errors, it takes the only
    /// form that has all keys of the map, else that with the fewest errors, the first of equals, and reports only its
    /// errors. Before that, a key that no form has, and two patterns in one map, are reported and give null.
    fn best(&mut self, node: &Node, forms: &[&Value]) -> Argument {
        let wrong = self.no_such_key(node, forms);
        if let Some(argument) = wrong.or_else(|| self.two_patterns(node, forms)) {
            return argument;
        }
        if let Some(meant) = self.form_by_keys(node, forms) {
            return self.form(node, meant);
        }
        let mut best: Option<(Argument, Vec<Diagnostic>)> = None;
        for form in forms {
            let outer = std::mem::take(&mut self.diagnostics);
            let argument = self.form(node, form);
            let found = std::mem::replace(&mut self.diagnostics, outer);
            if best
                .as_ref()
                .is_none_or(|(_, have)| found.len() < have.len())
            {
                let done = found.is_empty();
                best = Some((argument, found));
                if done {
                    break;
                }
            }
        }
        let (argument, found) = best.unwrap_or((Argument::Literal(Value::Null), Vec::new()));
        self.diagnostics.extend(found);
        argument
    }

    /// Finds the form that the keys of a map choose, such as that of `log` among the steps of an app: the only one
    /// that has all of them, where none takes other keys. `None` for an empty map and other nodes.
    fn form_by_keys<'s>(&self, node: &Node, forms: &[&'s Value]) -> Option<&'s Value> {
        let is_closed =
            |form: &&Value| form.get("additionalProperties") == Some(&Value::Bool(false));
        let entries = node.entries();
        if entries.is_empty() || !forms.iter().all(is_closed) {
            return None;
        }
        let has_all = |form: &&&Value| {
            let names = self.vocabulary.properties(form);
            entries
                .iter()
                .all(|(key, _)| names.contains(&key.text.as_str()))
        };
        let mut found = forms.iter().filter(has_all);
        let only = found.next()?;
        found.next().is_none().then_some(*only)
    }

    /// Reports the first key of a map that no form has, with a suggestion from the keys of all forms, and
    /// returns null. Returns `None` without an error if there is no such key, if any form accepts other keys,
    /// or if the node is no map.
    fn no_such_key(&mut self, node: &Node, forms: &[&Value]) -> Option<Argument> {
        let NodeKind::Map(entries) = &node.kind else {
            return None;
        };
        let closed = forms
            .iter()
            .all(|form| form.get("additionalProperties") == Some(&Value::Bool(false)));
        let mut names: Vec<&str> = Vec::new();
        for form in forms {
            for name in self.vocabulary.properties(form) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        let (key, _) = entries
            .iter()
            .find(|(key, _)| closed && !names.contains(&key.text.as_str()))?;
        let mut diagnostic = error(
            &SourceRange::new(self.source, key.span.clone()),
            Code::UnknownKey,
            format!("`{}` is not known here", key.text),
        );
        diagnostic.help = self.suggest_key(&key.text, names);
        self.diagnostics.push(diagnostic);
        Some(Argument::Literal(Value::Null))
    }

    /// Reports a pattern for words in two forms, such as `contains` beside `ignore_case`, and returns null.
    /// Returns `None` without an error for any other node and other forms.
    fn two_patterns(&mut self, node: &Node, forms: &[&Value]) -> Option<Argument> {
        let is_pattern = |form: &&Value| {
            let names = self.vocabulary.properties(form);
            matches!(names.as_slice(), ["contains" | "regex" | "ignore_case"])
        };
        if !forms.iter().all(is_pattern) {
            return None;
        }
        let [(first, _), (second, _), ..] = node.entries() else {
            return None;
        };
        let mut diagnostic = error(
            &SourceRange::new(self.source, second.span.clone()),
            Code::UnknownKey,
            format!(
                "`{}` does not go together with `{}`",
                second.text, first.text
            ),
        );
        diagnostic.help = Some(map_advice::one_pattern(node.entries()));
        self.diagnostics.push(diagnostic);
        Some(Argument::Literal(Value::Null))
    }

    /// Checks a node against one form of a schema, with all that is in it. A wrong scalar is reported and becomes null.
    /// Where names are known, a text in another tool's syntax, or with a line that is a step, gets a warning.
    fn form(&mut self, node: &Node, schema: &Value) -> Argument {
        match &node.kind {
            NodeKind::Scalar(scalar) => match scalar::check(scalar, schema) {
                Ok(value) => {
                    if let (Some(names), Some(text)) = (self.names, value.as_str()) {
                        self.warn(node, foreign_text::text(text, names));
                        self.warn(node, self.step_in_text(node));
                    }
                    Argument::Literal(value)
                }
                Err(wrong) => {
                    let help = wrong.help.or_else(|| self.instead_of_nothing(node, schema));
                    self.fail(node, wrong.code, wrong.message, help);
                    Argument::Literal(Value::Null)
                }
            },
            NodeKind::Sequence(items) => self.sequence(node, items, schema),
            NodeKind::Map(entries) => {
                let mut result = IndexMap::new();
                self.map(node, entries, schema, &mut result);
                Argument::Map(result)
            }
        }
    }

    /// Checks the number of items, and each item against its schema. Items beyond a list of schemas may be anything.
    /// Wrong ones are reported and stay in the list, a wrong scalar as null.
    fn sequence(&mut self, node: &Node, items: &[Node], schema: &Value) -> Argument {
        let any = Value::Bool(true);
        let limit = |key: &str| schema.get(key).and_then(Value::as_u64);
        let count = items.len() as u64;
        if limit("minItems").is_some_and(|least| count < least) {
            let least = limit("minItems").unwrap_or_default();
            self.fail(
                node,
                Code::OutOfRange,
                format!("at least {least} value(s) are expected, {count} given"),
                None,
            );
        }
        if limit("maxItems").is_some_and(|most| count > most) {
            let most = limit("maxItems").unwrap_or_default();
            self.fail(
                node,
                Code::OutOfRange,
                format!("at most {most} value(s) are expected, {count} given"),
                None,
            );
        }
        Argument::List(
            items
                .iter()
                .enumerate()
                .map(|(index, item)| {
                    let schema = match schema.get("items") {
                        Some(Value::Array(each)) => each.get(index).unwrap_or(&any),
                        Some(schema) => schema,
                        None => &any,
                    };
                    self.value(item, schema)
                })
                .collect(),
        )
    }

    /// Checks the entries of a map, and adds them to `result` in their order. Unknown keys are reported and
    /// left out, unless the schema accepts other keys. Reports each missing required key, and a map with
    /// fewer entries than `minProperties`.
    pub(crate) fn map(
        &mut self,
        node: &Node,
        entries: &[(super::yaml::Key, Node)],
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
            let holds = |(_, value): &&(super::yaml::Key, Node)| value.entry(name).is_some();
            let help = match entries.iter().find(holds) {
                Some((outer, _)) => Some(format!(
                    "it stands inside of `{}`: write `{}: {{ … }}, {name}: …`",
                    outer.text, outer.text
                )),
                None => about(properties.get(name), name),
            };
            self.fail(node, Code::MissingKey, format!("`{name}` is missing"), help);
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

    /// Returns help for an unknown key: the most similar of `names`, or else the list of them. In a flow, a word for
    /// a modifier gets help about that one, unless `names` has a similar key. Where only the list is left, a flow
    /// gets the name of a step that has such a key, if there is one.
    fn suggest_key<'n>(
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

    /// Reports a key that the caller did not find among `names`, always as one error, with a suggestion. For `{word}`
    /// alone, which YAML reads as a map, it advises quotes.
    pub(crate) fn unknown_key<'n>(
        &mut self,
        key: &super::yaml::Key,
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

    /// Returns true if the form accepts the kind of this node; its parts are not looked at. A form that names no type
    /// accepts all kinds.
    fn fits(node: &Node, schema: &Value) -> bool {
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
    fn takes_own_keys_only(&self, schema: &Value) -> bool {
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

fn about(schema: Option<&Value>, name: &str) -> Option<String> {
    let text = schema?.get("description")?.as_str()?;
    Some(format!("`{name}`: {}", text.lines().next()?))
}

/// Converts a final value to a tree, to check it like one that was read. A text is treated as quoted, so that
/// `"5"` stays a text. All nodes have the empty range `0..0`.
pub(crate) fn from_value(value: &Value) -> Node {
    let scalar = |text: String, plain| NodeKind::Scalar(Scalar { text, plain });
    let kind = match value {
        Value::Null => scalar("null".to_owned(), true),
        Value::Bool(_) | Value::Number(_) => scalar(value.to_string(), true),
        // As in quotes, so that a text that looks like a number stays a text.
        Value::String(text) => scalar(text.clone(), false),
        Value::Array(items) => NodeKind::Sequence(items.iter().map(from_value).collect()),
        Value::Object(entries) => NodeKind::Map(
            entries
                .iter()
                .map(|(key, value)| {
                    let key = super::yaml::Key {
                        text: key.clone(),
                        span: 0..0,
                    };
                    (key, from_value(value))
                })
                .collect(),
        ),
    };
    Node { span: 0..0, kind }
}

/// Returns the value of an argument, also of lists and maps; `None` if an expression is anywhere in it.
pub(crate) fn literal(argument: &Argument) -> Option<Value> {
    match argument {
        Argument::Literal(value) => Some(value.clone()),
        Argument::Expression(_) | Argument::Template(_) => None,
        Argument::List(items) => items
            .iter()
            .map(|item| literal(&item.value))
            .collect::<Option<_>>()
            .map(Value::Array),
        Argument::Map(entries) => entries
            .iter()
            .map(|(key, value)| Some((key.clone(), literal(&value.value)?)))
            .collect::<Option<_>>()
            .map(Value::Object),
    }
}
