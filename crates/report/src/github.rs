//! Writes reports for GitHub Actions at the end of a run: annotations at the flows' lines, and a summary of
//! the job's step.

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

/// Size limit of a step's summary, in bytes. Source: GitHub's documentation of workflow commands, 1 MiB.
const MAX_SUMMARY_BYTES: u64 = 1024 * 1024;

/// Subscriber that writes annotations and a summary.
pub struct GitHub {
    /// Output in which the job's runner finds commands. `None` writes no annotations.
    commands: Option<Box<dyn Write + Send>>,
    /// File named by `GITHUB_STEP_SUMMARY`.
    summary: Option<Utf8PathBuf>,
    /// Folder of `GITHUB_WORKSPACE`. Paths in annotations are relative to it.
    workspace: Option<Utf8PathBuf>,
    /// HTML report that the summary links to.
    report: Option<ReportLink>,
    results: Results,
    /// Token that makes the job's runner obey commands in the output again.
    resume: Option<String>,
}

impl GitHub {
    /// Creates the report; nothing is written yet. `workspace` is the folder of the checkout, on which the paths of
    /// annotations are based; `None` takes the project's root. The summary is appended to the file `summary`; `None`
    /// writes no summary. Annotations are off, and no link to the HTML report is set.
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

    /// Writes annotations to `out`, which the job's runner must read: standard output or standard error.
    ///
    /// The terminal report must write there too, before this one: between start and finish, this report keeps
    /// the job's runner from obeying text of the app.
    #[must_use]
    pub fn annotating(mut self, out: Box<dyn Write + Send>) -> Self {
        self.commands = Some(out);
        self
    }

    /// Sets the HTML report that the summary links to; `None` for no link.
    #[must_use]
    pub fn naming(mut self, report: Option<ReportLink>) -> Self {
        self.report = report;
        self
    }

    /// Writes the lines to the output for commands, each with a line end, and flushes. Does nothing if annotations
    /// are off. An empty list gives an empty line.
    fn write_lines(&mut self, lines: &[String]) -> Result<(), ReportError> {
        let Some(out) = &mut self.commands else {
            return Ok(());
        };
        let mut text = lines.join("\n");
        text.push('\n');
        out.write_all(text.as_bytes())?;
        out.flush()?;
        Ok(())
    }

    /// Appends the summary to the file, which is created if it is missing. The file may hold [`MAX_SUMMARY_BYTES`] in
    /// all. Other steps may have written to it, so problems that no longer fit are left out and counted. If not even
    /// the heading fits, appends nothing and succeeds.
    fn append_summary(&self, path: &Utf8PathBuf) -> std::io::Result<()> {
        let known = fs_err::metadata(path).map_or(0, |file| file.len());
        let room = MAX_SUMMARY_BYTES.saturating_sub(known);
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let text = markdown(&self.results, self.report.as_ref(), room);
        let mut file = append(path)?;
        file.write_all(text.as_bytes())
    }
}

impl Subscriber for GitHub {
    /// Keeps each event. The start stops the commands of GitHub, so that no output of the app under test counts as
    /// one. The end resumes them, prints the annotations and appends the step summary; a stream without an end does
    /// none of it. A summary that fails gives a warning line, not an error; output that cannot be written is an
    /// error.
    fn on(&mut self, event: &Event) -> Result<(), ReportError> {
        self.results.add(event);
        match event.kind {
            EventKind::Start { .. } if self.commands.is_some() => {
                // No line is a command until this token is printed. The app under test cannot know it.
                let token = format!("{:032x}", fastrand::u128(..));
                self.write_lines(&[format!("::stop-commands::{token}")])?;
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
                // The annotations do not depend on the summary, for which GitHub may have no room.
                if let Some(path) = self.summary.clone()
                    && let Err(error) = self.append_summary(&path)
                {
                    let why = annotation::data(&format!("no step summary: {error}"));
                    lines.push(format!("::warning::{why}"));
                }
                if !lines.is_empty() {
                    self.write_lines(&lines)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
