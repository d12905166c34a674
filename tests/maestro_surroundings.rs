//! Scripts, permissions, command-line options and reports around Maestro's flows, and what lint says of them.

use crate::common::{Project, Ran};

fn flow(project: &Project, name: &str, text: &str) {
    let text = if text.contains("---") {
        format!("appId: com.example.notes\n{text}")
    } else {
        format!("appId: com.example.notes\n---\n{text}")
    };
    project.write(&format!(".maestro/{name}.yaml"), &text);
}

/// Makes a project that asserts `that` of the output of `appops` and `dumpsys package` after each flow.
fn with_check(that: &str) -> Project {
    let project = Project::with_demo_app();
    let before = project.read("runner.yaml");
    project.write(
        "runner.yaml",
        &format!(
            "{before}allow_shell: true\nteardown:\n  - shell: [appops, get, com.example.notes]\n    as: ops\n  \
             - shell: [dumpsys, package, com.example.notes]\n    as: package\n  - assert: {{ that: \"${{{that}}}\" }}\n"
        ),
    );
    project
}

#[test]
fn v5_a_rejected_promise_fails_its_command() {
    let project = Project::with_demo_app();
    flow(
        &project,
        "eval",
        "- evalScript: \"${(async () => { await 1; throw new Error('late') })()}\"\n",
    );
    flow(&project, "text", "- assertTrue: ${Promise.reject('no')}\n");
    flow(
        &project,
        "value",
        "- assertTrue: ${(async () => false)()}\n",
    );
    flow(&project, "file", "- runScript: late.js\n");
    flow(
        &project,
        "handled",
        "- evalScript: ${Promise.reject(1).catch(() => { output.a = 'caught' })}\n- assertTrue: ${output.a == 'caught'}\n",
    );
    project.write(
        ".maestro/late.js",
        "async function f() {\n  await null;\n  throw new Error('deep');\n}\nf();\n",
    );
    project
        .run(&["test", ".maestro"])
        .expect(1)
        .says("4 failed")
        .says("1 passed")
        .says("late")
        .says("deep")
        .says("late.js:3:")
        .says("nothing caught it")
        .says("comes to a promise");
}

#[test]
fn v11_a_script_that_throws_is_neither_optional_nor_tried_again() {
    let project = Project::with_demo_app();
    flow(
        &project,
        "optional",
        "- evalScript: { script: \"${output.no.thing}\", optional: true }\n",
    );
    flow(
        &project,
        "around",
        "- runFlow:\n    optional: true\n    commands:\n      - inputText: ${output.no.thing}\n",
    );
    flow(
        &project,
        "retry",
        "- retry:\n    maxRetries: 3\n    commands:\n      - evalScript: ${console.log('a try')}\n      - evalScript: ${output.no.thing}\n",
    );
    // What Maestro's own errors are for both stays.
    flow(
        &project,
        "missing",
        "- launchApp\n- tapOn: { text: Nowhere, optional: true }\n- assertTrue: { condition: \"${false}\", optional: true }\n",
    );
    let ran = project.run(&["test", ".maestro", "-v"]).expect(1);
    assert_eq!(
        ran.stdout.matches("retry.yaml: a try").count(),
        1,
        "{}",
        ran.stdout
    );
    ran.says("3 failed").says("1 passed");
}

#[test]
fn v11_a_list_without_commands_is_an_error() {
    for text in [
        "---\n[]\n",
        "onFlowStart: []\n---\n- launchApp\n",
        "- runFlow: { commands: [] }\n",
        "- repeat: { times: 2, commands: [] }\n",
        "- retry: { commands: [] }\n",
        "- addMedia: []\n",
        "- travel: { points: [] }\n",
    ] {
        let project = Project::with_demo_app();
        flow(&project, "a", text);
        project
            .run(&["test", ".maestro"])
            .expect(2)
            .says("this list holds no ");
    }
}

#[test]
fn v11_lint_names_conditions_that_are_texts() {
    let project = Project::with_demo_app();
    for (condition, is_told) in [
        ("'${false'", true),
        ("' ${false} '", true),
        ("${false}x", true),
        ("1 == 2", true),
        ("$(false)", true),
        ("${output.a} == ${output.b}", true),
        ("${output.a == output.b}", false),
        ("false", false),
        ("true", false),
    ] {
        for text in [
            format!("- assertTrue: {condition}\n"),
            format!("- runFlow: {{ when: {{ true: {condition:?} }}, commands: [ launchApp ] }}\n"),
            format!(
                "- repeat:\n    while: {{ true: {condition:?} }}\n    commands: [ launchApp ]\n"
            ),
        ] {
            let text = text.replace("\"'", "\"").replace("'\"", "\"");
            flow(&project, "a", &text);
            for command in [
                &["lint", ".maestro"][..],
                &["lint", "--maestro", ".maestro"],
            ] {
                let ran = project.run(command).expect(0);
                let message = format!("{}{}", ran.stdout, ran.stderr);
                let reported = message.contains("is not a single `${");
                assert_eq!(reported, is_told, "{text}: {message}");
            }
        }
    }
}

