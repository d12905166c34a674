//! Checks that a request without effect never passes: words, patterns, tags, histories, outputs, pictures of
//! goldens.

use std::process::Stdio;

use crate::common::Project;

const PASSES: &str = "steps: [ launch, { find: Username } ]\n";
const FAILS: &str = "steps: [ launch, { assert visible: Nonsense, timeout: 100ms } ]\n";

#[test]
fn v1_a_word_of_a_boolean_is_no_reason() {
    let project = Project::with_demo_app();
    for word in ["no", "off", "No", "n", "'false'", "\"true\"", "yes", "True"] {
        project.flow("a", &format!("quarantine: {word}\n{FAILS}"));
        project
            .run(&["lint"])
            .expect(2)
            .says("write `true` or `false`");
        project.run(&["test"]).expect(2);
    }
    project.flow("a", &format!("quarantine: false\n{FAILS}"));
    project.run(&["test"]).expect(1);
    project.flow("a", &format!("quarantine: no card is at hand\n{FAILS}"));
    project.run(&["test"]).expect(0).says("no card is at hand");
    // The same where a text or a boolean is taken elsewhere.
    project.flow("a", "steps: [ { launch: { permissions: 'no' } } ]\n");
    project.run(&["lint"]).expect(2);
}

/// A run of other flows says nothing about a flow that failed and has another name now.
#[test]
fn a_renamed_flow_has_failed_until_it_passes() {
    let project = Project::with_demo_app();
    let last_failed = ["test", "--last-failed"];
    project.flow("a", FAILS).flow("b", PASSES);
    project.run(&["test"]).expect(1);
    std::fs::rename(project.path("flows/a.yaml"), project.path("flows/c.yaml")).unwrap();
    project.run(&last_failed).expect(2);
    project.run(&["test", "flows/b.yaml"]).expect(0);
    project.run(&last_failed).expect(2);
    // Another failure is repaired; the renamed flow runs beside it.
    project.flow("b", FAILS);
    project.run(&["test", "flows/b.yaml"]).expect(1);
    project.flow("b", PASSES);
    project.run(&last_failed).expect(1).says("is gone");
    project.flow("c", PASSES);
    project.run(&last_failed).expect(0).says("1 flow");
    project.run(&last_failed).expect(0).says("nothing to run");
}

#[test]
fn v4_a_history_that_says_nothing_is_no_pass() {
    let project = Project::with_demo_app();
    project.flow("good", PASSES).flow("bad", FAILS);
    project.run(&["test"]).expect(1);
    let last_failed = ["test", "--last-failed"];
    // Renamed: what failed is not known by its new name.
    std::fs::rename(
        project.path("flows/bad.yaml"),
        project.path("flows/new.yaml"),
    )
    .unwrap();
    let junit = ["test", "--last-failed", "--junit", "out.xml"];
    project.run(&junit).expect(2).says("--last-failed=or-all");
    project
        .run(&["test", "--last-failed=or-all"])
        .expect(1)
        .says("2 flows");
    project.run(&last_failed).expect(1).says("1 flow");
    // A flow that never ran is reported, and what is known to have passed stays a pass.
    project.flow("new", PASSES);
    project.run(&last_failed).expect(0);
    project.flow("newest", FAILS);
    project
        .run(&last_failed)
        .expect(0)
        .says("1 of 3 flows that never ran");
    // Damaged, and gone.
    for name in project.files(".runner/history") {
        project.write(&format!(".runner/history/{name}"), "\u{1}{");
    }
    project.run(&last_failed).expect(2).says("or-all");
    std::fs::remove_dir_all(project.path(".runner/history")).unwrap();
    project.run(&last_failed).expect(2).says("or-all");
    project.run(&["test", "--last-failed=all"]).expect(2);
}

