//! Outputs keep out of the folders of flows, goldens and the history, by whatever path they name them.

use std::os::unix::fs::symlink;

use crate::common::{Project, needs};

/// Makes a project with a good flow and links to its folders.
fn project(flows: &str) -> Project {
    let project = Project::with_demo_app();
    project.write(
        "runner.yaml",
        &format!("devices: [virtual]\napps: [apps/demo]\nflows: [{flows}]\n"),
    );
    project.write(
        "flows/deep/a.yaml",
        "app: com.example.notes\nsteps: [ launch ]\n",
    );
    for (folder, link) in [("flows", "to-flows"), ("snapshots", "to-goldens")] {
        std::fs::create_dir_all(project.path(folder)).expect("a folder");
        symlink(folder, project.path(link)).expect("a link");
    }
    project
}

#[test]
fn artifacts_lie_neither_among_flows_nor_among_goldens() {
    for flows in ["flows", "'flows/**/*.yaml'", "flows/deep/a.yaml"] {
        for (place, says) in [
            (".", "error: . holds the flows"),
            ("..", "holds the flows"),
            ("flows", "flows holds the flows"),
            ("flows/deep", "flows/deep holds the flows"),
            ("none/../flows", "holds the flows"),
            ("to-flows", "to-flows holds the flows"),
            ("to-flows/deep", "holds the flows"),
            ("snapshots", "snapshots holds the goldens"),
            ("snapshots/below", "holds the goldens"),
            ("to-goldens", "to-goldens holds the goldens"),
        ] {
            let project = project(flows);
            let ran = project.run(&["test", "--artifacts", place]).expect(2);
            ran.says(says);
            let nothing_ran = !project.path(".runner/last-run.ndjson").exists();
            assert!(nothing_ran, "{flows}: {place}");
        }
    }
    for place in ["out", "flows-1", "snapshots-1", "none/../out"] {
        let project = project("flows");
        project.run(&["test", "--artifacts", place]).expect(0);
    }
}

#[test]
fn nothing_but_runs_is_written_to_the_history() {
    for (option, place) in [
        ("--json", ".runner/history/x.ndjson"),
        ("--json", "none/../.runner/history/x.ndjson"),
        ("--junit", ".runner/history/below/x.xml"),
        ("--html", ".runner/history/html"),
        ("--allure", ".runner/history/allure"),
        ("--artifacts", ".runner/history"),
    ] {
        let project = project("flows");
        project
            .run(&["test", option, place])
            .expect(2)
            .says("lies in the folder of the history")
            .says(option);
        let nothing_ran = !project.path(".runner/last-run.ndjson").exists();
        assert!(nothing_ran, "{place}");
    }
    let project = project("flows");
    let beside = ["test", "--json", ".runner/x.ndjson", "--junit", "x.xml"];
    project.run(&beside).expect(0);
    project
        .run(&["test"])
        .expect(0)
        .never_says("not a history file");
}

#[test]
fn the_working_folder_has_a_name_in_messages() {
    let project = project("flows");
    for option in ["--junit", "--json"] {
        let ran = project.run(&["test", option, "."]).expect(2);
        ran.says("error: . is a folder");
    }
}

#[test]
fn a_file_that_a_person_wrote_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;

    if !needs::program("git") {
        return;
    }
    let project = Project::empty();
    project.git(&["init", "--quiet"]);
    project.write("old/a.yaml", "appId: a.b\n---\n- scroll\n");
    let import = ["import", "maestro", "old", "--overwrite"];
    project.run(&import).expect(0);
    let names = [".gitignore", ".gitattributes", "flows/a.yaml"];
    for name in names {
        project.write(name, "# mine\n");
        let mode = std::fs::Permissions::from_mode(0o660);
        std::fs::set_permissions(project.path(name), mode).unwrap();
    }
    project.run(&["init", "--git"]).expect(0);
    project.run(&import).expect(0);
    for name in names {
        assert_ne!(project.read(name), "# mine\n", "{name}");
        let mode = project.path(name).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o660, "{name}");
    }
}
