//! Words of Maestro's flows, and words that people ask Maestro for: a row each, read, run and converted.

use crate::common::Project;

/// Makes a project with one flow, `.maestro/a.yaml`, whose header has `header` beside `appId`.
fn project(header: &str, commands: &str) -> Project {
    let project = Project::with_demo_app();
    let text = format!("appId: com.example.notes\n{header}---\n- launchApp\n{commands}");
    project.write(".maestro/a.yaml", &text);
    project
}

#[test]
fn what_maestro_passes_over_is_a_warning() {
    for (commands, says) in [
        (
            "- tapOn: { id: username }\n- inputText: { id: username, text: ada }\n- assertVisible: ada\n",
            "`id` changes nothing",
        ),
        (
            "- assertTrue: { condition: '${1 == 1}', id: x }\n",
            "`id` changes nothing",
        ),
        (
            "- evalScript: { script: '${output.a = 1}', foo: x }\n",
            "`foo` changes nothing",
        ),
        (
            "- doubleTapOn: { text: Sign in, repeat: 3 }\n",
            "`repeat` changes nothing: `doubleTapOn` taps twice",
        ),
    ] {
        let project = project("", commands);
        project.run(&["lint", ".maestro"]).expect(0).says(says);
        project.run(&["test", ".maestro"]).expect(0);
    }
    project("jsEngine: rhino\n", "")
        .run(&["test", ".maestro"])
        .expect(0)
        .says("`jsEngine` changes nothing: all scripts run as with `graaljs`");
    project("jsEngine: graaljs\n", "")
        .run(&["lint", ".maestro"])
        .expect(0)
        .never_says("jsEngine");
}

#[test]
fn words_of_yaml_1_1_are_booleans() {
    for (word, code) in [("yes", 0), ("On", 0), ("y", 0), ("no", 1), ("off", 1)] {
        let commands = format!("- tapOn: {{ text: Nowhere, optional: {word} }}\n");
        let project = project("", &commands);
        project.write(
            "runner.yaml",
            "devices: [virtual]\napps: [apps/demo]\nstep_timeout: 1s\n",
        );
        project.run(&["test", ".maestro"]).expect(code);
    }
    project("", "- tapOn: { text: Sign in, optional: 'yes' }\n")
        .run(&["lint", ".maestro"])
        .expect(2)
        .says("`optional` takes `true` or `false`");
}

#[test]
fn a_run_that_is_not_divided_is_the_first_part() {
    let commands = "- assertTrue: ${MAESTRO_SHARD_ID == 1 && MAESTRO_SHARD_INDEX == 0}\n";
    project("", commands).run(&["test", ".maestro"]).expect(0);
}

#[test]
fn a_step_timeout_that_is_set_counts_for_maestros_flows() {
    let project = project("", "- assertVisible: Nowhere\n");
    project
        .run(&["test", ".maestro"])
        .expect(1)
        .says("after 17s, virtual");
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nstep_timeout: 3s\n",
    );
    project
        .run(&["test", ".maestro"])
        .expect(1)
        .says("after 3s, virtual");
}

#[test]
fn one_function_says_what_is_a_flow_of_maestros() {
    let commands = "---\n- launchApp\n- assertVisible: Sign in\n";
    for header in [
        "appId: com.example.notes\n",
        "\u{feff}appId: com.example.notes\n",
        "{appId: com.example.notes}\n",
        "---\nappId: com.example.notes\n",
        "# A comment\nname: A\n'appId': com.example.notes\n",
        "appId: com.example.notes\r\n",
    ] {
        let project = Project::with_demo_app();
        project.write(".maestro/a.yaml", &format!("{header}{commands}"));
        let lint = project.run(&["lint", "--maestro", ".maestro"]).expect(0);
        lint.says("1 flow of Maestro's: 1 can run");
        project
            .run(&["test", ".maestro"])
            .expect(0)
            .says("1 passed");
        project
            .run(&["import", "maestro", ".maestro", "--out", "taken"])
            .expect(0);
        let taken = project.read("taken/a.yaml");
        assert!(
            taken.contains("assert visible: Sign in"),
            "{header:?}: {taken}"
        );
    }
}

