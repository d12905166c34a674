//! Claims about the flow language: what is found on reading, and what holds while running.

#[path = "language/generated.rs"]
mod generated;

use crate::common::Project;

/// Asserts that `lint` refuses the flow with each of the texts.
#[track_caller]
fn refused(text: &str, says: &[&str]) {
    let project = Project::with_demo_app();
    project.flow("a", text);
    let mut ran = project.run(&["lint"]).expect(2);
    for text in says {
        ran = ran.says(text);
    }
}

#[test]
fn a_comment_that_was_meant_as_text_is_a_warning() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "steps:\n  - launch  # opens it\n  - click: Item #3\n    optional: true\n    timeout: 100ms\n",
    );
    project
        .run(&["lint"])
        .expect(0)
        .says("warning[comment]: `#` begins a comment: this reads as `Item`")
        .says("flows/a.yaml:4:12")
        .says("\"Item #3\"")
        .never_says("opens it");
    project
        .run(&["test"])
        .expect(0)
        .says("flows/a.yaml:4:12: warning[comment]");
}

/// Law: a value of the header that has no text is reported at its place, and shows no secret beside it.
#[test]
fn a_value_of_the_header_without_a_text_is_reported_at_its_place() {
    const NONE: &str = "${os.NOPE | default(none)}";
    for (header, place, name) in [
        ("name: x\napp: NONE\n", "flows/a.yaml:2:", "app:"),
        ("app: a.b\n", "flows/_sub.yaml:3:", "env B:"),
        (
            "app: a.b\nenv:\n  A: x\n  B: NONE\n",
            "flows/a.yaml:4:",
            "env B:",
        ),
        (
            "app: a.b\nenv: { A: NONE, PW: 'hunter2''s' }\n",
            "flows/a.yaml:2:",
            "env A:",
        ),
        (
            "app: a.b\neach:\n  - { c: x, PW: hunter2xx }\n  - { c: NONE, PW: \"hunter2\\x78x\" }\n",
            "flows/a.yaml:4:",
            "column c:",
        ),
        (
            "app: a.b\neach: rows.csv\n",
            "flows/rows.csv:3:",
            "column c:",
        ),
    ] {
        let project = Project::with_demo_app();
        let secrets = if header.contains("PW") || header.contains("csv") {
            "secrets: [ PW ]\n"
        } else {
            ""
        };
        let header = header.replace("NONE", &format!("'{NONE}'"));
        let text = format!("{header}{secrets}steps:\n  - run: _sub.yaml\n");
        project.write("flows/a.yaml", &text);
        let sub = format!("env:\n  A: x\n  B: '{NONE}'\nsteps:\n  - back\n");
        project.write("flows/_sub.yaml", &sub);
        let rows = format!("c,PW\nx,hunter2xx\n{NONE},hunter2yy\n");
        project.write("flows/rows.csv", &rows);
        let ran = project.run(&["test", "--json", "out.ndjson"]);
        assert!(!project.read("out.ndjson").contains("hunter"), "{header}");
        ran.expect(1)
            .says(&format!("{name} `os.NOPE | default(none)` is none"))
            .says(&format!("--> {place}"))
            .never_says("hunter");
    }
}

#[test]
fn selectors_are_read_with_the_flow() {
    refused(
        r#"steps:
  - click: { text: { regex: "[a" } }
  - assert: { id: x, inside: { text: { regex: "(" } } }
  - snapshot: { name: a, of: { text: { regex: "(" } }, mask: [ { desc: { regex: ")" } } ] }
  - click: { id: x }
    when: { visible: { has: { hint: { regex: "*" } } } }
"#,
        &[
            "a.yaml:3:29",
            "a.yaml:4:47",
            "a.yaml:5:47",
            "a.yaml:5:81",
            "a.yaml:7:46",
        ],
    );
    refused(
        "steps:\n  - click: { id: x, inside: { ix: y } }\n",
        &["did you mean `id`?"],
    );
    refused(
        "steps:\n  - click: { text: { contains: '' } }\n",
        &["a.yaml:3:"],
    );
}

