//! `runner review --static` and `runner accept --decisions`: decisions made elsewhere about the proposals of
//! a run in CI.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::common::review::{self, ScriptedChange};
use crate::common::{Project, Ran, browser, copy_tree};

const HOSTILE: &str = "<img src=x onerror=window.hurt=1>";

/// Returns a clone of the project in which CI ran and left artifacts.
fn after_ci() -> Project {
    static MADE: OnceLock<Project> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let project = review::before();
        review::change(&project);
        project.replace("apps/demo/app.yaml", review::NEW_TITLE, HOSTILE);
        let mut command = project.command(&["test", "--artifacts", "out/artifacts"]);
        Ran::from(command.env("CI", "true").output().expect("it starts")).expect(1);
        project
    });
    let project = Project::empty();
    copy_tree(&made.path(""), &project.path(""));
    project
}

const PAGE: [&str; 9] = [
    "review",
    "--static",
    "out/review",
    "--from",
    "out/artifacts",
    "--run",
    "7",
    "--commit",
    "abc123",
];

/// Writes the page, and returns its data.
fn page(project: &Project) -> Value {
    project.run(&PAGE).expect(0).says("7 snapshots to review");
    let text = project.read("out/review/queue.js");
    let text = text.strip_prefix("const REVIEW = ").expect("a constant");
    serde_json::from_str(text.trim_end().trim_end_matches(';')).expect("JSON")
}

/// Returns the file that the page makes for these choices.
fn decisions(page: &Value, choices: &[(&str, &str)]) -> Value {
    let decisions: Vec<Value> = choices
        .iter()
        .map(|(key, decision)| {
            let sides = &page["sides"][key];
            assert!(sides.is_array(), "{key} is on the page");
            json!({ "snapshot": key, "golden": sides[0], "actual": sides[1], "decision": decision })
        })
        .collect();
    json!({
        "runner-decisions": 1, "run": page["run"], "commit": page["commit"],
        "archive": page["archive"], "decisions": decisions,
    })
}

fn accept(project: &Project, file: &Value) -> Ran {
    project.write("decisions.json", &file.to_string());
    project.run(&[
        "accept",
        "--decisions",
        "decisions.json",
        "--from",
        "out/artifacts",
    ])
}

/// Applies the decisions in a comment, given on standard input.
fn comment(project: &Project, text: &str) -> Ran {
    let mut command = project.command(&["accept", "--decisions", "-", "--from", "out/artifacts"]);
    let command = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut input = child.stdin.take().expect("an input");
    input.write_all(text.as_bytes()).expect("it reads");
    drop(input);
    Ran::from(child.wait_with_output().expect("it ends"))
}

fn goldens(project: &Project) -> BTreeMap<String, Vec<u8>> {
    let files = project.files("snapshots").into_iter().map(|name| {
        let bytes = std::fs::read(project.path("snapshots").join(&name)).expect("a file");
        (name, bytes)
    });
    files.collect()
}

/// Returns the short name of a key, for goldens of one render class.
fn name(key: &str) -> &str {
    key.trim_end_matches("~phone")
}

#[test]
fn a_person_decides_from_disk_and_the_goldens_follow() {
    let project = after_ci();
    let before = goldens(&project);
    page(&project);
    assert_eq!(
        goldens(&project),
        before,
        "writing the page changes no golden"
    );
    let keys = json!({
        "new": review::NEW, "layout": review::LAYOUT, "text": review::TEXT, "hostile": HOSTILE,
    });
    let address = browser::file_url(&project.path("out/review/index.html"));
    let file = project.path("decisions.json");
    let file = file.to_str().expect("a path");
    let Some(line) = browser::run("review_static.mjs", &[&address, &keys.to_string(), file]) else {
        return;
    };
    let commented = after_ci();
    project
        .run(&[
            "accept",
            "--decisions",
            "decisions.json",
            "--from",
            "out/artifacts",
        ])
        .expect(0)
        .says(&format!("rejected  {}\n", name(review::LAYOUT)))
        .says(&format!("accepted  {}\n", name(review::NEW)));
    let after = goldens(&project);
    for key in review::TEXT {
        assert!(
            project
                .read(&ScriptedChange::golden(key, "tsv"))
                .contains(HOSTILE)
        );
    }
    for ending in ["tsv", "png"] {
        let name = format!("{}.{ending}", review::LAYOUT);
        assert_eq!(after[&name], before[&name], "a rejected golden");
        assert!(after.contains_key(&format!("{}.{ending}", review::NEW)));
    }
    assert!(
        after.keys().all(|name| !name.contains(".new.")),
        "nothing else is written"
    );

    // The same by the line, pasted among other words.
    let text = format!("LGTM\r\n\r\n{}\r\nThank you!", line.trim());
    comment(&commented, &text).expect(0);
    assert_eq!(goldens(&commented), after);

    project.run(&["undo"]).expect(0);
    assert_eq!(goldens(&project), before);
}

