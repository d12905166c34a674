use minijinja::{Environment, UndefinedBehavior, Value};
use proptest::prelude::prop;
use serde_json::json;

use super::*;
use crate::interpolate::from_json;

mod booleans;

/// Result if minijinja panicked.
const PANICKED: &str = "it panicked";

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

/// Evaluates with minijinja alone. Only for expressions that stay small.
fn theirs(expression: &str) -> Result<serde_json::Value, String> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let sample = Sample::new();
    let names = sample.0.as_object().unwrap().keys();
    let context = Value::from_pairs(names.map(|name| (name.as_str(), sample.root(name).unwrap())));
    let evaluation = || {
        let value = environment
            .compile_expression(expression)
            .and_then(|compiled| compiled.eval(context))
            .map_err(|error| error.to_string())?;
        if value.is_undefined() {
            return Err("undefined".to_owned());
        }
        serde_json::to_value(&value).map_err(|error| error.to_string())
    };
    // minijinja panics for a backward slice of an empty value.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(evaluation))
        .unwrap_or_else(|_| Err(PANICKED.to_owned()))
}

/// Parts of our errors in cases where minijinja continues with something that a person did not mean.
const STRICTER: [&str; 27] = [
    "cannot compare",
    "needs an order",
    "needs true or false",
    "does not exist",
    "has no value",
    "there is no value",
    "stand behind each other",
    "side by side",
    "does not look into",
    "keys of a map are texts",
    "is for texts",
    "is for whole numbers",
    "value behind it",
    "is not a number",
    "`bool` takes",
    "without a test",
    "cannot take a",
    "an item has no",
    "multiplied with whole numbers",
    "can only sum",
    "what stands in `[…]`",
    "must be true or false",
    "` takes ",
    "has no items",
    "has no slices",
    "unable to calculate",
    "is no text",
];

/// Compares our result with minijinja's, and returns the difference. We may refuse an expression with an
/// error of [`STRICTER`]. An expression that minijinja refuses is not compared.
fn compare(expression: &str) -> Option<String> {
    let (ours, theirs) = (ours(expression, Limits::default()), theirs(expression));
    let is_stricter = |wrong: &String| STRICTER.iter().any(|words| wrong.contains(words));
    let differs = theirs.is_ok() && ours != theirs && !ours.as_ref().is_err_and(is_stricter);
    differs.then(|| format!("{expression}: {ours:?}, but minijinja: {theirs:?}"))
}

/// Returns true for known differences: an undefined value is not an empty list, no value is not a name, no
/// two values are one, a boolean is no number, and `bool` reads a text.
fn differs(expression: &str) -> bool {
    let of_nothing = [
        "total.nope | chain",
        "total.nope | join",
        "total.nope | zip",
        "none_ | zip(",
    ];
    of_nothing.iter().any(|part| expression.starts_with(part))
        || expression.contains("attr(none)")
        // Case-sensitive, like `==` and `<`.
        || expression.starts_with("texts | unique")
        // A text is not a list of its characters.
        || expression.contains(" is iterable")
        || expression.contains(" is sameas")
        || expression.contains("yes is number")
        || expression.contains(" | bool")
}