#[test]
fn arguments_are_checked_beyond_their_types() {
    refused(
        r#"steps:
  - press: no key
  - assert log: { regex: "(" }
  - custom_gesture: { paths: [[{ x: 1, y: 1, time: 9 }, { x: 2, y: 2, time: 3 }]] }
  - rotate: left
  - wait_for: { id: x, timeout: 5s }
"#,
        &[
            "a.yaml:3:12",
            "a.yaml:4:17",
            "a.yaml:5:21",
            "write `landscape`",
            "`timeout` is a modifier: write `timeout: …` on a line of its own, beside the step",
        ],
    );
}

#[test]
fn a_bare_word_with_modifiers_needs_a_colon() {
    refused(
        "steps:\n  - wait_for_idle\n    timeout: 1s\n",
        &["the step before needs a colon: `- wait_for_idle:`"],
    );
    let project = Project::with_demo_app();
    project.flow("a", "steps:\n  - wait_for_idle:\n    timeout: 1s\n");
    project.run(&["lint"]).expect(0);
}

#[test]
fn shell_is_found_when_the_flow_is_read() {
    let text = "steps:\n  - shell: [echo, hi]\n";
    refused(text, &["`shell` is not allowed", "allow_shell: true"]);
    let project = Project::with_demo_app();
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nallow_shell: true\n",
    );
    project.flow("a", text);
    project.run(&["test"]).expect(0);
}

#[test]
fn a_snapshot_with_numbers_shares_no_golden_with_another() {
    let each = |name: &str| {
        format!(
            "  - repeat: {{ times: 2, steps: [ {{ snapshot: {{ name: {name}, each: true }} }} ] }}\n"
        )
    };
    let plain = |name: &str| format!("  - snapshot: {name}\n");
    for steps in [
        each("home") + &plain("home.1"),
        plain("Home.12") + &each("home"),
        each("home") + &plain("home.1.2"),
        each("home") + &each("home.2"),
    ] {
        refused(
            &format!("steps:\n{steps}"),
            &["is taken", "`home.1`, `home.2`"],
        );
    }
    let project = Project::with_demo_app();
    for name in ["home.first", "home2", "home.01", "home-1"] {
        project.flow("a", &format!("steps:\n{}{}", each("home"), plain(name)));
        project.run(&["lint"]).expect(0);
    }
}

#[test]
fn snapshots_in_repetitions() {
    refused(
        "steps:\n  - snapshot: { name: x, each: true }\n",
        &["`each` belongs to a snapshot inside `repeat`"],
    );
    let project = Project::with_demo_app();
    project.write("flows/_sub.yaml", "steps:\n  - snapshot: x\n");
    project.flow(
        "a",
        "steps:\n  - repeat: { times: 2, steps: [ { run: _sub.yaml } ] }\n",
    );
    project.run(&["lint"]).expect(2).says("each: true");
    project.write(
        "flows/_sub.yaml",
        "steps:\n  - repeat: { times: 2, steps: [ { snapshot: { name: x, each: true } } ] }\n",
    );
    project.write(
        "flows/a.yaml",
        "app: com.example.notes\nsteps:\n  - launch: { clear: true }\n  - repeat: { times: 2, steps: [ { run: _sub.yaml } ] }\n",
    );
    project.run(&["test", "--update", "all"]).expect(0);
    let stored = project.files("snapshots");
    for name in ["x.1.1.tsv", "x.1.2.tsv", "x.2.1.tsv", "x.2.2.tsv"] {
        let name = format!("a/_sub/{name}");
        assert!(stored.contains(&name), "{name} is not in {stored:?}");
    }
}

#[test]
fn one_golden_has_one_place_that_takes_it() {
    let project = Project::with_demo_app();
    project.write("flows/_sub.yaml", "steps:\n  - snapshot: x\n");
    project.flow("a", "steps:\n  - run: _sub.yaml\n  - run: _sub.yaml\n");
    project
        .run(&["lint"])
        .expect(2)
        .says("the snapshot `_sub/x` is already taken by the step at flows/a.yaml:3")
        .says("flows/a.yaml:4:5")
        .says("label");
    project.flow(
        "a",
        "steps:\n  - run: _sub.yaml\n  - run: _sub.yaml\n    label: again\n",
    );
    project.run(&["lint"]).expect(0);
}

