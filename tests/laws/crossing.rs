//! Law of crossing: a selector on a screen leads to the verdict that docs/guide/flows.md states, wherever it
//! stands.

use fastrand::Rng;
use serde_json::{Value, json};

use super::cells::{Bench, Driver, Verdict, apks};
use super::flows::{Nest, branch, in_maestros_words, maestro};
use super::pairs::Pairs;
use super::reader::{Direction, Found, Pattern, Rule, Selector};
use super::screen::{APP, Form, Node, Screen, State, Window};
use super::{hold, seeds};
use crate::common::needs;

const TEXTS: [&str; 10] = [
    "Save",
    "save",
    "Save  draft",
    "Save all",
    "a.b",
    "50% off",
    "[x] (y)",
    "\u{c4}pfel",
    "\u{e4}pfel",
    "it's \"quoted\"",
];
const DESCRIPTIONS: [&str; 3] = ["Send it", "More", "close"];
const HINTS: [&str; 3] = ["Username", "Password?", "Search notes"];
const RULES: usize = 28;
const WRAPS: usize = 9;
const STEPS: usize = 12;

fn pick<'a>(rng: &mut Rng, all: &[&'a str]) -> &'a str {
    all[rng.usize(..all.len())]
}

/// Draws a screen with a header, a footer and two sides around a list of rows, some of them off the display.
fn board(rng: &mut Rng) -> Screen {
    let strip = |id: &str| Node::new("View").id(id);
    let rows: Vec<Node> = (0..rng.i32(2..6)).map(|place| row(place, rng)).collect();
    let mut list = Node::new("ListView")
        .id("list")
        .at(100, 100, 980, 2300)
        .holding(rows);
    list.states.insert(State::Scrollable);
    let root = Node::new("FrameLayout").id("root").holding(vec![
        strip("header").text("Header").at(0, 0, 1080, 100),
        strip("left").at(0, 100, 100, 2300),
        list,
        strip("right").at(980, 100, 1080, 2300),
        strip("footer").text("Footer").at(0, 2300, 1080, 2400),
    ]);
    let mut windows = vec![Window::app(Some(root))];
    if rng.bool() {
        windows[0].focused = false;
        windows.push(Window::dialog("Sure?"));
    }
    Screen::new("board", windows)
}

fn row(place: i32, rng: &mut Rng) -> Node {
    let top = match rng.u8(..6) {
        0 => 2450 + place * 200,
        _ => 120 + place * 200,
    };
    let mut label = Node::new("TextView")
        .text(pick(rng, &TEXTS))
        .at(120, top + 10, 480, top + 90);
    let mut button = Node::new("Button")
        .id("go")
        .at(500, top + 10, 700, top + 90);
    button.desc = pick(rng, &DESCRIPTIONS).to_owned();
    let mut field = Node::new("EditText")
        .id("field")
        .at(720, top + 10, 960, top + 90);
    field.hint = pick(rng, &HINTS).to_owned();
    field.text = match rng.u8(..3) {
        0 => field.hint.clone(),
        1 => String::new(),
        _ => "ada".to_owned(),
    };
    for node in [&mut label, &mut button, &mut field] {
        for state in [
            State::Checked,
            State::Selected,
            State::Focused,
            State::Clickable,
        ] {
            if rng.u8(..3) == 0 {
                node.states.insert(state);
            }
        }
        if rng.u8(..3) == 0 {
            node.states.remove(&State::Enabled);
        }
        node.invisible = rng.u8(..10) == 0;
    }
    Node::new("LinearLayout")
        .id(&format!("row_{place}"))
        .at(100, top, 980, top + 180)
        .holding(vec![label, button, field])
}

