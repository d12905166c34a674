//! Goldens after a merge: a person decides about conflicts, and sees what a merge wrote.

use crate::common::{Project, needs};

/// Makes a project in the middle of a merge, whose screen two branches changed in two places.
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
fn all_files_of_a_golden_in_conflict_wait_for_one_decision() {
    let Some(project) = in_conflict() else {
        return;
    };
    let unmerged = project.unmerged();
    let pictures = unmerged.iter().filter(|path| path.ends_with(".png"));
    assert_eq!(pictures.count(), 2, "{unmerged:?}");
    assert!(!project.read("apps/hello/main.yaml").contains("<<<<"));
    let side = |commit: &str| -> Vec<(String, Vec<u8>)> {
        let below = "snapshots/first";
        let listed = project.git(&["ls-tree", "-r", "--name-only", commit, below]);
        let files = listed.stdout.lines().map(|path| {
            let mut git = std::process::Command::new("git");
            let object = format!("{commit}:{path}");
            git.current_dir(project.path(".")).args(["show", &object]);
            let output = git.output().expect("git starts");
            (path.to_owned(), output.stdout)
        });
        files.collect()
    };
    let (ours, theirs) = (side("HEAD"), side("theirs"));
    let are_there = |side: &[(String, Vec<u8>)]| {
        for (path, bytes) in side {
            assert!(
                std::fs::read(project.path(path)).expect("a golden") == *bytes,
                "{path}"
            );
        }
    };
    // Git merged rows into what neither side has.
    let shared = "snapshots/first/greeted.tsv";
    assert!(!unmerged.contains(&shared.to_owned()), "{unmerged:?}");
    let merged = project.read(shared);
    assert!(
        [&ours, &theirs]
            .iter()
            .all(|side| !side.contains(&(shared.to_owned(), merged.clone().into_bytes())))
    );

    let review = project.run(&["review"]).expect(1);
    review
        .says("in conflict: first/greeted")
        .says("runner accept");
    are_there(&ours);
    project
        .run(&["reject", "--all"])
        .expect(0)
        .says("first/greeted is decided; tell git: `git add -- snapshots/first/greeted");
    are_there(&ours);

    project
        .run(&["review"])
        .expect(1)
        .says("in conflict: first/greeted");
    let accepted = project.run(&["accept", "--all"]).expect(0);
    are_there(&theirs);
    for (path, _) in &theirs {
        assert!(
            accepted.stderr.contains(path),
            "{path}: {}",
            accepted.stderr
        );
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
    project.run(&["test"]).expect(0);
}

/// Returns the pending files with their bytes.
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
    let tells =
        "greeted~virtual1-34-1080x2400-420-en-light.tsv:14: TextView#greeting says something else";
    project.run(&["pending"]).expect(0).says(tells);
}

#[test]
fn goldens_of_older_versions_are_read_everywhere_and_written_anew() {
    let project = Project::empty();
    project.run(&["init"]).expect(0);
    let tables = || {
        let files = project.files("snapshots/first").into_iter();
        let tables = files.filter(|name| name.ends_with(".tsv"));
        tables.map(|name| format!("snapshots/first/{name}"))
    };
    for table in tables() {
        let text = project.read(&table);
        let lines = text.lines().enumerate().map(|(at, line)| match at {
            0 => line.replace("schema=2", "schema=1"),
            1 => format!("id\t{line}"),
            _ => format!("n{}\t{line}", at - 1),
        });
        let lines: Vec<String> = lines.collect();
        project.write(&table, &(lines.join("\n") + "\n"));
    }
    project.run(&["test"]).expect(0);
    project.run(&["lint"]).expect(0).never_says("rows-disagree");
    project.run(&["prune", "--check"]).expect(0);
    project.replace(
        "apps/hello/main.yaml",
        "A small app to write",
        "An app to write",
    );
    let test = project.run(&["test", "--html", "out/report"]).expect(1);
    test.says("text \"A small app to write");
    project.run(&["review"]).expect(1).says("first/greeted");
    project.run(&["accept", "--all"]).expect(0);
    for table in tables() {
        let text = project.read(&table);
        assert!(text.contains("schema=2\nclass\t"), "{text}");
        assert!(!text.contains("\nn2\t"), "{text}");
    }
    project.run(&["test"]).expect(0);
}
