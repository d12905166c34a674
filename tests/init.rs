//! `runner init` as a newcomer meets it: an empty folder, one command, a run that passes.

use crate::common::Project;

const FILES: [&str; 7] = [
    ".gitignore",
    "apps/hello/app.yaml",
    "apps/hello/main.yaml",
    "flows/first.yaml",
    "runner.schema.json",
    "runner.yaml",
    "snapshots/first/greeted.tsv",
];

#[test]
fn a_new_project_passes_at_once() {
    let project = Project::empty();
    let init = project.run(&["init"]).expect(0);
    assert_eq!(project.files("."), FILES);
    assert!(init.stderr.contains("next: `runner test`"));
    project.run(&["lint"]).expect(0).says("1 flow: no errors");
    project.run(&["test"]).expect(0).says("1 passed");
    assert!(
        project.run(&["pending"]).expect(0).stdout.is_empty(),
        "the golden that comes with the project is that of its screen"
    );
}

#[test]
fn the_way_its_comment_shows_works() {
    let project = Project::empty();
    project.run(&["init", "shop"]).expect(0);
    let here = |arguments: &[&str]| {
        let mut command = project.command(arguments);
        command.current_dir(project.path("shop"));
        crate::common::Ran::from(command.output().expect("the program starts"))
    };
    here(&["test", "--update", "new"]).expect(0);
    here(&["test"]).expect(0);

    let question = "What is your name?";
    project.replace("shop/apps/hello/main.yaml", question, "Who are you?");
    project.replace("shop/flows/first.yaml", question, "Who are you?");
    here(&["test"]).expect(1).says("Who are you?");
    here(&["pending"]).expect(1).says("first/greeted");
    here(&["accept", "--all"]).expect(0);
    here(&["test"]).expect(0);
    here(&["pending"]).expect(0);
}

#[test]
fn what_is_there_is_kept() {
    let project = Project::empty();
    project.write(".gitignore", "/target\n");
    project.write("runner.yaml", "devices: [virtual]\n");
    let first = project.run(&["init"]).expect(0);
    assert!(first.stdout.contains("kept     runner.yaml"));
    assert!(
        first.stderr.contains("add to .gitignore"),
        "{}",
        first.stderr
    );
    assert!(first.stderr.contains("/.runner/"), "{}", first.stderr);
    assert_eq!(project.read(".gitignore"), "/target\n");
    // Where the examples of CI write.
    assert!(first.stderr.contains("/out/"), "{}", first.stderr);

    project.replace("flows/first.yaml", "Say hello", "Say more");
    let again = project.run(&["init"]).expect(0);
    assert!(!again.stdout.contains("wrote"), "{}", again.stdout);
    assert!(project.read("flows/first.yaml").contains("Say more"));
    assert_eq!(project.read("runner.yaml"), "devices: [virtual]\n");
}
