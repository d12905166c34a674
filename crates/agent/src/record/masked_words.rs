//! Keeps words that are masked out of a recording: texts become secrets of it, and selectors do without them.

use serde_json::{Map, Value, json};

use super::act::{Act, ToolStep};
use super::secrets::{GivenSecret, MIN_SECRET_CHARS, Secrets};
use runner_screen::Selector;
use runner_text::secret::Scrubber;

/// Words that no flow may show, such as what is left of a secret that was typed and edited. A whole secret is
/// none of them: a flow has its name.
pub(super) struct MaskedWords<'a> {
    secrets: Secrets,
    scrubber: &'a Scrubber,
}

impl<'a> MaskedWords<'a> {
    /// Takes the secrets of acts, and those that have a name already, as a flow writes them. All else that
    /// `scrubber` masks are masked words.
    pub(super) fn new(acts: &[Act], given: &[GivenSecret], scrubber: &'a Scrubber) -> Self {
        Self {
            secrets: Secrets::from_acts(acts, None, given),
            scrubber,
        }
    }

    /// Returns the acts, each at its place, without masked words in assertions and in the selectors of touches and
    /// fields. Texts that have some are marked as secrets. An act that cannot do without is told as missing.
    pub(super) fn left_out_of_all(&self, acts: &[Act]) -> Vec<Act> {
        let missing = |act: &Act| {
            let what = if act.is_assertion() {
                "an assertion about a part of a secret"
            } else {
                "an act on what only a part of a secret names"
            };
            Act::Unreported(what.to_owned())
        };
        acts.iter()
            .map(|act| self.left_out_of(act).unwrap_or_else(|| missing(act)))
            .collect()
    }

    /// Returns the act; of a selector that has masked words only the id is left, and a text that has some is marked as a
    /// secret. `None` if there is no id, or if the id alone asserts something else, for a launch with such words, and for
    /// another call of a tool with several such texts.
    pub(super) fn left_out_of(&self, act: &Act) -> Option<Act> {
        let mut act = act.clone();
        let is_assertion = act.is_assertion();
        match &mut act {
            Act::Touch { on, .. } | Act::Erase { on, .. } | Act::Wait { on, .. } => {
                *on = self.nameable(on)?;
            }
            Act::Type(typing) => {
                if let Some(on) = &mut typing.into {
                    *on = self.nameable(on)?;
                }
                typing.secret |= self.is_masked(&typing.text);
            }
            Act::Launch { options, .. } if self.are_in(&self.flow_value(options)) => return None,
            // That nothing with the id is there says more than that nothing with these words is.
            Act::Expect { on, visible: false } if self.are_in(&self.secrets.selector(on)) => {
                return None;
            }
            Act::Expect { on, .. } => *on = self.nameable(on)?,
            Act::Scroll { within, raw, .. } => {
                self.name_element(within)?;
                if self.are_in(&self.secrets.to_flow_value(&raw.args)) {
                    return None;
                }
            }
            Act::ScrollTo { on, within, .. } => {
                *on = self.nameable(on)?;
                self.name_element(within)?;
            }
            Act::Drag { from, to, .. } => {
                self.name_element(&mut from.on)?;
                self.name_element(&mut to.on)?;
            }
            Act::TwoFingers { place, .. } => self.name_element(&mut place.on)?,
            Act::Raw(raw)
                if is_assertion && self.are_in(&self.secrets.to_flow_value(&raw.args)) =>
            {
                return None;
            }
            Act::Raw(raw) => self.hide_text(raw)?,
            _ => {}
        }
        Some(act)
    }

    /// Marks the text among a tool's arguments that has masked words as its secret. `None` if there are several.
    fn hide_text(&self, raw: &mut ToolStep) -> Option<()> {
        let mut masked = Vec::new();
        self.add_masked(&raw.args, &mut masked);
        masked.dedup();
        let text = match masked.as_slice() {
            [] => return Some(()),
            [text] if raw.hidden.is_none() => (*text).to_owned(),
            _ => return None,
        };
        raw.hidden = Some(text);
        if raw.name == "type"
            && let Some(args) = raw.args.as_object_mut()
        {
            args.insert("secret".to_owned(), json!(true));
        }
        Some(())
    }

    /// Adds the strings in a value that have masked words, at any depth.
    fn add_masked<'v>(&self, value: &'v Value, masked: &mut Vec<&'v str>) {
        match value {
            Value::String(text) if self.is_masked(text) => masked.push(text),
            Value::Array(items) => items.iter().for_each(|it| self.add_masked(it, masked)),
            Value::Object(map) => map.values().for_each(|it| self.add_masked(it, masked)),
            _ => {}
        }
    }

    /// Returns true if a text, as the flow would hold it, has masked words. A text that is shorter than secrets within
    /// other texts has none: it would be an ordinary word elsewhere.
    fn is_masked(&self, text: &str) -> bool {
        text.chars().count() >= MIN_SECRET_CHARS
            && self.are_in(&self.secrets.to_flow_value(&json!(text)))
    }

    fn flow_value(&self, options: &Map<String, Value>) -> Value {
        self.secrets.to_flow_value(&Value::Object(options.clone()))
    }

    /// Returns the selector without masked words: as it is, or of the id alone; `None` if it has words and no id.
    fn nameable(&self, on: &Selector) -> Option<Selector> {
        if self.are_in(&self.secrets.selector(on)) {
            by_id(on)
        } else {
            Some(on.clone())
        }
    }

    /// Takes masked words out of the selector of an element, if there is one. `None` if nothing else names it.
    fn name_element(&self, on: &mut Option<Box<Selector>>) -> Option<()> {
        if let Some(on) = on {
            **on = self.nameable(on)?;
        }
        Some(())
    }

    fn are_in(&self, value: &Value) -> bool {
        let mut clean = value.clone();
        self.scrubber.scrub_json(&mut clean, &[]);
        clean != *value
    }
}

