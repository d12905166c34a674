use std::collections::BTreeMap;

use camino::Utf8Path;

use super::*;
use crate::{Decision, Store};

mod crashes;
mod shared;
mod undo;
use crate::fixture::{FORM, class, key, picture, store, subject};
use crate::options::Image;
use crate::{Options, Subject, UpdateMode, check};

/// Returns the form with a different text and picture for each `version`.
fn observed(version: u8) -> Subject {
    let text = format!("Pay {version}");
    let mut form = FORM;
    form[2].2 = &text;
    let mut subject = subject(&form);
    subject.picture = Some(picture(&[[10, 100, 20 + i32::from(version), 140]]));
    subject
}

fn update(store: &Store, name: &str, mode: UpdateMode, subject: &Subject) {
    let golden = store.load(&key(name).with_class(&subject.class)).unwrap();
    let check = check(subject, &golden, &Options::default()).unwrap();
    store.apply(mode, &golden, &check).unwrap();
}

fn keys(selection: &[&str]) -> Selection {
    Selection::Keys(selection.iter().map(|key| (*key).to_owned()).collect())
}

fn display(keys: &[GoldenKey]) -> Vec<String> {
    keys.iter().map(ToString::to_string).collect()
}

type Files = BTreeMap<String, Vec<u8>>;

/// Returns all files below the folder of goldens by name, also those behind links.
fn files(root: &Utf8Path) -> Files {
    walkdir::WalkDir::new(root.join("snapshots"))
        .follow_links(true)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, fs_err::read(entry.path()).unwrap())
        })
        .collect()
}

fn goldens(root: &Utf8Path) -> Files {
    let mut files = files(root);
    files.retain(|name, _| !name.contains(".new."));
    files
}

/// Returns a store with goldens `a` and `b` of version 1, and version 2 pending for both.
fn two_pending() -> (tempfile::TempDir, Store, Utf8PathBuf) {
    let (guard, store, root) = store();
    for name in ["a", "b"] {
        update(&store, name, UpdateMode::New, &observed(1));
        update(&store, name, UpdateMode::Pending, &observed(2));
    }
    (guard, store, root)
}

#[test]
fn accepting_makes_the_pending_bytes_the_golden() {
    let (_guard, store, root) = two_pending();
    let entries = store.pending().unwrap();
    assert_eq!(entries.len(), 2);
    let kinds: Vec<_> = entries[0]
        .files
        .iter()
        .map(|file| (file.kind, file.shared))
        .collect();
    assert_eq!(
        kinds,
        [
            (FileKind::Rows, true),
            (FileKind::Rows, false),
            (FileKind::Picture, false),
            (FileKind::Annotated, false)
        ]
    );
    let accepted = store.accept(&keys(&["shop/login/a~lab"])).unwrap();
    assert_eq!(display(&accepted.accepted), ["shop/login/a~lab"]);
    assert!(accepted.refused.is_empty());
    let golden = store.load(&key("a")).unwrap();
    assert!(
        check(&observed(2), &golden, &Options::default())
            .unwrap()
            .passed()
    );
    assert!(!String::from_utf8_lossy(&goldens(&root)["a.tsv"]).contains("pending"));
    let golden = store.load(&key("b")).unwrap();
    assert!(
        check(&observed(1), &golden, &Options::default())
            .unwrap()
            .passed(),
        "b is untouched"
    );
    assert_eq!(
        display(&store.reject(&Selection::All).unwrap()),
        ["shop/login/b~lab"]
    );
    assert_eq!(store.pending().unwrap(), []);
    assert_eq!(
        files(&root),
        goldens(&root),
        "nothing is left beside the goldens"
    );
}

