//! Finds the element that an id of an earlier look names, or refuses where it may be another that looks the same.
//!
//! Of two equal rows a scroll may have taken one away and brought the other. What tells them apart is how far the
//! content around them moved. Acts that follow their own element use [`super::history::find_again`].

use std::collections::HashMap;

use super::history::find_again;
use runner_screen::{Node, NodeIndex, Rect, Screen};

/// Result of looking for an element of an earlier look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Identity {
    Found(NodeIndex),
    /// There is what looks the same, and nothing tells that it is the element.
    Unclear,
    Gone,
}

/// Movement of what scrolls, from one look to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Movement {
    /// All words around moved by this many pixels, to the right and down; zero at rest.
    By(i32, i32),
    /// None of the words around is left in its size.
    Replaced,
    /// There are no words to tell it, they moved differently, or the display was turned.
    Unknown,
}

/// Finds `old`, a node of an earlier look, on `screen`. Where nothing scrolled, the id decides, which stands for a
/// place; in content that scrolled, the element moved along. Where the movement is not known, it must have no twin, or
/// all twins must be in their places.
pub(super) fn identify(old: Node<'_>, screen: &Screen) -> Identity {
    let movement = movement_around(old, screen);
    let is_at_rest = matches!(movement, None | Some(Movement::By(0, 0)));
    if is_at_rest && let Some(node) = screen.node_by_id(&old.id()) {
        return Identity::Found(node.index());
    }
    let (before, now) = (alike(old, old.screen()), alike(old, screen));
    if let Some(index) = moved_along(old, screen, movement, &now) {
        return Identity::Found(index);
    }
    match (now.as_slice(), movement) {
        // What is at its place by now is another.
        ([], Some(Movement::By(..) | Movement::Replaced)) => Identity::Gone,
        ([only], _) if before.len() == 1 => {
            let is_stray = is_stray(old, screen.node(*only), movement);
            let is_clear = !is_stray && movement != Some(Movement::Replaced);
            match (is_told(old), is_clear) {
                (true, true) => Identity::Found(*only),
                (true, false) => Identity::Unclear,
                (false, _) => Identity::Gone,
            }
        }
        ([], _) => find_again(old, screen).map_or(Identity::Gone, Identity::Found),
        (_, None) if before.len() == now.len() => {
            find_again(old, screen).map_or(Identity::Unclear, Identity::Found)
        }
        (_, Some(Movement::Unknown)) => in_place(old, screen, &before, &now),
        _ => Identity::Unclear,
    }
}

/// Finds `old` on a screen to which a search for it scrolled, as [`identify`] does. One without twins also counts where
/// none of the words around it is left: they may be just beyond the edge.
pub(super) fn reach(old: Node<'_>, screen: &Screen) -> Option<NodeIndex> {
    match identify(old, screen) {
        Identity::Found(index) => Some(index),
        Identity::Gone => None,
        Identity::Unclear => {
            let (before, now) = (alike(old, old.screen()), alike(old, screen));
            let is_replaced = movement_around(old, screen) == Some(Movement::Replaced);
            match (before.as_slice(), now.as_slice()) {
                ([_], [only]) if is_replaced => Some(*only),
                _ => None,
            }
        }
    }
}

/// Finds `old` on `screen` only by the movement of the content around it. [`Identity::Unclear`] if that does not tell,
/// and it has or had twins.
pub(super) fn follow(old: Node<'_>, screen: &Screen) -> Identity {
    let (before, now) = (alike(old, old.screen()), alike(old, screen));
    match moved_along(old, screen, movement_around(old, screen), &now) {
        Some(index) => Identity::Found(index),
        None if now.is_empty() || before.len() + now.len() < 3 => Identity::Gone,
        None => Identity::Unclear,
    }
}

/// Returns true if the content around `old` moved, and `found` neither moved along nor stayed. Of content at rest, a
/// part may move by itself.
pub(super) fn has_strayed(old: Node<'_>, found: Node<'_>) -> bool {
    is_stray(old, found, movement_around(old, found.screen()))
}

fn is_stray(old: Node<'_>, found: Node<'_>, movement: Option<Movement>) -> bool {
    let Some(Movement::By(right, down)) = movement else {
        return false;
    };
    let (from, to) = (old.bounds(), found.bounds());
    let has_scrolled = (right, down) != (0, 0);
    // A header may stay while its list scrolls.
    has_scrolled && from != to && !is_moved(from, to, right, down)
}

