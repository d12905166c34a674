//! Work on pixels takes a processor and many megabytes: only as much goes on at once as there are processors.

use std::num::NonZero;
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;

/// Asked for once: the answer is in several files of the system.
static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| available_parallelism().map_or(1, NonZero::get));
/// How much goes on in the process.
static BUSY: Mutex<usize> = Mutex::new(0);
static FREED: Condvar = Condvar::new();

/// Leave to work on pixels.
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

/// Works on pixels when it is this one's turn; the thread waits until then. `work` must not wait for other such work.
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
