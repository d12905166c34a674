//! Law of files: whatever stands where a project or a person names a file, the program says what is there, in
//! time and without much memory; and an output replaces nothing that this program did not write.

#[path = "files/kinds.rs"]
mod kinds;
#[path = "files/outputs.rs"]
mod outputs;
#[path = "files/own_folders.rs"]
mod own_folders;
#[path = "files/watched.rs"]
mod watched;

use std::collections::BTreeSet;

use crate::common::{Project, Ran, at_once, copy_tree};
use kinds::Kind;
use watched::watched;

/// Command-line argument that names a file to read.
struct Argument {
    /// Name as in `help`: the subcommand, and the option or the value's name.
    name: &'static str,
    /// The command line; `@` is the file.
    line: &'static [&'static str],
    /// Kinds that the command accepts.
    fine: &'static [Kind],
}

/// Kinds that are accepted if a person names the file: outside of the project, and empty devices.
const ANYWHERE: &[Kind] = &[Kind::Outside, Kind::Empty];

/// Arguments that name a file to read. The line holds further files, a device or a server if they are needed.
const ARGUMENTS: &[Argument] = &[
    Argument {
        name: "lint PATH",
        line: &["lint", "@.yaml"],
        fine: &[],
    },
    Argument {
        name: "test PATH",
        line: &["test", "@.yaml"],
        fine: &[],
    },
    Argument {
        name: "test --env-file",
        line: &["test", "--list", "flows/good.yaml", "--env-file", "@"],
        fine: ANYWHERE,
    },
    Argument {
        name: "test --config",
        line: &["test", "--list", "maestro", "--config", "@"],
        fine: ANYWHERE,
    },
    Argument {
        name: "test --history",
        line: &["test", "--last-failed", "--list", "--history", "@.ndjson"],
        fine: &[],
    },
    Argument {
        name: "history --history",
        line: &["history", "--history", "@.ndjson"],
        fine: &[Kind::Outside, Kind::Empty, Kind::NotText],
    },
    Argument {
        name: "inspect --app",
        line: &["inspect", "--device", "virtual", "--app", "@.apk"],
        fine: &[],
    },
    Argument {
        name: "inspect --dump",
        line: &["inspect", "--dump", "@"],
        fine: &[],
    },
    Argument {
        name: "virtual --app",
        line: &["virtual", "--port", "0", "--app", "@.apk"],
        fine: &[],
    },
    Argument {
        name: "virtual --require-key",
        line: &["virtual", "--port", "0", "--require-key", "@"],
        fine: &[],
    },
    Argument {
        name: "init --app",
        line: &["init", "new", "--app", "@.apk"],
        fine: &[],
    },
    Argument {
        name: "compare EXPECTED",
        line: &["compare", "@", "picture.png"],
        fine: &[],
    },
    Argument {
        name: "compare ACTUAL",
        line: &["compare", "picture.png", "@"],
        fine: &[],
    },
    Argument {
        name: "report STREAM",
        line: &["report", "@"],
        fine: &[],
    },
    Argument {
        name: "accept --decisions",
        line: &["accept", "--decisions", "@", "--from", "archive.zip"],
        fine: &[],
    },
    Argument {
        name: "accept --from",
        line: &["accept", "--decisions", "decisions.json", "--from", "@"],
        fine: &[Kind::Folder],
    },
    Argument {
        name: "review --from",
        line: &["review", "--static", "page", "--from", "@"],
        fine: &[Kind::Folder],
    },
    Argument {
        name: "mcp --token-file",
        line: &["mcp", "--http", "127.0.0.1:0", "--token-file", "@"],
        fine: &[],
    },
    Argument {
        name: "mcp --token-action-file",
        line: &[
            "mcp",
            "--dialect",
            "mobile-agent",
            "--http",
            "127.0.0.1:0",
            "--token-action-file",
            "@",
        ],
        fine: &[],
    },
];

