//! Detects a client that disconnects or ends its session during a call, so that the call can end too.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::request::Parts;
use axum::response::Response;
use http_body::Frame;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Fires when the client ends its session, or disconnects before its answer is complete. It is in the request's
/// extensions.
#[derive(Debug, Clone)]
pub(super) struct Disconnect {
    cut: CancellationToken,
    session: Option<String>,
    news: SessionNews,
}

impl Disconnect {
    /// Returns that of the request's connection. `None` over standard input and output.
    pub fn from_request(context: &RequestContext<RoleServer>) -> Option<Self> {
        let parts = context.extensions.get::<Parts>()?;
        parts.extensions.get::<Self>().cloned()
    }

    /// Waits until the client ends its session, or disconnects and does not come back to its session within `budget`.
    /// Without a session it returns at once after the disconnect. A client that came back, or whose answer is complete,
    /// can only end its session any more. The budget begins with the disconnect; a return before that does not count.
    pub async fn wait(self, budget: Duration) {
        let Self { cut, session, news } = self;
        let Some(session) = session else {
            cut.cancelled().await;
            return;
        };
        let ended = news.wait_for(session.clone(), SessionChange::Ended);
        let lost = async {
            cut.cancelled().await;
            let returned = news.wait_for(session, SessionChange::Returned);
            if tokio::time::timeout(budget, returned).await.is_ok() {
                // The client reads the answer over a new connection; the call ends by itself or with the session.
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = ended => {}
            () = lost => {}
        }
    }

    /// Returns a future that waits until the client ends its session, from now on. It never returns without a session.
    pub fn session_end(&self) -> impl Future<Output = ()> + Send + use<> {
        let session = self.session.clone();
        let ended = session.map(|session| self.news.wait_for(session, SessionChange::Ended));
        async move {
            match ended {
                Some(ended) => ended.await,
                None => std::future::pending().await,
            }
        }
    }
}

/// Change of a session that its calls wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionChange {
    /// The client came back for an answer.
    Returned,
    /// The client ended the session.
    Ended,
}

/// Broadcasts changes of sessions, each with the session's id.
#[derive(Debug, Clone)]
pub(super) struct SessionNews(broadcast::Sender<(String, SessionChange)>);

impl Default for SessionNews {
    fn default() -> Self {
        Self(broadcast::Sender::new(1024))
    }
}

impl SessionNews {
    /// Reports a change of this session. Only calls that wait at this moment hear of it.
    pub fn notify(&self, session: &str, change: SessionChange) {
        // Fails if no call waits, which is usual.
        let _ = self.0.send((session.to_owned(), change));
    }

    /// Returns a future that waits for a change of a session that is reported from now on.
    fn wait_for(
        &self,
        session: String,
        change: SessionChange,
    ) -> impl Future<Output = ()> + Send + use<> {
        let mut news = self.0.subscribe();
        let expected = (session, change);
        async move {
            loop {
                match news.recv().await {
                    Ok(found) if found == expected => return,
                    // Another session, or a receiver that lags. It may have missed ids, hardly this one.
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => std::future::pending().await,
                }
            }
        }
    }
}

/// Fires a [`Disconnect`] if dropped before the answer is complete.
#[derive(Debug)]
pub(super) struct ResponseGuard {
    guard: DropGuard,
}

impl ResponseGuard {
    /// Creates a guard, and the receiver that goes into the request. Dropping the guard before the answer is
    /// complete counts as a disconnect.
    pub fn new(session: Option<String>, news: SessionNews) -> (Self, Disconnect) {
        let cut = CancellationToken::new();
        let guard = cut.clone().drop_guard();
        let gone = Disconnect { cut, session, news };
        (Self { guard }, gone)
    }

    /// Wraps the answer's body, to notice its end. If it is dropped before, the client has disconnected. An
    /// empty body counts as complete.
    pub fn watch(self, response: Response) -> Response {
        response.map(|body| {
            // An empty body is never polled, so its end would not be noticed.
            if body.is_end_stream() {
                let _ = self.guard.disarm();
                return body;
            }
            Body::new(WatchedBody {
                body,
                guard: Some(self.guard),
            })
        })
    }
}

/// Body that disarms the guard at its end.
struct WatchedBody {
    body: Body,
    guard: Option<DropGuard>,
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = axum::Error;

    /// Passes a frame on. The end of the body disarms the guard, so that a drop after it is no disconnect. An error of
    /// the body does not disarm it.
    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(None) = polled
            && let Some(guard) = self.guard.take()
        {
            let _ = guard.disarm();
        }
        polled
    }

    // If this were true, the server would not poll for the end, and the guard would take a complete answer for an
    // interrupted one.
    fn is_end_stream(&self) -> bool {
        false
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: Duration = Duration::from_secs(6);

    /// Returns true if a call still waits after the changes, which come a second apart, and the budget.
    async fn goes_on(is_cut: bool, changes: &[(&str, SessionChange)]) -> bool {
        let news = SessionNews::default();
        let (guard, gone) = ResponseGuard::new(Some("a".to_owned()), news.clone());
        let mut guard = Some(guard);
        let waiting = tokio::spawn(gone.wait(BUDGET));
        let second = Duration::from_secs(1);
        tokio::time::sleep(second).await;
        if is_cut {
            drop(guard.take());
        }
        for (session, change) in changes {
            tokio::time::sleep(second).await;
            news.notify(session, *change);
        }
        tokio::time::sleep(BUDGET * 2).await;
        !waiting.is_finished()
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_ends_with_its_session_whatever_was_before() {
        use SessionChange::{Ended, Returned};
        for (is_cut, changes, expected) in [
            (false, &[][..], true),
            (false, &[("a", Returned)], true),
            (false, &[("a", Ended)], false),
            (false, &[("a", Returned), ("a", Ended)], false),
            (false, &[("b", Ended)], true),
            (true, &[], false),
            (true, &[("a", Returned)], true),
            (true, &[("b", Returned)], false),
            (true, &[("a", Returned), ("b", Ended)], true),
            (true, &[("a", Returned), ("a", Ended)], false),
        ] {
            assert_eq!(
                goes_on(is_cut, changes).await,
                expected,
                "{is_cut} {changes:?}"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn only_the_end_of_its_own_session_is_one() {
        let news = SessionNews::default();
        for (session, ends) in [(Some("a"), true), (Some("b"), false), (None, false)] {
            let (_guard, gone) = ResponseGuard::new(session.map(str::to_owned), news.clone());
            let end = gone.session_end();
            news.notify("a", SessionChange::Returned);
            news.notify("a", SessionChange::Ended);
            let ended = tokio::time::timeout(BUDGET, end).await.is_ok();
            assert_eq!(ended, ends, "{session:?}");
        }
    }
}