#[test]
fn two_files_do_not_share_a_golden() {
    let project = Project::with_demo_app();
    project.write("flows/a.yaml", "steps:\n  - snapshot: x\n");
    project.write("flows/a.yml", "steps:\n  - snapshot: x\n");
    project
        .run(&["lint"])
        .expect(2)
        .says("the golden `a/x` also belongs to flows/a.yaml")
        .says("flows/a.yml:2:5")
        .says("the golden `a/x` also belongs to flows/a.yml")
        .says("flows/a.yaml:2:5");
    // Neither runs, so none writes what may be the other's.
    for update in [&["test", "--update"][..], &["test"]] {
        project.run(update).expect(2).says("2 errors");
        assert_eq!(project.files("snapshots"), Vec::<String>::new());
    }
    project.write("flows/a.yml", "steps:\n  - snapshot: y\n");
    project.run(&["lint"]).expect(0);
}

#[test]
fn expressions_and_conditions() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        r#"env: { A: "1", B: "${A}2", PRICE: "$${x}" }
setup:
  - launch: { clear: true }
steps:
  - assert: { that: "${B == '12' and PRICE == '$' ~ '{x}'}" }
  - assert: { that: "${ {'a': {'b': '}'}}['a']['b'] == '}' }" }
  - assert: { that: "${os.HOME != '' and device.sdk >= 30 and flow.attempt == 1}" }
  - find: { id: username }
    as: A
  - assert: { that: "${A.bounds.left >= 0 and A.editable}" }
    label: a result takes the place of the env value
  - tap: { x: "${A.bounds.left + 20}", y: "${A.bounds.top + 20}" }
  - repeat: { times: "${1 + 1}", steps: [ wait_for_idle ] }
  - set: { N: 3, T: "x ${B}" }
  - assert: { that: "${N == 3 and T == 'x 12'}" }
  - click: Nowhere
    when: "${false}"
  - click: Nowhere
    optional: true
    timeout: 200ms
  - if: { not_visible: Nowhere }
    then: [ { assert visible: Welcome to Notes } ]
    else: [ { assert visible: Nowhere } ]
  - repeat: { while: { visible: Nowhere }, steps: [ back ] }
"#,
    );
    project.run(&["test"]).expect(0);
    for (step, says) in [
        (
            "assert: { that: \"${device.sdk | default('')}\" }",
            "neither true nor false",
        ),
        ("tap: { x: \"${'a'}\", y: 3 }", "a number is expected"),
        ("type: \"${os.NO_SUCH_NAME}\"", "is not set"),
    ] {
        project.flow("a", &format!("steps:\n  - launch\n  - {step}\n"));
        project.run(&["test"]).expect(1).says(says);
    }
    for (step, says) in [
        ("assert: { that: \"${device.sdk}\" }", "comes to a number"),
        ("type: \"${device.nosuch}\"", "has no `nosuch`"),
    ] {
        project.flow("a", &format!("steps:\n  - launch\n  - {step}\n"));
        project.run(&["test"]).expect(2).says(says);
    }
}

#[test]
fn a_limit_inside_a_sub_flow_leaves_the_names_of_the_flow() {
    let project = Project::with_demo_app();
    project.write(
        "flows/_wait.yaml",
        "steps:\n  - set: { WHO: inner }\n  - repeat:\n      while: \"${true}\"\n      max: 10000\n      steps: [ wait_for_idle ]\n",
    );
    project.flow(
        "a",
        r#"steps:
  - launch
  - set: { WHO: outer }
  - run: _wait.yaml
    timeout: 300ms
    optional: true
  - assert: { that: "${WHO == 'outer'}" }
"#,
    );
    project
        .run(&["test", "-v"])
        .expect(0)
        .says("the step took longer than its timeout of 300ms");
    project.flow(
        "a",
        r#"timeout: 1s
setup: [ { set: { WHO: outer } } ]
steps: [ { run: _wait.yaml } ]
teardown:
  - assert: { that: "${WHO == 'outer'}" }
    label: the flow's own name
"#,
    );
    project
        .run(&["test", "-v"])
        .expect(1)
        .says("timeout of 1s")
        .says("ok    teardown: the flow's own name");
}

