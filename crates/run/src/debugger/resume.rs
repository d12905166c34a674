//! Continues a paused run in a flow that was edited meanwhile, at the same step and with the results of the
//! earlier steps.

use serde_json::Value;

use runner_flow::{Control, Flow, PathSegment, Step, StepAction, StepList, StepPath};
use runner_text::diagnostic::line_column;

/// Reason why a paused run cannot continue in an edited flow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResumeError {
    /// A step that ran already was edited.
    #[error(
        "line {line} changed: it ran already. Only what comes from the paused step on can be edited; choose Stop, then Run all"
    )]
    Changed {
        /// Line in the edited file, from 1.
        line: usize,
    },
    /// A step before the part of the flow that runs was edited.
    #[error(
        "line {line} changed: it stands before the part that runs. Only what comes from the paused step on can be edited; choose Stop, then run the part again"
    )]
    Before {
        /// Line in the edited file, from 1.
        line: usize,
    },
    /// The header or the setup, which took effect already, was edited.
    #[error(
        "the header of the flow changed (its app, env, secrets, limits or setup): it is in use already. Choose Stop, then Run all"
    )]
    Header,
    /// The paused step is inside a `repeat` or `retry`, named here.
    #[error(
        "the paused step stands inside `{0}`, where an edited flow cannot go on. Choose Stop, then Run all"
    )]
    Repeated(&'static str),
    /// A step around the paused step was removed.
    #[error("the steps around the paused step are not there any more. Choose Stop, then Run all")]
    NoPlace,
}

/// Returns the list of steps at `prefix`, which ends with the name of a list or the number of its round; an
/// empty one is the main list. `None` if there is no such list, or if it belongs to a Maestro command.
pub(crate) fn steps_at<'f>(flow: &'f Flow, prefix: &StepPath) -> Option<&'f [Step]> {
    let (mut list, mut rest) = first_list(flow, prefix.segments());
    while let [
        PathSegment::Number(index),
        PathSegment::List(name),
        more @ ..,
    ] = rest
    {
        list = inside(list.get(*index)?, *name)?;
        rest = match (name, more) {
            // In the path, these lists are followed by the number of the round.
            (StepList::Repeat | StepList::Retry, [PathSegment::Number(_), more @ ..]) => more,
            _ => more,
        };
    }
    rest.is_empty().then_some(list)
}

/// Returns the step at a path. `None` if there is none, or if the path does not end with a number.
pub fn step_at<'f>(flow: &'f Flow, path: &StepPath) -> Option<&'f Step> {
    let (last, prefix) = path.split_last()?;
    let PathSegment::Number(index) = last else {
        return None;
    };
    steps_at(flow, &prefix)?.get(index)
}

/// Returns the list of the flow that a path begins in, and the rest of the path. A path without a list's name is in
/// the main list.
fn first_list<'f, 'p>(flow: &'f Flow, path: &'p [PathSegment]) -> (&'f [Step], &'p [PathSegment]) {
    match path {
        [PathSegment::List(StepList::Setup), rest @ ..] => (&flow.setup, rest),
        [PathSegment::List(StepList::OnFailure), rest @ ..] => (&flow.on_failure, rest),
        [PathSegment::List(StepList::Teardown), rest @ ..] => (&flow.teardown, rest),
        _ => (&flow.steps, path),
    }
}

/// Returns the steps of a control step's list with this name. `None` if the step has no such list, or is no control
/// step.
fn inside(step: &Step, name: StepList) -> Option<&[Step]> {
    let StepAction::Control(control) = &step.action else {
        return None;
    };
    match (&**control, name) {
        (Control::Group { steps }, StepList::Group)
        | (Control::Repeat { steps, .. }, StepList::Repeat)
        | (Control::Retry { steps, .. }, StepList::Retry) => Some(steps),
        (Control::If { then, .. }, StepList::Then) => Some(then),
        (Control::If { otherwise, .. }, StepList::Else) => Some(otherwise),
        (Control::Run { flow, .. }, StepList::Run) => Some(&flow.steps),
        _ => None,
    }
}

/// Checks that a run of `old` that is paused at `path` can continue in `new`: the header, the setup and all steps
/// before `path` may differ in comments, spacing, name and tags only. The steps around the place must keep their
/// conditions. The paused step itself and those after it may change, and so may the other lists: at a pause in
/// `on_failure` the main list is not compared. Inside `repeat` and `retry` nothing can be resumed.
///
/// # Errors
/// [`ResumeError`] says what stands in the way; for a changed step, on which line of `new`.
pub fn resumable(old: &Flow, new: &Flow, path: &StepPath) -> Result<(), ResumeError> {
    if header(old) != header(new) {
        return Err(ResumeError::Header);
    }
    let (mut before, mut rest) = first_list(old, path.segments());
    let (mut after, _) = first_list(new, path.segments());
    if path.first_list() != Some(StepList::Setup) {
        same(&old.setup, &new.setup, old.setup.len().max(new.setup.len()))
            .map_err(|_| ResumeError::Header)?;
    }
    while let [PathSegment::Number(index), more @ ..] = rest {
        same(before, after, *index)?;
        let [PathSegment::List(name), more @ ..] = more else {
            return Ok(());
        };
        if matches!(name, StepList::Repeat | StepList::Retry) {
            return Err(ResumeError::Repeated(name.as_str()));
        }
        let (around, now) = (&before[*index], after.get(*index));
        let now = now.ok_or(ResumeError::NoPlace)?;
        if frame(around) != frame(now) {
            return Err(ResumeError::Changed { line: line(now) });
        }
        before = inside(around, *name).ok_or(ResumeError::NoPlace)?;
        after = inside(now, *name).ok_or(ResumeError::NoPlace)?;
        rest = more;
    }
    Ok(())
}

