//! The trait every tool implements.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::arguments::Arguments;
use super::{Caller, Capability, Effect, Failure, Outcome, Progress, StepValue};
use runner_engine::Session;

/// How a step with this tool is written in a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepSyntax {
    /// Only `- name: { … }`.
    Map,
    /// A scalar stands for this property: `- launch: com.example` is `{ app: com.example }`.
    Scalar(&'static str),
    /// The value is a selector, with the tool's own options beside the selector's keys; `on:` is the long form.
    /// The arguments then have the selector in the property `on`.
    Element,
    /// The value is a selector under this property; a scalar stands for this other property:
    /// `type: hello` is `{ text: hello }`, `type: { into: …, text: … }`.
    Sequence(&'static str),
}

/// What surrounds one call.
#[derive(Debug, Clone)]
pub struct Call {
    /// How long the step looks for its element or waits for its condition.
    pub timeout: Duration,
    /// The flow's app, the default for `launch`, `stop`, `clear`.
    pub app: Option<String>,
    /// The project's root; paths in arguments are relative to it and never leave it.
    pub root: Utf8PathBuf,
    /// Folder for what the call leaves behind (screenshots, pulled files, recordings); made when first needed.
    pub artifacts: Utf8PathBuf,
    /// `runner.yaml` allows `shell:`.
    pub allow_shell: bool,
    /// Hosts that `runner.yaml` allows `http:` to reach.
    pub http_hosts: Arc<[String]>,
    /// Where a long call says how far it is.
    pub progress: Progress,
    /// Whom it is made for.
    pub caller: Caller,
}

/// What a client finds otherwise than a flow, which has a limit from a modifier and types at once.
#[derive(Debug, Clone, Copy)]
pub struct ForClients {
    /// Arguments that a client must give.
    pub required: &'static [&'static str],
    /// Whole numbers that stand where a client gives none.
    pub defaults: &'static [(&'static str, u64)],
    /// What a word may be, as the reference writes it; any letter case is read.
    pub choices: &'static [(&'static str, &'static [&'static str])],
}

impl ForClients {
    /// Clients find what flows do.
    pub const SAME: Self = Self {
        required: &[],
        defaults: &[],
        choices: &[],
    };
}

/// A tool, which is a step too. Its arguments' type is its schema: doc comments are the descriptions, schemars'
/// attributes the ranges; the parser checks flows against it before anything runs.
pub trait Tool: Send + Sync + 'static {
    /// Name as a step, as it is written: `click`, `assert visible`, `tap`.
    const NAME: &'static str;
    /// One line of what it does, for docs and the schema.
    const SUMMARY: &'static str;
    /// An item of a flow's `steps:` with it, for the documentation.
    const EXAMPLE: &'static str = "";
    /// What `as` keeps, for the documentation.
    const KEEPS: StepValue = StepValue::TEXT;
    /// Whether it acts on an app: that of its argument `app`, else the flow's.
    const NEEDS_APP: bool = false;
    /// How it is written.
    const WRITING: StepSyntax;
    /// Whether it may stand as a bare word.
    const VALUE_OPTIONAL: bool = false;
    /// What it does to the device.
    const EFFECT: Effect = Effect::Acts;
    /// What clients find otherwise than flows.
    const FOR_CLIENTS: ForClients = ForClients::SAME;
    /// Further lines for agents: what the result means, what to do next.
    const HELP: &'static str = "";
    /// Further names over MCP that reach it and are not listed.
    const ALIASES: &'static [&'static str] = &[];
    /// Whether its result is always a list, which clients learn beforehand.
    const LISTS: bool = false;
    /// What it needs of a device. Where that is lacking, MCP clients do not see the tool, and a call fails.
    const NEEDS: Option<Capability> = None;

    /// The arguments, after `${…}` was replaced.
    type Args: DeserializeOwned + JsonSchema + Send;

    /// Checks the arguments before they are read, where a reference quotes the texts of the errors to the letter.
    /// What it lets through is read with serde, whose own errors say the rest.
    fn check(args: &Arguments) -> Result<(), Failure> {
        let _ = args;
        Ok(())
    }

    /// Carries the call out. An `Err` is an error of the tool, a failed [`super::Verdict`] a clear answer of "no".
    fn call(
        session: &Session,
        args: Self::Args,
        call: &Call,
    ) -> impl Future<Output = Result<Outcome, Failure>> + Send;
}
