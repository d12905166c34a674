use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};

use super::{GitError, Repository};

/// A repository of its own.
struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new() -> Self {
        let project = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        project.git(&["init", "--quiet", "--initial-branch", "main"]);
        project.git(&["config", "user.name", "A"]);
        project.git(&["config", "user.email", "a@example.com"]);
        project
    }

    fn path(&self) -> &Utf8Path {
        Utf8Path::from_path(self.folder.path()).unwrap()
    }

    fn git(&self, arguments: &[&str]) {
        let mut command = Command::new("git");
        let ran = command.current_dir(self.path()).args(arguments).output();
        let ran = ran.unwrap();
        assert!(ran.status.success(), "{arguments:?}: {ran:?}");
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&[
            "commit",
            "--quiet",
            "--message",
            "A change",
            "--allow-empty",
        ]);
    }
}

fn names(changes: &super::Changes) -> Vec<&str> {
    changes.files.iter().map(|file| file.as_str()).collect()
}

#[test]
fn what_changed_since_a_branch_left_another() {
    let project = Project::new();
    project.write("kept", "1");
    project.write("moved", "a text that is long enough to be found again");
    project.write(".gitignore", "ignored\n");
    project.commit();
    project.git(&["switch", "--quiet", "--create", "work"]);
    project.git(&["mv", "moved", "Grüße\t1"]);
    project.commit();
    project.git(&["switch", "--quiet", "main"]);
    project.write("theirs", "1");
    project.commit();
    project.git(&["switch", "--quiet", "work"]);
    project.write("new", "1");
    project.write("ignored", "1");
    project.write("kept", "2");
    let repository = Repository::around(project.path()).unwrap();
    let changes = repository.changes_since("main").unwrap();
    assert_eq!(names(&changes), ["Grüße\t1", "kept", "moved", "new"]);
    // The same from a folder below.
    std::fs::create_dir(project.path().join("below")).unwrap();
    let below = Repository::around(&project.path().join("below")).unwrap();
    assert_eq!(below.changes_since("main").unwrap(), changes);
}

#[test]
fn what_git_does_not_look_at_is_named_and_any_name_is_a_name() {
    let project = Project::new();
    for name in ["assumed", "skipped", "sparse", "seen"] {
        project.write(name, "1");
    }
    project.commit();
    project.git(&["update-index", "--assume-unchanged", "assumed"]);
    project.git(&["update-index", "--skip-worktree", "skipped", "sparse"]);
    std::fs::remove_file(project.path().join("sparse")).unwrap();
    for name in ["assumed", "skipped", "seen"] {
        project.write(name, "2");
    }
    let odd = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"caf\xe9.kt");
    std::fs::write(project.folder.path().join(odd), "1").unwrap();
    let repository = Repository::around(project.path()).unwrap();
    let changes = repository.changes_since("HEAD").unwrap();
    assert_eq!(names(&changes), ["caf\u{fffd}.kt", "seen"]);
    let not_looked_at: Vec<&str> = changes.not_looked_at.iter().map(|it| it.as_str()).collect();
    assert_eq!(not_looked_at, ["assumed", "skipped"]);
}

#[test]
fn the_lines_that_changed_are_those_of_both_sides_and_of_new_files() {
    let project = Project::new();
    project.write("a[1].kt", "kept\nfun old() {}\n");
    project.write("a1.kt", "1\n");
    project.commit();
    project.write("a[1].kt", "kept\nfun fresh() {}\n++ counter\n");
    project.write("a1.kt", "2\n");
    project.write("new.kt", "-- untracked\n");
    let repository = Repository::around(project.path()).unwrap();
    let base = repository.changes_since("HEAD").unwrap().base;
    let files = ["a[1].kt", "new.kt", "gone.kt"].map(Utf8PathBuf::from);
    let lines = |most| repository.changed_lines(&base, &files, most).unwrap();
    let all = lines(1000).unwrap();
    assert!(!all.contains("a[1].kt"), "a header is no line: {all}");
    for line in [
        "fun old() {}",
        "fun fresh() {}",
        "++ counter",
        "-- untracked",
    ] {
        assert!(all.lines().any(|it| it == line), "{all}");
    }
    assert!(
        !all.contains("kept") && !all.lines().any(|line| line == "2"),
        "{all}"
    );
    assert_eq!(lines(20), None);
}

