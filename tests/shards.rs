//! Parts of a plan on several machines, and one report of them; the examples for CI run unchanged.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::{Project, Ran, needs};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Makes a project with seven cases in four flows; one fails.
fn project() -> Project {
    let project = Project::with_demo_app();
    for name in ["a", "b"] {
        project.flow(name, "steps: [ { set: { A: b } } ]\n");
    }
    project.flow(
        "c",
        "each: [ { n: 1 }, { n: 2 }, { n: 3 }, { n: 4 } ]\nsteps: [ { set: { A: \"${n}\" } } ]\n",
    );
    project.flow("d", "steps: [ { assert: { that: false } } ]\n");
    project
}

fn test(project: &Project, part: &str, out: &str) -> Ran {
    let files = ["events.ndjson", "junit.xml", "artifacts"].map(|file| format!("{out}/{file}"));
    project.run(&[
        "test",
        "--shard",
        part,
        "--json",
        &files[0],
        "--junit",
        &files[1],
        "--artifacts",
        &files[2],
    ])
}

/// Returns the cases of a run's plan.
fn planned(project: &Project, out: &str) -> Vec<String> {
    let text = project.read(&format!("{out}/events.ndjson"));
    let events = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let plan = events
        .into_iter()
        .find(|event| event["event"] == "plan")
        .unwrap();
    let flows = plan["flows"].as_array().unwrap().iter();
    flows
        .map(|id| format!("{} {}", id["flow"], id["case"]))
        .collect()
}

#[test]
fn parts_come_to_the_whole_and_one_report_tells_of_all() {
    let project = project();
    let mut observed = BTreeSet::new();
    for index in 1..=3 {
        let out = format!("runs/{index}");
        let ran = test(&project, &format!("{index}/3"), &out);
        assert!(ran.code < 2, "{ran:?}");
        for case in planned(&project, &out) {
            assert!(observed.insert(case));
        }
        let start = project.read(&format!("{out}/events.ndjson"));
        let start: Value = serde_json::from_str(start.lines().next().unwrap()).unwrap();
        assert_eq!(
            (&start["shard"]["index"], &start["shard"]["total"]),
            (&index.into(), &3.into())
        );
    }
    assert_eq!(observed.len(), 7);
    let report = [
        "report", "runs", "--junit", "j.xml", "--html", "h", "--json", "e.ndjson",
    ];
    project
        .run(&report)
        .expect(1)
        .says("7 flows in")
        .says("6 passed, 1 failed")
        .never_says("part ");
    assert_eq!(project.well_formed("j.xml").matches("<testcase").count(), 7);

    // A part alone is reported as what it is.
    assert!(project.run(&["report", "runs/1/events.ndjson"]).code < 2);
    project
        .run(&["report", "runs/1"])
        .expect(3)
        .says("part 2 of 3 is missing")
        .says("part 3 of 3 is missing");

    std::fs::rename(project.path("runs/2"), project.path("second")).unwrap();
    let ran = project
        .run(&report)
        .expect(3)
        .says("part 2 of 3 is missing");
    assert!(ran.stderr.contains("error: part 2 of 3"), "{}", ran.stderr);
    assert!(
        project
            .read("h/index.html")
            .contains("part 2 of 3 is missing")
    );
    let last = project.read("e.ndjson");
    assert!(
        last.lines().last().unwrap().contains("\"exit_code\":3"),
        "{last}"
    );

    std::fs::rename(project.path("second"), project.path("runs/2")).unwrap();
    test(&project, "1/3", "runs/again");
    project
        .run(&report)
        .expect(3)
        .says("part 1 of 3 is there 2 times");
    std::fs::remove_dir_all(project.path("runs/again")).unwrap();

    project.flow("e", "steps: [ { set: { A: b } } ]\n");
    test(&project, "3/3", "runs/3");
    project
        .run(&report)
        .expect(3)
        .says("planned differently")
        .says("1/3, 2/3 against 3/3");
}

#[test]
fn a_part_without_flows_passes_and_is_told() {
    let project = project();
    let ran = test(&project, "9/9", "runs/9").expect(0);
    ran.says("part 9 of 9: 0 of 7 cases");
    assert_eq!(planned(&project, "runs/9"), Vec::<String>::new());
    project.well_formed("runs/9/junit.xml");
}

#[test]
fn parts_that_cannot_be_are_wrong_usage() {
    let project = project();
    for (part, what) in [
        ("0/4", "there is no part 0 of 4"),
        ("5/4", "there is no part 5 of 4"),
        ("a/b", "expected K/N"),
        ("auto", "CIRCLE_NODE_INDEX"),
    ] {
        project.run(&["test", "--shard", part]).expect(2).says(what);
    }
    let mut command = project.command(&["test", "--list", "--shard", "auto"]);
    command.env("CI_NODE_INDEX", "2").env("CI_NODE_TOTAL", "3");
    Ran::from(command.output().unwrap())
        .expect(0)
        .says("part 2 of 3");
}

#[test]
fn a_named_history_balances_the_parts() {
    let project = project();
    project.run(&["test"]).expect(1);
    let history = project.files(".runner/history");
    let file = history
        .iter()
        .find(|name| name.ends_with(".ndjson"))
        .expect("a run");
    let file = format!(".runner/history/{file}");
    let mut observed = BTreeSet::new();
    for part in ["1/2", "2/2"] {
        let ran = project
            .run(&["test", "--list", "--shard", part, "--history", &file])
            .expect(0);
        for line in ran.stdout.lines() {
            assert!(observed.insert(line.to_owned()));
        }
    }
    assert_eq!(observed.len(), 7);
    project
        .run(&[
            "test",
            "--list",
            "--shard",
            "1/2",
            "--history",
            "none.ndjson",
        ])
        .expect(2)
        .says("does not exist");
}

