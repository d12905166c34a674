//! Tests of undoing decisions.

use super::*;
use crate::UndoneDecision;

fn decision(accept: &[&str], reject: &[&str], remove: &[&str]) -> Decision {
    let keys = |keys: &[&str]| keys.iter().map(|key| key_of(key)).collect();
    Decision {
        accept: keys(accept),
        reject: keys(reject),
        remove: keys(remove),
        ..Decision::default()
    }
}

#[test]
fn decisions_are_taken_back_one_by_one() {
    let (_guard, store, root) = two_pending();
    update(&store, "c", UpdateMode::New, &observed(1));
    let first = files(&root);
    store
        .decide(&decision(
            &["shop/login/a~lab"],
            &["shop/login/b~lab"],
            &["shop/login/c~lab"],
        ))
        .unwrap();
    let second = files(&root);
    assert_eq!(second, goldens(&root));
    assert!(!second.contains_key("c.tsv"));
    update(&store, "b", UpdateMode::Pending, &observed(4));
    let third = files(&root);
    store.accept(&Selection::All).unwrap();
    // Another process takes them back.
    let other = Store::new(&root, Utf8Path::new("snapshots"));
    let undone = other.undo().unwrap().unwrap();
    assert_eq!(display(&undone.accepted), ["shop/login/b~lab"]);
    assert_eq!(files(&root), third);
    let undone = store.undo().unwrap().unwrap();
    assert_eq!(
        undone,
        UndoneDecision {
            accepted: vec![key_of("shop/login/a~lab")],
            rejected: vec![key_of("shop/login/b~lab")],
            removed: vec![key_of("shop/login/c~lab")],
        }
    );
    let mut expected = first.clone();
    expected.extend(
        third
            .into_iter()
            .filter(|(name, _)| name.starts_with('b') && name.contains(".new.")),
    );
    assert_eq!(
        files(&root),
        expected,
        "what a later run proposed for b stays"
    );
    assert_eq!(store.undo().unwrap(), None);
    let done = store.accept(&Selection::All).unwrap();
    assert_eq!(done.accepted.len(), 2, "{:?}", done.refused);
}

#[test]
fn undo_refuses_where_a_golden_changed_since() {
    let (_guard, store, root) = two_pending();
    store.accept(&Selection::All).unwrap();
    let accepted = files(&root);
    let path = root.join("snapshots/shop/login/a.tsv");
    fs_err::write(&path, "edited").unwrap();
    let edited = files(&root);
    let error = store.undo().unwrap_err();
    assert!(matches!(error, SnapshotError::UndoRefused(_)), "{error}");
    assert_eq!(files(&root), edited, "nothing was taken back");
    fs_err::write(&path, &accepted["a.tsv"]).unwrap();
    assert!(store.undo().unwrap().is_some());
    assert_eq!(store.pending().unwrap().len(), 2);
}

#[test]
fn undo_says_when_what_it_needs_is_gone() {
    let (_guard, store, root) = two_pending();
    store.accept(&Selection::All).unwrap();
    let accepted = files(&root);
    for entry in root.join(".runner/undo/1").read_dir_utf8().unwrap() {
        let path = entry.unwrap().into_path();
        if path.extension().is_none() {
            fs_err::write(path, "x").unwrap();
        }
    }
    let error = store.undo().unwrap_err();
    assert!(matches!(error, SnapshotError::NotStored { .. }), "{error}");
    assert_eq!(files(&root), accepted);
}

#[test]
fn editing_a_golden_does_not_reach_what_is_kept() {
    let (_guard, store, root) = two_pending();
    let old = files(&root);
    store.accept(&Selection::All).unwrap();
    let accepted = files(&root);
    // In place, as some editors do.
    for (name, bytes) in &accepted {
        let path = root.join("snapshots/shop/login").join(name);
        fs_err::write(&path, "edited").unwrap();
        fs_err::write(&path, bytes).unwrap();
    }
    store.undo().unwrap().unwrap();
    assert_eq!(files(&root), old);
}

