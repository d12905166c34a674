//! The cause of a pending golden, as a value.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What kind of change it is; the first that applies.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// There is no golden yet, or none of this class.
    New,
    /// The step's masks changed.
    Masks,
    /// The picture has another size.
    Size,
    /// Mostly another screen.
    Replaced,
    /// Rows came, went or moved.
    Layout,
    /// Texts or states changed.
    Text,
    /// Only pixels changed.
    Pixels,
    /// No flow names this golden any more.
    Obsolete,
    /// No golden: a selector of a flow matches nothing any more, and another value of it does. Only a review says so, no
    /// file and no event.
    #[serde(skip)]
    Selector,
}

impl ChangeKind {
    /// Returns the name in files and pages, in lower case, such as `layout`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Masks => "masks",
            Self::Size => "size",
            Self::Replaced => "replaced",
            Self::Layout => "layout",
            Self::Text => "text",
            Self::Pixels => "pixels",
            Self::Obsolete => "obsolete",
            Self::Selector => "selector",
        }
    }
}

/// Why a golden is up for review.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// The kind.
    pub kind: ChangeKind,
    /// The same for goldens that changed in the same way: 16 hex digits.
    pub id: String,
    /// In a few words, for people: the first of [`Cause::changes`], and how many more there are.
    pub title: String,
    /// All that changed, each in a few words, most weighty first; what follows from another change is left out. Goldens
    /// that share a cause share all of them. Of very many the first are listed, and the last line counts the rest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// So many changes are counted by the last line of [`Cause::changes`]; 0 where all are listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Cause {
    /// Returns the number of changes, including those that are only counted.
    pub fn count(&self) -> usize {
        match self.more {
            0 => self.changes.len(),
            more => self.changes.len().saturating_add(more).saturating_sub(1),
        }
    }
}
