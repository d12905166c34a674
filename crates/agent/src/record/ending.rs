//! Finds the assertion for the end of a recording: something that the last act changed.

use std::collections::BTreeSet;

use serde_json::json;

use super::act::Act;
use super::arrival::words;
use super::assertion::Assertion;
use super::landmark::{distinguishing_selector, is_visible, says_something};
use runner_screen::{Screen, Selector};

/// Words kept of a recording's screens. Chosen: hundreds of screens fit; beyond it, the end may assert words
/// that an earlier screen had.
const MAX_SEEN_WORDS: usize = 10_000;

/// Words of the screens on which something was done.
#[derive(Debug, Default)]
pub(super) struct SeenWords(BTreeSet<String>);

impl SeenWords {
    /// Adds the words of a screen. Beyond 10,000 words, new ones are dropped.
    pub(super) fn add(&mut self, screen: &Screen) {
        for word in words(screen) {
            if self.0.len() < MAX_SEEN_WORDS && !self.0.contains(word) {
                self.0.insert(word.to_owned());
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Returns an assertion on what the last act changed between `before` and `last`: new words, else a changed
/// state, else words that are gone. Without `before` it asserts words of the last screen, whether or not they
/// are new. `None` if there is nothing that a flow could assert.
pub(super) fn ending(last: &Screen, before: Option<&Screen>, seen: &SeenWords) -> Option<Act> {
    let Some(before) = before else {
        return distinguishing_selector(last, None).map(visible);
    };
    arrived(last, before, seen)
        .map(visible)
        .or_else(|| changed(last, before))
        .or_else(|| gone(last, before))
}

fn visible(on: Selector) -> Act {
    Act::Expect { on, visible: true }
}

/// Returns a selector for new words, which `before` did not show. It prefers those that no screen of the recording had,
/// because the title of a screen to which the app returned says less than an added row; then it prefers a text over a
/// button, then the first. `None` if there are no new words.
fn arrived(last: &Screen, before: &Screen, seen: &SeenWords) -> Option<Selector> {
    let mut best: Option<((bool, bool), Selector)> = None;
    for node in last.nodes().filter(|node| says_something(*node, last)) {
        let Some(on) = Selector::by_words(last, node.index()) else {
            continue;
        };
        if is_visible(&on, before) {
            continue;
        }
        let is_new = [node.text(), node.desc()]
            .into_iter()
            .all(|words| !seen.0.contains(words.trim()));
        let rank = (is_new, !node.flags().clickable);
        if best.as_ref().is_none_or(|(top, _)| rank > *top) {
            best = Some((rank, on));
        }
    }
    best.map(|(_, on)| on)
}

/// Returns an assertion on a state that changed, of the first element that both screens have: `checked`, else
/// `selected`, else `enabled`. Text fields do not count, nor elements with several matches before.
fn changed(last: &Screen, before: &Screen) -> Option<Act> {
    last.nodes()
        .filter(|node| node.is_on_screen() && !node.is_editable())
        .find_map(|node| {
            let on = Selector::stable(last, node.index())?;
            let matches = on.find(before);
            let [was] = matches.as_slice() else {
                return None;
            };
            let (was, is) = (before.node(*was).flags(), node.flags());
            let states = [
                ("checked", was.checked, is.checked),
                ("selected", was.selected, is.selected),
                ("enabled", was.enabled, is.enabled),
            ];
            let (name, _, value) = states.into_iter().find(|(_, was, is)| was != is)?;
            Some(Assertion::State(on, vec![(name, json!(value))]).into_act())
        })
}

/// Returns an assertion that the first words of the earlier screen that are gone are not visible. `None` if
/// all are still there, or if another activity is in front now.
fn gone(last: &Screen, before: &Screen) -> Option<Act> {
    if last.foreground() != before.foreground() {
        return None;
    }
    before
        .nodes()
        .filter(|node| says_something(*node, before))
        .filter_map(|node| Selector::by_words(before, node.index()))
        .find(|on| !is_visible(on, last))
        .map(|on| Act::Expect { on, visible: false })
}
