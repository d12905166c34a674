//! Limits how much work on pixels runs at once. Such work takes a processor and many megabytes, so only one
//! piece for each processor runs.

use std::num::NonZero;
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;

/// Number of processors, read once: the system reads several files to answer.
static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| available_parallelism().map_or(1, NonZero::get));
/// Number of pieces of work that run now in this process.
static BUSY: Mutex<usize> = Mutex::new(0);
static FREED: Condvar = Condvar::new();

/// Permission to work on pixels; dropping it lets the next one run.
struct Permit;

impl Permit {
    fn wait() -> Self {
        let busy = FREED.wait_while(busy(), |busy| *busy >= *PROCESSORS);
        *busy.unwrap_or_else(PoisonError::into_inner) += 1;
        Self
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        *busy() -= 1;
        FREED.notify_one();
    }
}

fn busy() -> MutexGuard<'static, usize> {
    BUSY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` when a processor is free for it; the thread blocks until then. `work` must not call this
/// function or wait for something that does, or all may wait forever.
pub fn in_turn<T>(work: impl FnOnce() -> T) -> T {
    let _turn = Permit::wait();
    work()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn no_more_goes_on_at_once_than_there_are_processors() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || {
            let begun = now.fetch_add(1, Ordering::SeqCst) + 1;
            most.fetch_max(begun, Ordering::SeqCst);
            std::thread::yield_now();
            now.fetch_sub(1, Ordering::SeqCst);
        };
        std::thread::scope(|scope| {
            for _ in 0..40 {
                scope.spawn(|| in_turn(work));
            }
        });
        assert!(most.load(Ordering::SeqCst) <= available_parallelism().unwrap().get());
    }
}
