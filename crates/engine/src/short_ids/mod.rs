//! Short ids such as `@e12` for elements that an agent was shown.
//!
//! A number stays with its element as long as that can be found again, and is never given to another: what
//! scrolled into an element's place gets a new number. The form is unique: node ids begin with `node_`,
//! control ids are digits, semantic ids have no `@`. Numbers outlive a lost device; whether their elements
//! still exist is checked as after any other change.

#[cfg(test)]
mod tests;
mod traits;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use traits::{Candidate, Traits, candidates};

use super::elements::Elements;
use runner_screen::{Node, NodeIndex, Screen};
use runner_text::secret::Excerpt;

/// Formats a number as an id.
pub fn written(number: u32) -> String {
    format!("@e{number}")
}

/// Parses a short id. `None` for any other text.
pub fn number(id: &str) -> Option<u32> {
    let digits = id.strip_prefix("@e")?;
    let number = digits.parse().ok()?;
    // `@e012` and `@e+12` would parse too, but were never given out.
    (written(number) == id).then_some(number)
}

/// Short ids of a session.
#[derive(Debug, Default)]
pub struct ShortIds {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    /// Elements by number; the first has number 1.
    known: Vec<NumberedElement>,
    by_place: HashMap<String, BTreeSet<u32>>,
    by_looks: HashMap<u64, BTreeSet<u32>>,
    /// Numbers by appearance and surrounding words, for elements whose appearance is unique among those
    /// words.
    by_context: HashMap<(u64, u64), BTreeSet<u32>>,
    /// Number of looks that gave out ids.
    looks: u64,
}

/// An element with a number, as it was when last shown.
#[derive(Debug)]
struct NumberedElement {
    last: Candidate,
    /// Number of the look on which it was last shown.
    look: u64,
    /// Description for people.
    called: String,
}

impl ShortIds {
    /// Returns the numbers of nodes on a look that is shown to an agent. Elements found again keep their numbers;
    /// others get new ones. Nodes that may have no number are left out of the result.
    pub fn show(&self, screen: &Screen, nodes: &[NodeIndex]) -> Vec<u32> {
        let elements = Elements::new(screen);
        let mut table = self.table();
        let candidates = candidates(screen);
        let matched = table.matches(&candidates);
        table.looks += 1;
        let places: HashMap<NodeIndex, usize> = candidates
            .iter()
            .enumerate()
            .map(|(place, candidate)| (candidate.node, place))
            .collect();
        nodes
            .iter()
            .filter_map(|node| places.get(node))
            .map(|place| {
                let candidate = candidates[*place].clone();
                let called = called(screen.node(candidate.node), &elements);
                table.keep(matched[*place], candidate, called)
            })
            .collect()
    }

    /// Finds the element with this number on `screen`, without giving out numbers. `None` for a number that was
    /// never given, and if the element is not there.
    pub(super) fn find(&self, number: u32, screen: &Screen) -> Option<NodeIndex> {
        let table = self.table();
        table.known(number)?;
        // All candidates are matched, as a surer criterion may give this element's candidate to another number.
        let candidates = candidates(screen);
        let matched = table.matches(&candidates);
        let place = matched.iter().position(|found| *found == Some(number))?;
        Some(candidates[place].node)
    }

    /// Returns the node id of the element when it was last shown.
    pub(super) fn node_id(&self, number: u32) -> Option<String> {
        let table = self.table();
        Some(table.known(number)?.last.traits.place.clone())
    }

