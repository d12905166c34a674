//! Parses steps that contain steps, set names, or take snapshots.

use indexmap::IndexMap;
use serde_json::{Value, json};

use super::ast::{Argument, Control, Flow, SnapshotStep, Spanned};
use super::reader::{Reader, find};
use super::report::nearest;
use super::secret_names;
use super::yaml::{Key, Node, NodeKind};
use super::{foreign, foreign_text, keys};
use runner_snapshot::{SnapshotError, SnapshotName};
use runner_text::diagnostic::{Code, Label};

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
    /// returned all the same. A wrong `max` becomes the default, and `times: 0` gives a warning. Only a value that is
    /// no map returns `None`.
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
    fn inner_steps(&mut self, value: &Node, entries: &[(Key, Node)]) -> Vec<super::ast::Step> {
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

    /// Parses `snapshot: NAME`, or a map with `name`, `each` and options. Reports errors, and returns `None` only
    /// without a valid name. Errors are also a snapshot without `each: true` inside of a `repeat`, and in a started
    /// flow `each` outside of one.
    pub(crate) fn snapshot(&mut self, step: &Key, value: &Node) -> Option<SnapshotStep> {
        let empty = Vec::new();
        let (name, entries) = match &value.kind {
            NodeKind::Scalar(_) => (Some(value), &empty),
            NodeKind::Map(entries) => (find(entries, "name").map(|(_, node)| node), entries),
            NodeKind::Sequence(_) => {
                let help = Some("write `snapshot: home`".to_owned());
                self.fail(
                    value,
                    Code::WrongType,
                    "`snapshot` takes a name or a map, not a list",
                    help,
                );
                return None;
            }
        };
        let Some(node) = name.filter(|node| !node.is_missing()) else {
            let help = Some("write `snapshot: home`".to_owned());
            self.fail_at(
                step.span.clone(),
                Code::MissingKey,
                "this snapshot has no name",
                help,
            );
            return None;
        };
        let each = match find(entries, "each") {
            Some((_, node)) => self
                .literal(node, &json!({ "type": "boolean" }))
                .is_some_and(|value| value == Value::Bool(true)),
            None => false,
        };
        let name = self.snapshot_name(node, each);
        if self.repeats > 0 && !each {
            let help =
                Some("add `each: true`: one golden each time, `name.1`, `name.2`, …".to_owned());
            let message = "a snapshot inside `repeat` would compare each time with the same golden";
            self.fail(node, Code::SnapshotName, message, help);
        }
        // Only for a started flow: a sub-flow may be run inside of a `repeat` of another flow.
        if let (true, 0, 1, Some((key, _))) =
            (each, self.repeats, self.chain.len(), find(entries, "each"))
        {
            let help = Some("leave it out, or put the step into a `repeat`".to_owned());
            let message = "`each` belongs to a snapshot inside `repeat`";
            self.fail_at(key.span.clone(), Code::SnapshotName, message, help);
        }
        let options = self.snapshot_options(value, entries);
        Some(SnapshotStep {
            name: name?,
            each,
            options,
        })
    }

    /// Warns of a name that ends as a picture's file does, such as `home.png`, or is `true`, `yes` or `on`. Other
    /// names give no warning.
    fn warn_of_snapshot_name(&mut self, node: &Node, name: &str) {
        let mut ends = [".png", ".jpg", ".jpeg", ".webp"].iter();
        let bare = ends.find_map(|end| name.strip_suffix(end));
        let is_answer = ["true", "yes", "on"].contains(&name);
        let help = match bare {
            Some(bare) => format!("write `{bare}`"),
            None if is_answer => "write a name, such as `snapshot: home`".to_owned(),
            None => return,
        };
        let message = format!("this golden is to be called `{name}`, and its file `{name}.png`");
        self.fail(node, Code::Doubtful, message, Some(help));
    }

    /// Checks a snapshot's name. One that cannot be used is reported and returns `None`. One that the flow has
    /// already in any letter case, also by the numbers of `each: true`, is reported and returned.
    fn snapshot_name(&mut self, node: &Node, each: bool) -> Option<String> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let Some(scalar) = node.scalar() else {
            let message = format!("a name is expected here, not {}", node.what());
            self.fail(node, Code::WrongType, message, None);
            return None;
        };
        let name = &scalar.text;
        if let Err(wrong) = SnapshotName::new(name) {
            let help = match wrong {
                _ if name.contains("${") => {
                    "a golden's name is known before anything runs, so it holds no expression"
                }
                SnapshotError::Name { why, .. } if name.bytes().all(is_plain) => why,
                _ => "use 1 to 64 letters, digits, `.`, `_` and `-`",
            };
            let message = format!("`{name}` cannot be a snapshot's name");
            self.fail(node, Code::SnapshotName, message, Some(help.to_owned()));
            return None;
        }
        self.warn_of_snapshot_name(node, name);
        // Some file systems ignore case.
        let folded = name.to_lowercase();
        let is_shared = |other: &String| {
            *other == folded
                || self.numbered.contains(other) && is_number_of(&folded, other)
                || each && is_number_of(other, &folded)
        };
        let first = self.snapshots.iter().find(|(other, _)| is_shared(other));
        if let Some((other, first)) = first.map(|(other, span)| (other.clone(), span.clone())) {
            let help = Some(if other == folded {
                "give each snapshot of a flow its own name; letter case does not count".to_owned()
            } else {
                let base = if other.len() < folded.len() {
                    &other
                } else {
                    &folded
                };
                format!(
                    "`each: true` takes `{base}.1`, `{base}.2`, …; give the other snapshot another name"
                )
            });
            let message = format!("the name `{name}` is taken");
            self.fail(node, Code::SnapshotName, message, help);
            if let Some(last) = self.diagnostics.last_mut() {
                last.labels.push(Label {
                    span: first,
                    text: "first here".to_owned(),
                });
            }
        } else {
            if each {
                self.numbered.insert(folded.clone());
            }
            self.snapshots.insert(folded, node.span.clone());
        }
        Some(name.clone())
    }

    /// Reads the options of a snapshot. `name` and `each` are among them as written, without a report. Wrong values
    /// are reported and become null; unknown keys, and a mask that is no list, are reported and left out.
    fn snapshot_options(&mut self, value: &Node, entries: &[(Key, Node)]) -> Spanned<Argument> {
        let vocabulary = self.project.vocabulary;
        let forms = vocabulary.alternatives(&vocabulary.snapshot);
        let properties = forms
            .iter()
            .find_map(|form| form.get("properties"))
            .and_then(Value::as_object);
        let known: Vec<&str> = properties
            .into_iter()
            .flat_map(|map| map.keys().map(String::as_str))
            .collect();
        let own = ["name", "each", "of", "mask"].into_iter();
        let own: Vec<&str> = own.filter(|own| !known.contains(own)).collect();
        let known = [known, own].concat();
        let mut all = IndexMap::new();
        if let Some(name) = value.scalar() {
            let name = Spanned {
                value: Argument::Literal(name.text.clone().into()),
                span: value.span.clone(),
            };
            all.insert("name".to_owned(), name);
        }
        for (key, node) in entries {
            let own = properties.and_then(|properties| properties.get(&key.text));
            let locator = node.scalar().filter(|_| key.text == "mask");
            let advice =
                |text: &str| foreign_text::css_id(text).or_else(|| foreign_text::locator(text));
            if let Some(locator) = locator.and_then(|it| advice(&it.text)) {
                let help = Some(format!("write a list, `[ … ]`, and in it {}", locator.help));
                self.fail(
                    node,
                    Code::WrongType,
                    "a list is expected here, not text",
                    help,
                );
                continue;
            }
            if key.text == "mask"
                && let Some(help) = rectangle(node)
            {
                let message = "a mask is a list of elements and rectangles";
                self.fail(node, Code::WrongType, message, Some(help));
                continue;
            }
            let argument = match (key.text.as_str(), own) {
                // Already checked, but still a part of the options.
                ("name", _) => Spanned {
                    value: Argument::Literal(node.scalar().map(|name| name.text.clone()).into()),
                    span: node.span.clone(),
                },
                ("each", _) => Spanned {
                    value: Argument::Literal(
                        node.scalar().and_then(super::yaml::Scalar::boolean).into(),
                    ),
                    span: node.span.clone(),
                },
                (_, Some(schema)) => self.checked(node, schema),
                ("of", None) => self.selector(node, &[]),
                ("mask", None) => self.masks(node),
                _ => {
                    self.unknown_in_step(key, node, known.iter().copied());
                    continue;
                }
            };
            all.insert(key.text.clone(), argument);
        }
        Spanned {
            value: Argument::Map(all),
            span: value.span.clone(),
        }
    }

    /// Checks a list of masks: selectors, and maps with only `rect`, whose value is not checked here. Errors are
    /// reported.
    fn masks(&mut self, node: &Node) -> Spanned<Argument> {
        let selector = &self.project.vocabulary.selector;
        let rect = json!({
            "type": "object",
            "properties": { "rect": true },
            "required": ["rect"],
            "additionalProperties": false,
        });
        let schema = json!({ "type": "array", "items": { "anyOf": [selector, rect] } });
        self.checked(node, &schema)
    }
}