#[test]
fn no_output_shows_a_secret() {
    let project = Project::with_demo_app();
    project.write(
        "flows/_sub.yaml",
        "secrets: [PIN]\nenv: { PIN: 'pin-in-header' }\nsteps:\n  - type: { into: { id: username }, text: \"${PIN}\", clear: true }\n",
    );
    project.flow(
        "a",
        r#"secrets: [TOKEN]
steps:
  - launch: { clear: true }
  - group: [ { type: { into: { id: username }, text: "one-line-secret", secret: true } } ]
  - type: { into: { id: username }, text: "part-${device.sdk}-secret", secret: true }
  - run: { flow: _sub.yaml, env: { PIN: pin-of-caller } }
  - set: { TOKEN: token-set-here }
  - type: { into: { id: password }, text: "in-password-field" }
  - click: "one-line-secret pin-of-caller ${TOKEN} in-password-field"
    timeout: 100ms
"#,
    );
    let mut ran = project
        .run(&["test", "-v", "--json", "out.ndjson", "--junit", "out.xml"])
        .expect(1);
    let mut outputs = vec![project.read("out.ndjson"), project.read("out.xml")];
    let folder = ".runner/artifacts/flows/a/virtual-1";
    for name in project.files(folder) {
        if name.ends_with(".tsv") || name.ends_with(".log") {
            outputs.push(project.read(&format!("{folder}/{name}")));
        }
    }
    assert!(outputs.len() > 2, "no artifact");
    for secret in [
        "one-line-secret",
        "part-34-secret",
        "part-",
        "pin-in-header",
        "pin-of-caller",
        "token-set-here",
    ] {
        ran = ran.never_says(secret);
        for output in &outputs[..] {
            // What is written beside an expression stands in the source's line; its value is nowhere.
            let displayed = secret != "part-" && output.contains(secret);
            assert!(!displayed, "{secret} is in\n{output}");
        }
    }
    // Which field it is shows only when it is typed into: from then on it is hidden.
    let after = outputs[0]
        .lines()
        .skip_while(|line| !(line.contains("step_finished") && line.contains("id: password")))
        .collect::<Vec<_>>();
    assert!(after.len() > 2, "{}", outputs[0]);
    assert!(!after.join("\n").contains("in-password-field"), "{after:?}");
}

#[test]
fn a_flow_from_elsewhere_leaves_nothing_there() {
    let project = Project::with_demo_app();
    let other_place = Project::empty();
    other_place.write(
        "b.yaml",
        "app: com.example.notes\nsteps:\n  - launch\n  - snapshot: x\n",
    );
    project.flow("a", "steps: [ home ]\n");
    let path = other_place.path("b.yaml");
    let path = path.to_str().expect("a path");
    let ran = project.run(&["test", "flows/a.yaml", path]).expect(1);
    assert!(ran.stdout.contains("is new"), "{}", ran.stdout);
    assert_eq!(other_place.files("."), ["b.yaml"]);
}

/// Flows that ask for more than a machine has.
const BOMBS: [(&str, &str); 10] = [
    ("indent", "set: { A: \"${'a'|indent(100000000000)}\" }"),
    ("format", "set: { A: \"${'%1000000000s'|format('x')}\" }"),
    (
        "repeat",
        "set: { A: \"${'a' * 100000000 ~ 'a' * 100000000}\" }",
    ),
    (
        "replace",
        "assert: { that: \"${('a'*99999)|replace('a','a'*9999)|length > 1}\" }",
    ),
    ("join", "set: { A: \"${range(9999)|join('a' * 999999)}\" }"),
    ("slice", "set: { A: \"${[1]|slice(100000000000)|list}\" }"),
    (
        "parts",
        "set: { A: [\"${'a'*1000000}\", \"${'a'*1000000}\"], B: \"${'a'*1000000}\" }",
    ),
    (
        "tower",
        "repeat: { times: 10000, steps: [ set: { A: \"${[A]}\" } ] }",
    ),
    (
        "doubling",
        "repeat: { times: 100, steps: [ set: { A: \"${A ~ A}\" } ] }",
    ),
    (
        "deep",
        "click: X\n    when: \"${------------------------------------------------1 > 0}\"",
    ),
];

fn bombs() -> Project {
    let project = Project::with_demo_app();
    for (name, step) in BOMBS {
        project.flow(name, &format!("steps:\n  - set: {{ A: xx }}\n  - {step}\n"));
    }
    let many = "${'a'*1000000}".repeat(2_000);
    project.flow("many", &format!("steps:\n  - set: {{ A: \"{many}\" }}\n"));
    project.flow(
        "good",
        "steps:\n  - set: { A: \"${1 + 1}\" }\n  - assert: { that: \"${A == 2}\" }\n",
    );
    project
}

