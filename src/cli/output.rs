//! The only place where subcommands print. A closed pipe ends quietly.
#![expect(clippy::print_stderr, reason = "this is where the command line speaks")]

use std::io::Write as _;

/// A text to standard output, as it is.
pub fn text(text: &str) {
    let mut out = std::io::stdout().lock();
    // A reader that went away (`runner config | head`) is no error.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// A line to standard output.
pub fn line(line: &str) {
    text(&format!("{line}\n"));
}

/// An error to standard error.
pub fn error(message: &str) {
    eprintln!("error: {message}");
}

/// A note to standard error, where it does not disturb what a script reads.
pub fn note(message: &str) {
    eprintln!("{message}");
}
