//! Tools for touches at coordinates (A8–A12).

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::arguments::{coordinates, duration};
use super::errors;
use crate::arguments::Arguments;
use crate::touch_start::check_start;
use crate::{Call, ClientDifferences, Failure, Outcome, Rehearsal, StepSyntax, Tool, Words};
use runner_device::{Gesture, Input};
use runner_engine::{Direction, ScrollEffect, Session};
use runner_screen::Point;

/// A place on the display.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointArgs {
    /// X coordinate (>= 0)
    #[schemars(range(min = 0))]
    pub x: f64,
    /// Y coordinate (>= 0)
    #[schemars(range(min = 0))]
    pub y: f64,
}

/// Converts a coordinate to its pixel by cutting off the fraction.
pub(super) fn pixel(value: f64) -> i32 {
    value.trunc() as i32
}

pub(super) fn millis(value: f64) -> Duration {
    Duration::from_millis(value.trunc() as u64)
}

impl PointArgs {
    /// Returns the pixel, with fractions cut off.
    fn point(&self) -> Point {
        Point {
            x: pixel(self.x),
            y: pixel(self.y),
        }
    }
}

/// Sends one touch of the display, after the dialogs that rules find were answered; without rules it takes no look. One
/// that begins outside of the display is refused. `name` is the gesture in the message of a failure.
async fn perform(session: &Session, input: Input, name: &Words) -> Result<(), Failure> {
    check_start(session, &input).await?;
    session
        .touch_display(&[input])
        .await
        .map_err(|error| errors::gesture(name, error))
}

#[derive(Debug)]
pub struct Tap;

impl Tool for Tap {
    const NAME: &'static str = "tap";
    const SUMMARY: &'static str = "Performs a single tap at the specified coordinates.";
    const HELP: &'static str = "For what is in get_screen_state, click_element is safer.";
    const WRITING: StepSyntax = StepSyntax::Map;
    type Args = PointArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        coordinates(args, ["x", "y"])
    }

    /// Taps the point, with fractions cut off, whatever is there. Dialogs that rules find are answered before.
    async fn call(session: &Session, args: PointArgs, _: &Call) -> Result<Outcome, Failure> {
        let Point { x, y } = args.point();
        let name = Words::format("tap({}, {})", &[&x, &y]);
        perform(session, Input::Tap(args.point()), &name).await?;
        Ok(Outcome::text(Words::format(
            "Tap executed at ({}, {})",
            &[&x, &y],
        )))
    }
}

#[derive(Debug)]
pub struct DoubleTap;

impl Tool for DoubleTap {
    const NAME: &'static str = "double_tap";
    const SUMMARY: &'static str = "Performs a double tap at the specified coordinates.";
    const WRITING: StepSyntax = StepSyntax::Map;
    type Args = PointArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        coordinates(args, ["x", "y"])
    }

    /// Taps the point twice, with fractions cut off, whatever is there. Dialogs that rules find are answered before.
    async fn call(session: &Session, args: PointArgs, _: &Call) -> Result<Outcome, Failure> {
        let Point { x, y } = args.point();
        let name = Words::format("double_tap({}, {})", &[&x, &y]);
        perform(session, Input::DoubleTap(args.point()), &name).await?;
        Ok(Outcome::text(Words::format(
            "Double tap executed at ({}, {})",
            &[&x, &y],
        )))
    }
}

/// Arguments of `long_press`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LongPressArgs {
    /// X coordinate (>= 0)
    #[schemars(range(min = 0))]
    pub x: f64,
    /// Y coordinate (>= 0)
    #[schemars(range(min = 0))]
    pub y: f64,
    /// Press duration in ms (1-60000)
    #[serde(default = "thousand")]
    #[schemars(range(min = 1, max = 60000))]
    pub duration: f64,
}

fn thousand() -> f64 {
    1000.0
}

pub(super) fn three_hundred() -> f64 {
    300.0
}

#[derive(Debug)]
pub struct LongPress;

impl Tool for LongPress {
    const NAME: &'static str = "long_press";
    const SUMMARY: &'static str = "Performs a long press at the specified coordinates.";
    const WRITING: StepSyntax = StepSyntax::Map;
    type Args = LongPressArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        coordinates(args, ["x", "y"])?;
        duration(args, "duration")
    }

    /// Holds the point for the duration, with fractions cut off, whatever is there. Dialogs that rules find are
    /// answered before.
    async fn call(session: &Session, args: LongPressArgs, _: &Call) -> Result<Outcome, Failure> {
        let (x, y) = (pixel(args.x), pixel(args.y));
        let duration = millis(args.duration);
        let input = Input::LongPress(Point { x, y }, duration);
        let name = Words::format("long_press({}, {})", &[&x, &y]);
        perform(session, input, &name).await?;
        Ok(Outcome::text(Words::format(
            "Long press executed at ({}, {}) for {}ms",
            &[&x, &y, &duration.as_millis()],
        )))
    }
}