#[test]
fn v11_manage_external_storage_is_set() {
    for (name, value, mode) in [
        (
            "android.permission.MANAGE_EXTERNAL_STORAGE",
            "allow",
            "allow",
        ),
        ("MANAGE_EXTERNAL_STORAGE", "deny", "deny"),
        ("MANAGE_EXTERNAL_STORAGE", "unset", "default"),
    ] {
        let project = with_check(&format!("'MANAGE_EXTERNAL_STORAGE: {mode}' in ops.stdout"));
        flow(
            &project,
            "a",
            &format!("- setPermissions: {{ permissions: {{ {name}: {value} }} }}\n"),
        );
        project.run(&["test", ".maestro"]).expect(0);
    }
    // `launchApp` allows all that the app asks for.
    let project = with_check("'MANAGE_EXTERNAL_STORAGE: allow' in ops.stdout");
    project.replace(
        "apps/demo/app.yaml",
        "permissions: [",
        "permissions: [android.permission.MANAGE_EXTERNAL_STORAGE, ",
    );
    flow(&project, "a", "- launchApp\n");
    project.run(&["test", ".maestro"]).expect(0);
}

/// Xiaomi's phones let the shell grant nothing until a switch is set.
#[test]
fn a_maker_that_forbids_grants_fails_only_what_names_permissions() {
    let project = with_check("true");
    let run = |text: &str| {
        flow(&project, "a", text);
        let mut command = project.command(&["test", ".maestro"]);
        let ran = command.env("RUNNER_QUIRKS", "miui-guard").output();
        Ran::from(ran.expect("the program starts"))
    };
    run("- launchApp\n- assertVisible: Welcome to Notes\n")
        .expect(0)
        .says("USB debugging (Security settings)");
    run("- launchApp: { permissions: { notifications: allow } }\n")
        .expect(3)
        .says("USB debugging (Security settings)");
    run("- launchApp: { permissions: { all: allow } }\n").expect(3);
}

#[test]
fn m1_any_other_value_takes_a_permission_away_and_lint_says_so() {
    let project = with_check("'POST_NOTIFICATIONS: granted=false' in package.stdout");
    let text = "- setPermissions: { permissions: { notifications: allow } }\n- setPermissions: { permissions: { notifications: alow } }\n";
    flow(&project, "a", text);
    project.run(&["test", ".maestro"]).expect(0);
    project
        .run(&["lint", ".maestro"])
        .expect(0)
        .says("`alow` is none of allow, deny and unset: it takes the permission away")
        .says("did you mean `allow`?");
    flow(
        &project,
        "a",
        "- launchApp: { permissions: { camra: allow } }\n",
    );
    project
        .run(&["lint", ".maestro"])
        .expect(0)
        .says("Android knows no permission `camra`")
        .says("did you mean `camera`?");
}

#[test]
fn m2_reports_are_named_in_any_case() {
    let project = Project::with_demo_app();
    flow(
        &project,
        "a",
        "properties: { owner: me }\n---\n- launchApp\n",
    );
    let test = |more: &[&str]| project.run(&[&["test", ".maestro"], more].concat());
    test(&[
        "--format",
        "JUNIT",
        "--output",
        "a.xml",
        "--test-suite-name",
        "Nightly",
    ])
    .expect(0);
    let xml = project.well_formed("a.xml");
    assert!(xml.contains("<testsuite name=\"Nightly\""), "{xml}");
    test(&["--format", "HTML-DETAILED", "--output", "report"]).expect(0);
    assert!(project.path("report/index.html").exists());
    test(&["--format", "Noop"]).expect(0);
    test(&["--list", "--format", "JSON"]).expect(0).says("[");
    test(&["--format", "PDF"]).expect(2);
}