/// Returns advice, `mask: [ { rect: [ … ] } ]`, for one rectangle in place of a list of masks: four numbers in a list
/// or a text, or a map with sides. Returns `None` for other masks.
fn rectangle(node: &Node) -> Option<String> {
    const SIDES: [&str; 7] = ["rect", "x", "y", "left", "top", "width", "right"];
    let of_numbers = |parts: &[&str]| {
        let are_numbers = parts.iter().all(|part| part.parse::<f64>().is_ok());
        let numbers = parts.join(", ");
        (parts.len() == 4 && are_numbers)
            .then(|| format!("write `mask: [ {{ rect: [ {numbers} ] }} ]`"))
    };
    match &node.kind {
        NodeKind::Sequence(items) => {
            // In quotes, a number is a text of the screen.
            let number = |item: &Node| item.scalar().filter(|it| it.number().is_some()).cloned();
            let numbers: Option<Vec<_>> = items.iter().map(number).collect();
            let numbers = numbers?;
            let parts: Vec<&str> = numbers.iter().map(|it| it.text.as_str()).collect();
            of_numbers(&parts)
        }
        NodeKind::Scalar(scalar) => {
            let parts: Vec<&str> = scalar.text.split(',').map(str::trim).collect();
            of_numbers(&parts)
        }
        NodeKind::Map(entries) => {
            let is_side = |(key, _): &(Key, Node)| SIDES.contains(&key.text.as_str());
            let help =
                "write `mask: [ { rect: [ … ] } ]`, with left, top, right and bottom in pixels";
            entries.iter().any(is_side).then(|| help.to_owned())
        }
    }
}

/// Returns true if `name` is `base` with numbers behind it, as `each: true` writes them: `home.2`, and in
/// nested blocks `home.2.1`.
fn is_number_of(name: &str, base: &str) -> bool {
    let numbers = name
        .strip_prefix(base)
        .and_then(|rest| rest.strip_prefix('.'));
    let is_number = |part: &str| {
        !part.is_empty() && !part.starts_with('0') && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    numbers.is_some_and(|numbers| numbers.split('.').all(is_number))
}
