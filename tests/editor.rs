//! Checks the schema in an editor: what yaml-language-server inserts for each step and key is a flow that
//! `lint` accepts.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::process::Stdio;

use regex::Regex;
use serde::Deserialize;

use crate::common::{Project, needs};

/// Codes of faults that an editor cannot know: a name that no step keeps, keys that exclude each other.
const OF_MEANING: [&str; 5] = [
    "argument",
    "condition",
    "selector",
    "snapshot-name",
    "undefined-name",
];

/// A completion: its label, and the flow after it was taken.
#[derive(Debug, Deserialize)]
struct Completion {
    label: String,
    text: String,
}

/// Asks for completions at places (`‸` is the cursor). `None` if a client is missing, which is printed.
fn offers(project: &Project, places: &[String]) -> Option<Vec<Vec<Completion>>> {
    let server = needs::root().join("target/clients/node_modules/yaml-language-server");
    needs::client_program("node_modules/yaml-language-server/package.json")?;
    let mut node = needs::client_program("node_modules/node/bin/node")?;
    let schema = project.run(&["schema", "flow"]).expect(0).stdout;
    project.write("runner.schema.json", &schema);
    let mut child = node
        .arg(needs::root().join("tests/editor/complete.mjs"))
        .arg(server.join("bin/yaml-language-server"))
        .arg(project.path("runner.schema.json"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node starts");
    let mut input = child.stdin.take().expect("its input");
    let text = serde_json::to_vec(places).expect("JSON");
    input.write_all(&text).expect("an open pipe");
    drop(input);
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success(), "{output:?}");
    Some(serde_json::from_slice(&output.stdout).expect("its answers"))
}

fn project() -> Project {
    let project = Project::with_demo_app();
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nallow_shell: true\n",
    );
    project.flow("_sign-in", "steps: [ back ]\n");
    // Files that what is inserted names.
    for name in ["x", "flows/x", "build/app.apk", "fixtures/cat.png"] {
        project.write(name, "user\nada\n");
    }
    project
}

/// Asserts that `lint` finds no fault of syntax in the completed flows.
fn all_lint(project: &Project, places: &[String], offers: &[Vec<Completion>]) {
    let mut flows = BTreeMap::new();
    for (place, made) in places.iter().zip(offers) {
        for made in made {
            let name = format!("f{:05}", flows.len());
            project.write(&format!("flows/{name}.yaml"), &made.text);
            flows.insert(name, (place, made));
        }
    }
    let ran = project.run(&["lint"]);
    let error =
        Regex::new(r"error\[([a-z-]+)\]: (.*)\n *--> flows/(\w+)\.yaml").expect("a pattern");
    let faults: Vec<String> = error
        .captures_iter(&ran.stdout)
        .filter(|found| !OF_MEANING.contains(&&found[1]))
        .map(|found| format!("{}: {:?}", &found[2], flows[&found[3]]))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(
        ran.stderr.contains(&format!("{} flows", flows.len())),
        "{ran:?}"
    );
}

/// Returns the names of all steps that people write, as the documentation lists them.
fn steps() -> BTreeSet<String> {
    let document = needs::root().join("docs/reference/steps.md");
    let document = std::fs::read_to_string(document).expect("docs/reference/steps.md");
    let everyday = document
        .lines()
        .filter_map(|line| line.strip_prefix("| [`")?.split('`').next());
    let control = [
        "run", "repeat", "retry", "if", "group", "set", "pause", "snapshot",
    ];
    everyday.chain(control).map(str::to_owned).collect()
}

const HEADER: &str = "app: com.example.notes\n";

#[test]
fn a_step_that_an_editor_inserts_is_one_of_a_flow() {
    let project = project();
    let places: Vec<String> = [
        "steps:\n  - ‸\n",
        "steps:\n- ‸\n",
        "steps:\n  - c‸\n",
        "steps:\n  - back\n  - ‸\n  - home\n",
        "setup:\n  - ‸\nsteps: [ back ]\n",
        "steps: [ back ]\nteardown:\n  - ‸\n",
        "steps:\n  - if: { visible: x }\n    then:\n      - ‸\n",
        "steps:\n  - if: { visible: x }\n    then: [ back ]\n    else:\n      - ‸\n",
        "steps:\n  - repeat:\n      times: 2\n      steps:\n        - ‸\n",
        "steps:\n  - retry:\n      times: 2\n      steps:\n        - ‸\n",
        "steps:\n  - group:\n      - ‸\n",
    ]
    .map(|place| format!("{HEADER}{place}"))
    .into();
    let Some(offers) = offers(&project, &places) else {
        return;
    };
    let steps = steps();
    for (place, offers) in places.iter().zip(&offers) {
        let name = |made: &Completion| made.label.trim_end_matches(": …").to_owned();
        let offered: BTreeSet<String> = offers.iter().map(name).collect();
        assert_eq!(offered, steps, "{place}");
        // A step without arguments is a word.
        let back = offers.iter().find(|made| made.label == "back");
        assert!(
            back.is_some_and(|made| made.text.contains("- back\n")),
            "{place}"
        );
    }
    all_lint(&project, &places, &offers);
}

