//! Pictures in Git LFS, and what they cost without it.

use crate::common::needs;
use crate::common::{Project, git::git_in};

const CLASS: &str = "snapshots/first/greeted~virtual1-34-1080x2400-420-en-light";

#[test]
fn old_pictures_are_counted_once() {
    if !needs::program("git") {
        return;
    }
    let project = Project::empty().with_git();
    let picture = |name: &str, byte: u8| {
        let bytes: Vec<u8> = (0..=255)
            .cycle()
            .take(5000)
            .map(|at: u8| at ^ byte)
            .collect();
        std::fs::create_dir_all(project.path("snapshots/f")).expect("a folder");
        std::fs::write(project.path(&format!("snapshots/f/{name}.png")), bytes).expect("a file");
        project.commit();
    };
    picture("a", 1);
    picture("b", 1);
    picture("a", 2);
    picture("a", 3);
    project
        .run(&["prune", "--history"])
        .expect(0)
        .says("in all commits  3 pictures, 14.6 KiB")
        .says("in HEAD         2 pictures, 9.8 KiB")
        .says("only in old     1 pictures")
        .says("git lfs migrate import");
    Project::empty()
        .run(&["prune", "--history"])
        .expect(2)
        .says("not in a git repository");
}

#[test]
fn a_picture_that_was_not_downloaded_is_never_a_changed_one() {
    if !needs::program("git") || !needs::program("git-lfs") {
        return;
    }
    let project = Project::empty();
    project.run(&["init"]).expect(0);
    project.run(&["test", "--update", "new"]).expect(0);
    let project = project.with_git();
    project.git(&["lfs", "install", "--local"]);
    project
        .run(&["init", "--git", "--lfs"])
        .expect(0)
        .says("filter=lfs");
    project.git(&["add", "--renormalize", "."]);
    project.commit();
    let stored = project.git(&["show", &format!("HEAD:{CLASS}.png")]).stdout;
    assert!(stored.starts_with("version https://git-lfs"), "{stored}");
    let asked = project
        .git(&["check-attr", "merge", &format!("{CLASS}.png")])
        .stdout;
    assert!(asked.contains("merge: unset"), "{asked}");
    project
        .run(&["prune", "--history"])
        .expect(0)
        .says("pointers of Git LFS");

    let origin = format!("file://{}", project.path(".").display());
    project.git(&[
        "clone",
        "--quiet",
        "-c",
        "filter.lfs.smudge=cat",
        "-c",
        "filter.lfs.process=",
        &origin,
        "clone",
    ]);
    let here = |arguments: &[&str]| {
        let mut command = project.command(arguments);
        command.current_dir(project.path("clone"));
        crate::common::Ran::from(command.output().expect("the program starts"))
    };
    let text = std::fs::read_to_string(project.path(&format!("clone/{CLASS}.png")));
    assert!(text.expect("a pointer").starts_with("version"));
    for arguments in [&["test"][..], &["test", "--update"]] {
        let ran = here(arguments).says("run `git lfs pull`");
        assert_ne!(ran.code, 0);
    }
    here(&["pending"]).expect(0);
    here(&["doctor", "--device", "virtual"])
        .says("pointers of Git LFS")
        .says("git lfs pull");
    here(&["prune", "--check"]).says("git lfs pull");
    let git = |arguments: &[&str]| git_in(&project.path("clone"), arguments);
    git(&["config", "--unset", "filter.lfs.smudge"]);
    git(&["config", "--unset", "filter.lfs.process"]);
    git(&["lfs", "install", "--local"]).expect(0);
    git(&["lfs", "pull"]).expect(0);
    here(&["test"]).expect(0);

    // A conflict of pictures in Git LFS leaves ours whole, and theirs can be taken.
    let change = |branch: &str, text: &str| {
        project.git(&["switch", "--quiet", "--create", branch, "main"]);
        project.replace("apps/hello/main.yaml", "A small app to write", text);
        project.run(&["test", "--update", "changed"]);
        project.commit();
    };
    change("ours", "An app for");
    let read = || std::fs::read(project.path(&format!("{CLASS}.png"))).expect("a picture");
    let ours = read();
    change("theirs", "The app of");
    let theirs = read();
    project.git(&["switch", "--quiet", "ours"]);
    project.try_git(&["merge", "--quiet", "theirs"]).expect(1);
    assert_eq!(read(), ours);
    project
        .run(&["review"])
        .expect(1)
        .says("in conflict: first/greeted");
    project.run(&["accept", "--all"]).expect(0).says("tell git");
    assert_eq!(read(), theirs);
}
