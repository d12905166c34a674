//! Parses lists of steps, and one step: its form, its modifiers and its action.
//!
//! Steps that hold steps are in `control.rs`, and the values of tools in `arguments.rs`.

mod assert;
mod bare_word;
mod condition;
mod modifiers;
mod sibling;
mod snapshot;
mod step_key;

use super::ast::{Modifiers, Step, StepAction};
use super::keys;
use super::reader::Reader;
use super::title;
use super::yaml::{Key, Node, NodeKind};
use runner_text::diagnostic::Code;
pub(crate) use snapshot::is_number_of;

impl Reader<'_> {
    /// Parses a list of steps that must not be empty, with the sub-flows that they run. An empty list, a missing
    /// value and other kinds of values are reported and return none. A wrong step is reported and left out.
    pub(crate) fn steps(&mut self, node: &Node) -> Vec<Step> {
        if matches!(&node.kind, NodeKind::Sequence(items) if items.is_empty()) || node.is_missing()
        {
            let help = Some("write at least one step: `- click: Sign in`".to_owned());
            self.fail(node, Code::MissingValue, "there are no steps here", help);
            return Vec::new();
        }
        self.steps_or_none(node)
    }

    /// Parses a list of steps, which may be empty or missing. Other kinds of values are reported and return
    /// none. A wrong step is reported and left out.
    pub(crate) fn steps_or_none(&mut self, node: &Node) -> Vec<Step> {
        match &node.kind {
            NodeKind::Sequence(items) => items.iter().filter_map(|item| self.step(item)).collect(),
            _ if node.is_missing() => Vec::new(),
            _ => {
                let help = match &node.kind {
                    NodeKind::Map(entries) if self.named_lists(entries).is_some() => {
                        self.named_lists(entries)
                    }
                    NodeKind::Map(entries) if self.is_in_braces(node) => in_brackets(entries),
                    NodeKind::Map(entries) => entries.first().map(|(key, value)| {
                        // YAML takes a dash without a space for a part of the key.
                        if let Some(step) = key.text.strip_prefix('-') {
                            let step = step.trim_start_matches(['-', ' ']);
                            let value = value.scalar().map_or("…", |value| value.text.as_str());
                            return format!("put a space after each dash: `- {step}: {value}`");
                        }
                        if !key.text.is_empty() && key.text.bytes().all(|b| b.is_ascii_digit()) {
                            let step = value.scalar().map_or("…", |step| step.text.as_str());
                            return format!(
                                "begin each step with `- ` in place of its number: write `- {step}`"
                            );
                        }
                        let given = match value.entries() {
                            [] => "…".to_owned(),
                            inside => {
                                let keys = inside.iter().map(|(key, _)| format!("{}: …", key.text));
                                format!("{{ {} }}", keys.collect::<Vec<_>>().join(", "))
                            }
                        };
                        format!("begin each step with `- `: write `- {}: {given}`", key.text)
                    }),
                    _ => Some(self.list_of(node)),
                };
                let message = format!("a list of steps is expected here, not {}", node.what());
                self.fail(node, Code::WrongType, message, help);
                Vec::new()
            }
        }
    }

    /// Returns true if the value begins with `{`. Inside of braces a list has brackets, and no dashes.
    fn is_in_braces(&self, node: &Node) -> bool {
        let text = self.source.text.get(node.span.clone());
        text.is_some_and(|text| text.starts_with('{'))
    }

    /// Returns advice for a text in place of a list of steps: for steps in it, the path of a YAML file, a step's
    /// name, or else how a list begins. For other kinds of values it is the last.
    fn list_of(&self, node: &Node) -> String {
        let text = node.scalar().map_or("", |scalar| scalar.text.as_str());
        if let Some(help) = self.text_of_steps(node, text) {
            return help;
        }
        let is_step = keys::step_names(self.project.vocabulary).any(|name| name == text);
        if text.ends_with(".yaml") || text.ends_with(".yml") {
            format!("write `[ run: {text} ]`")
        } else if is_step {
            format!("write `[ {text} ]`, or `- {text}` on a line of its own")
        } else {
            "begin each step with `- ` on a line of its own: write `- back`".to_owned()
        }
    }

    /// Parses a step, with those inside of it. A wrong one is reported and returns `None`. Later steps, but not the
    /// step itself, know the name that it keeps (`as`), and so does `outputs`.
    fn step(&mut self, node: &Node) -> Option<Step> {
        let (action, modifiers, title) = match &node.kind {
            NodeKind::Scalar(scalar) => {
                let action = self.bare_word(node, &scalar.text)?;
                (action, Modifiers::default(), scalar.text.clone())
            }
            NodeKind::Map(entries) => self.map_step(node, entries)?,
            NodeKind::Sequence(_) => {
                let help = Some(
                    "begin each step with `- `, without brackets; `group:` puts steps together"
                        .to_owned(),
                );
                self.fail(node, Code::Step, "a step is not a list", help);
                return None;
            }
        };
        // Only later steps know the name.
        if let Some(name) = &modifiers.keep_as {
            let is_new = !self.names.has_value(name);
            if action.gives_element() {
                self.names.add_element(name);
            } else {
                self.names.add(name);
            }
            if is_new {
                self.names.add_fields(name, action.fields());
            }
            self.stored_names.insert(name.clone());
        }
        Some(Step {
            source: std::sync::Arc::clone(&self.source),
            span: node.span.clone(),
            title,
            action,
            modifiers,
        })
    }

    /// Parses a step with its modifiers, and its title, which hides a secret text. Errors are reported, also in the
    /// modifiers of a wrong step. Returns `None` if the step itself is wrong; wrong modifiers are left out.
    fn map_step(
        &mut self,
        node: &Node,
        entries: &[(Key, Node)],
    ) -> Option<(StepAction, Modifiers, String)> {
        let (key, value) = self.step_key(node, entries)?;
        let mut modifiers = self.modifiers(key, entries);
        let action = self.action(key, value, entries, &mut modifiers);
        // After the action, which tells if the text is secret.
        let title = title::for_step(&key.text, value, modifiers.secret);
        if let (Some(action), true) = (&action, modifiers.soft) {
            self.check_soft(action, entries, modifiers.optional);
        }
        Some((action?, modifiers, title))
    }

    /// Parses what a step does, by its key, which is that of a known step. Returns `None` after a report if nothing
    /// can be made of it; lesser errors are reported and it is returned. `modifiers` gets to know whether its text is
    /// secret.
    fn action(
        &mut self,
        key: &Key,
        value: &Node,
        entries: &[(Key, Node)],
        modifiers: &mut Modifiers,
    ) -> Option<StepAction> {
        match key.text.as_str() {
            "assert" => self
                .assert(value)
                .map(|assert| StepAction::Assert(Box::new(assert))),
            "snapshot" => self
                .snapshot(key, value)
                .map(|snapshot| StepAction::Snapshot(Box::new(snapshot))),
            "run" | "repeat" | "retry" | "if" | "group" | "set" | "pause" => self
                .control(key, value, entries)
                .map(|control| StepAction::Control(Box::new(control))),
            name => {
                let tool = self.project.vocabulary.tool(name)?;
                let arguments = self.tool_arguments(tool, key, value, modifiers)?;
                Some(StepAction::Call {
                    entry: tool.entry,
                    arguments,
                })
            }
        }
    }
}

/// Returns advice for steps that are written as a map in braces: a list in brackets, with `…` for values. A map with
/// a modifier, or with `then` or `else`, becomes one step, any other a step for each key. Returns `None` for an empty
/// map.
fn in_brackets(entries: &[(Key, Node)]) -> Option<String> {
    let names = entries.iter().map(|(key, _)| format!("{}: …", key.text));
    let names: Vec<String> = names.collect();
    let belongs = |key: &Key| {
        let word = key.text.as_str();
        ["then", "else"].contains(&word) || keys::MODIFIERS.contains(&word)
    };
    let is_one = entries.iter().any(|(key, _)| belongs(key));
    (!names.is_empty()).then(|| match (names.join(", "), is_one) {
        (names, true) => format!("write a list: `[ {{ {names} }} ]`"),
        (names, false) => format!("write a list: `[ {names} ]`"),
    })
}
