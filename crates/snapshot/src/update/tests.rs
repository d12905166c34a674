use camino::Utf8PathBuf;
use proptest::prelude::*;

use crate::fixture::{FORM, class, key, picture, store, subject};
use crate::{GoldenKey, Options, SnapshotError, Store, Subject, UpdateMode, check};

/// Device in a run: it first reads the golden, and later writes what it observed.
struct Device {
    key: GoldenKey,
    shows: Subject,
    read: Option<crate::Golden>,
}

fn device(key: &str, title: &'static str) -> Device {
    let key: GoldenKey = format!("shop/login/{key}").parse().unwrap();
    let mut form = FORM;
    form[0].2 = title;
    Device {
        shows: Subject {
            class: key.class().cloned().unwrap_or_else(|| class("lab")),
            ..subject(&form)
        },
        key,
        read: None,
    }
}

impl Device {
    /// Does the next of the two things.
    fn go_on(&mut self, store: &Store, mode: UpdateMode) -> Result<bool, SnapshotError> {
        let Some(golden) = self.read.take() else {
            self.read = Some(store.load(&self.key)?);
            return Ok(true);
        };
        let check = check(&self.shows, &golden, &Options::default())?;
        Ok(store.apply(mode, &golden, &check)?.passes)
    }
}

fn texts(root: &Utf8PathBuf) -> Vec<(String, String)> {
    let folder = root.join("snapshots/shop/login");
    let mut files: Vec<_> = folder
        .read_dir_utf8()
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path().to_owned())
        .map(|path| {
            let bytes = fs_err::read(&path).unwrap();
            let name = path.file_name().unwrap().to_owned();
            (name, crate::golden::hash(&bytes))
        })
        .collect();
    files.sort();
    files
}

/// Orders in which two devices can do two things each.
const ORDERS: [[usize; 4]; 6] = [
    [0, 0, 1, 1],
    [0, 1, 0, 1],
    [0, 1, 1, 0],
    [1, 0, 0, 1],
    [1, 0, 1, 0],
    [1, 1, 0, 0],
];

