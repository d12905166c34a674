//! Keeps calls that take longer than clients wait. Such a call is answered in time with "still running" and
//! goes on; the client gets its result by the same call again.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::disconnect::Disconnect;
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
    /// Holds the work while no caller waits for it.
    kept: Option<Arc<Work>>,
    /// Finds the work that callers wait for.
    work: Weak<Work>,
}

/// Identity of a call: two calls of the same client with the same tool and arguments are one.
#[derive(Debug, Clone)]
pub(super) struct CallRequest {
    pub caller: Caller,
    /// Words of the client about itself, which tell those apart that have no session.
    pub client: String,
    pub name: String,
    pub args: Value,
    /// Connection of the request; the end of its session cancels a call that goes on. It does not count for the identity.
    pub connection: Option<Disconnect>,
}

/// Task of a call, for all who wait for it. Dropping it cancels the call.
#[derive(Debug)]
struct Work {
    task: AbortHandle,
    end: watch::Receiver<Option<Result<CallResult, CallPanic>>>,
}

/// Panic of the task of a call.
#[derive(Debug, Clone, Copy)]
struct CallPanic;

impl Work {
    fn spawn(work: impl Future<Output = CallResult> + Send + 'static) -> Self {
        let running = tokio::spawn(work);
        let task = running.abort_handle();
        let (sender, end) = watch::channel(None);
        tokio::spawn(async move {
            let ended = match running.await {
                Ok(result) => Ok(result),
                Err(ended) if ended.is_panic() => Err(CallPanic),
                // Cancelled: the server is shutting down.
                Err(_) => Ok(None),
            };
            // Fails if nobody waits any more.
            let _ = sender.send(Some(ended));
        });
        Self { task, end }
    }

