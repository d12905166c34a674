//! Changes of position and size that do not follow from rows that were added, removed or resized. Distances
//! are left out of the texts, since they differ from class to class.

use super::part::ChangePart;
use super::snapshot_pair::SnapshotPair;
use crate::rows_diff::{Change, RowChange};
use runner_screen::Rect;

/// Number of separately moved rows that are named; more are only counted. Chosen: more names do not help.
const MAX_NAMED_MOVES: usize = 3;

/// Space in pixels around a row that adds to a move. An added row moves others by its size and by the space
/// around it, which is at most its size again and this much. Chosen.
const MAX_SPACE: i64 = 64;

/// Change that moves other rows.
#[derive(Debug, Clone, Copy)]
enum LayoutShift {
    /// The row was added, removed, or changed its place in the order. It moves others by up to its size and
    /// the space around it.
    Full(Rect),
    /// The row has another size, before and after. It moves others by the difference at most.
    Resized(Rect, Rect),
}

/// Range of moves that other changes explain, in pixels.
#[derive(Debug, Clone, Copy, Default)]
struct ShiftRange {
    back: i64,
    forth: i64,
}

impl ShiftRange {
    /// Adds a distance to the sum of its own direction. The range lies between both sums.
    fn add(&mut self, by: i64) {
        // Some rows grow and others shrink, and not all of them move this one. So any distance between both
        // sums is explained.
        self.back += by.min(0);
        self.forth += by.max(0);
    }

    fn holds(self, by: i64) -> bool {
        (self.back..=self.forth).contains(&by)
    }
}

/// Changed row that is on both sides, with its bounds before and after.
type MatchedRow<'a> = (&'a RowChange, Rect, Rect);

/// Returns the changes of position, size and visibility, sorted by their text. `rows` are the changes of the rows
/// themselves, `bounds` those of their bounds. Rows without bounds on a side, and those whose new bounds follow from
/// another change, are left out. If rows moved inside each resized row, only the moves are reported; visibility is
/// reported only of a row that changed nothing else.
pub(super) fn parts(
    rows: &[RowChange],
    bounds: &[RowChange],
    sides: &SnapshotPair<'_>,
) -> Vec<ChangePart> {
    let mut movers: Vec<LayoutShift> = rows
        .iter()
        .filter_map(|change| mover(change, sides))
        .collect();
    let open: Vec<MatchedRow<'_>> = bounds
        .iter()
        .filter_map(|change| {
            let (before, after) = sides.places(change);
            Some((change, before?, after?))
        })
        .filter(|row| !follows(row, &movers))
        .collect();
    let of = |wanted: fn(&Change) -> bool| -> Vec<MatchedRow<'_>> {
        let wanted = open.iter().filter(|(change, ..)| wanted(&change.change));
        wanted.copied().collect()
    };
    let sized = innermost(&of(|change| matches!(change, Change::Bounds(..))));
    movers.extend(
        sized
            .iter()
            .map(|(_, before, after)| LayoutShift::Resized(*before, *after)),
    );
    let mut moved = of(|change| matches!(change, Change::Moved(..)));
    // If a list grew because content in it moved, the moves say more than the size of the list.
    let is_around = |outer: &Rect| moved.iter().any(|(_, inner, _)| outer.encloses(inner));
    let only_around = !moved.is_empty() && sized.iter().all(|(_, outer, _)| is_around(outer));
    let mut parts = Vec::new();
    if !only_around {
        moved.retain(|row| !follows(row, &movers));
        parts.extend(sized.iter().map(|(change, ..)| another_size(change, sides)));
    }
    parts.extend(moved_parts(&moved, sides));
    for (change, ..) in of(|change| matches!(change, Change::OnScreen(_))) {
        let has_more = open
            .iter()
            .any(|(other, ..)| other.actual == change.actual && other.change != change.change);
        if !has_more {
            let now = match change.change {
                Change::OnScreen(true) => "now on the screen",
                _ => "no longer on the screen",
            };
            parts.push(ChangePart::uncounted(format!(
                "{now}: {}",
                sides.label(change)
            )));
        }
    }
    parts.sort_unstable_by(|one, other| one.display.cmp(&other.display));
    parts
}

/// Returns the change of a row's size. Its colours or pixels are part of the identity only if the row has no text and
/// no hint.
fn another_size(change: &RowChange, sides: &SnapshotPair<'_>) -> ChangePart {
    let display = format!("another size: {}", sides.label(change));
    let look = if sides.has_words(change) {
        String::new()
    } else {
        sides.look(change)
    };
    ChangePart::with_identity(display.clone(), &[&display, &look])
}

