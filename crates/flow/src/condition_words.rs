//! Advice on what stands in place of a condition or an expression: texts, and the keys of a selector.

use std::sync::LazyLock;

use regex::Regex;

use super::expression::Kind;
use super::foreign::{self, Element};
use super::foreign_text::regex;
use super::reader::Reader;
use super::yaml::{Key, Node, NodeKind, Scalar};

impl Reader<'_> {
    /// Returns advice for a text in place of a condition: a comparison and a known name lead to `${…}`, other words
    /// to `visible` and `not_visible`. A text that asks for the platform gets the advice to leave it out.
    pub(crate) fn condition_advice(&self, text: &str) -> String {
        if let Some(help) = self.compared(text) {
            return help;
        }
        let inner = inner_expression(text);
        let words = text.to_lowercase();
        let has = |word: &str| {
            let mut words = words.split(|c: char| !c.is_alphanumeric());
            words.any(|it| it == word)
        };
        let is_seen = ["visible", "displayed", "shown", "exists", "present"]
            .into_iter()
            .any(has);
        let is_denied = ["not", "no", "invisible", "gone", "hidden"]
            .into_iter()
            .any(has);
        match (is_seen, is_denied) {
            (_, true) => "write `{ not_visible: … }`, or an expression: \"${…}\"".to_owned(),
            (true, false) => "write `{ visible: … }`".to_owned(),
            (false, false) => {
                let shown = foreign::yaml(inner);
                format!(
                    "write `{{ visible: {shown} }}`, or an expression that comes to true or false: \"${{…}}\""
                )
            }
        }
    }

    /// Returns advice for a condition with the keys of a selector, such as `{ id: a, enabled: true }` and
    /// `{ disabled: { id: a } }`: all of them in the map of `visible`. `timeout` and `visible: true` are left out.
    /// Returns `None` if another key is among them, or nothing is left.
    pub(crate) fn selector_as_condition(&self, entries: &[(Key, Node)]) -> Option<String> {
        let vocabulary = self.project.vocabulary;
        let keys = vocabulary.properties(&vocabulary.selector);
        // `visible: true` beside the keys of an element says the same.
        let is_answer = |key: &Key, node: &Node| {
            key.text == "visible" && node.scalar().and_then(Scalar::boolean) == Some(true)
        };
        let others = entries
            .iter()
            .filter(|(key, node)| key.text != "timeout" && !is_answer(key, node));
        let parts: Option<Vec<String>> = others.map(|(key, node)| part(key, node, &keys)).collect();
        let parts = parts.filter(|parts| !parts.is_empty())?;
        Some(format!("write `visible: {{ {} }}`", parts.join(", ")))
    }

    /// Returns advice for a text in place of an expression that comes to true or false: as [`Self::compared`] does, or
    /// else that an expression is needed here, and which step looks for an element.
    pub(crate) fn expression_advice(&self, text: &str) -> String {
        self.compared(text).unwrap_or_else(|| {
            "write an expression that comes to true or false: \"${…}\"; `assert visible: …` looks for an element"
                .to_owned()
        })
    }

    /// Returns advice for one operator between two numbers or names without `${…}`, such as `1 + 2` and `total - 1`. The
    /// names are known, or the one that gets the value. Returns `None` for other words.
    pub(crate) fn sum_advice(&self, name: &str, text: &str) -> Option<String> {
        static SUM: LazyLock<Regex> = LazyLock::new(|| regex(r"^([\w.]+) ([-+*/%]) ([\w.]+)$"));
        let found = SUM.captures(text)?;
        let (left, right) = (&found[1], &found[3]);
        let is_operand = |word: &str| {
            let root = word.split('.').next().unwrap_or_default();
            let is_number = word.parse::<f64>().is_ok_and(f64::is_finite);
            is_number || word == name || self.names.has_value(root)
        };
        if !is_operand(left) || !is_operand(right) {
            return None;
        }
        let is_new = (left == name || right == name) && !self.names.has_value(name);
        let (left, right) = (self.as_number(left), self.as_number(right));
        let ours = foreign::quoted(&format!("${{{left} {} {right}}}", &found[2]));
        Some(if is_new {
            format!("write `set: {{ {name}: 0 }}` as a step before, and here {ours}")
        } else {
            format!("write {ours}")
        })
    }

    /// Returns a name as an operand of a sum: with the filter `int` if its value is a text. A number stays.
    fn as_number(&self, name: &str) -> String {
        if self.names.kind_of(name) == Some(Kind::Text) {
            format!("({name} | int)")
        } else {
            name.to_owned()
        }
    }

    /// Returns advice for a sum whose sign stands outside of `${…}`: `${A} + 1`. Returns `None` for other texts.
    pub(crate) fn sum_outside(&self, text: &str) -> Option<String> {
        static SUM: LazyLock<Regex> =
            LazyLock::new(|| regex(r"^\$\{(\w+)\} ([-+*/]) (?:(\d+(?:\.\d+)?)|\$\{(\w+)\})$"));
        let found = SUM.captures(text.trim())?;
        let left = self.as_number(&found[1]);
        let right = match (found.get(3), found.get(4)) {
            (Some(constant), _) => constant.as_str().to_owned(),
            (None, Some(name)) => self.as_number(name.as_str()),
            (None, None) => return None,
        };
        let ours = foreign::quoted(&format!("${{{left} {} {right}}}", &found[2]));
        Some(format!("write {ours} for the number"))
    }

    /// Returns advice for a comparison, a call or a known name without `${…}`: the same text in it. A text that
    /// begins with a word for the platform gets advice about that. Returns `None` for other words.
    fn compared(&self, text: &str) -> Option<String> {
        // Shells write `$NAME`.
        let inner = inner_expression(text).replace('$', "");
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let root: &str = inner
            .split(|c: char| !is_name(c))
            .next()
            .unwrap_or_default();
        if let Some(help) = foreign::platform(root) {
            return Some(help);
        }
        let compares = ["==", "!=", "<", ">", "("]
            .iter()
            .any(|sign| inner.contains(sign));
        let is_known = !inner.contains(' ') && !root.is_empty() && self.names.has_value(root);
        (compares || is_known)
            .then(|| format!("write {}", foreign::quoted(&format!("${{{inner}}}"))))
    }
}

