//! What helps where no element matches: the nearest misses, whether the screen scrolls, what can be clicked.

use std::sync::Arc;

use super::act::{click_target, visible_part};
use super::error::EngineError;
use super::wait::describe;
use crate::screen::{Node, Screen, Selector};

/// How many of those that can be clicked are named.
const CLICKABLE: usize = 12;

/// Longer selectors are no help to read.
const LONGEST: usize = 48;

/// A screen on which nothing matches `selector`.
pub(super) fn not_found(selector: &Selector, screen: Option<Arc<Screen>>) -> EngineError {
    let misses = misses(selector, screen.as_deref());
    let hints = screen
        .as_deref()
        .map(|screen| hints(selector, screen, misses.is_empty()));
    EngineError::NotFound {
        selector: selector.to_string(),
        misses,
        hints: hints.unwrap_or_default(),
        screen,
    }
}

/// The nearest misses as lines.
pub(super) fn misses(selector: &Selector, screen: Option<&Screen>) -> Vec<String> {
    screen.map_or_else(Vec::new, |screen| {
        selector
            .near_misses(screen, 3)
            .into_iter()
            .map(|miss| {
                format!(
                    "{}: {}; write {}",
                    describe(screen.node(miss.node)),
                    miss.why,
                    miss.write
                )
            })
            .collect()
    })
}

fn hints(selector: &Selector, screen: &Screen, nothing_near: bool) -> Vec<String> {
    let mut hints = Vec::new();
    if let Some(container) = scrolling(screen) {
        let id = container.resource_id();
        let short = id.split_once('/').map_or(id, |(_, name)| name);
        let name = if short.is_empty() {
            container.short_class().to_owned()
        } else {
            format!("{}#{short}", container.short_class())
        };
        hints.push(format!(
            "{name} scrolls: what is not shown yet is reached with `scroll_to: {selector}` before this step"
        ));
    }
    if nothing_near {
        let names = clickable(screen);
        if !names.is_empty() {
            hints.push(format!("can be clicked here: {}", names.join(" | ")));
        }
    }
    hints
}

/// The largest that scrolls.
fn scrolling(screen: &Screen) -> Option<Node<'_>> {
    let area = |node: &Node<'_>| visible_part(*node).map(|part| part.area());
    screen
        .nodes()
        .filter(|node| node.flags().scrollable && area(node).is_some())
        .max_by_key(area)
}

/// Selectors of what takes a click, in the order of the screen: by its own name, else by a text inside it.
fn clickable(screen: &Screen) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut more = 0;
    for node in screen.nodes() {
        // `back` and `home` are known.
        if node.package() == "com.android.systemui" {
            continue;
        }
        if !node.flags().clickable || !node.flags().enabled || visible_part(node).is_none() {
            continue;
        }
        let own = Selector::by_itself(screen, node.index());
        let inner = || {
            node.descendants()
                .filter(|inner| click_target(*inner).index() == node.index())
                .find_map(|inner| Selector::by_words(screen, inner.index()))
        };
        let words = Selector::by_words(screen, node.index());
        let Some(name) = words.or_else(inner).or(own).map(|name| name.to_string()) else {
            continue;
        };
        if name.chars().count() > LONGEST || names.contains(&name) {
            continue;
        }
        if names.len() == CLICKABLE {
            more += 1;
            continue;
        }
        names.push(name);
    }
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    names
}
