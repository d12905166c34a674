//! Goldens from the first run to the accepted change, on the command line.

use crate::common::{Project, Ran};

const CLASS: &str = "virtual1-34-1080x2400-420-en-light";
const SIGN_IN: &str = "steps:\n  - launch\n  - snapshot: home\n";
const SETTINGS: &str = "steps:\n  - launch: { activity: .Settings }\n  - snapshot: general\n";

/// Makes two flows with a golden each.
fn with_goldens() -> Project {
    let project = Project::with_demo_app();
    project.flow("sign-in", SIGN_IN).flow("settings", SETTINGS);
    project
        .run(&["test", "--update", "new"])
        .expect(0)
        .says("2 passed");
    project
}

fn goldens(flow: &str, name: &str) -> Vec<String> {
    ["annotated.png", "png", "tsv"]
        .map(|end| format!("{flow}/{name}~{CLASS}.{end}"))
        .into_iter()
        .chain([format!("{flow}/{name}.tsv")])
        .collect()
}

fn pending(project: &Project) -> Vec<String> {
    project
        .files("snapshots")
        .into_iter()
        .filter(|name| name.contains(".new."))
        .collect()
}

/// Returns the contents of all goldens.
fn contents(project: &Project) -> Vec<(String, Vec<u8>)> {
    let read = |name: String| {
        let bytes = std::fs::read(project.path("snapshots").join(&name)).expect("a golden");
        (name, bytes)
    };
    project
        .files("snapshots")
        .into_iter()
        .filter(|name| !name.contains(".new."))
        .map(read)
        .collect()
}

#[test]
fn a_new_snapshot_waits_is_accepted_and_passes() {
    let project = Project::with_demo_app();
    project.flow("sign-in", SIGN_IN);
    project
        .run(&["pending"])
        .expect(0)
        .says("nothing to review");
    let ran = project.run(&["test"]).expect(1);
    // The class only where there are several, each file on `-v`.
    let first = project.run(&["pending"]).expect(1);
    assert_eq!(first.stdout, "new: new in sign-in\n    sign-in/home\n");
    let verbose = project.run(&["pending", "-v"]).expect(1);
    verbose.says(".new.tsv → snapshots/sign-in/home");
    insta::assert_snapshot!("new_snapshot", ran.normalized(&project));
    assert_eq!(
        pending(&project).len(),
        4,
        "{:?}",
        project.files("snapshots")
    );
    // A second run leaves the same, and is not a flake however often it is tried.
    project
        .run(&["test", "--retries", "2"])
        .expect(1)
        .never_says("AGAIN");
    let key = format!("sign-in/home~{CLASS}");
    let listed = project.run(&["pending", "-q"]).expect(1);
    assert_eq!(listed.stdout.trim(), key);
    project
        .run(&["accept", "sign-in/hume*"])
        .expect(2)
        .says("sign-in/home");
    project.run(&["accept", &key]).expect(0).says("accepted");
    assert!(pending(&project).is_empty());
    let mut expected = goldens("sign-in", "home");
    expected.sort();
    let mut stored = project.files("snapshots");
    stored.retain(|name| name != ".gitignore");
    assert_eq!(stored, expected);
    project.run(&["pending"]).expect(0);
    project.run(&["test"]).expect(0).says("1 passed");
    assert!(pending(&project).is_empty());
}

#[test]
fn who_takes_all_while_a_run_goes_on_is_told() {
    let project = Project::with_demo_app();
    project.flow("sign-in", SIGN_IN);
    project.run(&["test"]).expect(1);
    let folder = project.path(".runner/history");
    let folder = camino::Utf8Path::from_path(&folder).expect("a path");
    let begin = |id: &str| {
        runner::history::Writer::begin(folder, id, "2026-01-01T00:00:00Z", "0").expect("a run")
    };
    let one = begin("1");
    let two = begin("2");
    project
        .run(&["pending"])
        .expect(1)
        .says("warning: 2 runs go on: more may be proposed");
    // A run that was killed does not count.
    drop(two);
    let told = "warning: a run goes on: `--all` takes what was proposed so far";
    project.run(&["reject", "--all"]).expect(0).says(told);
    project.run(&["accept", "--all"]).expect(0).says(told);
    drop(one);
    project
        .run(&["accept", "--all"])
        .expect(0)
        .never_says("go on")
        .never_says("goes on");
}

