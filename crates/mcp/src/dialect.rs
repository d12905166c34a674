//! A dialect: the tools of one catalogue under the names their clients know, and the agent tools beside them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use rmcp::model::{
    CallToolResult, CompleteRequestParams, CompleteResult, GetPromptRequestParams, GetPromptResult,
    JsonObject, Prompt, PromptMessage, ReadResourceResult, Resource, ResourceTemplate, Role, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::clients::Clients;
use super::long_calls::{CallRequest, CallResult, LongCalls, MAX_UNASKED, PATIENCE};
use super::served::{ServedTool, ToolCode};
use super::{
    Client, Dialect, DialectOptions, Severity, Toolbox, completion, envelope, listing, names,
    progress, result,
};
use runner_agent::{CallWatch, DeviceCall, Workspace};
use runner_device::DeviceInfo;
use runner_text::secret::Excerpt;
use runner_tools::{
    self, Body, Call, Caller, Contents, Effect, Failure, FailureKind, Outcome, Progress, Reading,
    semantic,
};

/// How long a list of tools waits for the device it depends on.
const OPEN_LIMIT: Duration = Duration::from_secs(5);

/// Longest name or address that an answer repeats, in characters.
const LONGEST_NAME: usize = 100;

/// Characters of an error that are logged.
const MOST_LOGGED: usize = 500;

/// The tools of one dialect on one device.
#[derive(Debug, Clone)]
pub struct DialectToolbox {
    workspace: Arc<Workspace>,
    options: DialectOptions,
    tools: Arc<Vec<ServedTool>>,
    clients: Arc<Clients>,
    long_calls: Arc<LongCalls>,
    /// All those without a session of their own.
    anybody: Caller,
    watch: Option<Arc<dyn CallWatch>>,
}

/// A call that is watched; its end is reported on drop, so that no client that is gone hides it.
struct WatchedCall<'a>(&'a dyn CallWatch, &'a str, Effect);

impl Drop for WatchedCall<'_> {
    fn drop(&mut self) {
        self.0.ended(self.1, self.2);
    }
}

impl DialectToolbox {
    /// The tools that `options` names, of this workspace.
    pub fn new(workspace: Arc<Workspace>, options: DialectOptions) -> Self {
        Self {
            tools: Arc::new(ServedTool::all(&options)),
            workspace,
            options,
            clients: Arc::default(),
            long_calls: Arc::default(),
            anybody: Caller::default(),
            watch: None,
        }
    }

    /// With somebody who hears of each call, and may refuse it.
    #[must_use]
    pub fn watched_by(mut self, watch: Arc<dyn CallWatch>) -> Self {
        self.watch = Some(watch);
        self
    }

    /// What surrounds a call of this caller.
    fn around_call(&self, caller: Option<&Caller>, progress: &Progress) -> Call {
        let caller = caller.unwrap_or(&self.anybody);
        caller.calls(Instant::now());
        Call {
            progress: progress.clone(),
            caller: caller.clone(),
            ..self.workspace.surroundings()
        }
    }

    /// Calls a tool by its name; `None` where there is none of this name. Nothing in the outcome is secret.
    pub(super) async fn outcome(
        &self,
        name: &str,
        args: Value,
        caller: Option<&Caller>,
        progress: &Progress,
    ) -> Option<Result<Outcome, Failure>> {
        let begun = Instant::now();
        let tool = self.tool(name)?;
        let _watched = match &self.watch {
            None => None,
            Some(watch) => match watch.begins(name, tool.effect) {
                Ok(()) => Some(WatchedCall(&**watch, name, tool.effect)),
                Err(refusal) => return Some(Err(refusal)),
            },
        };
        let call = match &tool.code {
            ToolCode::Registry(entry) => Ok(DeviceCall::new(entry, args)),
            ToolCode::Lean(tool) => tool.call(args),
            ToolCode::Agent(entry) => {
                let outcome = entry.call(&self.workspace, args, progress).await;
                return Some(self.finish(tool, begun, outcome));
            }
        };
        let outcome = match call {
            Ok(call) => self.call_device(call, caller, progress).await,
            Err(failure) => Err(failure),
        };
        Some(self.finish(tool, begun, outcome))
    }

