//! Keeps words that are masked out of the assertions of a recording.

use serde_json::{Value, json};

use super::act::Act;
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

    /// Returns the acts, each at its place, without masked words in assertions. One that cannot do without is told
    /// as missing.
    pub(super) fn left_out_of_all(&self, acts: &[Act]) -> Vec<Act> {
        let missing = || Act::Unreported("an assertion about a part of a secret".to_owned());
        acts.iter()
            .map(|act| self.left_out_of(act).unwrap_or_else(missing))
            .collect()
    }

    /// Returns the act; an assertion that has masked words is one of the id alone. `None` if it has no id, or if
    /// the id alone asserts something else. Acts that are no assertions stay as they are.
    pub(super) fn left_out_of(&self, act: &Act) -> Option<Act> {
        match act {
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
