//! Names, arguments and translation of a lean tool.

use runner_agent::DeviceCall;
use runner_tools::Failure;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

/// Names, schema and translation of one lean tool.
pub(super) trait LeanDefinition {
    const NAME: &'static str;
    const SUMMARY: &'static str;
    /// Name of the step that does the work.
    const STEP: &'static str;
    type Args: DeserializeOwned + JsonSchema;

    fn work(args: Self::Args) -> Result<DeviceCall, Failure>;
}
