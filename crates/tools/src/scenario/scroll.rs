//! Tools for the screen's size and for swipes that fit it (D5, D11–D14).

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::status::because;
use crate::arguments::Arguments;
use crate::everyday::NoArgs;
use crate::{Call, Effect, Failure, FailureKind, Outcome, StepSyntax, Tool, Words};
use runner_device::{DeviceError, Gesture, Input};
use runner_engine::{EngineError, Session};
use runner_screen::Point;

type Size = (i32, i32);

/// Size assumed for a screen that does not report its own, as in the reference.
const USUAL: Size = (1080, 1920);
/// Duration of a swipe in milliseconds. Chosen: as a person's; faster would fling far.
const MILLIS: u32 = 300;

/// Returns the screen's width and height in pixels, as at the last look, or 1080 and 1920 if the device does not report
/// them, as in the reference. Only a failure of the infrastructure is an error; `failed` begins its message.
async fn size(session: &Session, failed: &'static str) -> Result<Size, Failure> {
    match session.display().await {
        Ok(display) if !display.bounds().is_empty() => {
            Ok((display.width as i32, display.height as i32))
        }
        // The reference assumes a usual screen if the device does not report its size.
        Err(EngineError::Device(DeviceError::NotAnswered(_))) | Ok(_) => Ok(USUAL),
        Err(error) => match because(failed, error) {
            failure if failure.kind == FailureKind::Infrastructure => Err(failure),
            _ => Ok(USUAL),
        },
    }
}

/// Returns start and end of a swipe on an axis. It starts a quarter of the axis inside, so that the finger
/// has three quarters to go; a longer distance is cut at the edge. A positive distance goes towards higher
/// coordinates.
fn path(length: i32, distance: i32) -> (i32, i32) {
    let share = |percent: i64| (i64::from(length) * percent / 100) as i32;
    let from = if distance > 0 { share(25) } else { share(75) };
    (from, from.saturating_add(distance).clamp(0, length))
}

/// Returns a vertical swipe. With a positive distance the finger goes up, which reveals what is below.
fn vertical((width, height): Size, distance: i32) -> (Point, Point) {
    let (from, to) = path(height, distance.saturating_neg());
    let x = width / 2;
    (Point { x, y: from }, Point { x, y: to })
}

/// Returns a horizontal swipe. With a positive distance finger and content go to the right.
fn horizontal((width, height): Size, distance: i32) -> (Point, Point) {
    let (from, to) = path(width, distance);
    let y = height / 2;
    (Point { x: from, y }, Point { x: to, y })
}

/// Swipes once, after the dialogs that rules find were answered. A way of no length does nothing, as it would be a tap.
async fn swipe(
    session: &Session,
    (from, to): (Point, Point),
    millis: u32,
    what: &'static str,
) -> Result<(), Failure> {
    if from == to {
        // A swipe of no length would be a tap.
        return Ok(());
    }
    let gesture = Gesture {
        from,
        to,
        duration: Duration::from_millis(millis.into()),
    };
    session
        .touch_display(&[Input::Swipe(gesture)])
        .await
        .map_err(|error| because(what, error))
}

/// Help text for the answer of a swipe.
const SWIPED: &str = "OK: the finger moved, or ERROR: … Look whether the content did.";

const VERTICAL: &str = "vertical scroll failed";
const HORIZONTAL: &str = "horizontal scroll failed";

#[derive(Debug)]
pub struct GetScreenSize;

impl Tool for GetScreenSize {
    const NAME: &'static str = "scenario.getScreenSize";
    const SUMMARY: &'static str = "Gives the size of the screen in pixels, as it is turned now.";
    const HELP: &'static str =
        "OK: WIDTHxHEIGHT, or ERROR: … Helps to choose a distance to scroll.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Reads;
    type Args = NoArgs;

    /// Returns the size as the screen is turned now. An unknown size is a failure here; none is assumed.
    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        const UNKNOWN: &str = "could not read screen size";
        let display = session
            .display_now()
            .await
            .map_err(|error| Failure::from(error).with_message(UNKNOWN))?
            .ok_or_else(|| Failure::assertion(UNKNOWN))?;
        let (width, height) = (display.width, display.height);
        Ok(Outcome::value(
            Words::format("OK: {}x{}", &[&width, &height]),
            json!({ "width": width, "height": height }),
        ))
    }
}

/// Swipes over three fifths of the screen's height: with a positive `sign` the finger goes up, which reveals what is
/// below. `way` is the word in the answer only.
async fn swipe_page(session: &Session, way: &str, sign: i32) -> Result<Outcome, Failure> {
    let (width, height) = size(session, VERTICAL).await?;
    let distance = sign * (i64::from(height) * 6 / 10) as i32;
    let path = vertical((width, height), distance);
    swipe(session, path, MILLIS, VERTICAL).await?;
    Ok(Outcome::text(Words::format(
        "OK: swiped {} on {}x{}",
        &[&way, &width, &height],
    )))
}

