//! Scrolls on generated screens: a header, a footer, a list between them, and earlier gestures.

use std::fmt::Write as _;

use fastrand::Rng;
use serde_json::json;

use crate::common::Project;
use crate::common::mcp::Client;

const MANIFEST: &str = "package: com.example.notes
label: Notes
activities: { .Main: { surface: main.yaml, launchable: true } }
";

/// Screen with a header and a footer of several lines, and a list of rows between them.
#[derive(Debug, Clone, Copy)]
struct Page {
    header: usize,
    footer: usize,
    rows: usize,
}

impl Page {
    fn random(rng: &mut Rng) -> Self {
        Self {
            header: rng.usize(0..9),
            footer: rng.usize(0..9),
            rows: rng.usize(150..400),
        }
    }

    fn surface(self) -> String {
        let names =
            |kind: &str, count| (0..count).map(|n| format!("{kind}{n}")).collect::<Vec<_>>();
        let (header, footer) = (names("head", self.header), names("foot", self.footer));
        let rows = names("row", self.rows);
        let page = [header.clone(), vec!["list".to_owned()], footer.clone()].concat();
        let mut components = format!(
            "      - {{ id: root, component: Column, children: [{}] }}\n      - {{ id: list, component: List, weight: 1, children: [{}] }}\n",
            page.join(", "),
            rows.join(", ")
        );
        for name in header.iter().chain(&footer).chain(&rows) {
            // The lines of a header are large: it takes up to a third of the screen.
            let variant = if name.starts_with("row") {
                "body"
            } else {
                "h2"
            };
            let _ = writeln!(
                components,
                "      - {{ id: {name}, component: Text, text: \"{name}.\", variant: {variant} }}"
            );
        }
        format!(
            "- version: v0.9\n  createSurface: {{ surfaceId: main, catalogId: \"https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json\" }}\n- version: v0.9\n  updateComponents:\n    surfaceId: main\n    components:\n{components}"
        )
    }

    fn open(self) -> Client {
        let project = Project::empty();
        project
            .write("apps/pages/app.yaml", MANIFEST)
            .write("apps/pages/main.yaml", &self.surface())
            .write("runner.yaml", "devices: [virtual]\napps: [apps/pages]\n");
        let mut client = Client::start(&project, &[]);
        ok(
            &mut client,
            "open_app",
            json!({ "package_id": "com.example.notes" }),
        );
        client
    }
}

#[track_caller]
fn ok(client: &mut Client, tool: &str, args: serde_json::Value) -> String {
    let answer = client.call(&format!("android_{tool}"), args.clone());
    assert!(!answer.is_error, "{tool} {args}: {}", answer.result);
    answer.text
}

fn state(client: &mut Client) -> String {
    ok(client, "get_screen_state", json!({}))
}

/// Returns the rows that are wholly on the screen, each with its id.
fn rows(state: &str) -> Vec<(String, String)> {
    state
        .lines()
        .filter(|line| line.contains("\trow") && line.contains("\ton"))
        .filter_map(|line| {
            let mut cells = line.split('\t');
            let id = cells.next()?.to_owned();
            let text = cells.nth(1)?.to_owned();
            Some((text, id))
        })
        .collect()
}

const WAYS: [&str; 4] = ["up", "down", "left", "right"];
const AMOUNTS: [&str; 3] = ["small", "medium", "large"];

/// T2 of 2026-11-26: a finger that begins in a header moves nothing.
#[test]
fn a12_a_scroll_says_that_it_was_executed_just_where_something_moved() {
    let mut rng = Rng::with_seed(18);
    for _ in 0..6 {
        let page = Page::random(&mut rng);
        let mut client = page.open();
        let mut inside = false;
        for _ in 0..14 {
            let (way, amount) = (
                *rng.choice(WAYS).as_ref().unwrap(),
                *rng.choice(AMOUNTS).as_ref().unwrap(),
            );
            let before = state(&mut client);
            let text = ok(
                &mut client,
                "scroll",
                json!({ "direction": way, "amount": amount }),
            );
            let after = state(&mut client);
            let moved = before != after;
            let executed = format!("Scroll {way} ({amount}) executed");
            assert_eq!(text == executed, moved, "{page:?}: {text}");
            assert!(
                moved || text.starts_with("Nothing moved"),
                "{page:?}: {text}"
            );
            let is_along = way == "up" || way == "down";
            assert!(
                !inside || !is_along || moved,
                "{page:?}: {way} {amount} moves nothing"
            );
            let shown = rows(&after);
            inside = shown
                .iter()
                .all(|(text, _)| text != "row0." && *text != format!("row{}.", page.rows - 1));
        }
    }
}

/// T1 of 2026-11-26: what was scrolled away is scrolled back to, whether or not the screen was looked at in between.
#[test]
fn a18_an_element_is_scrolled_back_to_after_any_scrolls() {
    let mut rng = Rng::with_seed(12);
    let mut lost = Vec::new();
    let mut count = 0;
    for _ in 0..10 {
        let page = Page::random(&mut rng);
        let mut client = page.open();
        for _ in 0..rng.usize(0..3) {
            ok(
                &mut client,
                "scroll",
                json!({ "direction": "down", "amount": "large" }),
            );
        }
        for _ in 0..4 {
            let seen = rows(&state(&mut client));
            let (text, id) = rng.choice(&seen).expect("rows").clone();
            let main_way = if rng.bool() { "up" } else { "down" };
            let mut history = Vec::new();
            for _ in 0..rng.usize(1..8) {
                let way = if rng.usize(0..4) == 0 {
                    WAYS[rng.usize(0..2)]
                } else {
                    main_way
                };
                let amount = AMOUNTS[rng.usize(0..3)];
                if rng.usize(0..3) == 0 {
                    let (from, to) = if way == "up" {
                        (900, 1500)
                    } else {
                        (1500, 900)
                    };
                    ok(
                        &mut client,
                        "swipe",
                        json!({ "x1": 500, "y1": from, "x2": 500, "y2": to, "duration": rng.usize(80..900) }),
                    );
                } else {
                    ok(
                        &mut client,
                        "scroll",
                        json!({ "direction": way, "amount": amount }),
                    );
                }
                history.push(format!("{way} {amount}"));
                if rng.usize(0..4) == 0 {
                    state(&mut client);
                    history.push("look".to_owned());
                }
            }
            count += 1;
            let answer = client.call("android_scroll_to_element", json!({ "element_id": id }));
            let is_there = rows(&state(&mut client))
                .iter()
                .any(|(shown, _)| *shown == text);
            if answer.is_error || !is_there {
                lost.push(format!(
                    "{page:?} {text} after {history:?}: {}",
                    answer.text
                ));
            }
        }
    }
    assert!(
        lost.is_empty(),
        "{} of {count}:\n{}",
        lost.len(),
        lost.join("\n")
    );
}
