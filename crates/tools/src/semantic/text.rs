//! Tool that types text (C2).

use schemars::JsonSchema;
use serde::Deserialize;

use super::act::field;
use super::element::{done, find, unsupported};
use super::kind::Action;
use crate::arguments::Arguments;
use crate::{Call, Failure, Outcome, StepSyntax, Tool, Words};
use runner_engine::{Focus, Session, Typing};

/// Arguments of `type_text`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TypeTextArgs {
    /// Id of the input, from `list_actionable` or `ui://elements`.
    #[schemars(length(min = 1))]
    pub element_id: String,
    /// Text to type.
    pub text: String,
    /// Replace what is in the field instead of typing at its end.
    #[serde(default)]
    pub replace: bool,
}

#[derive(Debug)]
pub struct TypeText;

impl Tool for TypeText {
    const NAME: &'static str = "semantic.type_text";
    const ALIASES: &'static [&'static str] = &["type_text_tool"];
    const SUMMARY: &'static str = "Types text into an input field.";
    const HELP: &'static str =
        "The text is read back: an answer without an error means that it arrived whole.";
    const WRITING: StepSyntax = StepSyntax::Map;
    type Args = TypeTextArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        args.filled("element_id")?;
        args.required_text("text")?;
        args.boolean("replace")
    }

    /// Types into the element, or the only field in it, at the end of its content or with `replace` in place of it, and
    /// reads it back. Text that does not arrive is a failure. The answer does not quote the text.
    async fn call(session: &Session, args: TypeTextArgs, call: &Call) -> Result<Outcome, Failure> {
        let id = args.element_id;
        let found = find(session, &id).await?;
        let Some(field) = field(found.node()) else {
            return Err(unsupported(&id, Action::TypeText, found.node()));
        };
        let typing = Typing {
            clear: args.replace,
            ..Typing::default()
        };
        let focus = Focus::At(&found.screen, field.index());
        let typed = session
            .type_text(focus, &args.text, typing, call.timeout)
            .await?;
        Ok(done(&id, Words::format("Typed text into {}", &[&id]))
            .hiding(typed.hidden(&args.text))
            .at(field.bounds()))
    }
}
