//! Checks whether proposals from elsewhere have the cause that they claim.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;

use super::folder::GoldenFolder;
use super::journal::Change;
use super::pending_diff::diff_of;
use super::{Cause, ChangeKind, PendingEntry, SnapshotError, pending, review};

/// Pending files that are about to be written, by path.
pub(super) type Changes = BTreeMap<Utf8PathBuf, Change>;

/// Compares both sides of each proposal in `changes`, and replaces a missing or wrong cause in its mark by
/// the observed one. Nothing is written. Goldens are accepted by groups of one cause, and a proposal from
/// elsewhere could claim any. Proposals that cannot be compared keep their claim.
pub(super) fn confirm_causes(
    folder: &GoldenFolder,
    changes: &mut Changes,
) -> Result<(), SnapshotError> {
    let new = |(path, change): (&Utf8PathBuf, &Change)| Some((path.clone(), change.new.clone()?));
    let new: BTreeMap<Utf8PathBuf, Vec<u8>> = changes.iter().filter_map(new).collect();
    let files = new.keys().filter_map(|path| folder.file_at(path));
    let files = files.collect();
    // Checked before it is written: a crash between writing and checking would leave an unchecked claim.
    let written = folder.with_overlay(new);
    for entry in review::pending_among(&written, files)? {
        if let Some(cause) = observed_cause(&written, &entry) {
            file_under(&cause, &entry, changes);
        }
    }
    Ok(())
}

/// Returns the cause that a comparison of the files gives, if `entry` claims another one. Returns `None` for equal
/// files, since a run may compare more strictly than this, and for files that cannot be read; the review reports those.
fn observed_cause(folder: &GoldenFolder, entry: &PendingEntry) -> Option<Cause> {
    let observed = diff_of(folder, entry.clone()).ok()?;
    // `New` is also the kind if nothing else applies.
    let is_equal = observed.cause.kind == ChangeKind::New
        && !observed.is_new
        && (observed.golden.is_some() || observed.proposed.is_none());
    (!is_equal && entry.cause.as_ref() != Some(&observed.cause)).then_some(observed.cause)
}

/// Writes a cause into the marks of an entry's files, as far as these are among the changes and have a mark.
fn file_under(cause: &Cause, entry: &PendingEntry, changes: &mut Changes) {
    for file in &entry.files {
        if let Some(change) = changes.get_mut(&file.pending)
            && let Some((mut mark, bytes)) = change.new.as_deref().and_then(pending::unmark)
        {
            mark.cause = Some(cause.clone());
            change.new = Some(pending::mark(&bytes, &mark));
        }
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::fixture::{FORM, key, store, subject};
    use crate::{Options, Store, Subject, UpdateMode, check};

    fn run(store: &Store, name: &str, mode: UpdateMode, subject: &Subject) {
        let golden = store.load(&key(name)).unwrap();
        let check = check(subject, &golden, &Options::default()).unwrap();
        store.apply(mode, &golden, &check).unwrap();
    }

    fn with_title(title: &'static str) -> Subject {
        let mut form = FORM;
        form[0].2 = title;
        subject(&form)
    }

    /// Imports the pending files of a key as another run would send them, with this claimed cause.
    fn import_as_sent(store: &Store, root: &Utf8Path, name: &str, cause: Option<&Cause>) {
        let entry = store.pending_for(&key(name)).unwrap().unwrap();
        let files = entry.files.iter().map(|file| {
            let bytes = fs_err::read(root.join(&file.pending)).unwrap();
            let (mark, bytes) = pending::unmark(&bytes).unwrap();
            let mark = pending::Mark {
                cause: cause.cloned(),
                ..mark
            };
            let below = file.pending.strip_prefix("snapshots").unwrap().to_owned();
            (below, pending::mark(&bytes, &mark))
        });
        let files: Vec<_> = files.collect();
        let files = files
            .iter()
            .map(|(path, bytes)| (path.as_path(), bytes.as_slice()));
        store.import_pending(files).unwrap();
    }

    #[test]
    fn a_cause_that_is_not_seen_is_replaced() {
        let (_guard, store, root) = store();
        for name in ["one", "two", "liar"] {
            run(&store, name, UpdateMode::New, &subject(&FORM));
        }
        run(&store, "one", UpdateMode::Pending, &with_title("Store"));
        run(&store, "two", UpdateMode::Pending, &with_title("Store"));
        run(&store, "liar", UpdateMode::Pending, &with_title("Phish"));
        let cause = |name: &str| {
            store
                .pending_for(&key(name))
                .unwrap()
                .unwrap()
                .cause
                .unwrap()
        };
        let [one, two, own] = ["one", "two", "liar"].map(cause);
        assert_eq!(one, two);
        assert_ne!(one, own);

        import_as_sent(&store, &root, "one", Some(&one));
        assert_eq!(cause("one"), one, "an honest claim stays");
        import_as_sent(&store, &root, "two", None);
        assert_eq!(cause("two"), one, "what claims nothing is filed too");
        import_as_sent(&store, &root, "liar", Some(&one));
        assert_eq!(cause("liar"), own);
        // A correct id may come with false words.
        let title = "nothing of importance".to_owned();
        let words = Cause {
            title,
            ..own.clone()
        };
        import_as_sent(&store, &root, "liar", Some(&words));
        assert_eq!(cause("liar"), own);
    }
}
