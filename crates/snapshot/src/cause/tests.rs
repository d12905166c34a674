//! Tests of which goldens form a group.

mod properties;

use image::{Rgba, RgbaImage};

use super::*;
use crate::fixture::{Element, HEIGHT, WIDTH, class, key, options, store, subject};
use crate::picture::{Compression, encode};
use crate::{Options, Store, Subject, UpdateMode, check};
use runner_device::Picture;
use runner_screen::Rect;

const WHITE: [u8; 3] = [255; 3];
const BLUE: [u8; 3] = [63, 109, 181];
const RED: [u8; 3] = [181, 63, 63];

/// Filled rectangle and its colour.
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

fn observed(elements: &[Element<'_>], blocks: &[Block]) -> Subject {
    Subject {
        picture: Some(painted((WIDTH, HEIGHT), blocks)),
        ..subject(elements)
    }
}

/// Returns the cause that a run reports, and checks that a review of the files reports the same.
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
    let reported = found.cause.expect("it differs");
    let diff = store.pending_diff(&key.to_string()).unwrap();
    assert_eq!(diff.cause, reported, "{:?}\n{:?}", found.changes, diff.rows);
    assert_eq!(diff.moved, found.moved);
    reported
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
        &observed(&[TITLE, PAY], &[title, pay]),
        &observed(&[NEW_TITLE, PAY], &[longer, pay]),
    );
    assert_eq!(one.kind, ChangeKind::Text);
    assert_eq!(one.title, "\"Shop\" → \"Store\"");
    // Another screen with it at another row and place, of another class.
    let mut before = observed(
        &[ICON, moved_down(TITLE, 100)],
        &[([0, 120, 60, 140], BLUE)],
    );
    let mut after = observed(
        &[ICON, moved_down(NEW_TITLE, 100)],
        &[([0, 120, 80, 140], BLUE)],
    );
    (before.class, after.class) = (class("other"), class("other"));
    assert_eq!(cause(&before, &after), one);
    // The button beside it changed too: that is another review.
    let also = cause(
        &observed(&[TITLE, PAY], &[title, pay]),
        &observed(
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
    assert_eq!(also.title, "\"Shop\" → \"Store\", and 1 more");
}

#[test]
fn what_follows_from_a_row_that_came_is_no_cause_of_its_own() {
    let banner: Element<'_> = ("TextView", "banner", "Sale", [0, 40, 100, 60]);
    let small = cause(
        &observed(&[TITLE, PAY], &[([10, 100, 90, 140], RED)]),
        &observed(
            &[TITLE, banner, moved_down(PAY, 20)],
            &[([0, 40, 100, 60], BLUE), ([10, 120, 90, 160], RED)],
        ),
    );
    let other = cause(
        &observed(&[SAVE], &[([10, 150, 90, 170], RED)]),
        &observed(
            &[banner, moved_down(SAVE, 24)],
            &[([0, 40, 100, 60], BLUE), ([10, 174, 90, 194], RED)],
        ),
    );
    assert_eq!(small.kind, ChangeKind::Layout);
    assert_eq!(small.title, "added: TextView#banner \"Sale\"");
    assert_eq!(small, other);
}

#[test]
fn a_colour_of_the_theme_is_one_cause_whatever_it_paints() {
    let pay = cause(
        &observed(&[TITLE, PAY], &[([10, 100, 90, 140], BLUE)]),
        &observed(&[TITLE, PAY], &[([10, 100, 90, 140], RED)]),
    );
    assert_eq!(pay.kind, ChangeKind::Pixels);
    assert_eq!(pay.title, "colour #3F6DB5 → #B53F3F");
    let others = cause(
        &observed(
            &[SAVE, ICON],
            &[([10, 150, 90, 170], BLUE), ([12, 52, 28, 68], BLUE)],
        ),
        &observed(
            &[SAVE, ICON],
            &[([10, 150, 90, 170], RED), ([12, 52, 28, 68], RED)],
        ),
    );
    assert_eq!(others, pay);
    // What is drawn no more has no other colour: it is gone, and each such element is a cause of its own.
    let gone = |element: Element<'static>| {
        let (_, _, _, bounds) = element;
        cause(
            &observed(&[element], &[(bounds, BLUE)]),
            &observed(&[element], &[]),
        )
    };
    assert_eq!(gone(ICON).title, "other pixels: ImageView#icon");
    assert_ne!(gone(ICON), gone(SAVE));
}

