//! Lean tools of the keyboard: type and press.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, json};

use super::element::Element;
use super::translation::LeanDefinition;
use runner_agent::DeviceCall;
use runner_tools::Failure;

/// Arguments of `runner_type`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TypeArgs {
    /// What to type, at the end of what is there.
    text: String,
    /// The field, as for `runner_click`; else what has the focus.
    on: Option<String>,
    /// Or its resource id.
    id: Option<String>,
    /// Empty the field first.
    #[serde(default)]
    clear: bool,
}

pub(super) struct Type;

impl LeanDefinition for Type {
    const NAME: &'static str = "runner_type";
    const SUMMARY: &'static str =
        "Types into a field and reads it back; fails where not all arrived.";
    const STEP: &'static str = "type";
    type Args = TypeArgs;

    /// Builds the call that types into the named element, or without one into the field with the focus. It is a failure
    /// if two are named.
    fn work(args: TypeArgs) -> Result<DeviceCall, Failure> {
        let mut step = Map::from_iter([
            ("text".to_owned(), args.text.into()),
            ("clear".to_owned(), args.clear.into()),
        ]);
        if let Some(element) = Element::read(args.on, args.id)? {
            step.insert("into".to_owned(), element.into_value());
        }
        DeviceCall::from_step(Self::STEP, step)
    }
}

/// Arguments of `runner_press`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PressArgs {
    /// BACK, HOME, ENTER, TAB, DEL, … (Android's names); several together joined by `+`.
    key: String,
    /// How often.
    times: Option<u32>,
}

pub(super) struct Press;

impl LeanDefinition for Press {
    const NAME: &'static str = "runner_press";
    const SUMMARY: &'static str = "Presses a key.";
    const STEP: &'static str = "press";
    type Args = PressArgs;

    /// Builds the call, once without `times`. The name of the key is not checked here.
    fn work(args: PressArgs) -> Result<DeviceCall, Failure> {
        DeviceCall::named(
            Self::STEP,
            json!({ "key": args.key, "times": args.times.unwrap_or(1) }),
        )
    }
}
