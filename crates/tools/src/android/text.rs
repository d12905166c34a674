//! Tools for text and keys (A19–A23).

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::arguments::invalid;
use super::errors::{self, ErrorCode};
use crate::arguments::Arguments;
use crate::{
    Call, ClientDifferences, Effect, Failure, FrontEffect, Outcome, StepSyntax, Tool, Words,
};
use runner_engine::{Focus, Insertion, Session, TypedField, Typing};

/// Default speed for clients, which type as a person does; flows type at once.
const NATURAL: ClientDifferences = ClientDifferences {
    defaults: &[("typing_speed", 70), ("typing_speed_variance", 15)],
    ..ClientDifferences::SAME
};
/// Limit for a text that one call types, in UTF-16 units. The reference's limit.
const MAX_TEXT_UNITS: usize = 2000;
/// Limit for a text that one call searches for, in UTF-16 units. The reference's limit.
const MAX_SEARCH_UNITS: usize = 10_000;

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Refuses a text of more than `max_units` UTF-16 units. A missing one is refused too.
fn check_length(args: &Arguments, name: &str, max_units: usize) -> Result<(), Failure> {
    let length = units(args.required_text(name)?);
    if length > max_units {
        return Err(invalid(Words::format(
            "{} exceeds maximum length of {} characters (got {})",
            &[&name, &max_units, &length],
        )));
    }
    Ok(())
}

fn check_speed(args: &Arguments) -> Result<(), Failure> {
    args.between("typing_speed", 10, 5000)?;
    args.at_least("typing_speed_variance", 0)
}

/// Converts the speed arguments, both in milliseconds for a character. A missing variance is 0. Without a
/// speed, which only flows leave out, the text goes in at once, whatever the variance.
fn typing(speed: Option<u64>, variance: Option<u64>) -> Typing {
    Typing {
        speed: speed.map(|speed| {
            (
                Duration::from_millis(speed),
                Duration::from_millis(variance.unwrap_or(0)),
            )
        }),
        ..Typing::default()
    }
}

/// Builds the outcome: `text`, then the field's content on a second line, with the content also as the value `text` and
/// the field's bounds. The content of a password field is a dot for each character on a new look, and the outcome hides
/// `added`, the typed text. Content that was not read counts as empty.
async fn typed_outcome(
    session: &Session,
    text: &Words,
    typed: TypedField,
    added: &str,
) -> Result<Outcome, Failure> {
    let hidden = typed.hidden(added).map(str::to_owned);
    let content = if typed.is_password {
        session.dots_in(&typed).await?
    } else {
        typed.content.unwrap_or_default()
    };
    let outcome = Outcome::value(
        Words::format("{}\nField content: {}", &[text, &content]),
        json!({ "text": content }),
    )
    .hiding(hidden.as_deref());
    Ok(match typed.field {
        Some((screen, node)) => outcome.at(screen.node(node).bounds()),
        None => outcome,
    })
}

/// Arguments of `type_append_text`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppendArgs {
    /// Target element ID to type into
    #[schemars(length(min = 1))]
    pub element_id: String,
    /// Text to type (must be non-empty, max 2000 characters)
    #[schemars(length(min = 1, max = 2000))]
    pub text: String,
    /// Base delay between characters in ms (min: 10, max: 5000) In a flow, none by default: the text goes in at once.
    #[schemars(range(min = 10, max = 5000))]
    pub typing_speed: Option<u64>,
    #[schemars(
        description = "Random variance in ms, clamped to [0, typing_speed] In a flow, none by default."
    )]
    #[schemars(range(min = 0))]
    pub typing_speed_variance: Option<u64>,
}

fn check_text(args: &Arguments) -> Result<(), Failure> {
    args.filled("element_id")?;
    args.filled("text")?;
    check_length(args, "text", MAX_TEXT_UNITS)
}

#[derive(Debug)]
pub struct TypeAppendText;

impl Tool for TypeAppendText {
    const NAME: &'static str = "type_append_text";
    const SUMMARY: &'static str = "Type text character by character at the end of a text field.";
    const HELP: &'static str = "Call again for more than 2000 characters.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const FOR_CLIENTS: ClientDifferences = NATURAL;
    type Args = AppendArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        check_text(args)?;
        check_speed(args)
    }

    /// Types at the end of the field, and reads it back. Line feeds at the end become ENTER. Text that does not arrive
    /// is typed once more, then it is a failure; so is a field that takes no focus in time.
    async fn call(session: &Session, args: AppendArgs, call: &Call) -> Result<Outcome, Failure> {
        let id = &args.element_id;
        let typing = typing(args.typing_speed, args.typing_speed_variance);
        let typed = session
            .type_text(Focus::Id(id), &args.text, typing, call.timeout)
            .await
            .map_err(|error| errors::typing(id, error))?;
        let text = Words::format(
            "Typed {} characters at end of element '{}'.",
            &[&units(&args.text), &id],
        );
        typed_outcome(session, &text, typed, &args.text).await
    }
}

