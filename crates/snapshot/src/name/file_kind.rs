//! Kinds of a golden's files, with the endings of their names.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileKind {
    /// `.tsv`: the shared rows without a class, rows with bounds with a class.
    Rows,
    Picture,
    Annotated,
    /// `.shared.new.tsv` of a class: the shared rows that it proposes if another class proposes different
    /// ones.
    Shared,
}

impl FileKind {
    /// All endings, longer ones first: `.annotated.new.png` ends in `.new.png`, and that in `.png`.
    pub(super) const ALL: [(Self, bool); 7] = [
        (Self::Shared, true),
        (Self::Annotated, true),
        (Self::Annotated, false),
        (Self::Picture, true),
        (Self::Rows, true),
        (Self::Picture, false),
        (Self::Rows, false),
    ];

    /// Returns the ending of a file's name. [`FileKind::Shared`] that is not pending has the ending of rows.
    pub(super) fn ending(self, pending: bool) -> &'static str {
        match (self, pending) {
            (Self::Shared, true) => ".shared.new.tsv",
            (Self::Rows | Self::Shared, false) => ".tsv",
            (Self::Rows, true) => ".new.tsv",
            (Self::Picture, false) => ".png",
            (Self::Picture, true) => ".new.png",
            (Self::Annotated, false) => ".annotated.png",
            (Self::Annotated, true) => ".annotated.new.png",
        }
    }
}
