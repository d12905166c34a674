//! Checks the rules of docs/guide/flows.md about kinds with generated expressions.
//!
//! The expected verdict is never computed by evaluating an expression. Each expression is generated together
//! with its verdict.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Json, json};

use super::*;

/// Expected result of an expression.
#[derive(Debug, Clone, PartialEq)]
enum Verdict {
    Is(Json),
    /// An error: the expression compares different kinds, or uses a value as a condition that is no boolean.
    Refused,
    /// Any result: a part that may be skipped has an error.
    Open,
}

use Verdict::{Is, Open, Refused};

/// Expression as tokens, with its verdict.
#[derive(Debug, Clone)]
struct GeneratedExpression {
    tokens: Vec<String>,
    verdict: Verdict,
    /// True if the expression can only be a boolean or an error.
    is_condition: bool,
}

impl GeneratedExpression {
    fn text(&self) -> String {
        self.tokens.join(" ")
    }
}

fn tokens(parts: &[&[String]]) -> Vec<String> {
    let bracket = |it: &str| vec![it.to_owned()];
    [bracket("("), parts.concat(), bracket(")")].concat()
}

fn word(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "none",
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::String(_) => "text",
        Json::Array(_) => "list",
        Json::Object(_) => "map",
    }
}

/// Compares two values; `None` if different kinds meet somewhere.
fn same(a: &Json, b: &Json) -> Option<bool> {
    match (a, b) {
        (Json::Null, _) | (_, Json::Null) => Some(a.is_null() && b.is_null()),
        (Json::Number(a), Json::Number(b)) => Some(a.as_f64() == b.as_f64()),
        (Json::Array(a), Json::Array(b)) => {
            let pairs: Option<Vec<bool>> = a.iter().zip(b).map(|(a, b)| same(a, b)).collect();
            Some(pairs?.into_iter().all(|it| it) && a.len() == b.len())
        }
        (Json::Object(a), Json::Object(b)) => {
            let shared = a.iter().filter_map(|(key, a)| Some(same(a, b.get(key)?)));
            let all: Option<Vec<bool>> = shared.collect();
            Some(
                all?.into_iter().all(|it| it)
                    && a.len() == b.len()
                    && a.keys().all(|key| b.contains_key(key)),
            )
        }
        _ if kind(a) == kind(b) => Some(a == b),
        _ => None,
    }
}

/// Returns whether `a` is less than `b`, and whether they are equal; `None` if they are not two numbers or
/// two texts.
fn before(a: &Json, b: &Json) -> Option<(bool, bool)> {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => {
            let (a, b) = (a.as_f64()?, b.as_f64()?);
            Some((a < b, a.total_cmp(&b).is_eq()))
        }
        (Json::String(a), Json::String(b)) => Some((a < b, a == b)),
        _ => None,
    }
}

fn inside(a: &Json, b: &Json) -> Option<bool> {
    match b {
        Json::String(b) => Some(b.contains(a.as_str()?)),
        Json::Array(items) => {
            let found: Option<Vec<bool>> = items.iter().map(|item| same(a, item)).collect();
            found.map(|found| found.contains(&true))
        }
        Json::Object(map) => match a {
            Json::String(a) => Some(map.contains_key(a)),
            _ => None,
        },
        _ => None,
    }
}

fn compared(op: &str, a: &Json, b: &Json) -> Option<bool> {
    let order = || before(a, b);
    match op {
        "==" | "is eq" | "is sameas" => same(a, b),
        "!=" | "is ne" => same(a, b).map(|it| !it),
        "<" | "is lt" => order().map(|(less, _)| less),
        "<=" | "is le" => order().map(|(less, equal)| less || equal),
        ">" | "is gt" => order().map(|(less, equal)| !less && !equal),
        ">=" | "is ge" => order().map(|(less, _)| !less),
        "in" | "is in" => inside(a, b),
        "not in" | "is not in" => inside(a, b).map(|it| !it),
        _ => unreachable!("{op}"),
    }
}

const COMPARISONS: [&str; 17] = [
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "in",
    "not in",
    "is eq",
    "is ne",
    "is lt",
    "is le",
    "is gt",
    "is ge",
    "is in",
    "is not in",
    "is sameas",
];

fn leaf() -> impl Strategy<Value = GeneratedExpression> {
    let all: Vec<GeneratedExpression> = [
        ("U", json!("ada")),
        ("FORTY", json!("40")),
        ("EMPTY", json!("")),
        ("n", json!(7)),
        ("zero", json!(0)),
        ("f", json!(2.5)),
        ("yes", json!(true)),
        ("no_", json!(false)),
        ("none_", json!(null)),
        ("list", json!([3, 1, 2])),
        ("words", json!(["ada", "40"])),
        ("mixed", json!([1, "1", true])),
        ("e", json!({ "text": "40", "enabled": true, "n": 40 })),
        ("e.text", json!("40")),
        ("e.enabled", json!(true)),
        ("rows", json!([{ "id": 1 }, { "id": "1" }])),
        ("'ada'", json!("ada")),
        ("'true'", json!("true")),
        ("40", json!(40)),
        ("7.0", json!(7.0)),
        ("true", json!(true)),
        ("false", json!(false)),
        ("none", json!(null)),
        ("[ ]", json!([])),
        ("[ 'ada' , 7 ]", json!(["ada", 7])),
        ("{ 'id' : 1 }", json!({ "id": 1 })),
    ]
    .into_iter()
    .map(|(text, value)| GeneratedExpression {
        tokens: word(text),
        is_condition: value.is_boolean(),
        verdict: Is(value),
    })
    .collect();
    select(all)
}

