//! Selectors of Android's `UiSelector` and `By`, and the search for their nodes.

use runner_screen::maestro::{JavaPattern, JavaPatternError};

use crate::tree::{Tree, TreeNode};

impl Tree<'_> {
    /// Returns the range of the indices of a node and all nodes below it. Empty if there is no such node.
    pub(crate) fn subtree(&self, at: usize) -> std::ops::Range<usize> {
        let Some(node) = self.nodes.get(at) else {
            return 0..0;
        };
        let end = self.nodes[at + 1..]
            .iter()
            .position(|later| later.depth <= node.depth)
            .map_or(self.nodes.len(), |count| at + 1 + count);
        at..end
    }
}

/// Comparison with a text.
#[derive(Debug, Clone)]
pub(crate) enum TextMatch {
    Equals(String),
    /// Ignores case.
    Contains(String),
    /// Ignores case.
    StartsWith(String),
    /// Matches the whole text.
    Matches(JavaPattern),
}

impl TextMatch {
    /// Parses a regular expression for the whole text.
    pub(crate) fn regex(pattern: &str) -> Result<Self, JavaPatternError> {
        JavaPattern::new(pattern).map(Self::Matches)
    }

    /// Compares with a text. An empty text never matches, whatever is wanted. Only `Contains` and
    /// `StartsWith` ignore case.
    fn fits(&self, text: &str) -> bool {
        !text.is_empty()
            && match self {
                Self::Equals(wanted) => text == wanted,
                Self::Contains(part) => text.to_lowercase().contains(&part.to_lowercase()),
                Self::StartsWith(start) => text.to_lowercase().starts_with(&start.to_lowercase()),
                Self::Matches(pattern) => pattern.matches(text),
            }
    }
}

/// Text property of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextKind {
    Text,
    Description,
    ClassName,
    PackageName,
    ResourceId,
}

/// Boolean property of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flag {
    Checkable,
    Checked,
    Clickable,
    LongClickable,
    Scrollable,
    Enabled,
    Focusable,
    Focused,
    Selected,
}

/// Condition on a node.
#[derive(Debug, Clone)]
pub(crate) enum Criterion {
    Text(TextKind, TextMatch),
    Flag(Flag, bool),
    /// Index among its siblings.
    Index(usize),
}

impl Criterion {
    pub(crate) fn equals(kind: TextKind, text: &str) -> Self {
        Self::Text(kind, TextMatch::Equals(text.to_owned()))
    }

    /// Returns true if the node satisfies the criterion. The index is that among its siblings. A wanted text never
    /// fits an empty one.
    fn fits(&self, node: &TreeNode<'_>) -> bool {
        match self {
            Self::Text(kind, wanted) => wanted.fits(match kind {
                TextKind::Text => node.text(),
                TextKind::Description => &node.dump.desc,
                TextKind::ClassName => &node.dump.class,
                TextKind::PackageName => &node.window.package,
                TextKind::ResourceId => &node.dump.resource_id,
            }),
            Self::Flag(flag, wanted) => {
                let dump = node.dump;
                let is = match flag {
                    Flag::Checkable => dump.checkable,
                    Flag::Checked => dump.checked,
                    Flag::Clickable => dump.clickable,
                    Flag::LongClickable => dump.long_clickable,
                    Flag::Scrollable => dump.scrollable,
                    Flag::Enabled => dump.enabled,
                    Flag::Focusable => dump.focusable,
                    Flag::Focused => dump.focused,
                    Flag::Selected => dump.selected,
                };
                is == *wanted
            }
            Self::Index(index) => node.index == *index,
        }
    }
}

/// Place in which the next part of a selector is searched, relative to the found node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Below the node: `childSelector`.
    Child,
    /// Below its parent: `fromParent`.
    FromParent,
}

/// A `UiSelector`: a chain of parts, each searched relative to the one before.
#[derive(Debug, Clone, Default)]
pub(crate) struct UiSelector {
    pub(crate) criteria: Vec<Criterion>,
    /// Number of matches to skip.
    pub(crate) instance: Option<usize>,
    pub(crate) next: Option<(Relation, Box<UiSelector>)>,
}

impl UiSelector {
    /// Creates a selector with only this criterion.
    pub(crate) fn from_criterion(criterion: Criterion) -> Self {
        Self {
            criteria: vec![criterion],
            ..Self::default()
        }
    }

    /// Adds a part at the end of the chain.
    pub(crate) fn append(&mut self, relation: Relation, part: Self) {
        match &mut self.next {
            Some((_, next)) => next.append(relation, part),
            None => self.next = Some((relation, Box::new(part))),
        }
    }

    /// Returns the last part, which finds the node itself.
    pub(crate) fn last(&mut self) -> &mut Self {
        match self.next {
            Some((_, ref mut next)) => next.last(),
            None => self,
        }
    }

    pub(crate) fn fits(&self, node: &TreeNode<'_>) -> bool {
        self.criteria.iter().all(|criterion| criterion.fits(node))
    }