/// Returns the files that two devices leave, and whether their steps passed. Checks that every order gives
/// the same.
fn in_every_order(
    stored: Option<&'static str>,
    mode: UpdateMode,
    displayed: [(&str, &'static str); 2],
) -> (Vec<String>, bool) {
    let outcomes = ORDERS.map(|order| {
        let (_guard, store, root) = store();
        if let Some(title) = stored {
            for _ in 0..2 {
                let mut before = device("home~lab", title);
                assert!(before.go_on(&store, UpdateMode::New).unwrap());
                assert!(before.go_on(&store, UpdateMode::New).unwrap());
            }
        }
        let store = store.for_one_run();
        let mut devices = displayed.map(|(key, title)| device(key, title));
        let mut passes = true;
        for at in order {
            passes &= devices[at].go_on(&store, mode).unwrap();
        }
        (texts(&root), passes)
    });
    for outcome in &outcomes {
        assert_eq!(outcome, &outcomes[0], "{stored:?} {mode:?} {displayed:?}");
    }
    let [(files, passes), ..] = outcomes;
    (files.into_iter().map(|(name, _)| name).collect(), passes)
}

#[test]
fn a_variant_shares_what_the_same_run_writes_for_all() {
    for (stored, mode) in [
        (None, UpdateMode::New),
        (None, UpdateMode::All),
        (Some("Shop"), UpdateMode::Changed),
        (Some("Shop"), UpdateMode::All),
    ] {
        let (files, passes) = in_every_order(
            stored,
            mode,
            [("home~lab", "Store"), ("home@tablet~large", "Store")],
        );
        assert!(passes);
        assert!(files.contains(&"home.tsv".to_owned()), "{files:?}");
        assert!(
            files.contains(&"home@tablet~large.png".to_owned()),
            "{files:?}"
        );
        assert!(!files.contains(&"home@tablet.tsv".to_owned()), "{files:?}");
    }
}

#[test]
fn a_variant_that_shows_something_else_has_its_own() {
    for (stored, mode) in [
        (None, UpdateMode::New),
        (None, UpdateMode::All),
        (Some("Shop"), UpdateMode::All),
    ] {
        let displayed = [("home~lab", "Store"), ("home@tablet~large", "Tablet store")];
        let (files, passes) = in_every_order(stored, mode, displayed);
        assert!(passes);
        assert!(files.contains(&"home@tablet.tsv".to_owned()), "{files:?}");
    }
}

#[test]
fn devices_that_share_a_golden_must_show_the_same() {
    for keys in [["home~a", "home~b"], ["home@x~a", "home@x~b"]] {
        let (_guard, store, root) = store();
        let store = store.for_one_run();
        let [mut one, mut other] = [device(keys[0], "Shop"), device(keys[1], "Store")];
        for _ in 0..2 {
            one.go_on(&store, UpdateMode::All).unwrap();
        }
        let before = texts(&root);
        other.go_on(&store, UpdateMode::All).unwrap();
        let refused = other.go_on(&store, UpdateMode::All);
        assert!(
            matches!(refused, Err(SnapshotError::OtherDevice(_))),
            "{refused:?}"
        );
        assert_eq!(texts(&root), before);
        // The first may try its flow again, and see something else.
        let mut again = device(keys[0], "Store");
        for _ in 0..2 {
            assert!(again.go_on(&store, UpdateMode::All).unwrap());
        }
        assert!(
            store
                .load(&again.key)
                .unwrap()
                .shared
                .unwrap()
                .contains("Store")
        );
    }
}

/// Returns a store with a golden of [`FORM`], and its two files of rows.
fn stored() -> (tempfile::TempDir, Store, [Utf8PathBuf; 2]) {
    let (guard, store, root) = store();
    let mut device = device("home~lab", "Shop");
    for _ in 0..2 {
        device.go_on(&store, UpdateMode::New).unwrap();
    }
    let rows =
        ["home.tsv", "home~lab.tsv"].map(|name| root.join("snapshots/shop/login").join(name));
    (guard, store, rows)
}

fn update(store: &Store, mode: UpdateMode, title: &'static str) -> crate::UpdateResult {
    let shows = device("home~lab", title).shows;
    let golden = store.load(&key("home")).unwrap();
    let check = check(&shows, &golden, &Options::default()).unwrap();
    store.apply(mode, &golden, &check).unwrap()
}

/// Rewrites a file as schema 1 did.
fn number(path: &Utf8PathBuf) {
    let text = fs_err::read_to_string(path).unwrap();
    let lines = text.lines().enumerate().map(|(at, line)| match at {
        0 => line.replace("schema=2", "schema=1"),
        1 => format!("id\t{line}"),
        _ => format!("n{}\t{line}", at - 1),
    });
    let lines: Vec<String> = lines.collect();
    fs_err::write(path, lines.join("\n") + "\n").unwrap();
}

#[test]
fn a_golden_of_schema_1_passes_and_is_written_anew_with_the_next_change() {
    let (_guard, store, rows) = stored();
    let read = || {
        rows.each_ref()
            .map(|path| fs_err::read_to_string(path).unwrap())
    };
    let now = read();
    rows.iter().for_each(number);
    let old = read();
    assert_ne!(old, now);
    for mode in [UpdateMode::Pending, UpdateMode::None, UpdateMode::New] {
        assert!(update(&store, mode, "Shop").passes);
        assert_eq!(read(), old, "{mode:?}");
    }
    assert!(update(&store, UpdateMode::Changed, "Shop").passes);
    assert_eq!(read(), now);
    // Where rows lie changed alone, and both files wait.
    rows.iter().for_each(number);
    let mut form = FORM;
    form[1].3 = [60, 50, 100, 70];
    let golden = store.load(&key("home")).unwrap();
    let checked = check(&subject(&form), &golden, &Options::default()).unwrap();
    store.apply(UpdateMode::Pending, &golden, &checked).unwrap();
    store.accept(&crate::Selection::All).unwrap();
    let accepted = read();
    assert!(
        accepted
            .iter()
            .all(|text| text.contains("schema=2\nclass\t")),
        "{accepted:?}"
    );
}

#[test]
fn rows_that_a_merge_tore_apart_are_told_and_written_anew() {
    let (_guard, store, [shared, of_class]) = stored();
    let torn = fs_err::read_to_string(&of_class).unwrap();
    let whole = torn.clone();
    fs_err::write(&of_class, torn.replace("Pay", "Buy")).unwrap();
    let golden = store.load(&key("home")).unwrap();
    let checked = check(&subject(&FORM), &golden, &Options::default()).unwrap();
    assert!(checked.passed());
    let warning = checked.warnings.join("\n");
    assert!(
        warning.contains("home~lab.tsv says something else than") && warning.contains("Button#pay"),
        "{warning}"
    );
    assert_eq!(
        update(&store, UpdateMode::Changed, "Shop").written,
        ["snapshots/shop/login/home~lab.tsv"]
    );
    assert_eq!(fs_err::read_to_string(&of_class).unwrap(), whole);
    assert_eq!(update(&store, UpdateMode::Changed, "Shop").written, [""; 0]);
    // What the screen itself shows to be wrong is a difference, and needs no warning.
    let text = fs_err::read_to_string(&shared).unwrap();
    fs_err::write(&shared, text.replace("Pay", "Buy")).unwrap();
    let golden = store.load(&key("home")).unwrap();
    let checked = check(&subject(&FORM), &golden, &Options::default()).unwrap();
    assert!(
        !checked.passed() && checked.warnings.is_empty(),
        "{:?}",
        checked.warnings
    );
}

#[test]
fn what_somebody_edits_during_the_run_is_not_overwritten() {
    let (_guard, store, root) = store();
    let store = store.for_one_run();
    let mut one = device("home~a", "Shop");
    for _ in 0..2 {
        one.go_on(&store, UpdateMode::All).unwrap();
    }
    let mut other = device("home~b", "Shop");
    other.go_on(&store, UpdateMode::All).unwrap();
    fs_err::write(root.join("snapshots/shop/login/home.tsv"), "mine").unwrap();
    let refused = other.go_on(&store, UpdateMode::All);
    assert!(
        matches!(refused, Err(SnapshotError::GoldenChanged(_))),
        "{refused:?}"
    );
    assert_eq!(key("home").flow(), one.key.flow());
}

/// The turns of `--repeat-each`, and devices of one class, share their goldens. An attempt of the same turn may
/// replace what the one before it wrote.
#[test]
fn no_turn_replaces_what_another_wrote() {
    let (_guard, store, root) = store();
    let store = store.for_one_run();
    let (first, second) = (store.for_writer("#1"), store.for_writer("#2"));
    let write = |store: &Store, title| {
        let mut device = device("home~a", title);
        device.go_on(store, UpdateMode::All)?;
        device.go_on(store, UpdateMode::All)
    };
    write(&first, "Shop").unwrap();
    write(&first, "Store").unwrap();
    let before = texts(&root);
    assert!(write(&second, "Store").unwrap());
    let refused = write(&second, "Market");
    let Err(SnapshotError::OtherTurn { writer, .. }) = &refused else {
        panic!("{refused:?}");
    };
    assert_eq!(writer, "#1");
    assert_eq!(texts(&root), before);
}

#[test]
fn nobody_replaces_what_another_matched() {
    for (mode, second, is_turn) in [
        (UpdateMode::Changed, ("home~lab", "#2"), true),
        (UpdateMode::All, ("home~lab", "#2"), true),
        (UpdateMode::Changed, ("home~lab", "#1 on another"), true),
        (UpdateMode::All, ("home~large", "#1"), false),
        (UpdateMode::All, ("home~large", "#2"), false),
    ] {
        let (_guard, store, root) = store();
        let write = |store: &Store, key, title| {
            let mut device = device(key, title);
            device.go_on(store, mode)?;
            device.go_on(store, mode)
        };
        let mut before = device("home~lab", "Shop");
        before.go_on(&store, UpdateMode::New).unwrap();
        before.go_on(&store, UpdateMode::New).unwrap();
        let run = store.for_one_run();
        assert!(write(&run.for_writer("#1"), "home~lab", "Shop").unwrap());
        let (key, writer) = second;
        let other = run.for_writer(writer);
        assert!(write(&other, key, "Shop").unwrap());
        let matched = texts(&root);
        let refused = write(&other, key, "Store");
        assert_eq!(
            matches!(refused, Err(SnapshotError::OtherTurn { .. })),
            is_turn,
            "{refused:?}"
        );
        assert!(refused.is_err());
        assert_eq!(texts(&root), matched);
    }
}

/// Neither screen is the right one, so what a turn proposed stays pending, whatever the others see.
#[test]
fn no_turn_replaces_or_removes_what_another_proposes() {
    let (_guard, store, root) = store();
    let mut stored = device("home~lab", "Shop");
    stored.go_on(&store, UpdateMode::New).unwrap();
    stored.go_on(&store, UpdateMode::New).unwrap();
    let accepted = texts(&root);
    let run = store.for_one_run();
    let apply = |writer: &str, title| {
        let store = run.for_writer(writer);
        let Device { key, shows, .. } = device("home~lab", title);
        let golden = store.load(&key).unwrap();
        let found = check(&shows, &golden, &Options::default()).unwrap();
        store.apply(UpdateMode::Pending, &golden, &found).unwrap()
    };
    assert!(!apply("#1", "Store").pending.is_empty());
    let proposed = texts(&root);
    assert_ne!(proposed, accepted);
    let second = apply("#2", "Market");
    assert_eq!(second.other_turn.as_deref(), Some("#1"));
    assert!(second.pending.is_empty() && !second.passes);
    assert!(apply("#3", "Shop").passes);
    assert_eq!(texts(&root), proposed);
    // The same screen; so what the first no longer sees is still proposed.
    assert_eq!(apply("#4", "Store").other_turn, None);
    assert!(apply("#1", "Shop").passes);
    assert_eq!(texts(&root), proposed);
    // A further attempt of the only turn that proposes it.
    assert_eq!(apply("#4", "Market").other_turn, None);
    assert_ne!(texts(&root), proposed);
    assert!(apply("#4", "Shop").passes);
    assert_eq!(texts(&root), accepted);
}

#[test]
fn what_turns_propose_in_a_folder_of_a_device_stays_too() {
    let (_guard, store, _root) = store();
    let run = store.for_one_run();
    let (first, second) = (run.for_writer("#1"), run.for_writer("#2"));
    let files = |text: &str| [(Utf8PathBuf::from("a.tsv.new"), text.as_bytes().to_vec())];
    let home = key("home");
    assert_eq!(first.claim_proposal(&home, "lab", &files("one")), None);
    let kept = second.claim_proposal(&home, "lab", &files("two"));
    assert_eq!(kept.as_deref(), Some("#1"));
    assert!(!second.withdraw_proposal(&home, "lab"));
    // Another device has a folder of its own.
    assert_eq!(second.claim_proposal(&home, "tablet", &files("two")), None);
    assert!(first.withdraw_proposal(&home, "lab"));
    assert_eq!(second.claim_proposal(&home, "lab", &files("two")), None);
}

#[test]
fn an_attempt_replaces_what_the_one_before_it_matched() {
    let (_guard, store, _rows) = stored();
    let run = store.for_one_run().for_writer("#1");
    assert!(update(&run, UpdateMode::Changed, "Shop").passes);
    assert!(update(&run, UpdateMode::Changed, "Store").passes);
}

#[test]
fn a_flow_that_is_done_is_forgotten() {
    let (_guard, store, _root) = store();
    let store = store.for_one_run();
    let mut one = device("home~a", "Shop");
    for _ in 0..2 {
        one.go_on(&store, UpdateMode::New).unwrap();
    }
    let other = device("home~b", "Shop").key;
    assert!(store.load(&other).unwrap().shared.is_none());
    store.forget_flow("shop/other".into());
    assert!(store.load(&other).unwrap().shared.is_none());
    store.forget_flow("shop/login".into());
    assert!(store.load(&other).unwrap().shared.is_some());
}

/// Title, and lower edge of the block in the picture.
type Look = (&'static str, i32);

fn look() -> impl Strategy<Value = Look> {
    (
        prop::sample::select(vec!["Shop", "Store"]),
        prop::sample::select(vec![140, 150]),
    )
}

fn looking(key: &str, (title, edge): Look) -> Device {
    let mut device = device(key, title);
    device.shows.picture = Some(picture(&[[10, 100, 90, edge]]));
    device
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_order_of_devices_never_counts(
        stored in prop::option::of(prop::sample::select(vec!["Shop", "Store"])),
        mode in prop::sample::select(vec![UpdateMode::New, UpdateMode::Changed, UpdateMode::All]),
        plain in prop::sample::select(vec!["Shop", "Store", "Kiosk"]),
        variant in prop::sample::select(vec!["Shop", "Store", "Kiosk"]),
        same_class: bool,
    ) {
        let tablet = if same_class { "home@tablet~lab" } else { "home@tablet~large" };
        in_every_order(stored, mode, [("home~lab", plain), (tablet, variant)]);
    }

    #[test]
    fn whoever_passed_matches_what_the_run_leaves(
        stored in prop::option::of(look()),
        mode in prop::sample::select(vec![UpdateMode::New, UpdateMode::Changed, UpdateMode::All]),
        keys in prop::sample::subsequence(
            vec!["home~lab", "home~lab", "home~large", "home@tablet~lab", "home@tablet~large"],
            2..=4,
        ).prop_shuffle(),
        looks in prop::collection::vec(look(), 4),
        turns in prop::collection::vec(0..4_usize, 8),
    ) {
        let (_guard, store, _root) = store();
        if let Some(look) = stored {
            let mut before = looking("home~lab", look);
            before.go_on(&store, UpdateMode::New).unwrap();
            before.go_on(&store, UpdateMode::New).unwrap();
        }
        let run = store.clone().for_one_run();
        let mut parties: Vec<_> = keys
            .iter()
            .zip(looks)
            .enumerate()
            .map(|(at, (key, look))| (run.for_writer(&at.to_string()), looking(key, look), Vec::new()))
            .collect();
        let all = [0, 1, 2, 3];
        for at in turns.into_iter().chain(all).chain(all) {
            if let Some((store, device, done)) = parties.get_mut(at)
                && done.len() < 2
            {
                let before = store.load(&device.key).unwrap();
                let passes = device.go_on(store, mode).unwrap_or(false);
                done.push((passes, before.has_class_files()));
            }
        }
        for (_, device, done) in &parties {
            let mut golden = store.load(&device.key).unwrap();
            let (passes, is_of_class) = done[1];
            // With `--update changed` a device passes by its rows alone where its class has no picture yet. It was not
            // compared with the one that another device writes for the class.
            if mode == UpdateMode::Changed && !is_of_class {
                golden.rows = None;
                golden.picture = None;
            }
            let check = check(&device.shows, &golden, &Options::default()).unwrap();
            prop_assert!(!passes || check.passed(), "{}: {:?}", device.key, check.changes);
        }
    }
}
