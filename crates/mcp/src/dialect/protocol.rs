//! Answers the protocol's requests with the tools, resources and prompts of a dialect.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use axum::http::header;
use axum::http::request::Parts;
use rmcp::model::{
    CallToolResult, CompleteRequestParams, CompleteResult, GetPromptRequestParams, GetPromptResult,
    JsonObject, Prompt, PromptMessage, ReadResourceResult, Resource, ResourceTemplate, Role, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::DialectToolbox;
use crate::disconnect::Disconnect;
use crate::served_tools::ServedTool;
use crate::{
    Client, Dialect, DialectOptions, Severity, Toolbox, completion, envelope, listing, names,
    progress, result,
};
use runner_device::DeviceInfo;
use runner_text::secret::Excerpt;
use runner_tools::{Caller, Failure, Words};

/// Time that `tools/list` waits for a device whose capabilities decide what is listed. Chosen: an open
/// connection answers in milliseconds, and clients wait for the list before they show anything.
const OPEN_LIMIT: Duration = Duration::from_secs(5);

/// Characters of a name or an address that an error repeats. Chosen: real names fit; a longer one only makes
/// the error long.
const MAX_NAME_CHARS: usize = 100;

/// Characters of an error that go to the clients' logs. Chosen: the first sentences; every client reads every
/// entry.
const MAX_LOGGED_CHARS: usize = 500;

#[async_trait]
impl Toolbox for DialectToolbox {
    fn instructions(&self) -> String {
        self.options.instructions()
    }

    fn add_client(&self, client: Client) {
        self.clients.add(client);
    }

    /// Answers a message that is no request of the protocol; only the semantic dialect has such, the others return
    /// `None`.
    async fn message(&self, message: Value) -> Option<Value> {
        if self.options.dialect != Dialect::Semantic {
            return None;
        }
        Some(envelope::answer(self, message).await)
    }

    fn has_fixed_tools(&self) -> bool {
        self.tools.iter().all(|tool| tool.needs().is_none())
    }

    /// Lists the tools in the toolbox's order. Those that need a capability are left out if the device lacks it, or
    /// cannot be opened in time.
    async fn tools(&self) -> Vec<Tool> {
        let device = self.device_if_needed().await;
        let available = |tool: &&ServedTool| tool.is_available(device.as_ref());
        self.tools
            .iter()
            .filter(available)
            .map(listing::tool)
            .collect()
    }

    /// Calls the tool, and logs the outcome to all clients. A failure of the tool is a result with `isError`; only an
    /// unknown tool is an error of the protocol. A caller with a progress token gets progress and waits as long as it
    /// takes; another is answered within 40 s, if need be with the failure that says how to fetch the result.
    async fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let begun = Instant::now();
        let args = Value::Object(arguments);
        let caller = context.extensions.get::<Caller>();
        let usual = self.workspace.config.step_timeout.value;
        let Some(tool) = self.tool(name) else {
            return Err(self.unknown(name));
        };
        let limit = tool.limit(&args, usual);
        let outcome = if context.meta.get_progress_token().is_some() {
            let work = async |progress| self.outcome(name, args, caller, &progress).await;
            progress::with_progress(&context, &self.workspace.scrubber, limit, work).await
        } else {
            let client = (
                describe_client(&context),
                Disconnect::from_request(&context),
            );
            self.outcome_in_time(name, args, caller, client).await
        };
        let Some(outcome) = outcome else {
            return Err(self.unknown(name));
        };
        self.log(
            name,
            begun.elapsed(),
            result::failure(&outcome, tool.origin()),
            Client::from_request(&context),
        )
        .await;
        let result = result::from_outcome(outcome, tool.origin());
        let revision = context.protocol_version();
        Ok(result::for_revision(result, revision.as_ref()))
    }

    fn resources(&self) -> Vec<Resource> {
        let all = self.all_resources();
        let fixed = all.iter().filter(|resource| !resource.template);
        fixed.map(listing::resource).collect()
    }

    fn resource_templates(&self) -> Vec<ResourceTemplate> {
        let all = self.all_resources();
        let patterns = all.iter().filter(|resource| resource.template);
        patterns.map(listing::template).collect()
    }

    /// Answers `resources/read`. All errors are masked; an unknown address is one of its own kind, all others are
    /// internal errors.
    async fn read(&self, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        match self.contents(uri).await {
            Ok(Some(contents)) => Ok(result::from_contents(contents, uri)),
            Ok(None) => {
                let display = Excerpt::new(uri, MAX_NAME_CHARS);
                let message = format!("no resource `{display}`; resources/list names them");
                Err(ErrorData::resource_not_found(self.clean(&message), None))
            }
            Err(failure) => Err(ErrorData::internal_error(
                self.clean(&failure.message.to_string()),
                None,
            )),
        }
    }

    /// Answers `completion/complete`. A project that cannot be read is an internal error, which is masked.
    async fn complete(&self, request: CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
        completion::answer(&self.workspace, &self.options, request)
            .await
            .map_err(|failure| {
                ErrorData::internal_error(self.clean(&failure.message.to_string()), None)
            })
    }

    fn prompts(&self) -> Vec<Prompt> {
        let prompts = runner_agent::prompts(&|name| self.options.has_agent_tool(name));
        prompts.into_iter().map(listing::prompt).collect()
    }

    /// Answers `prompts/get` with the prompt's text, its arguments filled in. Arguments that are no texts are taken as
    /// JSON. An unknown prompt, and a required argument that is missing, are errors of invalid parameters.
    async fn prompt(&self, request: GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
        let arguments = request
            .arguments
            .unwrap_or_default()
            .into_iter()
            .map(|(name, value)| match value {
                Value::String(text) => (name, text),
                other => (name, other.to_string()),
            })
            .collect();
        let has = |name: &str| self.options.has_agent_tool(name);
        match runner_agent::fill(&request.name, &arguments, &has) {
            Ok(Some(text)) => Ok(GetPromptResult::new(vec![PromptMessage::new_text(
                Role::User,
                self.clean(&text),
            )])),
            Ok(None) => {
                let displayed = Excerpt::new(&request.name, MAX_NAME_CHARS);
                let message = format!("no prompt `{displayed}`; prompts/list names them");
                Err(ErrorData::invalid_params(self.clean(&message), None))
            }
            Err(failure) => Err(ErrorData::invalid_params(
                self.clean(&failure.message.to_string()),
                None,
            )),
        }
    }
}