    /// Returns the first match at or below one of the roots, with the search order of `UiSelector`. A part without
    /// instance takes its first match. Instances are counted over all windows. Returns `None` if one part has no
    /// match.
    pub(crate) fn find(&self, tree: &Tree<'_>, roots: &[usize]) -> Option<usize> {
        let mut parts = Vec::new();
        let mut part = Some(self);
        while let Some(selector) = part {
            parts.push((selector, selector.instance.unwrap_or(0)));
            part = selector.next.as_ref().map(|(_, next)| &**next);
        }
        // Instances are counted over all windows.
        roots
            .iter()
            .find_map(|root| search(tree, *root, &mut parts, 0))
    }

    /// Returns all matches in document order, by incrementing the last part's instance until there are no
    /// more. If the last part has an instance already, that match alone.
    pub(crate) fn find_all(&self, tree: &Tree<'_>, roots: &[usize]) -> Vec<usize> {
        let mut selector = self.clone();
        if selector.last().instance.is_some() {
            return self.find(tree, roots).into_iter().collect();
        }
        if selector.next.is_none() {
            return matches(&self.criteria, tree, roots);
        }
        let mut found = Vec::new();
        for instance in 0..tree.nodes.len() {
            selector.last().instance = Some(instance);
            let Some(node) = selector.find(tree, roots) else {
                break;
            };
            found.push(node);
        }
        found
    }
}

/// Returns all nodes at and below the roots that satisfy all criteria, in the order of the roots and the
/// document, as `By` does. Without criteria that is every node.
pub(crate) fn matches(criteria: &[Criterion], tree: &Tree<'_>, roots: &[usize]) -> Vec<usize> {
    roots
        .iter()
        .flat_map(|root| tree.subtree(*root))
        .filter(|at| {
            tree.nodes
                .get(*at)
                .is_some_and(|node| criteria.iter().all(|criterion| criterion.fits(node)))
        })
        .collect()
}

/// Searches like Android: once a part has found its node, only nodes below are considered for the next, or
/// below its parent for `FromParent`. Nodes that do not match are searched below too. Each part comes with
/// the number of matches that it still skips, which the search reduces.
fn search(
    tree: &Tree<'_>,
    at: usize,
    parts: &mut [(&UiSelector, usize)],
    part: usize,
) -> Option<usize> {
    let node = tree.nodes.get(at)?;
    let (selector, left) = parts.get_mut(part)?;
    let (mut from, mut next) = (at, part);
    if selector.fits(node) {
        if *left > 0 {
            *left -= 1;
        } else {
            match selector.next {
                None => return Some(at),
                Some((relation, _)) => {
                    next = part + 1;
                    if relation == Relation::FromParent {
                        from = node.parent?;
                    }
                }
            }
        }
    }
    let children = &tree.nodes.get(from)?.children;
    children
        .iter()
        .find_map(|child| search(tree, *child, parts, next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::TreeOptions;
    use runner_screen::Rect;
    use runner_virtual_device::{NodeDump, WindowDump};

    fn leaf(class: &str, text: &str) -> NodeDump {
        NodeDump {
            class: class.to_owned(),
            text: text.to_owned(),
            enabled: true,
            ..NodeDump::default()
        }
    }

    fn row(texts: &[&str]) -> NodeDump {
        NodeDump {
            class: "Row".to_owned(),
            children: texts.iter().map(|text| leaf("Text", text)).collect(),
            ..NodeDump::default()
        }
    }

    fn window() -> WindowDump {
        WindowDump {
            id: 1,
            kind: "APPLICATION",
            title: "t".to_owned(),
            package: "p".to_owned(),
            activity: None,
            layer: 0,
            focused: true,
            bounds: Rect::new(0, 0, 1, 1),
            root: Some(NodeDump {
                class: "Root".to_owned(),
                children: vec![row(&["a", "b"]), row(&["c", "d", "a"])],
                ..NodeDump::default()
            }),
        }
    }

    fn texts(selector: &UiSelector) -> (Option<String>, Vec<String>) {
        let windows = [window()];
        let tree = Tree::new(&windows, TreeOptions::default());
        let text = |at: usize| tree.nodes[at].dump.text.clone();
        (
            selector.find(&tree, &tree.roots).map(text),
            selector
                .find_all(&tree, &tree.roots)
                .into_iter()
                .map(text)
                .collect(),
        )
    }

    fn class(name: &str) -> UiSelector {
        UiSelector::from_criterion(Criterion::equals(TextKind::ClassName, name))
    }

    #[test]
    fn selectors_find_as_android_does() {
        let mut second = class("Text");
        second.instance = Some(2);
        assert_eq!(texts(&second), (Some("c".into()), vec!["c".into()]));
        let mut child = class("Row");
        child.instance = Some(1);
        child.append(Relation::Child, class("Text"));
        let all = ["c", "d", "a"].map(String::from).to_vec();
        assert_eq!(texts(&child), (Some("c".into()), all));
        let text = |matching| UiSelector::from_criterion(Criterion::Text(TextKind::Text, matching));
        let mut sibling = text(TextMatch::Equals("d".into()));
        sibling.append(Relation::FromParent, text(TextMatch::regex("a|b").unwrap()));
        assert_eq!(texts(&sibling), (Some("a".into()), vec!["a".into()]));
        assert_eq!(texts(&text(TextMatch::Contains("A".into()))).1, ["a", "a"]);
        assert_eq!(texts(&text(TextMatch::Equals(String::new()))).0, None);
        assert!(TextMatch::regex("(").is_err());
    }
}
