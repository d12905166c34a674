//! Goldens that git merges: the driver of older versions, the project's attributes, and goldens that a merge
//! leaves to a person.

use crate::common::Project;
use crate::common::needs;

const TABLE: &str = "snapshots/f/home.tsv";

/// Returns the golden of a made-up screen, with another text in one of its rows.
fn table(at: usize, text: &str) -> String {
    let mut out = "# app=com.example masks=none redactions=none runner=0.1.0 schema=2\n\
                   class\ttext\tdesc\tres_id\thint\tflags\n\
                   window:APPLICATION\tcom.example\t-\t-\t-\t-\n"
        .to_owned();
    for row in 0..8 {
        let text = if row == at { text } else { "Text" };
        out.push_str(&format!("TextView\t{text}\t-\te{row}\t-\tena\n"));
    }
    out
}

/// Makes a repository in which two branches changed a golden, with `main` checked out.
fn changed_twice(ours: &str, theirs: &str) -> Option<Project> {
    needs::program("git").then(|| {
        let project = Project::empty().with_git();
        project.write(TABLE, &table(0, "Text")).commit();
        project.git(&["switch", "--quiet", "--create", "theirs", "main"]);
        project.write(TABLE, theirs).commit();
        project.git(&["switch", "--quiet", "main"]);
        project.write(TABLE, ours).commit();
        project
    })
}

#[test]
fn a_merge_is_told_until_it_is_decided() {
    let Some(project) = changed_twice(&table(1, "Ours"), &table(1, "Theirs")) else {
        return;
    };
    project
        .run(&["pending"])
        .expect(0)
        .says("nothing to review");
    project.try_git(&["merge", "--quiet", "theirs"]).expect(1);
    assert!(project.read(TABLE).contains("<<<<<<< "));
    let tells = "a merge waits for a decision about f/home; `runner review` shows both sides";
    project.run(&["pending"]).expect(1).says(tells);
    project.run(&["accept", "--all"]).expect(1).says(tells);
    project
        .run(&["review"])
        .expect(1)
        .says("in conflict: f/home");
    assert_eq!(project.read(TABLE), table(1, "Ours"));
    project.run(&["pending"]).expect(1).says(tells);
    project.run(&["accept", "--all"]).expect(0).says("tell git");
    assert_eq!(project.read(TABLE), table(1, "Theirs"));
    let tells = "f/home is decided; tell git: `git add -- snapshots/f/home.tsv`";
    project.run(&["pending"]).expect(1).says(tells);
    project.git(&["add", "snapshots"]);
    project
        .run(&["pending"])
        .expect(0)
        .says("nothing to review");
}

/// Returns the same rows with their bounds.
fn class_table(at: usize, text: &str) -> String {
    table(at, text)
        .replace("hint\tflags", "hint\tbounds\tflags")
        .replace("-\tena\n", "-\t0,0,10,10\ton,ena\n")
        .replace("-\t-\t-\t-\n", "-\t-\t-\t-\t-\n")
}

#[test]
fn of_two_classes_one_may_be_theirs_and_one_ours() {
    if !needs::program("git") {
        return;
    }
    let project = Project::empty().with_git();
    let classes = ["snapshots/f/home~a.tsv", "snapshots/f/home~b.tsv"];
    // Git merges the shared rows; those of the classes are in conflict.
    let commit = |shared: (usize, &str), class: &str| {
        project.write(TABLE, &table(shared.0, shared.1));
        for path in classes {
            project.write(path, &class_table(1, class));
        }
        project.commit();
    };
    commit((0, "Text"), "Text");
    project.git(&["switch", "--quiet", "--create", "theirs", "main"]);
    commit((1, "Theirs"), "Theirs");
    project.git(&["switch", "--quiet", "main"]);
    commit((6, "Ours"), "Ours");
    project.try_git(&["merge", "--quiet", "theirs"]).expect(1);
    assert_eq!(project.unmerged(), classes);
    project
        .run(&["review"])
        .expect(1)
        .says("in conflict: f/home");
    let there = || [TABLE, classes[0], classes[1]].map(|path| project.read(path));
    let [ours, theirs] = [(table(6, "Ours"), "Ours"), (table(1, "Theirs"), "Theirs")];
    assert_eq!(
        there(),
        [ours.0, class_table(1, "Ours"), class_table(1, "Ours")]
    );
    project
        .run(&["accept", "f/home~a"])
        .expect(0)
        .never_says("tell git");
    let mixed = [theirs.0, class_table(1, "Theirs"), class_table(1, "Ours")];
    assert_eq!(there(), mixed);
    // What was accepted stays, and the other class still waits.
    project
        .run(&["review"])
        .expect(1)
        .says("in conflict: f/home");
    assert_eq!(there(), mixed);
    project.run(&["reject", "--all"]).expect(0).says("tell git");
    assert_eq!(there(), mixed);
    // The rows of the class that stayed ours are of another screen.
    project.run(&["pending"]).says("home~b.tsv");
    // As the documents say.
    project.git(&[
        "restore",
        "--source=HEAD",
        "--staged",
        "--worktree",
        "snapshots",
    ]);
    project.git(&["merge", "--abort"]);
    assert_eq!(
        there(),
        [
            table(6, "Ours"),
            class_table(1, "Ours"),
            class_table(1, "Ours")
        ]
    );
}

#[test]
fn a_rebase_and_a_cherry_pick_are_told_too() {
    let Some(project) = changed_twice(&table(1, "Ours"), &table(1, "Theirs")) else {
        return;
    };
    for begin in [&["cherry-pick", "theirs"][..], &["rebase", "theirs"]] {
        project.try_git(begin).expect(1);
        let waits = project.run(&["pending"]).expect(1);
        waits.says("a merge waits for a decision about f/home");
        project.git(&[begin[0], "--abort"]);
        project.run(&["pending"]).expect(0);
    }
}

