//! `runner import maestro`: converts what our language can say without a change of meaning, and loses nothing
//! of the rest.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::{Project, Ran};

/// Flows beside the suite, whose literal translation would mean something else, each with its verdict.
const MORE: [(&str, bool, &str); 12] = [
    (
        "any-case",
        true,
        "- assertVisible: welcome to notes\n- assertNotVisible: nothing like this\n",
    ),
    (
        "any-case-is-not-gone",
        false,
        "- assertNotVisible: WELCOME TO NOTES\n",
    ),
    (
        "pattern-is-not-gone",
        false,
        "- assertNotVisible: wel.*NOTES\n",
    ),
    (
        "one-letter-is-not-gone",
        false,
        "- assertNotVisible: Welcome.to.Notes\n",
    ),
    (
        "waits-until-it-is-gone",
        false,
        "- extendedWaitUntil: { notVisible: SIGN IN, timeout: 600 }\n",
    ),
    (
        "meant",
        true,
        "- assertVisible: \"Welcome|Welcome to (Notes|Mail)\"\n",
    ),
    ("missing", false, "- assertVisible: Nothing like this\n"),
    (
        "escaped",
        true,
        "- assertNotVisible: Delete this note\\?\n- assertVisible: { id: com.example.notes:id/sign_in, enabled: false }\n",
    ),
    (
        "optional",
        true,
        "- tapOn: { text: Nothing like this, optional: true, label: may be missing }\n- assertVisible: { text: Nor this, optional: true }\n",
    ),
    (
        "conditions",
        false,
        "- runFlow: { when: { visible: welcome.* }, commands: [ { tapOn: Nothing like this } ] }\n",
    ),
    (
        "turns",
        true,
        "- repeat: { times: 2, commands: [ { tapOn: { id: username } }, { inputText: a } ] }\n- retry: { maxRetries: 1, commands: [ { assertVisible: Sign in } ] }\n- repeat: { times: 3, while: { visible: sign in }, commands: [ { assertVisible: Sign in } ] }\n",
    ),
    (
        "given",
        true,
        "- runFlow: { file: subflows/given.yaml, env: { WHO: ada, UNUSED: x } }\n- runFlow: subflows/given.yaml\n",
    ),
];

/// Makes a project with Maestro's suite and the flows above.
fn suite() -> Project {
    let project = Project::with_demo_app();
    project.copy_to("examples/maestro", "maestro-flows");
    for (name, _, steps) in MORE {
        let text = format!(
            "# {name}\nappId: com.example.notes\n---\n- launchApp:\n    clearState: true\n{steps}"
        );
        project.write(&format!("maestro-flows/more-{name}.yaml"), &text);
    }
    project.write(
        "maestro-flows/subflows/given.yaml",
        "appId: com.example.notes\n---\n- tapOn: { id: username }\n- inputText: ${WHO || 'bo'}\n- hideKeyboard\n",
    );
    project
}

fn import(project: &Project) -> Ran {
    project.run(&["import", "maestro", "maestro-flows", "--out", "flows"])
}

/// Returns for each flow how its steps ended, and last itself.
fn verdicts(project: &Project, folder: &str) -> BTreeMap<String, Vec<String>> {
    let stream = format!("{folder}.ndjson");
    project.run(&["test", folder, "--json", &stream]);
    let mut verdicts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in project.read(&stream).lines() {
        let event: Value = serde_json::from_str(line).expect("an event");
        let is_of_flow = matches!(
            event["event"].as_str(),
            Some("step_finished" | "flow_finished")
        );
        if is_of_flow {
            let path = event["id"]["flow"].as_str().expect("a path");
            let name = path.trim_start_matches(folder).to_owned();
            let status = event["status"].as_str().expect("a status");
            verdicts.entry(name).or_default().push(status.to_owned());
        }
    }
    verdicts
}

#[test]
fn v10_original_and_result_come_to_the_same_step_by_step() {
    let project = suite();
    import(&project).expect(0);
    // Each of the others is our own language now.
    for (name, ..) in MORE {
        let own = project.read(&format!("flows/more-{name}.yaml"));
        assert!(own.contains("\nsteps:\n"), "{name}: {own}");
    }
    let before = verdicts(&project, "maestro-flows");
    let after = verdicts(&project, "flows");
    assert_eq!(before.len(), 30 + MORE.len());
    for (name, verdict) in &before {
        assert_eq!(Some(verdict), after.get(name), "{name}");
    }
    assert_eq!(before.len(), after.len());
    for (name, passes, _) in MORE {
        let last = before[&format!("/more-{name}.yaml")].last();
        assert_eq!(last.is_some_and(|it| it == "passed"), passes, "{name}");
    }
}

