#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

pub mod annotate;
#[cfg(test)]
mod corpus_tests;
mod decode;
mod dump;
mod fingerprint;
mod id;
pub mod identity;
pub mod maestro;
mod node;
mod parse;
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

pub use fingerprint::Fingerprint;
pub use node::{Flags, Node, NodeIndex, OffScreenReason};
pub use runner_picture::{Display, Orientation, Point, Rect};
pub use selector::Selector;
pub use touch::{Cover, Coverage, TouchPlace, TouchableRegion, WindowLayer};
pub use tree::{DisplayContext, Screen, ScreenError, Window};
pub use tsv::{Profile, Row, RowFilter};
pub use whole_screen::{AbsenceProof, Front, PartialScreen, SearchResult, WholeScreen};