/// Returns a selector with the rule of this number, with values that often occur on the screen.
fn rule(number: usize, rng: &mut Rng) -> Selector {
    let one = |rule: Rule| Selector::All(vec![rule]);
    let words = |key: &'static str, pattern: Pattern| one(Rule::Words(key, pattern));
    let text = pick(rng, &TEXTS);
    let whole = |text: &str| Pattern::Whole(text.to_owned());
    let class = |name: &str| one(Rule::Class(name.to_owned()));
    let with = |selector: Selector, rule: Rule| selector.with(rule).expect("one more criterion");
    let anchor = |id: &str| Box::new(Selector::id(id));
    let lies = |direction, id: &str| {
        let rule = Rule::Lies(direction, anchor(id));
        with(class("Button"), rule)
    };
    let first = text.chars().next().unwrap_or('x');
    match number {
        0 => Selector::Alone(text.to_owned()),
        1 => Selector::Alone(pick(rng, &DESCRIPTIONS).to_owned()),
        2 => Selector::Alone(pick(rng, &HINTS).to_owned()),
        3 => words("text", whole(text)),
        4 => words("text", whole(&format!("{first}*"))),
        5 => words("text", Pattern::Contains("av".to_owned())),
        6 => words("text", Pattern::Regex("^[Ss]ave$".to_owned())),
        7 => words("text", Pattern::IgnoreCase(text.to_uppercase())),
        8 => words("desc", whole(pick(rng, &DESCRIPTIONS))),
        9 => words("desc", Pattern::IgnoreCase("CLOSE".to_owned())),
        10 => words("hint", whole(pick(rng, &HINTS))),
        11 => words("text", whole(pick(rng, &HINTS))),
        12 => with(class("EditText"), Rule::Words("text", whole(""))),
        13 => Selector::id(&format!("row_{}", rng.u8(..6))),
        14 => Selector::id(&format!("{APP}:id/go")),
        15 => class(pick(rng, &["Button", "android.widget.EditText", "button"])),
        16 => {
            let states = [State::Checked, State::Selected, State::Focused];
            let state = states[rng.usize(..states.len())];
            with(Selector::id("go"), Rule::State(state, rng.bool()))
        }
        17 => with(Selector::id("go"), Rule::State(State::Enabled, rng.bool())),
        18 => with(class("TextView"), Rule::State(State::Clickable, true)),
        19 => one(Rule::State(State::Scrollable, true)),
        20 => with(Selector::id("field"), Rule::Editable(rng.bool())),
        21 => {
            let row = format!("row_{}", rng.u8(..6));
            with(class("Button"), Rule::Inside(anchor(&row)))
        }
        22 => {
            let held = Rule::Has(Box::new(words("text", whole(text))));
            with(class("LinearLayout"), held)
        }
        23 => lies(Direction::Below, pick(rng, &["header", "row_0", "typo"])),
        24 => lies(Direction::Above, pick(rng, &["footer", "row_1"])),
        25 => lies(Direction::RightOf, pick(rng, &["left", "right"])),
        26 => lies(Direction::LeftOf, pick(rng, &["left", "right"])),
        _ => with(class("Button"), Rule::Index(rng.i64(-3..4))),
    }
}

/// Puts the selector inside another construct; `None` if the documents do not state the result.
fn wrapped(wrap: usize, selector: &Selector, screen: &Screen) -> Option<Selector> {
    let any = |list: Vec<Selector>| Some(Selector::All(vec![Rule::AnyOf(list)]));
    let nope = || Selector::text("Nope");
    let found = selector.find(screen);
    match wrap {
        0 => Some(selector.clone()),
        1 => any(vec![selector.clone()]),
        2 => any(vec![nope(), selector.clone()]),
        3 => any(vec![selector.clone(), nope()]),
        4 => selector.with(Rule::Inside(Box::new(Selector::id("root")))),
        5 => selector.with(Rule::Window(json!(APP))),
        6 => {
            let below = Rule::Lies(Direction::Below, Box::new(Selector::id("header")));
            selector.with(below)
        }
        // What one of several elements holds, or what lies in one of them, is not said.
        7 if found.existing == found.on_screen => {
            let has = Rule::Has(Box::new(selector.clone()));
            Selector::id("list").with(has)
        }
        8 if found.existing <= 1 => {
            let inside = Rule::Inside(Box::new(selector.clone()));
            Selector::All(vec![Rule::Class("EditText".to_owned())]).with(inside)
        }
        _ => None,
    }
}

/// A step of a flow, or the text of one of Maestro's.
enum StepText {
    Ours(Value),
    Maestros(String),
}

/// Returns a step with the selector, and whether it must pass. `None` if the documents do not say.
fn step(number: usize, selector: &Selector, screen: &Screen) -> Option<(StepText, bool)> {
    let x = selector.yaml();
    let Found {
        on_screen: n,
        anchored,
        ..
    } = selector.find(screen);
    let denied = n == 0 && anchored;
    let keys = |more: Value| match selector {
        Selector::Alone(_) => None,
        Selector::All(_) => Some(selector.yaml_with(more)),
    };
    let count = |count: Value| Some(json!({ "assert": keys(json!({ "count": count }))? }));
    let (step, passes) = match number {
        0 => (json!({ "assert visible": x }), n > 0),
        1 => (json!({ "assert not visible": x }), denied),
        2 => (count(json!(n))?, n > 0 || anchored),
        3 => (count(json!(n + 1))?, false),
        4 => (count(json!(format!("<={n}")))?, anchored),
        5 => (json!({ "find": x }), n == 1),
        6 => (json!({ "wait_for": x }), n > 0),
        7 => (
            json!({ "wait_for": keys(json!({ "gone": true }))? }),
            denied,
        ),
        8 => (branch(&json!({ "visible": x })), n > 0),
        9 => (branch(&json!({ "not_visible": x })), n == 0),
        _ => return maestros_step(number, selector, screen),
    };
    Some((StepText::Ours(step), passes))
}

