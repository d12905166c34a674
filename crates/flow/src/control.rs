//! Parses steps that contain steps, run flows, set names, or pause.

use indexmap::IndexMap;
use serde_json::{Value, json};

use super::ast::{Control, Flow, Step};
use super::reader::{Reader, find};
use super::report::nearest;
use super::secret_names;
use super::yaml::{Key, Node, NodeKind};
use super::{foreign, keys};
use runner_text::diagnostic::Code;

/// Maximum rounds of `repeat: { while: … }` without `max`. Chosen: ends an endless loop, and real loops over
/// a screen need fewer.
const DEFAULT_MAX: u32 = 100;

impl Reader<'_> {
    /// Parses the control step `key`: `run`, `repeat`, `retry`, `if`, `group`, `pause`, and `set` for any
    /// other key. `entries` are all keys of the step, because `then` and `else` stand beside `if`. Reports
    /// errors; returns `None` if the step cannot be used. Warns of `pause` with a duration.
    pub(crate) fn control(
        &mut self,
        key: &Key,
        value: &Node,
        entries: &[(Key, Node)],
    ) -> Option<Control> {
        // The step `retry`, and the modifier beside another step. `repeat` begins its own, as its `times` is read once.
        if find(entries, "retry").is_none() {
            return self.one_round(key, value, entries);
        }
        self.names.begin_rounds();
        let control = self.one_round(key, value, entries);
        self.names.end_rounds();
        control
    }

    /// Reads a control step as [`Self::control`] does, without regard to the modifier `retry`: the kinds of values
    /// that `set` gave before stay known in it.
    fn one_round(&mut self, key: &Key, value: &Node, entries: &[(Key, Node)]) -> Option<Control> {
        match key.text.as_str() {
            "run" => self.run(value),
            "repeat" => self.repeat(value),
            "retry" => self.retry(value),
            "if" => self.branch(key, value, entries),
            "group" => {
                if let NodeKind::Map(inside) = &value.kind
                    && find(inside, "steps").is_some()
                {
                    let message = "`group` takes its steps as a list";
                    let help = "write `group: […]`, and `label: …` beside it for its name";
                    self.fail(value, Code::WrongType, message, Some(help.to_owned()));
                    return None;
                }
                Some(Control::Group {
                    steps: self.steps(value),
                })
            }
            "pause" => {
                self.warn_of_time(key, value, "it waits until a person presses Enter");
                Some(Control::Pause {
                    message: (!value.is_missing())
                        .then(|| self.checked(value, &json!({ "type": "string" }))),
                })
            }
            _ => self.set(value),
        }
    }

    /// Warns if the value is a number or a time, also in words, where the step takes a text or a message. `does` says in
    /// the warning what the step does instead.
    pub(crate) fn warn_of_time(&mut self, key: &Key, value: &Node, does: &str) {
        let Some(text) = value.scalar().map(|scalar| scalar.text.as_str()) else {
            return;
        };
        if !foreign::is_time(text) {
            return;
        }
        let message = format!("`{}: {text}` does not wait for this time: {does}", key.text);
        let shown = if key.text == "wait_for" {
            "; where the app shows just this, write `{ text: … }`"
        } else {
            ""
        };
        let help = format!(
            "write `wait_for: …` with what has to appear, or `wait_for_idle` until the screen rests{shown}"
        );
        self.fail(value, Code::Doubtful, message, Some(help));
    }

    /// Reads `run` with a path or a map, and with it the sub-flow. Its outputs are known behind the step. Wrong keys
    /// are reported and left out, and variables in `env` that no sub-flow reads give a warning. Returns `None` without
    /// a path, and if the sub-flow cannot be read.
    fn run(&mut self, value: &Node) -> Option<Control> {
        let (flow, env) = match &value.kind {
            NodeKind::Map(entries) => {
                let mut env = IndexMap::new();
                for (key, node) in entries {
                    match key.text.as_str() {
                        "flow" => {}
                        "env" => env = self.env_values(node),
                        _ => self.unknown_in_run(key, node, value),
                    }
                }
                let Some((_, flow)) = find(entries, "flow") else {
                    let help = Some("write `run: { flow: _login.yaml }`".to_owned());
                    self.fail(value, Code::MissingKey, "`flow` is missing", help);
                    return None;
                };
                (flow, env)
            }
            _ => (value, IndexMap::new()),
        };
        if flow.scalar().is_none() || flow.is_missing() {
            let message = format!("the path of a flow is expected here, not {}", flow.what());
            let help = match &flow.kind {
                NodeKind::Sequence(_) => "write a step for each file: `- run: _login.yaml`",
                _ => "write `run: _login.yaml`",
            };
            let help = Some(help.to_owned());
            self.fail(flow, Code::WrongType, message, help);
            return None;
        }
        let names: Vec<String> = env.keys().cloned().collect();
        let flow = self.sub_flow(flow, &names)?;
        self.warn_of_unread(value, &flow);
        for name in &flow.outputs {
            self.names.add(name);
            self.stored_names.insert(name.clone());
        }
        Some(Control::Run { flow, env })
    }

    /// Warns of each variable in the `env` of a `run` that neither the sub-flow nor a flow below it mentions.
    /// Suggests the most similar name that the sub-flow's own `env` has.
    fn warn_of_unread(&mut self, value: &Node, flow: &Flow) {
        let NodeKind::Map(entries) = &value.kind else {
            return;
        };
        let Some(NodeKind::Map(given)) = find(entries, "env").map(|(_, env)| &env.kind) else {
            return;
        };
        for (name, _) in given {
            if secret_names::mentions(flow, &name.text) {
                continue;
            }
            let path = &flow.source.path;
            let message = format!("`{path}` does not read `{}`", name.text);
            let known = nearest(&name.text, flow.env.keys().map(String::as_str));
            let help = known.map_or_else(
                || "take it out, or read it there as `${…}`".to_owned(),
                |known| format!("did you mean `{known}`?"),
            );
            self.fail_at(name.span.clone(), Code::NoEffect, message, Some(help));
        }
    }

    /// Reads `repeat`, and reports wrong values, missing `steps` and a map with neither `times` nor `while`; it is
    /// returned all the same. A wrong `max` becomes the default, and `times: 0` and a `max` beside `times` give a warning.
    /// Only a value that is no map returns `None`.
    fn repeat(&mut self, value: &Node) -> Option<Control> {
        let NodeKind::Map(entries) = &value.kind else {
            let help = Some("write `repeat: { times: 3, steps: […] }`".to_owned());
            let message = format!("`repeat` takes a map, not {}", value.what());
            self.fail(value, Code::WrongType, message, help);
            return None;
        };
        let mut times = None;
        let mut repeated = None;
        let mut max = DEFAULT_MAX;
        for (key, node) in entries {
            match key.text.as_str() {
                "times" => {
                    let schema = json!({ "type": "integer", "minimum": 0, "maximum": 10_000 });
                    if node.scalar().is_some_and(|scalar| scalar.text == "0") {
                        let help = Some("write how often, or take the step out".to_owned());
                        self.fail(node, Code::Doubtful, "`times: 0` runs nothing", help);
                    }
                    times = Some(self.checked(node, &schema));
                }
                "while" => repeated = Some(node),
                "max" => max = self.count(node, 1, 10_000).unwrap_or(DEFAULT_MAX),
                "steps" => {}
                _ => self.unknown_in_step(key, node, keys::inside_control("repeat").to_vec()),
            }
        }
        let known = keys::inside_control("repeat");
        let has_unknown = entries
            .iter()
            .any(|(key, _)| !known.contains(&key.text.as_str()));
        if find(entries, "times").is_none() && find(entries, "while").is_none() && !has_unknown {
            let help = Some("add `times: 3` or `while: …`".to_owned());
            self.fail(
                value,
                Code::MissingKey,
                "`repeat` does not say how often",
                help,
            );
        }
        if let (Some((max, _)), Some(_)) = (find(entries, "max"), find(entries, "times")) {
            let help =
                Some("leave it out: `times` says how many rounds there are at most".to_owned());
            let message = "`max` has no effect beside `times`";
            self.fail_at(max.span.clone(), Code::Doubtful, message, help);
        }
        self.names.begin_rounds();
        let condition = repeated.and_then(|node| self.condition(node));
        self.repeats += 1;
        let steps = self.inner_steps(value, entries);
        self.repeats -= 1;
        self.names.end_rounds();
        Some(Control::Repeat {
            times,
            condition,
            max,
            steps,
        })
    }

    /// Reads the step `retry`. A missing or wrong `times` is 1, and 100 is the most; only a value that is no map
    /// returns `None`.
    fn retry(&mut self, value: &Node) -> Option<Control> {
        let NodeKind::Map(entries) = &value.kind else {
            let help = Some(
                "as a step: `retry: { times: 2, steps: […] }`; as a modifier it stands beside another step"
                    .to_owned(),
            );
            let message = format!("the step `retry` takes a map, not {}", value.what());
            self.fail(value, Code::WrongType, message, help);
            return None;
        };
        let mut times = 1;
        for (key, node) in entries {
            match key.text.as_str() {
                "times" => times = self.count(node, 1, 100).unwrap_or(1),
                "steps" => {}
                _ => self.unknown_in_step(key, node, keys::inside_control("retry").to_vec()),
            }
        }
        let steps = self.inner_steps(value, entries);
        Some(Control::Retry { times, steps })
    }

    /// Reads the list under `steps`; a missing or empty one is reported, and then there are no steps.
    fn inner_steps(&mut self, value: &Node, entries: &[(Key, Node)]) -> Vec<Step> {
        if let Some((_, node)) = find(entries, "steps") {
            self.steps(node)
        } else {
            let help = Some("add `steps:` with a list".to_owned());
            self.fail(value, Code::MissingKey, "`steps` is missing", help);
            Vec::new()
        }
    }

    /// Reads `if` with the lists beside it. A missing `then` is reported and empty. Returns `None` if the condition
    /// cannot be used or has a `then` inside.
    fn branch(&mut self, key: &Key, value: &Node, entries: &[(Key, Node)]) -> Option<Control> {
        let inside = match &value.kind {
            NodeKind::Map(inside) => find(inside, "then"),
            _ => None,
        };
        if let Some((key, _)) = inside {
            let help = "write it beside `if`, in the same column";
            let message = "`then` is no part of the condition";
            self.fail_at(
                key.span.clone(),
                Code::UnknownKey,
                message,
                Some(help.to_owned()),
            );
            return None;
        }
        let condition = self.condition(value);
        let then = find(entries, "then");
        let is_told = |(key, _): &(Key, Node)| {
            !["then", "else"].contains(&key.text.as_str())
                && foreign::key(&key.text, &["then", "else"]).is_some()
        };
        if then.is_none() && !entries.iter().any(is_told) {
            let help = Some("write `then:` beside `if:`, with a list of steps".to_owned());
            self.fail_at(
                key.span.clone(),
                Code::MissingKey,
                "`then` is missing",
                help,
            );
        }
        let then = then.map(|(_, node)| self.steps(node)).unwrap_or_default();
        let otherwise = find(entries, "else")
            .map(|(_, node)| self.steps(node))
            .unwrap_or_default();
        Some(Control::If {
            condition: condition?,
            then,
            otherwise,
        })
    }

    /// Reads `set`. Wrong names are reported and kept; a key such as `NAME=value` is reported and left out. Each name
    /// is known from the next value on. Warns of a sum without `${…}`, and of
    /// a pair of a known name and its value; only a value that is no map returns `None`.
    fn set(&mut self, value: &Node) -> Option<Control> {
        let NodeKind::Map(entries) = &value.kind else {
            let help = Some("write `set: { NAME: value }`".to_owned());
            let message = format!("`set` takes a map, not {}", value.what());
            self.fail(value, Code::WrongType, message, help);
            return None;
        };
        let mut values = IndexMap::new();
        for (key, node) in entries {
            if let Some((name, _)) = key.text.split_once('=').filter(|_| node.is_missing()) {
                let message = "a value stands behind a colon";
                let help = Some(format!("write `{}: …`", name.trim()));
                self.fail_at(key.span.clone(), Code::Name, message, help);
                continue;
            }
            self.check_name(key);
            self.names.allows_volatile = true;
            let argument = self.checked(node, &Value::Bool(true));
            self.names.allows_volatile = false;
            let written = node.scalar().filter(|text| text.plain);
            if let Some(help) = written.and_then(|text| self.sum_advice(&key.text, &text.text)) {
                let message = "this is a text, and is not computed";
                self.fail(node, Code::Doubtful, message, Some(help));
            }
            let outside = node.scalar().and_then(|text| self.sum_outside(&text.text));
            if outside.is_some() {
                let message = "this is a text: what stands outside of `${…}` is not computed";
                self.fail(node, Code::Doubtful, message, outside);
            }
            self.names.add_set(&key.text, &argument.value);
            values.insert(key.text.clone(), argument);
            self.stored_names.insert(key.text.clone());
        }
        // `set: { name: USER, value: ada }` is the syntax of other tools.
        if let [(first, name), (second, _)] = entries.as_slice()
            && ["name", "variable", "key"].contains(&first.text.as_str())
            && let Some(name) = name.scalar()
        {
            self.names.add_pair(&name.text);
            let is_plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
            let is_known = name.text.chars().all(is_plain) && self.names.has_value(&name.text);
            if second.text == "value" && is_known {
                let message = format!("this sets `{}` and `value`", first.text);
                let help = format!("write `set: {{ {}: … }}`", name.text);
                self.fail(value, Code::Doubtful, message, Some(help));
            }
        }
        Some(Control::Set { values })
    }

    /// Reads a whole number in these bounds, without expressions. Anything else is reported and returns `None`.
    fn count(&mut self, node: &Node, least: u32, most: u32) -> Option<u32> {
        let schema = json!({ "type": "integer", "minimum": least, "maximum": most });
        self.literal(node, &schema)?
            .as_u64()
            .and_then(|count| u32::try_from(count).ok())
    }
}
