//! Ends sessions. If the server is away for a moment, the request is repeated until it is back: otherwise the
//! session would hold its device until the server's own timeout.

use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::{Client, Request};

/// Time that the end of a session may block its caller. Chosen: servers usually end one within a second or
/// two.
pub(crate) const SESSION_END_LIMIT: Duration = Duration::from_secs(5);
/// Pause between two tries. Chosen: a server that restarts is found soon, without being flooded.
const RETRY_PAUSE: Duration = Duration::from_millis(if cfg!(test) { 20 } else { 1000 });
/// Time after which the attempts stop. Chosen: servers end idle sessions after a minute or two by themselves.
const RETRY_LIMIT: Duration = Duration::from_mins(2);

/// Sessions that no server has confirmed to be over: the server's address and the session's id.
static UNENDED: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

fn unended() -> MutexGuard<'static, Vec<(String, String)>> {
    UNENDED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends a session. Blocks for [`SESSION_END_LIMIT`] at most and continues in the background after that, with
/// retries for [`RETRY_LIMIT`] while the server is away. A failure is not reported; the session then stays
/// among those of [`advice`].
pub(crate) fn end(client: &Client, id: &str, path: &str) {
    let end = Request::delete(path, SESSION_END_LIMIT).called("DELETE session");
    let this = (client.server().to_owned(), id.to_owned());
    let client = client.clone();
    unended().push(this.clone());
    let (done, over) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        let began = Instant::now();
        while began.elapsed() < RETRY_LIMIT {
            let answer: Result<Value, _> = client.send_blocking(&end);
            tracing::info!(target: "webdriver", id = this.1, ok = answer.is_ok(), "session ended");
            match answer {
                Ok(_) => {
                    unended().retain(|other| *other != this);
                    break;
                }
                Err(error) if error.is_transient() => std::thread::sleep(RETRY_PAUSE),
                // A session unknown to the server may still be held by one of its nodes.
                Err(_) => break,
            }
        }
        drop(done);
    });
    let _ = over.recv_timeout(SESSION_END_LIMIT);
}

/// Returns advice for a server without a free session, if sessions of this program on it were not ended and
/// may still hold some; it ends in `; `. Otherwise empty.
pub(crate) fn advice(server: &str) -> String {
    let unended = unended();
    let ids = unended.iter().filter(|(other, _)| other == server);
    let ids: Vec<&str> = ids.map(|(_, id)| id.as_str()).collect();
    if ids.is_empty() {
        return String::new();
    }
    format!(
        "the server has lost session {} of this run, whose device may still be held: restart the node that has it, or wait until that ends the session by itself; ",
        ids.join(", ")
    )
}
