//! `UiScrollable`: swipes until something is there.

use std::time::Duration;

use super::call::{Call, Found};
use super::error::WireError;
use super::ui_selector::{ScrollOrder, Scrollable, Statement};
use crate::automation::input;
use crate::automation::selector::Selector;
use crate::automation::tree::{Tree, TreeOptions};
use runner_screen::{Point, Rect};

/// Swipes before the search ends, unless told.
const SWIPES: usize = 30;
/// And at most.
const MOST_SWIPES: usize = 200;
/// How long a swipe takes: too slow to roll on.
const SWIPE: Duration = Duration::from_millis(600);

/// Scrolls as a statement says; what the statement looks for.
pub(super) fn run(call: &Call<'_>, statement: &Statement) -> Result<Selector, WireError> {
    let scrollable = match statement {
        Statement::Selector(selector) => return Ok(selector.clone()),
        Statement::Scrollable(scrollable) => scrollable,
    };
    let (mut vertical, mut swipes) = (true, SWIPES);
    let mut wanted = scrollable.container.clone();
    for order in &scrollable.orders {
        match order {
            ScrollOrder::Vertical(is) => vertical = *is,
            ScrollOrder::MaxSwipes(count) => swipes = (*count).min(MOST_SWIPES),
            ScrollOrder::IntoView(selector) => {
                wanted = selector.clone();
                into_view(call, scrollable, &wanted, vertical, swipes)?;
            }
            ScrollOrder::Forward => {
                swipe(call, container(call, scrollable)?, vertical, true);
            }
            ScrollOrder::Backward => {
                swipe(call, container(call, scrollable)?, vertical, false);
            }
            ScrollOrder::ToBeginning(count) => to_end(call, scrollable, vertical, false, *count)?,
            ScrollOrder::ToEnd(count) => to_end(call, scrollable, vertical, true, *count)?,
        }
    }
    Ok(wanted)
}

/// Scrolls to the beginning, and from there until a selector finds something.
fn into_view(
    call: &Call<'_>,
    scrollable: &Scrollable,
    wanted: &Selector,
    vertical: bool,
    swipes: usize,
) -> Result<(), WireError> {
    if find(call, wanted)?.is_some() {
        return Ok(());
    }
    to_end(call, scrollable, vertical, false, swipes)?;
    for _ in 0..swipes {
        if find(call, wanted)?.is_some()
            || !swipe(call, container(call, scrollable)?, vertical, true)
        {
            break;
        }
    }
    Ok(())
}

fn to_end(
    call: &Call<'_>,
    scrollable: &Scrollable,
    vertical: bool,
    forward: bool,
    swipes: usize,
) -> Result<(), WireError> {
    for _ in 0..swipes.min(MOST_SWIPES) {
        if !swipe(call, container(call, scrollable)?, vertical, forward) {
            break;
        }
    }
    Ok(())
}

pub(super) fn find(call: &Call<'_>, selector: &Selector) -> Result<Option<Found>, WireError> {
    let screen = call.screen()?;
    let tree = call.seen(&screen)?;
    let at = selector.find(&tree, &tree.roots);
    Ok(at.map(|at| Found::of(&tree.nodes[at])))
}

fn container(call: &Call<'_>, scrollable: &Scrollable) -> Result<Rect, WireError> {
    find(call, &scrollable.container)?
        .map(|found| found.bounds)
        .ok_or_else(WireError::not_found)
}

/// One swipe across most of a rectangle; whether it moved anything.
fn swipe(call: &Call<'_>, area: Rect, vertical: bool, forward: bool) -> bool {
    let (width, height) = (area.right - area.left, area.bottom - area.top);
    let (middle_x, middle_y) = (area.left + width / 2, area.top + height / 2);
    let (near, far) = if vertical {
        (
            Point {
                x: middle_x,
                y: area.top + height / 10,
            },
            Point {
                x: middle_x,
                y: area.bottom - height / 10 - 1,
            },
        )
    } else {
        (
            Point {
                x: area.left + width / 10,
                y: middle_y,
            },
            Point {
                x: area.right - width / 10 - 1,
                y: middle_y,
            },
        )
    };
    let points = if forward { [far, near] } else { [near, far] };
    moves(call, || {
        let mut finger = input::drag(&points, SWIPE);
        // The finger rests before it leaves, so that nothing rolls on.
        let end = (points[1], SWIPE + Duration::from_millis(200));
        finger.path.push(end);
        input::fingers(call.device, &[finger]);
    })
}

/// Whether the screen is another after something was done.
pub(super) fn moves(call: &Call<'_>, work: impl FnOnce()) -> bool {
    let places = || {
        let windows = call.device.phone().windows();
        let tree = Tree::new(&windows, TreeOptions::default());
        let place = |node: &crate::automation::tree::TreeNode<'_>| {
            (
                node.text().to_owned(),
                node.dump.desc.clone(),
                node.bounds(),
            )
        };
        tree.nodes.iter().map(place).collect::<Vec<_>>()
    };
    let before = places();
    work();
    before != places()
}
