//! Compares two views: added, removed, changed and moved elements.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::line::{Line, ViewOptions, quoted};
use super::view::View;

/// Characters of an old value. Chosen: the agent has seen it and only has to recognise it.
const MAX_OLD_CHARS: usize = 30;
/// Characters of a new value: as many as a look shows.
const MAX_NEW_CHARS: usize = 200;

/// Differences between two views, as lines of text.
#[derive(Debug, Default)]
pub(super) struct Difference {
    changed: Vec<String>,
    added: Vec<String>,
    removed: Vec<String>,
    /// Number of elements of which only the bounds changed.
    moved: usize,
    screen_edits: Vec<String>,
}

impl Difference {
    /// Compares an earlier view with the present one. Elements are matched by their ids only. An added
    /// element is described in full, a removed one by its short name. Also compares the app in front and the
    /// keyboard.
    pub(super) fn between(before: &View, now: &View) -> Self {
        let old: HashMap<u32, &Line> = before
            .lines
            .iter()
            .map(|line| (line.number, line))
            .collect();
        let new: HashMap<u32, &Line> = now.lines.iter().map(|line| (line.number, line)).collect();
        let mut difference = Self::default();
        for line in &now.lines {
            match old.get(&line.number) {
                Some(was) => difference.compare(was, line),
                None => {
                    let mut text = "+ ".to_owned();
                    line.write(&mut text, ViewOptions::default());
                    difference.added.push(text);
                }
            }
        }
        for line in before
            .lines
            .iter()
            .filter(|line| !new.contains_key(&line.number))
        {
            let text = format!("- {} {}", line.id(), line.name());
            difference.removed.push(text);
        }
        if before.app != now.app {
            difference.screen_edits.push(format!("now {}", now.app));
        }
        if before.keyboard != now.keyboard {
            let display = if now.keyboard { "shown" } else { "hidden" };
            difference.screen_edits.push(format!("keyboard {display}"));
        }
        difference
    }

    /// Compares two looks at one element, and adds its change. One that only moved is counted, not told.
    fn compare(&mut self, was: &Line, now: &Line) {
        let mut edits = Vec::new();
        let named = [
            ("desc", &was.desc, &now.desc),
            ("hint", &was.hint, &now.hint),
        ];
        for (name, old, new) in named {
            // A value that the words repeat is left out, as their change shows it.
            if old != new && !(was.repeats(old) && now.repeats(new)) {
                edits.push(format!("{name} {}", arrow(old, new)));
            }
        }
        edits.extend(flag_edits(&was.flags, &now.flags));
        let words = word_edit(&was.words, &now.words);
        if words.is_none() && edits.is_empty() {
            // Counted, not listed: a scroll moves all elements.
            self.moved += usize::from(was.bounds != now.bounds);
            return;
        }
        // The old words identify the element; if they did not change, its name does.
        let mut text = format!("~ {} ", now.id());
        match words {
            Some(words) => {
                let _ = write!(text, "{} {words}", now.class);
                for edit in edits {
                    let _ = write!(text, ", {edit}");
                }
            }
            None => {
                let _ = write!(text, "{}: {}", now.name(), edits.join(", "));
            }
        }
        self.changed.push(text);
    }

    /// Formats the differences: a line with `title` and the counts, then one line for each changed, added and
    /// removed element, in this order. Moved elements are only counted. Without differences, the line says
    /// that nothing changed.
    pub(super) fn write(&self, title: &str) -> String {
        let mut counts: Vec<String> = [
            (self.changed.len(), "changed"),
            (self.added.len(), "added"),
            (self.removed.len(), "removed"),
            (self.moved, "moved"),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
        counts.extend(self.screen_edits.iter().cloned());
        if counts.is_empty() {
            counts.push("nothing changed".to_owned());
        }
        let mut out = format!("{title}: {}", counts.join(", "));
        for line in self.changed.iter().chain(&self.added).chain(&self.removed) {
            let _ = write!(out, "\n{line}");
        }
        out
    }
}

/// Puts both texts in quotes, with an arrow between. Each is marked to be cut at its limit, with the number of the
/// characters left out.
fn arrow(was: &str, now: &str) -> String {
    format!(
        "{} → {}",
        quoted(was, MAX_OLD_CHARS),
        quoted(now, MAX_NEW_CHARS)
    )
}

/// Describes the change of an element's words. `None` if they are equal. If their number is the same, only those that
/// differ, in pairs; else all old and all new ones. Long words are marked to be cut.
fn word_edit(was: &[String], now: &[String]) -> Option<String> {
    if was == now {
        return None;
    }
    if was.len() == now.len() {
        let edits: Vec<String> = was
            .iter()
            .zip(now)
            .filter(|(was, now)| was != now)
            .map(|(was, now)| arrow(was, now))
            .collect();
        return Some(edits.join(" "));
    }
    let all = |words: &[String], limit: usize| match words {
        [] => "\"\"".to_owned(),
        words => words
            .iter()
            .map(|word| quoted(word, limit))
            .collect::<Vec<_>>()
            .join(" "),
    };
    Some(format!(
        "{} → {}",
        all(was, MAX_OLD_CHARS),
        all(now, MAX_NEW_CHARS)
    ))
}

/// Describes states that were cleared, as `no longer focused`, then those that were set, as `focused`;
/// each in the order of its list. `checked` and `unchecked` are one change, `checked → unchecked` or
/// the reverse, in the place of the cleared one. `disabled`, if cleared, is `disabled → enabled`. Equal
/// lists give none.
fn flag_edits(was: &[&'static str], now: &[&'static str]) -> Vec<String> {
    let lost = was.iter().filter(|flag| !now.contains(flag));
    let gained = now.iter().filter(|flag| !was.contains(flag));
    let mut edits = Vec::new();
    for flag in lost {
        match *flag {
            "checked" if now.contains(&"unchecked") => edits.push("checked → unchecked".to_owned()),
            "unchecked" if now.contains(&"checked") => edits.push("unchecked → checked".to_owned()),
            "disabled" => edits.push("disabled → enabled".to_owned()),
            flag => edits.push(format!("no longer {flag}")),
        }
    }
    for flag in gained {
        let reported = (*flag == "checked" && was.contains(&"unchecked"))
            || (*flag == "unchecked" && was.contains(&"checked"));
        if !reported {
            edits.push((*flag).to_owned());
        }
    }
    edits
}
