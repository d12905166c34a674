//! Writes a mask into a flow, and keeps its comments and formatting.

mod choose;
mod edit;
mod row_scope;

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::{FlowPlace, ReviewError};
use runner_base::files::write_durable;
use runner_run::GoldenPlace;
use runner_screen::Rect;
use runner_snapshot::{Redactions, RowLine};
use runner_text::diagnostic::{Source, line_column};
use runner_text::flow_text;
use runner_text::input_file::{MAX_TEXT, read_regular};
use runner_text::secret;
use runner_text::shell::operands_to_copy;

#[derive(Debug, Clone, PartialEq)]
pub enum MaskTarget {
    /// Row of the actual screen with this number (from 1). The mask is a selector that finds this row only,
    /// else its rectangle.
    Row(usize),
    /// Rectangle in pixels of the display.
    Area(Rect),
}

/// Mask that was written. The golden stays pending: the mask takes effect with the flow's next run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskResult {
    /// Position of the mask in the flow.
    pub place: FlowPlace,
    /// Mask in YAML, such as `{ id: clock }`.
    pub mask: String,
    /// Command to run next: `runner test flows/login.yaml`.
    pub next: String,
}

/// Step of the history that can take a mask out of its flow again.
#[derive(Debug, Clone)]
pub(super) struct MaskStep {
    pub written: MaskResult,
    source: Arc<Source>,
    text: String,
}

impl MaskStep {
    /// Writes the flow back as it was before the mask, as a whole.
    ///
    /// # Errors
    /// Returns an error if the flow was edited since, which then stays as it is, or cannot be read or written.
    pub fn restore(&self, root: &Utf8Path) -> Result<(), ReviewError> {
        let path = &self.source.path;
        let place = format!("{path}:{}", self.written.place.line);
        let real = root.join(path);
        let file = |source| ReviewError::File {
            path: real.clone(),
            source,
        };
        if read_regular(&real, MAX_TEXT).map_err(|error| file(error.into()))?
            != self.text.as_bytes()
        {
            return Err(ReviewError::Usage(format!(
                "{path} was edited since the mask was written; take `{}` out by hand at {place}",
                self.written.mask
            )));
        }
        put(root, path, &self.source.text)
    }
}

/// Settings for all snapshots, unless their step overrides them.
pub(super) struct Defaults<'a> {
    /// Masks of steps without a list of their own. A step's own list replaces them, so a new list repeats
    /// them.
    pub masks: &'a Value,
    /// Redactions, in addition to those of the step.
    pub redactions: &'a Redactions,
}

/// Writes the mask for `target` into the flow, at a snapshot step. `lines` are the rows of both sides, among which a
/// row is found by its number on the actual side. If the step has no masks of its own yet, those of `defaults` are
/// written with the new one, as the step's own list replaces them. Nothing else in the file changes, and the result
/// can undo it.
///
/// # Errors
/// Returns an error if there is no mask for the target, the flow's layout does not allow the edit, or the flow
/// changed since it was read. Nothing is written then.
pub(super) fn write(
    root: &Utf8Path,
    step: &GoldenPlace,
    lines: &[RowLine],
    defaults: &Defaults<'_>,
    target: &MaskTarget,
) -> Result<MaskStep, ReviewError> {
    let mut row_scope = edit::row_scope(&step.source, &step.span);
    let everywhere = defaults.redactions.rules().map(|rule| rule.alias.clone());
    row_scope.aliases.extend(everywhere);
    // Rows have this text in place of a secret; the device does not.
    row_scope.aliases.push(secret::MASK.to_owned());
    let mask = match target {
        MaskTarget::Row(number) => choose::row_mask(lines, *number, &row_scope),
        MaskTarget::Area(area) => choose::area_mask(*area, row_scope.own_frame),
    };
    let at = format!("{}:{}", step.source.path, step.line);
    let mask = mask.map_err(|why| ReviewError::Usage(format!("{at}: no mask: {why}")))?;
    let inherited: Vec<String> = defaults
        .masks
        .as_array()
        .map(|masks| masks.iter().map(flow_text::literal).collect())
        .unwrap_or_default();
    let edited = edit::add_mask(&step.source, &step.span, &inherited, &mask).map_err(|why| {
        ReviewError::Usage(format!(
            "{at}: the mask was not written: {why}; write it by hand: `mask: [ {mask} ]`"
        ))
    })?;
    replace(root, &step.source, &edited.text)?;
    let (line, column) = line_column(&edited.text, edited.at);
    Ok(MaskStep {
        written: MaskResult {
            place: FlowPlace {
                file: step.source.path.clone(),
                line,
                column,
            },
            mask,
            next: format!("runner test {}", operands_to_copy([step.flow.as_str()])),
        },
        source: Arc::clone(&step.source),
        text: edited.text,
    })
}

/// Writes the file. Returns an error if it changed since it was read, and writes nothing then.
fn replace(root: &Utf8Path, source: &Arc<Source>, text: &str) -> Result<(), ReviewError> {
    ensure_unchanged(root, source)?;
    put(root, &source.path, text)
}

/// Compares the file, byte for byte, with the text of `source`. Fails if it is another or the file cannot be read.
/// Writes nothing.
pub(super) fn ensure_unchanged(root: &Utf8Path, source: &Source) -> Result<(), ReviewError> {
    let path = root.join(&source.path);
    let file = |source| ReviewError::File {
        path: path.clone(),
        source,
    };
    if read_regular(&path, MAX_TEXT).map_err(|error| file(error.into()))? != source.text.as_bytes()
    {
        return Err(ReviewError::Usage(format!(
            "{path} changed meanwhile; nothing was written, try again"
        )));
    }
    Ok(())
}

/// Writes the file atomically and durably. A link is followed.
///
/// # Errors
/// Returns an error if a link leads out of the root, or the file cannot be written.
fn put(root: &Utf8Path, path: &Utf8Path, text: &str) -> Result<(), ReviewError> {
    let real = real_in_root(root, path)?;
    write_durable(&real, text.as_bytes()).map_err(|source| ReviewError::File { path: real, source })
}

/// Resolves all links of `path`, which is relative to the root, and returns the real path. The file must exist. It is
/// not opened.
///
/// # Errors
/// Returns an error if a link leads out of the root, or the file cannot be found.
pub(super) fn real_in_root(root: &Utf8Path, path: &Utf8Path) -> Result<Utf8PathBuf, ReviewError> {
    let path = root.join(path);
    let file = |source| ReviewError::File {
        path: path.clone(),
        source,
    };
    let real = path.canonicalize_utf8().map_err(file)?;
    if !real.starts_with(root.canonicalize_utf8().map_err(file)?) {
        return Err(ReviewError::Usage(format!(
            "{path}: a link leads out of the project's root; nothing was written"
        )));
    }
    Ok(real)
}
