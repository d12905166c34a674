//! What waits for review, in groups of the same cause.

use camino::Utf8PathBuf;
use indexmap::IndexMap;

use runner_snapshot::{Cause, ChangeKind, GoldenKey};

/// All that waits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Queue {
    /// Most weighty kind first, larger groups before smaller ones.
    pub groups: Vec<Group>,
    /// Another number as soon as anything in the folder changed.
    pub version: u64,
}

/// Goldens that changed for the same reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The reason.
    pub cause: Cause,
    /// In order of their keys; at least one.
    pub items: Vec<Item>,
}

/// One golden that waits.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// `flow/path/name[@VARIANT][~CLASS]`.
    pub key: GoldenKey,
    /// What kind of change.
    pub kind: ChangeKind,
    /// The step that takes it, where a flow names it.
    pub place: Option<FlowPlace>,
    /// Why nothing can be shown of it: a pending file or a golden that does not read.
    pub error: Option<String>,
    /// Another one as soon as what waits is another: what was looked at is what is decided about, see [`super::ShownVersions`].
    pub version: String,
}

/// A step in a flow's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowPlace {
    /// Below the root, `/` as separator.
    pub file: Utf8PathBuf,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

/// What waits in groups, and these in their order. Alike are causes that say the same: an id alone could be claimed by what
/// came from elsewhere, with other words.
pub(super) fn grouped(items: impl IntoIterator<Item = (Cause, Item)>) -> Vec<Group> {
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
    /// Where it stands in the queue: what does not read, then what most probably is a fault, then what only wants a yes;
    /// of one kind the larger group first.
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
    /// All items in the order of the groups.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.groups.iter().flat_map(|group| &group.items)
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.items().count()
    }

    /// Whether nothing waits.
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
        let groups = grouped([
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
