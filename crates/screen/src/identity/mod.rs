//! Finds an element of an earlier screen on a later one, and the property of a selector that has to change.
//!
//! Elements that look the same on both screens are paired first: by id, class and words. Where several look
//! alike, the words around them decide, and their order only if both sides have as many left. All other
//! elements are compared by id, words, ancestors and neighbours. The match must be the nearest from both
//! sides, with a margin to the second. Bounds never count, nor do typed or masked texts.

mod change;
mod comparison;
mod pairs;
mod reason;
#[cfg(test)]
mod tests;
mod traits;

pub use change::PropertyChange;
pub use reason::Reason;

use crate::{Node, NodeIndex, Screen};
use comparison::{Comparison, NearestElement};
use pairs::Pairs;
use reason::reasons;
use traits::Traits;

/// Result of looking for an earlier element.
#[derive(Debug, Clone, PartialEq)]
pub enum Identity {
    Found(Match),
    /// Some elements are similar, but none is near enough or clearly nearer than the others.
    Unclear,
    /// No element is similar.
    Gone,
}

/// Element of the new screen with the reasons why it is the earlier one.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// Element on the new screen.
    pub node: NodeIndex,
    /// Reasons, the strongest first.
    pub reasons: Vec<Reason>,
}

/// Returns the element of `new` that `old`, an element of an earlier screen, most likely is.
///
/// It abstains where no element clearly is: a wrong answer costs more than none.
pub fn find_again(old: Node<'_>, new: &Screen) -> Identity {
    let (olds, news) = (Traits::all(old.screen()), Traits::all(new));
    let pairs = Pairs::new(&olds, &news);
    let comparison = Comparison::new(&olds, &news, &pairs);
    let wanted = &olds[old.index().0 as usize];
    let nearest = match pairs.partner(old) {
        Some(node) => NearestElement::One(node),
        None => comparison.nearest(wanted),
    };
    match nearest {
        NearestElement::One(node) => Identity::Found(Match {
            node,
            reasons: reasons(&comparison, wanted, &news[node.0 as usize]),
        }),
        NearestElement::Several => Identity::Unclear,
        NearestElement::None => Identity::Gone,
    }
}
