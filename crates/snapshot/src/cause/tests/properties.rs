//! Tests of groups with any rows, pictures and changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::caret::CaretAreas;
use crate::pending::{self, Mark};
use crate::row::Row;
use crate::{Metadata, Table, Tolerance};

/// Returns the cause found between two tables and two pictures of any contents.
fn found(golden: Vec<Row>, actual: Vec<Row>, pictures: [RgbaImage; 2]) -> Cause {
    let (_guard, store, _root) = store();
    let table = Table {
        rows: golden,
        ..Table::default()
    };
    let tables = Tables {
        shared: Some(table.clone()),
        class: Some(table),
    };
    let proposed = GoldenProposal {
        rows: &actual,
        metadata: &Metadata::default(),
    };
    let [before, after] = pictures.map(|picture| Arc::new(picture.into()));
    let picture = PictureCheck::new(
        before,
        after,
        &[],
        &CaretAreas::default(),
        Tolerance::default(),
    );
    let difference = Difference::new(&tables, proposed, Some(picture));
    let golden = store.load(&key("home")).unwrap();
    find_cause(&difference, &golden, &tables, proposed)
}

/// Checks that a pending file holds the whole cause in its first bytes.
fn fits_in_a_mark(cause: &Cause) {
    let mark = Mark {
        against: "0123456789abcdef".to_owned(),
        by: BTreeSet::from(["lab".to_owned()]),
        parts: std::collections::BTreeMap::new(),
        cause: Some(cause.clone()),
        masked: None,
    };
    let marked = pending::mark(b"id\n", &mark);
    let head = &marked[..marked.len().min(pending::HEAD)];
    assert_eq!(
        pending::read(head).and_then(|mark| mark.cause).as_ref(),
        Some(cause)
    );
}

#[test]
fn what_thousands_of_rows_changed_is_listed_as_far_as_there_is_room() {
    let rows = (0..3000).map(|at| Row {
        class: "TextView".to_owned(),
        text: format!("{at} \"漢字\\ {}", "\u{1F600}".repeat(400)),
        bounds: Some(Rect::new(0, at % 90, 100, at % 90 + 10)),
        ..Row::default()
    });
    let blank = || RgbaImage::new(40, 40);
    let cause = found(Vec::new(), rows.collect(), [blank(), blank()]);
    assert!(cause.title.ends_with(", and 2999 more"), "{}", cause.title);
    assert_eq!(cause.count(), 3000);
    assert!(
        cause
            .changes
            .last()
            .is_some_and(|last| last.ends_with("more changes"))
    );
    fits_in_a_mark(&cause);
}

