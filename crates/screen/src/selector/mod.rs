//! Selectors, by which a person points at an element. The documentation of the flow language has their rules.
//!
//! This module owns parsing, writing, matching, near misses and the choice of a selector for a node. It looks
//! at one screen and never waits. Callers decide whether exactly one match is needed.

mod absence;
#[cfg(test)]
mod advice_laws;
mod change;
mod confusables;
mod expect;
mod find;
mod model;
mod names;
mod near_miss;
mod pattern;
mod pick;
mod rank;
mod read;
mod relation;
mod schema;
mod similarity;
mod state;
#[cfg(test)]
mod tests;
mod volatility;
mod words;
mod write;

use super::{Node, NodeIndex, Screen};

pub use absence::{AbsenceError, MissingAnchor};
pub(crate) use change::change;
pub use confusables::letter_form;
pub use expect::Expectation;
pub use model::Selector;
pub(crate) use model::WindowName;
pub(crate) use near_miss::too_large_index;
pub use near_miss::{NearMiss, Purpose};
pub use pattern::Pattern;
pub(crate) use pick::{is_list_item, lasting_words, lasting_words_of, untyped_words};
pub use rank::{RankedSelector, Stability};
pub use read::{SelectorError, SelectorFault};
pub use relation::Relation;
pub(crate) use similarity::{name_similarity, word_similarity};
pub use state::ElementState;
pub(crate) use words::ElementWords;
