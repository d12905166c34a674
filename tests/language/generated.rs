//! Flow files, app files and settings, changed at random as by a careless or hostile hand.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::common::Project;

/// Number of files of each kind; `RUNNER_GENERATED=5000` makes more.
const COUNT: usize = 25;

/// Limit for one file. Chosen: far more than any needs on a loaded machine.
const LIMIT: Duration = Duration::from_mins(1);

const HOSTILE: [&str; 48] = [
    "${",
    "}",
    "${USER | indent(99999999999)}",
    "${'a' * 100000000 ~ 'b'}",
    "${[[[[1]]]] | batch(1e9)}",
    "$${x}",
    "&a",
    "*a",
    "<<: *a",
    "!!binary x",
    "!t",
    "|",
    ">-",
    "? x",
    "- - - -",
    "[",
    "]",
    "{",
    "}",
    "[[[[[[[[",
    "{{{{",
    ": ",
    "#",
    "'",
    "\"",
    "\\",
    "\t",
    "\u{0}",
    "\u{feff}",
    "\u{2028}",
    "\u{202e}",
    "é",
    "🦊",
    "-1",
    "99999999999999999999",
    "1e999",
    ".nan",
    "null",
    "~",
    "true",
    "1h",
    "0s",
    "../../..",
    "/etc/passwd",
    "CON",
    "(((((((((",
    "(?:a{1000}){1000}",
    "**/*",
];

fn change(text: &str, random: &mut Rng) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..random.usize(1..7) {
        if lines.is_empty() {
            lines.push(String::new());
        }
        let at = random.usize(0..lines.len());
        let hostile = HOSTILE[random.usize(0..HOSTILE.len())];
        match random.u8(0..11) {
            0 => drop(lines.remove(at)),
            1 => {
                let copies = if random.u8(0..20) == 0 { 3_000 } else { 2 };
                let line = lines[at].clone();
                lines.splice(at..at, std::iter::repeat_n(line, copies));
            }
            2 => {
                let other = random.usize(0..lines.len());
                lines.swap(at, other);
            }
            3 => {
                let key = lines[at].split(':').next().unwrap_or_default().to_owned();
                lines[at] = format!("{key}: {hostile}");
            }
            4 => {
                lines[at] = format!(
                    "{}{}",
                    " ".repeat(random.usize(0..9)),
                    lines[at].trim_start()
                );
            }
            5 => lines[at].push_str(&hostile.repeat(random.usize(1..4))),
            6 if random.u8(0..10) == 0 => {
                lines[at].push_str(&hostile.repeat(random.usize(1..20_000)));
            }
            7 => {
                let value = lines[at].trim().to_owned();
                let depth = random.usize(1..200);
                lines[at] = format!("x: {}{value}{}", "[".repeat(depth), "]".repeat(depth));
            }
            8 => lines.truncate(at + 1),
            9 => lines.insert(at, hostile.to_owned()),
            _ => {
                let line: Vec<char> = lines[at].chars().collect();
                let place = random.usize(0..=line.len());
                let (before, after) = line.split_at(place);
                lines[at] =
                    before.iter().collect::<String>() + hostile + &after.iter().collect::<String>();
            }
        }
    }
    lines.join("\n") + "\n"
}

/// Files of the project itself.
fn seeds(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut seeds: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .filter(|file| file.path().extension().is_some_and(|kind| kind == "yaml"))
        .map(|file| {
            let text = std::fs::read_to_string(file.path()).expect("a file");
            (file.file_name().into_string().expect("a name"), text)
        })
        .collect();
    seeds.sort();
    seeds
}

