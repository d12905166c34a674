//! Advice for selectors that match nothing: nearest misses, scrolling, and elements that can be clicked or
//! read.

use std::sync::Arc;

use super::act::click_target;
use super::error::EngineError;
use super::scroller::{main_scroller, name_of_container};
use super::wait::describe;
use runner_device::Direction;
use runner_screen::selector::Purpose;
use runner_screen::{Node, PartialScreen, Screen, Selector};

/// Limit for named clickable elements. Chosen: about what fits on a few lines.
const MAX_CLICKABLE: usize = 12;

/// Limit for named matches outside the screen. Chosen: they are alike, so more say nothing new.
const MAX_UNSEEN: usize = 3;

/// Limit for elements considered for a name. Chosen: each costs a search of the screen.
const MAX_CANDIDATES: usize = 200;

/// Limit for a suggested selector, in characters. Chosen: longer ones are hard to read in a list.
const MAX_SELECTOR_CHARS: usize = 48;

/// An element that nearly matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    /// Description of the element and the mismatch.
    pub why: String,
    /// Selector that finds the element, as YAML on one line.
    pub write: String,
    /// True if it differs in letter case only, so that it is surely the intended one.
    pub is_meant: bool,
}

impl std::fmt::Display for Miss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; write {}", self.why, self.write)
    }
}

/// Builds the error for a selector that matches nothing on the screen, with matches that are hidden, near
/// misses, and advice. The advice lists what can be clicked or read (by `purpose`) only if there is neither
/// of the former. Without a screen it has the selector only.
pub(super) fn not_found(
    selector: &Selector,
    screen: Option<Arc<Screen>>,
    purpose: Purpose,
) -> EngineError {
    let unseen = unseen(selector, screen.as_deref());
    let misses = misses(selector, screen.as_deref(), purpose);
    let is_near = !misses.is_empty() || !unseen.is_empty();
    let hints = screen
        .as_deref()
        .map(|screen| hints(selector, screen, &misses, is_near, purpose));
    EngineError::NotFound {
        selector: selector.to_string(),
        unseen,
        misses,
        hints: hints.unwrap_or_default(),
        screen,
    }
}

/// Describes matches that are in the dump but not on the screen, at most three, one line each with the
/// reason. Empty without a screen.
pub(super) fn unseen(selector: &Selector, screen: Option<&Screen>) -> Vec<String> {
    let Some(screen) = screen else {
        return Vec::new();
    };
    let unseen = selector
        .find_off_screen(screen)
        .into_iter()
        .take(MAX_UNSEEN);
    unseen
        .map(|(index, why)| {
            let element = describe(screen.node(index));
            format!("there, but not on the screen: {element}: {why}")
        })
        .collect()
}

/// Returns the nearest misses, at most three, best first, each with its element, the difference and the
/// selector to write. Empty without a screen.
pub(super) fn misses(selector: &Selector, screen: Option<&Screen>, purpose: Purpose) -> Vec<Miss> {
    screen.map_or_else(Vec::new, |screen| {
        selector
            .near_misses(screen, 3, purpose)
            .into_iter()
            .map(|miss| Miss {
                why: format!("{}: {}", describe(screen.node(miss.node)), miss.why),
                write: miss.write,
                is_meant: miss.is_meant,
            })
            .collect()
    })
}

