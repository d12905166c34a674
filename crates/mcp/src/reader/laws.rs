//! Checks that the tools take what their callers are advised to send, on the screens of Android's framework.

use std::sync::Arc;

use super::*;
use crate::lean::{LeanTool, tools};
use crate::served_tools::ServedTool;
use runner_engine::EngineError;
use runner_screen::selector::Purpose;
use runner_screen::{DisplayContext, Node, Screen};
use runner_text::secret::without_secrets;
use runner_tools::{Advice, Failure};

fn lean(name: &str) -> LeanTool {
    tools().into_iter().find(|tool| tool.name == name).unwrap()
}

/// Sends arguments, which must be JSON, to a lean tool, as far as its step's own check. Returns the selector of the
/// step, if it has one, or the failure of the translation or of the check. Nothing reaches a device.
fn sent(tool: &str, args: &str) -> Result<Option<Selector>, Failure> {
    let args: Value = serde_json::from_str(&without_secrets(args)).unwrap();
    let call = lean(tool).call(args)?;
    let selector = call.args.get("on").cloned();
    let taken = call.entry.client_arguments(call.args)?;
    call.entry.check(&taken.arguments)?;
    Ok(selector.map(|selector| serde_json::from_value(selector).unwrap()))
}

/// Parses the screens of Android's framework; a short run of the tests takes every 20th.
fn screens() -> impl Iterator<Item = Arc<Screen>> {
    let each = runner_testing::long(20, 1);
    let screens = runner_testing::framework_screens().into_iter();
    screens.step_by(each).map(|screen| {
        let read = Screen::parse(screen.dump.as_bytes(), &DisplayContext::default());
        Arc::new(read.unwrap())
    })
}

#[test]
fn t6_a_lean_tool_takes_the_name_of_each_advised_element() {
    let short_id = |_: &str| Some("@e7".to_owned());
    let mut count = 0;
    for screen in screens() {
        let texts = screen.nodes().map(Node::text);
        let texts =
            texts.filter(|text| text.trim().len() > 3 && text.len() < 60 && text.is_ascii());
        let wrong = texts.take(3).map(str::to_uppercase);
        for wanted in wrong.chain(["Quarterly zebra ledger".to_owned()]) {
            let wanted = Selector::from_words(&wanted);
            if !wanted.find(&screen).is_empty() {
                continue;
            }
            let error = EngineError::not_found(&wanted, Some(Arc::clone(&screen)), Purpose::Action);
            let advice = Failure::from(error).advice;
            for (tool, step) in [("runner_click", "click"), ("runner_wait_for", "wait_for")] {
                let reader = LeanReader::new(step, &short_id);
                for advice in &advice {
                    let names: Vec<_> = match advice {
                        Advice::NearMiss(miss) => vec![&miss.name],
                        Advice::Choices(choices) => {
                            choices.elements.iter().map(|one| &one.name).collect()
                        }
                        _ => Vec::new(),
                    };
                    for name in names {
                        let Some(args) = reader.element(&name.selector, Some(&name.id)) else {
                            assert_eq!(step, "wait_for", "{}", name.selector);
                            continue;
                        };
                        count += 1;
                        // By its id or by a selector that finds the same.
                        if let Some(found) = sent(tool, &args).unwrap() {
                            assert_eq!(found.find(&screen), name.selector.find(&screen), "{args}");
                        }
                    }
                    if let Advice::Scroll { selector, scroller } = advice {
                        let step = NextStep::ScrollTo {
                            selector,
                            direction: scroller.direction,
                        };
                        let Some(call) = reader.step(&step) else {
                            continue;
                        };
                        let (tool, args) = call.split_once(' ').unwrap();
                        assert_eq!(sent(tool, args).unwrap().as_ref(), Some(&**selector));
                    }
                }
            }
        }
    }
    assert!(count >= 50, "{count} names");
}

#[test]
fn a_lean_tool_takes_what_else_is_advised() {
    let short_id = |_: &str| None::<String>;
    let reader = LeanReader::new("type", &short_id);
    for step in [
        NextStep::TypeWhole,
        NextStep::Type("123"),
        NextStep::Press("KEYCODE_4"),
    ] {
        let call = reader.step(&step).unwrap();
        let (tool, args) = call.split_once(' ').unwrap();
        assert!(sent(tool, args).is_ok(), "{call}");
    }
    let reader = LeanReader::new("wait_for", &short_id);
    let option = reader
        .option(CallOption::Timeout(Duration::from_secs(12)))
        .unwrap();
    let args = format!(r#"{{"on": "a", {option}}}"#);
    assert!(sent("runner_wait_for", &args).is_ok(), "{args}");
    // Words that look like the id of a look would be taken for it.
    let words = Selector::from_words("@e12");
    assert_eq!(reader.element(&words, Some("node_1")), None);
}

#[test]
fn a_dialects_callers_are_advised_of_tools_that_are_served() {
    for dialect in Dialect::ALL {
        let options = DialectOptions {
            dialect,
            slug: "pixel".parse().ok(),
            ..DialectOptions::default()
        };
        let reader = DialectReader::new(&options);
        let served = ServedTool::all(&options);
        for step in [NextStep::TypeWhole, NextStep::ListIds] {
            let Some(call) = reader.step(&step) else {
                continue;
            };
            let (name, args) = call.split_once(' ').unwrap_or((call.as_str(), "{}"));
            let tool = served.iter().find(|tool| tool.answers_to(name));
            let tool = tool.unwrap_or_else(|| panic!("{dialect:?}: {call}"));
            let args: Map<String, Value> = serde_json::from_str(args).unwrap();
            let schema = crate::schema::simplified(&|generator| tool.schema(generator));
            for name in args.keys() {
                assert!(schema["properties"].get(name).is_some(), "{call}: {name}");
            }
        }
    }
}
