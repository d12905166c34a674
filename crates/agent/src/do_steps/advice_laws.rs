//! Checks the advice of failures on the screens of Android's framework: what an author of a flow or a caller of
//! `runner_do` is told reads in that language, leads to the promised element, and never denies what was asked.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8Path;
use serde_json::{Value, json};

use super::reader::StepsReader;
use runner_engine::{Direction, EngineError, NamedElement};
use runner_flow::{Flow, ReadOptions, WrittenSelector, read_text, step_selectors};
use runner_screen::selector::Purpose;
use runner_screen::{DisplayContext, Node, NodeIndex, Screen, Selector};
use runner_text::diagnostic::Diagnostic;
use runner_text::secret::without_secrets;
use runner_tools::{Advice, CallOption, Failure, FlowReader, NextStep, Reader};

/// Texts of each screen in which mistakes are made. Chosen: it bounds the time of the test.
const MAX_TEXTS: usize = 3;

/// A language with the file that holds one step of it.
struct Language {
    reader: &'static dyn Reader,
    /// Writes a file of one step, from its name and its value.
    file: fn(&str, &str) -> String,
    /// Writes a file of one step as it is.
    whole: fn(&str) -> String,
}

const LANGUAGES: [Language; 2] = [
    Language {
        reader: &FlowReader,
        file: |name, value| format!("steps:\n  - {name}: {value}\n"),
        whole: |step| format!("steps:\n  - {step}\n"),
    },
    Language {
        reader: &StepsReader,
        file: |name, value| format!("{{\"steps\": [\n{{\"{name}\": {value}}}\n]}}\n"),
        whole: |step| format!("{{\"steps\": [\n{step}\n]}}\n"),
    },
];

/// Reason why an advice does not lead to what it promises.
#[derive(Debug, PartialEq, Eq)]
enum AdviceError {
    /// The language has no words for the selector.
    Unwritable { selector: String },
    /// The file with the advised step does not read.
    Unreadable(Vec<Diagnostic>),
    /// The advised step has no selector of its own.
    NoSelector,
    /// The written selector finds other elements than the advised one.
    OtherElements {
        written: String,
        found: Vec<NodeIndex>,
    },
}

impl fmt::Display for AdviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unwritable { selector } => write!(f, "{selector} cannot be written"),
            Self::Unreadable(diagnostics) => write!(f, "does not read: {diagnostics:?}"),
            Self::NoSelector => f.write_str("has no selector of its own"),
            Self::OtherElements { written, found } => write!(f, "{written} finds {found:?}"),
        }
    }
}

/// Reads a file as flows are read. Returns the diagnostics if it has no flow.
fn read(text: &str) -> Result<Flow, Vec<Diagnostic>> {
    let text = without_secrets(text).into_owned();
    let options = ReadOptions {
        root: "/nowhere".into(),
        ..ReadOptions::default()
    };
    let path = Utf8Path::new("flows/advised.yaml");
    let (flow, diagnostics) = read_text(path, text, &options);
    flow.ok_or(diagnostics)
}

/// Returns the only selector of a file of one step.
fn selector_in(text: &str) -> Result<Selector, AdviceError> {
    let flow = read(text).map_err(AdviceError::Unreadable)?;
    let uses = flow.steps.first().map(step_selectors).unwrap_or_default();
    match uses.first().map(|used| &used.selector) {
        Some(WrittenSelector::Own(selector)) => Ok((**selector).clone()),
        _ => Err(AdviceError::NoSelector),
    }
}

/// Returns screens of Android's framework, each with its activity's name: every 20th, or all in a long run.
fn screens() -> impl Iterator<Item = (String, Arc<Screen>)> {
    let each = runner_testing::long(20, 1);
    let screens = runner_testing::framework_screens().into_iter();
    screens.step_by(each).map(|screen| {
        let read = Screen::parse(screen.dump.as_bytes(), &DisplayContext::default());
        (screen.activity, Arc::new(read.unwrap()))
    })
}