#[test]
fn a_proposal_is_accepted_whole_or_not_at_all() {
    let (_guard, _store, root) = two_pending();
    let names: Vec<String> = files(&root)
        .into_keys()
        .filter(|name| name.starts_with('a') && name.contains(".new."))
        .filter(|name| !name.contains("annotated"))
        .collect();
    assert_eq!(names.len(), 3, "{names:?}");
    for missing in 1..7_u32 {
        for is_of_another_run in [false, true] {
            let (_guard, store, root) = two_pending();
            let before = files(&root);
            if is_of_another_run {
                update(&store, "a", UpdateMode::Pending, &observed(3));
            }
            for (at, name) in names.iter().enumerate() {
                let path = root.join("snapshots/shop/login").join(name);
                if missing & (1 << at) == 0 {
                    continue;
                }
                if is_of_another_run {
                    fs_err::write(path, &before[name]).unwrap();
                } else {
                    fs_err::remove_file(path).unwrap();
                }
            }
            let done = store.accept(&Selection::All).unwrap();
            assert_eq!(display(&done.accepted), ["shop/login/b~lab"]);
            assert!(
                matches!(done.refused.as_slice(), [(_, SnapshotError::NotWhole(_))]),
                "{missing} {is_of_another_run}: {:?}",
                done.refused
            );
            let now = goldens(&root);
            for name in ["a.tsv", "a~lab.tsv", "a~lab.png"] {
                assert_eq!(now[name], before[name], "{missing} {name}");
            }
        }
    }
}

#[test]
fn a_key_as_it_is_listed_is_no_glob() {
    let (_guard, store, _root) = two_pending();
    let mut entries = store.pending().unwrap();
    for listed in ["br[1]/home~lab", "a {b,c}/home~lab", "[/home~lab"] {
        entries[0].key = listed.parse().unwrap();
        for given in [listed, listed.trim_end_matches("~lab")] {
            let chosen = select(entries.clone(), &keys(&[given])).unwrap();
            assert_eq!(chosen.len(), 1, "{given}");
            assert_eq!(chosen[0].key.to_string(), listed);
        }
    }
}

#[test]
fn of_many_keys_a_few_are_told() {
    let (_guard, store, _root) = two_pending();
    let one = store.pending().unwrap().remove(0);
    let many: Vec<PendingEntry> = (100..200)
        .map(|number| PendingEntry {
            key: format!("flow/s{number}~lab").parse().unwrap(),
            ..one.clone()
        })
        .collect();
    let error = select(many, &keys(&["nope"])).unwrap_err().to_string();
    assert!(error.contains("flow/s100~lab, flow/s101~lab"), "{error}");
    assert!(
        error.ends_with("flow/s109~lab, and 90 more, which `runner pending` lists"),
        "{error}"
    );
}

#[test]
fn an_annotated_picture_of_before_goes_with_what_it_was_drawn_from() {
    let (_guard, store, root) = two_pending();
    let raw = |version| {
        let mut subject = observed(version);
        subject.options.image = Image::Raw;
        subject
    };
    let is_there = |name: &str| goldens(&root).contains_key(&format!("{name}~lab.annotated.png"));
    update(&store, "a", UpdateMode::Pending, &raw(3));
    let before = files(&root);
    store.accept(&keys(&["shop/login/a"])).unwrap();
    assert!(!is_there("a"), "it shows what the golden is not any more");
    store.undo().unwrap().unwrap();
    assert_eq!(files(&root), before);
    update(&store, "b", UpdateMode::All, &raw(3));
    assert!(!is_there("b") && is_there("a"));
}

#[test]
fn keys_and_globs() {
    let (_guard, store, _root) = two_pending();
    for (given, found) in [
        ("shop/login/a~lab", 1),
        ("shop/login/a", 1),
        ("shop/login/*", 2),
        ("shop/**", 2),
        ("shop/login/{a,b}~l*", 2),
    ] {
        let chosen = select(store.pending().unwrap(), &keys(&[given])).unwrap();
        assert_eq!(chosen.len(), found, "{given}");
    }
    for given in ["shop/*", "c", "shop/login/a~other", "["] {
        assert!(
            select(store.pending().unwrap(), &keys(&[given])).is_err(),
            "{given}"
        );
    }
    let error = store.accept(&keys(&["nope"])).unwrap_err().to_string();
    assert!(
        error.contains("shop/login/a~lab, shop/login/b~lab"),
        "{error}"
    );
}

