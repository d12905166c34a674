//! Flows of Maestro's: a suite for the demo app, and the reports of flows that fail.

use crate::common::Project;

#[test]
fn the_suite_passes_on_the_virtual_device() {
    let project = Project::with_demo_app();
    project.copy("examples/maestro");
    let ran = project
        .run(&["test", "examples/maestro", "--junit", "junit.xml"])
        .expect(0);
    ran.says("30 passed");
    let stored = project.files(".runner/artifacts");
    for name in ["inbox-at-rest.png", "count.png", "sign-in.mp4"] {
        assert!(
            stored.iter().any(|file| file.ends_with(name)),
            "{name} is not among {stored:?}"
        );
    }
}

#[test]
fn a_flow_that_fails_says_what_stands_where() {
    let project = Project::with_demo_app();
    let flow = |name: &str, text: &str| {
        let text = format!("appId: com.example.notes\n{text}");
        project.write(&format!(".maestro/{name}.yaml"), &text);
    };
    flow("a", "---\n- launchApp\n- tapOn:\n    text: Sgn in\n");
    flow("b", "---\n- runScript: boom.js\n");
    project.write(
        ".maestro/boom.js",
        "const a = 1;\nthrow new Error('boom ' + a);\n",
    );
    flow(
        "c",
        "onFlowComplete:\n  - assertTrue: ${1 == 2}\n---\n- launchApp\n",
    );
    flow(
        "d",
        "---\n- launchApp\n- extendedWaitUntil:\n    notVisible: Sign in\n    timeout: 700\n",
    );
    flow(
        "e",
        "---\n- launchApp\n- tapOn:\n    text: Sign in\n    index: ${'x'}\n",
    );
    flow("f", "---\n- assertVisible: '\\p{InGreek}'\n");
    flow("g", "---\n- launchApp\n- assertScreenshot: nowhere\n");
    flow(
        "h",
        "---\n- retry:\n    maxRetries: 2\n    commands:\n      - evalScript: ${console.log('a try')}\n      - assertTrue: ${NOBODY}\n",
    );
    flow(
        "i",
        "---\n- runFlow:\n    when: { true: false }\n    commands: [ tapOn: Nowhere ]\n- runFlow:\n    when: { true: \"${output.none}\" }\n    commands: [ tapOn: Nowhere ]\n",
    );
    let ran = project.run(&["test", ".maestro", "-v"]).expect(1);
    assert_eq!(
        ran.stdout.matches("h.yaml: a try").count(),
        3,
        "{}",
        ran.stdout
    );
    ran.says("no element matches \"Sgn in\"")
        .says(".maestro/a.yaml:4:3")
        .says("write \"Sign in\"")
        .says("boom 1")
        .says("boom.js:2:")
        .says(".maestro/b.yaml:3:3")
        .says("`${1 == 2}` does not hold")
        .says("\"Sign in\" is still on the screen")
        .says(".maestro/d.yaml:4:3")
        .says("the index `x` is not a number")
        .says(".maestro/e.yaml:6:12")
        .says("InGreek")
        .says("there is no picture nowhere.png")
        .says("1 passed")
        .says("8 failed");
}

#[test]
fn what_a_limit_cut_off_after_a_failure_leaves_no_names_behind() {
    let project = Project::with_demo_app();
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nteardown_timeout: 2s\n",
    );
    let slow = "runFlow:\n      env: { WHO: inner }\n      commands:\n        - extendedWaitUntil: { visible: Nowhere, timeout: 60000 }\n";
    project.write(
        ".maestro/a.yaml",
        &format!(
            "appId: com.example.notes\nenv: {{ WHO: outer }}\nonFlowFailure:\n  - {slow}onFlowComplete:\n  - evalScript: ${{console.log('this is ' + WHO)}}\n---\n- launchApp\n- assertTrue: ${{1 == 2}}\n"
        ),
    );
    project
        .run(&["test", ".maestro", "-v"])
        .expect(1)
        .says("on_failure took longer than its timeout of 2s")
        .says("this is outer");
}

#[test]
fn screenshots_are_goldens_where_the_project_says_so() {
    let project = Project::with_demo_app();
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nmaestro: { screenshots: goldens }\n",
    );
    let flow = "appId: com.example.notes\n---\n- launchApp: { clearState: true }\n- takeScreenshot: first/at rest\n";
    project.write(".maestro/login.yaml", flow);
    project
        .run(&["test", ".maestro"])
        .expect(1)
        .says("maestro/login/first-at-rest");
    project.run(&["accept", "--all"]).expect(0);
    project.run(&["test", ".maestro"]).expect(0);
    let stored = project.files("snapshots");
    assert!(
        stored
            .iter()
            .any(|file| file.starts_with("maestro/login/first-at-rest")),
        "{stored:?}"
    );
}

#[test]
fn a_golden_whose_name_has_an_expression_is_an_error() {
    let project = Project::with_demo_app();
    let settings = "devices: [virtual]\napps: [apps/demo]\n";
    let goldens = "maestro: { screenshots: goldens }\n";
    for path in ["'h${X}'", "\"g${1+1}\"", "${X}", "{ path: 'h${X}' }"] {
        for (more, code) in [(goldens, [2, 1]), ("", [0, 0])] {
            project.write("runner.yaml", &format!("{settings}{more}"));
            let flow = format!(
                "appId: com.example.notes\nenv: {{ X: one }}\n---\n- launchApp\n- takeScreenshot: {path}\n"
            );
            project.write(".maestro/login.yaml", &flow);
            let ran = [
                project.run(&["lint", ".maestro"]).expect(code[0]),
                project.run(&["test", ".maestro"]).expect(code[1]),
            ];
            for ran in ran {
                if more == goldens {
                    ran.says("names no golden, as it has an expression: write the name out")
                        .says(".maestro/login.yaml:5:");
                }
            }
            assert!(project.files("snapshots").is_empty(), "{path}");
        }
    }
}

#[test]
fn what_stands_behind_a_flow_that_failed_is_skipped_where_the_workspace_says_so() {
    let project = Project::with_demo_app();
    let flow = |name: &str, steps: &str| {
        let text = format!("appId: com.example.notes\n---\n{steps}");
        project.write(&format!(".maestro/{name}.yaml"), &text);
    };
    flow("first", "- launchApp\n");
    flow("second", "- assertTrue: ${1 == 2}\n");
    flow("third", "- launchApp\n");
    flow("beside", "- launchApp\n");
    let order = "executionOrder:\n  flowsOrder: [first, second, third]\n";
    for (goes_on, skipped) in [("true", 0), ("false", 1)] {
        let config = format!("{order}  continueOnFailure: {goes_on}\n");
        project.write(".maestro/config.yaml", &config);
        let ran = project.run(&["test", ".maestro"]).expect(1);
        let reported = ran
            .stdout
            .matches("not run: .maestro/second.yaml failed before it");
        assert_eq!(reported.count(), skipped, "{goes_on}: {}", ran.stdout);
        ran.says(if skipped == 1 {
            "1 skipped"
        } else {
            "3 passed"
        });
    }
}
