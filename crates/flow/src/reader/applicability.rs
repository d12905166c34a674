//! Reads the keys that say where a flow runs and what its failure counts: `needs`, `quarantine` and `skip`.

use serde_json::Value;

use super::file::{Reader, find};
use crate::ast::Spanned;
use crate::needs::{self, Needs, NumberRange};
use crate::quarantine::{self, Quarantine};
use crate::yaml::{Node, NodeKind};
use runner_text::diagnostic::Code;

impl Reader<'_> {
    /// Reads `needs`. Returns `None` if its form is wrong, after a report; a range that cannot be read is reported
    /// and left out. Warns of a version of Android in place of an API level, and of a range that no device meets.
    pub(super) fn needs(&mut self, node: &Node) -> Option<Needs> {
        let mut given = ["sdk", "size"].iter().filter_map(|key| node.entry(key));
        let list = given.find(|(_, given)| matches!(given.kind, NodeKind::Sequence(_)));
        if let Some((key, given)) = list {
            let (low, high) = if key.text == "sdk" {
                (30, 34)
            } else {
                (600, 900)
            };
            let message = "text is expected here, not a list";
            let help = format!("write one text: `{}: \">={low} <={high}\"`", key.text);
            self.fail(given, Code::WrongType, message, Some(help));
            return None;
        }
        if let Some(help) = kind_of_device(node) {
            let message = format!("a map is expected here, not {}", node.what());
            self.fail(node, Code::WrongType, message, Some(help));
            return None;
        }
        let value = self.literal(node, &needs::schema())?;
        let tags = value.get("tags").and_then(Value::as_array);
        let tags = tags.into_iter().flatten().filter_map(Value::as_str);
        Some(Needs {
            tags: tags.map(str::to_owned).collect(),
            sdk: self.range(node, &value, "sdk"),
            size: self.range(node, &value, "size"),
            span: node.span.clone(),
        })
    }

    /// Parses the range `key` of `value`, which is that of `node`; `None` if it is missing. A wrong one is reported
    /// at its place and returns `None`. Warns of a version of Android in `sdk`, and of a range that no number meets.
    fn range(&mut self, node: &Node, value: &Value, key: &str) -> Option<NumberRange> {
        let place = match &node.kind {
            NodeKind::Map(entries) => find(entries, key).map_or(node, |(_, node)| node),
            _ => node,
        };
        let wrong = match value.get(key)?.as_str()?.parse::<NumberRange>() {
            Ok(range) => {
                if let Some(version) = range.version_of_android().filter(|_| key == "sdk") {
                    self.warn_of_version(place, version);
                } else if let Some((low, high)) = range.impossible() {
                    let message = format!("no device meets `{range}`: all of it must hold");
                    let help =
                        format!("write `{key}: \">={low} <={high}\"` for both and what is between");
                    self.fail(place, Code::Doubtful, message, Some(help));
                }
                return Some(range);
            }
            Err(wrong) => wrong,
        };
        let help = "the smallest width in dp, such as `size: \">=600\"` for a tablet";
        let help = (key == "size").then(|| help.to_owned());
        self.fail(place, Code::Malformed, wrong.to_string(), help);
        None
    }

    /// Warns that `version` is a version of Android, with the level of its API as help. The caller decides that it is
    /// one.
    fn warn_of_version(&mut self, place: &Node, version: u32) {
        let message =
            format!("`sdk` is the level of the API, and {version} is a version of Android");
        let level = needs::api_level(version);
        let help =
            format!("Android {version} has the level {level}: write such as `sdk: \">={level}\"`");
        self.fail(place, Code::Doubtful, message, Some(help));
    }

    /// Reads `quarantine`: `true`, a reason, or a map. Returns `None` for `false`, and for a wrong form, which is
    /// reported. A reason that says nothing and a wrong day are reported; it is returned all the same, without the
    /// day.
    pub(super) fn quarantine(&mut self, node: &Node) -> Option<Quarantine> {
        let NodeKind::Map(entries) = &node.kind else {
            return match self.literal(node, &quarantine::short_schema())? {
                Value::Bool(true) => Some(Quarantine::default()),
                Value::String(because) => {
                    self.check_reason(node, &because);
                    Some(Quarantine {
                        because,
                        ..Quarantine::default()
                    })
                }
                _ => None,
            };
        };
        let value = self.literal(node, &quarantine::map_schema())?;
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        if let (Some(because), Some((_, place))) = (text("because"), find(entries, "because")) {
            self.check_reason(place, &because);
        }
        let until = text("until").map(|until| quarantine::day(&until));
        if let Some(Err(wrong)) = &until {
            let place = find(entries, "until").map_or(node, |(_, node)| node);
            self.fail(place, Code::Malformed, wrong.to_string(), None);
        }
        Some(Quarantine {
            because: text("because").unwrap_or_default(),
            until: until.and_then(Result::ok),
            issue: text("issue"),
        })
    }

    /// Reports at `node` a reason that says nothing.
    fn check_reason(&mut self, node: &Node, because: &str) {
        if let Err(wrong) = quarantine::check_reason(because) {
            self.fail(node, Code::Malformed, wrong.to_string(), None);
        }
    }

    /// Reads `skip`: a condition, or a map with `if` and `because`. Returns condition and reason. A missing or wrong
    /// condition is reported and returns `None`; unknown keys and a wrong reason are reported and left out. Evaluates
    /// nothing.
    pub(super) fn skip(&mut self, node: &Node) -> Option<(Spanned<String>, Option<String>)> {
        let NodeKind::Map(entries) = &node.kind else {
            let before = self.diagnostics.len();
            let condition = self.boolean_expression(node);
            let is_reason = node.scalar().is_some_and(|it| !it.text.contains("${"));
            if let Some(last) = self.diagnostics[before..].last_mut().filter(|_| is_reason) {
                last.help = Some("a reason stands beside a condition: write `skip: { if: …, because: … }`, or a tag that a run leaves out".to_owned());
            }
            return Some((condition?, None));
        };
        let mut because = None;
        for (key, value) in entries {
            match key.text.as_str() {
                "if" => {}
                "because" => {
                    because = self
                        .literal(value, &serde_json::json!({ "type": "string" }))
                        .and_then(|value| value.as_str().map(str::to_owned));
                }
                _ => self.unknown_key(key, ["if", "because"]),
            }
        }
        if let Some((_, condition)) = find(entries, "if") {
            Some((self.boolean_expression(condition)?, because))
        } else {
            self.fail(
                node,
                Code::MissingKey,
                "`if` is missing",
                Some("write `skip: { if: \"${…}\", because: … }`, with `if: true` to leave it out always".to_owned()),
            );
            None
        }
    }
}

/// Returns advice for a kind of device or a version of Android in place of the map of `needs`: `[ tablet ]`, `phone`,
/// `13`. Of a list only the first item counts. Returns `None` for other nodes.
fn kind_of_device(node: &Node) -> Option<String> {
    let word = match &node.kind {
        NodeKind::Scalar(word) => word,
        NodeKind::Sequence(items) => items.first()?.scalar()?,
        NodeKind::Map(_) => return None,
    };
    let word = word.text.to_lowercase();
    let version = word.trim_start_matches("android").trim();
    if let Some(version) = version
        .parse::<u32>()
        .ok()
        .filter(|it| (5..=17).contains(it))
    {
        let level = needs::api_level(version);
        return Some(format!("write `needs: {{ sdk: \">={level}\" }}`"));
    }
    Some(match word.as_str() {
        "tablet" | "tablets" | "pad" | "large" | "foldable" => {
            "write `needs: { size: \">=600\" }`, the smallest width in dp".to_owned()
        }
        "phone" | "phones" | "mobile" | "small" => {
            "write `needs: { size: \"<600\" }`, the smallest width in dp".to_owned()
        }
        _ => return None,
    })
}
