//! The few device tools of `--tools lean`: everyday steps under names and with arguments that cost an agent little to read.
//!
//! Each only says which tool of the registry does the work, and with which arguments. So it is recorded as that one is.

mod app;
mod element;
mod keys;
mod touch;

use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

use runner_tools::registry::find;
use runner_tools::{Effect, Entry, Failure, MakeSchema, arguments, inline_schema, numbers};

/// One lean tool.
pub(super) struct LeanTool {
    pub name: &'static str,
    pub summary: &'static str,
    step: &'static str,
    schema: MakeSchema,
    work: fn(Value) -> Result<RegistryCall, Failure>,
}

impl std::fmt::Debug for LeanTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LeanTool")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl LeanTool {
    /// The JSON Schema of the arguments.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.schema)(generator)
    }

    /// What it does to the device.
    pub fn effect(&self) -> Effect {
        find(self.step).map_or(Effect::Acts, |entry| entry.effect)
    }

    /// What a call comes down to.
    ///
    /// # Errors
    /// Arguments that do not fit.
    pub fn work(&self, mut args: Value) -> Result<RegistryCall, Failure> {
        numbers::from_texts(&inline_schema(self.schema), &mut args)?;
        numbers::normalize_integers(&mut args);
        (self.work)(args)
    }
}

/// A call of a tool of the registry.
#[derive(Debug)]
pub(super) struct RegistryCall {
    pub entry: &'static Entry,
    pub args: Value,
    /// How long it looks, where the call says so.
    pub limit: Option<Duration>,
    /// What is told of a success, where the tool's own words do not fit.
    pub message: Option<String>,
}

impl RegistryCall {
    /// A call as it was asked for.
    pub fn of(entry: &'static Entry, args: Value) -> Self {
        Self {
            entry,
            args,
            limit: None,
            message: None,
        }
    }

    fn new(step: &str, args: Value) -> Result<Self, Failure> {
        let missing = || Failure::unsupported(format!("there is no tool `{step}`; this is a bug"));
        Ok(Self::of(find(step).ok_or_else(missing)?, args))
    }
}

/// What makes a lean tool.
trait Lean {
    const NAME: &'static str;
    const SUMMARY: &'static str;
    /// The step that it is.
    const STEP: &'static str;
    type Args: DeserializeOwned + JsonSchema;

    fn work(args: Self::Args) -> Result<RegistryCall, Failure>;
}

/// All of them.
pub(super) fn tools() -> Vec<LeanTool> {
    vec![
        tool::<touch::Click>(),
        tool::<keys::Type>(),
        tool::<keys::Press>(),
        tool::<touch::Swipe>(),
        tool::<touch::ScrollTo>(),
        tool::<app::Launch>(),
        tool::<app::WaitFor>(),
        tool::<app::Screenshot>(),
    ]
}

fn tool<T: Lean>() -> LeanTool {
    LeanTool {
        name: T::NAME,
        summary: T::SUMMARY,
        step: T::STEP,
        schema: |generator| generator.subschema_for::<T::Args>(),
        work: |args| T::work(arguments::read(T::NAME, args)?),
    }
}

#[cfg(test)]
mod tests;