#[test]
fn v10_what_cannot_be_said_stays_a_flow_of_maestros_with_all_that_it_names() {
    let project = Project::empty();
    let from = |name: &str, text: &str| {
        project.write(&format!("maestro-flows/{name}"), text);
    };
    from("config.yaml", "flows: ['*', 'more/**']\n");
    from(
        "ai.yaml",
        "appId: a.b\n---\n- launchApp\n- assertWithAI: { assertion: It looks fine }\n- runScript: scripts/a.js\n",
    );
    from(
        "kept.yaml",
        "appId: a.b\n---\n- launchApp\n- runFlow: sub/shared.yaml\n- addMedia: [ media/dot.png ]\n- evalScript: ${output.a = f()}\n",
    );
    from(
        "own.yaml",
        "appId: a.b\n---\n# why\n- launchApp\n- runFlow: sub/shared.yaml\n",
    );
    from("sub/shared.yaml", "appId: a.b\n---\n- tapOn: Allow\n");
    from(
        "more/runs-kept.yaml",
        "appId: a.b\n---\n- runFlow: ../kept.yaml\n",
    );
    from("scripts/a.js", "output.a = 1;\n");
    from("media/dot.png", "no picture\n");
    let ran = import(&project).expect(0);
    let mut ran = ran.says("2 flows written").says("3 stay Maestro's");
    for why in [
        "ai.yaml:4: `assertWithAI` is not supported",
        "kept.yaml:5: no step here does just this",
        "runs-kept.yaml:3: it runs kept.yaml, which stays a flow of Maestro's",
    ] {
        ran = ran.says(why);
    }
    for copied in [
        "config.yaml",
        "ai.yaml",
        "kept.yaml",
        "sub/shared.yaml",
        "more/runs-kept.yaml",
        "scripts/a.js",
        "media/dot.png",
    ] {
        assert_eq!(
            project.read(&format!("maestro-flows/{copied}")),
            project.read(&format!("flows/{copied}")),
            "{copied}"
        );
    }
    let own = project.read("flows/own.yaml");
    assert!(own.contains("# why\n"), "{own}");
    assert!(own.contains("- run: sub/_shared.yaml"), "{own}");
    let shared = project.read("flows/sub/_shared.yaml");
    assert!(shared.contains("  - click: Allow\n"), "{shared}");
    let before = project.run(&["lint", "--maestro", "maestro-flows"]);
    let after = project.run(&["lint", "--maestro", "flows"]);
    assert_eq!(
        before.stdout.replace("maestro-flows/", "flows/"),
        after.stdout
    );
    let listed = project.run(&["test", "--list", "flows"]).stdout;
    assert!(!listed.contains("shared"), "{listed}");
}

#[test]
fn m8_a_flow_with_tags_or_that_the_workspace_takes_stays_a_test() {
    let project = Project::empty();
    let from = |name: &str, head: &str, steps: &str| {
        let text = format!("appId: a.b\n{head}---\n- launchApp\n{steps}");
        project.write(&format!("maestro-flows/{name}.yaml"), &text);
    };
    from(
        "all",
        "",
        "- runFlow: one.yaml\n- runFlow: sub/tagged.yaml\n- runFlow: sub/plain.yaml\n",
    );
    from("one", "", "- assertVisible: One\n");
    from("sub/tagged", "tags: [smoke]\n", "- assertVisible: Two\n");
    from("sub/plain", "", "- assertVisible: Three\n");
    import(&project).expect(0).says("4 flows written");
    let all = project.read("flows/all.yaml");
    for run in ["one.yaml", "sub/tagged.yaml", "sub/_plain.yaml"] {
        assert!(all.contains(&format!("- run: {run}\n")), "{run}\n{all}");
        assert!(project.path("flows").join(run).is_file(), "{run}");
    }
    project.run(&["lint", "flows"]).expect(0);
}

