//! Describes the changes between the rows of a golden and those of a screen.

mod alignment;

use std::collections::{HashMap, HashSet};
use std::fmt;

use self::alignment::content;
use super::row::{Row, flag_in_words};
use super::words;

pub(super) use alignment::align;

/// Difference between two sets of rows. The order of the variants is the order of importance.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// The row is only in the golden.
    Removed,
    /// The row is not in the golden.
    Added,
    /// Text before and after.
    Text(String, String),
    /// Description before and after.
    Desc(String, String),
    /// Hint before and after.
    Hint(String, String),
    /// Lost and gained flags.
    Flags(Vec<String>, Vec<String>),
    /// Class before and after.
    Class(String, String),
    /// Resource id before and after.
    Id(String, String),
    /// Place in the order before and after, both from 1.
    Order(usize, usize),
    /// Visibility: true if the row is on the screen now, false if no longer.
    OnScreen(bool),
    /// Movement by x and y in pixels.
    Moved(i64, i64),
    /// Bounds before and after, with another size.
    Bounds(String, String),
}

/// Difference and the row it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowChange {
    /// Name of the row for people.
    pub name: String,
    /// Position in the golden, from 0.
    pub golden: Option<usize>,
    /// Position on the screen, from 0.
    pub actual: Option<usize>,
    pub change: Change,
}

impl fmt::Display for RowChange {
    /// Writes one line for people: the row's name and the change, such as `Button#pay: removed`,
    /// `Button#pay: now enabled, no longer focused` and `Button#pay: moved by 0,+8`. Of long texts only the part that
    /// differs is written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        let words = |flags: &[String]| {
            let words: Vec<_> = flags.iter().map(|flag| flag_in_words(flag)).collect();
            words.join(", ")
        };
        let mut cell =
            |what, from: &str, to: &str| write!(f, "{name}: {what} {}", words::in_short(from, to));
        match &self.change {
            Change::Removed => write!(f, "{name}: removed"),
            Change::Added => write!(f, "{name}: added"),
            Change::Text(from, to) => cell("text", from, to),
            Change::Desc(from, to) => cell("description", from, to),
            Change::Hint(from, to) => cell("hint", from, to),
            Change::Class(from, to) => cell("class", from, to),
            Change::Id(from, to) => cell("id", from, to),
            // Only a golden that was written by hand has them so.
            Change::Flags(lost, got) if lost.is_empty() && got.is_empty() => {
                write!(f, "{name}: the same flags in another order")
            }
            Change::Flags(lost, got) if got.is_empty() => {
                write!(f, "{name}: no longer {}", words(lost))
            }
            Change::Flags(lost, got) if lost.is_empty() => write!(f, "{name}: now {}", words(got)),
            Change::Flags(lost, got) => {
                write!(f, "{name}: now {}, no longer {}", words(got), words(lost))
            }
            Change::Order(from, to) => write!(f, "{name}: was row {from}, is row {to}"),
            Change::OnScreen(true) => write!(f, "{name}: now on the screen"),
            Change::OnScreen(false) => write!(f, "{name}: no longer on the screen"),
            Change::Moved(x, y) => write!(f, "{name}: moved by {}", delta(*x, *y)),
            Change::Bounds(from, to) => write!(f, "{name}: bounds {from} → {to}"),
        }
    }
}

/// Formats a movement in pixels to the right and down: `+8,-3`; a coordinate that stays is `0`.
pub(super) fn delta(x: i64, y: i64) -> String {
    let signed = |value: i64| {
        if value == 0 {
            "0".to_owned()
        } else {
            format!("{value:+}")
        }
    };
    format!("{},{}", signed(x), signed(y))
}

/// Returns the differences in what all devices share, which is all but bounds and visibility, by importance,
/// then in order of the rows. Rows that only changed their place in the order are one change. A row with
/// several changed cells has one change for each.
pub fn shared_changes(golden: &[Row], actual: &[Row]) -> Vec<RowChange> {
    let (mut changes, mut removed, mut added) = (Vec::new(), Vec::new(), Vec::new());
    for pair in align(golden, actual) {
        match pair {
            (Some(old), Some(new)) => {
                let name = actual[new].name(new + 1);
                for change in cell_changes(&golden[old], &actual[new]) {
                    changes.push(RowChange {
                        name: name.clone(),
                        golden: Some(old),
                        actual: Some(new),
                        change,
                    });
                }
            }
            (Some(old), None) => removed.push(old),
            (None, Some(new)) => added.push(new),
            (None, None) => {}
        }
    }
    changes.extend(displaced(golden, actual, &mut removed, &mut added));
    changes.extend(removed.into_iter().map(|old| RowChange {
        name: golden[old].name(old + 1),
        golden: Some(old),
        actual: None,
        change: Change::Removed,
    }));
    changes.extend(added.into_iter().map(|new| RowChange {
        name: actual[new].name(new + 1),
        golden: None,
        actual: Some(new),
        change: Change::Added,
    }));
    changes.sort_by_key(|change| (weight(&change.change), change.actual.or(change.golden)));
    changes
}

