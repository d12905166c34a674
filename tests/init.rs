//! `runner init` as a newcomer meets it: an empty folder, one command, a run that passes.

#[cfg(unix)]
use crate::common::needs;
use crate::common::{Project, Ran};

const FILES: [&str; 11] = [
    ".gitignore",
    "apps/hello/app.yaml",
    "apps/hello/main.yaml",
    "flows/first.yaml",
    "runner-yaml.schema.json",
    "runner.schema.json",
    "runner.yaml",
    "snapshots/first/greeted.tsv",
    "snapshots/first/greeted~virtual1-34-1080x2400-420-en-light.annotated.png",
    "snapshots/first/greeted~virtual1-34-1080x2400-420-en-light.png",
    "snapshots/first/greeted~virtual1-34-1080x2400-420-en-light.tsv",
];

/// Returns the commands in a row of README's first ten minutes.
fn commands_of_readme(row: usize) -> Vec<String> {
    let readme = runner_testing::root().join("README.md");
    let readme = std::fs::read_to_string(readme).expect("README.md");
    let begin = format!("| {row} | ");
    let row = readme.lines().find(|line| line.starts_with(&begin));
    let spans = row.expect("the row").split('`').skip(1).step_by(2);
    spans
        .filter_map(|span| span.strip_prefix("runner "))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_package_of_an_app_is_no_folder() {
    let project = Project::empty();
    let ran = project.run(&["init", "com.example.notes"]).expect(2);
    ran.says("`runner init --app APK`");
    assert!(!project.path("com.example.notes").exists());
    std::fs::create_dir(project.path("com.example.notes")).expect("a folder");
    project.run(&["init", "com.example.notes"]).expect(0);
}

#[test]
fn the_package_of_an_app_is_no_apk() {
    let project = Project::empty();
    let ran = project.run(&["init", "--app", "com.example.notes"]);
    ran.expect(2)
        .says("`--app` takes an APK, and com.example.notes is a package")
        .never_says("cannot be read");
    assert!(!project.path("runner.yaml").exists());
    let ran = project.run(&["init", "--app", "com.example.notes.apk"]);
    ran.expect(2).never_says("is a package");
}

/// Checks that README's first steps for a newcomer happen as written.
#[test]
fn readmes_steps_happen_as_written() {
    for (was, is, told) in [
        ("What is your name?", "Who are you?", "Who are you?"),
        ("#3F6DB5", "#9C2E6F", "colour #3F6DB5"),
    ] {
        let project = Project::empty();
        let run = |row: usize| -> Vec<Ran> {
            let commands = commands_of_readme(row);
            let ran = commands.iter().map(|command| match command.as_str() {
                "init" => without_devices(&project, &["init"]),
                command => project.run(&[command]),
            });
            ran.collect()
        };
        // 2: run it.
        let ran = run(2);
        assert_eq!(ran.len(), 2, "`runner init`, then `runner test`");
        for ran in ran {
            let ran = ran.expect(0);
            let all = format!("{}{}", ran.stdout, ran.stderr);
            assert!(!all.contains("note:") && !all.contains("warning"), "{all}");
        }
        // 3: see it. A text that the flow asserts is changed in both, as a person would.
        let app = if was.starts_with('#') { "app" } else { "main" };
        project.replace(&format!("apps/hello/{app}.yaml"), was, is);
        if app == "main" {
            project.replace("flows/first.yaml", was, is);
        }
        for ran in run(3) {
            ran.expect(1).says(told);
        }
        // 4: decide. Without a terminal, the review is told by its two commands.
        assert_eq!(commands_of_readme(4), ["review"]);
        project.run(&["pending"]).expect(1).says("first/greeted");
        project.run(&["accept", "--all"]).expect(0);
        project.run(&["test"]).expect(0);
    }
}

/// The golden of a new project is what the program writes.
#[test]
fn the_golden_of_a_new_project_is_as_the_program_writes_it() {
    let project = Project::empty();
    without_devices(&project, &["init"]).expect(0);
    let read = || -> Vec<(String, Vec<u8>)> {
        let files = project.files("snapshots").into_iter();
        let read = |name: String| {
            let bytes = std::fs::read(project.path("snapshots").join(&name)).expect("a file");
            (name, bytes)
        };
        files.map(read).collect()
    };
    let shipped = read();
    std::fs::remove_dir_all(project.path("snapshots")).expect("the folder");
    project.run(&["test", "--update", "new"]).expect(0);
    assert!(shipped == read(), "copy its files to src/cli/init/");
}

#[test]
fn a_new_project_passes_at_once() {
    let project = Project::empty();
    let init = without_devices(&project, &["init"]).expect(0);
    assert_eq!(project.files("."), FILES);
    assert!(init.stderr.contains("next: `runner test`"));
    project.run(&["lint"]).expect(0).says("1 flow: no errors");
    project.run(&["test"]).expect(0).says("1 passed");
    assert!(
        project.run(&["pending"]).expect(0).stdout.is_empty(),
        "the golden that comes with the project is that of its screen"
    );
}

#[test]
fn the_way_its_comment_shows_works() {
    let project = Project::empty();
    project.run(&["init", "shop"]).expect(0);
    let here = |arguments: &[&str]| {
        let mut command = project.command(arguments);
        command.current_dir(project.path("shop"));
        Ran::from(command.output().expect("the program starts"))
    };
    here(&["test"]).expect(0);

    let question = "What is your name?";
    project.replace("shop/apps/hello/main.yaml", question, "Who are you?");
    project.replace("shop/flows/first.yaml", question, "Who are you?");
    here(&["test"]).expect(1).says("Who are you?");
    here(&["pending"]).expect(1).says("first/greeted");
    here(&["accept", "--all"]).expect(0);
    here(&["test"]).expect(0);
    here(&["pending"]).expect(0);
}

#[test]
fn a_project_that_is_there_gets_no_starter() {
    for (name, text) in [
        ("runner.yaml", "devices: [virtual]\n"),
        ("flows/own.yaml", "steps: [ press: BACK ]\n"),
    ] {
        let project = Project::empty();
        project.write(".gitignore", "/target\n");
        project.write(name, text);
        let init = project.run(&["init"]).expect(0);
        assert!(init.stderr.contains("add to .gitignore"), "{}", init.stderr);
        assert!(init.stderr.contains("/.runner/"), "{}", init.stderr);
        // Where the examples of CI write.
        assert!(init.stderr.contains("/out/"), "{}", init.stderr);
        assert!(init.stderr.contains("no starter flow"), "{}", init.stderr);
        assert_eq!(project.read(".gitignore"), "/target\n");
        assert_eq!(project.read(name), text);
        assert!(!project.path("flows/first.yaml").exists());
        assert!(!project.path("snapshots").exists());
    }
}

#[test]
fn what_a_new_project_got_is_kept() {
    let project = Project::empty();
    without_devices(&project, &["init"]).expect(0);
    project.replace("flows/first.yaml", "Say hello", "Say more");
    let again = without_devices(&project, &["init"]).expect(0);
    assert!(!again.stdout.contains("wrote"), "{}", again.stdout);
    assert!(project.read("flows/first.yaml").contains("Say more"));
}

/// Each file that `runner init` writes may be a link.
#[cfg(unix)]
#[test]
fn a_link_is_written_through_if_it_stays_in_the_project() {
    use std::os::unix::fs::symlink;
    if !needs::program("git") {
        return;
    }
    let outside = Project::empty();
    outside.write("ignore", "/target\n");
    let outside_path = outside.path("ignore");
    for (target, holds) in [
        (std::path::Path::new("conf/ignore"), true),
        (std::path::Path::new("conf/missing"), true),
        (outside_path.as_path(), false),
        (std::path::Path::new("nowhere/../../ignore"), false),
    ] {
        let project = Project::empty();
        project.git(&["init", "--quiet"]);
        project
            .write("runner.yaml", "devices: [virtual]\n")
            .write("conf/ignore", "/target\n");
        symlink(target, project.path(".gitignore")).unwrap();
        let init = project.run(&["init", "--git"]);
        assert!(project.path(".gitignore").is_symlink(), "{target:?}");
        if holds {
            init.expect(0).says("read no link");
            let target = target.to_str().expect("a text");
            assert!(project.read(target).contains("/.runner/"), "{target}");
        } else {
            init.expect(2).says("leads to no place in the project");
            assert!(!project.path(".gitattributes").exists());
        }
        assert_eq!(outside.read("ignore"), "/target\n");
    }
    let project = Project::empty();
    project.write("runner.yaml", "devices: [virtual]\n");
    symlink(outside.path("new"), project.path(".gitignore")).unwrap();
    let init = project.run(&["init"]).expect(2);
    init.says("leads to no place in the project");
    assert!(!outside.path("new").exists());
}

#[cfg(unix)]
#[test]
fn nothing_is_written_where_a_link_leads_out_of_the_project() {
    use std::os::unix::fs::symlink;
    for link in ["snapshots", "apps", "apps/hello", ".gitignore", ".github"] {
        for inside in [false, true] {
            let outside = Project::empty();
            outside.write("there/file", "");
            let project = Project::empty();
            project.write("apps/file", "").write("mine/file", "");
            if link == "apps" {
                std::fs::remove_dir_all(project.path("apps")).unwrap();
            }
            let target = match (inside, link) {
                (true, ".gitignore") => project.path("mine/new"),
                (true, _) => project.path("mine"),
                (false, ".gitignore") => outside.path("there/new"),
                (false, _) => outside.path("there"),
            };
            symlink(&target, project.path(link)).unwrap();
            let init = without_devices(&project, &["init", "--ci", "github"]);
            if inside {
                init.expect(0);
                assert!(project.path("runner.yaml").exists(), "{link}");
            } else {
                init.expect(2).says(&format!(
                    "`{link}` is a link that leads to no place in the project"
                ));
                assert!(!project.path("runner.yaml").exists(), "{link}");
                assert_eq!(outside.files("there"), ["file"], "{link}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_git_does_not_read_is_told_when_it_is_kept() {
    if !needs::program("git") {
        return;
    }
    let project = Project::empty();
    project.git(&["init", "--quiet"]);
    project.write("runner.yaml", "devices: [virtual]\n");
    project.run(&["init", "--git"]).expect(0);
    std::fs::rename(project.path(".gitignore"), project.path("ignore")).unwrap();
    std::os::unix::fs::symlink("ignore", project.path(".gitignore")).unwrap();
    project
        .run(&["init", "--git"])
        .expect(0)
        .says("kept     .gitignore")
        .says("read no link");
}

/// Runs `runner init` as if no device were connected.
fn without_devices(project: &Project, arguments: &[&str]) -> Ran {
    let mut command = project.command(arguments);
    command.args(["--device", "virtual"]);
    Ran::from(command.output().expect("the program starts"))
}

#[test]
fn the_file_of_a_ci_system_runs_what_was_written() {
    for (system, file, report) in [
        ("github", ".github/workflows/flows.yml", "out/report.html"),
        ("gitlab", ".gitlab-ci.yml", "out/report.html"),
        ("jenkins", "Jenkinsfile", "out/report/index.html"),
    ] {
        let project = Project::empty();
        without_devices(&project, &["init", "--ci", system])
            .expect(0)
            .says(&format!("wrote    {file}"))
            .says("wrote    flows/first.yaml");
        let text = project.read(file);
        let command = text
            .lines()
            .find_map(|line| line.split_once("runner test "))
            .map(|(_, arguments)| arguments.trim_end_matches('\''))
            .expect("a step that runs the flows");
        let arguments: Vec<&str> = std::iter::once("test")
            .chain(command.split_whitespace())
            .collect();
        let mut ran = project.command(&arguments);
        ran.env("CI", "true");
        Ran::from(ran.output().expect("the program starts"))
            .expect(0)
            .says("1 passed");
        for kept in ["out/junit.xml", report, "out/events.ndjson"] {
            assert!(project.path(kept).is_file(), "{system}: {kept}");
        }
    }
}

#[test]
fn a_project_gets_the_file_of_a_ci_system_alone() {
    let project = Project::empty();
    project.write("runner.yaml", "devices: [virtual]\n");
    let ran = project.run(&["init", "--ci", "gitlab"]).expect(0);
    assert_eq!(project.files("."), [".gitlab-ci.yml", "runner.yaml"]);
    assert!(ran.stderr.contains("fill in"), "{}", ran.stderr);
    project.write(".gitlab-ci.yml", "mine: {}\n");
    project
        .run(&["init", "--ci", "gitlab"])
        .expect(0)
        .says("kept     .gitlab-ci.yml");
    assert_eq!(project.read(".gitlab-ci.yml"), "mine: {}\n");
}

#[test]
fn nothing_is_written_for_a_device_that_is_not_there() {
    let project = Project::empty();
    // Reached directly, so that no server of adb is started.
    project
        .run(&["init", "shop", "--device", "127.0.0.1:1"])
        .expect(3)
        .says("127.0.0.1:1");
    assert!(!project.path("shop").exists());
    without_devices(&project, &["init", "shop"])
        .expect(0)
        .never_says("shows no app");
}

/// The device is one that the program reaches over TCP as it does a phone; what it shows is the app in front.
#[cfg(unix)]
#[test]
fn the_first_flow_is_of_the_app_in_front() {
    use crate::common::leash::Leash;

    let project = Project::with_demo_app();
    let log = project.path("device.log");
    let device = Leash::start(
        &project.command(&["virtual", "--port", "0", "--app", "apps/demo"]),
        &log,
    );
    let address = device.until("the device tells its address", || {
        let text = std::fs::read_to_string(&log).ok()?;
        let (_, rest) = text.split_once("--device ")?;
        Some(rest.split_once('`')?.0.to_owned())
    });

    // The launcher is in front: there is nothing to begin with.
    project
        .run(&["init", "empty", "--device", &address])
        .expect(0)
        .says("shows no app that a flow could start");
    assert!(project.path("empty/apps/hello").is_dir());

    project.flow("open", "steps:\n  - launch: { activity: .Inbox }\n");
    project
        .run(&["test", "flows/open.yaml", "--device", &address])
        .expect(0);
    let init = project
        .run(&["init", "shop", "--device", &address])
        .expect(0);
    assert!(
        init.stderr.contains("com.example.notes is in front"),
        "{}",
        init.stderr
    );
    let flow = project.read("shop/flows/first.yaml");
    assert!(flow.contains("app: com.example.notes"), "{flow}");
    assert!(flow.contains("  #   - assert visible: "), "{flow}");
    assert!(!project.path("shop/apps").exists());

    let here = |arguments: &[&str]| {
        let mut command = project.command(arguments);
        command.current_dir(project.path("shop"));
        command.env("ANDROID_SERIAL", &address);
        Ran::from(command.output().expect("the program starts"))
    };
    here(&["lint"]).expect(0);
    here(&["test"])
        .expect(1)
        .says("1 snapshot without a golden: first/start");
    here(&["accept", "--all"]).expect(0);
    here(&["test"]).expect(0).says("1 passed");
}