/// Combines the verdicts of two operands that are both evaluated.
fn both(
    a: &GeneratedExpression,
    b: &GeneratedExpression,
    judge: impl Fn(&Json, &Json) -> Option<Json>,
) -> Verdict {
    match (&a.verdict, &b.verdict) {
        (Refused, _) | (_, Refused) => Refused,
        (Is(a), Is(b)) => judge(a, b).map_or(Refused, Is),
        _ => Open,
    }
}

fn comparison(op: &str, a: &GeneratedExpression, b: &GeneratedExpression) -> GeneratedExpression {
    let brackets = |it: &GeneratedExpression| tokens(&[&it.tokens]);
    let right = brackets(b);
    GeneratedExpression {
        tokens: tokens(&[&brackets(a), &word(op), &right]),
        verdict: both(a, b, |a, b| compared(op, a, b).map(Json::from)),
        is_condition: true,
    }
}

fn junction(op: &str, a: &GeneratedExpression, b: &GeneratedExpression) -> GeneratedExpression {
    let verdict = match (&a.verdict, &b.verdict) {
        (Refused, _) => Refused,
        (Is(Json::Bool(left)), Is(Json::Bool(right))) => Is(Json::Bool(if op == "and" {
            *left && *right
        } else {
            *left || *right
        })),
        (Is(Json::Bool(left)), Refused | Is(_)) if *left == (op == "and") => Refused,
        (Is(left), _) if !left.is_boolean() => Refused,
        _ => Open,
    };
    GeneratedExpression {
        tokens: tokens(&[&a.tokens, &word(op), &b.tokens]),
        verdict,
        is_condition: true,
    }
}

fn choice(
    test: &GeneratedExpression,
    a: &GeneratedExpression,
    b: &GeneratedExpression,
) -> GeneratedExpression {
    let taken = |one: &Verdict, other: &Verdict| match (one, other) {
        (Refused, _) => Refused,
        // A skipped part may still be refused by the parser.
        (_, Is(_)) => one.clone(),
        _ => Open,
    };
    let verdict = match &test.verdict {
        Is(Json::Bool(true)) => taken(&a.verdict, &b.verdict),
        Is(Json::Bool(false)) => taken(&b.verdict, &a.verdict),
        Is(_) | Refused => Refused,
        Open => Open,
    };
    GeneratedExpression {
        tokens: tokens(&[
            &tokens(&[&a.tokens]),
            &word("if"),
            &test.tokens,
            &word("else"),
            &b.tokens,
        ]),
        verdict,
        is_condition: false,
    }
}

/// Generates `min` or `max` of a list.
fn extreme(name: &str, parts: &[GeneratedExpression]) -> GeneratedExpression {
    let values: Option<Vec<&Json>> = parts
        .iter()
        .map(|part| match &part.verdict {
            Is(value) => Some(value),
            _ => None,
        })
        .collect();
    let refused = parts.iter().any(|part| part.verdict == Refused);
    let verdict = match values {
        None if refused => Refused,
        None => Open,
        Some(values) => {
            let first = values[0];
            let ordered = values.iter().all(|it| before(first, it).is_some());
            let least = values.iter().copied().reduce(|least, it| {
                let goes_first = before(it, least).is_some_and(|(less, _)| less);
                let goes_last = before(least, it).is_some_and(|(less, _)| less);
                let replaces = if name == "min" { goes_first } else { goes_last };
                if replaces { it } else { least }
            });
            // Equal values of different forms, such as 7 and 7.0.
            if ordered {
                least.cloned().map_or(Refused, Is)
            } else {
                Refused
            }
        }
    };
    let mut all = word("[");
    for part in parts {
        all.extend(part.tokens.clone());
        all.push(",".to_owned());
    }
    all.extend(word(&format!("] | {name}")));
    GeneratedExpression {
        tokens: tokens(&[&all]),
        verdict,
        is_condition: false,
    }
}

fn any() -> impl Strategy<Value = GeneratedExpression> {
    leaf().prop_recursive(4, 24, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            4 => (select(COMPARISONS.to_vec()), two.clone())
                .prop_map(|(op, (a, b))| comparison(op, &a, &b)),
            3 => (select(vec!["and", "or"]), two).prop_map(|(op, (a, b))| junction(op, &a, &b)),
            1 => inner.clone().prop_map(|it| negated(&it)),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(test, a, b)| choice(&test, &a, &b)),
            1 => (select(vec!["min", "max"]), vec(inner.clone(), 2..4))
                .prop_map(|(name, parts)| extreme(name, &parts)),
            1 => vec(inner, 1..3).prop_map(|parts| in_list(&parts)),
        ]
    })
}

