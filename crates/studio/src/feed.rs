//! Sends numbered messages to pages, and keeps the latest for a page that lost its connection for a moment.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::response::sse::Event;
use futures_core::Stream;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::messages::to_value;

/// Pages at the same time. Chosen: browsers allow 6 connections to a server with HTTP/1.1; more pages are
/// forgotten tabs.
pub(super) const MAX_PAGES: usize = 8;

/// Messages kept, in bytes and in number. Chosen: some seconds of a busy run; a page that missed more
/// receives the whole state.
const MAX_KEPT_BYTES: usize = 4 << 20;
const MAX_KEPT_MESSAGES: usize = 1000;

/// Messages queued for one page. Chosen: few, as the kept messages are the real queue.
const QUEUE_LENGTH: usize = 16;

/// Number and JSON of a message.
type Message = (u64, Arc<str>);

/// Published messages and their listeners.
pub(super) struct Feed {
    start: Arc<str>,
    log: Mutex<Log>,
    last: watch::Sender<u64>,
    listening: watch::Sender<usize>,
    places: Arc<Semaphore>,
}

#[derive(Default)]
struct Log {
    last: u64,
    bytes: usize,
    stored: VecDeque<Message>,
}

impl Default for Feed {
    /// Creates a feed without messages or pages, with a random id of this start.
    fn default() -> Self {
        Self {
            start: format!("{:016x}", fastrand::u64(..)).into(),
            log: Mutex::default(),
            last: watch::Sender::new(0),
            listening: watch::Sender::new(0),
            places: Arc::new(Semaphore::new(MAX_PAGES)),
        }
    }
}

impl Feed {
    /// Returns the random id of this start of the server. Numbers of messages, pictures and steps begin again
    /// with each start.
    pub(super) fn start(&self) -> &str {
        &self.start
    }

    /// Parses the id of the last message that a page received. Returns `None` if it is from another start.
    fn number_of(&self, heard: &str) -> Option<u64> {
        let (start, number) = heard.split_once('-')?;
        number.parse().ok().filter(|_| start == &*self.start)
    }

    /// Sends a message to all pages, and keeps it for pages that reconnect. The oldest are dropped beyond
    /// [`MAX_KEPT_MESSAGES`] or [`MAX_KEPT_BYTES`]; the newest is kept whatever its size. Waits for no page.
    /// Secrets must be masked already.
    pub(super) fn publish(&self, message: &impl Serialize) {
        let text: Arc<str> = to_value(message).to_string().into();
        let number = {
            let mut log = self.log();
            log.last += 1;
            log.bytes += text.len();
            let number = log.last;
            log.stored.push_back((number, text));
            while log.stored.len() > MAX_KEPT_MESSAGES
                || (log.bytes > MAX_KEPT_BYTES && log.stored.len() > 1)
            {
                if let Some((_, old)) = log.stored.pop_front() {
                    log.bytes -= old.len();
                }
            }
            number
        };
        self.last.send_replace(number);
    }

    /// Waits until a page listens, without a limit. Returns at once if one does.
    pub(super) async fn page(&self) {
        // Cannot fail, as `self` holds the sender.
        let _ = self
            .listening
            .subscribe()
            .wait_for(|pages| *pages > 0)
            .await;
    }

    /// Waits until no page has listened for the time `limit` without a break, counted from this call at the
    /// earliest.
    pub(super) async fn nobody(&self, limit: Duration) {
        let mut listening = self.listening.subscribe();
        loop {
            // Cannot fail, as `self` holds the sender.
            let _ = listening.wait_for(|pages| *pages == 0).await;
            let coming = listening.wait_for(|pages| *pages > 0);
            if tokio::time::timeout(limit, coming).await.is_err() {
                return;
            }
        }
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the messages after number `observed`, oldest first, or `None` if some are no longer kept or the
    /// number was not given yet. Empty if there are no new ones.
    fn since(&self, observed: u64) -> Option<Vec<Message>> {
        let log = self.log();
        let first = log
            .stored
            .front()
            .map_or(log.last + 1, |(number, _)| *number);
        if observed + 1 < first || observed > log.last {
            return None;
        }
        let message = log.stored.iter().filter(|(number, _)| *number > observed);
        Some(message.cloned().collect())
    }

    /// Connects a page, which receives the messages after the id `heard` (`START-NUMBER`), then each new one. The whole
    /// `state` comes first if `heard` is `None` or of another start, or if some of the messages are not kept, as for a
    /// page that reads too slowly. Ends when the page disconnects or `stop` fires. Returns `None` if [`MAX_PAGES`]
    /// pages are open.
    pub(super) fn listen(
        self: &Arc<Self>,
        heard: Option<&str>,
        state: impl Fn() -> Value + Send + 'static,
        stop: CancellationToken,
    ) -> Option<PageMessages> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        let (sender, receiver) = mpsc::channel(QUEUE_LENGTH);
        let listener = Listener::new(Arc::clone(self), place);
        let observed = heard.and_then(|heard| self.number_of(heard));
        tokio::spawn(async move {
            tokio::select! {
                () = listener.serve(observed, state, &sender) => {}
                () = sender.closed() => {}
                () = stop.cancelled() => {}
            }
        });
        Some(PageMessages(receiver, Arc::clone(&self.start)))
    }
}

