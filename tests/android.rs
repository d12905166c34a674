//! The virtual device beside Android's own framework.
//!
//! `tests/android/rows/` asks: an act on a screen, and what to look at. `tests/android/table.tsv` has what Android left
//! each time. The app of `tests/apks/judge/` in Android's framework fills it in; the same app as a described one,
//! `tests/android/twin/`, must leave the same on the virtual device.
//!
//! `open.txt` names the rows that it does not leave the same yet; `--nocapture` prints how each of them differs.
//!
//! `TABLE=write cargo test --test tests android::the_table` writes the table anew; it needs what APKs need.
//! `TABLE=missing` asks only the rows that have no answer.
//! `TABLE=write cargo test --test tests android::a_described` writes `open.txt`; what it says of the reasons stays.

mod acts;
mod observe;
mod phone;
mod random;
mod rows;
mod table;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use runner_testing as needs;

use self::phone::Phone;
use self::rows::{Row, Source};
use self::table::{Answer, Table};
use crate::apk::{apk, parts};
use crate::common::Project;

const TWIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/android/twin");

/// Returns the part of a row's name that `ROWS` asks for, to try only some rows.
#[allow(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]
fn wanted(row: &Row) -> bool {
    std::env::var("ROWS").is_ok_and(|part| row.name.contains(&part) || row.behaviour == part)
        || std::env::var_os("ROWS").is_none()
}

#[allow(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]
fn writes() -> bool {
    std::env::var_os("TABLE").is_some()
}

/// Returns true if a phone is to answer only the rows without an answer (`TABLE=missing`).
#[allow(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]
fn is_missing() -> bool {
    std::env::var("TABLE").is_ok_and(|how| how == "missing")
}

/// Checks that the virtual device answers each row as the table says.
#[tokio::test(flavor = "multi_thread")]
async fn a_described_app_does_what_android_does() {
    let table = Table::read();
    let rows = rows::all();
    let phone = Phone::start(TWIN.as_ref(), None).await;
    let (mut wrong, mut right, mut known) = (String::new(), 0, 0);
    let mut open = BTreeSet::new();
    for row in rows.iter().filter(|row| row.apart.is_none() && wanted(row)) {
        if row.source == Source::Host {
            continue;
        }
        let Some(expected) = table.answer(row) else {
            let _ = writeln!(wrong, "{}: Android was not asked; TABLE=write", row.name);
            continue;
        };
        let differences = match phone.answer(row).await {
            Ok(left) => expected.differences(&left),
            Err(why) => format!("    {why}\n"),
        };
        match (row.is_open, differences.is_empty()) {
            (false, true) => right += 1,
            (true, false) => {
                known += 1;
                eprintln!(
                    "open: {} [{}]\n{differences}",
                    row.name,
                    row.acts.join("; ")
                );
            }
            (true, true) => {
                let _ = writeln!(
                    wrong,
                    "{}: as Android has it; take it out of open.txt",
                    row.name
                );
            }
            (false, false) => {
                let _ = writeln!(
                    wrong,
                    "{} [{}]\n{differences}",
                    row.name,
                    row.acts.join("; ")
                );
            }
        }
        if !differences.is_empty() {
            open.insert(row.name.as_str());
        }
    }
    eprintln!("{right} rows as Android has them, {known} are open");
    if writes() {
        table::write("open.txt", &open_text(open));
        return;
    }
    assert!(wrong.is_empty(), "{} right\n{wrong}", right);
}

/// Returns the new text of `open.txt`: rows that are still open, each below its reason, and new ones.
fn open_text(mut open: BTreeSet<&str>) -> String {
    let mut text = String::new();
    for line in include_str!("android/open.txt").lines() {
        if open.remove(line) || line.is_empty() || line.starts_with('#') {
            let _ = writeln!(text, "{line}");
        }
    }
    if !open.is_empty() {
        let _ = writeln!(text, "\n# Nobody has looked at these yet.");
    }
    for row in open {
        let _ = writeln!(text, "{row}");
    }
    text
}