/// Returns selectors that nearly match elements of the screen, or nothing at all.
fn wrong_selectors(screen: &Screen) -> Vec<Selector> {
    let texts = screen.nodes().map(Node::text);
    let texts = texts.filter(|text| text.trim().len() > 3 && text.len() < 60 && text.is_ascii());
    let mut values = vec![json!("Quarterly zebra ledger")];
    for text in texts.take(MAX_TEXTS) {
        let middle = text.len() / 2;
        let slip = format!("{}{}", &text[..middle], &text[middle + 1..]);
        values.extend([
            json!(text.to_uppercase()),
            json!(slip),
            json!({ "text": slip, "enabled": true }),
            json!({ "text": text, "checked": true }),
            json!({ "text": text, "inside": { "id": "nowhere" } }),
        ]);
    }
    let selectors = values.into_iter().map(|value| {
        let selector: Selector = serde_json::from_value(value).unwrap();
        selector
    });
    selectors
        .filter(|selector| selector.find(screen).is_empty())
        .collect()
}

/// Returns the elements that an advice names. Empty for advice that names none.
fn named(advice: &Advice) -> Vec<&NamedElement> {
    match advice {
        Advice::NearMiss(miss) => vec![&miss.name],
        Advice::Matches(matches) => matches.elements.iter().map(|one| &one.name).collect(),
        Advice::Choices(choices) => choices.elements.iter().map(|one| &one.name).collect(),
        _ => Vec::new(),
    }
}

/// Returns the states that a selector demands, with their values.
fn states(selector: &Selector) -> Vec<(String, bool)> {
    let Value::Object(map) = selector.to_value() else {
        return Vec::new();
    };
    let states = map
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_bool()?)));
    states.collect()
}

/// Checks that a step of the language with the element reads, and finds what the advice promises.
fn judge(
    language: &Language,
    step: &str,
    element: &NamedElement,
    screen: &Screen,
) -> Result<(), AdviceError> {
    let NamedElement { selector, id } = element;
    let written = language.reader.element(selector, Some(id));
    let written = written.ok_or_else(|| AdviceError::Unwritable {
        selector: selector.to_string(),
    })?;
    let found = selector_in(&(language.file)(step, &written))?.find(screen);
    if found.is_empty() || found != selector.find(screen) {
        return Err(AdviceError::OtherElements { written, found });
    }
    Ok(())
}

