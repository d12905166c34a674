use super::*;
use crate::Row;
use crate::tsv::Metadata;
use runner_screen::Rect;

/// A row: class, id, text, flags.
type Short<'a> = (&'a str, &'a str, &'a str, &'a str);

const FORM: [Short<'_>; 4] = [
    ("window:APPLICATION", "", "com.example", ""),
    ("TextView", "title", "Shop", "ena"),
    ("TextView", "", "Welcome", "ena"),
    ("Button", "pay", "Pay", "clk,ena"),
];

fn header() -> Metadata {
    let pairs = [
        ("app", "com.example"),
        ("masks", "none"),
        ("redactions", "none"),
        ("runner", "0.1.0"),
        ("schema", "1"),
    ];
    pairs
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into()
}

fn table(rows: &[Short<'_>]) -> String {
    with_header(&header(), rows)
}

fn rows(short: &[Short<'_>]) -> Vec<Row> {
    let row = |(class, id, text, flags): &Short<'_>| Row {
        class: (*class).to_owned(),
        res_id: (*id).to_owned(),
        text: (*text).to_owned(),
        flags: (*flags).to_owned(),
        ..Row::default()
    };
    short.iter().map(row).collect()
}

fn with_header(header: &Metadata, short: &[Short<'_>]) -> String {
    tsv::write(header, &rows(short), false)
}

fn merged(base: &str, ours: &str, theirs: &str) -> Result<Merge, MergeConflict> {
    merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes())
}

#[track_caller]
fn written(base: &str, ours: &str, theirs: &str) -> String {
    match merged(base, ours, theirs) {
        Ok(Merge::Written(bytes)) => String::from_utf8(bytes).unwrap(),
        other => panic!("{other:?}"),
    }
}

fn marked(text: &str) -> String {
    text.replacen(" redactions=", " merged=yes redactions=", 1)
}

/// [`FORM`] with other rows in the place of one.
fn with<'a>(at: usize, new: &[Short<'a>]) -> Vec<Short<'a>> {
    let mut rows = FORM.to_vec();
    rows.splice(at..=at, new.iter().copied());
    rows
}

#[test]
fn what_both_changed_elsewhere_is_joined_numbered_anew_and_marked() {
    let base = table(&FORM);
    let ours = table(&with(1, &[("TextView", "title", "Store", "ena")]));
    let theirs = table(&with(3, &[("Button", "help", "?", "ena"), FORM[3]]));
    let mut both = with(1, &[("TextView", "title", "Store", "ena")]);
    both.insert(3, ("Button", "help", "?", "ena"));
    assert_eq!(written(&base, &ours, &theirs), marked(&table(&both)));
    assert_eq!(written(&base, &theirs, &ours), marked(&table(&both)));
}

#[test]
fn two_cells_of_a_row_that_has_an_id_are_joined() {
    let base = table(&FORM);
    let ours = table(&with(3, &[("Button", "pay", "Buy", "clk,ena")]));
    let theirs = table(&with(3, &[("Button", "pay", "Pay", "clk")]));
    let both = table(&with(3, &[("Button", "pay", "Buy", "clk")]));
    assert_eq!(written(&base, &ours, &theirs), marked(&both));
}

#[test]
fn line_ends_stay_as_ours_has_them() {
    let base = table(&FORM);
    let ours = table(&with(1, &[("TextView", "title", "Store", "ena")])).replace('\n', "\r\n");
    let theirs = table(&with(3, &[("Button", "pay", "Buy", "clk,ena")]));
    let text = written(&base, &ours, &theirs);
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    // The same but for its line ends is no change.
    assert_eq!(
        merged(&base, &base.replace('\n', "\r\n"), &ours),
        Ok(Merge::Written(ours.clone().into()))
    );
    assert_eq!(
        merged(&base, &ours, &base.replace('\n', "\r\n")),
        Ok(Merge::Ours)
    );
}

#[test]
fn what_one_side_has_of_the_other_is_taken_whole() {
    let base = table(&FORM);
    let one = table(&with(1, &[("TextView", "title", "Store", "ena")]));
    let mut more = with(1, &[("TextView", "title", "Store", "ena")]);
    more.push(("Button", "help", "?", "ena"));
    let more = table(&more);
    assert_eq!(written(&base, &one, &more), more);
    assert_eq!(merged(&base, &more, &one), Ok(Merge::Ours));
}

