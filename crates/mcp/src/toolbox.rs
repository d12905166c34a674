//! Defines what a server serves: tools, resources and prompts.

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
    /// Returns the server's instructions for the agent.
    fn instructions(&self) -> String;

    /// Returns the capabilities that the server announces: by default logging, completions, prompts, resources and
    /// tools.
    #[expect(
        deprecated,
        reason = "only the newest revision of the protocol drops logging; clients of the others use it"
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

    /// Receives a client that finished its handshake. The toolbox may send it log messages from now on.
    fn add_client(&self, client: Client) {
        drop(client);
    }

    /// Returns true if the list of tools stays the same as long as the server runs, so that clients may cache
    /// it. Lists of resources and prompts always do.
    fn has_fixed_tools(&self) -> bool {
        true
    }

    /// Returns the tools for `tools/list`.
    async fn tools(&self) -> Vec<Tool>;

    /// Calls a tool. A tool that fails is an `Ok` result with `is_error`; `Err` is for calls that reach no
    /// tool.
    async fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData>;

    /// Returns the resources with a fixed address. By default there are none.
    fn resources(&self) -> Vec<Resource> {
        Vec::new()
    }

    /// Returns the URI templates of further resources. By default there are none.
    fn resource_templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// Reads a resource by its address. By default there is none, which is an error.
    async fn read(&self, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        Err(ErrorData::resource_not_found(
            format!("no resource `{uri}`"),
            None,
        ))
    }

    /// Subscribes a client to changes of a resource. By default this is refused with an error that says to
    /// read it again.
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

    /// Ends a subscription. By default nothing happens, which is a success.
    async fn unsubscribe(
        &self,
        uri: &str,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let _ = (uri, context);
        Ok(())
    }

    /// Returns completions for an argument of a prompt, or for a part of a resource's address. By default
    /// there are none.
    async fn complete(&self, request: CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
        drop(request);
        Ok(CompleteResult::default())
    }

    /// Answers a message of the toolbox's own envelope, outside the protocol. `None` if it has no envelope.
    async fn message(&self, message: Value) -> Option<Value> {
        drop(message);
        None
    }

    fn prompts(&self) -> Vec<Prompt> {
        Vec::new()
    }

    /// Returns a prompt with its arguments filled in. By default there is none, which is an error.
    async fn prompt(&self, request: GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
        Err(ErrorData::invalid_params(
            format!("no prompt `{}`", request.name),
            None,
        ))
    }
}