#[test]
fn a_footer_that_moved_is_one_cause_in_all_classes() {
    let footer = cause(
        &observed(&[TITLE, SAVE], &[([10, 150, 90, 170], RED)]),
        &observed(&[TITLE, moved_down(SAVE, 8)], &[([10, 158, 90, 178], RED)]),
    );
    assert_eq!(footer.kind, ChangeKind::Layout);
    assert_eq!(footer.title, "moved down: Button#save");
    let further = cause(
        &observed(&[PAY, SAVE], &[([10, 150, 90, 170], RED)]),
        &observed(&[PAY, moved_down(SAVE, 16)], &[([10, 166, 90, 186], RED)]),
    );
    assert_eq!(further, footer);
    let wider = ("Button", "save", "Save", [10, 150, 95, 170]);
    let sized = cause(
        &observed(&[SAVE], &[([10, 150, 90, 170], RED)]),
        &observed(&[wider], &[([10, 150, 95, 170], RED)]),
    );
    assert_eq!(sized.title, "another size: Button#save");
}

#[test]
fn new_goldens_are_one_cause_a_flow_and_missing_pictures_one_a_class() {
    let (_guard, store, _root) = store();
    let reported = |key: &GoldenKey, subject: &Subject, strict| {
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
    let form = observed(&[TITLE], &[]);
    let home = reported(&key("home"), &form, false);
    assert_eq!(home.kind, ChangeKind::New);
    assert_eq!(home.title, "new in shop/login");
    assert_eq!(reported(&key("other"), &form, false), home);
    let golden = store.load(&key("home")).unwrap();
    let found = check(&form, &golden, &Options::default()).unwrap();
    store.apply(UpdateMode::New, &golden, &found).unwrap();
    let mut tablet = form.clone();
    tablet.class = class("tablet");
    let at_tablet = key("home").shared().with_class(&tablet.class);
    let missing = reported(&at_tablet, &tablet, true);
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
    let golden = store.load(&at_tablet).unwrap();
    let found = check(&tablet, &golden, &Options::default()).unwrap();
    store.apply(UpdateMode::New, &golden, &found).unwrap();
    let lost = Golden {
        picture: None,
        ..store.load(&at_tablet).unwrap()
    };
    let found = check(&tablet, &lost, &Options::default()).unwrap();
    assert_eq!(found.cause.unwrap().title, "the picture of tablet is gone");
}

#[test]
fn masks_size_and_another_screen_come_first() {
    let before = observed(&[TITLE, PAY], &[([10, 100, 90, 140], BLUE)]);
    let mut masked = observed(&[NEW_TITLE, PAY], &[]);
    masked.options = options("{ name: home, mask: [ { id: pay } ] }");
    let found = cause(&before, &masked);
    assert_eq!(found.kind, ChangeKind::Masks);
    assert_eq!(found.title, "the masks changed, and 2 more");
    assert_eq!(
        found.changes,
        [
            "the masks changed",
            "\"Shop\" → \"Store\"",
            "masked: Button#pay"
        ]
    );
    let mut small = observed(&[TITLE, PAY], &[]);
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
        let mut subject = observed(&[TITLE, PAY], blocks);
        subject.options = options("{ name: home, mask: [ { rect: [0, 180, 100, 200] } ] }");
        subject
    };
    let (_guard, store, _root) = store();
    let reported = cause_in(
        &store,
        &key("home"),
        &with(&[([10, 100, 90, 140], BLUE)]),
        &with(&[([10, 100, 90, 140], RED), bar, area]),
    );
    assert_eq!(reported.title, "colour #3F6DB5 → #B53F3F");
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
        let mut subject = observed(&[element], &[]);
        subject.picture = Some(painted(size, &[([0, 0, 400, 800], BLUE)]));
        subject
    };
    let mut after = observed(&[oops], &[]);
    after.picture = Some(painted(size, &[([0, 0, 800, 800], RED)]));
    let one = cause(&before(PAY), &after);
    assert_eq!(one.kind, ChangeKind::Replaced);
    assert_eq!(one.title, "another screen: \"No connection\"");
    assert_eq!(cause(&before(ICON), &after), one);
}

