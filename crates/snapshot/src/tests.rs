//! Tests of the crate as a run uses it: load, check, apply.

mod comparison;

use camino::Utf8Path;

use super::fixture::{FORM, class, key, options, picture, store, subject};
use super::*;
use runner_screen::Rect;

fn checked(store: &Store, subject: &Subject) -> (Golden, Check) {
    let golden = store
        .load(&key("home").shared().with_class(&subject.class))
        .unwrap();
    let check = check(subject, &golden, &Options::default()).unwrap();
    (golden, check)
}

fn run(store: &Store, mode: UpdateMode, subject: &Subject) -> (Check, UpdateResult) {
    let (golden, check) = checked(store, subject);
    let applied = store.apply(mode, &golden, &check).unwrap();
    (check, applied)
}

/// Returns a store whose golden is the form.
fn stored() -> (tempfile::TempDir, Store, camino::Utf8PathBuf) {
    let (guard, store, root) = store();
    assert!(run(&store, UpdateMode::New, &subject(&FORM)).1.passes);
    (guard, store, root)
}

fn with_text(text: &'static str) -> Subject {
    let mut form = FORM;
    form[2].2 = text;
    subject(&form)
}

fn files(root: &Utf8Path) -> Vec<String> {
    let mut files: Vec<String> = walkdir::WalkDir::new(root.join("snapshots"))
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    files
}

#[test]
fn the_files_of_one_flow_are_listed_without_those_of_others() {
    let (_guard, store, root) = stored();
    let all = store.files().unwrap();
    assert!(!all.is_empty());
    for other in ["shop/login/sub/a.tsv", "shop/b.tsv", "shop/login2/c.tsv"] {
        let path = root.join("snapshots").join(other);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, "").unwrap();
    }
    assert_eq!(store.files().unwrap().len(), all.len() + 3);
    assert_eq!(store.files_of("shop/login".into()).unwrap(), all);
    for none in ["shop/gone", "../snapshots/shop/login", "/tmp"] {
        assert!(store.files_of(none.into()).unwrap().is_empty(), "{none}");
    }
}

#[test]
fn files_of_a_class_without_shared_rows_are_never_replaced_as_new() {
    let (_guard, store, root) = stored();
    let folder = root.join("snapshots/shop/login");
    let shared = fs_err::read(folder.join("home.tsv")).unwrap();
    let read = || {
        let names = files(&root);
        let of_class = names.into_iter().filter(|name| name.contains('~'));
        let contents = of_class.map(|name| fs_err::read(folder.join(name)).unwrap());
        contents.collect::<Vec<_>>()
    };
    let before = read();
    fs_err::remove_file(folder.join("home.tsv")).unwrap();
    let (check, applied) = run(&store, UpdateMode::New, &with_text("Other"));
    assert_eq!((check.verdict, applied.passes), (Verdict::Differs, false));
    assert!(
        check.changes[0].contains("shared rows"),
        "{:?}",
        check.changes
    );
    assert!(!folder.join("home.tsv").exists() && read() == before);
    // The screen is that of the class's files, so only what is missing is written.
    let (check, applied) = run(&store, UpdateMode::New, &subject(&FORM));
    assert_eq!((check.verdict, applied.passes), (Verdict::New, true));
    assert_eq!(fs_err::read(folder.join("home.tsv")).unwrap(), shared);
    assert_eq!(read(), before);
}

#[test]
fn a_golden_is_written_and_then_passes() {
    let (_guard, store, root) = store();
    let (first, applied) = run(&store, UpdateMode::New, &subject(&FORM));
    assert_eq!(first.verdict, Verdict::New);
    assert!(applied.passes);
    assert!(
        applied
            .written
            .contains(&"snapshots/shop/login/home.tsv".into())
    );
    let shared = fs_err::read_to_string(root.join("snapshots/shop/login/home.tsv")).unwrap();
    assert_eq!(
        shared.split_once('\n').unwrap().1,
        "class\ttext\tdesc\tres_id\thint\tflags\n\
         window:APPLICATION\tcom.example\t-\t-\t-\t-\n\
         TextView\tShop\t-\tcom.example:id/title\t-\tena\n\
         TextView\t9:41\t-\tcom.example:id/clock\t-\tena\n\
         Button\tPay\t-\tcom.example:id/pay\t-\tena\n"
    );
    let rows = fs_err::read_to_string(root.join("snapshots/shop/login/home~lab.tsv")).unwrap();
    assert!(rows.contains("\t10,100,90,140\ton,ena\n"), "{rows}");
    let (again, applied) = run(&store, UpdateMode::None, &subject(&FORM));
    assert!(again.passed() && applied.passes, "{:?}", again.changes);
    // Nothing changed, so nothing is to be known.
    assert_eq!(again.notes, [""; 0]);
}

