//! `runner lint`, and `runner test` with flows that do not read.

use crate::common::{Project, Ran};

/// Name of a flow, its text, the place of its error, and a text of the advice.
const BROKEN: [(&str, &str, &str, &str); 10] = [
    (
        "unknown-step",
        "steps:\n  - launch\n  - clik: Sign in\n",
        "3:5",
        "click",
    ),
    (
        "unknown-key",
        "steps:\n  - click: { txt: Sign in }\n",
        "2:14",
        "text",
    ),
    (
        "unknown-header",
        "step: [ launch ]\nsteps: [ launch ]\n",
        "1:1",
        "steps",
    ),
    ("no-unit", "timeout: 10\nsteps: [ launch ]\n", "1:10", "10s"),
    (
        "duplicate",
        "name: a\nsteps: [ launch ]\nname: b\n",
        "3:1",
        "name",
    ),
    ("quote-it", "steps:\n  - click: Save: now\n", "2:", "quote"),
    (
        "undefined",
        "env: { USER_NAME: ada }\nsteps:\n  - type: \"${USER_NAM}\"\n",
        "3:",
        "USER_NAME",
    ),
    (
        "no-sub-flow",
        "steps:\n  - run: _sing-in.yaml\n",
        "2:",
        "_sing-in.yaml",
    ),
    ("cycle", "steps:\n  - run: cycle.yaml\n", "2:", "cycle"),
    (
        "wrong-type",
        "steps:\n  - assert: { id: sign_in, enabled: maybe }\n",
        "2:",
        "`true` or `false`",
    ),
];

fn broken() -> Project {
    let project = Project::with_demo_app();
    for (name, text, ..) in BROKEN {
        project.write(&format!("flows/{name}.yaml"), text);
    }
    project.flow("good", "steps: [ launch ]\n");
    project
}

#[test]
fn every_error_of_every_file_is_shown_with_its_place_and_what_was_meant() {
    let project = broken();
    let ran = project.run(&["lint"]).expect(2);
    for (name, text, place, suggestion) in BROKEN {
        let at = format!("flows/{name}.yaml:{place}");
        let block = ran
            .stdout
            .split("\n\n")
            .flat_map(|part| part.split("error: "))
            .flat_map(|part| part.split("error["))
            .find(|part| part.contains(&at))
            .unwrap_or_else(|| panic!("nothing about {at}\n{}", ran.stdout));
        let line: usize = place.split(':').next().unwrap().parse().unwrap();
        let source = text.lines().nth(line - 1).unwrap().trim();
        assert!(
            block.contains(source),
            "the source line of {name}:\n{block}"
        );
        assert!(
            block.contains(suggestion),
            "{name} does not say {suggestion:?}:\n{block}"
        );
    }
    assert!(!ran.stdout.contains("good.yaml"), "{}", ran.stdout);
    insta::assert_snapshot!(ran.normalized(&project));
}

#[test]
fn good_flows_are_0_and_nothing_is_run() {
    let project = Project::with_demo_app();
    project.flow("good", "steps: [ click: Nowhere ]\n");
    project.run(&["lint"]).expect(0).says("1 flow: no errors");
    project.run(&["lint", "flows/good.yaml"]).expect(0);
    project
        .run(&["lint", "flows/none.yaml"])
        .expect(2)
        .says("none.yaml");
    Project::empty().run(&["lint"]).expect(2);
}