fn negated(it: &GeneratedExpression) -> GeneratedExpression {
    GeneratedExpression {
        tokens: tokens(&[&word("not"), &it.tokens]),
        verdict: match &it.verdict {
            Is(Json::Bool(holds)) => Is(Json::Bool(!holds)),
            Is(_) | Refused => Refused,
            Open => Open,
        },
        is_condition: true,
    }
}

fn in_list(parts: &[GeneratedExpression]) -> GeneratedExpression {
    let mut all = word("[");
    let mut values = Vec::new();
    let mut verdict = None;
    for part in parts {
        all.extend(part.tokens.clone());
        all.push(",".to_owned());
        match &part.verdict {
            Is(value) => values.push(value.clone()),
            Refused => verdict = Some(Refused),
            Open => verdict = verdict.or(Some(Open)),
        }
    }
    all.push("]".to_owned());
    GeneratedExpression {
        tokens: tokens(&[&all]),
        verdict: verdict.unwrap_or_else(|| Is(values.into())),
        is_condition: false,
    }
}

struct JsonLookup(Json);

impl JsonLookup {
    fn new() -> Self {
        Self(json!({
            "U": "ada", "FORTY": "40", "EMPTY": "", "n": 7, "zero": 0, "f": 2.5, "yes": true, "no_": false,
            "none_": null, "list": [3, 1, 2], "words": ["ada", "40"], "mixed": [1, "1", true],
            "e": { "text": "40", "enabled": true, "n": 40 }, "rows": [{ "id": 1 }, { "id": "1" }],
        }))
    }
}

impl Lookup for JsonLookup {
    fn value(&self, path: &[&str]) -> Option<Value> {
        let at = path
            .iter()
            .try_fold(&self.0, |value, part| value.get(*part))?;
        Some(from_json(at))
    }
}

fn evaluated(expression: &str) -> Result<Json, String> {
    let tree = parse(expression).map_err(|error| error.message)?;
    let value = evaluate(&tree, &JsonLookup::new(), &Budget::new(Limits::default()))
        .map_err(|wrong| wrong.within(expression).message)?;
    serde_json::to_value(&value).map_err(|error| error.to_string())
}

/// Strings that are no tokens of the language.
const JUNK: [&str; 21] = [
    "@@@", "#", "&&", "||", "&", "!", "?", "??", "===", "!==", ";", "`", "$", "\\", "^", "§", "“",
    "=>", "<>", "\u{a0}@", "}}",
];
/// Tokens that may be part of an expression but not follow a complete one.
const BEHIND: [&str; 10] = [
    "'x'", "U", "1", "true", "none", ")", "]", ":", "( 1 )", "= 1",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn unlike_kinds_are_refused_and_like_ones_are_compared(it in any()) {
        let text = it.text();
        let got = evaluated(&text);
        match &it.verdict {
            Is(value) => {
                let agrees = got.as_ref().is_ok_and(|got| same(got, value) == Some(true));
                prop_assert!(agrees, "{text}: {got:?}, not {value}");
            }
            Refused => prop_assert!(got.is_err(), "{text}: {got:?}"),
            Open => {}
        }
    }

    #[test]
    fn one_of_an_expression_and_its_opposite_holds_or_both_are_the_same_error(it in any()) {
        let text = it.text();
        let opposite = evaluated(&format!("not ({text})"));
        match evaluated(&text) {
            Ok(Json::Bool(holds)) => prop_assert_eq!(opposite, Ok(Json::Bool(!holds)), "{}", text),
            Ok(_) => prop_assert!(opposite.is_err(), "not ({text}): {opposite:?}"),
            Err(wrong) if it.is_condition => prop_assert_eq!(opposite, Err(wrong), "{}", text),
            // For example, `not` of a list has its own error.
            Err(_) => prop_assert!(opposite.is_err(), "not ({text}): {opposite:?}"),
        }
    }

    #[test]
    fn junk_is_refused_behind_between_and_before(
        it in any(), junk in select(JUNK.to_vec()), behind in select(BEHIND.to_vec()), at in proptest::prelude::any::<proptest::sample::Index>(),
    ) {
        let mut tokens = it.tokens.clone();
        let here = at.index(tokens.len() + 1);
        tokens.insert(here, junk.to_owned());
        for space in [" ", ""] {
            // Words need blanks between them; texts and operators do not.
            let text = tokens.join(" ").replace(&format!(" {junk}"), &format!("{space}{junk}"));
            prop_assert!(parse(&text).is_err(), "{text}");
        }
        let more = format!("{} {behind}", it.text());
        prop_assert!(parse(&more).is_err(), "{more}");
    }
}
