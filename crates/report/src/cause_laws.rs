//! Property tests of causes: flows that failed for the same reason are one problem in every report.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::testing::{RunScript, SharedBuffer, flow_id};
use crate::{GitHub, JunitOptions, Results, Subscriber, Terminal, TerminalStyle, Verbosity};
use runner_event::{Event, FlowStatus, SourceLocation};
use runner_tools::{Failure, FailureKind};

/// Cause of a failure. Two flows have the same problem if all four parts are equal.
#[derive(Debug, Clone, PartialEq)]
struct FailureCause {
    element: &'static str,
    text: Option<&'static str>,
    screen: &'static str,
    is_flaky: bool,
}

impl FailureCause {
    /// Returns the message of the failure, which names the element and is the title of the problem.
    fn message(&self) -> String {
        match self.text {
            None => format!("no element matches {}", self.element),
            Some(_) => format!("text of {} is not as expected", self.element),
        }
    }

    /// Creates an assertion failure of this cause. `number` is in its actual value and its details, so that two flows
    /// differ in what does not count.
    fn failure(&self, number: usize) -> Failure {
        Failure {
            expected: self.text.map(|text| format!("text: {text}")),
            actual: self.text.map(|_| format!("text: {number} apples")),
            details: vec![format!("{number} elements can be clicked here").into()],
            in_front: Some(format!("demo.app/.{}", self.screen).into()),
            ..Failure::new(FailureKind::Assertion, self.message())
        }
    }
}

/// Draws a cause of three elements, three texts (one of them none), two screens, and flaky or not.
fn cause() -> impl Strategy<Value = FailureCause> {
    let element = prop::sample::select(vec!["Save", "Send", "{ id: total }"]);
    let text = prop::sample::select(vec![None, Some("3"), Some("4")]);
    let screen = prop::sample::select(vec!["Main", "Cart"]);
    (element, text, screen, any::<bool>()).prop_map(|(element, text, screen, is_flaky)| {
        FailureCause {
            element,
            text,
            screen,
            is_flaky,
        }
    })
}

/// Draws failing flows: cause, line, and whether the step is in a shared sub-flow.
fn flows() -> impl Strategy<Value = Vec<(FailureCause, usize, bool)>> {
    prop::collection::vec((cause(), 3..40_usize, any::<bool>()), 1..9)
}

/// Builds the events of a complete run with one flow for each cause, each with one failed step at its line. A flaky
/// flow passes at its second attempt.
fn run(flows: &[(FailureCause, usize, bool)]) -> Vec<Event> {
    let names = (0..flows.len()).map(|at| format!("f{at}.yaml"));
    let ids: Vec<_> = names.map(|name| flow_id(&name, "virtual", 1)).collect();
    let mut script = RunScript::begin(ids.clone());
    for (at, ((way, line, is_shared), id)) in flows.iter().zip(&ids).enumerate() {
        script.flow(id, "A flow", &[]);
        let failure = way.failure(at);
        script.bad_step(id, &json!([0]), "click: Save", &failure);
        script.fail_at(SourceLocation {
            file: if *is_shared {
                "flows/_shared.yaml".into()
            } else {
                id.flow.clone()
            },
            line: *line,
            column: 5,
            text: "  - click: Save".into(),
        });
        script.end(
            id,
            FlowStatus::Failed,
            !way.is_flaky,
            Some(failure),
            Vec::new(),
        );
        if way.is_flaky {
            let mut again = id.clone();
            again.attempt = 2;
            script.flow(&again, "A flow", &[]);
            script.end(&again, FlowStatus::Flaky, true, None, Vec::new());
        }
    }
    script.finish()
}

/// Counts the flows of each cause. Failures come before flaky flows, then the most frequent first.
fn counted(flows: &[(FailureCause, usize, bool)]) -> Vec<(&FailureCause, usize)> {
    let mut ways: Vec<(&FailureCause, usize)> = Vec::new();
    for (way, ..) in flows {
        match ways.iter_mut().find(|(known, _)| *known == way) {
            Some((_, number)) => *number += 1,
            None => ways.push((way, 1)),
        }
    }
    ways.sort_by_key(|(way, number)| (way.is_flaky, std::cmp::Reverse(*number)));
    ways
}