/// Returns a selector by the id alone; `None` if there is none.
fn by_id(on: &Selector) -> Option<Selector> {
    let value = on.to_value();
    Selector::from_value(&json!({ "id": value.get("id")? })).ok()
}

#[cfg(test)]
mod tests {
    use super::super::act::{Touch, Typing};
    use super::super::assertion::raw;
    use super::super::gesture_place::GesturePlace;
    use super::*;
    use runner_engine::{Direction, Readiness};

    fn selector(value: Value) -> Selector {
        Selector::from_value(&value).unwrap()
    }

    #[test]
    fn an_assertion_has_no_masked_words() {
        let scrubber = Scrubber::default();
        scrubber.add_typed("Tr0ub4dor.3-x");
        let masked = MaskedWords::new(&[], &[], &scrubber);
        let expect = |value: Value, visible| Act::Expect {
            on: selector(value),
            visible,
        };
        let wait = |value: Value| Act::Wait {
            on: selector(value),
            limit: None,
        };
        let part = "r0ub4dor.3";
        let (id, both) = (
            json!({ "id": "copy" }),
            json!({ "id": "copy", "text": part }),
        );
        for (act, expected) in [
            (expect(both.clone(), true), Some(expect(id.clone(), true))),
            (expect(both.clone(), false), None),
            (expect(json!(part), true), None),
            (wait(both.clone()), Some(wait(id))),
            (wait(json!(part)), None),
            (raw("assert", both.clone()), None),
        ] {
            assert_eq!(masked.left_out_of(&act), expected, "{act:?}");
        }
        // A flow with `***` in a selector would find nothing.
        let touch = |value: Value| Act::Touch {
            how: Touch::Click,
            on: selector(value),
            field: None,
            force: false,
        };
        for (value, expected) in [
            (both.clone(), Some(touch(json!({ "id": "copy" })))),
            (json!(part), None),
            (json!("Copied"), Some(touch(json!("Copied")))),
        ] {
            assert_eq!(masked.left_out_of(&touch(value)), expected);
        }
        let scroll_to = |value: Value, within: Value| Act::ScrollTo {
            on: selector(value),
            direction: Direction::Down,
            within: Some(Box::new(selector(within))),
            scrolls: 1,
        };
        let list = json!({ "id": "list" });
        for (value, within, expected) in [
            (
                both.clone(),
                list.clone(),
                Some(scroll_to(json!({ "id": "copy" }), list.clone())),
            ),
            (json!("Copied"), json!(part), None),
            (json!(part), list, None),
        ] {
            assert_eq!(masked.left_out_of(&scroll_to(value, within)), expected);
        }
        let drag = |on: Value| {
            let place = |on: Option<Value>| GesturePlace {
                on: on.map(|on| Box::new(selector(on))),
                at: None,
            };
            Act::Drag {
                from: place(Some(on)),
                to: place(None),
                options: serde_json::Map::new(),
            }
        };
        assert_eq!(masked.left_out_of(&drag(json!(part))), None);
        let by_id_alone = Some(drag(json!({ "id": "copy" })));
        assert_eq!(masked.left_out_of(&drag(both.clone())), by_id_alone);
        let readable = [
            expect(json!("Copied"), true),
            expect(json!("Copied"), false),
            wait(json!({ "id": "copy", "text": "Copied" })),
            raw("assert", json!({ "id": "copy", "checked": true })),
            raw("click", json!({ "id": "copy", "text": "Copied" })),
            raw("click", json!({ "id": "copy", "text": "Tr0" })),
        ];
        assert_eq!(masked.left_out_of_all(&readable), readable);
        let left = masked.left_out_of_all(&[expect(json!(part), true)]);
        assert!(matches!(left.as_slice(), [Act::Unreported(_)]));
    }

    #[test]
    fn texts_with_masked_words_become_secrets_of_the_flow() {
        let scrubber = Scrubber::default();
        scrubber.add_typed("Tr0ub4dor.3-x");
        let masked = MaskedWords::new(&[], &[], &scrubber);
        let hidden_of = |args: Value| match masked.left_out_of(&raw("poke", args)) {
            Some(Act::Raw(raw)) => Some(raw.hidden),
            _ => None,
        };
        for text in ["Tr0ub4dor.3-x", "it is Tr0ub4dor.3-x!", "r0ub4dor.3"] {
            let is_text = Some(Some(text.to_owned()));
            for args in [
                json!(text),
                json!({ "text": text }),
                json!(["a", { "b": text }]),
                json!([text, text]),
            ] {
                assert_eq!(hidden_of(args), is_text, "{text}");
            }
            assert_eq!(hidden_of(json!([text, "Tr0ub4dor"])), None);
            let typing = Typing {
                into: None,
                field: None,
                text: text.to_owned(),
                clear: false,
                secret: false,
                hides_keyboard: false,
                readiness: Readiness::default(),
            };
            let typed = masked.left_out_of(&Act::Type(typing));
            assert!(
                matches!(typed, Some(Act::Type(Typing { secret: true, .. }))),
                "{text}"
            );
        }
        assert_eq!(hidden_of(json!({ "text": "shown" })), Some(None));
    }
}
