//! `runner test` on the command line: exit codes, selection, values, control, settings and output.

#[path = "test_command/secrets.rs"]
mod secrets;

use crate::common::{Project, Ran};

/// Makes a project with one flow of the demo app.
fn project(flow: &str) -> Project {
    let project = Project::with_demo_app();
    project.flow("a", flow);
    project
}

const PASSES: &str = "steps: [ launch ]\n";
const FAILS: &str = "steps:\n  - launch\n  - assert visible: { text: Nowhere }\n    timeout: 1s\n";

fn position(ran: &Ran, text: &str) -> usize {
    ran.stdout
        .find(text)
        .unwrap_or_else(|| panic!("{text:?} is not in\n{}", ran.stdout))
}

// --- exit codes

#[test]
fn a_passed_run_is_0_and_a_failed_one_1() {
    project(PASSES).run(&["test"]).expect(0).says("1 passed");
    let project = project(FAILS);
    let ran = project.run(&["test"]).expect(1);
    insta::assert_snapshot!(ran.normalized(&project));
}

// Errors and reports quote the beginning of what is long.
#[test]
fn what_is_quoted_has_an_end() {
    let long = "x".repeat(200_000);
    let project = project(&format!(
        "steps:\n  - launch\n  - click: {long}\n    timeout: 1s\n"
    ));
    let arguments = [
        "test", "--junit", "j.xml", "--json", "e.jsonl", "--html", "h",
    ];
    let ran = project.run(&arguments).expect(1).says("xxx…");
    assert!(ran.stdout.len() < 20_000, "{}", ran.stdout.len());
    assert!(project.read("j.xml").len() < 30_000);
    for line in project.read("e.jsonl").lines() {
        let is_source = line.contains("\"event\":\"source\"");
        assert!(is_source || line.len() < 20_000, "{} bytes", line.len());
    }
    // The report holds the flow's file itself.
    let page = std::fs::metadata(project.path("h/index.html")).unwrap();
    assert!(page.len() < 900_000, "{}", page.len());
}

#[test]
fn wrong_usage_is_2_and_says_what_is_right() {
    let project = project(PASSES);
    project
        .run(&["test", "--no-such"])
        .expect(2)
        .says("--no-such");
    project
        .run(&["test", "--env", "novalue"])
        .expect(2)
        .says("write KEY=VALUE");
    project
        .run(&["test", "--update", "sometimes"])
        .expect(2)
        .says("sometimes");
    project
        .run(&["test", "--update=sometimes"])
        .expect(2)
        .says("sometimes");
    project
        .run(&["test", "--format", "json"])
        .expect(2)
        .says("`--json FILE`");
    project.run(&["test", "-q", "-v"]).expect(2);
    project
        .run(&["test", "flows/none.yaml"])
        .expect(2)
        .says("none.yaml");
}

#[test]
fn no_flow_is_2() {
    let project = Project::with_demo_app();
    project.run(&["test"]).expect(2).says("runner init");
    project.write("flows/_only.yaml", "steps: [ home ]\n");
    project.run(&["test"]).expect(2);
}

#[test]
fn an_unusable_runner_yaml_is_2_and_says_where() {
    let project = project(PASSES);
    project.write("runner.yaml", "devices: [virtual]\nretrys: 2\n");
    project
        .run(&["test"])
        .expect(2)
        .says("runner.yaml:2:1")
        .says("retries");
}

#[test]
fn no_device_is_3_with_advice() {
    let project = project(PASSES);
    project.write("runner.yaml", "apps: [apps/demo]\n");
    let port = free_port();
    let none = |arguments: &[&str]| {
        let mut command = project.command(arguments);
        command
            .env("PATH", "")
            .env_remove("HOME")
            .env("ANDROID_ADB_SERVER_PORT", &port);
        Ran::from(command.output().unwrap())
    };
    none(&["test"])
        .expect(3)
        .says("no adb server")
        .says("runner doctor");
    none(&["test", "--device", "R58M123"])
        .expect(3)
        .says("no adb server")
        .says("runner doctor");
    none(&["test", "-q"]).expect(3).says("runner doctor");
    none(&["test", "--device", &format!("127.0.0.1:{port}")])
        .expect(3)
        .says(&port);
    project.flow("b", PASSES);
    none(&["test"])
        .expect(3)
        .says("flows/a.yaml")
        .says("flows/b.yaml")
        .says("2 errors");
}

