//! Law of refusals: junk in an expression is refused wherever it stands, and a flow with a false or refused
//! expression fails in each report.

use fastrand::Rng;
use serde_json::json;

use super::drawn::{Generator, ROOTS};
use super::expressions::{Token, text};
use super::kinds::{Value, judge};
use super::reports::Reports;
use super::{hold, seeds};
use crate::common::{Project, needs};

/// Texts that no expression may hold, wherever they stand.
const NEVER: [&str; 16] = [
    "@", "@@@", ";", "?", "!", "&&", "||", "===", "&", "^", "\\", "$", "'open", "§", "=>", "#",
];
/// Texts that may not follow a complete value.
const VALUES: [&str; 8] = [
    "junk", "1", "'a'", "true", "none", "(true)", "{'a': 1}", "not",
];
/// Texts that may not end an expression.
const ENDS: [&str; 14] = [
    "==", "and", "or", "in", "not in", "is", "|", "~", "+", ".", "[", "(", "if", "else",
];
/// Filters that read a part which no item has.
const MISSING_PARTS: [&str; 14] = [
    "| sum(attribute='z') == 0",
    "| sum('z') == 0",
    "| map(attribute='z') | list | length == 2",
    "| map(attribute='z') | list == [none, none]",
    "| map(attribute='z') | first is none",
    "| sort(attribute='z') | length == 2",
    "| max(attribute='z') == {'a': 2}",
    "| min(attribute='z') == {'a': 1}",
    "| unique(attribute='z') | list | length == 1",
    "| groupby('z') | list | length == 1",
    "| selectattr('z') | list | length == 0",
    "| selectattr('z', 'eq', 1) | list | length == 0",
    "| rejectattr('z', 'eq', 1) | list | length == 2",
    "| map(attribute='z') | join == ''",
];
/// Texts that may not begin an expression.
const BEGINNINGS: [&str; 12] = [
    "==", "and", "or", "in", "is", "|", "~", "*", ")", "]", "if", "else",
];

/// Returns an expression with junk in it.
fn spoilt(rng: &mut Rng, tokens: &[Token]) -> String {
    let mut tokens = tokens.to_vec();
    let junk = |text: &str| Token {
        text: text.to_owned(),
        ends_value: false,
    };
    let pick = |rng: &mut Rng, all: &[&str]| junk(all[rng.usize(..all.len())]);
    match rng.u8(..6) {
        0 | 1 => {
            let place = rng.usize(..=tokens.len());
            let piece = pick(rng, &NEVER);
            tokens.insert(place, piece);
        }
        2 | 3 => {
            let mut ends = tokens
                .iter()
                .enumerate()
                .filter(|(_, token)| token.ends_value);
            let ends: Vec<usize> = ends.by_ref().map(|(place, _)| place + 1).collect();
            let place = ends[rng.usize(..ends.len())];
            let mut piece = pick(rng, &VALUES);
            // `a not in b` is an expression.
            let next = tokens.get(place).map_or("", |token| &token.text);
            if piece.text == "not" && next == "in" {
                piece = junk("junk");
            }
            tokens.insert(place, piece);
        }
        4 => {
            let piece = pick(rng, &ENDS);
            tokens.push(piece);
        }
        _ => {
            let piece = pick(rng, &BEGINNINGS);
            tokens.insert(0, piece);
        }
    }
    text(&tokens)
}

/// Draws an expression over values that every flow has.
fn drawn(rng: &mut Rng) -> (Vec<Token>, super::kinds::Judged) {
    let names = [("U", Value::Text("ada".to_owned()))];
    let root = rng.usize(..ROOTS);
    let mut generator = Generator { rng, names: &names };
    let expression = generator.root(root, 1);
    (expression.tokens(), judge(&expression))
}

fn flow(that: &str) -> String {
    let step = json!({ "assert": { "that": that } });
    json!({ "env": { "U": "ada" }, "steps": [step] }).to_string()
}

/// Runs all flows of the project with all reports.
fn run(project: &Project) -> Reports {
    project.write("runner.yaml", "devices: [virtual]\n");
    let ran = project.run(&[
        "test",
        "--json",
        "events.ndjson",
        "--junit",
        "junit.xml",
        "--html",
        "html",
    ]);
    Reports::read(&ran, &project.path(""), &project.path(".runner/history"))
}

