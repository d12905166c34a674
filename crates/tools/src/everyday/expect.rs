//! Assertions about elements. They wait until they hold, and fail if they do not in time.

use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;

use super::count::{CountCondition, expect_count};
use super::element::{OnElement, element_outcome, misspelt};
use super::unexpected::{Explanation, explain};
use crate::{Advice, Call, Failure, Fix, FrontEffect, Outcome, StepSyntax, StepValue, Tool, Words};
use runner_engine::{EngineError, LookPolicy, Session};
use runner_screen::Selector;
use runner_screen::selector::Pattern;
use runner_text::flow_text::escaped_text;

#[derive(Debug)]
pub struct AssertVisible;

impl Tool for AssertVisible {
    const NAME: &'static str = "assert visible";
    const EXAMPLE: &'static str = "- assert visible: \"Welcome, *\"";
    const KEEPS: StepValue = StepValue::ELEMENT;
    const SUMMARY: &'static str = "Waits until at least one element matches.";
    const WRITING: StepSyntax = StepSyntax::Element;
    const FRONT: FrontEffect = FrontEffect::Nothing;
    type Args = OnElement;

    /// Waits until at least one element matches, and returns the first in document order. The last look counts too. No
    /// match when time is up is a failure.
    async fn call(session: &Session, args: OnElement, call: &Call) -> Result<Outcome, Failure> {
        let (screen, nodes) = session
            .find_any(&args.on, call.timeout, LookPolicy::LastToo)
            .await?;
        Ok(match nodes.first() {
            Some(node) => element_outcome("Visible", &screen, *node),
            None => Outcome::text("Visible"),
        })
    }
}

#[derive(Debug)]
pub struct AssertNotVisible;

impl Tool for AssertNotVisible {
    const NAME: &'static str = "assert not visible";
    const EXAMPLE: &'static str = "- assert not visible: Wrong password";
    const SUMMARY: &'static str = "Waits until no element matches.";
    const WRITING: StepSyntax = StepSyntax::Element;
    const FRONT: FrontEffect = FrontEffect::Nothing;
    type Args = OnElement;

    /// Waits until no element matches, and returns no value. The last look counts too. An incomplete screen, one with a
    /// dialog of a rule, and one without the elements that the selector refers to, prove no absence and fail in the
    /// end.
    async fn call(session: &Session, args: OnElement, call: &Call) -> Result<Outcome, Failure> {
        let absent = session
            .wait_gone(&args.on, call.timeout, LookPolicy::LastToo)
            .await?;
        Ok(Outcome::absent(absent, "Not visible").noting(misspelt(session, &args.on)))
    }
}

/// Arguments of `assert`: an element with what is expected of it, or an expression.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssertArgs {
    /// The element: `id`, `class`, `index`, `window` and the relations locate it, everything else is expected of it.
    #[serde(default)]
    pub on: Option<Selector>,
    /// An expression that must be true: `"${total.text == '42'}"`.
    #[serde(default)]
    pub that: Option<bool>,
    /// How many elements there are: `3`, `">=2"`. Then all keys of the selector count.
    #[serde(default)]
    pub count: Option<CountCondition>,
}

#[derive(Debug)]
pub struct Assert;

impl Tool for Assert {
    const NAME: &'static str = "assert";
    const EXAMPLE: &'static str = "- assert: { id: inbox_count, text: \"3\", enabled: true }";
    const KEEPS: StepValue = StepValue::ELEMENT;
    const SUMMARY: &'static str =
        "Waits until an element is as described, or checks an expression with `that`.";
    const WRITING: StepSyntax = StepSyntax::Element;
    const FRONT: FrontEffect = FrontEffect::Nothing;
    type Args = AssertArgs;

