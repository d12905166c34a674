//! Law of booleans: exactly one of `e` and `not (e)` holds, or both are the same error, as docs/guide/flows.md
//! says.

use std::collections::BTreeMap;

use fastrand::Rng;
use serde_json::{Value as Json, json};

use super::drawn::{Generator, ROOTS, map};
use super::expressions::text;
use super::kinds::{Judged, Trouble, Value, judge};
use super::pairs::Pairs;
use super::{hold, seeds};
use crate::common::{Project, needs};
use crate::http_step::{reply, server};

/// Expressions around `E` that keep its boolean, or its error.
const CONTEXTS: [&str; 20] = [
    "E",
    "not (not (E))",
    "[E] | first",
    "[E][0]",
    "{'k': E}['k']",
    "E if true else false",
    "false if false else E",
    "(E) == true",
    "(E) in [true]",
    "(E) is eq(true)",
    "true and (E)",
    "(E) and true",
    "false or (E)",
    "(E) or false",
    "[true] == [E]",
    "{'a': E} == {'a': true}",
    "([E] | select | list | length) == 1",
    "(E) | bool",
    "(E) | default(false)",
    "(E) is true",
];

/// Construct of a flow that evaluates an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Construct {
    Assert,
    If,
    When,
    While,
    Set,
}

const CONSTRUCTS: [Construct; 5] = [
    Construct::Assert,
    Construct::If,
    Construct::When,
    Construct::While,
    Construct::Set,
];

/// Result of an expression in its construct.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Observed {
    Holds,
    HoldsNot,
    Refused(String),
}

impl Construct {
    /// Returns the step with the expression, and the step whose result shows its value if that is another.
    fn steps(self, expression: &str, number: usize) -> Vec<Json> {
        let that = format!("${{{expression}}}");
        let nothing = json!({ "set": { "NOTHING": "1" } });
        let mut step = match self {
            Self::Assert => json!({ "assert": { "that": that } }),
            Self::If => json!({ "if": that, "then": [nothing], "else": [nothing] }),
            Self::When => json!({ "set": { "NOTHING": "1" }, "when": that }),
            Self::While => json!({ "repeat": { "times": 1, "while": that, "steps": [nothing] } }),
            Self::Set => json!({ "set": { format!("R{number}"): that } }),
        };
        step["optional"] = json!(true);
        if self != Self::Set {
            return vec![step];
        }
        let kept = json!({ "assert": { "that": format!("${{R{number}}}") }, "optional": true });
        vec![step, kept]
    }

    /// Reads the result of the step of this number.
    fn seen(self, steps: &BTreeMap<String, Json>, first: usize) -> Option<Observed> {
        let of = |path: &str| steps.get(path);
        let step = of(&format!("[{first}]"))?;
        let is_refused = |step: &Json| {
            let failure = &step["failure"];
            let is_assertion = failure["kind"] == "assertion";
            (step["status"] == "warned" && !is_assertion).then(|| {
                Observed::Refused(failure["message"].as_str().unwrap_or_default().to_owned())
            })
        };
        let truth = |holds| {
            if holds {
                Observed::Holds
            } else {
                Observed::HoldsNot
            }
        };
        if let Some(refused) = is_refused(step) {
            return Some(refused);
        }
        Some(match self {
            Self::Assert => truth(step["status"] == "passed"),
            Self::When => truth(step["status"] == "passed"),
            Self::If => match of(&format!("[{first},\"then\",0]")) {
                Some(_) => Observed::Holds,
                None => of(&format!("[{first},\"else\",0]")).map(|_| Observed::HoldsNot)?,
            },
            Self::While => truth(of(&format!("[{first},\"repeat\",1,0]")).is_some()),
            Self::Set => {
                let kept = of(&format!("[{}]", first + 1))?;
                is_refused(kept).unwrap_or_else(|| truth(kept["status"] == "passed"))
            }
        })
    }
}

/// An expression and its negation in a construct.
struct Case {
    construct: Construct,
    sides: [String; 2],
    judged: Judged,
    /// Number of the flow, and of the first step of each side.
    at: (usize, [usize; 2]),
}

/// Returns values of all kinds, in the ways in which flows get them.
fn names() -> Vec<(&'static str, Value)> {
    let text = |text: &str| Value::Text(text.to_owned());
    let number = Value::Number;
    let numbers = Value::List([1.0, 2.0, 3.0].map(Value::Number).to_vec());
    let pair = map([("a", number(1.0)), ("b", number(2.0))]);
    vec![
        ("E_ADA", text("ada")),
        ("E_TEN", text("10")),
        ("E_EMPTY", text("")),
        ("E_TRUE", text("true")),
        ("os.LAW", text("9")),
        ("S_TEXT", text("3")),
        ("S_NUMBER", number(10.0)),
        ("S_BROKEN", number(2.5)),
        ("S_TRUE", Value::Boolean(true)),
        ("S_FALSE", Value::Boolean(false)),
        ("S_NONE", Value::None),
        ("S_LIST", numbers.clone()),
        ("S_MAP", pair.clone()),
        ("j.json.text", text("9")),
        ("j.json.number", number(9.0)),
        ("j.json.broken", number(2.5)),
        ("j.json.yes", Value::Boolean(true)),
        ("j.json.no", Value::Boolean(false)),
        ("j.json.nothing", Value::None),
        ("j.json.list", numbers),
        ("j.json.map", pair),
        ("j.status", number(200.0)),
        ("el.text", text("Welcome to Notes")),
        ("el.enabled", Value::Boolean(true)),
        ("device.virtual", Value::Boolean(true)),
        ("device.sdk", number(34.0)),
    ]
}