#[test]
fn v6_each_path_pattern_and_tag_finds_something() {
    let project = Project::with_demo_app();
    project.flow("good", &format!("tags: [smoke]\n{PASSES}"));
    std::fs::create_dir(project.path("empty")).unwrap();
    for other in ["flows/chekout*.yaml", "empty", "chekout/*.yaml"] {
        for command in ["test", "lint"] {
            let ran = project.run(&[command, "flows", other]).expect(2);
            ran.says("no flow found in").says(other);
        }
    }
    // Twice the same is not a mistake.
    project.run(&["test", "flows", "flows/good.yaml"]).expect(0);
    let tags = ["test", "--tag", "smoke", "--tag", "smok"];
    project
        .run(&tags)
        .expect(0)
        .says("--tag `smok` selects nothing");
    let excluded = ["test", "--exclude-tag", "slow", "--grep-invert", "zzz"];
    let ran = project.run(&excluded).expect(0);
    ran.says("no flow has it").says("`zzz` leaves out nothing");
}

#[test]
fn a_word_that_may_be_a_misspelt_mode_is_told_as_both() {
    let project = Project::with_demo_app();
    project.flow("a", PASSES);
    project
        .run(&["test", "--list", "--trace", "bogus"])
        .expect(2)
        .says("bogus is no value of `--trace`")
        .says("on-first-retry");
    project
        .run(&["test", "--list", "bogus"])
        .expect(2)
        .never_says("no value of");
}

#[test]
fn v16_what_looks_like_a_flow_is_never_left_out() {
    let project = Project::with_demo_app();
    project.flow("good", PASSES);
    project.write("flows/spaced.yaml ", PASSES);
    std::fs::create_dir_all(project.path("flows/folder.yaml")).unwrap();
    let ran = project.run(&["test"]).expect(2);
    ran.says("ends with white space")
        .says("this file is a folder, not a file");
}

#[cfg(target_os = "linux")]
#[test]
fn v16_output_that_nobody_can_read_is_no_pass() {
    let project = Project::with_demo_app();
    project.flow("good", PASSES);
    for arguments in [&["test", "--list"][..], &["test"], &["config"], &["schema"]] {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let mut command = project.command(arguments);
        let ran = command.stdout(full).stdin(Stdio::null()).output().unwrap();
        let message = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(1), "{arguments:?}: {message}");
        assert!(
            message.contains("No space left"),
            "{arguments:?}: {message}"
        );
    }
    // A report goes where a link leads, and a device stays one.
    std::os::unix::fs::symlink("real.xml", project.path("link.xml")).unwrap();
    project.run(&["test", "--junit", "link.xml"]).expect(0);
    assert!(project.path("link.xml").is_symlink());
    assert!(project.read("real.xml").contains("<testsuites"));
    std::os::unix::fs::symlink("/dev/full", project.path("full.xml")).unwrap();
    project
        .run(&["test", "--junit", "full.xml"])
        .expect(1)
        .says("cannot be written");
    assert!(project.path("full.xml").is_symlink());
}

const CLASS: &str = "virtual1-34-1080x2400-420-en-light";

#[test]
fn v7_rows_of_a_class_without_their_picture_are_damage() {
    let project = Project::with_demo_app();
    project.flow("a", "steps: [ launch, snapshot: home ]\n");
    project.run(&["test", "--update", "new"]).expect(0);
    let picture = format!("snapshots/a/home~{CLASS}.png");
    let retained = std::fs::read(project.path(&picture)).unwrap();
    project.replace("apps/demo/app.yaml", "#3F6DB5", "#B53F3F");
    let damage = |project: &Project, says: &str| {
        for arguments in [&["test"][..], &["test", "--update", "new"]] {
            project.run(arguments).expect(1).says(says);
        }
        project
            .files("snapshots/a")
            .retain(|name| name.ends_with(".new.png"));
    };
    std::fs::remove_file(project.path(&picture)).unwrap();
    damage(&project, "its picture");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("away.png", project.path(&picture)).unwrap();
        damage(&project, "is a link that leads nowhere");
        std::fs::remove_file(project.path(&picture)).unwrap();
    }
    project.write(&picture, "");
    damage(&project, "restore it from version control");
    project.write(
        &picture,
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 5\n",
    );
    damage(&project, "git lfs pull");
    // The picture itself shows the colour.
    std::fs::write(project.path(&picture), retained).unwrap();
    project
        .run(&["test"])
        .expect(1)
        .says("snapshot a/home: colour");
    // Only rows were ever stored for this class: nothing is lost as long as only rows are asked for.
    project.flow(
        "b",
        "steps: [ launch, snapshot: { name: home, image: none } ]\n",
    );
    project
        .run(&["test", "flows/b.yaml", "--update", "new"])
        .expect(0);
    project.run(&["test", "flows/b.yaml"]).expect(0);
}