    /// Returns the description of the element when it was last shown, such as `Button "Save"`.
    pub fn called(&self, number: u32) -> Option<String> {
        let table = self.table();
        Some(table.known(number)?.called.clone())
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn known(&self, number: u32) -> Option<&NumberedElement> {
        self.known.get((number as usize).checked_sub(1)?)
    }

    /// Notes an element under its number, or under the next free one, as it looks now. Returns the number.
    fn keep(&mut self, number: Option<u32>, last: Candidate, called: String) -> u32 {
        let number = number.unwrap_or(self.known.len() as u32 + 1);
        index(&mut self.by_place, last.traits.place.clone(), number);
        index(&mut self.by_looks, last.traits.looks, number);
        if last.alone_in_context {
            let key = (last.traits.looks, last.traits.context);
            index(&mut self.by_context, key, number);
        }
        let known = NumberedElement {
            last,
            look: self.looks,
            called,
        };
        match self.known.get_mut(number as usize - 1) {
            Some(place) => *place = known,
            None => self.known.push(known),
        }
        number
    }

    /// Finds the number of each candidate, `None` for a new one. Surer criteria are tried first on all candidates;
    /// each number is given once.
    fn matches(&self, candidates: &[Candidate]) -> Vec<Option<u32>> {
        let mut matching = Matcher {
            table: self,
            candidates,
            found: vec![None; candidates.len()],
            used_ids: HashSet::new(),
        };
        let rested = matching.rested();
        let is_at_rest = |new: &Candidate| {
            let scroller = new.traits.scroller.as_deref();
            scroller.is_none_or(|scroller| rested.contains(scroller))
        };
        // Nothing moved: this is tried first, so that no later pass gives the number away. In what scrolled, another
        // that looks the same may be at the place.
        matching.pass(
            |new| self.at_place(new),
            |known, new| {
                known.last.traits.place == new.traits.place
                    && looks_like(known, new)
                    && (is_alone(known, new) || is_at_rest(new))
            },
        );
        // It moved: only what cannot be taken for another element is followed.
        matching.pass(
            |new| self.lookalikes(new),
            |known, new| {
                (new.traits.worded || new.traits.named)
                    && looks_like(known, new)
                    && is_alone(known, new)
            },
        );
        // Its words changed. In what scrolled, the same place may hold another row by now.
        matching.pass(
            |new| self.at_place(new),
            |known, new| {
                known.look == self.looks
                    && known.last.traits.place == new.traits.place
                    && known.last.traits.kind == new.traits.kind
                    && (is_only_of_kind(known, new) || is_at_rest(new))
            },
        );
        // Words and place changed: what is left is that nothing else is of its kind.
        let last = self.last_of_kind();
        let same_in_kind = |new: &Candidate| last.get(&kind_and_index(new)).into_iter().flatten();
        matching.pass(same_in_kind, |known, new| {
            known.look == self.looks
                && ((new.traits.named && is_only_of_kind(known, new))
                    || (new.traits.editable
                        && known.last.of_kind == new.of_kind
                        && known.last.nth_of_kind == new.nth_of_kind))
        });
        matching.found
    }

    // The elements that a candidate could be. On a screen of thousands that look alike, each must be one of few.

    /// Returns the numbers of elements that were at the candidate's place.
    fn at_place<'t>(&'t self, new: &Candidate) -> impl Iterator<Item = &'t u32> + use<'t> {
        self.by_place.get(&new.traits.place).into_iter().flatten()
    }

    /// Returns the numbers of elements that look like the candidate, if both were unambiguous on their
    /// screens.
    fn lookalikes<'t>(&'t self, new: &Candidate) -> impl Iterator<Item = &'t u32> + use<'t> {
        let Traits { looks, context, .. } = &new.traits;
        let only = (new.similar_count == 1).then(|| self.by_looks.get(looks));
        let there = (new.similar_count > 1 && new.alone_in_context)
            .then(|| self.by_context.get(&(*looks, *context)));
        only.or(there).flatten().into_iter().flatten()
    }

    /// Groups the numbers of the last look by kind and index within the kind.
    fn last_of_kind(&self) -> HashMap<(u64, u32), Vec<u32>> {
        let mut last: HashMap<_, Vec<u32>> = HashMap::new();
        let known = (1..).zip(&self.known);
        for (number, known) in known.filter(|(_, known)| known.look == self.looks) {
            last.entry(kind_and_index(&known.last))
                .or_default()
                .push(number);
        }
        last
    }
}

/// Returns the kind and the index among elements of that kind, from 1.
fn kind_and_index(candidate: &Candidate) -> (u64, u32) {
    (candidate.traits.kind, candidate.nth_of_kind)
}

struct Matcher<'a> {
    table: &'a Table,
    candidates: &'a [Candidate],
    found: Vec<Option<u32>>,
    used_ids: HashSet<u32>,
}