#[test]
fn m8_what_is_said_lints_and_what_is_copied_lints_as_before() {
    for (folder, least) in [
        ("maestro-test", 40),
        ("maestro-orchestra/YamlCommandReaderTest", 5),
        ("maestro-orchestra/workspaces", 20),
    ] {
        let project = Project::empty();
        project.copy_to(&format!("tests/fixtures/maestro/{folder}"), "maestro-flows");
        project.write("runner.yaml", "flows: [flows]\n");
        let made = import(&project).expect(0);
        let number = made.stdout.lines().find_map(|line| {
            let (number, _) = line.split_once(" flows written")?;
            number.parse::<usize>().ok()
        });
        assert!(number >= Some(least), "{number:?} {}", made.stdout);
        let files = project.files("flows");
        let own: Vec<String> = files
            .iter()
            .filter(|file| {
                project
                    .read(&format!("flows/{file}"))
                    .contains("\nsteps:\n")
            })
            .map(|file| format!("flows/{file}"))
            .collect();
        let mut lint = vec!["lint"];
        lint.extend(own.iter().map(String::as_str));
        project.run(&lint).expect(0);
        // What is wrong with a flow of Maestro's was wrong before.
        let before = project.run(&["lint", "--maestro", "maestro-flows"]).stdout;
        let after = project.run(&["lint", "--maestro", "flows"]).stdout;
        for line in after.lines().filter(|line| line.starts_with("flows/")) {
            assert!(before.contains(&format!("maestro-{line}")), "{line}");
        }
        // Again, nothing is in the way, and nothing changes.
        let text = |file: &String| project.read(&format!("flows/{file}"));
        let once: Vec<String> = own.iter().map(|file| project.read(file)).collect();
        import(&project).expect(0);
        assert_eq!(project.files("flows"), files);
        let twice: Vec<String> = own.iter().map(|file| project.read(file)).collect();
        assert_eq!(once, twice);
        assert!(
            files
                .iter()
                .all(|file| !text(file).contains("of which nothing"))
        );
    }
}

#[test]
fn v10_nothing_is_written_over_or_beside_the_folder() {
    let project = Project::empty();
    let flow = "appId: a.b\n---\n- evalScript: ${f()}\n- runScript: a.js\n";
    project.write("maestro-flows/kept.yaml", flow);
    project.write("maestro-flows/a.js", "1;\n");
    import(&project).expect(0).says("1 stay Maestro's");
    project.write("flows/a.js", "2;\n");
    import(&project).expect(2);
    assert_eq!(project.read("flows/a.js"), "2;\n");
    project
        .run(&[
            "import",
            "maestro",
            "maestro-flows",
            "--out",
            "flows",
            "--overwrite",
        ])
        .expect(0);
    assert_eq!(project.read("flows/a.js"), "1;\n");
    // A script that it would not find from there.
    project.write(
        "maestro-flows/deep/b.yaml",
        &flow.replace("a.js", "../a.js"),
    );
    project
        .run(&["import", "maestro", "maestro-flows/deep", "--out", "new"])
        .expect(2);
    assert!(!project.path("new").exists());
    #[cfg(unix)]
    {
        std::fs::create_dir(project.path("elsewhere")).unwrap();
        std::fs::create_dir(project.path("linked")).unwrap();
        std::os::unix::fs::symlink(project.path("elsewhere"), project.path("linked/deep")).unwrap();
        project
            .run(&["import", "maestro", "maestro-flows", "--out", "linked"])
            .expect(2);
        assert!(project.files("elsewhere").is_empty());
    }
}