#[test]
fn each_named_element_reads_in_its_readers_language_and_is_found() {
    let mut broken = Vec::new();
    let mut count = 0;
    for (name, screen) in screens() {
        for wanted in wrong_selectors(&screen) {
            for (purpose, step) in [
                (Purpose::Action, "click"),
                (Purpose::Assertion, "assert visible"),
            ] {
                let error = EngineError::not_found(&wanted, Some(Arc::clone(&screen)), purpose);
                let failure = Failure::from(error);
                for element in failure.advice.iter().flat_map(named) {
                    for language in &LANGUAGES {
                        count += 1;
                        let judged = judge(language, step, element, &screen);
                        broken.extend(judged.err().map(|why| format!("{name}: {wanted}: {why}")));
                    }
                }
                for advice in &failure.advice {
                    if purpose == Purpose::Assertion
                        && let Advice::NearMiss(miss) = advice
                        && states(&miss.name.selector) != states(&wanted)
                    {
                        let turned = &miss.name.selector;
                        broken.push(format!("{name}: {wanted} turned round: {turned}"));
                    }
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(count >= 200, "{count} elements");
}

#[test]
fn each_match_of_several_reads_and_is_picked_alone() {
    let mut broken = Vec::new();
    for (name, screen) in screens() {
        let wanted: Selector = serde_json::from_value(json!({ "class": "TextView" })).unwrap();
        let nodes = wanted.find(&screen);
        let failure = Failure::from(EngineError::several(&wanted, &screen, &nodes));
        for language in &LANGUAGES {
            let names = failure.advice.iter().flat_map(named);
            for (element, node) in names.zip(&nodes) {
                let written = language.reader.element(&element.selector, None).unwrap();
                let read = selector_in(&(language.file)("click", &written));
                if !read
                    .as_ref()
                    .is_ok_and(|read| read.find(&screen) == [*node])
                {
                    broken.push(format!("{name}: {written}: {read:?}"));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Words that another call would take for the id of a look, and words that several elements have.
#[test]
fn an_advised_name_is_the_element_itself() {
    let node = |index: usize, text: &str, desc: &str, id: &str| {
        let top = 100 * index;
        let bottom = top + 90;
        format!(
            r#"<node index="{index}" text="{text}" content-desc="{desc}" resource-id="{id}" class="android.widget.Button" package="a.b" clickable="true" enabled="true" bounds="[0,{top}][500,{bottom}]"/>"#
        )
    };
    let nodes = [
        node(0, "@e2", "", ""),
        node(1, "", "@e3", ""),
        node(2, "Save", "", "a.b:id/one"),
        node(3, "Save", "", "a.b:id/two"),
        node(4, "Send", "", ""),
        node(5, "Send", "", ""),
    ]
    .concat();
    let dump = format!(
        r#"<hierarchy rotation="0"><node index="0" text="" class="android.widget.FrameLayout" package="a.b" enabled="true" bounds="[0,0][500,1000]">{nodes}</node></hierarchy>"#
    );
    let screen = Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap();
    let screen = Arc::new(screen);
    for (wanted, count) in [
        ("@E2", 1),
        ("@e2x", 1),
        ("@E3", 1),
        ("SAVE", 2),
        ("Savee", 2),
        ("send", 2),
    ] {
        let selector = Selector::from_words(wanted);
        let error = EngineError::not_found(&selector, Some(Arc::clone(&screen)), Purpose::Action);
        let failure = Failure::from(error);
        let misses = failure
            .advice
            .iter()
            .filter(|advice| matches!(advice, Advice::NearMiss(_)));
        let mut picked = Vec::new();
        for name in misses.flat_map(named) {
            let written = StepsReader.element(&name.selector, Some(&name.id)).unwrap();
            let value: Value = serde_json::from_str(&written).unwrap();
            let id = value.as_str().and_then(runner_engine::short_ids::number);
            assert_eq!(id, None, "{wanted}: {written}");
            let selector = selector_in(&(LANGUAGES[1].file)("click", &written)).unwrap();
            let found = selector.find(&screen);
            assert_eq!(found.len(), 1, "{wanted}: {written}");
            picked.extend(found);
        }
        picked.sort();
        picked.dedup();
        assert!(picked.len() >= count, "{wanted}: {picked:?}");
    }
}

#[test]
fn each_advised_step_reads() {
    let mut selectors = vec![Selector::from_words("a: b")];
    let by_id = json!({ "id": "total", "text": "3", "enabled": true });
    selectors.push(serde_json::from_value(by_id).unwrap());
    for language in &LANGUAGES {
        for selector in &selectors {
            for direction in [Direction::Down, Direction::Right] {
                let step = NextStep::ScrollTo {
                    selector,
                    direction,
                };
                let text = (language.whole)(&language.reader.step(&step).unwrap());
                assert_eq!(selector_in(&text).as_ref(), Ok(selector), "{text}");
            }
            for step in [NextStep::AssertVisible(selector), NextStep::Click(selector)] {
                let text = (language.whole)(&language.reader.step(&step).unwrap());
                assert_eq!(selector_in(&text).as_ref(), Ok(selector), "{text}");
            }
        }
        for step in [
            NextStep::TypeWhole,
            NextStep::Type("123"),
            NextStep::Press("KEYCODE_4"),
            NextStep::ListIds,
            NextStep::Install,
            NextStep::HideKeyboard,
        ] {
            let steps = language.reader.step(&step);
            let read = steps.map(|step| read(&(language.whole)(&step)));
            assert!(read.is_none_or(|read| read.is_ok()), "{step:?}");
        }
    }
}

#[test]
fn each_advised_option_reads() {
    let timeout = CallOption::Timeout(Duration::from_secs(12));
    let of_flows = |option| FlowReader.option(option).unwrap();
    let of_steps = |option| StepsReader.option(option).unwrap();
    for text in [
        format!(
            "steps:\n  - click: {{ on: a, {} }}\n",
            of_flows(CallOption::Force)
        ),
        format!("steps:\n  - click: a\n    {}\n", of_flows(timeout)),
        format!(
            r#"{{"steps": [ {{"click": {{"on": "a", {}}}}} ]}}"#,
            of_steps(CallOption::Force)
        ),
        format!(
            r#"{{"steps": [ {{"click": "a", {}}} ]}}"#,
            of_steps(timeout)
        ),
    ] {
        assert!(read(&text).is_ok(), "{:?}", read(&text).map(drop));
    }
}