/// Arguments of `type_insert_text`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InsertArgs {
    /// Target element ID to type into
    #[schemars(length(min = 1))]
    pub element_id: String,
    /// Text to type (must be non-empty, max 2000 characters)
    #[schemars(length(min = 1, max = 2000))]
    pub text: String,
    #[schemars(
        description = "0-based character offset for cursor position. Must be within [0, current text length]"
    )]
    pub offset: u64,
    /// Base delay between characters in ms (min: 10, max: 5000) In a flow, none by default: the text goes in at once.
    #[schemars(range(min = 10, max = 5000))]
    pub typing_speed: Option<u64>,
    #[schemars(
        description = "Random variance in ms, clamped to [0, typing_speed] In a flow, none by default."
    )]
    #[schemars(range(min = 0))]
    pub typing_speed_variance: Option<u64>,
}

#[derive(Debug)]
pub struct TypeInsertText;

impl Tool for TypeInsertText {
    const NAME: &'static str = "type_insert_text";
    const SUMMARY: &'static str =
        "Type text character by character at a specific position in a text field.";
    const HELP: &'static str = "Offsets count UTF-16 units.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const FOR_CLIENTS: ClientDifferences = NATURAL;
    type Args = InsertArgs;

    /// Checks the text as `check_text` does, the speed, and that `offset` is a whole number of at least 0.
    fn check(args: &Arguments) -> Result<(), Failure> {
        check_text(args)?;
        args.required("offset")?;
        args.at_least("offset", 0)?;
        check_speed(args)
    }

    /// Types at an offset, counted in UTF-16 units or a password's dots, and reads the field back. An offset beyond the
    /// end of the text is refused, and nothing is typed.
    async fn call(session: &Session, args: InsertArgs, call: &Call) -> Result<Outcome, Failure> {
        let id = &args.element_id;
        let typing = typing(args.typing_speed, args.typing_speed_variance);
        let offset = usize::try_from(args.offset).unwrap_or(usize::MAX);
        let inserted = session
            .insert_text(Focus::Id(id), offset, &args.text, typing, call.timeout)
            .await
            .map_err(|error| errors::typing(id, error))?;
        let typed = match inserted {
            Insertion::Typed(typed) => typed,
            Insertion::BeyondEnd { length } => {
                return Err(invalid(Words::format(
                    "offset ({}) exceeds text length ({}) in element '{}'",
                    &[&offset, &length, &id],
                )));
            }
        };
        let text = Words::format(
            "Typed {} characters at offset {} in element '{}'.",
            &[&units(&args.text), &offset, &id],
        );
        typed_outcome(session, &text, typed, &args.text).await
    }
}

/// Arguments of `type_replace_text`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplaceArgs {
    /// Target element ID
    #[schemars(length(min = 1))]
    pub element_id: String,
    /// Text to find in the field (first occurrence, max 10000 characters)
    #[schemars(length(min = 1, max = 10000))]
    pub search: String,
    /// Replacement text to type (max 2000 characters). Can be empty to just delete the found text
    #[schemars(length(max = 2000))]
    pub new_text: String,
    /// Base delay between characters in ms (min: 10, max: 5000) In a flow, none by default: the text goes in at once.
    #[schemars(range(min = 10, max = 5000))]
    pub typing_speed: Option<u64>,
    #[schemars(
        description = "Random variance in ms, clamped to [0, typing_speed] In a flow, none by default."
    )]
    #[schemars(range(min = 0))]
    pub typing_speed_variance: Option<u64>,
}

#[derive(Debug)]
pub struct TypeReplaceText;

impl Tool for TypeReplaceText {
    const NAME: &'static str = "type_replace_text";
    const SUMMARY: &'static str =
        "Find and replace text in a field by typing the replacement naturally.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const FOR_CLIENTS: ClientDifferences = NATURAL;
    type Args = ReplaceArgs;

    /// Checks id and searched text, which must not be empty, the lengths, and the speed. The new text may be empty.
    fn check(args: &Arguments) -> Result<(), Failure> {
        args.filled("element_id")?;
        args.filled("search")?;
        check_length(args, "search", MAX_SEARCH_UNITS)?;
        check_length(args, "new_text", MAX_TEXT_UNITS)?;
        check_speed(args)
    }

