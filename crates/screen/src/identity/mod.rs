//! Identity of an element: which element of a later screen an earlier one most likely is, and which property of a
//! selector must be written anew.
//!
//! Elements that look the same on both screens are paired first: by id, class and words, with the words around them where
//! several look alike, and by their order only where as many are left on both sides. What is left is compared by id, words,
//! ancestors and what stands beside it. It must be the nearest from both sides, with a margin to the second. Bounds never
//! count, nor does what was typed or masked.

mod change;
#[cfg(test)]
mod goldens;
#[cfg(test)]
mod measure;
#[cfg(test)]
mod mutations;
mod nearness;
mod pairs;
mod reason;
mod traits;

pub use change::PropertyChange;
pub use reason::Reason;

use crate::{Node, NodeIndex, Screen};
use nearness::{Comparison, Nearest};
use pairs::Pairs;
use traits::Traits;

/// What became of an element.
#[derive(Debug, Clone, PartialEq)]
pub enum Identity {
    /// It is there.
    Found(Match),
    /// Something may be it, without a clear margin to the second.
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
    let nearest = match pairs.partner(old) {
        Some(node) => Nearest::One(node),
        None => Comparison::new(&olds, &news, &pairs).nearest(old),
    };
    match nearest {
        Nearest::One(node) => Identity::Found(Match {
            node,
            reasons: reason::reasons(old, new.node(node)),
        }),
        Nearest::Several => Identity::Unclear,
        Nearest::None => Identity::Gone,
    }
}