/// Expressions to compare, several in a line, separated by `;;`.
const TABLE: &str = "\
USER ;; USER ~ 1 ;; 1 ~ none_ ~ yes ~ f ~ list ;; 'a' 'b' ;; n + 1 ;; n - f ;; n * 2 ;; n / 2 ;; n // 2
-n // 2 ;; n % 4 ;; -n % 4 ;; n % -4 ;; f % 2 ;; -f // 2 ;; 7.5 // 2 ;; 2 ** 10 ;; 2 ** -1 ;; 0 ** -1
2.0 ** 0.5 ;; 10 ** 40 ;; 9223372036854775807 + 1 ;; 1 / 0 ;; 1 // 0 ;; 1 % 0 ;; 1.0 / 0 ;; yes + 1 ;; -f
-list ;; -USER ;; 'a' + 'b' ;; 'a' + 1 ;; 1 + 'a' ;; [1] + [2] ;; (1, 2) + (3,) ;; [1] + (2,) ;; 'ab' * 3
3 * 'ab' ;; [1, 2] * 2 ;; (1, 2) * 2 ;; 'a' * -1 ;; list * 0 ;; {'a': 1} + 1 ;; USER < 'b'
list == [3, 1, 2] ;; 1 < 2 < 3 ;; 1 < 2 > 5 ;; 1 in list ;; 9 not in list ;; 'd' in USER ;; 'text' in total
1 in USER ;; 1 in 5 ;; 1 < 3 in [3] == [3] ;; not yes ;; not EMPTY ;; yes and USER ;; EMPTY or USER
none_ or 0 ;; none_ and 1 ;; 'x' if yes else 'y' ;; 'x' if EMPTY else 'y' ;; 'x' if EMPTY
('x' if EMPTY) ~ 'b' ;; ('x' if EMPTY) or 'c' ;; total.bounds.left ;; total['bounds']['left']
total.items[0] ;; total.items[-1] ;; total.items[9] ;; total.nope ;; total.nope.x ;; USER[0] ;; USER[-1]
USER[9] ;; list.0 ;; USER.x ;; none_.x ;; [1, [2, 3]][1][0] ;; {'b': 1, 'a': [1]} ;; {1: 2}
{'a': {'b': 1}}.a.b ;; (1, 2) ;; (1,) ;; () ;; [] ;; {} ;; true ;; none ;; USER[1:] ;; USER[:-1] ;; USER[::2]
list[1:] ;; list[:2] ;; list[::-1] ;; USER[::-1] ;; list[-2:] ;; list[5:] ;; list[1:99] ;; (1, 2, 3)[1:]
none_[1:] ;; 5[1:] ;; list[::0] ;; USER | upper | lower | capitalize | title ;; 'x y' | title
COUNT | int > 3 ;; COUNT | int + 1 ;; 'x' | int ;; 'x' | int(9) ;; 'x' | int(default=9) ;; 'ff' | int(base=16)
'1.5' | float ;; 'x' | float(1) ;; f | round ;; 2.567 | round(1) ;; 2.5 | round(0, 'ceil') ;; 1234 | round(-2)
-3 | abs ;; USER | length ;; list | length ;; 5 | length ;; list | first ;; list | last ;; [] | first
list | min ;; list | max ;; texts | max ;; rows | min(attribute='id') ;; list | sort ;; texts | sort
texts | sort(case_sensitive=true) ;; list | sort(reverse=true) ;; rows | sort(attribute='id,t')
texts | unique(case_sensitive=true) ;; rows | unique(attribute='id') ;; list | sum ;; rows | sum(attribute='id')
rows | sum('id', 5) ;; list | sum(start=1) ;; texts | sum ;; list | reverse ;; USER | reverse ;; list | join
list | join(', ') ;; list | join(d='-') ;; rows | join('+', 't') ;; rows | join(',', attribute='t')
USER | join('.') ;; 5 | join ;; USER | list ;; total | list ;; none_ | list ;; USER | replace('a', 'bb')
USER | replace('', '-') ;; 5 | replace(5, 6) ;; USER | replace('z', 'y') ;; '  x ' | trim
'xaxbx' | trim('x') ;; lines_ | lines ;; lines_ | split ;; lines_ | indent ;; lines_ | indent(2)
lines_ | indent(2, true) ;; lines_ | indent(2, true, true) ;; lines_ | indent(width=1, first=true)
'' | indent ;; 'a' | indent(2, true) ;; 'a,b,c' | split(',') ;; 'a,b,c' | split(',', 1)
'a b  c ' | split(none, 1) ;; ' a b  c' | split(none, 9) ;; 'a,b' | split(',', -1) ;; 'abc' | split('')
'abc' | split('', 1) ;; ('a,b' | split(','))[-1] ;; list | batch(2) ;; list | batch(2, 0) ;; list | batch(0) ;; list | batch(9, 'x')
list | slice(2) ;; list | slice(2, 0) ;; list | slice(5, 'x') ;; list | slice(0) ;; list | chain([9])
{'a': 1} | chain({'b': 2}) ;; list | chain('ab') ;; list | zip(texts) ;; list | zip ;; list | zip(5)
rows | map(attribute='t') ;; rows | map(attribute='nope') ;; rows | map(attribute='nope', default='d')
rows | map(attribute='t.x', default=1) ;; texts | map('upper') ;; ['1', '2'] | map('int') | sum
texts | map('nope') ;; texts | map ;; list | select('odd') ;; list | reject('odd') ;; [0, 1] | select
[0, 1] | reject ;; rows | selectattr('id', 'eq', 2) | map(attribute='t') ;; rows | rejectattr('id', '==', 2)
rows | selectattr('id') ;; rows | selectattr('nope') ;; list | select('gt', 1) ;; list | select('in', [1, 2])
rows | groupby('id') | map(attribute='grouper') ;; rows | groupby('id') | map(attribute='list')
rows | groupby('id') ;; total | items ;; total.bounds | dictsort ;; total.bounds | dictsort(by='value')
USER | string ;; list | string ;; yes | string ;; list | bool ;; USER | default('x')
total.nope | default('x') ;; total.nope | d ;; EMPTY | default('x', true) ;; total | attr('text') ;; '<a>' | e
'<a>' | escape ~ '<' ;; USER | safe ;; list | pprint ;; total | pprint ;; '%s-%s' | format(1, 'x')
'%05.1f|%x|%+d' | format(f, 255, n) ;; '%(a)s %(b)d' | format(a='x', b=2) ;; '%(text)s' | format(total)
'100%%' | format ;; '%s' | format ;; '%q' | format(1) ;; '%' | format(1) ;; '%-5s|' | format(USER)
'%5s|%.2s' | format(USER, USER) ;; '%c' | format(65) ;; range(3) ;; range(1, 4) ;; range(4, 0, -2)
range(0, 5, 2) ;; range(3, 1) ;; range(1, 2, 0) ;; range('x') ;; range(3) | list | length ;; dict(a=1)
dict(total.bounds, left=9) ;; dict(5) ;; dict(**total.bounds) ;; range(*[1, 3]) ;; USER | nope ;; USER is nope
nope(1) ;; USER.upper() ;; list.append(1) ;; USER is string ;; n is number ;; n is odd ;; n is divisibleby 7
n is divisibleby(2) ;; total.nope is defined ;; USER is defined ;; total.nope is undefined ;; none_ is none
list is iterable ;; total is mapping ;; USER is not lower ;; USER is startingwith 'a'
USER is endingwith('b') ;; n is eq 7 ;; n is in list ;; 1 is in [1] ;; yes is true ;; f is float
n is integer ;; list is sequence ;; yes is boolean ;; n is sameas n ;; n is gt 3 ;; n is ge(7)
total.nope ~ 'x' ;; total.nope == 1 ;; total.nope + 1 ;; total.nope | upper ;; total.nope | list
not total.nope ;; total.nope[1:] ;; upper | x ;; (((((1))))) ;; 1 if total.nope else 2
[1,2,3]|map('string')|join ;; 1.0 ;; 1e3 ;; 5 | upper ;; none_ | upper ;; list | upper ;; list | trim
'é' | length ;; 'é'[0] ;; '日本' | reverse ;; [3, 'a'] | sort ;; [1, [2]] | string ;; {'a': 'b'} | string
(1,) | string ;; 1.5 ~ '' ;; 1e30 ~ '' ;; f | int";

