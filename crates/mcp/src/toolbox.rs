//! What a server serves.

use async_trait::async_trait;
use rmcp::ErrorData;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResult, CompleteRequestParams, CompleteResult, GetPromptRequestParams, GetPromptResult,
    JsonObject, Prompt, ReadResourceResult, Resource, ResourceTemplate, ServerCapabilities, Tool,
};
use rmcp::service::RequestContext;
use serde_json::Value;

use super::Client;

/// Tools, resources and prompts of one endpoint. All its clients share it.
#[async_trait]
pub trait Toolbox: Send + Sync + 'static {
    /// What the server is for, for the agent.
    fn instructions(&self) -> String;

    /// The capabilities that the server announces.
    #[expect(
        deprecated,
        reason = "only the newest revision of the protocol gives up logging"
    )]
    fn capabilities(&self) -> ServerCapabilities {
        ServerCapabilities::builder()
            .enable_logging()
            .enable_completions()
            .enable_prompts()
            .enable_resources()
            .enable_tools()
            .build()
    }

    /// A client is there now, and may be notified.
    fn joined(&self, client: Client) {
        drop(client);
    }

    /// Whether the list of tools is the same as long as the server runs. Those of resources and prompts always are.
    fn tools_last(&self) -> bool {
        true
    }

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

    /// A client wants to know when a resource changes.
    async fn subscribe(
        &self,
        uri: &str,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        drop(context);
        Err(ErrorData::invalid_request(
            format!("`{uri}` cannot be subscribed to; read it again instead"),
            None,
        ))
    }

    /// A client no longer wants to know.
    async fn unsubscribe(
        &self,
        uri: &str,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let _ = (uri, context);
        Ok(())
    }

    /// What an argument of a prompt, or a part of a resource's address, may go on with.
    async fn complete(&self, request: CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
        drop(request);
        Ok(CompleteResult::default())
    }

    /// The answer to a message outside the protocol, where the toolbox has an envelope of its own.
    async fn message(&self, message: Value) -> Option<Value> {
        drop(message);
        None
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
