//! The files that reports are written to, as `runner test` and `runner report` take them.

use camino::Utf8Path;
use clap::Args;
use console::Term;

use super::setting_flags::SettingFlags;
use crate::config::{Given, Place};
use crate::context::Context;

/// Where reports go.
#[derive(Debug, Clone, Args)]
pub struct ReportFiles {
    #[command(flatten)]
    junit: SettingFlags<{ Place::Junit as u8 }>,
    /// Keep the JUnit XML within Jenkins' junit-10.xsd
    #[arg(long)]
    pub junit_strict: bool,
    #[command(flatten)]
    others: SettingFlags<{ Place::Reports as u8 }>,
}

impl ReportFiles {
    /// Puts the paths where settings are resolved.
    pub fn give(&self, given: &mut Given) {
        self.junit.give(given);
        self.others.give(given);
    }
}

/// Where people read: not where the events are the output. And whether somebody is there.
pub fn terminal(json: Option<&Utf8Path>, context: &Context) -> (Term, bool) {
    if json.is_some_and(|path| path == "-") {
        (Term::stderr(), context.stderr_is_terminal)
    } else {
        (Term::stdout(), context.stdout_is_terminal)
    }
}
