//! Which files a flow is made of, as it was read: nothing else leaves other flows out.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;

use runner_flow::maestro::MaestroCommand;
use runner_flow::{Flow, Step, StepAction};

/// The flow's own file, and its sub-flows, tables and scripts, relative to the root.
pub(super) fn files(flow: &Flow) -> BTreeSet<Utf8PathBuf> {
    let mut found = BTreeSet::new();
    of_flow(flow, &mut found);
    found
}

fn of_flow(flow: &Flow, found: &mut BTreeSet<Utf8PathBuf>) {
    found.insert(flow.source.path.clone());
    found.extend(flow.table.iter().map(|table| table.path.clone()));
    for steps in flow.step_lists() {
        of_steps(steps, found);
    }
}

fn of_steps(steps: &[Step], found: &mut BTreeSet<Utf8PathBuf>) {
    for step in steps {
        if let StepAction::Maestro(command) = &step.action
            && let MaestroCommand::RunScript { script, .. } = &**command
        {
            found.insert(script.path.clone());
        }
        if let Some(flow) = step.action.sub_flow() {
            of_flow(flow, found);
        }
        for steps in step.action.lists() {
            of_steps(steps, found);
        }
    }
}