#[test]
fn v7_a_merge_conflict_in_rows_is_named() {
    let project = Project::with_demo_app();
    project.flow("a", "steps: [ launch, snapshot: home ]\n");
    project.run(&["test", "--update", "new"]).expect(0);
    let rows = project.read("snapshots/a/home.tsv");
    let (head, rest) = rows.split_once('\n').unwrap();
    let conflict = format!("{head}\n<<<<<<< ours\n{rest}=======\n{rest}>>>>>>> theirs\n");
    project.write("snapshots/a/home.tsv", &conflict);
    let ran = project.run(&["test"]).expect(1);
    ran.says("home.tsv:2")
        .says("both sides of a merge conflict");
}

#[test]
fn a_star_in_the_id_of_a_dialog_or_a_mask_is_told() {
    let project = Project::with_demo_app();
    project.flow("good", PASSES);
    let before = project.read("runner.yaml");
    let dialog = "on_dialog:\n  - { when: { id: \"ask*\" }, do: { click: { id: deny } } }\n";
    let mask = "snapshot: { masks: [ { id: 'clock*' } ] }\n";
    project.write("runner.yaml", &format!("{before}{dialog}{mask}"));
    for command in ["lint", "test"] {
        let ran = project.run(&[command]).expect(0);
        assert_eq!(
            ran.stdout.matches("star-in-id").count() + ran.stderr.matches("star-in-id").count(),
            2,
            "{}{}",
            ran.stdout,
            ran.stderr
        );
    }
}

#[test]
fn a_tag_that_no_device_has_is_told_before_a_flow_is_left_out_for_ever() {
    let project = Project::with_demo_app();
    project.write(
        "runner.yaml",
        "apps: [apps/demo]\ndevices:\n  - { serial: virtual, tags: [tablet] }\n",
    );
    project.flow("good", PASSES);
    project.flow("typo", &format!("needs: {{ tags: [tablte] }}\n{PASSES}"));
    let ran = project.run(&["lint"]).expect(0);
    ran.says("no device of runner.yaml has the tag `tablte`")
        .says("did you mean `tablet`");
    project.run(&["test"]).expect(2);
    let ran = project.run(&["test", "--allow-unfit"]).expect(0);
    ran.says("has the tag `tablte`");
    project.flow("typo", &format!("needs: {{ tags: [tablet] }}\n{PASSES}"));
    project.run(&["lint"]).expect(0).never_says("unknown-tag");
}

#[cfg(feature = "maestro")]
#[test]
fn what_a_workspace_names_without_effect_is_told() {
    let project = Project::empty();
    let header = "appId: com.example.notes\ntags: [smoke]\n---\n- back\n";
    project.write(".maestro/a.yaml", header);
    project.write(
        ".maestro/config.yaml",
        "flows: ['*', 'chekout/**']\nincludeTags: [smoke, smok]\nexcludeTags: [slow]\n",
    );
    for command in ["lint", "test"] {
        let ran = project.run(&[command, ".maestro"]).expect(2);
        ran.says("no flow matches `chekout/**`")
            .says(".maestro/config.yaml:1:14")
            .never_says("no flow matches `*`");
    }
    project.replace(".maestro/config.yaml", "'*', 'chekout/**'", "'*'");
    let ran = project.run(&["lint", ".maestro"]).expect(0);
    ran.says("no flow has the tag `smok`")
        .says("no flow has the tag `slow`");
}

/// The flow may be the one that uses the secret, and that the map means.
#[cfg(feature = "maestro")]
#[test]
fn a_flow_that_its_tags_leave_out_need_not_read() {
    let project = Project::empty();
    project.write(
        "runner.yaml",
        "secrets: [MAESTRO_PIN]\nimpact: { 'src/**': { flows: flows/slow.yaml } }\n",
    );
    project.flow("quick", "tags: [smoke]\nsteps: [ back ]\n");
    let slow = "appId: a.b\ntags: [slow]\n---\n- inputText: ${MAESTRO_PIN}\n";
    for text in [slow.to_owned(), format!("{slow}- tapOnn: OK\n")] {
        project.flow("slow", &text);
        project
            .run(&["test", "--tag", "smoke", "--list"])
            .expect(0)
            .says("flows/quick.yaml")
            .never_says("warning");
    }
}