#[test]
fn an_app_that_is_not_shown_is_an_error() {
    let (_guard, store, _root) = store();
    let mut subject = subject(&FORM);
    subject.app = Some("com.other".to_owned());
    let golden = store.load(&key("home")).unwrap();
    let error = super::check(&subject, &golden, &Options::default()).unwrap_err();
    assert!(error.to_string().contains("shown: com.example"), "{error}");
    subject.options = options("{ name: home, windows: all }");
    assert!(super::check(&subject, &golden, &Options::default()).is_ok());
}

#[test]
fn a_class_without_picture_passes_with_a_note_or_fails_when_strict() {
    let (_guard, store, root) = stored();
    let mut subject = subject(&FORM);
    subject.class = class("other");
    let (golden, relaxed) = checked(&store, &subject);
    assert!(relaxed.passed());
    let messages: Vec<&String> = relaxed.notes(&[]).collect();
    assert_eq!(
        messages,
        ["there is no picture of other yet; `--update new` adds it"]
    );
    // What was written is not missing.
    let written = ["snapshots/a/home~other.png".into()];
    assert_eq!(relaxed.notes(&written).count(), 0);
    let strict = Options {
        strict_pixels: true,
        ..Options::default()
    };
    let check = super::check(&subject, &golden, &strict).unwrap();
    assert_eq!(check.verdict, Verdict::New);
    let before = files(&root);
    for mode in [UpdateMode::None, UpdateMode::Changed, UpdateMode::Pending] {
        assert!(run(&store, mode, &subject).1.passes);
        assert_eq!(files(&root), before, "{mode:?} writes nothing");
    }
    run(&store, UpdateMode::New, &subject);
    assert!(files(&root).contains(&"home~other.png".to_owned()));
    assert!(
        super::check(&subject, &store.load(&golden.key).unwrap(), &strict)
            .unwrap()
            .passed()
    );
}

#[test]
fn update_modes_write_what_the_table_says() {
    use UpdateMode::{All, Changed, New, None, Pending};
    // mode, whether there is a golden, passes, goldens written, pending written
    let table = [
        (Pending, false, false, false, true),
        (None, false, false, false, false),
        (New, false, true, true, false),
        (Changed, false, false, false, false),
        (All, false, true, true, false),
        (Pending, true, false, false, true),
        (None, true, false, false, false),
        (New, true, false, false, false),
        (Changed, true, true, true, false),
        (All, true, true, true, false),
    ];
    for (mode, is_there, passes, writes, pends) in table {
        let (_guard, store, root) = if is_there { stored() } else { store() };
        let before = files(&root);
        let (_, applied) = run(&store, mode, &with_text("Pay now"));
        let row = format!("{mode:?}, golden there: {is_there}");
        assert_eq!(applied.passes, passes, "{row}");
        assert_eq!(!applied.written.is_empty(), writes, "{row}");
        assert_eq!(!applied.pending.is_empty(), pends, "{row}");
        let after = files(&root);
        assert!(
            before.iter().all(|file| after.contains(file)),
            "{row}: no golden is deleted"
        );
        assert_eq!(
            after.iter().any(|file| file.contains(".new.")),
            pends,
            "{row}"
        );
        let (_, again) = run(&store, None, &with_text("Pay now"));
        assert_eq!(
            again.passes, writes,
            "{row}: then a run passes exactly when goldens were written"
        );
    }
}

/// A golden that was taken without a picture has lost none; one that was taken with it has.
#[test]
fn a_picture_that_never_was_is_added_and_one_that_is_gone_is_not() {
    let (_guard, store, root) = store();
    let mut rows_only = subject(&FORM);
    rows_only.options = options("{ name: home, image: none }");
    assert!(run(&store, UpdateMode::New, &rows_only).1.passes);
    for mode in [UpdateMode::Pending, UpdateMode::None, UpdateMode::Changed] {
        let (check, applied) = run(&store, mode, &subject(&FORM));
        assert!(applied.passes && applied.pending.is_empty(), "{mode:?}");
        assert!(check.no_picture.is_some(), "{mode:?}");
        assert!(run(&store, mode, &rows_only).1.passes, "{mode:?}");
    }
    assert!(run(&store, UpdateMode::New, &subject(&FORM)).1.passes);
    assert!(files(&root).contains(&"home~lab.png".to_owned()));
    let (check, _) = run(&store, UpdateMode::None, &subject(&FORM));
    assert!(check.passed() && check.no_picture.is_none());
    fs_err::remove_file(root.join("snapshots/shop/login/home~lab.png")).unwrap();
    for mode in [UpdateMode::New, UpdateMode::None] {
        assert!(!run(&store, mode, &subject(&FORM)).1.passes, "{mode:?}");
    }
}

