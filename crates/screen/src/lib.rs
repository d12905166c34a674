#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

pub mod annotate;
mod assemble;
#[cfg(test)]
mod corpus_tests;
mod decode;
mod dump;
mod fingerprint;
mod front;
mod id;
pub mod identity;
pub mod maestro;
mod name_index;
mod node;
mod node_data;
mod parse;
mod row_index;
mod screen_error;
pub mod selector;
#[cfg(test)]
mod tests;
mod touch;
mod tree;
pub mod tsv;
mod uia2;
mod whole_screen;
#[cfg(test)]
mod whole_screen_tests;
mod window;

pub use fingerprint::Fingerprint;
pub use front::Front;
pub use node::{Node, OffScreenReason};
pub use node_data::{Flags, NodeIndex};
pub use runner_picture::{Display, Orientation, Point, Rect};
pub use screen_error::ScreenError;
pub use selector::{Selector, letter_form};
pub use touch::{Cover, Coverage, TouchPlace, TouchableRegion, WindowLayer};
pub use tree::{DisplayContext, Screen};
pub use tsv::{Profile, Row, RowFilter};
pub use whole_screen::{AbsenceProof, PartialScreen, SearchResult, WholeScreen};
pub use window::Window;
