//! Keeps calls that take longer than clients wait. Such a call is answered in time with "still running" and
//! goes on; the client gets its result by the same call again.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use runner_tools::{Caller, Failure, Outcome};

/// Time until a call is answered, finished or not. Clients of the TypeScript SDK give up after 60 s.
pub(super) const CALL_TIMEOUT: Duration = Duration::from_secs(40);
/// Time that a call goes on while nobody asks for it again. Chosen: an agent that thinks for a minute finds
/// its call; a longer time keeps the device busy for nobody.
pub(super) const UNATTENDED_TIMEOUT: Duration = Duration::from_mins(2);

/// Calls that may go on unattended. One more cancels the oldest. Chosen: they share one device, so more of
/// them only hold memory.
const MAX_LONG_CALLS: usize = 16;

/// Result of a call; `None` if there is no such tool.
pub(super) type CallResult = Option<Result<Outcome, Failure>>;

/// Calls that were answered before they ended.
#[derive(Debug, Default)]
pub(super) struct LongCalls {
    calls: Mutex<Vec<LongCall>>,
    numbers: AtomicU64,
}

/// Call that goes on after its answer.
#[derive(Debug)]
struct LongCall {
    number: u64,
    request: CallRequest,
    work: Work,
}

/// Identity of a call: two calls with the same caller, tool and arguments are one.
#[derive(Debug, Clone)]
pub(super) struct CallRequest {
    pub caller: Caller,
    pub name: String,
    pub args: Value,
}

/// Task of a call. Dropping it cancels the call.
#[derive(Debug)]
struct Work(JoinHandle<CallResult>);

impl Drop for Work {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl LongCalls {
    /// Returns the result of `work`; if an equal call was answered with `None` before, that one's, and `work` does not
    /// begin. Calls are equal with the same caller, name and arguments. A call whose first caller still waits is not
    /// joined: then the work runs twice. Dropping the future cancels the work, and a panic of the work goes on in the
    /// caller.
    ///
    /// `None` if it takes longer than [`CALL_TIMEOUT`]: the work then goes on, until an equal call fetches its result
    /// or until [`UNATTENDED_TIMEOUT`] has passed, which cancels it. Beyond [`MAX_LONG_CALLS`] the oldest is cancelled.
    /// The result itself is `None` if there is no such tool or the server shuts down.
    pub async fn result<F>(
        self: &Arc<Self>,
        request: CallRequest,
        work: impl FnOnce() -> F,
    ) -> Option<CallResult>
    where
        F: Future<Output = CallResult> + Send + 'static,
    {
        let mut work = self
            .take(|call| call.request.is(&request))
            .unwrap_or_else(|| Work(tokio::spawn(work())));
        match timeout(CALL_TIMEOUT, &mut work.0).await {
            Ok(Ok(result)) => Some(result),
            Ok(Err(ended)) if ended.is_panic() => std::panic::resume_unwind(ended.into_panic()),
            // Cancelled: the server is shutting down.
            Ok(Err(_)) => Some(None),
            Err(_) => {
                self.keep(request, work);
                None
            }
        }
    }

    fn take(&self, is_meant: impl Fn(&LongCall) -> bool) -> Option<Work> {
        let mut calls = self.lock();
        let index = calls.iter().position(is_meant)?;
        Some(calls.remove(index).work)
    }

