//! Advice for keys of `run` that it does not take: values of the sub-flow, and how often it runs.

use super::check_advice::is_poor;
use super::foreign;
use super::keys;
use super::reader::{Reader, find};
use super::yaml::{Key, Node};

impl Reader<'_> {
    /// Reports a key in the map of `run` that is neither `flow` nor `env`. `value` is the whole map.
    pub(crate) fn unknown_in_run(&mut self, key: &Key, node: &Node, value: &Node) {
        let before = self.diagnostics.len();
        self.unknown_in_step(key, node, keys::inside_control("run").to_vec());
        let Some(wrong) = self.diagnostics[before..].last_mut() else {
            return;
        };
        let flow = find(value.entries(), "flow").map(|(_, flow)| flow);
        if flow.is_some() && wrong.help.as_deref() == Some("write `flow: …`") {
            let modifier = foreign::modifier(&key.text);
            wrong.help = Some(modifier.map_or_else(
                || "leave it out: `flow` is the path already".to_owned(),
                keys::beside_step,
            ));
        }
        let word = if key.text == "repeat" {
            "times"
        } else {
            key.text.as_str()
        };
        let again = flow.and_then(|flow| foreign::rounds(("run", flow), (word, node)));
        let help = again.filter(|_| is_poor(wrong.help.as_deref()));
        if let Some(help) = help.or_else(|| sub_flow_value(key, flow)) {
            wrong.help = Some(help);
        }
    }
}

/// Returns advice for a value of a sub-flow that stands beside its path or beside the step: its place in `env`. `flow` is
/// the path. Returns `None` for a key that is a modifier or a part of `run` in other words.
pub(crate) fn sub_flow_value(key: &Key, flow: Option<&Node>) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name = !key.text.is_empty() && key.text.chars().all(is_part);
    let is_constant = is_name && key.text.starts_with(|c: char| c.is_ascii_uppercase());
    // `user_name` has the word `name`, which is `label` in other tools.
    let word = key.text.replace('_', "").to_lowercase();
    let is_known =
        foreign::modifier(&word).is_some() || foreign::key(&word, &["flow", "env"]).is_some();
    if !is_name || is_known && !is_constant {
        return None;
    }
    let file = flow
        .and_then(Node::scalar)
        .filter(|file| !file.text.is_empty());
    let file = file.map_or("FILE", |file| file.text.as_str());
    Some(format!(
        "write `run: {{ flow: {file}, env: {{ {}: … }} }}` for a value of the sub-flow",
        key.text
    ))
}