    /// As [`Self::outcome`], in the time that clients wait: a call that takes longer goes on, and says so.
    pub(super) async fn outcome_in_time(
        &self,
        name: &str,
        args: Value,
        caller: Option<&Caller>,
    ) -> CallResult {
        let said = Arc::new(Mutex::new(String::new()));
        let request = CallRequest {
            caller: caller.unwrap_or(&self.anybody).clone(),
            name: name.to_owned(),
            args,
        };
        let work = || {
            let (call, said) = (request.clone(), Arc::clone(&said));
            let toolbox = Self {
                // Else the work would keep itself.
                long_calls: Arc::default(),
                ..self.clone()
            };
            async move {
                let progress = Progress::new(move |_, _, message| {
                    message.clone_into(&mut said.lock().unwrap_or_else(PoisonError::into_inner));
                });
                let CallRequest { caller, name, args } = call;
                toolbox.outcome(&name, args, Some(&caller), &progress).await
            }
        };
        if let Some(result) = self.long_calls.result(request.clone(), work).await {
            return result;
        }
        let tool = self.tool(name)?;
        let said = said.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let waits_for = (!said.is_empty())
            .then_some(said)
            .or_else(|| self.workspace.connection.waits_for());
        let failure = goes_on(name, waits_for);
        let outcome = match &tool.code {
            ToolCode::Registry(entry) => entry.ended_by(failure),
            ToolCode::Lean(_) | ToolCode::Agent(_) => Err(failure),
        };
        Some(result::scrubbed(
            outcome,
            tool.origin(),
            &self.workspace.scrubber,
        ))
    }

    /// Says how long a call took and takes what is secret out of its outcome: here, where all tools pass, so that none can
    /// forget it.
    fn finish(
        &self,
        tool: &ServedTool,
        begun: Instant,
        outcome: Result<Outcome, Failure>,
    ) -> Result<Outcome, Failure> {
        let ms = begun.elapsed().as_millis() as u64;
        tracing::debug!(target: "mcp", tool = tool.name, ms, answered = outcome.is_ok(), "call");
        result::scrubbed(outcome, tool.origin(), &self.workspace.scrubber)
    }

    /// The tool of this name.
    fn tool(&self, name: &str) -> Option<&ServedTool> {
        self.tools.iter().find(|tool| tool.answers_to(name))
    }

    async fn call_device(
        &self,
        call: DeviceCall,
        caller: Option<&Caller>,
        progress: &Progress,
    ) -> Result<Outcome, Failure> {
        // To the end of the call: a run takes the device for itself, and must not do so in the middle.
        let _beside = self.workspace.connection.lock_shared().await;
        let opened = match self.workspace.connection.opened().await {
            Ok(opened) => opened,
            Err(error) => {
                let failure = Failure::from(error);
                self.clients.lost(&failure.message).await;
                return call.entry.ended_by(failure);
            }
        };
        self.clients.found(&opened.target.label).await;
        let around = self.around_call(caller, progress);
        let answer = self
            .workspace
            .call_device(&opened.session, call, around, None)
            .await;
        if !answer.is_lost {
            return answer.outcome;
        }
        let message = format!("device '{}' was lost", opened.target.label);
        self.clients.lost(&message).await;
        answer.outcome.map_err(|failure| {
            failure.with_details([format!(
                "{message}; connect it again and call again: it is looked for anew"
            )])
        })
    }

    /// Says in the log what a call came to.
    async fn log(
        &self,
        tool: &str,
        took: Duration,
        outcome: &Result<Outcome, Failure>,
        asking: Option<Client>,
    ) {
        // It may repeat an argument of any length: a log is read by every client.
        let beginning =
            |message| self.clean(&Excerpt::new(message, MOST_LOGGED).ending("").to_string());
        let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let (severity, message) = match outcome {
            Ok(_) => (Severity::Debug, json!({ "tool": tool, "ms": milliseconds })),
            Err(failure) => (
                Severity::Info,
                json!({ "tool": tool, "ms": milliseconds, "error": beginning(&failure.message) }),
            ),
        };
        if let Some(client) = asking {
            client.log(severity, message.clone()).await;
        }
        self.clients.log(severity, message).await;
    }

    /// Why there is no such tool, with the name that was probably meant.
    fn unknown(&self, name: &str) -> ErrorData {
        let known = self.tools.iter().map(|tool| tool.name.as_str());
        // What all names begin with says nothing of which is meant.
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
        let displayed = Excerpt::new(name, LONGEST_NAME);
        let message = match nearest {
            Some((_, nearest)) => {
                format!("no tool `{displayed}`; did you mean `{nearest}`? tools/list names all")
            }
            None => format!("no tool `{displayed}`; tools/list names all"),
        };
        ErrorData::invalid_params(self.clean(&message), None)
    }

    /// The device, opened only where a tool depends on what it can do; nothing where that fails or takes long.
    async fn device_where_it_matters(&self) -> Option<DeviceInfo> {
        if self.tools.iter().all(|tool| tool.needs().is_none()) {
            return None;
        }
        let opened = timeout(OPEN_LIMIT, self.workspace.connection.opened()).await;
        Some(opened.ok()?.ok()?.session.device().info().clone())
    }

    pub(super) fn all_resources(&self) -> Vec<runner_tools::Resource> {
        let mut resources = Vec::new();
        if self.has_screen_resources() {
            resources.extend(semantic::resources());
        }
        if !self.options.no_agent_tools {
            resources.extend(runner_agent::resources(&self.workspace));
        }
        resources
    }

