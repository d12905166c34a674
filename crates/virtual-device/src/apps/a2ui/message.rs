//! Messages from an agent, and the files that contain them: JSON, JSON lines or YAML.

use serde_json::{Map, Value};

/// Id that stands for the surface in front, for senders that know no id.
pub(crate) const SURFACE_IN_FRONT: &str = "default";

/// A message of A2UI 0.9.1, with additions for 0.8.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Message {
    CreateSurface {
        surface: String,
        theme: Option<Value>,
    },
    UpdateComponents {
        surface: String,
        components: Vec<Map<String, Value>>,
        /// The surface may still be missing: `BeginRendering` shows it. Only in 0.8.
        early: bool,
    },
    /// Shows a surface whose components came before. Only in 0.8.
    BeginRendering {
        surface: String,
        root: String,
        theme: Option<Value>,
    },
    UpdateDataModel {
        surface: String,
        /// Absolute pointer; empty for the whole model.
        path: String,
        /// The new value. `None` removes the one at the path.
        value: Option<Value>,
    },
    DeleteSurface {
        surface: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", place(*line, *column))]
pub struct MessageError {
    /// Line from 1, or 0 if unknown.
    pub line: u64,
    /// Column from 1. It says nothing if `line` is 0.
    pub column: u64,
    pub message: String,
}

/// Formats a place for a message, or nothing if it is not known.
fn place(line: u64, column: u64) -> String {
    if line == 0 {
        String::new()
    } else {
        format!("{line}:{column}: ")
    }
}

/// Returns an error of which the place is not known.
pub(super) fn wrong(message: impl Into<String>) -> MessageError {
    MessageError {
        line: 0,
        column: 0,
        message: message.into(),
    }
}

/// Reads the messages of a file in the format of its extension: YAML, JSON lines, else JSON. YAML and JSON hold one
/// message, a list, or `{messages: […]}`. Blank JSON lines are ignored. The first wrong message fails all; only JSON
/// lines tell the line of a message that is well-formed and wrong.
pub(crate) fn read_messages(name: &str, text: &str) -> Result<Vec<Message>, MessageError> {
    let extension = name.rsplit('.').next().unwrap_or_default();
    match extension {
        "yaml" | "yml" => {
            let value: Value = serde_yaml::from_str(text).map_err(|error| {
                let (line, column) = error
                    .location()
                    .map_or((0, 0), |at| (at.line(), at.column()));
                MessageError {
                    line,
                    column,
                    message: error.without_snippet().to_string(),
                }
            })?;
            from_value(&value, &one)
        }
        "jsonl" => {
            let mut messages = Vec::new();
            for (index, line) in text.lines().enumerate() {
                if line.trim().is_empty() {
                    continue;
                }
                let value = json(line).and_then(|value| from_value(&value, &one));
                messages.extend(value.map_err(|error| MessageError {
                    line: index as u64 + 1,
                    column: error.column.max(1),
                    ..error
                })?);
            }
            Ok(messages)
        }
        _ => from_value(&json(text)?, &one),
    }
}

/// Parses JSON. The error has its line and column.
fn json(text: &str) -> Result<Value, MessageError> {
    serde_json::from_str(text).map_err(|error| MessageError {
        line: error.line() as u64,
        column: error.column() as u64,
        message: error.to_string(),
    })
}

/// Reads the messages in a JSON value: one, a list, or `{messages: […]}`. The first wrong message fails all.
pub(super) fn from_value<T>(
    value: &Value,
    read: &dyn Fn(&Value) -> Result<T, MessageError>,
) -> Result<Vec<T>, MessageError> {
    match value {
        Value::Array(items) => items.iter().map(read).collect(),
        Value::Object(fields) => match fields.get("messages") {
            Some(Value::Array(items)) => items.iter().map(read).collect(),
            _ => Ok(vec![read(value)?]),
        },
        _ => Err(wrong("expected an A2UI message or a list of them")),
    }
}

/// Reads a message of 0.9 or 0.9.1. An update of data without a path is for the whole data, and without a value it
/// removes. Fails without a version or a surface, for other versions, and unless it has exactly one known kind.
pub(super) fn one(value: &Value) -> Result<Message, MessageError> {
    let fields = value
        .as_object()
        .ok_or_else(|| wrong("a message must be an object such as {\"createSurface\": …}"))?;
    match fields.get("version").and_then(Value::as_str) {
        Some("v0.9" | "v0.9.1") => {}
        Some(other) => {
            return Err(wrong(format!(
                "A2UI version `{other}` is not supported yet; app files are `version: v0.9`"
            )));
        }
        None => return Err(wrong("the message has no `version`; write `version: v0.9`")),
    }
    let kinds: Vec<&String> = fields.keys().filter(|key| *key != "version").collect();
    let [kind] = kinds.as_slice() else {
        return Err(wrong(format!(
            "a message has one of createSurface, updateComponents, updateDataModel, deleteSurface; this has {kinds:?}"
        )));
    };
    let body = fields
        .get(kind.as_str())
        .and_then(Value::as_object)
        .ok_or_else(|| wrong(format!("`{kind}` must be an object")))?;
    let surface = body
        .get("surfaceId")
        .and_then(Value::as_str)
        .ok_or_else(|| wrong(format!("`{kind}` has no `surfaceId`")))?
        .to_owned();
    match kind.as_str() {
        "createSurface" => Ok(Message::CreateSurface {
            surface,
            theme: body.get("theme").cloned(),
        }),
        "updateComponents" => Ok(Message::UpdateComponents {
            surface,
            components: components(body)?,
            early: false,
        }),
        "updateDataModel" => Ok(Message::UpdateDataModel {
            surface,
            path: super::absolute("", body.get("path").and_then(Value::as_str).unwrap_or("/")),
            value: body.get("value").cloned(),
        }),
        "deleteSurface" => Ok(Message::DeleteSurface { surface }),
        other => Err(wrong(format!(
            "unknown message `{other}`; expected createSurface, updateComponents, updateDataModel or deleteSurface"
        ))),
    }
}

/// Returns the components of an update. Fails if one lacks its `id` or its type.
fn components(body: &Map<String, Value>) -> Result<Vec<Map<String, Value>>, MessageError> {
    let list = body
        .get("components")
        .and_then(Value::as_array)
        .ok_or_else(|| wrong("`updateComponents` has no list of `components`"))?;
    list.iter()
        .enumerate()
        .map(|(index, component)| {
            let fields = component
                .as_object()
                .ok_or_else(|| wrong(format!("component {index} is not an object")))?;
            let id = fields.get("id").and_then(Value::as_str);
            let kind = fields.get("component").and_then(Value::as_str);
            match (id, kind) {
                (Some(_), Some(_)) => Ok(fields.clone()),
                (None, _) => Err(wrong(format!("component {index} has no `id`"))),
                (Some(id), None) => Err(wrong(format!(
                    "component `{id}` has no `component` such as \"Text\""
                ))),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_from_every_kind_of_file() {
        let line = r#"{"version": "v0.9", "deleteSurface": {"surfaceId": "s"}}"#;
        let expected = vec![Message::DeleteSurface {
            surface: "s".into(),
        }];
        let yaml = "messages:\n  - version: v0.9\n    deleteSurface: { surfaceId: s }\n";
        for (name, text) in [
            ("a.json", line),
            ("a.jsonl", line),
            ("a.json", &format!("[{line}]")),
            ("a.yaml", yaml),
        ] {
            assert_eq!(read_messages(name, text), Ok(expected.clone()), "{name}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let table = [
            (
                "a.jsonl",
                "\n{\"version\": \"v0.8\"}",
                "2:1: A2UI version `v0.8` is not supported yet; app files are `version: v0.9`",
            ),
            (
                "a.json",
                "{\"createSurface\": {}}",
                "the message has no `version`; write `version: v0.9`",
            ),
            (
                "a.json",
                "{\n  oops",
                "2:3: key must be a string at line 2 column 3",
            ),
            (
                "a.json",
                r#"{"version": "v0.9", "updateComponents": {"surfaceId": "s", "components": [{"id": "a"}]}}"#,
                "component `a` has no `component` such as \"Text\"",
            ),
        ];
        for (name, text, message) in table {
            let error = read_messages(name, text).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
