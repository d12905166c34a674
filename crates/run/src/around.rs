//! Steps of `runner.yaml` that surround each flow.

use std::sync::Arc;

use runner_config::Config;
use runner_flow::{Flow, ReadOptions, SurroundingSteps};
use runner_text::diagnostic::Diagnostic;

/// Reads `setup` and `teardown` of the project.
pub(super) fn read(
    config: &Config,
    options: &ReadOptions,
) -> Result<SurroundingSteps, Vec<Diagnostic>> {
    match &config.project_source {
        Some(source) => runner_flow::read_surrounding(Arc::clone(source), options),
        None => Ok(SurroundingSteps::default()),
    }
}

/// The flow with the project's steps around its own: those of the project are the first and the last.
pub(super) fn put_around(mut flow: Flow, steps: &SurroundingSteps) -> Flow {
    flow.setup.splice(0..0, steps.setup.iter().cloned());
    flow.on_failure.extend(steps.on_failure.iter().cloned());
    flow.teardown.extend(steps.teardown.iter().cloned());
    flow
}
