//! The only place where subcommands print. A closed pipe ends quietly.
//!
//! What is printed may hold names of files, texts of a screen, values of settings: here it is made [harmless][crate::harmless].

use std::io::{ErrorKind, Write};
use std::sync::OnceLock;

use indexmap::IndexSet;

use crate::context::Context;
use crate::harmless;
use crate::secret::without_secrets;
use crate::snapshot::{GoldenKey, KeyNames};

/// Why standard output did not take all that was printed. Where a reader went away (`runner config | head`) it is not an error.
static LOST: OnceLock<String> = OnceLock::new();

/// What kept standard output from taking all that was printed.
pub fn lost() -> Option<&'static str> {
    LOST.get().map(String::as_str)
}

/// Learns who reads: a CI system may take lines for commands.
pub fn begin(context: &Context) {
    if context.variable("GITHUB_ACTIONS") == Some("true") {
        harmless::take_commands_out();
    }
}

/// What this program wrote itself, such as a schema or a man page, as it is.
pub fn verbatim(text: &str) {
    write(std::io::stdout().lock(), text, is_lost);
}

/// Lines to standard output.
pub fn text(text: &str) {
    print(&harmless::text(&without_secrets(text)));
}

/// What a program reads, as it is but for secrets. In a CI system's log no line of it is a command.
pub fn data(text: &str) {
    print(&without_secrets(text));
}

/// A line to standard output, whatever stands in it.
pub fn line(line: &str) {
    print(&format!("{}\n", harmless::line(&without_secrets(line))));
}

/// A line for each golden: what was done to it, and its name.
pub fn keys(verb: &str, keys: &[GoldenKey]) {
    let names = KeyNames::new(keys);
    // What all classes share and the only class have one name.
    let named: IndexSet<String> = keys.iter().map(|key| names.name(key)).collect();
    for name in named {
        line(&format!("{verb}  {name}"));
    }
}

/// JSON to standard output. It means the same to who parses it, so nothing in it is put in other words.
pub fn json(json: &str) {
    write(
        std::io::stdout().lock(),
        &format!("{}\n", harmless::json(&without_secrets(json))),
        is_lost,
    );
}

/// Rendered diagnostics, which are harmless, with the colours they were given.
pub fn diagnostics(rendered: &str) {
    print(rendered);
}

/// Rendered diagnostics to standard error.
pub fn diagnostics_to_stderr(rendered: &str) {
    print_to_stderr(rendered);
}

/// An error to standard error.
pub fn error(message: &str) {
    note(&format!("error: {message}"));
}

/// A note to standard error, where it does not disturb what a script reads.
pub fn note(message: &str) {
    print_to_stderr(&format!("{}\n", harmless::text(&without_secrets(message))));
}

fn print(text: &str) {
    let out = std::io::stdout().lock();
    write(out, &harmless::no_commands(text), is_lost);
}

fn print_to_stderr(text: &str) {
    // There is nowhere left to say that nobody hears it.
    write(std::io::stderr().lock(), &harmless::no_commands(text), drop);
}

fn write(mut out: impl Write, text: &str, failed: fn(std::io::Error)) {
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        failed(error);
    }
}

fn is_lost(error: std::io::Error) {
    if error.kind() != ErrorKind::BrokenPipe {
        let _ = LOST.set(error.to_string());
    }
}

#[cfg(test)]
mod tests {
    /// Whoever prints elsewhere would have to make harmless what is printed.
    #[test]
    fn nothing_else_prints() {
        const MAY: [&str; 10] = [
            "src/cli/output.rs",
            // Whether they are terminals.
            "src/context.rs",
            // The terminal report, which makes its own lines harmless, and event streams.
            "src/cli/report_files.rs",
            "src/cli/report.rs",
            "src/cli/test.rs",
            "src/report/terminal.rs",
            // The review's screen, and the protocol.
            "src/review/terminal/tty.rs",
            "src/mcp/stdio.rs",
            "src/testing.rs",
            "src/virtual_device/apps/phone/tests.rs",
        ];
        let prints =
            regex::Regex::new(r"\bstd(out|err)\(\)|\be?print(ln)?!|print_std(out|err)").unwrap();
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let files = walkdir::WalkDir::new(root.join("src"))
            .into_iter()
            .flatten();
        for file in files.filter(|file| file.path().extension().is_some_and(|it| it == "rs")) {
            let path = file.path().strip_prefix(root).unwrap().to_str().unwrap();
            let path = path.replace('\\', "/");
            let text = std::fs::read_to_string(file.path()).unwrap();
            assert!(
                !prints.is_match(&text) || MAY.contains(&path.as_str()),
                "{path} prints: let it say it through `cli::output`"
            );
        }
    }
}
