//! Tests of scripts through the functions that flows use.

mod http;
mod limits;

use std::time::{Duration, Instant};

use super::expression::GLOBALS;
use super::{MaestroScope, ScriptError, ScriptFault, ScriptOptions};
use runner_flow::Limits;

fn scope(env: &[(&str, &str)]) -> MaestroScope {
    let env = env
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    MaestroScope::new(env, ScriptOptions::default())
}

/// Sets a deadline `time` from now.
fn within(scope: &mut MaestroScope, time: Duration) {
    scope.limit(Limits {
        until: Some(Instant::now() + time),
        stop: None,
    });
}

async fn text(scope: &mut MaestroScope, raw: &str) -> String {
    scope
        .text(raw)
        .await
        .unwrap_or_else(|error| panic!("{raw}: {error}"))
}

async fn wrong(scope: &mut MaestroScope, raw: &str) -> ScriptError {
    match scope.text(raw).await {
        Ok(text) => panic!("{raw}: {text}"),
        Err(error) => error,
    }
}

#[tokio::test]
async fn texts_without_scripts_start_no_engine() {
    let mut scope = scope(&[("NAME", "ada"), ("EMPTY", "")]);
    scope.set_copied_text("copied");
    for (raw, expected) in [
        ("plain", "plain"),
        ("${NAME}", "ada"),
        ("a ${NAME} b ${NAME}", "a ada b ada"),
        ("${NOPE}", "undefined"),
        ("${EMPTY}${}", ""),
        ("${NOPE || 'default'}", "default"),
        ("\\${NAME} \\${NAME", "${NAME} \\${NAME"),
        (
            "${maestro.copiedText} on ${maestro.platform}",
            "copied on android",
        ),
    ] {
        assert_eq!(text(&mut scope, raw).await, expected, "{raw}");
    }
    assert!(scope.is_true("${NAME == 'ada'}").await.unwrap());
    assert!(!scope.is_true("${NOPE}").await.unwrap());
    assert!(!scope.has_engine());
}

#[tokio::test]
async fn values_are_written_as_javascript_prints_them() {
    let mut scope = scope(&[
        ("A", "a"),
        ("Date", "today"),
        ("output", "mine"),
        ("n", "2"),
    ]);
    for (raw, expected) in [
        ("${1 + 1}", "2"),
        ("${0.1 + 0.2}", "0.30000000000000004"),
        ("${1.0}", "1"),
        ("${1e21}", "1e+21"),
        ("${A === 'a' && !NOPE}", "true"),
        ("${null}", "null"),
        ("${void 0}", "undefined"),
        ("${var x = 1}", "undefined"),
        ("${var x = 1; x}", "1"),
        ("${NOPE + 1}", "NaN"),
        ("${typeof NOPE}", "undefined"),
        ("${NOPE?.length ?? 'none'}", "none"),
        ("${[1, 'a', {b: null}]}", "[1,\"a\",{\"b\":null}]"),
        ("${new Date(0)}", "undefined is not"),
        ("${Number(n) * 2n.toString().length}", "2"),
        ("${json('{\"a\": [7]}').a[0]}", "7"),
        ("${relativePoint(0.5, 0.251)}", "50%,26%"),
        ("${'\\ud800'.length}", "1"),
        ("${'\\ud800'}", "\u{fffd}"),
        ("${new Error('no')}", "Error: no"),
        ("${const o = {}; o.o = o; o}", "[object Object]"),
        (
            "${typeof output + typeof http.get + typeof faker.name}",
            "objectfunctionfunction",
        ),
        ("${Date}", "today"),
        ("${maestro.platform}", "android"),
        ("${typeof require + typeof process}", "undefinedundefined"),
        ("${(function () { return this })()}", "undefined"),
    ] {
        if expected == "undefined is not" {
            // `Date` is hidden by a name of the environment.
            assert!(wrong(&mut scope, raw).await.message.contains("TypeError"));
            continue;
        }
        assert_eq!(text(&mut scope, raw).await, expected, "{raw}");
    }
}

