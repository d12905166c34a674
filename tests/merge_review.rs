//! Goldens after a merge: a person decides about conflicts, and looks at what a merge wrote.

use crate::common::{Project, needs};

#[test]
fn a_merged_golden_is_told_until_somebody_looked_at_it() {
    if !needs::program("git") {
        return;
    }
    let project = Project::empty();
    project.run(&["init"]).expect(0);
    let project = project.with_git();
    let golden = "snapshots/first/greeted.tsv";
    project.replace(golden, " redactions", " merged=yes redactions");
    let tells = "1 golden was merged and nobody has looked at it: first/greeted; `runner review`";
    project.run(&["test"]).expect(0).says(tells);
    project
        .run(&["review"])
        .expect(1)
        .says("merged, and nobody has looked at them: first/greeted")
        .says("a merge wrote its rows");
    project.run(&["reject", "--all"]).expect(0);
    assert!(project.read(golden).contains("merged=yes"));
    project.run(&["review"]).expect(1);
    project.run(&["accept", "--all"]).expect(0);
    assert!(!project.read(golden).contains("merged"));
    project
        .run(&["test"])
        .expect(0)
        .never_says("nobody has looked");
    // So does a run that may write goldens and shows the same.
    project.replace(golden, " redactions", " merged=yes redactions");
    project
        .run(&["test", "--update", "new"])
        .expect(0)
        .says("nobody has looked");
    project
        .run(&["test", "--update"])
        .expect(0)
        .never_says("nobody has looked");
    assert!(!project.read(golden).contains("merged"));
}

/// A project whose screen two branches changed in two places, in the middle of the merge.
fn in_conflict() -> Option<Project> {
    if !needs::program("git") {
        return None;
    }
    let project = Project::empty();
    project.run(&["init"]).expect(0);
    project.run(&["test", "--update", "new"]).expect(0);
    let project = project.with_git();
    let change = |from: &str, to: &str| {
        project.replace("apps/hello/main.yaml", from, to);
        project.run(&["test", "--update", "changed"]);
        project.commit();
    };
    project.git(&["switch", "--quiet", "--create", "theirs", "main"]);
    change("A small app to write", "An app to write");
    project.git(&["switch", "--quiet", "main"]);
    change("text: Greet", "text: Hail");
    project.replace("flows/first.yaml", "click: Greet", "click: Hail");
    project.run(&["test", "--update", "changed"]).expect(0);
    project.commit();
    project
        .try_git(&["merge", "--quiet", "--no-edit", "theirs"])
        .expect(1);
    Some(project)
}

#[test]
fn both_sides_of_a_conflict_wait_for_one_decision() {
    let Some(project) = in_conflict() else {
        return;
    };
    let unmerged = project.unmerged();
    let (pictures, rows): (Vec<&String>, Vec<&String>) =
        unmerged.iter().partition(|path| path.ends_with(".png"));
    assert_eq!(pictures.len(), 2, "{unmerged:?}");
    assert!(!project.read("apps/hello/main.yaml").contains("<<<<"));
    let theirs = |path: &str| {
        let output = std::process::Command::new("git")
            .current_dir(project.path("."))
            .args(["show", &format!("theirs:{path}")])
            .output()
            .expect("git starts");
        output.stdout
    };
    let now = |path: &str| std::fs::read(project.path(path)).expect("a golden");
    let picture = pictures
        .iter()
        .find(|path| !path.contains("annotated"))
        .expect("a picture");
    let ours = now(picture);

    let review = project.run(&["review"]).expect(1);
    let review = review.says("in conflict: first/greeted");
    review.says("runner accept");
    project
        .run(&["reject", "--all"])
        .expect(0)
        .says("first/greeted is decided; tell git: `git add -- snapshots/first/greeted");
    assert_eq!(now(picture), ours);

    project
        .run(&["review"])
        .expect(1)
        .says("in conflict: first/greeted");
    let accepted = project.run(&["accept", "--all"]).expect(0);
    for path in [&pictures, &rows].into_iter().flatten() {
        assert!(
            accepted.stderr.contains(path.as_str()),
            "{path}: {}",
            accepted.stderr
        );
        if !path.contains("annotated") {
            assert_eq!(now(path), theirs(path), "{path}");
        }
    }
    // Git's index is the person's: what to write there is told, also by the next review.
    assert_eq!(project.unmerged(), unmerged);
    project
        .run(&["review"])
        .says("first/greeted is decided; tell git");
    project.git(&["add", "snapshots"]);
    project.git(&["commit", "--quiet", "--no-edit"]);
    // The merged app shows both changes: the run says so, and never passes by mistake.
    project.run(&["test"]).expect(1);
    project.run(&["test", "--update"]).expect(0);
    project
        .run(&["test"])
        .expect(0)
        .never_says("nobody has looked");
}