/// The title of a group must name every change, also one beside others.
#[test]
fn another_colour_of_what_moved_is_a_cause_too() {
    let extra: Element<'_> = ("TextView", "extra", "Sale", [0, 40, 100, 60]);
    let gains = |brand| {
        cause(
            &observed(&[TITLE, PAY], &[([10, 100, 90, 140], BLUE)]),
            &observed(
                &[TITLE, extra, moved_down(PAY, 20)],
                &[([0, 40, 60, 60], RED), ([10, 120, 90, 160], brand)],
            ),
        )
    };
    let (row, also) = (gains(BLUE), gains([20, 160, 60]));
    assert_eq!(row.changes, ["added: TextView#extra \"Sale\""]);
    assert_eq!(
        also.changes,
        ["added: TextView#extra \"Sale\"", "colour #3F6DB5 → #14A03C"]
    );
    assert_eq!(also.title, "added: TextView#extra \"Sale\", and 1 more");
    assert_ne!(row.id, also.id);
}

/// Texts that are shortened for people still tell groups apart by their full length.
#[test]
fn what_is_told_in_short_is_told_apart_in_full() {
    let long = |end: &str| format!("{}{end}", "so it goes on and on, ".repeat(30));
    let with = |text: &str| {
        let row = ("TextView", "note", text, [0, 20, 100, 40]);
        observed(&[row], &[])
    };
    let of = |end: &str| cause(&with("one"), &with(&long(end)));
    assert_ne!(of("good").id, of("bad").id);
    let added = |text: &str| {
        let row = ("TextView", "note", text, [0, 20, 100, 40]);
        cause(&observed(&[PAY], &[]), &observed(&[row, PAY], &[]))
    };
    assert_ne!(added("Sale").id, added("Free").id);
    let most = |changes: &[String]| changes.iter().map(|one| one.chars().count()).max();
    assert!(most(&added(&long("x")).changes) < Some(400));
}

/// Different pixels in the same element are different changes.
#[test]
fn other_pixels_are_told_apart() {
    let icon = |block: [i32; 4]| {
        cause(
            &observed(&[ICON], &[([12, 52, 28, 68], BLUE)]),
            &observed(&[ICON], &[(block, BLUE)]),
        )
    };
    let (left, right) = (icon([12, 52, 20, 68]), icon([20, 52, 28, 68]));
    assert_eq!(left.changes, ["other pixels: ImageView#icon"]);
    assert_eq!(left.changes, right.changes);
    assert_ne!(left.id, right.id);
    assert_eq!(icon([12, 52, 20, 68]), left);
}

/// A move that an added row cannot explain.
#[test]
fn what_moved_by_itself_is_named_beside_what_came() {
    let banner: Element<'_> = ("TextView", "banner", "Sale", [0, 180, 50, 190]);
    let reported = cause(
        &observed(&[TITLE, ICON], &[([12, 52, 28, 68], BLUE)]),
        &observed(
            &[TITLE, ("ImageView", "icon", "", [60, 50, 80, 70]), banner],
            &[([62, 52, 78, 68], BLUE)],
        ),
    );
    assert_eq!(
        reported.changes,
        [
            "added: TextView#banner \"Sale\"",
            "moved right: ImageView#icon"
        ]
    );
}