#[test]
fn a_golden_that_one_side_removed_is_decided_with_git() {
    let Some(project) = changed_twice(&table(1, "Ours"), &table(1, "Theirs")) else {
        return;
    };
    project.git(&["rm", "--quiet", TABLE]);
    project.commit();
    project.try_git(&["merge", "--quiet", "theirs"]).expect(1);
    project
        .run(&["review"])
        .expect(1)
        .says("one side removed snapshots/f/home.tsv")
        .says("git rm")
        .never_says("nothing to review");
    project.run(&["pending"]).expect(1);
}

#[test]
fn all_files_that_one_side_removed_are_named() {
    if !needs::program("git") {
        return;
    }
    let project = Project::empty().with_git();
    let class = "snapshots/f/home~a.tsv";
    let write = |text: &str| {
        project.write(TABLE, &table(1, text));
        project.write(class, &class_table(1, text));
        project.commit();
    };
    write("Text");
    project.git(&["switch", "--quiet", "--create", "theirs", "main"]);
    project.git(&["rm", "--quiet", TABLE, class]);
    project.commit();
    project.git(&["switch", "--quiet", "main"]);
    write("Ours");
    project.try_git(&["merge", "--quiet", "theirs"]).expect(1);
    for command in ["pending", "review"] {
        let ran = project.run(&[command]).expect(1);
        ran.says(&format!("one side removed {TABLE} and {class}"))
            .says(&format!("`git add -- {TABLE} {class}`"));
    }
}

#[test]
fn the_driver_of_older_versions_is_forgotten() {
    let Some(project) = changed_twice(&table(1, "Ours"), &table(6, "Theirs")) else {
        return;
    };
    project
        .write(
            ".gitattributes",
            "*.md text\nsnapshots/**/*.tsv text eol=lf merge=runner-golden\nsnapshots/**/*.png -text -diff merge=runner-golden\n",
        )
        .commit();
    for name in ["runner-golden", "runner-golden-ancestor"] {
        let key = format!("merge.{name}.driver");
        project.git(&["config", &key, "runner merge-driver %O %A %B %P"]);
    }
    project
        .run(&["doctor", "--device", "virtual"])
        .says("is merged by \"runner-golden\"")
        .says("runner init --git");
    project
        .run(&["init", "--git"])
        .expect(0)
        .says("changed  .gitattributes");
    assert_eq!(
        project.read(".gitattributes"),
        "*.md text\nsnapshots/**/*.tsv text eol=lf merge=text\nsnapshots/**/*.png -text -diff -merge\n"
    );
    let settings = project.git(&["config", "--list", "--local"]).stdout;
    assert!(!settings.contains("runner-golden"), "{settings}");
    project
        .run(&["doctor", "--device", "virtual"])
        .never_says("is merged by");
    project.commit();
    project.git(&["merge", "--quiet", "--no-edit", "theirs"]);
    let merged = project.read(TABLE);
    assert!(
        merged.contains("Ours") && merged.contains("Theirs"),
        "{merged}"
    );
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
    let init = project.run(&["init", "--git"]).expect(0);
    init.says("extended .gitattributes");
    // `binary` never merges already.
    let attributes = "*.png binary\n*.md text\nsnapshots/**/*.tsv text eol=lf merge=text\n";
    assert_eq!(project.read(".gitattributes"), attributes);
    assert!(
        project
            .read(".gitignore")
            .starts_with("/target\n/.runner/\n")
    );
    assert!(!project.path("flows").exists() && !project.path("runner.yaml").exists());
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
    assert_eq!(
        starter.read(".gitattributes"),
        "snapshots/**/*.tsv text eol=lf merge=text\nsnapshots/**/*.png -text -diff -merge\n"
    );
    // Who merges goldens in another way goes on so, and is told.
    project.write(".gitattributes", "*.tsv merge=union\n");
    let init = project.run(&["init", "--git"]).expect(0);
    init.says("snapshots/**/*.tsv is merged by \"union\"");
    project
        .run(&["doctor", "--device", "virtual"])
        .says("snapshots/**/*.tsv is merged by \"union\"");
    let outside = Project::empty();
    outside
        .run(&["init", "--git"])
        .expect(2)
        .says("is not in a git repository");
}

#[cfg(unix)]
#[test]
fn the_attributes_are_those_of_the_goldens_whatever_their_folder_is_called() {
    if !needs::program("git") {
        return;
    }
    for folder in [
        "goldens",
        "my goldens",
        "a[1]",
        "#a",
        "!a",
        "a*b",
        "a?b",
        "it's",
        "a\"b",
        "a\\b",
        "ä",
    ] {
        let project = Project::empty();
        project.git(&["init", "--quiet"]);
        let name = serde_json::Value::from(folder);
        project.write("runner.yaml", &format!("snapshots: {name}\n"));
        project.run(&["init", "--git"]).expect(0);
        for (ending, merge) in [("tsv", "text"), ("png", "unset")] {
            for (place, merge) in [(folder, merge), ("aXb", "unspecified")] {
                let file = format!("{place}/f/home.{ending}");
                let said = project.git(&["check-attr", "-z", "merge", "--", &file]);
                let said = said.stdout.split('\0').nth(2).map(str::to_owned);
                assert_eq!(said.as_deref(), Some(merge), "{file} of {folder}");
            }
        }
        let again = project.run(&["init", "--git"]).expect(0);
        again.says("kept     .gitattributes");
    }
}