/// Connected page, counted until it is dropped.
struct Listener {
    feed: Arc<Feed>,
    _place: OwnedSemaphorePermit,
}

impl Listener {
    /// Counts a page until the result is dropped. `place` is its permit, kept as long.
    fn new(feed: Arc<Feed>, place: OwnedSemaphorePermit) -> Self {
        feed.listening.send_modify(|pages| *pages += 1);
        Self {
            feed,
            _place: place,
        }
    }

    /// Sends all that was published after `observed`, and then each new message. If that is no longer in the log,
    /// or `observed` is `None`, the whole state is sent first. `state` is called only then. Ends when the page or
    /// the feed is gone.
    async fn serve(
        &self,
        observed: Option<u64>,
        state: impl Fn() -> Value,
        sender: &mpsc::Sender<Message>,
    ) {
        let mut last = self.feed.last.subscribe();
        let mut last_number = observed;
        loop {
            last.mark_unchanged();
            let messages = last_number.and_then(|seen| self.feed.since(seen));
            let news = messages.unwrap_or_else(|| {
                // Number first: what is published meanwhile is then sent again.
                let number = self.feed.log().last;
                vec![(number, state().to_string().into())]
            });
            for item in news {
                last_number = Some(item.0);
                if sender.send(item).await.is_err() {
                    return;
                }
            }
            if last.changed().await.is_err() {
                return;
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.feed.listening.send_modify(|pages| *pages -= 1);
    }
}

/// Stream of messages as server-sent events.
pub(super) struct PageMessages(mpsc::Receiver<Message>, Arc<str>);

impl Stream for PageMessages {
    type Item = Result<Event, Infallible>;

    /// Returns the next message as an event whose id holds its number. Never an error; `None` once the studio
    /// stops.
    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|message| {
            let (number, text) = message?;
            let id = format!("{}-{number}", self.1);
            Some(Ok(Event::default().id(id).data(&*text)))
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn numbers(messages: Option<Vec<Message>>) -> Option<Vec<u64>> {
        messages.map(|news| news.iter().map(|(number, _)| *number).collect())
    }

    #[test]
    fn what_is_not_kept_is_not_half_told() {
        let feed = Feed::default();
        assert_eq!(numbers(feed.since(0)), Some(vec![]));
        assert_eq!(numbers(feed.since(7)), None);
        for number in 0..MAX_KEPT_MESSAGES + 10 {
            feed.publish(&json!({ "n": number }));
        }
        assert_eq!(numbers(feed.since(3)), None);
        assert_eq!(
            numbers(feed.since(10)).map(|all| all.len()),
            Some(MAX_KEPT_MESSAGES)
        );
        let last = (MAX_KEPT_MESSAGES + 10) as u64;
        assert_eq!(numbers(feed.since(last - 1)), Some(vec![last]));
    }

    #[test]
    fn large_news_leave_room_for_few() {
        let feed = Feed::default();
        for _ in 0..10 {
            feed.publish(&json!("x".repeat(MAX_KEPT_BYTES / 4)));
        }
        assert!(feed.log().bytes <= MAX_KEPT_BYTES, "{}", feed.log().bytes);
        assert_eq!(numbers(feed.since(9)), Some(vec![10]));
    }

    #[tokio::test]
    async fn nobody_is_there_once_no_page_was_for_a_while() {
        let feed = Arc::new(Feed::default());
        let limit = Duration::from_millis(20);
        feed.nobody(limit).await;
        let page = feed.listen(None, || json!(1), CancellationToken::new());
        assert!(
            tokio::time::timeout(limit * 5, feed.nobody(limit))
                .await
                .is_err()
        );
        drop(page);
        feed.nobody(limit).await;
    }

    #[tokio::test]
    async fn what_another_start_told_is_not_gone_on_with() {
        let feed = Arc::new(Feed::default());
        for number in 1..=60 {
            feed.publish(&json!(number));
        }
        let own = format!("{}-57", feed.start());
        for (heard, first) in [
            (own.as_str(), "58"),
            ("57", "\"state\""),
            ("0123-57", "\"state\""),
            ("-", "\"state\""),
        ] {
            let page = feed.listen(Some(heard), || json!("state"), CancellationToken::new());
            let reported = page.unwrap().0.recv().await.unwrap();
            assert_eq!(&*reported.1, first, "{heard}");
        }
    }

    #[tokio::test]
    async fn pages_are_counted() {
        let feed = Arc::new(Feed::default());
        let stop = CancellationToken::new();
        let listen = || feed.listen(None, || json!(1), stop.clone());
        let mut pages: Vec<_> = (0..MAX_PAGES).map(|_| listen()).collect();
        assert!(pages.iter().all(Option::is_some));
        assert!(listen().is_none());
        feed.page().await;
        let mut first = pages.remove(0).unwrap();
        assert_eq!(first.0.recv().await.map(|(_, text)| text), Some("1".into()));
        drop(first);
        drop(pages);
        let gone = feed
            .listening
            .subscribe()
            .wait_for(|pages| *pages == 0)
            .await
            .is_ok();
        assert!(gone && listen().is_some());
    }
}
