//! Runs every step on every odd screen, and compares the verdicts with `docs/developers/verdicts.md`.

use std::collections::BTreeMap;
use std::sync::Arc;

use runner::screen::Display;
use runner::virtual_device::{ReportedFront, VirtualDevice, VirtualDeviceOptions};
use tokio::sync::Semaphore;

use crate::common::{Project, Ran};

/// Programs that run at once.
const AT_ONCE: usize = 4;

/// Returns the rows of the table under this heading, without its head and the cells' quotes.
pub(crate) fn table(document: &str, heading: &str) -> Vec<Vec<String>> {
    let section = document
        .split("\n## ")
        .find(|section| section.starts_with(heading))
        .expect("a heading");
    let rows = section.lines().filter(|line| line.starts_with('|'));
    let cells = |line: &str| {
        let cells = line.trim_matches('|').split('|');
        cells
            .map(|cell| cell.trim().trim_matches('`').to_owned())
            .collect()
    };
    rows.map(cells).collect()
}

/// Completes a dump that the document shortens.
fn dump(written: &str) -> String {
    const NODE: &str =
        r#"<node class="android.widget.TextView" package="com.example.notes" enabled="true" "#;
    let nodes = written.replace("<node ", NODE);
    if written.starts_with("<node ") {
        format!(
            "<hierarchy rotation=\"0\">{NODE}bounds=\"[0,0][1080,2400]\">{nodes}</node></hierarchy>"
        )
    } else {
        nodes
    }
}

/// A row of the tables: a screen, what it adds to the selector, and the verdicts by step.
struct OddScreen {
    name: String,
    adds: String,
    dump: String,
    /// Foreground that the device reports.
    front: ReportedFront,
    expected: BTreeMap<String, String>,
}

/// Parses the document's column for the foreground: `FOCUS over RESUMED`, one name for both, `none`, or
/// nothing for the app.
fn front(written: &str) -> ReportedFront {
    let written = written.replace('`', "");
    let (focus, resumed) = match written.as_str() {
        "" => (
            "com.example.notes/com.example.notes.Main",
            "com.example.notes/.Main",
        ),
        "none" => ("", ""),
        both => both.split_once(" over ").unwrap_or((both, both)),
    };
    ReportedFront {
        focus: focus.to_owned(),
        resumed: resumed.to_owned(),
    }
}

async fn device(screen: &OddScreen) -> VirtualDevice {
    let mut options = VirtualDeviceOptions::default();
    if screen.name == "display unknown" {
        options.display = Display::default();
    }
    let device = VirtualDevice::start(options).await.expect("a device");
    device.show_dump(&screen.dump);
    device.report_front(screen.front.clone());
    device
}

/// Runs the steps, and returns the verdict of each by its name.
async fn verdicts(screen: &OddScreen, steps: &[Vec<String>]) -> (BTreeMap<String, String>, Ran) {
    let project = Project::empty();
    for step in steps
        .iter()
        .filter(|step| !screen.expected[&step[0]].is_empty())
    {
        let (name, step) = (&step[0], &step[1]);
        let mut keys = "text: Target".to_owned();
        if screen.adds.starts_with("any_of:") {
            keys.clone_from(&screen.adds);
        } else if !screen.adds.is_empty() {
            keys = format!("{keys}, {}", screen.adds);
        }
        let text = if name.starts_with("M ") {
            let step = step.replace('X', &keys.replace("inside:", "childOf:"));
            format!("appId: com.example.notes\n---\n- {step}\n")
        } else {
            format!(
                "step_timeout: 500ms\nsteps:\n  - {}\n",
                step.replace('X', &keys)
            )
        };
        project.write(&format!("flows/{name}.yaml"), &text);
    }
    let device = device(screen).await;
    let address = device.address().to_string();
    let mut command = project.command(&["test", "flows", "--json", "events.ndjson"]);
    command.args(["--device", &address]);
    let running = tokio::process::Command::from(command)
        .kill_on_drop(true)
        .output();
    let ran = Ran::from(running.await.expect("the program starts"));
    let events = std::fs::read_to_string(project.path("events.ndjson")).unwrap_or_default();
    let found = events
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|event| event["event"] == "flow_finished")
        .map(|event| {
            let flow = event["id"]["flow"].as_str().unwrap_or_default();
            let name = flow.trim_start_matches("flows/").trim_end_matches(".yaml");
            let verdict = match event["status"].as_str().unwrap_or_default() {
                "passed" => "pass",
                "failed" => "fail",
                other => other,
            };
            (name.to_owned(), verdict.to_owned())
        })
        .collect();
    (found, ran)
}

