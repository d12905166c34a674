//! Properties that hold for all texts, and for all elements of all recorded screens.

use camino::Utf8Path;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::emit::{Document, EmittedStep, Line};
use super::super::locate::touch_selector;
use runner_engine::click_target;
use runner_flow::{Argument, Flow, ReadOptions, Scope, Spanned, StepAction, read_flow, resolve};
use runner_screen::{DisplayContext, Screen, Selector};
use runner_text::diagnostic::Code;
use runner_text::flow_text::escaped;

fn read(text: &str) -> Flow {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    fs_err::write(root.join("a.yaml"), text).unwrap();
    let options = ReadOptions {
        secrets: Vec::new(),
        hidden: runner_text::secret::Scrubber::default(),
        root: root.to_owned(),
        ..ReadOptions::default()
    };
    let (flow, mut diagnostics) = read_flow(Utf8Path::new("a.yaml"), &options);
    // Ids made up here may have one, and texts may look as what other tools write.
    diagnostics.retain(|it| ![Code::StarInId, Code::Doubtful].contains(&it.code));
    assert!(diagnostics.is_empty(), "{diagnostics:?}\n{text}");
    flow.unwrap_or_else(|| panic!("no flow\n{text}"))
}

fn arguments(flow: &Flow) -> Vec<Value> {
    let arguments = flow.steps.iter().map(|step| match &step.action {
        StepAction::Call { arguments, .. } => value(arguments),
        other => panic!("{other:?}"),
    });
    arguments.collect()
}

fn value(argument: &Spanned<Argument>) -> Value {
    resolve(argument, &Scope::default()).unwrap()
}

fn line(name: &'static str, value: &Value, comment: &str) -> Line {
    Line {
        comments: vec![comment.to_owned()],
        step: Some(EmittedStep {
            name,
            value: Some(escaped(value)),
            timeout: None,
        }),
    }
}

/// Returns texts that YAML, expressions or patterns could take for something else.
fn texts() -> impl Strategy<Value = String> {
    let hostile = prop::sample::select(vec![
        "*a", "@a", "#a", "a #b", "a: b", "{", "[x]", "!x", "&x", "%x", "`x`", "|", ">", "- a",
        "? a", "yes", "null", "~", "007", "1.10", "0x1F", "${x}", "$${x}", "$", "${", "a\nb", "\t",
        "a\\", "\"", "'", " a ", "a,b", "}", "\u{2028}", "\u{85}", "\u{FEFF}", "🦊", "日本", "---",
        "...", "=", "<<", "on", "1e5", ".5", "12:30", "\r\n", "\u{0}", "\u{7f}",
    ]);
    let any = "\\PC{0,12}".prop_map(|text: String| text);
    prop_oneof![
        hostile.clone().prop_map(str::to_owned),
        any,
        prop::collection::vec(hostile, 1..4).prop_map(|parts| parts.concat())
    ]
}

/// Returns texts that may stand in a selector.
fn named() -> impl Strategy<Value = String> {
    texts().prop_filter("it says something", |text| !text.trim().is_empty())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_written_is_read_as_it_was(text in texts(), id in named(), words in named(), comment in texts()) {
        let click = Selector::from_words(&words).to_value();
        let click = match click {
            Value::String(words) => json!({ "on": words }),
            map => json!({ "on": map }),
        };
        let mut typed = Map::new();
        typed.insert("into".to_owned(), Selector::from_id(&id).to_value());
        typed.insert("text".to_owned(), json!(text));
        let typed = Value::Object(typed);
        let own = json!({ "location_id": id, "path": words, "content": text });
        let document = Document {
            comments: vec![comment.clone()],
            header: vec![("name", json!("Hostile: # texts"))],
            lines: vec![
                line("click", &click, &comment),
                line("type", &typed, &comment),
                line("write_file", &own, &comment),
            ],
        };
        let flow = read(&document.to_string());
        prop_assert_eq!(arguments(&flow), vec![click, typed, own]);
        prop_assert_eq!(flow.name, "Hostile: # texts");
    }
}

#[test]
fn every_touch_of_every_recorded_screen_is_named_or_said_to_be_nameless() {
    let Some(root) = runner_testing::recording("screens") else {
        return;
    };
    let (mut named, mut nameless, mut by_order) = (0, 0, 0);
    for file in walkdir::WalkDir::new(root).into_iter().flatten() {
        if file.path().extension().is_none_or(|kind| kind != "xml") {
            continue;
        }
        let dump = fs_err::read(file.path()).unwrap();
        let Ok(screen) = Screen::parse(&dump, &DisplayContext::default()) else {
            continue;
        };
        for node in screen.nodes().filter(|node| node.is_on_screen()) {
            let says = !node.text().is_empty() || !node.desc().is_empty();
            if !says && !node.flags().clickable {
                continue;
            }
            let displayed = file.path().display();
            let Some(selector) = touch_selector(node, false) else {
                nameless += 1;
                continue;
            };
            let found = selector.find(&screen);
            assert_eq!(found.len(), 1, "{displayed}: {node:?}: {selector}");
            let taker = click_target(screen.node(found[0])).index();
            assert_eq!(
                taker,
                click_target(node).index(),
                "{displayed}: {node:?}: {selector}"
            );
            assert!(!selector.to_string().contains("node_"), "{selector}");
            named += 1;
            by_order += usize::from(selector.goes_by_order());
        }
    }
    assert!(named > 500, "{named}");
    // Few are left to their place among their like.
    assert!(nameless * 50 < named, "{nameless} of {named} have no name");
    assert!(
        by_order * 5 < named,
        "{by_order} of {named} go by their order"
    );
}