#[tokio::test]
async fn only_output_lasts() {
    let mut scope = scope(&[("A", "a")]);
    scope
        .evaluate(
            "${output.f = (x) => x + A; var v = 1; const c = 2; g = 3; globalThis.h = 4; A = 'b'}",
        )
        .await
        .unwrap();
    assert_eq!(text(&mut scope, "${output.f('1')}").await, "1a");
    assert_eq!(
        text(
            &mut scope,
            "${[typeof v, typeof c, typeof g, typeof h, A].join()}"
        )
        .await,
        "undefined,undefined,undefined,undefined,a"
    );
    scope.push();
    scope.set_env("A", "inner");
    scope.set_env("Math", "mine");
    scope.evaluate("${output.inner = A + Math}").await.unwrap();
    assert_eq!(text(&mut scope, "${output.f('')}").await, "inner");
    scope.pop();
    assert_eq!(text(&mut scope, "${output.inner + A}").await, "innerminea");
    assert_eq!(text(&mut scope, "${Math.max(1, 2)}").await, "2");
    scope.pop();
    assert_eq!(scope.env("A"), Some("a"));
    let own = [("A".to_owned(), "own".to_owned())];
    let source = "const c = A\noutput.file = c + B\nfunction f() { return 1 }\noutput.g = f";
    scope.run_script("a.js", source, own).await.unwrap();
    assert_eq!(
        text(&mut scope, "${output.file} ${A} ${output.g()}").await,
        "ownundefined a 1"
    );
    scope.set_copied_text("one");
    assert_eq!(text(&mut scope, "${maestro.copiedText}").await, "one");
    scope
        .evaluate("${maestro.copiedText = 'two'}")
        .await
        .unwrap();
    assert_eq!(text(&mut scope, "${maestro.copiedText}").await, "two");
    // A script whose time is up before it begins takes no text along.
    scope.set_copied_text("three");
    within(&mut scope, Duration::ZERO);
    assert!(scope.evaluate("${Math.max(1, 2)}").await.is_err());
    scope.limit(Limits::default());
    assert_eq!(text(&mut scope, "${maestro.copiedText}").await, "three");
}

#[tokio::test]
async fn promises_are_run_to_their_end_and_logs_are_kept() {
    let mut scope = scope(&[]);
    let source = "(async () => { await null; output.late = 'yes' })()\nconsole.log('one', 2, {a: [3]}); print('x\\ny')";
    scope.run_script("late.js", source, []).await.unwrap();
    assert_eq!(scope.take_log(), ["one 2 {\"a\":[3]}", "x", "y"]);
    assert!(scope.take_log().is_empty());
    assert_eq!(text(&mut scope, "${output.late}").await, "yes");
}

#[tokio::test]
async fn random_data_has_faker_s_names() {
    let mut scope = scope(&[]);
    assert_eq!(
        text(&mut scope, "${faker.name().firstName().length > 1}").await,
        "true"
    );
    assert_eq!(
        text(&mut scope, "${faker.number().numberBetween(3, 4) + 1}").await,
        "4"
    );
    assert_eq!(
        text(
            &mut scope,
            "${faker.expression(\"#{numerify '##'}\").length}"
        )
        .await,
        "2"
    );
    let error = wrong(&mut scope, "${faker.name().nick()}").await;
    assert!(
        error
            .message
            .contains("faker has no `name.nick`; it has name().firstName()"),
        "{error}"
    );
}

