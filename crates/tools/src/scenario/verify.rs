//! Tools that check for elements on the screen (D15, D16).

use super::find::{SearchArgs, check_search, find, matches_on};
use super::status::no;
use crate::arguments::Arguments;
use crate::{Call, Effect, Failure, Outcome, StepSyntax, Tool, Words};
use runner_engine::{EngineError, Session};

#[derive(Debug)]
pub struct VerifyElementVisible;

impl Tool for VerifyElementVisible {
    const NAME: &'static str = "scenario.verifyElementVisible";
    const SUMMARY: &'static str = "Checks that an element is on the screen whose text, description or resource id contains a text.";
    const HELP: &'static str = "VISIBLE: it is there. NOT_VISIBLE: it is not; after an action that takes time, wait and check again. ERROR: … It looks once.";
    const WRITING: StepSyntax = StepSyntax::Scalar("text");
    const EFFECT: Effect = Effect::Reads;
    type Args = SearchArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_search(args)
    }

    /// Looks once for the text. A match answers `VISIBLE` with the number of matches; none answers `NOT_VISIBLE`, which
    /// fails the step.
    async fn call(session: &Session, args: SearchArgs, _: &Call) -> Result<Outcome, Failure> {
        let text = &args.text;
        let (_, matches) = find(session, text, args.selector_type).await?;
        let Some(first) = matches.first() else {
            return Ok(no(Words::format(
                "NOT_VISIBLE: '{}' not on screen",
                &[&text],
            )));
        };
        let message = Words::format("VISIBLE: {} match(es) for '{}'", &[&matches.len(), &text]);
        Ok(Outcome::text(message).at(first.bounds))
    }
}

#[derive(Debug)]
pub struct VerifyElementNotVisible;

impl Tool for VerifyElementNotVisible {
    const NAME: &'static str = "scenario.verifyElementNotVisible";
    const SUMMARY: &'static str = "Checks that no element is on the screen whose text, description or resource id contains a text.";
    const HELP: &'static str = "OK: it is gone. NOT_VISIBLE: … is still visible: it is there; wait and check again, or the action had no effect. ERROR: … It looks once.";
    const WRITING: StepSyntax = StepSyntax::Scalar("text");
    const EFFECT: Effect = Effect::Reads;
    type Args = SearchArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_search(args)
    }

    /// Looks once for the text. No match on a complete screen passes; a match fails the step with `NOT_VISIBLE`. An
    /// incomplete screen without a match proves nothing and is a failure; so is one after a rule closed a dialog with
    /// a match.
    async fn call(session: &Session, args: SearchArgs, _: &Call) -> Result<Outcome, Failure> {
        let text = &args.text;
        let (screen, matches) = find(session, text, args.selector_type).await?;
        if matches.is_empty() {
            session.check_answered_dialogs(&format!("'{text}'"), |screen| {
                let found = matches_on(screen, text, args.selector_type);
                found.into_iter().map(|found| found.node).collect()
            })?;
            let whole = screen
                .as_whole()
                .map_err(|why| EngineError::PartialScreen {
                    subject: format!("'{text}'"),
                    why,
                })?;
            if let Some(absent) = whole.prove_absence(&matches) {
                let words = Words::format("OK: '{}' is not visible (as expected)", &[&text]);
                return Ok(Outcome::absent(absent, words));
            }
        }
        Ok(no(Words::format(
            "NOT_VISIBLE: '{}' is still visible ({} match(es))",
            &[&text, &matches.len()],
        )))
    }
}
