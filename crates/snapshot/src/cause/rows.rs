//! Changes of the rows as texts that begin with the change: `"Shop" → "Store"`, `added: Button#pay "Pay"`.

use super::part::ChangePart;
use super::snapshot_pair::SnapshotPair;
use crate::row::{MASKED, Row, flag_in_words, quoted};
use crate::rows_diff::{Change, RowChange, weight};
use crate::words::{TextPart, words};

/// Number of changed parts of a text that are shown. Chosen: they fit on a line.
const MAX_WORDS: usize = 5;

/// Returns the changes of the rows, the most important kind first, then by text. The order of the rows does
/// not matter, since it says nothing about the cause.
pub(super) fn parts(changes: &[RowChange], sides: &SnapshotPair<'_>) -> Vec<ChangePart> {
    let parts = changes.iter().map(|change| {
        let part = row_part(change, sides);
        (weight(&change.change), part)
    });
    let mut parts: Vec<(u8, ChangePart)> = parts.collect();
    parts.sort_by(|(one, part), (other, another)| {
        one.cmp(other)
            .then_with(|| part.display.cmp(&another.display))
    });
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Returns the change of a row for its cause. If the row was masked or is no longer, only that is reported. Added and
/// removed rows are counted, masked ones by their name alone.
fn row_part(change: &RowChange, sides: &SnapshotPair<'_>) -> ChangePart {
    let (before, after) = sides.rows(change);
    let masked = |row: Option<&Row>| row.is_some_and(Row::is_masked);
    let name = sides.label(change);
    if let (Some(before), Some(after)) = (before, after)
        && before.is_masked() != after.is_masked()
    {
        // All other changes of its cells come from the mask.
        return if after.is_masked() {
            ChangePart::uncounted(format!("masked: {name}"))
        } else {
            row_change("no longer masked", after, "")
        };
    }
    match &change.change {
        Change::Added if !masked(after) => after.map_or_else(
            || ChangePart::uncounted(format!("added: {name}")),
            |row| row_change("added", row, &sides.look(change)),
        ),
        Change::Removed if !masked(before) => before.map_or_else(
            || ChangePart::uncounted(format!("removed: {name}")),
            |row| row_change("removed", row, ""),
        ),
        Change::Added => ChangePart::uncounted(format!("added, masked: {name}")).counted(),
        Change::Removed => ChangePart::uncounted(format!("removed, masked: {name}")).counted(),
        Change::Text(from, to) => words_part(from, to, "text", &name),
        Change::Desc(from, to) => words_part(from, to, "description", &name),
        Change::Hint(from, to) => words_part(from, to, "hint", &name),
        Change::Class(from, to) => cell("class", from, to, &name),
        Change::Id(from, to) => cell("id", from, to, &name),
        Change::Flags(lost, got) => ChangePart::uncounted(format!("{}: {name}", flags(lost, got))),
        Change::Order(..) => ChangePart::uncounted(format!("another place in the order: {name}")),
        Change::OnScreen(..) | Change::Moved(..) | Change::Bounds(..) => {
            ChangePart::uncounted(change.to_string())
        }
    }
}

/// Returns the change of an added or removed row. `what` begins the text; the row's name and all its words follow,
/// without masked ones. All cells but the bounds, and `look`, which describes the row's pixels, identify the change.
/// The number of occurrences counts.
fn row_change(what: &str, row: &Row, look: &str) -> ChangePart {
    let mut display = format!("{what}: {}", row.label());
    for cell in [&row.text, &row.desc, &row.hint] {
        let message = quoted(cell);
        if !cell.is_empty() && cell != MASKED && !row.is_window() && !display.contains(&message) {
            display = format!("{display} {message}");
        }
    }
    // All cells count, also those that are not shown, so that no change can hide in a group.
    let exact = [
        what,
        &row.class,
        &row.res_id,
        &row.text,
        &row.desc,
        &row.hint,
        &row.flags,
        look,
    ];
    ChangePart::with_identity(display, &exact).counted()
}

/// Returns the change of words: up to [`MAX_WORDS`] changed parts, then the number of the others. `what` is
/// the changed cell, and is named unless it is `text`. If the parts contain no letter, the row `name` is
/// named too, since a 3 that became a 4 says nothing alone. White space counts only if nothing else in the
/// part changed.
fn words_part(from: &str, to: &str, what: &str, name: &str) -> ChangePart {
    let changed: Vec<_> = words(from, to)
        .into_iter()
        .filter(|part| !part.is_same())
        .collect();
    // White space is reported only if nothing else changed.
    let reported = |part: &TextPart| {
        let (before, after) = (part.before.trim(), part.after.trim());
        if before == after {
            (part.before.clone(), part.after.clone())
        } else {
            (before.to_owned(), after.to_owned())
        }
    };
    let changed: Vec<(String, String)> = changed.iter().map(reported).collect();
    let displayed = changed.iter().take(MAX_WORDS).map(|(before, after)| {
        match (before.is_empty(), after.is_empty()) {
            (true, false) => format!("{} added", quoted(after)),
            (false, true) => format!("{} removed", quoted(before)),
            _ => format!("{} → {}", quoted(before), quoted(after)),
        }
    });
    let mut display = displayed.collect::<Vec<_>>().join(", ");
    if changed.len() > MAX_WORDS {
        display = format!("{display} and {} more", changed.len() - MAX_WORDS);
    }
    let has_letters = changed
        .iter()
        .any(|(before, after)| before.chars().chain(after.chars()).any(char::is_alphabetic));
    let of = match (has_letters, what) {
        // A word that changed in many rows is one cause, so no row is named.
        (true, "text") => String::new(),
        (true, what) => format!(" in the {what}"),
        (false, "text") => format!(" in {name}"),
        (false, what) => format!(" in the {what} of {name}"),
    };
    let mut exact = vec![of.as_str()];
    for (before, after) in &changed {
        exact.extend([before.as_str(), after.as_str()]);
    }
    ChangePart::with_identity(format!("{display}{of}"), &exact)
}

fn cell(what: &str, from: &str, to: &str, name: &str) -> ChangePart {
    let display = format!("{what} {} → {}: {name}", quoted(from), quoted(to));
    ChangePart::with_identity(display, &[what, from, to, name])
}

/// Says in words which flags a row lost and got. Without any it says that only their order changed.
fn flags(lost: &[String], got: &[String]) -> String {
    let words = |flags: &[String]| {
        let words: Vec<_> = flags.iter().map(|flag| flag_in_words(flag)).collect();
        words.join(", ")
    };
    match (lost.is_empty(), got.is_empty()) {
        (true, true) => "the same flags in another order".to_owned(),
        (false, true) => format!("no longer {}", words(lost)),
        (true, false) => format!("now {}", words(got)),
        (false, false) => format!("now {}, no longer {}", words(got), words(lost)),
    }
}
