//! The trait every agent tool implements, and its line in the table.

use std::future::Future;
use std::pin::Pin;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Workspace;
use runner_tools::arguments::{Arguments, Wording};
use runner_tools::{Effect, Failure, Outcome, Progress};

/// A tool that works on the project as well as on the device.
pub trait AgentTool: Send + Sync + 'static {
    /// Name over MCP: `runner_look`.
    const NAME: &'static str;
    /// One line of what it does.
    const SUMMARY: &'static str;
    /// Further lines: what the result means, what to do next.
    const HELP: &'static str = "";
    /// What it does to the device and the project.
    const EFFECT: Effect;
    /// Whether it uses the device beside other calls: it then waits while a flow runs. A tool that uses no device, or
    /// takes it alone, says `false`.
    const SHARES_DEVICE: bool = true;

    /// The arguments.
    type Args: DeserializeOwned + JsonSchema + Send;

    /// Carries the call out.
    fn call(
        workspace: &Workspace,
        args: Self::Args,
        progress: &Progress,
    ) -> impl Future<Output = Result<Outcome, Failure>> + Send;
}

/// The future of a call.
type CallFuture<'a> = Pin<Box<dyn Future<Output = Result<Outcome, Failure>> + Send + 'a>>;

/// One agent tool.
#[derive(Clone)]
pub struct AgentEntry {
    /// Name over MCP.
    pub name: &'static str,
    /// One line of what it does.
    pub summary: &'static str,
    /// Further lines for agents.
    pub help: &'static str,
    /// What it does.
    pub effect: Effect,
    schema: fn(&mut SchemaGenerator) -> Schema,
    /// Whether the arguments read.
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
    /// The entry of a tool.
    pub fn of<T: AgentTool>() -> Self {
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

    /// The JSON Schema of the arguments; definitions go into `generator`.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.schema)(generator)
    }

    /// Calls the tool. The result may hold secrets: the code that sends it to a client scrubs it, as for any tool.
    pub fn call<'a>(
        &self,
        workspace: &'a Workspace,
        args: Value,
        progress: &'a Progress,
    ) -> CallFuture<'a> {
        (self.call)(workspace, args, progress)
    }
}

fn read<T: AgentTool>(args: Value) -> Result<T::Args, Failure> {
    Arguments::new(T::NAME, Wording::Own, args)?.read()
}

async fn call_tool<T: AgentTool>(
    workspace: &Workspace,
    args: Value,
    progress: &Progress,
) -> Result<Outcome, Failure> {
    let args = read::<T>(args)?;
    let _beside = if T::SHARES_DEVICE {
        Some(workspace.connection.lock_shared().await)
    } else {
        None
    };
    T::call(workspace, args, progress).await
}
