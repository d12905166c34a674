//! Why a golden is not merged.

use std::fmt;

use super::super::tsv::TableProblem;

/// Whose version of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The last version that both sides come from.
    Base,
    /// That of the branch one is on.
    Ours,
    /// The other one.
    Theirs,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Base => "the common ancestor",
            Self::Ours => "our version",
            Self::Theirs => "their version",
        })
    }
}

/// What a run on the merged app would show cannot be known, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeConflict {
    /// Pictures are not merged.
    #[error("both sides changed the picture")]
    Picture,
    /// The file itself is not here.
    #[error(
        "both sides changed it, and it is a pointer of Git LFS, the file itself was not downloaded; run `git lfs pull`"
    )]
    Pointer,
    /// There is nothing that both come from.
    #[error("both sides added it")]
    BothAdded,
    /// A version is no golden's table.
    #[error("{side} does not read: line {line}: {why}")]
    Unreadable {
        /// Which version.
        side: Side,
        /// From 1.
        line: usize,
        /// What is wrong.
        why: TableProblem,
    },
    /// A version is not text.
    #[error("{0} is not UTF-8 text")]
    NotText(Side),
    /// A version holds what reading it would lose.
    #[error("{0} is not written as `runner` writes it: its rows or its header were edited")]
    Edited(Side),
    /// One version has bounds, another has none; or they have different formats.
    #[error("the versions have different columns or schemas")]
    Format,
    /// More rows than are compared.
    #[error("it has more rows than are merged")]
    TooLong,
    /// Both sides changed a key of the header.
    #[error("both sides changed `{0}` of the header")]
    Header(String),
    /// Both sides changed a cell.
    #[error("both sides changed the {column} of {row}")]
    Cell {
        /// What a person calls the row.
        row: String,
        /// Which cell.
        column: &'static str,
    },
    /// Both sides changed which rows there are at one place.
    #[error("both sides changed which rows there are {0}")]
    Rows(String),
    /// One side changed a row that the other removed or moved.
    #[error("one side changed {0}, which the other removed, moved or replaced")]
    Gone(String),
    /// A row would be there twice.
    #[error("both sides added or moved {0}")]
    Twice(String),
    /// Both sides made one change, and others besides: it may be one change or two.
    #[error(
        "both sides made the same change of {0}, and others besides: it may count once or twice"
    )]
    Alike(String),
    /// Rows of one side moved or are alike.
    #[error("rows moved or are alike on one side, and the other changed which rows there are")]
    Moved,
    /// What scrolls shows as many rows as fit.
    #[error(
        "both sides changed what is in a screen that scrolls: which rows fit on it is not known"
    )]
    Scrolls,
    /// What lies under masks is not known.
    #[error("masks may cover other rows after both changes")]
    Masks,
    /// What redactions replace is not known.
    #[error("redactions may count differently after both changes")]
    Redactions,
    /// Only one element has the focus, or is selected.
    #[error("both sides changed which rows are {0}")]
    State(&'static str),
    /// Where rows lie is not known.
    #[error("one side changed where rows lie, the other what they say or where they lie")]
    Layout,
}