/// Checks that the first `number` steps of a flow are unchanged, for a run of a part that begins after them.
///
/// # Errors
/// [`ResumeError::Before`] with the first step that was edited or added, and [`ResumeError::NoPlace`] if one was
/// removed at the end.
pub fn same_before(old: &Flow, new: &Flow, number: usize) -> Result<(), ResumeError> {
    same(&old.steps, &new.steps, number).map_err(|error| match error {
        ResumeError::Changed { line } => ResumeError::Before { line },
        other => other,
    })
}

/// Checks that the first `number` steps of both lists are equal. A step that is new or changed is an error
/// with its line in `new`; a missing one is [`ResumeError::NoPlace`]. Lists that both end earlier are equal.
fn same(old: &[Step], new: &[Step], number: usize) -> Result<(), ResumeError> {
    for index in 0..number {
        match (old.get(index), new.get(index)) {
            (Some(old), Some(now)) if is_same(old, now) => {}
            (_, Some(now)) => return Err(ResumeError::Changed { line: line(now) }),
            (Some(_), None) => return Err(ResumeError::NoPlace),
            (None, None) => break,
        }
    }
    Ok(())
}

fn line(step: &Step) -> usize {
    line_column(&step.source.text, step.span.start).0
}

/// Compares two steps and the sub-flows they run. Comments and spacing do not count.
fn is_same(old: &Step, new: &Step) -> bool {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    sub_flows(old, &mut before);
    sub_flows(new, &mut after);
    written(old) == written(new) && before == after
}

/// Part of a flow's file, for comparisons.
#[derive(Debug, PartialEq)]
enum YamlFragment {
    /// Parsed value, without its position, comments and spacing.
    Value(Value),
    /// Plain text: the part uses an anchor from elsewhere, so that it does not parse alone.
    Text(String),
}

impl YamlFragment {
    /// Parses a piece of YAML; one that cannot be parsed is compared as its text, without trailing spaces.
    fn new(text: &str) -> Self {
        match serde_yaml::from_str(text) {
            Ok(value) => Self::Value(value),
            Err(_) => Self::Text(text.trim_end().to_owned()),
        }
    }

    /// Removes these keys from a map. Anything else stays as it is.
    fn without(mut self, keys: &[&str]) -> Self {
        if let Self::Value(Value::Object(map)) = &mut self {
            for key in keys {
                map.shift_remove(*key);
            }
        }
        self
    }
}

/// Returns the step as it stands in its file.
fn written(step: &Step) -> YamlFragment {
    let text = step.source.text.get(step.span.clone()).unwrap_or_default();
    // Later lines keep their indentation, so the first one needs it too.
    let (_, column) = line_column(&step.source.text, step.span.start);
    YamlFragment::new(&format!("{}{text}", " ".repeat(column.saturating_sub(1))))
}

/// Returns a step that holds steps without the steps in it.
fn frame(step: &Step) -> YamlFragment {
    written(step).without(&["group", "then", "else"])
}

/// Adds the texts of the sub-flows that a step runs, in order of appearance, also those inside groups, loops,
/// branches and other sub-flows. Other steps add nothing.
fn sub_flows(step: &Step, found: &mut Vec<YamlFragment>) {
    let StepAction::Control(control) = &step.action else {
        return;
    };
    let lists: [&[Step]; 2] = match &**control {
        Control::Run { flow, .. } => {
            found.push(YamlFragment::new(&flow.source.text));
            [&flow.steps, &[]]
        }
        Control::Group { steps } | Control::Repeat { steps, .. } | Control::Retry { steps, .. } => {
            [steps, &[]]
        }
        Control::If {
            then, otherwise, ..
        } => [then, otherwise],
        _ => [&[], &[]],
    };
    for step in lists.into_iter().flatten() {
        sub_flows(step, found);
    }
}

/// Returns the part of a flow's header that takes effect before the first step: all but name, tags and lists
/// of steps. A Maestro header is compared as a whole; without a `---` line it is empty.
fn header(flow: &Flow) -> YamlFragment {
    let text = &flow.source.text;
    if flow.maestro().is_some() {
        let (header, _) = text.split_once("\n---").unwrap_or_default();
        return YamlFragment::new(header);
    }
    YamlFragment::new(text).without(&["name", "tags", "setup", "steps", "on_failure", "teardown"])
}