fn results(events: &[Event]) -> Results {
    let mut results = Results::default();
    for event in events {
        results.add(event);
    }
    results
}

/// Returns the lines of GitHub's report that are errors or warnings.
fn annotations(events: &[Event]) -> Vec<String> {
    let shared = SharedBuffer::default();
    let mut report = GitHub::new(None, None).annotating(Box::new(shared.clone()));
    for event in events {
        report.on(event).unwrap();
    }
    let text = shared.text();
    let is_annotation =
        |line: &&str| line.starts_with("::error ") || line.starts_with("::warning ");
    text.lines()
        .filter(is_annotation)
        .map(str::to_owned)
        .collect()
}

/// Returns the quiet output of the terminal, without colours.
fn terminal(events: &[Event]) -> String {
    let shared = SharedBuffer::default();
    let out = Box::new(shared.clone());
    let mut terminal = Terminal::new(out, TerminalStyle::PLAIN, Verbosity::Quiet, None);
    for event in events {
        terminal.on(event).unwrap();
    }
    shared.text()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Checks that the list of problems, GitHub's annotations, the terminal and JUnit each have one entry a cause, in
    /// the same order where they have one.
    #[test]
    fn equal_causes_are_one_problem_in_every_report(flows in flows()) {
        let events = run(&flows);
        let results = results(&events);
        let wanted = counted(&flows);

        let found = crate::problem::problems(&results);
        let told: Vec<_> = found.iter().map(|one| (one.title.clone(), one.cases.len())).collect();
        let by_title: Vec<_> = wanted.iter().map(|(way, number)| (way.message(), *number)).collect();
        prop_assert_eq!(&told, &by_title);
        for case in found.iter().flat_map(|problem| &problem.cases) {
            prop_assert!(case.place().line >= 3);
        }

        let shown = annotations(&events);
        prop_assert_eq!(shown.len(), wanted.len());
        for ((way, number), line) in wanted.iter().zip(&shown) {
            let level = if way.is_flaky { "::warning " } else { "::error " };
            prop_assert!(line.starts_with(level) && line.contains("file=") && line.contains(",line="), "{}", line);
            let begin = format!("title={number} flows%3A ");
            prop_assert_eq!(*number > 1, line.contains(&begin), "{}", line);
        }

        let failed = wanted.iter().filter(|(way, _)| !way.is_flaky).count();
        // A single flow is reported where it ends, not in a summary of problems.
        if flows.len() > 1 {
            let text = terminal(&events);
            let blocks = text.lines().filter(|line| line.starts_with("error: ")).count();
            prop_assert_eq!(blocks, failed, "{}", text);
            let all = flows.iter().filter(|(way, ..)| !way.is_flaky);
            for (_, line, is_shared) in all.take(4) {
                let place = if *is_shared { format!("flows/_shared.yaml:{line}") } else { format!(".yaml:{line}") };
                prop_assert!(text.contains(&place), "{} in {}", place, text);
            }
        }

        let xml = crate::junit_xml(&results, &JunitOptions::default()).unwrap();
        let causes = xml.split("<property name=\"cause\" value=\"").skip(1);
        let causes: std::collections::BTreeSet<_> = causes.filter_map(|rest| rest.split('"').next()).collect();
        prop_assert_eq!(causes.len(), failed, "{}", xml);
    }
}

/// Checks that two flows of one cause are one problem of the HTML report.
#[test]
fn the_page_shows_the_same_problems() {
    let way = FailureCause {
        element: "Save",
        text: None,
        screen: "Main",
        is_flaky: false,
    };
    let events = run(&[(way.clone(), 3, false), (way, 9, true)]);
    let views = serde_json::to_value(crate::html::problem_views(&results(&events))).unwrap();
    let flows: Vec<&Value> = views
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["flows"])
        .collect();
    assert_eq!(flows, [&json!([0, 1])]);
}
