//! Lean tools of the touch screen: click, swipe and scroll.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, json};

use super::element::Element;
use super::translation::LeanDefinition;
use runner_agent::DeviceCall;
use runner_engine::Direction;
use runner_tools::Failure;

/// Arguments of `runner_click`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ClickArgs {
    /// @e12, or its words as shown (text, description or hint; `*` is any part).
    on: Option<String>,
    /// Or its resource id: `sign_in`.
    id: Option<String>,
}

pub(super) struct Click;

impl LeanDefinition for Click {
    const NAME: &'static str = "runner_click";
    const SUMMARY: &'static str = "Waits for an element and touches it.";
    const STEP: &'static str = "click";
    type Args = ClickArgs;

    fn work(ClickArgs { on, id }: ClickArgs) -> Result<DeviceCall, Failure> {
        let on = Element::required(on, id, Self::NAME)?.into_value();
        DeviceCall::from_step(Self::STEP, Map::from_iter([("on".to_owned(), on)]))
    }
}

/// Arguments of `runner_swipe`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SwipeArgs {
    /// Start.
    x1: f64,
    /// Start.
    y1: f64,
    /// End.
    x2: f64,
    /// End.
    y2: f64,
    /// Milliseconds.
    duration: Option<f64>,
}

pub(super) struct Swipe;

impl LeanDefinition for Swipe {
    const NAME: &'static str = "runner_swipe";
    const SUMMARY: &'static str =
        "Swipes from x1, y1 to x2, y2, in pixels (runner_look with `bounds` shows them).";
    const STEP: &'static str = "swipe";
    type Args = SwipeArgs;

    /// Builds the call from the two points, in pixels, and the duration if there is one. A start outside of the
    /// display is not refused here.
    fn work(args: SwipeArgs) -> Result<DeviceCall, Failure> {
        let mut map = Map::new();
        for (name, value) in [
            ("x1", args.x1),
            ("y1", args.y1),
            ("x2", args.x2),
            ("y2", args.y2),
        ] {
            map.insert(name.to_owned(), value.into());
        }
        if let Some(duration) = args.duration {
            map.insert("duration".to_owned(), duration.into());
        }
        DeviceCall::named(Self::STEP, map.into())
    }
}

/// Arguments of `runner_scroll_to`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScrollToArgs {
    /// The element, as for `runner_click`.
    on: Option<String>,
    /// Or its resource id.
    id: Option<String>,
    /// What to reveal; `down` by default. Not with @e12.
    direction: Option<Direction>,
}

pub(super) struct ScrollTo;

impl LeanDefinition for ScrollTo {
    const NAME: &'static str = "runner_scroll_to";
    const SUMMARY: &'static str = "Scrolls until an element is on the screen.";
    const STEP: &'static str = "scroll_to";
    type Args = ScrollToArgs;

    /// Builds the call, downwards without a direction. Fails for an id of a look together with a direction, as its
    /// place is known, and if no element or two are named.
    fn work(args: ScrollToArgs) -> Result<DeviceCall, Failure> {
        match Element::required(args.on, args.id, Self::NAME)? {
            Element::Observed(id) if args.direction.is_some() => Err(Failure::usage(format!(
                "where `{id}` is is known; leave `direction` out"
            ))),
            Element::Observed(id) => {
                DeviceCall::from_step(Self::STEP, Map::from_iter([("on".to_owned(), id.into())]))
            }
            Element::Selected(on) => {
                let direction = args.direction.unwrap_or_default();
                DeviceCall::named(Self::STEP, json!({ "on": on, "direction": direction }))
            }
        }
    }
}
