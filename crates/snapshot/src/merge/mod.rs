//! Merging one file of a golden three ways, as git asks for it: by what a row is, never by its line.
//!
//! A merged golden is what a run on the merged app would give, or it is not merged: where that cannot be known from the
//! three files, [`MergeConflict`] says why and a person decides. Pure: it reads no store, and no other file of the golden.

mod align;
mod change;
mod conflict;
mod header;
mod rules;
mod table;

use super::tsv;
use runner_git::Pointer;
use table::Sides;

pub use conflict::{MergeConflict, Side};

/// What the merge of a file came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merge {
    /// Ours holds all that theirs changed.
    Ours,
    /// These bytes: what theirs has, or rows that neither side had, which are marked so in their header.
    Written(Vec<u8>),
}

/// Merges what `ours` and `theirs` made of `base`, which is empty where both added the file.
///
/// # Errors
/// What a run on the merged app would give cannot be known.
pub fn merge(base: &[u8], ours: &[u8], theirs: &[u8]) -> Result<Merge, MergeConflict> {
    if ours == theirs || base == theirs {
        return Ok(Merge::Ours);
    }
    if base == ours {
        return Ok(Merge::Written(theirs.to_owned()));
    }
    if Pointer::read(ours).is_some() || Pointer::read(theirs).is_some() {
        return Err(MergeConflict::Pointer);
    }
    if is_png(ours) || is_png(theirs) {
        return Err(MergeConflict::Picture);
    }
    if base.is_empty() {
        return Err(MergeConflict::BothAdded);
    }
    let sides = Sides::read(base, ours, theirs)?;
    let text = match sides.merge()? {
        table::Outcome::Ours => return Ok(Merge::Ours),
        table::Outcome::Theirs => sides.theirs.text(),
        table::Outcome::Both(table) => {
            tsv::write(&table.metadata, &table.rows, sides.ours.has_bounds)
        }
    };
    // Who works with Windows' line ends keeps them.
    let text = if sides.ours.has_carriage_returns {
        text.replace('\n', "\r\n")
    } else {
        text
    };
    Ok(Merge::Written(text.into_bytes()))
}

fn is_png(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG")
}

#[cfg(test)]
mod generated;
#[cfg(test)]
mod tests;