/// Returns the only one of `now`, nodes of `screen`, that moved as the content did. `None` if the movement is not
/// known.
fn moved_along(
    old: Node<'_>,
    screen: &Screen,
    movement: Option<Movement>,
    now: &[NodeIndex],
) -> Option<NodeIndex> {
    let Some(Movement::By(right, down)) = movement else {
        return None;
    };
    let is_there = |index: &NodeIndex| {
        let to = screen.node(*index).bounds();
        is_moved(old.bounds(), to, right, down)
    };
    let mut there = now.iter().copied().filter(is_there);
    let first = there.next();
    first.filter(|_| there.next().is_none())
}

/// Returns true if the top left or the bottom right corner moved that far; the other may be cut off.
fn is_moved(from: Rect, to: Rect, right: i32, down: i32) -> bool {
    let is_start = to.left - from.left == right && to.top - from.top == down;
    let is_end = to.right - from.right == right && to.bottom - from.bottom == down;
    is_start || is_end
}

/// Finds `old` among its twins `now` if these are where its twins `before` were, else it is unclear.
fn in_place(old: Node<'_>, screen: &Screen, before: &[NodeIndex], now: &[NodeIndex]) -> Identity {
    let places = before
        .iter()
        .map(|index| old.screen().node(*index).bounds());
    if !places.eq(now.iter().map(|index| screen.node(*index).bounds())) {
        return Identity::Unclear;
    }
    let at = before.iter().position(|index| *index == old.index());
    at.map_or(Identity::Unclear, |at| Identity::Found(now[at]))
}

/// Returns true if more than its class and place tells the node: an id, words, or that it takes text.
fn is_told(node: Node<'_>) -> bool {
    !node.resource_id().is_empty() || node.is_editable() || words(node).next().is_some()
}

/// Returns the nodes of `screen` that look like `old`: with its class, id and words, and the words in it. What is typed
/// into fields does not count.
fn alike(old: Node<'_>, screen: &Screen) -> Vec<NodeIndex> {
    let is_alike = |node: &Node<'_>| {
        let is_kind = node.class() == old.class() && node.resource_id() == old.resource_id();
        is_kind && (old.is_editable() || words(old).eq(words(*node)))
    };
    let found = screen.nodes().filter(is_alike);
    found.map(Node::index).collect()
}

/// Returns the words of a node and of those in it, other than fields.
fn words(node: Node<'_>) -> impl Iterator<Item = (&str, &str)> {
    let all = std::iter::once(node).chain(node.descendants());
    let all = all.filter(|node| !node.is_editable());
    all.map(|node| (node.text(), node.desc()))
        .filter(|(text, desc)| !text.is_empty() || !desc.is_empty())
}

/// Returns the movement of the content of the nearest container that scrolls, by words that occur once on each screen
/// and are not the node's own. `None` if the node is in no such container.
fn movement_around(old: Node<'_>, screen: &Screen) -> Option<Movement> {
    let container = old.ancestors().find(|node| node.scrolls())?;
    if old.screen().display() != screen.display() {
        return Some(Movement::Unknown);
    }
    let now = unique_words(screen);
    let mut movement = None;
    let mut has_words = false;
    for (words, before) in unique_words(old.screen()) {
        let is_around = |node: &Node<'_>| {
            container.holds(*node) && node.index() != old.index() && !old.holds(*node)
        };
        let Some(before) = before.filter(is_around) else {
            continue;
        };
        has_words = true;
        let Some(after) = now.get(&words).copied().flatten() else {
            continue;
        };
        let (from, to) = (before.bounds(), after.bounds());
        // What is cut off at an edge has another size.
        if (from.width(), from.height()) != (to.width(), to.height()) {
            continue;
        }
        let moved = Movement::By(to.left - from.left, to.top - from.top);
        match movement {
            None => movement = Some(moved),
            Some(other) if other == moved => {}
            Some(_) => return Some(Movement::Unknown),
        }
    }
    let without = if has_words {
        Movement::Replaced
    } else {
        Movement::Unknown
    };
    Some(movement.unwrap_or(without))
}

/// Class, id, text and description.
type Words<'a> = [&'a str; 4];

/// Returns the nodes with words, by these; `None` for words that several nodes have.
fn unique_words(screen: &Screen) -> HashMap<Words<'_>, Option<Node<'_>>> {
    let mut unique = HashMap::new();
    for node in screen.nodes() {
        let (text, desc) = (node.text(), node.desc());
        if (text.is_empty() && desc.is_empty()) || node.is_editable() {
            continue;
        }
        let words = [node.class(), node.resource_id(), text, desc];
        unique
            .entry(words)
            .and_modify(|only| *only = None)
            .or_insert(Some(node));
    }
    unique
}
