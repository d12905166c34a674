//! Work on pixels, which takes a processor and many megabytes: only as much at once as there are processors.

use std::num::NonZero;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;

use super::evaluate::aside;

/// How much goes on, of all devices.
static BUSY: Mutex<usize> = Mutex::new(0);
static FREED: Condvar = Condvar::new();

/// Leave to work on pixels.
struct Slot;

impl Slot {
    fn wait() -> Self {
        let most = available_parallelism().map_or(1, NonZero::get);
        let busy = FREED.wait_while(busy(), |busy| *busy >= most);
        *busy.unwrap_or_else(PoisonError::into_inner) += 1;
        Self
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        *busy() -= 1;
        FREED.notify_one();
    }
}

fn busy() -> MutexGuard<'static, usize> {
    BUSY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Works on files and pixels, when it is this one's turn. Another thread serves the devices meanwhile. `work` must not
/// wait for other such work.
pub(super) fn picture_work<T>(work: impl FnOnce() -> T) -> T {
    aside(|| {
        let _slot = Slot::wait();
        work()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_more_goes_on_at_once_than_there_are_processors() {
        static NOW: AtomicUsize = AtomicUsize::new(0);
        static MOST: AtomicUsize = AtomicUsize::new(0);
        let work = || {
            let now = NOW.fetch_add(1, Ordering::SeqCst) + 1;
            MOST.fetch_max(now, Ordering::SeqCst);
            std::thread::yield_now();
            NOW.fetch_sub(1, Ordering::SeqCst);
        };
        let all: Vec<_> = (0..40)
            .map(|_| tokio::spawn(async move { picture_work(work) }))
            .collect();
        for one in all {
            one.await.unwrap();
        }
        assert!(MOST.load(Ordering::SeqCst) <= available_parallelism().unwrap().get());
        assert_eq!(*busy(), 0);
    }
}