fn free_port() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port().to_string()
}

/// Runs the program as [`stopped`] does, but ends it by Ctrl-C.
#[cfg(unix)]
fn interrupted(project: &Project, arguments: &[&str], until: &str) -> Ran {
    stopped(project, arguments, until, "-INT")
}

/// Begins a long run, waits for `until` in its output, and sends it a signal.
#[cfg(unix)]
fn stopped(project: &Project, arguments: &[&str], until: &str, signal: &str) -> Ran {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::{Command, Stdio};
    let mut child = project
        .command(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut stdout = String::new();
    while !stdout.contains(until) {
        assert_ne!(
            lines.read_line(&mut stdout).unwrap(),
            0,
            "it ended early:\n{stdout}"
        );
    }
    let killed = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    lines.read_to_string(&mut stdout).unwrap();
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    let code = child.wait().unwrap().code().unwrap_or(-1);
    Ran {
        code,
        stdout,
        stderr,
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_is_130_and_tears_down() {
    let project = project(
        "env: { WHO: ada }\nsteps:\n  - launch\n  - repeat: { times: 10000, steps: [ find: Username ] }\n\
         teardown:\n  - type: { into: { id: username }, text: \"${WHO}\" }\n  - assert: { id: username, text: ada }\n  - stop\n",
    );
    project.flow("b", PASSES);
    // The second is how CI systems and supervisors end a process.
    for signal in ["-INT", "-TERM"] {
        let ran = stopped(&project, &["test", "flows/a.yaml"], "ok    launch", signal).expect(130);
        let ran = ran
            .says("interrupted")
            .says("ok    teardown: assert")
            .says("ok    teardown: stop");
        assert!(!ran.stdout.contains("teardown failed"), "{}", ran.stdout);
    }
}

#[cfg(unix)]
#[test]
fn teardown_sees_the_flow_not_the_sub_flow_that_was_cut_short() {
    let project = project(
        "env: { WHO: ada }\nsteps:\n  - launch\n  - run: { flow: _long.yaml, env: { WHO: grace } }\n\
         teardown:\n  - assert: { that: \"${WHO == 'ada'}\" }\n",
    );
    project.write(
        "flows/_long.yaml",
        "steps:\n  - repeat: { times: 10000, steps: [ find: Username ] }\n",
    );
    interrupted(&project, &["test"], "find: Username")
        .expect(130)
        .says("ok    teardown: assert");
    project.replace("flows/a.yaml", "steps:\n", "timeout: 1s\nsteps:\n");
    project
        .run(&["test"])
        .expect(1)
        .says("ok    teardown: assert")
        .says("timeout of 1s");
}

#[cfg(unix)]
#[test]
fn an_interruption_leaves_the_rest_out() {
    let project =
        project("steps:\n  - launch\n  - repeat: { times: 10000, steps: [ find: Username ] }\n");
    project.flow("b", PASSES);
    let arguments = ["test", "--json", "-", "--junit", "junit.xml"];
    let ran = interrupted(&project, &arguments, "find: Username").expect(130);
    assert!(
        ran.stderr.contains("flows/b.yaml") || ran.stderr.contains("2 not run to the end"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stdout
            .lines()
            .last()
            .unwrap()
            .contains("\"exit_code\":130"),
        "{}",
        ran.stdout
    );
    let junit = project.read("junit.xml");
    assert!(junit.contains("not run: stopped by the user"), "{junit}");
    assert!(
        junit.contains("not finished: stopped by the user"),
        "{junit}"
    );
}

// --- which flows

#[test]
fn list_tags_and_paths_choose_flows() {
    let project = Project::with_demo_app();
    project.flow(
        "one",
        "name: First\ntags: [smoke, login]\nsteps: [ launch ]\n",
    );
    project.flow("deep/two", "tags: [smoke, slow]\nsteps: [ launch ]\n");
    project.flow("three", "steps: [ launch ]\n");
    project.flow("_sub", "steps: [ launch ]\n");
    for (arguments, expected) in [
        (
            vec![],
            vec!["flows/deep/two.yaml", "flows/one.yaml", "flows/three.yaml"],
        ),
        (
            vec!["--tag", "smoke"],
            vec!["flows/deep/two.yaml", "flows/one.yaml"],
        ),
        (
            vec!["--tag", "login", "--tag", "slow"],
            vec!["flows/deep/two.yaml", "flows/one.yaml"],
        ),
        (
            vec!["--tag", "smoke", "--exclude-tag", "slow"],
            vec!["flows/one.yaml"],
        ),
        (vec!["--exclude-tag", "smoke"], vec!["flows/three.yaml"]),
        (vec!["flows/deep"], vec!["flows/deep/two.yaml"]),
        (vec!["flows/t*.yaml"], vec!["flows/three.yaml"]),
        (vec!["flows/_sub.yaml"], vec!["flows/_sub.yaml"]),
    ] {
        let all: Vec<&str> = ["test", "--list"]
            .into_iter()
            .chain(arguments.iter().copied())
            .collect();
        let ran = project.run(&all).expect(0);
        let listed: Vec<&str> = ran
            .stdout
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        assert_eq!(listed, expected, "{arguments:?}");
    }
    project
        .run(&["test", "--list"])
        .says("First")
        .says("[smoke, login]");
    project
        .run(&["test", "--tag", "nobody"])
        .expect(2)
        .says("tag");
}

// --- values

#[test]
fn env_is_taken_in_its_order() {
    let project = Project::with_demo_app();
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nenv: { A: file, B: file, C: file, D: file }\n",
    );
    project.write("ci.env", "# values\nC=envfile\nD=envfile\n");
    project.flow(
        "a",
        "env: { B: header, C: header, D: header }\nsteps:\n\
         \x20 - assert: { that: \"${A ~ B ~ C ~ D == 'fileheaderenvfileflag'}\" }\n\
         \x20 - run: { flow: _sub.yaml, env: { D: run } }\n\
         \x20 - assert: { that: \"${D == 'flag'}\" }\n",
    );
    project.flow("_sub", "env: { D: sub, E: own }\nsteps:\n  - assert: { that: \"${A ~ B ~ C ~ D ~ E == 'fileheaderenvfilerunown'}\" }\n");
    project
        .run(&["test", "--env-file", "ci.env", "--env", "D=flag"])
        .expect(0)
        .never_says("ci.env:");
    project.write("ci.env", "C=envfile\nD=envfile X=hunter2\n");
    project
        .run(&["test", "--list", "--env-file", "ci.env"])
        .expect(0)
        .says("ci.env:2: `X=` belongs to the value of `D`")
        .never_says("hunter2");
    project.write("ci.env", "C=envfile\nno value\n");
    project
        .run(&["test", "--env-file", "ci.env"])
        .expect(2)
        .says("ci.env:2");
    project
        .run(&["test", "--env-file", "absent.env"])
        .expect(2)
        .says("absent.env");
}

#[test]
fn the_env_of_a_sub_flow_does_not_beat_the_command_line() {
    let project =
        project("steps:\n  - run: _one.yaml\n  - run: { flow: _two.yaml, env: { WHO: run } }\n");
    project.flow(
        "_one",
        "env: { WHO: sub, OWN: sub }\nsteps:\n  - assert: { that: \"${WHO ~ OWN == 'flagsub'}\" }\n",
    );
    project.flow("_two", "steps:\n  - run: _three.yaml\n");
    project.flow(
        "_three",
        "env: { WHO: sub }\nsteps:\n  - assert: { that: \"${WHO == 'run'}\" }\n",
    );
    project.run(&["test", "--env", "WHO=flag"]).expect(0);
}

#[test]
fn the_process_environment_is_seen_as_os() {
    let project = project("steps:\n  - assert: { that: \"${os.WHO == 'ada'}\" }\n");
    let mut command = project.command(&["test"]);
    Ran::from(command.env("WHO", "ada").output().unwrap()).expect(0);
    project.run(&["test"]).expect(1).says("os.WHO");
}

#[test]
fn a_sub_flow_gives_back_only_its_outputs() {
    let project = project(
        "steps:\n  - launch\n  - run: _sub.yaml\n    as: got\n  - assert: { that: \"${title.text == 'Welcome to Notes'}\" }\n\
         \x20 - assert: { that: \"${got.title.text == title.text}\" }\n",
    );
    project.flow(
        "_sub",
        "outputs: [title]\nsetup: [ { click: Never run } ]\nsteps:\n  - find: Welcome to Notes\n    as: title\n  - find: Username\n    as: inner\n",
    );
    project.run(&["test"]).expect(0);
    project.replace(
        "flows/a.yaml",
        "got.title.text == title.text",
        "inner.text == ''",
    );
    project
        .run(&["test"])
        .expect(2)
        .says("inner")
        .says("flows/a.yaml:");
}

// --- control

#[test]
fn control_steps_do_what_they_say() {
    let project = project(
        "steps:
  - launch
  - set: { COUNT: 3, NAME: ada }
  - group:
      - type: { into: { id: username }, text: \"${NAME}\" }
    label: the name
  - repeat:
      times: \"${COUNT}\"
      steps:
        - type: x
  - assert: { id: username, text: adaxxx }
  - repeat:
      while: { visible: adaxxx* }
      max: 5
      steps:
        - erase: { id: username }
  - assert not visible: adaxxx
  - if: { visible: Sign in }
    then:
      - type: { into: { id: username }, text: seen }
    else:
      - click: Never
  - if: \"${NAME == 'grace'}\"
    then:
      - click: Never
    else:
      - assert: { id: username, text: seen }
  - click: Never
    when: { visible: Nowhere }
  - click: Never
    timeout: 500ms
    optional: true
  - click: Forgot password?
    when: \"${device.virtual}\"
",
    );
    let ran = project.run(&["test"]).expect(0);
    insta::assert_snapshot!(ran.normalized(&project));
}

#[test]
fn a_while_that_never_ends_is_a_failure() {
    let project = project(
        "steps:\n  - launch\n  - repeat: { while: { visible: Username }, max: 3, steps: [ find: Username ] }\n",
    );
    project.run(&["test"]).expect(1).says("after 3 rounds");
}

#[test]
fn retry_tries_steps_again() {
    // The wish is only fulfilled by the third character.
    let project = project(
        "steps:
  - launch
  - click: { id: username }
  - retry:
      times: 2
      steps:
        - type: x
        - assert: { id: username, text: xxx }
          timeout: 500ms
",
    );
    project.run(&["test"]).expect(0);
    project.replace("flows/a.yaml", "times: 2", "times: 1");
    project.run(&["test"]).expect(1).says("expected");
}

// --- retries, flakiness, fail-fast

/// Flow that passes at its second attempt.
const FLAKY: &str = "steps:\n  - launch\n  - assert: { that: \"${flow.attempt == 2}\" }\n";

#[test]
fn a_pass_after_a_failure_is_flaky() {
    let project = project(FLAKY);
    project.run(&["test"]).expect(1);
    project
        .run(&["test", "--retries", "1"])
        .expect(0)
        .says("flaky")
        .says("attempt 2");
    project
        .run(&["test", "--retries", "1", "--fail-on-flaky"])
        .expect(1)
        .says("flaky");
    project.replace("flows/a.yaml", "steps:", "retries: 1\nsteps:");
    project.run(&["test"]).expect(0).says("1 flaky");
}

#[test]
fn fail_fast_leaves_the_rest_out() {
    let project = project(FAILS);
    project.flow("b", PASSES);
    project.run(&["test"]).expect(1).says("1 passed, 1 failed");
    let ran = project.run(&["test", "--fail-fast"]).expect(1);
    let ran = ran
        .says("stopped at the first failure")
        .says("1 not run to the end");
    assert!(!ran.stdout.contains("PASS"), "{}", ran.stdout);
}

#[test]
fn a_skipped_flow_says_why() {
    let project = project(
        "skip: { if: \"${device.sdk < 99}\", because: the phone is too old }\nsteps: [ click: Never ]\n",
    );
    project
        .run(&["test"])
        .expect(0)
        .says("the phone is too old")
        .says("1 skipped");
    project.replace("flows/a.yaml", "< 99", "> 99");
    project.run(&["test"]).expect(1);
}

// --- setup, teardown, settings

#[test]
fn teardown_runs_after_a_failure_and_settings_are_put_back() {
    let project = project(
        "steps:\n  - launch\n  - set_device: { dark: true, font_scale: 1.3 }\n  - click: Never\n    timeout: 500ms\nteardown: [ stop ]\n",
    );
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nallow_shell: true\n",
    );
    project.flow(
        "b",
        "steps:\n  - shell: [cmd, uimode, night]\n    as: night\n  - shell: [settings, get, system, font_scale]\n    as: font\n\
         \x20 - assert: { that: \"${night.stdout is endingwith('no\\n') or 'no' in night.stdout}\" }\n\
         \x20 - assert: { that: \"${'1.3' not in font.stdout}\" }\n",
    );
    let ran = project
        .run(&["test", "-v"])
        .expect(1)
        .says("1 passed, 1 failed");
    assert!(
        position(&ran, "FAIL  click: Never") < position(&ran, "ok    teardown: stop"),
        "{}",
        ran.stdout
    );
}

#[test]
fn setup_and_teardown_failures_are_errors() {
    let project = project(
        "setup: [ { click: Never, timeout: 500ms } ]\nsteps: [ launch ]\nteardown: [ home ]\n",
    );
    project
        .run(&["test"])
        .expect(1)
        .says("error in setup")
        .says("1 error")
        .says("ok    teardown: home");
    project.flow(
        "a",
        "steps: [ launch ]\nteardown: [ { click: Never, timeout: 500ms } ]\n",
    );
    project
        .run(&["test"])
        .expect(1)
        .says("error in teardown")
        .says("1 error");
}

#[test]
fn limits_end_steps_and_flows() {
    let project = project(
        "timeout: 1s\nsteps:\n  - launch\n  - repeat: { times: 10000, steps: [ find: Username ] }\nteardown: [ stop ]\n",
    );
    let ran = project.run(&["test"]).expect(1);
    ran.says("timeout of 1s").says("ok    teardown: stop");
    project.flow(
        "a",
        "step_timeout: 1s\nsteps:\n  - launch\n  - wait_for: Never\n",
    );
    project
        .run(&["test"])
        .expect(1)
        .says("no element matches Never");
}

// --- several devices

#[test]
fn several_devices_run_the_same_flows() {
    let project = project(
        "steps:\n  - launch\n  - assert: { that: \"${device.label in ['virtual', 'virtual-2']}\" }\n",
    );
    let ran = project
        .run(&["test", "--device", "virtual", "--device", "virtual"])
        .expect(0);
    ran.says("[virtual]")
        .says("[virtual-2]")
        .says("2 flows on 2 devices")
        .says("2 passed");
}

// --- what is printed

#[test]
fn verbose_tells_what_steps_cost() {
    let project = project("steps:\n  - launch\n  - click: Username\n  - assert visible: Sign in\n");
    let ran = project.run(&["test", "-v"]).expect(0);
    let line = ran
        .stdout
        .lines()
        .find(|line| line.contains("click: Username"))
        .unwrap();
    assert!(line.ends_with("· 3 round trips · 1 dump"), "{line}");
    ran.says("Android 14 (API 34)");
}

#[test]
fn quiet_tells_failures_and_the_summary_only() {
    let project = project(PASSES);
    let ran = project.run(&["test", "-q"]).expect(0);
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
    project.flow("b", FAILS);
    let ran = project
        .run(&["test", "-q"])
        .expect(1)
        .says("flows/b.yaml:4:5");
    ran.never_says("a.yaml").never_says("ok ");
}

#[test]
fn colours_are_for_terminals_and_never_with_no_color() {
    let project = project(FAILS);
    let with = |name: &str, value: &str, other: Option<(&str, &str)>| {
        let mut command = project.command(&["test"]);
        command.env(name, value);
        if let Some((name, value)) = other {
            command.env(name, value);
        }
        Ran::from(command.output().unwrap()).expect(1)
    };
    with("CLICOLOR_FORCE", "1", None).says("\u{1b}[");
    with("CLICOLOR_FORCE", "1", Some(("NO_COLOR", "1"))).never_says("\u{1b}");
    project.run(&["test"]).never_says("\u{1b}");
}

#[test]
fn what_failed_but_may_is_counted_in_the_flow_s_line() {
    let project = project(PASSES);
    project.flow(
        "b",
        "steps:\n  - launch\n  - { click: Nowhere, optional: true, timeout: 50ms }\n  - { click: Never, optional: true, timeout: 50ms }\n",
    );
    let ran = project.run(&["test"]).expect(0);
    let line = |name: &str| {
        let mut lines = ran.stdout.lines();
        lines.find(|line| line.contains(name)).unwrap().to_owned()
    };
    assert!(line("flows/b.yaml").ends_with("2 optional steps failed"));
    assert!(!line("flows/a.yaml").contains("optional"));
}

#[test]
fn several_errors_are_errors() {
    let project = project("steps: [ lunch ]\n");
    project.flow("b", "steps: [ lunch ]\n");
    project
        .run(&["test", "--html", "html"])
        .expect(2)
        .says("2 errors");
    assert!(project.read("html/index.html").contains("2 errors"));
}

// --- secrets

/// Asserts that no file of a run and no output holds the value.
#[track_caller]
fn never_written(project: &Project, value: &str) {
    for name in project.files("") {
        if name.starts_with("apps/") || name.starts_with("flows/") || name.ends_with(".env") {
            continue;
        }
        let bytes = std::fs::read(project.path(&name)).unwrap();
        let found = bytes
            .windows(value.len())
            .any(|part| part == value.as_bytes());
        assert!(!found, "{name} holds the secret");
    }
}

#[test]
fn secrets_are_in_no_output_and_no_file() {
    let secret = "hunter2&Söhne\"x";
    let project = Project::with_demo_app();
    project.flow(
        "env",
        "secrets: [PASSWORD]\nsteps:\n  - launch\n  - type: { into: { id: username }, text: \"${PASSWORD}\" }\n\
         \x20 - find: { id: username }\n    as: field\n  - snapshot: typed\n    optional: true\n\
         \x20 - assert: { id: username, text: \"not ${field.text}\" }\n    timeout: 500ms\n",
    );
    let ran = project.run(&[
        "test",
        "-v",
        "--env",
        &format!("PASSWORD={secret}"),
        "--junit",
        "junit.xml",
        "--json",
        "run.ndjson",
    ]);
    let ran = ran.expect(1).says("***");
    ran.never_says("hunter2");
    assert!(
        project
            .files("")
            .iter()
            .any(|name| name.ends_with("typed.new.tsv")),
        "{:?}",
        project.files("")
    );
    never_written(&project, "hunter2");
    assert!(project.read("junit.xml").contains("***"));
}

#[test]
fn a_secret_written_in_a_step_is_in_no_output_and_no_file() {
    let project = project(
        "steps:\n  - launch\n  - type: { into: { id: username }, text: hunter2, secret: true }\n\
         \x20 - assert: { id: username, text: other }\n    timeout: 500ms\n",
    );
    project.flow("b", "steps:\n  - type: { into: { id: never }, text: swordfish, secret: true }\n    timeout: 500ms\n");
    for arguments in [
        ["test", "-v", "--json", "run.ndjson", "--junit", "junit.xml"],
        ["test", "-v", "--json", "-", "--junit", "junit.xml"],
    ] {
        let ran = project.run(&arguments).expect(1);
        ran.never_says("hunter2").never_says("swordfish");
        never_written(&project, "hunter2");
        never_written(&project, "swordfish");
    }
}
