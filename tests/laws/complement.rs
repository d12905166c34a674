//! Law of the complement: of an assertion and its negation never both pass, and both fail only for an anchor
//! or for the device.

use fastrand::Rng;
use serde_json::{Value, json};

use super::cells::{Bench, Driver, Verdict, apks};
use super::flows::{Nest, branch, in_maestros_words, maestro};
use super::odd::{Oddity, screen};
use super::pairs::Pairs;
use super::reader::{Direction, Pattern, Rule, Selector};
use super::screen::{APP, Form, Screen};
use super::{hold, seeds};
use crate::common::needs;

/// Form of an assertion and of its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pair {
    Visible,
    CountZero,
    CountOne,
    CountTwo,
    CountExactly,
    Wait,
    If,
    When,
    MaestroAssert,
    MaestroWait,
    MaestroIf,
}

const PAIRS: [Pair; 11] = [
    Pair::Visible,
    Pair::CountZero,
    Pair::CountOne,
    Pair::CountTwo,
    Pair::CountExactly,
    Pair::Wait,
    Pair::If,
    Pair::When,
    Pair::MaestroAssert,
    Pair::MaestroWait,
    Pair::MaestroIf,
];

/// Faults of the device, and whether they end by themselves.
const FAULTS: [(&[&str], bool); 9] = [
    (&[], true),
    (&["null-root:1"], true),
    (&["truncated-dump:1"], true),
    (&["missing-dump:2"], true),
    (&["process-killed:1"], true),
    (&["noise"], true),
    (&["null-root"], false),
    (&["truncated-dump"], false),
    (&["missing-dump"], false),
];

const OPTIONS: [&[&str]; 5] = [
    &[],
    &["--retries", "1"],
    &["--shuffle=3"],
    &["--trace", "on-first-retry"],
    &["--repeat-each", "1"],
];

fn selectors() -> Vec<Selector> {
    let target = Selector::text("Target");
    let and = |rule: Rule| target.with(rule).expect("one more criterion");
    let boxed = |selector: Selector| Box::new(selector);
    let typo = || boxed(Selector::id("typo"));
    let title = Selector::text("Title");
    let lost = title.with(Rule::Inside(typo())).expect("an anchor");
    let welcome = Selector::text("Welcome")
        .with(Rule::Inside(typo()))
        .expect("an anchor");
    let any = |list: Vec<Selector>| Selector::All(vec![Rule::AnyOf(list)]);
    vec![
        Selector::Alone("Target".to_owned()),
        target.clone(),
        Selector::id("target"),
        Selector::text("Nope"),
        Selector::Alone("12:00".to_owned()),
        and(Rule::Inside(boxed(Selector::id("panel")))),
        and(Rule::Inside(typo())),
        and(Rule::Lies(Direction::Below, boxed(Selector::id("title")))),
        and(Rule::Lies(Direction::Below, boxed(lost))),
        and(Rule::Window(json!(APP))),
        and(Rule::Window(json!("com.gone"))),
        and(Rule::Index(0)),
        Selector::All(vec![
            Rule::Id("panel".to_owned()),
            Rule::Has(boxed(Selector::text("Target"))),
        ]),
        any(vec![Selector::text("Nope"), target.clone()]),
        any(vec![Selector::text("Nope"), welcome.clone()]),
        any(vec![welcome, target.clone()]),
        Selector::All(vec![Rule::Words(
            "text",
            Pattern::Regex("^Targ".to_owned()),
        )]),
    ]
}

impl Pair {
    /// Returns the step and its negation, for pairs of Maestro's in Maestro's words.
    fn steps(self, selector: &Selector) -> Option<[Value; 2]> {
        let x = selector.yaml();
        let count = |count: Value| {
            let keys = match selector {
                Selector::Alone(text) => json!({ "text": text, "count": count }),
                Selector::All(_) => selector.yaml_with(json!({ "count": count })),
            };
            json!({ "assert": keys })
        };
        Some(match self {
            Self::Visible => [
                json!({ "assert visible": x }),
                json!({ "assert not visible": x }),
            ],
            Self::CountZero => [count(json!(">0")), count(json!(0))],
            Self::CountOne => [count(json!(">=1")), count(json!("<1"))],
            Self::CountTwo => [count(json!(">=2")), count(json!("<2"))],
            Self::CountExactly => [count(json!(1)), count(json!("!=1"))],
            Self::Wait => {
                let gone = selector.yaml_with(json!({ "gone": true }));
                [json!({ "wait_for": x }), json!({ "wait_for": gone })]
            }
            Self::If => [
                branch(&json!({ "visible": x })),
                branch(&json!({ "not_visible": x })),
            ],
            Self::When => {
                // The step fails where it runs, so it is skipped where the condition does not hold.
                let when = |condition: Value| json!({ "assert": { "that": "${2 < 1}" }, "when": condition });
                [
                    when(json!({ "not_visible": x })),
                    when(json!({ "visible": x })),
                ]
            }
            Self::MaestroAssert => {
                let x = in_maestros_words(selector)?;
                [
                    json!([{ "assertVisible": x }]),
                    json!([{ "assertNotVisible": x }]),
                ]
            }
            Self::MaestroWait => {
                let x = in_maestros_words(selector)?;
                let wait = |key: &str| json!([{ "extendedWaitUntil": { key: x, "timeout": 500 } }]);
                [wait("visible"), wait("notVisible")]
            }
            Self::MaestroIf => {
                let x = in_maestros_words(selector)?;
                // The command fails where it runs.
                let fails = json!([{ "assertTrue": "${1 > 2}" }]);
                let when =
                    |key: &str| json!([{ "runFlow": { "when": { key: x }, "commands": fails } }]);
                [when("notVisible"), when("visible")]
            }
        })
    }

