//! Identity of an element: which element of a later screen an earlier one most likely is, and which property of a
//! selector must be written anew.
//!
//! Elements that look the same on both screens are paired first: by id, class and words, with the words around them where
//! several look alike, and by their order only where as many are left on both sides. What is left is compared by id, words,
//! ancestors and what stands beside it. It must be the nearest from both sides, with a margin to the second. Bounds never
//! count, nor does what was typed or masked.

mod change;
mod nearness;
mod pairs;
mod reason;
#[cfg(test)]
mod tests;
mod traits;

pub use change::PropertyChange;
pub use reason::Reason;

use crate::{Node, NodeIndex, Screen};
use nearness::{Comparison, Nearest};
use pairs::Pairs;
use reason::reasons;
use traits::Traits;

/// What became of an element.
#[derive(Debug, Clone, PartialEq)]
pub enum Identity {
    /// It is there.
    Found(Match),
    /// Something may be it, but not clearly: it is not near enough, or not nearer than another.
    Unclear,
    /// Nothing is like it.
    Gone,
}

/// The element that it is now, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// The element on the new screen.
    pub node: NodeIndex,
    /// Why it is the same, the strongest reason first.
    pub reasons: Vec<Reason>,
}

/// Returns the element of `new` that `old`, an element of an earlier screen, most likely is.
///
/// It abstains where nothing clearly is: a wrong answer costs more than none.
pub fn find_again(old: Node<'_>, new: &Screen) -> Identity {
    let (olds, news) = (Traits::all(old.screen()), Traits::all(new));
    let pairs = Pairs::of(&olds, &news);
    let comparison = Comparison::new(&olds, &news, &pairs);
    let wanted = &olds[old.index().0 as usize];
    let nearest = match pairs.partner(old) {
        Some(node) => Nearest::One(node),
        None => comparison.nearest(wanted),
    };
    match nearest {
        Nearest::One(node) => Identity::Found(Match {
            node,
            reasons: reasons(&comparison, wanted, &news[node.0 as usize]),
        }),
        Nearest::Several => Identity::Unclear,
        Nearest::None => Identity::Gone,
    }
}
