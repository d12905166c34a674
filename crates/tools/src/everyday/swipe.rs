//! Step `swipe_across`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::element::area_outcome;
use super::place::{Place, move_time};
use crate::arguments::Arguments;
use crate::{Call, Failure, Outcome, Rehearsal, StepSyntax, StepValue, Tool, Words};
use runner_device::{Gesture, Input};
use runner_engine::{Direction, EngineError, Readiness, Session};
use runner_screen::{Display, Rect, Selector};
use runner_text::units::HumanDuration;

/// Length of a swipe in percent of the area's axis. Chosen: stays clear of the edges, which belong to the
/// system's gestures.
const PERCENT: u32 = 60;

/// Arguments of `swipe_across`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwipeAcrossArgs {
    /// Where the finger goes: `up` shows what is below. Without `from` and `to`.
    #[serde(default)]
    pub direction: Option<Direction>,
    /// The element that is swiped on; by default the whole display. Places and directions are within it.
    #[serde(default)]
    pub on: Option<Selector>,
    /// Where the finger comes down.
    #[serde(default)]
    pub from: Option<Place>,
    /// Where the finger leaves.
    #[serde(default)]
    pub to: Option<Place>,
    /// How long it takes. A fast finger flings.
    #[serde(default = "usual")]
    pub duration: HumanDuration,
    /// Swipe also where something lies above the element.
    #[serde(default)]
    pub force: bool,
}

fn usual() -> HumanDuration {
    HumanDuration(Duration::from_millis(400))
}

#[derive(Debug)]
pub struct SwipeAcross;

impl Tool for SwipeAcross {
    const NAME: &'static str = "swipe_across";
    const EXAMPLE: &'static str = "- swipe_across: left\n- swipe_across: { on: { id: map }, from: { x: 50%, y: 80% }, to: { x: 50%, y: 20% } }";
    const KEEPS: StepValue = StepValue::ELEMENT;
    const SUMMARY: &'static str =
        "Swipes over the display or an element, in a direction or from one place to another.";
    const WRITING: StepSyntax = StepSyntax::Scalar("direction");
    const REHEARSAL: Rehearsal = Rehearsal::Here;
    type Args = SwipeAcrossArgs;

    /// Requires a direction, or both ends, but not all; null counts as missing.
    fn check(args: &Arguments) -> Result<(), Failure> {
        let has = |name: &str| args.get(name).is_some_and(|value| !value.is_null());
        match (has("direction"), has("from"), has("to")) {
            (true, false, false) | (false, true, true) => Ok(()),
            _ => Err(Failure::usage(
                "`swipe_across` takes a direction, or `from` and `to`",
            )),
        }
    }

    /// Swipes over the display or an element: in the finger's direction, over 60 % of the area, or between two places.
    /// An element is waited for until nothing covers the start, unless `force` is set. A place outside the area is a
    /// failure of usage. What the swipe did is not checked.
    async fn call(
        session: &Session,
        args: SwipeAcrossArgs,
        call: &Call,
    ) -> Result<Outcome, Failure> {
        let duration = move_time("a swipe", args.duration)?;
        let gesture = |area: Rect| match (args.direction, args.from, args.to) {
            (Some(direction), None, None) => {
                // This step's directions are the finger's; the engine's are the content's.
                Ok(direction.opposite().gesture(area, PERCENT, duration))
            }
            (None, Some(from), Some(to)) => Ok(Gesture {
                from: from.within(area)?,
                to: to.within(area)?,
                duration,
            }),
            _ => Err(Failure::usage(
                "`swipe_across` takes a direction, or `from` and `to`",
            )),
        };
        let start = |area: Rect, _: Display| Vec::from_iter(gesture(area).ok().map(|it| it.from));
        let readiness = Readiness::for_place(args.force);
        let area = session.area(args.on.as_ref(), readiness, &start, call.timeout);
        let area = area.await.map_err(EngineError::for_container)?;
        let gesture = gesture(area.bounds)?;
        area.guard.send(&[Input::Swipe(gesture)]).await?;
        let way = Words::format(
            "Swiped from ({}, {}) to ({}, {})",
            &[
                &gesture.from.x,
                &gesture.from.y,
                &gesture.to.x,
                &gesture.to.y,
            ],
        );
        Ok(area_outcome(way, area.element.as_ref()))
    }
}