    fn is_maestros(self) -> bool {
        matches!(
            self,
            Self::MaestroAssert | Self::MaestroWait | Self::MaestroIf
        )
    }

    /// Returns true for pairs that only ask whether the element exists, and judge nothing.
    fn is_condition(self) -> bool {
        matches!(self, Self::If | Self::When | Self::MaestroIf)
    }
}

/// A cell of the law on one device.
struct Cell {
    pair: Pair,
    nest: Nest,
    selector: Selector,
    names: [String; 2],
}

/// One run of the program: a screen, a fault, a driver, options.
struct Device {
    screen: Screen,
    fault: (&'static [&'static str], bool),
    driver: Driver,
    options: &'static [&'static str],
}

impl Device {
    fn told(&self) -> String {
        let Self {
            screen,
            fault,
            driver,
            options,
            ..
        } = self;
        format!("{} {:?} {driver:?} {options:?}", screen.name, fault.0)
    }

    /// Returns true if every look is whole, or the device gives none at all.
    fn is_whole(&self) -> bool {
        // The server looks without a dump, so it has no fault of one.
        self.screen.is_whole() && (self.fault.1 || self.driver == Driver::Uia2)
    }
}

/// Returns the way in which a cell breaks the law, if it does.
fn judge(device: &Device, cell: &Cell, yes: &Verdict, no: &Verdict) -> Option<&'static str> {
    let found = cell.selector.find(&device.screen);
    if yes.is_pass() && no.is_pass() {
        return Some("both pass");
    }
    if !device.is_whole() {
        return no.is_pass().then_some("is denied without a whole look");
    }
    if cell.pair.is_condition() {
        return (yes.is_pass() == no.is_pass()).then_some("not exactly one condition holds");
    }
    if yes.is_error() || no.is_error() {
        return Some("a fault of the device on a whole screen");
    }
    let fails = !yes.is_pass() && !no.is_pass();
    if fails && found.anchored {
        return Some("both fail, and every anchor is there");
    }
    (no.is_pass() && !found.anchored).then_some("is denied, and an anchor is not there")
}

fn cells(pairs: &mut Pairs, rng: &mut Rng, device: &[usize], all: &[Selector]) -> Vec<Cell> {
    let mut cells = Vec::new();
    // A device that never gives a look is waited for, flow by flow.
    let ends = FAULTS[device[1]].1;
    let step = if ends { needs::long(2, 1) } else { 4 };
    for (place, pair) in PAIRS
        .iter()
        .enumerate()
        .skip(rng.usize(..step))
        .step_by(step)
    {
        for turn in 0..needs::long(1, 2) {
            let given: Vec<usize> = device.iter().copied().chain([place]).collect();
            let drawn = pairs.draw(rng, &given, 40);
            let (nest, selector) = (Nest::ALL[drawn[5]], all[drawn[6]].clone());
            let is_said = pair.steps(&selector).is_some();
            let is_said = is_said && (!pair.is_maestros() || nest == Nest::Bare || turn == 0);
            if is_said {
                pairs.take(&drawn);
                let names = ["yes", "no"].map(|side| format!("c{}-{side}", cells.len()));
                cells.push(Cell {
                    pair: *pair,
                    nest,
                    selector,
                    names,
                });
            }
        }
    }
    cells
}