#[test]
fn a_changed_text_fails_the_right_golden_and_says_what_it_was() {
    let project = with_goldens();
    let before = contents(&project);
    project.replace("apps/demo/sign-in.yaml", "Welcome to Notes", "Hello Notes");
    let ran = project.run(&["test"]).expect(1).says("1 passed, 1 failed");
    assert!(
        ran.stdout.contains("PASS") && ran.stdout.contains("flows/sign-in.yaml:4:5"),
        "{}",
        ran.stdout
    );
    insta::assert_snapshot!("changed_text", ran.normalized(&project));
    assert_eq!(contents(&project), before);
    // Rejecting leaves the golden, so it fails again; accepting makes it pass.
    project
        .run(&["reject", "sign-in/*"])
        .expect(0)
        .says("rejected");
    assert!(pending(&project).is_empty());
    assert_eq!(contents(&project), before);
    project.run(&["test", "flows/sign-in.yaml"]).expect(1);
    project.run(&["accept", "--all"]).expect(0);
    assert_ne!(contents(&project), before);
    project.run(&["test"]).expect(0);
}

#[test]
fn a_pass_removes_what_waited_for_it() {
    let project = with_goldens();
    project.replace("apps/demo/settings.yaml", "Play sounds", "Play music");
    project
        .run(&["test", "flows/settings.yaml"])
        .expect(1)
        .says("Play sounds")
        .says("Play music");
    assert!(!pending(&project).is_empty());
    project.replace("apps/demo/settings.yaml", "Play music", "Play sounds");
    project.run(&["test", "flows/settings.yaml"]).expect(0);
    assert!(pending(&project).is_empty());
}

#[test]
fn a_moved_and_a_removed_element_are_named() {
    let project = with_goldens();
    let children = "[hero, welcome, hint, username";
    project.replace(
        "apps/demo/sign-in.yaml",
        children,
        "[hero, hint, welcome, username",
    );
    let moved = project.run(&["test", "flows/sign-in.yaml"]).expect(1);
    moved.says("moved by");
    project.replace(
        "apps/demo/sign-in.yaml",
        "[hero, hint, welcome, username",
        "[hero, welcome, username",
    );
    project
        .run(&["test", "flows/sign-in.yaml"])
        .expect(1)
        .says("TextView#hint: removed");
}

#[test]
fn a_changed_colour_is_seen_in_the_picture_alone() {
    let project = with_goldens();
    project.replace("apps/demo/app.yaml", "#3F6DB5", "#B53F3F");
    let ran = project
        .run(&["test", "flows/settings.yaml", "-v"])
        .expect(1);
    let ran = ran.says("px at").says("picture: largest change");
    ran.never_says("moved by").never_says("text of");
}

