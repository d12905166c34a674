//! Options of Maestro's commands, as they are written.

use super::super::yaml::{Key, Node};

/// Options of a command, a selector or a condition.
pub(super) struct Options<'n> {
    pub(super) node: &'n Node,
    entries: &'n [(Key, Node)],
    /// Option that a plain value stands for, with the value.
    short: Option<(&'static str, &'n Node)>,
}

impl<'n> Options<'n> {
    /// Creates the options of a command without a value: none. `node` is the place for errors.
    pub(super) fn none(node: &'n Node) -> Self {
        Self {
            node,
            entries: &[],
            short: None,
        }
    }

    /// Creates the options written in a map, unchecked. `node` is the place for errors.
    pub(super) fn from_map(node: &'n Node, entries: &'n [(Key, Node)]) -> Self {
        Self {
            node,
            entries,
            short: None,
        }
    }

    /// Creates the options of a command with one value, for the option `key`.
    pub(super) fn from_value(node: &'n Node, key: &'static str) -> Self {
        Self {
            node,
            entries: &[],
            short: Some((key, node)),
        }
    }

    /// Returns the value of an option, be it written in the map or as the command's only value. An option
    /// without a value counts as missing, as in Maestro. Of equal keys the first counts.
    pub(super) fn get(&self, name: &str) -> Option<&'n Node> {
        let short = self.short.filter(|(key, _)| *key == name);
        let long = || {
            let entry = self.entries.iter().find(|(key, _)| key.text == name);
            entry.map(|(_, node)| node)
        };
        short
            .map(|(_, node)| node)
            .or_else(long)
            .filter(|node| !node.is_missing())
    }

    /// Returns the key of an option that is written in the map; `None` if it is not, or is the command's only
    /// value.
    pub(super) fn key(&self, name: &str) -> Option<&'n Key> {
        let entry = self.entries.iter().find(|(key, _)| key.text == name);
        entry.map(|(key, _)| key)
    }
}
