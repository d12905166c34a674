//! Tests of the crate as a run uses it: load, check, apply.

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
fn differences_are_said_most_weighty_first() {
    let (_guard, store, _root) = stored();
    let mut form = FORM;
    form[2] = ("Button", "pay", "Pay now", [10, 108, 90, 148]);
    let mut subject = subject(&form);
    subject.picture = Some(picture(&[[10, 108, 90, 148]]));
    let (_, check) = checked(&store, &subject);
    assert_eq!(check.verdict, Verdict::Differs);
    assert_eq!(check.changes[0], "Button#pay: text \"Pay\" → \"Pay now\"");
    assert!(
        check
            .changes
            .iter()
            .any(|line| line == "Button#pay: 1280 px at 10,100,90,148"),
        "{:?}",
        check.changes
    );
    assert!(check.changes.iter().any(|line| {
        line.contains("largest change 640 px (limit 0), other changes 640 px (limit 0)")
    }));
    assert_eq!(check.changes.last().unwrap(), "Button#pay: moved by 0,+8");
    assert!(check.difference().is_some());
    assert!(check.picture.unwrap().similarity().unwrap().score < 1.0);
}

#[test]
fn a_tolerance_widens_both_limits() {
    let (_guard, store, _root) = stored();
    let mut subject = subject(&FORM);
    subject.picture = Some(picture(&[
        [10, 100, 90, 140],
        [50, 60, 54, 64],
        [90, 180, 93, 183],
    ]));
    for (tolerance, passes) in [
        ("{ cluster: 16, specks: 9 }", true),
        ("{ cluster: 15, specks: 9 }", false),
        ("{ cluster: 16, specks: 8 }", false),
        ("{ cluster: 999 }", false),
    ] {
        subject.options = options(&format!("{{ name: home, tolerance: {tolerance} }}"));
        let (_, check) = checked(&store, &subject);
        assert_eq!(check.passed(), passes, "{tolerance}: {:?}", check.changes);
    }
}

#[test]
fn a_tolerance_of_almost_all_pixels_is_refused() {
    let (_guard, store, _root) = stored();
    let mut subject = subject(&FORM);
    for tolerance in [
        "{ cluster: 9999999 }",
        "{ cluster: 1, specks: 18446744073709551615 }",
    ] {
        subject.options = options(&format!("{{ name: home, tolerance: {tolerance} }}"));
        let golden_key = key("home").shared().with_class(&subject.class);
        let golden = store.load(&golden_key).unwrap();
        let refused = check(&subject, &golden, &Options::default());
        assert!(
            matches!(refused, Err(SnapshotError::ToleranceTooLarge { .. })),
            "{tolerance}"
        );
    }
    // Only rows are compared: there is nothing to let pass.
    subject.options = options("{ name: home, image: none, tolerance: { cluster: 9999999 } }");
    assert!(checked(&store, &subject).1.passed());
}

#[test]
fn another_size_and_another_screen_have_their_own_words() {
    let (_guard, store, _root) = stored();
    let mut subject = subject(&FORM);
    let small = image::RgbaImage::new(50, 60);
    let png = super::picture::encode(&small, super::picture::Compression::Fast).unwrap();
    subject.picture = Some(runner_device::Picture::from_png(png));
    let (_, check) = checked(&store, &subject);
    assert_eq!(check.changes, ["picture: 50x60 px instead of 100x200 px"]);
    assert!(check.difference().is_some());
}

#[test]
fn equal_files_are_not_decoded() {
    let (_guard, store, root) = stored();
    let path = root.join("snapshots/shop/login/home~lab.png");
    // Its header is all that is left of it: no pixel can be read.
    let header = fs_err::read(&path).unwrap()[..40].to_vec();
    fs_err::write(&path, &header).unwrap();
    let mut subject = subject(&FORM);
    let decodable = subject
        .picture
        .replace(runner_device::Picture::from_png(header));
    let (golden, check_of_equal) = checked(&store, &subject);
    assert!(check_of_equal.passed());
    let picture = check_of_equal.picture.unwrap();
    assert!(picture.pixels.is_none());
    assert_eq!(picture.comparison.compared, 100 * 190, "all but the bar");
    subject.picture = decodable;
    let error = check(&subject, &golden, &Options::default()).unwrap_err();
    assert!(
        matches!(error, SnapshotError::BrokenPicture { .. }),
        "{error}"
    );
}

