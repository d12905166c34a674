//! Waits that a flow needs: steps wait for their element themselves, but a key, a scroll or a place is touched at once.

use std::collections::BTreeSet;

use super::act::Act;
use super::finish::distinguishing;
use runner_screen::{Node, Screen, Selector};

/// Of the words of two screens so many percent are the same at least, where they are one screen.
const SAME_PERCENT: usize = 50;

/// What a step has to wait for before this act, which waits for nothing itself: what tells the screen on which it was done from
/// the one on which the last act was done. `None` where that is the same screen.
pub(super) fn awaited(act: &Act, last: &Screen, now: &Screen) -> Option<Selector> {
    if act.waits() || is_same(last, now) {
        return None;
    }
    distinguishing(now, Some(last))
}

/// Whether two looks show one screen of an app, perhaps changed in part.
fn is_same(a: &Screen, b: &Screen) -> bool {
    if a.foreground() != b.foreground() {
        return false;
    }
    let (a, b) = (words(a), words(b));
    let shared = a.intersection(&b).count();
    shared * 100 >= a.len().max(b.len()) * SAME_PERCENT
}

/// Returns what is written on the screen of the app.
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
