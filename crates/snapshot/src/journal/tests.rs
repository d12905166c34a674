//! Tests of the number of syncs of a batch, and of a journal that comes back after it was removed.

use super::*;

/// Returns changes that write new goldens: `goldens` in each of `folders` folders.
fn new_goldens(folders: usize, goldens: usize) -> Vec<Change> {
    let paths = (0..folders).flat_map(|folder| {
        (0..goldens).map(move |golden| format!("snapshots/f{folder}/g{golden}.tsv"))
    });
    let change = |path: String| Change {
        new: Some(path.clone().into_bytes()),
        path: path.into(),
        old: ABSENT.to_owned(),
        after: None,
    };
    paths.map(change).collect()
}

#[test]
fn a_batch_syncs_each_file_once_and_each_folder_twice() {
    for (folders, goldens) in [(1, 1), (1, 100), (5, 20)] {
        let temporary = tempfile::tempdir().unwrap();
        let disk = Disk::new(Utf8Path::from_path(temporary.path()).unwrap());
        let held = lock(&disk).unwrap();
        let before = disk.syncs();
        let changes = new_goldens(folders, goldens);
        commit(&disk, &held, &changes, DecisionKind::Run).unwrap();
        let there = |change: &Change| disk.read(&change.path).unwrap() == change.new;
        assert!(changes.iter().all(there));
        assert!(!is_unfinished(&disk));
        let files = changes.len() + 1;
        // Before and after the names of the goldens change; those above, which are new; the journal's.
        let names = 2 * folders + 2 + 1;
        let syncs = disk.syncs() - before;
        assert_eq!(syncs, files + if cfg!(unix) { names } else { 0 });
    }
}

#[test]
fn a_journal_that_a_crash_brings_back_is_done_once_more_without_harm() {
    let temporary = tempfile::tempdir().unwrap();
    let disk = Disk::new(Utf8Path::from_path(temporary.path()).unwrap());
    let held = lock(&disk).unwrap();
    let changes = new_goldens(1, 2);
    let step = |change: &Change| Step {
        path: change.path.clone(),
        old: change.old.clone(),
        new: change.new_hash(),
        after: None,
    };
    let journal = Journal {
        schema: SCHEMA,
        meaning: DecisionKind::Run,
        steps: changes.iter().map(step).collect(),
    };
    commit(&disk, &held, &changes, DecisionKind::Run).unwrap();
    // Somebody went on working with one of them.
    let edited = &changes[0].path;
    disk.write(edited, b"edited").unwrap();
    let text = serde_json::to_vec(&journal).unwrap();
    disk.write(Utf8Path::new(JOURNAL), &text).unwrap();
    assert!(recover(&disk, &held).unwrap());
    assert_eq!(disk.read(edited).unwrap().as_deref(), Some(&b"edited"[..]));
    assert_eq!(disk.read(&changes[1].path).unwrap(), changes[1].new);
    assert!(!is_unfinished(&disk));
}