#[test]
fn a_golden_that_changed_since_is_not_overwritten() {
    let (_guard, store, root) = two_pending();
    fs_err::write(root.join("snapshots/shop/login/a.tsv"), "edited").unwrap();
    let result = store.accept(&Selection::All).unwrap();
    assert_eq!(display(&result.accepted), ["shop/login/b~lab"]);
    assert!(matches!(
        result.refused.as_slice(),
        [(_, SnapshotError::GoldenChanged(_))]
    ));
    assert_eq!(goldens(&root)["a.tsv"], b"edited");
    assert_eq!(store.pending().unwrap().len(), 1, "it stays pending");
}

#[test]
fn a_pending_file_without_mark_is_not_accepted() {
    let (_guard, store, root) = store();
    fs_err::create_dir_all(root.join("snapshots/x")).unwrap();
    fs_err::write(root.join("snapshots/x/home.new.tsv"), "# schema=2\n").unwrap();
    let result = store.accept(&Selection::All).unwrap();
    assert!(matches!(
        result.refused.as_slice(),
        [(_, SnapshotError::NotPending(_))]
    ));
    assert!(goldens(&root).is_empty());
}

/// A picture without class, and a table that none of ours wrote, are a person's, whatever is done to all goldens.
#[test]
fn a_file_that_is_no_golden_is_never_touched() {
    let (_guard, store, root) = two_pending();
    let mine = [
        "design.png",
        "shop/login/design.new.png",
        "shop/login/users.tsv",
        "shop/notes.new.tsv",
    ];
    for name in mine {
        fs_err::write(root.join("snapshots").join(name), "mine\t1\n# schema\n").unwrap();
    }
    let lone = "# app=com.example schema=2\nclass\ttext\tdesc\tres_id\thint\tflags\n";
    for (name, head) in [
        ("lone", lone),
        ("old", "id\tclass\ttext\tdesc\tres_id\thint\tflags\n"),
        ("both", "<<<<<<< ours\n"),
        (
            "pointer",
            "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n",
        ),
        ("empty", ""),
    ] {
        fs_err::write(root.join(format!("snapshots/shop/{name}.tsv")), head).unwrap();
    }
    let all = store.obsolete(|_| false).unwrap();
    let expected = [
        "shop/both",
        "shop/empty",
        "shop/lone",
        "shop/old",
        "shop/pointer",
        "shop/login/a~lab",
        "shop/login/b~lab",
    ];
    assert_eq!(display(&all), expected);
    store.reject(&Selection::All).unwrap();
    store.remove(&all).unwrap();
    let left: Vec<String> = files(&root).into_keys().collect();
    assert_eq!(
        left,
        ["design.new.png", "design.png", "notes.new.tsv", "users.tsv"]
    );
}

#[test]
fn what_two_devices_propose_alike_is_accepted_once() {
    let (_guard, store, root) = store();
    let mut other = observed(1);
    other.class = class("other");
    update(&store, "a", UpdateMode::Pending, &observed(1));
    update(&store, "a", UpdateMode::Pending, &other);
    assert_eq!(store.pending().unwrap().len(), 2);
    assert_eq!(
        store
            .accept(&keys(&["shop/login/a"]))
            .unwrap()
            .accepted
            .len(),
        2
    );
    assert_eq!(files(&root), goldens(&root));
    for subject in [observed(1), other] {
        let golden = store.load(&key("a").with_class(&subject.class)).unwrap();
        assert!(
            check(&subject, &golden, &Options::default())
                .unwrap()
                .passed()
        );
    }
}

/// Project that is copied for each test, which costs less than making it anew.
#[expect(dead_code, reason = "the folder goes with its guard")]
struct Template(tempfile::TempDir, Utf8PathBuf);

impl Template {
    fn new() -> Self {
        let (guard, _, root) = two_pending();
        Self(guard, root)
    }

    fn copy(&self) -> (tempfile::TempDir, Store, Utf8PathBuf) {
        copy(&self.1)
    }
}

