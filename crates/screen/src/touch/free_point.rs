//! Chooses the point of an area that nothing above covers.

use super::blocker::{Blocker, BlockerKind};
use super::place::TouchPlace;
use crate::{Display, Point, Rect};

/// Smallest side in dp of a part that is touched instead of the middle. It is half of what Android's
/// accessibility guide asks of a target, since a finger hits smaller ones by luck.
const MIN_SIDE: f64 = 24.0;
/// Number of blockers that count, the largest ones. Chosen: the search takes the square of it in time.
const MAX_BLOCKERS: usize = 32;

/// Returns the place of a touch in an area: its middle if no blocker lies there, else the middle of the nearest part
/// free of all blockers, with sides of at least [`MIN_SIDE`]. Without one it avoids only those that are known to lie
/// above, at first with such sides, then with any, and names another blocker at the point as unknown. If the known ones
/// leave nothing, the area is covered.
pub(super) fn find(area: Rect, blockers: &[Blocker], display: Display) -> TouchPlace {
    let middle = area.center();
    let is_known = |blocker: &&Blocker| matches!(blocker.kind, BlockerKind::Known(_));
    let all: Vec<Rect> = blockers.iter().map(|blocker| blocker.part).collect();
    let known: Vec<Rect> = blockers
        .iter()
        .filter(is_known)
        .map(|blocker| blocker.part)
        .collect();
    let min_side = (MIN_SIDE * f64::from(display.density.max(160)) / 160.0) as u32;
    if let Some(point) = nearest_free(area, &all, min_side) {
        return TouchPlace::Free(point);
    }
    let Some(point) =
        nearest_free(area, &known, min_side).or_else(|| nearest_free(area, &known, 1))
    else {
        return covered(middle, blockers);
    };
    let unknown = blockers.iter().find_map(|blocker| match blocker.kind {
        BlockerKind::Unknown(by) | BlockerKind::Inner(by) if blocker.part.contains(point) => {
            Some(by)
        }
        _ => None,
    });
    unknown.map_or(TouchPlace::Free(point), |by| TouchPlace::Unknown {
        point,
        by,
    })
}

/// Names what covers an area: what is known to lie on its middle, else on any part. Without a known one the middle
/// counts as free.
fn covered(middle: Point, blockers: &[Blocker]) -> TouchPlace {
    let known = |blocker: &Blocker| match &blocker.kind {
        BlockerKind::Known(by) => Some(by.clone()),
        _ => None,
    };
    let at_middle = blockers.iter().filter(|it| it.part.contains(middle));
    let by = at_middle
        .clone()
        .find_map(known)
        .or_else(|| blockers.iter().find_map(known));
    match by {
        Some(by) => TouchPlace::Covered { point: middle, by },
        None => TouchPlace::Free(middle),
    }
}

/// Returns the middle if it is free, else the middle of the nearest free part with sides of at least
/// `min_side` pixels. Returns `None` if there is none.
fn nearest_free(area: Rect, blocked: &[Rect], min_side: u32) -> Option<Point> {
    let middle = area.center();
    if !blocked.iter().any(|part| part.contains(middle)) {
        return Some(middle);
    }
    let distance = |point: Point| {
        let (x, y) = (
            i64::from(point.x) - i64::from(middle.x),
            i64::from(point.y) - i64::from(middle.y),
        );
        x * x + y * y
    };
    free_parts(area, blocked)
        .into_iter()
        .filter(|part| part.width() >= min_side && part.height() >= min_side)
        .map(|part| part.center())
        // Blockers beyond the largest ones were not cut off.
        .filter(|point| !blocked.iter().any(|part| part.contains(*point)))
        .min_by_key(|point| distance(*point))
}

/// Returns the largest free parts of an area, which may overlap, by falling area. Empty if all of it is blocked.
/// Each blocked part splits them into the rests on its four sides. Only the [`MAX_BLOCKERS`] largest blocked
/// parts are cut off.
pub(super) fn free_parts(area: Rect, blocked: &[Rect]) -> Vec<Rect> {
    let mut blocked = blocked.to_vec();
    blocked.sort_by_key(|part| std::cmp::Reverse(part.area()));
    blocked.truncate(MAX_BLOCKERS);
    let mut parts = vec![area];
    for cut in &blocked {
        let mut next: Vec<Rect> = Vec::new();
        for part in parts {
            match part.intersection(cut) {
                None => next.push(part),
                Some(cut) => next.extend(sides(part, cut)),
            }
        }
        next.sort_by_key(|part| std::cmp::Reverse(part.area()));
        parts = Vec::new();
        for part in next {
            if !parts.iter().any(|larger: &Rect| larger.encloses(&part)) {
                parts.push(part);
            }
        }
    }
    parts
}

/// Returns the parts of `part` on the four sides of `cut`, which must lie in it. Upper and lower ones have
/// the full width, left and right ones the full height, so they overlap. Empty ones are left out.
fn sides(part: Rect, cut: Rect) -> impl Iterator<Item = Rect> {
    [
        Rect::new(part.left, part.top, part.right, cut.top),
        Rect::new(part.left, cut.bottom, part.right, part.bottom),
        Rect::new(part.left, part.top, cut.left, part.bottom),
        Rect::new(cut.right, part.top, part.right, part.bottom),
    ]
    .into_iter()
    .filter(|side| !side.is_empty())
}