#[test]
fn a_submodule_that_settings_hide_counts() {
    let library = Project::new();
    library.write("a.kt", "1\n");
    library.commit();
    let project = Project::new();
    let from = library.path().as_str();
    project.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        from,
        "lib",
    ]);
    project.git(&[
        "config",
        "--file",
        ".gitmodules",
        "submodule.lib.ignore",
        "all",
    ]);
    project.git(&["config", "diff.ignoreSubmodules", "all"]);
    project.commit();
    library.write("a.kt", "2\n");
    library.commit();
    let repository = Repository::around(project.path()).unwrap();
    let changed = || repository.changes_since("HEAD").unwrap();
    assert_eq!(names(&changed()), [""; 0]);
    project.git(&["-C", "lib", "pull", "--quiet"]);
    assert_eq!(names(&changed()), ["lib"]);
    let files = ["lib".into()];
    let lines = repository.changed_lines("HEAD", &files, 1000).unwrap();
    assert!(lines.unwrap().contains("Subproject commit"));
}

#[test]
fn what_cannot_be_compared_says_what_to_do() {
    let project = Project::new();
    project.commit();
    project.commit();
    let repository = Repository::around(project.path()).unwrap();
    for unknown in ["origin/main", "--output=x", ""] {
        let error = repository.changes_since(unknown).unwrap_err();
        assert!(matches!(error, GitError::NoCommit(_)), "{error}");
    }
    project.git(&["switch", "--quiet", "--orphan", "other"]);
    project.write("other", "1");
    project.commit();
    let error = repository.changes_since("main").unwrap_err();
    assert!(matches!(error, GitError::Unrelated(_)), "{error}");

    let clone = tempfile::tempdir().unwrap();
    let clone = Utf8PathBuf::from_path_buf(clone.path().join("clone")).unwrap();
    let from = format!("file://{}", project.path());
    project.git(&[
        "clone",
        "--quiet",
        "--depth",
        "1",
        "--no-single-branch",
        &from,
        clone.as_str(),
    ]);
    let error = Repository::around(&clone)
        .unwrap()
        .changes_since("origin/main")
        .unwrap_err();
    assert!(matches!(error, GitError::Shallow(_)), "{error}");
    assert!(error.to_string().contains("--unshallow"));
}

#[test]
fn a_folder_outside_is_in_no_repository() {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(folder.path()).unwrap();
    let error = Repository::around(path).unwrap_err();
    assert!(matches!(error, GitError::NoRepository(_)), "{error}");
}

/// The commit that comes in is known while git waits, and not after.
#[test]
fn the_incoming_commit_is_known_while_git_waits_for_a_decision() {
    for (begin, goes_on) in [
        (&["merge", "--quiet", "theirs"][..], Some("merge")),
        (&["cherry-pick", "theirs"], Some("cherry-pick")),
        (&["rebase", "--quiet", "theirs"], Some("rebase")),
        (&["merge", "--quiet", "--squash", "theirs"], None),
    ] {
        let project = Project::new();
        project.git(&["config", "core.editor", "true"]);
        let conflict = |arguments: &[&str]| {
            let mut command = Command::new("git");
            let ran = command.current_dir(project.path()).args(arguments).output();
            assert!(!ran.unwrap().status.success(), "{arguments:?}");
        };
        project.write("file", "1");
        project.commit();
        project.git(&["switch", "--quiet", "--create", "theirs"]);
        project.write("file", "2");
        project.commit();
        project.git(&["switch", "--quiet", "main"]);
        project.write("file", "3");
        project.commit();
        let repository = Repository::around(project.path()).unwrap();
        let incoming = || repository.incoming().unwrap().map(|(name, _)| name);
        conflict(begin);
        assert_eq!(incoming().is_some(), goes_on.is_some(), "{begin:?}");
        project.write("file", "4");
        project.git(&["add", "file"]);
        match goes_on {
            Some(what) => project.git(&[what, "--continue"]),
            None => project.commit(),
        }
        assert_eq!(incoming(), None, "{begin:?} has ended");
        // What an earlier rebase left is not taken for the other side of a later squash.
        project.git(&["update-ref", "REBASE_HEAD", "HEAD"]);
        assert_eq!(incoming(), None, "{begin:?}");
    }
}