// Apps are checked where no flows are named, and a device with a wrong one does not start.
#[test]
fn the_apps_of_a_project_are_checked() {
    let project = Project::with_demo_app();
    project.flow("good", "steps: [ launch ]\n");
    let form = project.read("apps/demo/form.yaml");
    let wrong = form
        .replace("label: Title", "lable: Title")
        .replace("component: ChoicePicker", "component: ChoicePciker");
    project.write("apps/demo/form.yaml", &wrong);
    let app = project.read("apps/demo/app.yaml");
    project.write(
        "apps/demo/app.yaml",
        &app.replace("- run: refuse", "- run: refsue"),
    );
    for arguments in [["lint"].as_slice(), &["virtual", "--port", "0"]] {
        let ran = project.run(arguments).expect(2);
        let all = format!("{}{}", ran.stdout, ran.stderr);
        for part in [
            "apps/demo/form.yaml:10:9",
            "did you mean `label`?",
            "there is no component `ChoicePciker`",
            "did you mean `ChoicePicker`?",
            "apps/demo/app.yaml:37:",
            "did you mean `refuse`?",
        ] {
            assert!(all.contains(part), "no {part}:\n{all}");
        }
        let coloured = project
            .command(arguments)
            .env("CLICOLOR_FORCE", "1")
            .output();
        let ran = Ran::from(coloured.expect("the program starts"));
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(all.contains("\u{1b}["), "{arguments:?}: {all}");
    }
    project
        .run(&["lint"])
        .expect(2)
        .says("1 flow: no errors; apps: ");
    project
        .run(&["lint", "flows/good.yaml"])
        .expect(0)
        .says("1 flow: no errors");
    // A run reports the first of them.
    project.run(&["test"]).expect(3).says("app.yaml:37:24");
}

#[test]
fn an_apk_that_is_missing_is_told_at_its_line() {
    let project = Project::with_demo_app();
    project.flow("good", "steps: [ launch ]\n");
    for (settings, place) in [
        ("apps: [ build/app.apk ]\n", "runner.yaml:1:9"),
        (
            "devices: [virtual]\napps:\n  - apps/demo\n  - build/app.apk\n",
            "runner.yaml:4:5",
        ),
    ] {
        project.write("runner.yaml", settings);
        let ran = project.run(&["lint"]).expect(0);
        ran.says("no such file yet").says(place);
    }
}

/// Paths that name nothing, in `runner.yaml` and on the command line, each with what the advice says.
#[test]
fn a_path_that_names_nothing_is_told_with_the_one_that_is_meant() {
    let project = Project::with_demo_app();
    project.flow("good", "steps: [ launch ]\n");
    project.flow("_sign-in", "steps: [ launch ]\n");
    for (settings, says) in [
        ("apps: [apps/dmeo]\n", "did you mean `apps/demo`?"),
        ("apps: [apps/demo/app.yaml]\n", "write `apps: [apps/demo]`"),
        (
            "apps: [com.example.notes]\n",
            "write `app: com.example.notes`",
        ),
        (
            "apps: [apps/demo]\nsetup: [ run: _sign-in.yaml ]\n",
            "write `flows/_sign-in.yaml`",
        ),
        (
            "apps: [apps/demo]\nflows: flows/*.yaml, more/*.yaml\n",
            "`flows: ['flows/*.yaml', 'more/*.yaml']`",
        ),
        (
            "apps: [apps/demo]\nflows: [flows, '!flows/good.yaml']\n",
            "no pattern takes flows away",
        ),
    ] {
        project.write("runner.yaml", settings);
        let ran = project.run(&["lint"]).expect(2);
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(all.contains(says), "{settings}: {all}");
    }
    project.write("runner.yaml", "devices: [virtual]\napps: [apps/demo]\n");
    for (arguments, says) in [
        (
            ["test", "flows/good"].as_slice(),
            "did you mean `flows/good.yaml`?",
        ),
        (&["lint", "apps/demo/app.yaml"], "`--app apps/demo`"),
        (
            &["test", "flows/good.yaml,flows/b.yaml"],
            "a comma joins no paths",
        ),
        (&["test", "@smoke"], "`--tag smoke`"),
        (&["report", "open"], "`runner report --open`"),
        (
            &["report", "flows/good.yaml"],
            "`runner test flows/good.yaml`",
        ),
        (&["history", "clear"], "delete the folder .runner/history"),
        (&["man", "test"], "`runner help test`"),
        (&["init", "flows/x.yaml"], "name a folder"),
    ] {
        let ran = project.run(arguments).expect(2);
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(all.contains(says), "{arguments:?}: {all}");
    }
    project.write(
        "flows/good.yaml",
        "app: com.example.notes\ntags: [smoke, login]\nsteps: [ launch ]\n",
    );
    project
        .run(&["test", "--tag", "smoke or login"])
        .expect(2)
        .says("`--tags \"smoke or login\"`");
    project
        .run(&["test", "--list", "--env", "USER_NAME=bo,TITLE=x"])
        .expect(0)
        .says("goes on behind `,TITLE=`");
    project
        .run(&["test", "--list", "--env", "A=1,B=2"])
        .expect(0)
        .says("goes on behind `,B=`");
}

