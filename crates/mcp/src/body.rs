//! Reads the bodies of requests within limits: their length, their time, and the memory of all together.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use super::message::MAX_MESSAGE_BYTES;

/// Time in which a body must arrive. Chosen: [`MAX_MESSAGE_BYTES`] pass at 13 Mbit/s; with more, slow clients
/// hold memory for longer.
pub(super) const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Time that a body waits for memory that other bodies hold. Chosen: a usual call ends in it, and clients
/// wait 60 s.
const ROOM_TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes that all large bodies hold together, including those whose calls are in progress. Chosen: two of the
/// largest fit, so that one slow client does not block all others.
const MAX_TOTAL_BYTES: usize = 2 * MAX_MESSAGE_BYTES;

/// Bytes up to which a body takes no permit. Chosen: usual messages are shorter. The number of connections is
/// limited, and each may hold one small body.
pub(super) const SMALL_BODY_BYTES: usize = 64 * 1024;

/// Bytes that one permit of the semaphore stands for. Permits count as `u32`; [`MAX_TOTAL_BYTES`] is a
/// multiple of it.
const PERMIT_BYTES: usize = 1024;

/// Memory for bodies, shared by all requests.
#[derive(Debug, Clone)]
pub(super) struct BodyBudget {
    units: Arc<Semaphore>,
    slowest: Duration,
    timeout: Duration,
}

impl Default for BodyBudget {
    /// Creates a budget with room for two of the longest bodies, and with the usual time limits.
    fn default() -> Self {
        Self {
            units: Arc::new(Semaphore::new(MAX_TOTAL_BYTES / PERMIT_BYTES)),
            slowest: BODY_TIMEOUT,
            timeout: ROOM_TIMEOUT,
        }
    }
}

/// Memory of one body, given back when the last clone is dropped. A small body holds none.
#[derive(Debug, Clone)]
pub(super) struct BodyPermit(
    #[expect(
        dead_code,
        reason = "holding it keeps the memory reserved; nothing reads it"
    )]
    Option<Arc<OwnedSemaphorePermit>>,
);

/// Reason why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyError {
    /// Longer than [`MAX_MESSAGE_BYTES`].
    TooLong,
    /// Incomplete after [`BODY_TIMEOUT`].
    TooSlow,
    /// Invalid HTTP, or the client closed the connection.
    CutOff,
    /// No memory within [`ROOM_TIMEOUT`].
    NoRoom,
}

impl BodyBudget {
    /// Returns a budget in which a body waits for memory at most this long.
    #[cfg(test)]
    pub fn with_timeout(budget: Duration) -> Self {
        Self {
            timeout: budget,
            ..Self::default()
        }
    }

    /// Reads a body, and returns it with a permit for its memory, which is held until that is dropped. One
    /// longer than [`SMALL_BODY_BYTES`] first waits until its memory is free; an unknown length counts as the
    /// longest one. Waiting does not count as the client's time.
    pub async fn read(&self, mut body: Body) -> Result<(Bytes, BodyPermit), BodyError> {
        let announced = body.size_hint().exact();
        let length = match announced.map(usize::try_from) {
            Some(Ok(length)) if length <= MAX_MESSAGE_BYTES => length,
            Some(_) => return Err(BodyError::TooLong),
            None => MAX_MESSAGE_BYTES,
        };
        let mut bytes = Vec::new();
        let begun = Instant::now();
        let beginning = read_up_to(&mut body, &mut bytes, SMALL_BODY_BYTES);
        if before_timeout(self.slowest, beginning).await? {
            return Ok((bytes.into(), BodyPermit(None)));
        }
        // Waiting for memory does not count as the client's time.
        let left = self.slowest.saturating_sub(begun.elapsed());
        let mut guard = self.acquire(length).await?;
        // A vector that grows by itself would take up to twice the permitted memory.
        if announced.is_some() {
            bytes.reserve_exact(length.saturating_sub(bytes.len()));
        }
        before_timeout(left, read_up_to(&mut body, &mut bytes, MAX_MESSAGE_BYTES)).await?;
        // If the length was unknown, permits for the longest body were taken; the surplus is given back.
        let spare =
            guard.num_permits() - bytes.len().div_ceil(PERMIT_BYTES).min(guard.num_permits());
        drop(guard.split(spare));
        Ok((bytes.into(), BodyPermit(Some(Arc::new(guard)))))
    }

