//! Goldens that no flow names, on the command line.

use crate::common::{Project, Ran};

const GENERAL: &str = "steps:\n  - launch: { activity: .Settings }\n  - snapshot: general\n";
const TWICE: &str = "steps:\n  - launch: { activity: .Settings }\n  - repeat:\n      times: 2\n      steps:\n        - snapshot: { name: round, each: true }\n";

fn with_goldens() -> Project {
    let project = Project::with_demo_app();
    project.flow("settings", GENERAL).flow("deep/twice", TWICE);
    project.run(&["test", "--update", "new"]).expect(0);
    project
}

#[test]
fn what_flows_name_is_never_pruned() {
    let project = with_goldens();
    let before = project.files("snapshots");
    for argument in ["--check", "--apply"] {
        project
            .run(&["prune", argument])
            .expect(0)
            .says("flows name every golden");
    }
    // A flow that was run by its path, from outside the folder of flows.
    project.write(
        "other/once.yaml",
        &format!("app: com.example.notes\n{GENERAL}"),
    );
    project
        .run(&["test", "other/once.yaml", "--update", "new"])
        .expect(0);
    project.run(&["prune", "--apply"]).expect(0);
    assert_eq!(project.files("snapshots").len(), before.len() + 4);
    project
        .run(&["undo"])
        .expect(1)
        .says("nothing to take back");
}

/// A second folder in `flows` moves the goldens of the first, and one folder less moves them back.
#[test]
fn goldens_of_another_list_of_flows_are_told_and_not_taken_anew() {
    let project = Project::with_demo_app();
    let settings = project.read("runner.yaml");
    project.flow(
        "settings",
        &GENERAL.replace("general", "{ name: general, image: none }"),
    );
    project.write("more/home.yaml", "steps:\n  - home\n");
    project.run(&["test", "--update", "new"]).expect(0);
    for (flows, from, to, command) in [
        (
            "flows: [flows, more]\n",
            "snapshots/settings",
            "snapshots/flows/settings",
            "mkdir -p snapshots/flows && git mv snapshots/settings snapshots/flows/settings",
        ),
        (
            "",
            "snapshots/flows/settings",
            "snapshots/settings",
            "git mv snapshots/flows/settings snapshots/settings",
        ),
    ] {
        project.write("runner.yaml", &format!("{settings}{flows}"));
        let before = project.files("snapshots");
        for mode in ["new", "none"] {
            let ran = project.run(&["test", "--update", mode]).expect(1);
            assert!(
                ran.stderr.contains(command) || ran.stdout.contains(command),
                "{flows}"
            );
            assert_eq!(project.files("snapshots"), before, "{flows}: {mode}");
        }
        let to = project.path(to);
        std::fs::create_dir_all(to.parent().expect("a parent")).expect("folders");
        std::fs::rename(project.path(from), to).expect("moved");
        project.run(&["test", "--update", "none"]).expect(0);
    }
}

#[test]
fn goldens_are_the_same_in_each_spelling() {
    let project = with_goldens();
    let before = project.files("snapshots");
    for (folder, path) in [
        (".", "./flows/../flows/settings.yaml"),
        ("flows/deep", "../settings.yaml"),
        ("apps", "../flows/deep/*.yaml"),
    ] {
        let mut command = project.command(&["test", path, "--update", "new"]);
        command.current_dir(project.path(folder));
        Ran::from(command.output().unwrap()).expect(0);
        assert_eq!(project.files("snapshots"), before, "{folder}: {path}");
    }
    for flows in ["./flows", "flows/**/*.yaml", "flows/../flows"] {
        let settings = format!("devices: [virtual]\napps: [apps/demo]\nflows: '{flows}'\n");
        project.write("runner.yaml", &settings);
        project
            .run(&["prune", "--check"])
            .expect(0)
            .says("flows name every golden");
    }
}

#[test]
fn what_no_flow_names_is_listed_removed_and_brought_back() {
    let project = with_goldens();
    let all = project.files("snapshots");
    project.write("snapshots/settings/notes.txt", "mine");
    project.replace("flows/settings.yaml", "snapshot: general", "snapshot: main");
    project.run(&["test", "flows/settings.yaml"]).expect(1);
    std::fs::remove_file(project.path("flows/deep/twice.yaml")).expect("removed");
    let listed = project.run(&["prune", "--check"]).expect(1);
    insta::assert_snapshot!("prune_check", listed.normalized(&project));
    let removed = project.run(&["prune", "--apply"]).expect(0);
    insta::assert_snapshot!("prune_apply", removed.normalized(&project));
    let left = project.files("snapshots");
    assert!(
        left.iter().all(|name| name.starts_with("settings/main")
            || name == "settings/notes.txt"
            || name == ".gitignore"),
        "{left:?}"
    );
    project.run(&["prune", "--check"]).expect(0);
    let undone = project.run(&["undo"]).expect(0);
    insta::assert_snapshot!("prune_undo", undone.normalized(&project));
    let back = project.files("snapshots");
    assert!(all.iter().all(|name| back.contains(name)), "{back:?}");
}

#[test]
fn a_flow_that_does_not_read_keeps_its_goldens() {
    let project = with_goldens();
    let before = project.files("snapshots");
    project.write("flows/settings.yaml", "steps: 7\n");
    project
        .run(&["prune", "--apply"])
        .expect(0)
        .says("kept: all goldens of flows/settings.yaml");
    assert_eq!(project.files("snapshots"), before);
    // Without any flow nothing is known of any golden.
    std::fs::remove_dir_all(project.path("flows")).expect("removed");
    project.run(&["prune", "--apply"]).expect(2);
    assert_eq!(project.files("snapshots"), before);
}
