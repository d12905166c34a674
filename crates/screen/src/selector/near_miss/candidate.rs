//! Candidates for near misses: the elements that they are chosen from, and the edit of the selector for each.

use super::super::find::SearchScope;
use super::super::similarity::Similarity;
use super::super::{Node, NodeIndex, Screen, Selector};

/// Element that almost matched, with the selector that matches it.
#[derive(Debug, Clone, PartialEq)]
pub struct NearMiss {
    pub node: NodeIndex,
    /// Reason why it did not match, for people: `text differs only in case`.
    pub why: String,
    /// Selector that finds the element.
    pub selector: Selector,
    /// True if this is surely the intended element: its words differ in letter case only, look the same, or are one of
    /// those in `A or B`.
    pub is_meant: bool,
    /// True if it is surely a misspelling: only letter case, a few letters or signs, or characters that look alike
    /// differ.
    pub is_typo: bool,
}

/// Use of the selector that matches nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Operating the element: any selector of it will do.
    Action,
    /// Asserting what is there: the suggested selector may have other values, but never fewer conditions.
    Assertion,
}

pub(super) struct Candidate {
    /// Similarity: larger is nearer, 1 at most.
    pub(super) similarity: f64,
    pub(super) node: NodeIndex,
    pub(super) why: String,
    pub(super) edited: Selector,
    pub(super) is_meant: bool,
    pub(super) is_typo: bool,
}

impl Candidate {
    /// Creates a candidate that is neither surely meant nor a misspelling.
    pub(super) fn new(similarity: f64, node: Node<'_>, why: String, edited: Selector) -> Self {
        Self {
            similarity,
            node: node.index(),
            why,
            edited,
            is_meant: false,
            is_typo: false,
        }
    }

    /// Creates a candidate whose words or name are similar to the wanted ones. Another letter case and characters
    /// that look alike count as surely meant.
    pub(super) fn similar(
        like: &Similarity,
        property: &str,
        (wanted, actual): (&str, &str),
        node: Node<'_>,
        edited: Selector,
    ) -> Self {
        Self {
            is_meant: matches!(like, Similarity::Case | Similarity::LookAlike(_)),
            is_typo: like.is_typo(wanted, actual),
            ..Self::new(like.score(), node, like.why(property, actual), edited)
        }
    }

    pub(super) fn into_near_miss(self) -> NearMiss {
        NearMiss {
            node: self.node,
            why: self.why,
            selector: self.edited,
            is_meant: self.is_meant,
            is_typo: self.is_typo,
        }
    }
}

impl Selector {
    pub(super) fn without_index(&self) -> Self {
        Self {
            index: None,
            ..self.clone()
        }
    }

    /// Returns all matches on the screen without regard to `index`; all nodes if there is no condition.
    pub(super) fn pool<'a>(&self, screen: &'a Screen) -> Vec<Node<'a>> {
        let found = self.find_all(screen, SearchScope::OnScreen);
        found.into_iter().map(|node| screen.node(node)).collect()
    }
}