    /// Waits for memory for a body of this length, for the budget's time at most. A body larger than the whole
    /// budget never gets any.
    async fn acquire(&self, length: usize) -> Result<OwnedSemaphorePermit, BodyError> {
        let units = u32::try_from(length.div_ceil(PERMIT_BYTES)).unwrap_or(u32::MAX);
        let taking = Arc::clone(&self.units).acquire_many_owned(units);
        let acquired = timeout(self.timeout, taking).await;
        acquired
            .map_err(|_| BodyError::NoRoom)?
            .map_err(|_| BodyError::CutOff)
    }
}

async fn before_timeout<T>(
    time: Duration,
    reading: impl Future<Output = Result<T, BodyError>>,
) -> Result<T, BodyError> {
    timeout(time, reading)
        .await
        .map_err(|_| BodyError::TooSlow)?
}

/// Appends data until there are more than `most` bytes (false) or the body ends (true). Fails if the bytes
/// would be more than [`MAX_MESSAGE_BYTES`], or the body breaks off.
async fn read_up_to(body: &mut Body, bytes: &mut Vec<u8>, most: usize) -> Result<bool, BodyError> {
    while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await {
        let Ok(data) = frame.map_err(|_| BodyError::CutOff)?.into_data() else {
            continue;
        };
        if data.len() > MAX_MESSAGE_BYTES - bytes.len() {
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

    /// Body of unknown length, in pieces. It ends or hangs after `remaining` bytes.
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
        let (_, first) = room.read(body(MAX_MESSAGE_BYTES)).await.unwrap();
        let (_, _second) = room.read(body(MAX_MESSAGE_BYTES)).await.unwrap();
        for long in [body(SMALL_BODY_BYTES + 1), pieces(SMALL_BODY_BYTES + 1)] {
            assert_eq!(room.read(long).await.err(), Some(BodyError::NoRoom));
        }
        for short in [body(SMALL_BODY_BYTES), pieces(SMALL_BODY_BYTES), pieces(1)] {
            assert!(room.read(short).await.is_ok());
        }
        drop(first);
        assert!(room.read(body(MAX_MESSAGE_BYTES)).await.is_ok());
        for more in [body(MAX_MESSAGE_BYTES + 1), pieces(MAX_MESSAGE_BYTES + 1)] {
            assert_eq!(room.read(more).await.err(), Some(BodyError::TooLong));
        }
    }

    #[tokio::test]
    async fn waiting_for_room_is_not_slow() {
        let room = BodyBudget {
            timeout: ROOM_TIMEOUT,
            ..impatient()
        };
        let (_, first) = room.read(body(MAX_MESSAGE_BYTES)).await.unwrap();
        let (_, _second) = room.read(body(MAX_MESSAGE_BYTES)).await.unwrap();
        let waiting = room.read(pieces(2 * SMALL_BODY_BYTES));
        let leaving = async {
            tokio::time::sleep(3 * room.slowest).await;
            drop(first);
        };
        let ((read, _held), ()) = tokio::join!(async { waiting.await.unwrap() }, leaving);
        assert_eq!(read.len(), 2 * SMALL_BODY_BYTES);
        // The surplus permits of the unknown length are free again.
        let acquired = (MAX_MESSAGE_BYTES + 2 * SMALL_BODY_BYTES) / PERMIT_BYTES;
        assert_eq!(
            room.units.available_permits(),
            MAX_TOTAL_BYTES / PERMIT_BYTES - acquired
        );
    }

    #[tokio::test]
    async fn a_body_that_does_not_end_is_given_up() {
        let room = impatient();
        for left in [0, SMALL_BODY_BYTES + 1] {
            let endless = Body::new(ChunkedBody {
                remaining: left,
                ends: false,
            });
            assert_eq!(room.read(endless).await.err(), Some(BodyError::TooSlow));
        }
        // Its permits are free again.
        assert_eq!(
            room.units.available_permits(),
            MAX_TOTAL_BYTES / PERMIT_BYTES
        );
    }
}
