//! Whether what was proposed elsewhere waits for the reason it gives.

use super::journal::{self, Meaning};
use super::pending;
use super::{Cause, ChangeKind, PendingEntry, SnapshotError, Store};

impl Store {
    /// Looks at both sides of `entry`, and files it under what is seen there where it claims something else or
    /// nothing: goldens are accepted by groups of one cause, and what came from elsewhere may claim any. Returns whether it did.
    ///
    /// A run compares more strictly than this may, where its step says so: what is equal here stays as it is. So does what
    /// cannot be read; the review says that.
    pub fn confirm_cause(&self, entry: &PendingEntry) -> Result<bool, SnapshotError> {
        let Ok(seen) = self.diff_of(entry.clone()) else {
            return Ok(false);
        };
        // What is left where nothing else applies.
        let is_equal = seen.cause.kind == ChangeKind::New
            && !seen.is_new
            && (seen.golden.is_some() || seen.proposed.is_none());
        if is_equal || entry.cause.as_ref() == Some(&seen.cause) {
            return Ok(false);
        }
        self.file_under(entry, &seen.cause)
    }

    fn file_under(&self, entry: &PendingEntry, cause: &Cause) -> Result<bool, SnapshotError> {
        let lock = self.lock()?;
        if self.pending_for(&entry.key)?.as_ref() != Some(entry) {
            return Ok(false);
        }
        let mut changes = Vec::new();
        for file in &entry.files {
            let there = self.disk.read(&file.pending)?;
            if let Some((mut mark, bytes)) = there.as_deref().and_then(pending::unmark) {
                mark.cause = Some(cause.clone());
                changes.push(self.put(&file.pending, pending::mark(&bytes, &mark))?);
            }
        }
        journal::commit(&self.disk, &lock, &changes, Meaning::Run)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::fixture::{FORM, key, store, subject};
    use crate::snapshot::{Options, Subject, UpdateMode, check};

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

    #[test]
    fn a_cause_that_is_not_seen_is_replaced() {
        let (_guard, store, _root) = store();
        for name in ["one", "two", "liar"] {
            run(&store, name, UpdateMode::New, &subject(&FORM));
        }
        run(&store, "one", UpdateMode::Pending, &with_title("Store"));
        run(&store, "two", UpdateMode::Pending, &with_title("Store"));
        run(&store, "liar", UpdateMode::Pending, &with_title("Phish"));
        let entries = store.pending().unwrap();
        let [liar, one, two] = &entries[..] else {
            panic!("{entries:?}")
        };
        let honest = one.cause.clone().unwrap();
        assert_eq!(two.cause.as_ref(), Some(&honest));
        for entry in &entries {
            assert!(!store.confirm_cause(entry).unwrap(), "{entry:?}");
        }

        let own = liar.cause.clone().unwrap();
        store.file_under(liar, &honest).unwrap();
        let lie = store.pending_for(&liar.key).unwrap().unwrap();
        assert_eq!(lie.cause.as_ref(), Some(&honest));
        assert!(store.confirm_cause(&lie).unwrap());
        let seen = store.pending_for(&liar.key).unwrap().unwrap();
        assert_eq!(seen.cause, Some(own));
        assert!(!store.confirm_cause(&seen).unwrap());

        // The words of an honest id may lie too.
        let title = "nothing of importance".to_owned();
        store.file_under(&seen, &Cause { title, ..honest }).unwrap();
        let lie = store.pending_for(&liar.key).unwrap().unwrap();
        assert!(store.confirm_cause(&lie).unwrap());
        // Somebody decided meanwhile.
        assert!(!store.confirm_cause(&lie).unwrap());
    }
}
