//! What helps where no element matches: the nearest misses, whether the screen scrolls, what can be clicked or read.

use std::sync::Arc;

use super::act::click_target;
use super::error::EngineError;
use super::scroller::main_scroller;
use super::wait::describe;
use runner_device::Direction;
use runner_screen::selector::Purpose;
use runner_screen::{Node, PartialScreen, Screen, Selector};

/// How many of those that can be clicked are named.
const CLICKABLE: usize = 12;

/// How many are named that match and are not on the screen.
const UNSEEN: usize = 3;

/// How many are looked at for a name: each costs a search of the screen.
const CANDIDATES: usize = 200;

/// Longer selectors are no help to read.
const LONGEST: usize = 48;

/// An element that nearly matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    /// The element, and why it does not match.
    pub why: String,
    /// The selector that finds it, as YAML on one line.
    pub write: String,
    /// It is what was meant, in another letter case.
    pub is_meant: bool,
}

impl std::fmt::Display for Miss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; write {}", self.why, self.write)
    }
}

/// A screen on which nothing matches `selector`.
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

/// What matches and is not on the screen, as lines.
pub(super) fn unseen(selector: &Selector, screen: Option<&Screen>) -> Vec<String> {
    let Some(screen) = screen else {
        return Vec::new();
    };
    let unseen = selector.unseen(screen).into_iter().take(UNSEEN);
    unseen
        .map(|(index, why)| {
            let element = describe(screen.node(index));
            format!("there, but not on the screen: {element}: {why}")
        })
        .collect()
}

/// The nearest misses as lines.
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
        let id = container.resource_id();
        let short = id.split_once('/').map_or(id, |(_, name)| name);
        let name = if short.is_empty() {
            container.short_class().to_owned()
        } else {
            format!("{}#{short}", container.short_class())
        };
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

/// Returns the text of an element, else its description.
fn words(node: Node<'_>) -> Option<&str> {
    let mut both = [node.text(), node.desc()].into_iter();
    both.find(|words| !words.is_empty())
}

/// Selectors of what has words, those most like the wanted ones first; what is disabled says so.
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
        if count == CANDIDATES || names.len() == CLICKABLE {
            names.push("and more".to_owned());
            break;
        }
        let state = if node.flags().enabled {
            ""
        } else {
            " (disabled)"
        };
        let name = Selector::by_words(screen, node.index()).map(|name| format!("{name}{state}"));
        let is_new = |name: &String| name.chars().count() <= LONGEST && !names.contains(name);
        names.extend(name.filter(is_new));
    }
    names
}

/// Selectors of what takes a click, in the order of the screen: by its own name, else by a text inside it.
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
        let name = (count < CANDIDATES).then(|| name_of(node, screen));
        match name.flatten().filter(|name| !names.contains(name)) {
            Some(name) if names.len() < CLICKABLE => names.push(name),
            None if count < CANDIDATES => {}
            _ => {
                names.push("and more".to_owned());
                break;
            }
        }
    }
    names
}

/// The selector of what takes a click, where it is short enough to help.
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
        .filter(|name| name.chars().count() <= LONGEST)
}
