//! Keeps apart what the turns of one run propose for one golden: none replaces the proposal of another.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};

use super::GoldenKey;

/// Golden, and the folder that its proposal is written to: empty for the store's own.
pub(super) type ProposalPlace = (GoldenKey, String);

/// Hashes of proposed files, by their paths.
pub(super) type Versions = BTreeMap<Utf8PathBuf, String>;

/// Proposals of a run so far.
#[derive(Debug, Clone, Default)]
pub(super) struct TurnProposals {
    places: Arc<Mutex<BTreeMap<ProposalPlace, TurnProposal>>>,
}

#[derive(Debug, Default)]
struct TurnProposal {
    versions: Versions,
    /// Turns that propose these bytes.
    writers: BTreeSet<Arc<str>>,
}

impl TurnProposals {
    fn places(&self) -> MutexGuard<'_, BTreeMap<ProposalPlace, TurnProposal>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims a place for what a turn proposes, in place of what the turn proposed there before. Returns `None` if
    /// the place is claimed, also together with turns that propose the same bytes. If another turn proposes other
    /// bytes there, returns the first such turn: the place stays its own, and the earlier claim of this turn is gone.
    pub(super) fn claim(
        &self,
        place: ProposalPlace,
        writer: &Arc<str>,
        versions: Versions,
    ) -> Option<Arc<str>> {
        let mut places = self.places();
        let known = places.entry(place).or_default();
        known.writers.remove(writer);
        if known.versions != versions {
            if let Some(other) = known.writers.first() {
                return Some(Arc::clone(other));
            }
            known.versions = versions;
        }
        known.writers.insert(Arc::clone(writer));
        None
    }

    /// Takes a turn's claim back, if it has one. Returns true if no other turn proposes anything there, so that its
    /// files may be removed.
    pub(super) fn withdraw(&self, place: &ProposalPlace, writer: &str) -> bool {
        let mut places = self.places();
        let Some(known) = places.get_mut(place) else {
            return true;
        };
        known.writers.remove(writer);
        let is_free = known.writers.is_empty();
        if is_free {
            places.remove(place);
        }
        is_free
    }

    /// Forgets the proposals for the goldens of a flow and of those below it.
    pub(super) fn forget(&self, flow: &Utf8Path) {
        self.places()
            .retain(|(key, _), _| !key.flow().starts_with(flow));
    }
}
