//! The bodies of requests: so long, so slow and so many at once, and no more.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use super::message::LONGEST;

/// A body is whole after this, else it is given up.
pub(super) const SLOWEST: Duration = Duration::from_secs(10);

/// How long a body waits for room.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes of all bodies at once, those of calls that go on among them.
const AT_ONCE: usize = 2 * LONGEST;

/// Shorter bodies do not wait for longer ones: connections are few enough to hold one each.
pub(super) const SHORT: usize = 64 * 1024;

/// What room is counted in.
const UNIT: usize = 1024;

/// Room for bodies.
#[derive(Debug, Clone)]
pub(super) struct BodyBudget {
    units: Arc<Semaphore>,
    slowest: Duration,
    timeout: Duration,
}

impl Default for BodyBudget {
    fn default() -> Self {
        Self {
            units: Arc::new(Semaphore::new(AT_ONCE / UNIT)),
            slowest: SLOWEST,
            timeout: TIMEOUT,
        }
    }
}

/// The room that a body takes until this is dropped.
#[derive(Debug, Clone)]
pub(super) struct BodyPermit(
    #[expect(dead_code, reason = "held, never read")] Option<Arc<OwnedSemaphorePermit>>,
);

/// Why there is no body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyError {
    /// Longer than [`LONGEST`].
    TooLong,
    /// Not whole after [`SLOWEST`].
    TooSlow,
    /// Not what HTTP allows, or the client is gone.
    CutOff,
    /// No room within [`PATIENCE`].
    NoRoom,
}

impl BodyBudget {
    /// One in which a body waits only so long.
    #[cfg(test)]
    pub fn with_timeout(budget: Duration) -> Self {
        Self {
            timeout: budget,
            ..Self::default()
        }
    }

    /// Reads a body; what makes it a long one, once there is room for it.
    pub async fn read(&self, mut body: Body) -> Result<(Bytes, BodyPermit), BodyError> {
        let announced = body.size_hint().exact();
        let length = match announced.map(usize::try_from) {
            Some(Ok(length)) if length <= LONGEST => length,
            Some(_) => return Err(BodyError::TooLong),
            None => LONGEST,
        };
        let mut bytes = Vec::new();
        let begun = Instant::now();
        let beginning = more(&mut body, &mut bytes, SHORT);
        if within(self.slowest, beginning).await? {
            return Ok((bytes.into(), BodyPermit(None)));
        }
        // Waiting for room is not the client's slowness.
        let left = self.slowest.saturating_sub(begun.elapsed());
        let mut guard = self.acquire(length).await?;
        // Growing by itself, it would hold up to twice the room that was taken.
        if announced.is_some() {
            bytes.reserve_exact(length.saturating_sub(bytes.len()));
        }
        within(left, more(&mut body, &mut bytes, LONGEST)).await?;
        // Of a length that was not announced, what is not needed is given back.
        let spare = guard.num_permits() - bytes.len().div_ceil(UNIT).min(guard.num_permits());
        drop(guard.split(spare));
        Ok((bytes.into(), BodyPermit(Some(Arc::new(guard)))))
    }

    async fn acquire(&self, length: usize) -> Result<OwnedSemaphorePermit, BodyError> {
        let units = u32::try_from(length.div_ceil(UNIT)).unwrap_or(u32::MAX);
        let taking = Arc::clone(&self.units).acquire_many_owned(units);
        let acquired = timeout(self.timeout, taking).await;
        acquired
            .map_err(|_| BodyError::NoRoom)?
            .map_err(|_| BodyError::CutOff)
    }
}

async fn within<T>(
    time: Duration,
    reading: impl Future<Output = Result<T, BodyError>>,
) -> Result<T, BodyError> {
    timeout(time, reading)
        .await
        .map_err(|_| BodyError::TooSlow)?
}

/// Reads on until there are more bytes than `most`, or until the end: then it is true.
async fn more(body: &mut Body, bytes: &mut Vec<u8>, most: usize) -> Result<bool, BodyError> {
    while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await {
        let Ok(data) = frame.map_err(|_| BodyError::CutOff)?.into_data() else {
            continue;
        };
        if data.len() > LONGEST - bytes.len() {
            return Err(BodyError::TooLong);
        }
        bytes.extend_from_slice(&data);
        if bytes.len() > most {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll};

    use http_body::Frame;

    use super::*;

    fn body(length: usize) -> Body {
        Body::from(vec![b' '; length])
    }

    /// A body whose length is not announced, in pieces; it ends where `ends`.
    struct ChunkedBody {
        remaining: usize,
        ends: bool,
    }

    impl http_body::Body for ChunkedBody {
        type Data = Bytes;
        type Error = std::io::Error;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
            let length = self.remaining.min(1000);
            if length == 0 {
                return if self.ends {
                    Poll::Ready(None)
                } else {
                    Poll::Pending
                };
            }
            self.remaining -= length;
            let piece = Bytes::from(vec![b' '; length]);
            Poll::Ready(Some(Ok(Frame::data(piece))))
        }
    }

    fn pieces(length: usize) -> Body {
        Body::new(ChunkedBody {
            remaining: length,
            ends: true,
        })
    }

    fn impatient() -> BodyBudget {
        BodyBudget {
            slowest: Duration::from_millis(20),
            timeout: Duration::from_millis(50),
            ..BodyBudget::default()
        }
    }

    #[tokio::test]
    async fn long_bodies_wait_for_each_other_and_short_ones_do_not() {
        let room = impatient();
        let (_, first) = room.read(body(LONGEST)).await.unwrap();
        let (_, _second) = room.read(body(LONGEST)).await.unwrap();
        for long in [body(SHORT + 1), pieces(SHORT + 1)] {
            assert_eq!(room.read(long).await.err(), Some(BodyError::NoRoom));
        }
        for short in [body(SHORT), pieces(SHORT), pieces(1)] {
            assert!(room.read(short).await.is_ok());
        }
        drop(first);
        assert!(room.read(body(LONGEST)).await.is_ok());
        for more in [body(LONGEST + 1), pieces(LONGEST + 1)] {
            assert_eq!(room.read(more).await.err(), Some(BodyError::TooLong));
        }
    }

    #[tokio::test]
    async fn waiting_for_room_is_not_slow() {
        let room = BodyBudget {
            timeout: TIMEOUT,
            ..impatient()
        };
        let (_, first) = room.read(body(LONGEST)).await.unwrap();
        let (_, _second) = room.read(body(LONGEST)).await.unwrap();
        let waiting = room.read(pieces(2 * SHORT));
        let leaving = async {
            tokio::time::sleep(3 * room.slowest).await;
            drop(first);
        };
        let ((read, _held), ()) = tokio::join!(async { waiting.await.unwrap() }, leaving);
        assert_eq!(read.len(), 2 * SHORT);
        // What was held for a length that was not announced is free again.
        let acquired = (LONGEST + 2 * SHORT) / UNIT;
        assert_eq!(room.units.available_permits(), AT_ONCE / UNIT - acquired);
    }

    #[tokio::test]
    async fn a_body_that_does_not_end_is_given_up() {
        let room = impatient();
        for left in [0, SHORT + 1] {
            let endless = Body::new(ChunkedBody {
                remaining: left,
                ends: false,
            });
            assert_eq!(room.read(endless).await.err(), Some(BodyError::TooSlow));
        }
        // Its room is free again.
        assert_eq!(room.units.available_permits(), AT_ONCE / UNIT);
    }
}