    /// Replaces the first occurrence of the searched text, in the same letter case, and reads the field back. If the
    /// field does not have it, as a password field never does, it fails as a test does, and nothing is typed.
    async fn call(session: &Session, args: ReplaceArgs, call: &Call) -> Result<Outcome, Failure> {
        let id = &args.element_id;
        let typing = typing(args.typing_speed, args.typing_speed_variance);
        let searched = units(&args.search);
        let typed = session
            .replace_text(
                Focus::Id(id),
                &args.search,
                &args.new_text,
                typing,
                call.timeout,
            )
            .await
            .map_err(|error| errors::typing(id, error))?
            .ok_or_else(|| Failure {
                code: Some(ErrorCode::ELEMENT_NOT_FOUND),
                ..Failure::assertion(Words::format(
                    "Search text ({} chars) not found in element '{}'",
                    &[&searched, &id],
                ))
            })?;
        let text = Words::format(
            "Replaced {} characters with {} characters in element '{}'.",
            &[&searched, &units(&args.new_text), &id],
        );
        typed_outcome(session, &text, typed, &args.new_text).await
    }
}

/// Arguments of `type_clear_text`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClearArgs {
    /// Target element ID to clear
    #[schemars(length(min = 1))]
    pub element_id: String,
}

#[derive(Debug)]
pub struct TypeClearText;

impl Tool for TypeClearText {
    const NAME: &'static str = "type_clear_text";
    const SUMMARY: &'static str =
        "Clear all text from a field naturally using select-all + delete.";
    const WRITING: StepSyntax = StepSyntax::Scalar("element_id");
    const EFFECT: Effect = Effect::Sets;
    type Args = ClearArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        args.filled("element_id").map(|_| ())
    }

    /// Empties the field and reads it back. An empty field passes.
    async fn call(session: &Session, args: ClearArgs, call: &Call) -> Result<Outcome, Failure> {
        let id = &args.element_id;
        let typed = session
            .erase(Focus::Id(id), None, call.timeout)
            .await
            .map_err(|error| errors::typing(id, error))?;
        let text = Words::format("Text cleared from element '{}'.", &[&id]);
        typed_outcome(session, &text, typed, "").await
    }
}

const KEYS: [&str; 6] = ["ENTER", "BACK", "DEL", "HOME", "TAB", "SPACE"];

/// Arguments of `press_key`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PressKeyArgs {
    /// Key to press
    pub key: String,
}

#[derive(Debug)]
pub struct PressKey;

impl Tool for PressKey {
    const NAME: &'static str = "press_key";
    const SUMMARY: &'static str =
        "Press a specific key. Supported keys: ENTER, BACK, DEL, HOME, TAB, SPACE.";
    const HELP: &'static str = "ENTER, DEL, TAB and SPACE go to what has the focus.";
    const WRITING: StepSyntax = StepSyntax::Scalar("key");
    const FOR_CLIENTS: ClientDifferences = ClientDifferences {
        choices: &[("key", &KEYS)],
        ..ClientDifferences::SAME
    };
    type Args = PressKeyArgs;

    /// Checks that `key` is one of ENTER, BACK, DEL, HOME, TAB and SPACE, in any letter case.
    fn check(args: &Arguments) -> Result<(), Failure> {
        let key = args.required_text("key")?;
        if KEYS.contains(&key.to_uppercase().as_str()) {
            return Ok(());
        }
        Err(invalid(Words::format(
            "Invalid key: '{}'. Allowed values: {}",
            &[&key, &KEYS.join(", ")],
        )))
    }

    fn front_effect(args: &PressKeyArgs) -> FrontEffect {
        FrontEffect::from_key(&args.key)
    }

    /// Presses a key. ENTER needs an element with the focus, and DEL, TAB and SPACE a field with it; a new look
    /// decides, and without it nothing is pressed. BACK and HOME need none. TAB enters the character where the device
    /// can do that.
    async fn call(session: &Session, args: PressKeyArgs, _: &Call) -> Result<Outcome, Failure> {
        let wanted = args.key.to_uppercase();
        // Returns the constant, as only this program's own key names are pressed.
        let key = KEYS
            .into_iter()
            .find(|key| *key == wanted)
            .unwrap_or("ENTER");
        let (needs_focus, needs_field) = match key {
            "ENTER" => (Some("No focused element found for ENTER key"), false),
            "DEL" => (Some("No focused editable element found for DEL key"), true),
            "TAB" | "SPACE" => (
                Some("No focused editable element found for key input"),
                true,
            ),
            _ => (None, false),
        };
        if let Some(message) = needs_focus {
            let screen = session.look().await.map_err(errors::tree)?;
            let focused = screen
                .nodes()
                .any(|node| node.flags().focused && (!needs_field || node.is_editable()));
            if !focused {
                return Err(Failure {
                    code: Some(ErrorCode::ELEMENT_NOT_FOUND),
                    ..Failure::assertion(message)
                });
            }
        }
        let action = Words::format("{} key", &[&Words::from(key)]);
        // A TAB key would move the focus in a single-line field, but the character is wanted.
        let pressed = if key == "TAB" {
            session.commit_or_press("\t", "TAB").await
        } else {
            session.press(key).await
        };
        pressed.map_err(|error| errors::system(action, error))?;
        Ok(Outcome::text(Words::format(
            "Key '{}' pressed successfully",
            &[&Words::from(key)],
        )))
    }
}
