//! One change: as people read it, and as it is told from others.

use std::collections::HashMap;

use super::value::{Cause, ChangeKind};
use crate::golden::hash;

/// Number of changes that are listed; more are counted. Chosen: nobody reads more.
const MAX_LISTED: usize = 100;

/// Number of characters of a change that are shown. Chosen: a long text is recognised by them.
const MAX_DISPLAYED_CHARS: usize = 300;

/// Largest total length in bytes of the listed changes. Chosen: a pending file holds them in its first
/// [`crate::pending::HEAD`] bytes.
const MAX_LISTED_BYTES: usize = 12_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChangePart {
    /// Text for people, shortened.
    pub display: String,
    /// Text that tells the change from others, not shortened.
    exact: String,
    /// True if the number of times that it occurs matters.
    is_counted: bool,
}

impl ChangePart {
    /// Creates a change that is identified by its text. If it occurs several times, it is listed once,
    /// without a number.
    pub fn uncounted(displayed: impl Into<String>) -> Self {
        let text = displayed.into();
        Self {
            exact: text.clone(),
            display: text,
            is_counted: false,
        }
    }

    /// Creates a change that `exact` tells from others with the same text. `displayed` itself is no part of
    /// the identity unless `exact` holds it. It is not counted.
    pub fn with_identity(displayed: impl Into<String>, exact: &[&str]) -> Self {
        // Hashed one by one, so that texts cannot be split in another way.
        let exact: Vec<String> = exact.iter().map(|one| hash(one.as_bytes())).collect();
        Self {
            display: displayed.into(),
            exact: exact.join(" "),
            is_counted: false,
        }
    }

    /// Makes the number of occurrences count: five of them are another change than one.
    pub fn counted(self) -> Self {
        Self {
            is_counted: true,
            ..self
        }
    }
}

/// Merges changes of equal identity, in the order of their first occurrence, and cuts each text to
/// [`MAX_DISPLAYED_CHARS`]. A counted change that occurs several times gets `(N times)` in its text, and the
/// number in its identity.
pub(super) fn merge_equal(parts: Vec<ChangePart>) -> Vec<ChangePart> {
    let mut each: Vec<(ChangePart, usize)> = Vec::new();
    // A map, since proposals from elsewhere may have any number of rows.
    let mut known: HashMap<String, usize> = HashMap::new();
    for part in parts {
        match known.get(&part.exact) {
            Some(&at) => each[at].1 += 1,
            None => {
                known.insert(part.exact.clone(), each.len());
                each.push((part, 1));
            }
        }
    }
    let reported = each.into_iter().map(|(mut part, count)| {
        part.display = shorten(&part.display);
        if part.is_counted && count > 1 {
            part.display = format!("{} ({count} times)", part.display);
            part.exact = format!("{} {count}", part.exact);
        }
        part
    });
    reported.collect()
}

/// Creates the cause of these changes, which are in order of importance. Equal changes are merged. The id is
/// a hash of the kind, of all changes in any order, and of `also`, which is not shown. The title is the first
/// change, with the number of the others; without changes it is the name of the kind.
pub(super) fn cause(kind: ChangeKind, parts: Vec<ChangePart>, also: &[String]) -> Cause {
    // Equal changes are merged, so that a change of many rows does not push others off the list.
    let parts = merge_equal(parts);
    let mut exact: Vec<&str> = parts.iter().map(|part| part.exact.as_str()).collect();
    exact.extend(also.iter().map(String::as_str));
    exact.sort_unstable();
    // Hashed one by one, so that no text of a screen can pass for the end of another one.
    let mut all: Vec<String> = exact.iter().map(|one| hash(one.as_bytes())).collect();
    all.push(kind.as_str().to_owned());
    let (changes, more) = list_changes(&parts);
    let first = changes.first().map_or(kind.as_str(), String::as_str);
    Cause {
        kind,
        id: hash(all.join(" ").as_bytes()),
        title: match parts.len() {
            0 | 1 => first.to_owned(),
            several => format!("{first}, and {} more", several - 1),
        },
        changes,
        more,
    }
}

/// Returns the texts to show, and the number of changes that are only counted. It shows the first
/// [`MAX_LISTED`] changes, up to [`MAX_LISTED_BYTES`], but always one. If some are only counted, a last text
/// says how many.
fn list_changes(parts: &[ChangePart]) -> (Vec<String>, usize) {
    let mut changes = Vec::new();
    let mut bytes = 0;
    for part in parts.iter().take(MAX_LISTED) {
        let displayed = part.display.clone();
        bytes += displayed.len();
        if bytes > MAX_LISTED_BYTES && !changes.is_empty() {
            break;
        }
        changes.push(displayed);
    }
    let more = parts.len() - changes.len();
    if more > 0 {
        changes.push(format!("and {more} more changes"));
    }
    (changes, more)
}

/// Cuts a text to [`MAX_DISPLAYED_CHARS`], marked by `…`, and replaces control characters by spaces, so that
/// it stays on one line.
fn shorten(text: &str) -> String {
    let mut plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut display: String = plain.by_ref().take(MAX_DISPLAYED_CHARS).collect();
    if plain.next().is_some() {
        display.push('…');
    }
    display
}
