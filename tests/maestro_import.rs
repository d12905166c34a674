//! Maestro's flows in our own language: what comes out reads, and does the same.

use crate::common::Project;

/// What of the suite does not pass once it is taken over, and why.
const NOT_THE_SAME: [(&str, &str); 2] = [
    // Texts are compared with their case here: the flow looks for "wrong password".
    ("flows/01-sign-in.yaml", "write Wrong password"),
    // It types what a script made.
    ("flows/14-scripts.yaml", "Letter to Grace"),
];

#[test]
fn the_suite_passes_once_it_is_taken_over() {
    let project = Project::with_demo_app();
    project.copy("examples/maestro");
    project
        .run(&["import", "maestro", "examples/maestro", "--out", "flows"])
        .expect(0)
        .says("33 flows written");
    project.run(&["lint", "flows"]).expect(0);
    // What was `assertScreenshot` has no golden yet.
    project
        .run(&["test", "flows/17-screenshots.yaml"])
        .expect(1);
    project.run(&["accept", "--all"]).expect(0);
    let ran = project.run(&["test", "flows"]).expect(1);
    let mut ran = ran.says("28 passed, 2 failed");
    for (flow, why) in NOT_THE_SAME {
        ran = ran.says(&format!("FAIL  {flow}")).says(why);
    }
}

#[test]
fn all_that_is_made_of_the_corpus_reads() {
    for (folder, least) in [
        ("maestro-test", 130),
        ("maestro-orchestra/YamlCommandReaderTest", 25),
    ] {
        let project = Project::empty();
        project.copy_to(&format!("tests/fixtures/maestro/{folder}"), "maestro-flows");
        // Scripts and pictures are not there, so that some flows cannot be taken over.
        let made = project
            .run(&["import", "maestro", "maestro-flows", "--out", "flows"])
            .expect(2);
        let number = made.stdout.lines().find_map(|line| {
            let (number, _) = line.split_once(" flows written")?;
            number.parse::<usize>().ok()
        });
        assert!(number >= Some(least), "{number:?} {}", made.stdout);
        project.run(&["lint", "flows"]).expect(0);
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
    let taken = project.files(".runner/artifacts");
    let taken = taken
        .iter()
        .find(|file| file.ends_with("first.png"))
        .unwrap();
    let picture = std::fs::read(project.path(".runner/artifacts").join(taken)).unwrap();
    std::fs::create_dir_all(project.path(".maestro/pictures")).unwrap();
    std::fs::write(project.path(".maestro/pictures/first.png"), &picture).unwrap();
    std::fs::write(project.path(".maestro/other.png"), &picture).unwrap();
    project.write(
        ".maestro/login.yaml",
        &flow(
            "- assertScreenshot: pictures/first\n- tapOn: { id: username }\n- inputText: ada\n- hideKeyboard\n- assertScreenshot: other.png\n- assertScreenshot: { path: other, cropOn: { id: username } }\n",
        ),
    );
    project
        .run(&["import", "maestro", ".maestro", "--out", "flows"])
        .expect(0);
    let own = project.read("flows/login.yaml");
    for line in [
        "- snapshot: { name: pictures-first, baseline: \".maestro/pictures/first.png\" }",
        "- snapshot: { name: other, baseline: \".maestro/other.png\" }",
        "- snapshot: { name: other-2, of: { id: username }, baseline: \".maestro/other.png\" }",
    ] {
        assert!(own.lines().any(|it| it.trim() == line), "{line}\n{own}");
    }
    project
        .run(&["test", "flows/login.yaml"])
        .expect(1)
        .says("the picture is as .maestro/pictures/first.png")
        .says("the picture is not as .maestro/other.png");
    let kept = project.files(".runner/artifacts");
    for name in ["other.golden.png", "other.difference.png"] {
        assert!(
            kept.iter()
                .any(|file| file.starts_with("flows/login") && file.ends_with(name)),
            "{name}: {kept:?}"
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
        &own.replace("\".maestro/other.png\"", "\"../../etc/passwd\""),
    );
    project
        .run(&["test", "flows/login.yaml"])
        .expect(1)
        .says("../../etc/passwd");
}