#[test]
fn a_passing_run_removes_its_own_pending_files_only() {
    let (_guard, store, root) = stored();
    let mut other = with_text("Pay now");
    other.class = class("other");
    run(&store, UpdateMode::Pending, &with_text("Pay now"));
    run(&store, UpdateMode::Pending, &other);
    let keys = |store: &Store| -> Vec<String> {
        store
            .pending()
            .unwrap()
            .iter()
            .map(|entry| entry.key.to_string())
            .collect()
    };
    assert_eq!(
        keys(&store),
        ["shop/login/home~lab", "shop/login/home~other"]
    );
    assert!(run(&store, UpdateMode::Pending, &subject(&FORM)).1.passes);
    assert_eq!(
        keys(&store),
        ["shop/login/home~other"],
        "{:?}",
        files(&root)
    );
    assert!(
        files(&root).contains(&"home.new.tsv".to_owned()),
        "the other class still proposes it"
    );
    let mut passing = subject(&FORM);
    passing.class = class("other");
    let waiting = files(&root);
    assert!(run(&store, UpdateMode::None, &passing).1.passes);
    assert_eq!(files(&root), waiting, "a run in CI takes nothing away");
    assert!(run(&store, UpdateMode::Pending, &passing).1.passes);
    assert_eq!(keys(&store), [""; 0]);
}

#[test]
fn what_a_run_proposed_elsewhere_can_be_accepted_here() {
    let (_guard, store, root) = stored();
    let (golden, check) = checked(&store, &with_text("Pay now"));
    let files_of_ci = Store::proposal(&golden, &check).unwrap();
    assert_eq!(
        files(&root)
            .iter()
            .filter(|file| file.contains(".new."))
            .count(),
        0
    );
    let acquired = files_of_ci.iter();
    store
        .import_pending(acquired.map(|(path, bytes)| (path.as_path(), bytes.as_slice())))
        .unwrap();
    assert_eq!(store.accept(&Selection::All).unwrap().accepted.len(), 1);
    assert!(checked(&store, &with_text("Pay now")).1.passed());
    let (path, bytes) = &files_of_ci[0];
    for (path, bytes) in [
        (Utf8Path::new("shop/login/home.tsv"), bytes.as_slice()),
        (Utf8Path::new("../home.new.tsv"), bytes),
        (path, b"id\n"),
    ] {
        assert!(
            matches!(
                store.import_pending([(path, bytes)]),
                Err(SnapshotError::NotPending(_))
            ),
            "{path}"
        );
    }
}

#[test]
fn a_variant_has_its_own_files_or_falls_back() {
    let (_guard, store, root) = stored();
    let variant: GoldenKey = "shop/login/home@tablet~lab".parse().unwrap();
    let golden = store.load(&variant).unwrap();
    let check = super::check(&with_text("Pay now"), &golden, &Options::default()).unwrap();
    assert_eq!(
        check.verdict,
        Verdict::Differs,
        "compared with the plain golden"
    );
    store.apply(UpdateMode::Changed, &golden, &check).unwrap();
    assert!(files(&root).contains(&"home@tablet.tsv".to_owned()));
    assert!(
        checked(&store, &subject(&FORM)).1.passed(),
        "the plain golden is untouched"
    );
    let golden = store.load(&variant).unwrap();
    assert!(
        super::check(&with_text("Pay now"), &golden, &Options::default())
            .unwrap()
            .passed()
    );
}

#[test]
fn a_broken_golden_says_where() {
    let (_guard, store, root) = stored();
    fs_err::write(
        root.join("snapshots/shop/login/home.tsv"),
        "# schema=1\nrubbish\n",
    )
    .unwrap();
    let golden = store.load(&key("home")).unwrap();
    let error = super::check(&subject(&FORM), &golden, &Options::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("snapshots/shop/login/home.tsv:2:"),
        "{error}"
    );
}

#[test]
fn the_taking_loop_sees_what_moves() {
    let before = subject(&FORM);
    assert_eq!(subject(&FORM).moved_since(&before).unwrap(), [""; 0]);
    let mut form = FORM;
    form[1].2 = "9:42";
    assert_eq!(
        subject(&form).moved_since(&before).unwrap(),
        ["TextView#clock: text \"9:41\" → \"9:42\""]
    );
    let mut spinning = subject(&FORM);
    spinning.picture = Some(picture(&[[10, 100, 90, 140], [70, 45, 75, 50]]));
    assert_eq!(
        spinning.moved_since(&before).unwrap(),
        ["TextView#clock: pixels inside 70,45,75,50 change"]
    );
    let mask = options("{ name: home, mask: [ { id: clock } ] }");
    let mut before = before;
    before.options = mask.clone();
    spinning.options = mask;
    assert_eq!(spinning.moved_since(&before).unwrap(), [""; 0]);
    assert_eq!(before.bars, [Rect::new(0, 0, 100, 10)]);
}
