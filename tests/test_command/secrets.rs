//! Secrets in every output of a run.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::common::{Project, Ran, one_file};

/// Makes an app that shows these texts, each twice.
fn app_showing(texts: &[String]) -> Project {
    let project = Project::empty();
    project.write(
        "apps/show/app.yaml",
        "package: com.example.show\nlabel: Show\nactivities:\n  .Main: { surface: main.yaml, launchable: true }\n",
    );
    let children: Vec<String> = (0..texts.len() * 2).map(|at| format!("t{at}")).collect();
    let mut surface = format!(
        "- version: v0.9\n  createSurface: {{ surfaceId: main, catalogId: \"https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json\" }}\n- version: v0.9\n  updateComponents:\n    surfaceId: main\n    components:\n      - {{ id: root, component: Column, children: [ {} ] }}\n",
        children.join(", ")
    );
    for (at, id) in children.iter().enumerate() {
        let text = serde_json::to_string(&texts[at / 2]).unwrap();
        writeln!(
            surface,
            "      - {{ id: {id}, component: Text, text: {text} }}"
        )
        .unwrap();
    }
    project.write("apps/show/main.yaml", &surface);
    project
}

/// Returns all that a run printed and wrote, each with its origin.
fn outputs(project: &Project, ran: &Ran) -> Vec<(String, String)> {
    let mut outputs = vec![
        ("stdout".to_owned(), ran.stdout.clone()),
        ("stderr".to_owned(), ran.stderr.clone()),
    ];
    for name in project.files("") {
        let is_given = ["apps/", "flows/", "runner.yaml"];
        if !is_given.iter().any(|given| name.starts_with(given)) {
            let bytes = std::fs::read(project.path(&name)).unwrap();
            outputs.push((name, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    outputs
}

/// Undoes the escapes of an output, and makes white space single spaces.
fn unescaped(text: &str) -> String {
    let mut text = text.to_owned();
    for (escaped, meant) in [
        ("\\n", " "),
        ("%0A", " "),
        ("\\\"", "\""),
        ("\\'", "'"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("\\u003c", "<"),
        ("&amp;", "&"),
        ("\\\\", "\\"),
    ] {
        text = text.replace(escaped, meant);
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn hold_no_piece(outputs: &[(String, String)], secrets: &[String]) {
    let pieces: BTreeSet<String> = secrets
        .iter()
        .flat_map(|secret| {
            let letters: Vec<char> = unescaped(secret).chars().collect();
            let pieces = letters.windows(8).map(String::from_iter);
            pieces.collect::<Vec<_>>()
        })
        .map(|piece| regex::escape(&piece))
        .collect();
    // One search for all of them: comparing letter by letter takes a minute.
    let any = pieces.into_iter().collect::<Vec<_>>().join("|");
    let any = regex::Regex::new(&any).unwrap();
    for (name, text) in outputs {
        let clean = unescaped(text);
        let held = any.find(&clean).map(|piece| piece.as_str());
        assert!(held.is_none(), "{name} holds {held:?}\n{text}");
        assert!(
            !text.contains(['\u{fdd0}', '\u{fdd1}']),
            "{name} holds a mark\n{text}"
        );
    }
}

/// Random secrets on the screen, in titles, errors and env are in no output, not even their beginning.
#[test]
fn no_output_holds_a_piece_of_a_secret() {
    let mut random = TestRunner::deterministic();
    let kinds = [
        "[a-zA-Z0-9]{61,200}",
        "[a-zA-Z0-9 \"'\\\\&<>é漢😀]{8,30}[a-z]{3}[\"'<&]{2}[a-zA-Z0-9]{70,100}",
        "-----BEGIN KEY-----\n([a-zA-Z0-9+/]{64}\n){3}-----END KEY-----",
        "[a-zà-ö]{12,20}",
    ];
    let secrets: Vec<String> = kinds
        .iter()
        .map(|kind| {
            let strategy = proptest::string::string_regex(kind).unwrap();
            strategy
                .new_tree(&mut random)
                .unwrap()
                .current()
                .trim()
                .to_owned()
        })
        .collect();
    let project = app_showing(&secrets);
    let mut settings =
        "devices: [virtual]\napps: [apps/show]\nstep_timeout: 300ms\nallow_shell: true\n"
            .to_owned();
    let names: Vec<String> = (0..secrets.len()).map(|at| format!("S{at}")).collect();
    writeln!(settings, "secrets: [ {} ]\nenv:", names.join(", ")).unwrap();
    for (name, secret) in names.iter().zip(&secrets) {
        let written = serde_json::to_string(secret).unwrap().replace("${", "$${");
        writeln!(settings, "  {name}: {written}").unwrap();
    }
    project.write("runner.yaml", &settings);
    for (name, secret) in names.iter().zip(&secrets) {
        let literal = serde_json::to_string(secret).unwrap();
        for (flow, step) in [
            ("near", format!("click: \"${{{name}}}!\"")),
            ("several", "click: { class: TextView }".to_owned()),
            (
                "same",
                format!("click: {{ class: TextView, text: \"${{{name}}}\" }}"),
            ),
            ("title", format!("click: [ {literal} ]")),
            (
                "literal",
                format!("click: {{ id: nothing, text: {literal} }}"),
            ),
            ("gone", format!("assert not visible: \"${{{name}}}\"")),
            (
                "text",
                format!("assert: {{ id: t0, text: \"not ${{{name}}}\" }}"),
            ),
            (
                "that",
                format!("assert: {{ that: \"${{{name} == 'x'}}\" }}"),
            ),
            ("command", format!("shell: \"${{{name}}}\"")),
            ("named", format!("launch: \"${{{name}}}\"")),
            ("golden", "snapshot: shown".to_owned()),
        ] {
            project.write(
                &format!("flows/{flow}-{name}.yaml"),
                &format!("app: com.example.show\nsteps:\n  - launch\n  - {step}\n"),
            );
        }
    }
    let mut command = project.command(&[
        "test",
        "-v",
        "--junit",
        "junit.xml",
        "--json",
        "run.ndjson",
        "--html",
        "html",
        "--allure",
        "allure",
    ]);
    command.env("GITHUB_ACTIONS", "true");
    command.env("GITHUB_STEP_SUMMARY", project.path("summary.md"));
    let ran = Ran::from(command.output().unwrap());
    assert!(ran.stdout.contains("near miss"), "{}", ran.stdout);
    assert!(ran.stdout.contains("elements match"), "{}", ran.stdout);
    let mut outputs = outputs(&project, &ran);
    assert!(outputs.len() > 20, "{}", outputs.len());
    for arguments in [
        &["pending", "-v"][..],
        &["review"],
        &["report", "-v"],
        &["report", "--html", "one.html"],
        &["lint"],
        &["config"],
    ] {
        let ran = project.run(arguments);
        outputs.push((format!("{arguments:?}"), ran.stdout + &ran.stderr));
    }
    let page = project.read("one.html");
    let data = one_file::data(&page);
    assert!(data.len() > 20, "{}", data.len());
    outputs.extend(
        data.into_iter()
            .map(|text| ("one.html, a flow".to_owned(), text)),
    );
    outputs.push((
        "one.html, all else".to_owned(),
        one_file::summary(&page).to_string(),
    ));
    let results = outputs
        .iter()
        .filter(|(name, _)| name.ends_with("-result.json"));
    assert!(results.count() > 20);
    hold_no_piece(&outputs, &secrets);
}

/// A file that does not read is quoted without the secrets that are written out in it.
#[test]
fn quoted_lines_of_files_that_do_not_read_hold_no_secret() {
    for text in [
        "steps:\n  - type: { text: \"hunter2 swordfish\", secret: true, bogus: 1 }\n",
        "env: { PASSWORD: \"hunter2 swordfish\", PASSWORD: hunter2 swordfish }\nsteps: [ launch ]\n",
        "secrets: [CODE]\nenv:\n  CODE: hunter2 swordfish\n  CODE: 'hunter2 swordfish'\nsteps: [ launch ]\n",
        "steps:\n  - type: { text: \"hunter2 swordfish, secret: true }\n",
        "steps:\n  - type:\n      text: 'hunter2 swordfish\n      secret: true\n  - launch\n",
        "steps:\n  - type: hunter2 swordfish\n    secret: true\n    bogus: 1\n",
        "env:\n  API_TOKEN: \"hunter2 swordfish\nsteps: [ launch ]\n",
        "env:\n  MINE: hunter2 swordfish: x\nsteps: [ launch ]\n",
        "steps:\n  - type: {\"text\":\"hunter2 swordfish\",\"secret\":true,\"bogus\":1}\n",
        "env: {\"PASSWORD\":\"hunter2 swordfish\",\"PASSWORD\":\"x\"}\nsteps: [ launch ]\n",
        "secrets:  # never shown\n  - CODE\nenv: { CODE: hunter2 swordfish, CODE: x }\nsteps: [ launch ]\n",
        "secrets:\r\n  - CODE\r\nenv: { CODE: hunter2 swordfish, CODE: x }\r\nsteps: [ launch ]\r\n",
        "steps:\n  - type:\n      text: hunter2\n        swordfish: four\n      secret: true\n",
    ] {
        let project = Project::with_demo_app();
        project.write(
            "runner.yaml",
            "devices: [virtual]\napps: [apps/demo]\nsecrets: [MINE]\n",
        );
        project.flow("a", text);
        let junit = [
            "test",
            "--junit",
            "junit.xml",
            "--json",
            "run.ndjson",
            "--html",
            "html",
            "--allure",
            "allure",
        ];
        for arguments in [&["lint"][..], &junit, &["test", "--list"]] {
            let ran = project.run(arguments).expect(2).says("flows/a.yaml:");
            for (name, text) in outputs(&project, &ran) {
                for part in ["hunter2", "swordfish"] {
                    assert!(
                        !text.contains(part),
                        "{arguments:?}: {name} holds {part}\n{text}"
                    );
                }
            }
        }
    }
}

#[test]
fn settings_that_do_not_read_are_quoted_without_their_secrets() {
    for text in [
        "secrets: [CODE]\nenv: { CODE: hunter2, CODE: \"hunter2\" }\n",
        "env:\n  PASSWORD: \"hunter2\nretries: 1\n",
        "env: { TOKEN: hunter2, bad name: 1 }\n",
        "secrets: [CODE]\nenv: { CODE: [ hunter2 ] }\n",
    ] {
        let project = Project::empty();
        project.write("runner.yaml", text);
        project.run(&["config"]).expect(2).never_says("hunter2");
        project.run(&["test"]).expect(2).never_says("hunter2");
    }
}

/// Checks that lint warns of short secrets: they would be masked in many unrelated texts.
#[test]
fn lint_warns_of_secrets_that_are_in_every_other_text() {
    let project = Project::with_demo_app();
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nsecrets: [PIN, LONG]\nenv: { PIN: 'zqx', LONG: long enough }\n",
    );
    project.flow(
        "a",
        "steps:\n  - launch\n  - type: { into: { id: username }, text: vwy, secret: true }\n",
    );
    let ran = project.run(&["lint"]).expect(0);
    ran.says("flows/a.yaml:4:")
        .says("short-secret")
        .says("the secret `PIN` has fewer than 4 characters")
        .never_says("LONG")
        .never_says("vwy")
        .never_says("zqx");
}

#[test]
fn no_report_holds_the_credentials_of_an_address() {
    let project = Project::with_demo_app();
    project.flow("a", "steps: [ launch ]\n");
    let mut command = project.command(&[
        "test",
        "--html",
        "html",
        "--json",
        "run.ndjson",
        "--junit",
        "junit.xml",
    ]);
    command.env("JENKINS_URL", "https://ci.example/");
    command.env("BUILD_URL", "https://ada:pa%40ss@ci.example/job/7/");
    command.env("GITHUB_STEP_SUMMARY", project.path("summary.md"));
    let ran = Ran::from(command.output().unwrap()).expect(0);
    let outputs = outputs(&project, &ran);
    let reported = outputs
        .iter()
        .filter(|(_, text)| text.contains("ci.example/job/7"));
    assert!(reported.count() >= 2);
    for (name, text) in &outputs {
        assert!(
            !text.contains("pa%40ss") && !text.contains("ada:"),
            "{name}\n{text}"
        );
    }
}