/// Turns rows that were removed at one place and added at another into one [`Change::Order`] each, in the order of
/// the golden, and takes them out of both lists. The content must be equal, bounds aside. Of equal rows the first is
/// paired with the first.
fn displaced(
    golden: &[Row],
    actual: &[Row],
    removed: &mut Vec<usize>,
    added: &mut Vec<usize>,
) -> Vec<RowChange> {
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    // In reverse order, so that `pop` returns the first of equal rows.
    for &new in added.iter().rev() {
        places.entry(content(&actual[new])).or_default().push(new);
    }
    let mut changes = Vec::new();
    let mut found = HashSet::new();
    removed.retain(|&old| {
        let Some(new) = places.get_mut(&content(&golden[old])).and_then(Vec::pop) else {
            return true;
        };
        found.insert(new);
        changes.push(RowChange {
            name: actual[new].name(new + 1),
            golden: Some(old),
            actual: Some(new),
            change: Change::Order(old + 1, new + 1),
        });
        false
    });
    added.retain(|new| !found.contains(new));
    changes
}

/// Returns the differences in bounds and visibility of rows that both sides have, and the rows that only one
/// side has. Rows without bounds or visibility on a side, and masked rows, are not compared. A row of the same
/// size that lies elsewhere moved; any other change of bounds is a new size. The changes are sorted by
/// [`weight`], removed and added rows first and moves last, and then in order of the rows.
pub fn bounds_changes(golden: &[Row], actual: &[Row]) -> Vec<RowChange> {
    let mut changes = Vec::new();
    for (old, new) in align(golden, actual) {
        let (Some(old), Some(new)) = (old, new) else {
            let position = new.or(old).unwrap_or_default();
            let row = new.map_or_else(|| &golden[position], |new| &actual[new]);
            changes.push(RowChange {
                name: row.name(position + 1),
                golden: old,
                actual: new,
                change: if old.is_some() {
                    Change::Removed
                } else {
                    Change::Added
                },
            });
            continue;
        };
        let (before, after) = (&golden[old], &actual[new]);
        if before.is_masked() || after.is_masked() {
            continue;
        }
        let mut push = |change| {
            changes.push(RowChange {
                name: after.name(new + 1),
                golden: Some(old),
                actual: Some(new),
                change,
            });
        };
        if let (Some(before), Some(after)) = (before.on, after.on)
            && before != after
        {
            push(Change::OnScreen(after));
        }
        if let (Some(before), Some(after)) = (before.bounds, after.bounds)
            && before != after
        {
            let x = i64::from(after.left) - i64::from(before.left);
            let y = i64::from(after.top) - i64::from(before.top);
            let same_size = i64::from(after.right) - i64::from(before.right) == x
                && i64::from(after.bottom) - i64::from(before.bottom) == y;
            push(if same_size {
                Change::Moved(x, y)
            } else {
                Change::Bounds(before.to_string(), after.to_string())
            });
        }
    }
    changes.sort_by_key(|change| (weight(&change.change), change.actual.or(change.golden)));
    changes
}

/// Formats changes as lines for people. Four rows or more that moved by the same distance share a line:
/// `Button#pay and 3 others: moved by 0,+8`. All moves come last, by the first row of each distance.
pub fn lines(changes: &[RowChange]) -> Vec<String> {
    let mut out = Vec::new();
    let mut groups: Vec<((i64, i64), Vec<&RowChange>)> = Vec::new();
    for change in changes {
        match change.change {
            Change::Moved(x, y) => match groups.iter_mut().find(|(by, _)| *by == (x, y)) {
                Some((_, group)) => group.push(change),
                None => groups.push(((x, y), vec![change])),
            },
            _ => out.push(change.to_string()),
        }
    }
    for ((x, y), group) in groups {
        match group.as_slice() {
            [first, rest @ ..] if rest.len() > 2 => out.push(format!(
                "{} and {} others: moved by {}",
                first.name,
                rest.len(),
                delta(x, y)
            )),
            few => out.extend(few.iter().map(ToString::to_string)),
        }
    }
    out
}

/// Returns the rank of a change; lower ones are reported first: removed, added, text, description, hint,
/// flags, class and id, order, visibility, size, movement.
pub(super) fn weight(change: &Change) -> u8 {
    match change {
        Change::Removed => 0,
        Change::Added => 1,
        Change::Text(..) => 2,
        Change::Desc(..) => 3,
        Change::Hint(..) => 4,
        Change::Flags(..) => 5,
        Change::Class(..) | Change::Id(..) => 6,
        Change::Order(..) => 7,
        Change::OnScreen(_) => 8,
        Change::Bounds(..) => 9,
        Change::Moved(..) => 10,
    }
}

/// Returns a change for each cell that differs, and one for all flags that were lost or got. Flags in another order
/// are a change without any of these. Bounds and visibility are not compared.
fn cell_changes(before: &Row, after: &Row) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut cell = |make: fn(String, String) -> Change, before: &str, after: &str| {
        if before != after {
            changes.push(make(before.to_owned(), after.to_owned()));
        }
    };
    cell(Change::Text, &before.text, &after.text);
    cell(Change::Desc, &before.desc, &after.desc);
    cell(Change::Hint, &before.hint, &after.hint);
    cell(Change::Class, &before.class, &after.class);
    cell(Change::Id, &before.res_id, &after.res_id);
    if before.flags != after.flags {
        let only_in = |one: &str, other: &str| {
            one.split(',')
                .filter(|flag| !flag.is_empty() && !other.split(',').any(|theirs| theirs == *flag))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let (lost, got) = (
            only_in(&before.flags, &after.flags),
            only_in(&after.flags, &before.flags),
        );
        changes.push(Change::Flags(lost, got));
    }
    changes
}

#[cfg(test)]
mod tests;
