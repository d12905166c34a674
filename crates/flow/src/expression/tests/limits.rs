//! Tests the limits of size and time, and what is measured for them.

use super::*;

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
