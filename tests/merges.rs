//! Goldens that merge, with real git: what comes of a merge is what a run on the merged app would give, or git tells a
//! conflict, and a person decides.

use crate::common::needs;
use crate::common::{Project, git::git_in};

const TABLE: &str = "snapshots/f/home.tsv";

/// An element of a made-up screen.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Element {
    id: String,
    text: String,
    desc: String,
}

fn element(id: impl Into<String>, text: &str) -> Element {
    Element {
        id: id.into(),
        text: text.to_owned(),
        desc: "-".to_owned(),
    }
}

/// A golden of these elements.
fn table(elements: &[Element]) -> String {
    let mut text = "# app=com.example masks=none redactions=none runner=0.1.0 schema=1\n\
                    id\tclass\ttext\tdesc\tres_id\thint\tflags\n\
                    n1\twindow:APPLICATION\tcom.example\t-\t-\t-\t-\n"
        .to_owned();
    for (
        at,
        Element {
            id,
            text: own,
            desc,
        },
    ) in elements.iter().enumerate()
    {
        let number = at + 2;
        text.push_str(&format!(
            "n{number}\tTextView\t{own}\t{desc}\t{id}\t-\tena\n"
        ));
    }
    text
}

fn screen() -> Vec<Element> {
    (0..8).map(|at| element(format!("e{at}"), "Text")).collect()
}

/// [`screen`] with another text somewhere.
fn with_text(at: usize, text: &str) -> String {
    let mut elements = screen();
    elements[at].text = text.to_owned();
    table(&elements)
}

fn marked(text: &str) -> String {
    text.replacen(" redactions=", " merged=yes redactions=", 1)
}

fn repository() -> Option<Project> {
    needs::program("git").then(|| {
        let project = Project::empty().with_git();
        project.write(TABLE, &table(&screen()));
        project.commit();
        project
    })
}

impl Project {
    fn branch(&self, name: &str) {
        self.git(&["switch", "--quiet", "--create", name, "main"]);
    }

    fn commit_golden(&self, text: &str) {
        self.write(TABLE, text);
        self.commit();
    }
}

/// What a side does to elements, by id.
#[derive(Debug, Clone)]
enum Edit {
    Text(usize, u32),
    Desc(usize, u32),
    Remove(usize),
    /// Below an element.
    Insert(usize, String),
}

fn edited(edits: &[Edit]) -> Option<Vec<Element>> {
    let mut elements = screen();
    for edit in edits {
        let (Edit::Text(at, _) | Edit::Desc(at, _) | Edit::Remove(at) | Edit::Insert(at, _)) = edit;
        let id = format!("e{at}");
        let place = elements.iter().position(|it| it.id == id);
        // What both removed is gone.
        if matches!(edit, Edit::Remove(_)) && place.is_none() {
            continue;
        }
        let place = place?;
        match edit {
            Edit::Text(_, number) => elements[place].text = format!("Text {number}"),
            Edit::Desc(_, number) => elements[place].desc = format!("Words {number}"),
            Edit::Remove(_) => drop(elements.remove(place)),
            Edit::Insert(_, id) => elements.insert(place + 1, element(id.clone(), "New")),
        }
    }
    Some(elements)
}

fn edits(random: &mut fastrand::Rng, side: &str) -> Vec<Edit> {
    let mut places: Vec<usize> = (0..8).collect();
    random.shuffle(&mut places);
    let count = random.usize(1..4);
    let mut edit = |at: usize| match random.u8(0..5) {
        0..2 => Edit::Text(at, random.u32(0..9)),
        2 => Edit::Desc(at, random.u32(0..9)),
        3 => Edit::Remove(at),
        _ => Edit::Insert(at, format!("{side}{at}")),
    };
    places[..count].iter().map(|at| edit(*at)).collect()
}

