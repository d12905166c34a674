//! Keeps words that are masked out of the selectors of a recording.

use serde_json::{Value, json};

use super::act::{Act, Typing};
use super::secrets::{GivenSecret, Secrets};
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
    /// fields. One that cannot do without is told as missing.
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

    /// Returns the act; one whose selector has masked words is of the id alone. `None` if it has no id, or if the id
    /// alone asserts something else. Scrolls, gestures, launches and calls of tools that are no assertions stay as they
    /// are, whatever their words.
    pub(super) fn left_out_of(&self, act: &Act) -> Option<Act> {
        match act {
            Act::Touch {
                how,
                on,
                field,
                force,
            } if self.are_in(&self.secrets.selector(on)) => Some(Act::Touch {
                how: *how,
                on: by_id(on)?,
                field: field.clone(),
                force: *force,
            }),
            Act::Erase { on, field, force } if self.are_in(&self.secrets.selector(on)) => {
                Some(Act::Erase {
                    on: by_id(on)?,
                    field: field.clone(),
                    force: *force,
                })
            }
            Act::Type(typing) => match &typing.into {
                Some(on) if self.are_in(&self.secrets.selector(on)) => Some(Act::Type(Typing {
                    into: Some(by_id(on)?),
                    ..typing.clone()
                })),
                _ => Some(act.clone()),
            },
            Act::Expect { on, visible } if self.are_in(&self.secrets.selector(on)) => {
                let on = visible.then(|| by_id(on))??;
                Some(Act::Expect { on, visible: true })
            }
            Act::Wait { on, limit } if self.are_in(&self.secrets.selector(on)) => Some(Act::Wait {
                on: by_id(on)?,
                limit: *limit,
            }),
            Act::Raw(raw)
                if act.is_assertion() && self.are_in(&self.secrets.to_flow_value(&raw.args)) =>
            {
                None
            }
            _ => Some(act.clone()),
        }
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
    use super::super::act::Touch;
    use super::super::assertion::raw;
    use super::*;

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
        let readable = [
            expect(json!("Copied"), true),
            expect(json!("Copied"), false),
            wait(json!({ "id": "copy", "text": "Copied" })),
            raw("assert", json!({ "id": "copy", "checked": true })),
            raw("click", both),
        ];
        assert_eq!(masked.left_out_of_all(&readable), readable);
        let left = masked.left_out_of_all(&[expect(json!(part), true)]);
        assert!(matches!(left.as_slice(), [Act::Unreported(_)]));
    }
}