/// Returns the effect that a change of a row has on the places of others. A reordered row has one even if its bounds
/// stay. Any other row whose bounds stay has none, nor has one without bounds.
fn mover(change: &RowChange, sides: &SnapshotPair<'_>) -> Option<LayoutShift> {
    match (&change.change, sides.places(change)) {
        (Change::Order(..), (Some(before), Some(after))) => {
            Some(LayoutShift::Full(before.union(&after)))
        }
        (_, (Some(before), Some(after))) if before != after => {
            Some(LayoutShift::Resized(before, after))
        }
        (Change::Added, (_, Some(place))) | (Change::Removed, (Some(place), _)) => {
            Some(LayoutShift::Full(place))
        }
        _ => None,
    }
}

/// Returns true if changes of other rows explain the new bounds of this row in both directions: upright by
/// those in the same column, sideways by those in the same line.
fn follows((_, before, after): &MatchedRow<'_>, movers: &[LayoutShift]) -> bool {
    // Both directions must be explained, since a row that also moved sideways has another cause.
    edges_follow((*before, *after), movers.iter().copied())
        && edges_follow(
            (transpose(*before), transpose(*after)),
            movers.iter().map(|mover| match mover {
                LayoutShift::Full(place) => LayoutShift::Full(transpose(*place)),
                LayoutShift::Resized(before, after) => {
                    LayoutShift::Resized(transpose(*before), transpose(*after))
                }
            }),
        )
}

/// Returns true if the movers in the same column explain the new upper and lower edges. Each edge must have
/// moved by no more than the sum of the movers allows: the heights of added, removed and reordered rows twice
/// and [`MAX_SPACE`] pixels, and the growth of resized rows above or inside.
fn edges_follow((before, after): (Rect, Rect), movers: impl Iterator<Item = LayoutShift>) -> bool {
    let around = before.union(&after);
    let in_column = |place: Rect| place.left < around.right && around.left < place.right;
    let (mut whole, mut top, mut bottom) = (0, ShiftRange::default(), ShiftRange::default());
    for mover in movers {
        match mover {
            LayoutShift::Full(place) if in_column(place) => whole += i64::from(place.height()),
            LayoutShift::Resized(was, is) if in_column(was.union(&is)) => {
                let by = i64::from(is.height()) - i64::from(was.height());
                // A resized row can grow to any side, and so can the rows around it.
                if before.encloses(&was) && after.encloses(&is) {
                    for edge in [&mut top, &mut bottom] {
                        edge.add(by);
                        edge.add(-by);
                    }
                } else if was.bottom <= before.top {
                    top.add(by);
                    bottom.add(by);
                } else if was.bottom <= before.bottom {
                    bottom.add(by);
                }
            }
            _ => {}
        }
    }
    if whole > 0 {
        for edge in [&mut top, &mut bottom] {
            edge.add(2 * whole + MAX_SPACE);
            edge.add(-2 * whole - MAX_SPACE);
        }
    }
    let by = |one: i32, other: i32| i64::from(other) - i64::from(one);
    top.holds(by(before.top, after.top)) && bottom.holds(by(before.bottom, after.bottom))
}

/// Swaps columns and lines.
fn transpose(rect: Rect) -> Rect {
    Rect::new(rect.top, rect.left, rect.bottom, rect.right)
}

/// Returns the resized rows that enclose no other one. Of rows with equal bounds the last one stays.
fn innermost<'a>(sized: &[MatchedRow<'a>]) -> Vec<MatchedRow<'a>> {
    // A row around one that grew has grown with it, so only the inner row is reported. Of rows with equal
    // bounds the last one is.
    let is_innermost = |(at, (_, outer, _)): &(usize, &MatchedRow<'a>)| {
        !sized.iter().enumerate().any(|(other, (_, inner, _))| {
            other != *at && outer.encloses(inner) && (outer != inner || other > *at)
        })
    };
    let innermost = sized.iter().enumerate().filter(is_innermost);
    innermost.map(|(_, row)| *row).collect()
}

/// Returns one change for each moved row, with its direction. Rows inside of one that moved as far are left out; of
/// more than [`MAX_NAMED_MOVES`] each gives only its direction.
fn moved_parts(moved: &[MatchedRow<'_>], sides: &SnapshotPair<'_>) -> Vec<ChangePart> {
    let outermost: Vec<&RowChange> = moved
        .iter()
        .filter(|(change, bounds, _)| {
            // A row inside a moved row moves with it and is not reported.
            !moved.iter().any(|(other, around, _)| {
                other.change == change.change && around != bounds && around.encloses(bounds)
            })
        })
        .map(|(change, ..)| *change)
        .collect();
    let mut parts = Vec::new();
    for change in &outermost {
        let Change::Moved(x, y) = change.change else {
            continue;
        };
        let to = match (x.signum(), y.signum()) {
            (0, 1) => "down",
            (0, -1) => "up",
            (1, 0) => "right",
            (-1, 0) => "left",
            (1, 1) => "right and down",
            (1, -1) => "right and up",
            (-1, 1) => "left and down",
            _ => "left and up",
        };
        parts.push(ChangePart::uncounted(
            if outermost.len() > MAX_NAMED_MOVES {
                format!("rows moved {to}")
            } else {
                format!("moved {to}: {}", sides.label(change))
            },
        ));
    }
    parts
}
