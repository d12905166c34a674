//! Writes the files of patch groups, all of them or none.

use std::sync::Arc;

use camino::Utf8Path;

use super::group::PatchGroup;
use crate::ReviewError;
use crate::mask::{ensure_unchanged, real_in_root};
use runner_base::files::write_all_durable;
use runner_config::Config;
use runner_flow::{Flow, SelectorUse};
use runner_mend::{Evidence, FileEdit, edit_together};
use runner_text::diagnostic::{Source, line_column};

/// Writes the files of all groups together, and reads the flows again. Returns the edits, so that they can be undone.
/// Without groups it does nothing. Undo and rejections are the caller's.
///
/// # Errors
/// Returns an error if a file changed since it was read, if two groups change the same selector differently, or if
/// afterwards a flow cannot be read or its patched step finds nothing on the screen where it failed. Then the files
/// are as before.
pub(crate) fn accept(
    config: &Config,
    groups: &[&PatchGroup],
) -> Result<Vec<FileEdit>, ReviewError> {
    let files = edit_together(groups.iter().map(|group| &group.group))?;
    write(&config.root, &files)?;
    if let Err(why) = groups.iter().try_for_each(|group| group.lint(config)) {
        write(&config.root, &invert(&files))?;
        return Err(why);
    }
    Ok(files)
}

impl PatchGroup {
    /// Checks that each flow that failed can be read as it is on the disk, and that the patched step finds its
    /// element on the screen where it failed. Warnings do not count. The error says that nothing was written, which
    /// the caller must see to.
    fn lint(&self, config: &Config) -> Result<(), ReviewError> {
        let options = config.read_options();
        for patch in &self.group.patches {
            let evidence = &patch.evidence;
            let refused = |why: String| {
                let flow = &evidence.flow;
                ReviewError::Usage(format!("{flow} {why}; nothing was written"))
            };
            let flow = match runner_flow::read_flow(&evidence.flow, &options) {
                (Some(flow), _) => flow,
                (None, problems) => {
                    let why = problems.first().map_or("", |problem| &problem.message);
                    return Err(refused(format!("would not read any more: {why}")));
                }
            };
            if !finds_again(evidence, &flow) {
                let line = evidence.line;
                return Err(refused(format!(
                    "would still fail: the step in line {line} finds nothing on the screen where it failed"
                )));
            }
        }
        Ok(())
    }
}

/// Returns true if a selector in the line of the patched step, any one, selects an element of the screen on which the
/// old one matched nothing. If that screen cannot be read, returns true.
fn finds_again(evidence: &Evidence, flow: &Flow) -> bool {
    let Ok(screen) = evidence.after.screen() else {
        return true;
    };
    let is_in_line = |used: &&SelectorUse| {
        let (line, _) = line_column(&used.source.text, used.span.start);
        used.source.path == evidence.file && line == evidence.line
    };
    runner_flow::selectors(flow)
        .iter()
        .filter(is_in_line)
        .any(|used| used.selector.selected(&screen).is_some())
}

/// Returns the edits that undo `files`; writes nothing. They apply only to files that have not changed since.
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

/// Writes all of the files or none, durably. Fails if a file is not as it was read, or a link leads outside the root.
/// Does not check that the texts can be parsed.
pub(crate) fn write(root: &Utf8Path, files: &[FileEdit]) -> Result<(), ReviewError> {
    let mut contents = Vec::new();
    for file in files {
        ensure_unchanged(root, &file.source)?;
        let real = real_in_root(root, &file.source.path)?;
        contents.push((real, file.text.as_bytes()));
    }
    Ok(write_all_durable(&contents)?)
}
