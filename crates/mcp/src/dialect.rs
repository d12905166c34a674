//! Serves the tools of one dialect: a catalogue under the names its clients know, with the agent tools.

mod protocol;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::Value;
use tokio::time::timeout;

use super::clients::Clients;
use super::disconnect::Disconnect;
use super::long_calls::{CALL_TIMEOUT, CallRequest, CallResult, LongCalls, UNATTENDED_TIMEOUT};
use super::reader::{DialectReader, LeanReader};
use super::served_tools::{ServedTool, ToolCode};
use super::{Dialect, DialectOptions, result};
use runner_agent::{CallWatch, DeviceCall, Workspace};
use runner_tools::{
    self, Body, Call, Caller, Contents, Effect, Failure, FailureKind, JsonReader, Outcome,
    Progress, Reading, advise, semantic,
};

/// Tools of one dialect on one device. Clones share the device, the clients and the long calls.
#[derive(Debug, Clone)]
pub struct DialectToolbox {
    workspace: Arc<Workspace>,
    options: DialectOptions,
    tools: Arc<Vec<ServedTool>>,
    clients: Arc<Clients>,
    long_calls: Arc<LongCalls>,
    /// Caller for all requests outside a session.
    anonymous: Caller,
    watch: Option<Arc<dyn CallWatch>>,
}

/// Reports the end of a watched call when dropped, so that a cancelled call is reported too.
struct WatchedCall<'a>(&'a dyn CallWatch, &'a str, Effect);

impl Drop for WatchedCall<'_> {
    fn drop(&mut self) {
        self.0.ended(self.1, self.2);
    }
}

impl DialectToolbox {
    /// Creates a toolbox of the tools that `options` select. It has no clients yet, and no device is opened.
    pub fn new(workspace: Arc<Workspace>, options: DialectOptions) -> Self {
        Self {
            tools: Arc::new(ServedTool::all(&options)),
            workspace,
            options,
            clients: Arc::default(),
            long_calls: Arc::default(),
            anonymous: Caller::default(),
            watch: None,
        }
    }

    /// Sets an observer, which hears of each call and may refuse it.
    #[must_use]
    pub fn watched_by(mut self, watch: Arc<dyn CallWatch>) -> Self {
        self.watch = Some(watch);
        self
    }

    /// Returns the context of a call: its caller, its progress and the workspace's settings. Without a caller
    /// it is the one that all clients without a session share. The call is recorded as the caller's last.
    fn call_context(&self, caller: Option<&Caller>, progress: &Progress) -> Call {
        let caller = caller.unwrap_or(&self.anonymous);
        caller.calls(Instant::now());
        Call {
            progress: progress.clone(),
            caller: caller.clone(),
            ..self.workspace.surroundings()
        }
    }

