//! Completes arguments of prompts and parts of resource URIs.

use std::collections::BTreeSet;

use super::list_flows::{Index, paths};
use super::prompts::{self, ArgumentValues};
use super::runs::blocking;
use super::{Workspace, resources};
use runner_tools::Failure;

/// Returns the values that complete an argument of a prompt: those that contain what was typed, ignoring case, the best
/// first. `None` if there is no such prompt or argument; `has` says which tools the server has, and thus which prompts.
/// An argument of free text has an empty list.
///
/// # Errors
/// The project cannot be read.
pub async fn complete_prompt(
    workspace: &Workspace,
    prompt: &str,
    argument: &str,
    typed: &str,
    has: &(dyn Fn(&str) -> bool + Sync),
) -> Result<Option<Vec<String>>, Failure> {
    let values = prompts::prompts(&|name| has(name))
        .into_iter()
        .find(|known| known.name == prompt)
        .and_then(|prompt| {
            let mut arguments = prompt.arguments.iter();
            arguments.find(|known| known.name == argument)
        })
        .map(|argument| argument.values);
    let Some(values) = values else {
        return Ok(None);
    };
    Ok(Some(matching(
        possible_values(workspace, values).await?,
        typed,
    )))
}

/// Returns the paths of flows that complete the part `path` of the URI template of flows: those that contain
/// what was typed, ignoring case, the best first. `None` for all other templates and parts.
///
/// # Errors
/// The project cannot be read.
pub async fn complete_resource(
    workspace: &Workspace,
    pattern: &str,
    part: &str,
    typed: &str,
) -> Result<Option<Vec<String>>, Failure> {
    if (pattern, part) != (resources::FLOWS, "path") {
        return Ok(None);
    }
    let flows = possible_values(workspace, ArgumentValues::Flows).await?;
    Ok(Some(matching(flows, typed)))
}

/// Returns all values that an argument may have; none for free text. Reads flows or the store of goldens.
async fn possible_values(
    workspace: &Workspace,
    values: ArgumentValues,
) -> Result<BTreeSet<String>, Failure> {
    Ok(match values {
        ArgumentValues::Free => BTreeSet::new(),
        ArgumentValues::Flows => {
            let config = workspace.config.clone();
            // On a thread for blocking work: a large project takes a while.
            runner_tools::blocking(move || paths(&config)).await??
        }
        ArgumentValues::Apps => Index::read(workspace, None).await?.apps(),
        ArgumentValues::Pending => {
            let config = workspace.config.clone();
            let pending = blocking(move || config.recovered_store()?.pending()).await?;
            pending.iter().map(|entry| entry.key.to_string()).collect()
        }
    })
}

/// Rates how well a value continues what was typed, which must be in lower case; lower is better. `None` if
/// it does not contain it.
fn rank(value: &str, typed: &str) -> Option<u8> {
    let value = value.to_lowercase();
    if value.starts_with(typed) {
        Some(0)
    } else if value.contains(&format!("/{typed}")) {
        Some(1)
    } else {
        value.contains(typed).then_some(2)
    }
}

/// Returns the values that contain what was typed, ignoring case: first those that begin with it, then those
/// with a path part that does, then the others. Within these they are sorted. An empty text matches all.
fn matching(values: BTreeSet<String>, typed: &str) -> Vec<String> {
    let typed = typed.to_lowercase();
    let mut ranked: Vec<(u8, String)> = values
        .into_iter()
        .filter_map(|value| Some((rank(&value, &typed)?, value)))
        .collect();
    ranked.sort();
    ranked.into_iter().map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_with_what_was_typed_comes_first() {
        let values = [
            "flows/a/login.yaml",
            "flows/login.yaml",
            "flows/relogin.yaml",
            "flows/z_relogin/login.yaml",
            "login.yaml",
        ];
        let found = matching(values.map(str::to_owned).into(), "LOG");
        assert_eq!(
            found,
            [
                "login.yaml",
                "flows/a/login.yaml",
                "flows/login.yaml",
                "flows/z_relogin/login.yaml",
                "flows/relogin.yaml"
            ]
        );
        assert_eq!(matching(values.map(str::to_owned).into(), "").len(), 5);
        assert!(matching(values.map(str::to_owned).into(), "x").is_empty());
    }
}
