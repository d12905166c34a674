//! Tools for touches at coordinates (B6, B7).

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::{self, AgentError};
use super::state::SessionCaches;
use crate::touch_start::check_start;
use crate::{Call, Failure, Outcome, StepSyntax, Tool, Words};
use runner_device::{Gesture, Input};
use runner_engine::Session;
use runner_screen::Point;

/// Limit for a swipe's duration in milliseconds. Chosen: the same as for the Android tools.
const MAX_SWIPE_MILLIS: u64 = 60_000;

/// Sends one touch of the display as an action, as [`act`] does, after the dialogs of the project's rules were answered.
/// One that begins outside of the display is refused.
async fn touch(session: &Session, input: Input, action: Words) -> Result<Outcome, AgentError> {
    check_start(session, &input)
        .await
        .map_err(AgentError::from_failure)?;
    session
        .answer_dialogs()
        .await
        .map_err(AgentError::from_failure)?;
    act(session, input, action).await
}

/// Sends one input as an action, which discards the cached screen and controls, also after an error. `action` is the
/// answer's text. What the input did is not checked.
pub(super) async fn act(
    session: &Session,
    input: Input,
    action: Words,
) -> Result<Outcome, AgentError> {
    let state = session.remembered::<SessionCaches>();
    let _acting = state.acting();
    session
        .input(&[input])
        .await
        .map_err(AgentError::from_failure)?;
    Ok(answer::acted(action))
}

/// Checks that named coordinates are not negative. The error names the first that is. There is no upper bound here.
fn check<const N: usize>(coordinates: [(&str, i32); N]) -> Result<(), AgentError> {
    match coordinates.into_iter().find(|(_, value)| *value < 0) {
        Some((name, value)) => Err(AgentError::new(Words::format(
            "{} must be >= 0, got {}",
            &[&name, &value],
        ))),
        None => Ok(()),
    }
}

/// Arguments of `tap`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TapArgs {
    /// X coordinate in pixels from the left.
    #[schemars(range(min = 0))]
    pub x: i32,
    /// Y coordinate in pixels from the top.
    #[schemars(range(min = 0))]
    pub y: i32,
}

#[derive(Debug)]
pub struct Tap;

impl Tool for Tap {
    const NAME: &'static str = "mobile_agent.tap";
    const SUMMARY: &'static str = "Taps at the specified screen coordinates.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const HELP: &'static str = "Whole pixels. `success` means that the touch was sent, not that something was there: look afterwards. click_control is safer where the element is a control.";
    type Args = TapArgs;

    /// Taps the point. One outside of the display is an answer without success.
    async fn call(session: &Session, args: TapArgs, _: &Call) -> Result<Outcome, Failure> {
        let TapArgs { x, y } = args;
        let tapped = match check([("x", x), ("y", y)]) {
            Ok(()) => {
                let action = Words::format("tap({}, {})", &[&x, &y]);
                touch(session, Input::Tap(Point { x, y }), action).await
            }
            Err(refusal) => Err(refusal),
        };
        Ok(answer::to_outcome(tapped))
    }
}

/// Arguments of `swipe`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwipeArgs {
    /// Start X coordinate in pixels.
    #[schemars(range(min = 0))]
    pub start_x: i32,
    /// Start Y coordinate in pixels.
    #[schemars(range(min = 0))]
    pub start_y: i32,
    /// End X coordinate in pixels.
    #[schemars(range(min = 0))]
    pub end_x: i32,
    /// End Y coordinate in pixels.
    #[schemars(range(min = 0))]
    pub end_y: i32,
    /// Duration in milliseconds.
    #[serde(default = "three_hundred")]
    #[schemars(range(min = 1, max = 60000))]
    pub duration: i64,
}

fn three_hundred() -> i64 {
    300
}

#[derive(Debug)]
pub struct Swipe;

impl Tool for Swipe {
    const NAME: &'static str = "mobile_agent.swipe";
    const SUMMARY: &'static str = "Swipes from start to end coordinates.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const HELP: &'static str = "The finger's way: from (500, 1500) to (500, 500) shows what is further down. List the controls anew afterwards.";
    type Args = SwipeArgs;

    /// Swipes between two points. Negative coordinates, a start outside of the display and a wrong duration are an answer
    /// without success.
    async fn call(session: &Session, args: SwipeArgs, _: &Call) -> Result<Outcome, Failure> {
        let swiped = match gesture(&args) {
            Ok(gesture) => {
                let Gesture { from, to, .. } = gesture;
                let action = Words::format(
                    "swipe({},{})->({},{}) in {}ms",
                    &[&from.x, &from.y, &to.x, &to.y, &args.duration],
                );
                touch(session, Input::Swipe(gesture), action).await
            }
            Err(refusal) => Err(refusal),
        };
        Ok(answer::to_outcome(swiped))
    }
}

/// Checks and converts a swipe: coordinates that are not negative, and 1 to [`MAX_SWIPE_MILLIS`] milliseconds.
fn gesture(args: &SwipeArgs) -> Result<Gesture, AgentError> {
    check([
        ("start_x", args.start_x),
        ("start_y", args.start_y),
        ("end_x", args.end_x),
        ("end_y", args.end_y),
    ])?;
    let duration = u64::try_from(args.duration)
        .ok()
        .filter(|millis| (1..=MAX_SWIPE_MILLIS).contains(millis))
        .ok_or_else(|| {
            AgentError::new(Words::format(
                "duration must be between 1 and {} ms, got {}",
                &[&MAX_SWIPE_MILLIS, &args.duration],
            ))
        })?;
    Ok(Gesture {
        from: Point {
            x: args.start_x,
            y: args.start_y,
        },
        to: Point {
            x: args.end_x,
            y: args.end_y,
        },
        duration: Duration::from_millis(duration),
    })
}