/// `apk` runs the same flows on the app in Android's framework.
#[test]
fn flows_of_the_judge_pass_on_its_described_twin() {
    let project = Project::empty();
    project.copy_to("tests/apks/judge/flows", "flows");
    project.copy("tests/android/twin");
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [tests/android/twin]\n",
    );
    project.run(&["test"]).expect(0).says("5 passed");
}

/// The table is what Android says today; `TABLE=write` makes it so.
#[tokio::test(flavor = "multi_thread")]
async fn the_table_is_what_android_says() {
    let Some(parts) = parts() else { return };
    if !writes() && !needs::long(false, true) {
        return;
    }
    let phone = Phone::start(&apk("judge"), Some(&parts)).await;
    let mut table = if writes() {
        Table::read()
    } else {
        Table::default()
    };
    table.versions = phone.versions().await;
    let mut wrong = String::new();
    for row in rows::all().iter().filter(|row| wanted(row)) {
        if is_missing() && table.answer(row).is_some() {
            continue;
        }
        let answer = match &row.source {
            Source::Document { left, .. } => Answer::given(left),
            Source::Framework | Source::Host => match phone.answer_in_new_process(row).await {
                Ok(answer) => answer,
                Err(why) => {
                    let _ = writeln!(wrong, "{}: {why}", row.name);
                    continue;
                }
            },
        };
        table.put(row, answer);
        // What was asked so far is not lost.
        if writes() {
            table.write();
        }
    }
    if writes() {
        table.keep(&rows::all());
        table.write();
    }
    assert!(wrong.is_empty(), "{wrong}");
    if !writes() {
        let kept = Table::read();
        assert_eq!(kept.differences(&table), "", "TABLE=write makes it anew");
    }
}

/// Checks that random acts, which no row describes, leave the same state on both twins.
#[tokio::test(flavor = "multi_thread")]
async fn acts_at_random_leave_the_same_on_both_twins() {
    /// Random rows. Chosen: a tenth of them opens a window, and all take less than a quarter of an hour.
    const ROWS: usize = 300;
    let Some(parts) = parts() else { return };
    if !needs::long(false, true) {
        return;
    }
    let android = Phone::start(&apk("judge"), Some(&parts)).await;
    let device = Phone::start(TWIN.as_ref(), None).await;
    let mut random = fastrand::Rng::with_seed(12);
    let mut wrong = String::new();
    for number in 0..ROWS {
        let row = random::row(number, &mut random);
        if !wanted(&row) {
            continue;
        }
        let expected = android.answer_in_new_process(&row).await;
        let differences = match (expected, device.answer(&row).await) {
            (Ok(expected), Ok(left)) => expected.differences(&left),
            (Err(one), Err(other)) if one == other => continue,
            (expected, left) => format!("    {expected:?}, not {left:?}\n"),
        };
        if !differences.is_empty() {
            let acts: Vec<&str> = row.acts.iter().map(String::as_str).collect();
            let acts = acts.join("; ").replace("; settle", "");
            let _ = writeln!(wrong, "{} {} [{acts}]\n{differences}", row.name, row.screen);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A row that no described app can express says why, and the rest are enough to be a judge.
#[test]
fn the_table_has_all_rows_and_says_where_each_is_from() {
    let rows = rows::all();
    let table = Table::read();
    let mut names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "two rows of one name");
    let missing: Vec<&Row> = rows
        .iter()
        .filter(|row| table.answer(row).is_none())
        .collect();
    let missing: Vec<&str> = missing.iter().map(|row| row.name.as_str()).collect();
    assert!(missing.is_empty(), "{missing:#?}");
    let judging = rows
        .iter()
        .filter(|row| row.apart.is_none() && row.source != Source::Host)
        .count();
    assert!(judging >= 150, "{judging} rows");
}
