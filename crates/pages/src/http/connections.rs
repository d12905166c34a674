//! Who is connected. Whoever has not shown a right to be here is a guest: guests have places of their own, and the
//! one that came first goes when another comes, so that nobody without a token keeps out those who have one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// So many guests at once.
const GUESTS: usize = 128;

/// So many connections at once of those who showed their right.
const KNOWN: usize = 256;

/// Everybody who is connected to one server.
#[derive(Debug)]
pub(super) struct Connections {
    guests: Mutex<ConnectionLimiter>,
    places: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct ConnectionLimiter {
    came: u64,
    /// By when they came; what ends each.
    here: BTreeMap<u64, CancellationToken>,
}

impl Default for Connections {
    fn default() -> Self {
        Self {
            guests: Mutex::default(),
            places: Arc::new(Semaphore::new(KNOWN)),
        }
    }
}

impl Connections {
    /// One more, a guest at first. Where all places are taken, the guest that came first has to go.
    pub fn enter(self: &Arc<Self>) -> Visitor {
        let sent_away = CancellationToken::new();
        let mut guests = self.guests();
        guests.came += 1;
        let number = guests.came;
        guests.here.insert(number, sent_away.clone());
        if guests.here.len() > GUESTS
            && let Some((_, first)) = guests.here.pop_first()
        {
            first.cancel();
        }
        drop(guests);
        Visitor(Arc::new(ConnectionSlot {
            connections: Arc::clone(self),
            number,
            sent_away,
            requested: AtomicBool::new(false),
            known: OnceLock::new(),
        }))
    }

    fn guests(&self) -> MutexGuard<'_, ConnectionLimiter> {
        self.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One connection. It is in the extensions of each of its requests.
#[derive(Debug, Clone)]
pub struct Visitor(Arc<ConnectionSlot>);

#[derive(Debug)]
struct ConnectionSlot {
    connections: Arc<Connections>,
    number: u64,
    sent_away: CancellationToken,
    requested: AtomicBool,
    known: OnceLock<OwnedSemaphorePermit>,
}

impl Visitor {
    /// A request of it had what opens the server: it is not a guest any more. `false` where too many are known already.
    pub fn admit(&self) -> bool {
        if !self.is_guest() {
            return true;
        }
        let Ok(place) = Arc::clone(&self.0.connections.places).try_acquire_owned() else {
            return false;
        };
        self.0.connections.guests().here.remove(&self.0.number);
        // Requests of one connection come one after the other, so nobody was quicker.
        let _ = self.0.known.set(place);
        true
    }

    /// Whether it never showed that it may be here.
    pub fn is_guest(&self) -> bool {
        self.0.known.get().is_none()
    }

    /// The head of a request of it is there.
    pub(super) fn asks(&self) {
        self.0.requested.store(true, Ordering::Relaxed);
    }

    /// Whether the head of a request of it was there.
    pub(super) fn has_requested(&self) -> bool {
        self.0.requested.load(Ordering::Relaxed)
    }

    /// Waits until it has to go.
    pub(super) async fn sent_away(&self) {
        self.0.sent_away.cancelled().await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.connections.guests().here.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_sent_away(visitor: &Visitor) -> bool {
        visitor.0.sent_away.is_cancelled()
    }

    #[test]
    fn the_guest_that_came_first_goes_first_and_the_known_stay() {
        let visitors = Arc::new(Connections::default());
        let known = visitors.enter();
        assert!(known.admit() && !known.is_guest());
        let mut guests: Vec<Visitor> = (0..GUESTS).map(|_| visitors.enter()).collect();
        assert!(!guests.iter().any(is_sent_away));
        guests.push(visitors.enter());
        assert!(is_sent_away(&guests[0]) && !is_sent_away(&guests[1]));
        // One that leaves makes room.
        drop(guests.remove(1));
        guests.push(visitors.enter());
        assert!(!guests[1..].iter().any(is_sent_away));
        assert!(!is_sent_away(&known));
    }

    #[test]
    fn there_are_so_many_places_for_the_known() {
        let visitors = Arc::new(Connections::default());
        let mut all: Vec<Visitor> = (0..KNOWN).map(|_| visitors.enter()).collect();
        assert!(all.iter().all(Visitor::admit));
        let late = visitors.enter();
        assert!(!late.admit() && late.is_guest());
        all.pop();
        assert!(late.admit());
    }
}
