//! The files that reports are written to, as `runner test` and `runner report` take them.

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use console::Term;

use crate::context::Context;

/// Where reports go.
#[derive(Debug, Clone, Args)]
pub struct ReportFiles {
    /// Write JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<Utf8PathBuf>,
    /// Keep the JUnit XML within Jenkins' junit-10.xsd
    #[arg(long)]
    pub junit_strict: bool,
    /// Write an HTML report into this folder; open its index.html
    #[arg(long, value_name = "DIR")]
    pub html: Option<Utf8PathBuf>,
    /// Write the events as JSON lines; `-` is standard output
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<Utf8PathBuf>,
}

/// Where people read: not where the events are the output. And whether somebody is there.
pub fn terminal(json: Option<&Utf8Path>, context: &Context) -> (Term, bool) {
    if json.is_some_and(|path| path == "-") {
        (Term::stderr(), context.stderr_is_terminal)
    } else {
        (Term::stdout(), context.stdout_is_terminal)
    }
}