fn maestros_step(number: usize, selector: &Selector, screen: &Screen) -> Option<(StepText, bool)> {
    let x = in_maestros_words(selector)?;
    let found = selector.maestros().find(screen);
    let (command, passes) = if number == 10 {
        (json!([{ "assertVisible": x }]), found.on_screen > 0)
    } else {
        let denied = found.on_screen == 0 && found.anchored;
        (json!([{ "assertNotVisible": x }]), denied)
    };
    Some((StepText::Maestros(maestro(&command)), passes))
}

/// A flow, and whether it must pass.
struct Cell {
    key: String,
    passes: bool,
    told: String,
}

/// Writes flows for this screen, and returns their cells.
fn cells(
    bench: &Bench,
    screen: &Screen,
    pairs: &mut Pairs,
    rng: &mut Rng,
    count: usize,
) -> Vec<Cell> {
    let mut cells = Vec::new();
    for place in 0..count {
        let mut drawn = pairs.draw(rng, &[], 60);
        let plain = rule(drawn[0], rng);
        let selector = wrapped(drawn[1], &plain, screen).unwrap_or_else(|| {
            drawn[1] = 0;
            plain
        });
        // Every selector may be denied.
        let (said, passes) = step(drawn[2], &selector, screen).unwrap_or_else(|| {
            drawn[2] = 1;
            step(1, &selector, screen).expect("a step")
        });
        pairs.take(&drawn);
        let name = format!("c{place}");
        let nest = Nest::ALL[drawn[3]];
        let (key, said) = match said {
            StepText::Ours(step) => {
                for (path, text) in nest.files(&name, &step) {
                    bench.project.write(&path, &text);
                }
                (nest.key(&name), format!("{nest:?}: {step}"))
            }
            StepText::Maestros(text) => {
                bench.project.write(&format!("flows/{name}.yaml"), &text);
                (Nest::Bare.key(&name), text.replace('\n', " "))
            }
        };
        cells.push(Cell {
            key,
            passes,
            told: said,
        });
    }
    cells
}

#[tokio::test(flavor = "multi_thread")]
async fn a_selector_means_the_same_wherever_it_stands() {
    let mut pairs = Pairs::new(&[RULES, WRAPS, STEPS, Nest::ALL.len()]);
    let mut plans = Vec::new();
    for seed in seeds(needs::long(6, 200)) {
        let mut rng = Rng::with_seed(seed);
        // Each third screen is looked at through the other driver.
        let driver = match apks() {
            Some(_) if seed % 3 == 0 => Driver::Uia2,
            _ => Driver::Stock,
        };
        let mut screen = board(&mut rng);
        let bench = Bench::start(driver).await;
        if driver == Driver::Uia2 {
            screen.show_all();
            let apks = apks().expect("the packages of the server");
            let settings = format!("uia2: {}\n", apks.display());
            bench.project.write("runner.yaml", &settings);
        } else if seed % 4 == 0 && screen.dumped.len() == 1 {
            screen.form = Form::Plain;
        }
        bench.show(&screen, &[]);
        let cells = cells(&bench, &screen, &mut pairs, &mut rng, 80);
        plans.push(std::sync::Arc::new((bench, screen, cells, seed, driver)));
    }
    let broken = super::two_at_once(plans, |plan| async move {
        let (bench, screen, cells, seed, driver) = &*plan;
        let (found, ran) = bench.run(&[]).await;
        let mut broken = Vec::new();
        for Cell { key, passes, told } in cells {
            let verdict = found.get(key);
            let is_kept = match verdict {
                Some(Verdict::Pass) => *passes,
                Some(Verdict::Fail(..)) => !*passes,
                _ => false,
            };
            if !is_kept {
                let came =
                    verdict.map_or_else(|| format!("nothing; exit {}", ran.code), Verdict::told);
                let expected = if *passes { "pass" } else { "fail" };
                broken.push(format!(
                    "seed {seed} {driver:?} {key}: {told}: {came}, not {expected}"
                ));
            }
        }
        if !broken.is_empty() {
            broken.push(format!("seed {seed} shows {}", screen.dump()));
        }
        broken
    })
    .await;
    hold("crossing", &pairs.told(), broken.concat());
}
