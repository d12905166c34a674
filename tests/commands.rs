//! The small subcommands, each as a person uses it; and the files that are made from the program.
//!
//! What `--help` says is kept under `tests/snapshots`; `INSTA_UPDATE=always cargo test --test tests commands::` makes it again.

#[path = "commands/hostile.rs"]
mod hostile;

use std::path::Path;

use crate::common::{Project, Ran};

/// A port where no adb server listens; nothing is left running there.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address").port()
}

/// The program, where no adb can be found and no server listens.
fn without_adb(project: &Project, arguments: &[&str]) -> Ran {
    let mut command = project.command(arguments);
    command.env("PATH", project.path("no-such-folder"));
    command.env("ANDROID_ADB_SERVER_PORT", free_port().to_string());
    Ran::from(command.output().expect("the program starts"))
}

fn subcommands() -> Vec<String> {
    let help = Project::empty().run(&["--help"]).expect(0).stdout;
    // They stand in groups, before the options.
    let (list, _) = help.split_once("\nOptions:").expect("options");
    let lines = list.lines().filter_map(|line| line.strip_prefix("  "));
    lines
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn help_of_every_subcommand() {
    let project = Project::empty();
    insta::assert_snapshot!("help", project.run(&["--help"]).expect(0).stdout);
    let commands = subcommands();
    assert!(commands.len() > 10, "{commands:?}");
    for name in commands {
        let help = project.run(&[&name, "--help"]).expect(0).stdout;
        insta::assert_snapshot!(format!("help_{name}"), help);
    }
}

#[test]
fn wrong_usage_exits_2_and_says_what_was_meant() {
    let project = Project::empty();
    project.run(&[]).expect(2).says("Usage: runner");
    project.run(&["tset"]).expect(2).says("`runner test`");
    project
        .run(&["test", "--retries", "many"])
        .expect(2)
        .says("many");
    project
        .run(&["test", "--retries", "11"])
        .expect(2)
        .says("0..=10");
    project
        .run(&["virtual", "--fault", "nul-root"])
        .expect(2)
        .says("null-root");
    project.run(&["accept"]).expect(2).says("--all");
}

#[test]
fn doctor_with_only_the_virtual_device_needs_no_adb() {
    let project = Project::with_demo_app();
    let ran = without_adb(&project, &["doctor"]).expect(0);
    assert!(
        ran.stdout.contains("note  adb program: none found"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("ok    virtual, screenshot: 1080×2400"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("BAD"), "{}", ran.stdout);
    assert!(ran.stderr.contains("all is well"));
}

#[test]
fn doctor_without_adb_and_device_exits_3_and_says_what_to_do() {
    let project = Project::empty();
    let ran = without_adb(&project, &["doctor"]).expect(3);
    for text in [
        "BAD   adb program: none found",
        "platform-tools",
        "BAD   adb server",
        "2 problems",
    ] {
        assert!(
            ran.stdout.contains(text) || ran.stderr.contains(text),
            "{text}: {}",
            ran.stdout
        );
    }
    without_adb(&project, &["doctor", "--device", "127.0.0.1:1"])
        .expect(3)
        .says("127.0.0.1:1");
    without_adb(&project, &["test"])
        .expect(2)
        .says("runner init");
    project.write("flows/a.yaml", "steps: [back]\n");
    without_adb(&project, &["test"])
        .expect(3)
        .says("runner doctor");
}

#[test]
fn doctor_sees_the_devices_of_a_server() {
    if !crate::common::needs::program("adb") {
        return;
    }
    let project = Project::with_demo_app();
    let port = free_port().to_string();
    let with_adb = |arguments: &[&str]| {
        let mut command = project.command(arguments);
        command.env("ANDROID_ADB_SERVER_PORT", &port);
        Ran::from(command.output().expect("the program starts"))
    };
    let ran = with_adb(&["doctor"]);
    let listed = with_adb(&["devices", "--no-wireless"]);
    // Whatever came of it, the server that was started is ended first.
    let killed = std::process::Command::new("adb")
        .args(["-P", &port, "kill-server"])
        .status();
    assert!(
        killed.is_ok(),
        "the tests drive adb: install it (see README.md)"
    );
    ran.expect(0).says("ok    adb server: at 127.0.0.1:");
    listed.expect(0).says("asked for by");
}

#[test]
fn devices_lists_the_built_in_one_even_without_a_server() {
    let ran = without_adb(&Project::empty(), &["devices", "--no-wireless"]);
    let last = ran.stdout.lines().last().unwrap_or_default();
    let words: Vec<&str> = last
        .split("  ")
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .collect();
    assert_eq!(
        words,
        [
            "virtual",
            "built in",
            "ready",
            "asked for by `--device virtual`"
        ]
    );
    assert!(ran.stderr.contains("runner doctor"), "{}", ran.stderr);
    let ran = without_adb(
        &Project::empty(),
        &["devices", "--no-wireless", "--format", "json"],
    );
    let value: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let devices = value["devices"].as_array().expect("devices");
    let last = devices.last().expect("the built-in one");
    assert_eq!(
        (&last["name"], &last["state"]),
        (&"virtual".into(), &"ready".into())
    );
    let problem = value["problems"][0].as_str().unwrap_or_default();
    assert!(problem.contains("no adb server"), "{value}");
}

#[test]
fn config_says_where_each_value_came_from() {
    let project = Project::empty();
    project.write(
        "runner.yaml",
        "retries: 1\ntimeout: 3m\nenv: { PIN: 1234, CITY: Ulm }\nsecrets: [PIN]\nsnapshot: { bars: true, masks: [ { id: clock } ] }\n",
    );
    let mut command = project.command(&["config"]);
    command
        .env("RUNNER_RETRIES", "2")
        .env("CI", "true")
        .env("ANDROID_SERIAL", "R58");
    let ran = Ran::from(command.output().expect("the program starts")).expect(0);
    let line = |name: &str| -> Vec<String> {
        let line = ran
            .stdout
            .lines()
            .find(|line| line.starts_with(&format!("{name} ")));
        let words = line
            .unwrap_or_else(|| panic!("no {name} in\n{}", ran.stdout))
            .split_whitespace();
        words.skip(1).map(str::to_owned).collect()
    };
    for (name, expected) in [
        ("retries", "2 # RUNNER_RETRIES"),
        ("timeout", "3m # runner.yaml:2"),
        ("step_timeout", "10s # default"),
        ("update", "none # CI"),
        ("devices", "R58 # ANDROID_SERIAL"),
        ("snapshot.bars", "true # runner.yaml"),
        ("snapshot.masks", r#"[{"id":"clock"}] # runner.yaml"#),
        ("secrets", "PIN # runner.yaml"),
        ("env.PIN", "*** # runner.yaml"),
        ("env.CITY", "Ulm # runner.yaml"),
    ] {
        assert_eq!(line(name).join(" "), expected, "{name}");
    }
    assert!(!ran.stdout.contains("1234"), "{}", ran.stdout);
    let mut command = project.command(&["config"]);
    command.env("RUNNER_TIMEOUT", "soon");
    Ran::from(command.output().expect("the program starts"))
        .expect(2)
        .says("RUNNER_TIMEOUT=soon");
}

/// Completions that bash gets when Tab is pressed behind these words.
fn completed(project: &Project, words: &[&str]) -> Vec<String> {
    let mut all = vec!["--", "runner"];
    all.extend(words);
    let mut command = project.command(&all);
    command.env("COMPLETE", "bash");
    command.env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    command.env("_CLAP_IFS", "\n");
    let ran = Ran::from(command.output().expect("the program starts")).expect(0);
    ran.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn completions_know_every_subcommand() {
    let project = Project::empty();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = project.run(&["completions", shell]).expect(0).stdout;
        assert!(script.contains("runner"), "{shell}");
        assert!(script.contains("COMPLETE"), "{shell}");
    }
    let known = completed(&project, &[""]);
    for name in subcommands() {
        assert!(known.contains(&name), "{name} is not in {known:?}");
    }
    assert_eq!(completed(&project, &["test", "--fail-f"]), ["--fail-fast"]);
    project
        .run(&["completions", "tcsh"])
        .expect(2)
        .says("possible values");
}

#[test]
fn completions_know_the_project() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "tags: [smoke, slow, \"e\\e[2Jvil\"]\nsteps:\n  - launch\n  - snapshot: home\n",
    );
    project.write(
        "runner.yaml",
        "devices: [virtual, R58]\napps: [apps/demo]\n",
    );
    assert_eq!(
        completed(&project, &["test", "--tag", "s"]),
        ["slow", "smoke"]
    );
    assert_eq!(completed(&project, &["test", "--tag", "e"]), [""; 0]);
    assert_eq!(completed(&project, &["test", "-d", ""]), ["R58", "virtual"]);
    assert_eq!(completed(&project, &["accept", "a"]), [""; 0]);
    project.run(&["test", "-d", "virtual"]).expect(1);
    assert_eq!(completed(&project, &["accept", "a"]), ["a/home"]);
    assert_eq!(completed(&project, &["reject", "a/"]), ["a/home"]);
}

#[test]
fn man_prints_one_page_and_writes_all() {
    let project = Project::empty();
    project.run(&["man"]).expect(0).says(".TH runner 1");
    project.run(&["man", "pages"]).expect(0);
    let pages = project.files("pages");
    assert!(pages.contains(&"runner.1".to_owned()), "{pages:?}");
    for name in subcommands() {
        let page = format!("runner-{name}.1");
        assert!(pages.contains(&page), "{page} is not in {pages:?}");
    }
    assert!(project.read("pages/runner-test.1").contains("junit"));
}

#[test]
fn published_schemas_are_current() {
    let project = Project::empty();
    for (which, file) in [
        ("flow", "docs/reference/runner.schema.json"),
        ("config", "docs/reference/runner-yaml.schema.json"),
        ("events", "docs/reference/events.schema.json"),
        ("app", "docs/reference/app.schema.json"),
    ] {
        let printed = project.run(&["schema", which]).expect(0).stdout;
        let stored = std::fs::read_to_string(in_repository(file)).unwrap_or_default();
        assert!(
            stored.replace("\r\n", "\n") == printed,
            "{file} is out of date; make it again with `cargo run -- schema {which} > {file}`"
        );
    }
}

#[test]
fn editors_find_the_schema_of_every_yaml_file() {
    for folder in ["flows", "examples", "src/cli/init"] {
        for entry in walkdir::WalkDir::new(in_repository(folder)) {
            let path = entry.expect("a readable folder").into_path();
            let Some(target) = schema_comment(&path) else {
                assert!(
                    folder != "flows" || path.is_dir(),
                    "{} has no schema comment",
                    path.display()
                );
                continue;
            };
            let file = path.parent().expect("a folder").join(&target);
            // What `init` writes stands in the project that it makes.
            let written_by_init = folder == "src/cli/init"
                && ["../runner.schema.json", "runner-yaml.schema.json"].contains(&target.as_str());
            assert!(
                file.is_file() || written_by_init,
                "{}: {target} is not there",
                path.display()
            );
        }
    }
}

fn schema_comment(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let comment = text
        .lines()
        .next()?
        .strip_prefix("# yaml-language-server: $schema=")?;
    Some(comment.trim().to_owned())
}

fn in_repository(file: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}
