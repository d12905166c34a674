//! Tools for text, the back key and the keyboard (D8–D10).

use schemars::JsonSchema;
use serde::Deserialize;

use super::find::{Match, SelectorType, check_selector_type, check_words, find_field};
use super::status::{because, no};
use crate::arguments::Arguments;
use crate::everyday::NoArgs;
use crate::{Call, Effect, Failure, FailureKind, FrontEffect, Outcome, StepSyntax, Tool, Words};
use runner_engine::{EngineError, Focus, Session, Typing};
use runner_screen::Screen;

/// Hides the keyboard with one back key, if there is one. A keyboard that stays until the step's time is up is a
/// failure of the kind `Timeout`.
async fn hide_keyboard(session: &Session, call: &Call) -> Result<(), Failure> {
    let hidden = session.hide_keyboard(call.timeout).await;
    hidden.map(drop).map_err(|error| {
        // A keyboard that stays is a TIMEOUT in the reference's words; for a flow it is a failed assertion.
        let ran_out = matches!(error, EngineError::StillThere { .. });
        let mut failure = because("hide keyboard failed", error);
        if ran_out {
            failure.kind = FailureKind::Timeout;
        }
        failure
    })
}

/// Arguments of `inputText`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InputTextArgs {
    /// Part of the field's text, description or resource id, any letter case.
    #[schemars(length(min = 1))]
    pub field_selector: String,
    /// What to type at the end of the field.
    pub text: String,
    /// Where to look for the field.
    #[serde(default)]
    pub selector_type: SelectorType,
}

/// Returns the first field among the matches, else the first match: it may hold a field or open one.
fn field<'a>(screen: &Screen, matches: &'a [Match]) -> Option<&'a Match> {
    matches
        .iter()
        .find(|found| screen.node(found.node).is_editable())
        .or_else(|| matches.first())
}

#[derive(Debug)]
pub struct InputText;

impl Tool for InputText {
    const NAME: &'static str = "scenario.inputText";
    const SUMMARY: &'static str =
        "Taps an input field, types a text at its end and hides the keyboard.";
    const HELP: &'static str = "OK: the whole text is in the field. NOT_FOUND: no field matches; findUiElementsByText or its resource id may help. ERROR: it was not typed. Text of any script may be typed.";
    const WRITING: StepSyntax = StepSyntax::Map;
    type Args = InputTextArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_words(args, "fieldSelector")?;
        args.required_text("text")?;
        check_selector_type(args)
    }

    /// Types at the end of the first field that the selector matches, else into the first match, and hides the
    /// keyboard. Without a match the answer is `NOT_FOUND`, which fails the step. Text that does not arrive, and a
    /// keyboard that stays, are failures.
    async fn call(session: &Session, args: InputTextArgs, call: &Call) -> Result<Outcome, Failure> {
        let InputTextArgs {
            field_selector: selector,
            text,
            selector_type,
        } = args;
        let (screen, matches) = find_field(session, &selector, selector_type).await?;
        let Some(field) = field(&screen, &matches) else {
            return Ok(no(Words::format(
                "NOT_FOUND: no input field matches selector '{}'",
                &[&selector],
            )));
        };
        let id = screen.node(field.node).id();
        let typed = session
            .type_text(Focus::Id(&id), &text, Typing::default(), call.timeout)
            .await
            .map_err(|error| because("input text failed", error))?;
        hide_keyboard(session, call).await?;
        let message = Words::format(
            "OK: typed '{}' into '{}', then hideKeyboard",
            &[&text, &selector],
        );
        Ok(Outcome::text(message)
            .at(field.bounds)
            .hiding(typed.hidden(&text)))
    }
}

#[derive(Debug)]
pub struct GoBack;

impl Tool for GoBack {
    const NAME: &'static str = "scenario.goBack";
    const SUMMARY: &'static str = "Presses the back button.";
    const HELP: &'static str = "OK: pressed back, or ERROR: …";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const FRONT: FrontEffect = FrontEffect::GoesBack;
    type Args = NoArgs;

    /// Presses the back key once. What it did is not checked.
    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        session
            .press("BACK")
            .await
            .map_err(|error| because("back failed", error))?;
        Ok(Outcome::text("OK: pressed back"))
    }
}

#[derive(Debug)]
pub struct HideKeyboard;

impl Tool for HideKeyboard {
    const NAME: &'static str = "scenario.hideKeyboard";
    const SUMMARY: &'static str =
        "Hides the on-screen keyboard; where none is shown, nothing happens.";
    const HELP: &'static str = "OK: keyboard hidden, or ERROR: …";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Sets;
    type Args = NoArgs;

    async fn call(session: &Session, _: NoArgs, call: &Call) -> Result<Outcome, Failure> {
        hide_keyboard(session, call).await?;
        Ok(Outcome::text("OK: keyboard hidden"))
    }
}
