//! Steps that find and touch elements.

use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;

use super::place::Place;
use crate::arguments::Arguments;
use crate::element::element_value;
use crate::{Call, Failure, FrontEffect, Outcome, Rehearsal, StepSyntax, StepValue, Tool, Words};
use runner_device::Input;
use runner_engine::{LookPolicy, Readiness, Session, TouchedElement, describe};
use runner_screen::selector::Purpose;
use runner_screen::{Display, NodeIndex, Point, Rect, Screen, Selector};
use runner_text::units::HumanDuration;

/// Arguments of a step on one element without options.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnElement {
    /// The element.
    pub on: Selector,
}

/// Builds the outcome with the element as the value, and its bounds as the touched area.
pub(super) fn element_outcome(text: impl Into<Words>, screen: &Screen, node: NodeIndex) -> Outcome {
    let node = screen.node(node);
    Outcome::value(text, element_value(node)).at(node.bounds())
}

/// Builds the outcome of an action in an area: its element as the value and with its bounds, or the text alone if it
/// has no element.
pub(super) fn area_outcome(text: Words, element: Option<&(Arc<Screen>, NodeIndex)>) -> Outcome {
    match element {
        Some((screen, node)) => element_outcome(text, screen, *node),
        None => Outcome::text(text),
    }
}

/// Builds the outcome with the touched element as the value. A doubt that the touch arrived is a note.
fn touched_outcome(text: impl Into<Words>, touched: &TouchedElement) -> Outcome {
    element_outcome(text, &touched.screen, touched.node).noting(touched.doubt())
}

/// Returns a note if a selector that matches nothing surely misspells an element of the last look: its absence then
/// says nothing.
pub(super) fn misspelt(session: &Session, selector: &Selector) -> Option<String> {
    let screen = session.last_screen()?;
    let misses = selector.near_misses(&screen, 1, Purpose::Assertion);
    let miss = misses.into_iter().find(|miss| miss.is_typo)?;
    let element = describe(screen.node(miss.node));
    Some(format!("near miss: {element}: {}", miss.why))
}

#[derive(Debug)]
pub struct Find;

impl Tool for Find {
    const NAME: &'static str = "find";
    const EXAMPLE: &'static str = "- find: { id: total }\n  as: total";
    const KEEPS: StepValue = StepValue::ELEMENT;
    const SUMMARY: &'static str =
        "Waits for an element; with `as` its text, bounds and states are kept.";
    const WRITING: StepSyntax = StepSyntax::Element;
    const FRONT: FrontEffect = FrontEffect::Nothing;
    type Args = OnElement;

    /// Waits until exactly one element matches, and returns it. The last look counts too. None is a failure when time
    /// is up, several as soon as two looks in a row are equal.
    async fn call(session: &Session, args: OnElement, call: &Call) -> Result<Outcome, Failure> {
        let (screen, node) = session.find(&args.on, call.timeout).await?;
        Ok(element_outcome("Found", &screen, node))
    }
}

/// Arguments of a touch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TouchArgs {
    /// The element.
    #[serde(default)]
    pub on: Option<Selector>,
    /// A place in the element, or on the display where no element is named.
    #[serde(default)]
    pub at: Option<Place>,
    /// Touch it also while it is disabled or something lies above it. A place in a disabled element is touched in any case.
    #[serde(default)]
    pub force: bool,
}

/// Checks that a touch has the argument `on` or `at`, not `null`. It may have both: then `at` is a place in
/// the element.
fn check_touch(name: &str, args: &Arguments) -> Result<(), Failure> {
    let has = |key: &str| args.get(key).is_some_and(|value| !value.is_null());
    if has("on") || has("at") {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "`{name}` needs an element, or a place: `at: {{ x: 50%, y: 20% }}`"
    )))
}

/// Touches a place of the element, or of the display if `on` is `None`. Waits for the element until nothing lies above
/// the place, unless `force` is set; a disabled element is touched in any case. The display is not waited for. A place
/// outside the area is a failure of usage. `done` begins the answer, such as `Clicked`.
async fn touch_at(
    session: &Session,
    (on, place, force): (Option<&Selector>, Place, bool),
    call: &Call,
    done: &'static str,
    input: impl FnOnce(Point) -> Input,
) -> Result<Outcome, Failure> {
    let readiness = Readiness::for_place(force);
    let start = |area: Rect, _: Display| Vec::from_iter(place.within(area));
    let area = session.area(on, readiness, &start, call.timeout).await?;
    let point = place.within(area.bounds)?;
    area.guard.send(&[input(point)]).await?;
    let text = Words::format("{} at ({}, {})", &[&Words::from(done), &point.x, &point.y]);
    Ok(area_outcome(text, area.element.as_ref()))
}

/// Builds the failure of a touch without element and place, for arguments that did not pass [`check_touch`].
fn nothing_to_touch(name: &str) -> Failure {
    Failure::usage(Words::format("`{}` needs an element or a place", &[&name]))
}

#[derive(Debug)]
pub struct Click;

impl Tool for Click {
    const NAME: &'static str = "click";
    const EXAMPLE: &'static str = "- click: Sign in";
    const KEEPS: StepValue = StepValue::ELEMENT;
    const SUMMARY: &'static str = "Waits for an element and touches it, or the nearest clickable element around it; or touches a place.";
    const WRITING: StepSyntax = StepSyntax::Element;
    type Args = TouchArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_touch(Self::NAME, args)
    }

    /// Touches the place `at` if there is one, else the only matching element, or the nearest clickable one around it.
    /// The element is the value, as it was before the touch. What the touch did is not checked; a doubt that it arrived
    /// is a note.
    async fn call(session: &Session, args: TouchArgs, call: &Call) -> Result<Outcome, Failure> {
        if let Some(place) = args.at {
            return touch_at(
                session,
                (args.on.as_ref(), place, args.force),
                call,
                "Clicked",
                Input::Tap,
            )
            .await;
        }
        let on = args.on.ok_or_else(|| nothing_to_touch(Self::NAME))?;
        let readiness = Readiness::from_force(args.force);
        let touched = session.click(&on, readiness, call.timeout).await?;
        Ok(touched_outcome("Clicked", &touched))
    }
}

