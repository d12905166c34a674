//! What the requests share: the review, a few prepared cases, and the number that changes with the folder.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

use super::view::{self, PreparedCase};
use crate::{Review, ReviewError};
use runner_snapshot::GoldenKey;

/// Decoding and comparing takes all of a core; so many at once.
const WORKERS: usize = 2;

/// Cases that are kept: the one shown, those beside it, and the same for a second page.
const CAPACITY: usize = 8;

/// The queue as it is sent, and the version of the folder it was read from.
type KnownQueue = (u64, Arc<Value>);

/// What all requests share.
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
    /// A state for `review`.
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

    /// Does something with the review off the threads that serve.
    pub async fn work<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Review) -> Result<T, ReviewError> + Send + 'static,
    ) -> Result<T, ReviewError> {
        let permit = Arc::clone(&self.workers).acquire_owned().await;
        let review = self.review.clone();
        tokio::task::spawn_blocking(move || {
            // The work goes on where the page hangs up, and so long it counts.
            let _permit = permit;
            act(&review)
        })
        .await
        .map_err(std::io::Error::other)?
    }

    /// Looks at the folder, each time after `every` at least; calls `reviewed` when nothing waits any more. Never ends.
    pub async fn watch(&self, every: Duration, reviewed: impl Fn()) {
        let mut waited = false;
        let mut known = 0;
        loop {
            let began = Instant::now();
            // What does not read now may read the next time.
            if let Ok(version) = self.work(Review::version).await
                && std::mem::replace(&mut known, version) != version
                && let Ok(queue) = self.queue().await
            {
                let waits = queue["total"] != 0;
                if waited && !waits {
                    reviewed();
                }
                waited = waits;
            }
            // A large folder is not looked at all the time.
            tokio::time::sleep(every.max(began.elapsed() * 5)).await;
        }
    }

    /// Waits until the folder is another than at `since`, `limit` at most: its number then.
    pub async fn changed(&self, since: u64, limit: Duration) -> u64 {
        let mut version = self.version.subscribe();
        tokio::select! {
            // 0: nobody has looked at the folder yet.
            _ = version.wait_for(|version| *version != since && *version != 0) => {}
            () = tokio::time::sleep(limit) => {}
            () = self.stop.cancelled() => {}
        }
        *self.version.borrow()
    }

    /// What waits, for the page; made anew only where the folder changed.
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
        // All pages hear of it now, not at the next look.
        self.version
            .send_if_modified(|known| std::mem::replace(known, version) != version);
        Ok(queue)
    }

    /// One case with its pictures, as the folder has it now.
    pub async fn case(&self, key: GoldenKey) -> Result<Arc<PreparedCase>, ReviewError> {
        let wanted = key.clone();
        // Before the files are read: a case that changes meanwhile is made again the next time.
        let version = self.work(Review::version).await?;
        let known = lock(&self.cases)
            .iter()
            .find(|case| case.key == key && case.version == version)
            .cloned();
        if let Some(case) = known {
            return Ok(case);
        }
        let case = self
            .work(move |review| Ok(PreparedCase::of(&review.case(&wanted)?, version)))
            .await?;
        let case = Arc::new(case);
        let mut cases = lock(&self.cases);
        cases.retain(|other| other.key != key);
        cases.push_front(Arc::clone(&case));
        cases.truncate(CAPACITY);
        Ok(case)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
