//! Writes the files of a patch group, all of them or none.

use std::sync::Arc;

use camino::Utf8Path;

use super::PatchGroup;
use crate::ReviewError;
use crate::mask::{ensure_unchanged, real_in_root};
use runner_base::files::write_all_durable;
use runner_config::Config;
use runner_mend::FileEdit;
use runner_text::diagnostic::Source;

impl PatchGroup {
    /// Writes the files of the group, and reads the flows again. Returns the edits, so that they can be
    /// undone.
    ///
    /// # Errors
    /// Returns an error if a file changed since it was read, or a flow cannot be read afterwards. Then the
    /// files are as before.
    pub(crate) fn accept(&self, config: &Config) -> Result<Vec<FileEdit>, ReviewError> {
        let files = self.group.edit()?;
        write(&config.root, &files)?;
        if let Err(why) = self.lint(config) {
            write(&config.root, &invert(&files))?;
            return Err(why);
        }
        Ok(files)
    }

    /// Checks that the flows that failed can still be read as they are now. Warnings do not count.
    fn lint(&self, config: &Config) -> Result<(), ReviewError> {
        let options = config.read_options();
        for patch in &self.group.patches {
            let flow = &patch.evidence.flow;
            if let (None, problems) = runner_flow::read_flow(flow, &options) {
                let why = problems.first().map_or("", |problem| &problem.message);
                return Err(ReviewError::Usage(format!(
                    "{flow} would not read any more: {why}; nothing was written"
                )));
            }
        }
        Ok(())
    }
}

/// Returns the edits that undo `files`. They apply only to files that have not changed since.
pub(crate) fn invert(files: &[FileEdit]) -> Vec<FileEdit> {
    let back = |file: &FileEdit| FileEdit {
        source: Arc::new(Source {
            path: file.source.path.clone(),
            text: file.text.clone(),
        }),
        text: file.source.text.clone(),
    };
    files.iter().map(back).collect()
}

/// Writes all of the files or none, durably. Refuses if a file changed meanwhile or a link leads outside the
/// root.
pub(crate) fn write(root: &Utf8Path, files: &[FileEdit]) -> Result<(), ReviewError> {
    let mut contents = Vec::new();
    for file in files {
        ensure_unchanged(root, &file.source)?;
        let real = real_in_root(root, &file.source.path)?;
        contents.push((real, file.text.as_bytes()));
    }
    Ok(write_all_durable(&contents)?)
}
