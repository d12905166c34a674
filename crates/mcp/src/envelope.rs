//! Answers the message envelope of the semantic-UI tools: one JSON message in, one out, without a session.
//!
//! `{"type": "call_tool", "params": {"name": …, "arguments": {…}}}` is answered by `{"type": "tool_result",
//! "content": {…}}`, with `"isError": true` and `content.error` if it failed. The other types are
//! `list_tools`, `list_resources` and `read_resource`, which takes `params.uri`. The answer has the message's
//! `id`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::{DialectToolbox, Toolbox as _};
use runner_text::secret::Excerpt;
use runner_tools::{Body, Failure, Outcome};

/// Characters of a wrong value that the answer repeats. Chosen: enough to recognise it.
const MAX_DISPLAY_LENGTH: usize = 200;

const TYPES: [&str; 4] = ["list_tools", "list_resources", "read_resource", "call_tool"];

/// Reason why a message was not executed.
#[derive(Debug, thiserror::Error)]
enum MessageError {
    #[error("A message must be an object with a `type`, got: {0}")]
    NotMessage(String),
    #[error("Missing {0}")]
    Missing(&'static str),
    #[error("`{name}` must be a string, got: {found}")]
    NotText { name: &'static str, found: String },
    #[error("`params` must be an object, got: {0}")]
    Params(String),
    #[error("Parameter 'arguments' must be an object, got: {0}")]
    Arguments(String),
    #[error("Unknown message type: {kind}. Must be one of: {}", TYPES.join(", "))]
    Type { kind: String },
    #[error("Resource not found: {0}")]
    NoResource(String),
    #[error("Unknown tool: {0}")]
    NoTool(String),
    #[error("{}", .0.message)]
    Failed(Box<Failure>),
}

/// Answers a message with a `tool_result`, whatever its type, with the message's `id` if it has one. Errors, also those
/// of a message that is no object, are in the answer, with `isError` and masked secrets.
pub(super) async fn answer(toolbox: &DialectToolbox, message: Value) -> Value {
    let id = message.get("id").cloned();
    let content = match Request::read(message) {
        Ok(request) => execute(toolbox, request).await,
        Err(error) => Err(error),
    };
    let mut answer = json!({ "type": "tool_result" });
    if let Some(id) = id {
        answer["id"] = id;
    }
    match content {
        Ok(content) => answer["content"] = content,
        Err(error) => {
            answer["isError"] = true.into();
            // The error repeats parts of the message, which may hold secrets.
            answer["content"] = json!({ "error": toolbox.clean(&error.to_string()) });
        }
    }
    answer
}

/// Parsed message.
#[derive(Debug, PartialEq)]
enum Request {
    ListTools,
    ListResources,
    ReadResource(String),
    CallTool(String, Value),
}

impl Request {
    /// Reads a message: its type, and the parameters of that. Unknown fields are ignored. Missing or null `arguments`
    /// of a tool are an empty object.
    ///
    /// # Errors
    /// The message or its `params` are no object, the type is unknown, or a parameter is missing or of a wrong type.
    /// Wrong values are marked to be cut after 200 characters. Tools and addresses are not looked up.
    fn read(message: Value) -> Result<Self, MessageError> {
        let Value::Object(mut message) = message else {
            return Err(MessageError::NotMessage(excerpt(&message)));
        };
        let kind = text(&message, "type", "message type")?;
        match kind.as_str() {
            "list_tools" => Ok(Self::ListTools),
            "list_resources" => Ok(Self::ListResources),
            "read_resource" => {
                let uri = text(&params(&mut message)?, "uri", "required parameter: uri")?;
                Ok(Self::ReadResource(uri))
            }
            "call_tool" => {
                let mut params = params(&mut message)?;
                let name = text(&params, "name", "required parameter: name")?;
                let arguments = match params.remove("arguments") {
                    None | Some(Value::Null) => Value::Object(Map::new()),
                    Some(arguments @ Value::Object(_)) => arguments,
                    Some(other) => {
                        return Err(MessageError::Arguments(excerpt(&other)));
                    }
                };
                Ok(Self::CallTool(name, arguments))
            }
            other => Err(MessageError::Type {
                kind: Excerpt::new(other, MAX_DISPLAY_LENGTH).to_string(),
            }),
        }
    }
}

/// Writes a value as JSON for an error message, marked to be cut after 200 characters.
fn excerpt(value: &Value) -> String {
    Excerpt::new(&value.to_string(), MAX_DISPLAY_LENGTH).to_string()
}

/// Takes the message's `params` out of it. It is an error if they are missing, null or no object.
fn params(message: &mut Map<String, Value>) -> Result<Map<String, Value>, MessageError> {
    match message.remove("params") {
        Some(Value::Object(params)) => Ok(params),
        None | Some(Value::Null) => Err(MessageError::Missing("message params")),
        Some(other) => Err(MessageError::Params(excerpt(&other))),
    }
}

/// Returns a field's text, which may be empty. A value of another type is an error. `missing` names the field in the
/// error of one that is missing or null.
fn text(
    fields: &Map<String, Value>,
    name: &'static str,
    missing: &'static str,
) -> Result<String, MessageError> {
    match fields.get(name) {
        Some(Value::String(text)) => Ok(text.clone()),
        None | Some(Value::Null) => Err(MessageError::Missing(missing)),
        Some(other) => Err(MessageError::NotText {
            name,
            found: excerpt(other),
        }),
    }
}

/// Executes a request and returns the answer's content. A tool is called without a caller. One that takes longer than
/// [`super::long_calls::CALL_TIMEOUT`] goes on, and is answered with a failure that says so. Unknown tools and
/// resources, and their failures, are errors.
async fn execute(toolbox: &DialectToolbox, request: Request) -> Result<Value, MessageError> {
    match request {
        Request::ListTools => {
            let tools: Vec<Value> = toolbox
                .tools()
                .await
                .into_iter()
                .map(|tool| {
                    json!({
                        "name": tool.name,
                        "description": tool.description,
                        "inputSchema": *tool.input_schema,
                    })
                })
                .collect();
            Ok(json!({ "tools": tools }))
        }
        Request::ListResources => {
            let resources: Vec<Value> = toolbox
                .all_resources()
                .into_iter()
                .map(|resource| {
                    json!({
                        "uri": resource.uri,
                        "name": resource.name,
                        "description": resource.description,
                        "mimeType": resource.media_type,
                    })
                })
                .collect();
            Ok(json!({ "resources": resources }))
        }
        Request::ReadResource(uri) => match toolbox.contents(&uri).await {
            Ok(Some(contents)) => {
                let mut answer = json!({ "uri": uri, "mimeType": contents.media_type });
                match contents.body {
                    Body::Text(text) => answer["text"] = text.into(),
                    Body::Bytes(bytes) => answer["blob"] = STANDARD.encode(bytes).into(),
                }
                Ok(answer)
            }
            Ok(None) => Err(MessageError::NoResource(uri)),
            Err(failure) => Err(MessageError::Failed(Box::new(failure))),
        },
        Request::CallTool(name, arguments) => {
            let unknown_client = (String::new(), None);
            match toolbox
                .outcome_in_time(&name, arguments, None, unknown_client)
                .await
            {
                Some(Ok(outcome)) => Ok(content(outcome)),
                Some(Err(failure)) => Err(MessageError::Failed(Box::new(failure))),
                None => Err(MessageError::NoTool(name)),
            }
        }
    }
}

/// Returns an outcome's value as an object: one that is no object becomes the `result` of one. Without a
/// value, that is the outcome's text.
fn content(outcome: Outcome) -> Value {
    match outcome.value {
        value @ Value::Object(_) => value,
        Value::Null => json!({ "result": outcome.words() }),
        value => json!({ "result": value }),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use camino::Utf8PathBuf;

    use super::*;
    use crate::{Dialect, DialectOptions};
    use runner_agent::Workspace;
    use runner_base::context::Context;
    use runner_config::{Config, Overrides};

    /// Returns a toolbox on a virtual device without apps.
    fn toolbox(folder: &tempfile::TempDir) -> DialectToolbox {
        let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        let context = Context::fixed(root, std::collections::BTreeMap::default());
        let overrides = Overrides {
            devices: vec!["virtual".to_owned()],
            ..Overrides::default()
        };
        let config = Config::resolve(&context, &overrides).unwrap();
        let workspace = Arc::new(Workspace::new(config, context, false));
        let options = DialectOptions {
            dialect: Dialect::Semantic,
            no_agent_tools: true,
            ..DialectOptions::default()
        };
        DialectToolbox::new(workspace, options)
    }

    #[tokio::test]
    async fn what_is_wrong_with_a_message_is_said_in_the_envelope() {
        let folder = tempfile::tempdir().unwrap();
        let toolbox = toolbox(&folder);
        let call = |params: Value| json!({ "type": "call_tool", "params": params });
        let table = [
            (
                json!(5),
                "A message must be an object with a `type`, got: 5",
            ),
            (json!({}), "Missing message type"),
            (json!({ "type": 5 }), "`type` must be a string, got: 5"),
            (
                json!({ "type": "dance" }),
                "Unknown message type: dance. Must be one of: list_tools, list_resources, read_resource, call_tool",
            ),
            (json!({ "type": "call_tool" }), "Missing message params"),
            (call(json!([])), "`params` must be an object, got: []"),
            (call(json!({})), "Missing required parameter: name"),
            (
                call(json!({ "name": 5 })),
                "`name` must be a string, got: 5",
            ),
            (call(json!({ "name": "dance" })), "Unknown tool: dance"),
            (
                call(json!({ "name": "click", "arguments": [] })),
                "Parameter 'arguments' must be an object, got: []",
            ),
            (
                call(json!({ "name": "click" })),
                "Missing required parameter: element_id",
            ),
            (
                call(json!({ "name": "click", "arguments": { "element_id": "unknown-id" } })),
                "Element not found: unknown-id",
            ),
            (
                json!({ "type": "read_resource", "params": {} }),
                "Missing required parameter: uri",
            ),
            (
                json!({ "type": "read_resource", "params": { "uri": "ui://nope" } }),
                "Resource not found: ui://nope",
            ),
            (
                json!({ "type": "read_resource", "params": { "uri": "ui://element/nope" } }),
                "Element not found: nope",
            ),
        ];
        for (message, problem) in table {
            assert_eq!(
                answer(&toolbox, message).await,
                json!({ "type": "tool_result", "isError": true, "content": { "error": problem } })
            );
        }
    }

    #[tokio::test]
    async fn every_kind_of_message_is_answered() {
        let folder = tempfile::tempdir().unwrap();
        let toolbox = toolbox(&folder);
        let tools = answer(&toolbox, json!({ "type": "list_tools", "id": 7 })).await;
        assert_eq!(
            (&tools["type"], &tools["id"]),
            (&"tool_result".into(), &7.into())
        );
        let names: Vec<&str> = tools["content"]["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert_eq!(names.len(), 8, "{names:?}");
        assert_eq!(
            tools["content"]["tools"][0]["inputSchema"]["required"],
            json!(["element_id"])
        );

        let resources = answer(&toolbox, json!({ "type": "list_resources" })).await;
        assert_eq!(
            resources["content"]["resources"].as_array().map(Vec::len),
            Some(5)
        );

        let params = json!({ "uri": "ui://focus" });
        let focus = answer(
            &toolbox,
            json!({ "type": "read_resource", "params": params }),
        )
        .await;
        assert_eq!(focus["content"]["uri"], "ui://focus");
        let text: Value = serde_json::from_str(focus["content"]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text["element_id"], Value::Null);

        let params = json!({ "name": "click", "arguments": { "element_id": "home" } });
        let clicked = answer(&toolbox, json!({ "type": "call_tool", "params": params })).await;
        assert_eq!(
            clicked,
            json!({
                "type": "tool_result",
                "content": { "success": true, "element_id": "home", "message": "Clicked home" },
            })
        );
    }
}
