//! Checks a literal selector beyond its schema, and warns of locators of other tools.

use serde_json::{Map, Value};

use super::{Checker, literal};
use crate::ast::Argument;
use crate::foreign_class;
use crate::foreign_pattern::{literal_of, pattern_of};
use crate::foreign_templates;
use crate::foreign_text;
use crate::foreign_words;
use crate::map_advice;
use crate::vocabulary::forms;
use crate::yaml::{Node, NodeKind};
use runner_screen::Selector;
use runner_text::diagnostic::Code;

/// Keys of a selector whose value is another selector.
const RELATIONS: [&str; 6] = ["inside", "has", "above", "below", "left_of", "right_of"];

/// Warning for a `*` in the id of any selector.
pub const STAR_IN_ID: &str = "an `id` is not a pattern: its `*` stands for itself";
/// Advice for [`STAR_IN_ID`].
pub const STAR_HELP: &str = "write the whole id, or the part after its `/`";

impl Checker<'_> {
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
    /// all. Reports only the first of these; if there is none and `doubts` is true, it warns of each `*` in an id and of
    /// doubtful locators. Of arguments with expressions it doubts only comparisons. Ignores maps with a key that no
    /// selector has, such as a mask's rectangle.
    pub(super) fn selector(&mut self, node: &Node, argument: &Argument, doubts: bool) {
        let Some(value) = literal(argument) else {
            if let Some(scalar) = node.scalar().filter(|_| doubts) {
                self.warn(node, foreign_templates::comparison(&scalar.text));
            }
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
            if doubts {
                self.stars_in_ids(node);
                self.doubt_locators(node);
            }
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
}
