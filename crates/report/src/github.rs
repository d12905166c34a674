//! GitHub Actions: annotations at the flows' lines, and the summary of the step. Both are made when the run ends.

mod annotation;
mod summary;

use std::io::Write;

use camino::Utf8PathBuf;

use self::annotation::annotations;
pub use self::summary::ReportLink;
use self::summary::markdown;
use super::problem::problems;
use super::results::Results;
use super::{ReportError, Subscriber};
use runner_base::files::append;
use runner_event::{Event, EventKind};

/// Largest summary of a step that GitHub shows, in bytes.
const SUMMARY_LIMIT: u64 = 1024 * 1024;

/// The report as a subscriber.
pub struct GitHub {
    /// Where the runner of the job reads commands; none: no annotations.
    commands: Option<Box<dyn Write + Send>>,
    /// `GITHUB_STEP_SUMMARY`.
    summary: Option<Utf8PathBuf>,
    /// `GITHUB_WORKSPACE`: paths of annotations are relative to it.
    workspace: Option<Utf8PathBuf>,
    /// The report that the summary names.
    report: Option<ReportLink>,
    results: Results,
    /// Ends the time in which commands in the output are ignored.
    resume: Option<String>,
}

impl GitHub {
    /// Annotations for the checkout in `workspace`, and a summary that is added to the file `summary`.
    pub fn new(workspace: Option<Utf8PathBuf>, summary: Option<Utf8PathBuf>) -> Self {
        Self {
            commands: None,
            summary,
            workspace,
            report: None,
            results: Results::default(),
            resume: None,
        }
    }

    /// Writes annotations to `out`, which the runner of the job must read: standard output or standard error.
    ///
    /// The terminal's report must go there too, and before this one: what an app under test says is kept from being
    /// taken for a command.
    #[must_use]
    pub fn annotating(mut self, out: Box<dyn Write + Send>) -> Self {
        self.commands = Some(out);
        self
    }

    /// Names an HTML report in the summary.
    #[must_use]
    pub fn naming(mut self, report: Option<ReportLink>) -> Self {
        self.report = report;
        self
    }

    fn say(&mut self, lines: &[String]) -> Result<(), ReportError> {
        let Some(out) = &mut self.commands else {
            return Ok(());
        };
        let mut text = lines.join("\n");
        text.push('\n');
        out.write_all(text.as_bytes())?;
        out.flush()?;
        Ok(())
    }

    /// Other steps may have written to the file; what does not fit beside it is left out.
    fn add_summary(&self, path: &Utf8PathBuf) -> std::io::Result<()> {
        let known = fs_err::metadata(path).map_or(0, |file| file.len());
        let room = SUMMARY_LIMIT.saturating_sub(known);
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let text = markdown(&self.results, self.report.as_ref(), room);
        let mut file = append(path)?;
        file.write_all(text.as_bytes())
    }
}

impl Subscriber for GitHub {
    fn on(&mut self, event: &Event) -> Result<(), ReportError> {
        self.results.add(event);
        match event.kind {
            EventKind::Start { .. } if self.commands.is_some() => {
                // Until this token is printed, no line is a command, whatever an app under test says. No app knows it.
                let token = format!("{:032x}", fastrand::u128(..));
                self.say(&[format!("::stop-commands::{token}")])?;
                self.resume = Some(token);
            }
            EventKind::Finish { .. } => {
                let mut lines = Vec::new();
                lines.extend(self.resume.take().map(|token| format!("::{token}::")));
                let found = problems(&self.results);
                lines.extend(annotations(
                    &found,
                    &self.results,
                    self.workspace.as_deref(),
                ));
                // The run's word does not hang on its summary: GitHub may have no room for it.
                if let Some(path) = self.summary.clone()
                    && let Err(error) = self.add_summary(&path)
                {
                    let why = annotation::data(&format!("no step summary: {error}"));
                    lines.push(format!("::warning::{why}"));
                }
                if !lines.is_empty() {
                    self.say(&lines)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