/// Copies the project with all its files.
fn copy(project: &Utf8Path) -> (tempfile::TempDir, Store, Utf8PathBuf) {
    let (guard, store, root) = store();
    for entry in walkdir::WalkDir::new(project)
        .into_iter()
        .filter_map(Result::ok)
    {
        let from = Utf8Path::from_path(entry.path()).unwrap();
        let to = root.join(from.strip_prefix(project).unwrap());
        if entry.file_type().is_dir() {
            fs_err::create_dir_all(&to).unwrap();
        } else {
            fs_err::copy(from, &to).unwrap();
        }
    }
    (guard, store, root)
}

fn key_of(key: &str) -> GoldenKey {
    key.parse().unwrap()
}

#[test]
fn a_golden_restored_before_the_next_start_is_not_overwritten() {
    let mut reached = false;
    let template = Template::new();
    for steps in 0..200 {
        let (_guard, store, root) = template.copy();
        if store.stopping_after(steps).accept(&Selection::All).is_ok() {
            break;
        }
        if !root.join(".runner/goldens.journal").exists() {
            continue;
        }
        reached = true;
        fs_err::write(root.join("snapshots/shop/login/a.tsv"), "restored").unwrap();
        store.recover().unwrap();
        assert_eq!(goldens(&root)["a.tsv"], b"restored", "after {steps} steps");
    }
    assert!(reached, "some stop left a journal");
}

#[test]
fn a_journal_that_leads_out_of_the_root_is_refused() {
    let (_guard, store, root) = store();
    fs_err::create_dir_all(root.join(".runner")).unwrap();
    for journal in [
        "not json",
        r#"{"schema":1,"steps":[]}"#,
        r#"{"schema":3,"meaning":"run","steps":[]}"#,
        r#"{"schema":2,"meaning":"run","steps":[{"path":"../x.tsv","old":"none","new":"0"}]}"#,
        r#"{"schema":2,"meaning":"run","steps":[{"path":"a.tsv","old":"none","new":"0","after":"/etc/x"}]}"#,
        r#"{"schema":2,"meaning":"run","steps":[{"path":".git/config","old":"none","new":"0"}]}"#,
    ] {
        fs_err::write(root.join(".runner/goldens.journal"), journal).unwrap();
        assert!(
            matches!(store.recover(), Err(SnapshotError::BrokenJournal { .. })),
            "{journal}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_refused() {
    let (_guard, store, root) = store();
    let outside = tempfile::tempdir().unwrap();
    fs_err::create_dir_all(root.join("snapshots/shop")).unwrap();
    fs_err::os::unix::fs::symlink(outside.path(), root.join("snapshots/shop/login")).unwrap();
    let golden = store.load(&key("home")).unwrap();
    let check = check(&observed(1), &golden, &Options::default()).unwrap();
    let error = store.apply(UpdateMode::All, &golden, &check).unwrap_err();
    assert!(matches!(error, SnapshotError::Outside(_)), "{error}");
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn two_reviewers_at_once_accept_everything_once() {
    let (_guard, store, root) = store();
    let names = ["a", "b", "c", "d"];
    for name in names {
        update(&store, name, UpdateMode::New, &observed(1));
        update(&store, name, UpdateMode::Pending, &observed(2));
    }
    let accepted: usize = std::thread::scope(|scope| {
        let reviewers: Vec<_> = (0..2)
            .map(|_| {
                let store = store.clone();
                scope.spawn(move || {
                    names
                        .iter()
                        .filter_map(|name| {
                            store.accept(&keys(&[&format!("shop/login/{name}")])).ok()
                        })
                        .map(|result| result.accepted.len())
                        .sum::<usize>()
                })
            })
            .collect();
        reviewers
            .into_iter()
            .map(|reviewer| reviewer.join().unwrap())
            .sum()
    });
    assert_eq!(accepted, names.len());
    assert_eq!(files(&root), goldens(&root));
    for name in names {
        let golden = store.load(&key(name)).unwrap();
        assert!(
            check(&observed(2), &golden, &Options::default())
                .unwrap()
                .passed()
        );
    }
}