/// Runs the program with at most 8 GB of address space.
fn in_little_memory(project: &Project, arguments: &[&str]) -> std::process::Output {
    let program = project.command(arguments);
    let mut limited = std::process::Command::new("bash");
    limited.args(["-c", "ulimit -v 8000000; exec \"$0\" \"$@\""]);
    limited.arg(program.get_program()).args(program.get_args());
    limited.env_clear();
    if let Some(folder) = program.get_current_dir() {
        limited.current_dir(folder);
    }
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    limited.output().expect("the program starts")
}

#[test]
fn no_expression_ends_the_run_of_others() {
    let project = bombs();
    let began = std::time::Instant::now();
    let ran = in_little_memory(&project, &["test"]);
    let message = format!(
        "{}{}",
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr)
    );
    assert_eq!(ran.status.code(), Some(1), "{message}");
    assert!(message.contains("1 passed"), "{message}");
    assert!(message.contains("11 failed"), "{message}");
    assert!(
        !message.contains("aaaaaaaaaa"),
        "{}",
        &message[..message.len().min(2_000)]
    );
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());

    let lint = in_little_memory(&project, &["lint"]);
    assert_eq!(
        lint.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&lint.stdout)
    );
}

#[test]
fn expressions_end_with_the_flow_and_at_ctrl_c() {
    // An expression alone has a second, on any machine.
    let slow = "${range(200)|select('in', range(200))|list|length}";
    let loops = |timeout: &str| {
        format!(
            "timeout: {timeout}\nsteps:\n  - repeat: {{ times: 10000, steps: [ repeat: {{ times: 10000, steps: [ \
             set: {{ A: \"{slow}\" }} ] }} ] }}\n"
        )
    };
    let project = Project::with_demo_app();
    project.flow("a", &loops("2s"));
    let began = std::time::Instant::now();
    let ran = project.run(&["test"]).expect(1);
    ran.says("longer than its timeout of 2s");
    assert!(began.elapsed().as_secs() < 40, "{:?}", began.elapsed());

    project.flow("a", &loops("10m"));
    let mut running = project
        .command(&["test"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(3));
    let began = std::time::Instant::now();
    let interrupt = std::process::Command::new("kill")
        .args(["-INT", &running.id().to_string()])
        .status();
    assert!(interrupt.unwrap().success());
    running.wait().unwrap();
    assert!(began.elapsed().as_secs() < 40, "{:?}", began.elapsed());
}

#[cfg(unix)]
#[test]
fn a_flow_that_cannot_be_read_is_never_left_out() {
    let project = Project::with_demo_app();
    project.flow("good", "steps: [ launch ]\n");
    std::os::unix::fs::symlink("nowhere.yaml", project.path("flows/dangling.yaml")).unwrap();
    std::os::unix::fs::symlink("good.yaml", project.path("flows/again.yaml")).unwrap();
    project.write("flows/Upper.YAML", "steps: [ stop ]\n");
    for command in ["lint", "test"] {
        project
            .run(&[command])
            .expect(2)
            .says("flows/dangling.yaml")
            .says("this link leads nowhere");
    }
    project
        .run(&["test", "--list"])
        .says("flows/Upper.YAML")
        .says("flows/good.yaml")
        .never_says("flows/again.yaml");
}

#[test]
fn the_display_is_known_as_it_is_now() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "steps:\n  - assert: { that: \"${device.width < device.height}\" }\n  - rotate: landscape\n  \
         - assert: { that: \"${device.width > device.height}\" }\n  - rotate: portrait\n  \
         - assert: { that: \"${device.width < device.height}\" }\n",
    );
    project.run(&["test"]).expect(0);
}

/// A project whose flows may change the display by a command.
fn with_shell(steps: &str) -> Project {
    let project = Project::with_demo_app();
    let settings = project.read("runner.yaml") + "allow_shell: true\n";
    project.write("runner.yaml", &settings);
    project.flow("a", steps);
    project
}

