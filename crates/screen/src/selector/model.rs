//! Selector as a value: its conditions, and the words that they are about.

use super::pattern::Pattern;
use super::relation::Relation;
use super::state::ElementState;
use super::words::ElementWords;
use crate::Node;

/// Selector: a string (text, desc or hint) or a map of conditions, all of which must hold.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Selector {
    /// String form, matched with text, then desc, then hint. It excludes all other conditions.
    pub(crate) any: Option<Pattern>,
    pub(crate) text: Option<Pattern>,
    pub(crate) desc: Option<Pattern>,
    pub(crate) hint: Option<Pattern>,
    pub(crate) id: Option<String>,
    pub(crate) class: Option<String>,
    /// States in the order of [`ElementState::ALL`].
    pub(crate) states: Vec<(ElementState, bool)>,
    /// Relations in the order of [`Relation::ALL`].
    pub(crate) relations: Vec<(Relation, Selector)>,
    pub(crate) window: Option<WindowName>,
    pub(crate) index: Option<i64>,
    /// Alternatives; the first that matches anything counts. They exclude all other conditions but `index`.
    pub(crate) any_of: Vec<Selector>,
}

/// Name of a window in a selector.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WindowName {
    Id(i32),
    /// Type of the window, package of its app, or its title.
    Named(Pattern),
}

impl Selector {
    /// All keys of the map form.
    pub const KEYS: [&'static str; 21] = [
        "text",
        "desc",
        "id",
        "class",
        "hint",
        "enabled",
        "checked",
        "selected",
        "focused",
        "clickable",
        "scrollable",
        "editable",
        "inside",
        "has",
        "above",
        "below",
        "left_of",
        "right_of",
        "index",
        "window",
        "any_of",
    ];

    /// Selects by exactly this text, desc or hint; `*` in it is not a pattern. Words with a `*` are only compared
    /// with the text.
    pub fn from_words(words: &str) -> Self {
        match Pattern::literal(words) {
            pattern if pattern.is_whole() => Self {
                any: Some(pattern),
                ..Self::default()
            },
            // A regular expression has no string form, so it becomes a condition on the text.
            pattern => Self {
                text: Some(pattern),
                ..Self::default()
            },
        }
    }

    /// Selects by resource id, whole or the part after a `/`.
    pub fn from_id(id: &str) -> Self {
        Self {
            id: Some(id.to_owned()),
            ..Self::default()
        }
    }

    /// Selects only the match at `place`, counted from 0, in place of an earlier index.
    #[must_use]
    pub fn at(self, place: usize) -> Self {
        Self {
            index: i64::try_from(place).ok(),
            ..self
        }
    }

    /// Selects by one property that contains these words. Letter case counts, and `*` stands for itself. Returns
    /// `None` if `property` is not `text`, `desc` or `hint`.
    pub fn containing(property: &str, words: &str) -> Option<Self> {
        let words_of = ElementWords::ALL
            .into_iter()
            .find(|words| words.name() == property)?;
        let mut selector = Self::default();
        *words_of.slot(&mut selector) = Some(Pattern::contains(words));
        Some(selector)
    }

    /// Returns true if the selector has an index. Scrolling changes which element that is.
    pub fn goes_by_order(&self) -> bool {
        self.index.is_some()
    }

    /// Returns true if the selector has no condition.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl ElementWords {
    /// Returns the node's words of this kind. The text of a field that shows its hint is empty.
    pub(crate) fn value_in(self, node: Node<'_>) -> &str {
        match self {
            Self::Text => node.text(),
            Self::Desc => node.desc(),
            Self::Hint => node.hint(),
        }
    }

    /// Returns true if the node's words match. For `text`, a field that shows its hint matches both as empty
    /// and by its hint.
    pub(crate) fn match_in(self, node: Node<'_>, wanted: &Pattern) -> bool {
        let hint = self == Self::Text && node.shows_hint();
        wanted.matches(self.value_in(node)) || (hint && wanted.matches(node.hint()))
    }

    /// Returns the selector's pattern for words of this kind, if it has one; the string form does not count.
    pub(crate) fn wanted(self, selector: &Selector) -> Option<&Pattern> {
        match self {
            Self::Text => selector.text.as_ref(),
            Self::Desc => selector.desc.as_ref(),
            Self::Hint => selector.hint.as_ref(),
        }
    }

    /// Returns the place of the selector's pattern for words of this kind, to be read or set.
    pub(crate) fn slot(self, selector: &mut Selector) -> &mut Option<Pattern> {
        match self {
            Self::Text => &mut selector.text,
            Self::Desc => &mut selector.desc,
            Self::Hint => &mut selector.hint,
        }
    }
}
