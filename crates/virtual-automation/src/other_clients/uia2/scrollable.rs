//! `UiScrollable`: swipes until an element is visible.

use super::ui_selector::{ScrollOrder, Statement};
use crate::other_clients::scroll::Scroll;
use crate::other_clients::selector::UiSelector;
use crate::uia2::call::Call;
use crate::uia2::error::WireError;
use crate::uia2::found_element::FoundElement;

/// Default limit for swipes, `mMaxSearchSwipes` of androidx `UiScrollable`.
const DEFAULT_MAX_SWIPES: usize = 30;

/// Scrolls as a statement demands, order by order, and returns the selector of its element: that of the last order
/// that looks for one, else the container's. A statement that only selects moves nothing. It is no error if the
/// element is not found; a missing container is. Without orders for it, it scrolls vertically, with 30 swipes at
/// most.
pub(super) fn run(call: &Call<'_>, statement: &Statement) -> Result<UiSelector, WireError> {
    let scrollable = match statement {
        Statement::Selector(selector) => return Ok(selector.clone()),
        Statement::Scrollable(scrollable) => scrollable,
    };
    let (mut vertical, mut swipes) = (true, DEFAULT_MAX_SWIPES);
    let mut wanted = scrollable.container.clone();
    for order in &scrollable.orders {
        match order {
            ScrollOrder::Vertical(is) => {
                vertical = *is;
                continue;
            }
            ScrollOrder::MaxSwipes(count) => {
                swipes = *count;
                continue;
            }
            ScrollOrder::IntoView(selector) => {
                wanted = selector.clone();
                // An element that is visible already needs no scrollable container.
                if find(call, &wanted)?.is_some() {
                    continue;
                }
            }
            _ => {}
        }
        let area = find(call, &scrollable.container)?
            .ok_or_else(WireError::not_found)?
            .bounds;
        let scroll = Scroll { area, vertical };
        let device = call.device;
        match order {
            ScrollOrder::Forward => {
                scroll.swipe(device, true);
            }
            ScrollOrder::Backward => {
                scroll.swipe(device, false);
            }
            ScrollOrder::ToBeginning(count) => scroll.to_end(device, false, *count),
            ScrollOrder::ToEnd(count) => scroll.to_end(device, true, *count),
            _ => {
                let is_there = || find(call, &wanted).is_ok_and(|found| found.is_some());
                scroll.into_view(device, swipes, is_there);
            }
        }
    }
    Ok(wanted)
}

/// Finds the first element in the windows that the settings include, as they are now; `None` if there is none.
pub(super) fn find(
    call: &Call<'_>,
    selector: &UiSelector,
) -> Result<Option<FoundElement>, WireError> {
    let screen = call.screen()?;
    let tree = call.window_tree(&screen)?;
    let at = selector.find(&tree, &tree.roots);
    Ok(at.map(|at| FoundElement::from_node(&tree.nodes[at])))
}
