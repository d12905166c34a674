//! Sources of a saved run, compared with the files of today.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;

use crate::Studio;
use crate::file::MAX_FLOW_BYTES;
use runner_text::input_file::read_text;

/// File of a saved run's source, as it is today.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SourceState {
    Same,
    Changed,
    /// The file is missing, is out of the project or cannot be read.
    Gone,
}

/// Compares the sources of a saved run with the files of today, by path.
pub(super) fn source_states(
    studio: &Studio,
    sources: &BTreeMap<Utf8PathBuf, String>,
) -> BTreeMap<Utf8PathBuf, SourceState> {
    let root = &studio.workspace.config.root;
    let state =
        |(file, then): (&Utf8PathBuf, &String)| (file.clone(), source_state(root, file, then));
    sources.iter().map(state).collect()
}

/// Compares a file with its text in the run. Lines with a masked secret count as equal; a larger file than can be
/// read has changed, one that cannot be read is gone.
fn source_state(root: &Utf8Path, file: &Utf8Path, then: &str) -> SourceState {
    let Ok(path) = runner_tools::paths::below(root, file.as_str()) else {
        return SourceState::Gone;
    };
    match fs_err::metadata(&path) {
        Ok(about) if about.len() <= MAX_FLOW_BYTES => {}
        Ok(_) => return SourceState::Changed,
        Err(_) => return SourceState::Gone,
    }
    let Ok(now) = read_text(&path, MAX_FLOW_BYTES) else {
        return SourceState::Gone;
    };
    // Lines with a secret are masked in the run.
    let is_same = |(now, then): (&str, &str)| now == then || then.contains("***");
    let is_whole = now.lines().count() == then.lines().count();
    if is_whole && now.lines().zip(then.lines()).all(is_same) {
        SourceState::Same
    } else {
        SourceState::Changed
    }
}
