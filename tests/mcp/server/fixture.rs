//! Toolbox with an example of everything in the protocol, for the conformance scenarios.

#![expect(
    deprecated,
    reason = "sampling and logging belong to the revisions that the scenarios speak"
)]

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use rmcp::model::{
    CallToolResult, ClientResult, CompleteRequestParams, CompleteResult, CreateMessageRequest,
    ElicitRequest, GetPromptRequestParams, GetPromptResult, JsonObject, LoggingLevel,
    LoggingMessageNotificationParam, ProgressNotificationParam, Prompt, ReadResourceResult,
    Resource, ResourceTemplate, ServerCapabilities, ServerRequest, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use runner::mcp::Toolbox;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A picture of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/// A sound of no length.
const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

/// The toolbox.
#[derive(Debug, Default)]
pub struct Fixture {
    watched: Mutex<BTreeSet<String>>,
}

fn made<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("the fixture's JSON fits the protocol")
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn picture() -> Value {
    json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" })
}

fn embedded(uri: &str, media_type: &str, text: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": media_type, "text": text } })
}

fn tool(name: &str, arguments: &[&str]) -> Tool {
    let properties: JsonObject = arguments
        .iter()
        .map(|argument| ((*argument).to_owned(), json!({ "type": "string" })))
        .collect();
    made(json!({
        "name": name,
        "description": format!("The scenario {name}"),
        "inputSchema": { "type": "object", "properties": properties, "required": arguments },
    }))
}

fn argument<'a>(arguments: &'a JsonObject, name: &str) -> &'a str {
    arguments
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Returns a form with a default for each kind of field.
fn defaults() -> Value {
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    })
}

/// Returns a form with each way to write a choice.
fn choices() -> Value {
    let titled = json!([
        { "const": "value1", "title": "First" },
        { "const": "value2", "title": "Second" },
        { "const": "value3", "title": "Third" },
    ]);
    let plain = json!(["option1", "option2", "option3"]);
    json!({
        "untitledSingle": { "type": "string", "enum": plain },
        "titledSingle": { "type": "string", "oneOf": titled },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled } },
    })
}

async fn pause() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

async fn query(
    context: &RequestContext<RoleServer>,
    request: ServerRequest,
) -> Result<ClientResult, ErrorData> {
    context
        .peer
        .send_request(request)
        .await
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

async fn elicit(
    context: &RequestContext<RoleServer>,
    message: &str,
    properties: Value,
) -> Result<Value, ErrorData> {
    let required: Vec<&String> = properties
        .as_object()
        .into_iter()
        .flat_map(JsonObject::keys)
        .collect();
    let params = json!({
        "mode": "form",
        "message": message,
        "requestedSchema": { "type": "object", "properties": properties, "required": required },
    });
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(made(params)));
    let answer = query(context, request).await?;
    Ok(json!([text(&format!("Elicitation completed: {answer:?}"))]))
}

async fn sample(context: &RequestContext<RoleServer>, prompt: &str) -> Result<Value, ErrorData> {
    let params = json!({
        "messages": [{ "role": "user", "content": text(prompt) }],
        "maxTokens": 100,
    });
    let request = ServerRequest::CreateMessageRequest(CreateMessageRequest::new(made(params)));
    let answer = query(context, request).await?;
    Ok(json!([text(&format!("LLM response: {answer:?}"))]))
}

async fn log(context: &RequestContext<RoleServer>) -> Value {
    for message in ["started", "processing data", "completed"] {
        let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(message));
        context
            .peer
            .notify_logging_message(message)
            .await
            .expect("the client listens");
        pause().await;
    }
    json!([text("logged")])
}

async fn progress(context: &RequestContext<RoleServer>) -> Value {
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let reported = ProgressNotificationParam::new(token, done).with_total(100.0);
            context
                .peer
                .notify_progress(reported)
                .await
                .expect("the client listens");
        }
        pause().await;
    }
    json!([text("done")])
}

#[async_trait]
impl Toolbox for Fixture {
    fn instructions(&self) -> String {
        "One of everything.".to_owned()
    }

    fn capabilities(&self) -> ServerCapabilities {
        made(json!({
            "completions": {}, "logging": {}, "prompts": {}, "resources": { "subscribe": true }, "tools": {},
        }))
    }

