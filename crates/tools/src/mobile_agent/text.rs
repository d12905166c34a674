//! Tool that types into a control (B8).

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::answer::{self, AgentError};
use super::click::touch;
use super::controls::Control;
use super::state::SessionCaches;
use crate::{Call, Failure, Outcome, StepSyntax, Tool, Words};
use runner_engine::{EngineError, Focus, Readiness, Session, TypedField, Typing};
use runner_screen::{Node, Screen};

/// Arguments of `type_text`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TypeTextArgs {
    /// Text to type, of any script.
    pub text: String,
    /// Control id from `get_app_window_controls_target_info`, such as "5"; an element id of another tool does too.
    pub control_id: String,
    /// The control's name. Where it differs, the id wins and the message begins with a warning.
    pub control_name: String,
    /// Clear the existing text first.
    #[serde(default)]
    pub clear_current_text: bool,
}

#[derive(Debug)]
pub struct TypeText;

impl Tool for TypeText {
    const NAME: &'static str = "mobile_agent.type_text";
    const SUMMARY: &'static str = "Types text into an input field, which it clicks first.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const HELP: &'static str = "Call get_app_window_controls_target_info first, and again after this: the screen has changed. The field is read back, so `success` means that the text is in it. It goes to the end of what is there unless `clear_current_text` is set.";
    type Args = TypeTextArgs;

    async fn call(session: &Session, args: TypeTextArgs, call: &Call) -> Result<Outcome, Failure> {
        Ok(answer::to_outcome(
            type_text(session, &args, call.timeout).await,
        ))
    }
}

/// Taps the control, whatever it is, and types into what has the focus then, at the end of its text unless that is to
/// be cleared. Text that does not arrive is an error, which has the bounds of the clicked control. A name that differs
/// from the control's is only a warning.
async fn type_text(
    session: &Session,
    args: &TypeTextArgs,
    timeout: Duration,
) -> Result<Outcome, AgentError> {
    let control = Control::resolve(session, &args.control_id).await?;
    let state = session.remembered::<SessionCaches>();
    let _acting = state.acting();
    let clicked = touch(session, &control).await?;
    let typed = enter(session, &control, args, timeout)
        .await
        .map_err(|error| {
            let real = Failure::from(error);
            AgentError::with_message(
                Words::format("Failed to type text: {}", &[&real.message]),
                real,
            )
            .after_click(control.node().bounds())
        })?;
    let TypeTextArgs {
        text,
        control_id,
        control_name,
        clear_current_text,
    } = args;
    let cleared = clear_current_text.then(|| "Cleared existing text".into());
    let messages = [
        control.warning(control_name),
        Some(clicked),
        cleared,
        Some(Words::format("Typed text: '{}'", &[text])),
    ];
    let message = Words::joined(messages.into_iter().flatten(), " | ");
    let action = Words::format(
        "type_text(text='{}', control_id='{}', control_name='{}')",
        &[text, control_id, control_name],
    );
    let answer = json!({
        "success": true,
        "action": action,
        "message": message,
        "control_info": control.info(),
    });
    Ok(Outcome::json(answer)
        .saying(action)
        .saying(message)
        .hiding(typed.hidden(text))
        .at(control.node().bounds()))
}

/// Types into the control that was just clicked, or into the field that the click opened. If the control
/// neither is a text field nor contains one, and the focus is where it was before the click, this fails with
/// `NotEditable`. If the control is gone after the click, the text goes into the focused field.
async fn enter(
    session: &Session,
    control: &Control,
    args: &TypeTextArgs,
    timeout: Duration,
) -> Result<TypedField, EngineError> {
    let typing = Typing {
        clear: args.clear_current_text,
        ..Typing::default()
    };
    if control.node().is_editable() || control.node().descendants().any(Node::is_editable) {
        let id = control.node().id();
        let typed = session
            .type_text(Focus::Id(&id), &args.text, typing, timeout)
            .await;
        // The click may have replaced the control by a field, as a search bar does, which then has the focus.
        if !matches!(
            typed,
            Err(EngineError::UnknownId { .. } | EngineError::Gone { .. })
        ) {
            return typed;
        }
    } else if focus_stayed(session, control).await? {
        return Err(EngineError::NotEditable {
            element: format!("control '{}'", control.name),
            instead: None,
        });
    }
    session
        .type_text(
            Focus::Current(Readiness::Uncovered),
            &args.text,
            typing,
            timeout,
        )
        .await
}

/// Returns true if the click left the focus in the field that had it before, on a new look. The text is not
/// meant for that one. Returns false if no field had it.
async fn focus_stayed(session: &Session, control: &Control) -> Result<bool, EngineError> {
    let Some(before) = focused_field(control.screen()) else {
        return Ok(false);
    };
    let screen = session.look().await?;
    let again = session.find_again(control.screen(), before.index(), &screen);
    Ok(again.is_some() && focused_field(&screen).map(Node::index) == again)
}

/// Returns the first text field that has the focus. `None` if the focus is elsewhere.
fn focused_field(screen: &Screen) -> Option<Node<'_>> {
    screen
        .nodes()
        .find(|node| node.flags().focused && node.is_editable())
}
