//! Parses a snapshot: its name, which a flow has once, and its options.

use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::ast::{Argument, SnapshotStep, Spanned};
use crate::check::literal;
use crate::foreign_text;
use crate::map_parts;
use crate::reader::{Reader, find, has_error};
use crate::yaml::{Key, Node, NodeKind, Scalar};
use runner_snapshot::{Mask, Redaction, SnapshotError, SnapshotName};
use runner_text::diagnostic::{Code, Label};

impl Reader<'_> {
    /// Parses `snapshot: NAME`, or a map with `name`, `each` and options. Reports errors, and returns `None` only
    /// without a valid name. Errors are also a snapshot without `each: true` inside of a `repeat`, and in a started
    /// flow `each` outside of one.
    pub(super) fn snapshot(&mut self, step: &Key, value: &Node) -> Option<SnapshotStep> {
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
    /// are reported and become null; unknown keys, and a mask that is no list, are reported and left out. Masks and
    /// redactions that no run can use are reported, and stay.
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
        if let Some((node, help)) = map_parts::without_brackets(entries) {
            self.fail(node, Code::WrongType, map_parts::NO_LIST, Some(help));
            return Spanned {
                value: Argument::Map(all),
                span: value.span.clone(),
            };
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
                    value: Argument::Literal(node.scalar().and_then(Scalar::boolean).into()),
                    span: node.span.clone(),
                },
                (name, Some(schema)) => {
                    let before = self.diagnostics.len();
                    let argument = self.checked(node, schema);
                    if !has_error(&self.diagnostics[before..]) {
                        self.unusable_parts(name, &argument.value);
                    }
                    argument
                }
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

    /// Reports each mask and redaction, by the option's name, that fits its schema but is always refused in the run: an
    /// area without width or height, a pattern that matches everything. Those with expressions are left to the run.
    fn unusable_parts(&mut self, option: &str, list: &Argument) {
        let Argument::List(items) = list else {
            return;
        };
        for item in items {
            let Some(value) = literal(&item.value) else {
                continue;
            };
            let wrong = match option {
                "mask" => serde_json::from_value::<Mask>(value)
                    .err()
                    .map(|wrong| wrong.to_string()),
                "redactions" => serde_json::from_value::<Redaction>(value)
                    .ok()
                    .and_then(|rule| rule.compile().err())
                    .map(|wrong| wrong.to_string()),
                _ => None,
            };
            if let Some(wrong) = wrong {
                self.fail_at(item.span.clone(), Code::Argument, wrong, None);
            }
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
pub(crate) fn is_number_of(name: &str, base: &str) -> bool {
    let numbers = name
        .strip_prefix(base)
        .and_then(|rest| rest.strip_prefix('.'));
    let is_number = |part: &str| {
        !part.is_empty() && !part.starts_with('0') && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    numbers.is_some_and(|numbers| numbers.split('.').all(is_number))
}
