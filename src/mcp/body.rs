//! The bodies of requests: so long, so slow and so many at once, and no more.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::message::LONGEST;

/// A body is whole after this, else it is given up.
pub(super) const SLOWEST: Duration = Duration::from_secs(10);

/// Bytes of all bodies at once, those of calls that go on among them.
const AT_ONCE: usize = 2 * LONGEST;

/// Shorter bodies do not wait for longer ones: connections are few enough to hold one each.
const SHORT: usize = 64 * 1024;

/// What room is counted in.
const UNIT: usize = 1024;

/// Room for bodies.
#[derive(Debug, Clone)]
pub(super) struct Room {
    units: Arc<Semaphore>,
    slowest: Duration,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            units: Arc::new(Semaphore::new(AT_ONCE / UNIT)),
            slowest: SLOWEST,
        }
    }
}

/// The room that a body takes until this is dropped.
#[derive(Debug, Clone)]
pub(super) struct Held(
    #[expect(dead_code, reason = "held, never read")] Option<Arc<OwnedSemaphorePermit>>,
);

/// Why there is no body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    /// Longer than [`LONGEST`].
    TooLong,
    /// Not whole after [`SLOWEST`].
    TooSlow,
    /// Not what HTTP allows, or the client is gone.
    CutOff,
}

impl Room {
    /// Reads a body, once there is room for it.
    pub async fn read(&self, body: Body) -> Result<(Bytes, Held), Unread> {
        let announced = body.size_hint().exact();
        let length = match announced.map(usize::try_from) {
            Some(Ok(length)) if length <= LONGEST => length,
            Some(_) => return Err(Unread::TooLong),
            None => LONGEST,
        };
        let mut held = None;
        if length > SHORT {
            let units = u32::try_from(length.div_ceil(UNIT)).unwrap_or(u32::MAX);
            let permit = Arc::clone(&self.units).acquire_many_owned(units).await;
            held = Some(permit.map_err(|_| Unread::CutOff)?);
        }
        let capacity = announced.map_or(0, |_| length);
        let bytes = timeout(self.slowest, collected(body, capacity))
            .await
            .map_err(|_| Unread::TooSlow)??;
        if let Some(held) = &mut held {
            // Of a length that was not announced, what is not needed is given back.
            let spare = held.num_permits() - bytes.len().div_ceil(UNIT).min(held.num_permits());
            drop(held.split(spare));
        }
        Ok((bytes, Held(held.map(Arc::new))))
    }
}

async fn collected(mut body: Body, capacity: usize) -> Result<Bytes, Unread> {
    let mut bytes = Vec::with_capacity(capacity);
    while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let Ok(data) = frame.map_err(|_| Unread::CutOff)?.into_data() else {
            continue;
        };
        if data.len() > LONGEST - bytes.len() {
            return Err(Unread::TooLong);
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(length: usize) -> Body {
        Body::from(vec![b' '; length])
    }

    // A9
    #[tokio::test]
    async fn long_bodies_wait_for_each_other_and_short_ones_do_not() {
        let room = Room::default();
        let (_, first) = room.read(body(LONGEST)).await.unwrap();
        let (_, _second) = room.read(body(LONGEST)).await.unwrap();
        let short = Duration::from_millis(50);
        let third = timeout(short, room.read(body(SHORT + 1))).await;
        assert!(third.is_err(), "there is room left");
        assert!(room.read(body(SHORT)).await.is_ok());
        drop(first);
        assert!(room.read(body(LONGEST)).await.is_ok());
        assert_eq!(
            room.read(body(LONGEST + 1)).await.err(),
            Some(Unread::TooLong)
        );
    }

    #[tokio::test]
    async fn a_body_that_does_not_end_is_given_up() {
        struct Never;
        impl http_body::Body for Never {
            type Data = Bytes;
            type Error = std::io::Error;
            fn poll_frame(
                self: Pin<&mut Self>,
                _: &mut std::task::Context<'_>,
            ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, std::io::Error>>>
            {
                std::task::Poll::Pending
            }
        }
        let room = Room {
            slowest: Duration::from_millis(20),
            ..Room::default()
        };
        let read = room.read(Body::new(Never)).await;
        assert_eq!(read.err(), Some(Unread::TooSlow));
        // Its room is free again.
        assert_eq!(room.units.available_permits(), AT_ONCE / UNIT);
    }
}
