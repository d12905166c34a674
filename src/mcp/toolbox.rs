//! What a server serves.

use async_trait::async_trait;
use rmcp::ErrorData;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResult, GetPromptRequestParams, GetPromptResult, JsonObject, Prompt,
    ReadResourceResult, Resource, ResourceTemplate, Tool,
};
use rmcp::service::RequestContext;

/// Tools, resources and prompts of one endpoint. All its clients share it.
#[async_trait]
pub trait Toolbox: Send + Sync + 'static {
    /// What the server is for, for the agent.
    fn instructions(&self) -> String;

    /// The tools.
    async fn tools(&self) -> Vec<Tool>;

    /// Calls a tool. A tool that fails is a result with `is_error`; an `Err` is a call that cannot be routed.
    async fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData>;

    /// The resources.
    fn resources(&self) -> Vec<Resource> {
        Vec::new()
    }

    /// Patterns of further resources.
    fn resource_templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// Reads a resource.
    async fn read(&self, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        Err(ErrorData::resource_not_found(
            format!("no resource `{uri}`"),
            None,
        ))
    }

    /// The prompts.
    fn prompts(&self) -> Vec<Prompt> {
        Vec::new()
    }

    /// A prompt with its arguments filled in.
    async fn prompt(&self, request: GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
        Err(ErrorData::invalid_params(
            format!("no prompt `{}`", request.name),
            None,
        ))
    }
}
