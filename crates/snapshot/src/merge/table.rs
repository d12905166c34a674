//! The three versions of a table, and the one that comes of them.

use std::collections::HashSet;
use std::ops::Range;

use super::super::merged;
use super::super::row::Row;
use super::super::tsv::{self, Table};
use super::align::{Identities, Identity, certain};
use super::change::{Changed, Column, OwnChanges};
use super::header::{self, Header};
use super::rules::Both;
use super::{MergeConflict, Side};

/// One version.
pub(super) struct Version {
    pub table: Table,
    pub has_bounds: bool,
    pub has_carriage_returns: bool,
}

impl Version {
    fn read(bytes: &[u8], side: Side) -> Result<Self, MergeConflict> {
        let text = std::str::from_utf8(bytes).map_err(|_| MergeConflict::NotText(side))?;
        let has_carriage_returns = text.contains("\r\n");
        let text = text.replace("\r\n", "\n");
        let table = tsv::read(&text).map_err(|error| MergeConflict::Unreadable {
            side,
            line: error.line,
            why: error.why,
        })?;
        let version = Self {
            table,
            has_bounds: text.lines().any(|line| line == tsv::CLASS_COLUMNS),
            has_carriage_returns,
        };
        // What reading loses, such as a comment, a merge would lose too.
        if version.text() == text {
            Ok(version)
        } else {
            Err(MergeConflict::Edited(side))
        }
    }

    /// As it is written, with the line ends of Unix.
    pub(super) fn text(&self) -> String {
        tsv::write(&self.table.metadata, &self.table.rows, self.has_bounds)
    }

    fn rows(&self) -> &[Row] {
        &self.table.rows
    }
}

/// What comes of them.
pub(super) enum Outcome {
    Ours,
    Theirs,
    Both(Table),
}

/// All three versions.
pub(super) struct Sides {
    base: Version,
    pub ours: Version,
    pub theirs: Version,
}

/// Where something is in each version.
#[derive(Debug, Clone)]
enum Part {
    /// The same row in all three.
    Row(usize, usize, usize),
    /// Rows that are not the same in all three, between those that are.
    Gap(Range<usize>, Range<usize>, Range<usize>),
}

/// What rows are known by, and where those of the base surely are.
struct Alignment {
    base: Vec<Identity>,
    ours: Vec<Identity>,
    theirs: Vec<Identity>,
    in_ours: Vec<Option<usize>>,
    in_theirs: Vec<Option<usize>>,
}

impl Alignment {
    fn parts(&self) -> Vec<Part> {
        let (mut base, mut ours, mut theirs) = (0, 0, 0);
        let mut parts = Vec::new();
        let gap = |base: Range<usize>, ours: Range<usize>, theirs: Range<usize>| {
            let is_empty = base.is_empty() && ours.is_empty() && theirs.is_empty();
            (!is_empty).then_some(Part::Gap(base, ours, theirs))
        };
        let pairs = self.in_ours.iter().zip(&self.in_theirs).enumerate();
        for (at, pair) in pairs {
            let (Some(in_ours), Some(in_theirs)) = pair else {
                continue;
            };
            parts.extend(gap(base..at, ours..*in_ours, theirs..*in_theirs));
            parts.push(Part::Row(at, *in_ours, *in_theirs));
            (base, ours, theirs) = (at + 1, in_ours + 1, in_theirs + 1);
        }
        parts.extend(gap(
            base..self.base.len(),
            ours..self.ours.len(),
            theirs..self.theirs.len(),
        ));
        parts
    }
}

/// Whether the rows of the base are there, all of them and no others.
fn is_as_base(pairs: &[Option<usize>], base: &Range<usize>, side: &Range<usize>) -> bool {
    base.len() == side.len()
        && base
            .clone()
            .zip(side.clone())
            .all(|(at, there)| pairs[at] == Some(there))
}

/// What both sides changed, while it is gathered.
#[derive(Default)]
struct Draft {
    rows: Vec<Row>,
    ours: OwnChanges,
    theirs: OwnChanges,
    /// A place where both changed which rows there are, in the same way.
    alike_rows: Option<String>,
    alike_removed: Vec<Identity>,
    /// A row of which both changed the same cell in the same way, where that may count something.
    alike_cell: Option<String>,
}

impl Sides {
    pub(super) fn read(base: &[u8], ours: &[u8], theirs: &[u8]) -> Result<Self, MergeConflict> {
        let sides = Self {
            base: Version::read(base, Side::Base)?,
            ours: Version::read(ours, Side::Ours)?,
            theirs: Version::read(theirs, Side::Theirs)?,
        };
        let has_bounds = sides.ours.has_bounds;
        if sides.base.has_bounds != has_bounds || sides.theirs.has_bounds != has_bounds {
            return Err(MergeConflict::Format);
        }
        Ok(sides)
    }

    pub(super) fn merge(&self) -> Result<Outcome, MergeConflict> {
        let (base, ours, theirs) = (self.base.rows(), self.ours.rows(), self.theirs.rows());
        let mut identities = Identities::of([base, ours, theirs]);
        let known = Alignment::of(&mut identities, [base, ours, theirs])?;
        let metadata = [&self.base, &self.ours, &self.theirs].map(|it| &it.table.metadata);
        let header = header::merge(metadata[0], metadata[1], metadata[2])?;
        let mut draft = Draft::default();
        for part in known.parts() {
            match part {
                Part::Row(at, in_ours, in_theirs) => {
                    draft.row((&base[at], at), &ours[in_ours], &theirs[in_theirs])?;
                }
                Part::Gap(at, in_ours, in_theirs) => {
                    self.gap(&mut draft, &known, at, in_ours, in_theirs)?;
                }
            }
        }
        self.conclude(draft, header, &identities)
    }

