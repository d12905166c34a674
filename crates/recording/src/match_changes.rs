//! Finds steps that matched another element than in an earlier attempt, though that element is still on the
//! screen.

use std::collections::HashMap;
use std::fmt;

use super::element::{MAX_SHOWN_CHARS, quoted_words};
use super::format::FilePosition;
use super::recording::{FoundElement, RecordedStep, Recording};
use runner_screen::identity::{Identity, find_again};
use runner_screen::{Node, NodeIndex, Screen};
use runner_text::secret::Excerpt;

/// Notes of one attempt. Chosen: a list whose order changed would give one note a step.
const MAX_NOTES: usize = 5;

/// Step that matched another element than in an earlier attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchChange {
    /// The step as written.
    pub title: String,
    /// Place of the step in its file.
    pub at: FilePosition,
    /// Description of the element that the step matched now.
    pub now: String,
    /// Description of the element that it matched in the earlier attempt.
    pub before: String,
}

/// Returns the steps that matched another element in `now` than in `before`, the first five, in order. Steps are the
/// same by path and title. Only those that passed, or failed and were optional, in both count; of a repeated step in
/// `before` the last time. A step counts only if the element of `before` is certainly still on the new screen: one
/// that changed its text or is gone does not count. Steps without a match, or whose screen cannot be parsed, are left
/// out.
pub fn match_changes(now: &Recording, before: &Recording) -> Vec<MatchChange> {
    let mut earlier: HashMap<_, &RecordedStep> = HashMap::new();
    for step in before.steps.iter().filter(|step| step.passed()) {
        earlier.insert((&step.path, step.title.as_str()), step);
    }
    let (mut screens, mut old_screens) = (Screens::new(now), Screens::new(before));
    let mut others = Vec::new();
    for step in now.steps.iter().filter(|step| step.passed()) {
        let old = earlier.get(&(&step.path, step.title.as_str()));
        let found = step.found.zip(old.and_then(|old| old.found));
        let other = found.and_then(|(found, old_found)| {
            let screen = screens.get(found)?;
            let old_screen = old_screens.get(old_found)?;
            match_change(step, node(screen, found)?, node(old_screen, old_found)?)
        });
        others.extend(other);
        if others.len() == MAX_NOTES {
            break;
        }
    }
    others
}

/// Returns the change if the selector now finds another element than before. `None` if both have the same id, text,
/// description and class, if the earlier element is not surely found on the new screen, or if one holds the other
/// there.
fn match_change(step: &RecordedStep, now: Node<'_>, before: Node<'_>) -> Option<MatchChange> {
    if words(now) == words(before) {
        return None;
    }
    let Identity::Found(again) = find_again(before, now.screen()) else {
        return None;
    };
    let again = now.screen().node(again.node);
    // A row and the words in it are one element to a person.
    let is_same = again.index() == now.index() || again.holds(now) || now.holds(again);
    (!is_same).then(|| MatchChange {
        title: step.title.clone(),
        at: step.at.clone(),
        now: describe(now),
        before: describe(before),
    })
}

/// Returns what tells an element from others: resource id, text, description and class.
fn words(node: Node<'_>) -> [&str; 4] {
    [node.resource_id(), node.text(), node.desc(), node.class()]
}

fn node(screen: &Screen, found: FoundElement) -> Option<Node<'_>> {
    let NodeIndex(index) = found.node;
    ((index as usize) < screen.len()).then(|| screen.node(found.node))
}

/// Describes an element by its short class and its quoted words, such as `Button "OK"`; without words by its id, such
/// as `Button#ok`; without an id by class alone.
fn describe(node: Node<'_>) -> String {
    match quoted_words(node) {
        Some(words) => format!("{} {words}", node.short_class()),
        None if node.resource_name().is_empty() => node.short_class().to_owned(),
        None => format!("{}#{}", node.short_class(), node.resource_name()),
    }
}

/// Cache of the parsed screens of a recording: many steps share one.
struct Screens<'a> {
    recording: &'a Recording,
    read: HashMap<usize, Option<Screen>>,
}

impl<'a> Screens<'a> {
    /// Creates an empty cache. Nothing is parsed yet.
    fn new(recording: &'a Recording) -> Self {
        Self {
            recording,
            read: HashMap::new(),
        }
    }

    /// Returns the screen of the element's look, which is parsed once. `None` if there is no such look or it cannot
    /// be parsed.
    fn get(&mut self, found: FoundElement) -> Option<&Screen> {
        let read = self.read.entry(found.look).or_insert_with(|| {
            let look = self.recording.looks.get(found.look)?;
            look.screen().ok()
        });
        read.as_ref()
    }
}

impl fmt::Display for MatchChange {
    /// Formats the change as one line: the place, the title, and both elements.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FilePosition { file, line, column } = &self.at;
        let title = Excerpt::new(&self.title, MAX_SHOWN_CHARS);
        write!(
            f,
            "{file}:{line}:{column}: `{title}` matched {}; in the last run that passed it matched {}, which is still there",
            self.now, self.before
        )
    }
}
