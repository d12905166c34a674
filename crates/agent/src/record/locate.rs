//! Which element a call was about, and the selector that a person would write for it.

use super::CallRecord;
use runner_engine::{click_target, long_click_target};
use runner_screen::{Node, Point, Rect, Screen, Selector};

/// Part of the display, in percent, from which on a touch within an element may mean the place and not the element.
const SURFACE_PERCENT: u64 = 40;
/// Widgets on which it matters where they are touched.
const SURFACES: [&str; 7] = [
    "SeekBar",
    "Slider",
    "RatingBar",
    "WebView",
    "SurfaceView",
    "TextureView",
    "Canvas",
];

/// What a call does to its element, where several share a place.
pub(super) type NodePredicate = fn(Node<'_>) -> bool;

/// The element that a call named by id, or at which it says it acted, on the screen as it was before.
pub(super) fn element<'a>(acquired: &'a CallRecord<'_>, fits: NodePredicate) -> Option<Node<'a>> {
    let id = acquired.args.get("element_id").and_then(|id| id.as_str());
    let bounds = acquired.outcome.as_ref().ok().and_then(|o| o.bounds);
    // First as it was before, for the act may have taken the element away.
    [&acquired.before, &acquired.after]
        .into_iter()
        .flatten()
        .find_map(|screen| {
            let named = id.and_then(|id| screen.node_by_id(id));
            named.or_else(|| bounds.and_then(|bounds| with_bounds(screen, bounds, fits)))
        })
        .or_else(|| {
            let before = acquired.before.as_deref()?;
            under(before, bounds?.center())
        })
}

/// The element with just these bounds; of several the one that fits best, the innermost.
pub(super) fn with_bounds(screen: &Screen, bounds: Rect, fits: NodePredicate) -> Option<Node<'_>> {
    // An element and what wraps it often have the same bounds.
    let rank = |node: Node<'_>| (fits(node), has_words(node), node.depth());
    screen
        .nodes()
        .filter(|node| node.bounds() == bounds && node.is_on_screen())
        .max_by_key(|node| rank(*node))
}

/// What a touch at this point meant: the innermost clickable element, else the innermost with words. `None` where the
/// place itself matters: on a map, a slider, the keyboard, or on nothing at all.
pub(super) fn touched(screen: &Screen, point: Point) -> Option<Node<'_>> {
    under(screen, point).filter(|node| !is_surface(*node))
}

fn under(screen: &Screen, point: Point) -> Option<Node<'_>> {
    let hits = hits(screen, point);
    let clickable = hits.iter().find(|node| node.flags().clickable);
    let labelled = hits.iter().find(|node| has_words(**node));
    clickable.or(labelled).copied()
}

/// What a finger takes hold of at this point: the innermost element with a name or a use of its own, or a surface.
pub(super) fn taken_hold_of(screen: &Screen, point: Point) -> Option<Node<'_>> {
    let is_meant = |node: &Node<'_>| {
        is_surface(*node)
            || node.flags().clickable
            || has_words(*node)
            || Selector::by_itself(screen, node.index()).is_some()
    };
    hits(screen, point).into_iter().find(is_meant)
}

/// The elements at this point of the window that takes a touch there, the innermost first; none on the keyboard.
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
    // What is drawn last lies on top, and holds what comes after it.
    hits.reverse();
    hits
}

/// Whether an element without a name is only what an app draws on.
pub(super) fn is_backdrop(node: Node<'_>) -> bool {
    is_large(node) && node.resource_id().is_empty() && !has_words(node)
}

fn is_large(node: Node<'_>) -> bool {
    let display = node.screen().display().bounds().area();
    display > 0 && node.bounds().area() * 100 > display * SURFACE_PERCENT
}

/// Whether it matters where in the element it is touched.
pub(super) fn is_surface(node: Node<'_>) -> bool {
    let class = node.short_class();
    node.scrolls() || is_large(node) || SURFACES.iter().any(|name| class.contains(name))
}

fn has_words(node: Node<'_>) -> bool {
    !node.text().is_empty() || !node.desc().is_empty()
}

/// What takes the touch.
pub(super) fn target(node: Node<'_>, long: bool) -> Node<'_> {
    if long {
        long_click_target(node)
    } else {
        click_target(node)
    }
}

/// The selector for a touch on this element: its own name, else what is written in it, else where it stands.
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

/// The container that moves under a finger at this point, where it is not the one that `scroll_to` would take.
pub(super) fn scrolled(screen: &Screen, point: Point) -> Option<Selector> {
    let scrollable = |node: &Node<'_>| node.scrolls() && node.is_on_screen();
    let inner = screen
        .nodes()
        .filter(scrollable)
        .filter(|node| node.bounds().contains(point))
        // What is inside comes after what holds it, so this is the innermost.
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