/// A flow and settings with most of the language.
const FLOW: &str = r#"name: All of it
app: com.example.notes
tags: [ a, b ]
env: { USER: ada, N: "${USER | upper}" }
secrets: [ USER ]
timeout: 2m
step_timeout: 5s
retries: 1
skip: { if: "${device.sdk < 29}", because: old }
setup: [ launch ]
steps:
  - click: { id: a, inside: { text: { regex: "^b" } }, index: -1 }
    when: { visible: c }
    timeout: 3s
    optional: true
    retry: 2
  - type: { into: { hint: d }, text: "${USER} and $${x}", secret: true }
  - find: { id: total }
    as: total
  - assert: { that: "${total.text == '42' and [1, 2] | sum > 2}" }
  - set: { A: "${range(9) | map('string') | join(',')}" }
  - repeat: { times: 2, steps: [ { snapshot: { name: s, each: true, mask: [ { rect: [ 0, 0, 9, 9 ] } ] } } ] }
  - if: "${A == ''}"
    then: [ back ]
    else: [ { press: ENTER } ]
  - retry: { times: 2, steps: [ { scroll_to: { text: z, direction: down } } ] }
  - custom_gesture: { paths: [ [ { x: 1, y: 1, time: 0 }, { x: 9, y: 9, time: 50 } ] ] }
teardown: [ stop ]
"#;

const SETTINGS: &str = r#"flows: [ flows ]
artifacts: out
env: { A: b }
secrets: [ A ]
allow_shell: false
step_timeout: 5s
devices: [ virtual ]
snapshots: { mask: [ { id: clock } ], redactions: [ { pattern: "\\d+", alias: n } ] }
storage: { downloads: { path: /sdcard/Download, allow_http: true } }
"#;

/// Runs the program on a file. It may refuse the file, but neither crash nor hang.
fn judge(project: &Project, arguments: &[&str], text: &str) {
    let began = Instant::now();
    let mut running = project
        .command(arguments)
        .stdout(Stdio::null())
        .stderr(std::fs::File::create(project.path("stderr")).expect("a file"))
        .spawn()
        .expect("the program starts");
    let status = loop {
        if let Some(status) = running.try_wait().expect("its state") {
            break status;
        }
        assert!(
            began.elapsed() < LIMIT,
            "{arguments:?} takes too long:\n{text}"
        );
        std::thread::sleep(Duration::from_millis(2));
    };
    let parsed = std::fs::read(project.path("stderr")).expect("a file");
    let response = String::from_utf8_lossy(&parsed);
    assert!(
        matches!(status.code(), Some(0..=3)) && !response.contains("panicked"),
        "{arguments:?}: {status}: {response}\n{text}"
    );
}

#[expect(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]
fn count() -> usize {
    let given = std::env::var("RUNNER_GENERATED").ok();
    given.and_then(|given| given.parse().ok()).unwrap_or(COUNT)
}

#[test]
fn generated_flows_are_read_or_refused() {
    let project = Project::with_demo_app();
    let mut seeds = seeds("flows");
    seeds.push(("all.yaml".to_owned(), FLOW.to_owned()));
    let mut random = Rng::with_seed(1);
    for number in 0..count() {
        let (_, seed) = &seeds[number % seeds.len()];
        let text = change(seed, &mut random);
        project.write("flows/generated.yaml", &text);
        judge(&project, &["lint", "flows/generated.yaml"], &text);
    }
}

#[test]
fn generated_settings_are_read_or_refused() {
    let project = Project::with_demo_app();
    let mut random = Rng::with_seed(2);
    for _ in 0..count() {
        let text = change(SETTINGS, &mut random);
        project.write("runner.yaml", &text);
        judge(&project, &["config"], &text);
    }
}

#[test]
fn generated_app_files_are_read_or_refused() {
    let project = Project::with_demo_app();
    let seeds = seeds("examples/demo");
    let mut random = Rng::with_seed(3);
    for number in 0..count() {
        let (name, seed) = &seeds[number % seeds.len()];
        for (name, text) in &seeds {
            project.write(&format!("apps/demo/{name}"), text);
        }
        let text = change(seed, &mut random);
        project.write(&format!("apps/demo/{name}"), &text);
        judge(&project, &["inspect"], &text);
    }
}
