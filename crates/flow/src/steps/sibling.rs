//! Says where a key belongs that stands beside a step and is no modifier.

use crate::check_advice::is_list;
use crate::reader::Reader;
use crate::report::suggest;
use crate::run_advice;
use crate::step_forms;
use crate::yaml::{Key, Node, NodeKind};
use crate::{foreign, key_owner, keys};
use runner_text::diagnostic::Code;
use runner_tools::StepSyntax;

impl Reader<'_> {
    /// Reports as an error `key` with its value `given`, which is beside the step's own and neither a step nor a
    /// modifier. The help says where it belongs: to a modifier of another name, into the step's map, to another step
    /// or the header, or, if nothing fits, it lists the modifiers.
    pub(super) fn sibling_key(&mut self, step: &Key, value: &Node, key: &Key, given: &Node) {
        let vocabulary = self.project.vocabulary;
        if let Some(help) = step_forms::typed_step(step, value, key, given, vocabulary) {
            let message = "a step is written by its name, not as `type`";
            self.fail_at(step.span.clone(), Code::UnknownStep, message, Some(help));
            return;
        }
        let of_control = keys::inside_control(&step.text);
        let mut inside = of_control.to_vec();
        if let Some(tool) = vocabulary.tool(&step.text) {
            inside.extend(vocabulary.properties(&tool.schema));
            inside.extend(vocabulary.properties(&vocabulary.selector));
        }
        let belongs = inside.contains(&key.text.as_str());
        // Another tool's word for a modifier, if the step is complete without it.
        let modifier = foreign::modifier(&key.text)
            .filter(|_| !belongs || of_control.is_empty() && !value.is_missing());
        let branch = (step.text == "if").then(|| foreign::key(&key.text, &["then", "else"]));
        let rounds = || foreign::rounds((&step.text, value), (&key.text, given));
        let branch = branch.flatten();
        let branch = branch.or_else(|| rounds().filter(|_| !belongs));
        let option = || {
            self.with_option(step, value, key)
                .filter(|_| !value.is_missing())
        };
        let branch = branch.or_else(option);
        let branch =
            branch.or_else(|| sibling_advice(step, value, key, given).filter(|_| !belongs));
        let help = match (branch, modifier) {
            (Some(branch), _) => Some(branch),
            (None, Some(name)) => Some(format!("write `{name}: …`")),
            (None, None) if belongs || value.is_missing() => {
                let first = of_control.first().filter(|_| !value.is_missing());
                let first = first.map_or_else(String::new, |first| {
                    let given = value.scalar().map_or("…", |given| given.text.as_str());
                    format!("{first}: {given}, ")
                });
                Some(format!(
                    "if it belongs to `{}`, indent it deeper, or write `{}: {{ {first}{}: … }}`",
                    step.text, step.text, key.text
                ))
            }
            (None, None) if foreign::key(&key.text, &["on"]).is_some() => {
                let ours =
                    foreign::everyday(&step.text).unwrap_or_else(|| format!("{}: …", step.text));
                let ours = ours.split(':').next().unwrap_or_default();
                Some(format!(
                    "which element is meant stands in the step: write `{ours}: {{ id: … }}`"
                ))
            }
            (None, None) => {
                let help = suggest(&key.text, keys::MODIFIERS);
                let is_list = is_list(help.as_deref());
                let owner = || key_owner::owner(vocabulary, &key.text);
                is_list.then(owner).flatten().or(help)
            }
        };
        let message = format!("`{}` is not a modifier of a step", key.text);
        self.fail_at(key.span.clone(), Code::UnknownKey, message, help);
    }

    /// Returns advice for an option of a step that stands beside it: the map with the step's value and the option,
    /// both as `…`. Returns `None` for other keys, also for those of a selector, for a value that is no scalar, and
    /// for a step without a short form.
    pub(super) fn with_option(&self, step: &Key, value: &Node, key: &Key) -> Option<String> {
        let vocabulary = self.project.vocabulary;
        let (known, main) = match vocabulary.tool(&step.text) {
            Some(tool) => {
                let main = match tool.entry.writing {
                    StepSyntax::Element => "text",
                    StepSyntax::Scalar(name) | StepSyntax::Sequence(name) => name,
                    StepSyntax::Map => return None,
                };
                (vocabulary.properties(&tool.schema), main)
            }
            None if step.text == "snapshot" => {
                (vocabulary.properties(&vocabulary.snapshot), "name")
            }
            None => return None,
        };
        if !known.contains(&key.text.as_str()) || value.scalar().is_none() {
            return None;
        }
        let main = if value.is_missing() {
            String::new()
        } else {
            format!("{main}: …, ")
        };
        Some(format!(
            "write `{}: {{ {main}{}: … }}`",
            step.text, key.text
        ))
    }
}

/// Returns advice for a key beside a step that is no modifier in other words but has its place elsewhere: values of a
/// sub-flow, arguments under `with`, the steps of a group. Returns `None` for other keys.
fn sibling_advice(step: &Key, value: &Node, key: &Key, given: &Node) -> Option<String> {
    // `with` gives a sub-flow its values in other tools.
    if step.text == "run" && foreign::key(&key.text, &["env"]).is_some() {
        let file = value.scalar().filter(|_| !value.is_missing());
        let file = file.map_or("FILE", |file| file.text.as_str());
        return Some(format!("write `run: {{ flow: {file}, env: {{ … }} }}`"));
    }
    let of_sub_flow = || run_advice::sub_flow_value(key, Some(value));
    if let Some(help) = (step.text == "run").then(of_sub_flow).flatten()
        && foreign::key(&key.text, &["beside a step"]).is_none()
    {
        return Some(help);
    }
    if let (NodeKind::Map(inside), "with" | "args" | "options" | "params") =
        (&given.kind, key.text.as_str())
    {
        let keys: Vec<String> = inside
            .iter()
            .map(|(key, _)| format!("{}: …", key.text))
            .collect();
        let keys = keys.join(", ");
        return Some(format!(
            "what a step takes stands in its own map: write `{}: {{ …, {keys} }}`",
            step.text
        ));
    }
    if step.text == "group" && key.text == "steps" {
        let help = "write `group: […]`, and `label: …` beside it for its name";
        return Some(help.to_owned());
    }
    foreign::key(&key.text, &["beside a step"])
}