#[test]
fn two_errors_of_one_file_are_both_shown() {
    let project = Project::with_demo_app();
    project.flow("bad", "steps:\n  - clik: a\n  - bakc\n");
    project
        .run(&["lint"])
        .expect(2)
        .says("bad.yaml:3:5")
        .says("bad.yaml:4:5")
        .says("2 errors in 1 flow");
}

#[test]
fn a_warning_beside_an_error_is_not_counted_as_one() {
    let project = Project::with_demo_app();
    project.flow("bad", "steps:\n  - click: Save || Done\n  - clik: a\n");
    project
        .run(&["lint"])
        .expect(2)
        .says("warning[doubtful]")
        .says("1 error in 1 flow");
}

#[test]
fn an_error_in_a_sub_flow_is_shown_once() {
    let project = Project::with_demo_app();
    project
        .flow("a", "steps: [ run: _sub.yaml ]\n")
        .flow("b", "steps: [ run: _sub.yaml ]\n");
    project.flow("_sub", "steps: [ clik: x ]\n");
    let ran = project
        .run(&["lint"])
        .expect(2)
        .says("flows/_sub.yaml:2:10");
    assert_eq!(
        ran.stdout.matches("_sub.yaml:2:10").count(),
        1,
        "{}",
        ran.stdout
    );
}

#[test]
fn good_flows_run_and_bad_ones_are_errors_of_the_report() {
    let project = broken();
    let ran = project.run(&["test", "--junit", "junit.xml"]).expect(2);
    let ran = ran
        .says("1 passed, 10 errors")
        .says("flows/unknown-step.yaml:3:5");
    assert!(
        ran.stdout.contains("did you mean") || ran.stdout.contains("click"),
        "{}",
        ran.stdout
    );
    let junit = project.read("junit.xml");
    assert_eq!(junit.matches("<error").count(), 10, "{junit}");
    assert_eq!(junit.matches("<testcase").count(), 11, "{junit}");
    assert!(junit.contains("unknown-step.yaml:3:"), "{junit}");
    project
        .run(&["test", "--list"])
        .expect(2)
        .says("flows/good.yaml");
}

#[test]
fn a_file_that_a_step_sends_and_that_is_not_there_yet_is_a_warning() {
    let project = Project::with_demo_app();
    project.write("there.txt", "x");
    project.flow(
        "a",
        "steps:\n  - push: { from: there.txt, to: /sdcard/Download/a.txt }\n  - run: _sub.yaml\n  - install: build/app.apk\n  - install: flows\n  - install: apps/demo\n",
    );
    project.flow(
        "_sub",
        "steps:\n  - push: { from: nowhere.txt, to: /sdcard/Download/b.txt }\n  - push: { from: 'shots/*.png', to: /sdcard/Download/c.png }\n",
    );
    project
        .run(&["lint"])
        .expect(0)
        .says("flows/_sub.yaml:3:")
        .says("`push` names `nowhere.txt`")
        .says("of one file, and no pattern")
        .says("flows/a.yaml:5:")
        .says("`install` names `build/app.apk`")
        .says("`install` names `flows`, a folder without an `app.yaml`")
        .never_says("`apps/demo`")
        .never_says("`there.txt`");
}