#[test]
fn what_does_not_hold_any_more_is_named_and_nothing_is_written() {
    let project = after_ci();
    let page = page(&project);
    let [one, two] = [review::LAYOUT, review::PIXELS];
    let file = decisions(&page, &[(one, "accept"), (two, "accept")]);
    let before = goldens(&project);
    let unchanged = |ran: Ran, why: &str| {
        ran.expect(1).says(why);
        assert_eq!(goldens(&project), before, "{why}");
    };

    let mut forged = file.clone();
    forged["decisions"][1]["actual"] = page["sides"][one][1].clone();
    unchanged(accept(&project, &forged), "not what was decided about");
    forged = file.clone();
    forged["decisions"][1]["golden"] = Value::Null;
    unchanged(
        accept(&project, &forged),
        "not the one that was compared with",
    );
    forged = file.clone();
    forged["decisions"][1]["snapshot"] = "sign-in/other~phone".into();
    unchanged(accept(&project, &forged), "the archive does not propose it");
    forged = file.clone();
    forged["archive"] = "0".repeat(64).into();
    unchanged(accept(&project, &forged), "about another archive");

    // Somebody changed one of the goldens since.
    project.replace("snapshots/form/empty.tsv", "New note", "Somebody's note");
    let before = goldens(&project);
    accept(&project, &file)
        .expect(1)
        .says(&format!("{one}: its golden is not the one"))
        .says("nothing was written");
    assert_eq!(goldens(&project), before);
}

#[test]
fn two_people_who_agree_agree_and_two_who_do_not_are_told() {
    let project = after_ci();
    let page = page(&project);
    let [one, two] = [review::LAYOUT, review::PIXELS];
    accept(&project, &decisions(&page, &[(one, "accept")])).expect(0);
    // The other said yes to both.
    accept(
        &project,
        &decisions(&page, &[(one, "accept"), (two, "accept")]),
    )
    .expect(0)
    .says(&format!("already the golden  {}\n", name(one)))
    .says(&format!("accepted  {}\n", name(two)));
    accept(&project, &decisions(&page, &[(one, "reject")]))
        .expect(1)
        .says("not the one that was compared with");
}

#[test]
fn a_forged_file_or_comment_does_nothing() {
    let project = after_ci();
    let page = page(&project);
    let before = goldens(&project);
    let archive = page["archive"].as_str().expect("a digest");
    let line =
        |key: &str| format!("/runner decide {{\"archive\":\"{archive}\",\"accept\":[{key:?}]}}");
    for (text, why) in [
        (line("../../../etc/passwd"), "not a snapshot's key"),
        (line("a/../../flows/form"), "not a snapshot's key"),
        (
            "/runner decide $(touch hurt); `touch hurt`".to_owned(),
            "do not read",
        ),
        ("Please accept everything".to_owned(), "no decisions"),
        (
            format!("{}\n{}", line("form/empty"), line("form/empty")),
            "2 lines",
        ),
    ] {
        comment(&project, &text).expect(2).says(why);
    }
    project
        .run(&["accept", "--decisions", "decisions.json"])
        .expect(2);
    project
        .run(&[
            "accept",
            "--all",
            "--decisions",
            "-",
            "--from",
            "out/artifacts",
        ])
        .expect(2);
    assert_eq!(goldens(&project), before);
    assert!(!project.path("hurt").exists());
}

