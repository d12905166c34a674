//! `runner report`: reports of saved streams, also of killed runs, of several, and of moved artifacts;
//! reports for CI systems; and the examples for them.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{Project, needs};
use serde_json::Value;

/// Makes a project with a flow that passes, one that fails with a picture, one that is flaky, and one that
/// does not read.
fn endings() -> Project {
    let project = Project::with_demo_app();
    project.flow("a", "name: It passes\ntags: [smoke]\nsteps: [ launch ]\n");
    project.flow(
        "b",
        "name: It fails\nsteps:\n  - launch\n  - assert: { id: sign_in, enabled: true }\n    timeout: 300ms\n",
    );
    project.flow(
        "c",
        "retries: 1\nsteps: [ { assert: { that: \"${flow.attempt == 2}\" } } ]\n",
    );
    project.write("flows/d.yaml", "steps: [ clik: x ]\n");
    project
}

const TEST: [&str; 7] = [
    "test",
    "--json",
    "out/events.ndjson",
    "--junit",
    "out/junit.xml",
    "--artifacts",
    "out/artifacts",
];

/// Returns the files that JUnit names as attachments.
fn attachments(junit: &str) -> Vec<String> {
    junit
        .split("[[ATTACHMENT|")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once("]]")?.0.to_owned()))
        .collect()
}

#[test]
fn the_reports_of_a_saved_stream_are_those_of_the_run() {
    let project = endings();
    let ran = project.run(&TEST).expect(2);
    assert!(ran.stdout.contains("4 flows in"), "{}", ran.stdout);
    let reported = project
        .run(&[
            "report",
            "out/events.ndjson",
            "--junit",
            "again.xml",
            "--json",
            "again.ndjson",
        ])
        .expect(2);
    assert_eq!(project.read("out/junit.xml"), project.read("again.xml"));
    assert_eq!(
        project.read("out/events.ndjson"),
        project.read("again.ndjson")
    );
    let totals = |text: &str| {
        text.lines()
            .find(|line| line.contains("flows in"))
            .map(str::to_owned)
    };
    assert_eq!(totals(&reported.stdout), totals(&ran.stdout));

    // The project keeps the stream of its last run.
    project.run(&["report", "--json", "-"]).expect(2);
    assert_eq!(
        project.run(&["report", "--json", "-"]).stdout,
        project.read("out/events.ndjson")
    );
    let strict = ["report", "--junit", "strict.xml", "--junit-strict"];
    project.run(&strict).expect(2);
    let schema = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/junit-strict.xsd"
    );
    project.valid("strict.xml", schema);
}

