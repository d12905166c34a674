//! Tests of every action on files, which are stopped or fail at each single file operation.

use proptest::prelude::*;

use super::*;
use crate::fault::FaultEffect;

/// Returns the files that a person sees below the folder of goldens. Names that begin with `+` belong to the
/// program.
fn visible(root: &Utf8Path) -> Files {
    let mut files = files(root);
    files.retain(|name, _| !name.starts_with('+'));
    files
}

/// Checks that each file is complete and either old or new.
#[track_caller]
fn each_is_old_or_new(now: &Files, old: &Files, new: &Files, when: &str) {
    for name in old.keys().chain(new.keys()).chain(now.keys()) {
        let is = now.get(name);
        assert!(
            is == old.get(name) || is == new.get(name),
            "{name} is neither old nor new {when}"
        );
    }
}

type Action = fn(&Store) -> Result<(), SnapshotError>;

fn decide(store: &Store, decision: Decision) -> Result<(), SnapshotError> {
    let done = store.decide(&decision)?;
    assert!(done.refused.is_empty(), "{:?}", done.refused);
    Ok(())
}

/// All actions that write, by name.
const ACTIONS: [(&str, Action); 8] = [
    ("accept", |store| {
        store.accept(&Selection::All).map(|done| {
            assert!(done.refused.is_empty(), "{:?}", done.refused);
        })
    }),
    ("reject", |store| store.reject(&Selection::All).map(|_| ())),
    ("remove", |store| {
        decide(
            store,
            Decision {
                remove: vec![key_of("shop/login/c~lab"), key_of("shop/login/a~lab")],
                ..Decision::default()
            },
        )
    }),
    ("all at once", |store| {
        decide(
            store,
            Decision {
                accept: vec![key_of("shop/login/a~lab")],
                reject: vec![key_of("shop/login/b~lab")],
                remove: vec![key_of("shop/login/c~lab")],
                ..Decision::default()
            },
        )
    }),
    ("undo", |store| store.undo().map(|_| ())),
    ("update", |store| {
        apply(store, "a", UpdateMode::Changed, &observed(3))
    }),
    ("a run that differs", |store| {
        apply(store, "a", UpdateMode::Pending, &observed(3))
    }),
    ("import", |store| {
        let mark = pending::Mark {
            against: "none".to_owned(),
            by: BTreeSet::from(["lab".to_owned()]),
            parts: std::collections::BTreeMap::new(),
            cause: None,
            masked: None,
        };
        let bytes = pending::mark(b"id\n", &mark);
        let paths = ["shop/login/a.new.tsv", "shop/login/a~lab.new.tsv"].map(Utf8Path::new);
        store.import_pending(paths.map(|path| (path, bytes.as_slice())))
    }),
];

fn apply(
    store: &Store,
    name: &str,
    mode: UpdateMode,
    subject: &Subject,
) -> Result<(), SnapshotError> {
    let golden = store.load(&key(name).with_class(&subject.class))?;
    let check = check(subject, &golden, &Options::default())?;
    store.apply(mode, &golden, &check).map(|_| ())
}

/// Returns a project with goldens `a`, `b` and `c`; `a` and `b` are pending, and there is a decision to undo.
fn project() -> Template {
    let (guard, store, root) = two_pending();
    update(&store, "c", UpdateMode::New, &observed(1));
    update(&store, "d", UpdateMode::New, &observed(1));
    update(&store, "d", UpdateMode::Pending, &observed(2));
    let d = key_of("shop/login/d~lab");
    store.accept(&keys(&[&d.to_string()])).unwrap();
    Template(guard, root)
}