    /// Waits for the result. A panic of the work goes on in the caller.
    async fn result(&self) -> CallResult {
        let mut end = self.end.clone();
        let ended = match end.wait_for(Option::is_some).await {
            Ok(ended) => ended.clone(),
            // The server is shutting down.
            Err(_) => None,
        };
        match ended? {
            Ok(result) => result,
            Err(CallPanic) => std::panic::resume_unwind(Box::new("the call panicked")),
        }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl LongCalls {
    /// Returns the result of `work`; if an equal call was answered with `None` before and still goes on, that one's, and
    /// `work` does not begin. Calls are equal with the same caller, client, name and arguments. So all who ask for a call
    /// while it goes on get its one result. A call whose first caller still waits is not joined: then the work runs twice.
    /// If all who wait drop the future, that cancels the work. A panic of the work goes on in the callers.
    ///
    /// `None` if it takes longer than [`CALL_TIMEOUT`]: the work then goes on, until an equal call fetches its result,
    /// or until [`UNATTENDED_TIMEOUT`] has passed or the session of the call ends, which cancels it. Beyond
    /// [`MAX_LONG_CALLS`] the oldest is cancelled, unless others wait for it. The result itself is `None` if there is no
    /// such tool or the server shuts down.
    pub async fn result<F>(
        self: &Arc<Self>,
        request: CallRequest,
        work: impl FnOnce() -> F,
    ) -> Option<CallResult>
    where
        F: Future<Output = CallResult> + Send + 'static,
    {
        let work = self
            .join(&request)
            .unwrap_or_else(|| Arc::new(Work::spawn(work())));
        if let Ok(result) = timeout(CALL_TIMEOUT, work.result()).await {
            return Some(result);
        }
        self.keep(request, work);
        None
    }

    /// Returns the work of an equal call that goes on: one that nobody waits for, else one that others wait for.
    fn join(&self, request: &CallRequest) -> Option<Arc<Work>> {
        let mut calls = self.lock();
        calls.retain(|call| call.work.strong_count() > 0);
        let mut equal: Vec<&mut LongCall> = calls
            .iter_mut()
            .filter(|call| call.request.is(request))
            .collect();
        let kept = equal.iter_mut().find_map(|call| call.kept.take());
        kept.or_else(|| equal.iter().find_map(|call| call.work.upgrade()))
    }

    /// Keeps a call whose answer is due, for [`UNATTENDED_TIMEOUT`] or until its session ends; then it is dropped, which
    /// cancels it unless others wait for it. With too many the oldest is dropped.
    fn keep(self: &Arc<Self>, request: CallRequest, work: Arc<Work>) {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let session_end = request.connection.as_ref().map(Disconnect::session_end);
        let mut calls = self.lock();
        calls.retain(|call| !std::ptr::eq(call.work.as_ptr(), Arc::as_ptr(&work)));
        if calls.len() >= MAX_LONG_CALLS {
            calls.remove(0);
        }
        calls.push(LongCall {
            number,
            request,
            work: Arc::downgrade(&work),
            kept: Some(work),
        });
        drop(calls);
        let calls = Arc::downgrade(self);
        tokio::spawn(async move {
            let ended = async {
                match session_end {
                    Some(end) => end.await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = sleep(UNATTENDED_TIMEOUT) => {}
                () = ended => {}
            }
            if let Some(calls) = calls.upgrade() {
                let is_left = |call: &mut LongCall| call.number == number && call.kept.is_some();
                let left: Vec<LongCall> = calls.lock().extract_if(.., is_left).collect();
                // Dropped without the lock.
                drop(left);
            }
        });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<LongCall>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallRequest {
    fn is(&self, other: &Self) -> bool {
        self.name == other.name
            && self.args == other.args
            && self.client == other.client
            && self.caller.is(&other.caller)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use tokio::time::Instant;

    use super::*;
    use crate::disconnect::{ResponseGuard, SessionChange, SessionNews};

    fn request(caller: &Caller, name: &str) -> CallRequest {
        CallRequest {
            caller: caller.clone(),
            client: String::new(),
            name: name.to_owned(),
            args: Value::Null,
            connection: None,
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
            CallRequest {
                client: "other".to_owned(),
                ..request(&caller, "a")
            },
        ] {
            assert!(calls.result(other, work(1, &counts)).await.is_some());
        }
        assert_eq!(read(&counts), [5, 4]);
        let result = calls.result(request(&caller, "a"), work(1, &counts));
        assert!(result.await.is_some());
        assert_eq!(read(&counts), [5, 5]);
    }

    /// Clients without a session cannot be told apart, and one of them was told that nothing is done twice.
    #[tokio::test(start_paused = true)]
    async fn all_who_ask_while_it_goes_on_get_the_one_result() {
        let calls = Arc::new(LongCalls::default());
        let (caller, counts) = (Caller::that_ends(), Arc::default());
        let ask = || calls.result(request(&caller, "a"), work(60, &counts));
        assert!(ask().await.is_none());
        let (impatient, one, other) =
            tokio::join!(timeout(Duration::from_secs(5), ask()), ask(), async {
                sleep(Duration::from_secs(10)).await;
                ask().await
            });
        assert!(impatient.is_err());
        assert!(matches!(
            (one, other),
            (Some(Some(Ok(_))), Some(Some(Ok(_))))
        ));
        assert_eq!(read(&counts), [1, 1]);
        // It is over, so the next call is a new one.
        assert!(ask().await.is_none());
        assert_eq!(read(&counts), [2, 1]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_of_the_session_ends_what_goes_on() {
        for (ended, counted) in [("a", [1, 0]), ("b", [1, 1])] {
            let calls = Arc::new(LongCalls::default());
            let (caller, counts) = (Caller::that_ends(), Arc::default());
            let news = SessionNews::default();
            let (_guard, connection) = ResponseGuard::new(Some("a".to_owned()), news.clone());
            let request = CallRequest {
                connection: Some(connection),
                ..request(&caller, "a")
            };
            let result = calls.result(request, work(60, &counts));
            assert!(result.await.is_none());
            news.notify(ended, SessionChange::Ended);
            sleep(Duration::from_mins(1)).await;
            assert_eq!(read(&counts), counted, "{ended}");
        }
    }
}
