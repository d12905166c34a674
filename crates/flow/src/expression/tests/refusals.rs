//! Tests what an expression is told that is refused: kinds, other languages, and names that do not exist.

use super::*;

/// Law: a message names kinds in the words of the language, whatever values meet.
#[test]
fn kinds_are_named_in_our_words() {
    let values = ["n", "USER", "yes", "none_", "list", "total"];
    let pairs = values.iter().flat_map(|a| values.map(|b| (*a, b)));
    let joined = pairs.flat_map(|(a, b)| {
        ["+", "-", "*", "//", "**", "in", "<"].map(|op| format!("{a} {op} {b}"))
    });
    let single = values.iter().flat_map(|it| {
        [
            format!("-{it}"),
            format!("{it}[1:]"),
            format!("{it}[{it}]"),
            format!("[{it}] | sum"),
            format!("{it} is odd"),
            format!("{it} is startingwith 'a'"),
            format!("'a' | split({it})"),
            format!("[0] | zip({it})"),
            format!("{it} | float"),
        ]
    });
    for expression in joined.chain(single) {
        let Err(wrong) = ours(&expression, Limits::default()) else {
            continue;
        };
        for theirs in ["a sequence", "a string", "a bool ", "a none"] {
            assert!(!wrong.contains(theirs), "{expression}: {wrong}");
        }
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

/// Law: an `if` that does not hold and has no `else` has no value, wherever a value is needed.
#[test]
fn an_if_without_else_has_no_value_anywhere() {
    const NOTHING: &str = "(USER if not yes)";
    let behind = OPERATORS.map(|op| format!("USER {op} {NOTHING}"));
    let before = OPERATORS.map(|op| format!("{NOTHING} {op} USER"));
    let operands = behind.into_iter().chain(before).map(|expression| {
        // `and` and `or` look at their right side only if the left one does not decide.
        let expression = expression.replace("USER and", "yes and");
        expression.replace("USER or", "not yes or")
    });
    let filters = filters::filter_names()
        .filter(|name| !["default", "d"].contains(name))
        .map(|name| format!("{NOTHING} | {name}"));
    let arguments = filters::filter_names().map(|name| format!("USER | {name}({NOTHING})"));
    let tests = predicates::names()
        .filter(|name| !["defined", "undefined"].contains(name))
        .map(|name| format!("{NOTHING} is {name}"));
    let others = [
        "@",
        "not @",
        "-@",
        "[1, @]",
        "(1, @)",
        "{'a': @}",
        "@[0]",
        "list[@]",
        "list[@:]",
        "list[:@]",
        "list[::@]",
        "@[1:]",
        "@ if true else 1",
        "1 if false else @",
        "1 if @ else 2",
        "1 < @ < 3",
        "range(@)",
        "dict(a=@)",
        "USER is eq(@)",
        "'%s' | format(@)",
    ];
    let others = others.map(|other| other.replace('@', NOTHING));
    let all = operands.chain(filters).chain(arguments).chain(tests);
    // Tests with too few arguments, and those that are written as operators, do not parse.
    let all = all.chain(others).filter(|it| parse(it).is_ok());
    let all: Vec<String> = all.collect();
    assert!(all.len() > 100, "{}", all.len());
    let mut wrong = Vec::new();
    for expression in all {
        let made = ours(&expression, Limits::default());
        let is_told = |error: &String| error.contains("has no `else`, so there is no value");
        if !made.as_ref().is_err_and(is_told) {
            wrong.push(format!("{expression}: {made:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (expression, expected) in [
        (format!("{NOTHING} | default('b')"), json!("b")),
        (format!("{NOTHING} is defined"), json!(false)),
        (format!("{NOTHING} is undefined"), json!(true)),
    ] {
        let made = ours(&expression, Limits::default());
        assert_eq!(made, Ok(expected), "{expression}");
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
