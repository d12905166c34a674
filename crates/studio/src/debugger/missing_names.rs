//! Finds names that a part of the flow uses but only earlier steps set, so that a person can give their
//! values.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Value;

use runner_flow::{Control, Step, StepAction, reads_name};

/// Names of a part, and bytes of one value. Chosen: far more than flows use; they bound what a page may send.
const MAX_NAMES: usize = 50;
const MAX_VALUE_BYTES: usize = 64 << 10;

/// Values given by a person, as texts or JSON.
pub(crate) type Values = BTreeMap<String, String>;

/// Names without a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MissingNames(pub(crate) Vec<String>);

/// Returns the names that a part of a flow uses and that only steps before it set, each once, in the order of the
/// steps, those of one step by name. A name that an earlier step of the part sets is left out; one that the same
/// step uses and sets is not. `before` are all steps that do not run, those of the setup too; `part` are all that do.
pub(crate) fn find<'a>(
    before: impl IntoIterator<Item = &'a Step>,
    part: impl IntoIterator<Item = &'a Step>,
) -> Vec<String> {
    let mut lost = BTreeSet::new();
    for step in before {
        sets(step, &mut lost);
    }
    let mut missing = Vec::new();
    for step in part {
        let text = step.source.text.get(step.span.clone()).unwrap_or_default();
        let read: Vec<String> = lost
            .iter()
            .filter(|name| reads_name(text, name))
            .cloned()
            .collect();
        for name in read {
            lost.remove(&name);
            missing.push(name);
        }
        let mut set = BTreeSet::new();
        sets(step, &mut set);
        lost.retain(|name| !set.contains(name));
    }
    missing
}

impl MissingNames {
    /// Returns the values for a part, or all names as the error if the person was not asked for each of them yet, as
    /// after an edit. Values are read as JSON, or are texts if they are no JSON. A name with an empty or too long
    /// value, and one that is not among `names`, is left out. At most `MAX_NAMES` are taken, by name.
    pub(crate) fn from_given(
        names: Vec<String>,
        values: Option<&Values>,
    ) -> Result<Arc<IndexMap<String, Value>>, Self> {
        let no_values = Values::new();
        let values = values.unwrap_or(&no_values);
        if !names.iter().all(|name| values.contains_key(name)) {
            return Err(Self(names));
        }
        let given = values.iter().filter(|(name, value)| {
            names.contains(name) && !value.is_empty() && value.len() <= MAX_VALUE_BYTES
        });
        let read =
            |value: &String| serde_json::from_str(value).unwrap_or_else(|_| value.as_str().into());
        let stored = given
            .take(MAX_NAMES)
            .map(|(name, value)| (name.clone(), read(value)));
        Ok(Arc::new(stored.collect()))
    }
}

/// Adds the names that the step and the steps in its blocks set (by `as`, `set` or a sub-flow's outputs), whether
/// or not they are reached.
fn sets(step: &Step, names: &mut BTreeSet<String>) {
    names.extend(step.modifiers.keep_as.clone());
    let StepAction::Control(control) = &step.action else {
        return;
    };
    match &**control {
        Control::Set { values } => names.extend(values.keys().cloned()),
        Control::Run { flow, .. } => names.extend(flow.outputs.iter().cloned()),
        _ => {}
    }
    for step in control.lists().into_iter().flatten() {
        sets(step, names);
    }
}

#[cfg(test)]
mod tests {
    use runner_flow::{Flow, ReadOptions, read_text};

    use super::*;

    fn read(text: String) -> Flow {
        let (flow, problems) = read_text("a.yaml".into(), text, &ReadOptions::default());
        flow.unwrap_or_else(|| panic!("{problems:?}"))
    }

    #[test]
    fn names_that_steps_before_the_part_set_are_missing() {
        let text = "app: a.b\n\
                    setup:\n  - set: { user: ada, unused: 1 }\n\
                    steps:\n  - set: { code: 7, again: 1 }\n  - set: { again: 2 }\n  - type: \"${user}${again}\"\n\
                    teardown:\n  - type: \"${code}${user}\"\n";
        let flow = read(text.to_owned());
        let (before, part) = flow.steps.split_at(1);
        let setup = || flow.setup.iter().chain(before);
        assert_eq!(find(setup(), part), ["user"]);
        assert_eq!(
            find(setup(), part.iter().chain(&flow.teardown)),
            ["user", "code"]
        );
        assert_eq!(find(before, part), Vec::<String>::new());
    }

    #[test]
    fn a_name_is_asked_for_where_the_part_reads_it() {
        for (step, is_read) in [
            ("click: \"${total}\"", true),
            ("click: \"${'}' ~ total}\"", true),
            ("click: \"${a} total ${b ~ total}\"", true),
            ("assert: { that: \"${total == 1}\" }", true),
            ("click: total", false),
            ("click: \"${subtotal}\"", false),
            ("click: \"${totals}\"", false),
            ("click: \"${flow.name}\"", false),
        ] {
            let text = format!(
                "env: {{ a: x, b: y, subtotal: z, totals: z }}\nsteps:\n  - set: {{ total: 1, name: n }}\n  - {step}\n"
            );
            let flow = read(text);
            let (before, part) = flow.steps.split_at(1);
            assert_eq!(!find(before, part).is_empty(), is_read, "{step}");
        }
    }

    #[test]
    fn values_are_json_or_texts() {
        let names = || vec!["a".to_owned(), "b".to_owned(), "c".to_owned()];
        let asked = Err(MissingNames(names()));
        assert_eq!(MissingNames::from_given(names(), None), asked);
        let before_an_edit = [("a".to_owned(), "3".to_owned())].into();
        assert_eq!(
            MissingNames::from_given(names(), Some(&before_an_edit)),
            asked
        );
        assert!(MissingNames::from_given(Vec::new(), None).is_ok());
        let values = [("a", "3"), ("b", "three"), ("c", ""), ("x", "1")];
        let values = values.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let given = MissingNames::from_given(names(), Some(&values.into())).unwrap();
        let given: Vec<_> = given
            .iter()
            .map(|(name, value)| (name.as_str(), value.to_string()))
            .collect();
        assert_eq!(
            given,
            [("a", "3".to_owned()), ("b", "\"three\"".to_owned())]
        );
    }
}
