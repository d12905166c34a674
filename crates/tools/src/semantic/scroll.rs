//! Tool that scrolls by pixels (C4).

use std::collections::HashMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::element::{again, done, failed, find, unsupported};
use super::kind::Action;
use crate::arguments::{Arguments, Complaint};
use crate::{Call, Failure, Outcome, StepSyntax, Tool, Words};
use runner_device::{Gesture, Input};
use runner_engine::{Direction, EngineError, InputGuard, Session, clicked, free_part};
use runner_screen::{Display, Node, Point, Rect};

/// Default amount in pixels.
const DEFAULT_PIXELS: f64 = 100.0;
/// Limit for the amount of one call, in pixels. Chosen: dozens of drags.
const MAX_PIXELS: f64 = 20_000.0;
/// Length of one drag in percent of the container. Chosen: as far as a finger comfortably goes.
const STEP_PERCENT: u32 = 70;
/// Duration of one drag. Chosen: slow enough that Android sees a drag, not a fling.
const DRAG: Duration = Duration::from_millis(400);
/// Touch slop in dp, AOSP's `ViewConfiguration.TOUCH_SLOP`: a finger that moves less has tapped.
const SLOP_DP: f64 = 8.0;

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
    Some(DEFAULT_PIXELS)
}

#[derive(Debug)]
pub struct Scroll;

impl Tool for Scroll {
    const NAME: &'static str = "semantic.scroll";
    const SUMMARY: &'static str = "Scrolls a container by pixels.";
    const HELP: &'static str = "At its end, or sideways where it only goes up and down, it does not move: the message says `Nothing moved`, which is not an error.\nLess than a finger must move to scroll is scrolled by that much; the message says by how much.";
    const WRITING: StepSyntax = StepSyntax::Map;
    type Args = ScrollArgs;

    /// Requires an element and a direction; an amount must be above 0 and at most [`MAX_PIXELS`].
    fn check(args: &Arguments) -> Result<(), Failure> {
        args.filled("element_id")?;
        let direction = args.required_text("direction")?;
        let directions = ["up", "down", "left", "right"];
        if !directions.contains(&direction) {
            let complaint = Complaint::NotOneOf(&directions, direction);
            return Err(args.complaint("direction", &complaint));
        }
        match args.number("amount")? {
            Some(amount) if amount <= 0.0 || amount > MAX_PIXELS => {
                Err(args.complaint("amount", &Complaint::NotUpTo(MAX_PIXELS, &amount)))
            }
            _ => Ok(()),
        }
    }

    /// Scrolls the element by pixels, 100 if no amount is given, at least 1. The message tells how far the contents moved:
    /// less than the amount at their end, at most the amount where no element is shown before and after. Contents that did
    /// not move are no failure. An element that does not scroll, or is not on the screen, is a failure.
    async fn call(session: &Session, args: ScrollArgs, _: &Call) -> Result<Outcome, Failure> {
        let id = args.element_id;
        let found = find(session, &id).await?;
        let node = found.node();
        if !node.flags().scrollable {
            return Err(unsupported(&id, Action::Scroll, node));
        }
        let display = session.display().await?;
        if node.part_on_display().is_none() {
            return Err(failed(Words::format(
                "Element '{}' is not on the screen",
                &[&id],
            )));
        }
        let amount = args.amount.unwrap_or(DEFAULT_PIXELS).round().max(1.0) as u32;
        let way = args.direction.word();
        let turn = session.lock_input().await;
        let unmoved = format!("Nothing moved: '{id}' does not scroll {way}, or not further");
        let message = if drag(&turn, node, &id, args.direction, (amount, slop(display))).await? {
            let screen = session.look().await?;
            let after = again(session, &id, &found, &screen).map(|index| screen.node(index));
            match after {
                Some(after) if shows_the_same(node, after) => unmoved,
                after => match after.and_then(|after| moved_by(node, after, args.direction)) {
                    Some(moved) if moved == amount => format!("Scrolled {way} by {moved}"),
                    Some(moved) => format!("Scrolled {way} by {moved}, not by {amount}"),
                    None => format!("Scrolled {way} by at most {amount}"),
                },
            }
        } else {
            unmoved
        };
        Ok(done(&id, message).at(node.bounds()))
    }
}

/// Returns true if an element has the same contents before and after: as many nodes inside, with the same
/// bounds, texts and descriptions in the same order. The element's own bounds and words do not count.
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

/// Returns the pixels by which the contents of an element moved in a direction: as most of those elements did whose words
/// only they have, and that are shown whole before and after. `None` if there is no such element, or no majority.
fn moved_by(before: Node<'_>, after: Node<'_>, direction: Direction) -> Option<u32> {
    let (before, after) = (spans(before, direction), spans(after, direction));
    let mut counts: HashMap<u32, usize> = HashMap::new();
    for (words, old) in &before {
        let (&[Some(old)], Some(&[Some(new)])) = (&old[..], after.get(words).map(Vec::as_slice))
        else {
            continue;
        };
        let way = match direction {
            Direction::Down | Direction::Right => old.start - new.start,
            Direction::Up | Direction::Left => new.start - old.start,
        };
        // A row that stays, such as a heading, tells nothing.
        if let Ok(way @ 1..) = u32::try_from(way)
            && old.length == new.length
        {
            *counts.entry(way).or_default() += 1;
        }
    }
    let most = counts.values().max()?;
    let mut ways = counts.iter().filter(|(_, count)| *count == most);
    match (ways.next(), ways.next()) {
        (Some((way, _)), None) => Some(*way),
        _ => None,
    }
}

