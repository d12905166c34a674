//! The review of one project: its queue, its cases, its decisions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::named::Named;
use super::stamp::Stamp;
use super::{FlowPlace, Group, Item, MaskTarget, MaskWritten, Queue, ReviewError};
use crate::config::Config;
use crate::flow;
use crate::snapshot::{
    Accepted, Cause, ChangeKind, GoldenKey, PendingDiff, PendingEntry, Selection, SnapshotError,
    Store,
};

/// A project under review. Clones share what was decided to be kept, and what is known of the flows.
#[derive(Debug, Clone)]
pub struct Review {
    config: Config,
    store: Store,
    memory: Arc<Memory>,
}

/// What one review remembers, in this process alone.
#[derive(Debug, Default)]
struct Memory {
    /// Obsolete goldens that shall stay.
    kept: Mutex<BTreeSet<GoldenKey>>,
    /// The flows as they were read last, and their stamp.
    flows: Mutex<Option<(u64, Arc<Named>)>>,
}

/// One item with all that a person needs to decide.
#[derive(Debug, Clone)]
pub struct Case {
    /// Which.
    pub item: Item,
    /// Both sides and what differs. Of an obsolete golden only the golden's side; of one that cannot be read nothing.
    pub diff: PendingDiff,
}

impl Review {
    /// Opens the project; an accept that was cut short is brought to its end first.
    pub fn open(config: &Config) -> Result<Self, ReviewError> {
        Ok(Self {
            config: config.clone(),
            store: config.recovered_store()?,
            memory: Arc::default(),
        })
    }

    /// The project's root, absolute.
    pub fn root(&self) -> &camino::Utf8Path {
        &self.config.root
    }

    /// What waits now.
    pub fn queue(&self) -> Result<Queue, ReviewError> {
        let version = self.version()?;
        let named = self.named();
        let mut groups: BTreeMap<String, Group> = BTreeMap::new();
        let mut put = |cause: Cause, item: Item| {
            let group = groups.entry(cause.id.clone()).or_insert_with(|| Group {
                cause,
                items: Vec::new(),
            });
            group.items.push(item);
        };
        let pending = self.store.pending()?;
        for entry in &pending {
            let (cause, error) = self.cause(entry);
            put(cause.clone(), item(&named, &entry.key, cause.kind, error));
        }
        let waiting: BTreeSet<GoldenKey> = pending.into_iter().map(|entry| entry.key).collect();
        for key in self.obsolete(&named)? {
            if !waiting.contains(&key) {
                let cause = obsolete_cause();
                put(cause, item(&named, &key, ChangeKind::Obsolete, None));
            }
        }
        let mut groups: Vec<Group> = groups.into_values().collect();
        groups.sort_by(|one, other| one.rank().cmp(&other.rank()));
        Ok(Queue { groups, version })
    }

    /// A number that changes when [`Review::queue`] would: from names, sizes and times of files, so cheap enough to be
    /// asked several times a second.
    pub fn version(&self) -> Result<u64, ReviewError> {
        // Once the flows were read, their sub-flows count too.
        self.named();
        let mut stamp = Stamp::default();
        stamp.folder(&self.config.root.join(&self.config.snapshots.value));
        stamp.text(&self.flow_stamp().to_string());
        for key in lock(&self.memory.kept).iter() {
            stamp.text(&key.to_string());
        }
        Ok(stamp.finish())
    }

    /// One item whole.
    ///
    /// # Errors
    /// [`ReviewError::Gone`] where it does not wait any more. Files that do not read are no error: the item says what
    /// is wrong with them.
    pub fn case(&self, key: &GoldenKey) -> Result<Case, ReviewError> {
        let named = self.named();
        let pending = self.store.pending()?;
        let Some(entry) = pending.into_iter().find(|entry| entry.key == *key) else {
            if !self.obsolete(&named)?.contains(key) {
                return Err(ReviewError::Gone(key.to_string()));
            }
            let item = item(&named, key, ChangeKind::Obsolete, None);
            let diff = self.store.golden_diff(key)?;
            return Ok(Case { item, diff });
        };
        let (cause, error) = self.cause(&entry);
        let (diff, error) = match self.store.pending_diff(&exactly(key)) {
            Ok(diff) => (diff, error),
            Err(problem) => (PendingDiff::empty(entry), Some(problem.to_string())),
        };
        let item = item(&named, key, cause.kind, error);
        Ok(Case {
            diff: PendingDiff { cause, ..diff },
            item,
        })
    }

    /// Makes what waits the goldens, all as one step; of an obsolete golden: removes it. What does not wait any more and
    /// what changed since is refused, with the reason.
    pub fn accept(&self, keys: &[GoldenKey]) -> Result<Accepted, ReviewError> {
        let waiting = self.waiting(keys)?;
        let mut accepted = if waiting.pending.is_empty() {
            Accepted::default()
        } else {
            self.store.accept(&selection(&waiting.pending))?
        };
        accepted.refused.extend(waiting.gone);
        Ok(accepted)
    }

