//! Defines the few device tools of `--tools lean`: everyday steps whose names and arguments cost an agent
//! little to read.
//!
//! Each only translates its arguments into a call of a registry tool. So a recording holds it like that tool.

mod app;
mod element;
mod keys;
mod touch;
mod translation;

use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

use self::translation::LeanDefinition;
use runner_agent::DeviceCall;
use runner_tools::arguments::{Arguments, Wording};
use runner_tools::registry::find;
use runner_tools::{Effect, Failure, MakeSchema, inline_schema};

/// Lean tool, made from a type that implements [`LeanDefinition`].
pub(super) struct LeanTool {
    pub name: &'static str,
    pub summary: &'static str,
    step: &'static str,
    schema: MakeSchema,
    work: fn(&Arguments) -> Result<DeviceCall, Failure>,
}

impl std::fmt::Debug for LeanTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LeanTool")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl LeanTool {
    /// Returns the JSON Schema of the arguments.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.schema)(generator)
    }

    /// Returns the step's effect on the device.
    pub fn effect(&self) -> Effect {
        find(self.step).map_or(Effect::Acts, |entry| entry.effect)
    }

    /// Translates a call into one of the registry tool. Nothing is done on the device.
    ///
    /// # Errors
    /// The arguments do not fit.
    pub fn call(&self, args: Value) -> Result<DeviceCall, Failure> {
        let schema = inline_schema(self.schema);
        let args = Arguments::from_client(self.name, Wording::Own, &schema, args)?;
        (self.work)(&args.arguments)
    }
}

/// Returns all eight lean tools, in the order in which they are listed.
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

/// Creates the entry of a lean tool. Its work fails if the arguments do not parse.
fn tool<T: LeanDefinition>() -> LeanTool {
    LeanTool {
        name: T::NAME,
        summary: T::SUMMARY,
        step: T::STEP,
        schema: |generator| generator.subschema_for::<T::Args>(),
        work: |args| T::work(args.read()?),
    }
}

#[cfg(test)]
mod tests;