#[test]
fn settings_of_the_header_are_merged_by_key() {
    let set = |key: &str, value: &str| {
        let mut header = header();
        header.insert(key.to_owned(), value.to_owned());
        header
    };
    let base = table(&FORM);
    let ours = with_header(&set("runner", "0.2.0"), &FORM);
    let theirs = with_header(&set("app_version", "7"), &FORM);
    let mut both = set("runner", "0.2.0");
    both.insert("app_version".to_owned(), "7".to_owned());
    assert_eq!(
        written(&base, &ours, &theirs),
        marked(&with_header(&both, &FORM))
    );
    let theirs = with_header(&set("runner", "0.3.0"), &FORM);
    assert_eq!(
        merged(&base, &ours, &theirs),
        Err(MergeConflict::Header("runner".to_owned()))
    );
}

#[test]
fn what_cannot_be_known_is_a_conflict() {
    let base = table(&FORM);
    let text = |text| table(&with(3, &[("Button", "pay", text, "clk,ena")]));
    let refused = |ours: &str, theirs: &str| {
        let one = merged(&base, ours, theirs).unwrap_err();
        let other = merged(&base, theirs, ours).unwrap_err();
        assert_eq!(one, other);
        one.to_string()
    };
    assert_eq!(
        refused(&text("Buy"), &text("Order")),
        "both sides changed the text of Button#pay"
    );
    let removed = table(&FORM[..3]);
    assert_eq!(
        refused(&text("Buy"), &removed),
        "one side changed Button#pay, which the other removed, moved or replaced"
    );
    let below = |id| table(&with(2, &[FORM[2], ("Button", id, "", "ena")]));
    assert_eq!(
        refused(&below("help"), &below("more")),
        "both sides changed which rows there are below TextView \"Welcome\""
    );
    // Both may mean one button or two.
    let with_help = |title| {
        let mut rows = with(1, &[("TextView", "title", title, "ena")]);
        rows.push(("Button", "help", "?", "ena"));
        rows
    };
    let mut other = with_help("Shop");
    other[3] = ("Button", "pay", "Buy", "clk,ena");
    refused(&table(&with_help("Store")), &table(&other));
    // The focus goes two ways.
    let focus = |at: usize| {
        let mut rows = FORM.to_vec();
        rows[at].3 = "fcs";
        table(&rows)
    };
    assert_eq!(
        refused(&focus(1), &focus(3)),
        "both sides changed which rows are focused"
    );
    // The same count of two things.
    let count = |title, count| {
        let mut rows = FORM.to_vec();
        rows[1].2 = title;
        rows.push(("TextView", "count", count, "ena"));
        rows
    };
    let base = table(&count("Shop", "3"));
    let theirs = {
        let mut rows = count("Shop", "4");
        rows[3].2 = "Buy";
        table(&rows)
    };
    let refused = merged(&base, &table(&count("Store", "4")), &theirs);
    assert_eq!(
        refused,
        Err(MergeConflict::Alike("TextView#count".to_owned()))
    );
}

#[test]
fn masks_and_redactions_that_count_are_not_guessed() {
    let set = |key: &str, value: &str, rows: &[Short<'_>]| {
        let mut header = header();
        header.insert(key.to_owned(), value.to_owned());
        with_header(&header, rows)
    };
    let base = table(&FORM);
    let theirs = table(&with(3, &[("Button", "pay", "Buy", "clk,ena")]));
    for (key, why) in [
        ("masks", MergeConflict::Masks),
        ("redactions", MergeConflict::Redactions),
    ] {
        assert_eq!(merged(&base, &set(key, "0123", &FORM), &theirs), Err(why));
    }
    // `uuid_{n}` of one side's new row would be counted on by the other's.
    let side = |at, id, text| {
        set(
            "redactions",
            "0123",
            &with(at, &[FORM[at], ("TextView", id, text, "ena")]),
        )
    };
    let base = set("redactions", "0123", &FORM);
    let ours = side(1, "one", "uuid_1");
    assert_eq!(
        merged(&base, &ours, &side(3, "two", "uuid_1")),
        Err(MergeConflict::Redactions)
    );
    assert!(merged(&base, &ours, &side(3, "two", "[time]")).is_ok());
    // What came out from under a mask may have changed there.
    let masked = with(2, &[("TextView", "clock", "[masked]", "[masked]")]);
    let open = with(2, &[("TextView", "clock", "9:41", "ena")]);
    let base = set("masks", "0123", &masked);
    let mut other = masked.clone();
    other[3].2 = "Buy";
    let theirs = set("masks", "0123", &other);
    assert_eq!(
        merged(&base, &set("masks", "0123", &open), &theirs),
        Err(MergeConflict::Masks)
    );
}