    /// Keeps a call whose answer is due, for [`UNATTENDED_TIMEOUT`]; then it is dropped, which cancels it. With too
    /// many the oldest is dropped.
    fn keep(self: &Arc<Self>, request: CallRequest, work: Work) {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let mut kept = self.lock();
        if kept.len() >= MAX_LONG_CALLS {
            kept.remove(0);
        }
        kept.push(LongCall {
            number,
            request,
            work,
        });
        drop(kept);
        let calls = Arc::downgrade(self);
        tokio::spawn(async move {
            sleep(UNATTENDED_TIMEOUT).await;
            if let Some(calls) = calls.upgrade() {
                drop(calls.take(|call| call.number == number));
            }
        });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<LongCall>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallRequest {
    fn is(&self, other: &Self) -> bool {
        self.name == other.name && self.args == other.args && self.caller.is(&other.caller)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use tokio::time::Instant;

    use super::*;

    fn request(caller: &Caller, name: &str) -> CallRequest {
        CallRequest {
            caller: caller.clone(),
            name: name.to_owned(),
            args: Value::Null,
        }
    }

    /// Returns work that takes `seconds` and counts how often it began and ended.
    fn work(
        seconds: u64,
        counts: &Arc<[AtomicUsize; 2]>,
    ) -> impl FnOnce() -> std::pin::Pin<Box<dyn Future<Output = CallResult> + Send>> {
        let counts = Arc::clone(counts);
        move || {
            Box::pin(async move {
                counts[0].fetch_add(1, Ordering::Relaxed);
                sleep(Duration::from_secs(seconds)).await;
                counts[1].fetch_add(1, Ordering::Relaxed);
                Some(Ok(Outcome::text("done")))
            })
        }
    }

    fn read(counts: &[AtomicUsize; 2]) -> [usize; 2] {
        counts.each_ref().map(|count| count.load(Ordering::Relaxed))
    }

    #[tokio::test(start_paused = true)]
    async fn every_call_is_answered_in_time_and_its_work_is_done_once() {
        for (seconds, asked) in [(0, 1), (39, 1), (41, 2), (100, 3), (990, 25)] {
            let calls = Arc::new(LongCalls::default());
            let (caller, counts) = (Caller::that_ends(), Arc::default());
            let mut times = 0;
            loop {
                let begun = Instant::now();
                let result = calls.result(request(&caller, "a"), work(seconds, &counts));
                let result = result.await;
                times += 1;
                assert!(begun.elapsed() <= Duration::from_secs(45));
                if let Some(result) = result {
                    assert!(matches!(result, Some(Ok(_))));
                    break;
                }
            }
            assert_eq!((times, read(&counts)), (asked, [1, 1]), "{seconds}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn work_that_nobody_asks_for_is_cancelled() {
        let calls = Arc::new(LongCalls::default());
        let (caller, counts) = (Caller::that_ends(), Arc::default());
        let result = calls.result(request(&caller, "a"), work(500, &counts));
        assert!(result.await.is_none());
        sleep(Duration::from_secs(1000)).await;
        assert_eq!(read(&counts), [1, 0]);
        assert!(calls.lock().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_asks_for_ever_more_holds_a_few_calls() {
        let calls = Arc::new(LongCalls::default());
        let (caller, counts) = (Caller::that_ends(), Arc::default());
        let each = (0..3 * MAX_LONG_CALLS).map(|number| {
            let (calls, counts) = (Arc::clone(&calls), Arc::clone(&counts));
            let request = request(&caller, &number.to_string());
            tokio::spawn(async move { calls.result(request, work(90, &counts)).await.is_none() })
        });
        let each: Vec<_> = each.collect();
        for asked in each {
            assert!(asked.await.unwrap());
        }
        assert_eq!(calls.lock().len(), MAX_LONG_CALLS);
        sleep(Duration::from_secs(100)).await;
        assert_eq!(read(&counts), [3 * MAX_LONG_CALLS, MAX_LONG_CALLS]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_is_dropped_ends_its_work() {
        let calls = Arc::new(LongCalls::default());
        let (caller, counts) = (Caller::that_ends(), Arc::default());
        let result = calls.result(request(&caller, "a"), work(30, &counts));
        assert!(timeout(Duration::from_secs(5), result).await.is_err());
        sleep(Duration::from_secs(100)).await;
        assert_eq!(read(&counts), [1, 0]);
    }

    #[tokio::test(start_paused = true)]
    async fn another_call_is_never_answered_with_it() {
        let calls = Arc::new(LongCalls::default());
        let (caller, counts) = (Caller::that_ends(), Arc::default());
        let result = calls.result(request(&caller, "a"), work(60, &counts));
        assert!(result.await.is_none());
        for other in [
            request(&Caller::that_ends(), "a"),
            request(&caller, "b"),
            CallRequest {
                args: 1.into(),
                ..request(&caller, "a")
            },
        ] {
            assert!(calls.result(other, work(1, &counts)).await.is_some());
        }
        assert_eq!(read(&counts), [4, 3]);
        let result = calls.result(request(&caller, "a"), work(1, &counts));
        assert!(result.await.is_some());
        assert_eq!(read(&counts), [4, 4]);
    }
}
