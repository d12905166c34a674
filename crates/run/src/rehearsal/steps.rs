//! Classifies steps by what they need of recorded screens.

use camino::Utf8PathBuf;

use runner_flow::maestro::MaestroCommand;
use runner_flow::{Control, Flow, Step, StepAction};
use runner_tools::{Effect, Rehearsal};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepKind {
    /// Holds steps or sets names: it runs.
    Control,
    /// Needs looks only.
    Looks,
    /// Sends inputs.
    Inputs,
    /// Needs an answer that no screen gives, such as that of a command.
    Asks,
    /// Changes something that no recorded screen can show.
    Acts,
}

/// Returns the kind of a step: control steps but `pause`, assertions (looks), inputs and looks at elements,
/// other tools that only read (asks), and tools that change something else (acts). Snapshots and `pause`
/// count as asking.
pub(super) fn kind(step: &Step) -> StepKind {
    match &step.action {
        StepAction::Control(control) => match &**control {
            Control::Pause { .. } => StepKind::Asks,
            _ => StepKind::Control,
        },
        StepAction::Assert(_) => StepKind::Looks,
        StepAction::Snapshot(_) => StepKind::Asks,
        StepAction::Call { entry, .. } => {
            let on_screens = entry.rehearsal != Rehearsal::Nowhere;
            match (on_screens, entry.effect) {
                (true, Effect::Reads) => StepKind::Looks,
                (true, _) => StepKind::Inputs,
                (false, Effect::Reads) => StepKind::Asks,
                (false, _) => StepKind::Acts,
            }
        }
        StepAction::Maestro(command) => maestro_kind(command),
    }
}

/// Returns the kind of a Maestro command. `runFlow`, `repeat` and `retry` control; assertions on elements or
/// expressions, waits and `copyTextFrom` look; taps, swipes, keys and texts are inputs. Pictures, recordings,
/// assertions on a picture or the theme, `clearKeychain` and scripts count as asking. All others act.
fn maestro_kind(command: &MaestroCommand) -> StepKind {
    use MaestroCommand as Command;
    match command {
        Command::RunFlow { .. } | Command::Repeat { .. } | Command::Retry { .. } => {
            StepKind::Control
        }
        Command::AssertVisible(_)
        | Command::AssertNotVisible(_)
        | Command::AssertTrue(_)
        | Command::ExtendedWaitUntil { .. }
        | Command::WaitForAnimationToEnd { .. }
        | Command::CopyTextFrom(_) => StepKind::Looks,
        Command::TapOn(_)
        | Command::DoubleTapOn(_)
        | Command::LongPressOn(_)
        | Command::Back
        | Command::HideKeyboard
        | Command::Scroll
        | Command::ScrollUntilVisible(_)
        | Command::Swipe(_)
        | Command::InputText(_)
        | Command::InputRandom { .. }
        | Command::EraseText(_)
        | Command::PressKey(_) => StepKind::Inputs,
        Command::AssertScreenshot { .. }
        | Command::AssertDarkMode
        | Command::AssertLightMode
        | Command::TakeScreenshot { .. }
        | Command::StartRecording(_)
        | Command::StopRecording
        | Command::ClearKeychain
        // A script may send a request, but does not touch the device.
        | Command::EvalScript(_)
        | Command::RunScript { .. } => StepKind::Asks,
        _ => StepKind::Acts,
    }
}

/// Returns true for a step that may leave a value for later steps.
pub(super) fn gives_value(step: &Step) -> bool {
    step.modifiers.keep_as.is_some()
        || matches!(&step.action, StepAction::Maestro(command) if matches!(**command,
            MaestroCommand::EvalScript(_) | MaestroCommand::RunScript { .. } | MaestroCommand::CopyTextFrom(_)))
}

/// Step of the edited flow.
#[derive(Debug)]
pub(super) struct FlowStep {
    /// Its file and byte offset.
    pub(super) at: (Utf8PathBuf, usize),
    /// The step as written.
    pub(super) title: String,
}

impl FlowStep {
    fn new(step: &Step) -> Self {
        Self {
            at: place(step),
            title: step.title.clone(),
        }
    }
}

/// Returns the file and byte offset of a step.
pub(super) fn place(step: &Step) -> (Utf8PathBuf, usize) {
    (step.source.path.clone(), step.span.start)
}

/// Returns the steps that hold no others, of a flow and its sub-flows, in the order in which they may run: setup,
/// steps, `on_failure` and teardown. Both branches of a condition are there, and a loop's steps once. Of sub-flows
/// only Maestro's have their hooks here too.
pub(super) fn leaves(flow: &Flow) -> Vec<FlowStep> {
    let mut leaves = Vec::new();
    for steps in flow.step_lists() {
        add_leaves(steps, &mut leaves);
    }
    leaves
}

/// Adds the steps that hold no others, of these steps and of all that they hold or run. An empty group is such a
/// step itself.
fn add_leaves(steps: &[Step], leaves: &mut Vec<FlowStep>) {
    for step in steps {
        let (lists, sub_flow) = (step.action.lists(), step.action.sub_flow());
        if sub_flow.is_none() && lists.iter().all(|steps| steps.is_empty()) {
            leaves.push(FlowStep::new(step));
        }
        for steps in lists {
            add_leaves(steps, leaves);
        }
        match sub_flow {
            // Maestro's sub-flows run their hooks too.
            Some(flow) if flow.maestro().is_some() => {
                for steps in flow.step_lists() {
                    add_leaves(steps, leaves);
                }
            }
            Some(flow) => add_leaves(&flow.steps, leaves),
            None => {}
        }
    }
}

/// Returns the part of a step's title before its first colon, trimmed: the tool or command.
pub(super) fn verb(title: &str) -> &str {
    title.split(':').next().unwrap_or(title).trim()
}