/// The pending files, each with its bytes.
fn waiting(project: &Project) -> Vec<(String, Vec<u8>)> {
    let files = project.files("snapshots");
    let files = files.iter().filter(|file| file.contains(".new."));
    files
        .map(|file| (file.clone(), bytes_of(project, file)))
        .collect()
}

fn bytes_of(project: &Project, file: &str) -> Vec<u8> {
    std::fs::read(project.path("snapshots").join(file)).expect("a file")
}

#[test]
fn what_a_run_proposes_is_never_replaced_by_the_other_side() {
    let Some(project) = in_conflict() else {
        return;
    };
    // The merged app shows what neither side has.
    project.run(&["test"]).expect(1);
    let of_run = waiting(&project);
    assert!(!of_run.is_empty());
    project
        .run(&["review"])
        .expect(1)
        .says("first/greeted")
        .says("another proposal waits for it")
        .never_says("in conflict: first/greeted");
    assert!(waiting(&project) == of_run, "the run's files changed");
    project
        .run(&["accept", "--all"])
        .expect(0)
        .says("first/greeted is decided; tell git");
    let goldens: Vec<(String, Vec<u8>)> = of_run
        .iter()
        .map(|(file, _)| file.replace(".new.", "."))
        .map(|file| (file.clone(), bytes_of(&project, &file)))
        .collect();
    // Before `git add`: it is neither side's, so it was decided.
    project
        .run(&["review"])
        .says("first/greeted is decided; tell git");
    project.run(&["accept", "--all"]);
    for (file, bytes) in &goldens {
        assert!(bytes_of(&project, file) == *bytes, "{file} changed");
    }
    project.git(&["add", "snapshots"]);
    project.git(&["commit", "--quiet", "--no-edit"]);
    project.run(&["test"]).expect(0);
}

#[test]
fn the_other_side_waits_once_what_a_run_proposed_is_rejected() {
    let Some(project) = in_conflict() else {
        return;
    };
    project.run(&["test"]).expect(1);
    project.run(&["reject", "--all"]).expect(0);
    for _ in 0..2 {
        project
            .run(&["review"])
            .expect(1)
            .says("in conflict: first/greeted")
            .never_says("another proposal waits for it");
    }
}

#[test]
fn who_takes_a_side_has_not_looked_at_what_was_merged_beside_it() {
    let Some(project) = in_conflict() else {
        return;
    };
    let merged = "snapshots/first/greeted.tsv";
    assert!(project.read(merged).contains("merged=yes"));
    assert!(!project.unmerged().contains(&merged.to_owned()));
    project
        .run(&["review"])
        .expect(1)
        .says("in conflict: first/greeted");
    project.run(&["accept", "--all"]).expect(0);
    assert!(project.read(merged).contains("merged=yes"));
    project.git(&["add", "snapshots"]);
    project
        .run(&["review"])
        .expect(1)
        .says("merged, and nobody has looked at them: first/greeted");
    project.run(&["accept", "--all"]).expect(0);
    assert!(!project.read(merged).contains("merged=yes"));
}

#[test]
fn lint_finds_rows_that_disagree() {
    let project = Project::empty();
    project.run(&["init"]).expect(0);
    project.run(&["test", "--update", "new"]).expect(0);
    project.run(&["lint"]).expect(0).never_says("rows-disagree");
    project.replace("snapshots/first/greeted.tsv", "Hello, Ada!", "Hello, Bob!");
    let linted = project
        .run(&["lint"])
        .expect(0)
        .says("warning[rows-disagree]");
    linted.says("greeted~virtual1-34-1080x2400-420-en-light.tsv:14:1");
}
