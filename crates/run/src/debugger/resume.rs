//! Going on in a flow that was edited while it was paused: at the same step, with all that the steps before it left.

use serde_json::Value;

use runner_flow::{Control, Flow, PathSegment, Step, StepAction, StepList, StepPath};
use runner_text::diagnostic::line_column;

/// Why a paused run cannot go on in an edited flow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResumeError {
    /// A step that ran already is another one now.
    #[error(
        "line {line} changed: it ran already. Only what comes from the paused step on can be edited; choose Stop, then Run all"
    )]
    Changed {
        /// The line in the edited file, from 1.
        line: usize,
    },
    /// A step before the part of the flow that runs is another one now.
    #[error(
        "line {line} changed: it stands before the part that runs. Only what comes from the paused step on can be edited; choose Stop, then run the part again"
    )]
    Before {
        /// The line in the edited file, from 1.
        line: usize,
    },
    /// What stands before the steps changed.
    #[error(
        "the header of the flow changed (its app, env, secrets, limits or setup): it is in use already. Choose Stop, then Run all"
    )]
    Header,
    /// The step is tried or repeated.
    #[error(
        "the paused step stands inside `{0}`, where an edited flow cannot go on. Choose Stop, then Run all"
    )]
    Repeated(&'static str),
    /// The steps around it are not there any more.
    #[error("the steps around the paused step are not there any more. Choose Stop, then Run all")]
    NoPlace,
}

/// The steps of a list: what stands at `prefix`. `None` where there is no such list, or one of Maestro's commands holds it.
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
            // Behind these, the round.
            (StepList::Repeat | StepList::Retry, [PathSegment::Number(_), more @ ..]) => more,
            _ => more,
        };
    }
    rest.is_empty().then_some(list)
}

/// The step at a path.
pub fn step_at<'f>(flow: &'f Flow, path: &StepPath) -> Option<&'f Step> {
    let (last, prefix) = path.split_last()?;
    let PathSegment::Number(index) = last else {
        return None;
    };
    steps_at(flow, &prefix)?.get(index)
}

fn first_list<'f, 'p>(flow: &'f Flow, path: &'p [PathSegment]) -> (&'f [Step], &'p [PathSegment]) {
    match path {
        [PathSegment::List(StepList::Setup), rest @ ..] => (&flow.setup, rest),
        [PathSegment::List(StepList::OnFailure), rest @ ..] => (&flow.on_failure, rest),
        [PathSegment::List(StepList::Teardown), rest @ ..] => (&flow.teardown, rest),
        _ => (&flow.steps, path),
    }
}

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

/// Whether a run of `old` that is paused at `path` can go on in `new`: what ran already differs at most in comments and
/// spacing.
///
/// # Errors
/// [`ResumeError`] says what stands in the way, and where.
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

/// Whether the first `number` steps of a flow are what they were, where the run is of a part behind them.
///
/// # Errors
/// [`ResumeError::Before`] names the first that is not.
pub fn same_before(old: &Flow, new: &Flow, number: usize) -> Result<(), ResumeError> {
    same(&old.steps, &new.steps, number).map_err(|error| match error {
        ResumeError::Changed { line } => ResumeError::Before { line },
        other => other,
    })
}

/// The first `number` steps of both lists are the same.
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

fn is_same(old: &Step, new: &Step) -> bool {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    sub_flows(old, &mut before);
    sub_flows(new, &mut after);
    written(old) == written(new) && before == after
}

/// A part of a flow's file, to be compared.
#[derive(Debug, PartialEq)]
enum YamlFragment {
    /// Without its place, comments and spacing.
    Value(Value),
    /// As it stands there: alone it is not YAML, for it uses an anchor from elsewhere.
    Text(String),
}

impl YamlFragment {
    fn new(text: &str) -> Self {
        match serde_yaml::from_str(text) {
            Ok(value) => Self::Value(value),
            Err(_) => Self::Text(text.trim_end().to_owned()),
        }
    }

    fn without(mut self, keys: &[&str]) -> Self {
        if let Self::Value(Value::Object(map)) = &mut self {
            for key in keys {
                map.shift_remove(*key);
            }
        }
        self
    }
}

fn written(step: &Step) -> YamlFragment {
    let text = step.source.text.get(step.span.clone()).unwrap_or_default();
    // The lines behind the first are indented; so is the first one then.
    let (_, column) = line_column(&step.source.text, step.span.start);
    YamlFragment::new(&format!("{}{text}", " ".repeat(column.saturating_sub(1))))
}

/// A step that holds steps, without them.
fn frame(step: &Step) -> YamlFragment {
    written(step).without(&["group", "then", "else"])
}

/// What the sub-flows of a step say.
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

/// What of a flow's header is in use once it runs. Of Maestro's, whose header is a document of its own, all of it.
fn header(flow: &Flow) -> YamlFragment {
    let text = &flow.source.text;
    if flow.maestro().is_some() {
        let (header, _) = text.split_once("\n---").unwrap_or_default();
        return YamlFragment::new(header);
    }
    YamlFragment::new(text).without(&["name", "tags", "setup", "steps", "on_failure", "teardown"])
}