/// Returns the server's answer.
fn data() -> Json {
    json!({
        "text": "9", "number": 9, "broken": 2.5, "yes": true, "no": false, "nothing": null,
        "list": [1, 2, 3], "map": { "a": 1, "b": 2 },
    })
}

/// Returns the steps that make the values, each kept under its name.
fn beginning(address: &str) -> Vec<Json> {
    vec![
        json!({ "set": {
            "S_TEXT": "${'3'}", "S_NUMBER": "${10}", "S_BROKEN": "${2.5}", "S_TRUE": "${true}",
            "S_FALSE": "${1 > 2}", "S_NONE": "${none}", "S_LIST": "${[1, 2, 3]}",
            "S_MAP": "${{'a': 1, 'b': 2}}", "NOTHING": "1",
        } }),
        json!({ "http": { "url": format!("http://{address}/") }, "as": "j" }),
        json!("launch"),
        json!({ "find": "Welcome to Notes", "as": "el" }),
    ]
}

/// Returns the flow with one step a line, so that the place of an error names its step.
fn flow(steps: &[Json]) -> String {
    let header = "app: com.example.notes\nenv: { E_ADA: ada, E_TEN: \"10\", E_EMPTY: \"\", E_TRUE: \"true\" }\nsteps:\n";
    let steps = steps.iter().map(|step| format!("- {step}\n"));
    header.to_owned() + &steps.collect::<String>()
}

const HEADER_LINES: usize = 3;

fn project(address: &str) -> Project {
    let project = Project::with_demo_app();
    let settings = project.read("runner.yaml");
    let hosts = format!("http: {{ hosts: [\"{address}\"] }}\n");
    project.write("runner.yaml", &(settings + &hosts));
    project
}

/// Runs all flows of a project, and returns the events of the run.
fn run(project: &Project, arguments: &[&str]) -> (crate::common::Ran, Vec<Json>) {
    let mut command = project.command(&["test", "--json", "events.ndjson"]);
    command.args(arguments).env("LAW", "9");
    let ran = command.output().map(crate::common::Ran::from);
    let events = std::fs::read_to_string(project.path("events.ndjson")).unwrap_or_default();
    let events = events.lines();
    let events = events.filter_map(|line| serde_json::from_str(line).ok());
    (ran.expect("the program starts"), events.collect())
}

/// Draws cases for flows with `each` cases.
fn cases(rng: &mut Rng, pairs: &mut Pairs, flows: usize, each: usize) -> Vec<Case> {
    let names = names();
    let mut cases = Vec::new();
    for flow in 0..flows {
        let mut next = beginning("").len();
        for _ in 0..each {
            let drawn = pairs.draw(rng, &[], 20);
            let mut generator = Generator {
                rng: &mut *rng,
                names: &names,
            };
            let expression = generator.root(drawn[0], 2);
            let written = text(&expression.tokens());
            let judged = judge(&expression);
            // A context keeps booleans and errors only.
            let (context, drawn) = match judged {
                Ok(Value::Boolean(_)) | Err(_) => (CONTEXTS[drawn[1]], drawn),
                Ok(_) => ("E", vec![drawn[0], 0, drawn[2]]),
            };
            pairs.take(&drawn);
            let construct = CONSTRUCTS[drawn[2]];
            let that = context.replace('E', &format!("({written})"));
            let sides = [that.clone(), format!("not ({that})")];
            if sides[1].len() > 1900 {
                continue;
            }
            let width = construct.steps("true", 0).len();
            let at = (flow, [next, next + width]);
            next += 2 * width;
            cases.push(Case {
                construct,
                sides,
                judged,
                at,
            });
        }
    }
    cases
}

/// Returns the steps of a flow by their number.
fn steps(cases: &[Case], flow: usize, address: &str) -> Vec<Json> {
    let mut steps = beginning(address);
    for case in cases.iter().filter(|case| case.at.0 == flow) {
        for (side, first) in case.sides.iter().zip(case.at.1) {
            steps.extend(case.construct.steps(side, first));
        }
    }
    steps
}

/// Returns the first error of each line of a file.
fn errors(message: &str) -> BTreeMap<usize, String> {
    let mut errors = BTreeMap::new();
    let mut title = "";
    for line in message.lines() {
        if line.starts_with("error") {
            title = line;
        } else if let Some((_, place)) = line.trim_start().split_once(".yaml:")
            && let Some(Ok(number)) = place.split(':').next().map(str::parse)
        {
            errors.entry(number).or_insert_with(|| title.to_owned());
        }
    }
    errors
}