#[test]
fn a_line_of_a_flow_is_told_to_be_left_out() {
    let project = Project::with_demo_app();
    project.flow("good", "steps: [ launch ]\n");
    for place in [":3", ":3:5"] {
        let path = format!("flows/good.yaml{place}");
        let ran = project.run(&["lint", &path]).expect(2);
        ran.says("no line of it: write `flows/good.yaml`")
            .never_says("--grep");
    }
}

#[test]
fn a_path_of_the_settings_without_flows_is_told_with_its_line() {
    let project = Project::with_demo_app();
    project.flow("good", "steps: [ launch ]\n");
    for path in ["tests", "'*.yml'"] {
        project.write(
            "runner.yaml",
            &format!("devices: [virtual]\nflows: {path}\n"),
        );
        project.run(&["lint"]).expect(2).says("runner.yaml:2 names");
        project.run(&["lint", "flows"]).expect(0);
    }
    project.flow("other", "steps: [ launch ]\n");
    for path in [
        "flows/good.yaml flows/other.yaml",
        "flows/good.yaml, flows/other.yaml",
    ] {
        project.write(
            "runner.yaml",
            &format!("devices: [virtual]\nflows: {path}\n"),
        );
        project
            .run(&["lint"])
            .expect(2)
            .says("`flows: [flows/good.yaml, flows/other.yaml]`");
    }
}

/// Command lines, each with a text of the answer. The project has one flow, `flows/good.yaml`, and the demo app.
const ANSWERED: [(&[&str], &str); 16] = [
    (&["lint", "apps/demo/inbox.yaml"], "it is a surface"),
    (&["test", "good.yaml"], "did you mean `flows/good.yaml`?"),
    (
        &["test", r"flows\good.yaml"],
        "did you mean `flows/good.yaml`?",
    ),
    (&["test", "C:flowsgood.yaml"], "put the path into quotes"),
    (&["test", "flows/good.yaml::case"], "`--grep case`"),
    (
        &["test", "flows/*.yml"],
        "the folder `flows` has `flows/good.yaml`",
    ),
    (
        &["test", "-e", "my-user=hunter2"],
        "write `--env my_user=…`",
    ),
    (
        &["test", "-e", "flow=x"],
        "--env: `flow` already means something in expressions; choose another name",
    ),
    (&["test", "-e", "device=x"], "`device` already means"),
    (&["test", "-e", "run=x"], "`run` already means"),
    (&["test", "--shuffle", "abc"], "as in `--shuffle=7`"),
    (
        &["test", "--artifacts", "out.html"],
        "a name without `.html`",
    ),
    (&["test", "--artifacts", "flows"], "flows holds the flows"),
    (
        &["test", "--html", "out/a", "--junit", "out/a"],
        "both write out/a",
    ),
    (&["test", "--grep", "/good/i"], "write \"(?i)good\""),
    (&["studio", "flows"], "`runner studio flows/good.yaml`"),
];

#[test]
fn a_mistaken_command_line_is_answered_with_what_is_meant() {
    let project = Project::with_demo_app();
    project.flow("good", "steps: [ launch ]\n");
    for (arguments, says) in ANSWERED {
        let ran = project.run(arguments).expect(2);
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(all.contains(says), "{arguments:?}: {all}");
        assert!(!all.contains("hunter2"), "{all}");
    }
    let output = project
        .command(&["test", "--list"])
        .env("RUNNER_RETRY", "2")
        .output();
    Ran::from(output.expect("the program starts"))
        .expect(0)
        .says("write `RUNNER_RETRIES`");
    project
        .run(&["test", "--list", "--device", "Pixel 7"])
        .expect(0)
        .says("no device has the serial `Pixel 7`");
    project
        .run(&["inspect", "--device", "Virtual"])
        .says("no device has the serial `Virtual`: write `virtual`");
    // A run names the app that is near, as `lint` does.
    project.write("runner.yaml", "devices: [virtual]\napps: [apps/dmeo]\n");
    project.run(&["test"]).expect(3).says("apps/demo`?");
    project.write("runner.yaml", "devices: [any]\napps: [apps/demo]\n");
    project
        .run(&["lint"])
        .expect(0)
        .says("no device has this serial");
}
