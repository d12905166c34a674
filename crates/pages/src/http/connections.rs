//! Counts the connections of a server. A connection without a valid token is a guest. Guests have a limit of
//! their own, and a new guest pushes out the oldest, so that clients without a token cannot keep out those
//! who have one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// Guests at the same time. Chosen: more than a browser opens before it sends its token; many more would take
/// file descriptors (often 1024) from the admitted.
const MAX_GUESTS: usize = 128;

/// Admitted connections at the same time. Chosen: some dozens of open pages; together with the guests it
/// stays below 1024 file descriptors, an ordinary limit.
const MAX_ADMITTED: usize = 256;

/// Connections of one server.
#[derive(Debug)]
pub(super) struct Connections {
    guests: Mutex<Guests>,
    permits: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct Guests {
    last_number: u64,
    /// Guests by number, oldest first, each with the token that ends its connection.
    by_number: BTreeMap<u64, CancellationToken>,
}

impl Default for Connections {
    /// Creates a set without connections, with places for `MAX_ADMITTED` admitted ones.
    fn default() -> Self {
        Self {
            guests: Mutex::default(),
            permits: Arc::new(Semaphore::new(MAX_ADMITTED)),
        }
    }
}

impl Connections {
    /// Adds a connection as a guest: one without a request with a valid token so far. If there are now more than
    /// `MAX_GUESTS`, tells the oldest guest to end by its [`Visitor::evicted`]. The new connection always enters. It
    /// leaves when the last copy of the returned visitor is dropped.
    pub fn enter(self: &Arc<Self>) -> Visitor {
        let evicted = CancellationToken::new();
        let mut guests = self.guests();
        guests.last_number += 1;
        let number = guests.last_number;
        guests.by_number.insert(number, evicted.clone());
        if guests.by_number.len() > MAX_GUESTS
            && let Some((_, first)) = guests.by_number.pop_first()
        {
            first.cancel();
        }
        drop(guests);
        Visitor(Arc::new(ConnectionSlot {
            connections: Arc::clone(self),
            number,
            evicted,
            requested: AtomicBool::new(false),
            permit: OnceLock::new(),
        }))
    }

    fn guests(&self) -> MutexGuard<'_, Guests> {
        self.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Handle of one connection, in the extensions of each of its requests.
#[derive(Debug, Clone)]
pub struct Visitor(Arc<ConnectionSlot>);

#[derive(Debug)]
struct ConnectionSlot {
    connections: Arc<Connections>,
    number: u64,
    evicted: CancellationToken,
    requested: AtomicBool,
    permit: OnceLock<OwnedSemaphorePermit>,
}

impl Visitor {
    /// Moves the connection from the guests to the admitted ones, for a request with a valid token, until the visitor
    /// is dropped. Returns true at once for one that is admitted. Returns false if `MAX_ADMITTED` are admitted
    /// already; then it stays a guest. It does not check the token.
    pub fn admit(&self) -> bool {
        if !self.is_guest() {
            return true;
        }
        let Ok(permit) = Arc::clone(&self.0.connections.permits).try_acquire_owned() else {
            return false;
        };
        self.0.connections.guests().by_number.remove(&self.0.number);
        // Requests of one connection come one after the other, so no other call was quicker.
        let _ = self.0.permit.set(permit);
        true
    }

    /// Returns true until [`Self::admit`] succeeded.
    pub fn is_guest(&self) -> bool {
        self.0.permit.get().is_none()
    }

    /// Notes that the head of a request has arrived.
    pub(super) fn set_requested(&self) {
        self.0.requested.store(true, Ordering::Relaxed);
    }

    /// Returns true once the head of a request has arrived.
    pub(super) fn has_requested(&self) -> bool {
        self.0.requested.load(Ordering::Relaxed)
    }

    /// Waits until newer guests push this one out.
    pub(super) async fn evicted(&self) {
        self.0.evicted.cancelled().await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.connections.guests().by_number.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_evicted(visitor: &Visitor) -> bool {
        visitor.0.evicted.is_cancelled()
    }

    #[test]
    fn the_guest_that_came_first_goes_first_and_the_known_stay() {
        let visitors = Arc::new(Connections::default());
        let known = visitors.enter();
        assert!(known.admit() && !known.is_guest());
        let mut guests: Vec<Visitor> = (0..MAX_GUESTS).map(|_| visitors.enter()).collect();
        assert!(!guests.iter().any(is_evicted));
        guests.push(visitors.enter());
        assert!(is_evicted(&guests[0]) && !is_evicted(&guests[1]));
        // A guest that leaves makes room.
        drop(guests.remove(1));
        guests.push(visitors.enter());
        assert!(!guests[1..].iter().any(is_evicted));
        assert!(!is_evicted(&known));
    }

    #[test]
    fn there_are_so_many_places_for_the_known() {
        let visitors = Arc::new(Connections::default());
        let mut all: Vec<Visitor> = (0..MAX_ADMITTED).map(|_| visitors.enter()).collect();
        assert!(all.iter().all(Visitor::admit));
        let late = visitors.enter();
        assert!(!late.admit() && late.is_guest());
        all.pop();
        assert!(late.admit());
    }
}
