//! Facts from which a caller is advised whose selector matches nothing, or too much: nearest misses, what
//! scrolls, and elements that can be clicked or read. Whoever knows the caller puts them into its language.

use std::sync::Arc;

use super::click_target::click_target;
use super::describe::describe;
use super::error::EngineError;
use super::missing_element::{
    Choice, ChoiceUse, Choices, MatchedElement, Matches, Miss, MissingElement, NamedElement,
    Scroller,
};
use super::scroller::{main_scroller, name_of_container, scrollers};
use runner_device::Direction;
use runner_screen::selector::{NearMiss, Purpose};
use runner_screen::{Node, NodeIndex, PartialScreen, Screen, Selector};

/// Limit for named clickable elements. Chosen: about what fits on a few lines.
const MAX_CLICKABLE: usize = 12;

/// Limit for named matches outside the screen. Chosen: they are alike, so more say nothing new.
const MAX_UNSEEN: usize = 3;

/// Limit for closed lists of choices in an error. Chosen: more would hide what else is advised.
const MAX_CLOSED: usize = 3;

/// Limit for elements considered for a name. Chosen: each costs a search of the screen.
const MAX_CANDIDATES: usize = 200;

/// Limit for a suggested selector, in characters. Chosen: longer ones are hard to read in a list.
const MAX_SELECTOR_CHARS: usize = 48;

/// Limit for near misses in an error. Chosen: about what people compare.
const MAX_MISSES: usize = 3;

/// Limit for near misses of which those that scroll are kept. Chosen: a list has that many rows that are alike.
const MAX_COMPARED_MISSES: usize = 20;

/// Limit for matches listed in an error. Chosen: about what people read.
const MAX_LISTED: usize = 8;

/// Mark behind the name of a disabled element.
pub const DISABLED: &str = " (disabled)";

impl EngineError {
    /// Builds the error for a selector that matches nothing on the screen, with matches that are hidden or elsewhere, near
    /// misses, what scrolls (unless a miss differs in letter case only), and closed lists of choices and what can be
    /// clicked or read (by `purpose`) if there are neither such matches nor misses. Without a screen it has the selector
    /// only.
    pub fn not_found(selector: &Selector, screen: Option<Arc<Screen>>, purpose: Purpose) -> Self {
        let mut missing = MissingElement {
            selector: selector.clone(),
            screen: None,
            unseen: unseen(selector, screen.as_deref()),
            partial: None,
            misses: misses(selector, screen.as_deref(), purpose),
            closed: Vec::new(),
            scroller: None,
            toasts: None,
            choices: None,
        };
        if let Some(screen) = screen.as_deref() {
            let partial = screen.as_whole().err();
            missing.partial = partial.filter(|why| *why != PartialScreen::FrontUnknown);
            if !missing.misses.iter().any(|miss| miss.is_meant) {
                missing.scroller = scroller(screen);
            }
            if missing.misses.is_empty() && missing.unseen.is_empty() {
                missing.unseen = apart(selector, screen);
            }
            if missing.misses.is_empty() && missing.unseen.is_empty() {
                missing.closed = closed(selector, screen);
                missing.choices = Some(match purpose {
                    Purpose::Action => clickable(screen),
                    Purpose::Assertion => readable(selector, screen),
                });
            }
        }
        missing.screen = screen;
        Self::NotFound(Box::new(missing))
    }

    /// Builds the error for a selector of a container that matches nothing: with near misses that scroll or are
    /// surely misspelt, else with what scrolls. Where nothing scrolls it has the usual near misses, and no container
    /// to choose from.
    pub(super) fn no_container(selector: &Selector, screen: &Screen) -> Self {
        let mut missing = MissingElement {
            selector: selector.clone(),
            screen: None,
            unseen: unseen(selector, Some(screen)),
            partial: None,
            misses: misses(selector, Some(screen), Purpose::Action),
            closed: Vec::new(),
            scroller: None,
            toasts: None,
            choices: None,
        };
        let choices = scrollable(screen);
        if choices.elements.is_empty() {
            missing.choices = Some(choices);
        } else {
            advise_containers(&mut missing, screen, choices);
        }
        Self::NotFound(Box::new(missing))
    }

    /// Advises of containers, as [`Self::no_container`] does, if a selector matches nothing and something scrolls. Other
    /// errors stay.
    #[must_use]
    pub fn for_container(mut self) -> Self {
        if let Self::NotFound(missing) = &mut self
            && let Some(screen) = missing.screen.clone()
        {
            let choices = scrollable(&screen);
            if !choices.elements.is_empty() {
                advise_containers(missing, &screen, choices);
            }
        }
        self
    }
}