async fn broken(device: &Device, cells: &[Cell], seed: u64) -> Vec<String> {
    let bench = Bench::start(device.driver).await;
    bench.show(&device.screen, device.fault.0);
    let mut settings = "allow_shell: true\n".to_owned();
    if let (Driver::Uia2, Some(apks)) = (device.driver, apks()) {
        settings = format!("uia2: {}\n", apks.display());
    }
    bench.project.write("runner.yaml", &settings);
    for cell in cells {
        let steps = cell.pair.steps(&cell.selector).expect("steps");
        for (name, step) in cell.names.iter().zip(&steps) {
            if cell.pair.is_maestros() {
                let path = format!("flows/{name}.yaml");
                bench.project.write(&path, &maestro(step));
            } else {
                for (path, text) in cell.nest.files(name, step) {
                    bench.project.write(&path, &text);
                }
            }
        }
    }
    let (found, ran) = bench.run(device.options).await;
    let mut broken = Vec::new();
    for cell in cells {
        let verdict = |name: &str| {
            let nest = if cell.pair.is_maestros() {
                Nest::Bare
            } else {
                cell.nest
            };
            found.get(&nest.key(name)).cloned()
        };
        let [yes, no] = [verdict(&cell.names[0]), verdict(&cell.names[1])];
        let told = format!(
            "seed {seed}: {}: {:?} {:?} {}",
            device.told(),
            cell.pair,
            cell.nest,
            cell.selector.yaml()
        );
        match (yes, no) {
            (Some(yes), Some(no)) => {
                if let Some(why) = judge(device, cell, &yes, &no) {
                    broken.push(format!("{told}: {why}: {} / {}", yes.told(), no.told()));
                }
            }
            _ => broken.push(format!(
                "{told}: no verdict; exit {}: {}",
                ran.code,
                ran.stderr.lines().next().unwrap_or_default()
            )),
        }
    }
    broken
}

/// Draws a device with a screen and a fault, and cells of the law for it.
fn plan(
    pairs: &mut Pairs,
    rng: &mut Rng,
    [place, fault]: [usize; 2],
    selectors: &[Selector],
    seed: u64,
) -> (Device, Vec<Cell>, u64) {
    let oddity = Oddity::ALL[place];
    let drawn = pairs.draw(rng, &[place, fault], 60);
    let driver = match drawn[2] {
        1 if oddity.is_of_the_phone() => Driver::Uia2,
        _ => Driver::Stock,
    };
    let given = [place, fault, usize::from(driver == Driver::Uia2), drawn[3]];
    let device = Device {
        screen: screen(oddity, rng),
        fault: FAULTS[fault],
        driver,
        options: OPTIONS[drawn[3]],
    };
    let cells = cells(pairs, rng, &given, selectors);
    (device, cells, seed)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_and_its_negation_never_both_pass() {
    let selectors = selectors();
    let drivers = if apks().is_some() { 2 } else { 1 };
    let axes = [
        Oddity::ALL.len(),
        FAULTS.len(),
        drivers,
        OPTIONS.len(),
        PAIRS.len(),
        Nest::ALL.len(),
        selectors.len(),
    ];
    let mut pairs = Pairs::new(&axes);
    let mut plans = Vec::new();
    for seed in seeds(needs::long(1, 12)) {
        let mut rng = Rng::with_seed(seed);
        // A fault that never ends hides how a screen is odd: each screen is shown without one too.
        let (ends, stays): (Vec<usize>, Vec<usize>) =
            (0..FAULTS.len()).partition(|place| FAULTS[*place].1);
        for _ in 0..needs::long(1, 6) {
            let of_screens =
                (0..Oddity::ALL.len()).map(|place| [place, ends[rng.usize(..ends.len())]]);
            let mut given: Vec<[usize; 2]> = of_screens.collect();
            let of_faults = stays.iter();
            given.extend(of_faults.map(|fault| [rng.usize(..Oddity::ALL.len()), *fault]));
            for given in given {
                plans.push(plan(&mut pairs, &mut rng, given, &selectors, seed));
            }
        }
    }
    let plans = plans
        .into_iter()
        .map(|(device, cells, seed)| std::sync::Arc::new((device, cells, seed)));
    let broken = super::two_at_once(plans, |plan| async move {
        let (device, cells, seed) = &*plan;
        broken(device, cells, *seed).await
    })
    .await;
    hold("complement", &pairs.told(), broken.concat());
}

/// The screens are as odd as they are named.
#[test]
fn the_odd_screens_are_odd() {
    let mut rng = Rng::with_seed(1);
    let whole = |oddity| screen(oddity, &mut Rng::with_seed(1)).is_whole();
    assert!(whole(Oddity::None) && whole(Oddity::RootOffTheDisplay) && whole(Oddity::OwnDialog));
    for oddity in [
        Oddity::AllOffTheDisplay,
        Oddity::NothingHasASize,
        Oddity::AppMissing,
        Oddity::AppWithoutNodes,
        Oddity::OwnDialogMissing,
        Oddity::OwnDialogWithoutNodes,
        Oddity::Cut,
    ] {
        assert!(!whole(oddity), "{oddity:?}");
    }
    let cut = screen(Oddity::Cut, &mut rng);
    assert_eq!(cut.form, Form::Cut);
    let found = Selector::text("Target").find(&screen(Oddity::TargetTwice, &mut rng));
    assert_eq!(found.on_screen, 2);
}