#[test]
fn the_display_is_known_as_a_command_left_it() {
    let wide = "assert: { that: \"${device.width == 1280 and device.height == 720}\" }";
    let command = "shell: [wm, size, 1280x720]";
    for steps in [
        format!("  - {command}\n  - {wide}\n"),
        format!("  - launch\n  - {command}\n  - set: {{ A: 1 }}\n  - {wide}\n"),
        format!("  - {command}\n    message: \"${{device.width}}\"\n  - if: \"${{device.width > 1080}}\"\n    then: [ {command} ]\n    else: [ assert: {{ that: \"${{1 > 2}}\" }} ]\n  - {wide}\n"),
        format!("  - repeat:\n      while: \"${{device.width < 1280}}\"\n      max: 2\n      steps: [ {command} ]\n"),
        "  - launch\n  - shell: [settings, put, system, user_rotation, \"1\"]\n  - assert: { that: \"${device.width > device.height}\" }\n".to_owned(),
    ] {
        with_shell(&format!("steps:\n{steps}"))
            .run(&["test"])
            .expect(0);
    }
}

#[test]
fn the_density_is_known_as_a_command_left_it() {
    let command = "shell: [wm, density, 300]";
    let is_set = "assert: { that: \"${device.density == 300}\" }";
    for steps in [
        format!("  - {command}\n  - {is_set}\n"),
        format!("  - launch\n  - {command}\n  - set: {{ A: 1 }}\n  - {is_set}\n"),
        format!("  - {command}\n  - launch\n  - assert visible: Welcome to Notes\n  - {is_set}\n"),
        format!(
            "  - {command}\n  - {is_set}\n  - shell: [wm, density, reset]\n  - assert: {{ that: \"${{device.density != 300}}\" }}\n"
        ),
    ] {
        with_shell(&format!("steps:\n{steps}"))
            .run(&["test"])
            .expect(0);
    }
}

#[test]
fn a_display_is_turned_from_its_present_size() {
    for (size, begin) in [
        ("2400x1080", ""),
        ("1080x2400", ""),
        ("2400x1080", "  - rotate: landscape\n"),
    ] {
        for (to, compare) in [
            ("portrait", "<"),
            ("reverse_portrait", "<"),
            ("landscape", ">"),
            ("reverse_landscape", ">"),
        ] {
            let steps = format!(
                "steps:\n{begin}  - shell: [wm, size, {size}]\n  - rotate: {to}\n  - assert: {{ that: \"${{device.width {compare} device.height}}\" }}\n"
            );
            with_shell(&steps).run(&["test"]).expect(0);
        }
    }
}

#[test]
fn the_language_is_known_as_it_was_set() {
    let project = Project::with_demo_app();
    project.flow(
        "_french",
        "steps:\n  - set_device: { locale: fr-FR }\n  - assert: { that: \"${device.locale == 'fr-FR'}\" }\n",
    );
    project.flow(
        "a",
        "steps:\n  - launch\n  - set_device: { locale: de-DE }\n  \
         - assert: { that: \"${device.locale == 'de-DE'}\" }\n  - set_device: { dark: true }\n  \
         - assert: { that: \"${device.locale == 'de-DE'}\" }\n  - run: _french.yaml\n  \
         - assert: { that: \"${device.locale == 'fr-FR'}\" }\n",
    );
    project.run(&["test"]).expect(0);
}

#[test]
fn a_secret_may_be_a_number_and_stand_in_a_list() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "secrets: [ PIN, CODES ]\nsteps:\n  - launch\n  - set: { PIN: \"${241456 * 2 + 1}\", CODES: [ \"${611 * 1000}\", swordfish ] }\n  \
         - assert not visible: \"no ${PIN} ${CODES[0]} ${CODES | last}\"\n",
    );
    project
        .run(&["test", "-v"])
        .expect(0)
        .says("assert not visible: no *** *** ***")
        .never_says("482913")
        .never_says("611000");
}

#[test]
fn titles_show_what_was_looked_for() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "env: { WHAT: Sign in, TOKEN: s3cret-token }\nsecrets: [ TOKEN ]\nsteps:\n  - launch\n  \
         - assert visible: \"${WHAT}\"\n  - assert not visible: \"$${WHAT} ${TOKEN}\"\n  \
         - assert not visible: \"${os.PATH}\"\n",
    );
    project
        .run(&["test", "-v"])
        .expect(0)
        .says("assert visible: Sign in")
        .says("assert not visible: ${WHAT} ***")
        .says("assert not visible: ${os.PATH}")
        .never_says("s3cret");
}
