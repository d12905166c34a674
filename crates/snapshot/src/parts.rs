//! Parts of a proposal: the files that one run proposed together, which are accepted together or not at all.

use std::collections::BTreeMap;

use super::FileKind;

/// Hashes of the files that one class proposed together, without their marks. The shared rows are
/// [`FileKind::Shared`], wherever they wait. Annotated pictures are drawn from the others and do not count.
pub(super) type Parts = BTreeMap<FileKind, String>;

/// Parts by the class that proposed them.
pub(super) type PartsOfClasses = BTreeMap<String, Parts>;

const NAMES: [(FileKind, &str); 3] = [
    (FileKind::Shared, "shared"),
    (FileKind::Rows, "rows"),
    (FileKind::Picture, "picture"),
];

/// Writes the parts in one word: `lab:shared.HASH,rows.HASH;large:shared.HASH`. Parts of other kinds than shared
/// rows, rows and picture are left out. Without classes it is empty.
pub(super) fn write(parts: &PartsOfClasses) -> String {
    let of_class = |(class, parts): (&String, &Parts)| {
        let parts = NAMES.iter().filter_map(|(kind, name)| {
            let version = parts.get(kind)?;
            Some(format!("{name}.{version}"))
        });
        format!("{class}:{}", parts.collect::<Vec<_>>().join(","))
    };
    let classes: Vec<String> = parts.iter().map(of_class).collect();
    classes.join(";")
}

/// Parses what [`write`] wrote. Parts that cannot be parsed are left out; a class of which no part can be read has
/// none.
pub(super) fn read(text: &str) -> PartsOfClasses {
    let part = |part: &str| {
        let (name, version) = part.split_once('.')?;
        let (kind, _) = NAMES.iter().find(|(_, known)| *known == name)?;
        Some((*kind, version.to_owned()))
    };
    let of_class = |class: &str| {
        let (class, parts) = class.split_once(':')?;
        Some((
            class.to_owned(),
            parts.split(',').filter_map(part).collect(),
        ))
    };
    text.split(';').filter_map(of_class).collect()
}
