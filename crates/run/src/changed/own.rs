//! Which files a flow is made of, as it was read: nothing else leaves other flows out.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;

use runner_flow::maestro::MaestroCommand;
use runner_flow::{Control, Flow, Step, StepAction};

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
        match &step.action {
            StepAction::Control(control) => of_control(control, found),
            StepAction::Maestro(command) => {
                if let MaestroCommand::RunScript { script, .. } = &**command {
                    found.insert(script.path.clone());
                }
                if let Some(flow) = command.flow() {
                    of_flow(flow, found);
                }
                of_steps(command.steps(), found);
            }
            StepAction::Call { .. } | StepAction::Snapshot(_) | StepAction::Assert(_) => {}
        }
    }
}

fn of_control(control: &Control, found: &mut BTreeSet<Utf8PathBuf>) {
    match control {
        Control::Run { flow, .. } => of_flow(flow, found),
        Control::Repeat { steps, .. } | Control::Retry { steps, .. } | Control::Group { steps } => {
            of_steps(steps, found);
        }
        Control::If {
            then, otherwise, ..
        } => {
            of_steps(then, found);
            of_steps(otherwise, found);
        }
        Control::Set { .. } | Control::Pause { .. } => {}
    }
}