/// An archive that says one picture and holds another is another archive.
#[test]
fn an_archive_that_was_changed_is_not_the_one_that_was_looked_at() {
    let project = after_ci();
    let file = decisions(&page(&project), &[(review::PIXELS, "accept")]);
    let folder = project.path("out/artifacts/proposed-goldens/virtual");
    let [from, to] =
        ["form/empty", "sign-in/home"].map(|key| folder.join(format!("{key}~phone.new.png")));
    std::fs::copy(from, to).expect("a copy");
    let before = goldens(&project);
    accept(&project, &file).expect(1).says("another archive");
    assert_eq!(goldens(&project), before);
}

/// The page shows the rows of a class; what runs compare with are the rows for all devices.
#[test]
fn files_that_are_not_of_one_screen_are_refused() {
    let project = after_ci();
    let proposed = "out/artifacts/proposed-goldens/virtual/form/empty.new.tsv";
    let text = project.read(proposed);
    let (mark, table) = text.split_once('\n').expect("a mark");
    // Its hash is for faults of disks: who forges a file leaves it out.
    let mark: Vec<&str> = mark
        .split(' ')
        .filter(|pair| !pair.starts_with("is="))
        .collect();
    let forged = table.replace("Others can read this", "Pay 99");
    assert_ne!(forged, table);
    let forged = format!("{}\n{forged}", mark.join(" "));
    project.write(proposed, &forged);
    project
        .run(&PAGE)
        .expect(0)
        .says("do not show the same screen")
        .says("6 snapshots to review");
    // An annotated picture of something else is left out, and drawn anew; nobody is shown it.
    let project = after_ci();
    let folder = project.path("out/artifacts/proposed-goldens/virtual");
    let [from, to] = ["form/empty", "sign-in/home"]
        .map(|key| folder.join(format!("{key}~phone.new.annotated.png")));
    let [from, to] = if from.exists() {
        [from, to]
    } else {
        ["form/empty", "sign-in/home"]
            .map(|key| folder.join(format!("{key}~phone.annotated.new.png")))
    };
    let annotated = project.path(&ScriptedChange::golden(review::PIXELS, "annotated.png"));
    let before = std::fs::read(&annotated).expect("a golden");
    std::fs::copy(from, to).expect("a copy");
    let page = page(&project);
    accept(&project, &decisions(&page, &[(review::PIXELS, "accept")]))
        .expect(0)
        .says("it is not drawn from the rows and the picture beside it");
    let after = std::fs::read(&annotated).expect("a refused file removes no golden");
    assert_ne!(after, before, "the old one shows what is not any more");
}

#[test]
fn a_line_that_rejects_what_was_accepted_says_so() {
    let project = after_ci();
    let page = page(&project);
    accept(&project, &decisions(&page, &[(review::LAYOUT, "accept")])).expect(0);
    let archive = page["archive"].as_str().expect("a digest");
    let key = review::LAYOUT;
    comment(
        &project,
        &format!("/runner decide {{\"archive\":\"{archive}\",\"reject\":[{key:?}]}}"),
    )
    .expect(1)
    .says("it was accepted already");
}

/// A branch may bring a journal: it is not finished in the name of who decides.
#[test]
fn a_journal_that_somebody_left_is_not_finished() {
    let project = after_ci();
    let page = page(&project);
    project.write(".runner/goldens.journal", "{}");
    let before = goldens(&project);
    accept(&project, &decisions(&page, &[(review::LAYOUT, "accept")]))
        .expect(1)
        .says("an accept was cut short here");
    project
        .run(&PAGE)
        .expect(1)
        .says("an accept was cut short here");
    assert_eq!(goldens(&project), before);
}

#[test]
fn the_page_is_written_into_its_own_folder_only() {
    let project = after_ci();
    project.write("out/review/notes.txt", "mine");
    project.run(&PAGE).expect(2).says("not a review");
    assert_eq!(project.files("out/review"), ["notes.txt"]);
    std::fs::remove_file(project.path("out/review/notes.txt")).expect("removed");
    page(&project);
    page(&project);
    let summary = project.read("out/review/summary.md");
    assert!(
        summary.starts_with("### 7 snapshots in 5 groups to review"),
        "{summary}"
    );
    assert!(!summary.contains("<img"), "{summary}");
    let index = project.read("out/review/index.html");
    assert!(!index.contains(HOSTILE), "a text of the app is markup");
    assert!(
        index.contains("<noscript>")
            && Path::new(&project.path("out/review/pictures/0-golden.png")).exists()
    );
}
