//! Answers `completion/complete`: values for an argument of a prompt, or for a part of a resource's address.

use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};

use super::DialectOptions;
use runner_agent::Workspace;
use runner_tools::Failure;

/// Answers a request with at most as many values as the protocol allows, and says how many there are. With the option
/// `no_agent_tools`, or for an unknown prompt, template or argument, the answer is empty. Secrets are masked.
///
/// # Errors
/// The project cannot be read.
pub(super) async fn answer(
    workspace: &Workspace,
    options: &DialectOptions,
    request: CompleteRequestParams,
) -> Result<CompleteResult, Failure> {
    if options.no_agent_tools {
        return Ok(CompleteResult::default());
    }
    let (name, typed) = (&request.argument.name, &request.argument.value);
    let values = match &request.r#ref {
        Reference::Prompt(prompt) => {
            let has = |tool: &str| options.has_agent_tool(tool);
            runner_agent::complete_prompt(workspace, &prompt.name, name, typed, &has).await?
        }
        Reference::Resource(pattern) => {
            runner_agent::complete_resource(workspace, &pattern.uri, name, typed).await?
        }
        _ => None,
    };
    let values = values.unwrap_or_default();
    let total = values.len();
    let shown = values.iter().take(CompletionInfo::MAX_VALUES);
    let clean = |value: &String| workspace.scrubber.scrub_outside(value).into_owned();
    let mut completion = CompletionInfo::default();
    completion.values = shown.map(clean).collect();
    completion.total = u32::try_from(total).ok();
    completion.has_more = Some(total > CompletionInfo::MAX_VALUES);
    Ok(CompleteResult::new(completion))
}
