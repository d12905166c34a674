//! The end of a session. A server that is away for a moment is asked again once it is back: otherwise the session would
//! hold its device until the server gives up by itself.

use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::{Client, Request};

/// How long whoever ends a session waits for that.
pub(crate) const FAREWELL_LIMIT: Duration = Duration::from_secs(5);
/// Between two tries.
const AGAIN: Duration = Duration::from_millis(if cfg!(test) { 20 } else { 1000 });
/// So long it is tried while the program goes on.
const TIMEOUT: Duration = Duration::from_mins(2);

/// Sessions of this program that no server has confirmed to be over: the server, and the session's id.
static UNENDED: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

fn unended() -> MutexGuard<'static, Vec<(String, String)>> {
    UNENDED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends a session. Waits for [`FAREWELL_LIMIT`] at most; what takes longer goes on aside.
pub(crate) fn say(client: &Client, id: &str, path: &str) {
    let end = Request::delete(path, FAREWELL_LIMIT).called("DELETE session");
    let this = (client.server().to_owned(), id.to_owned());
    let client = client.clone();
    unended().push(this.clone());
    let (done, over) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        let began = Instant::now();
        while began.elapsed() < TIMEOUT {
            let answer: Result<Value, _> = client.ask_here(&end);
            tracing::info!(target: "webdriver", id = this.1, ok = answer.is_ok(), "session ended");
            match answer {
                Ok(_) => {
                    unended().retain(|other| *other != this);
                    break;
                }
                Err(error) if error.may_be_mended() => std::thread::sleep(AGAIN),
                // One that the server does not know any more may still be held by a node that does.
                Err(_) => break,
            }
        }
        drop(done);
    });
    let _ = over.recv_timeout(FAREWELL_LIMIT);
}

/// What to do where a server has no free session, and some of this program's may still be held there; else nothing.
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
