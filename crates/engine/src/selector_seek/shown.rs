//! The parts of the sought element that are hidden, and what is shown of it in the end.

use super::{SeenContainer, SelectorSeek};
use crate::act::describe_cover;
use crate::scroller::moves;
use crate::shown_part::{
    Sides, along, beyond, coverage_around, free_area, hidden_sides, is_inside,
};
use runner_screen::{Coverage, Node, NodeIndex, Rect};

/// Hidden parts of the element.
pub(super) struct HiddenParts {
    /// Sides along the direction on which scrolls may bring more of it.
    pub(super) sides: Sides,
    /// True if less than the requested part is shown.
    pub(super) is_cut: bool,
}

impl SelectorSeek<'_> {
    /// Returns what is hidden of the element: at edges, and by what covers the container, or the element's own
    /// if it is in another one, or the element if it is in none. A share of less than a percent is none.
    pub(super) fn hidden(
        &self,
        node: Node<'_>,
        container: Option<NodeIndex>,
        coverage: &Coverage,
    ) -> HiddenParts {
        let (direction, bounds) = (self.options.direction, node.bounds());
        let is_inside = is_inside(node, container);
        let mut sides = self.cut_at_edges(node, is_inside, coverage.area());
        let around = coverage_around(node, container, coverage, direction);
        let free = around.free_percent(bounds);
        let is_covered = free == 0 || free < 100 && f64::from(free) < self.options.visible;
        let is_cut = sides.any() || is_covered && self.options.visible > 0.0;
        if is_covered
            && is_inside
            && let Some(area) = free_area(coverage, direction)
        {
            let under = beyond(along(bounds, direction), along(area, direction));
            sides.low |= under.low;
            sides.high |= under.high;
        }
        HiddenParts { sides, is_cut }
    }

    /// Returns the sides along the direction on which an edge may hide more of the element; none without a
    /// requested part. Counts the edges of the container, or of the element's own if it is in another one. At
    /// an end of the content nothing is hidden. An end is one only on a container that drags have moved.
    fn cut_at_edges(&self, node: Node<'_>, is_inside: bool, area: Rect) -> Sides {
        if self.options.visible <= 0.0 {
            return Sides::default();
        }
        let direction = self.options.direction;
        let span = along(node.bounds(), direction);
        if is_inside {
            let hidden = hidden_sides(span, along(area, direction), self.options.visible);
            return Sides {
                low: hidden.low && !(self.ends.low && self.has_moved),
                high: hidden.high && !(self.ends.high && self.has_moved),
            };
        }
        let own = node.ancestors().find(|it| moves(*it, direction));
        let part = own.and_then(Node::part_on_display);
        part.map_or_else(Sides::default, |part| {
            hidden_sides(span, along(part, direction), self.options.visible)
        })
    }

    /// Describes the part of the element that is shown in the end, by the largest size at which it was seen.
    /// On a device that tells only shown parts, the element may be still larger. If it is covered, says by
    /// what.
    pub(crate) fn shown_part(&self, node: Node<'_>, seen: &SeenContainer) -> String {
        let direction = self.options.direction;
        let around = coverage_around(node, seen.container, &seen.coverage, direction);
        let (bounds, area) = (node.bounds(), around.area());
        let free = around.free_percent(bounds);
        if f64::from(free) < self.options.visible
            && let Some(by) = around.cover_of(bounds)
        {
            let by = describe_cover(node.screen(), by);
            return format!("{free} % of it, since {by} lies above");
        }
        let part = bounds.intersection(&area).unwrap_or(bounds);
        let (across, down) = (part.right - part.left, part.bottom - part.top);
        let shown = i64::from(across) * i64::from(down);
        let (width, height) = self.largest;
        let whole = (i64::from(width) * i64::from(height)).max(1);
        if shown >= whole {
            return format!(
                "{across} x {down} px at the edge of a container, which may hide more of it"
            );
        }
        format!(
            "{} % of it ({across} x {down} px of at least {width} x {height} px)",
            shown * 100 / whole
        )
    }
}
