//! Opening a page in the person's browser.

use std::process::{Command, Stdio};

use crate::context::Context;

/// Starts the browser of this system; whether a program for it was found.
pub fn open(address: &str, context: &Context) -> bool {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        // `start` would read `&` itself.
        let mut command = Command::new("rundll32");
        command.arg("url.dll,FileProtocolHandler");
        command
    } else {
        // Without a display the opener would start a text browser in this terminal.
        if context.variable("DISPLAY").is_none() && context.variable("WAYLAND_DISPLAY").is_none() {
            return false;
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
        .is_ok()
}
