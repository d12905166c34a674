//! State that all requests share: the review, a few encoded cases, and the folder's version.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

use super::view::{self, PreparedCase};
use crate::{Review, ReviewError};
use runner_snapshot::GoldenKey;

/// Requests that decode or compare at once. Chosen: each takes a whole core, and the machine has other work.
const WORKERS: usize = 2;

/// Cases in memory. Chosen: the shown one and its neighbours, for two pages.
const MAX_CASES: usize = 8;

/// Queue as it is sent, with the version of the folder that it was read from.
type KnownQueue = (u64, Arc<Value>);

pub struct ServerState {
    review: Review,
    workers: Arc<Semaphore>,
    version: watch::Sender<u64>,
    queue: Arc<Mutex<Option<KnownQueue>>>,
    cases: Mutex<VecDeque<Arc<PreparedCase>>>,
    /// Fires when the server ends.
    pub stop: CancellationToken,
}

impl ServerState {
    /// Creates the state without a folder's version, queue or cases. Reads nothing, and does not watch the folder.
    pub fn new(review: Review, stop: CancellationToken) -> Self {
        Self {
            review,
            workers: Arc::new(Semaphore::new(WORKERS)),
            version: watch::Sender::new(0),
            queue: Arc::default(),
            cases: Mutex::default(),
            stop,
        }
    }

    /// Runs work on the review on a thread for blocking work, at most two at once; waits for a free one. The
    /// work goes on to its end even if the caller is dropped. A panic in it becomes an error.
    pub async fn work<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Review) -> Result<T, ReviewError> + Send + 'static,
    ) -> Result<T, ReviewError> {
        let permit = Arc::clone(&self.workers).acquire_owned().await;
        let review = self.review.clone();
        tokio::task::spawn_blocking(move || {
            // Held to the end of the work, which goes on if the page disconnects.
            let _permit = permit;
            act(&review)
        })
        .await
        .map_err(std::io::Error::other)?
    }

    /// Checks the folder for changes, at most every `every` and the first time at once, less often if a check takes
    /// long. Calls `reviewed` when the last pending golden is decided. Errors of a check are ignored. Never
    /// returns. The queue is read at each change, so pages that wait are told.
    pub async fn watch(&self, every: Duration, reviewed: impl Fn()) {
        let mut waited = false;
        let mut known = 0;
        loop {
            let began = Instant::now();
            // Errors are ignored: the next check may succeed.
            if let Ok(version) = self.work(Review::version).await
                && version != known
                && let Ok(queue) = self.queue().await
            {
                known = version;
                let waits = queue["total"] != 0;
                if waited && !waits {
                    reviewed();
                }
                waited = waits;
            }
            // Checks of a large folder take at most a sixth of the time.
            tokio::time::sleep(every.max(began.elapsed() * 5)).await;
        }
    }

    /// Waits until the folder's version is another than `since`, at most `limit`, or until the server stops.
    /// Returns the version then, which may still be `since`; 0 if the folder was not checked yet.
    pub async fn changed(&self, since: u64, limit: Duration) -> u64 {
        let mut version = self.version.subscribe();
        tokio::select! {
            // 0: the folder was not checked yet.
            _ = version.wait_for(|version| *version != since && *version != 0) => {}
            () = tokio::time::sleep(limit) => {}
            () = self.stop.cancelled() => {}
        }
        *self.version.borrow()
    }

    /// Returns the queue as JSON for the page. It is read anew only if the folder changed since the last read. An
    /// error is returned and not kept. Pages that wait for a change are told of a new version at once.
    pub async fn queue(&self) -> Result<Arc<Value>, ReviewError> {
        let stored = Arc::clone(&self.queue);
        let (version, queue) = self
            .work(move |review| {
                let version = review.version()?;
                let known = lock(&stored).clone();
                if let Some(known) = known
                    && known.0 == version
                {
                    return Ok(known);
                }
                let queue = review.queue()?;
                let made = (queue.version, Arc::new(view::queue(&queue)));
                *lock(&stored) = Some(made.clone());
                Ok(made)
            })
            .await?;
        // Tells all pages now, not at the next check.
        self.version
            .send_if_modified(|known| std::mem::replace(known, version) != version);
        Ok(queue)
    }

    /// Returns a case with its encoded pictures, in the folder's present version. Returns an error if the case
    /// cannot be read, for example if nothing is pending under the key. The last `MAX_CASES` cases are kept and
    /// used again as long as the version is the same.
    pub async fn case(&self, key: GoldenKey) -> Result<Arc<PreparedCase>, ReviewError> {
        let wanted = key.clone();
        // Taken before the files are read, so that a case that changes meanwhile is encoded again.
        let version = self.work(Review::version).await?;
        let known = lock(&self.cases)
            .iter()
            .find(|case| case.key == key && case.version == version)
            .cloned();
        if let Some(case) = known {
            return Ok(case);
        }
        let case = self
            .work(move |review| Ok(PreparedCase::from_case(&review.case(&wanted)?, version)))
            .await?;
        let case = Arc::new(case);
        let mut cases = lock(&self.cases);
        cases.retain(|other| other.key != key);
        cases.push_front(Arc::clone(&case));
        cases.truncate(MAX_CASES);
        Ok(case)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
