//! Facts about a selector that matches nothing, or too much, and the elements that a caller could name instead.

use std::sync::Arc;

use serde_json::{Value, json};

use super::click_target::click_target;
use super::short_ids;
use runner_device::Direction;
use runner_screen::{Node, PartialScreen, Screen, Selector};

/// Element of a screen as a caller may name it.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedElement {
    /// Selector that finds the element.
    pub selector: Selector,
    /// Id of the node that takes a click on the element: itself, or the nearest clickable one around it.
    pub id: String,
}

impl NamedElement {
    /// Names an element by a selector that finds it and by the id of the node that takes its clicks. A selector of
    /// words that look like the id of a look is rewritten.
    pub(super) fn new(selector: Selector, node: Node<'_>) -> Self {
        Self {
            selector: told_from_ids(selector, node),
            id: click_target(node).id(),
        }
    }

    /// Names the node itself, for gestures that a clickable node around it would not take.
    pub(super) fn for_gesture(selector: Selector, node: Node<'_>) -> Self {
        Self {
            selector: told_from_ids(selector, node),
            id: node.id(),
        }
    }
}

/// Element that nearly matches a selector.
#[derive(Debug, Clone, PartialEq)]
pub struct Miss {
    /// Description of the element.
    pub element: String,
    /// Difference from the selector.
    pub why: String,
    pub name: NamedElement,
    /// True if it differs in letter case only, so that it is surely the intended one.
    pub is_meant: bool,
    /// True if the selector surely misspells it.
    pub is_typo: bool,
}

/// Element that matches a selector which should match one or none.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchedElement {
    /// Description of the element.
    pub element: String,
    /// Name that picks it alone.
    pub name: NamedElement,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matches {
    /// First matches, at most eight.
    pub elements: Vec<MatchedElement>,
    /// Number of further ones.
    pub more: usize,
}

/// Reasons why a search by scrolling may have missed its element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchGaps {
    /// Names of containers that scroll in the direction too, and were not searched.
    pub others: Vec<String>,
    /// Names of containers that scroll only along the other axis, as rows of cards do, on any look.
    pub across: Vec<String>,
    /// Direction in which those scroll.
    pub across_direction: Direction,
    /// Direction against that of the search, if what lies there was surely left out: the search went against the
    /// usual direction, or began at the end of the content.
    pub back: Option<Direction>,
    /// Description of the object that would have taken the finger instead of a container.
    pub taker: Option<String>,
    /// Names of what scrolls in the direction, if the container that was named does not.
    pub still: Option<Vec<String>>,
}

/// Container that scrolls.
#[derive(Debug, Clone, PartialEq)]
pub struct Scroller {
    /// Class of the container, with its id if it has one: `ListView#notes`.
    pub called: String,
    pub direction: Direction,
}

/// Element that a caller could name in place of the missing one.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    pub name: NamedElement,
    pub is_disabled: bool,
}

/// Use of the elements that a caller could name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChoiceUse {
    Click,
    Read,
    Scroll,
}

/// Elements of a screen on which nothing is like the missing one.
#[derive(Debug, Clone, PartialEq)]
pub struct Choices {
    pub choice_use: ChoiceUse,
    /// First elements, at most 12.
    pub elements: Vec<Choice>,
    pub has_more: bool,
}

/// Elements to name where text was meant for an element that is no text field, or for none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FieldChoices {
    /// The element itself, if it takes clicks.
    pub clickable: Option<NamedElement>,
    /// The element itself with its class, if it shows a number as a place along it, as a slider does.
    pub slider: Option<(String, NamedElement)>,
    /// Text fields of the screen, those nearest to the element first, at most four.
    pub fields: Vec<NamedElement>,
}

/// Facts about a selector that matches nothing, from which its caller is advised.
#[derive(Debug, Clone)]
pub struct MissingElement {
    pub selector: Selector,
    /// The last screen that was looked at.
    pub screen: Option<Arc<Screen>>,
    /// Descriptions of matches outside the screen, and, if nothing is nearer, of those for which a relation does not hold,
    /// one line each.
    pub unseen: Vec<String>,
    /// Reason why the look may lack the element.
    pub partial: Option<PartialScreen>,
    /// Nearest misses, best first, at most three.
    pub misses: Vec<Miss>,
    /// Closed lists of choices, of which one may hold the element. Empty if something is near.
    pub closed: Vec<NamedElement>,
    /// Container that may hold what is not shown yet. `None` if a miss is surely the intended element.
    pub scroller: Option<Scroller>,
    /// Texts of toasts that were shown during the wait, as far as the device reports them; `None` if there was no
    /// toast.
    pub toasts: Option<Vec<String>>,
    /// Other elements, if nothing is near.
    pub choices: Option<Choices>,
}

/// Returns a selector of words that are written like the id of a look as a condition on the property of the
/// element, or of one inside, that has them. Other selectors stay.
fn told_from_ids(selector: Selector, node: Node<'_>) -> Selector {
    let words = match selector.to_value() {
        Value::String(words) if short_ids::number(&words).is_some() => words,
        _ => return selector,
    };
    let mut near = std::iter::once(node).chain(node.descendants());
    let name = if near.any(|node| node.text() == words) {
        "text"
    } else {
        "desc"
    };
    serde_json::from_value(json!({ name: words })).unwrap_or(selector)
}
