//! What the sides changed.

use std::collections::BTreeSet;

use super::super::row::Row;
use super::align::Identity;

/// Who changed something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Changed {
    /// Nobody.
    No,
    Ours,
    Theirs,
    /// Both, in the same way.
    Alike,
    Differently,
}

impl Changed {
    pub(super) fn of<T: PartialEq>(base: &T, ours: &T, theirs: &T) -> Self {
        match (ours == base, theirs == base) {
            (true, true) => Self::No,
            (false, true) => Self::Ours,
            (true, false) => Self::Theirs,
            (false, false) if ours == theirs => Self::Alike,
            (false, false) => Self::Differently,
        }
    }
}

/// A cell that may change while the row stays the same. Class and id do not: they are what a row is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Column {
    Text,
    Desc,
    Hint,
    Flags,
    OnScreen,
    Bounds,
}

impl Column {
    pub(super) const ALL: [Self; 6] = [
        Self::Text,
        Self::Desc,
        Self::Hint,
        Self::Flags,
        Self::OnScreen,
        Self::Bounds,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Desc => "description",
            Self::Hint => "hint",
            Self::Flags => "state",
            Self::OnScreen => "place on the screen",
            Self::Bounds => "bounds",
        }
    }

    pub(super) fn changed(self, base: &Row, ours: &Row, theirs: &Row) -> Changed {
        let text = |cell: fn(&Row) -> &String| Changed::of(&cell(base), &cell(ours), &cell(theirs));
        match self {
            Self::Text => text(|row| &row.text),
            Self::Desc => text(|row| &row.desc),
            Self::Hint => text(|row| &row.hint),
            Self::Flags => text(|row| &row.flags),
            Self::OnScreen => Changed::of(&base.on, &ours.on, &theirs.on),
            Self::Bounds => Changed::of(&base.bounds, &ours.bounds, &theirs.bounds),
        }
    }

    pub(super) fn take(self, into: &mut Row, from: &Row) {
        match self {
            Self::Text => into.text.clone_from(&from.text),
            Self::Desc => into.desc.clone_from(&from.desc),
            Self::Hint => into.hint.clone_from(&from.hint),
            Self::Flags => into.flags.clone_from(&from.flags),
            Self::OnScreen => into.on = from.on,
            Self::Bounds => into.bounds = from.bounds,
        }
    }

    /// Whether the cell has a digit: such a text may count something.
    pub(super) fn may_count(self, row: &Row) -> bool {
        let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
        match self {
            Self::Text => has_digit(&row.text),
            Self::Desc => has_digit(&row.desc),
            Self::Hint => has_digit(&row.hint),
            Self::Flags | Self::OnScreen => false,
            Self::Bounds => true,
        }
    }
}

/// Whether any cell has a digit.
pub(super) fn has_digits(row: &Row) -> bool {
    [&row.class, &row.text, &row.desc, &row.res_id, &row.hint]
        .iter()
        .any(|cell| cell.bytes().any(|byte| byte.is_ascii_digit()))
}

/// Flags that few elements have at once: where both sides give one away, it may be there too often.
pub(super) const STATES: [(&str, &str); 3] =
    [("fcs", "focused"), ("sel", "selected"), ("chk", "checked")];

pub(super) fn has_flag(row: &Row, flag: &str) -> bool {
    row.flags.split(',').any(|own| own == flag)
}

/// What one side changed and the other did not.
#[derive(Debug, Default)]
pub(super) struct OwnChanges {
    /// Columns of rows that stayed.
    pub cells: BTreeSet<Column>,
    pub removed: Vec<Identity>,
    pub inserted: Vec<Identity>,
    /// Whether rows came, went or were replaced at all.
    pub rows: bool,
    /// Flags of [`STATES`] that rows got or lost.
    pub states: BTreeSet<&'static str>,
    /// Whether a row that stayed came under a mask, or out of one.
    pub masks: bool,
    /// Whether a cell that changed, came or went has a digit.
    pub digits: bool,
}

impl OwnChanges {
    /// Whether there are any.
    pub(super) fn any(&self) -> bool {
        self.rows || !self.cells.is_empty()
    }

    /// A cell of a row that stayed.
    pub(super) fn cell(&mut self, column: Column, before: &Row, after: &Row) {
        self.cells.insert(column);
        self.masks |= before.is_masked() != after.is_masked();
        self.digits |= column.may_count(before) || column.may_count(after);
        if column == Column::Flags {
            let differs =
                |flag: &&(&str, &str)| has_flag(before, flag.0) != has_flag(after, flag.0);
            self.states
                .extend(STATES.iter().filter(differs).map(|state| state.1));
        }
    }

    /// Rows at one place that others took the place of.
    pub(super) fn replace(
        &mut self,
        (before, old): (&[Row], &[Identity]),
        (after, new): (&[Row], &[Identity]),
    ) {
        self.rows = true;
        self.removed.extend(old);
        self.inserted.extend(new);
        for row in before.iter().chain(after) {
            self.digits |= has_digits(row);
            let own = STATES.iter().filter(|state| has_flag(row, state.0));
            self.states.extend(own.map(|state| state.1));
        }
    }

    /// Whether rows that went are there again, as those do that moved and those that are alike.
    pub(super) fn moves(&self) -> bool {
        self.removed.iter().any(|row| self.inserted.contains(row))
    }
}
