//! Facts from which a caller is advised whose selector matches nothing, or too much: nearest misses, what
//! scrolls, and elements that can be clicked or read. Whoever knows the caller puts them into its language.

use std::sync::Arc;

use super::click_target::click_target;
use super::describe::describe;
use super::error::EngineError;
use super::missing_element::{
    Choice, Choices, MatchedElement, Matches, Miss, MissingElement, NamedElement, Scroller,
};
use super::scroller::{main_scroller, name_of_container};
use runner_device::Direction;
use runner_screen::selector::Purpose;
use runner_screen::{Node, NodeIndex, PartialScreen, Screen, Selector};

/// Limit for named clickable elements. Chosen: about what fits on a few lines.
const MAX_CLICKABLE: usize = 12;

/// Limit for named matches outside the screen. Chosen: they are alike, so more say nothing new.
const MAX_UNSEEN: usize = 3;

/// Limit for elements considered for a name. Chosen: each costs a search of the screen.
const MAX_CANDIDATES: usize = 200;

/// Limit for a suggested selector, in characters. Chosen: longer ones are hard to read in a list.
const MAX_SELECTOR_CHARS: usize = 48;

/// Limit for matches listed in an error. Chosen: about what people read.
const MAX_LISTED: usize = 8;

/// Mark behind the name of a disabled element.
pub const DISABLED: &str = " (disabled)";

impl EngineError {
    /// Builds the error for a selector that matches nothing on the screen, with matches that are hidden, near misses,
    /// what scrolls (unless a miss differs in letter case only), and what can be clicked or read (by `purpose`) if
    /// there are neither hidden matches nor misses. Without a screen it has the selector only.
    pub fn not_found(selector: &Selector, screen: Option<Arc<Screen>>, purpose: Purpose) -> Self {
        let mut missing = MissingElement {
            selector: selector.clone(),
            screen: None,
            unseen: unseen(selector, screen.as_deref()),
            partial: None,
            misses: misses(selector, screen.as_deref(), purpose),
            scroller: None,
            choices: None,
        };
        if let Some(screen) = screen.as_deref() {
            let partial = screen.as_whole().err();
            missing.partial = partial.filter(|why| *why != PartialScreen::FrontUnknown);
            if !missing.misses.iter().any(|miss| miss.is_meant) {
                missing.scroller = scroller(screen);
            }
            if missing.misses.is_empty() && missing.unseen.is_empty() {
                missing.choices = Some(match purpose {
                    Purpose::Action => clickable(screen),
                    Purpose::Assertion => readable(selector, screen),
                });
            }
        }
        missing.screen = screen;
        Self::NotFound(Box::new(missing))
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

/// Returns the nearest misses, at most three, best first, each with its element, the difference and a selector. If one
/// is surely the intended element, the others are left out. For an action the selector picks that element alone; for an
/// assertion it may match others too. Empty without a screen.
pub(super) fn misses(selector: &Selector, screen: Option<&Screen>, purpose: Purpose) -> Vec<Miss> {
    screen.map_or_else(Vec::new, |screen| {
        let named = |selector, node| NamedElement::new(selector, screen.node(node));
        selector
            .near_misses(screen, 3, purpose)
            .into_iter()
            .map(|miss| Miss {
                element: describe(screen.node(miss.node)),
                why: miss.why,
                // An action needs one element, and an assertion all that was asked for.
                name: match purpose {
                    Purpose::Action if miss.selector.find(screen).len() > 1 => {
                        named(Selector::picking(screen, miss.node), miss.node)
                    }
                    _ => named(miss.selector, miss.node),
                },
                is_meant: miss.is_meant,
            })
            .collect()
    })
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

/// Returns the largest container that scrolls down, or else the one that scrolls to the right. `None` if there is
/// neither.
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
    fn new(purpose: Purpose) -> Self {
        Self {
            choices: Choices {
                purpose,
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
/// them, marked as such. Omits the system's bars, equal selectors and those longer than 48 characters. There are more
/// after 12 of them or 200 candidates.
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
    let mut list = ChoiceList::new(Purpose::Assertion);
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

/// Returns enabled clickable elements in screen order, each by its own name or by a text inside it. Omits the
/// system's bars, equal selectors and elements without a short one. There are more after 12 of them or 200
/// candidates.
fn clickable(screen: &Screen) -> Choices {
    let mut list = ChoiceList::new(Purpose::Action);
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
