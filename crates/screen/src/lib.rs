//! The model of what is on a screen: tree, ids, TSV, selectors, fingerprint, annotation.
//!
//! Pure: no I/O, no clock. A [`Screen`] owns one text buffer and one arena of nodes; it is `Send + Sync` and shared
//! as `Arc<Screen>`. The contract is the project's screen design; reference 000 quotes the TSV.

pub mod annotate;
#[cfg(test)]
mod corpus_tests;
mod decode;
mod fingerprint;
mod geometry;
mod id;
mod node;
mod parse;
pub mod selector;
#[cfg(test)]
mod tests;
mod tree;
pub mod tsv;

pub use fingerprint::Fingerprint;
pub use geometry::{Display, Orientation, Point, Rect};
pub use node::{Flags, Node, NodeIndex};
pub use selector::Selector;
pub use tree::{Screen, ScreenError, Surroundings, Window};
pub use tsv::{Profile, Row, RowFilter};