    /// Removes what waits; the goldens stay. An obsolete golden stays too, and is not asked about again in this review.
    pub fn reject(&self, keys: &[GoldenKey]) -> Result<Vec<GoldenKey>, ReviewError> {
        let waiting = self.waiting(keys)?;
        let mut rejected = if waiting.pending.is_empty() {
            Vec::new()
        } else {
            self.store.reject(&selection(&waiting.pending))?
        };
        lock(&self.memory.kept).extend(waiting.obsolete.iter().cloned());
        rejected.extend(waiting.obsolete);
        Ok(rejected)
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

    /// Why an entry waits, and what is wrong where that cannot be told.
    fn cause(&self, entry: &PendingEntry) -> (Cause, Option<String>) {
        match self.store.pending_diff(&exactly(&entry.key)) {
            Ok(diff) => (diff.cause, None),
            Err(error) => {
                let error = error.to_string();
                let cause = Cause::new(ChangeKind::Replaced, &[format!("cannot be read: {error}")]);
                (cause, Some(error))
            }
        }
    }

    /// Goldens that no flow names and that nobody wanted to keep, each class for itself.
    fn obsolete(&self, named: &Named) -> Result<Vec<GoldenKey>, ReviewError> {
        let goldens: BTreeSet<GoldenKey> = self
            .store
            .files()?
            .into_iter()
            .filter(|(key, _, is_pending)| !is_pending && named.is_obsolete(key))
            .map(|(key, ..)| key)
            .collect();
        let with_class: BTreeSet<GoldenKey> = goldens
            .iter()
            .filter(|key| key.class().is_some())
            .map(GoldenKey::shared)
            .collect();
        let kept = lock(&self.memory.kept);
        Ok(goldens
            .into_iter()
            .filter(|key| !with_class.contains(key) && !kept.contains(key))
            .collect())
    }

    /// Tells those of `keys` that wait from those that do not.
    fn waiting(&self, keys: &[GoldenKey]) -> Result<Waiting, ReviewError> {
        let pending: BTreeSet<GoldenKey> = self
            .store
            .pending()?
            .into_iter()
            .map(|entry| entry.key)
            .collect();
        let obsolete = self.obsolete(&self.named())?;
        let mut waiting = Waiting::default();
        for key in keys.iter().collect::<BTreeSet<_>>() {
            if pending.contains(key) {
                waiting.pending.push(key.clone());
            } else if obsolete.contains(key) {
                waiting.obsolete.push(key.clone());
            } else {
                let error = SnapshotError::NotWaiting(key.to_string());
                waiting.gone.push((key.clone(), error));
            }
        }
        Ok(waiting)
    }

    /// The goldens that flows name; the flows are read again only where one changed.
    fn named(&self) -> Arc<Named> {
        let stamp = self.flow_stamp();
        if let Some((known, named)) = &*lock(&self.memory.flows)
            && *known == stamp
        {
            return Arc::clone(named);
        }
        let named = Arc::new(Named::read(&self.config));
        // What was read says which sub-flows belong to the stamp.
        let stamp = self.stamp_of(&named);
        *lock(&self.memory.flows) = Some((stamp, Arc::clone(&named)));
        named
    }

    fn flow_stamp(&self) -> u64 {
        let named = lock(&self.memory.flows)
            .as_ref()
            .map(|(_, named)| Arc::clone(named));
        self.stamp_of(&named.unwrap_or_default())
    }

    fn stamp_of(&self, named: &Named) -> u64 {
        let mut stamp = Stamp::default();
        let found = flow::discover(&self.config.flow_paths(), &self.config.root);
        for path in found.unwrap_or_default().iter().chain(&named.sources) {
            stamp.file(path);
        }
        stamp.finish()
    }
}

/// Keys by what can be done about them.
#[derive(Default)]
struct Waiting {
    pending: Vec<GoldenKey>,
    obsolete: Vec<GoldenKey>,
    gone: Vec<(GoldenKey, SnapshotError)>,
}

fn item(named: &Named, key: &GoldenKey, kind: ChangeKind, error: Option<String>) -> Item {
    Item {
        key: key.clone(),
        kind,
        place: named.find(key).map(|step| -> FlowPlace { step.place() }),
        error,
    }
}

fn obsolete_cause() -> Cause {
    let title = "no flow names it any more".to_owned();
    Cause::new(ChangeKind::Obsolete, &[title])
}

fn selection(keys: &[GoldenKey]) -> Selection {
    Selection::Keys(keys.iter().map(exactly).collect())
}

/// A key as a pattern that matches nothing else.
fn exactly(key: &GoldenKey) -> String {
    globset::escape(&key.to_string())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