/// Searches the near misses again and keeps, at most [`MAX_MISSES`], those that scroll or are surely misspelt. Without
/// any of them and without an unseen match, `choices`, the containers that scroll, are offered, else none. Clears
/// `scroller`.
fn advise_containers(missing: &mut MissingElement, screen: &Screen, choices: Choices) {
    let selector = &missing.selector;
    let near = selector.near_misses(screen, MAX_COMPARED_MISSES, Purpose::Action);
    let is_container = |miss: &NearMiss| miss.is_typo || screen.node(miss.node).scrolls();
    let near = near.into_iter().filter(is_container).take(MAX_MISSES);
    missing.misses = near
        .map(|miss| named_miss(miss, screen, Purpose::Action))
        .collect();
    // It would be the container of the element, not the missing container.
    missing.scroller = None;
    let is_near = !missing.misses.is_empty() || !missing.unseen.is_empty();
    missing.choices = (!is_near).then_some(choices);
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

/// Describes elements for which one relation or state alone does not hold, at most three, one line each.
fn apart(selector: &Selector, screen: &Screen) -> Vec<String> {
    let apart = selector.apart(screen, MAX_UNSEEN).into_iter();
    apart
        .map(|(index, why)| format!("there, but {why}: {}", describe(screen.node(index))))
        .collect()
}

/// Returns enabled elements on the screen that open a list of choices, at most three, for a selector of words alone. Those
/// of the focused window if it has any node: an open list is a window of its own.
fn closed(selector: &Selector, screen: &Screen) -> Vec<NamedElement> {
    let wanted = selector.to_value();
    if !wanted.is_string() && wanted.get("text").is_none() {
        return Vec::new();
    }
    let has_front = screen.nodes().any(|node| node.window().focused);
    let opens = |node: &Node<'_>| {
        let class = node.short_class();
        let is_list = class.contains("Spinner") || class.to_lowercase().contains("dropdown");
        is_list
            && node.flags().clickable
            && node.flags().enabled
            && node.is_on_screen()
            && (node.window().focused || !has_front)
    };
    let found = screen.nodes().filter(opens).take(MAX_CLOSED);
    found
        .map(|node| NamedElement::for_gesture(Selector::picking(screen, node.index()), node))
        .collect()
}

/// Returns the nearest misses, at most three, best first, each with its element, the difference and a selector. If one
/// is surely the intended element, the others are left out. For an action the selector picks that element alone; for an
/// assertion it may match others too. Empty without a screen.
pub(super) fn misses(selector: &Selector, screen: Option<&Screen>, purpose: Purpose) -> Vec<Miss> {
    screen.map_or_else(Vec::new, |screen| {
        selector
            .near_misses(screen, MAX_MISSES, purpose)
            .into_iter()
            .map(|miss| named_miss(miss, screen, purpose))
            .collect()
    })
}

/// Describes a near miss, and names its element. An action needs one element, and an assertion all that was asked
/// for.
fn named_miss(miss: NearMiss, screen: &Screen, purpose: Purpose) -> Miss {
    let node = screen.node(miss.node);
    let selector = match purpose {
        Purpose::Action if miss.selector.find(screen).len() > 1 => {
            Selector::picking(screen, miss.node)
        }
        _ => miss.selector,
    };
    Miss {
        element: describe(node),
        why: miss.why,
        name: NamedElement::new(selector, node),
        is_meant: miss.is_meant,
        is_typo: miss.is_typo,
    }
}

/// Describes elements, each with the selector that picks it: the first eight, and the number of further ones.
pub(super) fn describe_matches(screen: &Screen, nodes: &[NodeIndex]) -> Matches {
    let listed = nodes.iter().take(MAX_LISTED).map(|index| {
        let node = screen.node(*index);
        MatchedElement {
            element: describe(node),
            name: NamedElement::new(Selector::picking(screen, *index), node),
        }
    });
    Matches {
        elements: listed.collect(),
        more: nodes.len().saturating_sub(MAX_LISTED),
    }
}

/// Returns the main container that scrolls down, or else to the right. Those of the focused window come before all
/// others, then the one with the largest visible area. `None` if nothing scrolls.
fn scroller(screen: &Screen) -> Option<Scroller> {
    let find = |to| main_scroller(screen, to).map(|node| (node, to));
    let (container, direction) = find(Direction::Down).or_else(|| find(Direction::Right))?;
    Some(Scroller {
        called: name_of_container(container),
        direction,
    })
}

/// Elements that are offered, without equal or long names.
struct ChoiceList {
    choices: Choices,
    /// Names as a person reads them.
    shown: Vec<String>,
}

impl ChoiceList {
    fn new(choice_use: ChoiceUse) -> Self {
        Self {
            choices: Choices {
                choice_use,
                elements: Vec::new(),
                has_more: false,
            },
            shown: Vec::new(),
        }
    }

