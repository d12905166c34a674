use minijinja::Value;
use proptest::prelude::prop;
use serde_json::json;

use super::*;
use crate::interpolate::from_json;

mod booleans;
mod limits;
mod reference;
mod refusals;

/// Names that the tables below use.
struct Sample(serde_json::Value);

impl Sample {
    fn new() -> Self {
        Self(json!({
            "USER": "ada", "COUNT": "3", "EMPTY": "", "n": 7, "f": 2.5, "yes": true, "none_": null,
            "list": [3, 1, 2], "texts": ["b", "A", "c", "a"], "lines_": "one\n\n  two\r\nthree\n",
            "total": { "text": "42", "bounds": { "left": 7, "top": -1 }, "items": [1, 2] },
            "rows": [{ "id": 2, "t": "x" }, { "id": 1, "t": "y" }, { "id": 2, "t": "z" }],
            "device": { "sdk": 34 },
        }))
    }

    fn root(&self, name: &str) -> Option<Value> {
        self.0.get(name).map(from_json)
    }
}

impl Lookup for Sample {
    fn value(&self, path: &[&str]) -> Option<Value> {
        let at = path
            .iter()
            .try_fold(&self.0, |value, part| value.get(*part))?;
        Some(from_json(at))
    }
}

fn ours(expression: &str, limits: Limits) -> Result<serde_json::Value, String> {
    let tree = parse(expression).map_err(|error| error.message)?;
    let value = evaluate(&tree, &Sample::new(), &Budget::new(limits))
        .map_err(|wrong| wrong.within(expression).message)?;
    if value.is_undefined() {
        return Err("undefined".to_owned());
    }
    serde_json::to_value(&value).map_err(|error| error.to_string())
}

/// One value of each kind, and extreme ones.
const VALUES: [&str; 18] = [
    "USER",
    "EMPTY",
    "n",
    "f",
    "yes",
    "none_",
    "list",
    "texts",
    "total",
    "rows",
    "[]",
    "{}",
    "(1, 2)",
    "total.nope",
    "-5",
    "'a b'",
    "[1, 'x', none]",
    "[[1], [2]]",
];

/// Arguments for filters.
const GIVEN: [&str; 10] = [
    "",
    "()",
    "(1)",
    "('a')",
    "(2, 'x')",
    "('a', 'b')",
    "(attribute='t')",
    "(nope=1)",
    "(none)",
    "(0)",
];

const OPERATORS: [&str; 17] = [
    "+", "-", "*", "/", "//", "%", "**", "~", "==", "!=", "<", "<=", ">", ">=", "in", "and", "or",
];

const SLICES: [&str; 9] = [
    "1:", ":1", "::2", "-1:", ":-1", "::-1", "5:1", "'a':", "1:2:1",
];

/// Smallest `i128`.
const MIN_INT: &str = "(-170141183460469231731687303715884105727 - 1)";

