//! Connects a toolbox to the protocol's library.

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
use super::result::CACHE_TTL_MS;
use runner_tools::Caller;

/// Time in which a client that disconnected during a call may come back for the answer, as the protocol
/// allows. Chosen: with less, a client on a bad network loses its answer; with more, a call that nobody wants
/// holds the device.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(6);

/// Marks, in a request's extensions, that the answer must be a single message: no notification can precede
/// it.
#[derive(Debug, Clone, Copy)]
pub(super) struct OneMessage;

/// Server of a toolbox to one client. Clones share the client.
#[derive(Clone)]
pub struct Server {
    toolbox: Arc<dyn Toolbox>,
    threshold: Threshold,
    caller: Option<Caller>,
}

impl Server {
    /// Creates a server without a session: the end of the client is not known. Its calls have no caller of
    /// their own, and messages begin at the level `info`.
    pub fn new(toolbox: Arc<dyn Toolbox>) -> Self {
        Self {
            toolbox,
            threshold: Threshold::default(),
            caller: None,
        }
    }

    /// Creates a server for the client of one session, which is the caller of all its calls.
    pub(super) fn in_session(toolbox: Arc<dyn Toolbox>) -> Self {
        Self {
            caller: Some(Caller::that_ends()),
            ..Self::new(toolbox)
        }
    }
}

/// Runs `work` until the client cancels it, ends its session, or disconnects and does not come back within 6 s; without
/// a session it does not wait. Then it drops the work and returns an internal error. Over standard input and output only
/// cancelling counts. A panic of the work is an error too.
async fn until_cancelled<T>(
    context: &RequestContext<RoleServer>,
    work: impl Future<Output = Result<T, ErrorData>>,
) -> Result<T, ErrorData> {
    let gone = Disconnect::from_request(context);
    let cancelled = context.ct.clone();
    let left = async {
        match gone {
            Some(gone) => {
                gone.wait(RECONNECT_TIMEOUT).await;
            }
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        done = catch_panic(work) => done,
        () = cancelled.cancelled() => Err(ErrorData::internal_error("the call was cancelled", None)),
        () = left => Err(ErrorData::internal_error("the client is gone", None)),
    }
}

/// Runs `work` and turns a panic into an internal error without its message, because a call without an answer
/// would wait forever.
async fn catch_panic<T>(work: impl Future<Output = Result<T, ErrorData>>) -> Result<T, ErrorData> {
    let mut work = pin!(work);
    std::future::poll_fn(|context| {
        catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))).unwrap_or_else(|_| {
            let message = "the server failed; this is a bug, and standard error says more";
            Poll::Ready(Err(ErrorData::internal_error(message, None)))
        })
    })
    .await
}

/// Returns the time that the client may cache what stays the same while the server runs. `None` in revisions
/// with a handshake, which have no field for it.
fn cache_ttl(context: &RequestContext<RoleServer>) -> Option<u64> {
    let revision = context.protocol_version()?;
    (!revision.has_initialize()).then_some(CACHE_TTL_MS)
}

/// Methods of the protocol that take parameters.
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

/// Returns the reason why parameters do not parse as `T`. If they do, the reason must be in `_meta`.
fn parameter_error<T: DeserializeOwned>(params: Value) -> String {
    match serde_json::from_value::<T>(params) {
        Ok(_) => "`_meta` is not as it should be".to_owned(),
        Err(error) => error.to_string(),
    }
}

impl ServerHandler for Server {
    /// Returns the name and version of this program, with the toolbox's capabilities and instructions.
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(self.toolbox.capabilities())
            .with_server_info(
                Implementation::new("runner", env!("CARGO_PKG_VERSION"))
                    .with_title("runner: Android devices and tests"),
            )
            .with_instructions(self.toolbox.instructions())
    }

    /// Supports all revisions but 2025-03-26, which demands batches. They came with it and went with the next
    /// one.
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let known = ProtocolVersion::KNOWN_VERSIONS.iter();
        let without = known.filter(|it| **it != ProtocolVersion::V_2025_03_26);
        Cow::Owned(without.cloned().collect())
    }

    /// Negotiates the revision of the protocol, and keeps what the client says of itself for its connection. A client
    /// that asks for 2025-03-26 gets 2024-11-05, the one before it, which it knows for certain.
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

    /// Answers what the handshake says in earlier revisions.
    async fn discover(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info()).with_ttl_ms(CACHE_TTL_MS))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let client = Client::new(context.peer, self.threshold.clone());
        self.toolbox.add_client(client);
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.threshold.set(request.level);
        Ok(())
    }

    /// Lists all tools on one page. The client may keep the list if the toolbox has fixed tools and the client knows of
    /// that.
    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = ListToolsResult::with_all_items(self.toolbox.tools().await);
        if self.toolbox.has_fixed_tools() {
            list.ttl_ms = cache_ttl(&context);
        }
        Ok(list)
    }

    /// Calls a tool as the session's caller, until it is cancelled or the client is gone, which is an error. Missing
    /// arguments are an empty object. A tool that fails is no error but a result. If the answer must be a single
    /// message, requests for progress and logs are dropped.
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
            // The answer must be a single message, so requests for progress and logs are dropped.
            context.meta = RequestMetaObject::default();
        }
        let call = self.toolbox.call(&request.name, arguments, context.clone());
        Ok(until_cancelled(&context, call).await?.into())
    }

    /// Answers messages that the protocol's library did not recognise, always with an error: an unknown
    /// method, or parameters that do not fit, with the reason. The name is cut to 100 characters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // The answer repeats the name, which may have any length.
        let method: String = request.method.chars().take(100).collect();
        if !METHODS.contains(&method.as_str()) {
            let message = format!("no method `{method}`");
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
        }
        let params = request.params.unwrap_or_default();
        let reason = match method.as_str() {
            "tools/call" => parameter_error::<CallToolRequestParams>(params),
            "resources/read" => parameter_error::<ReadResourceRequestParams>(params),
            "prompts/get" => parameter_error::<GetPromptRequestParams>(params),
            "logging/setLevel" => parameter_error::<SetLevelRequestParams>(params),
            _ => "the protocol says which there are".to_owned(),
        };
        let message = format!("the parameters of `{method}` do not fit: {reason}");
        Err(ErrorData::invalid_params(message, None))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut list = ListResourcesResult::with_all_items(self.toolbox.resources());
        list.ttl_ms = cache_ttl(&context);
        Ok(list)
    }

    /// Lists all templates on one page. The client may keep them if it knows of that.
    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let patterns = self.toolbox.resource_templates();
        let mut list = ListResourceTemplatesResult::with_all_items(patterns);
        list.ttl_ms = cache_ttl(&context);
        Ok(list)
    }

    /// Reads a resource, until the call is cancelled or the client is gone, which is an error. The client may keep it
    /// only if it lasts and the client knows of that.
    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.toolbox.read(&request.uri);
        let mut read = until_cancelled(&context, read).await?;
        read.ttl_ms = read.ttl_ms.and_then(|_| cache_ttl(&context));
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
        until_cancelled(&context, self.toolbox.complete(request)).await
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut list = ListPromptsResult::with_all_items(self.toolbox.prompts());
        list.ttl_ms = cache_ttl(&context);
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
        let error = catch_panic(bug).await.unwrap_err();
        assert!(error.message.contains("this is a bug"), "{error:?}");
    }
}