#[test]
fn the_picture_of_an_assertion_stands_beside_what_is_seen_until_a_golden_is_accepted() {
    let project = Project::with_demo_app();
    let flow = |steps: &str| {
        format!("appId: com.example.notes\n---\n- launchApp: {{ clearState: true }}\n{steps}")
    };
    project.write(".maestro/take.yaml", &flow("- takeScreenshot: first\n"));
    project.run(&["test", ".maestro/take.yaml"]).expect(0);
    let acquired = project.files(".runner/artifacts");
    let captured = acquired
        .iter()
        .find(|file| file.ends_with("first.png"))
        .unwrap();
    let picture = std::fs::read(project.path(".runner/artifacts").join(captured)).unwrap();
    std::fs::create_dir_all(project.path(".maestro/pictures")).unwrap();
    std::fs::write(project.path(".maestro/pictures/first.png"), &picture).unwrap();
    std::fs::write(project.path(".maestro/other.png"), &picture).unwrap();
    project.write(
        "flows/login.yaml",
        "app: com.example.notes\nsteps:\n  - launch: { clear: true, permissions: all }\n  - snapshot: { name: pictures-first, baseline: .maestro/pictures/first.png }\n  - click: { id: username }\n  - type: ada\n  - hide_keyboard\n  - snapshot: { name: other, baseline: .maestro/other.png }\n",
    );
    let own = project.read("flows/login.yaml");
    project
        .run(&["test", "flows/login.yaml"])
        .expect(1)
        .says("the picture is as .maestro/pictures/first.png")
        .says("the picture is not as .maestro/other.png");
    let stored = project.files(".runner/artifacts");
    for name in ["other.golden.png", "other.difference.png"] {
        assert!(
            stored
                .iter()
                .any(|file| file.starts_with("flows/login") && file.ends_with(name)),
            "{name}: {stored:?}"
        );
    }
    project
        .run(&["pending", "-v"])
        .expect(1)
        .says("login/other");
    project.run(&["accept", "--all"]).expect(0);
    // The picture is not asked for any more.
    std::fs::remove_dir_all(project.path(".maestro")).unwrap();
    project.run(&["test", "flows/login.yaml"]).expect(0);
    // A new snapshot does, and says what to do where it is gone.
    let own = own.replace("name: other,", "name: newer,");
    project.write("flows/login.yaml", &own);
    project
        .run(&["test", "flows/login.yaml"])
        .expect(1)
        .says("there is no picture .maestro/other.png")
        .says("take `baseline` out of the step");
    project.write(
        "flows/login.yaml",
        &own.replace(".maestro/other.png", "\"../../etc/passwd\""),
    );
    project
        .run(&["test", "flows/login.yaml"])
        .expect(1)
        .says("../../etc/passwd");
}

#[test]
fn a_folder_without_a_flow_of_maestros_is_told_and_makes_no_project() {
    let project = Project::empty();
    project.write("src/notes.txt", "x\n");
    project.write("src/own.yaml", "app: com.a.b\nsteps: [ launch ]\n");
    let ran = project.run(&["import", "maestro", "src"]).expect(2);
    ran.says("src: no flow of Maestro's found");
    assert_eq!(project.files(""), ["src/notes.txt", "src/own.yaml"]);
}

#[test]
fn flows_may_be_written_into_the_project_itself() {
    let project = Project::empty();
    project.write("old/a.yaml", "appId: a.b\n---\n- scroll\n");
    // What ends the search for the project's root.
    std::fs::create_dir(project.path(".git")).unwrap();
    project
        .run(&["import", "maestro", "old", "--out", "."])
        .expect(0)
        .says("written to .;");
    project.run(&["lint", "a.yaml"]).expect(0);
    project.run(&["test", "--list"]).expect(0).says("a.yaml");
}

#[test]
fn a_further_import_keeps_the_flows_of_the_one_before() {
    let project = Project::empty();
    for name in ["a", "b"] {
        let text = "appId: a.b\n---\n- scroll\n";
        project.write(&format!("old/{name}/{name}.yaml"), text);
    }
    // What ends the search for the project's root.
    std::fs::create_dir(project.path(".git")).unwrap();
    for (name, folders) in [
        ("a", "flows/a"),
        ("b", "flows/a, flows/b"),
        ("a", "flows/a, flows/b"),
    ] {
        let (from, to) = (format!("old/{name}"), format!("flows/{name}"));
        let import = ["import", "maestro", &from, "--out", &to];
        project.run(&import).expect(0);
        let settings = project.read("runner.yaml");
        let flows = format!("flows: [ {folders} ]");
        assert!(settings.lines().any(|it| it == flows), "{settings}");
    }
    // One that is gone is not named any more.
    std::fs::remove_dir_all(project.path("flows/a")).unwrap();
    let import = ["import", "maestro", "old/b", "--out", "flows/b"];
    project.run(&import).expect(0);
    let settings = project.read("runner.yaml");
    assert!(settings.contains("flows: [ flows/b ]"), "{settings}");
}
