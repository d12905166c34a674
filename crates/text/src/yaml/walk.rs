//! Traversal of a tree, for all code that searches it or edits its text in place.

use super::{Key, Node, NodeKind};

impl Node {
    /// Returns the entries of a map; none for other nodes.
    pub fn entries(&self) -> &[(Key, Node)] {
        match &self.kind {
            NodeKind::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the entry of a map with this key; `None` without it, and for other nodes.
    pub fn entry(&self, key: &str) -> Option<&(Key, Node)> {
        self.entries().iter().find(|(own, _)| own.text == key)
    }

    /// Returns the values of a map, or the items of a list, in order; none for a scalar. Keys are no
    /// children.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &Node> {
        let items = match &self.kind {
            NodeKind::Sequence(items) => items.as_slice(),
            _ => &[],
        };
        let values = self.entries().iter().map(|(_, value)| value);
        values.chain(items)
    }

    /// Iterates over the node and all its descendants, parents first and children in order. Keys are not among
    /// them.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        let mut next = vec![self];
        std::iter::from_fn(move || {
            let node = next.pop()?;
            next.extend(node.children().rev());
            Some(node)
        })
    }

    /// Iterates like [`Node::nodes`], each with its path: the index of the child at each level from the root,
    /// whose path is empty.
    pub fn places(&self) -> impl Iterator<Item = (Vec<usize>, &Node)> {
        let mut next = vec![(Vec::new(), self)];
        std::iter::from_fn(move || {
            let (path, node) = next.pop()?;
            let first = next.len();
            let children = node.children().enumerate();
            next.extend(children.map(|(at, child)| ([path.as_slice(), &[at]].concat(), child)));
            next[first..].reverse();
            Some((path, node))
        })
    }

    /// Returns the node at a path of [`Node::places`]; `None` if there is none.
    pub fn at(&self, path: &[usize]) -> Option<&Node> {
        let mut node = self;
        for at in path {
            node = node.children().nth(*at)?;
        }
        Some(node)
    }

    /// Returns the node at a path of [`Node::places`], mutably; `None` if there is none.
    pub fn at_mut(&mut self, path: &[usize]) -> Option<&mut Node> {
        let mut node = self;
        for at in path {
            node = match &mut node.kind {
                NodeKind::Scalar(_) => None,
                NodeKind::Map(entries) => entries.get_mut(*at).map(|(_, value)| value),
                NodeKind::Sequence(items) => items.get_mut(*at),
            }?;
        }
        Some(node)
    }

    /// Follows a path of keys and indices, such as `steps`, `0`, and returns the last node that exists on it;
    /// the node itself if the first part is missing.
    pub fn below<'p>(&self, path: impl IntoIterator<Item = &'p str>) -> &Node {
        let mut node = self;
        for part in path {
            let inner = match &node.kind {
                NodeKind::Map(_) => node.entry(part).map(|(_, inner)| inner),
                NodeKind::Sequence(items) => part.parse().ok().and_then(|at: usize| items.get(at)),
                NodeKind::Scalar(_) => None,
            };
            match inner {
                Some(inner) => node = inner,
                None => break,
            }
        }
        node
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::diagnostic::Source;
    use crate::yaml::read;

    fn tree(text: &str) -> Node {
        let source = Arc::new(Source {
            path: "a.yaml".into(),
            text: text.to_owned(),
        });
        read(&source, &mut Vec::new()).expect("it reads")
    }

    #[test]
    fn each_node_comes_before_those_in_it_and_its_way_leads_to_it() {
        let tree = tree("a: [ 1, { b: 2 } ]\nc: 3\n");
        let words = |node: &Node| node.scalar().map(|scalar| scalar.text.clone());
        let places: Vec<_> = tree.places().collect();
        let paths: Vec<&[usize]> = places.iter().map(|(path, _)| path.as_slice()).collect();
        let expected: [&[usize]; 6] = [&[], &[0], &[0, 0], &[0, 1], &[0, 1, 0], &[1]];
        assert_eq!(paths, expected);
        assert!(places.iter().map(|(_, node)| *node).eq(tree.nodes()));
        let texts: Vec<_> = tree.nodes().filter_map(words).collect();
        assert_eq!(texts, ["1", "2", "3"]);
        let mut copy = tree.clone();
        for (path, node) in &places {
            assert_eq!(tree.at(path), Some(*node));
            assert_eq!(copy.at_mut(path).as_deref(), Some(*node));
        }
        assert_eq!((tree.at(&[2]), tree.at(&[1, 0])), (None, None));
        assert_eq!(copy.at_mut(&[0, 2]), None);
    }

    #[test]
    fn a_way_of_words_ends_where_there_is_nothing_more() {
        let tree = tree("a: [ 1, { b: 2 } ]\n");
        assert_eq!(Some(tree.below(["a", "1", "b"])), tree.at(&[0, 1, 0]));
        assert_eq!(Some(tree.below(["a", "1", "x", "b"])), tree.at(&[0, 1]));
        assert_eq!(Some(tree.below(["a", "7"])), tree.at(&[0]));
        assert_eq!(tree.below(["x"]), &tree);
    }
}
