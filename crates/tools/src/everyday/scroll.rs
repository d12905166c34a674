//! Step `scroll_to`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::element::element_outcome;
use super::place::Percent;
use crate::{Call, Failure, Outcome, Rehearsal, StepSyntax, StepValue, Tool, Words};
use runner_engine::{Direction, ScrollOptions, Session};
use runner_screen::Selector;

/// Arguments of `scroll_to`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScrollToArgs {
    /// The element to be revealed.
    pub on: Selector,
    /// The container to scroll; by default the largest that moves in that direction.
    #[serde(default, rename = "in")]
    pub within: Option<Selector>,
    /// What to reveal: `down` is what is below.
    #[serde(default)]
    pub direction: Direction,
    /// How often the content is moved at most.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 100))]
    pub max: u32,
    /// How much of the element has to be shown, such as `100%`; by default any part of it.
    #[serde(default)]
    pub visible: Option<Percent>,
    /// Move the element to the middle of the container, as far as the content goes.
    #[serde(default)]
    pub center: bool,
}

fn ten() -> u32 {
    10
}

#[derive(Debug)]
pub struct ScrollTo;

impl Tool for ScrollTo {
    const NAME: &'static str = "scroll_to";
    const EXAMPLE: &'static str = "- scroll_to: Terms of use";
    const KEEPS: StepValue =
        StepValue::element_and(&[("scrolls", "how often the content was moved")]);
    const SUMMARY: &'static str =
        "Scrolls and looks again until an element is there or nothing moves any more.";
    const WRITING: StepSyntax = StepSyntax::Element;
    const REHEARSAL: Rehearsal = Rehearsal::Later;
    type Args = ScrollToArgs;

    /// Scrolls until the element is shown as asked for, and returns it with the number of scrolls, 0 if it was there.
    /// An element that is not reached within `max` scrolls, or before nothing moves any more, is a failure. The usual
    /// limit of time holds for each scroll; a `timeout` of the step bounds all together.
    async fn call(session: &Session, args: ScrollToArgs, _: &Call) -> Result<Outcome, Failure> {
        if !(1..=100).contains(&args.max) {
            return Err(Failure::usage(Words::format(
                "`max` is {}; it must be between 1 and 100",
                &[&args.max],
            )));
        }
        let options = ScrollOptions {
            within: args.within.as_ref(),
            direction: args.direction,
            max: args.max,
            visible: args.visible.map_or(0.0, |part| part.0),
            center: args.center,
        };
        let reached = session.scroll_to(&args.on, options).await?;
        let mut outcome = element_outcome("Scrolled", &reached.screen, reached.node);
        if let Some(value) = outcome.value.as_object_mut() {
            value.insert("scrolls".to_owned(), reached.scrolls.into());
        }
        Ok(outcome)
    }
}
