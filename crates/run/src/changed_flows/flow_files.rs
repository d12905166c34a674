//! Lists the files that a parsed flow consists of. Of changed files, only these may leave other flows out.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;

use runner_flow::maestro::MaestroCommand;
use runner_flow::{Flow, Step, StepAction};

/// Returns the flow's own file and its sub-flows at any depth, with their tables and scripts, relative to the root.
/// Goldens and media are left out. Reads no files.
pub(crate) fn files(flow: &Flow) -> BTreeSet<Utf8PathBuf> {
    let mut found = BTreeSet::new();
    add_flow_files(flow, &mut found);
    found
}

/// Adds the files that a flow is read from: its own, its table, and those of its scripts and sub-flows at any
/// depth.
fn add_flow_files(flow: &Flow, found: &mut BTreeSet<Utf8PathBuf>) {
    found.insert(flow.source.path.clone());
    found.extend(flow.table.iter().map(|table| table.path.clone()));
    for steps in flow.step_lists() {
        add_step_files(steps, found);
    }
}

/// Adds the files of scripts and sub-flows that these steps run, nested ones and those of sub-flows included.
fn add_step_files(steps: &[Step], found: &mut BTreeSet<Utf8PathBuf>) {
    for step in steps {
        if let StepAction::Maestro(command) = &step.action
            && let MaestroCommand::RunScript { script, .. } = &**command
        {
            found.insert(script.path.clone());
        }
        if let Some(flow) = step.action.sub_flow() {
            add_flow_files(flow, found);
        }
        for steps in step.action.lists() {
            add_step_files(steps, found);
        }
    }
}