#[test]
fn m2_options_of_maestro_are_taken_or_named() {
    let project = Project::with_demo_app();
    flow(&project, "a", "- launchApp\n- takeScreenshot: home\n");
    let test = |more: &[&str]| project.run(&[&["test", ".maestro"], more].concat());
    let stored = |folder: &str| {
        let files = project.files(folder);
        files.iter().any(|file| file.ends_with("home.png"))
    };
    test(&[
        "--udid",
        "virtual",
        "-p",
        "Android",
        "--debug-output",
        "debug",
    ])
    .expect(0);
    assert!(stored("debug"));
    test(&[
        "--test-output-dir",
        "out",
        "--debug-output",
        "other",
        "-s",
        "1",
    ])
    .expect(0);
    assert!(stored("out") && !project.path("other").exists());
    test(&["--shards", "2"]).expect(0);
    test(&["--platform", "ios"]).expect(2).says("android");
    for option in [
        "--flatten-debug-output",
        "--headless",
        "--analyze",
        "--api-key=secret",
        "--reinstall-driver",
        "--reinstall-driver=false",
        "--no-reinstall-driver",
        "--screen-size=100x100",
    ] {
        let name = option.split('=').next().unwrap();
        test(&[option])
            .expect(0)
            .says(&format!("{name} changes nothing here: "))
            .never_says("secret");
    }
    let mut coloured = project.command(&["test", ".maestro", "--no-ansi"]);
    let ran = coloured.env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(!ran.stdout.contains(&0x1b) && !ran.stderr.contains(&0x1b));
    let mut coloured = project.command(&["test", ".maestro"]);
    let ran = coloured.env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(ran.stdout.contains(&0x1b));
}

#[test]
fn m2_keys_of_a_workspace_that_change_nothing_are_named() {
    let project = Project::with_demo_app();
    flow(&project, "a", "- launchApp\n");
    project.write(
        ".maestro/config.yaml",
        "testOutputDir: out\nexcludTags: [a]\ndisableRetries: true\n",
    );
    project
        .run(&["lint", ".maestro"])
        .expect(0)
        .says("`testOutputDir` changes nothing here")
        .says("--test-output-dir")
        .says("`excludTags` changes nothing")
        .says("did you mean `excludeTags`?")
        .never_says("disableRetries");
}

#[test]
fn m3_what_tags_leave_out_need_not_read() {
    let project = Project::with_demo_app();
    flow(&project, "a", "- launchApp\n");
    project.write(
        ".maestro/web.yaml",
        "url: https://example.com\ntags: [web]\n---\n- launchApp\n",
    );
    flow(
        &project,
        "ai",
        "tags: [ai, web]\n---\n- assertWithAI: fine\n",
    );
    project.run(&["test", ".maestro"]).expect(2);
    project
        .run(&["test", ".maestro", "--exclude-tags", "web"])
        .expect(0)
        .says("1 passed");
    project.write(".maestro/config.yaml", "excludeTags: [web]\n");
    project.run(&["test", ".maestro"]).expect(0);
    // What tags choose must read.
    project.run(&["test", ".maestro/ai.yaml"]).expect(2);
    project
        .run(&["test", ".maestro", "--include-tags", "ai"])
        .expect(2);
}

#[test]
fn m4_properties_of_a_header_are_in_junit() {
    let project = Project::with_demo_app();
    flow(
        &project,
        "a",
        "properties:\n  owner: team-a\n  junitId: T-1\n  junitClassname: Sign in\ntags: [smoke]\n---\n- launchApp\n",
    );
    project
        .run(&["test", ".maestro", "--junit", "a.xml"])
        .expect(0);
    let xml = project.well_formed("a.xml");
    assert!(
        xml.contains("<property name=\"owner\" value=\"team-a\"/>"),
        "{xml}"
    );
    assert!(xml.contains("classname=\"Sign in\""), "{xml}");
    assert!(xml.contains("id=\"T-1\""), "{xml}");
    assert!(!xml.contains("junitId"), "{xml}");
    project.run(&["report", "--junit", "b.xml"]).expect(0);
    assert!(project.read("b.xml").contains("team-a"));
}

#[test]
fn m5_lint_compiles_each_script_and_runs_none() {
    let project = Project::with_demo_app();
    flow(
        &project,
        "good",
        "- evalScript: ${output.a = 1; const b = 2}\n- evalScript: ${const b = 3}\n- inputText: \\${no script\n",
    );
    project.run(&["lint", ".maestro"]).expect(0);
    flow(&project, "text", "- inputText: \"a ${1 +} b\"\n");
    flow(&project, "eval", "- evalScript: ${let = = 1}\n");
    flow(
        &project,
        "file",
        "- runFlow: { commands: [ runScript: bad.js ] }\n",
    );
    flow(
        &project,
        "endless",
        "- runScript: endless.js\n- evalScript: ${while (true) {}}\n",
    );
    project.write(".maestro/bad.js", "const a = 1;\nconst b = ;\n");
    project.write(
        ".maestro/endless.js",
        "while (true) {}\n}); while (true) {} (function () {\n",
    );
    for command in [
        &["lint", ".maestro"][..],
        &["lint", "--maestro", ".maestro"],
    ] {
        project
            .run(command)
            .expect(2)
            .says(".maestro/text.yaml:3:14")
            .says(".maestro/eval.yaml:3:15")
            .says(".maestro/bad.js:2:")
            .says("SyntaxError")
            .never_says("endless");
    }
    project
        .run(&["lint", ".maestro"])
        .expect(2)
        .says("5 flows: 3 errors in 3 flows");
}