/// One merge asks the driver about each golden that both sides changed.
#[test]
fn no_merge_makes_a_golden_that_no_run_would_make() {
    let Some(project) = repository() else {
        return;
    };
    let count = needs::long(100, 2000);
    let mut random = fastrand::Rng::with_seed(7);
    let file = |case: usize| format!("snapshots/generated/g{case}.tsv");
    let cases: Vec<[Vec<Edit>; 2]> = (0..count)
        .map(|_| ["ours", "theirs"].map(|side| edits(&mut random, side)))
        .collect();
    let write = |side: Option<usize>| {
        for (number, case) in cases.iter().enumerate() {
            let edits = side.map_or(&[][..], |side| &case[side]);
            project.write(&file(number), &table(&edited(edits).unwrap()));
        }
        project.commit();
    };
    write(None);
    project.branch("theirs");
    write(Some(1));
    project.git(&["switch", "--quiet", "main"]);
    write(Some(0));
    let merge = project.try_git(&["merge", "--quiet", "theirs"]).expect(1);
    let unmerged = project.unmerged();
    let (mut merged, mut conflicts) = (0, 0);
    for (number, [ours, theirs]) in cases.iter().enumerate() {
        let [mine, other] = [ours, theirs].map(|edits| table(&edited(edits).unwrap()));
        let both = |one: &[Edit], then: &[Edit]| edited(&[one, then].concat());
        let truth = both(ours, theirs).zip(both(theirs, ours));
        let truth = truth.filter(|(one, other)| one == other);
        let truth = truth.map(|(one, _)| table(&one));
        let now = project.read(&file(number));
        let why = format!("{ours:?}\n{theirs:?}\n{now}\n{}", merge.stderr);
        if unmerged.contains(&file(number)) {
            assert_eq!(now, mine, "{why}");
            conflicts += 1;
        } else if mine == other {
            assert_eq!(now, mine, "{why}");
        } else {
            assert_eq!(Some(now.replacen(" merged=yes", "", 1)), truth, "{why}");
            merged += 1;
        }
    }
    assert!(
        merged * 4 > count,
        "{merged} of {count} merged, {conflicts} conflicts"
    );
    println!("{merged} merged, {conflicts} conflicts");
}

#[test]
fn a_rebase_a_cherry_pick_and_a_renamed_flow_merge_rows() {
    let Some(project) = repository() else {
        return;
    };
    project.branch("work");
    project.commit_golden(&with_text(1, "Work"));
    let work = project.git(&["rev-parse", "HEAD"]).stdout;
    project.git(&["switch", "--quiet", "main"]);
    project.commit_golden(&with_text(6, "Main"));
    let mut both = screen();
    both[1].text = "Work".to_owned();
    both[6].text = "Main".to_owned();
    let both = marked(&table(&both));

    project.branch("picks");
    project.git(&["cherry-pick", work.trim()]);
    assert_eq!(project.read(TABLE), both);

    project.git(&["switch", "--quiet", "work"]);
    project.git(&["rebase", "--quiet", "main"]);
    assert_eq!(project.read(TABLE), both);

    project.branch("renames");
    project.git(&["mv", "snapshots/f", "snapshots/renamed"]);
    project.commit();
    project.git(&["switch", "--quiet", "--create", "other", "main~1"]);
    project.commit_golden(&with_text(1, "Work"));
    project.git(&["merge", "--quiet", "--no-edit", "renames"]);
    assert_eq!(project.read("snapshots/renamed/home.tsv"), both);
}

/// Two branches that merged each other have two ancestors, which git merges first.
#[test]
fn ancestors_are_merged_too() {
    let Some(project) = repository() else {
        return;
    };
    let two = |first: &str, last: &str| {
        let mut elements = screen();
        elements[1].text = first.to_owned();
        elements[6].text = last.to_owned();
        table(&elements)
    };
    project.branch("other");
    project.commit_golden(&two("Text", "Other"));
    project.git(&["switch", "--quiet", "main"]);
    project.commit_golden(&two("Main", "Text"));
    project.git(&["tag", "main-alone"]);
    project.git(&["merge", "--quiet", "--no-edit", "other"]);
    project.git(&["switch", "--quiet", "other"]);
    project.git(&["merge", "--quiet", "--no-edit", "main-alone"]);
    // One takes back what main did; the other adds something of its own.
    project.commit_golden(&two("Text", "Other"));
    project.git(&["switch", "--quiet", "main"]);
    project.commit_golden(&{
        let text = two("Main", "Other");
        text.replace("TextView\tText\t-\te4", "TextView\tMore\t-\te4")
    });
    project.git(&["merge", "--quiet", "--no-edit", "other"]);
    let merged = project.read(TABLE);
    assert!(merged.contains("More\t-\te4"), "{merged}");
    assert!(
        !merged.contains("Main"),
        "what was taken back is there again:\n{merged}"
    );
}

#[test]
fn ancestors_in_conflict_make_a_conflict() {
    let Some(project) = repository() else {
        return;
    };
    project.branch("other");
    project.commit_golden(&with_text(1, "Other"));
    project.git(&["switch", "--quiet", "main"]);
    project.commit_golden(&with_text(1, "Main"));
    project.git(&["tag", "main-alone"]);
    let settle = |with: &str, text: &str| {
        project
            .try_git(&["merge", "--quiet", "--no-edit", with])
            .expect(1);
        project.commit_golden(&with_text(1, text));
    };
    settle("other", "Main");
    project.git(&["switch", "--quiet", "other"]);
    settle("main-alone", "Other");
    project
        .try_git(&["merge", "--quiet", "--no-edit", "main"])
        .expect(1);
    assert_eq!(project.unmerged(), [TABLE]);
    assert_eq!(project.read(TABLE), with_text(1, "Other"));
}

