//! Finds the element that a call acted on, and the selector that a person would write for it.

use super::call_record::CallRecord;
use runner_engine::{click_target, long_click_target};
use runner_screen::{Node, Point, Rect, Screen, Selector};

/// Percent of the display from which an element counts as a surface: a touch may then mean the place, not the
/// element. Chosen: above any usual button or row, below lists and maps.
const SURFACE_PERCENT: u64 = 40;
/// Classes of widgets for which the place of a touch matters.
const SURFACES: [&str; 7] = [
    "SeekBar",
    "Slider",
    "RatingBar",
    "WebView",
    "SurfaceView",
    "TextureView",
    "Canvas",
];

/// Test for elements on which the call could act, to choose between several with the same bounds.
pub(super) type NodePredicate = fn(Node<'_>) -> bool;

/// Returns the element that a call named by id, or whose bounds its result reports. The screen before the
/// call counts first: the act may have removed the element. If neither is found, the innermost element to
/// touch at the middle of these bounds, on the screen before.
pub(super) fn element<'a>(call: &'a CallRecord<'_>, fits: NodePredicate) -> Option<Node<'a>> {
    let id = call.args.get("element_id").and_then(|id| id.as_str());
    let bounds = call.outcome.as_ref().ok().and_then(|o| o.bounds);
    // The screen before comes first, as the act may have removed the element.
    [&call.before, &call.after]
        .into_iter()
        .flatten()
        .find_map(|screen| {
            let named = id.and_then(|id| screen.node_by_id(id));
            named.or_else(|| bounds.and_then(|bounds| with_bounds(screen, bounds, fits)))
        })
        .or_else(|| {
            let before = call.before.as_deref()?;
            innermost_target(before, bounds?.center())
        })
}

/// Returns the element on the screen with exactly these bounds. Of several it prefers one that `fits`, then
/// one with words, then the innermost. `None` if there is none.
pub(super) fn with_bounds(screen: &Screen, bounds: Rect, fits: NodePredicate) -> Option<Node<'_>> {
    // An element and what wraps it often have the same bounds.
    let rank = |node: Node<'_>| (fits(node), has_words(node), node.depth());
    screen
        .nodes()
        .filter(|node| node.bounds() == bounds && node.is_on_screen())
        .max_by_key(|node| rank(*node))
}

/// Returns the element that a touch at this point means: the innermost clickable one, else the innermost with
/// words. `None` if the place itself matters, as on a map, a slider or the keyboard, or if nothing is there.
pub(super) fn touched(screen: &Screen, point: Point) -> Option<Node<'_>> {
    innermost_target(screen, point).filter(|node| !is_surface(*node))
}

/// Returns the innermost clickable element at the point, else the innermost with words. `None` on the keyboard.
fn innermost_target(screen: &Screen, point: Point) -> Option<Node<'_>> {
    let hits = hits(screen, point);
    let clickable = hits.iter().find(|node| node.flags().clickable);
    let labelled = hits.iter().find(|node| has_words(**node));
    clickable.or(labelled).copied()
}

/// Returns the element that a drag from this point takes hold of: the innermost one that is clickable, has
/// words or a selector of its own, or is a surface. `None` on the keyboard, or if nothing is there.
pub(super) fn held_element(screen: &Screen, point: Point) -> Option<Node<'_>> {
    let is_meant = |node: &Node<'_>| {
        is_surface(*node)
            || node.flags().clickable
            || has_words(*node)
            || Selector::by_itself(screen, node.index()).is_some()
    };
    hits(screen, point).into_iter().find(is_meant)
}

/// Returns the elements at this point of the topmost window there, innermost first. Empty on the keyboard.
fn hits(screen: &Screen, point: Point) -> Vec<Node<'_>> {
    let hit = |node: &Node<'_>| node.is_on_screen() && node.bounds().contains(point);
    // Only the window on top takes the touch.
    let layer = screen
        .nodes()
        .filter(hit)
        .map(|node| node.window().layer)
        .max();
    let mut hits: Vec<Node<'_>> = screen
        .nodes()
        .filter(|node| Some(node.window().layer) == layer)
        .filter(hit)
        .collect();
    if hits
        .first()
        .is_some_and(|node| node.window().kind == "INPUT_METHOD")
    {
        return Vec::new();
    }
    // Later nodes are on top of earlier ones, or inside them.
    hits.reverse();
    hits
}

/// Returns true if an element is large and has neither words nor an id: an app only draws on it.
pub(super) fn is_backdrop(node: Node<'_>) -> bool {
    is_large(node) && node.resource_id().is_empty() && !has_words(node)
}

fn is_large(node: Node<'_>) -> bool {
    let display = node.screen().display().bounds().area();
    display > 0 && node.bounds().area() * 100 > display * SURFACE_PERCENT
}

/// Returns true if it matters where in the element it is touched: it scrolls, covers much of the display, or
/// is of a class such as a map or a slider.
pub(super) fn is_surface(node: Node<'_>) -> bool {
    let class = node.short_class();
    node.scrolls() || is_large(node) || SURFACES.iter().any(|name| class.contains(name))
}

fn has_words(node: Node<'_>) -> bool {
    !node.text().is_empty() || !node.desc().is_empty()
}

/// Returns the element that receives the touch: the node or an ancestor. With `long`, that of a long touch.
pub(super) fn target(node: Node<'_>, long: bool) -> Node<'_> {
    if long {
        long_click_target(node)
    } else {
        click_target(node)
    }
}

/// Returns the selector for a touch on this element: by its own name, else by that of the element that
/// receives the touch, else by words inside that, else by its position. `None` if even that does not find it.
/// With `long`, the touch is a long one, which another element may receive.
pub(super) fn touch_selector(node: Node<'_>, long: bool) -> Option<Selector> {
    let screen = node.screen();
    let taker = |node| target(node, long);
    let target = taker(node);
    let named = |node: Node<'_>| Selector::by_itself(screen, node.index());
    named(node)
        .or_else(|| named(target))
        .or_else(|| {
            target
                .descendants()
                .filter(|inner| inner.is_on_screen() && has_words(*inner))
                .filter(|inner| taker(*inner).index() == target.index())
                .find_map(named)
        })
        .or_else(|| Selector::stable(screen, node.index()))
}

/// Returns the innermost container that scrolls at this point. `None` if it is the largest on the screen,
/// which `scroll_to` takes by itself, if nothing scrolls there, or if it has no selector.
pub(super) fn scrolled(screen: &Screen, point: Point) -> Option<Selector> {
    let scrollable = |node: &Node<'_>| node.scrolls() && node.is_on_screen();
    let inner = screen
        .nodes()
        .filter(scrollable)
        .filter(|node| node.bounds().contains(point))
        // Children come after their parents, so the last one is the innermost.
        .last()?;
    let largest = screen
        .nodes()
        .filter(scrollable)
        .max_by_key(|node| node.bounds().area())?;
    if inner.index() == largest.index() {
        return None;
    }
    Selector::stable(screen, inner.index())
}
