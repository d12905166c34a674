//! Output of subcommands: nothing else prints. A closed pipe is no error.
//!
//! Names of files, texts of a screen and values of settings come from outside; here they are made
//! [harmless][crate::harmless] for terminals and CI systems.

use std::io::{ErrorKind, Write};
use std::sync::OnceLock;

use indexmap::IndexSet;

use crate::context::Context;
use crate::harmless;
use crate::secret::without_secrets;
use crate::snapshot::{GoldenKey, KeyNames};

/// Error of standard output, if some text was lost. A reader that went away (`runner config | head`) is not
/// an error.
static STDOUT_ERROR: OnceLock<String> = OnceLock::new();

/// Returns the first error by which standard output lost some text. `None` if nothing was lost, or only a reader went
/// away.
pub fn stdout_error() -> Option<&'static str> {
    STDOUT_ERROR.get().map(String::as_str)
}

/// Sets up the escapes for this environment, before the first output: GitHub Actions takes some lines of a log for
/// commands.
pub fn begin(context: &Context) {
    if context.variable("GITHUB_ACTIONS") == Some("true") {
        harmless::take_commands_out();
    }
}

/// Prints this program's own text, such as a schema or a man page, to standard output, unchanged and without a line
/// end. Masks no secrets and escapes nothing.
pub fn verbatim(text: &str) {
    write(std::io::stdout().lock(), text, keep_error);
}

/// Prints text of several lines to standard output. Control characters are escaped. Secrets are not masked here, nor by
/// the functions below: whoever prints text that may hold one masks it before.
pub fn text(text: &str) {
    print(&harmless::text(&without_secrets(text)));
}

/// Prints data for a program to standard output, without a line end and unchanged, but that no line is a command of a CI
/// system.
pub fn data(text: &str) {
    print(&without_secrets(text));
}

/// Prints one line to standard output. Line breaks in it are escaped too.
pub fn line(line: &str) {
    print(&format!("{}\n", harmless::line(&without_secrets(line))));
}

/// Prints a line for each golden to standard output, in order: the verb and its name, as short as it is unique
/// among `keys`. Goldens with the same name are printed once. Prints nothing for none.
pub fn keys(verb: &str, keys: &[GoldenKey]) {
    let names = KeyNames::new(keys);
    // The shared file and that of the only class have the same name, which is printed once.
    let named: IndexSet<String> = keys.iter().map(|key| names.name(key)).collect();
    for name in named {
        line(&format!("{verb}  {name}"));
    }
}

/// Prints JSON and a line end to standard output, with harmful characters escaped. Escapes leave its meaning to a parser
/// unchanged. An error of writing is kept for the end of the program.
pub fn json(json: &str) {
    write(
        std::io::stdout().lock(),
        &format!("{}\n", harmless::json(&without_secrets(json))),
        keep_error,
    );
}

/// Prints rendered diagnostics to standard output. They are harmless already, and keep their colours.
pub fn diagnostics(rendered: &str) {
    print(rendered);
}

/// Prints rendered diagnostics to standard error.
pub fn diagnostics_to_stderr(rendered: &str) {
    print_to_stderr(rendered);
}

/// Prints an error to standard error, after `error: `, as a note. Does not end the program.
pub fn error(message: &str) {
    note(&format!("error: {message}"));
}

/// Prints a note and a line end to standard error, which leaves standard output to scripts. Line breaks stay, other
/// control characters are escaped.
pub fn note(message: &str) {
    print_to_stderr(&format!("{}\n", harmless::text(&without_secrets(message))));
}

fn print(text: &str) {
    let out = std::io::stdout().lock();
    write(out, &harmless::no_commands(text), keep_error);
}

fn print_to_stderr(text: &str) {
    // If standard error is lost, there is nowhere left to report that.
    write(std::io::stderr().lock(), &harmless::no_commands(text), drop);
}

fn write(mut out: impl Write, text: &str, failed: fn(std::io::Error)) {
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        failed(error);
    }
}

fn keep_error(error: std::io::Error) {
    if error.kind() != ErrorKind::BrokenPipe {
        let _ = STDOUT_ERROR.set(error.to_string());
    }
}

#[cfg(test)]
mod tests {
    /// Checks that no other file prints: its text would not be made harmless.
    #[test]
    fn nothing_else_prints() {
        const MAY: [&str; 10] = [
            "src/cli/output.rs",
            // Whether they are terminals.
            "src/context.rs",
            // The terminal report, which makes its own lines harmless, and event streams.
            "src/cli/report_files.rs",
            "src/cli/report.rs",
            "src/cli/test/reports.rs",
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
