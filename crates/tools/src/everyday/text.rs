//! Steps for text and keys.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;

use crate::arguments::Arguments;
use crate::{Call, Failure, FrontEffect, Outcome, Rehearsal, StepSyntax, StepValue, Tool, Words};
use runner_device::{Input, Key};
use runner_engine::{Focus, Readiness, Session, TypedField, Typing};
use runner_screen::Selector;

/// Arguments of `type`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own, as a flow writes it"
)]
pub struct TypeArgs {
    /// The field; by default the one that has the focus.
    #[serde(default)]
    pub into: Option<Selector>,
    /// What to type, at the end of what is there. A line feed presses ENTER.
    pub text: String,
    /// The text is secret: no output shows it.
    #[serde(default)]
    pub secret: bool,
    /// Empty the field first.
    #[serde(default)]
    pub clear: bool,
    /// Press a key for each character, also where the device could put the text in at once.
    #[serde(default)]
    pub keys: bool,
    /// Type also while the field is disabled.
    #[serde(default)]
    pub force: bool,
}

/// Builds the outcome with the field's content as its value; a secret's is null.
fn typed_outcome(text: String, typed: &TypedField, secret: bool) -> Outcome {
    let content = typed.content.as_deref().filter(|_| !secret);
    let outcome = Outcome::value(text, json!({ "text": content }));
    match &typed.field {
        Some((screen, node)) => outcome.at(screen.node(*node).bounds()),
        None => outcome,
    }
}

/// Returns the field that the selector names, or without one the field that has the focus. Unless `force` is set, it
/// must be enabled.
fn focus(into: Option<&Selector>, force: bool) -> Focus<'_> {
    let readiness = Readiness::from_force(force);
    match into {
        Some(selector) => Focus::On(selector, readiness),
        None => Focus::Current(readiness),
    }
}

#[derive(Debug)]
pub struct Type;

impl Tool for Type {
    const NAME: &'static str = "type";
    const EXAMPLE: &'static str = "- type: { into: { id: username }, text: ada }";
    const KEEPS: StepValue = StepValue::new(&[(
        "text",
        "what is in the field now, or what was typed where that cannot be read",
    )]);
    const SUMMARY: &'static str =
        "Types text into a field, reads it back, and fails where it did not arrive whole.";
    const WRITING: StepSyntax = StepSyntax::Sequence("text");
    const REHEARSAL: Rehearsal = Rehearsal::Here;
    type Args = TypeArgs;

    /// Types text at the end of the field, or in place of its content with `clear`, and reads it back; the value is the
    /// field's content. Line feeds at the end become ENTER. Text that does not arrive is typed once more, then it is a
    /// failure. A field that does not show its content passes with a note, and its value is the text that was sent.
    /// Text of a password field is masked everywhere.
    async fn call(session: &Session, args: TypeArgs, call: &Call) -> Result<Outcome, Failure> {
        let typing = Typing {
            clear: args.clear,
            secret: args.secret,
            speed: None,
            keys: args.keys,
        };
        let focus = focus(args.into.as_ref(), args.force);
        let mut typed = session
            .type_text(focus, &args.text, typing, call.timeout)
            .await?;
        let count = args.text.chars().count();
        let (done, note) = if typed.is_confirmed {
            (format!("Typed {count} characters"), None)
        } else {
            let note = "the field does not show what it holds, so the text was only sent";
            (format!("Sent {count} characters"), Some(note.to_owned()))
        };
        let hidden = typed.hidden(&args.text).map(str::to_owned);
        if typed.content.is_none() {
            typed.content = Some(args.text);
        }
        Ok(typed_outcome(done, &typed, args.secret)
            .hiding(hidden.as_deref())
            .noting(note))
    }
}

/// Arguments of `erase`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EraseArgs {
    /// The field; by default the one that has the focus.
    #[serde(default)]
    pub on: Option<Selector>,
    /// How many characters before the end; by default all.
    #[serde(default)]
    #[schemars(range(min = 1, max = 10000))]
    pub characters: Option<usize>,
    /// Erase also while the field is disabled.
    #[serde(default)]
    pub force: bool,
}

#[derive(Debug)]
pub struct Erase;

impl Tool for Erase {
    const NAME: &'static str = "erase";
    const EXAMPLE: &'static str = "- erase: { id: username }";
    const KEEPS: StepValue = StepValue::new(&[("text", "what is in the field now")]);
    const SUMMARY: &'static str = "Empties a field, or deletes characters before its end.";
    const WRITING: StepSyntax = StepSyntax::Element;
    const VALUE_OPTIONAL: bool = true;
    type Args = EraseArgs;

    /// Deletes this many characters, 1 to 10 000, before the end of the field, or all. Succeeds also where the field
    /// does not show its content, and says so in its text. A field that keeps its content is a failure.
    async fn call(session: &Session, args: EraseArgs, call: &Call) -> Result<Outcome, Failure> {
        if args
            .characters
            .is_some_and(|count| !(1..=10_000).contains(&count))
        {
            return Err(Failure::usage(
                "`characters` must be between 1 and 10000; leave it out to empty the field",
            ));
        }
        let focus = focus(args.on.as_ref(), args.force);
        let typed = session.erase(focus, args.characters, call.timeout).await?;
        let done = if typed.is_confirmed {
            "Erased"
        } else {
            "Sent deletions; the field does not show what it holds"
        };
        Ok(typed_outcome(done.to_owned(), &typed, false))
    }
}