#[test]
fn of_rows_that_scroll_nobody_knows_how_many_fit() {
    let scrolling = |title, last: &[Short<'_>]| {
        let mut rows = vec![
            FORM[0],
            ("ListView", "list", "", "scr"),
            ("TextView", "title", title, ""),
        ];
        rows.extend(last);
        table(&rows)
    };
    let base = scrolling("a", &[FORM[3]]);
    let ours = scrolling("a", &[]);
    assert_eq!(
        merged(&base, &ours, &scrolling("b", &[FORM[3]])),
        Err(MergeConflict::Scrolls)
    );
}

fn class_table(rows: &[(Short<'_>, [i32; 4])]) -> String {
    let rows: Vec<Row> = rows
        .iter()
        .map(|(short, [l, t, r, b])| Row {
            bounds: Some(Rect::new(*l, *t, *r, *b)),
            on: Some(true),
            ..self::rows(&[*short]).remove(0)
        })
        .collect();
    tsv::write(&header(), &rows, true)
}

#[test]
fn where_rows_lie_is_of_one_side_only() {
    let place = |pay, top| {
        class_table(&[
            (FORM[1], [0, 0, 100, 20]),
            (
                (FORM[3].0, FORM[3].1, pay, FORM[3].3),
                [0, top, 100, top + 20],
            ),
        ])
    };
    let base = place("Pay", 20);
    for (ours, theirs) in [
        (place("Pay", 40), place("Pay", 60)),
        (place("Pay", 40), place("Buy", 20)),
        (place("Buy", 40), place("Pay", 60)),
    ] {
        let refused = merged(&base, &ours, &theirs).unwrap_err();
        let is_cell = matches!(
            refused,
            MergeConflict::Cell {
                column: "bounds",
                ..
            }
        );
        assert!(is_cell || refused == MergeConflict::Layout, "{refused}");
    }
    // A state changes nothing of it.
    let disabled = place("Pay", 20).replace("clk,ena", "clk");
    let both = place("Pay", 40).replace("clk,ena", "clk");
    assert_eq!(written(&base, &place("Pay", 40), &disabled), marked(&both));
}

#[test]
fn other_files_are_not_merged() {
    let table = table(&FORM);
    let other = table.replace("Shop", "Store");
    let picture = [b"\x89PNG\r\n\x1a\n".as_slice(), b"1"].concat();
    let digest = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";
    let pointer =
        format!("version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 12345\n");
    let unmerged = |base: &[u8], ours: &[u8], theirs: &[u8]| merge(base, ours, theirs).unwrap_err();
    let (table, other) = (table.as_bytes(), other.as_bytes());
    assert_eq!(unmerged(b"1", &picture, b"2"), MergeConflict::Picture);
    assert_eq!(
        merge(&picture, &picture, b"2"),
        Ok(Merge::Written(b"2".to_vec()))
    );
    assert_eq!(merge(b"1", &picture, b"1"), Ok(Merge::Ours));
    assert_eq!(
        unmerged(table, pointer.as_bytes(), other),
        MergeConflict::Pointer
    );
    assert_eq!(unmerged(b"", table, other), MergeConflict::BothAdded);
    let commented = [b"# a comment\n", table].concat();
    assert_eq!(
        unmerged(table, &commented, other),
        MergeConflict::Edited(Side::Ours)
    );
    let torn = [table, b"<<<<<<< ours\n"].concat();
    assert!(matches!(
        unmerged(&torn, table, other),
        MergeConflict::Unreadable {
            side: Side::Base,
            line: 7,
            ..
        }
    ));
    assert_eq!(
        unmerged(table, b"\xff", other),
        MergeConflict::NotText(Side::Ours)
    );
    let schema = String::from_utf8_lossy(table).replace("schema=1", "schema=2");
    assert_eq!(
        unmerged(table, schema.as_bytes(), other),
        MergeConflict::Format
    );
}
