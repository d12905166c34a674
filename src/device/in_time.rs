//! A limit, and a question that is asked before it is up.

use std::pin::Pin;
use std::time::Duration;

#[cfg(test)]
use tokio::time::Instant;

/// What `work` comes to within `limit`; else what `asking` comes to. That begins `lead` before the limit is up, for a short
/// one after a quarter of it, so that the answer is there when the limit is; it may come later.
pub(crate) async fn in_time<T, A>(
    limit: Duration,
    lead: Duration,
    work: impl Future<Output = T>,
    asking: impl Future<Output = A>,
) -> Result<T, A> {
    let (work, asking) = (std::pin::pin!(work), std::pin::pin!(asking));
    in_time_by(tokio::time::sleep, limit, lead, work, asking).await
}

/// As [`in_time`], by a clock of its own: `sleep` ends when so much time has passed.
pub(crate) async fn in_time_by<T, A, S: Future<Output = ()>>(
    sleep: impl Fn(Duration) -> S,
    limit: Duration,
    lead: Duration,
    mut work: Pin<&mut impl Future<Output = T>>,
    mut asking: Pin<&mut impl Future<Output = A>>,
) -> Result<T, A> {
    let mut over = std::pin::pin!(sleep(limit));
    let early = sleep(limit.saturating_sub(lead.min(limit / 4 * 3)));
    tokio::select! {
        biased;
        done = &mut work => return Ok(done),
        // Both are waited for, so that the limit counts from the beginning.
        () = async { tokio::select! { () = early => {}, () = &mut over => {} } } => {}
    }
    let mut answer = None;
    // The work goes on beside the question: it may still end in time.
    let waiting = async {
        loop {
            tokio::select! {
                done = &mut work => return done,
                said = &mut asking, if answer.is_none() => answer = Some(said),
            }
        }
    };
    tokio::select! {
        biased;
        done = waiting => return Ok(done),
        () = &mut over => {}
    }
    Err(match answer {
        Some(answer) => answer,
        None => asking.await,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
