//! Detects a client that disconnects during a call, so that the call can end too.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use http_body::Frame;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Fires when the client disconnects before its answer is complete. It is in the request's extensions.
#[derive(Debug, Clone)]
pub(super) struct Disconnect {
    cut: CancellationToken,
    session: Option<String>,
    returns: Reconnects,
}

impl Disconnect {
    /// Waits until the client disconnects and does not come back to its session within `budget`. Without a session it
    /// returns at once after the disconnect. Never returns if the client comes back or its answer is complete. The
    /// budget begins with the disconnect; a return before that does not count.
    pub async fn wait(self, budget: Duration) {
        self.cut.cancelled().await;
        let Some(session) = self.session else {
            return;
        };
        let mut returns = self.returns.0.subscribe();
        let returned = async {
            loop {
                match returns.recv().await {
                    Ok(returned) if returned == session => return,
                    // Another client came back. A lagging receiver may have missed ids, hardly this one.
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => std::future::pending().await,
                }
            }
        };
        if tokio::time::timeout(budget, returned).await.is_ok() {
            // The client reads the answer over a new connection; the call ends by itself or with the session.
            std::future::pending::<()>().await;
        }
    }
}

/// Broadcasts the ids of sessions whose clients came back for an answer.
#[derive(Debug, Clone)]
pub(super) struct Reconnects(broadcast::Sender<String>);

impl Default for Reconnects {
    fn default() -> Self {
        Self(broadcast::Sender::new(1024))
    }
}

impl Reconnects {
    /// Reports that a client of this session came back. Only calls that wait at this moment hear of it.
    pub fn notify(&self, session: &str) {
        // Fails if no call waits for a reconnect, which is usual.
        let _ = self.0.send(session.to_owned());
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
    pub fn new(session: Option<String>, returns: Reconnects) -> (Self, Disconnect) {
        let cut = CancellationToken::new();
        let guard = cut.clone().drop_guard();
        let gone = Disconnect {
            cut,
            session,
            returns,
        };
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
