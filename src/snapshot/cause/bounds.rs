//! What moved or has another size, as far as it does not follow from rows that came, went or became larger. Numbers are
//! left out: they differ from class to class.

use super::Sides;
use super::part::Part;
use crate::screen::Rect;
use crate::snapshot::rows_diff::{Change, RowChange};

/// More rows than this that moved apart are not named.
const FEW_MOVED: usize = 3;

/// A row that came moves others by its size and by the space around it, which is at most its size again and so much.
const SPACE: i64 = 64;

/// What makes room or takes it.
#[derive(Debug, Clone, Copy)]
struct Mover {
    /// Where it was and is.
    around: Rect,
    /// By how much it grew or shrank; its own size where it came or went.
    by: (i64, i64),
}

/// A row that is on both sides, and where.
type Both<'a> = (&'a RowChange, Rect, Rect);

/// `rows` are the changes of the rows, `bounds` those of their bounds.
pub(super) fn parts(rows: &[RowChange], bounds: &[RowChange], sides: &Sides<'_>) -> Vec<Part> {
    let mut movers: Vec<Mover> = rows
        .iter()
        .filter_map(|change| mover(change, sides))
        .collect();
    let open: Vec<Both<'_>> = bounds
        .iter()
        .filter_map(|change| {
            let (before, after) = sides.places(change);
            Some((change, before?, after?))
        })
        .filter(|row| !follows(row, &movers))
        .collect();
    let of = |wanted: fn(&Change) -> bool| -> Vec<Both<'_>> {
        let wanted = open.iter().filter(|(change, ..)| wanted(&change.change));
        wanted.copied().collect()
    };
    let sized = innermost(&of(|change| matches!(change, Change::Bounds(..))));
    movers.extend(
        sized
            .iter()
            .map(|(_, before, after)| resized(*before, *after)),
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
            parts.push(Part::plain(format!("{now}: {}", sides.label(change))));
        }
    }
    parts.sort_unstable_by(|one, other| one.shown.cmp(&other.shown));
    parts
}

fn another_size(change: &RowChange, sides: &Sides<'_>) -> Part {
    let shown = format!("another size: {}", sides.label(change));
    let look = if sides.has_words(change) {
        String::new()
    } else {
        sides.look(change)
    };
    Part::exactly(shown.clone(), &[&shown, &look])
}

fn mover(change: &RowChange, sides: &Sides<'_>) -> Option<Mover> {
    let size = |rect: Rect| (i64::from(rect.width()), i64::from(rect.height()));
    match (&change.change, sides.places(change)) {
        (Change::Order(..), (Some(before), Some(after))) => Some(Mover {
            around: before.union(&after),
            by: size(before.union(&after)),
        }),
        (_, (Some(before), Some(after))) if before != after => Some(resized(before, after)),
        (Change::Added, (_, Some(place))) | (Change::Removed, (Some(place), _)) => Some(Mover {
            around: place,
            by: size(place),
        }),
        _ => None,
    }
}

fn resized(before: Rect, after: Rect) -> Mover {
    let by = |one: u32, other: u32| (i64::from(one) - i64::from(other)).abs();
    Mover {
        around: before.union(&after),
        by: (
            by(before.width(), after.width()),
            by(before.height(), after.height()),
        ),
    }
}

/// Whether rows that came, went or became larger in the same column or line explain where the row is now.
fn follows((_, before, after): &Both<'_>, movers: &[Mover]) -> bool {
    let around = before.union(after);
    let in_column = |mover: &&Mover| {
        mover.around.left < around.right && around.left < mover.around.right && mover.by.1 > 0
    };
    let in_line = |mover: &&Mover| {
        mover.around.top < around.bottom && around.top < mover.around.bottom && mover.by.0 > 0
    };
    let room = |sizes: &mut dyn Iterator<Item = i64>| match sizes.sum::<i64>() {
        0 => 0,
        sum => 2 * sum + SPACE,
    };
    let down = room(&mut movers.iter().filter(in_column).map(|mover| mover.by.1));
    let aside = room(&mut movers.iter().filter(in_line).map(|mover| mover.by.0));
    let by = |one: i32, other: i32| (i64::from(one) - i64::from(other)).abs();
    by(before.top, after.top).max(by(before.bottom, after.bottom)) <= down
        && by(before.left, after.left).max(by(before.right, after.right)) <= aside
}

fn innermost<'a>(sized: &[Both<'a>]) -> Vec<Both<'a>> {
    let is_innermost = |(at, (_, outer, _)): &(usize, &Both<'a>)| {
        !sized.iter().enumerate().any(|(other, (_, inner, _))| {
            other != *at && outer.encloses(inner) && (outer != inner || other > *at)
        })
    };
    let innermost = sized.iter().enumerate().filter(is_innermost);
    innermost.map(|(_, row)| *row).collect()
}

fn moved_parts(moved: &[Both<'_>], sides: &Sides<'_>) -> Vec<Part> {
    let outermost: Vec<&RowChange> = moved
        .iter()
        .filter(|(change, bounds, _)| {
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
        parts.push(Part::plain(if outermost.len() > FEW_MOVED {
            format!("rows moved {to}")
        } else {
            format!("moved {to}: {}", sides.label(change))
        }));
    }
    parts
}
