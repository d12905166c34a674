//! Defines the trait that every agent tool implements, and its entry in the table.

use std::future::Future;
use std::pin::Pin;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Workspace;
use runner_tools::arguments::{Arguments, Wording};
use runner_tools::{Caller, Effect, Failure, Outcome, Progress};

tokio::task_local! {
    /// Client of the call that this task executes. Few tools ask for it, so it is no argument of all.
    static CALLER: Caller;
}

/// Returns the client of the call in progress, or a new one outside of a call.
pub(super) fn caller() -> Caller {
    CALLER.try_with(Caller::clone).unwrap_or_default()
}

/// Tool that works on the project, and perhaps on the device.
pub trait AgentTool: Send + Sync + 'static {
    /// Name over MCP, such as `runner_look`.
    const NAME: &'static str;
    /// First line of the description.
    const SUMMARY: &'static str;
    /// Further lines: the meaning of the result, what to do next.
    const HELP: &'static str = "";
    /// Effect on the device and the project.
    const EFFECT: Effect;
    /// True if it shares the device with other calls, so that it waits while a flow runs. A tool that uses no
    /// device, or locks it for itself, says `false`.
    const SHARES_DEVICE: bool = true;

    type Args: DeserializeOwned + JsonSchema + Send;

    /// Executes a call with arguments that were read. The device's shared lock is held meanwhile if
    /// [`SHARES_DEVICE`](Self::SHARES_DEVICE) is set. `Err` is an error of the tool. The result may hold secrets, which
    /// the code that sends it to a client masks.
    fn call(
        workspace: &Workspace,
        args: Self::Args,
        progress: &Progress,
    ) -> impl Future<Output = Result<Outcome, Failure>> + Send;
}

type CallFuture<'a> = Pin<Box<dyn Future<Output = Result<Outcome, Failure>> + Send + 'a>>;

#[derive(Clone)]
pub struct AgentEntry {
    pub name: &'static str,
    pub summary: &'static str,
    pub help: &'static str,
    pub effect: Effect,
    schema: fn(&mut SchemaGenerator) -> Schema,
    /// Checks that arguments parse.
    #[cfg(test)]
    pub check: fn(Value) -> Result<(), Failure>,
    call: for<'a> fn(&'a Workspace, Value, &'a Progress) -> CallFuture<'a>,
}

impl std::fmt::Debug for AgentEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentEntry")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl AgentEntry {
    pub fn new<T: AgentTool>() -> Self {
        Self {
            name: T::NAME,
            summary: T::SUMMARY,
            help: T::HELP,
            effect: T::EFFECT,
            schema: |generator| generator.subschema_for::<T::Args>(),
            #[cfg(test)]
            check: |args| read::<T>(args).map(drop),
            call: |workspace, args, progress| Box::pin(call_tool::<T>(workspace, args, progress)),
        }
    }

    /// Returns the JSON Schema of the arguments; definitions go into `generator`.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.schema)(generator)
    }

    /// Calls the tool for a client. The result may hold secrets, which the code that sends it to a client masks.
    pub fn call<'a>(
        &self,
        workspace: &'a Workspace,
        args: Value,
        caller: &Caller,
        progress: &'a Progress,
    ) -> CallFuture<'a> {
        let work = (self.call)(workspace, args, progress);
        Box::pin(CALLER.scope(caller.clone(), work))
    }
}

fn read<T: AgentTool>(args: Value) -> Result<T::Args, Failure> {
    Arguments::new(T::NAME, Wording::Own, args)?.read()
}

/// Reads the arguments and calls the tool, with shared access to the device if it uses that. Waits without a limit
/// while a run has the device.
async fn call_tool<T: AgentTool>(
    workspace: &Workspace,
    args: Value,
    progress: &Progress,
) -> Result<Outcome, Failure> {
    let args = read::<T>(args)?;
    let _shared = if T::SHARES_DEVICE {
        Some(workspace.connection.lock_shared().await)
    } else {
        None
    };
    T::call(workspace, args, progress).await
}