#[test]
fn whatever_is_stopped_anywhere_is_done_or_not() {
    let template = project();
    for (name, action) in ACTIONS {
        let (_guard, store, root) = template.copy();
        let old = files(&root);
        action(&store).unwrap();
        let new = files(&root);
        assert_ne!(old, new, "{name} does something");
        assert_eq!(new, visible(&root), "{name} leaves nothing else");
        for steps in 0.. {
            let when = format!("when {name} is stopped after {steps} steps");
            let (_guard, store, root) = template.copy();
            let done = action(&store.stopping_after(steps)).is_ok();
            each_is_old_or_new(&visible(&root), &old, &new, &when);
            store.recover().unwrap();
            assert!(!store.recover().unwrap(), "once is enough {when}");
            let after = visible(&root);
            // The next command leaves nothing of what was prepared.
            assert_eq!(after, files(&root), "{when}");
            assert!(after == old || after == new, "half done {when}");
            if done {
                assert!(steps > 5, "{name} has steps to stop at");
                assert_eq!(after, new, "{when}");
                break;
            }
            // Whatever was left, the same can be done again, and comes to the same end.
            if after == old {
                action(&store).unwrap();
            }
            assert_eq!(visible(&root), new, "again, {when}");
        }
    }
}

/// Files of a person whose names begin with `+` are not the program's.
#[test]
fn what_a_person_put_there_is_not_cleaned_away() {
    let (_guard, store, root) = project().copy();
    let folder = root.join("snapshots/shop/login");
    let mine = [
        "+notes.new.png",
        "+notes.tsv.new.png",
        "+notes.new.tsv",
        "+.tsv.new.tsv",
        "+x.txt",
    ];
    for name in mine {
        fs_err::write(folder.join(name), "mine").unwrap();
    }
    let left = ["+a.tsv.new.tsv", "+a~lab.new.png.new.png"];
    for name in left {
        fs_err::write(folder.join(name), "ours").unwrap();
    }
    store.recover().unwrap();
    store.accept(&Selection::All).unwrap();
    let is_there = |name: &&str| folder.join(name).exists();
    assert!(mine.iter().all(is_there), "{:?}", files(&root).keys());
    assert!(!left.iter().any(is_there));
}

#[test]
fn a_full_disk_changes_nothing_and_is_told() {
    let template = project();
    for (name, action) in ACTIONS {
        let (_guard, store, root) = template.copy();
        let old = files(&root);
        action(&store).unwrap();
        let new = files(&root);
        let mut refused = 0;
        for steps in 0.. {
            let when = format!("when step {steps} of {name} finds the disk full");
            let (_guard, store, root) = template.copy();
            let failing = store.failing_after(steps, FaultEffect::Fail);
            let result = action(&failing);
            if !failing.folder.disk.has_failed() {
                assert!(result.is_ok() && steps > 5, "{name} has steps to fail at");
                break;
            }
            match result {
                // What failed could be done without: forgetting an old decision, a second name for a file.
                Ok(()) => assert_eq!(files(&root), new, "{when}"),
                Err(SnapshotError::Unfinished(_)) => {
                    store.recover().unwrap();
                    assert_eq!(files(&root), new, "{when}");
                }
                Err(error) => {
                    assert!(matches!(error, SnapshotError::Io { .. }), "{error} {when}");
                    assert_eq!(files(&root), old, "{when}");
                    assert!(!store.recover().unwrap(), "nothing was promised {when}");
                    refused += 1;
                }
            }
        }
        assert!(refused > 3, "{name} was refused {refused} times");
    }
}

#[test]
fn what_cannot_be_finished_now_either_is_told_as_such() {
    let template = project();
    let begun = (0..500).find_map(|steps| {
        let (guard, store, root) = template.copy();
        let ended = store.stopping_after(steps).accept(&Selection::All);
        matches!(ended, Err(SnapshotError::Unfinished(_))).then_some((guard, store, root))
    });
    let (_guard, store, root) = begun.unwrap();
    let left = files(&root);
    for act in [Store::recover, |store: &Store| store.undo().map(|_| true)] {
        let error = act(&store.stopping_after(0)).unwrap_err();
        assert!(matches!(error, SnapshotError::Unfinished(_)), "{error}");
        assert_eq!(files(&root), left);
    }
}