#[test]
fn bars_are_left_out_unless_asked_for() {
    let (_guard, store, _root) = stored();
    let mut subject = subject(&FORM);
    subject.picture = Some(picture(&[[10, 100, 90, 140], [40, 0, 60, 10]]));
    assert!(checked(&store, &subject).1.passed());
    subject.options.bars = true;
    assert!(!checked(&store, &subject).1.passed());
}

#[test]
fn a_bar_lies_at_any_edge_and_is_never_the_whole_screen() {
    let (_guard, store, _root) = stored();
    let at = |bars: &[[i32; 4]], block: [i32; 4]| {
        let mut subject = subject(&FORM);
        let rect = |[l, t, r, b]: &[i32; 4]| Rect::new(*l, *t, *r, *b);
        subject.bars = bars.iter().map(rect).collect();
        subject.picture = Some(picture(&[[10, 100, 90, 140], block]));
        checked(&store, &subject).1.passed()
    };
    // At the side, as in landscape; none known; the status bar with its shade open.
    assert!(at(&[[92, 0, 100, 200]], [95, 60, 98, 80]));
    assert!(!at(&[[92, 0, 100, 200]], [80, 60, 98, 80]));
    assert!(!at(&[], [40, 0, 60, 10]));
    assert!(!at(&[[0, 0, 100, 200]], [40, 60, 60, 80]));
    assert!(at(
        &[[0, -5, 100, 10], [0, 190, 100, 230]],
        [40, 192, 60, 198]
    ));
}

#[test]
fn an_element_is_masked_where_it_is_on_the_display() {
    let (_guard, store, _root) = store();
    let card = [10, 100, 90, 140];
    let observed = |options_: &str, blocks: &[[i32; 4]]| {
        let mut subject = subject(&FORM);
        subject.options = options(options_);
        subject.picture = Some(picture(blocks));
        subject
    };
    // Rectangles count from the display's corner, also for a part of it.
    let of = "{ name: home, of: { id: pay }, mask: [ { rect: [10, 100, 30, 120] } ] }";
    run(&store, UpdateMode::New, &observed(of, &[card]));
    assert!(
        checked(
            &store,
            &observed(of, &[[30, 100, 90, 140], [10, 120, 30, 140]])
        )
        .1
        .passed()
    );
    assert!(
        !checked(&store, &observed(of, &[[40, 100, 90, 140]]))
            .1
            .passed()
    );
    // Too much of the element is masked, though not of the screen.
    let most = "{ name: home, of: { id: pay }, mask: [ { rect: [10, 100, 90, 120] } ] }";
    let (_, check) = checked(&store, &observed(most, &[card]));
    assert_eq!(check.verdict, Verdict::MaskTooLarge(50));
}

#[test]
fn masks_leave_out_text_state_and_pixels() {
    let (_guard, store, root) = store();
    let masked = |text, blocks: &[[i32; 4]]| {
        let mut form = FORM;
        form[1].2 = text;
        let mut subject = subject(&form);
        subject.picture = Some(picture(blocks));
        subject.options =
            options("{ name: home, mask: [ { id: clock }, { rect: [0, 180, 100, 200] } ] }");
        subject
    };
    run(&store, UpdateMode::New, &masked("9:41", &[]));
    let shared = fs_err::read_to_string(root.join("snapshots/shop/login/home.tsv")).unwrap();
    assert!(
        shared.contains("TextView\t[masked]\t[masked]\tcom.example:id/clock\t[masked]\t[masked]\n"),
        "{shared}"
    );
    let (_, check) = checked(
        &store,
        &masked("10:00", &[[70, 45, 80, 50], [0, 180, 100, 190]]),
    );
    assert!(
        check.passed() && check.warnings.is_empty(),
        "{:?} {:?}",
        check.changes,
        check.warnings
    );
    assert!(
        !checked(&store, &masked("10:00", &[[70, 70, 80, 75]]))
            .1
            .passed()
    );
    let (_, check) = checked(&store, &subject(&FORM));
    assert_eq!(check.verdict, Verdict::MaskChanged);
}