#[test]
fn each_mode_writes_what_it_says() {
    let project = with_goldens();
    // One golden that differs, one that is new.
    project.replace("apps/demo/settings.yaml", "Play sounds", "Play music");
    project.flow(
        "about",
        "steps:\n  - launch: { activity: .Form }\n  - snapshot: form\n",
    );
    let before = contents(&project);
    let set_up = |project: &Project| {
        std::fs::remove_dir_all(project.path("snapshots")).unwrap();
        for (name, bytes) in &before {
            let path = project.path("snapshots").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
    };
    for (mode, code, new_written, changed_written, waiting) in [
        (vec!["--update", "none"], 1, false, false, false),
        (vec![], 1, false, false, true),
        (vec!["--update", "new"], 1, true, false, false),
        (vec!["--update", "changed"], 1, false, true, false),
        (vec!["--update"], 0, true, true, false),
    ] {
        set_up(&project);
        let mut arguments = vec!["test", "flows/about.yaml", "flows/settings.yaml"];
        arguments.extend(&mode);
        let ran = project.run(&arguments).expect(code);
        let after = contents(&project);
        let new = after.iter().any(|(name, _)| name == "about/form.tsv");
        let changed = before.iter().any(|golden| !after.contains(golden));
        let found = (new, changed, !pending(&project).is_empty());
        assert_eq!(
            found,
            (new_written, changed_written, waiting),
            "{mode:?}\n{}",
            ran.stdout
        );
    }
    project.run(&["test"]).expect(0).says("3 passed");
}

#[test]
fn on_ci_nothing_is_written_but_artifacts() {
    let project = Project::with_demo_app();
    project.flow("sign-in", SIGN_IN);
    let mut command = project.command(&["test"]);
    let ran = Ran::from(command.env("CI", "true").output().unwrap()).expect(1);
    let ran = ran.says("--update pending");
    assert!(
        !project.path("snapshots").exists(),
        "{:?}",
        project.files("snapshots")
    );
    let artifacts = project.files(".runner/artifacts");
    assert!(
        artifacts
            .iter()
            .any(|name| name.ends_with("home.actual.png")),
        "{artifacts:?}"
    );
    ran.never_says("runner reject");
    let mut command = project.command(&["test", "--update", "pending"]);
    Ran::from(command.env("CI", "true").output().unwrap()).expect(1);
    assert!(!pending(&project).is_empty());
}

#[test]
fn masked_elements_and_areas_may_change() {
    let project = Project::with_demo_app();
    let masked = |mask: &str| {
        project.flow(
            "sign-in",
            &format!("steps:\n  - launch\n  - snapshot: {{ name: home, mask: [ {mask} ] }}\n"),
        );
    };
    masked("{ id: welcome }");
    project.run(&["test", "--update", "new"]).expect(0);
    assert!(
        !project
            .read("snapshots/sign-in/home.tsv")
            .contains("Welcome to Notes")
    );
    project.replace(
        "apps/demo/sign-in.yaml",
        "Welcome to Notes",
        "Welcome to Motes",
    );
    project.run(&["test"]).expect(0);
    masked("{ id: hint }");
    project.run(&["test"]).expect(1).says("masks changed");
    masked("{ id: welcome }, { id: nowhere }");
    project.run(&["test"]).expect(1);
    masked("{ rect: [0, 0, 1080, 2000] }");
    project
        .run(&["test", "--update", "none"])
        .expect(1)
        .says("% of the screen");
}

#[test]
fn a_mask_that_finds_nothing_is_a_warning() {
    let project = Project::with_demo_app();
    project.flow(
        "sign-in",
        "steps:\n  - launch\n  - snapshot: { name: home, mask: [ { id: nowhere } ] }\n",
    );
    project
        .run(&["test", "--update", "new"])
        .expect(0)
        .says("warning")
        .says("nowhere");
}

#[test]
fn a_tolerance_widens_the_limit_and_the_counts_are_told() {
    let project = with_goldens();
    // A note where something is to be known, none where nothing changed, or what was missing is written.
    project.run(&["test", "-v"]).expect(0).never_says("note:");
    let gone = project.files("snapshots");
    // Rows of a class without their picture would be damage.
    for name in gone.iter().filter(|name| name.contains('~')) {
        std::fs::remove_file(project.path("snapshots").join(name)).unwrap();
    }
    let update = ["test", "flows/settings.yaml", "--update"];
    project.run(&update).expect(0).never_says("no picture");
    project.run(&["test", "--update", "new"]).expect(0);
    // The icon is drawn, and no row shows it.
    project.replace("apps/demo/app.yaml", "#3F6DB5", "#3F6DC5");
    project
        .run(&["test", "flows/settings.yaml", "--update", "none", "-v"])
        .expect(1)
        .says("(limit 0)");
    project.flow(
        "settings",
        "steps:\n  - launch: { activity: .Settings }\n  - snapshot: { name: general, tolerance: { cluster: 500000, specks: 500000 } }\n",
    );
    project
        .run(&["test", "flows/settings.yaml"])
        .expect(0)
        .says("(limit 500000)");
}

#[test]
fn what_does_not_come_to_rest_is_unstable_and_named() {
    let project = Project::empty();
    project.write("runner.yaml", "devices: [virtual]\napps: [apps/clock]\n");
    project.write(
        "apps/clock/app.yaml",
        "package: com.example.notes\nlabel: Clock\nversion: \"1\"\nactivities:\n  .Main: { surface: main.yaml, launchable: true, on_start: tick }\n\
         actions:\n  tick:\n    - append: { path: /turns, value: x }\n    - count: { of: /turns, to: /now }\n    - after: { ms: 50, do: [ run: tick ] }\n",
    );
    project.write(
        "apps/clock/main.yaml",
        "- version: v0.9\n  createSurface: { surfaceId: main, catalogId: \"https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json\" }\n\
         - version: v0.9\n  updateComponents:\n    surfaceId: main\n    components:\n      - { id: root, component: Column, children: [title, now] }\n\
         \x20     - { id: title, component: Text, text: Clock }\n      - { id: now, component: Text, text: { path: /now } }\n\
         - version: v0.9\n  updateDataModel:\n    surfaceId: main\n    value: { turns: [], now: 0 }\n",
    );
    project.flow(
        "clock",
        "steps:\n  - launch\n  - snapshot: face\n    timeout: 2s\n",
    );
    project
        .run(&["test"])
        .expect(1)
        .says("unstable")
        .says("now");
    assert!(
        project.files("snapshots").is_empty(),
        "{:?}",
        project.files("snapshots")
    );
    project.flow(
        "clock",
        "steps:\n  - launch\n  - snapshot: { name: face, mask: [ { id: now } ] }\n",
    );
    project.run(&["test", "--update", "new"]).expect(0);
    project.run(&["test"]).expect(0);
}

#[test]
fn another_render_class_compares_rows_and_says_that_there_is_no_picture() {
    let project = with_goldens();
    let dark = SIGN_IN.replace(
        "  - snapshot",
        "  - set_device: { dark: true }\n  - snapshot",
    );
    project.flow("sign-in", &dark);
    project
        .run(&["test", "flows/sign-in.yaml"])
        .expect(0)
        .says("en-dark")
        .says("picture");
    project
        .run(&["test", "flows/sign-in.yaml", "--strict-pixels"])
        .expect(1)
        .says("en-dark");
    project.run(&["accept", "--all"]).expect(0);
    project
        .run(&["test", "flows/sign-in.yaml", "--strict-pixels"])
        .expect(0);
    project.replace("apps/demo/sign-in.yaml", "Welcome to Notes", "Hello Notes");
    project
        .run(&["test", "flows/sign-in.yaml", "--update", "none"])
        .expect(1)
        .says("Hello Notes");
}

#[test]
fn a_golden_that_changed_since_is_not_overwritten() {
    let project = with_goldens();
    project.replace("apps/demo/sign-in.yaml", "Welcome to Notes", "Hello Notes");
    project.run(&["test", "flows/sign-in.yaml"]).expect(1);
    project.replace(
        "snapshots/sign-in/home.tsv",
        "Welcome to Notes",
        "Somebody else was here",
    );
    let before = contents(&project);
    project
        .run(&["accept", "--all"])
        .expect(1)
        .says("was not accepted")
        .says("run the flow again");
    assert_eq!(contents(&project), before);
}

#[test]
fn a_repeated_snapshot_and_those_of_sub_flows_are_filed_apart() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "steps:
  - run: _open.yaml
    label: open it
  - run: _open.yaml
    label: once more
  - repeat:
      times: 2
      steps:
        - snapshot: { name: page, each: true, of: { id: sign_in } }
",
    );
    project.flow(
        "_open",
        "steps:\n  - launch\n  - snapshot: { name: top, of: { id: welcome } }\n",
    );
    project.run(&["test", "--update", "new"]).expect(0);
    let files = project.files("snapshots");
    for name in [
        "a/page.1.tsv",
        "a/page.2.tsv",
        "a/open-it/top.tsv",
        "a/once-more/top.tsv",
    ] {
        assert!(files.iter().any(|file| file == name), "{name}: {files:?}");
    }
    project.run(&["test"]).expect(0);
}

#[test]
fn a_run_first_ends_an_accept_that_was_cut_short() {
    let project = with_goldens();
    project.write(".runner/goldens.journal", "what a broken disk left");
    // It must not compare with goldens of which nobody knows whether they are old or new.
    project.run(&["test"]).expect(1).says("goldens.journal");
}

#[test]
fn a_display_that_was_turned_since_the_last_look_has_its_own_golden() {
    let project = Project::with_demo_app();
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nallow_shell: true\n",
    );
    project.flow(
        "turned",
        "steps:\n  - launch\n  - assert visible: { id: sign_in }\n  - shell: [settings, put, system, user_rotation, '1']\n  - snapshot: home\nteardown:\n  - shell: [settings, put, system, user_rotation, '0']\n",
    );
    project.run(&["test", "--update", "new"]).expect(0);
    let files = project.files("snapshots");
    let upright = format!("turned/home~{CLASS}.tsv");
    let landscape = format!("turned/home~{CLASS}-land.tsv");
    assert!(files.contains(&landscape), "{files:?}");
    assert!(!files.contains(&upright), "{files:?}");
}
