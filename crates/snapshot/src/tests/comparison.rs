//! Tests of the comparison: pixels and their limits, bars, masks and redactions.

use super::*;

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
    let png = crate::picture::encode(&small, crate::picture::Compression::Fast).unwrap();
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
        crate::check(&gone, &golden, &Options::default()),
        Err(SnapshotError::NoElement(_))
    ));
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