    async fn tools(&self) -> Vec<Tool> {
        let mut tools: Vec<Tool> = [
            "test_simple_text",
            "test_image_content",
            "test_audio_content",
            "test_embedded_resource",
            "test_multiple_content_types",
            "test_tool_with_logging",
            "test_tool_with_progress",
            "test_error_handling",
            "test_elicitation_sep1034_defaults",
            "test_elicitation_sep1330_enums",
            "test_reconnection",
        ]
        .iter()
        .map(|name| tool(name, &[]))
        .collect();
        tools.push(tool("test_sampling", &["prompt"]));
        tools.push(tool("test_elicitation", &["message"]));
        tools.push(made(json!({
            "name": "json_schema_2020_12_tool",
            "description": "A schema that must arrive whole",
            "inputSchema": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "$defs": { "address": {
                    "type": "object",
                    "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
                } },
                "properties": { "name": { "type": "string" }, "address": { "$ref": "#/$defs/address" } },
                "additionalProperties": false,
            },
        })));
        tools
    }

    async fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let content = match name {
            "test_simple_text" => json!([text("This is a simple text response for testing.")]),
            "test_image_content" => json!([picture()]),
            "test_audio_content" => {
                json!([{ "type": "audio", "data": SILENCE, "mimeType": "audio/wav" }])
            }
            "test_embedded_resource" => json!([embedded(
                "test://embedded-resource",
                "text/plain",
                "This is an embedded resource content.",
            )]),
            "test_multiple_content_types" => json!([
                text("Multiple content types test:"),
                picture(),
                embedded(
                    "test://mixed-content-resource",
                    "application/json",
                    r#"{"test":"data","value":123}"#
                ),
            ]),
            "test_tool_with_logging" => log(&context).await,
            "test_tool_with_progress" => progress(&context).await,
            "test_error_handling" => {
                return Ok(made(json!({
                    "isError": true,
                    "content": [text("This tool intentionally returns an error for testing")],
                })));
            }
            "test_sampling" => sample(&context, argument(&arguments, "prompt")).await?,
            "test_elicitation" => {
                let form =
                    json!({ "username": { "type": "string" }, "email": { "type": "string" } });
                elicit(&context, argument(&arguments, "message"), form).await?
            }
            "test_elicitation_sep1034_defaults" => {
                elicit(&context, "Defaults?", defaults()).await?
            }
            "test_elicitation_sep1330_enums" => elicit(&context, "Which?", choices()).await?,
            "test_reconnection" => {
                pause().await;
                json!([text("still here")])
            }
            _ => return Err(ErrorData::invalid_params(format!("no tool {name}"), None)),
        };
        Ok(made(json!({ "content": content })))
    }

    fn resources(&self) -> Vec<Resource> {
        made(json!([
            { "uri": "test://static-text", "name": "text", "description": "A text", "mimeType": "text/plain" },
            { "uri": "test://static-binary", "name": "picture", "description": "A pixel", "mimeType": "image/png" },
            { "uri": "test://watched-resource", "name": "watched", "description": "A text", "mimeType": "text/plain" },
        ]))
    }

    fn resource_templates(&self) -> Vec<ResourceTemplate> {
        made(json!([{
            "uriTemplate": "test://template/{id}/data", "name": "data", "description": "One of many",
            "mimeType": "application/json",
        }]))
    }

    async fn read(&self, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        let contents = match uri {
            "test://static-text" | "test://watched-resource" => {
                json!({ "uri": uri, "mimeType": "text/plain", "text": "This is the content." })
            }
            "test://static-binary" => json!({ "uri": uri, "mimeType": "image/png", "blob": PIXEL }),
            _ => {
                let id = uri
                    .strip_prefix("test://template/")
                    .and_then(|rest| rest.strip_suffix("/data"))
                    .ok_or_else(|| ErrorData::resource_not_found(uri.to_owned(), None))?;
                let data =
                    json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
                json!({ "uri": uri, "mimeType": "application/json", "text": data.to_string() })
            }
        };
        Ok(made(json!({ "contents": [contents] })))
    }

    async fn subscribe(
        &self,
        uri: &str,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        watched.insert(uri.to_owned());
        Ok(())
    }

    async fn unsubscribe(
        &self,
        uri: &str,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        watched.remove(uri);
        Ok(())
    }

    async fn complete(&self, _: CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
        Ok(made(
            json!({ "completion": { "values": ["paris", "park"], "hasMore": false } }),
        ))
    }

    fn prompts(&self) -> Vec<Prompt> {
        let argument = |name: &str| json!({ "name": name, "description": name, "required": true });
        made(json!([
            { "name": "test_simple_prompt", "description": "Simple" },
            {
                "name": "test_prompt_with_arguments", "description": "With arguments",
                "arguments": [argument("arg1"), argument("arg2")],
            },
            {
                "name": "test_prompt_with_embedded_resource", "description": "With a resource",
                "arguments": [argument("resourceUri")],
            },
            { "name": "test_prompt_with_image", "description": "With a picture" },
        ]))
    }

    async fn prompt(&self, request: GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let contents = match request.name.as_str() {
            "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
            "test_prompt_with_arguments" => vec![text(&format!(
                "Prompt with arguments: arg1='{}', arg2='{}'",
                argument(&arguments, "arg1"),
                argument(&arguments, "arg2")
            ))],
            "test_prompt_with_embedded_resource" => vec![
                embedded(
                    argument(&arguments, "resourceUri"),
                    "text/plain",
                    "Embedded resource content for testing.",
                ),
                text("Please process the embedded resource above."),
            ],
            "test_prompt_with_image" => {
                vec![picture(), text("Please analyze the image above.")]
            }
            name => return Err(ErrorData::invalid_params(format!("no prompt {name}"), None)),
        };
        let messages: Vec<Value> = contents
            .into_iter()
            .map(|content| json!({ "role": "user", "content": content }))
            .collect();
        Ok(made(json!({ "messages": messages })))
    }
}
