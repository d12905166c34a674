//! Element or place that a finger of a gesture means.

use super::locate;
use runner_screen::{Point, Rect, Screen, Selector};

/// Element, or a place in one or on the display.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GesturePlace {
    /// `None` for the display.
    pub(super) on: Option<Box<Selector>>,
    /// Place in percent of width and height; `None` for the middle.
    pub(super) at: Option<[i32; 2]>,
}

impl GesturePlace {
    /// Returns the element, the place in it in percent, or both, that a finger at this point means. The place counts on
    /// a surface, such as a list or map, and if `inside` is set, as for a drag within one element. There an element
    /// that only its order identifies does not count. Without an element, and on a large one on which an app only
    /// draws, it is a place of the display.
    pub(super) fn at_point(screen: &Screen, point: Point, inside: bool) -> Self {
        let node = locate::held_element(screen, point).filter(|node| !locate::is_backdrop(*node));
        let is_place = node.is_some_and(|node| inside || locate::is_surface(node));
        let named = node.and_then(|node| {
            let on = if is_place {
                // An element found by its order alone may be another one in the next run.
                Selector::stable(screen, node.index()).filter(|on| !on.goes_by_order())
            } else {
                locate::touch_selector(node, false)
            };
            Some((on?, node.part_on_display()?))
        });
        match named {
            Some((on, area)) => Self {
                on: Some(Box::new(on)),
                at: is_place.then(|| percent(point, area)),
            },
            None => Self {
                on: None,
                at: Some(percent(point, screen.display().bounds())),
            },
        }
    }
}

/// Converts a point to percents of an area, rounded, and within 0 to 100.
fn percent(point: Point, area: Rect) -> [i32; 2] {
    let part = |at: i32, low: i32, length: u32| {
        let last = f64::from(length.saturating_sub(1).max(1));
        (f64::from(at - low) * 100.0 / last)
            .round()
            .clamp(0.0, 100.0) as i32
    };
    [
        part(point.x, area.left, area.width()),
        part(point.y, area.top, area.height()),
    ]
}
