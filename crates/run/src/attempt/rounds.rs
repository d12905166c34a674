//! Why a `while` held too long: whether anything moved in its rounds.

use std::sync::Arc;

use serde_json::Value;

use super::Attempt;
use runner_engine::{Direction, same_rows};
use runner_flow::{Argument, Condition, Step, StepAction};
use runner_screen::Screen;
use runner_tools::{Failure, FailureKind, FlowReader, NextStep, Reader};

/// Looks by which the condition of a loop was judged.
#[derive(Default)]
pub(super) struct RoundLooks {
    last: Option<Arc<Screen>>,
    /// True if a look differs from the one before.
    has_change: bool,
}

impl RoundLooks {
    /// Adds the look after a round, or before the first. `None` changes nothing.
    pub(super) fn add(&mut self, look: Option<Arc<Screen>>) {
        let Some(look) = look else { return };
        if let Some(last) = &self.last {
            self.has_change |= !same_rows(last, &look);
        }
        self.last = Some(look);
    }
}

impl Attempt<'_> {
    /// Builds the failure of a `while` that still holds after `max` rounds. It says so if all steps that swipe go one
    /// way and nothing moved, with what to write; else to raise `max`. It names what the condition's selector nearly
    /// matches.
    pub(super) async fn held_too_long(
        &self,
        condition: &Condition,
        max: u32,
        steps: &[Step],
        looks: &RoundLooks,
    ) -> Failure {
        let near = self.near_misses(condition, true).await;
        // An expression is judged by no look.
        let is_judged = !matches!(condition, Condition::Expression(_));
        let in_vain = only_swipe(steps).filter(|_| is_judged && !looks.has_change);
        let (why, advice) = match in_vain {
            Some(finger) => (
                ", and nothing moved in any of them",
                Some(self.other_way(condition, finger).await),
            ),
            None => ("; raise `max` if that is right", None),
        };
        Failure::new(
            FailureKind::Timeout,
            format!("`while` still held after {max} rounds{why}"),
        )
        .with_details(advice)
        .with_details(near)
    }

    /// Returns the advice to swipe against `finger`, the direction of swipes that moved nothing; where an element was
    /// swiped for, also the step that scrolls to it.
    async fn other_way(&self, condition: &Condition, finger: Direction) -> String {
        let shown = match finger {
            Direction::Up => "below",
            Direction::Down => "above",
            Direction::Left => "on the right",
            Direction::Right => "on the left",
        };
        let mut advice = format!(
            "`swipe_across: {}` shows what is {shown}; write `swipe_across: {}`",
            finger.word(),
            finger.opposite().word()
        );
        let Condition::NotVisible(wanted) = condition else {
            return advice;
        };
        if let Ok(selector) = self.stack.selector(&wanted.selector).await {
            // Scrolling is named by what it shows, a swipe by the finger: the same word is the other way.
            let step = NextStep::ScrollTo {
                selector: &selector,
                direction: finger,
            };
            let step = FlowReader.step(&step);
            advice.extend(step.map(|step| format!(", or `{step}` in place of the loop")));
        }
        advice
    }
}

/// Returns the direction of the finger in all steps that swipe, nested ones aside. `None` if there is none, if they go
/// several ways, or by places.
fn only_swipe(steps: &[Step]) -> Option<Direction> {
    let mut swipes = steps.iter().filter_map(|step| match &step.action {
        StepAction::Call { entry, arguments } if entry.name == "swipe_across" => {
            Some(direction(&arguments.value))
        }
        _ => None,
    });
    let first = swipes.next()??;
    swipes.all(|other| other == Some(first)).then_some(first)
}

/// Returns the direction among the arguments of a swipe; `None` for one that is not written out.
fn direction(arguments: &Argument) -> Option<Direction> {
    let word: &str = match arguments {
        Argument::Map(given) => match &given.get("direction")?.value {
            Argument::Literal(Value::String(word)) => word,
            _ => return None,
        },
        Argument::Literal(given) => given.get("direction")?.as_str()?,
        _ => return None,
    };
    Direction::named(word)
}
