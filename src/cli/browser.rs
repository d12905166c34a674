//! Opens a page in the person's browser.

use std::process::{Command, Stdio};

use crate::context::Context;

/// Starts the browser of this system and does not wait for it. That the page really opens is not checked. `address`
/// may be a file too.
///
/// # Errors
/// Returns the reason, in words, if none can be opened: an SSH session, no display where the system needs one, or
/// no program that opens one.
pub fn open(address: &str, context: &Context) -> Result<(), &'static str> {
    let is_set = |name: &&str| {
        context
            .variable(name)
            .is_some_and(|value| !value.is_empty())
    };
    // The browser would open on the remote machine, where nobody sits.
    if ["SSH_CONNECTION", "SSH_TTY"].iter().any(is_set) {
        return Err("this is an SSH session");
    }
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        // `start` would interpret `&` in the address.
        let mut command = Command::new("rundll32");
        command.arg("url.dll,FileProtocolHandler");
        command
    } else {
        // Without a display the opener would start a text browser in this terminal.
        if !["DISPLAY", "WAYLAND_DISPLAY"].iter().any(is_set) {
            return Err("there is no display");
        }
        Command::new("xdg-open")
    };
    command
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Not waited for: some openers live as long as the browser does.
        .spawn()
        .map(drop)
        .map_err(|_| "no program that opens one was found")
}