#[test]
fn what_people_ask_maestro_for_runs() {
    // Steps after a failure, before `onFlowComplete`; in a sub-flow too.
    let hooks = "onFlowFailure:\n  - evalScript: ${console.log('it failed')}\nonFlowComplete:\n  - evalScript: ${console.log('it ended')}\n";
    let failing = project(hooks, "- assertTrue: ${1 == 2}\n");
    let ran = failing.run(&["test", ".maestro", "-v"]).expect(1);
    let at = |text: &str| ran.stdout.find(text).expect(text);
    assert!(at("it failed") < at("it ended"), "{ran:?}");
    let passing = project(hooks, "");
    let ran = passing.run(&["test", ".maestro", "-v"]).expect(0);
    ran.never_says("it failed").says("it ended");
    let outer = project("", "- runFlow: sub/b.yaml\n");
    outer.write(
        ".maestro/sub/b.yaml",
        &format!("appId: com.example.notes\n{hooks}---\n- assertTrue: ${{1 == 2}}\n"),
    );
    let ran = outer.run(&["test", ".maestro/a.yaml", "-v"]).expect(1);
    ran.says("it failed").says("it ended");
    let only = "onFlowFailure:\n  - back\n";
    project(only, "")
        .run(&["import", "maestro", ".maestro", "--out", "taken"])
        .expect(0)
        .says("`onFlowFailure` stays Maestro's");

    // A name of the header in the name of a file.
    let named = project(
        "env: { WHO: b, UNTIL: '${1}' }\n",
        "- runFlow: sub/${WHO}.yaml\n- runScript: sub/${WHO}.js\n",
    );
    named.write(
        ".maestro/sub/b.yaml",
        "appId: com.example.notes\n---\n- assertVisible: Sign in\n",
    );
    named.write(".maestro/sub/b.js", "output.a = 1\n");
    named.run(&["test", ".maestro/a.yaml"]).expect(0);
    project("", "- runFlow: sub/${WHO}.yaml\n")
        .run(&["lint", ".maestro"])
        .expect(2)
        .says("only a name whose value stands in `env`");

    // Scrolling inside an element.
    let signed_in = "- tapOn: { id: username }\n- inputText: ada\n- tapOn: { id: password }\n- inputText: lovelace\n- hideKeyboard\n- tapOn: { id: sign_in }\n";
    let inside = project(
        "",
        &format!(
            "{signed_in}- scrollUntilVisible: {{ element: Walk the dog, in: {{ id: list }} }}\n"
        ),
    );
    inside.run(&["lint", ".maestro"]).expect(0);
    let nowhere = project(
        "",
        "- scrollUntilVisible: { element: x, in: { id: nothing_like_it } }\n",
    );
    nowhere
        .run(&["test", ".maestro"])
        .expect(1)
        .says("nothing_like_it");
}

#[test]
fn a_picture_needs_the_name_of_a_file() {
    for path in ["''", "' '", "folder/", "a/..", "${''}"] {
        let commands = format!("- takeScreenshot: {path}\n");
        project("", &commands)
            .run(&["test", ".maestro"])
            .expect(1)
            .says("names no file");
    }
}

#[test]
fn two_endings_are_two_flows() {
    let project = project("", "");
    project.write(
        ".maestro/a.yml",
        "appId: com.example.notes\n---\n- launchApp\n",
    );
    project
        .run(&["test", ".maestro"])
        .expect(0)
        .says("2 passed");
}

#[test]
fn what_is_taken_over_reads_or_stays_as_it_was() {
    for (header, commands) in [
        ("", "- assertVisible: {}\n"),
        ("env: { my-key: a }\n", "- tapOn: Sign in\n"),
        ("", "- assertVisible: 'a\\$\\{b\\}'\n"),
    ] {
        let project = project(header, commands);
        project.run(&["import", "maestro", ".maestro", "--out", "taken"]);
        let taken = project.read("taken/a.yaml");
        assert!(
            taken.contains("appId") || taken.contains("steps:"),
            "{taken}"
        );
        project.write("runner.yaml", "devices: [virtual]\nflows: [taken]\n");
        let before = project.run(&["lint", ".maestro"]);
        let after = project.run(&["lint", "taken"]);
        assert_eq!(after.code, before.code, "{commands}: {after:?}\n{taken}");
    }
}

#[test]
fn the_command_line_is_maestros() {
    let project = project("", "");
    project
        .run(&[
            "--platform",
            "android",
            "--device",
            "virtual",
            "test",
            ".maestro",
        ])
        .expect(0);
    project
        .run(&[
            "test",
            ".maestro",
            "--format",
            "html",
            "--output",
            "report.html",
        ])
        .expect(0)
        .says("report: report.html");
    assert!(project.path("report.html").is_file());
}

#[test]
fn a_flow_that_is_skipped_keeps_what_its_header_tells_reports() {
    let project = project("", "- assertTrue: ${1 == 2}\n");
    project.write(
        ".maestro/b.yaml",
        "appId: com.example.notes\nproperties: { junitId: T-1, junitClassname: notes.B, owner: ada }\n---\n- launchApp\n",
    );
    project.write(
        ".maestro/config.yaml",
        "executionOrder:\n  continueOnFailure: false\n  flowsOrder: [a, b]\n",
    );
    project
        .run(&["test", ".maestro", "--junit", "junit.xml"])
        .expect(1);
    let junit = project.well_formed("junit.xml");
    for text in [
        "id=\"T-1\"",
        "classname=\"notes.B\"",
        "name=\"owner\" value=\"ada\"",
    ] {
        assert!(junit.contains(text), "{text}: {junit}");
    }
}
