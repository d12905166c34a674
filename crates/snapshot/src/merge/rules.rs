//! What two sets of changes may do to each other although they touch no row in common.

use super::super::row::Row;
use super::MergeConflict;
use super::change::{Column, OwnChanges};
use super::header::Header;

/// Key of the header: where the picture was not compared.
const LEFT_OUT: &str = "left_out";

/// What is known of both sides.
pub(super) struct Both<'a> {
    pub ours: &'a OwnChanges,
    pub theirs: &'a OwnChanges,
    pub header: &'a Header,
    /// All rows of all versions.
    pub rows: [&'a [Row]; 3],
    /// Whether the rows have bounds.
    pub has_bounds: bool,
}

impl Both<'_> {
    /// Refuses what may have an effect together that neither has alone.
    pub(super) fn check(&self) -> Result<(), MergeConflict> {
        self.structure()?;
        self.scrolling()?;
        self.masks()?;
        self.redactions()?;
        self.states()?;
        self.layout()
    }

    fn both(&self, has: impl Fn(&OwnChanges) -> bool) -> bool {
        has(self.ours) && has(self.theirs)
    }

    /// Whether one side has the one and the other the other.
    fn crosswise(
        &self,
        one: impl Fn(&OwnChanges) -> bool,
        other: impl Fn(&OwnChanges) -> bool,
    ) -> bool {
        one(self.ours) && other(self.theirs) || one(self.theirs) && other(self.ours)
    }

    fn structure(&self) -> Result<(), MergeConflict> {
        if self.crosswise(OwnChanges::moves, |side| side.rows) {
            return Err(MergeConflict::Moved);
        }
        let meets = |one: &OwnChanges, other: &OwnChanges| {
            let touched = |row| other.inserted.contains(row) || other.removed.contains(row);
            one.inserted.iter().any(touched)
        };
        if meets(self.ours, self.theirs) || meets(self.theirs, self.ours) {
            return Err(MergeConflict::Moved);
        }
        Ok(())
    }

    /// A list shows as many rows as fit: what one side adds may push out another row once the other side's is there too.
    fn scrolling(&self) -> Result<(), MergeConflict> {
        let scrolls = |row: &Row| super::change::has_flag(row, "scr");
        let resizes = |side: &OwnChanges| {
            side.rows || side.cells.contains(&Column::Text) || side.cells.contains(&Column::Hint)
        };
        let any = self.rows.iter().any(|rows| rows.iter().any(scrolls));
        if any && self.crosswise(|side| side.rows, resizes) {
            return Err(MergeConflict::Scrolls);
        }
        Ok(())
    }

    fn masks(&self) -> Result<(), MergeConflict> {
        let header = self.header;
        let changes_masks = |keys: &std::collections::BTreeSet<String>| keys.contains("masks");
        let are_changed = changes_masks(&header.ours) && self.theirs.any()
            || changes_masks(&header.theirs) && self.ours.any();
        let are_there = header
            .metadata
            .get("masks")
            .is_some_and(|masks| masks != "none");
        // A mask may be a rectangle, under which other rows lie once rows moved.
        let may_cover = are_there && self.both(|side| side.rows);
        if are_changed || may_cover || self.crosswise(|side| side.masks, OwnChanges::any) {
            return Err(MergeConflict::Masks);
        }
        Ok(())
    }

    fn redactions(&self) -> Result<(), MergeConflict> {
        let header = self.header;
        let are_changed = header.ours.contains("redactions") && self.theirs.any()
            || header.theirs.contains("redactions") && self.ours.any();
        let are_there = header
            .metadata
            .get("redactions")
            .is_some_and(|redactions| redactions != "none");
        // `uuid_{n}` counts through all rows.
        let may_count = are_there && self.both(|side| side.digits);
        if are_changed || may_count {
            return Err(MergeConflict::Redactions);
        }
        Ok(())
    }

    fn states(&self) -> Result<(), MergeConflict> {
        match self.ours.states.intersection(&self.theirs.states).next() {
            Some(state) => Err(MergeConflict::State(state)),
            None => Ok(()),
        }
    }

    /// Where rows lie is a matter of all of them together.
    fn layout(&self) -> Result<(), MergeConflict> {
        if !self.has_bounds {
            return Ok(());
        }
        let moves = |side: &OwnChanges, keys: &std::collections::BTreeSet<String>| {
            side.rows
                || side.cells.contains(&Column::Bounds)
                || side.cells.contains(&Column::OnScreen)
                || keys.contains(LEFT_OUT)
        };
        let says = |side: &OwnChanges| {
            side.cells.contains(&Column::Text) || side.cells.contains(&Column::Hint)
        };
        let ours = moves(self.ours, &self.header.ours);
        let theirs = moves(self.theirs, &self.header.theirs);
        if ours && (theirs || says(self.theirs)) || theirs && says(self.ours) {
            return Err(MergeConflict::Layout);
        }
        Ok(())
    }
}
