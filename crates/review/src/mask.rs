//! Writing a mask into a flow, with its comments and its formatting kept.

mod choose;
mod edit;

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::{FlowPlace, ReviewError};
use runner_base::files::write_durable;
use runner_device::quote;
use runner_run::GoldenPlace;
use runner_screen::Rect;
use runner_snapshot::{Redactions, RowLine};
use runner_text::diagnostic::{Source, line_column};
use runner_text::flow_text;
use runner_text::input_file::{MAX_TEXT, read_regular};
use runner_text::secret;

/// What to mask.
#[derive(Debug, Clone, PartialEq)]
pub enum MaskTarget {
    /// The row of what was seen with this number (from 1): by the selector that finds it and nothing else, else by its
    /// place.
    Row(usize),
    /// A rectangle, in pixels of the display.
    Area(Rect),
}

/// What was written. What waits does so still: its masks are not the flow's any more until the flow ran again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskWritten {
    /// Where the mask stands now.
    pub place: FlowPlace,
    /// The mask as written: `{ id: clock }`.
    pub mask: String,
    /// What to do next: `runner test flows/login.yaml`.
    pub next: String,
}

/// What takes a mask out of a flow again.
#[derive(Debug, Clone)]
pub(super) struct MaskStep {
    /// What was written.
    pub written: MaskWritten,
    source: Arc<Source>,
    text: String,
}

impl MaskStep {
    /// The flow as it was before.
    ///
    /// # Errors
    /// It was edited since: it stays as it is.
    pub fn take_back(&self, root: &Utf8Path) -> Result<(), ReviewError> {
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

/// How a step takes its rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct RowScope {
    /// It takes one element, so that places are not those of the display.
    own_frame: bool,
    /// What stands in its rows instead of what the device said: no selector finds it there.
    aliases: Vec<String>,
}

/// What holds for all snapshots, unless their step says otherwise.
pub(super) struct Defaults<'a> {
    /// Masks of those that have none of their own: a list of its own takes their place, so it repeats them.
    pub masks: &'a Value,
    /// Redactions, beside those of the step.
    pub redactions: &'a Redactions,
}

/// Writes the mask at a step; `lines` are the rows of both sides.
pub(super) fn write(
    root: &Utf8Path,
    step: &GoldenPlace,
    lines: &[RowLine],
    defaults: &Defaults<'_>,
    target: &MaskTarget,
) -> Result<MaskStep, ReviewError> {
    let mut taking = edit::taking(&step.source, &step.span);
    let everywhere = defaults.redactions.rules().map(|rule| rule.alias.clone());
    taking.aliases.extend(everywhere);
    // A secret stands as this in the rows, and not on the device.
    taking.aliases.push(secret::MASK.to_owned());
    let mask = match target {
        MaskTarget::Row(number) => choose::of_row(lines, *number, &taking),
        MaskTarget::Area(area) => choose::of_area(*area, taking.own_frame),
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
        written: MaskWritten {
            place: FlowPlace {
                file: step.source.path.clone(),
                line,
                column,
            },
            mask,
            next: format!("runner test {}", quote(step.flow.as_str())),
        },
        source: Arc::clone(&step.source),
        text: edited.text,
    })
}

/// Writes the file, unless it is another by now.
fn replace(root: &Utf8Path, source: &Arc<Source>, text: &str) -> Result<(), ReviewError> {
    ensure_unchanged(root, source)?;
    put(root, &source.path, text)
}

/// Refuses a file that is another by now.
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

/// Writes the file in one piece, unless a link leads out of the root.
fn put(root: &Utf8Path, path: &Utf8Path, text: &str) -> Result<(), ReviewError> {
    let real = real_in_root(root, path)?;
    write_durable(&real, text.as_bytes()).map_err(|source| ReviewError::File { path: real, source })
}

/// Returns the path of a file without links, unless one leads out of the root.
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