    /// Waits for an element or a number of elements, or checks `that`, whose value is known already and not waited for.
    /// A `that` of false is a failed assertion. Other combinations, and none of them, are failures of usage.
    async fn call(session: &Session, args: AssertArgs, call: &Call) -> Result<Outcome, Failure> {
        match (args.on, args.that, args.count) {
            (Some(selector), None, None) => expect_element(session, &selector, call.timeout).await,
            (Some(selector), None, Some(count)) => {
                expect_count(session, &selector, count, call.timeout).await
            }
            (None, Some(true), None) => Ok(Outcome::text("True")),
            (None, Some(false), None) => {
                Err(Failure::assertion("the expression is false").comparing("true", "false"))
            }
            _ => Err(Failure::usage(
                "`assert` takes either an element with what is expected of it, or `that`",
            )),
        }
    }
}

/// Properties that are words; all others are states.
const WORDS: [&str; 3] = ["text", "desc", "hint"];

/// Waits until the only element located by `selector` has the properties that the selector demands, and returns it.
/// Otherwise the failed assertion lists only the properties that are wrong, with expected and actual values, and offers
/// the actual ones as fixes. No located element and several are failures too.
pub async fn expect_element(
    session: &Session,
    selector: &Selector,
    timeout: Duration,
) -> Result<Outcome, Failure> {
    let expected = session
        .expect(selector, timeout)
        .await
        .map_err(|error| not_located(selector, error))?;
    if expected.wrong.is_empty() {
        return Ok(element_outcome(
            "As expected",
            &expected.screen,
            expected.node,
        ));
    }
    let names: Vec<&str> = expected.wrong.iter().map(|wrong| wrong.0).collect();
    let line = |name: &str, value: &str| format!("{name}: {value}");
    let wanted: Vec<String> = expected.wrong.iter().map(|w| line(w.0, &w.1)).collect();
    let actual: Vec<String> = expected.wrong.iter().map(|w| line(w.0, &w.2)).collect();
    let verb = if names.len() == 1 { "is" } else { "are" };
    let node = expected.screen.node(expected.node);
    let explained = expected.wrong.iter();
    let explained = explained.map(|(key, wanted, actual)| {
        let mut explained = explain(node, key, wanted, actual);
        explained.advice.extend(letter_case(selector, key, actual));
        explained
    });
    let explained: Vec<Explanation> = explained.collect();
    let readable = expected.wrong.iter().zip(&explained);
    let readable = readable.filter(|(_, explained)| !explained.is_unreadable);
    let fixes = readable.map(|((key, _, actual), _)| Fix::Value {
        key,
        write: match actual.parse::<bool>() {
            Ok(is) if !WORDS.contains(key) => is.into(),
            _ => escaped_text(Pattern::literal(actual).source()).into(),
        },
    });
    let failure = Failure {
        fixes: fixes.collect(),
        ..Failure::assertion(Words::format(
            "{} of {} {} not as expected",
            &[
                &names.join(", "),
                &Selector::picking(&expected.screen, expected.node),
                &verb,
            ],
        ))
    }
    .comparing(wanted.join(", "), actual.join(", "));
    Err(explained.into_iter().fold(failure, |failure, explained| {
        failure
            .with_details(explained.details)
            .with_advice(explained.advice)
    }))
}

/// Returns advice if a text is as expected but for its letter case.
fn letter_case(selector: &Selector, key: &'static str, actual: &str) -> Option<Advice> {
    let any_case = selector.any_case_for(key, actual)?;
    Some(Advice::Arguments {
        fact: "only the letter case differs, which counts unless the step says otherwise"
            .to_owned(),
        arguments: vec![(key, any_case)],
    })
}

/// Converts an error of an assertion. If no element or several were found, and the selector expects a text,
/// description or hint, the first advice says which keys locate and which only describe expectations.
fn not_located(selector: &Selector, error: EngineError) -> Failure {
    let is_about_locating = matches!(
        error,
        EngineError::NotFound { .. } | EngineError::Several { .. }
    );
    let (locator, expectations) = selector.split_expectations();
    let names: Vec<&str> = expectations.iter().map(|it| it.property).collect();
    let mut failure = Failure::from(error);
    if is_about_locating && names.iter().any(|name| WORDS.contains(name)) {
        let advice = Advice::AssertVisible {
            selector: Box::new(selector.clone()),
            locator: Box::new(locator),
            expected: names.join(", "),
        };
        failure.advice.insert(0, advice);
    }
    failure
}