#[test]
fn what_leaves_no_flow_and_what_a_list_leaves_out_are_named() {
    let project = Project::with_demo_app();
    project.flow("good", &format!("tags: [smoke]\n{PASSES}"));
    for (arguments, told) in [
        (["--tags", "smoke AND slow"], "no flow has `slow`"),
        (["--tag", "smok"], "did you mean `smoke`"),
        (["--grep", "smoke"], "`smoke` is a tag: write `--tag smoke`"),
        (
            ["--grep", "@smoke$"],
            "`smoke` is a tag: write `--tag smoke`",
        ),
    ] {
        let arguments = [&["test", "--list"][..], &arguments].concat();
        project.run(&arguments).expect(2).says(told);
    }
    project
        .run(&["test", "--list", "--junit", "out/j.xml", "--html", "out/h"])
        .expect(0)
        .says("--list runs nothing, so --junit, --html changes nothing");
    assert!(!project.path("out").exists());
}

#[test]
fn a_redaction_that_replaces_every_text_is_refused() {
    let project = Project::with_demo_app();
    project.flow("good", PASSES);
    let before = project.read("runner.yaml");
    let with = |pattern: &str| {
        let rule =
            format!("snapshot: {{ redactions: [ {{ pattern: '{pattern}', alias: x }} ] }}\n");
        project.write("runner.yaml", &format!("{before}{rule}"));
        project.run(&["lint"])
    };
    for pattern in [".+", "(?s).", "^.+$", "[^§]+"] {
        with(pattern).expect(2).says("replaces every text");
    }
    with(".*").expect(2).says("matches the empty text");
    for pattern in ["[0-9]+", "[A-Za-z ]+", "^Sign.*"] {
        with(pattern).expect(0);
    }
}

#[test]
fn keys_that_match_nothing_are_named() {
    let project = Project::with_demo_app();
    project.flow("a", "steps: [ launch, snapshot: home ]\n");
    for waits in [false, true] {
        if waits {
            project.run(&["test", "--update", "none"]);
            project.run(&["test"]);
        }
        for command in ["accept", "reject"] {
            project
                .run(&[command, "nonsense"])
                .expect(2)
                .says("nonsense");
        }
        project
            .run(&["history", "nonsense"])
            .expect(2)
            .says("nonsense");
    }
    for (command, word) in [("accept", "all"), ("reject", "*")] {
        project
            .run(&[command, word])
            .expect(2)
            .says(&format!("`runner {command} --all` is for all of them"));
    }
    // All that was proposed was refused.
    let proposed = "out/proposed-goldens/virtual";
    project.write(&format!("{proposed}/a/home.new.tsv"), "no table\n");
    let ran = project.run(&["review", "--from", "out"]).expect(2);
    ran.says("all that out proposes was refused");
}

#[test]
fn the_file_of_maestros_workspaces_is_not_taken_for_ours() {
    let project = Project::with_demo_app();
    project.flow("a", "steps: [ launch ]\n");
    project
        .run(&["test", "--list", "--config", "ci.yaml"])
        .expect(2)
        .says("--config: ci.yaml is not there")
        .says("settings of `runner` are in runner.yaml");
    project.write("ci.yaml", "retries: 1\n");
    // A folder without flows of Maestro's is no workspace, so its parts of flows stay parts.
    project.flow("_part", "steps: [ back ]\n");
    for config in ["ci.yaml", "runner.yaml"] {
        project
            .run(&["test", "--list", "--config", config])
            .expect(0)
            .says("--config changes nothing here")
            .says("flows/a.yaml")
            .never_says("_part");
    }
}

#[test]
fn a_misspelt_flow_in_the_root_is_named() {
    let project = Project::with_demo_app();
    project.write("good.yaml", "app: com.example.notes\nsteps: [ launch ]\n");
    project
        .run(&["test", "goood.yaml"])
        .expect(2)
        .says("did you mean `good.yaml`?")
        .never_says("runner init");
}
