//! Asks tmux whether it passes escape sequences on, and to what terminal.

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::graphics::detect::Tmux;

/// Time that tmux gets to answer. Chosen: it answers in milliseconds; a review must start even if it hangs.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Runs tmux to ask for its `allow-passthrough` option and the name of the outer terminal, and waits for the answer.
/// Returns the default, without passthrough and name, if it cannot be started or does not end within
/// `ANSWER_TIMEOUT`; then it is killed.
pub fn ask() -> Tmux {
    let started = Command::new("tmux")
        .args(["display-message", "-p"])
        .arg("#{allow-passthrough} #{client_termname}")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = started else {
        return Tmux::default();
    };
    let end = Instant::now() + ANSWER_TIMEOUT;
    // The answer is read after the end: a few words fit into the pipe.
    while matches!(child.try_wait(), Ok(None)) {
        if Instant::now() > end {
            // Fails if it ended just now.
            let _ = child.kill();
            let _ = child.wait();
            return Tmux::default();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut answer = String::new();
    let read = child
        .stdout
        .as_mut()
        .map(|out| out.read_to_string(&mut answer));
    match read {
        Some(Ok(_)) => Tmux::read(&answer),
        _ => Tmux::default(),
    }
}