#[derive(Debug)]
pub struct DoubleClick;

impl Tool for DoubleClick {
    const NAME: &'static str = "double_click";
    const EXAMPLE: &'static str = "- double_click: { id: photo }";
    const KEEPS: StepValue = StepValue::ELEMENT;
    const SUMMARY: &'static str = "Waits for an element and touches it twice.";
    const WRITING: StepSyntax = StepSyntax::Element;
    type Args = TouchArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_touch(Self::NAME, args)
    }

    /// Touches twice as `click` touches once, both times the same point.
    async fn call(session: &Session, args: TouchArgs, call: &Call) -> Result<Outcome, Failure> {
        if let Some(place) = args.at {
            let target = (args.on.as_ref(), place, args.force);
            return touch_at(session, target, call, "Double-clicked", Input::DoubleTap).await;
        }
        let on = args.on.ok_or_else(|| nothing_to_touch(Self::NAME))?;
        let readiness = Readiness::from_force(args.force);
        let touched = session.double_click(&on, readiness, call.timeout).await?;
        Ok(touched_outcome("Double-clicked", &touched))
    }
}

/// Arguments of `long_click`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LongClickArgs {
    /// The element.
    #[serde(default)]
    pub on: Option<Selector>,
    /// A place in the element, or on the display where no element is named.
    #[serde(default)]
    pub at: Option<Place>,
    /// Touch it also while it is disabled or something lies above it. A place in a disabled element is touched in any case.
    #[serde(default)]
    pub force: bool,
    /// How long the touch is held.
    #[serde(default = "long_touch")]
    pub duration: HumanDuration,
}

fn long_touch() -> HumanDuration {
    HumanDuration(Duration::from_secs(1))
}

#[derive(Debug)]
pub struct LongClick;

impl Tool for LongClick {
    const NAME: &'static str = "long_click";
    const EXAMPLE: &'static str = "- long_click: { text: Groceries, duration: 2s }";
    const KEEPS: StepValue = StepValue::ELEMENT;
    const SUMMARY: &'static str = "Waits for an element and holds a touch on it.";
    const WRITING: StepSyntax = StepSyntax::Element;
    type Args = LongClickArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_touch(Self::NAME, args)
    }

    /// Holds a place or an element for more than nothing and at most a minute; another duration is a failure of usage
    /// before anything is touched. An element's nearest long-clickable ancestor takes it.
    async fn call(session: &Session, args: LongClickArgs, call: &Call) -> Result<Outcome, Failure> {
        let held = args.duration.0;
        if held.is_zero() || held > Duration::from_mins(1) {
            return Err(Failure::usage(Words::format(
                "`duration` is {}; a touch is held for more than nothing and at most 1m",
                &[&args.duration],
            )));
        }
        if let Some(place) = args.at {
            let target = (args.on.as_ref(), place, args.force);
            let input = |point| Input::LongPress(point, held);
            return touch_at(session, target, call, "Long-clicked", input).await;
        }
        let on = args.on.ok_or_else(|| nothing_to_touch(Self::NAME))?;
        let readiness = Readiness::from_force(args.force);
        let touched = session
            .long_click(&on, readiness, held, call.timeout)
            .await?;
        Ok(touched_outcome("Long-clicked", &touched))
    }
}

/// Arguments of `wait_for`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitForArgs {
    /// The element.
    pub on: Selector,
    /// Wait until it is gone instead.
    #[serde(default)]
    pub gone: bool,
}

#[derive(Debug)]
pub struct WaitFor;

impl Tool for WaitFor {
    const NAME: &'static str = "wait_for";
    const EXAMPLE: &'static str = "- wait_for: { text: Loading, gone: true }\n  timeout: 30s";
    const KEEPS: StepValue = StepValue::ELEMENT;
    const SUMMARY: &'static str =
        "Waits until an element is there, or is gone; the limit is the modifier `timeout`.";
    const WRITING: StepSyntax = StepSyntax::Element;
    const FRONT: FrontEffect = FrontEffect::Nothing;
    const REHEARSAL: Rehearsal = Rehearsal::Later;
    type Args = WaitForArgs;

    /// Waits until an element matches, and returns it; of several the first. With `gone` it waits until none matches on
    /// a complete new look, and returns no value; if nothing matched before either, a note names an element that the
    /// selector misspells. Time running out is a failure.
    async fn call(session: &Session, args: WaitForArgs, call: &Call) -> Result<Outcome, Failure> {
        if args.gone {
            let before = session.last_screen();
            let was_there = before.is_some_and(|screen| !args.on.find(&screen).is_empty());
            let absent = session
                .wait_gone(&args.on, call.timeout, LookPolicy::New)
                .await?;
            // What was there and is gone may leave something with nearly the same words.
            let note = (!was_there).then(|| misspelt(session, &args.on)).flatten();
            return Ok(Outcome::absent(absent, "Gone").noting(note));
        }
        let (screen, nodes) = session
            .find_any(&args.on, call.timeout, LookPolicy::LastToo)
            .await?;
        Ok(match nodes.first() {
            Some(node) => element_outcome("Found", &screen, *node),
            None => Outcome::text("Found"),
        })
    }
}