/// Both pictures are kept, and a comparison takes the last one, as with Maestro.
#[test]
fn pictures_of_one_name_are_kept_and_the_newest_is_compared() {
    let project = Project::with_demo_app();
    flow(
        &project,
        "a",
        "- launchApp: { clearState: true }\n- takeScreenshot: home\n- tapOn: Username\n- inputText: ada\n\
         - takeScreenshot: home\n- assertScreenshot: { path: home, thresholdPercentage: 100 }\n",
    );
    project.run(&["test", ".maestro"]).expect(0);
    let stored = project.files(".runner/artifacts");
    for name in ["home.png", "home-2.png"] {
        assert!(
            stored
                .iter()
                .any(|file| file.ends_with(&format!("/{name}"))),
            "{stored:?}"
        );
    }
}

/// The folder of artifacts may be outside of the project, and be named by a link.
#[cfg(unix)]
#[test]
fn a_picture_is_found_among_artifacts_behind_a_link() {
    let project = Project::with_demo_app();
    flow(
        &project,
        "a",
        "- launchApp: { clearState: true }\n- takeScreenshot: home\n- assertScreenshot: home\n",
    );
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), project.path("link")).unwrap();
    project
        .run(&["test", ".maestro", "--artifacts", "link"])
        .expect(0);
}

/// In JavaScript an undefined name times one is `NaN`, and no picture is less like another than that.
#[test]
fn a_threshold_that_is_no_number_lets_no_picture_pass() {
    let project = Project::with_demo_app();
    for least in ["${output.least * 1}", "${1 / 0}"] {
        flow(
            &project,
            "a",
            &format!(
                "- launchApp: {{ clearState: true }}\n- takeScreenshot: home\n- pressKey: home\n\
                 - assertScreenshot: {{ path: home, thresholdPercentage: \"{least}\" }}\n"
            ),
        );
        project
            .run(&["test", ".maestro"])
            .expect(1)
            .says("is not a number of percent");
    }
}

#[test]
fn m5_lint_names_what_a_flow_asks_for_in_vain() {
    let project = Project::with_demo_app();
    flow(
        &project,
        "a",
        "- evalScript: ${output.a = http.get('https://api.example.com/a')}\n- runScript: a.js\n\
         - assertScreenshot: nowhere\n- takeScreenshot: there\n- assertScreenshot: there\n\
         - runFlow: { when: { platform: iOS }, commands: [ assertScreenshot: elsewhere ] }\n",
    );
    project.write(
        ".maestro/a.js",
        "http.post('https://api.example.com', { multipartForm: { a: { filePath: 'a.png' } } });\noutput.b = faker.hobbit().name();\n",
    );
    project
        .run(&["lint", ".maestro"])
        .expect(0)
        .says(".maestro/a.yaml:3:15")
        .says("the host `api.example.com` is not allowed")
        .says(".maestro/a.js:1:12")
        .says("`filePath` is an error")
        .says(".maestro/a.js:2:18")
        .says("faker has no `hobbit`")
        .says("there is no picture `nowhere`")
        .never_says("`there`")
        .never_says("elsewhere");
    for location in [
        "latitude: here, longitude: 1",
        "latitude: 91, longitude: 1",
        "latitude: 1, longitude: -181",
        "latitude: NaN, longitude: 1",
    ] {
        flow(&project, "a", &format!("- setLocation: {{ {location} }}\n"));
        project
            .run(&["lint", ".maestro"])
            .expect(2)
            .says("takes degrees from -");
    }
}

#[test]
fn m6_an_assertion_of_a_label_alone_means_any_element_and_lint_says_so() {
    let project = Project::with_demo_app();
    flow(
        &project,
        "a",
        "- launchApp\n- assertVisible: { label: The start }\n",
    );
    project.run(&["test", ".maestro"]).expect(0);
    project
        .run(&["lint", ".maestro"])
        .expect(0)
        .says("any element of the screen is");
}