/// Makes a project in which each command line of [`ARGUMENTS`] works but for the file that it names.
fn project() -> Project {
    let project = Project::with_demo_app();
    project.flow("good", "steps: [ launch ]\n");
    project.write(
        "maestro/a.yaml",
        "appId: com.example.notes\n---\n- launchApp\n",
    );
    project.write("maestro/config.yaml", "flows: [ '*' ]\n");
    let digest = "00112233445566778899aabbccddeeff".repeat(2);
    let decisions = format!(r#"{{"runner-decisions":1,"archive":"{digest}","decisions":[]}}"#);
    project.write("decisions.json", &decisions);
    project.write("side", "");
    image::RgbaImage::new(8, 8)
        .save(project.path("picture.png"))
        .expect("a picture");
    project
}

fn with_file(line: &[&str], file: &str) -> Vec<String> {
    line.iter().map(|word| word.replace('@', file)).collect()
}

#[tokio::test]
async fn each_file_that_a_person_names_is_told_by_what_it_is() {
    let cells = ARGUMENTS
        .iter()
        .flat_map(|argument| Kind::all().map(move |kind| (argument, kind)));
    let wrong = at_once(cells, async |(argument, kind)| {
        let project = project();
        let file = argument.line.iter().find(|word| word.starts_with('@'));
        let name = file.expect("a file").replace('@', "it");
        let _there = kind.put(&project.path(&name));
        let ran = watched(&project, &with_file(argument.line, "it")).await;
        kind.wrong_words(&ran, &name, argument.fine)
            .map(|why| format!("{} as {kind:?}: {why}", argument.name))
    });
    tell(wrong.await);
}

/// Key of `runner.yaml` or of a flow that names a file.
struct Key {
    name: &'static str,
    /// Files that hold the key.
    files: &'static [(&'static str, &'static str)],
    /// File that the key names.
    named: &'static str,
    fine: &'static [Kind],
}

const FLOW: &str = "app: com.example.notes\n";

/// Keys of `runner.yaml` whose files `lint` reads.
const KEYS: &[Key] = &[
    Key {
        name: "runner.yaml",
        files: &[],
        named: "runner.yaml",
        // Without one, or with nothing in it, the defaults hold.
        fine: &[Kind::Missing, Kind::Empty],
    },
    Key {
        name: "flows",
        files: &[("runner.yaml", "flows: [ flows/it.yaml ]\n")],
        named: "flows/it.yaml",
        fine: &[],
    },
    Key {
        name: "each: { file }",
        files: &[(
            "flows/it.yaml",
            "app: a.b\neach: data/it.csv\nsteps: [ launch ]\n",
        )],
        named: "flows/data/it.csv",
        fine: &[],
    },
    Key {
        name: "run",
        files: &[("flows/it.yaml", "app: a.b\nsteps: [ run: _it.yaml ]\n")],
        named: "flows/_it.yaml",
        fine: &[],
    },
    Key {
        name: "runFlow",
        files: &[(
            "flows/it.yaml",
            "appId: a.b\n---\n- runFlow: sub/_it.yaml\n",
        )],
        named: "flows/sub/_it.yaml",
        fine: &[],
    },
    Key {
        name: "runScript",
        files: &[("flows/it.yaml", "appId: a.b\n---\n- runScript: it.js\n")],
        named: "flows/it.js",
        fine: &[Kind::Empty],
    },
    Key {
        name: "config.yaml",
        files: &[
            ("runner.yaml", "flows: [ flows ]\n"),
            ("flows/it.yaml", "appId: a.b\n---\n- launchApp\n"),
        ],
        named: "flows/config.yaml",
        fine: &[Kind::Missing, Kind::Empty],
    },
];

#[tokio::test]
async fn each_file_that_a_project_names_is_told_by_what_it_is() {
    let cells = KEYS
        .iter()
        .flat_map(|key| Kind::all().map(move |kind| (key, kind)));
    let wrong = at_once(cells, async |(key, kind)| {
        let project = Project::empty();
        project.write("runner.yaml", "devices: [virtual]\n");
        project.write("flows/good.yaml", &format!("{FLOW}steps: [ launch ]\n"));
        for (name, text) in key.files {
            project.write(name, text);
        }
        let _there = kind.put(&project.path(key.named));
        let ran = watched(&project, &["lint".to_owned()]).await;
        kind.wrong_words(
            &ran,
            key.named.rsplit('/').next().unwrap_or_default(),
            key.fine,
        )
        .map(|why| format!("{} as {kind:?}: {why}", key.name))
    });
    tell(wrong.await);
}

/// A step: its text, the beginning of its title, its file, and the kinds that it accepts.
struct Step {
    flow: &'static str,
    step: &'static str,
    title: &'static str,
    file: &'static str,
    fine: &'static [Kind],
}

/// Placeholders for a golden's files, whose names hold the device's class.
const ROWS: &str = "own/rows.tsv";
const PICTURE: &str = "~*.png";

/// Steps that read files. All are optional, so that one run reports on every one.
const STEPS: &[Step] = &[
    Step {
        flow: "own",
        step: "snapshot: rows",
        title: "snapshot: rows",
        file: ROWS,
        fine: &[Kind::Missing],
    },
    Step {
        flow: "own",
        step: "snapshot: picture",
        title: "snapshot: picture",
        file: PICTURE,
        fine: &[Kind::Missing],
    },
    Step {
        flow: "own",
        step: "push: { from: data/push, to: /sdcard/Download/a }",
        title: "push:",
        file: "data/push",
        fine: &[Kind::Empty, Kind::NotText],
    },
    Step {
        flow: "own",
        step: "install: data/it.apk",
        title: "install:",
        file: "data/it.apk",
        fine: &[],
    },
    Step {
        flow: "own",
        step: "snapshot: { name: b, baseline: data/b.png }",
        title: "snapshot: { name: b",
        file: "data/b.png",
        fine: &[],
    },
    Step {
        flow: "media",
        step: "addMedia: { files: [ media.png ], optional: true }",
        title: "addMedia:",
        file: "flows/media.png",
        fine: &[Kind::Empty, Kind::NotText],
    },
    Step {
        flow: "shot",
        step: "assertScreenshot: { path: shot.png, optional: true }",
        title: "assertScreenshot:",
        file: "flows/shot.png",
        fine: &[],
    },
];

/// Makes a project whose flows have these steps.
fn project_of_steps() -> Project {
    let project = Project::with_demo_app();
    let mut own = "app: com.example.notes\nsteps:\n  - launch\n".to_owned();
    for Step { flow, step, .. } in STEPS {
        if *flow == "own" {
            own += &format!("  - {step}\n    optional: true\n");
        } else {
            let text = format!("appId: com.example.notes\n---\n- {step}\n");
            project.write(&format!("flows/{flow}.yaml"), &text);
        }
    }
    project.write("flows/own.yaml", &own);
    project
}

/// Returns the file of a step; for a golden, the one that a run before has written.
fn file_of(project: &Project, step: &Step) -> String {
    let begin_end = match step.file {
        ROWS => ("own/rows", "rows.tsv"),
        PICTURE => ("own/picture", ".png"),
        file => return file.to_owned(),
    };
    let (begin, end) = begin_end;
    let is_golden = |file: &&String| {
        file.starts_with(begin) && file.ends_with(end) && !file.contains("annotated")
    };
    let goldens = project.files("snapshots");
    let golden = goldens.iter().find(is_golden);
    format!(
        "snapshots/{}",
        golden.unwrap_or_else(|| panic!("{goldens:?}"))
    )
}

#[tokio::test]
async fn each_file_that_a_step_names_is_told_by_what_it_is() {
    let template = project_of_steps();
    template
        .run(&["test", "flows/own.yaml", "--update"])
        .expect(0);
    let wrong = at_once(Kind::all(), |kind| {
        let project = Project::empty();
        copy_tree(&template.path(""), &project.path(""));
        async move {
            let files: Vec<_> = STEPS.iter().map(|step| file_of(&project, step)).collect();
            let there: Vec<_> = files
                .iter()
                .map(|file| kind.put(&project.path(file)))
                .collect();
            let line = ["test", "--json", "events.ndjson"].map(str::to_owned);
            let ran = watched(&project, &line).await;
            drop(there);
            let events = std::fs::read_to_string(project.path("events.ndjson"));
            let events = events.unwrap_or_default();
            let wrong = STEPS.iter().zip(&files).filter_map(|(step, file)| {
                // A flow that does not read has no steps.
                let failure = failure(&events, step.title);
                let stdout = failure.unwrap_or_else(|| format!("{}{}", ran.stdout, ran.stderr));
                let one = Ran {
                    code: i32::from(!stdout.is_empty()),
                    stdout,
                    stderr: String::new(),
                };
                let name = file.rsplit('/').next().unwrap_or_default();
                let why = kind.wrong_words(&one, name, step.fine)?;
                Some(format!("{} as {kind:?}: {why}", step.step))
            });
            wrong.collect::<Vec<_>>()
        }
    });
    tell(wrong.await.into_iter().flatten().map(Some).collect());
}

/// Returns a step's failure as JSON, an empty text if it passed, or `None` if it did not end.
fn failure(events: &str, title: &str) -> Option<String> {
    let ended = events
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .find(|event| {
            let is_title = event["title"]
                .as_str()
                .is_some_and(|it| it.starts_with(title));
            event["event"] == "step_finished" && is_title
        })?;
    Some(match &ended["failure"] {
        serde_json::Value::Null => String::new(),
        failure => failure.to_string(),
    })
}

/// Fails the test if there are faults, and prints them.
#[track_caller]
fn tell(wrong: Vec<Option<String>>) {
    let all = wrong.len();
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(
        wrong.is_empty(),
        "{} of {all} break the law:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Options whose value is written, or a folder; and one that needs a JDK.
const OTHERS: &[&str] = &[
    "--log",
    "--junit",
    "--html",
    "--allure",
    "--json",
    "--artifacts",
    "--archive",
    "--bundle",
    "--diff",
    "--screenshot",
    "--annotated",
    "--static",
    "--record",
    "--project",
    "--output",
    "--test-output-dir",
    "--debug-output",
    "--classes",
];

/// Checks that the law has every argument that names a file, so that a new one is tried.
#[test]
fn the_law_has_every_argument_that_names_a_file() {
    let project = Project::empty();
    let option =
        regex::Regex::new(r"(?m)^ +(?:-\w, )?(--[\w-]+) [<\[][^>]*\b(FILE|DIR|PATHS?|APK)\b")
            .unwrap();
    let known: BTreeSet<&str> = ARGUMENTS
        .iter()
        .filter_map(|argument| argument.name.split(' ').nth(1))
        .chain(OTHERS.iter().copied())
        .collect();
    let help = project.run(&["--help"]).expect(0).stdout;
    let (commands, _) = help.split_once("\nOptions:").expect("options");
    let commands = commands.lines().filter_map(|line| line.strip_prefix("  "));
    for command in commands.filter_map(|line| line.split_whitespace().next()) {
        let help = project.run(&[command, "--help"]).expect(0).stdout;
        for found in option.captures_iter(&help) {
            assert!(
                known.contains(&found[1]),
                "{command} {}: no cell of the law",
                &found[1]
            );
        }
    }
}

/// Both names look the same, so `did you mean` would not help.
#[test]
fn a_file_in_another_unicode_form_is_told() {
    let project = Project::with_demo_app();
    project.flow("_gro\u{308}\u{df}e", "steps: [ back ]\n");
    project.write("flows/zu\u{308}rich.csv", "user\nada\n");
    let composed = "flows/_gr\u{f6}\u{df}e.yaml";
    // macOS takes both for one name.
    if project.path(composed).exists() {
        return;
    }
    let told = "is there with decomposed letters (Unicode's NFD), which is another name";
    for steps in [
        "steps: [ { run: _gr\u{f6}\u{df}e.yaml } ]\n",
        "steps: [ { push: { from: flows/_gr\u{f6}\u{df}e.yaml, to: /sdcard/a } } ]\n",
        "each: z\u{fc}rich.csv\nsteps: [ back ]\n",
    ] {
        project.flow("a", steps);
        project.run(&["lint", "flows/a.yaml"]).says(told);
    }
    project
        .run(&["test", "--list", composed])
        .expect(2)
        .says(told)
        .never_says("did you mean");
}

/// Settings under another name would be passed over in silence.
#[test]
fn settings_under_another_name_are_told() {
    let commands: [&[&str]; 3] = [&["lint"], &["test"], &["config"]];
    for name in [
        "runner.yml",
        "Runner.yaml",
        "Runner.yml",
        "RUNNER.YAML",
        "rUNNER.yMl",
        ".runner.yaml",
        ".runner.yml",
        "runner.json",
        "runner.toml",
    ] {
        for (has_own, folder) in [(false, ""), (false, "up/"), (true, "")] {
            let project = Project::empty();
            project.write("up/down/flows/a.yaml", "app: a.b\nsteps: [ launch ]\n");
            project.write("flows/a.yaml", "");
            project.write("up/flows/a.yaml", "");
            // Beside the right one too, but for a name that only differs in case.
            if has_own && !name.eq_ignore_ascii_case("runner.yaml") {
                project.write("up/runner.yaml", "devices: [virtual]\n");
                project.write(&format!("up/{name}"), "");
            } else {
                project.write(&format!("{folder}{name}"), "devices: [virtual]\n");
            }
            for arguments in commands {
                let mut command = project.command(arguments);
                command.current_dir(project.path("up/down"));
                let ran = Ran::from(command.output().unwrap()).expect(2);
                ran.says(name).says("rename it");
            }
        }
    }
}

#[test]
fn lint_tells_keys_of_a_sub_flow_that_have_no_effect() {
    let project = Project::with_demo_app();
    project.flow("a", "steps: [ run: _b.yaml, run: c.yaml ]\n");
    let header = "tags: [x]\nretries: 2\nsetup: [ launch ]\nenv: { A: b }\nsteps: [ launch ]\n";
    project.flow("_b", header);
    // It is a test of its own as well.
    project.flow("c", header);
    let ran = project.run(&["lint"]).expect(0);
    for key in ["tags", "retries", "setup"] {
        let words = format!("`{key}` of a sub-flow has no effect");
        assert_eq!(ran.stdout.matches(&words).count(), 1, "{}", ran.stdout);
    }
    ran.never_says("`env` of a sub-flow");
    project
        .run(&["lint", "flows/_b.yaml"])
        .expect(0)
        .never_says("no effect");
}
