//! The protocol's side of a toolbox.

#![expect(
    deprecated,
    reason = "log levels and subscriptions belong to all revisions of the protocol but the newest"
)]

use std::borrow::Cow;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse,
    Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, RequestMetaObject,
    ServerConfig, SetLevelRequestParams, SubscribeRequestParams, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Toolbox;
use super::client::{Client, Threshold};
use super::disconnect::Disconnect;
use super::endpoint::OneMessage;
use super::result::LASTING_MS;
use runner_tools::Caller;

/// A client that hung up in mid-call may come back for the answer within this time, as the protocol allows.
const COMING_BACK: Duration = Duration::from_secs(6);

/// Serves a toolbox to one client; clones share the client.
#[derive(Clone)]
pub struct Server {
    toolbox: Arc<dyn Toolbox>,
    threshold: Threshold,
    caller: Option<Caller>,
}

impl Server {
    /// A server for this toolbox, to a client of which nobody knows when it ends.
    pub fn new(toolbox: Arc<dyn Toolbox>) -> Self {
        Self {
            toolbox,
            threshold: Threshold::default(),
            caller: None,
        }
    }

    /// A server for this toolbox, to the client of one session.
    pub(super) fn in_session(toolbox: Arc<dyn Toolbox>) -> Self {
        Self {
            caller: Some(Caller::that_ends()),
            ..Self::new(toolbox)
        }
    }
}

/// Does `work` until the client cancels it or is gone; what it began on the device then stops.
async fn while_wanted<T>(
    context: &RequestContext<RoleServer>,
    work: impl Future<Output = Result<T, ErrorData>>,
) -> Result<T, ErrorData> {
    let gone = context
        .extensions
        .get::<Parts>()
        .and_then(|parts| parts.extensions.get::<Disconnect>())
        .cloned();
    let cancelled = context.ct.clone();
    let left = async {
        match gone {
            Some(gone) => {
                gone.gone_for(COMING_BACK).await;
            }
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        done = unless_it_panics(work) => done,
        () = cancelled.cancelled() => Err(ErrorData::internal_error("the call was cancelled", None)),
        () = left => Err(ErrorData::internal_error("the client is gone", None)),
    }
}

/// Does `work`; a bug in it is an answer too, for a call without one waits forever.
async fn unless_it_panics<T>(
    work: impl Future<Output = Result<T, ErrorData>>,
) -> Result<T, ErrorData> {
    let mut work = pin!(work);
    std::future::poll_fn(|context| {
        catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))).unwrap_or_else(|_| {
            let message = "the server failed; this is a bug, and standard error says more";
            Poll::Ready(Err(ErrorData::internal_error(message, None)))
        })
    })
    .await
}

/// How long the client may keep what stays the same while the server runs. Revisions with a handshake have no word for it.
fn lasting(context: &RequestContext<RoleServer>) -> Option<u64> {
    let revision = context.protocol_version()?;
    (!revision.has_initialize()).then_some(LASTING_MS)
}

/// The methods that have parameters.
const METHODS: [&str; 13] = [
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "server/discover",
    "tools/call",
    "tools/list",
];

/// Why parameters do not read.
fn why<T: DeserializeOwned>(params: Value) -> String {
    match serde_json::from_value::<T>(params) {
        Ok(_) => "`_meta` is not as it should be".to_owned(),
        Err(error) => error.to_string(),
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(self.toolbox.capabilities())
            .with_server_info(
                Implementation::new("runner", env!("CARGO_PKG_VERSION"))
                    .with_title("runner: Android devices and tests"),
            )
            .with_instructions(self.toolbox.instructions())
    }

    /// All but 2025-03-26, which demands batches. They came with it and went with the next.
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let known = ProtocolVersion::KNOWN_VERSIONS.iter();
        let without = known.filter(|it| **it != ProtocolVersion::V_2025_03_26);
        Cow::Owned(without.cloned().collect())
    }

    /// Who asks for 2025-03-26 speaks the revision before it too, and not always a later one.
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut answer = self.negotiate_initialize(&request)?;
        if request.protocol_version == ProtocolVersion::V_2025_03_26 {
            answer.protocol_version = ProtocolVersion::V_2024_11_05;
        }
        Ok(answer)
    }

    /// What the handshake tells in earlier revisions.
    async fn discover(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info()).with_ttl_ms(LASTING_MS))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let client = Client::new(context.peer, self.threshold.clone());
        self.toolbox.joined(client);
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.threshold.set(request.level);
        Ok(())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = ListToolsResult::with_all_items(self.toolbox.tools().await);
        if self.toolbox.tools_last() {
            list.ttl_ms = lasting(&context);
        }
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        if let Some(caller) = &self.caller {
            context.extensions.insert(caller.clone());
        }
        let parts = context.extensions.get::<Parts>();
        if parts.is_some_and(|parts| parts.extensions.get::<OneMessage>().is_some()) {
            // Nothing that it asked for may come before the answer.
            context.meta = RequestMetaObject::default();
        }
        let call = self.toolbox.call(&request.name, arguments, context.clone());
        Ok(while_wanted(&context, call).await?.into())
    }

    /// What the protocol's library did not recognise: no method at all, or one with parameters of another shape.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // It may be of any length, and the answer repeats it.
        let method: String = request.method.chars().take(100).collect();
        if !METHODS.contains(&method.as_str()) {
            let message = format!("no method `{method}`");
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
        }
        let params = request.params.unwrap_or_default();
        let why = match method.as_str() {
            "tools/call" => why::<CallToolRequestParams>(params),
            "resources/read" => why::<ReadResourceRequestParams>(params),
            "prompts/get" => why::<GetPromptRequestParams>(params),
            "logging/setLevel" => why::<SetLevelRequestParams>(params),
            _ => "the protocol says which there are".to_owned(),
        };
        let message = format!("the parameters of `{method}` do not fit: {why}");
        Err(ErrorData::invalid_params(message, None))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut list = ListResourcesResult::with_all_items(self.toolbox.resources());
        list.ttl_ms = lasting(&context);
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let patterns = self.toolbox.resource_templates();
        let mut list = ListResourceTemplatesResult::with_all_items(patterns);
        list.ttl_ms = lasting(&context);
        Ok(list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.toolbox.read(&request.uri);
        let mut read = while_wanted(&context, read).await?;
        read.ttl_ms = read.ttl_ms.and_then(|_| lasting(&context));
        Ok(read.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.toolbox.subscribe(&request.uri, context).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.toolbox.unsubscribe(&request.uri, context).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        while_wanted(&context, self.toolbox.complete(request)).await
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut list = ListPromptsResult::with_all_items(self.toolbox.prompts());
        list.ttl_ms = lasting(&context);
        Ok(list)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(self.toolbox.prompt(request).await?.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_bug_is_answered() {
        let bug = async {
            tokio::task::yield_now().await;
            assert!(std::hint::black_box(false), "a bug");
            Ok(())
        };
        let error = unless_it_panics(bug).await.unwrap_err();
        assert!(error.message.contains("this is a bug"), "{error:?}");
    }
}
