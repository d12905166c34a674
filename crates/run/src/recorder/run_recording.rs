//! State that the recordings of a run share: their folder, their size, the commit, and what earlier runs recorded.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};

use runner_event::CaseId;
use runner_recording::{EarlierRecordings, Recording, RunFolder};

/// State that the recordings of a run share.
#[derive(Debug)]
pub(crate) struct RunRecording {
    history: Utf8PathBuf,
    pub(super) folder: RunFolder,
    root: Utf8PathBuf,
    pub(super) bytes: AtomicU64,
    commit: OnceLock<Option<String>>,
    /// Recordings of earlier runs, read when the first flow asks.
    earlier: Mutex<Option<EarlierRecordings>>,
}

impl RunRecording {
    /// Creates the shared state for recordings below the folder `history`. Writes nothing yet.
    pub(crate) fn begin(history: &Utf8Path, run_id: &str, root: &Utf8Path) -> Arc<Self> {
        Arc::new(Self {
            history: history.to_owned(),
            folder: RunFolder::new(history, run_id),
            root: root.to_owned(),
            bytes: AtomicU64::new(0),
            commit: OnceLock::new(),
            earlier: Mutex::new(None),
        })
    }

    /// Returns the newest readable recording of an earlier run in which the case passed, if there is one. Reads files,
    /// and blocks this thread meanwhile.
    pub(crate) fn earlier(&self, case: &CaseId) -> Option<Recording> {
        let paths = self
            .earlier
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_with(|| EarlierRecordings::new(&self.history, &self.folder))
            .find(case)
            .to_vec();
        let mut readable = paths
            .iter()
            .filter_map(|path| runner_recording::read(path).ok());
        // The hash in a file's name may be another flow's too.
        readable.find(|recording| recording.head.id.flow == case.flow)
    }

    /// Removes the oldest runs of the history until there are at most 100, none is older than 30 days and all have at
    /// most 1 GiB. It is called at the end of a run, so that it does not delay the beginning.
    pub(crate) fn prune(&self) {
        runner_recording::prune(&self.history);
    }

    /// Returns the commit that is checked out, with `-dirty` if files differ from it. `None` without git or a
    /// repository. Asks git once; later changes go unnoticed.
    pub(super) fn commit(&self) -> Option<String> {
        let ask = || {
            let repository = runner_git::Repository::around(&self.root).ok()?;
            let described = repository.text(["describe", "--always", "--dirty", "--exclude=*"]);
            Some(described.ok()?.trim().to_owned())
        };
        self.commit.get_or_init(ask).clone()
    }
}