/// Arguments of `swipe`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwipeArgs {
    /// Start X coordinate (>= 0)
    #[schemars(range(min = 0))]
    pub x1: f64,
    /// Start Y coordinate (>= 0)
    #[schemars(range(min = 0))]
    pub y1: f64,
    /// End X coordinate (>= 0)
    #[schemars(range(min = 0))]
    pub x2: f64,
    /// End Y coordinate (>= 0)
    #[schemars(range(min = 0))]
    pub y2: f64,
    /// Swipe duration in ms (1-60000)
    #[serde(default = "three_hundred")]
    #[schemars(range(min = 1, max = 60000))]
    pub duration: f64,
}

#[derive(Debug)]
pub struct Swipe;

impl Tool for Swipe {
    const NAME: &'static str = "swipe";
    const SUMMARY: &'static str = "Performs a swipe gesture from one point to another.";
    const HELP: &'static str = "To move content by a part of the screen use scroll.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const REHEARSAL: Rehearsal = Rehearsal::Here;
    type Args = SwipeArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        coordinates(args, ["x1", "y1", "x2", "y2"])?;
        duration(args, "duration")
    }

    /// Swipes between the points, with fractions cut off, after the dialogs that rules find were answered. Does not
    /// check that anything moved.
    async fn call(session: &Session, args: SwipeArgs, _: &Call) -> Result<Outcome, Failure> {
        let from = Point {
            x: pixel(args.x1),
            y: pixel(args.y1),
        };
        let to = Point {
            x: pixel(args.x2),
            y: pixel(args.y2),
        };
        let duration = millis(args.duration);
        let way = Words::format("({}, {}) to ({}, {})", &[&from.x, &from.y, &to.x, &to.y]);
        let name = Words::format("swipe({}, {}, {}, {})", &[&from.x, &from.y, &to.x, &to.y]);
        perform(session, Input::Swipe(Gesture { from, to, duration }), &name).await?;
        Ok(Outcome::text(Words::format(
            "Swipe executed from {} over {}ms",
            &[&way, &duration.as_millis()],
        )))
    }
}

/// Arguments of `scroll`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScrollArgs {
    /// Direction: "up", "down", "left", "right"
    pub direction: String,
    /// Amount: "small" (25%), "medium" (50%), "large" (75%)
    #[serde(default = "medium")]
    pub amount: String,
}

fn medium() -> String {
    "medium".to_owned()
}

#[derive(Debug)]
pub struct Scroll;

impl Tool for Scroll {
    const NAME: &'static str = "scroll";
    const SUMMARY: &'static str = "Scrolls the screen in the specified direction.";
    const HELP: &'static str = "`down` reveals what is below.";
    const WRITING: StepSyntax = StepSyntax::Scalar("direction");
    const REHEARSAL: Rehearsal = Rehearsal::Here;
    const FOR_CLIENTS: ClientDifferences = ClientDifferences {
        choices: &[
            ("direction", &["up", "down", "left", "right"]),
            ("amount", &["small", "medium", "large"]),
        ],
        ..ClientDifferences::SAME
    };
    type Args = ScrollArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        args.required("direction")?;
        args.one_of("direction", &["up", "down", "left", "right"])?;
        args.one_of("amount", &["small", "medium", "large"])
    }

    /// Scrolls the screen once by a quarter, a half or three quarters, after the dialogs that rules find were answered.
    /// Nothing is sent where the swipe would click or is covered. A screen that does not move, or cannot be read, is
    /// told so, and is no failure.
    async fn call(session: &Session, args: ScrollArgs, _: &Call) -> Result<Outcome, Failure> {
        let direction = Direction::named(&args.direction.to_lowercase()).unwrap_or_default();
        let amount = args.amount.to_lowercase();
        let percent = match amount.as_str() {
            "small" => 25,
            "large" => 75,
            _ => 50,
        };
        let name = Words::format("scroll({})", &[&Words::from(direction.word())]);
        let failed = |error| errors::gesture(&name, error);
        session.answer_dialogs().await.map_err(failed)?;
        let effect = session.scroll_once(direction, percent).await;
        let effect = effect.map_err(failed)?;
        let text = match effect {
            ScrollEffect::Moved => "Scroll {} ({}) executed",
            ScrollEffect::Nothing => {
                "Nothing moved: the screen does not scroll {} ({}), or not further"
            }
            ScrollEffect::Unknown => {
                "Scroll {} ({}) sent. The screen could not be read, so nobody knows whether it moved: take a screenshot"
            }
        };
        let way = Words::from(direction.word());
        Ok(Outcome::text(Words::format(text, &[&way, &amount])))
    }
}
