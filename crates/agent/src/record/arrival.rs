//! Adds waits for another screen before acts that do not wait by themselves, such as keys, scrolls and
//! touches of a place.

use std::collections::BTreeSet;

use super::act::Act;
use super::landmark::distinguishing_selector;
use runner_screen::{Node, Screen, Selector};

/// Percent of the words of two looks that are the same if they show one screen. Chosen: a list that scrolled
/// still counts, a screen with only the same bars does not.
const MIN_SHARED_PERCENT: usize = 50;

/// Returns the element that a step must wait for before this act: words of the present screen, if possible such as the
/// last act's screen lacks. `None` if the act waits by itself, if the same activity is in front and half of the words
/// are still there, or if no words identify an element.
pub(super) fn selector_to_await(act: &Act, last: &Screen, now: &Screen) -> Option<Selector> {
    if act.waits() || is_same(last, now) {
        return None;
    }
    distinguishing_selector(now, Some(last))
}

/// Returns true if two looks show one screen of an app, perhaps changed in part: the same activity is in
/// front, and they share half of the words of the one that has more.
fn is_same(a: &Screen, b: &Screen) -> bool {
    if a.foreground() != b.foreground() {
        return false;
    }
    let (a, b) = (words(a), words(b));
    let shared = a.intersection(&b).count();
    shared * 100 >= a.len().max(b.len()) * MIN_SHARED_PERCENT
}

/// Returns the words of the elements of the app in front that are on the screen: each one's text, else its
/// description, trimmed. If the device reports no app, those of all windows.
pub(super) fn words(screen: &Screen) -> BTreeSet<&str> {
    let package = screen.foreground().map(|(package, _)| package);
    let is_app = |node: &Node<'_>| {
        node.is_on_screen() && package.is_none_or(|package| node.package() == package)
    };
    let words = screen.nodes().filter(is_app).filter_map(|node| {
        let mut both = [node.text().trim(), node.desc().trim()].into_iter();
        both.find(|words| !words.is_empty())
    });
    words.collect()
}