#[test]
fn a_key_that_an_editor_inserts_is_one_of_a_flow() {
    let project = project();
    let mut places: Vec<String> = [
        "‸\nsteps:\n  - back\n",
        "name: x\nsteps:\n  - back\n‸\n",
        "needs:\n  ‸\nsteps: [ back ]\n",
        "quarantine:\n  because: it is slow\n  ‸\nsteps: [ back ]\n",
        "skip:\n  if: ${device.sdk < 30}\n  ‸\nsteps: [ back ]\n",
        "matrix:\n  ‸\nsteps: [ back ]\n",
    ]
    .map(str::to_owned)
    .into();
    let modifiers = [
        "label", "timeout", "when", "optional", "as", "retry", "message",
    ];
    let beside = places.len();
    let whole = [
        "click: x",
        "launch: { clear: true }",
        "assert visible: x",
        "snapshot: x",
        "if: { visible: x }\n    then: [ back ]",
        "repeat: { times: 2, steps: [ back ] }",
    ];
    places.extend(whole.map(|step| format!("{HEADER}steps:\n  - {step}\n    ‸\n")));
    let begun = places.len();
    // A step with what it needs, and the number of its other keys at least.
    let steps = [
        ("click", "id: x", 20),
        ("long_click", "id: x", 20),
        ("double_click", "id: x", 20),
        ("find", "id: x", 19),
        ("erase", "id: x", 20),
        ("scroll_to", "id: x", 24),
        ("wait_for", "id: x", 20),
        ("assert visible", "id: x", 19),
        ("assert not visible", "id: x", 19),
        ("assert", "id: x", 19),
        ("assert log", "contains: x", 4),
        ("type", "text: a", 5),
        ("launch", "clear: true", 5),
        ("press", "key: ENTER", 2),
        ("open_link", "link: a://b", 1),
        ("grant", "permission: CAMERA", 1),
        ("swipe_across", "direction: left", 5),
        ("drag", "from: a\n      to: b", 3),
        ("two_fingers", "\"on\": x\n      scale: 2", 4),
        ("record", "action: stop", 1),
        ("set_device", "dark: true", 4),
        ("push", "from: x\n      to: /sdcard/x", 1),
        ("pull", "from: /sdcard/x", 1),
        ("http", "url: https://api.example.com/a", 4),
        ("snapshot", "name: a", 8),
        ("repeat", "times: 2\n      steps: [ back ]", 2),
        ("run", "flow: _sign-in.yaml", 1),
        (
            "click",
            "id: x\n      inside:\n        id: y\n        ‸",
            19,
        ),
        ("click", "id: x\n    when:\n      visible: x\n      ‸", 1),
    ];
    for (step, keys, _) in steps {
        let cursor = if keys.contains('‸') {
            ""
        } else {
            "\n      ‸"
        };
        places.push(format!(
            "{HEADER}steps:\n  - {step}:\n      {keys}{cursor}\n"
        ));
    }
    let Some(offers) = offers(&project, &places) else {
        return;
    };
    let labels = |offers: &[Completion]| -> BTreeSet<String> {
        offers
            .iter()
            .map(|made| made.label.split(':').next().unwrap_or_default().to_owned())
            .collect()
    };
    for (place, offers) in places.iter().zip(&offers).take(begun).skip(beside) {
        let offered = labels(offers);
        let known = |key: &&str| offered.contains(*key);
        assert!(modifiers.iter().all(known), "{place}: {offered:?}");
        assert!(!offered.contains("click"), "{place}: {offered:?}");
    }
    for ((step, _, least), offers) in steps.iter().zip(&offers[begun..]) {
        let offered = labels(offers);
        assert!(offered.len() >= *least, "{step}: {offered:?}");
    }
    all_lint(&project, &places, &offers);
}

#[test]
fn values_that_are_known_are_offered() {
    let project = project();
    let values = [
        ("press: ‸", "ENTER"),
        ("grant: ‸", "CAMERA"),
        ("rotate: ‸", "landscape"),
        ("record: ‸", "stop"),
        ("swipe_across: ‸", "left"),
        ("scroll_to:\n      text: x\n      direction: ‸", "down"),
        ("set_device:\n      locale: ‸", "de-DE"),
        ("click:\n      text: x\n      enabled: ‸", "false"),
        (
            "http:\n      url: https://api.example.com/a\n      method: ‸",
            "POST",
        ),
    ];
    let places: Vec<String> = values
        .map(|(step, _)| format!("{HEADER}steps:\n  - {step}\n"))
        .into();
    let Some(offers) = offers(&project, &places) else {
        return;
    };
    for ((place, value), offers) in values.iter().zip(&offers) {
        let is_offered = offers.iter().any(|made| made.label == *value);
        assert!(is_offered, "{place}: {offers:?}");
    }
    all_lint(&project, &places, &offers);
}