/// Writes an entry of a condition as a part of a selector's map; a word of another tool becomes the key that it means.
/// A state such as `enabled` may have the element as its value. Returns `None` for a key that no selector has, and for
/// a state with a list.
fn part(key: &Key, node: &Node, keys: &[&str]) -> Option<String> {
    const STATES: [&str; 7] = [
        "enabled",
        "checked",
        "selected",
        "focused",
        "clickable",
        "scrollable",
        "editable",
    ];
    let told = foreign::key(&key.text, keys).filter(|_| !keys.contains(&key.text.as_str()));
    let told = match &told {
        Some(told) => Some(told.strip_prefix("write `")?.strip_suffix('`')?),
        None if keys.contains(&key.text.as_str()) => None,
        None => return None,
    };
    let (name, value) = match told {
        Some(told) if told.contains('`') => return None,
        Some(told) => told.split_once(": ")?,
        None => (key.text.as_str(), "…"),
    };
    let inside = |element: &Element| {
        let braces = element.in_braces();
        braces.trim_matches(['{', '}', ' ']).to_owned()
    };
    if !STATES.contains(&name) {
        let given = node.scalar().filter(|_| !node.is_missing());
        return match given {
            Some(given) if told.is_some() => {
                let text = foreign::yaml(&given.text);
                Some(format!("{name}: {}", value.replace('…', &text)))
            }
            Some(_) => Element::from_entries([(name, node)]).as_ref().map(inside),
            None => Some(format!("{name}: {value}")),
        };
    }
    let is_on = value != "false";
    match &node.kind {
        NodeKind::Map(entries) => {
            let entries = entries.iter().map(|(key, node)| (key.text.as_str(), node));
            let element = Element::from_entries(entries)?;
            Some(format!("{}, {name}: {is_on}", inside(&element)))
        }
        NodeKind::Scalar(given) => Some(match given.boolean() {
            Some(answer) => format!("{name}: {}", answer == is_on),
            None => format!("text: {}, {name}: {is_on}", foreign::yaml(&given.text)),
        }),
        NodeKind::Sequence(_) => None,
    }
}

/// Returns the text without braces and blanks around it: `a` for `{{ a }}`.
fn inner_expression(text: &str) -> &str {
    text.trim()
        .trim_start_matches('{')
        .trim_end_matches('}')
        .trim()
}