#[test]
fn a_mask_that_finds_nothing_is_a_warning_and_a_huge_one_an_error() {
    let (_guard, store, _root) = store();
    let mut subject = subject(&FORM);
    subject.options = options("{ name: home, mask: [ { id: nowhere } ] }");
    assert_eq!(checked(&store, &subject).1.warnings.len(), 1);
    subject.options = options("{ name: home, mask: [ { rect: [0, 0, 100, 80] } ] }");
    assert_eq!(checked(&store, &subject).1.verdict, Verdict::New);
    subject.options = options("{ name: home, mask: [ { rect: [0, 0, 100, 82] } ] }");
    let (check, applied) = run(&store, UpdateMode::All, &subject);
    assert_eq!(check.verdict, Verdict::MaskTooLarge(41));
    assert_eq!(
        applied,
        UpdateResult::default(),
        "nothing is written and it fails"
    );
}

#[test]
fn one_element_is_taken_from_its_own_corner() {
    let (_guard, store, _root) = store();
    let at = |top: i32| {
        let mut form = FORM;
        form[2].3 = [10, top, 90, top + 40];
        let mut subject = subject(&form);
        subject.picture = Some(picture(&[[20, top + 5, 30, top + 9]]));
        subject.options = options("{ name: home, of: { id: pay } }");
        subject
    };
    run(&store, UpdateMode::New, &at(100));
    let (_, check) = checked(&store, &at(140));
    assert!(check.passed(), "{:?}", check.changes);
    assert_eq!(check.actual_pixels().unwrap().dimensions(), (80, 40));
    let mut gone = at(100);
    gone.options = options("{ name: home, of: { id: nowhere } }");
    let golden = store.load(&key("home")).unwrap();
    assert!(matches!(
        super::check(&gone, &golden, &Options::default()),
        Err(SnapshotError::NoElement(_))
    ));
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
fn redactions_hold_for_both_sides() {
    let (_guard, store, _root) = stored();
    let mut form = FORM;
    form[1].2 = "10:00";
    let mut subject = subject(&form);
    subject.redactions = Redactions::new(&[Redaction {
        columns: vec![Column::Text],
        pattern: r"\d+:\d\d".to_owned(),
        alias: "[time]".to_owned(),
    }])
    .unwrap();
    assert!(checked(&store, &subject).1.passed());
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
fn an_alias_that_its_pattern_finds_again_stays_as_it_is() {
    for (pattern, alias) in [("[0-9]+", "number {n}"), ("[aeiou]+", "[word]")] {
        let (_guard, store, _root) = store();
        let rule = Redaction {
            columns: Vec::new(),
            pattern: pattern.to_owned(),
            alias: alias.to_owned(),
        };
        let redactions = Redactions::new(&[rule]).unwrap();
        let mut subject = subject(&FORM);
        subject.redactions = redactions.clone();
        let (golden, check) = checked(&store, &subject);
        store.apply(UpdateMode::New, &golden, &check).unwrap();
        let (_, check) = checked(&store, &subject);
        assert!(check.passed(), "{pattern}: {:?}", check.changes);
        let mut other = with_text("9 more");
        other.redactions = redactions;
        assert!(!checked(&store, &other).1.rows.is_empty() || pattern != "[0-9]+");
    }
}

#[test]
fn the_order_of_masks_does_not_count() {
    let (_guard, store, _root) = store();
    let masks = ["{ id: clock }", "{ id: title }"];
    let with = |[one, other]: [&str; 2]| Subject {
        options: options(&format!("{{ name: home, mask: [ {one}, {other} ] }}")),
        ..subject(&FORM)
    };
    let (golden, check) = checked(&store, &with(masks));
    store.apply(UpdateMode::New, &golden, &check).unwrap();
    assert!(checked(&store, &with([masks[1], masks[0]])).1.passed());
    let other = checked(&store, &with([masks[0], "{ id: pay }"])).1;
    assert_eq!(other.verdict, Verdict::MaskChanged);
}

#[test]
fn a_vanished_button_is_named_by_the_golden() {
    let (_guard, store, _root) = stored();
    let mut subject = subject(&FORM[..2]);
    subject.picture = Some(picture(&[]));
    let (_, check) = checked(&store, &subject);
    assert_eq!(
        check.changes[..2],
        [
            "Button#pay: removed",
            "Button#pay: 3200 px at 10,100,90,140"
        ]
    );
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
