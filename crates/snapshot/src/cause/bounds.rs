//! What moved or has another size, as far as it does not follow from rows that came, went or became larger. Numbers are
//! left out: they differ from class to class.

use super::SnapshotPair;
use super::part::ChangePart;
use crate::rows_diff::{Change, RowChange};
use runner_screen::Rect;

/// More rows than this that moved apart are not named.
const FEW_MOVED: usize = 3;

/// A row that came moves others by its size and by the space around it, which is at most its size again and so much.
const SPACE: i64 = 64;

/// What makes room or takes it.
#[derive(Debug, Clone, Copy)]
enum LayoutShift {
    /// It came, went, or stands elsewhere in the order: it takes its size, and any space around it.
    Full(Rect),
    /// It has another size: it takes that and no more.
    Resized(Rect, Rect),
}

/// How far something may have gone for what made room or took it.
#[derive(Debug, Clone, Copy, Default)]
struct ShiftRange {
    back: i64,
    forth: i64,
}

impl ShiftRange {
    fn add(&mut self, by: i64) {
        // Some rows grow and others shrink, and not all of them move this one: anything between both sums is explained.
        self.back += by.min(0);
        self.forth += by.max(0);
    }

    fn holds(self, by: i64) -> bool {
        (self.back..=self.forth).contains(&by)
    }
}

/// A row that is on both sides, and where.
type MatchedRow<'a> = (&'a RowChange, Rect, Rect);

/// `rows` are the changes of the rows, `bounds` those of their bounds.
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
    // A list that became longer because of what moved in it says less than what moved.
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

fn another_size(change: &RowChange, sides: &SnapshotPair<'_>) -> ChangePart {
    let display = format!("another size: {}", sides.label(change));
    let look = if sides.has_words(change) {
        String::new()
    } else {
        sides.look(change)
    };
    ChangePart::exactly(display.clone(), &[&display, &look])
}

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

/// Whether rows that came, went or became larger in the same column or line explain where the row is now.
fn follows((_, before, after): &MatchedRow<'_>, movers: &[LayoutShift]) -> bool {
    // Both directions must be explained: a row that also went sideways changed for a reason of its own.
    edges_follow((*before, *after), movers.iter().copied())
        && edges_follow(
            (turned(*before), turned(*after)),
            movers.iter().map(|mover| match mover {
                LayoutShift::Full(place) => LayoutShift::Full(turned(*place)),
                LayoutShift::Resized(before, after) => {
                    LayoutShift::Resized(turned(*before), turned(*after))
                }
            }),
        )
}

/// Whether the movers in the same column explain where the upper and the lower edge are now.
fn edges_follow((before, after): (Rect, Rect), movers: impl Iterator<Item = LayoutShift>) -> bool {
    let around = before.union(&after);
    let in_column = |place: Rect| place.left < around.right && around.left < place.right;
    let (mut whole, mut top, mut bottom) = (0, ShiftRange::default(), ShiftRange::default());
    for mover in movers {
        match mover {
            LayoutShift::Full(place) if in_column(place) => whole += i64::from(place.height()),
            LayoutShift::Resized(was, is) if in_column(was.union(&is)) => {
                let by = i64::from(is.height()) - i64::from(was.height());
                // It grows to any side itself, and so does what lies around it.
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
            edge.add(2 * whole + SPACE);
            edge.add(-2 * whole - SPACE);
        }
    }
    let by = |one: i32, other: i32| i64::from(other) - i64::from(one);
    top.holds(by(before.top, after.top)) && bottom.holds(by(before.bottom, after.bottom))
}

/// With columns for lines.
fn turned(rect: Rect) -> Rect {
    Rect::new(rect.top, rect.left, rect.bottom, rect.right)
}

fn innermost<'a>(sized: &[MatchedRow<'a>]) -> Vec<MatchedRow<'a>> {
    // What holds a row that grew has grown with it, so only the row is reported. Of equal places the last one counts.
    let is_innermost = |(at, (_, outer, _)): &(usize, &MatchedRow<'a>)| {
        !sized.iter().enumerate().any(|(other, (_, inner, _))| {
            other != *at && outer.encloses(inner) && (outer != inner || other > *at)
        })
    };
    let innermost = sized.iter().enumerate().filter(is_innermost);
    innermost.map(|(_, row)| *row).collect()
}

fn moved_parts(moved: &[MatchedRow<'_>], sides: &SnapshotPair<'_>) -> Vec<ChangePart> {
    let outermost: Vec<&RowChange> = moved
        .iter()
        .filter(|(change, bounds, _)| {
            // What lies in a row moves with it by the same way and need not be reported.
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
        parts.push(ChangePart::uncounted(if outermost.len() > FEW_MOVED {
            format!("rows moved {to}")
        } else {
            format!("moved {to}: {}", sides.label(change))
        }));
    }
    parts
}
