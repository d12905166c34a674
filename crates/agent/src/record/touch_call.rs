//! Translates calls that touch an element or a point.

use serde_json::json;

use super::act::{Act, ToolStep, Touch};
use super::call_record::CallRecord;
use super::locate::{self, element};
use super::own_step::own_step;
use super::touch::touched;
use runner_engine::is_disabled;
use runner_screen::{Node, Point};
use runner_tools::Outcome;

/// Returns true if the touched element was disabled before the call: the step then needs `force`. A screen
/// from after the call does not count.
pub(super) fn was_disabled(call: &CallRecord<'_>, target: Node<'_>) -> bool {
    let before = call.before.as_deref();
    before.is_some_and(|before| std::ptr::eq(before, target.screen())) && is_disabled(target)
}

/// Translates a touch on an element, or at a point on what was there. Without a name for it, it stays a touch at the
/// place; without a place either, the tool's own step.
pub(super) fn touch(call: &CallRecord<'_>, outcome: &Outcome, how: Touch) -> Act {
    let point = call.number("x").zip(call.number("y"));
    let point = point.map(|(x, y)| Point { x, y });
    let node = match point {
        Some(point) => call
            .before
            .as_deref()
            .and_then(|screen| locate::touched(screen, point)),
        None => element(call, |node| node.flags().clickable),
    };
    let named = node.and_then(|node| {
        let target = locate::target(node, matches!(how, Touch::LongClick(_)));
        touched(node, how, was_disabled(call, target))
    });
    if let Some(act) = named {
        return act;
    }
    let place = outcome.bounds.map(|bounds| bounds.center()).or(point);
    place.map_or_else(
        || own_step(call, outcome),
        |place| Act::Raw(raw_touch(how, place)),
    )
}

/// Returns the step for a touch at a point, in pixels: `tap`, `double_tap`, or `long_press` with its duration
/// in milliseconds.
fn raw_touch(how: Touch, at: Point) -> ToolStep {
    let (name, args) = match how {
        Touch::Click => ("tap", json!({ "x": at.x, "y": at.y })),
        Touch::DoubleClick => ("double_tap", json!({ "x": at.x, "y": at.y })),
        Touch::LongClick(held) => {
            let millis = held.as_millis() as u64;
            let args = json!({ "x": at.x, "y": at.y, "duration": millis });
            ("long_press", args)
        }
    };
    ToolStep {
        name,
        value_optional: false,
        args,
        hidden: None,
    }
}
