//! Reads the plain keys of a header, and advises on those that are none.

use indexmap::IndexMap;
use serde_json::Value;

use super::file::Reader;
use crate::ast::{Argument, Spanned};
use crate::check_advice::is_list;
use crate::foreign::{self, suggestion};
use crate::header_advice::{
    apps, capabilities, limits, lists_flows, modifier, on_screen, part_of_scenario, variable,
    wraps_flow,
};
use crate::report::nearest;
use crate::yaml::{self, Key, Node, NodeKind};
use crate::{expression, key_owner, keys};
use runner_text::diagnostic::Code;
use runner_tools::package::{is_app_file, is_app_package};

impl Reader<'_> {
    /// Returns the app's package as an argument if it is a text with expressions, and reports their problems; else
    /// `None`, also for a literal package.
    pub(super) fn app_value(&mut self, node: &Node) -> Option<Spanned<Argument>> {
        let mentions = |scalar: &yaml::Scalar| expression::mentions_expression(&scalar.text);
        if !node.scalar().is_some_and(mentions) {
            return None;
        }
        let text = serde_json::json!({ "type": "string", "minLength": 1 });
        Some(self.checked(node, &text))
    }

    /// Reads the plain values of the header, and reports unknown keys and wrong values, which are left out. Keys with
    /// a parser of their own, such as `env` and `steps`, are skipped. Texts with `${…}` are taken as they are.
    pub(super) fn header(&mut self, entries: &[(Key, Node)]) -> IndexMap<String, Value> {
        let schema = keys::header();
        let empty = serde_json::Map::new();
        let properties = schema
            .get("properties")
            .and_then(Value::as_object)
            .unwrap_or(&empty);
        let mut values = IndexMap::new();
        for (key, node) in entries {
            if keys::HEADER_OTHERS.contains(&key.text.as_str()) {
                continue;
            }
            let Some(schema) = properties.get(&key.text) else {
                let has_app = entries.iter().any(|(key, _)| key.text == "app");
                let names = properties.keys().map(String::as_str);
                self.unknown_header_key(key, node, names, has_app);
                continue;
            };
            if let (NodeKind::Map(inside), "app") = (&node.kind, key.text.as_str()) {
                let package = inside.iter().find_map(|(_, value)| {
                    let text = value.scalar()?.text.as_str();
                    // A suffix such as `.Main` is an activity.
                    let is_whole = is_app_package(text) && !text.starts_with('.');
                    is_whole.then_some(text)
                });
                let package = package.unwrap_or("com.example.app");
                let help = Some(format!(
                    "write `app: {package}`; an activity stands at `launch: {{ activity: … }}`"
                ));
                self.fail(
                    node,
                    Code::WrongType,
                    "the package of the app is expected here",
                    help,
                );
                continue;
            }
            if let (NodeKind::Sequence(_), "app") = (&node.kind, key.text.as_str()) {
                let help = "write one app; a step of another app names it: `launch: { app: com.example.other }`";
                let message = "the package of one app is expected here";
                self.fail(node, Code::WrongType, message, Some(help.to_owned()));
                continue;
            }
            if let (Some(scalar), "app") = (node.scalar(), key.text.as_str()) {
                self.warn_of_app(node, &scalar.text);
            }
            let before = self.diagnostics.len();
            let value = self.literal(node, schema);
            if key.text.ends_with("timeout")
                && let Some(wrong) = self.diagnostics[before..].last_mut()
                && let Some(help) = limits(node)
            {
                wrong.help = Some(help);
            }
            if let Some(value) = value {
                values.insert(key.text.clone(), value);
            }
        }
        values
    }

    /// Warns of an app that is not a package, such as its name for people, a file, or a package with an activity. An
    /// empty text and one with `${…}` are not checked. Does not know which apps exist.
    fn warn_of_app(&mut self, node: &Node, text: &str) {
        let is_package = is_app_package(text) && !is_app_file(text);
        if text.is_empty() || text.contains("${") || is_package {
            return;
        }
        let help = match text.split_once('/') {
            _ if is_app_file(text) => format!(
                "write the app's package, such as `com.example.app`; `install: {text}` as a step installs the file"
            ),
            Some((package, _)) if is_app_package(package) => {
                format!("write `app: {package}`, and `launch: {{ activity: … }}` for an activity")
            }
            _ => "write the app's package, such as `com.example.app`".to_owned(),
        };
        let message = format!("`{text}` is not the package of an app");
        self.fail(node, Code::Doubtful, message, Some(help));
    }

    /// Warns of keys without effect in a sub-flow, that is, a file that another flow runs with a part of its path
    /// that begins with `_`: the keys of the flow that runs it count. Does nothing for other files, also if they are
    /// run.
    pub(super) fn warn_of_keys_without_effect(&mut self, entries: &[(Key, Node)]) {
        let path = &self.source.path;
        let is_sub_flow = path.components().any(|part| part.as_str().starts_with('_'));
        if self.chain.len() < 2 || !is_sub_flow {
            return;
        }
        for (key, _) in entries {
            if keys::WITHOUT_EFFECT_IN_SUB_FLOWS.contains(&key.text.as_str()) {
                let message = format!(
                    "`{}` of a sub-flow has no effect where another flow runs it",
                    key.text
                );
                let help = Some("put it into the flow that runs it, or take it out".to_owned());
                self.fail_at(key.span.clone(), Code::NoEffect, message, help);
            }
        }
    }

    /// Reports as an error that the header has no key `key`, with the best help: its equivalent, the right place of a
    /// step or option, or the nearest of `names` and of the keys with a parser of their own. The caller decides that
    /// it is unknown, and whether the header has an app.
    fn unknown_header_key<'n>(
        &mut self,
        key: &Key,
        node: &Node,
        names: impl Iterator<Item = &'n str>,
        has_app: bool,
    ) {
        let is_text = node.scalar().is_some() && !node.is_missing();
        let others = keys::HEADER_OTHERS.into_iter();
        let others = others.filter(|other| !(is_text && *other == "steps"));
        let known: Vec<&str> = names.chain(others).collect();
        let is_step = keys::step_names(self.project.vocabulary).any(|name| name == key.text);
        let foreign = foreign::key(&key.text, &known);
        let told = foreign::sentences(node)
            .or_else(|| on_screen(key, node))
            .or_else(|| part_of_scenario(key, node))
            .or_else(|| apps(key, node))
            .or_else(|| capabilities(key).filter(|_| has_app));
        let help = if told.is_some() {
            told
        } else if wraps_flow(node) {
            let inside = node.entries().iter();
            let inside: Vec<String> = inside.map(|(key, _)| format!("`{}`", key.text)).collect();
            Some(format!(
                "write what is in it without `{}:`, each in the first column: {}",
                key.text,
                inside.join(", ")
            ))
        } else if lists_flows(node) {
            Some("a file is one flow: write each of these into a file of its own".to_owned())
        } else if foreign.is_some() {
            foreign
        } else if key.text == "snapshot" && !node.entries().is_empty() {
            let help = "write it into `runner.yaml`, where `snapshot: { … }` holds for all snapshots, or into the step `snapshot: { name: …, … }`";
            Some(help.to_owned())
        } else if is_step && nearest(&key.text, known.iter().copied()).is_none() {
            Some(format!(
                "`{}` is a step; it belongs in the list under `steps:`, as `- {}: …`",
                key.text, key.text
            ))
        } else {
            let help = suggestion(&key.text, known);
            let is_list = is_list(help.as_deref());
            let owner = || {
                let value = || variable(&key.text).filter(|_| is_text);
                modifier(&key.text)
                    .or_else(|| key_owner::owner(self.project.vocabulary, &key.text))
                    .or_else(value)
            };
            is_list.then(owner).flatten().or(help)
        };
        let message = format!("a flow has no key `{}`", key.text);
        self.fail_at(key.span.clone(), Code::UnknownKey, message, help);
    }
}