fn hints(
    selector: &Selector,
    screen: &Screen,
    misses: &[Miss],
    is_near: bool,
    purpose: Purpose,
) -> Vec<String> {
    let mut hints = Vec::new();
    if let Err(why) = screen.as_whole()
        && why != PartialScreen::FrontUnknown
    {
        hints.push(format!("the look may lack it: {why}"));
    }
    let is_named = misses.iter().any(|miss| miss.is_meant);
    let scroller = |to| main_scroller(screen, to).map(|node| (node, to));
    if let Some((container, to)) = scroller(Direction::Down).or_else(|| scroller(Direction::Right))
        && !is_named
    {
        let step = match to {
            Direction::Down => selector.to_string(),
            _ => format!("{{ on: {selector}, direction: {} }}", to.word()),
        };
        let name = name_of_container(container);
        hints.push(format!(
            "{name} scrolls: what is not shown yet is reached with `scroll_to: {step}` before this step"
        ));
    }
    if !is_near {
        let (what, names) = match purpose {
            Purpose::Action => ("can be clicked here", clickable(screen)),
            Purpose::Assertion => ("can be read here", readable(selector, screen)),
        };
        if !names.is_empty() {
            hints.push(format!("{what}: {}", names.join(" | ")));
        }
    }
    hints
}

/// Returns the text of an element, or else its description.
fn words(node: Node<'_>) -> Option<&str> {
    let mut both = [node.text(), node.desc()].into_iter();
    both.find(|words| !words.is_empty())
}

/// Returns selectors of elements with words, most similar to the wanted ones first, else in screen order.
/// Disabled elements are marked. Omits the system's bars, equal selectors and those longer than 48
/// characters. After 12 selectors or 200 elements it ends with `and more`.
fn readable(selector: &Selector, screen: &Screen) -> Vec<String> {
    let is_shown =
        |node: &Node<'_>| node.package() != "com.android.systemui" && node.is_on_screen();
    let mut nodes: Vec<(f64, Node<'_>)> = screen
        .nodes()
        .filter(is_shown)
        .filter_map(|node| Some((selector.closeness(words(node)?), node)))
        .collect();
    // In the order of the screen where none is nearer.
    nodes.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let mut names: Vec<String> = Vec::new();
    for (count, (_, node)) in nodes.into_iter().enumerate() {
        if count == MAX_CANDIDATES || names.len() == MAX_CLICKABLE {
            names.push("and more".to_owned());
            break;
        }
        let state = if node.flags().enabled {
            ""
        } else {
            " (disabled)"
        };
        let name = Selector::by_words(screen, node.index()).map(|name| format!("{name}{state}"));
        let is_new =
            |name: &String| name.chars().count() <= MAX_SELECTOR_CHARS && !names.contains(name);
        names.extend(name.filter(is_new));
    }
    names
}

/// Returns selectors of enabled clickable elements in screen order, each by its own name or by a text inside
/// it. Omits the system's bars, equal selectors and elements without a short one. After 12 selectors or 200
/// elements it ends with `and more`.
fn clickable(screen: &Screen) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let takes_a_click = |node: &Node<'_>| {
        // `back` and `home` are known.
        node.package() != "com.android.systemui"
            && node.flags().clickable
            && node.flags().enabled
            && node.is_on_screen()
    };
    let candidates = screen.nodes().filter(takes_a_click);
    for (count, node) in candidates.enumerate() {
        let name = (count < MAX_CANDIDATES).then(|| name_of(node, screen));
        match name.flatten().filter(|name| !names.contains(name)) {
            Some(name) if names.len() < MAX_CLICKABLE => names.push(name),
            None if count < MAX_CANDIDATES => {}
            _ => {
                names.push("and more".to_owned());
                break;
            }
        }
    }
    names
}

/// Returns the selector of a clickable element: by its own words, else by the words of an element inside
/// whose clicks it takes, else by its other properties. `None` if there is no such selector or it is longer
/// than 48 characters.
fn name_of(node: Node<'_>, screen: &Screen) -> Option<String> {
    // The words of a button inside name the button, not the row around it.
    let inner = || {
        node.descendants()
            .filter(|inner| click_target(*inner).index() == node.index())
            .find_map(|inner| Selector::by_words(screen, inner.index()))
    };
    Selector::by_words(screen, node.index())
        .or_else(inner)
        .or_else(|| Selector::by_itself(screen, node.index()))
        .map(|name| name.to_string())
        .filter(|name| name.chars().count() <= MAX_SELECTOR_CHARS)
}