#[cfg(unix)]
#[test]
fn a_golden_behind_a_link_is_accepted_and_taken_back_behind_it() {
    for is_folder in [false, true] {
        let (_guard, store, root) = two_pending();
        let old = files(&root);
        let link = root.join(if is_folder {
            "snapshots/shop/login"
        } else {
            "snapshots/shop/login/a~lab.png"
        });
        fs_err::rename(&link, root.join("real.png")).unwrap();
        let real = root.join("real.png");
        fs_err::os::unix::fs::symlink(&real, &link).unwrap();
        let waiting = store.pending().unwrap();
        assert_eq!(waiting.len(), 2);
        let accepted = store.accept(&Selection::All).unwrap();
        assert_eq!(accepted.accepted.len(), 2, "{:?}", accepted.refused);
        assert_ne!(files(&root), old);
        assert!(link.is_symlink());
        store.undo().unwrap().unwrap();
        assert_eq!(files(&root), old);
        assert_eq!(store.pending().unwrap(), waiting);
        assert!(link.is_symlink());
    }
}

/// A link out of the root, around itself, or to what is no golden is neither followed nor written through.
#[cfg(unix)]
#[test]
fn other_links_are_left_alone() {
    let (_guard, store, root) = two_pending();
    let outside = tempfile::tempdir().unwrap();
    let symlink = |to: &str, name: &str| {
        fs_err::os::unix::fs::symlink(to, root.join(name)).unwrap();
    };
    fs_err::write(outside.path().join("home~lab.tsv"), "mine").unwrap();
    let files = store.files().unwrap();
    symlink(outside.path().to_str().unwrap(), "snapshots/outside");
    symlink("..", "snapshots/shop/around");
    symlink("login", "snapshots/shop/alias");
    symlink("nowhere", "snapshots/shop/login/gone~lab.png");
    assert_eq!(store.files().unwrap(), files);
    let golden = "snapshots/shop/login/a~lab.tsv";
    fs_err::rename(root.join(golden), root.join("config")).unwrap();
    symlink("../../../config", golden);
    let before = fs_err::read(root.join("config")).unwrap();
    store.accept(&Selection::All).unwrap();
    assert_eq!(fs_err::read(root.join("config")).unwrap(), before);
}

#[test]
fn a_decision_about_what_is_gone_or_changed_is_refused() {
    let (_guard, store, root) = two_pending();
    let versions: BTreeMap<GoldenKey, String> = store
        .pending()
        .unwrap()
        .into_iter()
        .map(|entry| (entry.key, entry.version))
        .collect();
    update(&store, "a", UpdateMode::Pending, &observed(3));
    let before = files(&root);
    let mut decision = decision(
        &["shop/login/a~lab", "shop/login/x~lab"],
        &[],
        &["shop/login/y"],
    );
    decision.observed = versions;
    let done = store.decide(&decision).unwrap();
    assert!(matches!(
        done.refused.as_slice(),
        [
            (_, SnapshotError::LookAgain(_)),
            (_, SnapshotError::Gone(_)),
            (_, SnapshotError::Gone(_))
        ]
    ));
    assert_eq!(files(&root), before);
    assert_eq!(store.undo().unwrap(), None, "nothing was decided");
}

#[test]
fn what_flows_do_not_name_goes_with_what_is_pending_for_it() {
    let (_guard, store, root) = two_pending();
    let mut other = observed(1);
    other.class = class("other");
    update(&store, "a", UpdateMode::New, &other);
    let stray = root.join("snapshots/shop/login/notes.txt");
    fs_err::write(&stray, "mine").unwrap();
    fs_err::write(root.join("snapshots/shop/login/a b.tsv"), "mine").unwrap();
    let all = files(&root);
    let obsolete = store.obsolete(|key| key.name().as_str() != "a").unwrap();
    assert_eq!(
        display(&obsolete),
        ["shop/login/a~lab", "shop/login/a~other"]
    );
    store.remove(&obsolete[..1]).unwrap();
    let left = files(&root);
    assert!(left.contains_key("a.tsv"), "the other class still needs it");
    assert!(left.contains_key("a~other.png") && !left.contains_key("a~lab.png"));
    store.remove(&obsolete[1..]).unwrap();
    let left: Vec<_> = files(&root).into_keys().collect();
    assert!(
        left.iter()
            .all(|name| name.starts_with('b') || name == "notes.txt" || name == "a b.tsv"),
        "{left:?}"
    );
    store.undo().unwrap().unwrap();
    store.undo().unwrap().unwrap();
    assert_eq!(files(&root), all);
    store.remove(&[key_of("shop/login/a")]).unwrap();
    let now: Vec<_> = files(&root).into_keys().collect();
    assert_eq!(now, left, "a key without class stands for all");
}
