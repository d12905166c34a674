//! C4: scrolling by pixels.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::element::{again, done, failed, find, unsupported};
use super::kind::Action;
use crate::arguments::{Arguments, Complaint};
use crate::{Call, Failure, Outcome, StepSyntax, Tool, Words};
use runner_device::{Gesture, Input};
use runner_engine::{Direction, EngineError, InputGuard, Session};
use runner_screen::{Display, Node, Point, Rect};

/// Pixels where none are named.
const AMOUNT: f64 = 100.0;
/// The most that one call scrolls.
const MOST: f64 = 20_000.0;
/// Part of the container that one finger crosses.
const STEP_PERCENT: u32 = 70;
/// Time for one finger.
const DRAG: Duration = Duration::from_millis(400);
/// A finger that moves less than this, in dp, has tapped.
const SLOP: f64 = 8.0;

/// Arguments of `scroll`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScrollArgs {
    /// Id of what scrolls, from `list_actionable` or `ui://elements`.
    #[schemars(length(min = 1))]
    pub element_id: String,
    /// What to reveal: `down` shows what is below.
    pub direction: Direction,
    /// Pixels to scroll.
    #[serde(default = "usual")]
    #[schemars(range(max = 20_000), extend("default" = 100))]
    pub amount: Option<f64>,
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "serde wants the type of the field"
)]
fn usual() -> Option<f64> {
    Some(AMOUNT)
}

/// C4 `scroll`.
#[derive(Debug)]
pub struct Scroll;

impl Tool for Scroll {
    const NAME: &'static str = "semantic.scroll";
    const SUMMARY: &'static str = "Scrolls a container by pixels.";
    const HELP: &'static str = "At its end, or sideways where it only goes up and down, it does not move: the message says `Nothing moved`, which is not an error.\nLess than a finger must move to scroll is scrolled by that much; the message says by how much.";
    const WRITING: StepSyntax = StepSyntax::Map;
    type Args = ScrollArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        args.filled("element_id")?;
        let direction = args.required_text("direction")?;
        let directions = ["up", "down", "left", "right"];
        if !directions.contains(&direction) {
            let complaint = Complaint::NotOneOf(&directions, direction);
            return Err(args.complaint("direction", &complaint));
        }
        match args.number("amount")? {
            Some(amount) if amount <= 0.0 || amount > MOST => {
                Err(args.complaint("amount", &Complaint::NotUpTo(MOST, &amount)))
            }
            _ => Ok(()),
        }
    }

    async fn call(session: &Session, args: ScrollArgs, _: &Call) -> Result<Outcome, Failure> {
        let id = args.element_id;
        let found = find(session, &id).await?;
        let node = found.node();
        if !node.flags().scrollable {
            return Err(unsupported(&id, Action::Scroll, node));
        }
        let display = session.display().await?;
        let Some(area) = node.part_on_display() else {
            return Err(failed(Words::format(
                "Element '{}' is not on the screen",
                &[&id],
            )));
        };
        let amount = args.amount.unwrap_or(AMOUNT).round().max(1.0) as u32;
        let slop = slop(display);
        let turn = session.lock_input().await;
        drag(&turn, area, args.direction, amount, slop).await?;
        let screen = session.look().await?;
        let way = args.direction.word();
        let after = again(session, &id, &found, &screen).map(|index| screen.node(index));
        let message = if after.is_some_and(|after| shows_the_same(node, after)) {
            format!("Nothing moved: '{id}' does not scroll {way}, or not further")
        } else {
            format!("Scrolled {way} by {amount}")
        };
        Ok(done(&id, message).at(node.bounds()))
    }
}

/// Whether the same things are at the same places in an element, before and after.
fn shows_the_same(before: Node<'_>, after: Node<'_>) -> bool {
    let place = |node: Node<'_>| node.bounds();
    let words = |a: Node<'_>, b: Node<'_>| a.text() == b.text() && a.desc() == b.desc();
    let (mut before, mut after) = (before.descendants(), after.descendants());
    loop {
        match (before.next(), after.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if place(a) == place(b) && words(a, b) => {}
            _ => return false,
        }
    }
}

/// The touch slop in pixels: a finger's way less this is what the content moves by.
fn slop(display: Display) -> u32 {
    // A display that does not report its density has 0.
    (SLOP * f64::from(display.density.max(160)) / 160.0) as u32
}

/// Moves the content by `amount` pixels, with as many fingers as it takes.
async fn drag(
    turn: &InputGuard<'_>,
    area: Rect,
    direction: Direction,
    amount: u32,
    slop: u32,
) -> Result<(), EngineError> {
    for part in parts(area, direction, amount) {
        turn.send(&[Input::Drag(finger(area, direction, part + slop))])
            .await?;
    }
    Ok(())
}

/// `amount` in equal parts, none longer than a finger's way in the container.
fn parts(area: Rect, direction: Direction, amount: u32) -> impl Iterator<Item = u32> {
    let axis = match direction {
        Direction::Up | Direction::Down => area.height(),
        Direction::Left | Direction::Right => area.width(),
    };
    let longest = (u64::from(axis) * u64::from(STEP_PERCENT) / 100).max(1) as u32;
    let count = amount.div_ceil(longest).max(1);
    let (each, rest) = (amount / count, amount % count);
    (0..count).map(move |number| each + u32::from(number < rest))
}

/// The way of a finger, centred in the container, as long as `amount` pixels.
fn finger(area: Rect, direction: Direction, amount: u32) -> Gesture {
    let middle = area.center();
    let (before, after) = ((amount / 2) as i32, amount.div_ceil(2) as i32);
    let at = |x: i32, y: i32| Point {
        x: middle.x + x,
        y: middle.y + y,
    };
    let (from, to) = match direction {
        Direction::Down => (at(0, after), at(0, -before)),
        Direction::Up => (at(0, -before), at(0, after)),
        Direction::Right => (at(after, 0), at(-before, 0)),
        Direction::Left => (at(-before, 0), at(after, 0)),
    };
    Gesture {
        from,
        to,
        duration: DRAG,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c04_fingers_go_the_amount_the_other_way_and_stay_inside() {
        let area = Rect::new(0, 100, 1080, 1100);
        let gesture = finger(area, Direction::Down, 201);
        assert_eq!(gesture.from.y - gesture.to.y, 201);
        let gesture = finger(area, Direction::Left, 50);
        assert_eq!(gesture.to.x - gesture.from.x, 50);
        assert_eq!(parts(area, Direction::Down, 100).collect::<Vec<_>>(), [100]);
        assert_eq!(
            parts(area, Direction::Down, 1501).collect::<Vec<_>>(),
            [501, 500, 500]
        );
    }
}