#[tokio::test]
async fn errors_name_the_file_the_line_and_the_column() {
    let mut scope = scope(&[]);
    for (source, expected) in [
        ("throw new Error('boom')", "a.js:1:11: Error: boom"),
        ("var a = 1\n\nnope.b.c", "a.js:3:"),
        ("function f() {\n  null.x\n}\nf()", "a.js:2:"),
        ("let a = ;", "a.js:1:"),
        ("let a\nlet a = (1", "a.js:"),
        ("throw 'text'", "a.js: text"),
        ("throw { a: 1 }", "a.js: "),
        ("throw null", "a.js: `null` was thrown"),
        ("throw { message: 'm' }", "a.js: m"),
        ("throw Symbol('x')", "a.js: Symbol(x)"),
        ("throw Object.create(null)", "a.js: an object that cannot"),
        (
            "throw { toString() { throw 1 } }",
            "a.js: an object that cannot",
        ),
        (
            "const e = new Error('own')\ne.toString = () => { throw 1 }\nthrow e",
            "a.js:1:",
        ),
        ("const c\n", "a.js:1:8: SyntaxError: "),
        (
            "output.x = 1; if (\n",
            "a.js:1:19: SyntaxError: the script ends too early",
        ),
        ("a = 1\n}\n\n", "a.js:2:2: SyntaxError: the script ends"),
        ("require('fs')", "a.js:1:"),
        ("import 'x'", "a.js:1:"),
        ("a\0b", "a.js: the script holds a NUL"),
    ] {
        let error = scope.run_script("a.js", source, []).await.unwrap_err();
        assert!(error.to_string().starts_with(expected), "{source}: {error}");
    }
    let error = wrong(&mut scope, "${nope.length}").await;
    assert_eq!(error.fault, ScriptFault::Thrown);
    assert!(
        error
            .to_string()
            .starts_with("`${nope.length}`: TypeError: "),
        "{error}"
    );
    // An error in a function that a file left behind names the file.
    scope
        .run_script(
            "b.js",
            "output.f = () => {\n  throw new Error('late')\n}",
            [],
        )
        .await
        .unwrap();
    let error = wrong(&mut scope, "${output.f()}").await;
    assert_eq!(
        error.to_string(),
        "b.js:2:13: Error: late, in `${output.f()}`"
    );
}

#[tokio::test]
async fn names_that_javascript_knows_are_left_to_the_engine() {
    let mut scope = scope(&[]);
    let names = text(
        &mut scope,
        "${Reflect.ownKeys(globalThis).filter((n) => typeof n === 'string').sort()}",
    )
    .await;
    let names: Vec<String> = serde_json::from_str(&names).unwrap();
    let missing: Vec<_> = names
        .iter()
        .filter(|name| !GLOBALS.contains(&name.as_str()))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    let more: Vec<_> = GLOBALS
        .iter()
        .filter(|name| !names.iter().any(|other| other == *name))
        .collect();
    assert!(more.is_empty(), "{more:?}");
}

#[tokio::test]
async fn v5_what_is_rejected_and_never_handled_fails_the_script() {
    let mut scope = scope(&[]);
    for (source, words) in [
        (
            "(async () => { await 1; throw new Error('late') })()",
            "a.js:1:35: Error: late",
        ),
        ("Promise.reject('why')", "a.js: why"),
        ("Promise.reject(null)", "a.js: `null` was thrown"),
        ("Promise.reject()", "a.js: undefined"),
        (
            "new Promise((_, no) => no(new TypeError('no')))",
            "TypeError: no",
        ),
        ("Promise.resolve().then(() => null.x)", "TypeError"),
        ("Promise.reject(1).finally(() => {})", "a.js: 1"),
        ("Promise.all([1, Promise.reject('one')])", "a.js: one"),
        (
            "queueMicrotask(() => { throw new Error('task') })",
            "Error: task",
        ),
        ("output.p = Promise.reject('kept')", "a.js: kept"),
    ] {
        let error = scope.run_script("a.js", source, []).await.unwrap_err();
        assert_eq!(error.fault, ScriptFault::Thrown, "{source}");
        let reported = error.to_string();
        assert!(
            reported.contains(words) && reported.contains("nothing caught it"),
            "{source}: {reported}"
        );
        // One script's is not the next one's.
        assert_eq!(text(&mut scope, "${1 + 1}").await, "2", "{source}");
    }
    for source in [
        "Promise.reject(1).catch(() => {})",
        "const p = Promise.reject(1); Promise.resolve().then(() => p.catch(() => {}))",
        "(async () => { try { await Promise.reject(1) } catch {} })()",
        "Promise.allSettled([Promise.reject(1)])",
        "const all = []; for (let i = 0; i < 20000; i++) all.push(Promise.reject(i)); for (const p of all) p.catch(() => {})",
        "queueMicrotask(() => { output.task = 1 })",
    ] {
        scope
            .run_script("a.js", source, [])
            .await
            .unwrap_or_else(|error| panic!("{source}: {error}"));
    }
    assert_eq!(text(&mut scope, "${output.task}").await, "1");
    let error = wrong(&mut scope, "${Promise.reject('no')}").await;
    assert!(
        error.message.contains("`${Promise.reject('no')}`: no"),
        "{error}"
    );
    let error = wrong(&mut scope, "${(async () => 'x')()}").await;
    assert!(error.message.contains("comes to a promise"), "{error}");
    scope
        .evaluate("${(async () => { output.x = 'x' })()}")
        .await
        .unwrap();
    assert_eq!(text(&mut scope, "${output.x}").await, "x");
}

