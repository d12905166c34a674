//! Rules of `runner.yaml` for dialogs that hide the app.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use runner_device::{Key, KeyError};
use runner_engine::{DialogAnswer, DialogRule, MAX_DIALOG_ANSWERS};
use runner_screen::Selector;

/// Number of rules of a project. Chosen: each rule is tried on every screen on which a step finds nothing.
const MAX_RULES: usize = 50;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectDialog {
    /// Selector of an element of the dialog.
    pub when: Value,
    #[serde(rename = "do")]
    pub answer: ProjectAnswer,
    /// Package of the app that shows the dialog; any by default.
    #[serde(default)]
    pub app: Option<String>,
}

/// Answer to a dialog. Exactly one field is set.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectAnswer {
    /// Selector of the element to touch.
    pub click: Option<Value>,
    /// Name of the key to press.
    pub press: Option<String>,
}

impl ProjectDialog {
    /// Converts the entry to a rule. `place` is its byte offset in the file, for messages.
    ///
    /// # Errors
    /// The key of the first wrong value, `do` before `when`, relative to the entry, and a message. Exactly one of
    /// `do.click` and `do.press` must be there.
    fn rule(&self, place: usize) -> Result<DialogRule, (&'static str, String)> {
        let selector = |at: &'static str, value: &Value| {
            let read = Selector::from_value(value);
            read.map_err(|wrong| (at, wrong.to_string()))
        };
        let answer = match (&self.answer.click, &self.answer.press) {
            (Some(value), None) => DialogAnswer::Click(Box::new(selector("do.click", value)?)),
            (None, Some(name)) => {
                let wrong = |error: KeyError| ("do.press", error.to_string());
                let key: Key = name.parse().map_err(wrong)?;
                key.check().map_err(wrong)?;
                DialogAnswer::Press(key)
            }
            _ => {
                let wrong = "`do` is one of `click` with a selector and `press` with a key";
                return Err(("do", wrong.to_owned()));
            }
        };
        Ok(DialogRule {
            when: selector("when", &self.when)?,
            app: self.app.clone(),
            answer,
            place,
        })
    }
}

/// Converts all entries in their order. `places` has the ranges of values by their paths, for the rules' places; one
/// that is not in it has the place 0.
///
/// # Errors
/// The path of the first wrong value of each entry, such as `on_dialog.0.when`, and a message. Then there are no rules.
pub(super) fn rules(
    written: &[ProjectDialog],
    places: &BTreeMap<String, Range<usize>>,
) -> Result<Arc<[DialogRule]>, Vec<(String, String)>> {
    let (mut rules, mut wrong) = (Vec::new(), Vec::new());
    for (index, dialog) in written.iter().enumerate() {
        let path = format!("on_dialog.{index}");
        let place = places.get(&path).map_or(0, |place| place.start);
        match dialog.rule(place) {
            Ok(rule) => rules.push(rule),
            Err((key, message)) => wrong.push((format!("{path}.{key}"), message)),
        }
    }
    if wrong.is_empty() {
        Ok(rules.into())
    } else {
        Err(wrong)
    }
}

/// Returns the schema of `on_dialog`: a list of at most [`MAX_RULES`] maps, each with `when` and one answer.
pub(super) fn schema() -> Value {
    let selector = |about: &str| {
        json!({
            "description": about,
            "anyOf": [
                { "type": "string", "minLength": 1 },
                { "type": "object", "minProperties": 1 },
            ],
        })
    };
    json!({
        "type": "array",
        "maxItems": MAX_RULES,
        "description": format!("Dialogs that would hide the app, and what to do with them. They are looked for where a step finds nothing, {MAX_DIALOG_ANSWERS} times a step at most."),
        "items": {
            "type": "object",
            "description": "A dialog, and what to do with it.",
            "properties": {
                "when": selector("What of the dialog is on the screen: a text, or a selector."),
                "do": {
                    "type": "object",
                    "description": "What to do: one of `click` and `press`.",
                    "properties": {
                        "click": selector("The element to touch: a text, or a selector."),
                        "press": { "type": "string", "minLength": 1, "description": "The key to press, such as `BACK`." },
                    },
                    "additionalProperties": false,
                    "minProperties": 1,
                    "maxProperties": 1,
                },
                "app": { "type": "string", "minLength": 1, "description": "Package of the app whose dialog it is, such as `com.android.permissioncontroller`; any by default." },
            },
            "required": ["when", "do"],
            "additionalProperties": false,
        },
    })
}
