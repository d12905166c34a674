//! The trait that every tool implements.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::arguments::Arguments;
use super::{
    Caller, Capability, Effect, Failure, FrontEffect, Outcome, Progress, Rehearsal, StepSyntax,
    StepValue,
};
use runner_engine::Session;

/// Context of one tool call.
#[derive(Debug, Clone)]
pub struct Call {
    /// Time for finding the element or for waiting for the condition.
    pub timeout: Duration,
    /// The flow's app, the default of `launch`, `stop` and `clear`.
    pub app: Option<String>,
    /// Root of the project. Paths in arguments are relative to it and never leave it.
    pub root: Utf8PathBuf,
    /// Folder for files that the call writes (screenshots, pulled files, recordings); created when needed.
    pub artifacts: Utf8PathBuf,
    /// Permission of `runner.yaml` for `shell:`.
    pub allow_shell: bool,
    /// Hosts that `runner.yaml` allows `http:` to reach.
    pub http_hosts: Arc<[String]>,
    /// Receiver of a long call's progress.
    pub progress: Progress,
    pub caller: Caller,
}

/// Differences of a tool for MCP clients. Flows have the modifier `timeout` for limits, and type at once.
#[derive(Debug, Clone, Copy)]
pub struct ClientDifferences {
    /// Arguments that a client must give.
    pub required: &'static [&'static str],
    /// Default integers of arguments that a client omits.
    pub defaults: &'static [(&'static str, u64)],
    /// Choices of a word argument, spelled as in the reference. Any letter case is accepted.
    pub choices: &'static [(&'static str, &'static [&'static str])],
}

impl ClientDifferences {
    /// No differences.
    pub const SAME: Self = Self {
        required: &[],
        defaults: &[],
        choices: &[],
    };
}

/// A tool, which is a step too. Its arguments' type is its schema: doc comments are the descriptions,
/// schemars' attributes the ranges. The parser checks flows against it before anything runs.
pub trait Tool: Send + Sync + 'static {
    /// Name as a step: `click`, `assert visible`, `tap`.
    const NAME: &'static str;
    /// Summary in one line, for docs and the schema.
    const SUMMARY: &'static str;
    /// Example as an item of a flow's `steps:`, for the documentation.
    const EXAMPLE: &'static str = "";
    /// Values that `as` keeps, for the documentation.
    const KEEPS: StepValue = StepValue::TEXT;
    /// True if it acts on an app: that of its argument `app`, else the flow's.
    const NEEDS_APP: bool = false;
    /// Form in flows.
    const WRITING: StepSyntax;
    /// True if the name alone is a step.
    const VALUE_OPTIONAL: bool = false;
    /// Effect on the device.
    const EFFECT: Effect = Effect::Acts;
    /// Effect on the app in front, if no argument decides it.
    const FRONT: FrontEffect = FrontEffect::from_effect(Self::EFFECT);
    /// What screens alone tell of a call.
    const REHEARSAL: Rehearsal = Rehearsal::from_writing(Self::WRITING);
    /// Differences for MCP clients.
    const FOR_CLIENTS: ClientDifferences = ClientDifferences::SAME;
    /// Further lines for agents: meaning of the result, next steps.
    const HELP: &'static str = "";
    /// Unlisted further names over MCP.
    const ALIASES: &'static [&'static str] = &[];
    /// True if its result is always a list, which clients learn beforehand.
    const LISTS: bool = false;
    /// Ability that the device must have. Otherwise MCP clients do not see the tool, and a call fails.
    const NEEDS: Option<Capability> = None;

    /// Arguments, after `${…}` was replaced.
    type Args: DeserializeOwned + JsonSchema + Send;

    /// Checks the arguments before they are deserialized, where a reference quotes error messages verbatim.
    /// Serde's errors cover the rest.
    fn check(args: &Arguments) -> Result<(), Failure> {
        let _ = args;
        Ok(())
    }

    /// Returns the effect of a call with these arguments on the app in front, once it has passed.
    fn front_effect(args: &Self::Args) -> FrontEffect {
        let _ = args;
        Self::FRONT
    }

    /// Performs the call. `Err` is an error of the tool; a failed [`super::Verdict`] is a clear "no".
    fn call(
        session: &Session,
        args: Self::Args,
        call: &Call,
    ) -> impl Future<Output = Result<Outcome, Failure>> + Send;
}
