//! Setup and teardown steps that `runner.yaml` adds to each flow.

use std::sync::Arc;

use runner_config::Config;
use runner_flow::{Flow, ReadOptions, SurroundingSteps};
use runner_text::diagnostic::Diagnostic;

/// Reads `setup`, `on_failure` and `teardown` of `runner.yaml`. Returns none where the project has no file.
pub(super) fn read(
    config: &Config,
    options: &ReadOptions,
) -> Result<SurroundingSteps, Vec<Diagnostic>> {
    match &config.project_source {
        Some(source) => runner_flow::read_surrounding(Arc::clone(source), options),
        None => Ok(SurroundingSteps::default()),
    }
}

/// Returns the flow with the project's steps added: its setup runs before the flow's own, its `on_failure` and teardown
/// after the flow's own.
pub(super) fn wrap_flow(mut flow: Flow, steps: &SurroundingSteps) -> Flow {
    flow.setup.splice(0..0, steps.setup.iter().cloned());
    flow.on_failure.extend(steps.on_failure.iter().cloned());
    flow.teardown.extend(steps.teardown.iter().cloned());
    flow
}