impl Matcher<'_> {
    /// Gives each candidate without a number the newest unused one for which `is_same` holds.
    fn pass<'p, I: Iterator<Item = &'p u32>>(
        &mut self,
        pool: impl Fn(&Candidate) -> I,
        is_same: impl Fn(&NumberedElement, &Candidate) -> bool,
    ) {
        for (found, new) in self.found.iter_mut().zip(self.candidates) {
            if found.is_some() {
                continue;
            }
            let newest = pool(new)
                .copied()
                .filter(|number| !self.used_ids.contains(number))
                .filter_map(|number| Some((number, self.table.known(number)?)))
                .filter(|(_, known)| same_activity(known, new) && is_same(known, new))
                .max_by_key(|(_, known)| known.look);
            if let Some((number, _)) = newest {
                self.used_ids.insert(number);
                *found = Some(number);
            }
        }
    }

    /// Returns node ids of containers that did not scroll: at least half of the elements with unique words in them are
    /// at the same places, one aside. Containers without unique words are judged by all elements.
    fn rested(&self) -> HashSet<String> {
        let places: HashMap<&str, &Candidate> = self
            .candidates
            .iter()
            .map(|new| (new.traits.place.as_str(), new))
            .collect();
        let mut telling: HashMap<&str, RetainedElements> = HashMap::new();
        let mut others: HashMap<&str, RetainedElements> = HashMap::new();
        for known in &self.table.known {
            let old = &known.last;
            let Some(scroller) = old.traits.scroller.as_deref() else {
                continue;
            };
            if known.look != self.table.looks {
                continue;
            }
            let tells = old.similar_count == 1 && old.traits.worded;
            let stored = if tells { &mut telling } else { &mut others }
                .entry(scroller)
                .or_default();
            stored.of += 1;
            let is_there = places
                .get(old.traits.place.as_str())
                .is_some_and(|new| new.traits.looks == old.traits.looks);
            stored.there += usize::from(is_there);
        }
        for (scroller, retained) in others {
            telling.entry(scroller).or_insert(retained);
        }
        telling
            .into_iter()
            // Tolerates one changed element.
            .filter(|(_, kept)| kept.there * 2 >= kept.of.saturating_sub(1))
            .map(|(scroller, _)| scroller.to_owned())
            .collect()
    }
}

/// Number of elements of a container, and of those still at the same place.
#[derive(Debug, Default)]
struct RetainedElements {
    of: usize,
    there: usize,
}

/// Returns false if the activities differ. Screens without a reported activity may be the same.
fn same_activity(known: &NumberedElement, new: &Candidate) -> bool {
    match (&known.last.traits.activity, &new.traits.activity) {
        (Some(old), Some(new)) => old == new,
        _ => true,
    }
}

/// Compares kind and words; if several elements share them, also the surrounding words.
fn looks_like(known: &NumberedElement, new: &Candidate) -> bool {
    let old = &known.last;
    old.traits.looks == new.traits.looks
        && (old.traits.context == new.traits.context
            || (old.similar_count == 1 && new.similar_count == 1))
}

/// Returns true if neither screen has another element that could be confused with it.
fn is_alone(known: &NumberedElement, new: &Candidate) -> bool {
    let old = &known.last;
    (old.similar_count == 1 && new.similar_count == 1)
        || (old.alone_in_context && new.alone_in_context)
}

fn is_only_of_kind(known: &NumberedElement, new: &Candidate) -> bool {
    new.traits.named && known.last.of_kind == 1 && new.of_kind == 1
}

fn index<K: std::hash::Hash + Eq>(map: &mut HashMap<K, BTreeSet<u32>>, key: K, number: u32) {
    map.entry(key).or_default().insert(number);
}

/// Describes an element for people: `Button "Save"`, `EditText#username`.
fn called(node: Node<'_>, elements: &Elements<'_>) -> String {
    // Chosen: enough to recognize an element in a line of a message.
    const MAX_NAME_CHARS: usize = 60;
    // A field is not called after what was typed into it.
    let text = if node.is_editable() { "" } else { node.text() };
    let parts = elements
        .parts(node.index())
        .flat_map(|part| [part.text(), part.desc()]);
    let name = [text, node.desc(), node.hint()]
        .into_iter()
        .chain(parts)
        .map(str::trim)
        .find(|name| !name.is_empty());
    let class = match node.short_class() {
        "" => "element",
        class => class,
    };
    match name {
        Some(name) => {
            let name = Excerpt::new(name, MAX_NAME_CHARS).in_quotes();
            format!("{class} {name}")
        }
        None => match node.resource_name() {
            "" => class.to_owned(),
            id => format!("{class}#{id}"),
        },
    }
}
