//! Tools for taps (D6, D7).

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::find::{SelectorType, check_search, find};
use super::status::{because, no};
use crate::arguments::Arguments;
use crate::touch_start::check_start;
use crate::{Call, Failure, Outcome, StepSyntax, Tool, Words};
use runner_device::Input;
use runner_engine::{EngineError, Session, uncovered_point};
use runner_screen::Point;

/// Builds the answer of a tap at a point.
fn tapped(Point { x, y }: Point) -> Outcome {
    Outcome::value(
        Words::format("TAPPED: ({},{})", &[&x, &y]),
        json!({ "x": x, "y": y }),
    )
}

/// Arguments of `tap`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TapArgs {
    /// Part of the element's text, description or resource id, any letter case.
    #[schemars(length(min = 1))]
    pub text: String,
    /// Where to look for it.
    #[serde(default)]
    pub selector_type: SelectorType,
    /// Which of several matches, from 0.
    #[serde(default)]
    pub position: i32,
}

#[derive(Debug)]
pub struct Tap;

impl Tool for Tap {
    const NAME: &'static str = "scenario.tap";
    const SUMMARY: &'static str = "Taps the middle of the element whose text, description or resource id contains a text (any letter case).";
    const HELP: &'static str = "TAPPED: (x,y) on success. NOT_FOUND: try another text, scroll or wait. AMBIGUOUS: several match and position is none of them; retry with one that is. ERROR: the tap failed. It looks once, and takes the first match by default.";
    const WRITING: StepSyntax = StepSyntax::Scalar("text");
    type Args = TapArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_search(args)?;
        args.integer("position").map(drop)
    }

    /// Taps the only match, whatever `position` says, or of several the one at `position`, by default 0, the first,
    /// where nothing is known to cover it. No match, and several without a valid position, are answers that fail the
    /// step; an element that is covered entirely is a failure.
    async fn call(session: &Session, args: TapArgs, _: &Call) -> Result<Outcome, Failure> {
        let TapArgs {
            text,
            selector_type,
            position,
        } = args;
        let (screen, matches) = find(session, &text, selector_type).await?;
        let at = usize::try_from(position).ok();
        let chosen = match matches.as_slice() {
            [] => {
                return Ok(no(Words::format(
                    "NOT_FOUND: no element matches '{}' (selectorType={})",
                    &[&text, &selector_type.name()],
                )));
            }
            [only] => Some(only),
            several => at.and_then(|at| several.get(at)),
        };
        let Some(chosen) = chosen else {
            let count = matches.len();
            return Ok(no(Words::format(
                "AMBIGUOUS: {} matches for '{}' — retry with position in 0..{}",
                &[&count, &text, &(count - 1)],
            )));
        };
        let failed = |error: EngineError| because("tap failed", error);
        let name = format!("'{text}'");
        let point = uncovered_point(screen.node(chosen.node), chosen.point(), &name);
        let point = point.map_err(failed)?;
        let sent = session.input(&[Input::Tap(point)]).await;
        sent.map_err(failed)?;
        Ok(tapped(point).at(chosen.bounds))
    }
}

/// Arguments of `tapByCoordinates`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TapByCoordinatesArgs {
    /// Pixels from the left.
    #[schemars(range(min = 0))]
    pub x: i32,
    /// Pixels from the top.
    #[schemars(range(min = 0))]
    pub y: i32,
}

#[derive(Debug)]
pub struct TapByCoordinates;

impl Tool for TapByCoordinates {
    const NAME: &'static str = "scenario.tapByCoordinates";
    const SUMMARY: &'static str = "Taps a point of the screen, in pixels.";
    const HELP: &'static str = "TAPPED: (x,y) or ERROR: … For what no selector finds; prefer tap. cx, cy of findUiElementsByText fit.";
    const WRITING: StepSyntax = StepSyntax::Map;
    type Args = TapByCoordinatesArgs;

    /// Requires both coordinates and refuses negative ones. There is no upper limit here.
    fn check(args: &Arguments) -> Result<(), Failure> {
        let (x, y) = (args.required_integer("x")?, args.required_integer("y")?);
        if x < 0 || y < 0 {
            return Err(Failure::usage(Words::format(
                "tapByCoordinates requires non-negative x and y (got x={}, y={})",
                &[&x, &y],
            )));
        }
        Ok(())
    }

    /// Taps the point, whatever is there, after the dialogs that rules find were answered. One outside of the display is a
    /// failure.
    async fn call(
        session: &Session,
        args: TapByCoordinatesArgs,
        _: &Call,
    ) -> Result<Outcome, Failure> {
        let point = Point {
            x: args.x,
            y: args.y,
        };
        let input = Input::Tap(point);
        check_start(session, &input)
            .await
            .map_err(|failure| because("tap failed", failure))?;
        session
            .touch_display(&[input])
            .await
            .map_err(|error| because("tap failed", error))?;
        Ok(tapped(point))
    }
}
