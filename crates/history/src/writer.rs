//! Writing a run's file.

use std::fs::File;
use std::io::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use chrono::DateTime;

use super::folder::{self, PART, WHOLE};
pub use super::format::RunLine;
use super::format::{EndLine, FlowResult, Line, Met, ResultId, StepResult, VERSION};
use super::warning::{HistoryWarning, Trouble};
use runner_base::files;

/// So many cases stand in one line: a reader's line stays small.
const PLANNED_A_LINE: usize = 100;

/// Writes one run: lines are appended as flows end, so that a kill loses nothing that ended. The file has a temporary name
/// until [`Self::finish`].
#[derive(Debug)]
pub struct Writer {
    file: File,
    path: Utf8PathBuf,
}

impl Writer {
    /// Begins the file of a run in `folder`, which is made at need.
    ///
    /// # Errors
    /// Where the folder cannot be written.
    pub fn begin(
        folder: &Utf8Path,
        id: &str,
        started: &str,
        program: &str,
    ) -> Result<Self, HistoryWarning> {
        let time = DateTime::parse_from_rfc3339(started)
            .unwrap_or_else(|_| chrono::Local::now().fixed_offset());
        let path = folder.join(format!("{}.{PART}", folder::stem(time, id)));
        let open = || {
            fs_err::create_dir_all(folder)?;
            let file = files::temporary_in(folder)?;
            // Before others see it. A file system without locks only makes the run look killed while it goes on.
            let _ = file.as_file().try_lock();
            file.persist(&path).map_err(|error| error.error)
        };
        let file = open().map_err(|error| HistoryWarning {
            path: folder.to_owned(),
            trouble: Trouble::Unwritable(error),
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

    /// Notes what is to be run.
    ///
    /// # Errors
    /// Where it cannot be written; the file is gone then.
    pub fn planned(&mut self, cases: &[ResultId]) -> Result<(), HistoryWarning> {
        cases
            .chunks(PLANNED_A_LINE)
            .try_for_each(|cases| self.write(&Line::Planned(cases.to_vec())))
    }

    /// Notes what came of a flow, and of its own steps, and what it met.
    ///
    /// # Errors
    /// As [`Self::planned`].
    pub fn flow(
        &mut self,
        result: FlowResult,
        steps: Vec<StepResult>,
        met: Option<Met>,
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

    /// Ends the file, gives it its name, and lets the oldest runs go. `fail_on_flaky`: flaky flows failed the run.
    ///
    /// # Errors
    /// As [`Self::planned`].
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
        std::fs::rename(&self.path, self.path.with_extension(WHOLE))
            .map_err(|error| self.give_up(error))?;
        if let Some(folder) = self.path.parent() {
            folder::prune(folder);
        }
        Ok(())
    }

    /// One write a line: a kill leaves at most one line cut off, the last.
    fn write(&mut self, line: &Line) -> Result<(), HistoryWarning> {
        let mut bytes = serde_json::to_vec(line).map_err(|error| self.give_up(error.into()))?;
        bytes.push(b'\n');
        self.file
            .write_all(&bytes)
            .map_err(|error| self.give_up(error))
    }

    /// Half a file would say that its other flows never ended.
    fn give_up(&self, error: std::io::Error) -> HistoryWarning {
        let _ = std::fs::remove_file(&self.path);
        HistoryWarning {
            path: self.path.clone(),
            trouble: Trouble::Unwritable(error),
        }
    }
}
