use serde_json::json;

use super::resolve::{condition, explain, resolve, resolve_text};
use super::*;
use crate::ast::{Argument, Spanned};
use crate::expression::{self, TemplatePart};

fn scope() -> Scope {
    let os = BTreeMap::from([("PASSWORD".to_owned(), "s3cret".to_owned())]);
    let mut scope = Scope::new(
        Arc::new(os),
        json!({ "sdk": 34, "model": "Pixel" }),
        json!({ "name": "Login" }),
        json!({ "id": "r1" }),
    );
    scope.set_env("USER", "ada").unwrap();
    scope.set_env("COUNT", "3").unwrap();
    scope
        .keep(
            "total",
            json!({ "text": "42", "bounds": { "left": 7 }, "items": [1, 2], "none": null }),
        )
        .unwrap();
    scope
}

fn argument(text: &str) -> Spanned<Argument> {
    let pieces = expression::pieces(text).unwrap_or_default();
    let value = match pieces.as_slice() {
        [TemplatePart::Expression(range)] => Argument::Expression(text[range.clone()].to_owned()),
        _ => Argument::Template(text.to_owned()),
    };
    Spanned { value, span: 3..9 }
}

#[test]
fn expressions_come_to_their_values() {
    for (text, value) in [
        ("${USER}", json!("ada")),
        ("${COUNT}", json!("3")),
        ("${COUNT | int}", json!(3)),
        ("${ device.sdk }", json!(34)),
        ("${device.sdk < 29}", json!(false)),
        ("Hello ${USER}!", json!("Hello ada!")),
        ("${USER}${USER}", json!("adaada")),
        ("$${USER}", json!("${USER}")),
        ("$${USER} ${USER}", json!("${USER} ada")),
        ("costs $5 and ${USER}", json!("costs $5 and ada")),
        ("${os.PASSWORD}", json!("s3cret")),
        ("${total.bounds.left + 1}", json!(8)),
        ("${total.items}", json!([1, 2])),
        ("${total.items[1]}", json!(2)),
        ("${total.text == '42'}", json!(true)),
        ("${'}' ~ USER}", json!("}ada")),
        (r#"${"\"}" ~ USER}"#, json!("\"}ada")),
        ("${{'a': {'b': 1}}.a.b}", json!(1)),
        ("${[1, 2][0]}", json!(1)),
        // What does not decide is not looked at.
        ("${total.nope is defined and total.nope == 1}", json!(false)),
        ("${1 > 2 and total.nope == 1}", json!(false)),
        ("${1 < 2 or total.nope == 1}", json!(true)),
        (
            "${total.nope if total.nope is defined else 'none'}",
            json!("none"),
        ),
        (
            "${total.none is not none and total.none.k == 1}",
            json!(false),
        ),
        ("${os.NOPE is defined and os.NOPE == 'x'}", json!(false)),
        ("${USER | upper}", json!("ADA")),
        ("${'a' if device.sdk > 30 else 'b'}", json!("a")),
        (
            "${total}",
            json!({ "text": "42", "bounds": { "left": 7 }, "items": [1, 2], "none": null }),
        ),
        ("n=${total.bounds.left}", json!("n=7")),
        ("b=${device.sdk > 1}", json!("b=true")),
        ("${flow.name}/${run.id}", json!("Login/r1")),
    ] {
        assert_eq!(resolve(&argument(text), &scope()), Ok(value), "{text}");
    }
}

#[test]
fn what_does_not_exist_is_an_error_that_names_it() {
    for (text, part) in [
        ("${NOBODY}", "`NOBODY` is not defined"),
        ("x ${NOBODY}", "`NOBODY` is not defined"),
        ("${NOBODY == 'x'}", "`NOBODY` is not defined"),
        ("${os.NOPE}", "environment variable `NOPE` is not set"),
        (
            "${total.txt}",
            "`total` has no `txt`; it has bounds, items, none, text",
        ),
        ("${total.txt == '42'}", "`total` has no `txt`"),
        ("${device.version}", "`device` has no `version`"),
        ("${total.none.x}", "`total.none` is empty"),
        (
            "${total.items[9]}",
            "`total.items[9]` does not exist; `total.items` has 2 items",
        ),
        ("${1 +}", "does not read"),
        ("${1 / 0}", "unable to calculate"),
        ("${[x for x in range(9)]}", "does not read"),
    ] {
        let error = resolve(&argument(text), &scope()).unwrap_err();
        assert!(error.message.contains(part), "{text}: {}", error.message);
        assert_eq!(error.span, 3..9);
    }
}

/// The names of the environment's variables are nobody's business.
#[test]
fn a_missing_variable_lists_no_others() {
    for text in [
        "${os['NOPE']}",
        "${os[USER]}",
        "${os['NO' ~ 'PE'] ~ 'x'}",
        "${os.NOPE if 1 < 2 else 1}",
    ] {
        let error = resolve(&argument(text), &scope()).unwrap_err();
        let message = error.message;
        assert!(
            message.contains("environment variable"),
            "{text}: {message}"
        );
        assert!(!message.contains("PASSWORD"), "{text}: {message}");
    }
}

#[test]
fn a_map_without_keys_is_said_to_be_empty() {
    let mut scope = scope();
    scope.keep("answer", json!({})).unwrap();
    for (text, part) in [
        ("${answer.x}", "`answer` has no `x`; it has nothing"),
        ("${answer.x if 1 < 2 else 1}", "`answer` is empty"),
    ] {
        let error = resolve(&argument(text), &scope).unwrap_err();
        assert!(error.message.ends_with(part), "{text}: {}", error.message);
    }
}

/// None keeps its kind alone and in lists and maps, and is no text anywhere.
#[test]
fn none_is_no_text() {
    for text in ["${total.none}", "${none}", "${[none][0]}"] {
        assert_eq!(
            resolve(&argument(text), &scope()),
            Ok(json!(null)),
            "{text}"
        );
        let meter = scope().meter();
        let error = resolve_text(&argument(text), &scope(), &meter).unwrap_err();
        assert!(
            error.message.contains("which is no text"),
            "{text}: {error}"
        );
    }
    assert_eq!(
        resolve(&argument("n: ${[total.none]}"), &scope()),
        Ok(json!("n: [null]"))
    );
    assert_eq!(
        resolve(&argument("n: ${total.none | default('-', true)}"), &scope()),
        Ok(json!("n: -"))
    );
    for (text, part) in [
        (
            "Hello ${total.none}",
            "`total.none` is none, which is no text; write what stands for it: `total.none | default('', true)`",
        ),
        (
            "Hello ${ none if true else 1 }",
            "`(none if true else 1) | default",
        ),
        ("${'a' ~ total.none}", "`none` is no text"),
        ("${total.none ~ 'a'}", "`none` is no text"),
        ("${['a', total.none] | join(',')}", "`none` is no text"),
        ("${['a', 'b'] | join(total.none)}", "`none` is no text"),
        ("${['a', 'b'] | join(none)}", "`none` is no text"),
        ("${['a', 'b'] | join(d=total.none)}", "`none` is no text"),
        ("${'a%s' | format(total.none)}", "`none` is no text"),
        ("${'a%(b)s' | format(b=total.none)}", "`none` is no text"),
        ("${total.none | string}", "`string` takes"),
        ("${[total.none] | map('string')}", "`string` takes"),
        ("${total.none | upper}", "`upper` takes"),
    ] {
        let error = resolve(&argument(text), &scope()).unwrap_err();
        assert!(error.message.contains(part), "{text}: {}", error.message);
        assert_eq!(error.span, 3..9);
    }
}

/// JSON is read again everywhere; Python's `True` and `None` are not.
#[test]
fn a_text_of_any_value_is_that_of_json() {
    for (value, text) in [
        ("true", "true"),
        ("1 > 2", "false"),
        ("[none, [true, 'a\"b']]", r#"[null,[true,"a\"b"]]"#),
        ("(1, none)", "[1,null]"),
        (
            "{'a': none, 'b': [1.5, 2.0]}",
            r#"{"a":null,"b":[1.5,2.0]}"#,
        ),
        ("total.bounds", r#"{"left":7}"#),
    ] {
        for written in [
            format!("x${{{value}}}"),
            format!("${{'x' ~ ({value})}}"),
            format!("${{'x' ~ (({value}) | string)}}"),
            format!("${{['x', ({value})] | join}}"),
            format!("${{'xy' | replace('y', ({value}))}}"),
        ] {
            let resolved = resolve(&argument(&written), &scope());
            assert_eq!(resolved, Ok(json!(format!("x{text}"))), "{written}");
        }
    }
    for written in [
        "${'%s' | format([none])}",
        "${'%(a)s' | format(a=[none])}",
        "${'%6s' | format([none])}",
    ] {
        let resolved = resolve(&argument(written), &scope());
        assert_eq!(resolved, Ok(json!("[null]")), "{written}");
    }
}

#[test]
fn a_condition_must_be_a_boolean() {
    let check = |text: &str| {
        condition(
            &Spanned {
                value: text.to_owned(),
                span: 0..1,
            },
            &scope(),
        )
        .map_err(|error| error.message)
    };
    assert_eq!(check("device.sdk < 29"), Ok(false));
    assert_eq!(check("total.text == '42' and USER == 'ada'"), Ok(true));
    assert_eq!(check("true"), Ok(true));
    assert!(
        check("USER")
            .unwrap_err()
            .contains("neither true nor false")
    );
    assert!(check("1").unwrap_err().contains("neither true nor false"));
    assert!(check("NOBODY").unwrap_err().contains("not defined"));
}

#[test]
fn names_may_not_hide_built_in_ones() {
    let mut scope = scope();
    for name in ["device", "os", "flow", "run", "true", "range", "not"] {
        assert_eq!(
            scope.keep(name, json!(1)),
            Err(NameError::BuiltIn(name.to_owned()))
        );
    }
    for name in ["", "1a", "a-b", "ä", "a b", "a.b"] {
        assert_eq!(
            scope.set_env(name, "x"),
            Err(NameError::Malformed(name.to_owned()))
        );
    }
    assert_eq!(scope.keep("_x1", json!(1)), Ok(()));
}

#[test]
fn a_sub_flow_sees_env_but_no_results() {
    let inner = scope().for_sub_flow();
    assert_eq!(inner.env("USER"), Some("ada"));
    assert_eq!(inner.result("total"), None);
}

#[test]
fn lists_and_maps_are_resolved_inside() {
    let map = Argument::Map(IndexMap::from([
        ("a".to_owned(), argument("${device.sdk}")),
        (
            "b".to_owned(),
            Spanned {
                value: Argument::List(vec![argument("${USER}"), argument("x${COUNT}")]),
                span: 0..1,
            },
        ),
    ]));
    let value = resolve(
        &Spanned {
            value: map,
            span: 0..1,
        },
        &scope(),
    );
    assert_eq!(value, Ok(json!({ "a": 34, "b": ["ada", "x3"] })));
}

#[test]
fn the_scanner_says_what_is_not_closed() {
    for (text, part, range) in [
        ("a ${USER", "no closing `}`", 2..4),
        ("${'abc}", "no closing quote", 2..3),
        ("${a)}", "closes nothing", 3..4),
        ("${(a}", "closes nothing", 4..5),
    ] {
        let error = expression::pieces(text).unwrap_err();
        assert!(error.message.contains(part), "{text}: {}", error.message);
        assert_eq!(error.range, range, "{text}");
    }
}

#[test]
fn hostile_expressions_end() {
    let deep = format!("${{{}1{}}}", "(".repeat(500), ")".repeat(500));
    assert!(expression::pieces(&deep).is_err());
    let long = format!("${{{}1}}", "not ".repeat(100_000));
    assert!(resolve(&argument(&long), &scope()).is_err());
    let chain = format!("${{{}1}}", "not ".repeat(450));
    let _ = resolve(&argument(&chain), &scope());
}

proptest::proptest! {
    #[test]
    fn scanning_never_panics(text in "\\PC{0,40}") {
        let _ = expression::pieces(&text);
        let _ = resolve(&argument(&text), &scope());
    }

    #[test]
    fn text_without_expressions_stays(text in "[^$]{0,40}") {
        proptest::prop_assert_eq!(resolve(&argument(&text), &scope()), Ok(Value::String(text)));
    }
}

#[test]
fn an_expression_is_explained_by_the_values_of_its_names() {
    let mut scope = Scope::default();
    scope.set_env("WHO", "ada").unwrap();
    scope
        .keep(
            "total",
            serde_json::json!({ "text": "41", "enabled": true }),
        )
        .unwrap();
    assert_eq!(
        explain("total.text == '42' and WHO == 'grace'", &scope),
        ["WHO is 'ada'", "total.text is '41'"]
    );
    assert_eq!(
        explain("not total.enabled", &scope),
        ["total.enabled is true"]
    );
    assert!(explain("1 == 2", &scope).is_empty());
    // Its value may be a secret.
    assert!(explain("os.PASSWORD == 'x' and os == 1", &self::scope()).is_empty());
}

/// Covers each way in which an expression derives another text from a secret.
#[test]
fn what_an_expression_computes_from_a_secret_is_masked() {
    let names = ["LOGIN".to_owned(), "PASSWORD".to_owned()];
    for (text, computed) in [
        ("${LOGIN | upper}", "ADMIN:TEN-ELF"),
        ("${LOGIN | split(':') | last}", "ten-elf"),
        ("${LOGIN[6:]}", "ten-elf"),
        ("${LOGIN[6:] | upper}", "TEN-ELF"),
        ("${LOGIN | replace('-', '')}", "admin:tenelf"),
        ("${LOGIN | reverse}", "fle-net:nimda"),
        ("${(LOGIN | split(':'))[1] ~ '!'}", "ten-elf!"),
        (
            "${LOGIN | upper if LOGIN != '' else 'none'}",
            "ADMIN:TEN-ELF",
        ),
        ("${os.PASSWORD | upper}", "S3CRET"),
        ("${os['PASSWORD'] | upper}", "S3CRET"),
        ("${os | attr('PASSWORD') | upper}", "S3CRET"),
        ("a ${LOGIN[6:]} b", "ten-elf"),
        ("${[LOGIN | upper, 1]}", "ADMIN:TEN-ELF"),
        ("${{'a': LOGIN | upper}}", "ADMIN:TEN-ELF"),
        ("${{LOGIN[6:]: 1}}", "ten-elf"),
        ("${COPY | upper}", "ADMIN:TEN-ELF"),
        ("${COPY[6:]}", "ten-elf"),
        ("${kept.parts[0][6:]}", "ten-elf"),
        ("${LOGIN[6:] ~ os.PASSWORD}", "ten-elfs3cret"),
        ("${os.PASSWORD ~ LOGIN[6:]}", "s3cretten-elf"),
    ] {
        let scrubber = Scrubber::default();
        let mut scope = scope().with_secrets(&names, scrubber.clone());
        scope.set_env("LOGIN", "admin:ten-elf").unwrap();
        // Under another name it is the same secret.
        scope.set_env("COPY", "admin:ten-elf").unwrap();
        let kept = json!({ "parts": ["admin:ten-elf"] });
        scope.keep("kept", kept).unwrap();
        resolve(&argument(text), &scope).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let said = format!("it is {computed}.");
        assert_eq!(scrubber.scrub(&said), "it is ***.", "{text}");
    }
}

/// Law: what a message of an expression says itself is the same with a secret as without; values are masked.
#[test]
fn a_message_about_a_secret_keeps_its_own_words() {
    let told = |text: &str, is_secret: bool| {
        let names = if is_secret {
            vec!["LOGIN".to_owned()]
        } else {
            Vec::new()
        };
        let mut scope = scope().with_secrets(&names, Scrubber::default());
        scope.set_env("LOGIN", "admin:ten-elf").unwrap();
        resolve(&argument(text), &scope).unwrap_err().message
    };
    for (text, part) in [
        ("${LOGIN ~ total.none}", "`| default('', true)`"),
        ("${[LOGIN, total.none] | join}", "`| default('', true)`"),
        (
            "${(total.none if LOGIN != '' else 1) | string}",
            "`| default('', true)`",
        ),
        ("${[LOGIN] | select | list}", "`select('ne', '')`"),
        ("${1 if LOGIN else 2}", "`LOGIN == '…'`"),
        ("${LOGIN == (LOGIN != '')}", "`LOGIN == 'true'`"),
        ("${LOGIN | bool}", "`NAME != ''`"),
    ] {
        let message = told(text, true);
        assert!(message.contains(part), "{text}: {message}");
        assert_eq!(message, told(text, false), "{text}");
    }
    for text in ["${LOGIN | upper | int}", "${(LOGIN ~ \"!= '\") | int}"] {
        let message = told(text, true).to_lowercase();
        assert!(!message.contains("ten-elf"), "{message}");
        assert!(told(text, false).contains('\''), "{text}");
    }
}

/// Covers ordinary words that are only chosen by a secret.
#[test]
fn what_a_secret_only_decides_is_not_masked() {
    let names = ["LOGIN", "PASSWORD", "NOTHING"].map(str::to_owned);
    for text in [
        "${'signed in' if LOGIN != '' else 'signed out'}",
        "${'signed in' if LOGIN == 'admin:ten-elf' else 'signed out'}",
        "${'signed in' if 'admin' in LOGIN and not PASSWORD is defined else 'signed out'}",
        "${'signed in' if LOGIN | length > 3 else 'signed out'}",
        "${('signed in ' ~ (LOGIN == 'x')) | replace(' false', '')}",
        "${('signed in ' ~ (LOGIN < 'a' or 'x' in LOGIN)) | replace(' false', '')}",
        "signed in ${LOGIN}",
        "${{'admin:ten-elf': 'signed in'}[LOGIN]}",
        "${NOTHING | default('signed in')}",
        "${os.NOTHING | default('signed in')}",
        "${('signed in admin:ten-elf' | split(' admin'))[0]}",
        "${(ADDRESS | split('?'))[0]}",
        "${'signed in'}",
        "${USER}",
        "${device.model}",
    ] {
        let scrubber = Scrubber::default();
        let mut scope = scope().with_secrets(&names, scrubber.clone());
        scope.set_env("LOGIN", "admin:ten-elf").unwrap();
        scope
            .set_env("ADDRESS", "signed in?key=admin:ten-elf")
            .unwrap();
        resolve(&argument(text), &scope).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let said = "signed in as ada with Pixel";
        assert_eq!(scrubber.scrub(said), said, "{text}");
    }
}

/// Covers messages, which quote what was computed before the error.
#[test]
fn an_error_shows_nothing_of_a_secret() {
    let names = ["LOGIN".to_owned()];
    let mut scope = scope().with_secrets(&names, Scrubber::default());
    scope.set_env("LOGIN", "admin:ten-elf").unwrap();
    for text in [
        "${LOGIN | split(':') | last | int > 3}",
        "${LOGIN[6:] | float}",
        "a ${LOGIN | upper | int}",
        "${1 if (LOGIN[6:] | int) > 3 else 2}",
        "${1 < (LOGIN[6:] | int) < 3}",
        "${not (LOGIN[6:] | int) > 3}",
        "${(LOGIN[6:] | int) is odd}",
        "${[LOGIN[6:] | int] | length}",
        "${[1, 2][LOGIN[6:] | int]}",
        "${'abc'[LOGIN[6:] | int:]}",
    ] {
        let error = resolve(&argument(text), &scope).unwrap_err();
        let message = error.message.to_lowercase();
        assert!(!message.contains("elf"), "{text}: {message}");
    }
    let error = resolve(&argument("${USER | int}"), &scope).unwrap_err();
    assert!(error.message.contains("'ada'"), "{}", error.message);
}

/// Null in a text or in a command would look like a value of the device.
#[test]
fn what_the_device_did_not_report_is_an_error_wherever_it_is_used() {
    let reason = "the device did not say it".to_owned();
    let scope = scope().without_answers(BTreeMap::from([("model", reason)]));
    for text in [
        "${device.model}",
        "on ${device.model}",
        "${USER} on ${device.model}!",
        "${device['model']} here",
    ] {
        let error = resolve(&argument(text), &scope).unwrap_err();
        assert!(error.unanswered, "{text}: {error}");
        assert!(error.message.contains("did not say it"), "{text}: {error}");
        assert_eq!(error.span, 3..9, "{text}");
    }
    let other = resolve(&argument("API ${device.sdk}"), &scope).unwrap();
    assert_eq!(other, json!("API 34"));
}