#[derive(Debug)]
pub struct SwipeUp;

impl Tool for SwipeUp {
    const NAME: &'static str = "scenario.swipeUp";
    const SUMMARY: &'static str =
        "Swipes up over most of the screen's height: shows what is further down.";
    const HELP: &'static str = SWIPED;
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    type Args = NoArgs;

    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        swipe_page(session, "up", 1).await
    }
}

#[derive(Debug)]
pub struct SwipeDown;

impl Tool for SwipeDown {
    const NAME: &'static str = "scenario.swipeDown";
    const SUMMARY: &'static str =
        "Swipes down over most of the screen's height: shows what is further up.";
    const HELP: &'static str = SWIPED;
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    type Args = NoArgs;

    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        swipe_page(session, "down", -1).await
    }
}

/// Arguments of the scrolls.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScrollArgs {
    /// How far the finger goes, in pixels. The sign is the direction.
    #[serde(default = "thousand")]
    pub distance: i32,
    /// How long the finger takes, in milliseconds.
    #[serde(default = "millis")]
    #[schemars(range(min = 1, max = 60000))]
    pub duration_ms: u32,
}

fn thousand() -> i32 {
    1000
}

fn millis() -> u32 {
    MILLIS
}

fn check_scroll(args: &Arguments) -> Result<(), Failure> {
    args.integer("distance")?;
    args.between("durationMs", 1, 60_000)
}

/// Scrolls by the step's distance along the axis of `path`, cut at the edge of the screen. A distance of 0 does nothing
/// and is no failure; neither is content that did not move. `word` names the direction in the answer, and `failed`
/// begins the message of a failure.
async fn scroll(
    session: &Session,
    args: &ScrollArgs,
    path: fn(Size, i32) -> (Point, Point),
    word: &'static str,
    failed: &'static str,
) -> Result<Outcome, Failure> {
    let distance = args.distance;
    let path = path(size(session, failed).await?, distance);
    swipe(session, path, args.duration_ms, failed).await?;
    Ok(Outcome::text(Words::format(
        "OK: scrolled {} distance={}",
        &[&Words::from(word), &distance],
    )))
}

#[derive(Debug)]
pub struct ScrollVertically;

impl Tool for ScrollVertically {
    const NAME: &'static str = "scenario.scrollVertically";
    const SUMMARY: &'static str = "Scrolls by a distance: positive shows what is further down (the finger goes up), negative what is further up.";
    const HELP: &'static str = SWIPED;
    const WRITING: StepSyntax = StepSyntax::Scalar("distance");
    const VALUE_OPTIONAL: bool = true;
    type Args = ScrollArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_scroll(args)
    }

    async fn call(session: &Session, args: ScrollArgs, _: &Call) -> Result<Outcome, Failure> {
        scroll(session, &args, vertical, "vertically", VERTICAL).await
    }
}

#[derive(Debug)]
pub struct ScrollHorizontally;

impl Tool for ScrollHorizontally {
    const NAME: &'static str = "scenario.scrollHorizontally";
    const SUMMARY: &'static str = "Scrolls sideways by a distance: positive moves the content to the right (the finger too), negative to the left.";
    const HELP: &'static str = SWIPED;
    const WRITING: StepSyntax = StepSyntax::Scalar("distance");
    const VALUE_OPTIONAL: bool = true;
    type Args = ScrollArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_scroll(args)
    }

    async fn call(session: &Session, args: ScrollArgs, _: &Call) -> Result<Outcome, Failure> {
        scroll(session, &args, horizontal, "horizontally", HORIZONTAL).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends((from, to): (Point, Point)) -> [i32; 4] {
        [from.x, from.y, to.x, to.y]
    }

    #[test]
    fn d13_positive_goes_up_from_three_quarters_and_stays_on_the_screen() {
        let size = (1000, 2000);
        for (distance, path) in [
            (1000, [500, 1500, 500, 500]),
            (-1000, [500, 500, 500, 1500]),
            (5000, [500, 1500, 500, 0]),
            (-5000, [500, 500, 500, 2000]),
            (i32::MIN, [500, 500, 500, 2000]),
        ] {
            assert_eq!(ends(vertical(size, distance)), path, "{distance}");
        }
    }

    #[test]
    fn d14_positive_goes_right_from_a_quarter_and_stays_on_the_screen() {
        let size = (1000, 2000);
        for (distance, path) in [
            (400, [250, 1000, 650, 1000]),
            (-400, [750, 1000, 350, 1000]),
            (5000, [250, 1000, 1000, 1000]),
            (i32::MAX, [250, 1000, 1000, 1000]),
            (-5000, [750, 1000, 0, 1000]),
        ] {
            assert_eq!(ends(horizontal(size, distance)), path, "{distance}");
        }
    }
}