    /// Returns true if the name is new and not too long.
    fn takes(&self, choice: &Choice) -> bool {
        let shown = Self::text(choice);
        shown.chars().count() <= MAX_SELECTOR_CHARS && !self.shown.contains(&shown)
    }

    fn text(choice: &Choice) -> String {
        let state = if choice.is_disabled { DISABLED } else { "" };
        format!("{}{state}", choice.name.selector)
    }

    fn is_full(&self) -> bool {
        self.shown.len() == MAX_CLICKABLE
    }

    fn push(&mut self, choice: Choice) {
        self.shown.push(Self::text(&choice));
        self.choices.elements.push(choice);
    }
}

/// Returns the text of an element, or else its description. `None` if both are empty.
fn words(node: Node<'_>) -> Option<&str> {
    let mut both = [node.text(), node.desc()].into_iter();
    both.find(|words| !words.is_empty())
}

/// Returns elements with words, most similar to the wanted ones first, else in screen order. Disabled ones are among
/// them, marked as such. Omits the system's bars, equal selectors and those longer than 48 characters. Ends after 12
/// elements or 200 candidates, and sets `has_more` if any candidate is left.
fn readable(selector: &Selector, screen: &Screen) -> Choices {
    let is_shown =
        |node: &Node<'_>| node.package() != "com.android.systemui" && node.is_on_screen();
    let mut nodes: Vec<(f64, Node<'_>)> = screen
        .nodes()
        .filter(is_shown)
        .filter_map(|node| Some((selector.closeness(words(node)?), node)))
        .collect();
    // In the order of the screen where none is nearer.
    nodes.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let mut list = ChoiceList::new(ChoiceUse::Read);
    for (count, (_, node)) in nodes.into_iter().enumerate() {
        if count == MAX_CANDIDATES || list.is_full() {
            list.choices.has_more = true;
            break;
        }
        let choice = Selector::by_words(screen, node.index()).map(|selector| Choice {
            name: NamedElement::new(selector, node),
            is_disabled: !node.flags().enabled,
        });
        if let Some(choice) = choice.filter(|choice| list.takes(choice)) {
            list.push(choice);
        }
    }
    list.choices
}

/// Returns enabled clickable elements in screen order, each by its own words, else by words inside it, else by its
/// other properties. Omits the system's bars, equal selectors and those longer than 48 characters. Ends after 12
/// elements or 200 candidates, and then sets `has_more` if another would follow.
fn clickable(screen: &Screen) -> Choices {
    let mut list = ChoiceList::new(ChoiceUse::Click);
    let takes_a_click = |node: &Node<'_>| {
        // `back` and `home` are known.
        node.package() != "com.android.systemui"
            && node.flags().clickable
            && node.flags().enabled
            && node.is_on_screen()
    };
    let candidates = screen.nodes().filter(takes_a_click);
    for (count, node) in candidates.enumerate() {
        if count == MAX_CANDIDATES {
            list.choices.has_more = true;
            break;
        }
        let choice = name_of(node, screen).map(|selector| Choice {
            name: NamedElement::new(selector, node),
            is_disabled: false,
        });
        let Some(choice) = choice.filter(|choice| list.takes(choice)) else {
            continue;
        };
        if list.is_full() {
            list.choices.has_more = true;
            break;
        }
        list.push(choice);
    }
    list.choices
}

/// Returns the containers that scroll, those that scroll vertically first, larger ones before smaller ones; only those
/// of the focused window if it has any. Omits equal selectors and those longer than 48 characters. Ends after 12, and
/// sets `has_more` if another would follow.
fn scrollable(screen: &Screen) -> Choices {
    let mut list = ChoiceList::new(ChoiceUse::Scroll);
    let mut found = scrollers(screen, Direction::Down);
    found.extend(scrollers(screen, Direction::Right));
    // A touch beside a dialog closes it.
    let has_front = found.iter().any(|node| node.window().focused);
    found.retain(|node| !has_front || node.window().focused);
    for node in found {
        let selector = Selector::picking(screen, node.index());
        let choice = Choice {
            name: NamedElement::for_gesture(selector, node),
            is_disabled: false,
        };
        if !list.takes(&choice) {
            continue;
        }
        if list.is_full() {
            list.choices.has_more = true;
            break;
        }
        list.push(choice);
    }
    list.choices
}

/// Returns the selector of a clickable element: by its own words, else by the words of an element inside
/// whose clicks it takes, else by its other properties. `None` if there is no such selector.
fn name_of(node: Node<'_>, screen: &Screen) -> Option<Selector> {
    // The words of a button inside name the button, not the row around it.
    let inner = || {
        node.descendants()
            .filter(|inner| click_target(*inner).index() == node.index())
            .find_map(|inner| Selector::by_words(screen, inner.index()))
    };
    Selector::by_words(screen, node.index())
        .or_else(inner)
        .or_else(|| Selector::by_itself(screen, node.index()))
}
