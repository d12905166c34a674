//! Groups pending goldens by their cause.

use camino::Utf8PathBuf;
use indexmap::IndexMap;

use runner_snapshot::{Cause, ChangeKind, GoldenKey};

/// All that waits for a decision in a project.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Queue {
    /// Groups, the most important kind first, larger groups before smaller ones.
    pub groups: Vec<Group>,
    /// [`super::Review::version`] from before the files were read.
    pub version: u64,
}

/// Items with the same cause.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    pub cause: Cause,
    /// Items in the order of their keys; never empty.
    pub items: Vec<Item>,
}

/// Pending golden, obsolete golden, or group of patches of selectors.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Key such as `flow/path/name[@VARIANT][~CLASS]`.
    pub key: GoldenKey,
    pub kind: ChangeKind,
    /// Step that takes the snapshot, if a flow names it. For patches it is the first step that they edit.
    pub place: Option<FlowPlace>,
    /// Error if it cannot be shown, because a pending file or a golden cannot be read.
    pub error: Option<String>,
    /// Version of the pending files; of an obsolete golden that of its own, of patches that of the edited files. A
    /// decision is about the version that was looked at, see [`super::ObservedVersions`].
    pub version: String,
}

/// Step in a flow's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowPlace {
    /// Path below the root, with `/` as separator.
    pub file: Utf8PathBuf,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// Groups items by cause and sorts the groups by [`Group::rank`]. Items keep their order. Causes are compared whole:
/// an id alone could be claimed by an archive from elsewhere, with other words. Empty without items.
pub(super) fn group_by_cause(items: impl IntoIterator<Item = (Cause, Item)>) -> Vec<Group> {
    let mut groups: IndexMap<Cause, Vec<Item>> = IndexMap::new();
    for (cause, item) in items {
        groups.entry(cause).or_default().push(item);
    }
    let groups = groups.into_iter();
    let mut groups: Vec<Group> = groups
        .map(|(cause, items)| Group { cause, items })
        .collect();
    groups.sort_by(|one, other| one.rank().cmp(&other.rank()));
    groups
}

impl Group {
    /// Returns the sort key of the group, smallest first: groups with an item that has an error, then those that are
    /// most probably faults, selectors and replaced screens first, then those that only need a yes, obsolete ones
    /// last. Within a kind larger groups come first, then title and first key decide.
    pub(super) fn rank(
        &self,
    ) -> (
        bool,
        usize,
        std::cmp::Reverse<usize>,
        &str,
        Option<&GoldenKey>,
    ) {
        const ORDER: [ChangeKind; 9] = [
            ChangeKind::Selector,
            ChangeKind::Replaced,
            ChangeKind::Size,
            ChangeKind::Layout,
            ChangeKind::Text,
            ChangeKind::Pixels,
            ChangeKind::Masks,
            ChangeKind::New,
            ChangeKind::Obsolete,
        ];
        let reads = self.items.iter().all(|item| item.error.is_none());
        let weight = ORDER.iter().position(|kind| *kind == self.cause.kind);
        (
            reads,
            weight.unwrap_or(ORDER.len()),
            std::cmp::Reverse(self.items.len()),
            &self.cause.title,
            self.items.first().map(|item| &item.key),
        )
    }
}

impl Queue {
    /// Returns all items in the order of the groups.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.groups.iter().flat_map(|group| &group.items)
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.items().count()
    }

    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_claims_the_id_of_a_group_does_not_speak_for_it() {
        let honest = Cause::new(ChangeKind::Text, &["\"Pay\" → \"Pay all\"".to_owned()]);
        let words = "\"Shop\" → \"Store\"".to_owned();
        let forged = Cause {
            title: words.clone(),
            changes: vec![words],
            ..honest.clone()
        };
        let item = |key: &str| Item {
            key: key.parse().unwrap(),
            kind: ChangeKind::Text,
            place: None,
            error: None,
            version: String::new(),
        };
        let groups = group_by_cause([
            (forged.clone(), item("a/first")),
            (honest.clone(), item("b/one")),
            (honest.clone(), item("b/two")),
        ]);
        let reported: Vec<(&Cause, usize)> = groups
            .iter()
            .map(|group| (&group.cause, group.items.len()))
            .collect();
        assert_eq!(reported, [(&honest, 2), (&forged, 1)]);
    }
}
