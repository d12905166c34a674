//! One change as people read it and as it is distinguished from others.

use std::collections::HashMap;

use super::{Cause, ChangeKind};
use crate::golden::hash;

/// More changes than this are counted, not listed.
const MOST_LISTED: usize = 100;

/// So many characters of a change are shown.
const MAX_DISPLAYED: usize = 300;

/// Maximum number of bytes of all listed changes: a pending file has them in its first bytes.
const MOST_BYTES: usize = 12_000;

/// A change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChangePart {
    /// For people, shortened.
    pub display: String,
    /// Distinguishes it from others: nothing of it is shortened.
    exact: String,
    /// Whether it matters how often it is there.
    is_counted: bool,
}

impl ChangePart {
    /// A change that is what is shown of it.
    pub fn uncounted(displayed: impl Into<String>) -> Self {
        let text = displayed.into();
        Self {
            exact: text.clone(),
            display: text,
            is_counted: false,
        }
    }

    /// A change that `exact` distinguishes from others that are shown alike.
    pub fn exactly(displayed: impl Into<String>, exact: &[&str]) -> Self {
        // No text can be taken for the end of another.
        let exact: Vec<String> = exact.iter().map(|one| hash(one.as_bytes())).collect();
        Self {
            display: displayed.into(),
            exact: exact.join(" "),
            is_counted: false,
        }
    }

    /// The same; five of them are another change than one.
    pub fn counted(self) -> Self {
        Self {
            is_counted: true,
            ..self
        }
    }
}

/// Each change once, with how often it is there where that matters.
pub(super) fn once(parts: Vec<ChangePart>) -> Vec<ChangePart> {
    let mut each: Vec<(ChangePart, usize)> = Vec::new();
    // What came from elsewhere may have any number of rows.
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
        part.display = shortened(&part.display);
        if part.is_counted && count > 1 {
            part.display = format!("{} ({count} times)", part.display);
            part.exact = format!("{} {count}", part.exact);
        }
        part
    });
    reported.collect()
}

/// The cause of all these changes, most weighty first. `also` is not shown, but distinguishes it.
pub(super) fn cause(kind: ChangeKind, parts: Vec<ChangePart>, also: &[String]) -> Cause {
    // Each once, so that a change that many rows share does not push others off the list.
    let parts = once(parts);
    let mut exact: Vec<&str> = parts.iter().map(|part| part.exact.as_str()).collect();
    exact.extend(also.iter().map(String::as_str));
    exact.sort_unstable();
    // Each is hashed by itself, so that no text of a screen can pass for the end of another one.
    let mut all: Vec<String> = exact.iter().map(|one| hash(one.as_bytes())).collect();
    all.push(kind.as_str().to_owned());
    let (changes, more) = listed(&parts);
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

/// What is shown of the changes, and how many are only counted.
fn listed(parts: &[ChangePart]) -> (Vec<String>, usize) {
    let mut changes = Vec::new();
    let mut bytes = 0;
    for part in parts.iter().take(MOST_LISTED) {
        let displayed = part.display.clone();
        bytes += displayed.len();
        if bytes > MOST_BYTES && !changes.is_empty() {
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

/// As it can be printed on one line.
fn shortened(text: &str) -> String {
    let mut plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut display: String = plain.by_ref().take(MAX_DISPLAYED).collect();
    if plain.next().is_some() {
        display.push('…');
    }
    display
}