#[tokio::test(flavor = "multi_thread")]
async fn v2_v3_v12_every_step_says_of_every_odd_screen_what_the_document_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/developers/verdicts.md");
    let document = std::fs::read_to_string(path).expect("the document");
    let steps = Arc::new(table(&document, "Steps").split_off(2));
    let mut expected = table(&document, "Verdicts").into_iter();
    let names = expected.next().expect("a head");
    let rows: BTreeMap<String, Vec<String>> = expected.map(|row| (row[0].clone(), row)).collect();
    let screens = table(&document, "Screens").split_off(2);
    assert!(screens.len() >= 20 && rows.len() == screens.len() + 1);
    let permits = Arc::new(Semaphore::new(AT_ONCE));
    let mut running = tokio::task::JoinSet::new();
    for screen in screens {
        let row = &rows[&screen[0]];
        assert_eq!(row.len(), names.len(), "{row:?}");
        let cells = names.iter().cloned().zip(row.iter().cloned()).skip(1);
        let screen = OddScreen {
            name: screen[0].clone(),
            adds: screen[1].clone(),
            front: front(&screen[2]),
            dump: dump(&screen[3]),
            expected: cells.collect(),
        };
        let (steps, permits) = (Arc::clone(&steps), Arc::clone(&permits));
        running.spawn(async move {
            let _permit = permits.acquire().await.expect("a turn");
            let (found, ran) = verdicts(&screen, &steps).await;
            let OddScreen { name, expected, .. } = screen;
            let wrong = expected
                .into_iter()
                .filter(|(_, verdict)| !verdict.is_empty());
            let wrong: Vec<String> = wrong
                .filter(|(step, verdict)| found.get(step) != Some(verdict))
                .map(|(step, verdict)| {
                    let actual = found.get(&step).map_or("nothing", String::as_str);
                    format!("{name}: {step}: {actual}, not {verdict}")
                })
                .collect();
            (wrong, ran)
        });
    }
    let mut wrong = Vec::new();
    while let Some(done) = running.join_next().await {
        let (found, ran) = done.expect("a run");
        if !found.is_empty() {
            eprintln!("{}\n{}", ran.stdout, ran.stderr);
        }
        wrong.extend(found);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks the message for an element that exists but is not on the screen, and for a missing anchor.
#[tokio::test(flavor = "multi_thread")]
async fn v2_v3_v12_a_failure_says_why() {
    let one = |adds: &str, nodes: &str| OddScreen {
        name: String::new(),
        adds: adds.to_owned(),
        dump: dump(nodes),
        front: front(""),
        expected: BTreeMap::from([("step".to_owned(), "any".to_owned())]),
    };
    let node = |more: &str| format!(r#"<node text="Target" resource-id="a:id/target" {more}/>"#);
    let whole = node(r#"bounds="[100,200][500,320]""#);
    for (step, adds, nodes, says) in [
        (
            "assert visible: { X }",
            "",
            node(r#"bounds="[100,2500][500,2620]""#),
            "there, but not on the screen: TextView \"Target\" at 100,2500,500,2620: it lies outside the display",
        ),
        ("click: { X }", "", node(""), "it has no size"),
        (
            "assert: { X, count: 1 }",
            "",
            node(r#"visible-to-user="false" bounds="[100,200][500,320]""#),
            "the device says that it is not visible",
        ),
        ("scroll_to: { X, max: 1 }", "", node(""), "it has no size"),
        (
            "assert not visible: { X }",
            "inside: { id: typo }",
            whole.clone(),
            "nothing matches `inside: { id: typo }`, so nothing can be said of",
        ),
        (
            "assert not visible: { X }",
            "any_of: [ Nope, { text: Target, inside: { id: typo } } ]",
            whole.clone(),
            "nothing matches `inside: { id: typo }`, so nothing can be said of the alternative { text: Target, inside: { id: typo } } of",
        ),
        (
            "assert: { X, count: 0 }",
            "",
r#"<hierarchy rotation="0"><node package="com.other" bounds="[0,0][1080,2400]"><node package="com.other" text="Other" bounds="[100,200][500,320]"/></node></hierarchy>"#.to_owned(),
            "nothing can be said of { text: Target }: no look has shown an element of com.example.notes, which is in front",
        ),
        (
            "assert not visible: { X }",
            "",
            "<hierarchy rotation=\"0\"></hierarchy>".to_owned(),
            "no window has content yet",
        ),
    ] {
        let steps = [vec!["step".to_owned(), step.to_owned()]];
        let (_, ran) = verdicts(&one(adds, &nodes), &steps).await;
        ran.says(says);
    }
}

#[test]
fn v12_lint_warns_of_a_star_in_an_id() {
    let project = Project::empty();
    let flow = "steps:\n  - assert not visible: { id: 'user*' }\n  - click: { text: A, inside: { id: 'list*' } }\n  - click: { text: \"a*\" }\n";
    project.flow("a", flow);
    let ran = project.run(&["lint"]).expect(0).says("[star-in-id]");
    assert_eq!(ran.normalized(&project).matches("[star-in-id]").count(), 2);
}
