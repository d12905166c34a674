//! One scroll of a container: its options, the path of the finger, and what moved.

use std::time::Duration;

use super::EngineError;
use super::history::same_rows;
use super::scroller::{front_area, main_scroller};
use runner_device::{Direction, Gesture};
use runner_screen::{NodeIndex, Point, Rect, Screen, Selector};

/// Length of a scroll in percent of the container. Chosen: the overlap shows every element whole at least
/// once.
pub(super) const STEP_PERCENT: u32 = 60;

/// Duration of one drag. Chosen: fast enough for long lists, slow enough that Android sees a drag, not a
/// fling.
const DRAG: Duration = Duration::from_millis(400);

/// Options for scrolling to an element.
#[derive(Debug, Clone, Copy)]
pub struct ScrollOptions<'a> {
    /// Container to scroll. By default the largest one that scrolls in the direction, or the focused window;
    /// after its end the next largest.
    pub within: Option<&'a Selector>,
    pub direction: Direction,
    /// Maximum number of scrolls, in all containers together.
    pub max: u32,
    /// Required visible part of the element, in percent; 0 accepts any part. If it is not reached, the scroll
    /// fails.
    pub visible: f64,
    /// Moves the element to the middle of the container, as far as the content goes. A container that is
    /// sure to scroll must have moved for that, one way or the other. An element that the container does not
    /// hold stays where it is.
    pub center: bool,
}

/// Returns the finger's path that moves the content by `way` pixels, centred in `area`: upwards or to the left if
/// positive. With 0 it begins and ends at the centre. Only the axis of `direction` counts, not its sense. The path is
/// not clipped to the area.
pub(super) fn shift(direction: Direction, area: Rect, way: i32) -> Gesture {
    let middle = area.center();
    let (before, after) = (way - way / 2, way / 2);
    let at = |along: i32| match direction {
        Direction::Up | Direction::Down => Point {
            x: middle.x,
            y: middle.y + along,
        },
        Direction::Left | Direction::Right => Point {
            x: middle.x + along,
            y: middle.y,
        },
    };
    Gesture {
        from: at(before),
        to: at(-after),
        duration: DRAG,
    }
}

pub(super) fn step(direction: Direction, area: Rect) -> Gesture {
    direction.gesture(area, STEP_PERCENT, DRAG)
}

/// Returns the container to scroll with its visible part: the first match of `within`, whether or not it scrolls, else
/// the largest that scrolls in the direction, first in the focused window. Without one, returns no node and the focused
/// window's area. [`EngineError::NotFound`] if `within` matches nothing, or if its first match has no part on the
/// display.
pub(super) fn container(
    screen: &Screen,
    options: &ScrollOptions<'_>,
) -> Result<(Option<NodeIndex>, Rect), EngineError> {
    if let Some(selector) = options.within {
        let nodes = selector.find(screen);
        let first = nodes.first().copied();
        let area = first.and_then(|index| screen.node(index).part_on_display());
        return match (first, area) {
            (Some(index), Some(area)) => Ok((Some(index), area)),
            _ => Err(EngineError::no_container(selector, screen)),
        };
    }
    let largest = main_scroller(screen, options.direction)
        .and_then(|node| Some((node.index(), node.part_on_display()?)));
    Ok(match largest {
        Some((index, area)) => (Some(index), area),
        None => (None, front_area(screen)),
    })
}

/// Returns true if anything moved between two looks: bounds, texts or descriptions of the container's
/// descendants. Without a container on both looks, compares all rows. The container is found by its index,
/// and other nodes do not count.
pub(super) fn moved(before: &Screen, now: &Screen, container: Option<NodeIndex>) -> bool {
    let inside = |screen: &Screen| -> Option<Vec<(Rect, String, String)>> {
        let index = container.filter(|index| (index.0 as usize) < screen.len())?;
        let rows = screen
            .node(index)
            .descendants()
            .map(|node| {
                (
                    node.bounds(),
                    node.text().to_owned(),
                    node.desc().to_owned(),
                )
            })
            .collect();
        Some(rows)
    };
    match (inside(before), inside(now)) {
        (Some(before), Some(now)) => before != now,
        _ => !same_rows(before, now),
    }
}