    fn has_screen_resources(&self) -> bool {
        self.options.dialect == Dialect::Semantic && !self.options.is_lean()
    }

    /// The text with nothing secret in it.
    pub(super) fn clean(&self, text: &str) -> String {
        self.workspace.scrubber.scrub_outside(text).into_owned()
    }

    /// Reads a resource; nothing in it is secret.
    pub(super) async fn contents(&self, uri: &str) -> Reading {
        match self.raw_contents(uri).await {
            Ok(contents) => Ok(contents.map(|contents| Contents {
                body: match contents.body {
                    Body::Text(text) => Body::Text(self.clean(&text)),
                    bytes @ Body::Bytes(_) => bytes,
                },
                ..contents
            })),
            Err(failure) => Err(Failure {
                message: failure.message.scrubbed(&self.workspace.scrubber),
                ..failure
            }),
        }
    }

    async fn raw_contents(&self, uri: &str) -> Reading {
        if self.has_screen_resources() && semantic::may_be_resource(uri) {
            let read = async {
                let _beside = self.workspace.connection.lock_shared().await;
                let opened = self.workspace.connection.opened().await?;
                semantic::read(&opened.session, uri).await
            };
            let Ok(contents) = timeout(PATIENCE, read).await else {
                return Err(not_read(self.workspace.connection.waits_for()));
            };
            if let Some(contents) = contents? {
                return Ok(Some(contents));
            }
        }
        if self.options.no_agent_tools {
            return Ok(None);
        }
        runner_agent::read(&self.workspace, uri).await
    }
}

/// The answer to a call that takes longer than clients wait.
fn goes_on(name: &str, waits_for: Option<String>) -> Failure {
    let waits_for = waits_for.unwrap_or_else(|| "the device has not answered yet".to_owned());
    let message = format!(
        "`{name}` goes on after {} s: {waits_for}",
        PATIENCE.as_secs()
    );
    Failure::new(FailureKind::Timeout, message).with_details([format!(
        "call `{name}` again with the same arguments: it waits on and does nothing twice. After {} s without that it is cancelled",
        MAX_UNASKED.as_secs()
    )])
}

/// The answer to a resource that the device does not give in time.
fn not_read(waits_for: Option<String>) -> Failure {
    let waits_for = waits_for.unwrap_or_else(|| "the device does not answer".to_owned());
    let message = format!(
        "not read within {} s: {waits_for}; read it again",
        PATIENCE.as_secs()
    );
    Failure::new(FailureKind::Timeout, message)
}

#[async_trait]
impl Toolbox for DialectToolbox {
    fn instructions(&self) -> String {
        self.options.instructions()
    }

    fn joined(&self, client: Client) {
        self.clients.add(client);
    }

    async fn message(&self, message: Value) -> Option<Value> {
        if self.options.dialect != Dialect::Semantic {
            return None;
        }
        Some(envelope::answer(self, message).await)
    }

    fn tools_last(&self) -> bool {
        self.tools.iter().all(|tool| tool.needs().is_none())
    }

    async fn tools(&self) -> Vec<Tool> {
        let device = self.device_where_it_matters().await;
        let available = |tool: &&ServedTool| tool.is_available(device.as_ref());
        self.tools
            .iter()
            .filter(available)
            .map(listing::tool)
            .collect()
    }

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
            self.outcome_in_time(name, args, caller).await
        };
        let Some(outcome) = outcome else {
            return Err(self.unknown(name));
        };
        self.log(
            name,
            begun.elapsed(),
            &outcome,
            Client::of_request(&context),
        )
        .await;
        let result = result::of(outcome, tool.origin());
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

    async fn read(&self, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        match self.contents(uri).await {
            Ok(Some(contents)) => Ok(result::of_resource(contents, uri)),
            Ok(None) => {
                let display = Excerpt::new(uri, LONGEST_NAME);
                let message = format!("no resource `{display}`; resources/list names them");
                Err(ErrorData::resource_not_found(self.clean(&message), None))
            }
            Err(failure) => Err(ErrorData::internal_error(
                self.clean(&failure.message),
                None,
            )),
        }
    }

    async fn complete(&self, request: CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
        completion::answer(&self.workspace, &self.options, request)
            .await
            .map_err(|failure| ErrorData::internal_error(self.clean(&failure.message), None))
    }

    fn prompts(&self) -> Vec<Prompt> {
        let prompts = runner_agent::prompts(&|name| self.options.has_agent_tool(name));
        prompts.into_iter().map(listing::prompt).collect()
    }

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
                let displayed = Excerpt::new(&request.name, LONGEST_NAME);
                let message = format!("no prompt `{displayed}`; prompts/list names them");
                Err(ErrorData::invalid_params(self.clean(&message), None))
            }
            Err(failure) => Err(ErrorData::invalid_params(
                self.clean(&failure.message),
                None,
            )),
        }
    }
}

#[cfg(test)]
mod tests;