#[test]
fn a_killed_run_can_be_reported() {
    let project = Project::with_demo_app();
    project.flows_of_a_killed_run();
    let mut child = project
        .command(&["test", "--json", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    while !text.contains("find: Username") {
        assert_ne!(lines.read_line(&mut text).unwrap(), 0, "{text}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // As a kill may leave it.
    project.write("cut.ndjson", &format!("{text}{{\"seq\":99,\"t_"));
    let ran = project
        .run(&["report", "cut.ndjson", "--junit", "junit.xml"])
        .expect(130)
        .says("cut.ndjson: the last line is cut off")
        .says("the run did not come to its end")
        .says("2 not run to the end");
    assert!(ran.stdout.contains("3 flows in"), "{}", ran.stdout);
    let junit = project.well_formed("junit.xml");
    assert_eq!(junit.matches("<testcase").count(), 3, "{junit}");
    assert_eq!(junit.matches("<error").count(), 2, "{junit}");
    project.run(&["report"]).expect(130).says("3 flows in");
}

/// G4: a job that was killed early leaves an empty stream, or one that is cut in its first line.
#[test]
fn a_stream_that_does_not_read_hides_no_other() {
    let project = endings();
    std::fs::remove_file(project.path("flows/d.yaml")).unwrap();
    project.run(&TEST).expect(1);
    std::fs::create_dir_all(project.path("parts")).unwrap();
    let whole = project.read("out/events.ndjson");
    project.write("parts/a.ndjson", &whole);
    for (text, says) in [
        ("", "does not begin as an event stream does"),
        (&whole[..40], "parts/b.ndjson"),
        ("\0\0\0\n", "line 1 is not an event"),
    ] {
        project.write("parts/b.ndjson", text);
        let report = ["report", "parts", "--junit", "junit.xml", "--html", "html"];
        let ran = project.run(&report).expect(3).says(says);
        assert!(ran.stdout.contains("flows in"), "{}", ran.stdout);
        let junit = project.well_formed("junit.xml");
        assert!(junit.contains("classname=\"flows.a\""), "{junit}");
        assert!(junit.contains("type=\"parts\""), "{junit}");
        assert!(project.path("html/index.html").is_file());
    }
}

#[test]
fn what_is_damaged_or_no_stream_is_named() {
    let project = Project::empty();
    project.run(&["report"]).expect(2).says("no last run");
    let start = r#"{"seq":0,"t_ms":0,"event":"start","schema":1,"run_id":"r","version":"0","started":"2026-01-02T03:04:05Z","root":"/p","artifacts":"/p/a"}"#;
    project.write("damaged.ndjson", &format!("{start}\n\0\0\0\n{start}\n"));
    project.write("other.txt", "{}\n");
    project.write("empty.ndjson", "");
    project.write("folder/x.txt", "");
    let later = start.replace("\"schema\":1", "\"schema\":99");
    project.write("later.ndjson", &format!("{later}\n"));
    for (name, says) in [
        ("damaged.ndjson", "damaged.ndjson: line 2 is not an event"),
        ("other.txt", "other.txt: line 1 is not an event"),
        ("empty.ndjson", "does not begin as an event stream does"),
        ("folder", "no event stream (*.ndjson) in this folder"),
        ("later.ndjson", "schema 99"),
    ] {
        project.run(&["report", name]).expect(1).says(says);
    }
    let missing = project.run(&["report", "missing.ndjson"]).expect(2);
    missing.says("missing.ndjson is not there");
    // The later word does not hide a failure.
    let end = |status: &str| {
        format!(
            r#"{{"seq":1,"t_ms":1,"event":"flow_finished","id":{{"flow":"a.yaml","device":"d","attempt":1}},"status":"{status}","last":true,"started":"2026-01-02T03:04:05Z","duration_ms":1,"cost":{{"round_trips":0,"dumps":0}}}}"#
        )
    };
    let both = format!("{start}\n{}\n{}\n", end("failed"), end("passed"));
    project.write("twice.ndjson", &both);
    project
        .run(&["report", "twice.ndjson", "--junit", "junit.xml"])
        .expect(1)
        .says("twice how a.yaml ended on 'd'");
    // An earlier stream, without sources and host, reads.
    let finish = r#"{"seq":1,"t_ms":1,"event":"finish","totals":{"passed":0,"failed":0,"errors":0,"skipped":0,"interrupted":0,"flaky":0},"duration_ms":1,"exit_code":0}"#;
    project.write("early.ndjson", &format!("{start}\n{finish}\n"));
    project.run(&["report", "early.ndjson"]).expect(0);
}

/// A stream may be of a run that was killed, of a full disk, or of somebody who wants a green job.
#[test]
fn attack_no_stream_is_greener_than_its_flows() {
    let project = endings();
    std::fs::remove_file(project.path("flows/d.yaml")).unwrap();
    project.run(&TEST).expect(1);
    let message = project.read("out/events.ndjson");
    let lines: Vec<&str> = message.lines().collect();
    let ends = |line: &&&str, flow: &str| {
        line.contains("\"flow_finished\"") && line.contains(&format!("flows/{flow}.yaml"))
    };
    let failed = lines.iter().find(|line| ends(line, "b")).unwrap();
    let green = |text: &str| text.replace("\"exit_code\":1", "\"exit_code\":0");
    let without = message.replace(&format!("{failed}\n"), "");
    // The whole number, not digits before those of this run: a slow run has more of them.
    let time = regex::Regex::new(r#""t_ms":\d+"#).unwrap();
    let never = time.replace_all(&message, format!("\"t_ms\":{}", u64::MAX));
    let end = lines[lines.len() - 1];
    let start = format!("{}\n", lines[0]);
    for (name, text, code, says) in [
        ("end", green(&message), 1, "It fails"),
        (
            "two-ends",
            format!("{message}{}\n", green(end)),
            1,
            "It fails",
        ),
        (
            "no-end-of-one",
            green(&without),
            130,
            "1 not run to the end",
        ),
        (
            "start-alone",
            start,
            130,
            "before it said what it would run",
        ),
        (
            "other-code",
            message.replace("\"exit_code\":1", "\"exit_code\":77"),
            1,
            "It fails",
        ),
        ("time", never.into_owned(), 1, "It fails"),
    ] {
        let file = format!("{name}.ndjson");
        project.write(&file, &text);
        let ran = project.run(&["report", &file, "--junit", "junit.xml", "--html", "html"]);
        ran.expect(code).says(says);
    }
    // What another stream of the same run holds makes up for the one that has no plan.
    project.replace("flows/b.yaml", "enabled: true", "enabled: false");
    project.run(&TEST).expect(0);
    let passed = project.read("out/events.ndjson");
    let (first, _) = passed.split_once('\n').unwrap();
    project.write("parts/1.ndjson", &format!("{first}\n"));
    project.run(&["report", "parts"]).expect(130);
    project.write("parts/2.ndjson", &passed);
    project.run(&["report", "parts"]).expect(0);
    // Another run that was killed at once is not part of it.
    project.write("parts/3.ndjson", &format!("{}\n", lines[0]));
    project.run(&["report", "parts"]).expect(130);
}

#[test]
fn a_later_run_decides_and_artifacts_are_found_where_they_lie_now() {
    let project = Project::with_demo_app();
    project.flow("a", "steps: [ launch ]\n");
    project.flow(
        "b",
        "steps:\n  - launch\n  - assert: { id: sign_in, enabled: true }\n    timeout: 300ms\n",
    );
    project.run(&TEST).expect(1);
    std::fs::rename(project.path("out"), project.path("first")).unwrap();
    project
        .run(&["report", "first", "--junit", "junit.xml"])
        .expect(1);
    let found = attachments(&project.read("junit.xml"));
    assert!(!found.is_empty());
    for file in &found {
        let here = Path::new(file).is_file() && file.contains("/first/artifacts/");
        assert!(here, "{file}");
    }

    project.replace("flows/b.yaml", "enabled: true", "enabled: false");
    let mut again = TEST.to_vec();
    again.push("flows/b.yaml");
    project.run(&again).expect(0);
    std::fs::rename(project.path("out"), project.path("second")).unwrap();
    // In whatever order they are named.
    for streams in [["second", "first"], ["first", "second"]] {
        let mut arguments = vec!["report", "--junit", "both.xml", "--json", "both.ndjson"];
        arguments.extend(streams);
        project
            .run(&arguments)
            .expect(0)
            .says("1 passed, 1 flaky")
            .says("passed at attempt 2");
    }
    let junit = project.well_formed("both.xml");
    assert_eq!(junit.matches("<flakyFailure").count(), 1, "{junit}");
    // The merged stream is a stream again.
    let merged = [
        "report",
        "both.ndjson",
        "--junit",
        "merged.xml",
        "--artifacts",
        "first/artifacts",
    ];
    project.run(&merged).expect(0);
    assert_eq!(junit, project.read("merged.xml"));

    // A file that is not the run's any more is not taken for it.
    let picture = &attachments(&project.read("junit.xml"))[0];
    std::fs::write(picture, "another").unwrap();
    project
        .run(&["report", "first", "--junit", "junit.xml"])
        .expect(1);
    let named = attachments(&project.read("junit.xml"));
    assert!(!named.contains(picture), "{named:?}");
}

#[test]
fn no_path_of_a_stream_leads_out() {
    let project = endings();
    project.run(&TEST).expect(2);
    project.write("secret.txt", "of somebody else");
    let text = project.read("out/events.ndjson");
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut event: Value = serde_json::from_str(line).unwrap();
        let named = event.get_mut("artifacts").and_then(Value::as_array_mut);
        for artifact in named.into_iter().flatten() {
            artifact["path"] = "../../secret.txt".into();
        }
        lines.push(event.to_string());
    }
    project.write("out/evil.ndjson", &lines.join("\n"));
    project
        .run(&[
            "report",
            "out/evil.ndjson",
            "--junit",
            "evil.xml",
            "--html",
            "html",
        ])
        .expect(2);
    for file in attachments(&project.read("evil.xml")) {
        assert!(!file.contains(".."), "{file}");
    }
    for name in project.files("html") {
        let bytes = std::fs::read(project.path(&format!("html/{name}"))).unwrap();
        assert!(
            !String::from_utf8_lossy(&bytes).contains("of somebody else"),
            "{name}"
        );
    }
}

#[test]
fn github_is_told_at_the_lines_of_its_checkout_and_the_stream_stays_whole() {
    let project = endings();
    // The checkout is a folder above the project's root.
    let root = project.path("");
    let above = root.parent().unwrap().to_str().unwrap();
    let name = root.file_name().unwrap().to_str().unwrap();
    let mut command = project.command(&["test", "--json", "-"]);
    command
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_WORKSPACE", above)
        .env("GITHUB_SERVER_URL", "https://github.example")
        .env("GITHUB_REPOSITORY", "ada/shop")
        .env("GITHUB_RUN_ID", "7")
        .env("GITHUB_STEP_SUMMARY", project.path("summary.md"));
    let ran = crate::common::Ran::from(command.output().unwrap()).expect(2);
    for line in ran.stdout.lines() {
        let event: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        if event["event"] == "start" {
            let facts = event["host"]["facts"].to_string();
            assert!(
                facts.contains("https://github.example/ada/shop/actions/runs/7"),
                "{facts}"
            );
        }
    }
    let messages: Vec<&str> = ran
        .stderr
        .lines()
        .filter(|line| line.starts_with("::"))
        .collect();
    let starts = [
        "::stop-commands::".to_owned(),
        "::".to_owned(),
        format!("::error file={name}/flows/d.yaml,line=1,col=10,title="),
        format!("::error file={name}/flows/b.yaml,line=5,col=5,title="),
        format!("::warning file={name}/flows/c.yaml,line=3,col=10,title="),
    ];
    assert_eq!(messages.len(), starts.len(), "{messages:#?}");
    for (line, start) in messages.iter().zip(&starts) {
        assert!(
            line.starts_with(start),
            "{line} does not begin with {start}"
        );
    }
    let summary = project.read("summary.md");
    assert!(summary.starts_with("### 4 flows in"), "{summary}");
    assert!(
        summary.contains("runner test flows/b.yaml flows/d.yaml"),
        "{summary}"
    );

    // Elsewhere nothing of it is said.
    let ran = project.run(&["test"]);
    assert!(!ran.stdout.contains("::"), "{}", ran.stdout);
}

#[test]
fn gitlab_finds_attachments_below_its_folder() {
    let project = endings();
    let mut command = project.command(&TEST);
    command.env("GITLAB_CI", "true").env(
        "CI_PROJECT_DIR",
        project.path("").to_str().unwrap().trim_end_matches('/'),
    );
    crate::common::Ran::from(command.output().unwrap()).expect(2);
    let found = attachments(&project.read("out/junit.xml"));
    assert!(!found.is_empty());
    for file in found {
        assert!(file.starts_with("out/artifacts/flows/"), "{file}");
        assert!(project.path(&file).is_file(), "{file}");
    }
}

/// Returns the commands of a job's steps that run the program.
fn commands(job: &Value) -> Vec<String> {
    let steps = job["steps"].as_array().expect("steps");
    steps
        .iter()
        .filter_map(|step| step["run"].as_str())
        .filter(|command| command.starts_with("runner "))
        .map(str::to_owned)
        .collect()
}

/// Runs a command as a job does: with its shell and GitHub's variables.
fn in_shell(project: &Project, command: &str, summary: &str) -> crate::common::Ran {
    let program = Path::new(env!("CARGO_BIN_EXE_runner"))
        .parent()
        .expect("a folder");
    let with_environment = project.command(&[]);
    let mut shell = Command::new("bash");
    shell
        .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", command])
        .current_dir(project.path(""))
        .env_clear()
        .stdin(Stdio::null());
    for (name, value) in with_environment.get_envs() {
        let Some(value) = value else { continue };
        if name == "PATH" {
            let mut folders = vec![program.to_owned()];
            folders.extend(std::env::split_paths(value));
            shell.env(name, std::env::join_paths(folders).expect("plain paths"));
        } else {
            shell.env(name, value);
        }
    }
    shell
        .env("CI", "true")
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_WORKSPACE", project.path(""))
        .env("GITHUB_STEP_SUMMARY", project.path(summary));
    crate::common::Ran::from(shell.output().expect("bash starts"))
}

#[test]
fn the_jobs_of_the_github_example_work_together() {
    if !needs::program("bash") {
        return;
    }
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/examples/ci/github-actions.yml"
    );
    let text = std::fs::read_to_string(file).unwrap();
    let workflow: Value = serde_yaml::from_str(&text).expect("YAML");
    let flows = &workflow["jobs"]["flows"];
    let shards = flows["strategy"]["matrix"]["include"].as_array().unwrap();
    let project = endings();
    std::fs::remove_file(project.path("flows/d.yaml")).unwrap();
    let mut codes = Vec::new();
    for shard in shards {
        let name = shard["name"].as_str().unwrap();
        for command in commands(flows) {
            let command =
                command.replace("${{ matrix.select }}", shard["select"].as_str().unwrap());
            assert!(!command.contains("${{"), "{command}");
            let ran = in_shell(&project, &command, &format!("{name}.md"));
            codes.push((name.to_owned(), ran.code));
        }
        assert!(project.read(&format!("{name}.md")).starts_with("### "));
        // Uploading the folder and downloading it elsewhere.
        std::fs::create_dir_all(project.path("runs")).unwrap();
        std::fs::rename(
            project.path("out"),
            project.path(&format!("runs/flows-{name}")),
        )
        .unwrap();
    }
    assert_eq!(codes, [("smoke".to_owned(), 0), ("others".to_owned(), 1)]);
    for command in commands(&workflow["jobs"]["report"]) {
        in_shell(&project, &command, "report.md")
            .expect(1)
            .says("3 flows in")
            .says("1 passed, 1 flaky, 1 failed")
            .never_says("::error");
    }
    assert!(project.read("report.md").contains("flows/b.yaml"));
    assert_eq!(
        project
            .well_formed("report/junit.xml")
            .matches("<testcase")
            .count(),
        3
    );
    let page = project.read("report/report.html");
    assert!(page.contains("data-type=\"image/png\""), "no picture");
    let summary = project.read("report.md");
    assert!(summary.contains("report.html among the"), "{summary}");
}