#[tokio::test]
async fn m6_what_needs_data_of_locales_throws_and_says_so() {
    let mut scope = scope(&[]);
    for script in [
        "(1234.5).toLocaleString()",
        "(1234.5).toLocaleString('de')",
        "[1, 2].toLocaleString()",
        "1n.toLocaleString()",
        "new Date(0).toLocaleString()",
        "new Date(0).toLocaleDateString('de')",
        "new Date(0).toLocaleTimeString()",
        "'a'.localeCompare('b')",
        "'i'.toLocaleUpperCase('tr')",
    ] {
        let error = wrong(&mut scope, &format!("${{{script}}}")).await;
        assert_eq!(error.fault, ScriptFault::Thrown);
        let words = ["needs data of languages", "does not know the letters"];
        assert!(
            words.iter().any(|it| error.message.contains(it)),
            "{script}: {error}"
        );
    }
    for (raw, expected) in [
        (
            "${'ß'.toLocaleUpperCase() + 'I'.toLocaleLowerCase('en-GB')}",
            "SSi",
        ),
        (
            "${typeof Intl + (1.5).toString() + ['a'].toLocaleString()}",
            "undefined1.5a",
        ),
        ("${new Date(0).toISOString()}", "1970-01-01T00:00:00.000Z"),
    ] {
        assert_eq!(text(&mut scope, raw).await, expected, "{raw}");
    }
}

#[test]
fn m5_syntax_is_looked_at_and_nothing_runs() {
    let mut texts = super::ScriptTexts::default();
    for (source, _) in SYNTAX {
        texts.text(source);
    }
    texts.file("a.js", "const a = 1;\nfunction f() { return 1 }\nlet b = ;");
    texts.file("b.js", "}); while (true) {} (function () {");
    texts.file("c.js", "return; a\0");
    let checks = texts.checked(&[]);
    for ((source, is_good), check) in SYNTAX.iter().zip(&checks) {
        assert_eq!(check.errors.is_empty(), *is_good, "{source}: {check:?}");
    }
    let [.., a, b, c] = checks.as_slice() else {
        panic!("{checks:?}")
    };
    assert!(
        a.errors[0].to_string().starts_with("a.js:3:9: SyntaxError"),
        "{a:?}"
    );
    assert!(b.errors.is_empty(), "{b:?}");
    assert!(c.errors[0].message.contains("NUL"), "{c:?}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]

    #[test]
    fn m5_a_syntax_error_is_in_its_file(source in "[(){}\\[\\];=,a1'\n ]{1,40}") {
        let mut texts = super::ScriptTexts::default();
        texts.file("a.js", &source);
        for error in &texts.checked(&[])[0].errors {
            if let Some(place) = &error.place {
                let lines = source.trim_end().lines().count().max(1);
                proptest::prop_assert!(place.line as usize <= lines, "{source:?}: {error}");
            }
        }
    }
}

const SYNTAX: [(&str, bool); 9] = [
    ("${const a = 1; a}", true),
    ("${const a = 2}", true),
    ("${while (true) {}}", true),
    ("${throw 1}", true),
    ("plain", true),
    ("${A} and ${1 +}", false),
    ("${return 1}", false),
    ("${a b}", false),
    ("${await 1}", false),
];
