//! Tools for the clipboard (A24, A25).

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::errors;
use crate::arguments::Arguments;
use crate::everyday::NoArgs;
use crate::{Call, Effect, Failure, Outcome, StepSyntax, Tool, Words};
use runner_device::clipboard;
use runner_engine::Session;

#[derive(Debug)]
pub struct GetClipboard;

impl Tool for GetClipboard {
    const NAME: &'static str = "get_clipboard";
    const SUMMARY: &'static str = "Get the current clipboard text content.";
    const HELP: &'static str = "Most phones give their shell no access: then it says so.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Reads;
    type Args = NoArgs;

    /// Returns `{ text }`, with null if the clipboard holds no text, an empty one or the text `null`.
    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        let text = clipboard::get(session.device())
            .await
            .map_err(errors::clipboard)?;
        let value = json!({ "text": text });
        Ok(Outcome::json(value))
    }
}

/// Arguments of `set_clipboard`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetClipboardArgs {
    /// Text to set in clipboard
    pub text: String,
}

#[derive(Debug)]
pub struct SetClipboard;

impl Tool for SetClipboard {
    const NAME: &'static str = "set_clipboard";
    const SUMMARY: &'static str = "Set the clipboard content to the specified text.";
    const HELP: &'static str =
        "Most phones give their shell no access: then type the text instead.";
    const WRITING: StepSyntax = StepSyntax::Scalar("text");
    const EFFECT: Effect = Effect::Sets;
    type Args = SetClipboardArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        args.required_text("text").map(|_| ())
    }

    /// Sets the clipboard. The answer counts characters in UTF-16.
    async fn call(session: &Session, args: SetClipboardArgs, _: &Call) -> Result<Outcome, Failure> {
        clipboard::set(session.device(), &args.text)
            .await
            .map_err(errors::clipboard)?;
        Ok(Outcome::text(Words::format(
            "Clipboard set successfully ({} characters)",
            &[&// Characters as the reference counts them.
            args.text.encode_utf16().count()],
        )))
    }
}