/// Arguments of `press`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PressArgs {
    /// A key's Android name without `KEYCODE_`, such as `ENTER`, `BACK`, `DPAD_DOWN`; or several together, joined by `+`.
    #[schemars(extend("examples" = [
        "ENTER", "BACK", "HOME", "TAB", "ESCAPE", "SPACE", "DEL", "FORWARD_DEL", "SEARCH", "MENU", "APP_SWITCH",
        "DPAD_UP", "DPAD_DOWN", "DPAD_LEFT", "DPAD_RIGHT", "DPAD_CENTER", "PAGE_UP", "PAGE_DOWN", "MOVE_HOME", "MOVE_END",
        "VOLUME_UP", "VOLUME_DOWN", "VOLUME_MUTE", "MEDIA_PLAY_PAUSE", "MEDIA_NEXT", "MEDIA_PREVIOUS", "POWER", "CAMERA",
        "CTRL_LEFT+A", "CTRL_LEFT+C", "CTRL_LEFT+V"
    ]))]
    pub key: String,
    /// How often.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 100))]
    pub times: usize,
    /// Hold it long.
    #[serde(default)]
    pub long: bool,
}

/// Parses keys joined by `+`. A name of the wrong form, also an empty one, is a failure of usage; unknown names pass.
fn keys(names: &str) -> Result<Vec<Key>, Failure> {
    names
        .split('+')
        .map(|name| Ok(name.parse::<Key>()?))
        .collect()
}

fn one() -> usize {
    1
}

#[derive(Debug)]
pub struct Press;

impl Tool for Press {
    const NAME: &'static str = "press";
    const EXAMPLE: &'static str = "- press: ENTER";
    const SUMMARY: &'static str = "Presses a key.";
    const WRITING: StepSyntax = StepSyntax::Scalar("key");
    const REHEARSAL: Rehearsal = Rehearsal::Here;
    type Args = PressArgs;

    /// Checks the names of the keys. Other mistakes are reported when the arguments are read.
    fn check(args: &Arguments) -> Result<(), Failure> {
        match args.get("key").and_then(serde_json::Value::as_str) {
            Some(names) => keys(names)?.iter().try_for_each(|key| Ok(key.check()?)),
            // A missing key, or one that is not text, is reported when the arguments are read.
            None => Ok(()),
        }
    }

    fn front_effect(args: &PressArgs) -> FrontEffect {
        FrontEffect::from_key(&args.key)
    }

    /// Presses one key, or several together, `times` times, at most 100. Other numbers, and `long` with several keys,
    /// are failures of usage. What the key did is not checked.
    async fn call(session: &Session, args: PressArgs, _: &Call) -> Result<Outcome, Failure> {
        if !(1..=100).contains(&args.times) {
            return Err(Failure::usage(Words::format(
                "`times` is {}; it must be between 1 and 100",
                &[&args.times],
            )));
        }
        let keys = keys(&args.key)?;
        let input = match <[Key; 1]>::try_from(keys) {
            Ok([key]) => Input::Key {
                key,
                long: args.long,
            },
            Err(_) if args.long => {
                return Err(Failure::usage(
                    "`long` goes with one key, not with several together",
                ));
            }
            Err(keys) => Input::Combination(keys),
        };
        session.input(&vec![input; args.times]).await?;
        Ok(Outcome::text(Words::format("Pressed {}", &[&args.key])))
    }
}

/// No arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoArgs {}

#[derive(Debug)]
pub struct Back;

impl Tool for Back {
    const NAME: &'static str = "back";
    const EXAMPLE: &'static str = "- back";
    const SUMMARY: &'static str = "Presses the back key.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const FRONT: FrontEffect = FrontEffect::GoesBack;
    const REHEARSAL: Rehearsal = Rehearsal::Here;
    type Args = NoArgs;

    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        session.press("BACK").await?;
        Ok(Outcome::text("Pressed BACK"))
    }
}

#[derive(Debug)]
pub struct Home;

impl Tool for Home {
    const NAME: &'static str = "home";
    const EXAMPLE: &'static str = "- home";
    const SUMMARY: &'static str = "Presses the home key.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const FRONT: FrontEffect = FrontEffect::GoesHome;
    const REHEARSAL: Rehearsal = Rehearsal::Here;
    type Args = NoArgs;

    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        session.press("HOME").await?;
        Ok(Outcome::text("Pressed HOME"))
    }
}

#[derive(Debug)]
pub struct HideKeyboard;

impl Tool for HideKeyboard {
    const NAME: &'static str = "hide_keyboard";
    const EXAMPLE: &'static str = "- hide_keyboard";
    const SUMMARY: &'static str =
        "Hides the keyboard; does nothing where none is shown, so it never leaves a screen.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const REHEARSAL: Rehearsal = Rehearsal::Here;
    type Args = NoArgs;

    /// Presses back once if a keyboard is shown, or comes within 0.5 s after a field asked for it, and waits at least a
    /// second until it is hidden. Succeeds, with no key pressed, if there is none. A keyboard that stays is a failure,
    /// and so is another window in front.
    async fn call(session: &Session, _: NoArgs, call: &Call) -> Result<Outcome, Failure> {
        let hidden = session
            // A keyboard needs time to disappear, however short the step's limit is.
            .hide_keyboard(call.timeout.max(Duration::from_secs(1)))
            .await?;
        Ok(Outcome::text(if hidden {
            "Keyboard hidden"
        } else {
            "No keyboard was shown"
        }))
    }
}
