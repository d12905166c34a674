//! Writes a run's file.

use std::fs::File;
use std::io::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use chrono::DateTime;

use super::folder::{self, COMPLETE, PARTIAL};
pub use super::format::RunLine;
use super::format::{EndLine, FlowResult, Line, ResultId, ScreenNames, StepResult, VERSION};
use super::warning::{HistoryProblem, HistoryWarning};
use runner_base::files;

/// Planned cases in one line. Chosen: keeps lines to some KiB for tools that read them one by one, and few
/// enough lines.
const MAX_PLANNED_PER_LINE: usize = 100;

/// Writer of one run's file. It appends lines as flows end, so that a kill loses no result that was there.
/// The file has the extension `.part` until [`Self::finish`].
#[derive(Debug)]
pub struct Writer {
    file: File,
    path: Utf8PathBuf,
}

impl Writer {
    /// Creates the file of a run in `folder`, and the folder itself if it is missing, and writes its first line. The
    /// file stays locked as long as the writer lives, so that others know that the run goes on. `started` is RFC 3339;
    /// the current time replaces it if it does not parse. Of `id` the file's name has only the ASCII letters and
    /// digits.
    ///
    /// # Errors
    /// Returns a warning if the folder or the file cannot be written. Then there is no file.
    pub fn begin(
        folder: &Utf8Path,
        id: &str,
        started: &str,
        program: &str,
    ) -> Result<Self, HistoryWarning> {
        let time = DateTime::parse_from_rfc3339(started)
            .unwrap_or_else(|_| chrono::Local::now().fixed_offset());
        let path = folder.join(format!("{}.{PARTIAL}", folder::stem(time, id)));
        let open = || {
            fs_err::create_dir_all(folder)?;
            let file = files::temporary_in(folder)?;
            // Locked before others see it. On a file system without locks, others only take the run for
            // killed while it goes on.
            let _ = file.as_file().try_lock();
            file.persist(&path).map_err(|error| error.error)
        };
        let file = open().map_err(|error| HistoryWarning {
            path: folder.to_owned(),
            problem: HistoryProblem::Unwritable(error),
        })?;
        let mut writer = Self { file, path };
        writer.write(&Line::Run(RunLine {
            version: VERSION,
            id: id.to_owned(),
            started: time.to_rfc3339(),
            program: program.to_owned(),
        }))?;
        Ok(writer)
    }

    /// Writes the cases that the run will execute. Those without a result at the end of a killed run count as
    /// failed.
    ///
    /// # Errors
    /// Returns a warning if the file cannot be written; it is removed then.
    pub fn planned(&mut self, cases: &[ResultId]) -> Result<(), HistoryWarning> {
        cases
            .chunks(MAX_PLANNED_PER_LINE)
            .try_for_each(|cases| self.write(&Line::Planned(cases.to_vec())))
    }

    /// Writes the result of a flow, with its own steps and the contents of the screens it met. No line is written for
    /// empty `steps` or without `met`.
    ///
    /// # Errors
    /// Those of [`Self::planned`].
    pub fn flow(
        &mut self,
        result: FlowResult,
        steps: Vec<StepResult>,
        met: Option<ScreenNames>,
    ) -> Result<(), HistoryWarning> {
        self.write(&Line::Flow(result))?;
        if !steps.is_empty() {
            self.write(&Line::Steps(steps))?;
        }
        match met {
            Some(met) => self.write(&Line::Met(met)),
            None => Ok(()),
        }
    }

    /// Writes the last line, renames the file to its final name and removes the oldest runs, whose errors are ignored.
    /// `ms` is the duration of the run; `fail_on_flaky` notes that flaky flows failed this run.
    ///
    /// # Errors
    /// Those of [`Self::planned`]; also a rename that fails removes the file.
    pub fn finish(
        mut self,
        ms: u64,
        exit_code: u8,
        fail_on_flaky: bool,
    ) -> Result<(), HistoryWarning> {
        self.write(&Line::End(EndLine {
            ms,
            exit_code,
            fail_on_flaky,
        }))?;
        std::fs::rename(&self.path, self.path.with_extension(COMPLETE))
            .map_err(|error| self.give_up(error))?;
        if let Some(folder) = self.path.parent() {
            folder::prune(folder);
        }
        Ok(())
    }

    /// Appends one line with one write, so that a kill cuts off at most the last line. An error removes the
    /// file.
    fn write(&mut self, line: &Line) -> Result<(), HistoryWarning> {
        let mut bytes = serde_json::to_vec(line).map_err(|error| self.give_up(error.into()))?;
        bytes.push(b'\n');
        self.file
            .write_all(&bytes)
            .map_err(|error| self.give_up(error))
    }

    /// Removes the file and returns the warning. Half a file would claim that the other flows never ended.
    fn give_up(&self, error: std::io::Error) -> HistoryWarning {
        let _ = std::fs::remove_file(&self.path);
        HistoryWarning {
            path: self.path.clone(),
            problem: HistoryProblem::Unwritable(error),
        }
    }
}
