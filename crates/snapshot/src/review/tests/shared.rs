//! Tests of shared rows that several devices propose.

use super::*;

fn device_subject(version: u8, name: &str) -> Subject {
    let mut subject = observed(version);
    subject.class = class(name);
    subject
}

fn keys_of(store: &Store) -> Vec<String> {
    let entries = store.pending().unwrap();
    entries.iter().map(|entry| entry.key.to_string()).collect()
}

fn shared_of(store: &Store, key: &str) -> Vec<String> {
    let entries = store.pending().unwrap();
    let entry = entries.iter().find(|entry| entry.key.to_string() == key);
    let files = &entry.unwrap().files;
    files
        .iter()
        .filter(|file| file.shared)
        .map(|file| file.pending.file_name().unwrap().to_owned())
        .collect()
}

#[test]
fn rejecting_for_one_class_keeps_the_others_proposal() {
    let (_guard, store, root) = store();
    for class in ["lab", "other"] {
        update(&store, "a", UpdateMode::Pending, &device_subject(2, class));
    }
    store.reject(&keys(&["shop/login/a~lab"])).unwrap();
    assert_eq!(keys_of(&store), ["shop/login/a~other"]);
    assert_eq!(shared_of(&store, "shop/login/a~other"), ["a.new.tsv"]);
    store.undo().unwrap();
    assert_eq!(keys_of(&store), ["shop/login/a~lab", "shop/login/a~other"]);
    store
        .reject(&keys(&["shop/login/a~lab", "shop/login/a~other"]))
        .unwrap();
    assert!(files(&root).is_empty());
    store.undo().unwrap();
    store.accept(&keys(&["shop/login/a~other"])).unwrap();
    assert_eq!(
        keys_of(&store),
        ["shop/login/a~lab"],
        "its own files still wait"
    );
    store.accept(&Selection::All).unwrap();
    assert_eq!(files(&root), goldens(&root));
}

#[test]
fn classes_that_propose_different_rows_wait_beside_each_other() {
    let (_guard, store, root) = store();
    update(&store, "a", UpdateMode::New, &device_subject(1, "lab"));
    let old = goldens(&root);
    update(&store, "a", UpdateMode::Pending, &device_subject(2, "lab"));
    update(
        &store,
        "a",
        UpdateMode::Pending,
        &device_subject(3, "other"),
    );
    let waiting = files(&root);
    assert_eq!(shared_of(&store, "shop/login/a~lab"), ["a.new.tsv"]);
    assert_eq!(
        shared_of(&store, "shop/login/a~other"),
        ["a~other.shared.new.tsv"]
    );
    for (key, text) in [("lab", "Pay 2"), ("other", "Pay 3")] {
        let diff = store.pending_diff(&format!("shop/login/a~{key}")).unwrap();
        let rows = diff.rows.join("\n");
        assert!(rows.contains(text), "{key}: {rows}");
    }
    // Both at once: only one can be what all devices share.
    let done = store.accept(&Selection::All).unwrap();
    assert_eq!(display(&done.accepted), ["shop/login/a~lab"]);
    assert!(matches!(
        done.refused.as_slice(),
        [(_, SnapshotError::Rival(_))]
    ));
    // The one that lost was compared with a golden that is gone now.
    let done = store.accept(&Selection::All).unwrap();
    assert!(matches!(
        done.refused.as_slice(),
        [(_, SnapshotError::GoldenChanged(_))]
    ));
    store.undo().unwrap().unwrap();
    assert_eq!(files(&root), waiting);
    let done = store.accept(&keys(&["shop/login/a~other"])).unwrap();
    assert_eq!(display(&done.accepted), ["shop/login/a~other"]);
    assert!(String::from_utf8_lossy(&goldens(&root)["a.tsv"]).contains("Pay 3"));
    store.undo().unwrap().unwrap();
    store.reject(&keys(&["shop/login/a~lab"])).unwrap();
    assert_eq!(keys_of(&store), ["shop/login/a~other"]);
    // It proposes the same as before, now alone; a run that passes takes it away.
    update(
        &store,
        "a",
        UpdateMode::Pending,
        &device_subject(3, "other"),
    );
    assert_eq!(shared_of(&store, "shop/login/a~other"), ["a.new.tsv"]);
    update(
        &store,
        "a",
        UpdateMode::Pending,
        &device_subject(1, "other"),
    );
    assert_eq!(files(&root), old);
}

#[test]
fn an_import_joins_what_waits() {
    let (_guard, store, root) = store();
    let proposal = |subject: &Subject| {
        let golden = store.load(&key("a").with_class(&subject.class)).unwrap();
        let check = check(subject, &golden, &Options::default()).unwrap();
        Store::proposal(&golden, &check).unwrap()
    };
    let runs = [
        device_subject(2, "one"),
        device_subject(2, "two"),
        device_subject(3, "three"),
    ]
    .map(|subject| proposal(&subject));
    for run in &runs {
        let files = run
            .iter()
            .map(|(path, bytes)| (path.as_path(), bytes.as_slice()));
        store.import_pending(files).unwrap();
    }
    assert_eq!(
        keys_of(&store),
        ["shop/login/a~one", "shop/login/a~three", "shop/login/a~two"]
    );
    assert_eq!(
        shared_of(&store, "shop/login/a~three"),
        ["a~three.shared.new.tsv"]
    );
    store.reject(&Selection::All).unwrap();
    assert!(files(&root).is_empty());
}

#[test]
fn an_import_of_shared_rows_alone_takes_the_place_of_an_earlier_proposal() {
    let (_guard, store, root) = two_pending();
    // Only the shared rows are missing, and the screen is that of the class's golden.
    fs_err::remove_file(root.join("snapshots/shop/login/a.tsv")).unwrap();
    let golden = store.load(&key("a")).unwrap();
    let check = check(&observed(1), &golden, &Options::default()).unwrap();
    let proposed = Store::proposal(&golden, &check).unwrap();
    let paths: Vec<&str> = proposed.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["shop/login/a.new.tsv"]);
    let proposed = proposed.iter();
    store
        .import_pending(proposed.map(|(path, bytes)| (path.as_path(), bytes.as_slice())))
        .unwrap();
    let done = store.accept(&keys(&["shop/login/a~lab"])).unwrap();
    assert_eq!(
        display(&done.accepted),
        ["shop/login/a~lab"],
        "{:?}",
        done.refused
    );
    assert_eq!(keys_of(&store), ["shop/login/b~lab"]);
}

#[test]
fn a_pending_file_says_why_without_being_read_whole() {
    let (_guard, store, _root) = two_pending();
    let entry = &store.pending().unwrap()[0];
    let cause = entry.cause.clone().unwrap();
    assert_eq!(
        cause,
        store.pending_diff(&entry.key.to_string()).unwrap().cause
    );
    update(&store, "a", UpdateMode::Pending, &observed(3));
    assert_ne!(store.pending().unwrap()[0].version, entry.version);
}
