//! A flow of Maestro's, taken over as one of our own: by the engine of `runner import maestro`.

use super::super::StudioError;
use super::super::file::{Content, FlowFile, SaveResult};
use runner_flow::maestro;

/// Writes the flow under a new name, which is the page's flow from then on; of one that cannot be said the line and why.
pub(super) fn take_over(file: &FlowFile, name: &str) -> Result<Content, StudioError> {
    let path = file.path().ok_or(StudioError::NotMaestro)?;
    let (flow, _) = file.flow(&file.read()?.text)?;
    let flow = flow.ok_or(StudioError::DoesNotRead)?;
    if flow.maestro().is_none() {
        return Err(StudioError::NotMaestro);
    }
    let text = maestro::import_one(&flow).map_err(|(line, why)| {
        StudioError::File(format!(
            "{path}:{line}: {why}; it stays a flow of Maestro's"
        ))
    })?;
    let text = format!("# Taken over from {path}\n{text}");
    match file.save(text, "", Some(name))? {
        SaveResult::Saved(content) => Ok(content),
        SaveResult::Conflict(_) => Err(StudioError::Changed),
    }
}
