//! HTTP/1.1 client over a stream to the device: one persistent connection, on which several requests may be
//! sent before the first answer. No client library does that, and a look is two requests.

mod connection;
mod head;
mod message;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::sync::oneshot::Sender;
use tokio::time::Instant;

use super::error::{RequestError, Uia2Error};
use crate::Device;
use connection::Connection;
pub(super) use connection::is_answer;
pub(super) use message::{Answer, Request};

/// Longest silence after which a connection is used again. The server closes it after 60 s; the difference is
/// for a slow connection.
const MAX_IDLE: Duration = Duration::from_secs(40);

/// Client of the server on one device.
pub(super) struct Client {
    device: Arc<dyn Device>,
    /// Idle connection. A call takes it out; if the call is dropped halfway, the connection is dropped too,
    /// as its answer would be read as another call's.
    stored: Mutex<Option<Connection>>,
}

impl Client {
    /// Creates a client without a connection; the first request opens one.
    pub(super) fn new(device: Arc<dyn Device>) -> Self {
        Self {
            device,
            stored: Mutex::default(),
        }
    }

    /// Sends all requests at once and returns their answers in order, in one round trip of at most `limit`.
    ///
    /// If the idle connection turns out to be closed, the requests are sent once more on a new one, provided that
    /// all are repeatable.
    pub(super) async fn exchange(
        &self,
        requests: &[Request],
        limit: Duration,
    ) -> Result<Vec<Answer>, RequestError> {
        self.exchange_and(requests, limit, &mut None).await
    }

    /// Sends requests at once, counted as one round trip, and returns their answers in order. `limit` bounds all of
    /// it; a failure or a drop closes the connection. The first answer is passed to `first` as soon as it comes,
    /// and a time of the device's clock is reported. An error says whether anything was sent.
    pub(super) async fn exchange_and(
        &self,
        requests: &[Request],
        limit: Duration,
        first: &mut Option<Sender<Answer>>,
    ) -> Result<Vec<Answer>, RequestError> {
        let mut sent = false;
        self.device.counters().round_trip();
        let begun = Instant::now();
        let exchange = self.exchange_once(requests, &mut sent, first);
        let result = tokio::time::timeout(limit, exchange).await;
        let result = result.unwrap_or(Err(Uia2Error::AnswerTimeout { limit }));
        let answers = result.iter().flatten();
        if let Some(time) = answers.filter_map(|answer| answer.clock).max() {
            self.device.clock().report(time);
        }
        log(requests, begun, &result);
        result.map_err(|error| RequestError { error, sent })
    }

    /// Sends the requests over the kept connection if it is open and young, else over a new one. If the kept one
    /// breaks, they are sent again only if all may be repeated. `sent` becomes true before the first byte goes.
    /// Sets no limit of time.
    async fn exchange_once(
        &self,
        requests: &[Request],
        sent: &mut bool,
        first: &mut Option<Sender<Answer>>,
    ) -> Result<Vec<Answer>, Uia2Error> {
        let mut retained = self.stored.lock().await;
        let repeatable = requests.iter().all(|request| request.repeatable);
        let old = retained.take().filter(|old| old.used.elapsed() < MAX_IDLE);
        if let Some(mut old) = old
            && old.is_open()
        {
            *sent = true;
            match old.exchange(requests, first).await {
                Ok(answers) => {
                    *retained = old.reusable();
                    return Ok(answers);
                }
                Err(Uia2Error::ConnectionClosed) if repeatable => {}
                Err(error) => return Err(error),
            }
        }
        let mut new = Connection::open(self.device.as_ref()).await?;
        *sent = true;
        let answers = new.exchange(requests, first).await?;
        *retained = new.reusable();
        Ok(answers)
    }
}

/// Writes paths, duration and size to the program's log, a success at level `debug` and a failure at `info`. Bodies
/// hold texts that are typed or shown, so they are left out.
fn log(requests: &[Request], begun: Instant, result: &Result<Vec<Answer>, Uia2Error>) {
    let ms = begun.elapsed().as_millis() as u64;
    // Paths only: the bodies hold texts that are typed or shown.
    let paths: Vec<&str> = requests
        .iter()
        .map(|request| request.path.as_str())
        .collect();
    match result {
        Ok(answers) => {
            let bytes: usize = answers.iter().map(|answer| answer.body.len()).sum();
            tracing::debug!(target: "uia2", ?paths, ms, bytes, "asked");
        }
        Err(error) => {
            tracing::info!(target: "uia2", ?paths, ms, error = ?error.to_string(), "asked, and failed");
        }
    }
}