/// A resized row explains moves by the difference of its size only, and only those behind it.
#[test]
fn what_grew_a_little_explains_little() {
    let taller = |bottom| ("TextView", "title", "Store", [0, 20, 100, bottom]);
    let reported = |bottom, by| {
        cause(
            &observed(&[TITLE, PAY], &[([10, 100, 90, 140], RED)]),
            &observed(
                &[taller(bottom), moved_down(PAY, by)],
                &[([10, 100 + by, 90, 140 + by], RED)],
            ),
        )
    };
    assert_eq!(reported(50, 10).changes, ["\"Shop\" → \"Store\""]);
    for (bottom, by, to) in [(41, 40, "down"), (50, -10, "up"), (30, 10, "down")] {
        let moved = format!("moved {to}: Button#pay");
        assert_eq!(
            reported(bottom, by).changes,
            ["\"Shop\" → \"Store\"", &moved]
        );
    }
    let above = cause(
        &observed(&[ICON, PAY], &[([10, 100, 90, 140], RED)]),
        &observed(
            &[
                moved_down(ICON, -8),
                ("Button", "pay", "Pay now", [10, 100, 90, 148]),
            ],
            &[([10, 100, 90, 148], RED)],
        ),
    );
    assert_eq!(above.changes, ["\"now\" added", "moved up: ImageView#icon"]);
}

/// Changed drawing in a row must be reported even if the row's words changed too.
#[test]
fn other_colours_of_a_row_that_says_something_else_are_told() {
    let ink: [u8; 3] = [10, 10, 60];
    let reported = |also: &[Block]| {
        let mut blocks = vec![([2, 24, 60, 36], ink)];
        blocks.extend(also);
        cause(
            &observed(&[TITLE], &[([2, 24, 40, 36], ink)]),
            &observed(&[NEW_TITLE], &blocks),
        )
    };
    let stamp = [70, 22, 95, 38];
    let (plain, red, blue) = (
        reported(&[]),
        reported(&[(stamp, RED)]),
        reported(&[(stamp, BLUE)]),
    );
    assert_eq!(plain.changes, ["\"Shop\" → \"Store\""]);
    for other in [&red, &blue] {
        assert_eq!(
            other.changes,
            ["\"Shop\" → \"Store\"", "other colours: TextView#title"]
        );
    }
    assert_ne!(red.id, blue.id);
    // Words where there were none are written in something.
    let empty = ("TextView", "title", "", [0, 20, 100, 40]);
    let filled = cause(
        &observed(&[empty], &[]),
        &observed(&[NEW_TITLE], &[([2, 24, 60, 36], ink)]),
    );
    assert_eq!(filled.changes, ["\"Store\" added"]);
}

/// Changed words are one cause wherever they are; changed numbers are one only within their element.
#[test]
fn texts_are_grouped_by_their_words() {
    let change = |id: &'static str, before: &str, after: &str| {
        let row = |text| observed(&[("TextView", id, text, [0, 20, 100, 40])], &[]);
        cause(&row(before), &row(after))
    };
    let one = change("title", "Orders – Shop", "Orders – Store");
    assert_eq!(
        one,
        change("about", "About Shop, and why", "About Store, and why")
    );
    assert_eq!(one.title, "\"Shop\" → \"Store\"");
    let number = change("badge", "3 new", "4 new");
    assert_eq!(number.title, "\"3\" → \"4\" in TextView#badge");
    assert_ne!(number.id, change("price", "3 €", "4 €").id);
    assert_eq!(number.id, change("badge", "3 old", "4 old").id);
    assert_eq!(change("a", "Sign in", "Sign in now").title, "\"now\" added");
    let spaces = [" ", "  ", "\u{a0}"].map(|between| format!("Sign{between}in"));
    let [wider, other] = [1, 2].map(|at| change("a", &spaces[0], &spaces[at]));
    assert_ne!(wider.title, other.title);
    assert_ne!(wider.id, other.id);
}