fn any_row() -> impl Strategy<Value = Row> {
    let edge = prop_oneof![
        Just(i32::MIN),
        Just(i32::MAX),
        Just(0),
        -5..60_i32,
        any::<i32>(),
    ];
    let flags = prop_oneof![Just(""), Just("clk"), Just("[masked]"), Just("chk,sel")];
    let text = prop_oneof![
        Just(String::new()),
        "\\PC{0,12}",
        "[ab ]{0,6}",
        any::<String>()
    ];
    let bounds = [edge.clone(), edge.clone(), edge.clone(), edge];
    (0..3_usize, text, bounds, flags, any::<bool>()).prop_map(|(class, text, at, flags, on)| {
        let [left, top, right, bottom] = at;
        Row {
            class: ["View", "TextView", "window:X"][class].to_owned(),
            text,
            flags: flags.to_owned(),
            on: Some(on),
            bounds: Some(Rect::new(left, top, right, bottom)),
            ..Row::default()
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Rows may come from elsewhere. Whatever they contain, there is a cause that can be shown.
    #[test]
    fn any_rows_come_to_a_cause(
        golden in prop::collection::vec(any_row(), 0..8),
        actual in prop::collection::vec(any_row(), 0..8),
        keeps in 0..8_usize,
        blocks in prop::collection::vec((0..40_u32, 0..60_u32, any::<[u8; 3]>()), 0..6),
        taller in 0..2_u32,
    ) {
        let mut now: Vec<Row> = golden.iter().take(keeps).cloned().collect();
        now.extend(actual);
        let before = RgbaImage::from_pixel(40, 60, Rgba([255; 4]));
        let mut after = RgbaImage::from_pixel(40, 60 + taller, Rgba([255; 4]));
        for (left, top, [red, green, blue]) in blocks {
            for (x, y) in (left..40).zip(top..60) {
                after.put_pixel(x, y, Rgba([red, green, blue, 255]));
            }
        }
        let cause = found(golden, now, [before, after]);
        prop_assert!(!cause.changes.is_empty());
        fits_in_a_mark(&cause);
    }
}

/// Possible changes of a screen, each independent of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Changes {
    title: usize,
    extra: usize,
    brand: usize,
    icon: usize,
    ground: usize,
    badge: usize,
}

impl Changes {
    const TITLES: [&str; 3] = ["Shop", "Store", "Market"];
    const EXTRAS: [&str; 3] = ["", "Sale", "Deal"];
    const BRANDS: [[u8; 3]; 3] = [BLUE, RED, [20, 160, 60]];
    const ICONS: [[i32; 4]; 3] = [[12, 52, 28, 68], [12, 52, 20, 68], [12, 58, 28, 68]];
    const GROUNDS: [[u8; 3]; 3] = [WHITE, [200, 230, 200], [90, 90, 90]];
    const BADGES: [i32; 3] = [0, 9, -7];

    /// Builds the screen; `other` selects what else is on it.
    fn observed(self, other: usize) -> Subject {
        const INK: [u8; 3] = [10, 10, 60];
        let title = Self::TITLES[self.title];
        let ground = Self::GROUNDS[self.ground];
        let down = if self.extra > 0 { 20 } else { 0 };
        let note = ["", "Hello", "Good day"][other];
        // One of the titles is a bit higher; what stands below it explains no more than that.
        let bottom = 40 + i32::from(self.title == 2);
        let badge = Self::BADGES[self.badge];
        let mut rows = vec![
            ("TextView", "title", title, [0, 20, 100, bottom]),
            ICON,
            ("ImageView", "badge", "", [70, 50 + badge, 90, 70 + badge]),
        ];
        let mut blocks = vec![
            ([0, 10, 100, 200], ground),
            ([2, 24, 2 + 8 * title.len() as i32, 36], INK),
            (Self::ICONS[self.icon], [180, 120, 20]),
            ([72, 52 + badge, 88, 68 + badge], [120, 20, 120]),
        ];
        if self.extra > 0 {
            rows.push((
                "TextView",
                "extra",
                Self::EXTRAS[self.extra],
                [0, 74, 60, 94],
            ));
            blocks.push(([2, 78, 40, 90], INK));
        }
        rows.push(moved_down(PAY, down));
        blocks.push(([10, 100 + down, 90, 140 + down], Self::BRANDS[self.brand]));
        if other > 0 {
            rows.push(("TextView", "note", note, [0, 170, 100, 190]));
            blocks.push(([2, 174, 2 + 8 * note.len() as i32, 186], INK));
        }
        observed(&rows, &blocks)
    }

    fn named(self) -> Vec<String> {
        let hex = |[r, g, b]: [u8; 3]| format!("#{r:02X}{g:02X}{b:02X}");
        let colour = |from, to| format!("colour {} → {}", hex(from), hex(to));
        let mut named = Vec::new();
        if self.title > 0 {
            named.push(format!("\"Shop\" → \"{}\"", Self::TITLES[self.title]));
        }
        if self.extra > 0 {
            named.push(format!(
                "added: TextView#extra \"{}\"",
                Self::EXTRAS[self.extra]
            ));
        }
        if self.brand > 0 {
            named.push(colour(BLUE, Self::BRANDS[self.brand]));
        }
        if self.icon > 0 {
            named.push("other pixels: ImageView#icon".to_owned());
        }
        if self.badge > 0 {
            let to = ["", "down", "up"][self.badge];
            named.push(format!("moved {to}: ImageView#badge"));
        }
        if self.ground > 0 {
            named.push(colour(WHITE, Self::GROUNDS[self.ground]));
        }
        named.sort_unstable();
        named
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Several flows with random changes of rows and pixels. Members of a group must have the same changes,
    /// and the group must name all of them.
    #[test]
    fn no_group_holds_a_change_that_it_does_not_name(
        flows in prop::collection::vec(
            ((0..3_usize, 0..3_usize, 0..3_usize, 0..3_usize, 0..3_usize, 0..3_usize), 0..3_usize), 2..6,
        ),
    ) {
        let reported: Vec<(Changes, Cause)> = flows
            .into_iter()
            .map(|((title, extra, brand, icon, ground, badge), other)| {
                (Changes { title, extra, brand, icon, ground, badge }, other)
            })
            .filter(|(changes, _)| *changes != Changes::default())
            .map(|(changes, other)| {
                (changes, cause(&Changes::default().observed(other), &changes.observed(other)))
            })
            .collect();
        for (changes, cause) in &reported {
            let mut named = cause.changes.clone();
            named.sort_unstable();
            prop_assert_eq!(&named, &changes.named(), "{:?}", changes);
            for (others, other) in &reported {
                prop_assert_eq!(cause.id == other.id, changes == others, "{:?} {:?}", changes, others);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Other contents of the screen and the order of rows must not change the cause.
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
            observed(&all, &[])
        };
        let one = cause(&screen(0, 0, false), &screen(1, 0, false));
        let other = cause(&screen(0, others, turned), &screen(1, others, turned));
        prop_assert_eq!(one, other);
    }
}