/// Compares the accepted kinds with the table in docs/guide/flows.md.
#[test]
fn a_filter_takes_the_kinds_of_its_row_and_no_others() {
    let document = include_str!("../../../../docs/guide/flows.md");
    let row = |start: &str| {
        let start = format!("| filters on {start} |");
        let line = document.lines().find_map(|line| line.strip_prefix(&start));
        let names = line.unwrap_or_else(|| panic!("{start}")).split('`');
        let names: Vec<&str> = names.skip(1).step_by(2).collect();
        names
    };
    let texts = ["USER", "EMPTY", "'10'"];
    let numbers = ["n", "f", "0"];
    let others = ["yes", "none_"];
    let parts = ["list", "total", "[]", "{}"];
    let mut wrong = Vec::new();
    let mut count = 0;
    let mut refuse = |name: &str, values: &[&str]| {
        for (value, given) in values
            .iter()
            .flat_map(|value| GIVEN.map(|given| (value, given)))
        {
            count += 1;
            let expression = format!("{value} | {name}{given}");
            if let Ok(made) = ours(&expression, Limits::default()) {
                wrong.push(format!("{expression}: {made}"));
            }
        }
    };
    for name in row("texts") {
        if name != "string" {
            refuse(name, &[&numbers[..], &others, &parts].concat());
        }
    }
    for name in row("numbers") {
        if !["float", "int"].contains(&name) {
            refuse(name, &[&texts[..], &others, &parts].concat());
        }
    }
    for name in row("lists and maps") {
        refuse(name, &[&numbers[..], &others].concat());
        if !["count", "length", "reverse"].contains(&name) {
            refuse(name, &texts);
        }
    }
    assert!(count > 3_000, "{count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Covers missing parts and values that are no numbers inside of lists.
#[test]
fn no_filter_or_operator_makes_a_value_of_nothing() {
    for expression in [
        "rows | map('attr', 'nope')",
        "rows | map('attr', 'nope') | list",
        "'x' in (rows | map('attr', 'nope'))",
        "[[], [1]] | map('first')",
        "[[], [1]] | map('last')",
        "[[], [1]] | map('max')",
        "1e308 * 10",
        "1e308 + 1e308",
        "-1e308 - 1e308",
        "2.0 ** 5000",
        "1e308 / 1e-308",
        "[1e308, 1e308] | sum",
        "1e308 // 1e-308",
    ] {
        let made = ours(expression, Limits::default());
        assert!(made.is_err(), "{expression}: {made:?}");
    }
}

/// Covers `min`, `max`, `sort`, `unique` and `groupby`.
#[test]
fn filters_order_as_operators_do() {
    let texts = ["a", "B", "b", "A", "aa", "", "10", "9", "ä", "Z"];
    for (a, b) in texts.iter().flat_map(|a| texts.map(|b| (a, b))) {
        let same = format!("('{a}' == '{b}')");
        let first = format!("('{a}' if '{a}' <= '{b}' else '{b}')");
        let last = format!("('{b}' if '{a}' <= '{b}' else '{a}')");
        let pair = format!("['{a}', '{b}']");
        let rows = format!("[{{'t': '{a}'}}, {{'t': '{b}'}}]");
        for law in [
            format!("({pair} | min) == {first}"),
            format!("({pair} | max) == {last}"),
            format!("({pair} | sort) == [{first}, {last}]"),
            format!(
                "({rows} | sort(attribute='t') | map(attribute='t') | list) == [{first}, {last}]"
            ),
            format!("({rows} | max(attribute='t')).t == {last}"),
            format!("({pair} | unique | length == 1) == {same}"),
            format!("({rows} | groupby('t') | length == 1) == {same}"),
            format!("({{'{a}': 1, '{b}': 1}} | dictsort | first)[0] == {first}"),
        ] {
            assert_eq!(ours(&law, Limits::default()), Ok(true.into()), "{law}");
        }
    }
}

proptest::proptest! {
    /// As floats whole numbers from 2^53 on are equal to their neighbours.
    #[test]
    fn whole_numbers_are_compared_with_floats_exactly(
        bits in 0_u32..64,
        random in proptest::num::u64::ANY,
        away in -3_i64..4,
    ) {
        let whole = random >> bits;
        let float = whole.saturating_add_signed(away) as f64;
        let order = i128::from(whole).cmp(&(float as i128));
        for (sign, turned, holds) in [
            ("==", "==", order.is_eq()),
            ("!=", "!=", order.is_ne()),
            ("<", ">", order.is_lt()),
            ("<=", ">=", order.is_le()),
            (">", "<", order.is_gt()),
            (">=", "<=", order.is_ge()),
        ] {
            for law in [format!("{whole} {sign} {float:?}"), format!("{float:?} {turned} {whole}")] {
                let made = ours(&law, Limits::default());
                proptest::prop_assert_eq!(made, Ok(holds.into()), "{}", law);
            }
        }
    }
}

#[test]
fn names_are_taken_from_the_tree() {
    for (expression, expected) in [
        ("total.bounds.left + 1", vec!["total.bounds.left"]),
        ("total['x'].y", vec!["total"]),
        ("range(COUNT | int)", vec!["COUNT"]),
        ("dict(a=USER)", vec!["USER"]),
        ("a if b else c[d:e]", vec!["a", "b", "c", "d", "e"]),
        ("{x: y} | join(z) is eq(w)", vec!["w", "x", "y", "z"]),
        ("-u + 1", vec!["u"]),
        ("'a' ~ [b, (c, 1)]", vec!["b", "c"]),
        ("1 < p < q", vec!["p", "q"]),
    ] {
        let found: Vec<String> = names(&parse(expression).unwrap()).into_iter().collect();
        assert_eq!(found, expected, "{expression}");
    }
}

#[test]
fn a_name_with_a_default_is_not_needed() {
    for (expression, expected) in [
        ("a | default(b)", vec!["b"]),
        ("a.b | d('x') | upper", vec![]),
        ("a is defined and b is undefined or c", vec!["c"]),
        ("(a ~ b) | default('x')", vec!["a", "b"]),
        ("os.A | default(os.B)", vec!["os.B"]),
        ("a | upper | default('x')", vec!["a"]),
    ] {
        let tree = parse(expression).unwrap();
        let found: Vec<String> = needed(&tree).into_iter().collect();
        assert_eq!(found, expected, "{expression}");
        assert!(names(&tree).len() >= found.len());
    }
}

#[test]
fn nothing_is_divisible_by_nothing() {
    for (expression, expected) in [
        ("7 is divisibleby(0)".to_owned(), json!(false)),
        ("0 is divisibleby(0)".to_owned(), json!(false)),
        ("[4] | select('divisibleby', 0)".to_owned(), json!([])),
        (format!("{MIN_INT} is divisibleby(-1)"), json!(true)),
    ] {
        let made = ours(&expression, Limits::default());
        assert_eq!(made, Ok(expected), "{expression}");
    }
}

/// Returns all that may follow a value.
fn links() -> Vec<String> {
    let mut links = Vec::new();
    for given in GIVEN
        .into_iter()
        .chain(["(-1)", "(9223372036854775807)", "(-1, -1)"])
    {
        links.extend(filters::filter_names().map(|name| format!(" | {name}{given}")));
        links.extend(predicates::names().map(|name| format!(" is {name}{given}")));
    }
    for op in OPERATORS {
        links.extend(VALUES.map(|value| format!(" {op} {value}")));
        links.push(format!(" {op} {MIN_INT}"));
    }
    links.extend(SLICES.map(|slice| format!("[{slice}]")));
    links
}

proptest::proptest! {
    #[test]
    fn evaluation_never_panics(text in "[-+*/%~|()\\[\\]{}.,:'<>=! a-e0-9]{0,40}") {
        let _ = ours(&text, Limits::default());
    }

    #[test]
    fn no_chain_of_what_there_is_panics(
        value in prop::sample::select([&VALUES[..], &[MIN_INT, "9223372036854775807", "1e308"]].concat()),
        chain in prop::collection::vec(prop::sample::select(links()), 1..4),
    ) {
        let expression = chain.iter().fold(value.to_owned(), |before, link| format!("({before}){link}"));
        let _ = ours(&expression, Limits::default());
    }
}