#[test]
fn junk_in_an_expression_is_refused_wherever_it_stands() {
    let mut broken = Vec::new();
    let mut count = 0;
    for seed in seeds(needs::long(1, 20)) {
        let mut rng = Rng::with_seed(seed);
        let project = Project::empty();
        let mut written = Vec::new();
        for number in 0..150 {
            let (tokens, _) = drawn(&mut rng);
            let spoilt = spoilt(&mut rng, &tokens);
            // Junk beside an expression makes a text of both.
            let that = match rng.u8(..8) {
                0 => format!("junk ${{{}}}", text(&tokens)),
                1 => format!("${{{}}} junk", text(&tokens)),
                _ => format!("${{{spoilt}}}"),
            };
            let path = format!("flows/j{number}.yaml");
            project.write(&path, &flow(&that));
            written.push((path, that));
        }
        let reports = run(&project);
        broken.extend(reports.disagreements());
        if reports.code == 0 {
            broken.push(format!("seed {seed}: exit 0"));
        }
        let ends = reports.ends();
        let failure = |flow: &str| {
            let mut events = reports.events.iter();
            let found = events.find(|event| event["id"]["flow"] == flow && event["last"] == true);
            found.map(|event| event["failure"]["kind"].clone())
        };
        for (path, that) in &written {
            let end = ends.iter().find(|(flow, ..)| flow == path);
            let is_refused = match end.map(|(_, _, status)| status.as_str()) {
                Some("unreadable") => true,
                Some("failed") => failure(path).is_some_and(|kind| kind != "assertion"),
                _ => false,
            };
            if !is_refused {
                broken.push(format!("seed {seed}: {that}: {end:?}"));
            }
            count += 1;
        }
    }
    hold("junk is refused", &format!("{count} expressions"), broken);
}

/// A value that does not exist is an error, also where a filter reads it of each item.
#[test]
fn a_part_that_no_item_has_is_an_error() {
    let project = Project::empty();
    for (number, filter) in MISSING_PARTS.iter().enumerate() {
        for (side, items) in [
            ("yes", "[{'a': 1}, {'a': 2}]"),
            ("no", "not ([{'a': 1}, {'a': 2}]"),
        ] {
            let end = if side == "no" { ")" } else { "" };
            let that = format!("${{{items} {filter}{end}}}");
            project.write(&format!("flows/p{number}-{side}.yaml"), &flow(&that));
        }
    }
    let reports = run(&project);
    let ends = reports.ends();
    let passes = |path: &str| {
        let mut found = ends.iter().filter(|(flow, ..)| flow == path);
        found.any(|(_, _, status)| status == "passed")
    };
    let mut broken = reports.disagreements();
    for (number, filter) in MISSING_PARTS.iter().enumerate() {
        for side in ["yes", "no"] {
            if passes(&format!("flows/p{number}-{side}.yaml")) {
                broken.push(format!("[{{'a': 1}}, {{'a': 2}}] {filter}: {side} passes"));
            }
        }
    }
    let told = format!("{} filters", MISSING_PARTS.len());
    hold("missing parts", &told, broken);
}

#[test]
fn a_flow_with_an_expression_is_red_or_green_in_each_report() {
    let mut broken = Vec::new();
    let mut count = 0;
    for seed in seeds(needs::long(1, 10)) {
        let mut rng = Rng::with_seed(seed);
        let project = Project::empty();
        let mut written = Vec::new();
        while written.len() < 40 {
            let (tokens, judged) = drawn(&mut rng);
            let is_green = match judged {
                Ok(Value::Boolean(value)) => value,
                Ok(_) | Err(super::kinds::Trouble::Error) => false,
                Err(_) => continue,
            };
            let path = format!("flows/e{}.yaml", written.len());
            let that = text(&tokens);
            project.write(&path, &flow(&format!("${{{that}}}")));
            written.push((path, that, is_green));
        }
        let reports = run(&project);
        broken.extend(reports.disagreements());
        let cases = reports
            .junit()
            .map(|junit| junit.cases.clone())
            .unwrap_or_default();
        let ends = reports.ends();
        for (path, that, is_green) in &written {
            let end = ends.iter().find(|(flow, ..)| flow == path);
            let case = cases.iter().find(|(flow, _)| flow == path);
            let passes = end.map(|(_, _, status)| status == "passed");
            let told = case.map(|(_, told)| told == "passed");
            if passes != Some(*is_green) || told != Some(*is_green) {
                broken.push(format!(
                    "seed {seed}: {that}: {end:?} {case:?}, not {is_green}"
                ));
            }
            count += 1;
        }
    }
    hold("expressions in reports", &format!("{count} flows"), broken);
}