    /// Calls a tool and masks the secrets in its outcome. `None` if no tool has this name or alias. If the watch of the
    /// toolbox refuses the call, its failure is the outcome, as it is. The call has no time limit of its own.
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
                let caller = caller.unwrap_or(&self.anonymous);
                let outcome = entry.call(&self.workspace, args, caller, progress).await;
                return Some(self.finish(tool, begun, outcome));
            }
        };
        let outcome = match call {
            Ok(call) => self.call_device(tool, call, caller, progress).await,
            Err(failure) => Err(failure),
        };
        Some(self.finish(tool, begun, outcome))
    }

    /// Calls a tool like [`Self::outcome`], but returns within [`CALL_TIMEOUT`]. A call that takes longer goes on, and
    /// the failure says how to fetch its result: the same call by the same caller, made after that, waits on and starts
    /// nothing twice. A call that nobody fetches is cancelled after [`UNATTENDED_TIMEOUT`], or with the session of the
    /// connection. `None` if no tool has this name or alias.
    pub(super) async fn outcome_in_time(
        &self,
        name: &str,
        args: Value,
        caller: Option<&Caller>,
        (client, connection): (String, Option<Disconnect>),
    ) -> CallResult {
        let last_message = Arc::new(Mutex::new(String::new()));
        let request = CallRequest {
            caller: caller.unwrap_or(&self.anonymous).clone(),
            client,
            name: name.to_owned(),
            args,
            connection,
        };
        let work = || {
            let (call, last_message) = (request.clone(), Arc::clone(&last_message));
            let toolbox = Self {
                // A clone of the real list would hold the task that is in it, which would never be dropped.
                long_calls: Arc::default(),
                ..self.clone()
            };
            async move {
                let progress = Progress::new(move |_, _, message| {
                    message.clone_into(
                        &mut last_message.lock().unwrap_or_else(PoisonError::into_inner),
                    );
                });
                let name = call.name;
                toolbox
                    .outcome(&name, call.args, Some(&call.caller), &progress)
                    .await
            }
        };
        if let Some(result) = self.long_calls.result(request.clone(), work).await {
            return result;
        }
        let tool = self.tool(name)?;
        let last_message = last_message
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let waits_for = (!last_message.is_empty())
            .then_some(last_message)
            .or_else(|| self.workspace.connection.waits_for());
        let failure = still_running(name, waits_for);
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

    /// Logs how long a call took since `begun`, writes the advice that nobody was told yet, and masks the
    /// secrets in its outcome. All tools pass here, so none can forget it.
    fn finish(
        &self,
        tool: &ServedTool,
        begun: Instant,
        outcome: Result<Outcome, Failure>,
    ) -> Result<Outcome, Failure> {
        let ms = begun.elapsed().as_millis() as u64;
        tracing::debug!(target: "mcp", tool = tool.name, ms, answered = outcome.is_ok(), "call");
        let outcome = advise(outcome, &JsonReader);
        result::scrubbed(outcome, tool.origin(), &self.workspace.scrubber)
    }

    /// Finds a tool by its name or an alias.
    fn tool(&self, name: &str) -> Option<&ServedTool> {
        self.tools.iter().find(|tool| tool.answers_to(name))
    }

    /// Calls a tool on the device, opened first if need be, and waits without a limit while a run has it. Advice is
    /// written for the tool's own language. Clients are told when the device is lost or found. A device that cannot be
    /// opened is a failure, or the answer that the catalogue has for it.
    async fn call_device(
        &self,
        tool: &ServedTool,
        call: DeviceCall,
        caller: Option<&Caller>,
        progress: &Progress,
    ) -> Result<Outcome, Failure> {
        // Held to the end of the call: a run, which locks the device, must not start in the middle.
        let _shared = self.workspace.connection.lock_shared().await;
        let opened = match self.workspace.connection.opened().await {
            Ok(opened) => opened,
            Err(error) => {
                let failure = Failure::from(error);
                self.clients.report_lost(&failure.message.to_string()).await;
                return call.entry.ended_by(failure);
            }
        };
        self.clients.report_found(&opened.target.label).await;
        let context = self.call_context(caller, progress);
        let step = call.entry.name;
        let answer = self
            .workspace
            .call_device(&opened.session, call, context, None)
            .await;
        let outcome = match &tool.code {
            ToolCode::Lean(_) => {
                let short_id = |id: &str| opened.session.short_id(id);
                advise(answer.outcome, &LeanReader::new(step, &short_id))
            }
            ToolCode::Registry(_) | ToolCode::Agent(_) => {
                advise(answer.outcome, &DialectReader::new(&self.options))
            }
        };
        if !answer.is_lost {
            return outcome;
        }
        let message = format!("device '{}' was lost", opened.target.label);
        self.clients.report_lost(&message).await;
        outcome.map_err(|failure| {
            failure.with_details([format!(
                "{message}; connect it again and call again: it is looked for anew"
            )])
        })
    }

    /// Returns the resources of the screen, if the dialect has them, and those of the project, unless the option
    /// `no_agent_tools` is set.
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

    /// Masks the secrets in a text.
    pub(super) fn clean(&self, text: &str) -> String {
        self.workspace.scrubber.scrub_outside(text).into_owned()
    }

    /// Reads a resource and masks the secrets in its text, or in the message of a failure. Bytes, such as pictures,
    /// pass as they are. `None` if there is no such resource.
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

    /// Reads a resource of the screen, within [`CALL_TIMEOUT`], or of the project, without a limit. `None` if there is
    /// no such resource, and for those of the project if the option `no_agent_tools` is set.
    async fn raw_contents(&self, uri: &str) -> Reading {
        if self.has_screen_resources() && semantic::may_be_resource(uri) {
            let read = async {
                let _shared = self.workspace.connection.lock_shared().await;
                let opened = self.workspace.connection.opened().await?;
                semantic::read(&opened.session, uri).await
            };
            let Ok(contents) = timeout(CALL_TIMEOUT, read).await else {
                return Err(resource_timeout(self.workspace.connection.waits_for()));
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

/// Returns the failure, of the kind `Timeout`, that answers a call that is still running after [`CALL_TIMEOUT`]. It
/// says what the call waits for, that the same call again fetches its result, and when it is cancelled.
fn still_running(name: &str, waits_for: Option<String>) -> Failure {
    let waits_for = waits_for.unwrap_or_else(|| "the device has not answered yet".to_owned());
    let message = format!(
        "`{name}` goes on after {} s: {waits_for}",
        CALL_TIMEOUT.as_secs()
    );
    Failure::new(FailureKind::Timeout, message).with_details([format!(
        "call `{name}` again with the same arguments: it waits on and does nothing twice. After {} s without that it is cancelled",
        UNATTENDED_TIMEOUT.as_secs()
    )])
}

/// Returns the failure, of the kind `Timeout`, that answers a resource that the device did not deliver in time. It says
/// what was waited for, if that is known.
fn resource_timeout(waits_for: Option<String>) -> Failure {
    let waits_for = waits_for.unwrap_or_else(|| "the device does not answer".to_owned());
    let message = format!(
        "not read within {} s: {waits_for}; read it again",
        CALL_TIMEOUT.as_secs()
    );
    Failure::new(FailureKind::Timeout, message)
}

#[cfg(test)]
mod tests;
