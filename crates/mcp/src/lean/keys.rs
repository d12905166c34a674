//! What a keyboard does.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::Lean;
use super::element::Element;
use runner_agent::DeviceCall;
use runner_tools::Failure;

/// Arguments of `runner_type`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TypeArgs {
    /// What to type, at the end of what is there.
    text: String,
    /// The field, as for `runner_click`; without it the one with the focus.
    on: Option<String>,
    /// Or its resource id.
    id: Option<String>,
    /// Empty the field first.
    #[serde(default)]
    clear: bool,
}

pub(super) struct Type;

impl Lean for Type {
    const NAME: &'static str = "runner_type";
    const SUMMARY: &'static str =
        "Types into a field and reads it back; fails where not all arrived.";
    const STEP: &'static str = "type";
    type Args = TypeArgs;

    fn work(args: TypeArgs) -> Result<DeviceCall, Failure> {
        let (text, clear) = (args.text, args.clear);
        match Element::read(args.on, args.id)? {
            Some(Element::Observed(id)) => {
                // As the step reports it.
                let reported = format!("Typed {} characters", text.chars().count());
                // The step takes selectors only; this tool takes ids.
                let args = json!({ "element_id": id, "text": text, "replace": clear });
                Ok(DeviceCall {
                    message: Some(reported),
                    ..DeviceCall::named("semantic.type_text", args)?
                })
            }
            Some(Element::Selected(into)) => DeviceCall::named(
                Self::STEP,
                json!({ "into": into, "text": text, "clear": clear }),
            ),
            None => DeviceCall::named(Self::STEP, json!({ "text": text, "clear": clear })),
        }
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

impl Lean for Press {
    const NAME: &'static str = "runner_press";
    const SUMMARY: &'static str = "Presses a key.";
    const STEP: &'static str = "press";
    type Args = PressArgs;

    fn work(args: PressArgs) -> Result<DeviceCall, Failure> {
        DeviceCall::named(
            Self::STEP,
            json!({ "key": args.key, "times": args.times.unwrap_or(1) }),
        )
    }
}
