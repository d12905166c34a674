//! Runs work within a limit, and asks a question shortly before the limit is up.

use std::pin::Pin;
use std::time::Duration;

#[cfg(test)]
use tokio::time::Instant;

/// Returns the result of `work` if it ends within `limit`, else the result of `asking` as the error. `asking`
/// begins `lead` before the limit (for a short limit after a quarter of it), so that its answer is usually
/// there when the limit is; a late answer is awaited.
pub async fn in_time<T, A>(
    limit: Duration,
    lead: Duration,
    work: impl Future<Output = T>,
    asking: impl Future<Output = A>,
) -> Result<T, A> {
    let (work, asking) = (std::pin::pin!(work), std::pin::pin!(asking));
    in_time_by(tokio::time::sleep, limit, lead, work, asking).await
}

/// Runs `work` like [`in_time`], with another clock: `sleep` ends once that time has passed.
pub async fn in_time_by<T, A, S: Future<Output = ()>>(
    sleep: impl Fn(Duration) -> S,
    limit: Duration,
    lead: Duration,
    mut work: Pin<&mut impl Future<Output = T>>,
    mut asking: Pin<&mut impl Future<Output = A>>,
) -> Result<T, A> {
    let early = sleep(limit.saturating_sub(lead.min(limit / 4 * 3)));
    // Each future is polled in one place only, so a finished one is never polled again.
    let mut requested = std::pin::pin!(async {
        early.await;
        asking.as_mut().await
    });
    let mut within = std::pin::pin!(async {
        tokio::select! {
            biased;
            done = work.as_mut() => Some(done),
            () = sleep(limit) => None,
        }
    });
    let mut answer = None;
    // The work continues beside the question, as it may still end in time.
    loop {
        tokio::select! {
            biased;
            done = &mut within => match done {
                Some(done) => return Ok(done),
                None => break,
            },
            parsed = &mut requested, if answer.is_none() => answer = Some(parsed),
        }
    }
    Err(match answer {
        Some(answer) => answer,
        None => requested.await,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // Chosen: short for a test, long for a loaded computer.
    const LIMIT: Duration = Duration::from_millis(400);
    const LEAD: Duration = Duration::from_millis(300);

    #[tokio::test]
    async fn the_question_is_asked_before_the_limit_is_up() {
        let began = Instant::now();
        let asking = async { began.elapsed() < LIMIT };
        let never = std::future::pending::<()>();
        assert_eq!(in_time(LIMIT, LEAD, never, asking).await, Err(true));
        assert!(began.elapsed() >= LIMIT);
    }

    #[tokio::test]
    async fn work_that_is_done_in_time_needs_no_answer() {
        for takes in [Duration::ZERO, LIMIT / 2] {
            let work = async {
                tokio::time::sleep(takes).await;
                7
            };
            let never = std::future::pending::<()>();
            assert_eq!(in_time(LIMIT, LEAD, work, never).await, Ok(7));
        }
    }

    #[tokio::test]
    async fn a_late_answer_is_waited_for() {
        let late = async {
            tokio::time::sleep(LIMIT * 2).await;
            7
        };
        let never = std::future::pending::<()>();
        assert_eq!(in_time(LIMIT, LEAD, never, late).await, Err(7));
    }

    /// Covers all limits, however short, and all orders in which work, limit and question end.
    #[tokio::test]
    async fn v13_what_is_done_is_never_polled_again() {
        for run in 0..200 {
            let limit = Duration::from_millis(run % 6);
            for takes in [0, 1, limit.as_millis() as u64, 7] {
                // Unlike the runtime's timer, these panic if they are polled again after their end.
                let sleep = |limit| async move { tokio::time::sleep(limit).await };
                let work = std::pin::pin!(sleep(Duration::from_millis(takes)));
                let asking = std::pin::pin!(async {
                    if run % 2 == 0 {
                        tokio::task::yield_now().await;
                    }
                });
                // All may be ready at the first poll.
                let ended = in_time_by(sleep, limit, LEAD, work, asking);
                let _: Result<(), ()> = ended.await;
            }
        }
    }
}