/// Returns what a client says of itself: its name and version, and its `User-Agent`. Clients without a session cannot be
/// told apart by more.
fn describe_client(context: &RequestContext<RoleServer>) -> String {
    let parts = context.extensions.get::<Parts>();
    let agent = parts.and_then(|parts| parts.headers.get(header::USER_AGENT));
    format!("{:?} {agent:?}", context.client_info())
}

impl DialectToolbox {
    /// Sends the outcome of a call to all clients, and to `asking`, which set a log level in its request. A success has
    /// the severity `debug`, one with a `failure` `info` with its message, masked and cut to 500 characters.
    async fn log(
        &self,
        tool: &str,
        took: Duration,
        failure: Option<&Failure>,
        asking: Option<Client>,
    ) {
        // The message may repeat an argument of any length, and every client reads the log.
        let beginning =
            |message: &Words| self.clean(&message.excerpt(MAX_LOGGED_CHARS).ending("").to_string());
        let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let (severity, message) = match failure {
            None => (Severity::Debug, json!({ "tool": tool, "ms": milliseconds })),
            Some(failure) => (
                Severity::Info,
                json!({ "tool": tool, "ms": milliseconds, "error": beginning(&failure.message) }),
            ),
        };
        if let Some(client) = asking {
            client.log(severity, message.clone()).await;
        }
        self.clients.log(severity, message).await;
    }

    /// Returns the error for a tool that this endpoint does not have: with the address of the other one if that has it,
    /// else with the most similar name as a suggestion, if one is similar enough. Prefixes and case do not count. The
    /// name is masked and cut to 100 characters.
    fn unknown(&self, name: &str) -> ErrorData {
        let displayed = Excerpt::new(name, MAX_NAME_CHARS);
        if let Some((part, address)) = self.options.part.other() {
            let options = DialectOptions {
                part,
                ..self.options.clone()
            };
            let mut tools = ServedTool::all(&options).into_iter();
            if tools.any(|tool| tool.answers_to(name)) {
                let message = format!("the tool `{displayed}` is at this server's {address}");
                return ErrorData::invalid_params(self.clean(&message), None);
            }
        }
        let known = self.tools.iter().map(|tool| tool.name.as_str());
        // A prefix that all names have would make all of them similar.
        let prefix = self.options.prefix();
        let without_prefix = |name: &str| {
            let bare = [prefix.as_str(), "android_", "runner_"]
                .into_iter()
                .filter(|prefix| !prefix.is_empty())
                .find_map(|prefix| name.strip_prefix(prefix));
            bare.unwrap_or(name).to_lowercase()
        };
        let wanted = without_prefix(name);
        let nearest = known
            .filter_map(|known| Some((names::similarity(&without_prefix(known), &wanted)?, known)))
            .max_by(|(left, _), (right, _)| left.total_cmp(right));
        let message = match nearest {
            Some((_, nearest)) => {
                format!("no tool `{displayed}`; did you mean `{nearest}`? tools/list names all")
            }
            None => format!("no tool `{displayed}`; tools/list names all"),
        };
        ErrorData::invalid_params(self.clean(&message), None)
    }

    /// Opens the device if a tool depends on its capabilities, and returns its description. `None` if no tool
    /// does, or if opening fails or takes longer than [`OPEN_LIMIT`].
    async fn device_if_needed(&self) -> Option<DeviceInfo> {
        if self.tools.iter().all(|tool| tool.needs().is_none()) {
            return None;
        }
        let opened = timeout(OPEN_LIMIT, self.workspace.connection.opened()).await;
        Some(opened.ok()?.ok()?.session.device().info().clone())
    }
}