#[test]
fn line_ends_of_windows_and_a_shallow_clone_change_nothing() {
    let Some(project) = repository() else {
        return;
    };
    // Who keeps what git is given.
    project.write(
        ".gitattributes",
        "snapshots/**/*.tsv -text merge=runner-golden\n",
    );
    let windows = |text: &str| text.replace('\n', "\r\n");
    project.commit_golden(&windows(&table(&screen())));
    project.branch("theirs");
    project.commit_golden(&windows(&with_text(1, "Theirs")));
    project.git(&["switch", "--quiet", "main"]);
    project.commit_golden(&windows(&with_text(6, "Ours")));
    let origin = format!("file://{}", project.path(".").display());
    let arguments = [
        "clone",
        "--quiet",
        "--depth",
        "2",
        "--no-single-branch",
        &origin,
        "clone",
    ];
    project.git(&arguments);
    let clone = project.path("clone");
    let git = |arguments: &[&str]| git_in(&clone, arguments);
    git(&["config", "user.name", "A"]).expect(0);
    git(&["config", "user.email", "a@example.com"]).expect(0);
    let mut init = project.command(&["init", "--git"]);
    let init = init
        .current_dir(&clone)
        .output()
        .expect("the program starts");
    assert!(init.status.success(), "{init:?}");
    git(&[
        "commit",
        "--quiet",
        "--all",
        "--allow-empty",
        "--message",
        "x",
    ])
    .expect(0);
    git(&["merge", "--quiet", "--no-edit", "origin/theirs"]).expect(0);
    let mut both = screen();
    both[1].text = "Theirs".to_owned();
    both[6].text = "Ours".to_owned();
    let merged = project.read(&format!("clone/{TABLE}"));
    assert_eq!(merged, windows(&marked(&table(&both))));
}

#[test]
fn without_the_driver_and_with_a_removed_side_words_say_what_to_do() {
    let Some(project) = repository() else {
        return;
    };
    project.git(&["config", "--remove-section", "merge.runner-golden"]);
    project
        .run(&["doctor", "--device", "virtual"])
        .says("runner init --git");
    project.branch("theirs");
    project.commit_golden(&with_text(1, "Theirs"));
    project.git(&["switch", "--quiet", "main"]);
    project.commit_golden(&with_text(1, "Ours"));
    project.try_git(&["merge", "--quiet", "theirs"]).expect(1);
    project
        .run(&["review"])
        .says("holds both sides of a merge conflict")
        .says("git checkout --ours -- snapshots/f/home.tsv");
    project.git(&["merge", "--abort"]);
    project.git(&["rm", "--quiet", TABLE]);
    project.commit();
    project.try_git(&["merge", "--quiet", "theirs"]).expect(1);
    project
        .run(&["review"])
        .says("one side removed snapshots/f/home.tsv")
        .says("git rm");
}

#[test]
fn a_project_that_is_there_keeps_what_it_has() {
    if !needs::program("git") {
        return;
    }
    let project = Project::empty();
    project.git(&["init", "--quiet"]);
    project
        .write(".gitattributes", "*.png binary\n*.md text")
        .write(".gitignore", "/target\n");
    let init = project
        .run(&["init", "--git"])
        .expect(0)
        .says("extended .gitattributes");
    init.says("each clone needs `runner init --git`");
    let attributes = project.read(".gitattributes");
    assert!(
        attributes.starts_with("*.png binary\n*.md text\nsnapshots/**/*.tsv text eol=lf"),
        "{attributes}"
    );
    assert!(
        project
            .read(".gitignore")
            .starts_with("/target\n/.runner/\n")
    );
    assert!(!project.path("flows").exists() && !project.path("runner.yaml").exists());
    let asked = [
        "check-attr",
        "merge",
        "snapshots/a/b/c.png",
        "snapshots/a.tsv",
        "x.png",
    ];
    let asked = project.git(&asked).stdout;
    assert_eq!(asked.matches("merge: runner-golden").count(), 2, "{asked}");
    project
        .run(&["init", "--git"])
        .expect(0)
        .says("kept     .gitattributes");
    assert_eq!(project.read(".gitattributes"), attributes);
    // A starter project's folder of goldens is written with a slash at its end.
    let starter = Project::empty();
    starter.git(&["init", "--quiet"]);
    starter.run(&["init"]).expect(0);
    starter.run(&["init", "--git"]).expect(0);
    let written = starter.read(".gitattributes");
    assert!(written.starts_with("snapshots/**/*.tsv text"), "{written}");
    // Who merges goldens in another way goes on so.
    project.write(".gitattributes", "*.tsv merge=union\n");
    let init = project.run(&["init", "--git"]).expect(0);
    init.says("snapshots/**/*.tsv is merged by \"union\"");
    let outside = Project::empty();
    outside
        .run(&["init", "--git"])
        .expect(2)
        .says("is not in a git repository");
}