    /// Rows that are not the same in all three versions.
    fn gap(
        &self,
        draft: &mut Draft,
        known: &Alignment,
        at: Range<usize>,
        in_ours: Range<usize>,
        in_theirs: Range<usize>,
    ) -> Result<(), MergeConflict> {
        let base = &self.base.rows()[at.clone()];
        let ours = &self.ours.rows()[in_ours.clone()];
        let theirs = &self.theirs.rows()[in_theirs.clone()];
        let old = (base, &known.base[at.clone()]);
        let kept_by_ours = is_as_base(&known.in_ours, &at, &in_ours);
        let kept_by_theirs = is_as_base(&known.in_theirs, &at, &in_theirs);
        let same = |side: &[Row]| {
            let pairs = base.iter().zip(side).enumerate();
            let changed = pairs.into_iter().find(|(_, (one, other))| one != other);
            changed.map_or(Ok(()), |(number, (row, _))| {
                Err(MergeConflict::Gone(row.name(at.start + number + 1)))
            })
        };
        match (kept_by_ours, kept_by_theirs) {
            (true, _) => {
                same(ours)?;
                draft.rows.extend_from_slice(theirs);
                draft
                    .theirs
                    .replace(old, (theirs, &known.theirs[in_theirs]));
            }
            (false, true) => {
                same(theirs)?;
                draft.rows.extend_from_slice(ours);
                draft.ours.replace(old, (ours, &known.ours[in_ours]));
            }
            (false, false) if ours == theirs => {
                draft.rows.extend_from_slice(ours);
                draft.alike_removed.extend(old.1);
                draft.alike_rows = Some(self.place(at.start));
            }
            (false, false) => return Err(MergeConflict::Rows(self.place(at.start))),
        }
        Ok(())
    }

    /// A place between rows, for people.
    fn place(&self, at: usize) -> String {
        match at
            .checked_sub(1)
            .map(|above| (above, self.base.rows().get(above)))
        {
            Some((above, Some(row))) => format!("below {}", row.name(above + 1)),
            _ => "at the top".to_owned(),
        }
    }

    fn conclude(
        &self,
        draft: Draft,
        header: Header,
        identities: &Identities<'_>,
    ) -> Result<Outcome, MergeConflict> {
        let has_ours = draft.ours.any() || !header.ours.is_empty();
        let has_theirs = draft.theirs.any() || !header.theirs.is_empty();
        // Removed by both, and put elsewhere by one: nobody knows whether it is to be there.
        let mut inserted = draft.ours.inserted.iter().chain(&draft.theirs.inserted);
        if inserted.any(|row| draft.alike_removed.contains(row)) {
            return Err(MergeConflict::Moved);
        }
        match (has_ours, has_theirs) {
            (_, false) => return Ok(Outcome::Ours),
            (false, true) => return Ok(Outcome::Theirs),
            (true, true) => {}
        }
        if let Some(alike) = draft.alike_rows.or(draft.alike_cell) {
            return Err(MergeConflict::Alike(alike));
        }
        let both = Both {
            ours: &draft.ours,
            theirs: &draft.theirs,
            header: &header,
            rows: [self.base.rows(), self.ours.rows(), self.theirs.rows()],
            has_bounds: self.ours.has_bounds,
        };
        both.check()?;
        let mut ids = HashSet::new();
        let twice = draft.rows.iter().enumerate().find(|(_, row)| {
            identities.has_own_id(row) && !ids.insert((row.class.as_str(), row.res_id.as_str()))
        });
        if let Some((at, row)) = twice {
            return Err(MergeConflict::Twice(row.name(at + 1)));
        }
        let mut metadata = header.metadata;
        merged::mark(&mut metadata);
        Ok(Outcome::Both(Table {
            metadata,
            rows: draft.rows,
        }))
    }
}

impl Alignment {
    fn of<'a>(
        identities: &mut Identities<'a>,
        [base, ours, theirs]: [&'a [Row]; 3],
    ) -> Result<Self, MergeConflict> {
        let [base, ours, theirs] = [base, ours, theirs].map(|rows| identities.of_rows(rows));
        let in_ours = certain(&base, &ours).ok_or(MergeConflict::TooLong)?;
        let in_theirs = certain(&base, &theirs).ok_or(MergeConflict::TooLong)?;
        Ok(Self {
            base,
            ours,
            theirs,
            in_ours,
            in_theirs,
        })
    }
}

impl Draft {
    /// A row that is the same in all three versions, cell by cell.
    fn row(
        &mut self,
        (base, at): (&Row, usize),
        ours: &Row,
        theirs: &Row,
    ) -> Result<(), MergeConflict> {
        let mut row = ours.clone();
        for column in Column::ALL {
            match column.changed(base, ours, theirs) {
                Changed::No => {}
                Changed::Ours => self.ours.cell(column, base, ours),
                Changed::Theirs => {
                    column.take(&mut row, theirs);
                    self.theirs.cell(column, base, theirs);
                }
                Changed::Alike => {
                    if column.may_count(base) || column.may_count(ours) {
                        self.alike_cell = Some(base.name(at + 1));
                    }
                }
                Changed::Differently => {
                    return Err(MergeConflict::Cell {
                        row: base.name(at + 1),
                        column: column.name(),
                    });
                }
            }
        }
        self.rows.push(row);
        Ok(())
    }
}
