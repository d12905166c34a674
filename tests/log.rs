//! `--log`, `RUNNER_LOG` and `doctor --bundle`: what they show, and what they hide.

use crate::common::Project;

const FLOW: &str = "\
secrets: [PASSWORD]
env: { PASSWORD: swordfish-and-chips }
app: com.example.notes
setup: [ launch: { clear: true } ]
steps:
  - type: { into: { id: username }, text: ada-in-the-open }
  - type: { into: { id: password }, text: \"${PASSWORD}\", secret: true }
  - click: Sign in
";

fn logged(variables: &[(&str, &str)]) -> String {
    let project = Project::with_demo_app();
    project.write("flows/sign-in.yaml", FLOW);
    let mut command = project.command(&["test", "--log", "run.log"]);
    command.envs(variables.iter().copied());
    let ran = crate::common::Ran::from(command.output().unwrap());
    ran.expect(0);
    project.read("run.log")
}

#[test]
fn the_log_tells_each_step_with_what_it_asked_of_the_device() {
    let log = logged(&[]);
    let order = [
        "runner: log begins",
        "adb: connected",
        "step begins",
        "adb: answered",
        "engine: look",
        "engine: input",
        "step ends",
    ];
    let mut rest = log.as_str();
    for part in order {
        let at = rest.find(part);
        let at = at.unwrap_or_else(|| panic!("no {part:?} after the others:\n{log}"));
        rest = &rest[at..];
    }
    assert!(!log.contains("uiautomator dump /"), "debug holds no script");
}

#[test]
fn no_level_of_the_log_holds_a_secret_or_what_is_typed() {
    for filter in ["info", "debug", "trace"] {
        let log = logged(&[("RUNNER_LOG", filter)]);
        assert!(!log.contains("swordfish"), "{filter}: {log}");
        let sent = log.lines().filter(|line| line.contains(" sent="));
        let typed = sent.filter(|line| line.contains("ada-in-the-open")).count();
        assert_eq!(typed, 0, "{filter}");
        assert_eq!(
            filter == "trace",
            log.contains("dumpsys window displays 2>&1")
        );
    }
}

#[test]
fn a_filter_or_a_file_that_cannot_be_used_is_said_before_anything_runs() {
    let project = Project::with_demo_app();
    project.write("flows/sign-in.yaml", FLOW);
    let mut command = project.command(&["test", "--log", "run.log"]);
    command.env("RUNNER_LOG", "adb=loud");
    let ran = crate::common::Ran::from(command.output().unwrap());
    ran.expect(2).says("RUNNER_LOG");
    let ran = project.run(&["test", "--log", "runner.yaml/run.log"]);
    ran.expect(2).says("--log");
}

#[test]
fn a_bundle_holds_what_somebody_else_needs_and_no_secret() {
    let project = Project::with_demo_app();
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nsecrets: [PASSWORD]\nenv: { PASSWORD: swordfish-and-chips }\n",
    );
    project.write("flows/a.yaml", "steps: [ log: swordfish-and-chips ]\n");
    project.run(&["test"]);
    project.run(&["doctor", "--bundle", "report.zip"]).expect(0);
    let file = std::fs::File::open(project.path("report.zip")).unwrap();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    for name in [
        "about.txt",
        "doctor.txt",
        "settings.txt",
        "doctor.log",
        "last-run.ndjson",
    ] {
        let text = std::io::read_to_string(archive.by_name(name).unwrap()).unwrap();
        assert!(text.len() > 20, "{name}: {text:?}");
        assert!(!text.contains("swordfish"), "{name}: {text}");
    }
}

#[test]
fn a_bundle_hides_what_only_the_environment_gives() {
    let project = Project::with_demo_app();
    let settings = "devices: [virtual]\napps: [apps/demo]\n";
    project.write("runner.yaml", settings);
    project.write("flows/a.yaml", "steps: [ log: swordfish-and-chips ]\n");
    project.run(&["test"]);
    // The last run did not know yet that this is a secret.
    project.write("runner.yaml", &format!("{settings}secrets: [PASSWORD]\n"));
    let mut doctor = project.command(&["doctor", "--bundle", "report.zip"]);
    doctor.env("PASSWORD", "swordfish-and-chips");
    assert!(doctor.status().unwrap().success());
    let file = std::fs::File::open(project.path("report.zip")).unwrap();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    let events = std::io::read_to_string(archive.by_name("last-run.ndjson").unwrap()).unwrap();
    assert!(!events.contains("swordfish"), "{events}");
    assert!(events.contains("***"), "{events}");
}

#[test]
fn a_bundle_holds_the_log_that_was_asked_for() {
    let project = Project::with_demo_app();
    project.write("runner.yaml", "devices: [virtual]\napps: [apps/demo]\n");
    project
        .run(&["doctor", "--bundle", "report.zip", "--log", "run.log"])
        .expect(0);
    let file = std::fs::File::open(project.path("report.zip")).unwrap();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    let packed = std::io::read_to_string(archive.by_name("doctor.log").unwrap()).unwrap();
    assert!(packed.contains("log begins"), "{packed}");
    let log = std::fs::read_to_string(project.path("run.log")).unwrap();
    assert!(log.starts_with(&packed), "{log}");
}