/// Reason why a run has no results of steps.
#[derive(Debug, thiserror::Error)]
enum RunError {
    #[error("exit {code}: {stderr}")]
    NoEvents { code: i32, stderr: String },
    #[error("flows do not read")]
    Unreadable,
}

/// Runs the flows without the steps that do not read. Returns the results of all steps by flow and path.
fn outcomes(
    project: &Project,
    mut flows: Vec<Vec<Json>>,
) -> Result<Vec<BTreeMap<String, Json>>, RunError> {
    let mut found = vec![BTreeMap::new(); flows.len()];
    for _ in 0..3 {
        for (number, steps) in flows.iter().enumerate() {
            project.write(&format!("flows/b{number}.yaml"), &flow(steps));
        }
        let (ran, events) = run(project, &[]);
        let mut reads = true;
        for event in &events {
            let name = event["id"]["flow"].as_str().or(event["flow"].as_str());
            let number = name.and_then(|name| name.strip_prefix("flows/b")?.strip_suffix(".yaml"));
            let Some(number) = number.and_then(|number| number.parse::<usize>().ok()) else {
                continue;
            };
            if event["event"] == "unreadable" {
                reads = false;
                let message = event["message"].as_str().unwrap_or_default();
                for (line, error) in errors(message) {
                    let place = line - HEADER_LINES - 1;
                    let failure = json!({ "kind": "unreadable", "message": error });
                    let refused = json!({ "status": "warned", "failure": failure });
                    found[number].insert(format!("[{place}]"), refused);
                    flows[number][place] = json!({ "set": { "NOTHING": "1" } });
                }
            } else if event["event"] == "step_finished" {
                let path = event["step"].to_string();
                found[number].entry(path).or_insert_with(|| event.clone());
            }
        }
        if reads {
            return Ok(found);
        }
        if events.is_empty() {
            return Err(RunError::NoEvents {
                code: ran.code,
                stderr: ran.stderr,
            });
        }
    }
    Err(RunError::Unreadable)
}

/// Returns the way in which a case breaks the law, if it does.
fn broken(case: &Case, yes: &Observed, no: &Observed) -> Option<String> {
    use Observed::{Holds, HoldsNot, Refused};
    // A value of another kind is no boolean: none holds. An expression of which the documents say nothing may be one.
    let [may_be, may_not_be] = match case.judged {
        Ok(Value::Boolean(_)) | Err(Trouble::Error | Trouble::Missing) => [true, false],
        Ok(_) => [false, true],
        Err(Trouble::Unsaid) => [true, true],
    };
    let is_kept = match (yes, no) {
        (Holds, HoldsNot) | (HoldsNot, Holds) => may_be,
        (Refused(left), Refused(right)) => left == right || may_not_be,
        (HoldsNot, Refused(_)) => may_not_be,
        _ => false,
    };
    if !is_kept {
        return Some("not exactly one holds, nor are both the same error".to_owned());
    }
    let expected = match case.judged {
        Ok(Value::Boolean(true)) => *yes == Holds,
        Ok(Value::Boolean(false)) => *yes == HoldsNot,
        Err(Trouble::Error) => matches!(yes, Refused(_)),
        _ => true,
    };
    (!expected).then(|| format!("is not {:?}", case.judged))
}

#[test]
fn one_of_an_expression_and_its_negation_holds_as_the_documents_say() {
    let address = server(|_| {
        let body = data().to_string();
        reply("200 OK", "Content-Type: application/json\r\n", &body)
    });
    let mut pairs = Pairs::new(&[ROOTS, CONTEXTS.len(), CONSTRUCTS.len()]);
    let mut told = Vec::new();
    let (mut said, mut all) = (0, 0);
    for seed in seeds(needs::long(1, 20)) {
        let mut rng = Rng::with_seed(seed);
        let flows = 12;
        let cases = cases(&mut rng, &mut pairs, flows, 40);
        let project = project(&address);
        let steps = (0..flows)
            .map(|flow| steps(&cases, flow, &address))
            .collect();
        let found = match outcomes(&project, steps) {
            Ok(found) => found,
            Err(why) => {
                told.push(format!("seed {seed}: {why}"));
                continue;
            }
        };
        all += cases.len();
        said += cases
            .iter()
            .filter(|case| case.judged != Err(Trouble::Unsaid))
            .count();
        for case in &cases {
            let (flow, first) = case.at;
            let seen = first.map(|first| case.construct.seen(&found[flow], first));
            let why = match &seen {
                [Some(yes), Some(no)] => broken(case, yes, no),
                _ => Some("no verdict".to_owned()),
            };
            if let Some(why) = why {
                told.push(format!(
                    "seed {seed}: {:?}: {}: {why}: {seen:?}",
                    case.construct, case.sides[0]
                ));
            }
        }
    }
    let summary = format!(
        "{}; the documents say what {said} of {all} expressions come to",
        pairs.told()
    );
    hold("booleans", &summary, told);
}
