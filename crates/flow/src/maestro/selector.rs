//! Reads selectors and conditions.

use std::sync::Arc;

use super::super::report::suggest;
use super::super::yaml::{Node, NodeKind};
use super::options::Options;
use super::reader::Reader;
use super::tree::{Condition, Platform, RawSelector, Trait};
use runner_text::diagnostic::Code;

/// Description of a valid pixel or index, for errors.
const WHOLE: &str = "a whole number";

impl Reader<'_> {
    /// Reads a selector: a text, or a map. `whose` is the command's name for messages. An empty map and any wrong
    /// part are reported and return `None`; keys of taps are warnings.
    pub(super) fn selector(&mut self, node: &Node, whose: &str) -> Option<RawSelector> {
        self.selector_that_may_tap(node, whose, false)
    }

    /// Reads a selector, a text or a map, like [`Reader::selector`]; an empty map is an error. `may_tap`: keys of
    /// taps such as `point` have an effect, else they are warnings. Their values are not read here.
    pub(super) fn selector_that_may_tap(
        &mut self,
        node: &Node,
        whose: &str,
        may_tap: bool,
    ) -> Option<RawSelector> {
        match &node.kind {
            NodeKind::Map(entries) => {
                self.check_selector_keys(entries, whose, may_tap)?;
                self.parse_selector(&Options::from_map(node, entries))
            }
            _ => {
                let text = self.text(node)?;
                Some(RawSelector {
                    text: Some(text),
                    ..self.empty_selector(node)
                })
            }
        }
    }

    /// Reads the selector of a command that reads the screen. As in Maestro, an empty one means any element; that is
    /// a warning, and it is returned. Returns `None` after errors.
    pub(super) fn looked_at(&mut self, options: &Options<'_>) -> Option<RawSelector> {
        let selector = self.selector_of(options)?;
        if selector.says_nothing() {
            let message =
                "nothing says which element is meant, so that any element of the screen is";
            let help = Some("write `text: …` or `id: …`".to_owned());
            self.doubtful(options.node.span.clone(), message.to_owned(), help);
        }
        Some(selector)
    }

    /// Reads the selector in options. One that limits nothing is an error; after errors it returns `None`. Unknown
    /// keys are not looked for.
    pub(super) fn parse_selector(&mut self, options: &Options<'_>) -> Option<RawSelector> {
        let selector = self.selector_of(options)?;
        if selector.says_nothing() {
            let help = Some("write `text: …` or `id: …`".to_owned());
            let message = "nothing says which element is meant";
            self.fail(options.node, Code::Selector, message, help);
            return None;
        }
        Some(selector)
    }

    /// Reads the selector in options, which may be empty. Reports all wrong parts, also of inner selectors, and
    /// returns `None` then. Unknown keys are not looked for.
    pub(super) fn selector_of(&mut self, options: &Options<'_>) -> Option<RawSelector> {
        let before = self.diagnostics.len();
        let selector = RawSelector {
            text: self.option_text(options, "text"),
            id: self.option_text(options, "id"),
            index: self.number_text(options, "index"),
            width: self.option_number(options, "width", WHOLE),
            height: self.option_number(options, "height", WHOLE),
            tolerance: self.option_number(options, "tolerance", WHOLE),
            below: self.related(options, "below"),
            above: self.related(options, "above"),
            left_of: self.related(options, "leftOf"),
            right_of: self.related(options, "rightOf"),
            contains_child: self.related(options, "containsChild"),
            contains_descendants: self.descendants(options),
            child_of: self.related(options, "childOf"),
            traits: self.traits(options),
            enabled: self.maybe_bool(options, "enabled"),
            selected: self.maybe_bool(options, "selected"),
            checked: self.maybe_bool(options, "checked"),
            focused: self.maybe_bool(options, "focused"),
            optional: self.option_bool(options, "optional", false),
            ..self.empty_selector(options.node)
        };
        self.is_good_since(before).then_some(selector)
    }

    /// Returns a selector with the place of `node` that says nothing.
    fn empty_selector(&self, node: &Node) -> RawSelector {
        RawSelector {
            source: Arc::clone(&self.source),
            span: node.span.clone(),
            text: None,
            id: None,
            index: None,
            width: None,
            height: None,
            tolerance: None,
            below: None,
            above: None,
            left_of: None,
            right_of: None,
            contains_child: None,
            contains_descendants: Vec::new(),
            child_of: None,
            traits: Vec::new(),
            enabled: None,
            selected: None,
            checked: None,
            focused: None,
            optional: false,
        }
    }

    /// Reads the selector in the option `name`; `None` if it is missing. A wrong one is reported and returns `None`.
    fn related(&mut self, options: &Options<'_>, name: &str) -> Option<Box<RawSelector>> {
        let node = options.get(name)?;
        self.selector(node, name).map(Box::new)
    }

    /// Reads the list of selectors `containsDescendants`; none if it is missing. Wrong ones are reported and left
    /// out.
    fn descendants(&mut self, options: &Options<'_>) -> Vec<RawSelector> {
        let Some(node) = options.get("containsDescendants") else {
            return Vec::new();
        };
        let items = self.items(node);
        items
            .iter()
            .filter_map(|item| self.selector(item, "containsDescendants"))
            .collect()
    }

    /// Reads traits with blanks between, in any case and with `_` or `-`; none if they are missing. Unknown ones are
    /// reported and left out.
    fn traits(&mut self, options: &Options<'_>) -> Vec<Trait> {
        let Some(text) = self.option_text(options, "traits") else {
            return Vec::new();
        };
        let mut traits = Vec::new();
        for word in text.text.split(' ').filter(|word| !word.is_empty()) {
            match word.to_lowercase().replace('_', "-").as_str() {
                "text" => traits.push(Trait::Text),
                "square" => traits.push(Trait::Square),
                "long-text" => traits.push(Trait::LongText),
                _ => {
                    let message = format!("there is no trait `{word}`");
                    let help = suggest(word, ["text", "square", "long-text"]);
                    self.fail_at(text.span.clone(), Code::UnknownValue, message, help);
                }
            }
        }
        traits
    }

    /// Reads a condition of `when` or `while`, of which all parts must hold; a map without keys always holds. Reports
    /// unknown keys and wrong values, and returns `None` after errors. Evaluates nothing.
    pub(super) fn condition(&mut self, node: &Node) -> Option<Condition> {
        const KEYS: [&str; 6] = [
            "platform",
            "visible",
            "notVisible",
            "true",
            "label",
            "optional",
        ];
        let entries = self.entries(node);
        let before = self.diagnostics.len();
        for (key, _) in entries {
            if !KEYS.contains(&key.text.as_str()) {
                self.unknown_option(key, "a condition", KEYS.to_vec());
            }
        }
        let options = Options::from_map(node, entries);
        let visible = |reader: &mut Self, name: &str| {
            let node = options.get(name)?;
            reader.selector(node, name)
        };
        let condition = Condition {
            source: Arc::clone(&self.source),
            span: node.span.clone(),
            platform: self.platform(&options),
            visible: visible(self, "visible"),
            not_visible: visible(self, "notVisible"),
            script: self.option_text(&options, "true"),
            label: self.option_text(&options, "label"),
        };
        self.is_good_since(before).then_some(condition)
    }

    /// Reads the option `platform` in any case; `None` if it is missing. Anything else is reported and returns
    /// `None`.
    fn platform(&mut self, options: &Options<'_>) -> Option<Platform> {
        let node = options.get("platform")?;
        let text = node.scalar().map(|scalar| scalar.text.to_lowercase());
        match text.as_deref() {
            Some("android") => Some(Platform::Android),
            Some("ios") => Some(Platform::Ios),
            Some("web") => Some(Platform::Web),
            _ => {
                self.not_a(node, "platform", "`Android`, `iOS` or `Web`");
                None
            }
        }
    }
}

impl RawSelector {
    /// Returns true if the selector has no key that limits it, and so matches every element. `tolerance` and
    /// `optional` do not limit it.
    pub(super) fn says_nothing(&self) -> bool {
        let texts = [&self.text, &self.id, &self.index];
        let numbers = [self.width, self.height];
        let relations = [
            &self.below,
            &self.above,
            &self.left_of,
            &self.right_of,
            &self.contains_child,
            &self.child_of,
        ];
        let states = [self.enabled, self.selected, self.checked, self.focused];
        texts.iter().all(|text| text.is_none())
            && numbers.iter().all(Option::is_none)
            && relations.iter().all(|other| other.is_none())
            && states.iter().all(Option::is_none)
            && self.contains_descendants.is_empty()
            && self.traits.is_empty()
    }
}