#[test]
fn what_parts_saw_is_reviewed_from_one_archive() {
    let project = Project::with_demo_app();
    for name in ["a", "b"] {
        project.flow(
            name,
            "steps:\n  - launch: { activity: .Settings }\n  - snapshot: general\n",
        );
    }
    for part in ["1/2", "2/2"] {
        let out = format!("runs/{}", &part[..1]);
        let files = [format!("{out}/events.ndjson"), format!("{out}/artifacts")];
        let mut command = project.command(&[
            "test",
            "--shard",
            part,
            "--json",
            &files[0],
            "--artifacts",
            &files[1],
        ]);
        command.env("CI", "true");
        Ran::from(command.output().unwrap()).expect(1);
    }
    // As on the machine that reports: the artifacts are where they were downloaded.
    std::fs::rename(project.path("runs"), project.path("moved")).unwrap();
    project
        .run(&["report", "moved", "--archive", "out/review.zip"])
        .expect(1)
        .never_says("not among the artifacts");
    project
        .run(&["review", "--from", "out/review.zip"])
        .expect(1)
        .says("2 goldens taken");
    project.run(&["accept", "--all"]).expect(0);
    project.run(&["test"]).expect(0).says("2 passed");
}

/// Returns the lines of a file that call the program, without the CI's syntax around them.
fn commands(file: &str) -> Vec<String> {
    let text =
        std::fs::read_to_string(Path::new(ROOT).join("examples/ci/shards").join(file)).unwrap();
    let command = |line: &str| {
        let line = line.trim();
        let line = ["run: ", "- ", "sh '"]
            .iter()
            .find_map(|start| line.strip_prefix(start))
            .unwrap_or(line);
        let line = line.strip_suffix('\'').unwrap_or(line);
        line.starts_with("runner ").then(|| line.to_owned())
    };
    text.lines().filter_map(command).collect()
}

/// Runs a command as a CI does: in a shell, with its variables.
fn in_shell(project: &Project, command: &str, variables: &[(&str, String)]) -> Ran {
    let program = Path::new(env!("CARGO_BIN_EXE_runner")).parent().unwrap();
    let mut shell = Command::new("sh");
    shell
        .args(["-ec", command])
        .current_dir(project.path(""))
        .env_clear()
        .stdin(Stdio::null());
    let with_environment = project.command(&[]);
    for (name, value) in with_environment.get_envs() {
        let Some(value) = value else { continue };
        if name == "PATH" {
            let folders = std::iter::once(program.to_owned()).chain(std::env::split_paths(value));
            shell.env(name, std::env::join_paths(folders).unwrap());
        } else {
            shell.env(name, value);
        }
    }
    shell.env("CI", "true");
    for (name, value) in variables {
        shell.env(name, value);
    }
    Ran::from(shell.output().unwrap())
}

#[test]
fn the_commands_of_the_examples_run_all_parts_and_merge_them() {
    if !needs::program("sh") {
        return;
    }
    for (file, first) in [
        ("github-matrix.yml", 1),
        ("gitlab-parallel.yml", 1),
        ("Jenkinsfile", 1),
        ("kubernetes-job.yaml", 0),
    ] {
        let project = project();
        let commands = commands(file);
        for number in first..first + 4 {
            // As each system says it.
            let variables: Vec<(&str, String)> = match file {
                "gitlab-parallel.yml" => vec![
                    ("GITLAB_CI", "true".into()),
                    ("CI_NODE_INDEX", number.to_string()),
                    ("CI_NODE_TOTAL", "4".into()),
                ],
                "Jenkinsfile" => vec![("PART", number.to_string())],
                "kubernetes-job.yaml" => vec![
                    ("JOB_COMPLETION_INDEX", number.to_string()),
                    ("RUNNER_SHARDS", "4".into()),
                ],
                _ => Vec::new(),
            };
            let command = commands[0]
                .replace("${{ matrix.part }}", &number.to_string())
                .replace("${{ strategy.job-total }}", "4")
                .replace("\"/out/", "\"out/");
            assert!(!command.contains("${{"), "{command}");
            let ran = in_shell(&project, &command, &variables);
            assert!(ran.code < 2, "{file} {number}: {ran:?}");
            if file == "github-matrix.yml" {
                // Uploading the folder and downloading it elsewhere.
                std::fs::create_dir_all(project.path("runs")).unwrap();
                let to = format!("runs/flows-{number}");
                std::fs::rename(project.path("out"), project.path(&to)).unwrap();
            }
        }
        let merge = commands.get(1).map_or("runner report out", String::as_str);
        in_shell(&project, merge, &[])
            .expect(1)
            .says("7 flows in")
            .says("6 passed, 1 failed");
    }
}

#[test]
fn the_job_for_kubernetes_has_as_many_parts_as_it_says() {
    let text =
        std::fs::read_to_string(Path::new(ROOT).join("examples/ci/shards/kubernetes-job.yaml"))
            .unwrap();
    let job: Value = serde_yaml::from_str(&text).unwrap();
    let spec = &job["spec"];
    assert_eq!(
        (&job["kind"], &spec["completionMode"]),
        (&"Job".into(), &"Indexed".into())
    );
    let environment = &spec["template"]["spec"]["containers"][0]["env"][0];
    assert_eq!(environment["name"], "RUNNER_SHARDS");
    assert_eq!(environment["value"], spec["completions"].to_string());
    assert_eq!(spec["completions"], spec["parallelism"]);
}
