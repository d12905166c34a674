//! The files that reports are written to, as `runner test` and `runner report` take them.

use camino::Utf8PathBuf;
use clap::Args;
use console::Term;
use runner_base::output_file::{Form, OutputError, OutputFile, claim_folder, is_stdout};
use runner_report::html;

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

/// Where people read: not where a report is the output. And whether somebody is there.
pub fn terminal(outputs: &[Option<&Utf8PathBuf>], context: &Context) -> (Term, bool) {
    if outputs.iter().flatten().any(|path| is_stdout(path)) {
        (Term::stderr(), context.stderr_is_terminal)
    } else {
        (Term::stdout(), context.stdout_is_terminal)
    }
}

/// An output as somebody names it: its path, and the option or key.
pub type NamedOutput<'a> = (Option<&'a Utf8PathBuf>, &'a str);

/// Names of all outputs of a report.
pub struct NamedOutputs<'a> {
    pub junit: NamedOutput<'a>,
    pub json: NamedOutput<'a>,
    pub archive: NamedOutput<'a>,
    pub html: NamedOutput<'a>,
}

/// The files that are written, once nothing is lost by it.
pub struct Outputs {
    pub junit: Option<OutputFile>,
    pub json: Option<OutputFile>,
    pub archive: Option<OutputFile>,
}

impl Outputs {
    /// Looks at all of them before anything is written.
    pub fn claim(named: &NamedOutputs<'_>, context: &Context) -> Result<Self, OutputError> {
        let folder = &context.working_folder;
        let output = |(path, option): NamedOutput<'_>, form| {
            let path = path.filter(|path| *path != "-");
            path.map(|path| OutputFile::new(folder, path, form, option))
                .transpose()
        };
        let outputs = Self {
            junit: output(named.junit, Form::Junit)?,
            json: output(named.json, Form::Events)?,
            archive: output(named.archive, Form::Archive)?,
        };
        OutputFile::check_distinct(outputs.files())?;
        if let (Some(report), option) = named.html {
            let report = folder.join(report);
            claim_folder(&report, option)?;
            for file in outputs.files() {
                file.check_outside(&report, &html::REPORT, option)?;
            }
        }
        Ok(outputs)
    }

    /// All of them.
    pub fn files(&self) -> impl Iterator<Item = &OutputFile> {
        [&self.junit, &self.json, &self.archive]
            .into_iter()
            .flatten()
    }
}
