//! Which goldens are one group, and which are not.

use image::{Rgba, RgbaImage};
use proptest::prelude::*;

use super::*;
use crate::device::Picture;
use crate::snapshot::fixture::{Element, HEIGHT, WIDTH, class, key, options, store, subject};
use crate::snapshot::picture::{Compression, encode};
use crate::snapshot::{Options, Store, Subject, UpdateMode, check};

const WHITE: [u8; 3] = [255; 3];
const BLUE: [u8; 3] = [63, 109, 181];
const RED: [u8; 3] = [181, 63, 63];

/// A filled rectangle.
type Block = ([i32; 4], [u8; 3]);

fn painted(size: (u32, u32), blocks: &[Block]) -> Picture {
    let mut image = RgbaImage::from_pixel(size.0, size.1, Rgba([255; 4]));
    for ([l, t, r, b], [red, green, blue]) in blocks {
        for y in *t..*b {
            for x in *l..*r {
                image.put_pixel(x as u32, y as u32, Rgba([*red, *green, *blue, 255]));
            }
        }
    }
    Picture::from_png(encode(&image, Compression::Fast).unwrap())
}

fn seen(elements: &[Element<'_>], blocks: &[Block]) -> Subject {
    Subject {
        picture: Some(painted((WIDTH, HEIGHT), blocks)),
        ..subject(elements)
    }
}

/// The cause that a run tells, which a review of the files must tell too.
fn cause(before: &Subject, after: &Subject) -> Cause {
    let (_guard, store, _root) = store();
    let key = key("home").shared().with_class(&before.class);
    cause_in(&store, &key, before, after)
}

fn cause_in(store: &Store, key: &GoldenKey, before: &Subject, after: &Subject) -> Cause {
    let golden = store.load(key).unwrap();
    let first = check(before, &golden, &Options::default()).unwrap();
    store.apply(UpdateMode::All, &golden, &first).unwrap();
    let golden = store.load(key).unwrap();
    let found = check(after, &golden, &Options::default()).unwrap();
    store.apply(UpdateMode::Pending, &golden, &found).unwrap();
    let told = found.cause.expect("it differs");
    let diff = store.pending_diff(&key.to_string()).unwrap();
    assert_eq!(diff.cause, told, "{:?}\n{:?}", found.changes, diff.rows);
    assert_eq!(diff.moved, found.moved);
    told
}

const TITLE: Element<'_> = ("TextView", "title", "Shop", [0, 20, 100, 40]);
const NEW_TITLE: Element<'_> = ("TextView", "title", "Store", [0, 20, 100, 40]);
const PAY: Element<'_> = ("Button", "pay", "Pay", [10, 100, 90, 140]);
const SAVE: Element<'_> = ("Button", "save", "Save", [10, 150, 90, 170]);
const ICON: Element<'_> = ("ImageView", "icon", "", [10, 50, 30, 70]);

fn moved_down(element: Element<'static>, by: i32) -> Element<'static> {
    let (class, id, text, [l, t, r, b]) = element;
    (class, id, text, [l, t + by, r, b + by])
}

#[test]
fn a_title_that_changed_on_many_screens_is_one_cause() {
    let title = ([0, 20, 60, 40], BLUE);
    let longer = ([0, 20, 80, 40], BLUE);
    let pay = ([10, 100, 90, 140], RED);
    let one = cause(
        &seen(&[TITLE, PAY], &[title, pay]),
        &seen(&[NEW_TITLE, PAY], &[longer, pay]),
    );
    assert_eq!(one.kind, ChangeKind::Text);
    assert_eq!(one.title, "TextView#title: text \"Shop\" → \"Store\"");
    // Another screen with it at another row and place, of another class.
    let mut before = seen(
        &[ICON, moved_down(TITLE, 100)],
        &[([0, 120, 60, 140], BLUE)],
    );
    let mut after = seen(
        &[ICON, moved_down(NEW_TITLE, 100)],
        &[([0, 120, 80, 140], BLUE)],
    );
    (before.class, after.class) = (class("other"), class("other"));
    assert_eq!(cause(&before, &after), one);
    // The button beside it changed too: that is another review.
    let also = cause(
        &seen(&[TITLE, PAY], &[title, pay]),
        &seen(
            &[NEW_TITLE, PAY],
            &[
                longer,
                ([20, 110, 40, 120], WHITE),
                ([10, 100, 90, 110], RED),
            ],
        ),
    );
    assert_eq!(also.kind, ChangeKind::Text);
    assert_ne!(also.id, one.id);
    assert_eq!(
        also.title,
        "TextView#title: text \"Shop\" → \"Store\", and 1 more"
    );
}

#[test]
fn what_follows_from_a_row_that_came_is_no_cause_of_its_own() {
    let banner: Element<'_> = ("TextView", "banner", "Sale", [0, 40, 100, 60]);
    let small = cause(
        &seen(&[TITLE, PAY], &[([10, 100, 90, 140], RED)]),
        &seen(
            &[TITLE, banner, moved_down(PAY, 20)],
            &[([0, 40, 100, 60], BLUE), ([10, 120, 90, 160], RED)],
        ),
    );
    let other = cause(
        &seen(&[SAVE], &[([10, 150, 90, 170], RED)]),
        &seen(
            &[banner, moved_down(SAVE, 24)],
            &[([0, 40, 100, 60], BLUE), ([10, 174, 90, 194], RED)],
        ),
    );
    assert_eq!(small.kind, ChangeKind::Layout);
    assert_eq!(small.title, "TextView#banner: added");
    assert_eq!(small, other);
}

#[test]
fn a_colour_of_the_theme_is_one_cause_whatever_it_paints() {
    let pay = cause(
        &seen(&[TITLE, PAY], &[([10, 100, 90, 140], BLUE)]),
        &seen(&[TITLE, PAY], &[([10, 100, 90, 140], RED)]),
    );
    assert_eq!(pay.kind, ChangeKind::Pixels);
    assert_eq!(pay.title, "colour #3F6DB5 → #B53F3F");
    let others = cause(
        &seen(
            &[SAVE, ICON],
            &[([10, 150, 90, 170], BLUE), ([12, 52, 28, 68], BLUE)],
        ),
        &seen(
            &[SAVE, ICON],
            &[([10, 150, 90, 170], RED), ([12, 52, 28, 68], RED)],
        ),
    );
    assert_eq!(others, pay);
    // What is drawn no more has no other colour: it is gone, and each such element is a cause of its own.
    let gone = |element: Element<'static>| {
        let (_, _, _, bounds) = element;
        cause(&seen(&[element], &[(bounds, BLUE)]), &seen(&[element], &[]))
    };
    assert_eq!(gone(ICON).title, "ImageView#icon: other pixels");
    assert_ne!(gone(ICON), gone(SAVE));
}

#[test]
fn a_footer_that_moved_is_one_cause_in_all_classes() {
    let footer = cause(
        &seen(&[TITLE, SAVE], &[([10, 150, 90, 170], RED)]),
        &seen(&[TITLE, moved_down(SAVE, 8)], &[([10, 158, 90, 178], RED)]),
    );
    assert_eq!(footer.kind, ChangeKind::Layout);
    assert_eq!(footer.title, "Button#save: moved down");
    let further = cause(
        &seen(&[PAY, SAVE], &[([10, 150, 90, 170], RED)]),
        &seen(&[PAY, moved_down(SAVE, 16)], &[([10, 166, 90, 186], RED)]),
    );
    assert_eq!(further, footer);
    let wider = ("Button", "save", "Save", [10, 150, 95, 170]);
    let sized = cause(
        &seen(&[SAVE], &[([10, 150, 90, 170], RED)]),
        &seen(&[wider], &[([10, 150, 95, 170], RED)]),
    );
    assert_eq!(sized.title, "Button#save: another size");
}

#[test]
fn new_goldens_are_one_cause_a_flow_and_missing_pictures_one_a_class() {
    let (_guard, store, _root) = store();
    let told = |key: &GoldenKey, subject: &Subject, strict| {
        let golden = store.load(key).unwrap();
        let options = Options {
            strict_pixels: strict,
            ..Options::default()
        };
        let found = check(subject, &golden, &options).unwrap();
        store.apply(UpdateMode::Pending, &golden, &found).unwrap();
        let diff = store.pending_diff(&key.to_string()).unwrap();
        assert_eq!(found.cause.as_ref(), Some(&diff.cause));
        diff.cause
    };
    let form = seen(&[TITLE], &[]);
    let home = told(&key("home"), &form, false);
    assert_eq!(home.kind, ChangeKind::New);
    assert_eq!(home.title, "new in shop/login");
    assert_eq!(told(&key("other"), &form, false), home);
    let golden = store.load(&key("home")).unwrap();
    let found = check(&form, &golden, &Options::default()).unwrap();
    store.apply(UpdateMode::New, &golden, &found).unwrap();
    let mut tablet = form.clone();
    tablet.class = class("tablet");
    let at_tablet = key("home").shared().with_class(&tablet.class);
    let missing = told(&at_tablet, &tablet, true);
    assert_eq!(missing.kind, ChangeKind::New);
    assert_eq!(missing.title, "no picture of tablet yet");
    let obsolete = store.golden_diff(&key("home")).unwrap();
    assert_eq!(obsolete.cause.kind, ChangeKind::Obsolete);
    assert!(obsolete.golden.is_some() && obsolete.proposed.is_none());
    assert!(
        obsolete
            .lines
            .iter()
            .all(|line| line.golden.is_some() && line.actual.is_none())
    );
    assert_eq!(obsolete.entry.files.len(), 4, "{:?}", obsolete.entry);
}

#[test]
fn masks_size_and_another_screen_come_first() {
    let before = seen(&[TITLE, PAY], &[([10, 100, 90, 140], BLUE)]);
    let mut masked = seen(&[NEW_TITLE, PAY], &[]);
    masked.options = options("{ name: home, mask: [ { id: pay } ] }");
    let found = cause(&before, &masked);
    assert_eq!(found.kind, ChangeKind::Masks);
    assert_eq!(found.title, "the masks changed");
    let mut small = seen(&[TITLE, PAY], &[]);
    small.picture = Some(painted((50, 60), &[]));
    let found = cause(&before, &small);
    assert_eq!(found.kind, ChangeKind::Size);
    assert_eq!(found.title, "the picture is 50x60 px instead of 100x200 px");
}

#[test]
fn areas_left_out_by_a_run_are_left_out_in_a_review() {
    let bar = ([40, 0, 60, 10], RED);
    let area = ([0, 180, 100, 190], RED);
    let with = |blocks: &[Block]| {
        let mut subject = seen(&[TITLE, PAY], blocks);
        subject.options = options("{ name: home, mask: [ { rect: [0, 180, 100, 200] } ] }");
        subject
    };
    let (_guard, store, _root) = store();
    let told = cause_in(
        &store,
        &key("home"),
        &with(&[([10, 100, 90, 140], BLUE)]),
        &with(&[([10, 100, 90, 140], RED), bar, area]),
    );
    assert_eq!(told.title, "colour #3F6DB5 → #B53F3F");
    let diff = store.pending_diff(&key("home").to_string()).unwrap();
    assert_eq!(
        diff.masks,
        [Rect::new(0, 180, 100, 200), Rect::new(0, 0, 100, 10)]
    );
    assert_eq!(diff.places.len(), 1, "{:?}", diff.places);
    assert_eq!(diff.places[0].name.as_deref(), Some("Button#pay"));
    assert_eq!(
        diff.pixels.as_deref(),
        Some("3200 of 17000 px change, in 1 place")
    );
}

#[test]
fn the_same_screen_instead_of_others_is_one_cause() {
    let oops: Element<'_> = ("TextView", "oops", "No connection", [0, 80, 100, 120]);
    let size = (800, 800);
    let before = |element| {
        let mut subject = seen(&[element], &[]);
        subject.picture = Some(painted(size, &[([0, 0, 400, 800], BLUE)]));
        subject
    };
    let mut after = seen(&[oops], &[]);
    after.picture = Some(painted(size, &[([0, 0, 800, 800], RED)]));
    let one = cause(&before(PAY), &after);
    assert_eq!(one.kind, ChangeKind::Replaced);
    assert_eq!(one.title, "another screen: \"No connection\"");
    assert_eq!(cause(&before(ICON), &after), one);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// What else is on the screen, and in which order rows stand, says nothing of why it changed.
    #[test]
    fn the_same_changes_on_fuller_screens_are_one_cause(
        rows in prop::collection::vec((0..3_usize, 0..3_usize), 1..6),
        others in 0..3_usize,
        turned: bool,
    ) {
        const TEXTS: [&str; 3] = ["One", "Two", "Three"];
        const IDS: [&str; 5] = ["a", "b", "c", "d", "e"];
        const OTHERS: [&str; 2] = ["x", "y"];
        prop_assume!(rows.iter().any(|(before, after)| before != after));
        let screen = |side: usize, others: usize, turned: bool| {
            let row = |(at, texts): (usize, &(usize, usize))| -> Element<'static> {
                let top = 20 + 20 * at as i32;
                ("TextView", IDS[at], TEXTS[[texts.0, texts.1][side]], [0, top, 90, top + 20])
            };
            let mut all: Vec<Element<'static>> = rows.iter().enumerate().map(row).collect();
            if turned {
                all.reverse();
            }
            for (at, id) in OTHERS.iter().enumerate().take(others) {
                let top = 140 + 20 * at as i32;
                all.insert(0, ("Button", id, "Same", [0, top, 90, top + 20]));
            }
            seen(&all, &[])
        };
        let one = cause(&screen(0, 0, false), &screen(1, 0, false));
        let other = cause(&screen(0, others, turned), &screen(1, others, turned));
        prop_assert_eq!(one.id, other.id);
    }
}
