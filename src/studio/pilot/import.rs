//! A flow of Maestro's, taken over as one of our own: by the engine of `runner import maestro`.

use serde_json::{Value, json};

use super::super::StudioError;
use super::super::file::{Content, FlowFile, SaveResult};
use crate::config::Config;
use crate::flow::maestro;

/// Writes the flow under a new name, which is the page's flow from then on. Gives also what could not be said, by line.
pub(super) fn take_over(
    file: &FlowFile,
    config: &Config,
    name: &str,
) -> Result<(Content, Vec<Value>), StudioError> {
    let path = file.path().ok_or(StudioError::NotMaestro)?;
    let (flow, _) = file.flow(&file.read()?.text)?;
    let flow = flow.ok_or(StudioError::DoesNotRead)?;
    if flow.maestro().is_none() {
        return Err(StudioError::NotMaestro);
    }
    let full = config.root.join(&path);
    let folder = full.parent().unwrap_or(&config.root);
    let imported = maestro::import(folder, &config.read_options())
        .map_err(|error| StudioError::File(error.to_string()))?;
    let taken = imported.flows.into_iter().find(|flow| flow.from == path);
    let taken = taken.ok_or(StudioError::DoesNotRead)?;
    let text = format!("# Taken over from {path}\n{}", taken.text);
    match file.save(text, "", Some(name))? {
        SaveResult::Saved(content) => {
            let left_out = taken.left_out.into_iter();
            let left_out = left_out.map(|(line, why)| json!({ "line": line, "why": why }));
            Ok((content, left_out.collect()))
        }
        SaveResult::Conflict(_) => Err(StudioError::Changed),
    }
}
