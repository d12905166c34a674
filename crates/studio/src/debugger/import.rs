//! Converts a flow of Maestro's to our language, with the code of `runner import maestro`.

use super::super::StudioError;
use super::super::file::{Content, FlowFile, SaveResult};
use runner_flow::maestro;

/// Writes the converted flow of Maestro's under a new name; it becomes the page's flow. The file of Maestro's
/// stays. A first line says where the new one is from. Tells no page.
///
/// # Errors
/// Returns line and reason if the flow cannot be converted, such as one that runs another flow. Also an error if it is
/// no flow of Maestro's or has no file, or the new name is taken.
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