/// Part of an axis that an element takes.
#[derive(Debug, Clone, Copy)]
struct Span {
    /// Pixels from the beginning of the container.
    start: i32,
    length: i32,
}

/// Words of an element: its text and its description.
type NodeWords<'a> = (&'a str, &'a str);

/// Returns the spans of a container's elements on the axis of a direction, by their words; `None` for one that reaches an
/// edge, as it may be cut off there. Elements without words are left out.
fn spans(container: Node<'_>, direction: Direction) -> HashMap<NodeWords<'_>, Vec<Option<Span>>> {
    let axis = |area: Rect| match direction {
        Direction::Up | Direction::Down => (area.top, area.bottom),
        Direction::Left | Direction::Right => (area.left, area.right),
    };
    let (low, high) = axis(container.bounds());
    let mut spans: HashMap<_, Vec<_>> = HashMap::new();
    for node in container.descendants() {
        let words = (node.text(), node.desc());
        if words == ("", "") {
            continue;
        }
        let (start, end) = axis(node.bounds());
        let is_whole = low < start && end < high;
        let span = Span {
            start: start - low,
            length: end - start,
        };
        spans
            .entry(words)
            .or_default()
            .push(is_whole.then_some(span));
    }
    spans
}

/// Returns the touch slop in pixels, the way of a finger that Android does not count as a movement. The
/// content moves by the finger's way less this.
fn slop(display: Display) -> u32 {
    // A display that does not report its density has 0.
    (SLOP_DP * f64::from(display.density.max(160)) / 160.0) as u32
}

/// Moves the content of a container by `amount` pixels, in as many drags as it takes, where nothing lies above
/// it. Each drag is longer by `slop` pixels, which Android does not count as a movement. Sends nothing and
/// returns false if the finger would click an element in it instead.
///
/// # Errors
///
/// [`EngineError::Covered`] if something lies above all of the container, and errors of the device.
async fn drag(
    turn: &InputGuard<'_>,
    container: Node<'_>,
    id: &str,
    direction: Direction,
    (amount, slop): (u32, u32),
) -> Result<bool, EngineError> {
    let area = free_part(container, direction, id)?;
    let gestures: Vec<Gesture> = parts(area, direction, amount)
        .map(|part| finger(area, direction, part + slop))
        .collect();
    let screen = container.screen();
    if gestures
        .iter()
        .any(|gesture| clicked(screen, direction, *gesture).is_some())
    {
        return Ok(false);
    }
    for gesture in gestures {
        turn.send(&[Input::Drag(gesture)]).await?;
    }
    Ok(true)
}

/// Splits `amount` pixels into equal parts, none longer than 70 % of the area in this direction. The first parts are
/// longer by one pixel if it does not divide. An amount of 0 is one part of 0.
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

/// Returns the path of one drag of `amount` pixels, centred in the container. `direction` is where the view
/// goes, so the finger moves the other way: up for `Down`.
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
    use runner_screen::{DisplayContext, Screen};

    /// Screen with a list of 40 rows of 100 px below a heading that stays, scrolled by `offset`.
    fn list(offset: i32) -> Screen {
        let node = |class: &str, text: &str, [top, bottom]: [i32; 2], children: &str| {
            format!(
                "<node class='android.widget.{class}' package='com.example' text='{text}' enabled='true' bounds='[0,{top}][1080,{bottom}]'>{children}</node>"
            )
        };
        let rows: String = (0..40)
            .map(|row| (row, 200 + row * 100 - offset))
            .filter(|(_, top)| (101..1200).contains(top))
            .map(|(row, top)| {
                node(
                    "TextView",
                    &format!("row {row}"),
                    [top, (top + 100).min(1200)],
                    "",
                )
            })
            .collect();
        let heading = node("TextView", "Heading", [110, 190], "");
        let list = node("ListView", "", [100, 1200], &format!("{heading}{rows}"));
        let dump = format!(
            "<hierarchy>{}</hierarchy>",
            node("FrameLayout", "", [0, 2400], &list)
        );
        Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap()
    }

    #[test]
    fn c04_the_way_is_that_of_the_rows_that_stay_shown() {
        fn container(screen: &Screen) -> Node<'_> {
            let mut nodes = screen.nodes();
            nodes
                .find(|node| node.text() == "Heading")
                .unwrap()
                .parent()
                .unwrap()
        }
        for (from, to, down) in [
            (0, 1, Some(1)),
            (0, 103, Some(103)),
            (50, 750, Some(700)),
            // At its end, and where it went the other way.
            (300, 300, None),
            (300, 200, None),
            // No row is shown before and after.
            (0, 2000, None),
        ] {
            let (before, after) = (list(from), list(to));
            let (before, after) = (container(&before), container(&after));
            assert_eq!(
                moved_by(before, after, Direction::Down),
                down,
                "{from} {to}"
            );
            assert_eq!(moved_by(after, before, Direction::Up), down, "{from} {to}");
        }
    }

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