#[test]
fn expressions_come_to_what_minijinja_makes_of_them() {
    let mut differ = Vec::new();
    for expression in TABLE.lines().flat_map(|line| line.split(" ;; ")) {
        differ.extend(compare(expression));
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
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

#[test]
fn every_filter_takes_every_kind_of_value_as_minijinjas_does() {
    let mut all = Vec::new();
    for filter in filters::filter_names() {
        for value in VALUES {
            all.extend(GIVEN.map(|given| format!("{value} | {filter}{given}")));
        }
    }
    for op in OPERATORS {
        for left in VALUES {
            for right in VALUES {
                all.push(format!("{left} {op} {right}"));
            }
        }
    }
    for test in predicates::names() {
        for value in VALUES.into_iter().chain([MIN_INT]) {
            for given in ["", "(1)", "('a')", "(list)", "(0)", "(-1)", "(0.0)"] {
                all.push(format!("{value} is {test}{given}"));
            }
        }
    }
    for value in VALUES {
        for slice in SLICES {
            all.push(format!("{value}[{slice}]"));
        }
    }
    let differ: Vec<String> = all
        .iter()
        .filter(|it| !differs(it))
        .filter_map(|it| compare(it))
        .collect();
    assert!(
        differ.is_empty(),
        "{} of {}:\n{}",
        differ.len(),
        all.len(),
        differ.join("\n")
    );
}

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

#[test]
fn no_expression_makes_much_of_little() {
    let mega = "('a' * 1000000)";
    let long = "('a ' * 500000)";
    for (expression, part) in [
        ("'a' * 100000000".to_owned(), "1 MB"),
        ("'a' * 99999999999999999999".to_owned(), "whole numbers"),
        ("9999999999 * 'a'".to_owned(), "1 MB"),
        (format!("{mega} ~ {mega}"), "1 MB"),
        (format!("{mega} + {mega}"), "1 MB"),
        (format!("[{mega}, {mega}]"), "1 MB"),
        (format!("({mega}, {mega})"), "1 MB"),
        (format!("{{'a': {mega}, 'b': {mega}}}"), "1 MB"),
        (format!("dict(a={mega}, b={mega})"), "1 MB"),
        ("'a' | indent(100000000000)".to_owned(), "1 MB"),
        ("('a\\n' * 100000) | indent(1000)".to_owned(), "1 MB"),
        ("'%1000000000s' | format('x')".to_owned(), "up to 1000"),
        ("'%.1000000000f' | format(1.5)".to_owned(), "up to 1000"),
        (format!("('%(a)s' * 100000) | format(a={mega})"), "1 MB"),
        (format!("{mega} | replace('a', 'a' * 9999)"), "1 MB"),
        (format!("{mega} | replace('', 'xy')"), "1 MB"),
        (format!("[1, 2, 3] | join({mega})"), "1 MB"),
        (format!("{long} | split"), "10000 items"),
        (format!("{mega} | split('')"), "10000 items"),
        ("('\\n' * 100000) | lines".to_owned(), "10000 items"),
        (
            "[[[[[[[[[[[[[1]]]]]]]]]]]]] | map(*(['map'] * 4000))".to_owned(),
            "nested deeper than 10",
        ),
        (
            format!("'' | default({}, 1)", vec![mega; 60].join(", ")),
            "1 MB",
        ),
        (
            format!("'a' is in({})", ["*range(9000)"; 60].join(", ")),
            "one value behind it",
        ),
        ("[1] * 100000000".to_owned(), "10000 items"),
        ("[[[1] * 5000] * 5000]".to_owned(), "10000 items"),
        ("range(100000)".to_owned(), "10000 items"),
        ("range(0, 9000000000000000000, 1)".to_owned(), "10000 items"),
        ("[1] | slice(10000000000)".to_owned(), "10000"),
        ("[1] | batch(10000000000, 'x')".to_owned(), "10000 items"),
        (
            format!("range(10000) | map('string') | map('replace', '', {mega}) | list"),
            "1 MB",
        ),
        (
            "range(9000) | zip(range(9000), range(9000))".to_owned(),
            "10000 items",
        ),
        (
            "range(9000) | list + range(9000) | list".to_owned(),
            "10000 items",
        ),
        ("range(9000) | chain(range(9000))".to_owned(), "10000 items"),
        (
            "range(10000) | sort(attribute='a,' * 100000)".to_owned(),
            "too long a path",
        ),
        (
            "range(10000) | map(attribute='a.' * 100000)".to_owned(),
            "longer than 200",
        ),
        ("[1, 2] | pprint * 1000000".to_owned(), ""),
        ("('<' * 500000) | e".to_owned(), "1 MB"),
        (format!("{}1{}", "[".repeat(120), "]".repeat(120)), ""),
        (format!("{}1", "not ".repeat(450)), "deeper than 200"),
        (format!("{}1", "-".repeat(1900)), "deeper than 200"),
        (format!("1{}", "|abs".repeat(450)), "deeper than 200"),
        (format!("n{}", ".a".repeat(900)), ""),
    ] {
        let Err(error) = ours(&expression, Limits::default()) else {
            panic!("{expression} is not an error");
        };
        assert!(error.contains(part), "{expression}: {error}");
        assert!(error.len() < 1_000, "{expression}");
    }
}

#[test]
fn evaluation_ends_with_its_own_limit_that_of_the_flow_and_the_run() {
    use std::time::{Duration, Instant};

    let slow = "range(10000) | select('in', range(10000)) | select('in', range(10000)) | \
                select('in', range(10000)) | select('in', range(10000)) | select('in', range(10000)) | list | length";
    let began = Instant::now();
    let error = ours(slow, Limits::default()).unwrap_err();
    assert!(error.contains("takes too long"), "{error}");
    assert!(began.elapsed() < Duration::from_secs(20));

    let stop = tokio_util::sync::CancellationToken::new();
    stop.cancel();
    for limits in [
        Limits {
            until: Some(Instant::now()),
            stop: None,
        },
        Limits {
            until: None,
            stop: Some(stop),
        },
    ] {
        let tree = parse("1").unwrap();
        let wrong = evaluate(&tree, &Sample::new(), &Budget::new(limits)).unwrap_err();
        assert!(wrong.within("1").stopped);
    }
}

#[test]
fn what_is_measured_is_the_json_of_a_value() {
    for json in [
        json!("plain"),
        json!("\"\\\n\t\u{1}\u{8}é日"),
        json!(123),
        json!(-1.5),
        json!([]),
    ] {
        let size = Size::measure(&from_json(&json)).unwrap();
        assert_eq!(size.bytes, json.to_string().len(), "{json}");
    }
    let nested = from_json(&json!([[1, 2], { "a": [3] }]));
    assert_eq!(Size::measure(&nested).unwrap().items, 6);
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
fn values_of_unlike_kinds_are_refused_with_what_to_write() {
    for (expression, part) in [
        (
            "COUNT > 100",
            "`>` cannot compare `COUNT` (a text) with `100` (a number); write `COUNT | int`",
        ),
        ("100 < COUNT", "write `COUNT | int`"),
        ("total.text != 40", "write `total.text | int`"),
        ("n < '30'", "write the number without quotes: `30`"),
        ("n == 'x'", "write `n | string`"),
        ("yes != 'false'", "write `false` without quotes"),
        ("USER == true", "write `USER == 'true'`"),
        ("3 in ['3']", "items of what is compared"),
        ("[1, [2]] == [1, ['2']]", "items of what is compared"),
        (
            "{'a': 1} == {'a': '1'}",
            "cannot compare a number with a text",
        ),
        ("1 in 'a1'", "cannot compare"),
        ("1 in total", "keys of a map are texts"),
        (
            "[3, 'a'] | sort",
            "`sort` cannot compare a number with a text",
        ),
        ("[3, 'a'] | max", "cannot compare"),
        ("[3, none] | min", "needs an order"),
        ("[1, true] | unique", "cannot compare"),
        (
            "rows | selectattr('id', 'eq', '2')",
            "`is eq` cannot compare",
        ),
        ("true < false", "needs an order"),
        ("none_ < 1", "needs an order"),
        (
            "(USER == 'x' or 'y') and true",
            "`or` needs true or false; `'y'` (a text) is neither",
        ),
        ("yes and USER", "write `USER == '…'`"),
        ("not n", "write `n > 0`"),
        ("not list", "write `list | length > 0`"),
        ("1 if USER else 2", "`if` needs true or false"),
        ("[0, 1] | select", "write a test"),
        ("'x' | default('y', 1)", "must be true or false"),
        ("USER is odd", "is for whole numbers"),
        ("n is startingwith '7'", "is for texts"),
        ("USER is defined n", "takes no value"),
        ("'nan' | float > 1", "is not a number"),
        ("'4 items' | int", "is not a number"),
        ("none_ | int == 0", "is not a number"),
        ("'yes' | bool", "`bool` takes"),
        ("n == n == yes", "write `a == b and b == c`"),
        ("yes + 1", "cannot take a"),
    ] {
        let wrong = ours(expression, Limits::default()).unwrap_err();
        assert!(wrong.contains(part), "{expression}: {wrong}");
    }
    for (expression, expected) in [
        ("none_ == 1", false),
        ("1 != none_", true),
        ("n == 7.0", true),
        ("(1, 2) == [1, 2]", true),
        ("[1, none] == [none, none]", false),
        ("1 < f <= 2.5", true),
        ("none in [1, none]", true),
        ("EMPTY | default('x', true) == 'x'", true),
        ("0 | default(5, true) == 0", true),
        ("'true' | bool", true),
        ("' 42 ' | int == 42", true),
    ] {
        assert_eq!(
            ours(expression, Limits::default()),
            Ok(json!(expected)),
            "{expression}"
        );
    }
}

#[test]
fn a_text_with_a_number_is_refused_with_what_takes_the_number_out() {
    for (refused, part, written, number) in [
        (
            "'4 items' | int",
            "`'4 items'` is not a number; `split | first | int` takes its first word",
            "'4 items' | split | first | int",
            json!(4),
        ),
        (
            "'page 4' | int",
            "; `split | last | int` takes its last word",
            "'page 4' | split | last | int",
            json!(4),
        ),
        (
            "'4 of 5' | int",
            "; `(… | split)[0] | int` takes one",
            "('4 of 5' | split)[0] | int",
            json!(4),
        ),
        (
            "'about 4.5 km' | float",
            "; `(… | split)[1] | float` takes one",
            "('about 4.5 km' | split)[1] | float",
            json!(4.5),
        ),
        (
            "'$4' | float",
            "; `replace('…', '')` before `float`",
            "'$4' | replace('$', '') | float",
            json!(4.0),
        ),
        (
            "'none' | int",
            "; `int(0)` makes 0",
            "'none' | int(0)",
            json!(0),
        ),
    ] {
        let wrong = ours(refused, Limits::default()).unwrap_err();
        assert!(wrong.contains(part), "{refused}: {wrong}");
        let made = ours(written, Limits::default());
        assert_eq!(made, Ok(number), "{written}");
    }
}

#[test]
fn habits_of_other_languages_are_told_what_to_write() {
    for (expression, part) in [
        (
            "USER == 'ada' && USER == 'x'",
            "there is no `&&` in expressions; write `and`",
        ),
        ("USER == 'ada' || yes", "write `or`"),
        ("!yes", "write `not`"),
        (
            "USER == 'ada' ? false : true",
            "write `a if condition else b`",
        ),
        ("n === 7", "write `==`"),
        ("n !== 7", "write `!=`"),
        ("n <> 7", "write `!=`"),
        ("USER = 'ada'", "write `==` to compare"),
        ("USER == 'ada' & yes", "write `and`"),
        ("USER ?? 'x'", "write `| default(…)`"),
        ("total?.text", "write `.`"),
        ("USER == null", "there is no `null` here; write `none`"),
        ("null | default('x')", "write `none`"),
        ("USER.toUpperCase() == 'ADA'", "write `… | upper`"),
        ("USER.includes('a')", "write `'x' in …`"),
        (
            "USER.length > 2",
            "`USER.length` does not exist; write `USER | length`",
        ),
        ("len(USER)", "write `… | length`"),
        ("upper(USER)", "write `… | upper`"),
        ("USER == ”ada”", "plain quotes"),
        ("USER == 'a' 'da'", "write `~` between them"),
        ("USER == 'ada' @@@ junk", "does not read"),
        ("USER == 'ada' #", "does not read"),
        ("and | default('x')", "is a word of the language"),
        ("rows[9]", "`rows[9]` does not exist; `rows` has 3 items"),
        (
            "total.txt",
            "`total.txt` does not exist; `total` has: bounds, items, text",
        ),
        ("[] | first", "the list is empty"),
    ] {
        let wrong = ours(expression, Limits::default()).unwrap_err();
        assert!(wrong.contains(part), "{expression}: {wrong}");
    }
    // Inside of texts these operators are ordinary characters.
    for text in [
        "a && b",
        "a || b",
        "!",
        "a ? b : c",
        "===",
        "=",
        "null",
        "`",
        "“",
    ] {
        let expression = format!("'{text}' == \"{text}\"");
        assert_eq!(
            ours(&expression, Limits::default()),
            Ok(json!(true)),
            "{text}"
        );
    }
}

#[test]
fn what_does_not_exist_is_told_before_anything_runs() {
    for (expression, part) in [
        ("USER | uper", "did you mean `upper`?"),
        ("USER is strin", "did you mean `string`?"),
        ("rnge(3)", "did you mean `range`?"),
        ("USER.upper()", "write `… | upper`"),
        ("debug()", "no function `debug`"),
        ("namespace(a=1)", "no function `namespace`"),
    ] {
        let error = parse(expression).unwrap_err();
        assert!(error.message.contains(part), "{expression}: {error:?}");
    }
    let place = parse("1 + (USER | uper)").unwrap_err().range;
    assert!(place.start > 4 && place.end < 17, "{place:?}");
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

/// Lookup that counts its calls.
struct CountingLookup(std::cell::Cell<usize>);

impl Lookup for CountingLookup {
    fn value(&self, path: &[&str]) -> Option<Value> {
        self.0.set(self.0.get() + 1);
        (path == ["R"]).then(|| Value::from("x".repeat(100)))
    }
}

#[test]
fn a_result_is_copied_once_however_often_it_is_named() {
    let known = CountingLookup(std::cell::Cell::new(0));
    let expression = format!("[{}]|length", ["R"; 500].join(","));
    let tree = parse(&expression).unwrap();
    let value = evaluate(&tree, &known, &Budget::new(Limits::default())).unwrap();
    assert_eq!((value, known.0.get()), (Value::from(500), 1));
}