#[test]
fn what_was_begun_is_finished_where_somebody_emptied_the_history() {
    let template = project();
    let mut reached = false;
    for steps in 0..200 {
        let (_guard, store, root) = template.copy();
        if store.stopping_after(steps).accept(&Selection::All).is_ok() {
            break;
        }
        if !root.join(".runner/goldens.journal").exists() {
            continue;
        }
        reached = true;
        fs_err::remove_dir_all(root.join(".runner/undo")).unwrap();
        assert!(store.recover().unwrap());
        assert_eq!(files(&root), goldens(&root), "all of it was accepted");
        assert_eq!(store.undo().unwrap(), None);
    }
    assert!(reached, "some stop left a journal");
}

#[derive(Debug, Clone)]
enum Act {
    Propose(&'static str, u8),
    Update(&'static str, u8),
    Decide(Vec<(&'static str, u8)>),
    Undo,
    Edit(&'static str),
}

fn act() -> impl Strategy<Value = Act> {
    let name = || prop_oneof![Just("a"), Just("b")];
    prop_oneof![
        3 => (name(), 1..5_u8).prop_map(|(name, version)| Act::Propose(name, version)),
        1 => (name(), 1..5_u8).prop_map(|(name, version)| Act::Update(name, version)),
        4 => prop::collection::vec((name(), 0..3_u8), 1..3).prop_map(Act::Decide),
        3 => Just(Act::Undo),
        1 => name().prop_map(Act::Edit),
    ]
}

/// Carries out an action and returns its result, which may be an error.
fn act_out(store: &Store, root: &Utf8Path, act: &Act) -> Result<(), SnapshotError> {
    match act {
        Act::Propose(name, version) => apply(store, name, UpdateMode::Pending, &observed(*version)),
        Act::Update(name, version) => apply(store, name, UpdateMode::All, &observed(*version)),
        Act::Decide(parts) => {
            let chosen = |what: u8| -> Vec<GoldenKey> {
                let parts = parts.iter().filter(|(_, part)| *part == what);
                parts
                    .map(|(name, _)| key_of(&format!("shop/login/{name}~lab")))
                    .collect()
            };
            let decision = Decision {
                accept: chosen(0),
                reject: chosen(1),
                remove: chosen(2),
                ..Decision::default()
            };
            store.decide(&decision).map(|_| ())
        }
        Act::Undo => store.undo().map(|_| ()),
        Act::Edit(name) => {
            let path = root.join(format!("snapshots/shop/login/{name}.tsv"));
            if let Ok(text) = fs_err::read_to_string(&path) {
                fs_err::write(path, text.replace("Pay", "Edit")).unwrap();
            }
            Ok(())
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Proposals, decisions, undos, edits and interruptions in any order: each step must be done or not, and
    /// each file complete.
    #[test]
    fn any_sequence_leaves_everything_old_or_new(
        acts in prop::collection::vec((act(), prop::option::of(0..60_usize)), 1..14)
    ) {
        let (_guard, store, root) = store();
        update(&store, "a", UpdateMode::New, &observed(1));
        for (act, stop) in acts {
            let old = visible(&root);
            // The same, done to its end, somewhere else.
            let (_other, other_store, other_root) = copy(&root);
            let _ = act_out(&other_store, &other_root, &act);
            let new = visible(&other_root);
            let store = stop.map_or_else(|| store.clone(), |steps| store.stopping_after(steps));
            let _ = act_out(&store, &root, &act);
            each_is_old_or_new(&visible(&root), &old, &new, &format!("after {act:?}, {stop:?}"));
            let store = Store::new(&root, Utf8Path::new("snapshots"));
            store.recover().unwrap();
            let now = visible(&root);
            prop_assert!(now == old || now == new, "{act:?} is half done, {stop:?}");
            if stop.is_none() {
                prop_assert_eq!(now, new);
            }
        }
    }
}
