//! The header's settings, by key.

use std::collections::BTreeSet;

use super::super::merged;
use super::super::tsv::{Metadata, SCHEMA};
use super::MergeConflict;
use super::change::Changed;

/// The merged header, and which keys only one side changed.
pub(super) struct Header {
    pub metadata: Metadata,
    pub ours: BTreeSet<String>,
    pub theirs: BTreeSet<String>,
}

/// Merges the settings. Whether a person has looked at a version is no setting of it.
pub(super) fn merge(
    base: &Metadata,
    ours: &Metadata,
    theirs: &Metadata,
) -> Result<Header, MergeConflict> {
    let schema = SCHEMA.to_string();
    let is_known = |side: &&Metadata| side.get("schema").is_none_or(|it| *it == schema);
    if ![base, ours, theirs].iter().all(is_known) {
        return Err(MergeConflict::Format);
    }
    let mut header = Header {
        metadata: Metadata::new(),
        ours: BTreeSet::new(),
        theirs: BTreeSet::new(),
    };
    let keys: BTreeSet<&String> = base
        .keys()
        .chain(ours.keys())
        .chain(theirs.keys())
        .collect();
    for key in keys.into_iter().filter(|key| *key != merged::KEY) {
        let value = match Changed::of(&base.get(key), &ours.get(key), &theirs.get(key)) {
            Changed::Differently => return Err(MergeConflict::Header(key.clone())),
            Changed::Theirs => {
                header.theirs.insert(key.clone());
                theirs.get(key)
            }
            changed => {
                if changed == Changed::Ours {
                    header.ours.insert(key.clone());
                }
                ours.get(key)
            }
        };
        let value = value.map(|value| (key.clone(), value.clone()));
        header.metadata.extend(value);
    }
    Ok(header)
}
